//! The sessions that a session can include, and what they take.

use std::collections::{BTreeMap, BTreeSet};

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_grammar::syntax::{ClauseKind, File, Session};
use tracec_span::FileId;

use super::Candidate;
use crate::answer::Surroundings;
use crate::cursor::Cursor;

/// Returns the sessions of the text and of its imports that the one around the place can include: those without a
/// parameter that needs a value, and that do not include it themselves.
pub(super) fn sessions(of: &Surroundings<'_>, cursor: &Cursor<'_>) -> Vec<Candidate> {
    let read = of.read();
    let text = &read.program[FileId::MAIN];
    let file = &text.parsed.file;
    // By its name, since a block that is not closed ends for the parser before the place.
    let head = cursor.blocks.first().map(|block| cursor.words_of(block)).unwrap_or_default();
    let around = match head.as_slice() {
        ["session", name, ..] => Some(*name),
        _ => None,
    };
    let leading_here = around.map_or_else(BTreeSet::new, |around| including(file, around));
    let is_free = |session: &&Session| session.params.iter().all(|param| param.default.is_some());
    let names =
        file.sessions().filter(is_free).filter_map(name_of).filter(|name| !leading_here.contains(name));
    let own = names.map(|name| Candidate::new(name, Kind::Module, "session").certain());
    let imported = text.imports.iter().flat_map(|import| {
        let sessions = read.program[import.file].parsed.file.sessions().filter(is_free);
        sessions.filter_map(name_of).map(|name| format!("{}::{name}", import.name.value))
    });
    own.chain(imported.map(|path| Candidate::new(path, Kind::Module, "session"))).collect()
}

fn name_of(session: &Session) -> Option<&str> {
    session.name.as_ref().map(|name| name.value.as_str())
}

/// Returns the parameters of the session that an `include` names, without those that have their value.
pub(super) fn arguments(rest: &[&str], of: &Surroundings<'_>, cursor: &Cursor<'_>) -> Vec<Candidate> {
    let read = of.read();
    let text = &read.program[FileId::MAIN];
    let (text, name) = match rest {
        [module, "::", name, ..] => {
            let import = text.imports.iter().find(|import| import.name.value == *module);
            (import.map(|import| &read.program[import.file]), *name)
        }
        [name, ..] => (Some(text), *name),
        [] => (None, ""),
    };
    let is_it = |session: &&Session| session.name.as_ref().is_some_and(|own| own.value == name);
    let session = text.and_then(|text| text.parsed.file.sessions().find(is_it));
    let around: Vec<&str> = rest.iter().copied().chain(cursor.behind()).collect();
    let is_given = |name: &str| around.windows(2).any(|pair| pair == [name, "="]);
    let params = session.into_iter().flat_map(|session| &session.params);
    let free = params.map(|param| &param.name.value).filter(|name| !is_given(name));
    let rests = &[" = 1", " = 1ms", " = \"a\"", " = 127.0.0.1", " = CPUS{0}"];
    free.map(|name| Candidate::new(name, Kind::Variable, "parameter").rests(rests)).collect()
}

/// Returns a session and those of its file that include it, by way of others or not.
fn including<'f>(file: &'f File, wanted: &'f str) -> BTreeSet<&'f str> {
    let mut includers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for session in file.sessions() {
        let Some(name) = name_of(session) else { continue };
        for clause in &session.clauses {
            if let ClauseKind::Include { session, .. } = &clause.kind
                && let [included] = session.value.as_slice()
            {
                includers.entry(&included.value).or_default().push(name);
            }
        }
    }
    let mut found = BTreeSet::from([wanted]);
    let mut waiting = vec![wanted];
    while let Some(name) = waiting.pop() {
        let next = includers.get(name).into_iter().flatten();
        waiting.extend(next.copied().filter(|includer| found.insert(includer)));
    }
    found
}
