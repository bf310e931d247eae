//! The language server of tracec does not exist yet; this crate reserves its room: positions in, compiler queries out, one file per request.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]
