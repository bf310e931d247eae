//! The control of sessions that outlive the shell that started them: a directory of started sessions, a socket for each,
//! and a protocol of one JSON line per request and per answer.
//!
//! [`detach`] makes the process that supervises. [`Control`] is its side: it holds the lock on the session's card in
//! `RUNTIME_DIR/started/`, listens, and answers while [`session::run_controlled`](crate::session::run_controlled) waits
//! for other things. [`Client`] is the side of the commands, and [`list`] finds all sessions without asking them.
//!
//! A client cannot disturb a session: no call of the server waits, a line has a greatest length, and a connection that
//! takes no answer is closed.

mod client;
#[expect(unsafe_code, reason = "calls fork(2), before any thread exists")]
mod detach;
mod protocol;
#[expect(
    unsafe_code,
    reason = "asks for the user of a client by getsockopt(2), for which std has no stable function"
)]
mod server;
mod started;

pub use client::{Client, ClientError};
pub use detach::{Armed, Detached, Supervising, Waiting, detach};
pub use protocol::{Answer, Difference, Ending, Request, SnapshotTo, State, Status, VERSION};
pub use server::Control;
pub(crate) use server::{Controlled, Demand};
pub use started::{Card, Found, StartError, list, remove_dead, take_result};
