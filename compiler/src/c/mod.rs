//! Definitions as C: expressions, values of templates, fields.
//!
//! The header of a tracepoint, its unit and the `format` file that a kernel makes of both say the same things in C.
//! They differ in how a record is named: `__entry` in a header, `REC` in a `format` file.

mod array_text;
mod assign_str;
mod comment;
mod event;
mod expression;
mod field;
mod fill;
mod header;
mod literal;
mod marks;
mod names;
mod number;
mod template;
#[cfg(test)]
mod tests;
mod undeclarable;
mod unforeseen;

use crate::ir::definition::{Argument, ConstantTable, Exprs, RecordField};

pub(crate) use assign_str::AssignStr;
pub(crate) use comment::comment;
pub(crate) use field::preprocessed;
pub(crate) use header::{Header, header};
pub(crate) use literal::bytes;
pub(crate) use marks::{Marked, part};
pub(crate) use names::Tables;
pub(crate) use template::{Printed, printed};
pub(crate) use undeclarable::refusals;
pub(crate) use unforeseen::unforeseen;

/// What C is written of: the expressions of a file's definitions, with what their indices and ids refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// The expressions.
    pub(crate) exprs: &'a Exprs,
    /// The constants and enumerations.
    pub(crate) constants: &'a ConstantTable,
    /// The name of the record.
    pub(crate) record: Record<'a>,
    /// The fields that an expression of a template names by index.
    pub(crate) fields: &'a [RecordField],
    /// The arguments that other expressions name by index.
    pub(crate) arguments: &'a [Argument],
}

/// The name of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// In a header: `__entry->FIELD`.
    Entry {
        /// Its macros that show values by their names.
        tables: &'a Tables,
    },
    /// In the `print fmt` of a `format` file: `REC->FIELD`, with the macros of the kernel's headers replaced by what
    /// they stand for.
    Format,
}
