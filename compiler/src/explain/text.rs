//! The explanation for people.

mod snippet;

use std::fmt::Write as _;

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::limits;

use super::{Recorded, ShownRecords, ShownText, shown};
use crate::diagnostic::render::one_line;
use crate::ir::{self, Conjunct};
use crate::place::cost::{CLASSES, Cost};
use crate::place::{Place, PlacedCondition, PlacedConjunct, PlacedEvent, PlacedSession};
use crate::source::SourceMap;
use crate::tracefs::trigger_command;
use snippet::Snippets;

/// Columns of a line, where it can be wrapped: filter texts are never wrapped.
const COLUMNS: usize = 100;

/// Renders sessions of some texts for the kernel that `kernel` describes. Each session ends in a newline.
pub fn render<'p>(
    sessions: impl Iterator<Item = PlacedSession<'p>>,
    sources: &SourceMap,
    kernel: &str,
) -> impl Iterator<Item = String> {
    let snippets = Snippets::new(sources);
    sessions.map(move |placed| session(placed, &snippets, kernel))
}

fn session(placed: PlacedSession<'_>, snippets: &Snippets<'_>, kernel: &str) -> String {
    let session = placed.session;
    let location = snippets.location(session.span);
    let what = if session.waits_for.is_some() { "end of session" } else { "session" };
    let mut out = format!("{what} {}  {location}\nfor {}\n", one_line(&session.name), one_line(kernel));
    for Block { events, head, body } in blocks(placed, snippets) {
        out.push('\n');
        names(&mut out, head, &events);
        out.push_str(&body);
    }
    legend(&mut out, placed);
    out
}

/// Events with the same explanation: usually those of a group.
struct Block {
    events: Vec<String>,
    head: &'static str,
    body: String,
}

fn blocks(placed: PlacedSession<'_>, snippets: &Snippets<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (event, ids) in placed.events() {
        let recorded = Recorded::of(placed, ids);
        let head = if recorded == Recorded::Armed { "on" } else { "trace" };
        let body = body(placed, (event, ids), recorded, snippets);
        let name = placed.module.catalogue[event.id].qualified_name();
        match blocks.iter_mut().find(|block| block.head == head && block.body == body) {
            Some(block) => block.events.push(name),
            None => blocks.push(Block { events: vec![name], head, body }),
        }
    }
    blocks
}

/// Writes `trace a:b, a:c`, wrapped, with the later lines indented.
fn names(out: &mut String, head: &str, events: &[String]) {
    let mut line = head.to_owned();
    for (index, event) in events.iter().enumerate() {
        let comma = if index + 1 < events.len() { "," } else { "" };
        if line.chars().count() + event.chars().count() + 2 > COLUMNS {
            out.push_str(&line);
            out.push('\n');
            line = " ".repeat(head.len());
        }
        line.push_str(&format!(" {}{comma}", one_line(event)));
    }
    out.push_str(&line);
    out.push('\n');
}

fn body(
    placed: PlacedSession<'_>,
    (event, ids): (&ir::Event, &PlacedEvent),
    recorded: Recorded,
    snippets: &Snippets<'_>,
) -> String {
    let recorder = placed.recorder_of(event.id).name();
    let mut out = match recorded {
        Recorded::Yes => format!("  recorder {recorder}\n"),
        Recorded::Never => {
            format!("  recorder {recorder}, which is left off: no record meets the condition\n")
        }
        Recorded::Armed => "  not recorded: its triggers alone are armed\n".to_owned(),
    };
    if let (Some(recording), Some(condition)) = (&event.record, placed.record(ids)) {
        self::condition(&mut out, placed, (condition, recording.clause), snippets);
        match condition.kernel_text() {
            _ if condition.is_refused() => out.push_str("  filter  none: a part has no place\n"),
            Some(text) => written(&mut out, "filter", condition.written, text),
            None if recorded == Recorded::Never => {}
            None if placed.is_by_program(event.id) => {
                out.push_str("  program decides all of it, and copies the record\n");
            }
            None => out.push_str("  filter  none: every record goes to the ring\n"),
        }
    }
    if recorded == Recorded::Yes
        && let Some(shown) = shown(placed, event)
    {
        self::shows(&mut out, &shown, snippets);
    }
    let catalogue = &placed.module.catalogue;
    for (trigger, condition) in placed.triggers(event, ids) {
        let command = |filter: Option<&str>| trigger_command(trigger, catalogue, filter);
        let _ = writeln!(out, "\n  trigger {}", one_line(&command(None)));
        for line in self::trigger(placed, (trigger, condition), command, snippets).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

fn trigger(
    placed: PlacedSession<'_>,
    (trigger, condition): (&ir::Trigger, &PlacedCondition),
    command: impl Fn(Option<&str>) -> String,
    snippets: &Snippets<'_>,
) -> String {
    let mut out = String::new();
    self::condition(&mut out, placed, (condition, trigger.span), snippets);
    if condition.is_refused() {
        out.push_str("  command none: a part has no place\n");
    } else if condition.is_never() {
        out.push_str("  command none: the trigger can never fire\n");
    } else {
        written(&mut out, "command", condition.written, &command(condition.kernel_text()));
    }
    out
}

/// Writes the source with its conjuncts numbered, then a table of these.
fn condition(
    out: &mut String,
    placed: PlacedSession<'_>,
    (condition, clause): (&PlacedCondition, Span),
    snippets: &Snippets<'_>,
) {
    let spans: Vec<Span> = placed.conjuncts(condition).map(|(conjunct, _)| conjunct.span).collect();
    snippets.show(out, clause, &spans);
    if condition.conjuncts.is_empty() {
        return;
    }
    let number_width = spans.len().to_string().len();
    let width = |texts: &mut dyn Iterator<Item = usize>, head: &str| texts.max().unwrap_or(0).max(head.len());
    let place_width = width(&mut condition.conjuncts.iter().map(|c| place_word(&c.place).len()), "place");
    let cost_width = width(&mut condition.conjuncts.iter().map(|c| c.cost.class().name.len()), "cost");
    let indent = 2 + number_width + 2 + place_width + 2 + cost_width + 2;
    let _ = writeln!(out, "  {:>number_width$}  {:place_width$}  {:cost_width$}  as", "#", "place", "cost");
    for (number, (conjunct, PlacedConjunct { place, cost })) in (1..).zip(placed.conjuncts(condition)) {
        let (text, reasons) = says(conjunct, place);
        let cost = if matches!(place, Place::Refused { .. }) { "-" } else { cost.class().name };
        let place = place_word(place);
        let text = one_line(&text);
        let _ = writeln!(out, "  {number:>number_width$}  {place:place_width$}  {cost:cost_width$}  {text}");
        for reason in reasons {
            let _ = writeln!(out, "{:indent$}{}", "", one_line(&reason));
        }
    }
}

fn place_word(place: &Place) -> &'static str {
    match place {
        Place::Constant(_) => "-",
        Place::Kernel { .. } => "kernel",
        Place::Program => "program",
        Place::Host { .. } => "host",
        Place::Refused { .. } => "refused",
    }
}

/// Returns what a conjunct runs as, and the reasons for its place.
fn says(conjunct: &Conjunct, place: &Place) -> (String, Vec<String>) {
    let own = || conjunct.value.to_string();
    match place {
        Place::Constant(true) => ("always true: left out".to_owned(), Vec::new()),
        Place::Constant(false) => ("never true".to_owned(), Vec::new()),
        Place::Kernel { text } => (text.clone(), Vec::new()),
        Place::Program => (own(), Vec::new()),
        Place::Host { kernel } => (own(), vec![format!("not in the kernel: {kernel}")]),
        Place::Refused { kernel, host } => {
            (own(), vec![format!("not in the kernel: {kernel}"), format!("not on the host: {host}")])
        }
    }
}

/// Writes what is shown of the records.
fn shows(out: &mut String, shown: &ShownRecords<'_>, snippets: &Snippets<'_>) {
    let text = match shown.text {
        ShownText::Kernel => None,
        ShownText::Session(template) => Some(one_line(snippets.text(template))),
        ShownText::Fields => {
            Some("field=value: that of the kernel needs a field that is left out".to_owned())
        }
    };
    if let Some(text) = text {
        let _ = writeln!(out, "  text    {text}");
    }
    let lists = [("without", shown.left_out, "left out"), ("blank", shown.blanked, "0, or an empty string")];
    for (word, fields, what) in lists.into_iter().filter(|(_, fields, _)| !fields.is_empty()) {
        let names: Vec<&str> = fields.iter().map(|field| field.value.as_str()).collect();
        let _ = writeln!(
            out,
            "  {word:7} {}: {what} in texts, in JSON lines and in files",
            one_line(&names.join(", "))
        );
    }
}

/// Writes the text for a control file, and how much of the file's limit it takes.
fn written(out: &mut String, what: &str, length: usize, text: &str) {
    let limit = Grouped(limits::FILTER_BYTES);
    let _ = writeln!(out, "  {what:7} {} of {limit} bytes\n    {}", Grouped(length), one_line(text));
}

/// Writes what each class of cost in use means.
fn legend(out: &mut String, placed: PlacedSession<'_>) {
    let conjuncts = placed.conditions().flat_map(|condition| &condition.conjuncts);
    let costs: Vec<Cost> = conjuncts
        .filter(|conjunct| !matches!(conjunct.place, Place::Refused { .. }))
        .map(|conjunct| conjunct.cost)
        .collect();
    let used: Vec<_> = CLASSES.iter().filter(|class| costs.contains(&class.cost)).collect();
    if used.is_empty() {
        return;
    }
    let width = used.iter().map(|class| class.name.len()).max().unwrap_or(0);
    out.push_str("\ncost per record, the cheapest first\n");
    for class in used {
        let _ = writeln!(out, "  {:width$}  {}", class.name, class.doc);
    }
}
