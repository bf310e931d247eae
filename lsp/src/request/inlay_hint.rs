//! `textDocument/inlayHint`: behind each conjunct of a condition, where it runs.
//!
//! A session with a mistake has no places. Most texts have one while they are typed, so the hints of before stay there, and say
//! so, where the text of their conjunct stays.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use gen_lsp_types::{InlayHintParams, Position};
use serde_json::{Value, json};
use tracec_compiler::place::{Place, PlacedConjunct};
use tracec_grammar::changed;
use tracec_span::FileId;

use crate::client::{Answer, written};
use crate::diagnose::Checked;
use crate::diagnostics::Encoding;
use crate::position::Lines;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/inlayHint";

/// Where a conjunct runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hint {
    /// The place, a word.
    place: &'static str,
    /// The exact text, or the reason.
    why: String,
}

/// The hints of a conjunct. That of a group runs in a place for each event; each that differs is there.
#[derive(Clone, Debug, Default)]
struct Hints {
    /// The start of the conjunct.
    start: usize,
    all: Vec<Hint>,
    /// Whether they are of a text before a mistake.
    are_old: bool,
}

/// The hints of a document that were last shown, by the end of their conjunct.
#[derive(Debug, Default)]
pub(crate) struct ShownHints {
    text: Arc<str>,
    hints: BTreeMap<usize, Hints>,
}

/// The bytes on both sides of what the editor shows whose hints are kept too: they are there when it scrolls, also where the text
/// cannot be read any more.
const NEAR: usize = 32 << 10;

impl ShownHints {
    /// Takes the hints of a check that stand near a range. Of those before it, these stay that are in no session that the check
    /// could read.
    fn update(&mut self, checked: &Checked, range: &Range<usize>) {
        self.follow(&checked.document.text);
        let read = checked.analysis.module.sessions.iter().map(|session| session.span.range());
        let mut read: Vec<Range<usize>> = read.collect();
        read.sort_unstable_by_key(|session| session.start);
        let is_read = |end: usize| {
            let behind = read.partition_point(|session| session.start <= end);
            read[..behind].last().is_some_and(|session| end < session.end)
        };
        match checked.has_errors() {
            true => self.hints.retain(|end, _| !is_read(*end)),
            false => self.hints.clear(),
        }
        self.hints.values_mut().for_each(|hints| hints.are_old = true);
        self.hints.extend(hints(checked, &(range.start.saturating_sub(NEAR)..range.end + NEAR)));
    }

    /// Moves the hints to the places of another text. Those of conjuncts that were edited are forgotten.
    fn follow(&mut self, new: &Arc<str>) {
        let old = std::mem::replace(&mut self.text, Arc::clone(new));
        if old == *new {
            return;
        }
        let edited = changed(&old, new);
        let hints = std::mem::take(&mut self.hints).into_iter();
        self.hints = hints
            .filter_map(|(end, hints)| {
                let moved = |at: usize| at + new.len() - old.len();
                match () {
                    () if end < edited.start => Some((end, hints)),
                    () if hints.start > edited.end => {
                        Some((moved(end), Hints { start: moved(hints.start), ..hints }))
                    }
                    () => None,
                }
            })
            .collect();
    }
}

/// Answers with the hints for one kernel, which they name if there are several.
pub(crate) fn answer<'c>(
    params: Value,
    encoding: Encoding,
    kernel: Option<&str>,
    shown: &mut ShownHints,
    newest: impl FnOnce(&str, gen_lsp_types::Range) -> Option<&'c Checked>,
) -> Answer {
    let params: InlayHintParams = server::params(params)?;
    let Some(checked) = newest(params.text_document.uri.as_ref(), params.range) else {
        return written(&Value::Null);
    };
    let lines = Lines::new(&checked.document.text, encoding);
    let (start, end) = (lines.offset(params.range.start), lines.offset(params.range.end));
    shown.update(checked, &(start..end.max(start)));
    let asked = shown.hints.range(start..=end.max(start));
    written(&asked.map(|(at, hints)| rendered(lines.position(*at), hints, kernel)).collect::<Vec<_>>())
}

fn rendered(position: Position, Hints { all, are_old, .. }: &Hints, kernel: Option<&str>) -> Value {
    let mut places: Vec<&str> = Vec::new();
    for hint in all {
        if !places.contains(&hint.place) {
            places.push(hint.place);
        }
    }
    let mut why: Vec<String> = all.iter().map(|Hint { place, why }| format!("{place}: {why}")).collect();
    if *are_old {
        why.push("This is of the text before it had a mistake.".to_owned());
    }
    let places = places.join(" or ");
    let label = kernel.map_or(places.clone(), |kernel| format!("{places} on {kernel}"));
    json!({ "position": position, "label": label, "paddingLeft": true, "tooltip": why.join("\n") })
}

/// Returns the hints of a check by the end of their conjunct, of those that end in a range.
fn hints(checked: &Checked, range: &Range<usize>) -> BTreeMap<usize, Hints> {
    let mut all: BTreeMap<usize, Hints> = BTreeMap::new();
    for session in checked.analysis.sessions() {
        let conjuncts = session.conditions().flat_map(|condition| session.conjuncts(condition));
        let own = conjuncts.filter(|(conjunct, _)| {
            conjunct.span.file == FileId::MAIN && range.contains(&conjunct.span.range().end)
        });
        for (conjunct, placed) in own {
            let Range { start, end } = conjunct.span.range();
            let hints = all.entry(end).or_insert_with(|| Hints { start, ..Hints::default() });
            let hint = hint(placed);
            if !hints.all.contains(&hint) {
                hints.all.push(hint);
            }
        }
    }
    all
}

fn hint(placed: &PlacedConjunct) -> Hint {
    let (place, why) = match &placed.place {
        Place::Constant(value) => {
            (if *value { "always" } else { "never" }, format!("it is {value} for every record"))
        }
        Place::Kernel { text } => ("kernel", format!("`{text}`")),
        Place::Program => ("program", "a BPF program at the event decides it".to_owned()),
        Place::Host { kernel } => ("host", kernel.to_string()),
        Place::Refused { kernel, host } => ("nowhere", format!("{kernel}; {host}")),
    };
    Hint { place, why }
}
