//! The typed declarations of a file besides its sessions.
//!
//! One definition has several realisations: a header for a module, a line for `dynamic_events`, a BPF program. This
//! module holds the parts that all of them share:
//!
//! - [`Constants`] are the values of `const`, `enum` and `flags`. [`ConstantTable`] owns those of all files, and the
//!   enumerations.
//! - An [`EventClass`] is the record of tracepoints: the arguments, the fields in their order with the macro that
//!   declares each and, where every size is known, with its offset in the record. An event that is not a member of a
//!   class has one of its own, of its name, as `TRACE_EVENT` makes it.
//! - A [`ProbeDef`] is an event at a location in the kernel or in a program; each of its fields says what fetches it.
//! - A [`PrintTemplate`] is there for each of them: where none is written, it is derived from the fields.
//!
//! - [`Exprs`] owns the expressions of all of them, typed and with their names resolved: nothing points into the
//!   syntax.
//!
//! All parts have been checked; those with a mistake were reported and left out.

mod constants;
mod event;
mod expression;
mod fetch;
mod lookup;
mod number;
mod print;
mod probe;
mod types;
mod value;

pub use constants::{ConstantTable, Constants, ConstantsId};
pub use event::{Argument, EventClass, EventDef, FieldLayout, FieldValue, Header, RecordField};
pub use expression::{BinaryOp, Expr, ExprId, ExprKind, Exprs, Printed, SetMember, UnaryOp};
pub use fetch::{Dereference, FetchArgument, FetchedElement, FetchedType, FirstValue};
pub use lookup::{ConstantLookup, Expected, VisibleConstants};
pub use number::{Operation, PRINT_FUNCTIONS, is_error_name};
pub use print::{Base, Conversion, HexDump, PrintPart, PrintTemplate, SecondsPart, Shape};
pub use probe::{AttachPoint, FetchSource, ProbeDef, ProbeField};
pub use types::{Aggregate, CType, Length, TypeKind};
pub use value::{EnumId, EnumMember, EnumRef, EnumType, Value, ValueKind};

use tracec_grammar::syntax::Name;

/// What a file declares besides its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definitions {
    /// The `TRACE_SYSTEM` of its tracepoints and the group of its probes.
    pub subsystem: Option<Name>,
    /// The C headers that its types are from.
    pub headers: Vec<Header>,
    /// Its constants and types, and those of its imports.
    pub constants: ConstantsId,
    /// Its classes, those of single events included.
    pub classes: Vec<EventClass>,
    /// The tracepoints that it defines.
    pub events: Vec<EventDef>,
    /// Its probes.
    pub probes: Vec<ProbeDef>,
    /// The expressions of its classes, events and probes.
    pub exprs: Exprs,
}

impl Definitions {
    /// Returns the class of an event.
    pub fn class_of(&self, event: &EventDef) -> Option<&EventClass> {
        self.classes.get(event.class)
    }
}
