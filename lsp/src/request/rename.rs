//! `textDocument/rename` and `textDocument/prepareRename`: another name for what a text declares.
//!
//! The names of a text are found by `names`, whose rules are those of the compiler, but simpler. So nothing is changed
//! before it was tried: the compiler has to find the same meaning with the new name as with one that nothing else has,
//! and with that one the same as before.

use std::collections::BTreeMap;
use std::sync::Arc;

use gen_lsp_types::{PrepareRenameParams, RenameParams, TextEdit};
use lsp_server::ErrorCode;
use serde::Serialize;
use serde_json::Value;
use tracec_compiler::SourceText;
use tracec_compiler::diagnostic::Edit;
use tracec_compiler::diagnostic::fix::apply;
use tracec_grammar::syntax::{DeclarationKind, EventForm};
use tracec_grammar::{TokenClass, parse, tokens};
use tracec_span::FileId;

use super::references::{Found, Place, found, key_at};
use crate::answer::Surroundings;
use crate::client::{Answer, error, written};
use crate::document::Document;
use crate::files::Documents;
use crate::meaning::{Difference, Meaning, Part, Replaced, has_word, print};
use crate::names::{Key, Owner, Space};
use crate::server;
use crate::world::Remembered;

pub(crate) const METHOD: &str = "textDocument/rename";
pub(crate) const PREPARE: &str = "textDocument/prepareRename";

/// Answers with the range of the name, if it can be renamed: a text of the workspace declares it.
pub(crate) fn prepare(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: PrepareRenameParams = server::params(params)?;
    let Some((span, key)) = key_at(of, params.text_document_position_params.position) else {
        return written(&Value::Null);
    };
    let is_ours = not_ours(of, &key).is_none();
    written(&is_ours.then(|| of.lines().range(span)))
}

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: RenameParams = server::params(params)?;
    let new = params.new_name.trim();
    let edits = edits(of, &params, new).map_err(|why| error(ErrorCode::RequestFailed, why))?;
    let versioned = |(uri, edits)| {
        let open = of.documents.values().find(|document| document.uri == uri);
        let version = open.map(|document| document.version);
        Changes { text_document: Versioned { uri, version }, edits }
    };
    written(&match of.abilities.document_changes {
        true => WorkspaceEdit::DocumentChanges(edits.into_iter().map(versioned).collect()),
        false => WorkspaceEdit::Changes(edits),
    })
}

/// The answer, as the protocol writes it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum WorkspaceEdit {
    /// For a client that knows versions.
    DocumentChanges(Vec<Changes>),
    /// By URI.
    Changes(BTreeMap<String, Vec<TextEdit>>),
}

/// The edits of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changes {
    text_document: Versioned,
    edits: Vec<TextEdit>,
}

/// A file, with its version if it is open.
#[derive(Serialize)]
struct Versioned {
    uri: String,
    version: Option<i32>,
}

/// Returns the edits of each file by its URI.
///
/// # Errors
/// The reason why there are none.
fn edits(
    of: &Surroundings<'_>,
    params: &RenameParams,
    new: &str,
) -> Result<BTreeMap<String, Vec<TextEdit>>, String> {
    if !matches!(tokens(new).as_slice(), [token] if token.class == TokenClass::Word) {
        return Err(format!("`{new}` is not a name"));
    }
    let Some((_, key)) = key_at(of, params.text_document_position_params.position) else {
        return Err("no text declares this name".to_owned());
    };
    if let Some(why) = not_ours(of, &key) {
        return Err(why);
    }
    if new == key.name {
        return Ok(BTreeMap::new());
    }
    of.check_known()?;
    // A text with the new name and without the old one has to keep its meaning too.
    let texts = of.workspace.texts(of.world, of.documents, &of.document.name, &[&key.name, new])?;
    let found = found(of, &texts, &key);
    if let Some(why) = in_c(&texts, &key) {
        return Err(why);
    }
    let is_outside = |place: &&Place| !of.workspace.holds(&of.document.name, &place.text.name);
    if let Some(outside) = found.places.iter().find(is_outside) {
        return Err(format!(
            "`{}` is used in `{}`, which is outside of the workspace",
            key.name, outside.text.name
        ));
    }
    let renaming = Renaming { of, texts: &texts, found: &found, old: &key.name };
    renaming.verify(new)?;
    let mut edits: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
    for place in &found.places {
        let edit = TextEdit { range: place.range, new_text: new.to_owned() };
        edits.entry(place.uri.clone()).or_default().push(edit);
    }
    Ok(edits)
}

/// Returns the reason why a declaration cannot be changed: it is in a text of the library, or outside of the workspace.
fn not_ours(of: &Surroundings<'_>, key: &Key) -> Option<String> {
    if key.space == Space::Import && !is_alias(of, &key.name) {
        return Some(format!(
            "`{}` is the name of what is imported: add `as NAME` for another one",
            key.name
        ));
    }
    // A module of the library has no path.
    let is_module = !key.text.starts_with('/') && !of.documents.contains_key(&key.text);
    if is_module || of.world.is_library(&key.text) {
        return Some(format!("`{}` is declared by the library, which cannot be changed", key.name));
    }
    if !of.workspace.holds(&of.document.name, &key.text) {
        let file = &key.text;
        return Some(format!("`{}` is declared in `{file}`, which is outside of the workspace", key.name));
    }
    None
}

/// Returns the reason why the field of an event or class cannot be renamed: C code of it has the name too.
fn in_c(texts: &Documents, key: &Key) -> Option<String> {
    let Space::Field(owner) = &key.space else { return None };
    let declarations = parse(&texts.get(&key.text)?.text).file.declarations;
    let shown = declarations.iter().find_map(|declaration| {
        let (shown, body) = match (&declaration.kind, owner) {
            (DeclarationKind::Class(class), Owner::Class(name)) if class.name.value == *name => {
                (format!("class {name}"), &class.body)
            }
            (DeclarationKind::Event(event), Owner::Event(name)) if event.name.value == *name => {
                match &event.form {
                    EventForm::Whole { body, .. } => (format!("event {name}"), body),
                    EventForm::OfClass { .. } | EventForm::At(_) => return None,
                }
            }
            _ => return None,
        };
        let has_name = body.assign.as_ref().is_some_and(|code| has_word(&code.value, &key.name));
        has_name.then_some(shown)
    })?;
    Some(format!("`{}` stands in C code of `{shown}` too, which is not read: change it by hand", key.name))
}

/// Returns whether the document gives a name to something that it imports, by `use .. as NAME`.
fn is_alias(of: &Surroundings<'_>, name: &str) -> bool {
    let read = of.read();
    let mut declarations = read.program[FileId::MAIN].parsed.file.declarations.iter();
    declarations.any(|declaration| match &declaration.kind {
        DeclarationKind::Use(import) => import.alias.as_ref().is_some_and(|alias| alias.value == name),
        _ => false,
    })
}

/// The places of a name, and all texts in which they could be.
struct Renaming<'a> {
    of: &'a Surroundings<'a>,
    texts: &'a Documents,
    found: &'a Found,
    old: &'a str,
}

impl Renaming<'_> {
    /// Compares what the texts mean before and after, for each kernel.
    ///
    /// # Errors
    /// What would differ.
    fn verify(&self, new: &str) -> Result<(), String> {
        self.of.kernels.iter().try_for_each(|kernel| self.verify_for(kernel, new))
    }

    fn verify_for(&self, kernel: &Remembered, new: &str) -> Result<(), String> {
        let touched = self.texts.iter().filter(|(name, _)| self.found.holders.contains(*name));
        let mut before: Vec<(&String, Meaning)> = Vec::new();
        for (name, document) in touched {
            self.of.check_wanted()?;
            before.push((name, Meaning::of((self.of, kernel), document, self.texts, &[None])));
        }
        let is_taken = |name: &str| {
            [self.old, new].contains(&name) || before.iter().any(|(_, meaning)| meaning.has_stand_in(name))
        };
        let (Some(like_old), Some(like_new)) =
            (unused(self.old.len(), is_taken), unused(new.len(), is_taken))
        else {
            return Err(format!("whether `{new}` is free cannot be tried: every name of its length is used"));
        };
        let (old_texts, new_texts, texts) =
            (self.renamed(&like_old), self.renamed(&like_new), self.renamed(new));
        let (of_old, of_new) = ((like_old.as_str(), self.old), (like_new.as_str(), new));
        let of = (self.of, kernel);
        // The meaning of a long text takes much memory: not more than two of one are there at a time.
        for (name, before) in before {
            self.of.check_wanted()?;
            let meaning = |texts: &Documents, replaced: &[Replaced<'_>]| {
                Some(Meaning::of(of, texts.get(name)?, texts, replaced))
            };
            let again = |texts: &Documents, each: &mut dyn FnMut(&str)| {
                if let Some(document) = texts.get(name) {
                    print(of, document, texts, each);
                }
            };
            // Two names of one length have the same stand-in.
            let Some(unchanged) = meaning(&old_texts, &[Some(of_old), Some(of_new)]) else { continue };
            if let Some(difference) = unchanged.difference(0, of_old, &before, |each| again(self.texts, each))
            {
                return Err(self.missed(&difference));
            }
            drop(before);
            let (free, at) = if like_old == like_new {
                (unchanged, 1)
            } else {
                drop(unchanged);
                let Some(free) = meaning(&new_texts, &[Some(of_new)]) else { continue };
                (free, 0)
            };
            let Some(after) = meaning(&texts, &[None]) else { continue };
            if let Some(difference) = free.difference(at, of_new, &after, |each| again(&texts, each)) {
                return Err(refusal(&difference, new));
            }
        }
        Ok(())
    }

    /// Returns all texts with another name.
    fn renamed(&self, name: &str) -> Documents {
        let mut renamed = self.texts.clone();
        let mut by_text: BTreeMap<&str, (&SourceText, Vec<Edit>)> = BTreeMap::new();
        for place in &self.found.places {
            let (_, edits) = by_text.entry(&place.text.name).or_insert_with(|| (&place.text, Vec::new()));
            edits.push(Edit { span: place.span, text: name.to_owned() });
        }
        for (file, (text, edits)) in by_text {
            let text = apply(&text.text, &edits.iter().collect::<Vec<_>>());
            renamed.insert(file.to_owned(), Arc::new(Document::new(&self.of.uri_of(file), 0, text)));
        }
        renamed
    }

    /// Returns the message of a place of the name that was not found, or that belongs to something else.
    fn missed(&self, difference: &Difference) -> String {
        let place = difference.at().map_or_else(String::new, |at| format!(": see {at}"));
        format!("not every use of `{}` is understood{place}", self.old)
    }
}

/// Returns the message of what a new name would change.
fn refusal(difference: &Difference, new: &str) -> String {
    match difference {
        Difference::Name { at, is, was } if is == was => {
            format!("`{new}` at {at} would be {is} of another declaration")
        }
        Difference::Name { at, is, was } => {
            format!("`{new}` at {at} would be {is}, and is {was} now")
        }
        Difference::New { at, message } => {
            format!("with the name `{new}` the text is wrong at {at}: {message}")
        }
        Difference::Gone { at, message } => {
            format!("`{new}` at {at} would get a meaning that it does not have now: {message}")
        }
        Difference::Other(Some(Part { at, text })) => {
            format!("with the name `{new}`, `{text}` at {at} would mean something else")
        }
        Difference::Other(None) => format!("with the name `{new}` the text would mean something else"),
    }
}

/// Returns a name with a length that is not taken. Its letters are large, so that it is not a word of the language.
fn unused(length: usize, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let letters = || (b'A'..=b'Z').rev().map(char::from);
    let name = |tail: String| format!("{}{tail}", "Z".repeat(length.saturating_sub(tail.len())));
    let one = letters().map(String::from);
    let two = letters().flat_map(|first| letters().map(move |second| format!("{first}{second}")));
    let all: Vec<String> = if length < 2 { one.collect() } else { two.collect() };
    all.into_iter().map(name).find(|name| !is_taken(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unused_name_has_the_length_asked_for() {
        let taken = |name: &str| ["Z", "ZZZ"].contains(&name);
        assert_eq!(unused(1, taken).as_deref(), Some("Y"));
        assert_eq!(unused(3, taken).as_deref(), Some("ZZY"));
        assert_eq!(unused(1, |name| name.len() == 1), None);
    }
}
