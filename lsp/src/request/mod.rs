//! The requests, one file each.

pub(crate) mod code_action;
mod completion;
mod definition;
mod document_symbol;
mod formatting;
pub(crate) mod hover;
pub(crate) mod inlay_hint;
mod references;
mod rename;
mod semantic_tokens;

use gen_lsp_types::{
    CompletionOptions, PositionEncodingKind, RenameOptions, Save, SemanticTokensOptions, ServerCapabilities,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};
use serde_json::Value;

use crate::answer::Surroundings;
use crate::client::Answer;
use crate::diagnostics::Encoding;

/// A function that answers a request from its parameters.
type Answers = fn(Value, &Surroundings<'_>) -> Answer;

/// The requests that do not depend on the check.
const REQUESTS: &[(&str, Answers)] = &[
    (completion::METHOD, completion::answer),
    (definition::METHOD, definition::answer),
    (document_symbol::METHOD, document_symbol::answer),
    (formatting::METHOD, formatting::answer),
    (references::METHOD, references::answer),
    (rename::METHOD, rename::answer),
    (rename::PREPARE, rename::prepare),
    (semantic_tokens::METHOD, semantic_tokens::answer),
];

/// Returns what answers a request that does not depend on the check.
pub(crate) fn find(method: &str) -> Option<Answers> {
    REQUESTS.iter().find(|(known, _)| *known == method).map(|(_, answers)| *answers)
}

/// Returns whether a request depends on the check of its document.
pub(crate) fn needs_check(method: &str) -> bool {
    [code_action::METHOD, hover::METHOD, inlay_hint::METHOD].contains(&method)
}

/// Returns whether a request is about what stands at a place of its document, which an edit may move. Completion is not:
/// what is being typed goes on.
pub(crate) fn is_about_place(method: &str) -> bool {
    [
        code_action::METHOD,
        definition::METHOD,
        hover::METHOD,
        references::METHOD,
        rename::METHOD,
        rename::PREPARE,
    ]
    .contains(&method)
}

/// Returns what the server can do.
pub(crate) fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::Incremental),
                save: Some(Save::Bool(true)),
                ..TextDocumentSyncOptions::default()
            }
            .into(),
        ),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([":", ".", " ", "{"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        code_action_provider: Some(true.into()),
        document_formatting_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        rename_provider: Some(
            RenameOptions { prepare_provider: Some(true), ..RenameOptions::default() }.into(),
        ),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: semantic_tokens::legend(),
                full: Some(true.into()),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        inlay_hint_provider: Some(true.into()),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(true.into()),
            }),
            ..WorkspaceOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
