//! The conditions of a session: whether the form of each is valid, and whether each place can decide what runs there.

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{FilterTree, LowerError, Lowered, Spelling};
use tracec_kernel::condition::realisation::constructs;
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::Definitions;
use crate::ir::{
    Catalogue, ConditionId, Conditions, Conjunct, Demand, Event, EventId, EventLayout, InvalidConjunct,
    Module, Recording, Stop, Trigger,
};
use crate::place::{
    self, Among, Engines, InKernel, NotInKernel, NotOnHost, Place, PlacedCondition, PlacedConjunct,
    PlacedEvent, PlacedId, PlacedSession, Placement,
};

/// Returns a refusal of each condition of a session whose form is invalid, or that runs where it cannot be decided. A
/// condition without any place has been reported before.
pub(super) fn refusals(placed: PlacedSession<'_>, target: &'static str, among: Among) -> Vec<Diagnostic> {
    let PlacedSession { module, session, placement, events } = placed;
    // Constants are a part of definitions; the session is one of the module's.
    let Module { constants: _, definitions, catalogue, conditions, sessions: _ } = module;
    definitions.iter().for_each(without_effect);
    // What is not known of the kernel is missing in the model.
    let Placement { among: placed_among, model, unknown: _, conditions: _, sessions: _ } = placement;
    let (seen, found, engines) = (FxHashMap::default(), Vec::new(), among.own);
    let mut validator = Validator { catalogue, conditions, placement, target, engines, model, seen, found };
    let engines_of = |event: &Event| (placed_among.of(session, event.id), among.of(session, event.id));
    if session.events.iter().map(engines_of).any(|(placed, own)| placed != own) {
        let reason = "its places are those of another target";
        let refusal = codes::invalid_condition::invalid_condition(session.span, &session.name, reason);
        return vec![refusal];
    }
    if session.events.len() != events.len() {
        validator.unplaced(session.span, &session.name);
    }
    for (event, ids) in placed.events() {
        validator.engines = among.of(session, event.id);
        validator.event(event, ids);
    }
    session.stops.iter().for_each(|stop| validator.stop(&stop.value));
    validator.found
}

/// Names each part of a definition: no target takes one. An event that a session names is a clause.
fn without_effect(definitions: &Definitions) {
    let Definitions { subsystem: _, headers: _, constants: _, classes: _, events: _, probes: _, exprs: _ } =
        definitions;
}

struct Validator<'a> {
    catalogue: &'a Catalogue,
    conditions: &'a Conditions,
    placement: &'a Placement,
    target: &'static str,
    /// Those of the event.
    engines: Engines,
    model: &'a Model,
    /// The conditions whose form and filter were validated for another event, with the spelling of its filter. An event
    /// that shares one has to have the same. Whether each place serves the purpose of the condition is asked again.
    seen: FxHashMap<PlacedId, Spelling>,
    found: Vec<Diagnostic>,
}

impl Validator<'_> {
    fn event(&mut self, event: &Event, ids: &PlacedEvent) {
        let Event { id, record, triggers } = event;
        let PlacedEvent { record: recorded, triggers: armed } = ids;
        // Recordings carry the text; what it says is the format.
        let EventLayout { format, text: _ } = &**self.catalogue.layout(*id);
        let spelling = Spelling::at(format);
        if record.is_some() != recorded.is_some() || triggers.len() != armed.len() {
            let span =
                record.iter().map(|record| record.clause).chain(triggers.iter().map(|t| t.span)).next();
            return self.unplaced(span.unwrap_or_default(), &format.qualified_name());
        }
        if let (Some(recording), Some(placed)) = (record, recorded) {
            // What is shown is a clause.
            let Recording { filter, demands, shown: _, clause } = recording;
            if !are_in_order(demands, self.conditions[*filter].len()) {
                let reason = "the conjuncts that the kernel has to decide are not in order";
                let name = format.qualified_name();
                self.found.push(codes::invalid_condition::invalid_condition(*clause, &name, reason));
                return;
            }
            // The demands say which of the conjuncts the kernel decides.
            let demanded = |index| recording.demand(index).map(NotOnHost::Demanded);
            self.placed((*id, &spelling), (*filter, *placed), 0, demanded);
        }
        for (trigger, placed) in triggers.iter().zip(armed) {
            // The kind, the event and the count stand before the condition.
            let Trigger { kind: _, event: _, count: _, condition, span: _ } = trigger;
            let before = self.engines.before(trigger, self.catalogue);
            let never_on_host = |_| Some(NotOnHost::Trigger);
            self.placed((*id, &spelling), (*condition, *placed), before, never_on_host);
        }
    }

    /// Refuses a part of the session whose conditions have no places, or others' places.
    fn unplaced(&mut self, span: Span, what: &str) {
        let reason = "its places are those of another condition";
        self.found.push(codes::invalid_condition::invalid_condition(span, what, reason));
    }

    /// Refuses a filter or a trigger's command that the kernel does not take in one write.
    fn too_long(&mut self, written: usize, span: Span, event: &EventFormat) {
        let (written, limit) = (Grouped(written), Grouped(self.engines.room()));
        let reason = format!("{written} bytes are written for it, the kernel takes {limit}");
        self.found.push(codes::invalid_condition::invalid_condition(span, &event.qualified_name(), &reason));
    }

    /// Refuses the conjuncts whose place cannot decide them at an event, and a filter that is not theirs. `before`
    /// bytes stand before the filter in what is written; `kernel_only` returns for an index why the host must not
    /// decide it.
    fn placed(
        &mut self,
        (event, spelling): (EventId, &Spelling),
        (condition, placed): (ConditionId, PlacedId),
        before: usize,
        kernel_only: impl Fn(usize) -> Option<NotOnHost>,
    ) {
        let format = &self.catalogue[event];
        let PlacedCondition { id, conjuncts, kernel, written, span } = &self.placement[placed];
        let of = &self.conditions[condition];
        let seen = self.seen.get(&placed).copied();
        let is_its_own = *id == condition
            && of.len() == conjuncts.len()
            && seen.is_none_or(|seen| seen == *spelling)
            && *written == place::written(before, kernel);
        if !is_its_own {
            return self.unplaced(*span, &format.qualified_name());
        }
        if *written > self.engines.room() {
            return self.too_long(*written, *span, format);
        }
        let is_new = self.seen.insert(placed, *spelling).is_none();
        let before = self.found.len();
        let mut filter = Filter::default();
        for (index, (conjunct, placed)) in of.iter().zip(conjuncts).enumerate() {
            let Conjunct { value, span, atoms: _ } = conjunct;
            let PlacedConjunct { place, cost: _ } = placed;
            let form = if is_new { conjunct.check() } else { Ok(()) };
            if !self.is_valid(form.and_then(|()| Ok(value.check_fields(format)?)), *span, format) {
                continue;
            }
            if let Place::Host { kernel } = place {
                let parts = constructs(value, spelling);
                if let Some(host) = NotOnHost::of(self.engines, &parts, kernel_only(index)) {
                    let (name, because) = (format.qualified_name(), (kernel, &host));
                    self.found.push(place::refusal(*span, self.target, &name, because, &parts));
                    continue;
                }
            }
            if !is_new {
                continue;
            }
            let tree = || FilterTree::new(value, spelling, self.model);
            let name = format.qualified_name();
            match place {
                Place::Host { kernel: NotInKernel::Many { comparisons, few } } => {
                    self.in_kernel(InKernel::Filter, conjunct, spelling, &name);
                    let whole = tree().ok().filter(|tree| tree.comparisons() == *comparisons);
                    let fewer = whole.and_then(|tree| tree.fewer());
                    if fewer.as_ref().is_none_or(|tree| !says(tree, few)) {
                        self.unplaced(*span, &name);
                    }
                    filter.trees.extend(fewer);
                }
                // It is decided above.
                Place::Host {
                    kernel:
                        NotInKernel::NoEngine | NotInKernel::Unsayable { .. } | NotInKernel::NoRoom { length: _ },
                } => {}
                Place::Constant(is) => {
                    let value = match value {
                        Condition::Const(value) => Some(*value),
                        // Whether a number of the kernel can have a value is known to its filter.
                        _ => tree().ok().and_then(|tree| tree.constant()),
                    };
                    if value != Some(*is) {
                        self.unplaced(*span, &name);
                    }
                    filter.is_never |= !is;
                }
                // It has been reported.
                Place::Refused { kernel: _, host: _ } => {}
                Place::Kernel { text } => {
                    self.in_kernel(InKernel::Filter, conjunct, spelling, &name);
                    let tree = tree().ok();
                    if tree.as_ref().is_some_and(|tree| !says(tree, text)) {
                        self.unplaced(*span, &name);
                    }
                    filter.trees.extend(tree);
                }
                Place::Program => self.in_kernel(InKernel::Program, conjunct, spelling, &name),
            }
        }
        if is_new && self.found.len() == before && filter.lowered().as_ref() != Ok(kernel) {
            self.unplaced(*span, &format.qualified_name());
        }
    }

    /// Refuses a conjunct that was placed in the kernel, if what decides there cannot decide it.
    fn in_kernel(&mut self, engine: InKernel, conjunct: &Conjunct, spelling: &Spelling, event: &str) {
        let Conjunct { value, span, atoms: _ } = conjunct;
        if self.engines.kernel != Some(engine) {
            return self.unplaced(*span, event);
        }
        if let Some(obstacle) = place::obstacle_in_kernel(engine, &constructs(value, spelling), self.model) {
            self.found.push(codes::not_in_kernel::not_in_kernel(*span, event, &obstacle.to_string()));
        }
    }

    /// Refuses the conditions that end a session and whose form is invalid. They have no place yet.
    fn stop(&mut self, stop: &Stop) {
        let events = match stop {
            Stop::On { events, count: _ } => events,
            Stop::After(_) | Stop::Signal(_) | Stop::Command | Stop::Process(_) => return,
        };
        for (event, condition) in events {
            let format = &self.catalogue[*event];
            for conjunct in &self.conditions[*condition] {
                let Conjunct { value, span, atoms: _ } = conjunct;
                let form = conjunct.check().and_then(|()| Ok(value.check_fields(format)?));
                self.is_valid(form, *span, format);
            }
        }
    }

    /// Returns whether the form of a condition is valid, and refuses it if not.
    fn is_valid(&mut self, form: Result<(), InvalidConjunct>, span: Span, event: &EventFormat) -> bool {
        let Err(reason) = form else { return true };
        let (name, reason) = (event.qualified_name(), reason.to_string());
        self.found.push(codes::invalid_condition::invalid_condition(span, &name, &reason));
        false
    }
}

/// Returns whether a filter has this text.
fn says(tree: &FilterTree, text: &str) -> bool {
    tree.lowered().is_ok_and(|lowered| lowered.text() == Some(text))
}

/// Returns whether the ranges of demands are not empty, ascend, do not overlap, and are within so many conjuncts.
fn are_in_order(demands: &[Demand], conjuncts: usize) -> bool {
    let mut end = 0;
    demands.iter().all(|Demand { words: _, conjuncts: range }| {
        let follows = end <= range.start && range.start < range.end && range.end <= conjuncts;
        end = range.end;
        follows
    })
}

/// What the kernel's filter of one condition has to say.
#[derive(Default)]
struct Filter {
    trees: Vec<FilterTree>,
    /// Whether a conjunct is false for every record.
    is_never: bool,
}

impl Filter {
    fn lowered(&self) -> Result<Lowered, LowerError> {
        if self.is_never { Ok(Lowered::Nothing) } else { FilterTree::all(&self.trees) }
    }
}
