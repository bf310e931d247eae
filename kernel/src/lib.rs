//! What a Linux kernel with tracefs is, as data and pure functions.
//!
//! Everything that tracec knows about kernels lives here, once:
//!
//! - [`tables`] are facts: control files, options, clocks, triggers, limits, errors. Each names the kernel file it
//!   mirrors. Where kernels differ the kernel at hand is asked; a table never guesses from a version.
//! - [`mod@format`] reads the `format` file of an event: which fields a record has, where, and of which kind.
//!   [`format::print`] parses what the event prints, and knows from it how a field's values are called.
//! - [`c`] reads the C of print formats and headers: tokens, expressions, integer constants.
//! - [`condition`] is what a session may ask of a record. [`condition::lower`] says it in the kernel's filter language
//!   with the same meaning, or refuses.
//! - [`filter`] is what the event filter of a kernel can do, as far as kernels differ in it.
//! - [`page`] and [`record`] go the other way: from the bytes of a ring-buffer page to records, from a record to its
//!   fields' [`value`]s.
//! - [`plan`] is what the compiler hands to the runtime: every change in order, what undoes it, and the clause it is
//!   from.
//! - [`profile`] is a file that holds what the compiler needs to know of a kernel, so that it can do without that kernel.
//! - [`nearest`] finds the name that was meant.
//!
//! What must not be here: any input or output (the compiler runs on machines without tracefs, and on copies of another
//! kernel's), the language's syntax (a place in it is a [`tracec_span::Span`]), and panics: pages, records and format
//! files come from outside, so every offset in them is checked and every fault is an error.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod bytes;
pub mod c;
pub mod condition;
pub mod filter;
pub mod format;
pub mod grouped;
pub mod nearest;
pub mod page;
pub mod plan;
pub mod profile;
pub mod record;
pub mod tables;
pub mod value;
