//! Texts of a fixed length whose source may be null.

use std::fmt::Write;

use tracec_grammar::syntax::Tag;

use crate::ir::definition::{
    Definitions, ExprId, ExprKind, Exprs, FieldValue, RecordField, TypeKind, UnaryOp,
};

/// The macro that takes a null pointer for `(null)`.
pub(super) const TEXT: &str = "tracec_text";

/// Defines the macro, if a field needs it. What it is given may be an array of C: gcc knows that the address of one is not
/// null, and warns of the question (`-Waddress`), unless it is asked of a variable.
pub(super) fn write(text: &mut String, definitions: &Definitions) {
    let mut fields = definitions.classes.iter().flat_map(|class| &class.fields);
    if fields.any(|field| can_be_null(&definitions.exprs, field)) {
        // Writing into a string does not fail.
        let _ = write!(
            text,
            "\n#undef {TEXT}\n#define {TEXT}(src) ({{ const char *__text = (src); __text ?: \"(null)\"; }})\n"
        );
    }
}

/// Returns whether a field is a text of a fixed length that is copied from what may be a null pointer, apart from arguments.
pub(super) fn can_be_null(exprs: &Exprs, field: &RecordField) -> bool {
    let is_text = matches!(&field.ty.kind, TypeKind::Array { element, .. } if element.is_char());
    match field.value {
        FieldValue::Expr(id) => is_text && !is_there(exprs, id),
        FieldValue::Argument(_) | FieldValue::Elements { .. } | FieldValue::Statements => false,
    }
}

/// Returns whether a text is an argument, which is asked where it is copied, or is never at a null pointer.
fn is_there(exprs: &Exprs, id: ExprId) -> bool {
    let expr = &exprs[id];
    match &expr.kind {
        ExprKind::Argument(_) | ExprKind::Str(_) | ExprKind::Constant { .. } => true,
        ExprKind::Unary { op, .. } => *op == UnaryOp::AddressOf,
        // An array of include/linux/sched.h.
        ExprKind::Arrow { base, member } if member.value == "comm" => is_task(exprs, *base),
        _ => false,
    }
}

/// Returns whether an expression is a pointer to a task.
fn is_task(exprs: &Exprs, id: ExprId) -> bool {
    let expr = &exprs[id];
    match (&expr.kind, &expr.ty) {
        (ExprKind::C(name), _) => name == "current",
        (_, Some(TypeKind::Pointer { to: Some(to), .. })) => matches!(
            &**to,
            TypeKind::Aggregate(of) if of.tag == Some(Tag::Struct) && of.name == "task_struct"
        ),
        _ => false,
    }
}
