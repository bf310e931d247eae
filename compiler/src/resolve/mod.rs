//! Names become events: which events each clause means, and their layouts.
//!
//! Only what a session names is read: an exact path costs one file, a group the directories it ranges over.

pub mod events;
pub mod pattern;
pub mod session;

use tracec_grammar::syntax::{Clause, ClauseKind, EventClause, Session};

use crate::diagnostic::Diagnostics;
use crate::source::KernelSource;
pub use events::{FormatId, Formats, Precision};

/// A session with its events found.
#[derive(Debug)]
pub struct Resolved<'a> {
    /// The session as written.
    pub session: &'a Session,
    /// Its `trace` and `on` clauses with what they name.
    pub clauses: Vec<ResolvedClause<'a>>,
    /// The layouts, each once.
    pub formats: Formats,
}

/// A `trace` or `on` clause with its events found.
#[derive(Debug)]
pub struct ResolvedClause<'a> {
    /// The clause.
    pub clause: &'a Clause,
    /// Its content.
    pub content: &'a EventClause,
    /// It records (`trace`), or only triggers (`on`).
    pub records: bool,
    /// The events it names, each once, with the precision they are named with.
    pub events: Vec<(FormatId, Precision)>,
}

/// Finds the events of a session; those that cannot be found are reported and left out.
pub fn resolve<'a>(
    session: &'a Session,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Resolved<'a> {
    let mut finder = events::Finder::new(kernel);
    let mut clauses = Vec::new();
    for clause in &session.clauses {
        if diagnostics.is_full() {
            break;
        }
        let (content, records) = match &clause.kind {
            ClauseKind::Trace(content) => (content, true),
            ClauseKind::On(content) => (content, false),
            _ => continue,
        };
        let events = finder.find(&content.events, diagnostics);
        clauses.push(ResolvedClause { clause, content, records, events });
    }
    Resolved { session, clauses, formats: finder.into_formats() }
}
