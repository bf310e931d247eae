//! Forms of output, one file each.

pub mod text;
