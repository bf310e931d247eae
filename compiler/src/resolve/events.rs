//! From event paths to event layouts.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{EventPath, EventPathKind, EventSet, File, Name};
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::definition::{Definitions, ProbeDef};
use crate::ir::{Catalogue, EventId, EventLayout, NamedEvent};
use crate::source::{KernelSource, NameKind};

use super::defined::{Defined, DefinedEvent, Known};
use super::pattern;

/// The precision with which a clause names an event: where clauses differ in their filter, the more precise one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// By a pattern.
    Pattern,
    /// By its own name.
    Exact,
}

/// The greatest number of names that a diagnostic suggests.
const SUGGESTIONS: usize = 3;

/// The greatest number of unknown names for which suggestions are searched. Each search goes over all events of a
/// kernel, and more suggestions are not read by anybody.
const SEARCHES: usize = 200;

/// Events, each with the precision it is named with. The clauses that name them by the same pattern share them.
pub type NamedEvents = Rc<[(EventId, Precision)]>;

/// The events that a set names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEvents {
    /// In the order they are named, each once.
    pub events: NamedEvents,
    /// Whether each of its paths could be resolved. The others have been reported.
    pub complete: bool,
}

/// Finds events in a kernel for a text and its imports, reading each layout once.
pub struct Finder<'k> {
    kernel: &'k dyn KernelSource,
    catalogue: Catalogue,
    ids: ByName<EventId>,
    systems: Option<Rc<[String]>>,
    members: FxHashMap<String, Rc<[String]>>,
    /// The events of patterns that were named before, where they are all events of the kernel.
    patterns: ByName<NamedEvents>,
    all: Option<Vec<(String, String)>>,
    /// The systems that have an event of a name, once they have been read.
    systems_of: Option<FxHashMap<String, Vec<String>>>,
    /// The number of names for which suggestions were searched.
    searches: usize,
    /// The events that the files of the program define. They come before those of the kernel: a text that defines an
    /// event means its own.
    defined: Defined,
    /// Whether the tracepoints that the main file defines are events of the kernel.
    loaded: bool,
    /// The defined events that were named, with the span of each, and the same as a set.
    used: Vec<Spanned<NamedEvent>>,
    used_at: FxHashSet<Spanned<NamedEvent>>,
}

/// What a path stands for.
enum Meant {
    /// These events, and how exactly they are named.
    Events(Vec<EventName>, Precision),
    /// An event that a file defines and that needs no further resolution.
    Defined,
}

/// The name of an event: system and name.
type EventName = (String, String);

/// Values by a system and a name, or the patterns of both.
#[derive(Debug)]
struct ByName<T>(FxHashMap<String, FxHashMap<String, T>>);

impl<T> Default for ByName<T> {
    fn default() -> Self {
        ByName(FxHashMap::default())
    }
}

impl<T> ByName<T> {
    fn get(&self, system: &str, name: &str) -> Option<&T> {
        self.0.get(system)?.get(name)
    }

    fn insert(&mut self, system: &str, name: &str, value: T) {
        match self.0.get_mut(system) {
            Some(members) => members.insert(name.to_owned(), value),
            None => self.0.entry(system.to_owned()).or_default().insert(name.to_owned(), value),
        };
    }
}

impl<'k> Finder<'k> {
    /// Returns a finder that has read nothing yet.
    pub fn new(kernel: &'k dyn KernelSource) -> Self {
        Finder {
            kernel,
            catalogue: Catalogue::default(),
            ids: ByName::default(),
            systems: None,
            members: FxHashMap::default(),
            patterns: ByName::default(),
            all: None,
            systems_of: None,
            searches: 0,
            defined: Defined::default(),
            loaded: false,
            used: Vec::new(),
            used_at: FxHashSet::default(),
        }
    }

    /// Returns a finder that has read nothing yet, of a kernel that may have the tracepoints that the main file defines.
    pub fn with_loaded(kernel: &'k dyn KernelSource, loaded: bool) -> Self {
        Finder { loaded, ..Finder::new(kernel) }
    }

    /// Returns whether the tracepoints that the main file defines are events of the kernel.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// Adds the events that a file of the program defines; `definitions` holds its tracepoints without a mistake. Where
    /// a declaration is `lost`, it may have defined one more.
    pub fn define(&mut self, file: &File, definitions: &Definitions, lost: bool) {
        self.defined.add(file, definitions, self.loaded, &mut self.catalogue);
        if lost {
            self.defined.lose();
        }
        self.forget();
    }

    /// Adds what is known of the probes of a file whose events were added: those without a mistake.
    pub fn define_probes(&mut self, probes: &[ProbeDef]) {
        self.defined.add_probes(probes, &mut self.catalogue);
        self.forget();
    }

    /// Forgets everything but layouts: the lists of names have to be read again when a file defines events, and what
    /// was named belongs to the file that named it.
    fn forget(&mut self) {
        let (catalogue, ids) = (std::mem::take(&mut self.catalogue), std::mem::take(&mut self.ids));
        let defined = std::mem::take(&mut self.defined);
        *self = Finder { catalogue, ids, defined, ..Finder::with_loaded(self.kernel, self.loaded) };
    }

    /// Returns the events that the files of the program define.
    pub fn defined(&self) -> &Defined {
        &self.defined
    }

    /// Returns the defined events that were named since the last call, each once per span.
    pub fn take_defined(&mut self) -> Vec<Spanned<NamedEvent>> {
        self.used_at.clear();
        std::mem::take(&mut self.used)
    }

    /// Returns the kernel that is asked.
    pub fn kernel(&self) -> &'k dyn KernelSource {
        self.kernel
    }

    /// Returns the layouts that have been read so far.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns the layouts that have been read.
    pub fn into_catalogue(self) -> Catalogue {
        self.catalogue
    }

    /// Returns the one event that a path names. `None` has been reported.
    pub fn one(&mut self, path: &EventPath, diagnostics: &mut Diagnostics) -> Option<EventId> {
        let Meant::Events(names, _) = self.names(path, diagnostics)? else { return None };
        match names.as_slice() {
            [(system, name)] => self.load(system, name, path.span, diagnostics),
            several => {
                diagnostics.push(codes::not_one_event::not_one_event(path.span, several.len()));
                None
            }
        }
    }

    /// Returns whether the kernel has an event that a path names. A missing event is not a mistake; `None` is a mistake
    /// that was reported.
    pub fn has(&mut self, path: &EventPath, diagnostics: &mut Diagnostics) -> Option<bool> {
        self.existing(path, diagnostics).map(|names| !names.is_empty())
    }

    /// Returns the events of the kernel that a path names; the list may be empty. `None` is a mistake that was
    /// reported.
    fn existing(&mut self, path: &EventPath, diagnostics: &mut Diagnostics) -> Option<Vec<EventName>> {
        let listed = patterns(path).and_then(|(system, name)| self.list(system, name, path.span));
        listed.map_err(|said| diagnostics.push(said)).ok()
    }

    /// Finds the events of a set.
    pub fn find(&mut self, set: &EventSet, diagnostics: &mut Diagnostics) -> FoundEvents {
        if let ([path], []) = (&set.include[..], &set.except[..])
            && let EventPathKind::Path { system: Some(system), name: Some(name) } = &path.kind
        {
            // Most sets are one name.
            let found = self.exact(&system.value, &name.value, path.span, diagnostics);
            let events = found.flatten().map(|id| (id, Precision::Exact)).into_iter().collect();
            return FoundEvents { events, complete: found.is_some() };
        }
        let only = only_pattern(set);
        if let Some(events) = only.and_then(|(system, name)| self.patterns.get(system, name)) {
            return FoundEvents { events: Rc::clone(events), complete: true };
        }
        let FoundEvents { events, complete } = self.find_among(set, diagnostics);
        if let Some((system, name)) = only.filter(|_| complete) {
            // Each place where an event of the text is named is noted.
            let mut defined = self.defined.iter();
            let is_named = |event: &DefinedEvent| {
                pattern::matches(system, &event.system) && pattern::matches(name, &event.name)
            };
            if !defined.any(is_named) {
                self.patterns.insert(system, name, Rc::clone(&events));
            }
        }
        FoundEvents { events, complete }
    }

    /// Finds the events of a set of any form.
    fn find_among(&mut self, set: &EventSet, diagnostics: &mut Diagnostics) -> FoundEvents {
        let mut complete = true;
        let mut excluded: FxHashSet<EventName> = FxHashSet::default();
        let mut excepted: Vec<(Span, Vec<EventName>)> = Vec::new();
        for path in &set.except {
            match self.names(path, diagnostics) {
                Some(Meant::Events(names, _)) => {
                    excluded.extend(names.iter().cloned());
                    excepted.push((path.span, names));
                }
                Some(Meant::Defined) => {}
                None => complete = false,
            }
        }
        let mut named: FxHashSet<EventName> = FxHashSet::default();
        let mut nothing = true;
        let mut found: Vec<(EventId, Precision)> = Vec::new();
        let mut index_of: FxHashMap<EventId, usize> = FxHashMap::default();
        for path in &set.include {
            let (names, precision) = match self.names(path, diagnostics) {
                Some(Meant::Events(names, precision)) => (names, precision),
                Some(Meant::Defined) => {
                    nothing = false;
                    continue;
                }
                None => {
                    complete = false;
                    continue;
                }
            };
            for name in names {
                named.insert(name.clone());
                if excluded.contains(&name) {
                    continue;
                }
                let Some(id) = self.load(&name.0, &name.1, path.span, diagnostics) else {
                    let is_defined = self.defined.find(&name.0, &name.1).is_some();
                    nothing &= !is_defined;
                    complete &= is_defined;
                    continue;
                };
                let index = *index_of.entry(id).or_insert_with(|| {
                    found.push((id, precision));
                    found.len() - 1
                });
                found[index].1 = found[index].1.max(precision);
            }
        }
        if found.is_empty() && nothing && complete && !set.include.is_empty() {
            diagnostics.push(codes::empty_set::empty_set(set.span));
            complete = false;
        }
        for (span, names) in excepted {
            if complete && !names.iter().any(|name| named.contains(name)) {
                diagnostics.push(codes::useless_except::useless_except(span));
            }
        }
        FoundEvents { events: found.into(), complete }
    }

    /// Returns the names that a path stands for. `None` if they do not exist, which has been reported.
    fn names(&mut self, path: &EventPath, diagnostics: &mut Diagnostics) -> Option<Meant> {
        let result = match (&path.kind, patterns(path)) {
            (EventPathKind::Bare(name), _) => match self.defined.bare(name) {
                Some(event) => {
                    let event = (event.system.clone(), name.clone());
                    return self.meant(event, path.span, diagnostics);
                }
                None => match self.bare(name, path.span) {
                    Ok(Some(found)) => Ok(found),
                    // The mistake of the definition has been reported.
                    Ok(None) if self.defined.has_lost() => {
                        diagnostics.ask_for_whole();
                        return Some(Meant::Defined);
                    }
                    Ok(None) => Err(self.unknown(name, path.span)),
                    Err(said) => Err(said),
                },
            },
            (_, Ok((system, name))) if !pattern::is_glob(system) && !pattern::is_glob(name) => {
                return self.meant((system.to_owned(), name.to_owned()), path.span, diagnostics);
            }
            (_, Ok((system, name))) => self.matching(system, name, path.span),
            (_, Err(said)) => Err(said),
        };
        let (names, precision) = result.map_err(|diagnostic| diagnostics.push(diagnostic)).ok()?;
        Some(Meant::Events(names, precision))
    }

    fn meant(&mut self, event: EventName, span: Span, diagnostics: &mut Diagnostics) -> Option<Meant> {
        Some(match self.exact(&event.0, &event.1, span, diagnostics)? {
            Some(_) => Meant::Events(vec![event], Precision::Exact),
            None => Meant::Defined,
        })
    }

    /// Returns the one event of a name; `Some(None)` is one that a file defines and that needs no further resolution.
    /// `None` has been reported.
    fn exact(
        &mut self,
        system: &str,
        name: &str,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<EventId>> {
        let found = self.load(system, name, span, diagnostics);
        (found.is_some() || self.defined.find(system, name).is_some()).then_some(found)
    }

    /// Returns the event of the kernel with a name that no system has in front; `None` if there is none.
    fn bare(&mut self, name: &str, span: Span) -> Result<Option<(Vec<EventName>, Precision)>, Diagnostic> {
        if self.systems_of.is_none() {
            let mut systems_of: FxHashMap<String, Vec<String>> = FxHashMap::default();
            for (system, member) in self.list("*", "*", span)? {
                systems_of.entry(member).or_default().push(system);
            }
            self.systems_of = Some(systems_of);
        }
        let systems_of = self.systems_of.as_ref();
        let candidates = systems_of.and_then(|of| of.get(name)).map(Vec::as_slice).unwrap_or_default();
        match candidates {
            [] => Ok(None),
            [system] => Ok(Some((vec![(system.clone(), name.to_owned())], Precision::Exact))),
            _ => {
                let names: Vec<String> = candidates.iter().map(|system| format!("{system}:{name}")).collect();
                Err(codes::ambiguous_event::ambiguous_event(span, name, &names))
            }
        }
    }

    /// Returns all events whose system and name match the globs. The system `ftrace` does not hold events that can be
    /// enabled (kernel-side `TRACE_EVENT_FL_IGNORE_ENABLE`): only an exact name reaches it, and is then refused.
    fn matching(
        &mut self,
        system: &str,
        name: &str,
        span: Span,
    ) -> Result<(Vec<EventName>, Precision), Diagnostic> {
        let found = self.list(system, name, span)?;
        if found.is_empty() {
            let pattern = format!("{system}:{name}");
            let near = self.similar(NameKind::Pattern, &pattern, span, nearest_patterns);
            return Err(codes::no_match::no_match(span, &pattern, &self.kernel.describe(), &near));
        }
        Ok((found, Precision::Pattern))
    }

    fn list(&mut self, system: &str, name: &str, span: Span) -> Result<Vec<EventName>, Diagnostic> {
        let mut found = Vec::new();
        for candidate in self.systems(span)?.iter() {
            if candidate == "ftrace" || !pattern::matches(system, candidate) {
                continue;
            }
            let members = self.members(candidate, span)?;
            let matching = members.iter().filter(|member| pattern::matches(name, member));
            found.extend(matching.map(|member| (candidate.clone(), member.clone())));
        }
        Ok(found)
    }

    /// Returns whether the event that a path names has a field; `Some(false)` if the kernel lacks the event.
    pub fn has_field(
        &mut self,
        path: &EventPath,
        field: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<bool> {
        let names = self.existing(path, diagnostics)?;
        for (system, name) in &names {
            let id = self.load(system, name, path.span, diagnostics)?;
            if self.catalogue[id].field(field).is_none() {
                return Some(false);
            }
        }
        Some(!names.is_empty())
    }

    /// Reads an event's layout, once. `None` has been reported, or is an event that a file defines and whose layout is
    /// not known.
    fn load(
        &mut self,
        system: &str,
        name: &str,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<EventId> {
        let defined = self.defined.find(system, name);
        if let Some(&DefinedEvent { known, is_probe, is_program, .. }) = defined {
            let id = match known {
                Known::Layout(id) => Some(id),
                Known::NoLayout | Known::Mistaken => None,
            };
            let used = Spanned::new(NamedEvent { name: name.to_owned(), id, is_probe, is_program }, span);
            if known != Known::Mistaken && self.used_at.insert(used.clone()) {
                self.used.push(used);
            }
            return id;
        }
        if let Some(&known) = self.ids.get(system, name) {
            return Some(known);
        }
        let layout = self.read(system, name, span).map_err(|diagnostic| diagnostics.push(diagnostic)).ok()?;
        let id = self.catalogue.add(layout);
        self.ids.insert(system, name, id);
        Some(id)
    }

    fn read(&mut self, system: &str, name: &str, span: Span) -> Result<Arc<EventLayout>, Diagnostic> {
        if system == "ftrace" {
            return Err(codes::not_traceable::not_traceable(span, &format!("{system}:{name}")));
        }
        let layout = self.kernel.layout(system, name);
        let layout = layout.map_err(|error| unreadable(span, &error.to_string()))?;
        layout.ok_or_else(|| self.unknown(&format!("{system}:{name}"), span))
    }

    fn systems(&mut self, span: Span) -> Result<Rc<[String]>, Diagnostic> {
        if let Some(systems) = &self.systems {
            return Ok(Rc::clone(systems));
        }
        let defined = self.defined.iter().map(|event| event.system.clone());
        let systems = self.names_in("events", defined, span)?;
        self.systems = Some(Rc::clone(&systems));
        Ok(systems)
    }

    fn members(&mut self, system: &str, span: Span) -> Result<Rc<[String]>, Diagnostic> {
        if let Some(members) = self.members.get(system) {
            return Ok(Rc::clone(members));
        }
        let defined = self.defined.iter().filter(|event| event.system == system);
        let defined = defined.map(|event| event.name.clone());
        let members = self.names_in(&format!("events/{system}"), defined, span)?;
        self.members.insert(system.to_owned(), Rc::clone(&members));
        Ok(members)
    }

    /// Returns the names of the directories in one of the kernel and the names that the program defines there, sorted.
    fn names_in(
        &self,
        directory: &str,
        defined: impl Iterator<Item = String>,
        span: Span,
    ) -> Result<Rc<[String]>, Diagnostic> {
        let names = self.kernel.directories(directory);
        let mut names = names.map_err(|error| unreadable(span, &error.to_string()))?;
        names.extend(defined);
        names.sort();
        names.dedup();
        Ok(names.into())
    }

    /// Returns what is similar to an unknown name; nothing after too many searches. A kernel may remember it, but not where
    /// the text defines events.
    fn similar(&mut self, kind: NameKind, name: &str, span: Span, search: Search) -> Vec<String> {
        self.searches += 1;
        if self.searches > SEARCHES {
            return Vec::new();
        }
        if self.defined.iter().next().is_some() {
            return search(name, self.all_names(span));
        }
        self.kernel.similar(kind, name, &mut || search(name, self.all_names(span)))
    }

    /// Returns the diagnostic for an event that does not exist, with the nearest names of the whole kernel.
    fn unknown(&mut self, name: &str, span: Span) -> Diagnostic {
        let near = self.similar(NameKind::Event, name, span, nearest_events);
        codes::unknown_event::unknown_event(span, name, &self.kernel.describe(), &near)
    }

    /// Returns system and name of every event that can be traced, read once.
    fn all_names(&mut self, span: Span) -> &[(String, String)] {
        if self.all.is_none() {
            let mut all = Vec::new();
            let systems = self.systems(span).unwrap_or_default();
            for system in systems.iter().filter(|system| *system != "ftrace") {
                let members = self.members(system, span).unwrap_or_default();
                all.extend(members.iter().map(|member| (system.clone(), member.clone())));
            }
            self.all = Some(all);
        }
        self.all.as_deref().unwrap_or_default()
    }
}

/// A search for the names that are similar to one, among the systems and names of all events.
type Search = fn(&str, &[(String, String)]) -> Vec<String>;

/// Returns the patterns nearest to one that matches nothing, among those that match something.
fn nearest_patterns(pattern: &str, all: &[(String, String)]) -> Vec<String> {
    let Some((system, name)) = pattern.split_once(':') else { return Vec::new() };
    let near: Vec<(&str, &str)> = if !pattern::is_glob(system) {
        let systems = all.iter().filter(|(_, member)| pattern::matches(name, member));
        let near = nearest(system, systems.map(|(system, _)| system.as_str()), SUGGESTIONS);
        near.into_iter().map(|near| (near, name)).collect()
    } else if !pattern::is_glob(name) {
        let members = all.iter().filter(|(of, _)| pattern::matches(system, of));
        let near = nearest(name, members.map(|(_, member)| member.as_str()), SUGGESTIONS);
        near.into_iter().map(|near| (system, near)).collect()
    } else {
        Vec::new()
    };
    near.into_iter().map(|(system, name)| spelled(system, name)).collect()
}

/// Returns the events nearest to an unknown name.
fn nearest_events(name: &str, all: &[(String, String)]) -> Vec<String> {
    let mut near: Vec<String> = if name.contains(':') {
        let names: Vec<String> = all.iter().map(|(system, name)| format!("{system}:{name}")).collect();
        let mut near = nearest(name, names.iter().map(String::as_str), SUGGESTIONS);
        if near.is_empty() {
            near = nearest_of_system(name, &names);
        }
        let parts = near.into_iter().filter_map(|name| name.split_once(':'));
        parts.map(|(system, name)| spelled(system, name)).collect()
    } else if all.iter().any(|(system, _)| system == name) {
        vec![spelled(name, "*")]
    } else {
        let near = nearest(name, all.iter().map(|(_, name)| name.as_str()), SUGGESTIONS);
        let mut near: Vec<String> = near.into_iter().map(|near| shortest(near, all)).collect();
        if near.is_empty() {
            // `sys_openat` is the call; its events have the side in their names.
            let sides = name
                .strip_prefix("sys_")
                .map(|call| ["enter", "exit"].map(|side| format!("sys_{side}_{call}")));
            near =
                sides.into_iter().flatten().filter(|side| all.iter().any(|(_, name)| name == side)).collect();
        }
        near
    };
    // The arguments of a system call are what is looked for more often than its result.
    near.sort_by_key(|name| name.contains("sys_exit_"));
    near
}

/// Returns the pattern that is all of a set.
fn only_pattern(set: &EventSet) -> Option<(&str, &str)> {
    let ([path], []) = (&set.include[..], &set.except[..]) else { return None };
    if matches!(path.kind, EventPathKind::Bare(_)) {
        return None;
    }
    patterns(path).ok().filter(|(system, name)| pattern::is_glob(system) || pattern::is_glob(name))
}

/// Returns the patterns of system and name that a path stands for.
fn patterns(path: &EventPath) -> Result<(&str, &str), Diagnostic> {
    fn part(part: &Option<Name>) -> &str {
        part.as_ref().map_or("*", |name| &name.value)
    }
    match &path.kind {
        EventPathKind::Path { system, name } => Ok((part(system), part(name))),
        EventPathKind::Bare(name) => Ok(("*", name)),
        EventPathKind::Pattern(text) => {
            pattern::split(text).ok_or_else(|| codes::invalid_event_name::invalid_event_name(path.span, text))
        }
    }
}

/// Returns the nearest names in the same system: `syscalls:openat` is a part of `syscalls:sys_enter_openat`, from which
/// the name of the system is missing.
fn nearest_of_system<'a>(name: &str, names: &'a [String]) -> Vec<&'a str> {
    let Some((system, member)) = name.split_once(':') else { return Vec::new() };
    let of_system = |name: &&'a String| name.split_once(':').is_some_and(|(of, _)| of == system);
    let members = names.iter().filter(of_system).filter_map(|name| Some(name.split_once(':')?.1));
    let near = nearest(member, members, SUGGESTIONS);
    let whole = |near: &str| names.iter().find(|name| name.split_once(':') == Some((system, near)));
    near.into_iter().filter_map(whole).map(String::as_str).collect()
}

/// Returns the name of an event as a text writes it: a part that is not a word is quoted.
fn spelled(system: &str, name: &str) -> String {
    let is_part = |part| part == "*" || is_word(part);
    if is_part(system) && is_part(name) { format!("{system}:{name}") } else { format!("\"{system}:{name}\"") }
}

fn is_word(part: &str) -> bool {
    let fits = part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fits && !part.starts_with(|c: char| c.is_ascii_digit()) && !matches!(part, "if" | "struct" | "user")
}

/// Returns the bare name of an event, or its whole name where that is not a word or several systems have one of that
/// name.
fn shortest(name: &str, all: &[(String, String)]) -> String {
    let mut systems = all.iter().filter(|(_, other)| other == name).map(|(system, _)| system);
    match (systems.next(), systems.next()) {
        (Some(system), other) if other.is_some() || !is_word(name) => spelled(system, name),
        _ => name.to_owned(),
    }
}

fn unreadable(span: Span, reason: &str) -> Diagnostic {
    codes::kernel_unreadable::kernel_unreadable(Some(span), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_so_that_they_can_be_read() {
        for (system, name, spelt) in [
            ("sched", "sched_switch", "sched:sched_switch"),
            ("sched", "*", "sched:*"),
            ("*", "sched_switch", "*:sched_switch"),
            ("sched", "*wake*", "\"sched:*wake*\""),
            ("9p", "9p_client_req", "\"9p:9p_client_req\""),
            ("xhci-hcd", "xhci_dbg_quirks", "\"xhci-hcd:xhci_dbg_quirks\""),
            ("user", "x", "\"user:x\""),
        ] {
            assert_eq!(spelled(system, name), spelt);
            let parsed = tracec_grammar::parse(&format!("session s {{ trace {spelt}; }}"));
            assert_eq!(parsed.errors, [], "{spelt}");
        }
    }

    #[test]
    fn a_name_of_several_systems_is_named_with_one() {
        let all =
            [("a", "x"), ("b", "x"), ("b", "y")].map(|(system, name)| (system.to_owned(), name.to_owned()));
        assert_eq!((shortest("x", &all), shortest("y", &all)), ("a:x".to_owned(), "y".to_owned()));
    }
}
