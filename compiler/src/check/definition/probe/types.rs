//! Types of a probe's fields, as the kernel fetches and records them.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Name, TypeBase, TypeRef};
use tracec_kernel::format::{Field, FieldKind, IntegerType};
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::fetch_types::{self, BitField, FetchType, Fetches};
use tracec_kernel::tables::limits;
use tracec_kernel::tables::probe_kinds::{Realisation, Space};

use crate::diagnostic::codes;
use crate::ir::definition::{
    CType, FetchArgument, FetchedElement, FetchedType, FirstValue, Length, TypeKind,
};

use super::super::context::Context;
use super::super::types::{self, TypePosition};
use super::sources::Sources;

/// A type in the record, and its size.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    /// The type as the kernel writes it, for diagnostics: `u32`, `ustring`, `x8[16]`.
    pub(super) text: String,
    /// The type as the form holds it.
    pub(super) fetched: FetchedType,
    /// The type of one element.
    pub(super) ty: &'static FetchType,
    /// The number of elements of an array.
    pub(super) count: Option<u64>,
}

/// A type as written after a probe's field.
pub(super) struct DeclaredType {
    pub(super) ty: CType,
    /// The type in the record, where the kernel has a type of that name; all others become one.
    pub(super) recorded: Option<Recorded>,
}

/// Types `u32`, `x8[16]`, `symbol`, `user string`, `ssize_t`: the kernel's own fetch types, and those of C.
pub(super) fn field_type(
    ty: &TypeRef,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<DeclaredType> {
    let own = match &ty.base {
        TypeBase::Words(words) if ty.pointers.is_empty() => match words.as_slice() {
            [word] => fetch_types::find(&word.value),
            _ => None,
        },
        TypeBase::UserString if ty.pointers.is_empty() => fetch_types::find("ustring"),
        _ => None,
    };
    if let TypeBase::Words(words) = &ty.base
        && let [word] = words.as_slice()
        && BitField::is_one(&word.value)
    {
        return bit_field(ty, &word.value, context);
    }
    let Some(own) = own else {
        let ty = types::resolve(ty, TypePosition::ProbeField, context)?;
        return Some(DeclaredType { ty, recorded: None });
    };
    if own.kernel_only && sources.kind.space == Space::User {
        return context.say(codes::fetch_type::fetch_type(
            ty.span,
            own.name,
            "the kernel's symbols are not the program's",
        ));
    }
    let expanded = matches!(sources.kind.realisation, Realisation::Dynamic('p' | 'r' | 'f' | 't'));
    if own.fetches == Fetches::FileName && (!expanded || ty.array.is_some()) {
        let why = "the kernel knows it at its functions and tracepoints, and not as an array";
        return context.say(codes::fetch_type::fetch_type(ty.span, own.name, why));
    }
    if !context.need(own.feature, &format!("the type `{}` of probe fields", own.name), ty.span) {
        return None;
    }
    let element = match own.fetches {
        Fetches::Integer { signed } => TypeKind::Int(IntegerType { bytes: own.size, signed }),
        Fetches::Symbol => TypeKind::Pointer { user: false, text: false, to: None },
        Fetches::KernelText | Fetches::SymbolText | Fetches::FileName => TypeKind::Text { user: false },
        Fetches::UserText => TypeKind::Text { user: true },
    };
    let c = if matches!(element, TypeKind::Text { .. }) { "char" } else { own.shown }.to_owned();
    let Some(array) = &ty.array else {
        let recorded = of_type(own);
        return Some(DeclaredType { ty: CType { kind: element, c, span: ty.span }, recorded });
    };
    let plain = TypeRef { base: TypeBase::Words(vec![word("u8", ty.span)]), ..ty.clone() };
    let TypeKind::Array { length, .. } = types::resolve(&plain, TypePosition::ProbeField, context)?.kind
    else {
        return context.say(codes::fetch_type::fetch_type(
            array.span,
            "[]",
            "a probe's array has a length: `u8[16]`",
        ));
    };
    let count = count(&length, array.span, context)?;
    let recorded = array_of(own, count);
    let kind = TypeKind::Array { element: Box::new(element), length };
    Some(DeclaredType { ty: CType { kind, c, span: ty.span }, recorded: Some(recorded) })
}

/// Parses `b3@0/32`: some bits of an integer.
fn bit_field(ty: &TypeRef, word: &str, context: &mut Context<'_, '_>) -> Option<DeclaredType> {
    let field = match BitField::parse(word) {
        Ok(_) if ty.array.is_some() || !ty.pointers.is_empty() => Err("there are no arrays of bit fields"),
        read => read,
    };
    match field {
        Ok(field) => {
            let integer = IntegerType { bytes: field.container / 8, signed: false };
            let own = field.recorded()?;
            let fetched = FetchedType { element: FetchedElement::Bits(field), count: None };
            let recorded = Recorded { text: word.to_owned(), fetched, ty: own, count: None };
            let ty = CType { kind: TypeKind::Int(integer), c: own.shown.to_owned(), span: ty.span };
            Some(DeclaredType { ty, recorded: Some(recorded) })
        }
        Err(why) => context.say(codes::fetch_type::fetch_type(ty.span, word, why)),
    }
}

/// Returns the number of elements of an array: 1 to 64.
pub(super) fn count(length: &Length, span: Span, context: &mut Context<'_, '_>) -> Option<u64> {
    match length.count() {
        Some(count) if (1..=limits::FETCH_ELEMENTS).contains(&count) => Some(count),
        Some(count) => {
            let why = format!(
                "a probe's array has at most {} elements, and this {}",
                limits::FETCH_ELEMENTS,
                Grouped(count)
            );
            context.say(codes::fetch_type::array_length(span, &why))
        }
        None => {
            let why = "a fetch argument is text for the kernel, which knows no macro";
            context.say(codes::fetch_type::array_length(span, why))
        }
    }
}

/// Returns the fetch type of a type of C. A type that has none is reported.
pub(super) fn recorded(
    ty: &CType,
    span: Span,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Recorded> {
    let (element, length) = match &ty.kind {
        TypeKind::Array { element, length } => (&**element, Some(length)),
        kind => (kind, None),
    };
    let found = match element {
        TypeKind::Text { user } => fetch_types::find(if *user { "ustring" } else { "string" }),
        TypeKind::Pointer { .. } => fetch_types::find("x64"),
        // In C, an enum is passed as an `int`.
        TypeKind::CEnum => fetch_types::of_integer(4, true),
        // `kuid_t` and its like: a struct of one number, passed in a register.
        TypeKind::Aggregate(aggregate) => {
            aggregate.known.and_then(|known| fetch_types::of_integer(known.size, false))
        }
        kind => kind.integer().and_then(|integer| fetch_types::of_integer(integer.bytes, integer.signed)),
    };
    let Some(found) = found else {
        let why = format!(
            "a probe fetches integers, text, symbols and arrays of them; this is {}",
            ty.kind.describe()
        );
        return context.say(codes::fetch_type::fetch_type(span, &ty.c, &why));
    };
    match length {
        None => of_type(found),
        Some(length) if sources.kind.has_fetch() => {
            let count = count(length, span, context)?;
            Some(array_of(found, count))
        }
        Some(length) => Some(Recorded { count: length.count(), ..of_type(found)? }),
    }
}

/// Returns the type in the record: the text that a pointer to text points to.
pub(super) fn copied(ty: &CType) -> CType {
    match ty.kind {
        TypeKind::Pointer { text: true, user, .. } => {
            CType { kind: TypeKind::Text { user }, c: "char".to_owned(), span: ty.span }
        }
        _ => ty.clone(),
    }
}

/// Returns how the kernel records an event's field without a written type: texts as text, everything else as a word.
pub(super) fn as_it_is(field: &Field) -> Option<Recorded> {
    let name = match field.kind {
        FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString => "string",
        FieldKind::Int => {
            let integer = field.integer()?;
            return of_type(fetch_types::of_integer(integer.bytes, integer.signed)?);
        }
        _ => "x64",
    };
    of_type(fetch_types::find(name)?)
}

/// Returns the kernel's default where no type is written: text for text, a machine word for everything without a more
/// specific type.
pub(super) fn unwritten(fetch: &FetchArgument) -> Option<Recorded> {
    let name = match fetch.first {
        FirstValue::AllArguments => return None,
        _ if fetch.is_text() => "string",
        _ => "x64",
    };
    of_type(fetch_types::find(name)?)
}

pub(super) fn of_type(ty: &'static FetchType) -> Option<Recorded> {
    Some(Recorded { text: ty.name.to_owned(), fetched: ty.into(), ty, count: None })
}

fn array_of(ty: &'static FetchType, count: u64) -> Recorded {
    let fetched = FetchedType { count: Some(count), ..ty.into() };
    Recorded { text: fetched.to_string(), fetched, ty, count: Some(count) }
}

pub(super) fn event_kind(field: Option<&Field>) -> TypeKind {
    match field.map(|field| (&field.kind, field.integer())) {
        Some((_, Some(integer))) => TypeKind::Int(integer),
        Some((FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString, _)) => {
            TypeKind::Text { user: false }
        }
        _ => word_of_the_machine(),
    }
}

pub(super) fn word_of_the_machine() -> TypeKind {
    TypeKind::Int(IntegerType { bytes: 8, signed: false })
}

pub(super) fn word(text: &str, span: Span) -> Name {
    Spanned::new(text.to_owned(), span)
}
