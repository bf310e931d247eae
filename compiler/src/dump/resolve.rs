//! Sessions as lists of clauses.

use super::catalogue::{catalogue, event};
use super::lines::Lines;
use crate::ir::{Catalogue, EventId};
use crate::resolve::expand::Visible;
use crate::resolve::{Expanded, Precision, Resolved, ResolvedClause, ResolvedText};

/// Prints sessions as lists of clauses.
pub fn resolved(text: &ResolvedText<'_>) -> String {
    let ResolvedText { sessions, catalogue } = text;
    let mut lines = Lines::default();
    self::catalogue(&mut lines, catalogue);
    sessions.iter().for_each(|session| self::session(&mut lines, session, catalogue));
    lines.finish()
}

fn session(lines: &mut Lines<'_>, session: &Resolved<'_>, catalogue: &Catalogue) {
    let Resolved { expanded, clauses, stops, defined, complete } = session;
    let Expanded { name, span, head, clauses: visible, names, open, readable, complete: expanded } = expanded;
    lines.block(format!("session {name:?} at {span:?}, head {head:?}"), |lines| {
        lines.field("complete", complete);
        lines.field("expanded", expanded);
        lines.field("readable", readable);
        lines.field("open", open);
        for (index, names) in names.iter().enumerate() {
            lines.field(&format!("names {index}"), names.own());
        }
        for Visible { clause, names } in visible {
            lines.field(&format!("clause, names {}", names.0), clause);
        }
        for (index, found) in clauses.iter().enumerate() {
            lines.block(format!("events {index}"), |lines| clause(lines, found, catalogue));
        }
        for (index, found) in stops.iter().enumerate() {
            lines.block(format!("stop {index}"), |lines| events(lines, found, catalogue));
        }
        lines.spanned("defined", defined);
    });
}

fn clause(lines: &mut Lines<'_>, clause: &ResolvedClause, catalogue: &Catalogue) {
    let ResolvedClause { events: found, dropped, lacking, targets } = clause;
    events(lines, found, catalogue);
    for (id, field) in dropped {
        lines.line(format!("{} dropped, lacks {field:?}", event(catalogue, *id)));
    }
    lines.each("lacking", lacking);
    for (item, id) in targets {
        lines.line(format!("item {item} acts on {}", event(catalogue, *id)));
    }
}

fn events(lines: &mut Lines<'_>, found: &[(EventId, Precision)], catalogue: &Catalogue) {
    for (id, precision) in found {
        lines.line(format!("{} {precision:?}", event(catalogue, *id)));
    }
}
