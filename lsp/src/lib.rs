//! Results for editors, in the shapes of the Language Server Protocol 3.17. The crates below this one do not know the
//! types of the protocol.
//!
//! [`diagnostics`] renders what the compiler reports. The server itself does not exist yet: it will have one file per
//! request, which decodes positions, asks the compiler on offsets, and encodes the answer.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

pub mod diagnostics;
