//! Values of a record's fields, and their form on one line.

use std::fmt;

use crate::bytes::{ByteOrder, sign_extend};
use crate::escaped::{is_unprintable, write_hex};

/// The value of one field, borrowed from the record.
///
/// Its [`Display`](fmt::Display) keeps a record on one line: integers are decimal, addresses hexadecimal, arrays
/// `{1,2,3}`. Control characters, bytes that are not UTF-8 and characters that change the direction of text are `\xNN`,
/// a backslash is `\\`; a string that is empty or holds blanks, `=`, quotes or braces is in double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A string up to its NUL; any bytes, usually UTF-8.
    Text(&'a [u8]),
    /// A pointer: an address in the kernel or in a process.
    Address(u64),
    /// Integers of one size.
    Ints(IntArray<'a>),
    /// Bytes without a known meaning.
    Bytes(&'a [u8]),
    /// A set of CPUs.
    Cpumask(Cpumask<'a>),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::UInt(value) => write!(f, "{value}"),
            Value::Text(text) => write_text(f, text),
            Value::Address(address) => write!(f, "{address:#x}"),
            Value::Ints(array) => write_list(f, array.iter()),
            Value::Bytes(bytes) => {
                for (index, byte) in bytes.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ":" };
                    write!(f, "{separator}{byte:02x}")?;
                }
                Ok(())
            }
            Value::Cpumask(mask) => mask.fmt(f),
        }
    }
}

fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = T>) -> fmt::Result {
    f.write_str("{")?;
    for (index, item) in items.enumerate() {
        let separator = if index == 0 { "" } else { "," };
        write!(f, "{separator}{item}")?;
    }
    f.write_str("}")
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &[u8]) -> fmt::Result {
    // Nearly all strings are names or paths; for those each byte is examined once.
    if !text.is_empty()
        && text.iter().all(|&byte| is_plain(byte))
        && let Ok(text) = str::from_utf8(text)
    {
        return f.write_str(text);
    }
    let quoted = text.is_empty() || text.iter().any(|&byte| needs_quotes(byte));
    let quote = if quoted { "\"" } else { "" };
    f.write_str(quote)?;
    for chunk in text.utf8_chunks() {
        write_valid(f, chunk.valid())?;
        write_hex(f, chunk.invalid())?;
    }
    f.write_str(quote)
}

fn needs_quotes(byte: u8) -> bool {
    matches!(byte, b' ' | b'=' | b'"' | b'\'' | b'{' | b'}' | b',')
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'\\' && !needs_quotes(byte)
}

fn write_valid(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut plain = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if c == '\\' || c == '"' {
            write!(f, "{}\\{c}", &text[plain..at])?;
            plain = end;
        } else if is_unprintable(c) {
            f.write_str(&text[plain..at])?;
            write_hex(f, &text.as_bytes()[at..end])?;
            plain = end;
        }
    }
    f.write_str(&text[plain..])
}

/// Integers of one size in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntArray<'a> {
    bytes: &'a [u8],
    element: u32,
    signed: bool,
    order: ByteOrder,
}

impl<'a> IntArray<'a> {
    /// Returns `None` if no integer has `element` bytes.
    pub(crate) fn new(bytes: &'a [u8], element: u32, signed: bool, order: ByteOrder) -> Option<Self> {
        matches!(element, 1 | 2 | 4 | 8).then_some(IntArray { bytes, element, signed, order })
    }

    /// Returns the number of integers.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element as usize
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the integers, extended by the sign of the element's type. Bytes left over at the end are ignored.
    pub fn iter(&self) -> impl Iterator<Item = i128> + use<'a> {
        let IntArray { element, signed, order, .. } = *self;
        let size = element as usize;
        self.bytes.chunks_exact(size).map_while(move |chunk| {
            let value = order.uint(chunk, 0, size)?;
            Some(if signed { i128::from(sign_extend(value, size)) } else { i128::from(value) })
        })
    }
}

/// A set of CPUs in a record: words of the kernel's `long`, the lowest CPUs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpumask<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
    long_size: usize,
}

impl<'a> Cpumask<'a> {
    pub(crate) fn new(bytes: &'a [u8], order: ByteOrder, long_size: usize) -> Self {
        Cpumask { bytes, order, long_size: long_size.max(1) }
    }

    /// Returns the numbers of the CPUs in the set, ascending.
    pub fn cpus(&self) -> impl Iterator<Item = usize> + use<'a> {
        let mask = *self;
        (0..self.bytes.len() * 8).filter(move |&cpu| mask.contains(cpu))
    }

    /// Returns whether a CPU is in the set.
    pub fn contains(&self, cpu: usize) -> bool {
        let byte = cpu / 8;
        let byte = match self.order {
            ByteOrder::Little => byte,
            ByteOrder::Big => {
                let word = byte - byte % self.long_size;
                word + self.long_size - 1 - byte % self.long_size
            }
        };
        self.bytes.get(byte).is_some_and(|bits| bits >> (cpu % 8) & 1 == 1)
    }
}

/// Prints a list of ranges as the kernel's `%*pbl` does, in braces: `{0-3,5}`.
impl fmt::Display for Cpumask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for cpu in self.cpus() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == cpu => *last = cpu,
                _ => ranges.push((cpu, cpu)),
            }
        }
        let text = ranges
            .iter()
            .map(|&(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
        write_list(f, text)
    }
}
