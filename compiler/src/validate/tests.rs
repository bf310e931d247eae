//! The validator and placements that were changed behind its back.

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, Text, TextTest};
use tracec_kernel::condition::lower::Lowered;
use tracec_kernel::filter::Model;
use tracec_kernel::format::Field;
use tracec_kernel::tables::triggers;

use super::*;
use crate::diagnostic::Diagnostics;
use crate::ir::{self, AtomSpan, ConditionId, Conjunct, Module, Stop};
use crate::place::fixture::{Placed, comm, computed, field, format, placed_id, plain, pointer, session};
use crate::place::{self, InKernel, NotInKernel, Place, PlacedConjunct};
use crate::simplify::Verdicts;
use crate::target::is_implemented;
use crate::target::plan::PlanTarget;

/// Returns the validator's verdict on a placement after a change.
fn validated(condition: Condition, change: impl Fn(&mut Placed)) -> Vec<(&'static str, String)> {
    let mut placed = Placed::new(session(&[plain(1), condition], None, false), Model::LINUX_6_18);
    change(&mut placed);
    let said = validate::<PlanTarget>(placed.session(), is_implemented).err().unwrap_or_default();
    said.iter().map(|said| (said.code.id, said.notes.join("; "))).collect()
}

/// Replaces the filter of a recording.
fn set_filter(condition: &mut PlacedCondition, text: &str) {
    condition.kernel = Lowered::Text(text.to_owned());
    condition.written = text.len();
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
    let said = validate::<PlanTarget>(placed.session(), is_implemented).expect_err("a refusal");
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
    let wholly_to_host = |placed: &mut Placed| {
        to_host(placed);
        set_filter(placed.placement.first_mut(), "a == 1");
    };
    assert_eq!(validated(plain(2), wholly_to_host), []);
    let to_kernel = |placed: &mut Placed| last(placed).place = Place::Kernel { text: "a + 1 > b".to_owned() };
    let said = validated(computed(), to_kernel);
    assert_eq!(said.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0401"]);
}

/// The filter has to have what it is said to have of a conjunct that the host decides.
#[test]
fn few_comparisons_of_another_conjunct_are_refused() {
    let mask = Number::binary(NumberOp::And, Number::Field(field("a")), Number::Const(0xfff));
    let bits = || Condition::compare(mask.clone(), CompareOp::Eq, 0x3ff);
    assert_eq!(validated(bits(), |_| {}), []);
    let many = |comparisons, few: &str| {
        let kernel = NotInKernel::Many { comparisons, few: few.to_owned() };
        validated(bits(), |placed| last(placed).place = Place::Host { kernel: kernel.clone() })
    };
    let few = "a & 512 && !(a & 3072)";
    assert_eq!(many(11, few), []);
    let of_another = [("T0407", OF_ANOTHER.to_owned())];
    assert_eq!(many(10, few), of_another);
    assert_eq!(many(11, "a & 512"), of_another);
    // One that has few comparisons has none that can be left out.
    let kernel = NotInKernel::Many { comparisons: 1, few: "a == 2".to_owned() };
    let said = validated(plain(2), |placed| last(placed).place = Place::Host { kernel: kernel.clone() });
    assert_eq!(said, of_another);
}

/// A trigger acts in the kernel, so its condition and an `in kernel` requirement cannot be decided on the host.
#[test]
fn condition_of_a_trigger_on_the_host_is_refused() {
    let to_host = |mut placed: Placed| {
        let kernel = NotInKernel::NoRoom { length: 7 };
        placed.placement.first_mut().conjuncts[0].place = Place::Host { kernel };
        let condition = placed.placement.first_mut();
        condition.written -= condition.kernel_text().map_or(0, str::len);
        condition.kernel = Lowered::Everything;
        let said = validate::<PlanTarget>(placed.session(), is_implemented).err().unwrap_or_default();
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
    let refusals = validate::<PlanTarget>(placed.session(), is_implemented).err();
    assert_eq!(refusals, Some(Vec::new()), "it was reported when it was placed");
}

fn first(condition: Condition) -> Module {
    let mut module = session(&[plain(1)], None, false);
    let atoms = vec![AtomSpan { span: STOP, written: None }; condition.atoms().len()];
    let id = module.conditions.add(vec![Conjunct { value: condition, span: STOP, atoms }]);
    let event = module.sessions[0].events[0].id;
    let stop = Stop::On { events: vec![(event, ConditionId::ALWAYS), (event, id)], count: 1 };
    module.sessions[0].stops.push(Spanned::new(stop, Span::new(50, 90)));
    module
}

const STOP: Span = Span::new(60, 70);

/// Returns the code and the place of each refusal of a session that ends when a condition holds.
fn stopped(condition: Condition) -> Vec<(&'static str, Option<Span>)> {
    let placed = Placed::new(first(condition), Model::LINUX_6_18);
    let said = validate::<PlanTarget>(placed.session(), is_implemented).err().unwrap_or_default();
    said.iter().map(|said| (said.code.id, said.primary.as_ref().map(|label| label.span))).collect()
}

#[test]
fn condition_that_ends_a_session_is_validated() {
    assert_eq!(stopped(plain(1)), []);
    assert_eq!(stopped(Condition::Or(Vec::new())), [("T0407", Some(STOP))]);
    assert_eq!(stopped(other_event()), [("T0407", Some(STOP))]);
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

const OF_ANOTHER: &str = "its places are those of another condition";

/// Returns the code and the notes of each refusal.
fn refusals(placed: &Placed) -> Vec<(&'static str, String)> {
    let said = validate::<PlanTarget>(placed.session(), is_implemented).expect_err("a refusal");
    said.iter().map(|said| (said.code.id, said.notes.join("; "))).collect()
}

/// What was not understood would be missing in the artifact. The mistakes have been reported.
#[test]
fn incomplete_session_is_refused() {
    let mut module = session(&[plain(1)], None, false);
    module.sessions[0].complete = false;
    assert_eq!(refusals(&Placed::new(module, Model::LINUX_6_18)), []);
}

/// The name in the filter would be that of another value.
#[test]
fn spelling_of_another_event_is_refused() {
    let new = || Placed::new(session(&[comm()], None, false), Model::LINUX_6_18);
    let mut placed = new();
    set_filter(placed.placement.first_mut(), "cpu == \"x\"");
    assert_eq!(refusals(&placed), [("T0407", OF_ANOTHER.to_owned())]);
    // A second event shares the place: one that is like the first, and one with a field of that name.
    for (name, expected) in [("b", [].as_slice()), ("COMM", &[("T0407", OF_ANOTHER.to_owned())])] {
        let mut placed = new();
        let mut format = format();
        let mut fields = format.fields.to_vec();
        fields.iter_mut().filter(|field| field.name == "b").for_each(|field| field.name = name.into());
        format.fields = fields.into();
        let id = placed.module.catalogue.add(ir::EventLayout { format, text: String::new() });
        let second = ir::Event { id, ..placed.module.sessions[0].events[0].clone() };
        placed.module.sessions[0].events.push(second);
        let same = placed.placement.sessions[0][0].clone();
        placed.placement.sessions[0].push(same);
        let said = validate::<PlanTarget>(placed.session(), is_implemented).err().unwrap_or_default();
        let said: Vec<_> = said.iter().map(|said| (said.code.id, said.notes.join("; "))).collect();
        assert_eq!(said, expected, "{name}");
    }
}

/// A trigger that shares the place of a recording would fire for every record: the host decides nothing for it.
#[test]
fn trigger_with_the_place_of_a_recording_is_refused() {
    let mut placed = Placed::new(session(&[computed()], None, false), Model::LINUX_6_18);
    let filter = placed.condition().id;
    let armed = session(&[plain(1)], None, true).sessions[0].events[0].triggers[0].clone();
    placed.module.sessions[0].events[0].triggers.push(ir::Trigger { condition: filter, ..armed });
    placed.placement.sessions[0][0].triggers.push(placed_id(0));
    assert_eq!(refusals(&placed), [("T0407", OF_ANOTHER.to_owned())]);
}

/// The first event that shares the place demands nothing.
#[test]
fn demand_of_a_second_event_is_validated() {
    let mut placed = Placed::new(session(&[computed()], None, false), Model::LINUX_6_18);
    let mut second = placed.module.sessions[0].events[0].clone();
    let demand = ir::Demand { words: Span::new(1, 2), conjuncts: 0..1 };
    second.record.as_mut().expect("recorded").demands.push(demand);
    placed.module.sessions[0].events.push(second);
    let same = placed.placement.sessions[0][0].clone();
    placed.placement.sessions[0].push(same);
    assert_eq!(refusals(&placed).iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0405"]);
}

/// The demand of a conjunct is found only in the documented order.
#[test]
fn demands_out_of_order_are_refused() {
    for demands in [vec![1..2, 0..1], vec![0..2, 1..2], vec![1..3], vec![1..1]] {
        let mut module = session(&[plain(1), plain(2)], None, false);
        let words = Span::new(900, 909);
        let recording = module.sessions[0].events[0].record.as_mut().expect("recorded");
        recording.demands = demands.into_iter().map(|conjuncts| ir::Demand { words, conjuncts }).collect();
        let reason = "the conjuncts that the kernel has to decide are not in order".to_owned();
        assert_eq!(refusals(&Placed::new(module, Model::LINUX_6_18)), [("T0407", reason)]);
    }
}

/// `explain` shows the text of a conjunct, the kernel gets that of all.
#[test]
fn text_of_a_conjunct_that_is_not_its_own_is_refused() {
    let mut placed = Placed::new(session(&[plain(1)], None, false), Model::LINUX_6_18);
    let Place::Kernel { text } = &mut placed.placement.first_mut().conjuncts[0].place else { panic!() };
    text.push('0');
    assert_eq!(refusals(&placed), [("T0407", OF_ANOTHER.to_owned())]);
}

/// The filter alone is short enough for the kernel, the command with the filter is not.
#[test]
fn trigger_command_that_is_too_long_is_refused() {
    let any = || Condition::any((0..256).map(|value| plain(1_000_000 + value)).collect());
    let recorded = Placed::new(session(&[any()], None, false), Model::LINUX_6_18);
    assert_eq!(recorded.condition().written, 4092);
    assert_eq!(validate::<PlanTarget>(recorded.session(), is_implemented).err(), None);
    let mut placed = Placed::new(session(&[any()], None, true), Model::LINUX_6_18);
    *placed.placement.first_mut() = recorded.condition().clone();
    assert_eq!(refusals(&placed), [("T0407", OF_ANOTHER.to_owned())]);
    placed.placement.first_mut().written = 4106;
    let reason = "4,106 bytes are written for it, the kernel takes 4,095".to_owned();
    assert_eq!(refusals(&placed), [("T0407", reason)]);
}

#[test]
fn conjunct_that_breaks_a_rule_of_conjuncts_is_refused() {
    let both = Condition::And(vec![plain(1), plain(2)]);
    let placed = Placed::new(session(&[both], None, false), Model::LINUX_6_18);
    let reason = "a part of the top-level `&&` is itself a conjunction".to_owned();
    assert_eq!(refusals(&placed), [("T0407", reason)]);
    for (spans, reason) in [(0, "1 atoms and 0 spans"), (2, "1 atoms and 2 spans")] {
        let mut module = session(&[plain(1)], None, false);
        let id = module.sessions[0].events[0].record.as_ref().expect("recorded").filter;
        let mut conjuncts = module.conditions[id].to_vec();
        conjuncts[0].atoms = vec![AtomSpan { span: Span::new(0, 5), written: None }; spans];
        module.conditions.replace(id, conjuncts);
        let said = refusals(&Placed::new(module, Model::LINUX_6_18));
        assert_eq!(said, [("T0407", format!("it has {reason} of atoms"))]);
    }
}

/// A session whose parts and places do not correspond would lose the parts without a place.
#[test]
fn part_without_places_is_refused() {
    let mut placed = Placed::new(session(&[plain(1)], None, false), Model::LINUX_6_18);
    let whole = placed.session();
    let none = PlacedSession { events: &[], ..whole };
    let said = validate::<PlanTarget>(none, is_implemented).expect_err("a refusal");
    assert_eq!(said.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0407"]);
    placed.module.sessions[0].events[0].record = None;
    let said = validate::<PlanTarget>(placed.session(), is_implemented).expect_err("a refusal");
    assert_eq!(said.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0407"]);
}

/// A target without a reader of its own, as a script is.
#[derive(Debug)]
struct KernelAlone;

/// A target that decides in the kernel by programs.
#[derive(Debug)]
struct Programs;

/// A target that decides nothing in the kernel.
#[derive(Debug)]
struct Reader;

macro_rules! decides {
    ($($target:ident: $name:literal, $kernel:expr, $host:literal;)*) => {
        $(impl Capabilities for $target {
            const NAME: &'static str = $name;
            const ENGINES: Engines = Engines { kernel: $kernel, host: $host };
            const CLAUSES: Supported = Supported::new(&[(ClauseSupport::Yes, Clause::ALL)]);
        })*
    };
}

decides! {
    KernelAlone: "alone", Some(InKernel::Filter), false;
    Programs: "programs", Some(InKernel::Program), true;
    Reader: "reader", None, true;
}

/// A target that supports all but a trigger.
#[derive(Debug)]
struct WithoutSnapshots;

impl Capabilities for WithoutSnapshots {
    const NAME: &'static str = "without";
    const ENGINES: Engines = PlanTarget::ENGINES;
    const CLAUSES: Supported =
        Supported::new(&[(ClauseSupport::Yes, Clause::ALL)]).without(&[Clause::TriggerSnapshot]);
}

/// Whether a kind of trigger can be used is the target's statement, not the checker's.
#[test]
fn trigger_that_the_target_does_not_support_is_refused_at_its_name() {
    let mut module = session(&[plain(1)], None, true);
    let name = Span::new(20, 28);
    let snapshot = triggers::find("snapshot").expect("a trigger");
    module.sessions[0].events[0].triggers[0].kind = Spanned::new(snapshot, name);
    let placed = Placed::new(module, Model::LINUX_6_18);
    let said = validate::<WithoutSnapshots>(placed.session(), is_implemented).expect_err("a refusal");
    let said: Vec<_> =
        said.iter().map(|said| (said.code.id, said.primary.as_ref().map(|label| label.span))).collect();
    assert_eq!(said, [("T0408", Some(name))]);
    assert!(validate::<PlanTarget>(placed.session(), is_implemented).is_ok());
}

/// Returns the codes that a session gets when it is placed for a target and validated, in this order.
fn codes<T: Capabilities>(conditions: &[Condition], trigger: bool) -> Vec<&'static str> {
    let placed = Placed::among(T::ENGINES, session(conditions, None, trigger), Model::LINUX_6_18);
    let mut diagnostics = Diagnostics::default();
    place::report(placed.session(), T::NAME, &Verdicts::default(), &mut diagnostics);
    let said = diagnostics.finish();
    let accepted = validate::<T>(placed.session(), is_implemented).is_ok();
    assert_eq!(accepted, said.is_empty(), "{said:?}");
    said.iter().map(|said| said.code.id).collect()
}

/// One form of the module serves targets with different engines.
#[test]
fn conditions_are_placed_among_the_engines_of_the_target() {
    let name_and_sum = || Condition::any(vec![comm(), computed()]);
    let all = [plain(1), comm(), computed()];
    assert_eq!(codes::<PlanTarget>(&all, false), [""; 0]);
    assert_eq!(codes::<PlanTarget>(&[name_and_sum()], false), ["T0404"]);
    // A program decides what the filter and the host can only decide apart.
    assert_eq!(codes::<Programs>(&[name_and_sum(), plain(1)], false), [""; 0]);
    assert_eq!(codes::<Programs>(&all, true), [""; 0]);
    assert_eq!(codes::<KernelAlone>(&[plain(1), comm()], false), [""; 0]);
    assert_eq!(codes::<KernelAlone>(&all, false), ["T0408"]);
    assert_eq!(codes::<Reader>(&[plain(1), computed()], false), [""; 0]);
    assert_eq!(codes::<Reader>(&all, false), ["T0408"]);
    assert_eq!(codes::<Reader>(&[plain(1)], true), ["T0408"]);
}

#[test]
fn places_for_another_target_are_refused() {
    let placed = Placed::new(session(&[plain(1)], None, false), Model::LINUX_6_18);
    let said = validate::<Programs>(placed.session(), is_implemented).expect_err("a refusal");
    let notes: Vec<&str> = said.iter().flat_map(|said| &said.notes).map(String::as_str).collect();
    assert_eq!(notes, ["its places are those of another target"]);
}

#[test]
fn text_that_is_not_of_the_conjuncts_is_refused() {
    let of_another = [("T0407", "its places are those of another condition".to_owned())];
    let other = |text: &str| Lowered::Text(text.to_owned());
    for kernel in [other("a == 3"), other("a == 1"), Lowered::Everything, Lowered::Nothing] {
        let said = validated(plain(2), |placed| {
            let condition = placed.placement.first_mut();
            condition.kernel = kernel.clone();
            condition.written = condition.kernel_text().map_or(0, str::len);
        });
        assert_eq!(said, of_another, "{kernel:?}");
    }
    for value in [true, false] {
        let said = validated(plain(2), |placed| last(placed).place = Place::Constant(value));
        assert_eq!(said, of_another, "{value}");
    }
    assert_eq!(validated(plain(2), |placed| last(placed).place = Place::Program), of_another);
}
