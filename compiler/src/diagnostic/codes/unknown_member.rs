//! T0213: unknown-member. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0213", "unknown-member", include_str!("unknown_member.md"));

/// Reports a member that `base` does not have; `known` are those that it has.
pub(crate) fn unknown_member(span: Span, base: &str, member: &str, known: &[&'static str]) -> Diagnostic {
    unknown(span, base, member).suggest(span, nearest(member, known.iter().copied(), 1)).help(match base {
        "current" => format!("`current` has {}", listed(known)),
        _ => format!("a field can have {}", listed(known)),
    })
}

/// Reports a property of the task that runs; `what` it is, or the member `has` that has it.
pub(crate) fn of_task(span: Span, member: &str, has: Option<&str>, what: &str) -> Diagnostic {
    let said = unknown(span, "current", member);
    match has {
        Some(has) => said.note(format!("`current.{has}` is {what}")).suggest(span, [has]),
        None => said.help(lacks(what)),
    }
}

fn listed(known: &[&'static str]) -> String {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    known.join(", ")
}

fn unknown(span: Span, base: &str, member: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{base}` has no member `{member}`")).at(span, "unknown member")
}

/// Says that a record lacks a property of a task, and what it has.
pub(crate) fn lacks(what: &str) -> String {
    format!("a record does not hold {what}; for one program, write `current.comm == \"bash\"`")
}
