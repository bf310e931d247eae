//! What `trigger snapshot` needs of the other clauses of its session: a ring, and that it fires once.

use tracec_grammar::span::Span;
use tracec_kernel::tables::triggers::Slot;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir::{Session, Trigger};

/// Checks the triggers of a session that take a snapshot. Returns whether there is no mistake.
pub(super) fn check(session: &Session, diagnostics: &mut Diagnostics) -> bool {
    let triggers = session.events.iter().flat_map(|event| &event.triggers);
    let mut triggers = triggers.filter(|trigger| trigger.kind.value.slot == Slot::Snapshot);
    let Some(first) = triggers.next() else { return true };
    if session.ring.is_none() && session.complete && diagnostics.is_whole() {
        diagnostics.push(codes::dump_without_ring::snapshot_without_ring(first.span));
        return false;
    }
    let others: Vec<Span> = triggers.map(|other| other.span).collect();
    let said = match others.iter().find(|other| **other != first.span) {
        Some(other) => codes::second_snapshot::of_clauses(*other, first.span),
        None if !others.is_empty() => codes::second_snapshot::of_events(first.span, others.len() + 1),
        None if first.count != Some(1) => codes::second_snapshot::not_once(first.span, behind_name(first)),
        None => return true,
    };
    diagnostics.push(said);
    false
}

/// Returns where `once` belongs; `None` if there is another count.
fn behind_name(trigger: &Trigger) -> Option<Span> {
    let name = trigger.kind.span;
    trigger.count.is_none().then_some(Span { start: name.end, ..name })
}
