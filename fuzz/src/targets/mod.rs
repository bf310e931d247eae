//! The targets, one function each.

mod check;
mod format;
mod format_file;
mod page;
mod profile;
mod spans;
mod text;

pub use check::check;
pub use format::format;
pub use format_file::format_file;
pub use page::page;
pub use profile::profile;
pub use text::{one_liner, parse};

/// A fuzz target: takes bytes, and panics where a law is broken.
pub type FuzzTarget = fn(&[u8]);

/// Every target with its name: that of its binary, and of its file of kept inputs.
pub const ALL: &[(&str, FuzzTarget)] = &[
    ("check", check),
    ("format", format),
    ("format_file", format_file),
    ("one_liner", one_liner),
    ("page", page),
    ("parse", parse),
    ("profile", profile),
];
