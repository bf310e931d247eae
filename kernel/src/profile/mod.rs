//! A profile: everything that the compiler needs to know of a kernel, in one file.
//!
//! ```text
//! header   magic, version, length of the table, checksum of the table
//! table    the sections, each with its blocks: stored length, length, checksum
//! blocks   one behind the other, each compressed by itself (raw deflate)
//! ```
//!
//! There are no gaps between the parts, so that the lengths in the table must add up to that of the file: a file that
//! was cut or extended is detected before a block is read. Blocks are small and independent: a session that names three
//! events reads the facts, the index of events and up to three blocks of layouts. Functions and BTF, by far the
//! largest, are in sections of their own that are read only on request.
//!
//! The same kernel gives the same bytes: state that changes while the kernel runs (who traces, which options are set,
//! the time of day) is not in a profile.
//!
//! Profiles come from outside. Every length is checked against the file and against a limit before memory is allocated,
//! each block's checksum before it is unpacked, and its length afterwards.

mod bytes;
mod container;
mod diff;
mod error;
mod events;
mod facts;
mod reader;
mod signature;
mod tree;
mod writer;

pub use bytes::{Bytes, ReadFailed};
pub use container::Section;
pub use diff::{
    Difference, EventDifference, FeatureDifference, FieldDifference, FieldLayout, Picture, ValueDifference,
    Words, diff,
};
pub use error::ProfileError;
pub use events::{Event, EventId, EventIndex};
pub use facts::Facts;
pub use reader::{Block, Profile};
pub use signature::VERSION;
pub use tree::Kept;
pub use writer::{Contents, EventText, encode};
