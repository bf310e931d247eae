//! T0111: missing-in-group. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0111", "missing-in-group", include_str!("missing_in_group.md"));

pub(crate) fn missing_in_group(
    span: Span,
    field: &str,
    event: &str,
    members: usize,
    set: Span,
) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("`{event}` has no field `{field}`, but other events of the group have it"),
    )
    .at(span, format!("not in `{event}`"))
    .and_at(set, format!("{members} events are named here"))
    .help(format!("name only events that have `{field}`, or exclude `{event}` with `except`"))
}
