//! Tracepoints: classes and the events of a class.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Hooks, Name};
use tracec_kernel::tables::field_macros::FieldMacro;

use super::expression::ExprId;
use super::print::PrintTemplate;
use super::types::CType;

/// A C header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The path between the brackets or quotes.
    pub path: Spanned<String>,
    /// `<..>` and not `".."`.
    pub angled: bool,
}

/// A record and what fills it: `DECLARE_EVENT_CLASS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventClass {
    /// Its name; of a single event, the event's.
    pub name: Name,
    /// It is the class of a single event, as `TRACE_EVENT` makes one.
    pub of_one_event: bool,
    /// The arguments of its tracepoints (`TP_PROTO`).
    pub arguments: Vec<Argument>,
    /// The fields of its record in their order (`TP_STRUCT__entry`).
    pub fields: Vec<RecordField>,
    /// Bytes of the record's struct with the common header, where every size is known.
    pub size: Option<u32>,
    /// Statements of C behind the assignments of the fields (`TP_fast_assign`).
    pub assign: Option<Spanned<String>>,
    /// How a record prints.
    pub print: PrintTemplate,
}

impl EventClass {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&RecordField> {
        self.fields.iter().find(|field| field.name.value == name)
    }
}

/// An argument of a tracepoint or of a probed function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: CType,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    pub doc: Option<String>,
    /// Its type.
    pub ty: CType,
    /// The macro that declares it.
    pub declared: &'static FieldMacro,
    /// Its type as the `format` file will show it: `char[16]`, `__data_loc char[]`.
    pub shown: String,
    /// What it is set to.
    pub value: FieldValue,
    /// Its place in the record, where every size up to it is known.
    pub placement: Option<Placement>,
}

/// Where a field is in the record, as the `format` file will tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Bytes from the record's start; the common header is counted.
    pub offset: u32,
    /// Its bytes; of what lies behind the struct, those of the word that says where.
    pub size: u32,
    /// `signed:1`.
    pub signed: bool,
}

/// What a field is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// The argument of this index.
    Argument(usize),
    /// An expression over the arguments.
    Expr(ExprId),
    /// The elements of an array.
    Elements {
        /// The first.
        pointer: ExprId,
        /// How many.
        count: ExprId,
    },
    /// Nothing: the class's own statements set it.
    Statements,
}

/// A tracepoint with an event: `DEFINE_EVENT` and its relatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDef {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    pub doc: Option<String>,
    /// Index of its class.
    pub class: usize,
    /// Over the arguments: it is recorded only where this holds (`TP_CONDITION`).
    pub condition: Option<ExprId>,
    /// What runs with its first and last probe.
    pub hooks: Option<Hooks>,
    /// Its own way to print; `None` is its class's.
    pub print: Option<PrintTemplate>,
    /// The whole declaration.
    pub span: Span,
}
