//! `textDocument/hover`: what a name means, and the page of a diagnostic.

mod defined;

use std::sync::Arc;

use gen_lsp_types::{Position, Range};
use serde_json::{Value, json};
use tracec_compiler::check::{CURRENT, TaskProperty};
use tracec_compiler::constant::type_doc;
use tracec_compiler::diagnostic::codes;
use tracec_compiler::ir::definition::ConstantLookup;
use tracec_compiler::ir::{self, EventLayout};
use tracec_compiler::{KernelSource, stdlib};
use tracec_grammar::syntax::{DeclarationKind, Session};
use tracec_grammar::words::{CLAUSES, StatementContext};
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::tables::{c_types, clocks, options, probe_kinds, triggers};
use tracec_span::{FileId, Span};

use crate::abilities::markup;
use crate::answer::Surroundings;
use crate::client::{Answer, written};
use crate::cursor::Cursor;
use crate::diagnose::Checked;
use crate::diagnostics::{LspDiagnostic, LspPosition};
use crate::facts;
use crate::fragment::Fragment;
use crate::names::{self, Key, ReadTexts, Role, Space};
use crate::world::Remembered;

pub(crate) const METHOD: &str = "textDocument/hover";

/// The names of values that stand for a number, at most.
const MOST: usize = 8;

/// Answers with the meaning of the name at a place, and with the pages of the diagnostics that are shown there.
pub(crate) fn answer(
    position: Position,
    of: &Surroundings<'_>,
    checked: &Checked,
    shown: &[LspDiagnostic],
) -> Answer {
    let lines = of.lines();
    let cursor = Cursor::new(&of.document.text, lines.offset(position));
    let word = of.document.text.get(cursor.word.clone()).unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    if !word.is_empty() && !cursor.is_in_text {
        parts.extend(meaning(word, &cursor, of, checked));
    }
    parts.extend(pages(position, shown));
    if parts.is_empty() {
        return written(&Value::Null);
    }
    let range = Range { start: lines.position(cursor.word.start), end: lines.position(cursor.word.end) };
    let contents = markup(&parts.join("\n\n---\n\n"), of.abilities.hover_markdown);
    written(&json!({ "contents": contents, "range": range }))
}

/// Returns the pages of the diagnostics at a place, each once.
fn pages(position: Position, shown: &[LspDiagnostic]) -> Vec<String> {
    let at = (position.line as usize, position.character as usize);
    let key = |place: LspPosition| (place.line, place.character);
    let here = shown.iter().filter(|said| key(said.range.start) <= at && at <= key(said.range.end));
    let mut pages: Vec<String> = Vec::new();
    for said in here {
        let Some(code) = codes::ALL.iter().find(|code| code.id == said.code) else { continue };
        let page = format!("**{}**\n\n{}", code.id, code.page);
        if !pages.contains(&page) {
            pages.push(page);
        }
    }
    pages
}

/// Returns what a word means at its place.
fn meaning(word: &str, cursor: &Cursor<'_>, of: &Surroundings<'_>, checked: &Checked) -> Option<String> {
    let before = cursor.before();
    if let [.., "current", "."] = before.as_slice() {
        return CURRENT.iter().find(|property| property.name == word).map(of_task);
    }
    // In a block without statements, such as that of an `enum`, a first word is a name.
    if before.is_empty()
        && let Some(context) = cursor.context()
    {
        let clause = CLAUSES.iter().find(|clause| clause.context == context && clause.word == word);
        let clause = clause.map(|clause| format!("```trc\n{}\n```\n\n{}", clause.usage, clause.doc));
        // A trigger needs no word before it.
        return clause.or_else(|| of_trigger(word).filter(|_| context == StatementContext::Block));
    }
    let behind = cursor.behind();
    let path = path_around(word, &before, &behind);
    match before.as_slice() {
        ["clock", ..] => {
            let name = dashed(word, before.get(1..).unwrap_or_default(), &behind);
            return clocks::find(&name).map(|clock| format!("clock `{}`\n\n{}", clock.name, clock.doc));
        }
        ["option", ..] => {
            let name = dashed(word, before.get(1..).unwrap_or_default(), &behind);
            let option = options::ALL.iter().find(|option| option.name == name)?;
            let default = if option.default { "on" } else { "off" };
            return Some(format!("option `{}`, {default} unless set\n\n{}", option.name, option.doc));
        }
        ["trigger"] => return of_trigger(word),
        ["event", _, "at"] => {
            let kind = probe_kinds::find(word)?;
            return Some(format!("probe `{}`\n\n{}", kind.name, kind.doc));
        }
        _ => {}
    }
    let texts = ReadTexts::from(&checked.analysis);
    let named = names::at(texts, &cursor.word);
    let declared = named.as_ref().and_then(|named| declared(named.key.as_ref()?, texts));
    if named.as_ref().is_some_and(|named| named.role == Role::Type && named.key.is_none()) {
        return of_type(word, &before, &behind);
    }
    let is_condition = before.iter().any(|word| matches!(*word, "if" | "having" | "filter"));
    // In a condition, a field of the event comes before a parameter.
    if !is_condition && declared.is_some() {
        return declared;
    }
    if !is_condition && let Some(event) = event_around(word, &before, &behind, of, checked) {
        return Some(event);
    }
    if let Some(named) = &named
        && let Some(shown) = defined::meaning(word, named.role, cursor, of, checked)
    {
        return Some(shown);
    }
    // Those of the check are not there where the clause has a mistake.
    let mut events = checked_events(cursor, checked);
    if events.is_empty() && !cursor.events().is_empty() {
        events = Fragment::new(of, cursor).events().to_vec();
    }
    // What a bare member belongs to is known from what it is compared with.
    let member = named.as_ref().and_then(|named| match &named.key.as_ref()?.space {
        Space::Member(ty) if path.is_empty() => constant(word, &[ty], checked),
        _ => None,
    });
    let pseudo = || pseudo_field(word).filter(|_| is_condition && path.is_empty());
    field(word, &events)
        .filter(|_| path.is_empty())
        .or_else(pseudo)
        .or(declared)
        .or(member)
        .or_else(|| constant(word, &path, checked))
        .or_else(|| constant(word, &[type_around(cursor)?], checked))
        .or_else(|| value_name(word, &compared(&before, &behind), &events))
}

/// Returns the events of the clause at a place, as the check found them.
fn checked_events(cursor: &Cursor<'_>, checked: &Checked) -> Vec<Arc<EventLayout>> {
    let module = &checked.analysis.module;
    let is_here = |span: Span| {
        let range = span.range();
        span.file == FileId::MAIN && range.start <= cursor.word.start && cursor.word.end <= range.end
    };
    let all = module.sessions.iter().flat_map(|session| &session.events);
    let here = all.filter(|event| {
        event.record.as_ref().is_some_and(|record| is_here(record.clause))
            || event.triggers.iter().any(|trigger| is_here(trigger.span))
    });
    here.map(|event| module.catalogue.layout(event.id).clone()).collect()
}

/// Returns what a type is that no text declares. One of several words is looked up as a whole.
fn of_type(word: &str, before: &[&str], behind: &[&str]) -> Option<String> {
    let is_word = |part: &&&str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut words: Vec<&str> = before.iter().rev().take_while(is_word).copied().collect();
    words.reverse();
    words.push(word);
    words.extend(behind.iter().take_while(is_word));
    let known = [words.join(" "), word.to_owned()];
    let of_c = known.iter().find_map(|name| c_types::find(name)).map(|ty| {
        let sign = if ty.signed { "signed" } else { "unsigned" };
        let bytes = if ty.size == 1 { "byte" } else { "bytes" };
        format!("type `{}`: {} {bytes}, {sign}", ty.name, ty.size)
    });
    of_c.or_else(|| type_doc(word).map(|doc| format!("type `{word}`: {doc}")))
}

/// Returns what a text declares that has no value: a parameter, a module, a session.
fn declared(key: &Key, texts: ReadTexts<'_>) -> Option<String> {
    let (_, text) = texts.iter().find(|(_, text)| text.name == key.text)?;
    let shown = |span: Span| texts.sources.text_of(span);
    let sessions = || text.parsed.file.sessions();
    let has_name =
        |session: &&Session, name: &str| session.name.as_ref().map_or("", |own| own.value.as_str()) == name;
    match &key.space {
        Space::Param(session) => {
            let session = sessions().find(|one| has_name(one, session))?;
            let param = session.params.iter().find(|param| param.name.value == key.name)?;
            Some(format!("parameter `{}` of `session {}`", shown(param.span), shown_name(session)))
        }
        Space::Session => {
            let session = sessions().find(|one| has_name(one, &key.name))?;
            let params: Vec<&str> = session.params.iter().map(|param| shown(param.span)).collect();
            let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
            Some(format!("`session {}{params}`", shown_name(session)))
        }
        Space::Import => {
            let import = text.imports.iter().find(|import| import.name.value == key.name)?;
            let module = texts.text(import.file);
            let path = module.name.strip_suffix(".trc").unwrap_or(&module.name);
            let of_library = stdlib::modules().iter().find(|known| format!("std/{}", known.name) == path);
            Some(match of_library {
                Some(known) => format!("module `std::{}`\n\n{}", known.name, known.about()),
                None => format!("module `{}`, the file `{}`", key.name, module.name),
            })
        }
        Space::Event
        | Space::Class
        | Space::Subsystem
        | Space::Value
        | Space::Member(_)
        | Space::Field(_) => None,
    }
}

fn shown_name(session: &Session) -> &str {
    session.name.as_ref().map_or("", |name| &name.value)
}

fn of_task(property: &TaskProperty) -> String {
    format!("`{} current.{}`\n\n{}", property.type_text, property.name, property.doc)
}

/// Returns what a pseudo-field means where no field has the name.
fn pseudo_field(word: &str) -> Option<String> {
    let property = CURRENT.iter().find(|property| property.name == word && property.is_pseudo_field)?;
    Some(format!("`{} {}`\n\n{}", property.type_text, property.name, property.doc))
}

fn of_trigger(word: &str) -> Option<String> {
    triggers::find(word).map(|trigger| format!("trigger `{}`\n\n{}", trigger.name, trigger.doc))
}

/// Returns the type in whose members the place is: elsewhere they are named with it.
fn type_around<'t>(cursor: &Cursor<'t>) -> Option<&'t str> {
    match cursor.words_of(cursor.blocks.last()?).as_slice() {
        ["enum" | "flags", name, ..] => Some(name),
        _ => None,
    }
}

/// Returns the parts of a path before a word: `["errno"]` for `errno::EIO`.
fn path_around<'w>(word: &'w str, before: &[&'w str], behind: &[&'w str]) -> Vec<&'w str> {
    let mut parts = Vec::new();
    let mut rest = before;
    while let [head @ .., part, "::"] = rest {
        parts.insert(0, *part);
        rest = head;
    }
    // A word that only begins a path is a module or a type.
    if behind.first() == Some(&"::") {
        parts.push(word);
    }
    parts
}

/// Joins the parts of a name with dashes.
fn dashed(word: &str, before: &[&str], behind: &[&str]) -> String {
    let mut name = before.concat();
    name.push_str(word);
    let mut rest = behind;
    while let ["-", part, more @ ..] = rest {
        name.push('-');
        name.push_str(part);
        rest = more;
    }
    name
}

/// Returns the event of a path `system:name` around a word, or of a bare name.
fn event_around(
    word: &str,
    before: &[&str],
    behind: &[&str],
    of: &Surroundings<'_>,
    checked: &Checked,
) -> Option<String> {
    let (system, name) = match (before, behind) {
        ([.., system, ":"], _) => (Some(*system), word),
        (_, [":", name, ..]) => (Some(word), *name),
        _ => (None, word),
    };
    let catalogue = &checked.analysis.module.catalogue;
    let mut known = catalogue.iter().map(|(_, layout)| &layout.format);
    let is_it =
        |format: &&EventFormat| format.name == name && system.is_none_or(|system| format.system == system);
    if let Some(format) = known.find(is_it) {
        return Some(facts::of_event(format, defined::template(format, (&checked.analysis).into())));
    }
    let system = system?;
    let has = |kernel: &Remembered| kernel.layout(system, name).ok().flatten();
    let (at, found) = of.kernels.iter().enumerate().find_map(|(at, kernel)| Some((at, has(kernel)?)))?;
    let shown = facts::of_event(&found.format, None);
    Some(match of.kernels.get(at) {
        Some(kernel) if at > 0 => {
            format!("{shown}\n\nThis is of {}: {} has no such event.", kernel.label, of.kernel.label)
        }
        _ => shown,
    })
}

fn field(word: &str, events: &[Arc<EventLayout>]) -> Option<String> {
    let found = events.iter().find_map(|event| Some((&event.format, event.format.field(word)?)));
    found.map(|(format, field)| facts::of_field(format, field))
}

fn constant(word: &str, path: &[&str], checked: &Checked) -> Option<String> {
    let module = &checked.analysis.module;
    let own = module.definitions.first()?.constants;
    let constants =
        ir::definition::VisibleConstants { own: &module.constants[own], table: &module.constants };
    let whole: Vec<&str> = match path.last() {
        Some(last) if *last == word => path.to_vec(),
        _ => path.iter().copied().chain([word]).collect(),
    };
    let name = whole.join("::");
    match constants.find(&whole, None) {
        ConstantLookup::Value(value) => Some(match value.number() {
            Some(number) => format!("`{name}` = {number} ({number:#x})"),
            None => match declared_value(&name, (&checked.analysis).into()) {
                Some(text) => format!("`{name}` = `{text}`, {}", value.kind().describe()),
                None => format!("`{name}`, {}", value.kind().describe()),
            },
        }),
        ConstantLookup::Type(id) => {
            let ty = &module.constants[id];
            let members = ty
                .members()
                .iter()
                .take(MOST)
                .map(|member| format!("\n- `{}` = {}", member.name, member.value));
            let members: String = members.collect();
            Some(format!("{} `{}`: {} members\n{members}", ty.word(), ty.name, ty.members().len()))
        }
        ConstantLookup::Ambiguous(_) | ConstantLookup::Failed | ConstantLookup::Unknown => None,
    }
}

/// Returns the value of a constant of the main text, as it is written.
fn declared_value<'t>(name: &str, texts: ReadTexts<'t>) -> Option<&'t str> {
    let file = &texts.text(FileId::MAIN).parsed.file;
    let value = file.declarations.iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Const(constant) if constant.name.value == name => Some(constant.value),
        _ => None,
    })?;
    Some(texts.sources.text_of(file.exprs[value].span))
}

/// Returns the words of the comparison around a place.
fn compared<'w>(before: &[&'w str], behind: &[&'w str]) -> Vec<&'w str> {
    let is_inside = |word: &&&str| {
        !matches!(**word, "if" | "having" | "filter" | "&&" | "||" | "(" | ")" | "!" | "{" | "}" | ";")
    };
    before.iter().rev().take_while(is_inside).chain(behind.iter().take_while(is_inside)).copied().collect()
}

/// Returns the value of a name that an event prints a field's value with: the field that it is compared with, among the
/// words `compared`. Elsewhere it is shown if all fields with the name have one value for it.
fn value_name(word: &str, compared: &[&str], events: &[Arc<EventLayout>]) -> Option<String> {
    let formats = events.iter().map(|event| &event.format);
    let fields = formats.flat_map(|format| format.own_fields().iter().map(move |field| (format, field)));
    let with_value = fields.filter_map(|(format, field)| {
        let (_, value) = facts::names(format, field).into_iter().find(|(name, _)| name == word)?;
        Some((format, field, value))
    });
    let all: Vec<_> = with_value.collect();
    let is_compared = |(_, field, _): &&(_, &Field, _)| compared.contains(&field.name.as_str());
    let (format, field, value) = match all.iter().find(is_compared) {
        Some(found) => found,
        None => all.first().filter(|(_, _, value)| all.iter().all(|(_, _, other)| other == value))?,
    };
    let event = format.qualified_name();
    Some(format!("`{word}` = {value} ({value:#x}), a value of `{}` of `{event}`", field.name))
}
