//! Events where the kernel or a program is.

use std::sync::Arc;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::Name;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::perf_counters::PerfCounter;
use tracec_kernel::tables::probe_kinds::ProbeKind;

use super::event::{Argument, Placement};
use super::print::PrintTemplate;
use super::types::CType;

/// An event at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeDef {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    pub doc: Option<String>,
    /// Which kind.
    pub kind: &'static ProbeKind,
    /// Where.
    pub place: ProbePlace,
    /// The arguments of what is probed that were written, in its order.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub result: Option<Argument>,
    /// The fields of its record.
    pub fields: Vec<ProbeField>,
    /// Bytes of the record with the common header, where every size is known.
    pub size: Option<u32>,
    /// How a record prints in tracec's output.
    pub print: PrintTemplate,
    /// The whole declaration.
    pub span: Span,
}

/// Where a probe is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbePlace {
    /// A function of the kernel, or a tracepoint.
    Symbol {
        /// The module it is in.
        module: Option<String>,
        /// Its name.
        symbol: Spanned<String>,
        /// Bytes behind its start.
        offset: u64,
    },
    /// A place in a file.
    Binary {
        /// The file: absolute.
        path: Spanned<String>,
        /// The symbol; `None` where only an offset in the file is given.
        symbol: Option<String>,
        /// Bytes behind the symbol, or in the file.
        offset: u64,
    },
    /// A static probe of a file.
    Usdt {
        /// The file: absolute.
        path: Spanned<String>,
        /// Its provider.
        provider: String,
        /// Its name.
        name: String,
    },
    /// Another event.
    Event {
        /// Its layout.
        format: Arc<EventFormat>,
        /// Where it is named.
        span: Span,
    },
    /// A counter.
    Counter(&'static PerfCounter),
}

/// A field of a probe's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeField {
    /// Its name; `None` where the kernel gives one.
    pub name: Option<String>,
    /// Its documentation.
    pub doc: Option<String>,
    /// What fetches it.
    pub source: FetchSource,
    /// The type in the language; `None` of a fetch argument without one, and of an event's field as it is.
    pub ty: Option<CType>,
    /// The type of the kernel's fetch argument: `u32`, `ustring`, `x8[16]`; `None` leaves it to the kernel.
    pub fetch_type: Option<String>,
    /// Its place in the record: packed, behind what the kind puts first.
    pub placement: Option<Placement>,
    /// Where it is written.
    pub span: Span,
}

/// What fetches a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchSource {
    /// The argument of this index.
    Argument(usize),
    /// What the function returns.
    Result,
    /// The field of the event that is probed.
    EventField(String),
    /// The kernel's own fetch argument, checked.
    Fetch(String),
}
