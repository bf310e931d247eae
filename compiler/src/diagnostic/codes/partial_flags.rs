//! T0254: partial-flags. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::packed_flags::PackedFlags;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0254", "partial-flags", Level::Warn, include_str!("partial_flags.md"));

/// Reports `flags == O_CREAT`, where a number stands beside the flags; the texts are those of both sides.
pub(crate) fn one_flag(
    whole: Span,
    (operand, flag): (&str, &str),
    op: Span,
    is_equal: bool,
    packed: &PackedFlags,
) -> Diagnostic {
    let said = Diagnostic::lint(
        &CODE,
        format!("`{operand}` has other bits beside `{flag}`: those of `{}`", packed.number),
    )
    .at(whole, "only where no other bit is set");
    match is_equal {
        true => said.guess(format!("write `&`, as in `{operand} & {flag}`"), op, "&"),
        false => {
            said.guess(format!("write `!({operand} & {flag})`"), whole, format!("!({operand} & {flag})"))
        }
    }
}

/// Reports `x & NAME`, where the name has several bits and one of them is enough.
pub(crate) fn some_bits(span: Span, name: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("`{name}` has several bits, and any of them is enough here"))
        .at(span, "several bits")
        .note(format!("the event prints `{name}` only where all of them are set"))
        .guess(format!("write `== {name}` behind it for all of them"), span.behind(), format!(" == {name}"))
}
