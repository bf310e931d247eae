//! `textDocument/rename` and `textDocument/prepareRename`: another name for what a text declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use gen_lsp_types::{PrepareRenameParams, RenameParams, TextEdit};
use lsp_server::ErrorCode;
use serde_json::{Value, json};
use tracec_compiler::diagnostic::Edit;
use tracec_compiler::diagnostic::fix::apply;
use tracec_compiler::{Choice, Input, Severity, SourceText, analyse_untried};
use tracec_grammar::{TokenClass, tokens};

use super::references::{Place, found, key_at};
use crate::answer::Surroundings;
use crate::client::{Answer, error};
use crate::document::Document;
use crate::files::{Documents, Overlay, source};
use crate::server;

pub(crate) const METHOD: &str = "textDocument/rename";
pub(crate) const PREPARE: &str = "textDocument/prepareRename";

/// Answers with the range of the name, if it can be renamed: a text that is not of the library declares it.
pub(crate) fn prepare(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: PrepareRenameParams = server::params(params)?;
    let Some((span, key)) = key_at(of, params.text_document_position_params.position) else {
        return Ok(Value::Null);
    };
    let is_declared = found(of, &key).iter().any(|place| place.is_declaration);
    Ok(if is_declared { json!(of.lines().range(span)) } else { Value::Null })
}

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: RenameParams = server::params(params)?;
    let refused = |why: String| Err(error(ErrorCode::RequestFailed, why));
    let new = params.new_name.trim();
    if !matches!(tokens(new).as_slice(), [token] if token.class == TokenClass::Word) {
        return refused(format!("`{new}` is not a name"));
    }
    let Some((_, key)) = key_at(of, params.text_document_position_params.position) else {
        return refused("no text declares this name".to_owned());
    };
    let places = found(of, &key);
    if !places.iter().any(|place| place.is_declaration) {
        return refused(format!("`{}` is declared by the library or by the kernel", key.name));
    }
    if let Some(why) = broken(of, &places, new) {
        return refused(format!("with the name `{new}` the text is wrong: {why}"));
    }
    let mut changes: BTreeMap<&str, Vec<TextEdit>> = BTreeMap::new();
    for place in &places {
        let edit = TextEdit { range: place.range, new_text: new.to_owned() };
        changes.entry(&place.uri).or_default().push(edit);
    }
    Ok(json!({ "changes": changes }))
}

/// Returns an error of an open document that is there only with the new name: another thing may have it.
fn broken(of: &Surroundings<'_>, places: &[Place], new: &str) -> Option<String> {
    let mut renamed: Documents = of.documents.clone();
    let mut by_text: BTreeMap<&str, (&SourceText, Vec<Edit>)> = BTreeMap::new();
    for place in places {
        let (_, edits) = by_text.entry(&place.text.name).or_insert_with(|| (&place.text, Vec::new()));
        edits.push(Edit { span: place.span, text: new.to_owned() });
    }
    // A file that is not open is changed too.
    for (name, (text, edits)) in by_text {
        let text = apply(&text.text, &edits.iter().collect::<Vec<_>>());
        renamed.insert(name.to_owned(), Arc::new(Document::new(&of.uri_of(name), 0, text)));
    }
    of.documents.iter().find_map(|(name, old)| {
        let before = errors(of, old, of.documents);
        let after = errors(of, renamed.get(name)?, &renamed);
        if after.len() > before.len() { after.into_iter().find(|said| !before.contains(said)) } else { None }
    })
}

fn errors(of: &Surroundings<'_>, document: &Document, documents: &Documents) -> Vec<String> {
    let text = source(document);
    let imports = Overlay { documents, files: of.world.imports(&document.name) };
    let input = Input { imports: &imports, ..Input::new(&text, of.kernel) };
    let said = analyse_untried(input, Choice::All).diagnostics.into_iter();
    said.filter(|said| said.severity == Severity::Error).map(|said| said.message).collect()
}
