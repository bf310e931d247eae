//! What editors get, in the shapes of the Language Server Protocol 3.17. No type of the protocol is known below this crate.
//!
//! [`diagnostics`] renders what the compiler reports. The server itself does not exist yet: it will have one file per
//! request, which decodes positions, asks the compiler on offsets, and encodes the answer.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

pub mod diagnostics;
