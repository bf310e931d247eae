//! The events that can stand at a place: those of the kernels, and those that the text and its imports define.

use std::collections::{BTreeMap, BTreeSet};

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::KernelSource;
use tracec_compiler::load::LoadedText;
use tracec_grammar::syntax::DeclarationKind;
use tracec_span::FileId;

use super::Candidate;
use super::candidates::Found;
use crate::answer::Surroundings;
use crate::cursor::Cursor;
use crate::fragment::Fragment;

/// Returns the events, `system:name`, and those of the text also by their name alone.
pub(super) fn events(
    rest: &[&str],
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
    of: &Surroundings<'_>,
) -> Found {
    let start = match rest {
        [.., _, ":"] => cursor.token_before(1).map(|range| range.start),
        _ => None,
    };
    let before = start.and_then(|start| of.document.text.get(start..cursor.word.start)).unwrap_or_default();
    let system = before.split(':').next().unwrap_or_default();
    if let Some(set) = cursor.events_before_except() {
        return Found { candidates: excluded(&set, cursor, fragment, of), start };
    }
    let mut systems = below(of, "events");
    // `sched` of `sched:sched_switch`: the event stays.
    if let (None, [":", event, ..]) = (start, cursor.behind().as_slice()) {
        let has = |system: &&String| below(of, &format!("events/{system}")).contains_key(*event);
        let with_event: BTreeSet<String> = systems.keys().filter(has).cloned().collect();
        let fits = |system: &String| with_event.is_empty() || with_event.contains(system);
        systems.retain(|system, _| system != "ftrace" && fits(system));
        let candidate = |(system, kernels): (String, Vec<&str>)| {
            Candidate::new(system, Kind::Module, "system of events").only(of.only(&kernels))
        };
        return systems.into_iter().map(candidate).collect::<Vec<_>>().into();
    }
    let mut candidates = defined(fragment, system);
    systems.retain(|name, _| name != "ftrace" && (system.is_empty() || name.eq_ignore_ascii_case(system)));
    // The systems and the kernels that have an event of a name.
    let mut systems_of: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
    let candidate = |text: String, detail: String| Candidate::new(text, Kind::Event, detail).certain();
    for system in systems.into_keys() {
        let names = below(of, &format!("events/{system}"));
        let is_word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        for (name, kernels) in names.into_iter().filter(|(name, _)| is_word(name) && is_word(&system)) {
            let only = of.only(&kernels);
            let found = candidate(format!("{system}:{name}"), "event".to_owned());
            candidates.push(found.only(only.clone()));
            systems_of.entry(name).or_default().push((system.clone(), only));
        }
    }
    // The name alone is an event too if one system has it. It begins with what was typed, which some clients need of what
    // is inserted.
    let typed = cursor.typed();
    if start.is_none() && !typed.is_empty() {
        let begun = systems_of.range(typed.to_owned()..).take_while(|(name, _)| name.starts_with(typed));
        candidates.extend(begun.filter_map(|(name, systems)| match systems.as_slice() {
            [(system, only)] => {
                Some(candidate(name.clone(), format!("event {system}:{name}")).only(only.clone()))
            }
            _ => None,
        }));
    }
    // A text that defines an event of the kernel means its own.
    let mut seen = BTreeSet::new();
    candidates.retain(|candidate: &Candidate| seen.insert(candidate.text.clone()));
    Found { candidates, start }
}

/// Returns the names below a directory of the kernels, each with the kernels that have it. Of one kernel it is not noted.
fn below<'k>(of: &Surroundings<'k>, directory: &str) -> BTreeMap<String, Vec<&'k str>> {
    let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for kernel in of.kernels {
        for name in kernel.directories(directory).unwrap_or_default() {
            let kernels = all.entry(name).or_default();
            if of.kernels.len() > 1 {
                kernels.push(&kernel.label);
            }
        }
    }
    all
}

/// Returns the events of a set that can be left out: those that no other word behind `except` names. The last one has to
/// stay.
fn excluded(
    set: &str,
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
    of: &Surroundings<'_>,
) -> Vec<Candidate> {
    let mut kernels_of: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for kernel in of.kernels {
        for layout in fragment.events_of(kernel, set).iter() {
            let name = layout.format.qualified_name().to_string();
            kernels_of.entry(name).or_default().push(&kernel.label);
        }
    }
    let before = cursor.before().into_iter().rev().take_while(|word| *word != "except");
    let words: BTreeSet<&str> = before.chain(cursor.behind()).collect();
    let is_named = |path: &str| path.split_once(':').is_some_and(|(_, name)| words.contains(name));
    kernels_of.retain(|path, _| !is_named(path));
    if kernels_of.len() < 2 {
        return Vec::new();
    }
    let candidate = |(path, kernels): (String, Vec<&str>)| {
        Candidate::new(path, Kind::Event, "event").certain().only(of.only(&kernels))
    };
    kernels_of.into_iter().map(candidate).collect()
}

/// Returns the events that the text or one of its imports defines, of a system if one is named.
fn defined(fragment: &Fragment<'_>, system: &str) -> Vec<Candidate> {
    let program = fragment.program();
    let own = &program[FileId::MAIN];
    let imports = own.imports.iter().map(|import| &program[import.file]);
    let all = std::iter::once(own).chain(imports).flat_map(|text| of_text(text, system));
    all.collect()
}

/// Returns the events that a text defines.
fn of_text(text: &LoadedText, system: &str) -> Vec<Candidate> {
    let declarations = || text.parsed.file.declarations.iter().map(|declaration| &declaration.kind);
    let own = declarations().find_map(|kind| match kind {
        DeclarationKind::Subsystem(name) => Some(name.value.as_str()),
        _ => None,
    });
    let names = declarations().filter_map(|kind| match kind {
        DeclarationKind::Event(event) => Some(event.name.value.as_str()),
        _ => None,
    });
    let candidate = |text: String| Candidate::new(text, Kind::Event, "event of a text").likely();
    let mut all = Vec::new();
    for name in names {
        if system.is_empty() {
            all.push(candidate(name.to_owned()));
        }
        if let Some(own) = own
            && (system.is_empty() || system == own)
        {
            all.push(candidate(format!("{own}:{name}")));
        }
    }
    all
}

/// Returns whether the last words may begin an event's path: nothing, a bracket, a colon, or a comma in brackets.
pub(super) fn wants_event(rest: &[&str]) -> bool {
    let mut depth = 0_usize;
    let is_set = rest.iter().all(|word| {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "," => return depth > 0,
            _ => {}
        }
        true
    });
    is_set && matches!(rest, [] | [.., "{" | "," | ":" | "except"])
}
