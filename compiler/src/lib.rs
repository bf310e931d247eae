//! Compiler from `.trc` text and a kernel to artifacts. It does no I/O: it reads kernels through [`KernelSource`], and
//! returns every mistake as a [`diagnostic::Diagnostic`].
//!
//! [`analyse`] shows all passes in order. Each pass is one function from plain data to plain data.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod analyse;
mod bpf;
mod c;
pub mod check;
mod compile;
pub mod constant;
mod decoder;
pub mod diagnostic;
pub mod dump;
pub mod explain;
mod input;
pub mod ir;
pub mod load;
pub mod place;
pub mod plan;
pub mod recheck;
pub mod resolve;
pub mod simplify;
pub mod source;
pub mod stdlib;
pub mod target;
mod tracefs;
pub mod validate;

pub use analyse::{Analysis, analyse, analyse_and_dump, analyse_and_print, analyse_untried};
pub use compile::{Compilation, Options, compile};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use input::Input;
pub use plan::ModuleFile;
pub use resolve::session::Choice;
pub use source::{Imports, KernelError, KernelSource, NoImports, SourceMap, SourceText};
