//! Effects: a [`Plan`](tracec_kernel::plan::Plan) in, kernel state and records out.
//!
//! - [`tracefs`] finds and enters tracefs. Nothing else opens a control file.
//! - [`session`] applies a plan as a transaction, keeps a journal of it, streams its records, ends it and puts
//!   everything back; and it recovers what a killed session left.
//! - [`record`] reads ring buffers and trace.dat files and puts records in the order of time.
//! - [`sink`] writes them.
//!
//! A recording is read in some lines:
//!
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
//! What holds for all of it: every write to tracefs is one step of a transaction, or its undo; what the session did not
//! create is touched only where a step names it; nothing panics, because there is kernel state to put back.

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

pub mod record;
pub mod session;
pub mod sink;
#[expect(clippy::disallowed_methods, reason = "only this module opens control files")]
pub mod tracefs;

/// An error number of the kernel.
pub use rustix::io::Errno;
