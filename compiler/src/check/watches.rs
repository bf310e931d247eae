//! The events that a session waits for, as sessions of their own: each is recorded in an instance that nothing else fills,
//! under the conditions of its clause, on the clock and in the scope of the session.

use tracec_grammar::span::{Span, Spanned};

use crate::diagnostic::{Diagnostics, codes};
use crate::ir::{ConditionId, Event, EventId, Output, Recording, Session, Shown, Stop};

/// The size of each CPU's ring, KiB: few records are waited for, and each is read at once.
const RING_KIB: u64 = 64;

/// Returns the sessions that wait for what a session waits for, one for each clause: those of its ends, then those of its
/// dumps.
pub(super) fn of(session: &Session) -> Vec<Session> {
    let watch = |(events, clause): (&Vec<(EventId, ConditionId)>, Span)| {
        let event = |(id, filter)| {
            let recording = Recording { filter, demands: Vec::new(), shown: Shown::default(), clause };
            Event { id, record: Some(recording), triggers: Vec::new() }
        };
        Session {
            complete: session.complete,
            events: events.iter().copied().map(event).collect(),
            buffer_kib: Some(Spanned::new(RING_KIB, clause)),
            clock: session.clock.clone(),
            scope: session.scope.clone(),
            children: session.children,
            including_tracec: session.including_tracec,
            waits_for: Some(clause),
            ..Session::new(session.name.clone(), clause)
        }
    };
    let ends = session.stops.iter().filter_map(|stop| match &stop.value {
        Stop::On { events, count: _ } => Some((events, stop.span)),
        _ => None,
    });
    let dumps = session.dumps.iter().map(|dump| (&dump.value.events, dump.span));
    ends.chain(dumps).map(watch).collect()
}

/// Checks what the dumps of a session need of its other clauses. Returns whether there is no mistake.
pub(super) fn check_dumps(session: &Session, diagnostics: &mut Diagnostics) -> bool {
    let mut complete = true;
    if let (None, Some(dump), true) = (&session.ring, session.dumps.first(), session.complete)
        && diagnostics.is_whole()
    {
        diagnostics.push(codes::dump_without_ring::dump_without_ring(dump.span));
        complete = false;
    }
    let mut written: Vec<&Output> = session.output.iter().collect();
    for output @ Output { path, .. } in session.dumps.iter().map(|dump| &dump.value.output) {
        if let Some(first) = written.iter().find(|first| first.path.value == path.value) {
            diagnostics.push(codes::dump_name::written_twice(path.span, &path.value, first.path.span));
            complete = false;
        }
        written.push(output);
    }
    complete
}
