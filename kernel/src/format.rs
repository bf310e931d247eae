//! The layout of an event, as its `format` file in tracefs gives it (kernel/trace/trace_events.c, `f_show`).

mod classify;
mod parse;
pub mod print;
mod unlisted;
mod write;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::tables::c_types;
use print::{PrintError, PrintFmt, Quoting};

pub use crate::tables::c_types::IntegerType;
pub(crate) use parse::parse_field;
pub use parse::{FormatError, FormatReader};
pub use unlisted::of_block_trace;

/// An event's layout. A copy shares its parts: a kernel has thousands, and each reader of records has them all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventFormat {
    /// The system (directory) it belongs to; not part of the file, given by the reader.
    pub system: SmolStr,
    /// The event's name.
    pub name: SmolStr,
    /// `common_type` of its records.
    pub id: u16,
    /// The fields, common ones first, in the file's order.
    pub fields: Arc<[Field]>,
    /// The number of common `fields`, which stand before the empty line.
    pub common: usize,
    /// The text after `print fmt: `; [`print`](Self::print) parses it.
    pub print_fmt: SmolStr,
}

impl EventFormat {
    /// Reads the text of a `format` file, of any kernel from 4.x on.
    ///
    /// # Errors
    /// [`FormatError`] with the line that is not valid.
    pub fn parse(system: &str, text: &str) -> Result<Self, FormatError> {
        FormatReader::default().read(system, text)
    }

    /// Returns a text that [`parse`](Self::parse) reads as this layout.
    pub fn text(&self) -> String {
        write::event(self)
    }

    /// Returns the size of the common header in bytes: 8 on most kernels, more on older and real-time ones.
    pub fn header_size(&self) -> u32 {
        self.common_fields().iter().map(|field| field.offset.saturating_add(field.size)).max().unwrap_or(0)
    }

    /// Returns the fields that all events share: `common_type`, `common_flags`, `common_preempt_count`, `common_pid`,
    /// ...
    pub fn common_fields(&self) -> &[Field] {
        self.fields.get(..self.common).unwrap_or(&self.fields)
    }

    /// Returns the event's own fields.
    pub fn own_fields(&self) -> &[Field] {
        self.fields.get(self.common..).unwrap_or_default()
    }

    /// Returns the field with this name: the event's own, else a common one; of two in the same part the one that
    /// stands last.
    ///
    /// The kernel's filter finds the same one: `trace_find_event_field` (kernel/trace/trace_events.c) searches the
    /// event's list first, and `list_add` has put the field defined last at its head. Before the common fields it
    /// searches the generic fields, `CPU`, `comm` and so on, which no format shows
    /// ([`generic_fields`](crate::tables::generic_fields)).
    pub fn field(&self, name: &str) -> Option<&Field> {
        let mut last_first = self.own_fields().iter().rev().chain(self.common_fields().iter().rev());
        last_first.find(|field| field.name == name)
    }

    /// Returns the field of the common header that holds the thread id of the task that wrote a record. A field of the
    /// event's own may have the same name.
    pub fn task_pid(&self) -> Option<&Field> {
        self.common_fields().iter().find(|field| field.name == TASK_PID)
    }

    /// Parses the print format. Reading a format file does not do this: most users of an event do not need it.
    ///
    /// # Errors
    /// [`PrintError`] for a text that no kernel writes.
    pub fn print(&self) -> Result<PrintFmt, PrintError> {
        // Only the events of trace_entries.h are described by kernel/trace/trace_export.c.
        let quoting = if self.system == "ftrace" { Quoting::Stringified } else { Quoting::Verbatim };
        PrintFmt::parse(&self.print_fmt, quoting)
    }

    /// Returns `system:name`.
    pub fn qualified_name(&self) -> String {
        format!("{}:{}", self.system, self.name)
    }
}

/// The name of [`EventFormat::task_pid`] where a field of the event's own hides `common_pid`.
pub const TASK_PID: &str = "common_pid";

/// One field of a record.
///
/// Conditions hold copies of the fields that they compare, so copies are many; a text of usual length is stored inline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name.
    pub name: SmolStr,
    /// Its type as the file writes it, the array part included: `char[16]`, `__data_loc char[]`, `unsigned long[6]`.
    pub type_text: SmolStr,
    /// The kind of data, for reading and filtering.
    pub kind: FieldKind,
    /// Offset in the record, bytes.
    pub offset: u32,
    /// Size in the record, bytes.
    pub size: u32,
    /// Whether the file says `signed:1`.
    pub signed: bool,
}

/// Within one event, the offset distinguishes most fields.
impl Hash for Field {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.offset, self.size).hash(state);
    }
}

impl Field {
    /// Returns the type of the integer that the field holds; `None` if it does not hold one.
    ///
    /// This is the field's own size and sign, with one exception: every argument of a system call is recorded as the
    /// whole register, in eight unsigned bytes (kernel/trace/trace_syscalls.c). The call casts it to the argument's
    /// type (`__SC_CAST`, include/linux/syscalls.h), so that an `int dfd` of -100 is recorded as `0xffffff9c` or, if
    /// the caller extended it, as `0xffffffffffffff9c`, and an `unsigned int fd` of 77 as 77 or as
    /// `0xdeadbeef0000004d`. The value is in the low bytes, with the size and sign of the C type. No other event has a
    /// field of such a type in eight unsigned bytes.
    pub fn integer(&self) -> Option<IntegerType> {
        if self.kind != FieldKind::Int {
            return None;
        }
        let own = IntegerType { bytes: self.size, signed: self.signed };
        // This runs for every value that is decoded: the type is looked up only where it could matter.
        if self.size != 8 || self.signed {
            return Some(own);
        }
        // No argument has a type of one byte; a cast to `bool` would not take the low byte.
        let argument = c_types::find(&self.type_text).filter(|c| c.size >= 2);
        Some(argument.map_or(own, |c| c.integer()))
    }

    /// Returns an array of four single bytes as the one integer that its bytes are in a record; `None` for other
    /// fields.
    ///
    /// The kernel's filter compares every field that is not a string by its size alone (`select_comparison_fn` in
    /// kernel/trace/trace_events_filter.c), so that its result is the same.
    pub fn packed(&self) -> Option<Field> {
        let packs = self.kind == FieldKind::Array { element: 1 } && self.size == 4 && !self.signed;
        packs.then(|| Field { kind: FieldKind::Int, ..self.clone() })
    }

    /// Returns whether the field is an argument of a system call whose value differs from the recorded register: an
    /// `int`, an `unsigned int`, a `long`. See [`integer`](Self::integer).
    pub fn is_argument(&self) -> bool {
        let register = IntegerType { bytes: self.size, signed: self.signed };
        self.integer().is_some_and(|integer| integer != register)
    }

    /// Returns whether the field holds an address, by its type text.
    pub fn is_pointer(&self) -> bool {
        self.type_text.contains('*')
    }
}

/// The kinds of data in a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FieldKind {
    /// An integer of 1, 2, 4 or 8 bytes; `size` and `signed` say the rest.
    Int,
    /// `char[N]` in the record: text up to the first NUL, at most N bytes.
    CharArray,
    /// `__data_loc char[]`: the 4-byte word is `length << 16 | offset from the record's start`.
    DynString,
    /// `__rel_loc char[]`: the same, with an offset that counts from the end of the word.
    RelString,
    /// `char *`: a kernel or user address; the kernel's filter can follow it, a reader of the record cannot.
    CharPtr,
    /// N integers of `element` bytes in the record.
    Array {
        /// Bytes of one element.
        element: u32,
    },
    /// `__data_loc T[]` of integers of `element` bytes.
    DynArray {
        /// Bytes of one element.
        element: u32,
    },
    /// `__rel_loc T[]`.
    RelArray {
        /// Bytes of one element.
        element: u32,
    },
    /// `__data_loc cpumask_t`.
    DynCpumask,
    /// `__rel_loc cpumask_t`.
    RelCpumask,
    /// Anything else (structs, integers of odd sizes): bytes; the kernel's filter never matches it.
    Opaque,
}

impl FieldKind {
    /// Returns whether it is `__rel_loc`: the offset in the location word counts from the end of the word.
    pub fn is_relative(&self) -> bool {
        matches!(self, FieldKind::RelString | FieldKind::RelArray { .. } | FieldKind::RelCpumask)
    }
}
