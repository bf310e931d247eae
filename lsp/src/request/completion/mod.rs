//! `textDocument/completion`: what can stand at a place.
//!
//! `candidates.rs` says from the words before the place which kinds of things can stand there, and lists them from the
//! tables of the language and of the kernel. Each is then tried: it is offered only if its statement checks with it.
//! So the rules of the language stand in the compiler alone.

mod beginnings;
mod candidates;
mod condition;
mod declaration;
mod events;
mod sessions;
mod template;
mod trial;

use std::time::{Duration, Instant};

use gen_lsp_types::{CompletionItem, CompletionItemKind, CompletionList, CompletionParams, Range, TextEdit};
use serde_json::{Value, json};

use crate::abilities::markup;
use crate::answer::Surroundings;
use crate::client::{Answer, written};
use crate::cursor::Cursor;
use crate::fragment::Fragment;
use crate::server;
use trial::Trials;

pub(crate) const METHOD: &str = "textDocument/completion";

/// The time for trials. What was not tried by then is left out, and the client asks again when more is typed. Code that
/// is not optimised takes ten times as long.
const TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 50 } else { 5 });

/// The number of candidates that are tried after that time too: on a busy machine there is no time for any other one.
const SURE: usize = 24;

/// The time after which no candidate is tried any more.
const LIMIT: Duration = TIME.saturating_mul(10);

/// The items of one answer, at most.
const MOST: usize = 200;

/// Something that may stand at a place.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The text that is inserted.
    pub(crate) text: String,
    pub(crate) kind: CompletionItemKind,
    /// One line beside it.
    pub(crate) detail: String,
    /// What it means.
    pub(crate) doc: String,
    /// Whether the words after it are needed, and which could be: one of them has to check.
    pub(crate) rests: &'static [&'static str],
    /// Whether it has to be tried where nothing stands behind it.
    pub(crate) trial: Trial,
    /// What it is like: of several that are alike, either all check or none does.
    pub(crate) like: Option<String>,
    /// The kernels that have it; empty if all do.
    pub(crate) only: Vec<String>,
}

/// Whether a candidate is tried where nothing stands behind it. Elsewhere each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    /// It is offered only if it was tried.
    Needed,
    /// It is tried while there is time, and offered without when there is none.
    InTime,
    /// It is known to check.
    Never,
}

impl Candidate {
    /// Creates a candidate that is complete, and has to be tried.
    pub(crate) fn new(text: impl Into<String>, kind: CompletionItemKind, detail: impl Into<String>) -> Self {
        Candidate {
            text: text.into(),
            kind,
            detail: detail.into(),
            doc: String::new(),
            rests: &[""],
            trial: Trial::Needed,
            like: None,
            only: Vec::new(),
        }
    }

    /// Notes which kernels have it; none if all do.
    pub(crate) fn only(self, kernels: Vec<String>) -> Self {
        Candidate { only: kernels, ..self }
    }

    /// Returns the line beside it.
    fn detail(&self) -> Option<String> {
        let only = (!self.only.is_empty()).then(|| format!("only in {}", self.only.join(" and ")));
        let parts: Vec<&str> = [self.detail.as_str()].into_iter().chain(only.as_deref()).collect();
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Adds what it means.
    pub(crate) fn doc(self, doc: impl Into<String>) -> Self {
        Candidate { doc: doc.into(), ..self }
    }

    /// Sets what may have to follow it.
    pub(crate) fn rests(self, rests: &'static [&'static str]) -> Self {
        Candidate { rests, ..self }
    }

    /// Says that it checks exactly where the others do that are like it.
    pub(crate) fn like(self, what: Option<String>) -> Self {
        Candidate { like: what, ..self }
    }

    /// Says that it checks wherever nothing stands behind it.
    pub(crate) fn certain(self) -> Self {
        Candidate { trial: Trial::Never, ..self }
    }

    /// Says that it nearly always checks where nothing stands behind it.
    pub(crate) fn likely(self) -> Self {
        Candidate { trial: Trial::InTime, ..self }
    }
}

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: CompletionParams = server::params(params)?;
    let lines = of.lines();
    let offset = lines.offset(params.text_document_position_params.position);
    let cursor = Cursor::new(&of.document.text, offset);
    if cursor.is_in_text {
        return written(&Value::Null);
    }
    let fragment = Fragment::new(of, &cursor);
    let mut found = candidates::at(&cursor, &fragment, of);
    let start = found.start.unwrap_or(cursor.word.start);
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    if of.document.text.get(..start).is_some_and(|before| before.ends_with(is_part)) {
        // Directly behind a number a word would become a part of it.
        found.candidates.retain(|candidate| !candidate.text.starts_with(is_part));
    }
    let typed = of.document.text.get(start..offset).unwrap_or_default();
    let range = Range { start: lines.position(start), end: lines.position(cursor.word.end) };
    // The fragment ends where the word begins; of a path, a part stands before the word.
    let path = cursor.word.start.saturating_sub(start);
    let (offered, is_incomplete) = tried(found.candidates, typed, Trials::new(of, &cursor, &fragment, path));
    let item = |(index, candidate): (usize, Candidate)| CompletionItem {
        label: candidate.text.clone(),
        kind: Some(candidate.kind),
        detail: candidate.detail(),
        sort_text: Some(format!("{index:05}")),
        filter_text: filter_text(&candidate.text, typed),
        text_edit: Some(TextEdit { range, new_text: candidate.text }.into()),
        ..CompletionItem::default()
    };
    let docs: Vec<String> = offered.iter().map(|candidate| candidate.doc.clone()).collect();
    let items = offered.into_iter().enumerate().map(item).collect();
    let mut list = json!(CompletionList { is_incomplete, items, ..CompletionList::default() });
    let items = list.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten();
    for (item, doc) in items.zip(docs).filter(|(_, doc)| !doc.is_empty()) {
        if let Some(item) = item.as_object_mut() {
            item.insert("documentation".to_owned(), markup(&doc, of.abilities.item_markdown));
        }
    }
    written(&list)
}

/// Returns what clients compare with what was typed, where that is not the text itself: they show an item only if it begins
/// so. It goes on as the text does, for what is typed next.
fn filter_text(text: &str, typed: &str) -> Option<String> {
    let at = text.to_ascii_lowercase().find(&typed.to_ascii_lowercase())?;
    let rest = text.get(at + typed.len()..)?;
    (!text.starts_with(typed)).then(|| format!("{typed}{rest}"))
}

/// Returns the candidates that begin as what was typed and check, and whether there may be more. Those that all kernels
/// have come first.
fn tried(candidates: Vec<Candidate>, typed: &str, mut trials: Trials<'_>) -> (Vec<Candidate>, bool) {
    let lower = typed.to_ascii_lowercase();
    let fits = |candidate: &Candidate| {
        let text = candidate.text.to_ascii_lowercase();
        // `switch` finds `sched:sched_switch`.
        text.starts_with(&lower) || (lower.len() > 1 && text.contains(&lower))
    };
    let mut fitting: Vec<Candidate> = candidates.into_iter().filter(fits).collect();
    fitting.sort_by_key(|candidate| {
        (!candidate.text.to_ascii_lowercase().starts_with(&lower), !candidate.only.is_empty())
    });
    let begin = Instant::now();
    let mut offered = Vec::new();
    for (index, candidate) in fitting.into_iter().enumerate() {
        if offered.len() >= MOST || !trials.are_wanted() {
            return (offered, true);
        }
        let elapsed = begin.elapsed();
        let is_late = elapsed > if index < SURE { LIMIT } else { TIME };
        match candidate.trial {
            Trial::Never if trials.is_free => offered.push(candidate),
            Trial::InTime if trials.is_free && is_late => offered.push(candidate),
            _ if is_late && !trials.is_known(&candidate) => return (offered, true),
            _ if trials.check(&candidate) => offered.push(candidate),
            _ => {}
        }
    }
    (offered, false)
}
