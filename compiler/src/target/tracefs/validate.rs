//! What this target can do of a session. The rest is refused at its clause, before anything is planned.
//!
//! What can be decided where is the same table that conditions are placed by
//! ([`realisation`](tracec_kernel::condition::realisation)): no plan gives a place what it cannot decide. That the texts
//! are those of the conjuncts is for [`place`](crate::place) alone.

use std::collections::HashSet;

use tracec_grammar::span::Span;
use tracec_kernel::condition::realisation::constructs;
use tracec_kernel::filter::Model;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir::shared::Same;
use crate::ir::{Session, Stop};
use crate::place::{self, NotOnHost, Place, Placed, PlacedCondition};

/// Reports every condition that has no place and every clause that the target does not carry out, and says whether
/// there is none.
pub(super) fn validate(placed: &Placed, diagnostics: &mut Diagnostics) -> bool {
    let before = diagnostics.errors();
    place::report(placed, diagnostics);
    // What events share was placed for one purpose.
    let mut seen = HashSet::new();
    for (event, placed_event) in placed.session.events.iter().zip(&placed.events) {
        let name = event.format.qualified_name();
        let placed_record = placed_event.record.as_ref().filter(|record| seen.insert(Same::of(record)));
        if let (Some(recording), Some(placed_record)) = (&event.record, placed_record) {
            let demanded = |index| recording.demand(index).map(NotOnHost::Demanded);
            misplaced(placed_record, demanded, &name, &placed.model, diagnostics);
        }
        for trigger in placed_event.triggers.iter().filter(|trigger| seen.insert(Same::of(trigger))) {
            misplaced(trigger, |_| Some(NotOnHost::Trigger), &name, &placed.model, diagnostics);
        }
    }
    for event in &placed.session.defined {
        let what = format!("the event `{}`, which is defined in the text,", event.value);
        let instead = "name an event that the kernel has";
        diagnostics.push(codes::not_applied::not_applied(event.span, &what, instead));
    }
    for (span, what, instead) in refused(&placed.session) {
        diagnostics.push(codes::not_applied::not_applied(span, what, instead));
    }
    diagnostics.errors() == before
}

/// Reports the conjuncts whose place cannot decide them. `kernel_only` says of an index why the host must not.
fn misplaced(
    placed: &PlacedCondition,
    kernel_only: impl Fn(usize) -> Option<NotOnHost>,
    event: &str,
    model: &Model,
    diagnostics: &mut Diagnostics,
) {
    for (index, conjunct) in placed.conjuncts.iter().enumerate() {
        let span = conjunct.condition.span;
        let parts = constructs(&conjunct.condition.value);
        match &conjunct.place {
            // The one is nowhere, and the other has been told.
            Place::Constant(_) | Place::Refused { .. } => {}
            Place::Kernel { .. } => {
                if let Some(obstacle) = place::obstacle_in_kernel(&parts, model) {
                    diagnostics.push(codes::not_in_kernel::not_in_kernel(span, event, &obstacle.to_string()));
                }
            }
            Place::Host { kernel } => {
                if let Some(host) = NotOnHost::of(&parts, kernel_only(index)) {
                    diagnostics.push(place::refusal(span, event, kernel, &host));
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
    use std::sync::Arc;

    use tracec_kernel::condition::ir::{Atom, Condition, Text, TextTest};

    use super::*;
    use crate::place::fixture::{comm, computed, field, plain, pointer, session};
    use crate::place::{NotInKernel, PlacedConjunct, place};

    /// What the validator says of a placement after a change, and whether it lets it pass.
    fn validated(condition: Condition, change: impl Fn(&mut Placed)) -> Vec<(&'static str, String)> {
        let mut placed = place(session(&[plain(1), condition], None, false), Model::LINUX_6_18);
        change(&mut placed);
        let mut diagnostics = Diagnostics::default();
        let passed = validate(&placed, &mut diagnostics);
        let said = diagnostics.finish();
        assert_eq!(passed, said.is_empty());
        said.iter().map(|said| (said.code.id, said.notes.join("; "))).collect()
    }

    fn last(placed: &mut Placed) -> &mut PlacedConjunct {
        let record = placed.events[0].record.as_mut().expect("recorded");
        Arc::make_mut(record).conjuncts.last_mut().expect("a conjunct")
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
        let said = validated(user(), |placed| placed.model = Model::LEAST);
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
            let event = &mut placed.events[0];
            let condition = event.record.as_mut().unwrap_or_else(|| &mut event.triggers[0]);
            Arc::make_mut(condition).conjuncts[0].place = Place::Host { kernel };
            let mut diagnostics = Diagnostics::default();
            validate(&placed, &mut diagnostics);
            diagnostics.finish().iter().map(|said| said.code.id).collect::<Vec<_>>()
        };
        let placed = |demanded, trigger| place(session(&[plain(1)], demanded, trigger), Model::LINUX_6_18);
        assert_eq!(to_host(placed(None, false)), [""; 0]);
        assert_eq!(to_host(placed(Some(0), false)), ["T0405"]);
        assert_eq!(to_host(placed(None, true)), ["T0401"]);
        assert_eq!(to_host(place(session(&[comm()], None, true), Model::LINUX_6_18)), ["T0401"]);
    }

    /// What was refused when it was placed does not become a plan without it.
    #[test]
    fn what_has_no_place_is_no_plan() {
        let either = || Condition::any(vec![comm(), computed()]);
        assert_eq!(validated(either(), |_| {}).iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0404"]);
    }
}
