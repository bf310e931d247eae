//! The events that a session waits for, as sessions of their own: each is recorded in an instance that nothing else fills,
//! under the conditions of its clause, on the clock and in the scope of the session.

use tracec_grammar::span::Spanned;

use crate::ir::{Event, Recording, Session, Shown, Stop};

/// The size of each CPU's ring, KiB: few records are waited for, and each is read at once.
const RING_KIB: u64 = 64;

/// Returns the sessions that wait for what a session waits for, one for each clause.
pub(super) fn of(session: &Session) -> Vec<Session> {
    let watch = |stop: &Spanned<Stop>| {
        let Stop::On { events, count: _ } = &stop.value else { return None };
        let clause = stop.span;
        let event = |(id, filter)| {
            let recording = Recording { filter, demands: Vec::new(), shown: Shown::default(), clause };
            Event { id, record: Some(recording), triggers: Vec::new() }
        };
        Some(Session {
            complete: session.complete,
            events: events.iter().copied().map(event).collect(),
            buffer_kib: Some(Spanned::new(RING_KIB, clause)),
            clock: session.clock.clone(),
            scope: session.scope.clone(),
            children: session.children,
            including_tracec: session.including_tracec,
            waits_for: Some(clause),
            ..Session::new(session.name.clone(), clause)
        })
    };
    session.stops.iter().filter_map(watch).collect()
}
