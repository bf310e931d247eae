//! T0240: mixed-signs. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

pub(crate) static CODE: Code = Code::error("T0240", "mixed-signs", include_str!("mixed_signs.md"));

/// One operand.
pub struct MixedSide {
    /// Where it is.
    pub span: Span,
    /// Whether a cast helps, which it does not for a constant.
    pub castable: bool,
    /// Whether it needs parentheses before `as`.
    pub loose: bool,
}

/// Reports an operator between a number that can be negative and one that can be above the largest `s64`.
pub(crate) fn mixed_signs(op: Span, signed: MixedSide, unsigned: MixedSide) -> Diagnostic {
    let mut said =
        Diagnostic::error(&CODE, "one operand can be negative, and the other can be above the largest `s64`")
            .at(op, "signed or unsigned?")
            .and_at(signed.span, "can be negative")
            .and_at(unsigned.span, "can be above 9223372036854775807")
            .note("C would convert the negative number to a large unsigned one");
    for (side, ty) in [(unsigned, "s64"), (signed, "u64")].into_iter().filter(|(side, _)| side.castable) {
        said = said.offer(cast(side, ty));
    }
    said
}

fn cast(side: MixedSide, ty: &str) -> Fix {
    let title = format!("cast it with `as {ty}`");
    let insert = |span: Span, text: String| Edit { span, text };
    let edits = if side.loose {
        vec![insert(side.span.before(), "(".to_owned()), insert(side.span.behind(), format!(") as {ty}"))]
    } else {
        vec![insert(side.span.behind(), format!(" as {ty}"))]
    };
    Fix::several(Applicability::Maybe, title, edits)
}
