//! Effects: a [`Plan`](tracec_kernel::plan::Plan) in, kernel state and records out.
//!
//! - [`tracefs`] finds and enters tracefs. Nothing else opens a control file.
//! - [`session`] applies a plan as a transaction, keeps a journal of it, streams its records, ends it and puts
//!   everything back; and it recovers what a killed session left.
//! - [`record`] reads ring buffers and trace.dat files and puts records in the order of time.
//! - [`sink`] shows them.
//!
//! What holds for all of it: nothing is touched that the session did not create; nothing panics, because there is
//! kernel state to put back; every write to tracefs is one step of a plan, or its undoing.

pub mod record;
pub mod session;
pub mod sink;
pub mod tracefs;

/// An error number of the kernel.
pub use rustix::io::Errno;
