//! T0213: unknown-member. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0213", "unknown-member", include_str!("unknown_member.md"));

/// Reports a member that `base` does not have; `known` are those that it has.
pub(crate) fn unknown_member(span: Span, base: &str, member: &str, known: &[&'static str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{base}` has no member `{member}`"))
        .at(span, "unknown member")
        .suggest(span, nearest(member, known.iter().copied(), 1))
        .help("`current` has `comm`, `pid`, `tgid` and `cpu`; a field can have `.ustring` or `.function`")
}
