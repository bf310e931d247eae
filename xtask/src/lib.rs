//! The project's own commands, `cargo xtask COMMAND`: everything that is not part of the product but tests it.
//!
//! xtask does not depend on the runtime or the compiler. It has to compile first on a new machine, it tests the others,
//! and its snapshot of tracefs must share no code with the runtime that it checks.

pub mod bare;
pub mod constants;
pub mod debian;
pub mod demo;
pub mod kbuild;
pub mod layering;
pub mod licences;
pub mod mount;
pub mod mount_point;
pub mod profiles;

pub mod setup;
pub mod snapshot;
pub mod test;
pub mod trace_names;
pub mod vm;
pub mod words;
pub mod workspace;
