//! `textDocument/codeAction`: the fixes of the diagnostics in a range.

use gen_lsp_types::CodeActionParams;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::diagnose::Checked;
use crate::diagnostics::{LspDiagnostic, LspPosition, Range};
use crate::server;

pub(crate) const METHOD: &str = "textDocument/codeAction";

pub(crate) fn answer<'c>(params: Value, newest: impl FnOnce(&str) -> Option<&'c Checked>) -> Answer {
    let params: CodeActionParams = server::params(params)?;
    let uri = params.text_document.uri.as_ref();
    let Some(checked) = newest(uri) else { return Ok(Value::Null) };
    let wants_fixes = params.context.only.as_ref().is_none_or(|only| {
        only.iter().any(|kind| serde_json::to_value(kind).is_ok_and(|kind| kind == "quickfix" || kind == ""))
    });
    if !wants_fixes {
        return Ok(json!([]));
    }
    let place = |position: gen_lsp_types::Position| LspPosition {
        line: position.line as usize,
        character: position.character as usize,
    };
    let asked = Range { start: place(params.range.start), end: place(params.range.end) };
    let touched = checked.own().iter().filter(|said| touch(said.range, asked));
    let actions: Vec<Value> =
        touched.flat_map(|said| said.data.fixes.iter().map(move |fix| action(said, fix))).collect();
    Ok(Value::Array(actions))
}

/// Returns a fix with the diagnostic that it is for.
fn action(said: &LspDiagnostic, fix: &crate::diagnostics::CodeAction) -> Value {
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
