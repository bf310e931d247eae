//! The language server: `.trc` files in editors, by the Language Server Protocol 3.17. The crates below this one do not
//! know the types of the protocol.
//!
//! [`serve`] is the server. Its own thread takes messages and never computes anything. Two others do: one checks the
//! documents, newest versions only, and answers what depends on the check; the other answers the rest, so that a
//! completion does not wait for a check (`server.rs`).
//!
//! Each file of `request` is one request: it decodes positions, asks the compiler on offsets, and encodes the answer.
//! [`diagnostics`] renders what the compiler reports. Files and kernels are read through [`World`], since this crate does
//! no I/O.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod abilities;
mod answer;
mod client;
mod cursor;
mod diagnose;
pub mod diagnostics;
mod document;
mod edited_text;
mod event_set;
mod facts;
mod files;
mod fragment;
mod meaning;
mod names;
mod position;
mod programs;
mod request;
mod server;
mod task;
mod uri;
mod workspace;
mod world;

pub use server::{ServeError, UNREADABLE, serve};
pub use world::{Kernels, World};
