//! The project's own commands, `cargo xtask COMMAND`: everything that is not the product but proves it.
//!
//! xtask depends on no crate of the workspace. It has to compile first on a new machine, it judges the others, and
//! its picture of tracefs must share no code with the runtime that it checks.

pub mod bare;
pub mod constants;
pub mod debian;
pub mod demo;
pub mod layering;
pub mod licences;
pub mod mount;
pub mod profiles;
pub mod setup;
pub mod snapshot;
pub mod test;
pub mod vm;
pub mod words;
pub mod workspace;
