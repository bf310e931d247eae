//! What an event prints: the `print fmt` of its `format` file as a tree.
//!
//! The text is what the preprocessor makes of TP_printk's arguments in stage 7 of include/trace/trace_events.h: a format
//! string for the kernel's `vsnprintf`, then expressions of C over the record, `REC`. Enumerators that the event's
//! header declares with TRACE_DEFINE_ENUM are replaced by their values (`trace_event_eval_update` in
//! kernel/trace/trace_events.c); others stay names, and nothing outside of that kernel knows their values.
//!
//! [`PrintFmt`] is the tree: the format as [`directive`](Piece)s, the arguments as [`Expr`]s in an arena, the helpers of
//! TP_printk as nodes of their own. Its nodes lie at most [`PRINT_FMT_DEPTH`] deep in one another, so that whoever walks
//! it may recurse. [`PrintFmt::names`] asks it how a field's values are called.
//!
//! # Printing it again
//!
//! [`Display`](std::fmt::Display) gives the text again, and parsing that gives the same tree. The two texts differ in
//! white space outside of string and character literals and in nothing else: parentheses, the spelling of numbers and
//! literals, adjacent literals, and commas that end a list are kept.
//!
//! [`PRINT_FMT_DEPTH`]: crate::tables::limits::PRINT_FMT_DEPTH

mod constant;
mod directive;
mod display;
mod error;
mod expression;
mod format_string;
mod lexer;
mod names;
mod parser;
mod statement;
#[cfg(test)]
mod tests;
mod tree;
mod type_name;

pub use constant::Constant;
pub use directive::{Conversion, Count, Directive, Length, Piece};
pub use error::{PrintError, PrintErrorKind};
pub use format_string::Quoting;
pub use names::{NameEntry, NameTable, SkipReason, SkippedName, TableKind};
pub use tree::{
    BinaryOperator, Expr, ExprId, Format, PrintFmt, Span, Statement, StatementId, Table, TableEntry,
    TypeName, UnaryOperator,
};
