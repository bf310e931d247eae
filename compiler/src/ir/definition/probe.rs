//! Probes: events at a location in the kernel or in a program.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::Name;
use tracec_kernel::tables::perf_counters::PerfCounter;
use tracec_kernel::tables::probe_kinds::ProbeKind;

use super::event::{Argument, FieldLayout};
use super::fetch::{FetchArgument, FetchedType};
use super::print::PrintTemplate;
use super::types::CType;
use crate::ir::EventId;

/// A probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeDef {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    pub doc: Option<String>,
    /// The kind of probe.
    pub kind: &'static ProbeKind,
    /// What it is attached to.
    pub attach_point: AttachPoint,
    /// The arguments of the probed function or program that were written, in their order.
    pub arguments: Vec<Argument>,
    /// The return value.
    pub result: Option<Argument>,
    /// The fields of its record.
    pub fields: Vec<ProbeField>,
    /// Bytes of the record with the common header, where every size is known.
    pub size: Option<u32>,
    /// The print template for tracec's output.
    pub print: PrintTemplate,
    /// The whole declaration.
    pub span: Span,
}

/// What a probe is attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachPoint {
    /// A function of the kernel, or a tracepoint.
    Symbol {
        /// The module that holds it.
        module: Option<String>,
        /// Its name.
        symbol: Spanned<String>,
        /// Offset in bytes from its start.
        offset: u64,
    },
    /// A location in a file.
    Binary {
        /// The absolute path of the file.
        path: Spanned<String>,
        /// The symbol; `None` where only an offset in the file is given.
        symbol: Option<String>,
        /// Offset in bytes from the symbol, or in the file.
        offset: u64,
    },
    /// A static probe in a file.
    Usdt {
        /// The absolute path of the file.
        path: Spanned<String>,
        /// Its provider.
        provider: String,
        /// Its name.
        name: String,
    },
    /// Another event.
    Event {
        /// The event.
        event: EventId,
        /// The span where it is named.
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
    /// The source of its value.
    pub source: FetchSource,
    /// The type in the language; `None` for a fetch argument without one, and for a field of an event that is taken
    /// unchanged.
    pub ty: Option<CType>,
    /// The type as which it is fetched; `None` leaves it to the kernel.
    pub fetch_type: Option<FetchedType>,
    /// Its offset and size in the record: packed, after the fields that the kind of probe puts first.
    pub layout: Option<FieldLayout>,
    /// Where it is written.
    pub span: Span,
}

/// The source of a field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchSource {
    /// The argument of this index.
    Argument(usize),
    /// The return value of the function.
    Result,
    /// The field of the probed event.
    EventField(String),
    /// A fetch argument.
    Fetch(FetchArgument),
}
