//! The validator and placements that were changed behind its back.

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, Text, TextTest};
use tracec_kernel::filter::Model;
use tracec_kernel::format::Field;

use super::*;
use crate::ir::{ConditionId, Conjunct, Module, Stop};
use crate::place::fixture::{Placed, comm, computed, field, plain, pointer, session};
use crate::place::{NotInKernel, Place, PlacedConjunct};
use crate::plan::Tracefs;

/// Returns the validator's verdict on a placement after a change.
fn validated(condition: Condition, change: impl Fn(&mut Placed)) -> Vec<(&'static str, String)> {
    let mut placed = Placed::new(session(&[plain(1), condition], None, false), Model::LINUX_6_18);
    change(&mut placed);
    let said = validate::<Tracefs>(placed.session()).err().unwrap_or_default();
    said.iter().map(|said| (said.code.id, said.notes.join("; "))).collect()
}

fn last(placed: &mut Placed) -> &mut PlacedConjunct {
    placed.placement.first_mut().conjuncts.last_mut().expect("a conjunct")
}

/// Replaces the last conjunct of the module's condition.
fn corrupt(placed: &mut Placed, value: Condition) {
    let id = placed.condition().id;
    let mut conjuncts = placed.module.conditions[id].to_vec();
    conjuncts.last_mut().expect("a conjunct").value = value;
    placed.module.conditions.replace(id, conjuncts);
}

#[test]
fn condition_of_a_wrong_form_is_refused() {
    let said = validated(plain(2), |placed| corrupt(placed, Condition::And(vec![plain(2)])));
    let reason = "a conjunction or disjunction has fewer than two parts".to_owned();
    assert_eq!(said, [("T0407", reason)]);
    let mut placed = Placed::new(session(&[plain(1)], None, false), Model::LINUX_6_18);
    corrupt(&mut placed, Condition::Or(Vec::new()));
    let said = validate::<Tracefs>(placed.session()).expect_err("a refusal");
    assert_eq!(said[0].primary.as_ref().map(|label| label.span), Some(Span::new(0, 5)));
}

#[test]
fn condition_with_a_place_is_accepted() {
    for condition in [plain(2), comm(), computed(), pointer()] {
        assert_eq!(validated(condition, |_| {}), []);
    }
}

/// A plan is made for the kernel for which its conditions were placed.
#[test]
fn place_for_another_kernel_is_refused() {
    let user =
        || Condition::Atom(Atom::Text { of: Text::User(field("p")), test: TextTest::Eq("x".to_owned()) });
    assert_eq!(validated(user(), |_| {}), []);
    let said = validated(user(), |placed| placed.placement.model = Model::LEAST);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, "T0401");
    assert!(said[0].1.contains("`filter-ustring`"), "{}", said[0].1);
}

#[test]
fn place_that_cannot_decide_is_refused() {
    let kernel = NotInKernel::NoRoom { length: 7 };
    let to_host = |placed: &mut Placed| last(placed).place = Place::Host { kernel: kernel.clone() };
    let said = validated(comm(), to_host);
    assert_eq!(said.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0404"]);
    assert!(said[0].1.contains("a record does not hold the name of the task that ran"), "{}", said[0].1);
    // The host can decide what the kernel can.
    assert_eq!(validated(plain(2), to_host), []);
    let to_kernel = |placed: &mut Placed| last(placed).place = Place::Kernel { text: "a + 1 > b".to_owned() };
    let said = validated(computed(), to_kernel);
    assert_eq!(said.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0401"]);
}

/// A trigger acts in the kernel, so its condition and an `in kernel` requirement cannot be decided on the host.
#[test]
fn condition_of_a_trigger_on_the_host_is_refused() {
    let to_host = |mut placed: Placed| {
        let kernel = NotInKernel::NoRoom { length: 7 };
        placed.placement.first_mut().conjuncts[0].place = Place::Host { kernel };
        let said = validate::<Tracefs>(placed.session()).err().unwrap_or_default();
        said.iter().map(|said| said.code.id).collect::<Vec<_>>()
    };
    let placed = |demanded, trigger| Placed::new(session(&[plain(1)], demanded, trigger), Model::LINUX_6_18);
    assert_eq!(to_host(placed(None, false)), [""; 0]);
    assert_eq!(to_host(placed(Some(0), false)), ["T0405"]);
    assert_eq!(to_host(placed(None, true)), ["T0401"]);
    assert_eq!(to_host(Placed::new(session(&[comm()], None, true), Model::LINUX_6_18)), ["T0401"]);
}

/// A condition that was refused when it was placed is not left out of a plan.
#[test]
fn condition_without_a_place_is_refused() {
    let either = || Condition::any(vec![comm(), computed()]);
    let placed = Placed::new(session(&[plain(1), either()], None, false), Model::LINUX_6_18);
    let refusals = validate::<Tracefs>(placed.session()).err();
    assert_eq!(refusals, Some(Vec::new()), "it was reported when it was placed");
}

fn first(condition: Condition) -> Module {
    let mut module = session(&[plain(1)], None, false);
    let id = module.conditions.add(vec![Conjunct { value: condition, span: STOP, atoms: Vec::new() }]);
    let event = module.sessions[0].events[0].id;
    let stop = Stop::When { events: vec![(event, ConditionId::ALWAYS), (event, id)], count: 1 };
    module.sessions[0].stops.push(Spanned::new(stop, Span::new(50, 90)));
    module
}

const STOP: Span = Span::new(60, 70);

/// Returns the code and the place of each refusal of a session that ends when a condition holds.
fn stopped(condition: Condition) -> Vec<(&'static str, Option<Span>)> {
    let placed = Placed::new(first(condition), Model::LINUX_6_18);
    let said = validate::<Tracefs>(placed.session()).expect_err("no target ends a session so");
    said.iter().map(|said| (said.code.id, said.primary.as_ref().map(|label| label.span))).collect()
}

#[test]
fn condition_that_ends_a_session_is_validated() {
    let unsupported = ("T0403", Some(Span::new(50, 90)));
    assert_eq!(stopped(plain(1)), [unsupported]);
    assert_eq!(stopped(Condition::Or(Vec::new())), [("T0407", Some(STOP)), unsupported]);
    assert_eq!(stopped(other_event()), [("T0407", Some(STOP)), unsupported]);
}

/// Returns a condition on a field that the event does not have.
fn other_event() -> Condition {
    Condition::compare(Number::Field(Field { offset: 99, ..field("a") }), CompareOp::Eq, 1)
}

#[test]
fn condition_on_a_field_of_another_event_is_refused() {
    let said = validated(plain(2), |placed| corrupt(placed, other_event()));
    assert_eq!(said, [("T0407", "the event has no field `a` of this type and place".to_owned())]);
}

#[test]
fn places_of_another_condition_are_refused() {
    let of_another = [("T0407", "its places are those of another condition".to_owned())];
    let said = validated(plain(2), |placed| drop(placed.placement.first_mut().conjuncts.pop()));
    assert_eq!(said, of_another);
    let said = validated(plain(2), |placed| placed.placement.first_mut().id = ConditionId::ALWAYS);
    assert_eq!(said, of_another);
}

/// A session whose parts and places do not correspond would lose the parts without a place.
#[test]
fn part_without_places_is_refused() {
    let mut placed = Placed::new(session(&[plain(1)], None, false), Model::LINUX_6_18);
    let whole = placed.session();
    let none = PlacedSession { events: &[], ..whole };
    let said = validate::<Tracefs>(none).expect_err("a refusal");
    assert_eq!(said.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0407"]);
    placed.module.sessions[0].events[0].record = None;
    let said = validate::<Tracefs>(placed.session()).expect_err("a refusal");
    assert_eq!(said.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0407"]);
}
