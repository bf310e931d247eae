//! Validation of sessions before a target takes them.
//!
//! Each target states which [`Clause`]s it supports. [`validate`] reports the others with their spans and an
//! alternative. It is the only way to make a [`Validated`] session, and targets take nothing else.
//!
//! The validator destructures every struct of the session form: a new field does not compile here until it is assigned
//! to a clause.
//!
//! The table by which conditions are placed ([`realisation`](tracec_kernel::condition::realisation)) also decides here
//! which place can decide a condition.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::realisation::constructs;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Event, Global, OptionSetting, Output, Recording, Ring, Session, Stop, Trigger};
use crate::place::{self, NotOnHost, Place, PlacedCondition, PlacedId, PlacedSession};

/// Declares the clauses once: the enumeration, the list of all, and their words.
macro_rules! clauses {
    ($($(#[$doc:meta])* $name:ident = $words:literal,)*) => {
        /// A part of the session form that a target supports or refuses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Clause {
            $($(#[$doc])* $name,)*
        }

        impl Clause {
            /// Every clause, in the order of the language's description.
            pub const ALL: &[Clause] = &[$(Clause::$name,)*];

            /// Returns the words that name it.
            pub fn words(self) -> &'static str {
                match self {
                    $(Clause::$name => $words,)*
                }
            }
        }
    };
}

clauses! {
    /// `trace`: an event is recorded, under a condition that the kernel's filter decides.
    Record = "`trace`",
    /// A condition, or a part of it, that is decided when the records are read.
    HostCondition = "a condition that is decided on the host",
    /// `trigger`.
    Trigger = "`trigger`",
    /// An event that the text itself defines.
    DefinedEvent = "an event that is defined in the text",
    /// `buffer`.
    Buffer = "`buffer`",
    /// `clock`.
    Clock = "`clock`",
    /// `option`.
    Option = "`option`",
    /// `scope`.
    Scope = "`scope`",
    /// `instance`.
    Instance = "`instance`",
    /// `global`.
    Global = "`global`",
    /// `ring`.
    Ring = "`ring`",
    /// `start paused`.
    StartPaused = "`start paused`",
    /// `marker`.
    Marker = "`marker`",
    /// `stop after`.
    StopAfter = "`stop after`",
    /// `stop when`.
    StopWhen = "`stop when`",
    /// `stop on SIGNAL`.
    StopOnSignal = "`stop on`",
    /// `stop with command`.
    StopWithCommand = "`stop with command`",
    /// `stop with process`.
    StopWithProcess = "`stop with process`",
    /// `output`.
    Output = "`output`",
}

/// The support of a target for a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The target supports it.
    Yes,
    /// The target does not support it, and another one does; the text is an alternative, as an order.
    No(&'static str),
    /// It is not implemented in any target yet; the text is an alternative, as an order.
    NotYet(&'static str),
}

/// A session that a target supports completely. Only [`validate`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Validated<'a> {
    placed: PlacedSession<'a>,
}

impl<'a> Validated<'a> {
    /// Returns the session, with the places of its conditions.
    pub fn session(self) -> PlacedSession<'a> {
        self.placed
    }

    /// Returns the name of the files that are made of the session: the session's name, `session` for a one-liner.
    pub fn file_stem(self) -> &'a str {
        match self.placed.session.name.as_str() {
            "-e" => "session",
            name => name,
        }
    }
}

/// Checks that a target, which is called `target`, supports all of a session.
///
/// # Errors
/// A refusal of each condition that runs where it cannot be decided and of each clause that the target does not
/// support. A condition without any place has been reported before.
pub fn validate<'a>(
    placed: PlacedSession<'a>,
    target: &str,
    supports: fn(Clause) -> Support,
) -> Result<Validated<'a>, Vec<Diagnostic>> {
    let mut refusals = Vec::new();
    // Events that share a condition share its place, which was chosen for one purpose.
    let mut seen = FxHashSet::default();
    for (event, ids) in placed.events() {
        let Event { id, record, triggers: _ } = event;
        let name = placed.module.catalogue[*id].qualified_name();
        let new = ids.record.filter(|id| seen.insert(*id));
        if let (Some(recording), Some(id)) = (record, new) {
            let demanded = |index| recording.demand(index).map(NotOnHost::Demanded);
            misplaced(placed, id, demanded, &name, &mut refusals);
        }
        for id in ids.triggers.iter().filter(|id| seen.insert(**id)) {
            misplaced(placed, *id, |_| Some(NotOnHost::Trigger), &name, &mut refusals);
        }
    }
    for (clause, span) in clauses(placed) {
        let support = supports(clause);
        if let Support::No(instead) | Support::NotYet(instead) = support {
            let named = placed.session.defined.iter().find(|event| event.span == span);
            let what = match named.filter(|_| clause == Clause::DefinedEvent) {
                Some(event) => format!("the event `{}`, which is defined in the text,", event.value),
                None => clause.words().to_owned(),
            };
            refusals.push(match support {
                Support::NotYet(_) => codes::not_applied::not_applied(span, &what, instead),
                _ => codes::not_by_target::not_by_target(span, &what, target, instead),
            });
        }
    }
    let is_refused = placed.conditions().any(PlacedCondition::is_refused);
    if refusals.is_empty() && !is_refused { Ok(Validated { placed }) } else { Err(refusals) }
}

/// Returns every clause of a session, with its place.
fn clauses(placed: PlacedSession<'_>) -> Vec<(Clause, Span)> {
    let Session {
        // The name and the span of the session are not a clause.
        name: _,
        span: _,
        complete: _,
        events,
        // `having` is applied to the names already.
        dropped: _,
        defined,
        buffer_kib,
        clock,
        options,
        scope,
        // This clause is reported with the scope.
        children: _,
        instance,
        globals,
        ring,
        start_paused,
        markers,
        stops,
        output,
    } = placed.session;
    let mut found = Vec::new();
    for Event { id: _, record, triggers } in events {
        let recording =
            record.iter().map(|Recording { filter: _, demands: _, clause }| (Clause::Record, *clause));
        found.extend(recording);
        let armed = triggers
            .iter()
            .map(|Trigger { kind: _, target: _, count: _, condition: _, span }| (Clause::Trigger, *span));
        found.extend(armed);
    }
    let on_host = placed.conditions().flat_map(|condition| placed.on_host(condition));
    let on_host: BTreeSet<Span> = on_host.map(|conjunct| conjunct.span).collect();
    found.extend(on_host.into_iter().map(|span| (Clause::HostCondition, span)));
    found.extend(defined.iter().map(|event| (Clause::DefinedEvent, event.span)));
    found.extend(buffer_kib.iter().map(|size| (Clause::Buffer, size.span)));
    found.extend(clock.iter().map(|clock| (Clause::Clock, clock.span)));
    let option = |&OptionSetting { name: _, on: _, old: _, clause }: &OptionSetting| (Clause::Option, clause);
    found.extend(options.iter().map(option));
    found.extend(scope.iter().map(|subject| (Clause::Scope, subject.span)));
    found.extend(instance.iter().map(|name| (Clause::Instance, name.span)));
    found.extend(
        globals.iter().map(|Global { discarding: _, buffer_kib: _, clock: _, options: _, span }| {
            (Clause::Global, *span)
        }),
    );
    found.extend(ring.iter().map(|Spanned { value: Ring { last: _ }, span }| (Clause::Ring, *span)));
    found.extend(start_paused.iter().map(|span| (Clause::StartPaused, *span)));
    found.extend(markers.iter().map(|marker| (Clause::Marker, marker.span)));
    for stop in stops {
        let clause = match stop.value {
            Stop::After(_) => Clause::StopAfter,
            Stop::When { events: _, count: _ } => Clause::StopWhen,
            Stop::Signal(_) => Clause::StopOnSignal,
            Stop::Command => Clause::StopWithCommand,
            Stop::Process(_) => Clause::StopWithProcess,
        };
        found.push((clause, stop.span));
    }
    found.extend(output.iter().map(|Output { path, form: _ }| (Clause::Output, path.span)));
    found
}

/// Refuses the conjuncts whose place cannot decide them. `kernel_only` returns for an index why the host must not
/// decide it.
fn misplaced(
    placed: PlacedSession<'_>,
    id: PlacedId,
    kernel_only: impl Fn(usize) -> Option<NotOnHost>,
    event: &str,
    refusals: &mut Vec<Diagnostic>,
) {
    let condition = &placed.placement[id];
    for (index, (conjunct, at)) in placed.conjuncts(condition).enumerate() {
        let span = conjunct.span;
        if let Err(reason) = conjunct.value.check() {
            let reason = reason.to_string();
            refusals.push(codes::invalid_condition::invalid_condition(span, event, &reason));
            continue;
        }
        let parts = constructs(&conjunct.value, &condition.spelling);
        match &at.place {
            // A constant has no place, and a conjunct without a place has been reported.
            Place::Constant(_) | Place::Refused { .. } => {}
            Place::Kernel { .. } => {
                if let Some(obstacle) = place::obstacle_in_kernel(&parts, &placed.placement.model) {
                    refusals.push(codes::not_in_kernel::not_in_kernel(span, event, &obstacle.to_string()));
                }
            }
            Place::Host { kernel } => {
                if let Some(host) = NotOnHost::of(&parts, kernel_only(index)) {
                    refusals.push(place::refusal(span, event, (kernel, &host), &parts));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::condition::ir::{Atom, Condition, Text, TextTest};
    use tracec_kernel::filter::Model;

    use super::*;
    use crate::place::fixture::{Placed, comm, computed, field, plain, pointer, session};
    use crate::place::{NotInKernel, PlacedConjunct};
    use crate::plan;

    /// Returns the validator's verdict on a placement after a change.
    fn validated(condition: Condition, change: impl Fn(&mut Placed)) -> Vec<(&'static str, String)> {
        let mut placed = Placed::new(session(&[plain(1), condition], None, false), Model::LINUX_6_18);
        change(&mut placed);
        let said = validate(placed.session(), "plan", plan::supports).err().unwrap_or_default();
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
        let said = validate(placed.session(), "plan", plan::supports).expect_err("a refusal");
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
        let to_kernel =
            |placed: &mut Placed| last(placed).place = Place::Kernel { text: "a + 1 > b".to_owned() };
        let said = validated(computed(), to_kernel);
        assert_eq!(said.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0401"]);
    }

    /// A trigger acts in the kernel, so its condition and an `in kernel` requirement cannot be decided on the host.
    #[test]
    fn condition_of_a_trigger_on_the_host_is_refused() {
        let to_host = |mut placed: Placed| {
            let kernel = NotInKernel::NoRoom { length: 7 };
            placed.placement.first_mut().conjuncts[0].place = Place::Host { kernel };
            let said = validate(placed.session(), "plan", plan::supports).err().unwrap_or_default();
            said.iter().map(|said| said.code.id).collect::<Vec<_>>()
        };
        let placed =
            |demanded, trigger| Placed::new(session(&[plain(1)], demanded, trigger), Model::LINUX_6_18);
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
        let refusals = validate(placed.session(), "plan", plan::supports).err();
        assert_eq!(refusals, Some(Vec::new()), "it was reported when it was placed");
    }
}
