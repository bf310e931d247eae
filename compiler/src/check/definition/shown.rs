//! The text that a session gives the records of an event that a kernel has: its template, typed over the fields of the
//! event's layout, as the `print fmt` of a layout.

use std::cell::OnceCell;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Tag, Template};
use tracec_kernel::format::{EventFormat, Field, FieldKind, IntegerType};
use tracec_kernel::tables::field_macros::{self, Holds, Storage};
use tracec_kernel::tables::{c_structs, printk};

use crate::c::{Record, Scope, printed};
use crate::diagnostic::Diagnostics;
use crate::ir::definition::{
    Aggregate, Base, CType, ConstantTable, Conversion, Exprs, FieldLayout, FieldValue, Length, RecordField,
    Shape, TypeKind, VisibleConstants,
};
use crate::resolve::names::Names;
use crate::source::KernelSource;

use super::context::Context;
use super::template::{Printable, template};

/// Types a template over the fields of an event that are not left out, and returns it as a `print fmt`. `None` if a mistake
/// was reported.
pub(in crate::check) fn print_fmt(
    syntax: &Template,
    (format, left_out): (&EventFormat, &[Spanned<String>]),
    (names, table): (&Names<'_>, &ConstantTable),
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let is_shown = |field: &&Field| !left_out.iter().any(|name| field.name == name.value);
    let is_call = format.system == "syscalls";
    let own = format.own_fields().iter().filter(is_shown);
    let named: Vec<&Field> = own.chain(format.common_fields()).collect();
    let fields: Vec<RecordField> = named
        .iter()
        .map(|field| record_field(if is_call { pointed_to(field, &named) } else { field }))
        .collect();
    let printable = |(name, field)| Printable { name: Some(name), ..printable(field, is_call) };
    let names_of_fields = named.iter().map(|field| field.name.as_str());
    let printables: Vec<Printable<'_>> = names_of_fields.zip(&fields).map(printable).collect();
    let constants = names.constants_and_parameters();
    let unread = names.unread();
    let mut context = Context {
        syntax: names.exprs(),
        exprs: Exprs::default(),
        constants: VisibleConstants { own: &constants, table },
        has_headers: false,
        unread: &unread,
        suggestions: names.suggestions(),
        kernel,
        loaded: false,
        signed_char: None,
        types: OnceCell::new(),
        types_said: false,
        diagnostics,
    };
    let typed = template(syntax, &printables, &[], &mut context)?;
    let scope = Scope {
        exprs: &context.exprs,
        constants: table,
        record: Record::Format,
        fields: &fields,
        arguments: &[],
    };
    Some(printed(scope, &typed).print_fmt())
}

/// Returns the field with the text that an argument of a system call leads to, where the kernel records it: from 6.19 on,
/// `__filename_val` beside `filename` (`syscall_enter_define_fields` in kernel/trace/trace_syscalls.c).
fn pointed_to<'f>(field: &'f Field, others: &[&'f Field]) -> &'f Field {
    let text = format!("__{}_val", field.name);
    let is_it = |other: &&&Field| other.kind == FieldKind::DynString && other.name == text;
    match field.kind {
        FieldKind::CharPtr => others.iter().find(is_it).map_or(field, |found| found),
        _ => field,
    }
}

/// Returns what a template can say of a field. An address is shown as it is: its hash would say nothing to anybody. That of
/// an argument of a system call is shown as the kernel shows it: there is nothing behind it but the memory of the task.
fn printable(field: &RecordField, is_call: bool) -> Printable<'_> {
    let usual = match &field.ty.kind {
        TypeKind::Pointer { .. } if is_call => {
            let shape = Shape { flags: "#".to_owned(), ..Shape::default() };
            Some(Conversion::Integer { base: Base::Hex, bytes: 8, shape })
        }
        TypeKind::Pointer { text: true, .. } => Some(Conversion::Text(Shape::default())),
        TypeKind::Pointer { .. } => {
            printk::find("px").map(|extension| Conversion::Pointer { extension, shape: Shape::default() })
        }
        _ => None,
    };
    Printable { usual, ..Printable::of_record(field) }
}

/// Returns a field of a layout as one of a definition.
fn record_field(field: &Field) -> RecordField {
    let (kind, holds) = kind(field);
    let storage = match &field.kind {
        kind if kind.is_relative() => Storage::RelLoc,
        FieldKind::DynString | FieldKind::DynArray { .. } | FieldKind::DynCpumask => Storage::DataLoc,
        _ => Storage::Inline,
    };
    let declared = field_macros::of(holds, storage).unwrap_or(&field_macros::ALL[0]);
    RecordField {
        name: Spanned::new(field.name.to_string(), Span::default()),
        doc: None,
        ty: CType { kind, c: element_type(&field.type_text).to_owned(), span: Span::default() },
        declared,
        shown: field.type_text.to_string(),
        value: FieldValue::Statements,
        layout: Some(FieldLayout { offset: field.offset, size: field.size, signed: field.signed }),
    }
}

/// Returns the type of the elements of an array, or of the field itself: `char` of `__data_loc char[]`.
fn element_type(type_text: &str) -> &str {
    let located = ["__data_loc ", "__rel_loc "];
    let ty = located.iter().find_map(|word| type_text.strip_prefix(word)).unwrap_or(type_text);
    ty.split('[').next().unwrap_or(ty).trim_end()
}

/// Returns the type of a field, and the kind of data that its macro declares.
fn kind(field: &Field) -> (TypeKind, Holds) {
    let pointer = |text| TypeKind::Pointer { user: false, text, to: None };
    let element = |bytes| Box::new(TypeKind::Int(IntegerType { bytes, signed: field.signed }));
    let known = |count: u32| Length::Known { count: u64::from(count), name: None };
    match field.kind {
        FieldKind::Int if field.is_pointer() => (pointer(false), Holds::Value),
        FieldKind::Int => match field.integer() {
            Some(integer) => (TypeKind::Int(integer), Holds::Value),
            None => (opaque(field), Holds::Struct),
        },
        FieldKind::CharPtr => (pointer(true), Holds::Value),
        FieldKind::CharArray => {
            let element = Box::new(TypeKind::Char { signed: field.signed });
            (TypeKind::Array { element, length: known(field.size) }, Holds::Array)
        }
        FieldKind::DynString | FieldKind::RelString => (TypeKind::Text { user: false }, Holds::Text),
        FieldKind::Array { element: bytes } => {
            let length = known(field.size.checked_div(bytes).unwrap_or(0));
            (TypeKind::Array { element: element(bytes), length }, Holds::Array)
        }
        FieldKind::DynArray { element: bytes } | FieldKind::RelArray { element: bytes } => {
            (TypeKind::Elements { element: element(bytes) }, Holds::Elements)
        }
        FieldKind::DynCpumask | FieldKind::RelCpumask => (TypeKind::Cpumask, Holds::Cpumask),
        FieldKind::Opaque => (opaque(field), Holds::Struct),
    }
}

/// Returns the type of data that has no form of its own: a struct, whose layout may be known.
fn opaque(field: &Field) -> TypeKind {
    let ty = field.type_text.as_str();
    let name = ty.strip_prefix("struct ").unwrap_or(ty);
    let known = (name != ty).then(|| c_structs::find_tag(name)).flatten();
    let tag = (name != ty).then_some(Tag::Struct);
    TypeKind::Aggregate(Aggregate { tag, name: name.to_owned(), known })
}
