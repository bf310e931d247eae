//! What this target can do of a session. The rest is refused at its clause, before anything is planned.
//!
//! What can be decided where is the same table that conditions are placed by
//! ([`realisation`](tracec_kernel::condition::realisation)): no plan gives a place what it cannot decide. That the texts
//! are those of the conjuncts is for [`place`](crate::place) alone.

use std::collections::HashSet;

use tracec_grammar::span::Span;
use tracec_kernel::condition::realisation::constructs;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Session, Stop};
use crate::place::{self, NotOnHost, Place, PlacedCondition, PlacedId, PlacedSession};

/// Checks that the target carries out all of a session.
///
/// # Errors
/// A refusal of each condition that runs where it cannot be decided and of each clause that the target does not carry
/// out. That a condition has no place at all has been reported.
pub(super) fn validate(placed: PlacedSession<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut refusals = Vec::new();
    // What events share was placed for one purpose.
    let mut seen = HashSet::new();
    for (event, ids) in placed.events() {
        let name = placed.module.catalogue[event.id].qualified_name();
        let record = ids.record.filter(|id| seen.insert(*id));
        if let (Some(recording), Some(id)) = (&event.record, record) {
            let demanded = |index| recording.demand(index).map(NotOnHost::Demanded);
            misplaced(placed, id, demanded, &name, &mut refusals);
        }
        for id in ids.triggers.iter().filter(|id| seen.insert(**id)) {
            misplaced(placed, *id, |_| Some(NotOnHost::Trigger), &name, &mut refusals);
        }
    }
    for event in &placed.session.defined {
        let what = format!("the event `{}`, which is defined in the text,", event.value);
        let instead = "name an event that the kernel has";
        refusals.push(codes::not_applied::not_applied(event.span, &what, instead));
    }
    for (span, what, instead) in refused(placed.session) {
        refusals.push(codes::not_applied::not_applied(span, what, instead));
    }
    let is_refused = placed.conditions().any(PlacedCondition::is_refused);
    if refusals.is_empty() && !is_refused { Ok(()) } else { Err(refusals) }
}

/// Refuses the conjuncts whose place cannot decide them. `kernel_only` says of an index why the host must not.
fn misplaced(
    placed: PlacedSession<'_>,
    id: PlacedId,
    kernel_only: impl Fn(usize) -> Option<NotOnHost>,
    event: &str,
    refusals: &mut Vec<Diagnostic>,
) {
    for (index, conjunct) in placed.placement[id].conjuncts.iter().enumerate() {
        let span = conjunct.condition.span;
        let parts = constructs(&conjunct.condition.value);
        match &conjunct.place {
            // A constant is decided nowhere, and what has no place has been reported.
            Place::Constant(_) | Place::Refused { .. } => {}
            Place::Kernel { .. } => {
                if let Some(obstacle) = place::obstacle_in_kernel(&parts, &placed.placement.model) {
                    refusals.push(codes::not_in_kernel::not_in_kernel(span, event, &obstacle.to_string()));
                }
            }
            Place::Host { kernel } => {
                if let Some(host) = NotOnHost::of(&parts, kernel_only(index)) {
                    refusals.push(place::refusal(span, event, kernel, &host));
                }
            }
        }
    }
}

/// The clauses that the target does not carry out: place, name, and what to do.
fn refused(session: &Session) -> Vec<(Span, &'static str, &'static str)> {
    let mut refused = Vec::new();
    let mut refuse = |span, what, instead| refused.push((span, what, instead));
    for subject in &session.scope {
        refuse(subject.span, "`scope`", "write a condition, such as `if current.pid == 123`");
    }
    for global in &session.globals {
        refuse(global.span, "`global`", "set it beside the session, where you can see what was there");
    }
    if let Some(ring) = &session.ring {
        refuse(ring.span, "`ring`", "leave it out: the session streams");
    }
    if let Some(span) = session.start_paused {
        refuse(span, "`start paused`", "leave it out: the session records from its start");
    }
    for marker in &session.markers {
        refuse(marker.span, "`marker`", "leave it out");
    }
    for stop in &session.stops {
        match stop.value {
            Stop::After(_) => {}
            // Every session that has a command ends with it; who runs it asks for one.
            Stop::Command => {}
            Stop::When { .. } => {
                refuse(stop.span, "`stop when`", "use `trigger traceoff once` and end the session by hand");
            }
            Stop::Signal(_) => refuse(stop.span, "`stop on`", "end the session with SIGINT or SIGTERM"),
            Stop::Process(_) => refuse(stop.span, "`stop with process`", "run the command: `run -- COMMAND`"),
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use tracec_kernel::condition::ir::{Atom, Condition, Text, TextTest};
    use tracec_kernel::filter::Model;

    use super::*;
    use crate::place::fixture::{Placed, comm, computed, field, plain, pointer, session};
    use crate::place::{NotInKernel, PlacedConjunct};

    /// What the validator says of a placement after a change, and whether it lets it pass.
    fn validated(condition: Condition, change: impl Fn(&mut Placed)) -> Vec<(&'static str, String)> {
        let mut placed = Placed::new(session(&[plain(1), condition], None, false), Model::LINUX_6_18);
        change(&mut placed);
        let said = validate(placed.session()).err().unwrap_or_default();
        said.iter().map(|said| (said.code.id, said.notes.join("; "))).collect()
    }

    fn last(placed: &mut Placed) -> &mut PlacedConjunct {
        placed.placement.first_mut().conjuncts.last_mut().expect("a conjunct")
    }

    #[test]
    fn what_has_a_place_passes() {
        for condition in [plain(2), comm(), computed(), pointer()] {
            assert_eq!(validated(condition, |_| {}), []);
        }
    }

    /// The kernel that a plan is for is the one that its conditions were placed for.
    #[test]
    fn a_place_is_of_one_kernel() {
        let user =
            || Condition::Atom(Atom::Text { of: Text::User(field("p")), test: TextTest::Eq("x".to_owned()) });
        assert_eq!(validated(user(), |_| {}), []);
        let said = validated(user(), |placed| placed.placement.model = Model::LEAST);
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].0, "T0401");
        assert!(said[0].1.contains("`filter-ustring`"), "{}", said[0].1);
    }

    #[test]
    fn a_place_is_one_that_can_decide() {
        let kernel = NotInKernel::NoRoom { length: 7 };
        let to_host = |placed: &mut Placed| last(placed).place = Place::Host { kernel: kernel.clone() };
        let said = validated(comm(), to_host);
        assert_eq!(said.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0404"]);
        assert!(said[0].1.contains("a record does not hold the name of the task that ran"), "{}", said[0].1);
        // The host can decide what the kernel can.
        assert_eq!(validated(plain(2), to_host), []);
        let to_kernel =
            |placed: &mut Placed| last(placed).place = Place::Kernel { text: "a + 1 > b".to_owned() };
        let said = validated(computed(), to_kernel);
        assert_eq!(said.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0401"]);
    }

    /// A trigger acts in the kernel, and so does what is demanded of it.
    #[test]
    fn the_host_is_not_for_everything() {
        let to_host = |mut placed: Placed| {
            let kernel = NotInKernel::NoRoom { length: 7 };
            placed.placement.first_mut().conjuncts[0].place = Place::Host { kernel };
            let said = validate(placed.session()).err().unwrap_or_default();
            said.iter().map(|said| said.code.id).collect::<Vec<_>>()
        };
        let placed =
            |demanded, trigger| Placed::new(session(&[plain(1)], demanded, trigger), Model::LINUX_6_18);
        assert_eq!(to_host(placed(None, false)), [""; 0]);
        assert_eq!(to_host(placed(Some(0), false)), ["T0405"]);
        assert_eq!(to_host(placed(None, true)), ["T0401"]);
        assert_eq!(to_host(Placed::new(session(&[comm()], None, true), Model::LINUX_6_18)), ["T0401"]);
    }

    /// What was refused when it was placed does not become a plan without it.
    #[test]
    fn what_has_no_place_is_no_plan() {
        let either = || Condition::any(vec![comm(), computed()]);
        let placed = Placed::new(session(&[plain(1), either()], None, false), Model::LINUX_6_18);
        assert_eq!(validate(placed.session()), Err(Vec::new()), "it was reported when it was placed");
    }
}
