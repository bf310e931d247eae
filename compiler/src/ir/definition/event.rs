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
    /// Whether it is written `<..>` and not `".."`.
    pub angled: bool,
}

/// A record and the assignments of its fields: `DECLARE_EVENT_CLASS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventClass {
    /// Its name; that of the event, for the class of a single event.
    pub name: Name,
    /// Whether it is the class of a single event, as `TRACE_EVENT` makes one.
    pub of_one_event: bool,
    /// The arguments of its tracepoints (`TP_PROTO`).
    pub arguments: Vec<Argument>,
    /// The fields of its record in their order (`TP_STRUCT__entry`).
    pub fields: Vec<RecordField>,
    /// Bytes of the record's struct with the common header, where every size is known.
    pub size: Option<u32>,
    /// C statements that follow the assignments of the fields (`TP_fast_assign`).
    pub assign: Option<Spanned<String>>,
    /// The print template of a record.
    pub print: PrintTemplate,
}

impl EventClass {
    /// Returns the field of this name.
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
    /// The macro that declares the field.
    pub declared: &'static FieldMacro,
    /// Its type as the `format` file will show it: `char[16]`, `__data_loc char[]`.
    pub shown: String,
    /// What it is set to.
    pub value: FieldValue,
    /// Its offset and size in the record, where every size up to it is known.
    pub layout: Option<FieldLayout>,
}

/// The offset, size and sign of a field, as the `format` file will show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// Offset in bytes from the start of the record, the common header included.
    pub offset: u32,
    /// Size in bytes. Data behind the struct is located by a word; then this is the size of that word.
    pub size: u32,
    /// Whether the file says `signed:1`.
    pub signed: bool,
}

/// The value that a field is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// The argument of this index.
    Argument(usize),
    /// An expression over the arguments.
    Expr(ExprId),
    /// Data of a size that differs between records: the elements of an array, a bit map, a socket address, a string that
    /// need not end with a NUL.
    Elements {
        /// Where it begins.
        pointer: ExprId,
        /// The number of elements, of bits, or of bytes.
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
    /// A condition on the arguments: a record is written only where it holds (`TP_CONDITION`).
    pub condition: Option<ExprId>,
    /// The functions that run with its first and last probe.
    pub hooks: Option<Hooks>,
    /// Its own print template; `None` for that of its class.
    pub print: Option<PrintTemplate>,
    /// The whole declaration.
    pub span: Span,
}
