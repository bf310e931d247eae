//! Checks from resolved syntax to the typed intermediate form. They find every mistake that can be found without
//! running on the kernel.

mod clauses;
mod condition;
pub mod definition;
mod events;
mod scoped;
mod shown;
mod snapshots;
mod watches;

pub use clauses::OUTPUT_FORMS;
pub use condition::modifier::{CURRENT, TaskProperty};

use crate::diagnostic::{Diagnostics, codes};
use crate::ir;
use crate::ir::definition::{ConstantTable, Definitions};
use crate::resolve::{Resolved, ResolvedText, WrittenClause};
use crate::source::KernelSource;
use condition::machine::Machine;
use events::Events;

/// Types sessions, with the constants and definitions of the text and its imports. A session whose clauses have
/// mistakes, or one that could not be parsed, is left out; the mistakes have been reported. Conditions that are `known` are
/// not typed again.
pub fn check(
    resolved: ResolvedText<'_>,
    constants: ConstantTable,
    definitions: Vec<Definitions>,
    kernel: &dyn KernelSource,
    mut known: Option<&mut ir::KnownConditions>,
    diagnostics: &mut Diagnostics,
) -> ir::Module {
    let machine = condition::machine::Machine::new(kernel);
    let ResolvedText { sessions, catalogue } = resolved;
    let mut module = ir::Module { constants, definitions, catalogue, ..ir::Module::default() };
    module.sessions.reserve_exact(sessions.len());
    for resolved in &sessions {
        diagnostics.of_session(Some(resolved.expanded.span));
        if let Some(session) = session(resolved, &mut module, &machine, known.as_deref_mut(), diagnostics) {
            let mut waiting = watches::of(&session);
            waiting.iter_mut().for_each(|watch| scoped::gate(watch, &mut module.conditions));
            module.sessions.push(session);
            module.sessions.append(&mut waiting);
        }
    }
    diagnostics.of_session(None);
    module
}

fn session(
    resolved: &Resolved<'_>,
    module: &mut ir::Module,
    machine: &Machine<'_>,
    known: Option<&mut ir::KnownConditions>,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Session> {
    let (mut session, complete) = clauses::check(resolved, machine.kernel, diagnostics);
    let mut clauses = Events {
        resolved,
        catalogue: &module.catalogue,
        constants: &module.constants,
        machine,
        conditions: &mut module.conditions,
        known: known.filter(|_| ir::KnownConditions::keeps(resolved.clauses.len())),
        diagnostics,
        complete,
    };
    session.events = clauses.check();
    clauses.awaited(&mut session);
    clauses.complete &= watches::check_dumps(&session, clauses.diagnostics);
    clauses.complete &= snapshots::check(&session, clauses.diagnostics);
    if let Some(keep) = &session.keep
        && session.complete
        && !session.stops.iter().any(|stop| matches!(stop.value, ir::Stop::On { .. }))
        && clauses.diagnostics.is_whole()
    {
        clauses.diagnostics.push(codes::useless_keep::useless_keep(keep.span));
    }
    // Parts that depend on an open parameter are missing, so the places of the rest are not final.
    let is_shown = clauses.complete && resolved.expanded.readable && !resolved.expanded.open;
    session.dropped = dropped(resolved);
    scoped::gate(&mut session, &mut module.conditions);
    is_shown.then_some(session)
}

/// Returns the events that `having` removed.
fn dropped(resolved: &Resolved<'_>) -> Vec<ir::Dropped> {
    let of_clause = |clause: WrittenClause<'_, '_>| {
        let span = clause.content.events.span;
        let dropped = clause.resolved.dropped.clone().into_iter();
        dropped.map(move |(event, field)| ir::Dropped { event, field, span })
    };
    resolved.event_clauses().flat_map(of_clause).collect()
}
