//! The print format of an event: the `print fmt` of its `format` file as a tree.
//!
//! The text is what the preprocessor makes of TP_printk's arguments in stage 7 of include/trace/trace_events.h: a
//! format string for the kernel's `vsnprintf`, then expressions of C over the record, `REC`. Enumerators that the
//! event's header declares with TRACE_DEFINE_ENUM are replaced by their values (`trace_event_eval_update` in
//! kernel/trace/trace_events.c); others stay names, and their values are known only inside that kernel.
//!
//! [`PrintFmt`] holds the format as [`directive`](Piece)s, and the arguments in a [`Tree`](crate::c::Tree) of C.
//! [`PrintFmt::names`] returns the names of a field's values, [`PrintFmt::time_unit`] the unit that it counts time in.
//!
//! # Printing it again
//!
//! [`Display`](std::fmt::Display) prints the text, and parsing that gives the same tree. The two texts differ only in
//! white space outside of string and character literals: parentheses, the spelling of numbers and literals, adjacent
//! literals, and commas that end a list are kept.

mod directive;
mod error;
mod format_string;
mod names;
mod print_fmt;
#[cfg(test)]
mod tests;
mod unit;

pub(crate) use directive::pieces;
pub use directive::{Conversion, Count, Directive, Length, Piece};
pub use error::{PrintError, PrintErrorKind};
pub use format_string::Quoting;
pub use names::{NameEntry, NameTable, SkipReason, SkippedName, TableKind};
pub use print_fmt::{Format, PrintFmt};
