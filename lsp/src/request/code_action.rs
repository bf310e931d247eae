//! `textDocument/codeAction`: the fixes of the diagnostics in a range, else of those on its lines.

use gen_lsp_types::CodeActionParams;
use serde_json::{Value, json};

use crate::abilities::Abilities;
use crate::client::{Answer, written};
use crate::diagnostics::{LspDiagnostic, LspPosition, Range};
use crate::server;

pub(crate) const METHOD: &str = "textDocument/codeAction";

pub(crate) fn answer<'c>(
    params: Value,
    abilities: Abilities,
    shown: impl FnOnce(&str) -> Option<&'c [LspDiagnostic]>,
) -> Answer {
    let params: CodeActionParams = server::params(params)?;
    if !abilities.action_literals {
        // Such a client takes commands alone, and this server has none.
        return written(&json!([]));
    }
    let uri = params.text_document.uri.as_ref();
    let Some(shown) = shown(uri) else { return written(&Value::Null) };
    let wants_fixes = params.context.only.as_ref().is_none_or(|only| {
        only.iter().any(|kind| serde_json::to_value(kind).is_ok_and(|kind| kind == "quickfix" || kind == ""))
    });
    if !wants_fixes {
        return written(&json!([]));
    }
    let place = |position: gen_lsp_types::Position| LspPosition {
        line: position.line as usize,
        character: position.character as usize,
    };
    let asked = Range { start: place(params.range.start), end: place(params.range.end) };
    let actions = |wanted: &dyn Fn(Range) -> bool| -> Vec<Value> {
        let said = shown.iter().filter(|said| wanted(said.range));
        said.flat_map(|said| said.data.fixes.iter().map(move |fix| action(abilities.shown(said), fix)))
            .collect()
    };
    let mut found = actions(&|range| touch(range, asked));
    if found.is_empty() {
        // The cursor of an editor may not reach the end of a line, where a semicolon is missing.
        found = actions(&|range| range.start.line <= asked.end.line && asked.start.line <= range.end.line);
    }
    written(&found)
}

/// Returns a fix with the diagnostic that it is for.
fn action(said: Value, fix: &crate::diagnostics::CodeAction) -> Value {
    let mut action = json!(fix);
    if let Some(action) = action.as_object_mut() {
        action.insert("diagnostics".to_owned(), json!([said]));
    }
    action
}

fn touch(one: Range, other: Range) -> bool {
    let key = |at: LspPosition| (at.line, at.character);
    key(one.start) <= key(other.end) && key(other.start) <= key(one.end)
}
