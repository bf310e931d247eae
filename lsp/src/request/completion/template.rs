//! What can stand in a placeholder of a print template: the fields of the record.

use std::collections::BTreeSet;

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_grammar::syntax::{DeclarationKind, EventForm};
use tracec_span::FileId;

use super::Candidate;
use super::candidates::Found;
use super::condition;
use crate::cursor::Cursor;
use crate::fragment::Fragment;

/// Returns what can stand behind some words of a `print`: fields, where a placeholder begins.
pub(super) fn at(words: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Found {
    let fields = match words.last() {
        Some(&"{") if cursor.is_in_trace() => condition::fields(fragment),
        Some(&"{") => defined(cursor, fragment),
        _ => Vec::new(),
    };
    // The brace may not be there yet, in front of a quote that is.
    fields.into_iter().map(|field| field.rests(&["", "}"])).collect::<Vec<_>>().into()
}

/// Returns the names of the definition around the place, and the fields of the classes of the text. Those that are not
/// fields of it do not check.
fn defined(cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Vec<Candidate> {
    let program = fragment.program();
    let declarations = program[FileId::MAIN].parsed.file.declarations.iter();
    let bodies = declarations.filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Class(class) => Some(&class.body),
        DeclarationKind::Event(event) => match &event.form {
            EventForm::Whole { body, .. } => Some(body),
            EventForm::OfClass { .. } | EventForm::At(_) => None,
        },
        _ => None,
    });
    let fields = bodies.flat_map(|body| &body.entry).flat_map(|entry| &entry.value);
    let mut seen = BTreeSet::new();
    let all = cursor.names_around().into_iter().chain(fields.map(|field| field.name.value.as_str()));
    let new = all.filter(|name| seen.insert(*name));
    new.map(|name| Candidate::new(name, Kind::Field, "field")).collect()
}
