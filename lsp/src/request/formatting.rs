//! `textDocument/formatting`: the layout of `tracec fmt`.

use gen_lsp_types::{DocumentFormattingParams, Position, Range, TextEdit};
use lsp_server::ErrorCode;
use serde_json::{Value, json};

use crate::answer::Surroundings;
use crate::client::{Answer, error, written};
use crate::server;

pub(crate) const METHOD: &str = "textDocument/formatting";

/// Answers with edits of the lines that change, or an error if the text has a syntax error: its diagnostics say which.
pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let _: DocumentFormattingParams = server::params(params)?;
    let old = &*of.document.text;
    let Ok(new) = tracec_grammar::format(old) else {
        return Err(error(ErrorCode::RequestFailed, "the text has syntax errors"));
    };
    // Only the middle is replaced, so that the cursor and marks before and after it stay.
    let before = common(old.split_inclusive('\n'), new.split_inclusive('\n'));
    let rest = |text: &str| text.get(before..).unwrap_or_default().len();
    let after = common(old.split_inclusive('\n').rev(), new.split_inclusive('\n').rev());
    let after = after.min(rest(old)).min(rest(&new));
    if before + after >= old.len().max(new.len()) {
        return written(&json!([]));
    }
    let lines = of.lines();
    let range = Range { start: lines.position(before), end: lines.position(old.len() - after) };
    let text = new.get(before..new.len() - after).unwrap_or_default();
    let is_empty = range.start == Position::default() && range.end == Position::default() && text.is_empty();
    let edit = (!is_empty).then(|| TextEdit { range, new_text: text.to_owned() });
    written(edit.as_slice())
}

/// Returns the bytes of the lines that are equal.
fn common<'t>(old: impl Iterator<Item = &'t str>, new: impl Iterator<Item = &'t str>) -> usize {
    old.zip(new).take_while(|(old, new)| old == new).map(|(line, _)| line.len()).sum()
}
