//! Print templates over the fields of a record.
//!
//! A record is printed long after it was written. So a placeholder names only fields, and a pointer that is
//! dereferenced has to point into the record (`test_event_printk` in kernel/trace/trace_events.c).

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{ExprId as SyntaxId, ExprKind as Syntax, Template, TemplatePart};
use tracec_kernel::tables::c_structs::Content;
use tracec_kernel::tables::printk::{self, Extension, Needs};

use crate::diagnostic::codes;
use crate::ir::definition::{
    Argument, Base, Conversion, ExprId, ExprKind, Exprs, Length, PrintPart, PrintTemplate, RecordField,
    SecondsPart, Shape, TypeKind,
};

use super::context::Context;
use super::expression::{VisibleNames, expression};
use super::format::{self, Format, Wanted};
use super::total::{Used, total};

/// A field that a template can name.
pub(super) struct Printable<'a> {
    /// Its name; `None` where the kernel assigns one.
    pub(super) name: Option<&'a str>,
    /// Its type.
    pub(super) kind: TypeKind,
    /// Its default conversion; `None` means that of the type.
    pub(super) usual: Option<Conversion>,
}

impl<'a> Printable<'a> {
    /// Returns a field of a tracepoint's record.
    pub(super) fn of_record(field: &'a RecordField) -> Self {
        Printable { name: Some(&field.name.value), kind: field.ty.kind.clone(), usual: None }
    }
}

/// The value of a placeholder.
struct PrintedValue<'a> {
    kind: &'a TypeKind,
    /// Whether it is the field itself, and not computed from it: only the field has a position in the record.
    is_field: bool,
    /// The names that it shows where it is a choice between them and a text.
    names: ShownNames,
    span: Span,
}

/// The names that the alternatives of a choice show.
#[derive(Clone, Copy, Default)]
struct ShownNames {
    /// Those of an enum.
    of_enum: bool,
    /// Those of flags.
    of_flags: bool,
}

impl ShownNames {
    fn of(exprs: &Exprs, id: ExprId) -> Self {
        match &exprs[id].kind {
            ExprKind::Named { delimiter, .. } => {
                ShownNames { of_enum: delimiter.is_none(), of_flags: delimiter.is_some() }
            }
            ExprKind::Choose { then, otherwise, .. } => {
                let [a, b] = [then, otherwise].map(|id| ShownNames::of(exprs, *id));
                ShownNames { of_enum: a.of_enum || b.of_enum, of_flags: a.of_flags || b.of_flags }
            }
            _ => ShownNames::default(),
        }
    }
}

/// Types a template. `None` if mistakes were reported.
pub(super) fn template(
    syntax: &Template,
    fields: &[Printable<'_>],
    arguments: &[Argument],
    context: &mut Context<'_, '_>,
) -> Option<PrintTemplate> {
    // If two fields have one name, the first counts.
    let named = fields.iter().enumerate().rev();
    let by_name: FxHashMap<&str, (usize, &TypeKind)> =
        named.filter_map(|(index, field)| Some((field.name?, (index, &field.kind)))).collect();
    let gone: FxHashSet<&str> = arguments.iter().map(|argument| argument.name.value.as_str()).collect();
    let names = VisibleNames::Fields { fields: &by_name, arguments: &gone, delimiter: "|" };
    let mut parts = Some(Vec::new());
    for part in &syntax.parts {
        let typed = match part {
            TemplatePart::Text(text) => Some(PrintPart::Text(text.clone())),
            TemplatePart::Placeholder { value, format, span } => {
                let field = match &context.syntax[*value].kind {
                    Syntax::Name(name) => {
                        by_name.get(name.as_str()).map(|(index, _)| (*index, &fields[*index]))
                    }
                    _ => None,
                };
                placeholder(*value, field, format.as_ref(), *span, names, context)
            }
        };
        // The rest is checked too, so that every mistake is found.
        parts = parts.zip(typed).map(|(mut parts, part): (Vec<PrintPart>, PrintPart)| {
            parts.push(part);
            parts
        });
    }
    Some(PrintTemplate { parts: parts?, span: Some(syntax.span) })
}

/// Returns the template of a record whose definition has none: every field by its name.
pub(super) fn derived(fields: &[Printable<'_>]) -> PrintTemplate {
    let mut parts = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let Some(name) = field.name else { continue };
        let Some(conversion) = field.usual.clone().or_else(|| usual(&field.kind, Shape::default())) else {
            continue;
        };
        let gap = if parts.is_empty() { "" } else { " " };
        parts.push(PrintPart::Text(format!("{gap}{name}=")));
        parts.push(PrintPart::Field { field: index, conversion });
    }
    PrintTemplate { parts, span: None }
}

/// Types a value between braces; `field` is set if it is a field and nothing else.
fn placeholder(
    value: SyntaxId,
    field: Option<(usize, &Printable<'_>)>,
    format: Option<&Spanned<String>>,
    span: Span,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<PrintPart> {
    let written = format;
    let format = match format.map(|format| format::parse(format, context.suggestions)) {
        None => Some(Format { shape: Shape::default(), wanted: None }),
        Some(Ok(format)) => Some(format),
        Some(Err(mistake)) => context.say(mistake),
    };
    let value_span = context.syntax[value].span;
    if let Some((index, field)) = field {
        let format = format?;
        let conversion = match &field.usual {
            Some(usual) if format.wanted.is_none() && format.shape == Shape::default() => usual.clone(),
            _ => {
                let value = PrintedValue {
                    kind: &field.kind,
                    is_field: true,
                    names: ShownNames::default(),
                    span: value_span,
                };
                shaped(written, conversion(&value, format, context)?, context)?
            }
        };
        return Some(PrintPart::Field { field: index, conversion });
    }
    // A mistake in the value is reported beside one in its format.
    let names = match (names, format.as_ref().and_then(|format| format.wanted.as_ref())) {
        (VisibleNames::Fields { fields, arguments, .. }, Some(Wanted::Flags { delimiter })) => {
            VisibleNames::Fields { fields, arguments, delimiter }
        }
        (names, _) => names,
    };
    let expr = total(expression(value, names, context)?, Used::Value, names, context)?;
    let format = format?;
    let Some(kind) = context.exprs[expr].ty.clone() else {
        return context.say(codes::not_printable::not_printable(span, "a value of an unknown type"));
    };
    let names = ShownNames::of(&context.exprs, expr);
    let value = PrintedValue { kind: &kind, is_field: false, names, span: value_span };
    let conversion = shaped(written, conversion(&value, format, context)?, context)?;
    Some(PrintPart::Expr { expr, conversion })
}

/// Returns a conversion that was written with a format, whose flags and precision have a meaning for it.
fn shaped(
    written: Option<&Spanned<String>>,
    conversion: Conversion,
    context: &mut Context<'_, '_>,
) -> Option<Conversion> {
    match written.and_then(|written| format::misuse(written, &conversion)) {
        Some(mistake) => context.say(mistake),
        None => Some(conversion),
    }
}

/// Returns the conversion of a value with a format. `None` if a mistake was reported.
fn conversion(value: &PrintedValue<'_>, format: Format, context: &mut Context<'_, '_>) -> Option<Conversion> {
    let Format { shape, wanted } = format;
    let kind = value.kind;
    let Some(wanted) = wanted else { return self::by_type(value, shape, context) };
    let conversion = match wanted {
        Wanted::Number(base) => number(kind, base, shape),
        Wanted::Text => text(value, shape, context)?,
        Wanted::Device => kind.integer().filter(|ty| ty.bytes == 4).map(|_| Conversion::Device),
        Wanted::Name => match kind {
            TypeKind::Enum { .. } => usual(kind, shape),
            _ => value.names.of_enum.then_some(Conversion::Text(shape)),
        },
        Wanted::Flags { ref delimiter } => match kind {
            TypeKind::Enum { id, flags: true, .. } => {
                Some(Conversion::Flags { ty: *id, delimiter: delimiter.clone(), shape })
            }
            // The choice shows them with this delimiter.
            _ => value.names.of_flags.then_some(Conversion::Text(shape)),
        },
        Wanted::Hex { spaced } => {
            element(kind).filter(|bytes| *bytes == 1).map(|_| Conversion::Hex { spaced })
        }
        Wanted::HexDump(ref dump) => {
            element(kind).filter(|bytes| *bytes == 1).map(|_| Conversion::HexDump(dump.clone()))
        }
        Wanted::Array => element(kind).map(|element| Conversion::Array { element }),
        Wanted::Nanoseconds(part) => seconds(kind, part, shape),
        Wanted::Pointer(extension) => return pointer(value, extension, shape, context),
    };
    if conversion.is_none() {
        let (wants, found) = (describe(&wanted), kind.describe());
        return context.say(codes::format_mismatch::format_mismatch(value.span, wants, found));
    }
    conversion
}

fn describe(wanted: &Wanted) -> &'static str {
    match wanted {
        Wanted::Number(_) => "an integer",
        Wanted::Text => "text",
        Wanted::Device => "a `dev_t`",
        Wanted::Flags { .. } => "a field of flags",
        Wanted::Name => "a field of an enum",
        Wanted::Hex { .. } | Wanted::HexDump(_) => "an array of bytes",
        Wanted::Array => "an array of integers",
        Wanted::Nanoseconds(_) => "a number of nanoseconds",
        Wanted::Pointer(_) => "an address",
    }
}

/// Returns the type's own conversion, with a width.
fn by_type(value: &PrintedValue<'_>, shape: Shape, context: &mut Context<'_, '_>) -> Option<Conversion> {
    let shaped = shape != Shape::default();
    match usual(value.kind, shape) {
        Some(Conversion::Array { .. } | Conversion::Bits) if shaped => context.say(
            codes::format_mismatch::format_mismatch(value.span, "a number or text", value.kind.describe()),
        ),
        Some(Conversion::Pointer { extension, .. })
            if !value.is_field && extension.needs != Needs::Address =>
        {
            context.say(codes::unsafe_format::unsafe_format(value.span, extension.letters, NOT_A_FIELD))
        }
        Some(conversion) => Some(conversion),
        None => context.say(codes::not_printable::not_printable(value.span, value.kind.describe())),
    }
}

/// Returns the conversion of a value of a type without a format.
pub(super) fn usual(kind: &TypeKind, shape: Shape) -> Option<Conversion> {
    let extension = |letters| {
        printk::find(letters).map(|extension| Conversion::Pointer { extension, shape: shape.clone() })
    };
    match kind {
        TypeKind::Enum { id, flags: true, .. } => {
            Some(Conversion::Flags { ty: *id, delimiter: "|".to_owned(), shape })
        }
        TypeKind::Enum { id, .. } => Some(Conversion::Symbolic { ty: *id, shape }),
        TypeKind::Char { .. } => number(kind, Base::Char, shape),
        TypeKind::CEnum => number(kind, Base::Signed, shape),
        TypeKind::Int(ty) => number(kind, if ty.signed { Base::Signed } else { Base::Unsigned }, shape),
        _ if kind.is_text() && !matches!(kind, TypeKind::Pointer { .. }) => Some(Conversion::Text(shape)),
        TypeKind::Pointer { .. } => extension("p"),
        TypeKind::Cpumask | TypeKind::Bitmask => Some(Conversion::Bits),
        TypeKind::SocketAddress => extension("pISpc"),
        TypeKind::Array { .. } | TypeKind::Elements { .. } => {
            element(kind).map(|element| Conversion::Array { element })
        }
        TypeKind::Aggregate(aggregate) => match aggregate.known.map(|known| known.content)? {
            Content::Ipv4 => extension("pI4"),
            Content::Ipv6 => extension("pI6c"),
            Content::SocketAddress => extension("pISpc"),
            Content::Uuid => extension("pU"),
            Content::Other => None,
        },
        TypeKind::Text { .. } | TypeKind::Void => None,
    }
}

fn number(kind: &TypeKind, base: Base, shape: Shape) -> Option<Conversion> {
    // By the rules of printf, an enum of C is an `int`, regardless of its size in the record.
    let bytes = kind.integer().map(|ty| ty.bytes).or((*kind == TypeKind::CEnum).then_some(4))?;
    Some(Conversion::Integer { base, bytes, shape })
}

/// Returns the conversion of `{x:s}`. `Some(None)` is a value that is not a text; `None` if a mistake was reported.
#[expect(clippy::option_option, reason = "a mistake reported here differs from one that the caller reports")]
fn text(value: &PrintedValue<'_>, shape: Shape, context: &mut Context<'_, '_>) -> Option<Option<Conversion>> {
    match value.kind {
        TypeKind::Enum { .. } => Some(usual(value.kind, shape)),
        TypeKind::Pointer { .. } => {
            context.say(codes::unsafe_format::unsafe_format(value.span, "s", "record the text: `string`"))
        }
        TypeKind::Elements { element } if element.is_char() => {
            context.say(codes::unsafe_format::without_nul(value.span))
        }
        kind if kind.is_text() => Some(Some(Conversion::Text(shape))),
        _ => Some(None),
    }
}

/// Returns the conversion of a number of nanoseconds; `None` for another type.
fn seconds(kind: &TypeKind, part: SecondsPart, shape: Shape) -> Option<Conversion> {
    matches!(kind, TypeKind::Int(_)).then_some(Conversion::Nanoseconds { part, shape })
}

/// Returns the size of an array's element, if it is an integer or an address. A socket address is bytes.
fn element(kind: &TypeKind) -> Option<u32> {
    match kind {
        TypeKind::Array { element, .. } | TypeKind::Elements { element } => match &**element {
            TypeKind::Pointer { .. } => Some(8),
            element => element.integer().map(|ty| ty.bytes),
        },
        TypeKind::SocketAddress => Some(1),
        _ => None,
    }
}

fn pointer(
    value: &PrintedValue<'_>,
    extension: &'static Extension,
    shape: Shape,
    context: &mut Context<'_, '_>,
) -> Option<Conversion> {
    let kind = value.kind;
    let follows = extension.needs != Needs::Address;
    if follows && (!value.is_field || matches!(kind, TypeKind::Pointer { .. })) {
        let instead = match kind {
            TypeKind::Pointer { .. } => "record what it points to: an array, or a struct of a known size",
            _ => NOT_A_FIELD,
        };
        return context.say(codes::unsafe_format::unsafe_format(value.span, extension.letters, instead));
    }
    if satisfies(kind, extension.needs) {
        return Some(Conversion::Pointer { extension, shape });
    }
    let wants = needs(extension.needs);
    context.say(codes::format_mismatch::extension(value.span, extension.letters, &wants, kind.describe()))
}

fn needs(needs: Needs) -> String {
    match needs {
        Needs::Address => "a pointer or an integer of 8 bytes".to_owned(),
        Needs::SocketAddress => {
            "a socket address in the record: `sockaddr`, `struct sockaddr_in6` or its like, or `u8[28]`"
                .to_owned()
        }
        Needs::Bytes(bytes) => format!("{bytes} bytes in the record: `u8[{bytes}]`"),
        Needs::Buffer => "an array of bytes".to_owned(),
        Needs::Bits => "`cpumask`, `bitmask` or an array of `unsigned long`".to_owned(),
        Needs::PhysicalAddress => "a `phys_addr_t`".to_owned(),
        Needs::DmaAddress => "a `dma_addr_t`".to_owned(),
    }
}

/// What to print where a value is computed from fields that have a place in the record.
const NOT_A_FIELD: &str = "name the field itself";

/// The size of the smallest address that `%pIS` supports: `struct sockaddr_in`.
const SMALLEST_SOCKET_ADDRESS: u64 = 16;

fn satisfies(kind: &TypeKind, needs: Needs) -> bool {
    let byte_array = |at_least: Option<u64>| match (element(kind), kind) {
        (Some(1), TypeKind::Array { length: Length::Known { count, .. }, .. }) => {
            at_least.is_none_or(|least| *count >= least)
        }
        (Some(1), TypeKind::Array { .. } | TypeKind::Elements { .. } | TypeKind::SocketAddress) => true,
        _ => false,
    };
    let content = match kind {
        TypeKind::Aggregate(aggregate) => aggregate.known,
        _ => None,
    };
    match needs {
        Needs::Address => {
            matches!(kind, TypeKind::Pointer { .. }) || kind.integer().is_some_and(|ty| ty.bytes == 8)
        }
        Needs::SocketAddress => {
            byte_array(Some(SMALLEST_SOCKET_ADDRESS))
                || content.is_some_and(|known| known.content == Content::SocketAddress)
        }
        Needs::Bytes(bytes) => {
            let exact = match (element(kind), kind) {
                (Some(1), TypeKind::Array { length, .. }) => {
                    length.count().is_none_or(|count| count == u64::from(bytes))
                }
                _ => false,
            };
            let word = bytes == 4 && kind.integer().is_some_and(|ty| ty.bytes == 4);
            exact
                || word
                || content.is_some_and(|known| known.size == bytes && known.content != Content::Other)
        }
        Needs::Buffer => byte_array(None),
        Needs::Bits => matches!(kind, TypeKind::Cpumask | TypeKind::Bitmask) || element(kind) == Some(8),
        Needs::PhysicalAddress | Needs::DmaAddress => {
            kind.integer().is_some_and(|ty| ty.bytes == 8 && !ty.signed)
        }
    }
}
