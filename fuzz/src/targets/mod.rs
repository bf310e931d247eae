//! The targets, one function each.

mod check;
mod format;
mod format_file;
mod page;
mod print_fmt;
mod profile;
mod spans;
mod text;
mod trace_dat;

pub use check::check;
pub use format::format;
pub use format_file::format_file;
pub use page::page;
pub use print_fmt::print_fmt;
pub use profile::profile;
pub use text::{one_liner, parse};
pub use trace_dat::trace_dat;

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
    ("print_fmt", print_fmt),
    ("profile", profile),
    ("trace_dat", trace_dat),
];
