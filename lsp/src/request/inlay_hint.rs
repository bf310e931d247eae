//! `textDocument/inlayHint`: behind each conjunct of a condition, where it runs.

use std::collections::BTreeMap;

use gen_lsp_types::{InlayHintParams, Range};
use serde_json::{Value, json};
use tracec_compiler::place::{Place, PlacedConjunct};
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

/// Answers with the hints for one kernel, which they name if there are several.
pub(crate) fn answer<'c>(
    params: Value,
    encoding: Encoding,
    kernel: Option<&str>,
    newest: impl FnOnce(&str, Range) -> Option<&'c Checked>,
) -> Answer {
    let params: InlayHintParams = server::params(params)?;
    let Some(checked) = newest(params.text_document.uri.as_ref(), params.range) else {
        return written(&Value::Null);
    };
    let lines = Lines::new(&checked.document.text, encoding);
    let Range { start, end } = params.range;
    let asked = lines.offset(start)..=lines.offset(end);
    let hints = hints(checked).into_iter().filter(|(at, _)| asked.contains(at));
    let rendered = hints.map(|(at, hints)| {
        let mut places: Vec<&str> = Vec::new();
        for hint in &hints {
            if !places.contains(&hint.place) {
                places.push(hint.place);
            }
        }
        let why: Vec<String> = hints.iter().map(|Hint { place, why }| format!("{place}: {why}")).collect();
        let places = places.join(" or ");
        let label = kernel.map_or(places.clone(), |kernel| format!("{places} on {kernel}"));
        json!({
            "position": lines.position(at),
            "label": label,
            "paddingLeft": true,
            "tooltip": why.join("\n"),
        })
    });
    written(&rendered.collect::<Vec<_>>())
}

/// Returns the hints of a document by the offset that they stand at. The conjunct of a group runs in a place for each
/// event; each that differs is there.
fn hints(checked: &Checked) -> BTreeMap<usize, Vec<Hint>> {
    let mut all: BTreeMap<usize, Vec<Hint>> = BTreeMap::new();
    for session in checked.analysis.sessions() {
        let conjuncts = session.conditions().flat_map(|condition| session.conjuncts(condition));
        let own = conjuncts.filter(|(conjunct, _)| conjunct.span.file == FileId::MAIN);
        for (conjunct, placed) in own {
            let hints = all.entry(conjunct.span.range().end).or_default();
            let hint = hint(placed);
            if !hints.contains(&hint) {
                hints.push(hint);
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
