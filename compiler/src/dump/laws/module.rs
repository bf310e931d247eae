//! The module form, apart from its definitions.

use std::sync::LazyLock;

use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::triggers::{self, Trigger as TriggerKind};

use super::form::{Change, Form, enums, listed, one_of, structs};
use super::random::Random;
use crate::ir::{
    AtomSpan, Catalogue, ConditionId, Conditions, Conjunct, Demand, Dropped, Dump, Event, EventId,
    EventLayout, Global, Module, NamedEvent, OptionSetting, Output, OutputForm, Recorder, Recording, Ring,
    Rotate, ScopeSubject, Session, Shown, Stop, Trigger,
};

structs! {
    Module { constants, definitions, catalogue, conditions, sessions }
    EventLayout { format, text }
    Conjunct { value, span, atoms }
    AtomSpan { span, written }
    Session {
        name, span, head, complete, events, dropped, defined, buffer_kib, subbuffer_kib, queue, rotate, clock, recorder, options, scope, children, instance, globals,
        ring, including_tracec, start_paused, markers, waits_for, keep, dumps, stops, output,
    }
    NamedEvent { name, id, is_probe, is_program }
    Dropped { event, field, span }
    Rotate { bytes, max }
    Ring { last }
    Global { discarding, buffer_kib, clock, cmdlines, options, span }
    Event { id, record, triggers }
    Recording { filter, demands, shown, clause }
    Shown { print_fmt, left_out, blanked }
    Demand { words, conjuncts }
    Trigger { kind, event, count, condition, span }
    OptionSetting { name, on, old, clause }
    Dump { events, count, output, max }
    Output { path, form }
}

enums! {
    ScopeSubject { Process(id), Thread(id), Command, Comm(name), Cgroup(path), Cpus { first, last } }
    Stop { After(time), On { events, count }, Signal(name), Command, Process(id) }
    OutputForm { Text, JsonLines, TraceDat }
    Recorder { Tracefs, Programs }
}

listed! {
    &'static TriggerKind: triggers::ALL.iter().collect::<Vec<_>>();
    EventId: *EVENTS;
    ConditionId: *CONDITIONS;
}

/// The number of events, and of conditions, to which ids refer. Every catalogue has them.
const IDS: usize = 3;

static EVENTS: LazyLock<[EventId; IDS]> = LazyLock::new(|| {
    let mut catalogue = Catalogue::default();
    std::array::from_fn(|_| catalogue.add(plain_layout()))
});

static CONDITIONS: LazyLock<[ConditionId; IDS]> = LazyLock::new(|| {
    let mut conditions = Conditions::default();
    let mut next = || conditions.add(vec![plain_conjunct()]);
    [ConditionId::ALWAYS, next(), next()]
});

fn plain_layout() -> EventLayout {
    let (system, name) = ("s".into(), "e".into());
    let format = EventFormat { system, name, id: 1, fields: [].into(), common: 0, print_fmt: "".into() };
    EventLayout { format, text: String::new() }
}

fn plain_conjunct() -> Conjunct {
    Conjunct { value: Condition::Const(true), span: Span::default(), atoms: Vec::new() }
}

/// Returns a catalogue with the events to which ids refer.
pub(super) fn events() -> Catalogue {
    of_layouts(vec![plain_layout(); IDS])
}

/// Returns the conditions to which ids refer.
pub(super) fn conditions() -> Conditions {
    of_lists(vec![vec![plain_conjunct()]; IDS])
}

impl Form for Catalogue {
    fn any(random: &mut Random) -> Self {
        of_layouts((0..IDS + random.below(2)).map(|_| Form::any(random)).collect())
    }

    fn vary(&mut self, random: &mut Random) {
        let mut layouts: Vec<EventLayout> =
            self.iter().map(|(_, layout)| EventLayout::clone(layout)).collect();
        let index = random.below(layouts.len() + 1);
        match layouts.get_mut(index) {
            Some(layout) => layout.vary(random),
            None => layouts.push(Form::any(random)),
        }
        *self = of_layouts(layouts);
    }
}

fn of_layouts(layouts: Vec<EventLayout>) -> Catalogue {
    let mut catalogue = Catalogue::default();
    layouts.into_iter().for_each(|layout| {
        catalogue.add(layout);
    });
    catalogue
}

impl Form for Conditions {
    fn any(random: &mut Random) -> Self {
        of_lists((0..IDS + random.below(2)).map(|_| Form::any(random)).collect())
    }

    fn vary(&mut self, random: &mut Random) {
        let mut lists: Vec<Vec<Conjunct>> = self.iter().skip(1).map(|(_, list)| list.to_vec()).collect();
        let index = random.below(lists.len() + 1);
        match lists.get_mut(index) {
            Some(list) => list.vary(random),
            None => lists.push(Form::any(random)),
        }
        *self = of_lists(lists);
    }
}

/// Returns conditions without the empty lists, which are [`ConditionId::ALWAYS`].
fn of_lists(lists: Vec<Vec<Conjunct>>) -> Conditions {
    let mut conditions = Conditions::default();
    lists.into_iter().for_each(|list| {
        conditions.add(list);
    });
    conditions
}
