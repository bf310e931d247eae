//! T0111: missing-in-group. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Edit};

pub(crate) static CODE: Code = Code::error("T0111", "missing-in-group", include_str!("missing_in_group.md"));

/// The group of events that a condition is about.
pub(crate) struct Group {
    /// Where its events are named.
    pub(crate) set: Span,
    /// The number of its events.
    pub(crate) events: usize,
    /// The number of those that have the field.
    pub(crate) with_field: usize,
    /// The edit that narrows it to those, in clauses that have `having`.
    pub(crate) narrowed: Option<Edit>,
}

pub(crate) fn missing_in_group(span: Span, field: &str, event: &str, group: Group) -> Diagnostic {
    let Group { set, events, with_field, narrowed } = group;
    let said = Diagnostic::error(
        &CODE,
        format!("`{event}` has no field `{field}`, but other events of the group have it"),
    )
    .at(span, format!("not in `{event}`"))
    .and_at(set, format!("{events} events are named here"));
    match narrowed {
        Some(Edit { span, text }) => {
            let title =
                format!("write `having {field}` for the events that have it: {with_field} of the {events}");
            said.fix(title, span, text)
        }
        None => {
            said.help(format!("name only events that have `{field}`, or exclude `{event}` with `except`"))
        }
    }
}
