//! What a decoder of records in another language consists of: the layouts of records, the names of values, and the
//! conditions of sessions as steps that any language has.
//!
//! The targets that write decoders read this and nothing else, so that they differ in their language alone. A
//! [`Decoder`] has a [`Record`] for each event that a session records and for each tracepoint that the text defines, a
//! [`Table`] for each enumeration, and a [`Filter`] for each session and event that it records.
//!
//! The meaning of a filter is that of its condition ([`ir`](tracec_kernel::condition::ir)). A decoder reads the record
//! and nothing else. The CPU, the process id and the task's name are arguments of the function that is made of a filter;
//! what else a record does not hold is refused. Records are read in the byte order of the machine that the decoder runs
//! on, which is a machine of 64 bits.

mod filter;
mod gather;
mod identifier;
mod record;
mod table;
mod test;

pub(crate) use filter::{Calls, Filter, Formula};
pub(crate) use gather::{Request, decoder};
pub(crate) use identifier::{Identifiers, identifier};
pub(crate) use record::{Member, Record};
pub(crate) use table::Table;
pub(crate) use test::{Decision, Needs, Question, Step, Test, TextPlace};

/// What is written down as a decoder.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    /// The name of the text.
    pub(crate) origin: &'a str,
    /// The name of the text without its directory and its extension.
    pub(crate) stem: String,
    /// The names of values.
    pub(crate) tables: Vec<Table>,
    /// The records.
    pub(crate) records: Vec<Record<'a>>,
    /// The conditions under which they are recorded.
    pub(crate) filters: Vec<Filter<'a>>,
}
