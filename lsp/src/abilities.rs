//! What the client can do, as it says at the start. What it does not name is not sent.

use serde_json::{Value, json};

use crate::diagnostics::{Encoding, LspDiagnostic};

/// The abilities of a client that answers differ by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// The unit of columns.
    pub(crate) encoding: Encoding,
    /// Whether it renders Markdown in a hover. A client that names no format is from before there was a choice.
    pub(crate) hover_markdown: bool,
    /// Whether it renders Markdown beside an item of completion.
    pub(crate) item_markdown: bool,
    /// Whether an edit of several files may name the versions of the documents.
    pub(crate) document_changes: bool,
    /// Whether symbols may have children.
    pub(crate) symbol_children: bool,
    /// Whether it takes code actions that are not commands.
    pub(crate) action_literals: bool,
    /// Whether diagnostics may name other places.
    pub(crate) related_information: bool,
    /// Whether diagnostics may have the address of a page.
    pub(crate) code_description: bool,
    /// Whether diagnostics may carry data, which the client sends back.
    pub(crate) diagnostic_data: bool,
    /// Whether it can be asked to watch files.
    pub(crate) watches_files: bool,
}

impl Abilities {
    /// Takes the abilities from the parameters of `initialize`.
    pub(crate) fn of(params: &Value) -> Self {
        let at = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let can = |path: &str| at(path).and_then(Value::as_bool).unwrap_or(false);
        let formats = |path: &str| {
            let listed = at(path).and_then(Value::as_array);
            listed.map(|formats| formats.iter().any(|format| format == "markdown"))
        };
        // UTF-8 needs no conversion. UTF-16 is what every client has.
        let offered = at("general/positionEncodings").and_then(Value::as_array);
        let encoding = match offered.is_some_and(|offered| offered.iter().any(|one| one == "utf-8")) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        };
        Abilities {
            encoding,
            hover_markdown: formats("textDocument/hover/contentFormat").unwrap_or(true),
            item_markdown: formats("textDocument/completion/completionItem/documentationFormat")
                .unwrap_or(false),
            document_changes: can("workspace/workspaceEdit/documentChanges"),
            symbol_children: can("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            action_literals: at("textDocument/codeAction/codeActionLiteralSupport").is_some(),
            related_information: can("textDocument/publishDiagnostics/relatedInformation"),
            code_description: can("textDocument/publishDiagnostics/codeDescriptionSupport"),
            diagnostic_data: can("textDocument/publishDiagnostics/dataSupport"),
            watches_files: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
        }
    }
}

impl Abilities {
    /// Returns a diagnostic with what the client takes. Other places stand in the message for one that cannot show them.
    pub(crate) fn shown(self, said: &LspDiagnostic) -> Value {
        let mut shown = json!(said);
        let Some(fields) = shown.as_object_mut() else { return shown };
        if !self.related_information {
            let notes = said.related_information.iter().map(|related| {
                let file = related.location.uri.rsplit('/').next().unwrap_or_default();
                format!("\n{} ({file}:{})", related.message, related.location.range.start.line + 1)
            });
            let message = std::iter::once(said.message.clone()).chain(notes).collect::<String>();
            fields.insert("message".to_owned(), message.into());
            fields.remove("relatedInformation");
        }
        if !self.code_description {
            fields.remove("codeDescription");
        }
        if !self.diagnostic_data {
            fields.remove("data");
        }
        shown
    }
}

/// Returns a text in the format that the client shows: `MarkupContent`.
pub(crate) fn markup(markdown: &str, is_shown: bool) -> Value {
    match is_shown {
        true => json!({ "kind": "markdown", "value": markdown }),
        false => json!({ "kind": "plaintext", "value": plain(markdown) }),
    }
}

/// Returns Markdown as plain text: without fences, and without the marks around code and bold words.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.map(|line| line.replace("**", "").replace('`', "")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_says_nothing_gets_what_every_client_has() {
        let none = Abilities::of(&json!({ "capabilities": {} }));
        assert_eq!(none.encoding, Encoding::Utf16);
        assert!(none.hover_markdown && !none.item_markdown && !none.document_changes && !none.watches_files);
        let hover = json!({ "contentFormat": ["plaintext"] });
        let plain = Abilities::of(&json!({ "capabilities": { "textDocument": { "hover": hover } } }));
        assert!(!plain.hover_markdown);
    }

    #[test]
    fn plain_text_has_no_marks() {
        assert_eq!(plain("**T1**\n\n```trc\nclock NAME;\n```\n\n`a` is b"), "T1\n\nclock NAME;\n\na is b");
    }
}
