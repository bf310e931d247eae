//! T0732: elements. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};
use crate::ir::definition::TypeKind;

pub(crate) static CODE: Code = Code::error("T0732", "elements", include_str!("elements.md"));

/// Reports an array without a length and without a count of elements.
pub(crate) fn elements(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` has no number of elements"))
        .at(span, "an array without a length")
        .help(format!("write `{name}: TYPE[] = (POINTER, COUNT);`"))
}

/// Reports a bit map or an address without its size; `count` names that.
pub(crate) fn pair(span: Span, name: &str, kind: &TypeKind, count: &str) -> Diagnostic {
    let ty = if *kind == TypeKind::Bitmask { "bitmask" } else { "sockaddr" };
    Diagnostic::error(&CODE, format!("`{name}` is {} and needs {count}", kind.describe()))
        .at(span, "its size differs between records")
        .help(format!("write `{name}: {ty} = (POINTER, COUNT);`"))
}

/// Reports a count of elements for a type that takes none.
pub(crate) fn surplus(span: Span, name: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is {kind} and takes no count of elements"))
        .at(span, "`(POINTER, COUNT)` is for `TYPE[]`, `string`, `bitmask` and `sockaddr`")
}

/// Reports a pointer or a count of the wrong type.
pub(crate) fn wrong_part(span: Span, what: &str, wants: &str, found: &TypeKind) -> Diagnostic {
    let kind = found.describe();
    let mistake =
        Diagnostic::error(&CODE, format!("{what} must be {wants}, and this is {kind}")).at(span, kind);
    match found {
        TypeKind::Pointer { user: true, .. } => {
            mistake.help("a tracepoint may not wait for user memory: record the pointer, or use a probe")
        }
        TypeKind::Pointer { to: Some(to), .. } if is_cpumask(to) => {
            mistake.help("a set of CPUs has a type of its own: `cpumask`")
        }
        _ => mistake,
    }
}

fn is_cpumask(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Aggregate(found) if found.name == "cpumask")
}
