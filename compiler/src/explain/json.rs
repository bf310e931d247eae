//! The explanation for programs: one JSON object per session. `book/src/places.md` documents the members.

use serde::Serialize;
use tracec_kernel::condition::lower::Lowered;
use tracec_kernel::escaped::in_json;
use tracec_kernel::tables::limits;

use super::{Recorded, ShownText, shown};
use crate::diagnostic::render::json::{LocatedSpan, Locator};
use crate::ir::{self, Conjunct};
use crate::place::{NotInKernel, Place, PlacedCondition, PlacedConjunct, PlacedEvent, PlacedSession};
use crate::source::SourceMap;
use crate::tracefs::trigger_command;

/// Renders sessions of some texts, each as a line of JSON with its newline.
///
/// # Errors
/// An error of `serde_json`.
pub fn render<'p>(
    sessions: impl Iterator<Item = PlacedSession<'p>>,
    sources: &'p SourceMap,
    kernel: &'p str,
) -> impl Iterator<Item = serde_json::Result<String>> {
    let locator = Locator::new(sources);
    sessions.map(move |placed| session(placed, sources, &locator, kernel))
}

fn session<'p>(
    placed: PlacedSession<'p>,
    sources: &'p SourceMap,
    locator: &Locator<'p>,
    kernel: &'p str,
) -> serde_json::Result<String> {
    let events = placed.events();
    let session = Session {
        session: &placed.session.name,
        place: locator.locate(placed.session.span),
        kernel,
        events: events.map(|(event, ids)| self::event(placed, (event, ids), locator, sources)).collect(),
    };
    let mut line = in_json(&serde_json::to_string(&session)?).into_owned();
    line.push('\n');
    Ok(line)
}

#[derive(Serialize)]
struct Session<'s> {
    session: &'s str,
    place: LocatedSpan<'s>,
    kernel: &'s str,
    events: Vec<Event<'s>>,
}

#[derive(Serialize)]
struct Event<'s> {
    event: String,
    /// `null` if it is not recorded.
    recorder: Option<&'s str>,
    record: Option<Condition<'s>>,
    /// What is shown of its records; `null` if it is all as the kernel has it.
    shown: Option<Shown<'s>>,
    triggers: Vec<Trigger<'s>>,
}

#[derive(Serialize)]
struct Shown<'s> {
    /// Whose text: `kernel`, `session`, `fields`.
    text: &'static str,
    /// The template of the session.
    template: Option<&'s str>,
    left_out: Vec<&'s str>,
    blanked: Vec<&'s str>,
}

#[derive(Serialize)]
struct Trigger<'s> {
    trigger: &'s str,
    place: LocatedSpan<'s>,
    #[serde(flatten)]
    condition: Condition<'s>,
}

#[derive(Serialize)]
struct Condition<'s> {
    /// Whether no record can meet it.
    never: bool,
    conjuncts: Vec<ExplainedConjunct<'s>>,
    /// What is written to the kernel's file; `null` where nothing is written.
    written: Option<Written>,
}

#[derive(Serialize)]
struct Written {
    text: String,
    length: usize,
    limit: usize,
}

#[derive(Serialize)]
struct ExplainedConjunct<'s> {
    place: LocatedSpan<'s>,
    source: &'s str,
    /// The typed condition, in the language.
    condition: String,
    /// `kernel`, `program`, `host`, `constant`, `refused`.
    runs: &'static str,
    /// The exact text for the kernel.
    text: Option<&'s str>,
    value: Option<bool>,
    cost: &'static str,
    not_in_kernel: Option<String>,
    not_on_host: Option<String>,
}

fn event<'s>(
    placed: PlacedSession<'s>,
    (event, ids): (&'s ir::Event, &'s PlacedEvent),
    locator: &Locator<'s>,
    sources: &'s SourceMap,
) -> Event<'s> {
    let catalogue = &placed.module.catalogue;
    let record = placed.record(ids).map(|condition| {
        let text = condition.kernel_text().map(str::to_owned);
        self::condition(placed, condition, text, locator, sources)
    });
    let triggers = placed.triggers(event, ids).map(|(trigger, condition)| {
        let fires = condition.kernel != Lowered::Nothing;
        let command = fires.then(|| trigger_command(trigger, catalogue, condition.kernel_text()));
        Trigger {
            trigger: trigger.kind.value.name,
            place: locator.locate(trigger.span),
            condition: self::condition(placed, condition, command, locator, sources),
        }
    });
    let is_recorded = Recorded::of(placed, ids) == Recorded::Yes;
    let shown = shown(placed, event).filter(|_| is_recorded).map(|shown| Shown {
        text: match shown.text {
            ShownText::Kernel => "kernel",
            ShownText::Session(_) => "session",
            ShownText::Fields => "fields",
        },
        template: match shown.text {
            ShownText::Session(template) => Some(sources.text_of(template)),
            _ => None,
        },
        left_out: shown.left_out.iter().map(|field| field.value.as_str()).collect(),
        blanked: shown.blanked.iter().map(|field| field.value.as_str()).collect(),
    });
    Event {
        event: catalogue[event.id].qualified_name(),
        recorder: (Recorded::of(placed, ids) != Recorded::Armed).then(|| placed.recorder_of(event.id).name()),
        record,
        shown,
        triggers: triggers.collect(),
    }
}

fn condition<'s>(
    placed: PlacedSession<'s>,
    condition: &'s PlacedCondition,
    written: Option<String>,
    locator: &Locator<'s>,
    sources: &'s SourceMap,
) -> Condition<'s> {
    let written = written.filter(|_| !condition.is_refused()).map(|text| Written {
        text,
        length: condition.written,
        limit: limits::FILTER_BYTES,
    });
    let conjuncts = placed.conjuncts(condition).map(|each| conjunct(each, locator, sources));
    Condition { never: condition.is_never(), conjuncts: conjuncts.collect(), written }
}

fn conjunct<'s>(
    (conjunct, placed): (&'s Conjunct, &'s PlacedConjunct),
    locator: &Locator<'s>,
    sources: &'s SourceMap,
) -> ExplainedConjunct<'s> {
    let (runs, text, constant, kernel, host) = match &placed.place {
        Place::Constant(value) => ("constant", None, Some(*value), None, None),
        Place::Kernel { text } => ("kernel", Some(text.as_str()), None, None, None),
        Place::Program => ("program", None, None, None, None),
        Place::Host { kernel } => {
            let few = match kernel {
                NotInKernel::Many { comparisons: _, few } => Some(few.as_str()),
                NotInKernel::NoEngine | NotInKernel::Unsayable { .. } | NotInKernel::NoRoom { .. } => None,
            };
            ("host", few, None, Some(kernel.to_string()), None)
        }
        Place::Refused { kernel, host } => {
            ("refused", None, None, Some(kernel.to_string()), Some(host.to_string()))
        }
    };
    ExplainedConjunct {
        place: locator.locate(conjunct.span),
        source: sources.text_of(conjunct.span),
        condition: conjunct.value.to_string(),
        runs,
        text,
        value: constant,
        cost: placed.cost.class().name,
        not_in_kernel: kernel,
        not_on_host: host,
    }
}
