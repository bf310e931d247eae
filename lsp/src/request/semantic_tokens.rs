//! `textDocument/semanticTokens/full`: what each word is. The words of the language are names elsewhere, so that no
//! grammar of an editor can tell them apart.

use gen_lsp_types::{SemanticTokensLegend, SemanticTokensParams};
use serde::Serialize;
use serde_json::Value;
use tracec_grammar::{TokenClass, tokens};

use crate::answer::Surroundings;
use crate::client::{Answer, written};
use crate::names::Role;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/semanticTokens/full";

/// The types of tokens, in the order of their numbers.
const TYPES: [&str; 13] = [
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "namespace",
    "event",
    "class",
    "type",
    "property",
    "parameter",
    "enumMember",
    "function",
];

/// The answer: five numbers for each token.
#[derive(Serialize)]
struct Tokens {
    data: Vec<u32>,
}

pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.map(str::to_owned).to_vec(), token_modifiers: Vec::new() }
}

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let _: SemanticTokensParams = server::params(params)?;
    let text = &*of.document.text;
    let read = of.read();
    let mut names = read.own_names().iter().peekable();
    let lines = of.lines();
    let mut data: Vec<u32> = Vec::new();
    let mut last = (0, 0);
    for token in tokens(text) {
        let range = token.span.range();
        while names.next_if(|named| named.span.range().end <= range.start).is_some() {}
        let named = names.peek().filter(|named| named.span.range().start <= range.start);
        let kind = match (token.class, named) {
            (TokenClass::Word, Some(named)) => of_role(named.role),
            (TokenClass::Word, None) => "keyword",
            (TokenClass::Number, _) => "number",
            (TokenClass::Text | TokenClass::C, _) => "string",
            (TokenClass::Comment, _) => "comment",
            (TokenClass::Operator, _) => "operator",
            (TokenClass::Punctuation | TokenClass::Broken, _) => continue,
        };
        let kind = TYPES.iter().position(|known| *known == kind).and_then(|kind| u32::try_from(kind).ok());
        // A token of the protocol is in one line.
        let mut start = range.start;
        for line in text.get(range).unwrap_or_default().split_inclusive(['\n', '\r']) {
            let (begin, end) = (lines.position(start), lines.position(start + line.trim_end().len()));
            start += line.len();
            let length = end.character.saturating_sub(begin.character);
            let Some(kind) = kind.filter(|_| length > 0) else { continue };
            let same_line = begin.line == last.0;
            let column = if same_line { begin.character.saturating_sub(last.1) } else { begin.character };
            data.extend([begin.line.saturating_sub(last.0), column, length, kind, 0]);
            last = (begin.line, begin.character);
        }
    }
    written(&Tokens { data })
}

fn of_role(role: Role) -> &'static str {
    match role {
        Role::Session | Role::Module => "namespace",
        Role::Event => "event",
        Role::Class => "class",
        Role::Field | Role::Property => "property",
        Role::Constant | Role::Member => "enumMember",
        Role::Type => "type",
        Role::Param => "parameter",
        Role::Function => "function",
    }
}
