//! The fields of a tracepoint's record and their values.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{EntryField, EntryValue};
use tracec_kernel::tables::field_macros::{self, FieldMacro, Holds, Storage};

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{Argument, CType, FieldValue, RecordField, TypeKind};

use super::context::Context;
use super::expression::{ArgumentList, VisibleNames, expression};
use super::layout::shown;
use super::names::{self, Named};
use super::parts::{self, is_kernel_text, is_pointer};
use super::statements;
use super::total::{Used, total};
use super::types::{self, TypePosition};

/// Returns the fields of an `entry`, and whether all are valid; those with a mistake are left out.
pub(super) fn fields(
    syntax: &[EntryField],
    arguments: &ArgumentList<'_>,
    assign: Option<&Spanned<String>>,
    context: &mut Context<'_, '_>,
) -> (Vec<RecordField>, bool) {
    let right = names::list(syntax.iter().map(|field| &field.name), Named::Field, context);
    let field = |field: &EntryField, context: &mut Context<'_, '_>| {
        let ty = types::resolve(&field.ty, TypePosition::Field, context)?;
        let value = value(field, &ty, arguments, assign, context)?;
        let doc = field.doc.as_ref().map(|doc| doc.value.clone());
        let source = source(&value, arguments, context);
        let declared = declared(&ty.kind, &value, source)?;
        Some(record_field(field.name.clone(), doc, ty, declared, value))
    };
    let fields: Vec<RecordField> = syntax.iter().filter_map(|syntax| field(syntax, context)).collect();
    let complete = right && fields.len() == syntax.len();
    (fields, complete)
}

/// Returns the fields where there is no `entry`: the arguments, with texts copied.
pub(super) fn from_arguments(arguments: &[Argument]) -> Vec<RecordField> {
    let field = |(index, argument): (usize, &Argument)| {
        let kind = &argument.ty.kind;
        let ty = match kind {
            TypeKind::Pointer { text: true, user: false, .. } => text(argument),
            _ if kind.is_format() => text(argument),
            _ => argument.ty.clone(),
        };
        let value = FieldValue::Argument(index);
        let declared = declared(&ty.kind, &value, Some(kind))?;
        Some(record_field(argument.name.clone(), None, ty, declared, value))
    };
    arguments.iter().enumerate().filter_map(field).collect()
}

/// Returns the type of a string that an argument is copied to.
fn text(argument: &Argument) -> CType {
    CType { kind: TypeKind::Text { user: false }, c: "char".to_owned(), span: argument.ty.span }
}

fn record_field(
    name: tracec_grammar::syntax::Name,
    doc: Option<String>,
    ty: CType,
    declared: &'static FieldMacro,
    value: FieldValue,
) -> RecordField {
    let shown = shown(&ty, declared.storage);
    RecordField { name, doc, ty, declared, shown, value, layout: None }
}

/// Returns the type of what a field is set to, where it is known.
fn source<'a>(
    value: &FieldValue,
    arguments: &ArgumentList<'a>,
    context: &'a Context<'_, '_>,
) -> Option<&'a TypeKind> {
    match value {
        FieldValue::Argument(index) => arguments.at(*index).map(|argument| &argument.ty.kind),
        FieldValue::Expr(id) => context.exprs[*id].ty.as_ref(),
        FieldValue::Elements { .. } | FieldValue::Statements => None,
    }
}

/// Returns the macro that declares a field of a type, which is set to a value of the type `source`.
fn declared(kind: &TypeKind, value: &FieldValue, source: Option<&TypeKind>) -> Option<&'static FieldMacro> {
    let (holds, storage) = match kind {
        TypeKind::Aggregate(_) => (Holds::Struct, Storage::Inline),
        TypeKind::Array { .. } => (Holds::Array, Storage::Inline),
        TypeKind::Text { .. } if matches!(value, FieldValue::Elements { .. }) => {
            (Holds::CountedText, Storage::DataLoc)
        }
        TypeKind::Text { .. } if source.is_some_and(TypeKind::is_format) => {
            (Holds::FormattedText, Storage::DataLoc)
        }
        TypeKind::Text { .. } => (Holds::Text, Storage::DataLoc),
        TypeKind::Cpumask => (Holds::Cpumask, Storage::DataLoc),
        TypeKind::Bitmask => (Holds::Bitmask, Storage::DataLoc),
        TypeKind::SocketAddress => (Holds::SocketAddress, Storage::DataLoc),
        TypeKind::Elements { .. } => (Holds::Elements, Storage::DataLoc),
        _ => (Holds::Value, Storage::Inline),
    };
    field_macros::of(holds, storage)
}

/// Types the value of a field. `None` if a mistake was reported.
fn value(
    field: &EntryField,
    ty: &CType,
    arguments: &ArgumentList<'_>,
    assign: Option<&Spanned<String>>,
    context: &mut Context<'_, '_>,
) -> Option<FieldValue> {
    match &field.value {
        Some(EntryValue::Elements { pointer, count }) => {
            let Some(wanted) = parts::of(&ty.kind) else {
                let kind = ty.kind.describe();
                return context.say(codes::elements::surplus(field.span, &field.name.value, kind));
            };
            parts::parts(&wanted, *pointer, *count, arguments, context)
        }
        Some(EntryValue::Expr(_)) | None if ty.kind.is_counted() => {
            let mistake = match parts::of(&ty.kind) {
                Some(wanted) if !matches!(ty.kind, TypeKind::Elements { .. }) => {
                    codes::elements::pair(field.span, &field.name.value, &ty.kind, wanted.count)
                }
                _ => codes::elements::elements(field.span, &field.name.value),
            };
            context.say(mistake)
        }
        Some(EntryValue::Expr(id)) => {
            let names = VisibleNames::Arguments(arguments);
            let id = total(expression(*id, names, context)?, Used::Value, names, context)?;
            let expr = &context.exprs[id];
            match expr.ty.as_ref().and_then(|found| mismatch(&field.name.value, ty, found, expr.span)) {
                Some(mistake) => context.say(mistake),
                None => Some(FieldValue::Expr(id)),
            }
        }
        None if arguments.has_lost(&field.name.value) => None,
        None => match arguments.find(&field.name.value) {
            Some((index, argument)) => match mismatch(&field.name.value, ty, &argument.ty.kind, field.span) {
                Some(mistake) => context.say(mistake),
                None => Some(FieldValue::Argument(index)),
            },
            None => without_source(field, ty, arguments, assign, context),
        },
    }
}

/// Types a field without a value or an argument of its name: the class's statements may set it. The length of text is
/// needed before they run.
fn without_source(
    field: &EntryField,
    ty: &CType,
    arguments: &ArgumentList<'_>,
    assign: Option<&Spanned<String>>,
    context: &mut Context<'_, '_>,
) -> Option<FieldValue> {
    let name = &field.name.value;
    let set = assign.is_some_and(|statements| statements::name_field(&statements.value, name));
    if set && !matches!(ty.kind, TypeKind::Text { .. }) {
        return Some(FieldValue::Statements);
    }
    let near = context.suggestions.near(field.name.span, name, || arguments.names());
    let mistake = codes::no_source::no_source(field.name.span, name, &near);
    let mistake = if set {
        mistake.note("its bytes are counted before the statements of `assign` run")
    } else {
        mistake
    };
    context.say(mistake)
}

/// Reports a field whose value has a type that cannot be assigned to it.
fn mismatch(name: &str, ty: &CType, found: &TypeKind, span: Span) -> Option<Diagnostic> {
    let (fits, wants) = match &ty.kind {
        TypeKind::Int(_) | TypeKind::Char { .. } | TypeKind::Enum { .. } | TypeKind::CEnum => {
            (found.is_integer(), "an integer")
        }
        TypeKind::Pointer { user, .. } => match found {
            TypeKind::Pointer { user: from, .. } if from != user && *from => {
                (false, "a pointer to kernel memory")
            }
            // The value of a text literal is the address of its first byte.
            TypeKind::Text { .. } => (ty.kind.is_text() && !user, "a pointer"),
            other => (matches!(other, TypeKind::Pointer { .. }), "a pointer"),
        },
        TypeKind::Text { .. } => (is_kernel_text(found) || found.is_format(), "a pointer to text"),
        TypeKind::Cpumask => (is_pointer(found), "a pointer to a `struct cpumask`"),
        TypeKind::Array { element, .. } if element.is_char() => (is_kernel_text(found), "text"),
        TypeKind::Array { .. } => {
            let is_array = matches!(found, TypeKind::Array { .. });
            (is_array || is_pointer(found), "a pointer to the first element")
        }
        TypeKind::Aggregate(_) => (matches!(found, TypeKind::Aggregate(_)), "a struct"),
        TypeKind::Elements { .. } | TypeKind::Bitmask | TypeKind::SocketAddress | TypeKind::Void => {
            (false, "something else")
        }
    };
    if fits {
        return None;
    }
    let mistake = codes::wrong_source::wrong_source(span, name, &ty.c, wants, found.describe());
    Some(match (&ty.kind, found) {
        (kind, TypeKind::Pointer { user: true, .. }) if kind.is_text() => {
            mistake.help("a tracepoint may not wait for user memory: record the pointer, or use a probe")
        }
        (kind, TypeKind::Pointer { .. }) if kind.is_integer() => {
            mistake.help("for the address itself write `as unsigned long`")
        }
        _ => mistake,
    })
}
