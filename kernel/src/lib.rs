//! A model of a Linux kernel with tracefs, as data and pure functions.
//!
//! Everything that tracec knows about kernels is here, once:
//!
//! - [`tables`] are facts: control files, options, clocks, triggers, limits, errors. Each names the kernel file it
//!   mirrors. Where kernels differ, the kernel at hand is asked; a table never guesses from a version.
//! - [`mod@format`] reads the `format` file of an event: the fields of a record, with their offsets and kinds.
//!   [`format::print`] parses the print format, which holds the names of a field's values.
//! - [`c`] reads the C of print formats and headers: tokens, expressions, integer constants.
//! - [`condition`] is the form of conditions on records. [`condition::lower`] writes one in the kernel's filter
//!   language with the same meaning, or refuses.
//! - [`filter`] is the set of features of an event filter that differ between kernels.
//! - [`page`] and [`record`] read what a kernel writes: from the bytes of a ring-buffer page to records, from a record
//!   to its fields' [`value`]s.
//! - [`text`] prints a record as the kernel does, by its event's print format.
//! - [`selection`] says which records of pages are wanted; the filters that find them have one trait.
//! - [`plan`] is the compiler's output for the runtime: every change in order, with its undo and the clause that it
//!   comes from.
//! - [`profile`] is a file with everything that the compiler needs to know of a kernel, so that it can compile without
//!   that kernel.
//! - [`escaped`] keeps text from outside on its line.
//! - [`nearest`] finds the names most similar to a mistyped one.
//!
//! This crate must not hold input or output (the compiler runs on machines without tracefs, and on copies of another
//! kernel's files), the language's syntax (a location in it is a [`tracec_span::Span`]), or panics: pages, records and
//! format files come from outside, so every offset in them is checked and every fault is an error.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

pub mod append;
pub mod btf;
mod bytes;
pub mod c;
pub mod condition;
pub mod escaped;
pub mod filter;
pub mod format;
pub mod grouped;
pub mod nearest;
pub mod page;
pub mod plan;
pub mod profile;
pub mod record;
pub mod selection;
pub mod tables;
pub mod text;
pub mod value;
