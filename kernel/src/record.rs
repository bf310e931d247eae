//! A record's bytes, read through its event's layout.
//!
//! [`Decoder`] finds the layout by the record's `common_type`; [`Record`] returns the fields as [`Value`]s that borrow
//! from the record. Every offset and length is checked against the record: one that leads outside is a [`RecordError`].

use crate::bytes::{ByteOrder, sign_extend, zero_extend};
use crate::format::{EventFormat, Field, FieldKind};
use crate::grouped::Grouped;
use crate::page::PageLayout;
use crate::value::{Cpumask, IntArray};

pub use crate::value::Value;

/// The reason why a record or one of its fields cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The record ends within its common header.
    #[error("a record of {} bytes is shorter than its header", Grouped(len))]
    Header {
        /// The number of bytes.
        len: usize,
    },
    /// No layout with the record's type is known.
    #[error("no event with the id {id} is known")]
    UnknownEvent {
        /// `common_type` of the record.
        id: u16,
    },
    /// A field, or the dynamic data it refers to, lies outside the record.
    #[error("the field `{field}` reaches past the end of its record of {} bytes", Grouped(len))]
    Field {
        /// The field's name.
        field: String,
        /// Bytes of the record.
        len: usize,
    },
    /// A layout gives an integer a size that no integer has; [`EventFormat::parse`] never returns such a layout.
    #[error("the field `{field}` is called an integer but has {} bytes", Grouped(size))]
    Size {
        /// The field's name.
        field: String,
        /// The size, bytes.
        size: u32,
    },
}

/// The layouts of the events that can occur, by id.
#[derive(Clone, Debug)]
pub struct Decoder {
    known: Vec<(EventFormat, Header)>,
    /// Index into `known` plus one, by event id; 0 where there is none. Ids are small: the kernel assigns them in
    /// sequence.
    by_id: Vec<u16>,
    order: ByteOrder,
    long_size: usize,
    type_offset: usize,
}

/// The offsets of the common fields. A field that the layout lacks has no offset.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    size: usize,
    flags: Option<usize>,
    preempt_count: Option<usize>,
    pid: Option<usize>,
}

impl Header {
    fn of(format: &EventFormat) -> Self {
        let at = |name: &str, size: u32| {
            let field = format.common_fields().iter().find(|field| field.name == name)?;
            (field.size == size).then_some(field.offset as usize)
        };
        Header {
            size: format.header_size() as usize,
            flags: at("common_flags", 1),
            preempt_count: at("common_preempt_count", 1),
            pid: at("common_pid", 4),
        }
    }
}

impl Decoder {
    /// Returns a decoder for records of this machine's kernel. Of two layouts with the same id the later is used.
    pub fn new(formats: Vec<EventFormat>) -> Self {
        Self::build(formats, ByteOrder::NATIVE, size_of::<usize>())
    }

    /// Returns a decoder for records of the machine that the page layout describes, for recordings from another
    /// machine.
    pub fn for_layout(formats: Vec<EventFormat>, layout: &PageLayout) -> Self {
        // The commit word is a `long` of that kernel.
        Self::build(formats, ByteOrder::little_if(layout.little_endian), layout.commit_size as usize)
    }

    fn build(formats: Vec<EventFormat>, order: ByteOrder, long_size: usize) -> Self {
        // Ids have 16 bits, so more layouts than that hold duplicates; the map below could not number them.
        let known: Vec<_> = formats
            .into_iter()
            .take(usize::from(u16::MAX))
            .map(|format| {
                let header = Header::of(&format);
                (format, header)
            })
            .collect();
        let ids = known.iter().map(|(format, _)| usize::from(format.id) + 1).max().unwrap_or(0);
        let mut by_id = vec![0; ids];
        for (number, (format, _)) in (1..).zip(&known) {
            by_id[usize::from(format.id)] = number;
        }
        // All events of a kernel share the common fields.
        let type_offset = known
            .first()
            .and_then(|(format, _)| format.common_fields().iter().find(|field| field.name == "common_type"))
            .map_or(0, |field| field.offset as usize);
        Decoder { known, by_id, order, long_size, type_offset }
    }

    /// Returns the layout of the event with this id.
    pub fn format(&self, id: u16) -> Option<&EventFormat> {
        self.lookup(id).map(|(format, _)| format)
    }

    /// Returns the layouts, in the order they were given.
    pub fn formats(&self) -> impl Iterator<Item = &EventFormat> {
        self.known.iter().map(|(format, _)| format)
    }

    fn lookup(&self, id: u16) -> Option<&(EventFormat, Header)> {
        let number = *self.by_id.get(usize::from(id))?;
        self.known.get(usize::from(number).checked_sub(1)?)
    }

    /// Joins a record's bytes with its layout.
    ///
    /// # Errors
    /// [`RecordError::Header`] if the bytes end within the common header, [`RecordError::UnknownEvent`] if no layout
    /// has the record's id.
    pub fn record<'a>(&'a self, data: &'a [u8]) -> Result<Record<'a>, RecordError> {
        let short = RecordError::Header { len: data.len() };
        let Some(id) = self.order.u16(data, self.type_offset) else { return Err(short) };
        let Some((format, header)) = self.lookup(id) else { return Err(RecordError::UnknownEvent { id }) };
        if data.len() < header.size {
            return Err(short);
        }
        Ok(Record { format, data, header, order: self.order, long_size: self.long_size })
    }
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The layout of its event.
    pub format: &'a EventFormat,
    /// Its bytes, the common header first.
    pub data: &'a [u8],
    header: &'a Header,
    order: ByteOrder,
    long_size: usize,
}

impl<'a> Record<'a> {
    /// Returns the thread that wrote it; 0, the idle task, if a layout that was built by hand lacks `common_pid`.
    pub fn common_pid(&self) -> i32 {
        self.header.pid.and_then(|offset| self.order.u32(self.data, offset)).map_or(0, |pid| pid as i32)
    }

    /// Returns the `TRACE_FLAG_*` bits (include/linux/trace_events.h): interrupts off, need-resched, in an interrupt.
    pub fn common_flags(&self) -> u8 {
        self.byte(self.header.flags)
    }

    /// Returns how deeply preemption (low four bits) and migration (high four bits) are disabled.
    pub fn common_preempt_count(&self) -> u8 {
        self.byte(self.header.preempt_count)
    }

    fn byte(&self, offset: Option<usize>) -> u8 {
        offset.and_then(|offset| self.data.get(offset)).copied().unwrap_or(0)
    }

    /// Returns the event's own fields, in the order of the layout, each with its value in the record.
    pub fn fields(&self) -> impl Iterator<Item = (&'a Field, Result<Value<'a>, RecordError>)> + use<'a> {
        let record = *self;
        record.format.own_fields().iter().map(move |field| (field, record.value(field)))
    }

    /// Returns the value of the field with this name, the common ones included; `None` if the event lacks it.
    pub fn get(&self, name: &str) -> Option<Result<Value<'a>, RecordError>> {
        self.format.field(name).map(|field| self.value(field))
    }

    /// Returns the value of a field of this record's layout.
    ///
    /// # Errors
    /// [`RecordError::Field`] if the field or its dynamic data lies outside the record.
    pub fn value(&self, field: &Field) -> Result<Value<'a>, RecordError> {
        let array = |bytes, element: u32, signed| {
            IntArray::new(bytes, element, signed, self.order).map_or(Value::Bytes(bytes), Value::Ints)
        };
        Ok(match field.kind {
            FieldKind::Int => self.integer(field)?,
            FieldKind::CharPtr => Value::Address(self.word(field)?),
            // The kernel's filter treats `unsigned char[6]` as a string; it holds hardware addresses.
            FieldKind::CharArray if field.type_text.contains("unsigned") => Value::Bytes(self.fixed(field)?),
            FieldKind::CharArray => Value::Text(until_nul(self.fixed(field)?)),
            FieldKind::DynString | FieldKind::RelString => Value::Text(until_nul(self.dynamic(field)?)),
            FieldKind::Array { element } => array(self.fixed(field)?, element, field.signed),
            FieldKind::DynArray { element } | FieldKind::RelArray { element } => {
                array(self.dynamic(field)?, element, field.signed)
            }
            FieldKind::DynCpumask | FieldKind::RelCpumask => {
                Value::Cpumask(self.cpumask(self.dynamic(field)?))
            }
            FieldKind::Opaque => Value::Bytes(self.fixed(field)?),
        })
    }

    /// Returns the return addresses of a stack record (`ftrace:kernel_stack`, `ftrace:user_stack`), innermost first.
    ///
    /// The layout gives `caller` eight elements; the record continues to the end of its data (`__ftrace_trace_stack`,
    /// kernel/trace/trace.c).
    #[inline]
    pub fn stack(&self) -> Option<impl Iterator<Item = u64> + use<'a>> {
        // Hardly any record is one.
        if self.format.system == "ftrace" { self.addresses() } else { None }
    }

    fn addresses(&self) -> Option<impl Iterator<Item = u64> + use<'a>> {
        let is_stack = matches!(self.format.name.as_str(), "kernel_stack" | "user_stack");
        let caller = is_stack.then(|| self.format.field("caller")).flatten()?;
        let bytes = self.data.get(caller.offset as usize..)?;
        let FieldKind::Array { element } = caller.kind else { return None };
        let depth = match self.get("size") {
            Some(Ok(Value::Int(size))) => usize::try_from(size).ok()?,
            Some(Ok(Value::UInt(size))) => usize::try_from(size).ok()?,
            // A user stack has no `size`: always eight elements.
            _ => caller.size as usize / element.max(1) as usize,
        };
        let order = self.order;
        let element = element as usize;
        let end = u64::MAX >> (64 - 8 * element.clamp(1, 8));
        let addresses = bytes.chunks_exact(element.max(1)).take(depth);
        Some(
            addresses
                .map_while(move |chunk| order.uint(chunk, 0, element))
                .take_while(move |&address| address != 0 && address != end),
        )
    }

    fn integer(&self, field: &Field) -> Result<Value<'a>, RecordError> {
        let word = self.word(field)?;
        if field.is_pointer() {
            return Ok(Value::Address(word));
        }
        let kind = field.integer();
        Ok(match kind {
            Some(kind) if kind.signed => Value::Int(sign_extend(word, kind.bytes as usize)),
            Some(kind) => Value::UInt(zero_extend(word, kind.bytes as usize)),
            None => Value::UInt(word),
        })
    }

    fn word(&self, field: &Field) -> Result<u64, RecordError> {
        if !matches!(field.size, 1 | 2 | 4 | 8) {
            return Err(RecordError::Size { field: field.name.to_string(), size: field.size });
        }
        self.uint_at(field.offset, field.size).ok_or_else(|| self.outside(field))
    }

    fn fixed(&self, field: &Field) -> Result<&'a [u8], RecordError> {
        self.fixed_at(field.offset, field.size).ok_or_else(|| self.outside(field))
    }

    fn dynamic(&self, field: &Field) -> Result<&'a [u8], RecordError> {
        self.located_at(field.offset, field.kind.is_relative()).ok_or_else(|| self.outside(field))
    }

    /// Returns an unsigned integer of 1, 2, 4 or 8 bytes; `None` for other sizes and where it exceeds the record.
    pub(crate) fn uint_at(&self, offset: u32, size: u32) -> Option<u64> {
        self.order.uint(self.data, offset as usize, size as usize)
    }

    /// Returns bytes of the fixed part. A field of size 0 is the rest of the record (`char buf[]`).
    pub(crate) fn fixed_at(&self, offset: u32, size: u32) -> Option<&'a [u8]> {
        let tail = self.data.get(offset as usize..)?;
        if size == 0 { Some(tail) } else { tail.get(..size as usize) }
    }

    /// Returns the bytes that a location word refers to: its low half is their offset, its high half their length.
    pub(crate) fn located_at(&self, word: u32, relative: bool) -> Option<&'a [u8]> {
        let word = word as usize;
        let location = self.order.u32(self.data, word)?;
        let length = (location >> 16) as usize;
        if length == 0 {
            return Some(&[]);
        }
        let base = if relative { word + 4 } else { 0 };
        let start = base + (location & 0xffff) as usize;
        self.data.get(start..start + length)
    }

    /// Returns the set of CPUs in these bytes of the record.
    pub(crate) fn cpumask(&self, bytes: &'a [u8]) -> Cpumask<'a> {
        Cpumask::new(bytes, self.order, self.long_size)
    }

    fn outside(&self, field: &Field) -> RecordError {
        RecordError::Field { field: field.name.to_string(), len: self.data.len() }
    }
}

/// Returns the bytes of a string, up to the first NUL or all of them.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    const ONES: u64 = u64::MAX / 0xff;
    let (words, rest) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Sets the top bit of each byte that is 0; in bytes above the lowest such byte it may be set as well.
        let nuls = word.wrapping_sub(ONES) & !word & ONES << 7;
        if nuls != 0 {
            return &bytes[..8 * index + nuls.trailing_zeros() as usize / 8];
        }
    }
    let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
    &bytes[..bytes.len() - rest.len() + end]
}

#[cfg(test)]
mod tests {
    use super::until_nul;

    #[test]
    fn a_text_ends_at_its_first_nul() {
        // 1 below a NUL borrows from it.
        for filler in [b"\x01\x01", b"\x01\x80", b"a\0", b"\xff\0"] {
            for length in 0..20 {
                for nul in 0..=length {
                    let mut bytes = vec![filler[0]; length];
                    if let Some((first, behind)) = bytes.get_mut(nul..).and_then(<[u8]>::split_first_mut) {
                        *first = 0;
                        behind.fill(filler[1]);
                    }
                    assert_eq!(until_nul(&bytes), &bytes[..nul], "{bytes:?}");
                }
            }
        }
    }
}
