//! Names become what they stand for: a session becomes one list of clauses, and each clause knows its events.
//!
//! Only what a session names is read: an exact path costs one file, a group the directories it ranges over.

pub mod defined;
pub mod events;
pub mod expand;
mod feature;
pub mod names;
pub mod pattern;
pub mod session;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Clause, ClauseKind, EventClause, ItemKind, Name};
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Diagnostics, codes};
pub use defined::Defined;
pub use events::{Finder, FormatId, Formats, Precision};
pub use expand::{Arguments, Expanded, Inclusion, expand};
use names::Names;

/// A session with its events found.
#[derive(Debug)]
pub struct Resolved<'p> {
    /// The session as one list of clauses.
    pub expanded: Expanded<'p>,
    /// Its `trace` and `on` clauses with what they name.
    pub clauses: Vec<ResolvedClause<'p>>,
    /// The events of its `stop when` clauses, in the order of the clauses.
    pub stops: Vec<Vec<(FormatId, Precision)>>,
    /// The layouts, each once.
    pub formats: Formats,
    /// The events that a file of the program defines, where the session names them.
    pub defined: Vec<Spanned<String>>,
}

/// A `trace` or `on` clause with its events found.
#[derive(Debug)]
pub struct ResolvedClause<'p> {
    /// The clause.
    pub clause: &'p Clause,
    /// Its content.
    pub content: &'p EventClause,
    /// It records (`trace`), or only triggers (`on`).
    pub records: bool,
    /// Index of what it can name in [`Expanded::names`].
    pub names: names::NamesId,
    /// The events it names, each once, with the precision they are named with.
    pub events: Vec<(FormatId, Precision)>,
    /// The events that `having` took out, each with the field it lacks.
    pub dropped: Vec<(FormatId, String)>,
    /// The fields of `having` that no event has, which has been reported.
    pub lacking: Vec<String>,
    /// The event that each trigger acts on, by the trigger's index among the items.
    pub targets: Vec<(usize, FormatId)>,
}

impl<'p> Resolved<'p> {
    /// What a clause can name.
    pub fn names(&self, clause: &ResolvedClause<'p>) -> &Names<'p> {
        &self.expanded.names[clause.names.0 as usize]
    }
}

/// Finds the events of a session; those that cannot be found are reported and left out.
pub fn resolve<'p>(
    expanded: Expanded<'p>,
    mut finder: Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Resolved<'p> {
    let mut clauses = Vec::new();
    let mut stops = Vec::new();
    for visible in &expanded.clauses {
        if diagnostics.is_full() {
            break;
        }
        let (content, records) = match &visible.clause.kind {
            ClauseKind::Trace(content) => (content, true),
            ClauseKind::On(content) => (content, false),
            ClauseKind::Stop(tracec_grammar::syntax::StopRule::When { events, .. }) => {
                stops.push(finder.find(events, diagnostics));
                continue;
            }
            _ => continue,
        };
        let mut events = finder.find(&content.events, diagnostics);
        let (dropped, lacking) = having(content, &mut events, &finder, diagnostics);
        let targets = targets(content, &mut finder, diagnostics);
        let names = visible.names;
        clauses.push(ResolvedClause {
            clause: visible.clause,
            content,
            records,
            names,
            events,
            dropped,
            lacking,
            targets,
        });
    }
    let defined = finder.take_defined();
    Resolved { expanded, clauses, stops, formats: finder.into_formats(), defined }
}

/// Takes out the events that lack a field of `having`, and says which. A field that would leave none is reported, takes
/// out nothing, and is returned beside them.
fn having(
    content: &EventClause,
    events: &mut Vec<(FormatId, Precision)>,
    finder: &Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<(FormatId, String)>, Vec<String>) {
    let named = events.clone();
    let has = |id: FormatId, field: &Name| finder.formats()[id].field(&field.value).is_some();
    let (mut dropped, mut lacking) = (Vec::new(), Vec::new());
    for (index, field) in content.having.iter().enumerate() {
        if !events.is_empty() && !events.iter().any(|&(id, _)| has(id, field)) {
            let near = nearest_fields(field, content, events, finder);
            // Fields before this one took out events that have it.
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
    (dropped, lacking)
}

/// The fields of some events that come nearest to one that they lack, but for those that `having` asks for already.
fn nearest_fields(
    field: &Name,
    content: &EventClause,
    events: &[(FormatId, Precision)],
    finder: &Finder<'_>,
) -> Vec<String> {
    let known = events.iter().flat_map(|&(id, _)| finder.formats()[id].own_fields());
    let known = known.map(|field| field.name.as_str());
    let other = known.filter(|name| !content.having.iter().any(|asked| asked.value == *name));
    let near = nearest(&field.value, other, 3);
    near.into_iter().map(str::to_owned).collect()
}

/// The events that the triggers of a clause act on.
fn targets(
    content: &EventClause,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<(usize, FormatId)> {
    let mut targets = Vec::new();
    for (index, item) in content.items.iter().enumerate() {
        let ItemKind::Trigger { target: Some(target), .. } = &item.kind else { continue };
        targets.extend(finder.one(target, diagnostics).map(|id| (index, id)));
    }
    targets
}
