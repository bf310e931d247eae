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
    /// Those that have the field.
    pub(crate) with_field: Vec<String>,
    /// The edit that narrows it to those, in clauses that have `having`.
    pub(crate) narrowed: Option<Edit>,
    /// Whether the edit drops an event that is named by itself, and not by a pattern.
    pub(crate) drops_named: bool,
}

pub(crate) fn missing_in_group(span: Span, field: &str, event: &str, group: Group) -> Diagnostic {
    let Group { set, events, with_field, narrowed, drops_named } = group;
    let said = Diagnostic::error(
        &CODE,
        format!("`{event}` has no field `{field}`, but other events of the group have it"),
    )
    .at(span, format!("not in `{event}`"))
    .and_at(set, format!("{events} events are named here"));
    match narrowed {
        Some(Edit { span, text }) => {
            let kept = match with_field.as_slice() {
                [only] => format!("only `{only}` has it"),
                several => format!("{} of the {events} events have it", several.len()),
            };
            let title = format!("write `having {field}` to leave out the events without it: {kept}");
            match drops_named {
                // The help stands first.
                true => said.guess(title, span, text).note(format!(
                    "where `{event}` is meant too, it needs a clause of its own, with its own fields"
                )),
                false => said.fix(title, span, text),
            }
        }
        None => {
            said.help(format!("name only events that have `{field}`, or exclude `{event}` with `except`"))
        }
    }
}
