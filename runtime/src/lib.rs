//! Applies a [`Plan`](tracec_kernel::plan::Plan) to a kernel, and writes the records that result.
//!
//! - [`tracefs`] finds and opens tracefs. No other module opens a control file.
//! - [`session`] applies a plan as a transaction, keeps its journal, streams its records, and undoes the transaction at
//!   the end. It also recovers what a killed session left.
//! - [`control`] is for sessions that outlive the shell: what supervises them, and how it is asked.
//! - [`record`] reads ring buffers and trace.dat files and orders records by time.
//! - [`sink`] writes records.
//!
//! An example that reads a recording:
//! ```
//! use tracec_runtime::record::{TraceDat, report};
//! use tracec_runtime::sink::{Event, TEXT, Timestamps};
//!
//! let mut file = TraceDat::open("tests/data/small-v6.dat".as_ref())?;
//! let mut text = TEXT.sink(Box::new(std::io::sink()), Timestamps::of_clock(file.clock()));
//! assert_eq!(report(&mut file, text.as_mut())?.records, 468);
//!
//! let mut wakeups = 0;
//! report(&mut file, &mut |event: &Event<'_>| {
//!     wakeups += u32::from(event.record.format.name == "sched_waking");
//!     Ok(())
//! })?;
//! assert!(wakeups > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every write to tracefs is one step of a transaction, or its undo. A file or event that the session did not create is
//! changed only where a step names it. The crate does not panic, because kernel state has to be undone.

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::unreachable,
        clippy::unwrap_used,
    )
)]

#[expect(clippy::disallowed_types, reason = "sessions that were started are files and sockets below /run")]
pub mod control;
mod errno;
mod failure;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "journals are files below /run")]
mod journal;
mod load;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "modules are files, and /sys/module shows them"
)]
mod modules;
pub mod record;
mod roll_call;
pub mod session;
pub mod sink;
#[expect(clippy::disallowed_methods, reason = "only this module opens control files")]
pub mod tracefs;

pub use errno::Errno;
