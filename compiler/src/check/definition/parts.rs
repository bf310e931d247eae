//! The pair that sets a field whose size differs between records: where its data begins, and how much there is.

use tracec_grammar::syntax::{ExprId as SyntaxId, Tag};

use crate::diagnostic::codes;
use crate::ir::definition::{ExprId, FieldValue, TypeKind};

use super::context::Context;
use super::expression::{ArgumentList, VisibleNames, expression};
use super::total::{Used, total};

/// What the two parts of a pair have to be.
pub(super) struct Parts {
    /// The first part, for messages.
    place: &'static str,
    /// Its type, for messages.
    wants: &'static str,
    fits: fn(&TypeKind) -> bool,
    /// The second part, for messages.
    pub(super) count: &'static str,
}

/// Returns what sets a field of a type; `None` for a type that takes no pair.
pub(super) fn of(kind: &TypeKind) -> Option<Parts> {
    Some(match kind {
        TypeKind::Elements { .. } => Parts {
            place: "the first element's place",
            wants: "a pointer",
            fits: |kind| is_pointer(kind) || matches!(kind, TypeKind::Array { .. }),
            count: "the number of elements",
        },
        TypeKind::Bitmask => Parts {
            place: "the place of the bits",
            wants: "a pointer to `unsigned long`",
            fits: |kind| leads_to(kind, |to| to.integer().is_some_and(|ty| ty.bytes == 8)),
            count: "the number of bits",
        },
        TypeKind::SocketAddress => Parts {
            place: "the place of the address",
            wants: "a pointer to a `struct sockaddr` or its like",
            fits: |kind| leads_to(kind, is_socket_address),
            count: "the number of bytes",
        },
        TypeKind::Text { .. } => Parts {
            place: "the place of the text",
            wants: "a pointer to text",
            fits: |kind| {
                is_kernel_text(kind) || leads_to(kind, |to| to.integer().is_some_and(|ty| ty.bytes == 1))
            },
            count: "the number of bytes",
        },
        _ => return None,
    })
}

/// Returns whether a type is a pointer to kernel memory.
pub(super) fn is_pointer(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Pointer { user: false, .. })
}

/// Returns whether a type is text that the kernel can copy, including a pointer to an unknown type.
pub(super) fn is_kernel_text(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Pointer { user: true, .. } => false,
        TypeKind::Pointer { text: true, .. } | TypeKind::Pointer { to: None, .. } => true,
        other => other.is_text(),
    }
}

/// Returns whether a type is a pointer to kernel memory that holds this, or that only a header knows.
fn leads_to(kind: &TypeKind, is: impl Fn(&TypeKind) -> bool) -> bool {
    match kind {
        TypeKind::Pointer { user: false, to, .. } => match to.as_deref() {
            None => true,
            Some(TypeKind::Aggregate(typedef)) if typedef.tag.is_none() && typedef.known.is_none() => true,
            Some(to) => is(to),
        },
        _ => false,
    }
}

/// Returns whether a type is a struct of a socket address: each protocol has one of its own.
fn is_socket_address(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Aggregate(found) => {
            let name = found.name.trim_start_matches("__kernel_");
            found.tag == Some(Tag::Struct) && name.starts_with("sockaddr")
        }
        _ => false,
    }
}

/// Types both parts of a pair. `None` if a mistake was reported.
pub(super) fn parts(
    wanted: &Parts,
    pointer: SyntaxId,
    count: SyntaxId,
    arguments: &ArgumentList<'_>,
    context: &mut Context<'_, '_>,
) -> Option<FieldValue> {
    let pointer = part(pointer, wanted.place, wanted.wants, wanted.fits, arguments, context);
    let count = part(count, wanted.count, "an integer", TypeKind::is_integer, arguments, context);
    Some(FieldValue::Elements { pointer: pointer?, count: count? })
}

fn part(
    id: SyntaxId,
    what: &str,
    wants: &str,
    fits: fn(&TypeKind) -> bool,
    arguments: &ArgumentList<'_>,
    context: &mut Context<'_, '_>,
) -> Option<ExprId> {
    let names = VisibleNames::Arguments(arguments);
    let id = total(expression(id, names, context)?, Used::Value, names, context)?;
    let expr = &context.exprs[id];
    match &expr.ty {
        Some(kind) if !fits(kind) => {
            let mistake = codes::elements::wrong_part(expr.span, what, wants, kind);
            context.say(mistake)
        }
        _ => Some(id),
    }
}
