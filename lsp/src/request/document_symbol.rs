//! `textDocument/documentSymbol`: the declarations of a file, and what its sessions and types consist of.

use gen_lsp_types::{DocumentSymbolParams, Range, SymbolKind};
use serde::Serialize;
use serde_json::Value;
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Clause, ClauseKind, DeclarationKind, Name};
use tracec_span::FileId;

use crate::answer::Surroundings;
use crate::client::{Answer, written};
use crate::position::Lines;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/documentSymbol";

/// A symbol with those in it, as the protocol writes it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Symbol<'t> {
    name: &'t str,
    detail: &'static str,
    kind: SymbolKind,
    range: Range,
    selection_range: Range,
    children: Vec<Symbol<'t>>,
}

/// A symbol for clients that want a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SymbolInformation<'t> {
    name: &'t str,
    kind: SymbolKind,
    location: Location<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container_name: Option<&'t str>,
}

#[derive(Serialize)]
struct Location<'t> {
    uri: &'t str,
    range: Range,
}

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let _: DocumentSymbolParams = server::params(params)?;
    let text = &*of.document.text;
    let lines = of.lines();
    let read = of.read();
    let shown = |span: Span| text.get(span.range()).unwrap_or_default();
    let symbols = read.program[FileId::MAIN].parsed.file.declarations.iter().filter_map(|declaration| {
        let whole = declaration.span;
        let simple = |name, word, kind| Some(symbol(&lines, own(name), word, kind, whole, Vec::new()));
        match &declaration.kind {
            DeclarationKind::Session(session) => {
                let clauses = clauses_of_events(&session.clauses).into_iter().map(|(word, set, clause)| {
                    symbol(&lines, (shown(set), set), word, SymbolKind::Event, clause, Vec::new())
                });
                let name = session.name.as_ref().map_or(("", whole), own);
                Some(symbol(&lines, name, "session", SymbolKind::Module, whole, clauses.collect()))
            }
            DeclarationKind::Enum(ty) | DeclarationKind::Flags(ty) => {
                let members = ty.members.iter().map(|member| {
                    symbol(&lines, own(&member.name), "", SymbolKind::EnumMember, member.span, Vec::new())
                });
                let word =
                    if matches!(declaration.kind, DeclarationKind::Enum(_)) { "enum" } else { "flags" };
                Some(symbol(&lines, own(&ty.name), word, SymbolKind::Enum, whole, members.collect()))
            }
            DeclarationKind::Const(constant) => simple(&constant.name, "const", SymbolKind::Constant),
            DeclarationKind::Class(class) => simple(&class.name, "class", SymbolKind::Class),
            DeclarationKind::Event(event) => simple(&event.name, "event", SymbolKind::Event),
            DeclarationKind::Subsystem(name) => simple(name, "subsystem", SymbolKind::Namespace),
            DeclarationKind::Use(_) | DeclarationKind::Header(_) | DeclarationKind::Lint(_) => None,
        }
    });
    let symbols: Vec<Symbol<'_>> = symbols.collect();
    match of.abilities.symbol_children {
        true => written(&symbols),
        false => written(&flat(&symbols, &of.document.uri, None)),
    }
}

/// Returns the clauses about events, those for some kernels only included: their word, the place of their events, and their
/// own.
fn clauses_of_events(clauses: &[Clause]) -> Vec<(&'static str, Span, Span)> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Clause> = clauses.iter().rev().collect();
    while let Some(clause) = waiting.pop() {
        match &clause.kind {
            ClauseKind::Trace(events) => found.push(("trace", events.events.span, clause.span)),
            ClauseKind::On(events) => found.push(("on", events.events.span, clause.span)),
            ClauseKind::When(when) => {
                waiting.extend(when.otherwise.iter().flatten().rev());
                waiting.extend(when.then.iter().rev());
            }
            _ => {}
        }
    }
    found
}

/// Returns symbols and those in them as a list.
fn flat<'t>(
    symbols: &[Symbol<'t>],
    uri: &'t str,
    container_name: Option<&'t str>,
) -> Vec<SymbolInformation<'t>> {
    let with_children = symbols.iter().flat_map(|Symbol { name, kind, range, children, .. }| {
        let location = Location { uri, range: *range };
        let information = SymbolInformation { name, kind: *kind, location, container_name };
        std::iter::once(information).chain(flat(children, uri, Some(name)))
    });
    with_children.collect()
}

/// Returns a name and its place.
fn own(Name { value, span, .. }: &Name) -> (&str, Span) {
    (value, *span)
}

fn symbol<'t>(
    lines: &Lines<'_>,
    (name, own): (&'t str, Span),
    detail: &'static str,
    kind: SymbolKind,
    whole: Span,
    children: Vec<Symbol<'t>>,
) -> Symbol<'t> {
    // The protocol forbids an empty name.
    let name = if name.trim().is_empty() { "(unnamed)" } else { name };
    let own = if whole.holds(own) { own } else { whole };
    Symbol { name, detail, kind, range: lines.range(whole), selection_range: lines.range(own), children }
}
