//! Name resolution: a session becomes one list of clauses, and each clause knows its events.
//!
//! Only the files that a session names are read: one file for an exact path, the directories of a group for a pattern.

pub mod defined;
pub mod events;
pub mod expand;
mod feature;
pub mod names;
pub mod pattern;
pub mod session;

use std::rc::Rc;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{
    ClauseKind, Dump, EventClause, EventPath, EventPathKind, EventSet, Item, ItemKind, Name, StopRule,
};
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::signals;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir::definition::Value;
use crate::ir::{Catalogue, EventId, NamedEvent};
use crate::load::{Parameter, Program};
pub use defined::Defined;
pub use events::{Finder, FoundEvents, NamedEvents, Precision};
pub use expand::{Arguments, Expanded, Inclusion, expand};
use names::Names;
use session::Choice;

/// A session with its events found.
#[derive(Debug, PartialEq)]
pub struct Resolved<'p> {
    /// The session as one list of clauses.
    pub expanded: Expanded<'p>,
    /// What its `trace` and `on` clauses name, in the order of the clauses.
    pub clauses: Vec<ResolvedClause>,
    /// The events of its `stop on EVENT` and `dump on EVENT` clauses, in the order of the clauses.
    pub stops: Vec<NamedEvents>,
    /// The events that a file of the program defines, where the session names them.
    pub defined: Vec<Spanned<NamedEvent>>,
    /// Whether everything that it names was found. The rest has been reported.
    pub complete: bool,
}

/// What a `trace` or `on` clause names, found.
#[derive(Debug, PartialEq)]
pub struct ResolvedClause {
    /// The events it names, each once, with the precision they are named with.
    pub events: NamedEvents,
    /// The events that `having` removed, each with the field that it lacks.
    pub dropped: Vec<(EventId, String)>,
    /// The fields of `having` that no event has, which has been reported.
    pub lacking: Vec<String>,
    /// The events that its triggers act on, each by the trigger's index among the items.
    pub targets: Vec<(usize, EventId)>,
}

/// A `trace` or `on` clause as it is written, and what it names.
#[derive(Clone, Copy, Debug)]
pub struct WrittenClause<'r, 'p> {
    /// Its span.
    pub span: Span,
    /// Its content.
    pub content: &'p EventClause,
    /// Whether it records (`trace`), or only triggers (`on`).
    pub records: bool,
    /// The names that it can use beside fields.
    pub names: &'r Names<'p>,
    /// What it names.
    pub resolved: &'r ResolvedClause,
}

impl<'p> Resolved<'p> {
    /// Returns its `trace` and `on` clauses.
    pub fn event_clauses(&self) -> impl Iterator<Item = WrittenClause<'_, 'p>> {
        let written = self.expanded.clauses.iter().filter_map(|visible| match &visible.clause.kind {
            ClauseKind::Trace(content) => Some((visible, content, true)),
            ClauseKind::On(content) => Some((visible, content, false)),
            _ => None,
        });
        written.zip(&self.clauses).map(|((visible, content, records), resolved)| {
            let (span, names) = (visible.clause.span, self.expanded.names_of(visible));
            WrittenClause { span, content, records, names, resolved }
        })
    }
}

/// The chosen sessions of a text, with their events.
#[derive(Debug, PartialEq)]
pub struct ResolvedText<'p> {
    /// The sessions, in the order of the text.
    pub sessions: Vec<Resolved<'p>>,
    /// The layouts of the events that they name, and of those that the text and its imports define.
    pub catalogue: Catalogue,
}

/// Expands the chosen sessions, and finds their events. Events that cannot be found are reported and left out. `finder`
/// knows the events that the text and its imports define, `inclusion` counts what is included.
pub fn resolve<'p>(
    program: &'p Program,
    choice: Choice<'_>,
    set: &[Parameter],
    mut finder: Finder<'_>,
    inclusion: &mut Inclusion<'p>,
    diagnostics: &mut Diagnostics,
) -> ResolvedText<'p> {
    let chosen = session::choose(choice, program, set, diagnostics);
    let mut sessions = Vec::with_capacity(chosen.len());
    for (id, session, arguments) in chosen {
        diagnostics.of_session(Some(session.span));
        let expanded = expand((id, session), program, &arguments, inclusion, &mut finder, diagnostics);
        sessions.push(events_of(expanded, &mut finder, diagnostics));
    }
    diagnostics.of_session(None);
    ResolvedText { sessions, catalogue: finder.into_catalogue() }
}

/// Finds the events of a session.
fn events_of<'p>(
    expanded: Expanded<'p>,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Resolved<'p> {
    let mut clauses = Vec::with_capacity(expanded.clauses.len());
    let mut stops = Vec::new();
    let mut complete = expanded.complete;
    for visible in &expanded.clauses {
        let content = match &visible.clause.kind {
            ClauseKind::Trace(content) | ClauseKind::On(content) => content,
            ClauseKind::Stop(StopRule::On { events, .. }) | ClauseKind::Dump(Dump { events, .. }) => {
                if let Some(signal) = signal(events) {
                    diagnostics.push(match signal {
                        Signal::Named(name) => codes::unknown_event::is_signal(events.span, name),
                        Signal::Unnamed => codes::unknown_event::no_signal(events.span),
                    });
                    complete = false;
                    stops.push(NamedEvents::default());
                    continue;
                }
                let found = find(events, expanded.names_of(visible), finder, diagnostics);
                complete &= found.complete;
                stops.push(found.events);
                continue;
            }
            _ => continue,
        };
        let FoundEvents { mut events, complete: found } =
            find(&content.events, expanded.names_of(visible), finder, diagnostics);
        let (dropped, lacking) = having(content, &mut events, finder, diagnostics);
        let targets = targets(content, finder, diagnostics);
        let named = content.items.iter().filter(|item| has_target(item)).count();
        complete &= found && lacking.is_empty() && targets.len() == named;
        clauses.push(ResolvedClause { events, dropped, lacking, targets });
    }
    let defined = finder.take_defined();
    Resolved { expanded, clauses, stops, defined, complete }
}

/// Finds the events of a set, in which the name of a string parameter stands for its pattern.
fn find(
    set: &EventSet,
    names: &Names<'_>,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> FoundEvents {
    let (_, params, failed) = names.own();
    let is_param = |path: &EventPath| match &path.kind {
        EventPathKind::Bare(name) => params.contains_key(name) || failed.contains(name),
        _ => false,
    };
    if !set.include.iter().chain(&set.except).any(is_param) {
        return finder.find(set, diagnostics);
    }
    let mut set = set.clone();
    for path in set.include.iter_mut().chain(&mut set.except) {
        let EventPathKind::Bare(name) = &path.kind else { continue };
        if failed.contains(name) {
            return FoundEvents { events: NamedEvents::default(), complete: false };
        }
        if let Some(Value::Text(pattern)) = params.get(name) {
            path.kind = EventPathKind::Pattern(pattern.clone());
        }
    }
    finder.find(&set, diagnostics)
}

/// A signal in the place of an event.
enum Signal {
    Named(&'static str),
    /// `stop on signal;`
    Unnamed,
}

/// Returns the signal that a set of events names instead of an event.
fn signal(set: &EventSet) -> Option<Signal> {
    match set.include.as_slice() {
        [path] => match &path.kind {
            EventPathKind::Bare(name) if name == "signal" => Some(Signal::Unnamed),
            EventPathKind::Bare(name) => signals::find(name).map(|signal| Signal::Named(signal.name)),
            _ => None,
        },
        _ => None,
    }
}

/// Removes the events that lack a field of `having`, and returns each with that field. A field that no event has is
/// reported, removes nothing, and is returned as well.
fn having(
    content: &EventClause,
    all: &mut NamedEvents,
    finder: &Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<(EventId, String)>, Vec<String>) {
    if content.having.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let named = Rc::clone(all);
    let mut events = named.to_vec();
    let has = |id: EventId, field: &Name| finder.catalogue()[id].field(&field.value).is_some();
    let (mut dropped, mut lacking) = (Vec::new(), Vec::new());
    for (index, field) in content.having.iter().enumerate() {
        if !events.is_empty() && !events.iter().any(|&(id, _)| has(id, field)) {
            let near = nearest_fields(field, content, &events, finder);
            // Fields before this one removed events that have it.
            let takes_out = |before: &Name| named.iter().any(|&(id, _)| has(id, field) && !has(id, before));
            let before = content.having[..index].iter().filter(|before| takes_out(before));
            let before: Vec<Span> = before.map(|field| field.span).collect();
            let (set, name) = (content.events.span, &field.value);
            diagnostics.push(codes::useless_having::useless_having(field.span, set, name, &before, &near));
            lacking.push(field.value.clone());
            continue;
        }
        events.retain(|&(id, _)| {
            let keep = has(id, field);
            if !keep {
                dropped.push((id, field.value.clone()));
            }
            keep
        });
    }
    *all = events.into();
    (dropped, lacking)
}

/// Returns the fields of some events that are nearest to one that they lack, except those that `having` names already.
fn nearest_fields<'f>(
    field: &Name,
    content: &EventClause,
    events: &[(EventId, Precision)],
    finder: &'f Finder<'_>,
) -> Vec<&'f str> {
    let known = events.iter().flat_map(|&(id, _)| finder.catalogue()[id].own_fields());
    let known = known.map(|field| field.name.as_str());
    let other = known.filter(|name| !content.having.iter().any(|asked| asked.value == *name));
    nearest(&field.value, other, 3)
}

/// Returns whether an item is a trigger that acts on an event.
fn has_target(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Trigger { event: Some(_), .. })
}

/// Returns the events that the triggers of a clause act on.
fn targets(
    content: &EventClause,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<(usize, EventId)> {
    let mut targets = Vec::new();
    for (index, item) in content.items.iter().enumerate() {
        let ItemKind::Trigger { event: Some(target), .. } = &item.kind else { continue };
        targets.extend(finder.one(target, diagnostics).map(|id| (index, id)));
    }
    targets
}
