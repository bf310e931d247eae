//! `textDocument/documentSymbol`: the declarations of a file, and what its sessions and types consist of.

use gen_lsp_types::{DocumentSymbolParams, SymbolKind};
use serde_json::{Value, json};
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Clause, ClauseKind, DeclarationKind, Name};
use tracec_span::FileId;

use crate::answer::Surroundings;
use crate::client::Answer;
use crate::position::Lines;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/documentSymbol";

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let _: DocumentSymbolParams = server::params(params)?;
    let text = &*of.document.text;
    let lines = of.lines();
    let read = of.read();
    let shown = |span: Span| text.get(span.range()).unwrap_or_default();
    let symbols = read.program[FileId::MAIN].parsed.file.declarations.iter().filter_map(|declaration| {
        let symbol = |name: &Name, kind, detail: &str, children: Vec<Value>| {
            Some(symbol(&lines, &name.value, detail, kind, declaration.span, name.span, children))
        };
        match &declaration.kind {
            DeclarationKind::Session(session) => {
                let clauses = clauses_of_events(&session.clauses).into_iter().map(|(word, set, clause)| {
                    self::symbol(&lines, shown(set), word, SymbolKind::Event, clause, set, Vec::new())
                });
                let unnamed = Name::new(String::new(), declaration.span);
                symbol(
                    session.name.as_ref().unwrap_or(&unnamed),
                    SymbolKind::Module,
                    "session",
                    clauses.collect(),
                )
            }
            DeclarationKind::Const(constant) => {
                symbol(&constant.name, SymbolKind::Constant, "const", Vec::new())
            }
            DeclarationKind::Enum(ty) | DeclarationKind::Flags(ty) => {
                let members = ty.members.iter().map(|member| {
                    let (name, at) = (&member.name.value, member.name.span);
                    self::symbol(&lines, name, "", SymbolKind::EnumMember, member.span, at, Vec::new())
                });
                let word =
                    if matches!(declaration.kind, DeclarationKind::Enum(_)) { "enum" } else { "flags" };
                symbol(&ty.name, SymbolKind::Enum, word, members.collect())
            }
            DeclarationKind::Class(class) => symbol(&class.name, SymbolKind::Class, "class", Vec::new()),
            DeclarationKind::Event(event) => symbol(&event.name, SymbolKind::Event, "event", Vec::new()),
            DeclarationKind::Subsystem(name) => symbol(name, SymbolKind::Namespace, "subsystem", Vec::new()),
            DeclarationKind::Use(_) | DeclarationKind::Header(_) | DeclarationKind::Lint(_) => None,
        }
    });
    let symbols: Vec<Value> = symbols.collect();
    Ok(Value::Array(match of.abilities.symbol_children {
        true => symbols,
        false => flat(&symbols, &of.document.uri, None),
    }))
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

/// Returns symbols and those in them as a list: `SymbolInformation`.
fn flat(symbols: &[Value], uri: &str, container: Option<&Value>) -> Vec<Value> {
    let with_children = symbols.iter().flat_map(|symbol| {
        let mut information = json!({
            "name": symbol["name"],
            "kind": symbol["kind"],
            "location": { "uri": uri, "range": symbol["range"] },
        });
        if let (Some(container), Some(information)) = (container, information.as_object_mut()) {
            information.insert("containerName".to_owned(), container.clone());
        }
        let children = symbol["children"].as_array().map_or(&[][..], Vec::as_slice);
        std::iter::once(information).chain(flat(children, uri, Some(&symbol["name"])))
    });
    with_children.collect()
}

fn symbol(
    lines: &Lines<'_>,
    name: &str,
    detail: &str,
    kind: SymbolKind,
    whole: Span,
    own: Span,
    children: Vec<Value>,
) -> Value {
    // The protocol forbids an empty name.
    let name = if name.trim().is_empty() { "(unnamed)" } else { name };
    let own = if whole.holds(own) { own } else { whole };
    json!({
        "name": name,
        "detail": detail,
        "kind": kind,
        "range": lines.range(whole),
        "selectionRange": lines.range(own),
        "children": children,
    })
}
