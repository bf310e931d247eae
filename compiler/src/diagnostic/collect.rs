//! Diagnostics while they are found: each once, and no more than anybody reads.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tracec_grammar::span::Span;
use tracec_kernel::format::EventFormat;

use super::lints::Levels;
use super::{Diagnostic, Kind, Level, Severity, codes};

/// How many errors are kept, and how many warnings. Whoever sees so many mends the first ones and checks again.
const MOST: usize = 200;

/// Gathers diagnostics.
///
/// A condition over a group of events is checked for each of them, so the same mistake comes once per event: it is
/// kept once, with a note that counts the others.
///
/// A lint gets the severity that its level says, or is left out; one that says why a session would do nothing is an
/// error at last. Also one that is denied does not keep a pass from going on: nothing is built in the end, and until
/// then all there is to say is said.
#[derive(Debug, Default)]
pub struct Diagnostics {
    levels: Levels,
    kept: Vec<Diagnostic>,
    seen: HashMap<Key, Seen>,
    /// What is taken while it is noted.
    noted: Option<Vec<Key>>,
    /// `system:name` of the event that a condition is being checked for.
    event: Option<Arc<str>>,
    errors: usize,
    /// How many of `kept` are of each severity, denied lints among the errors.
    kept_errors: usize,
    kept_warnings: usize,
    /// Whether there was an error that is not kept.
    full: bool,
    /// How many warnings are not kept.
    more_warnings: usize,
}

/// Code and place: what comes again with both is the same mistake.
type Key = (&'static str, Span);

/// What was taken while something was looked at.
#[derive(Debug)]
pub(crate) struct Taken(Vec<Key>);

/// What came more than once, perhaps.
#[derive(Debug)]
struct Seen {
    /// Its index in what is kept, if it is kept.
    index: Option<usize>,
    /// Each event that it was found for, as far as that is told: of what is kept.
    events: HashSet<Arc<str>>,
}

impl Seen {
    fn found_for(&mut self, event: Option<Arc<str>>) {
        if self.index.is_some() {
            self.events.extend(event);
        }
    }
}

impl Diagnostics {
    /// Takes lints at these levels; where the text sets levels too, see [`Diagnostics::levels_mut`].
    pub fn with_levels(levels: Levels) -> Self {
        Diagnostics { levels, ..Diagnostics::default() }
    }

    /// The levels of lints, for the text to add its own before anything is looked for.
    pub fn levels_mut(&mut self) -> &mut Levels {
        &mut self.levels
    }

    /// What comes from now on is found for this event, or for none in particular. A condition may be checked several
    /// times for an event, for its recording and for each trigger; that counts once.
    pub fn about(&mut self, event: Option<&Arc<EventFormat>>) {
        self.event = event.map(|event| event.qualified_name().into());
    }

    /// What `look` finds, and what it gives to take on the way, to be taken [again](Diagnostics::again). What a condition
    /// is told of always has a place; nothing else is noted.
    pub(crate) fn noting<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> (T, Taken) {
        self.noted = Some(Vec::new());
        let found = look(self);
        (found, Taken(self.noted.take().unwrap_or_default()))
    }

    /// Takes what was taken before, for the event that is being checked now.
    pub(crate) fn again(&mut self, taken: &Taken) {
        for key in &taken.0 {
            if let Some(seen) = self.seen.get_mut(key) {
                seen.found_for(self.event.clone());
            }
        }
    }

    /// Takes one.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        match self.levels.found(diagnostic.code, place) {
            Some(Level::Allow) => return,
            Some(Level::Warn) => diagnostic.severity = Severity::Warning,
            Some(Level::Deny) => diagnostic.severity = Severity::Error,
            None => {}
        }
        let kept = match diagnostic.severity {
            Severity::Error => &mut self.kept_errors,
            Severity::Warning => &mut self.kept_warnings,
        };
        let has_room = *kept < MOST;
        if let Some(label) = &diagnostic.primary {
            let key = (diagnostic.code.id, label.span);
            if let Some(noted) = &mut self.noted {
                noted.push(key);
            }
            let event = self.event.clone();
            if let Some(seen) = self.seen.get_mut(&key) {
                seen.found_for(event);
                return;
            }
            let index = has_room.then_some(self.kept.len());
            let mut seen = Seen { index, events: HashSet::new() };
            seen.found_for(event);
            self.seen.insert(key, seen);
        }
        self.errors += usize::from(diagnostic.code.kind == Kind::Error);
        if has_room {
            *kept += 1;
            self.kept.push(diagnostic);
        } else if diagnostic.severity == Severity::Error {
            self.full = true;
        } else {
            self.more_warnings += 1;
        }
    }

    /// What was kept so far, in the order in which it came.
    pub(crate) fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Makes errors of lints that were kept as warnings, whatever their levels, with a note that says why.
    pub(crate) fn refuse(&mut self, lints: impl Fn(&Diagnostic) -> bool, why: &str) {
        for said in self.kept.iter_mut().filter(|said| lints(said)) {
            if said.severity == Severity::Warning {
                said.severity = Severity::Error;
                self.kept_warnings -= 1;
                self.kept_errors += 1;
            }
            if !said.notes.iter().any(|note| note == why) {
                said.notes.push(why.to_owned());
            }
        }
    }

    /// Whether nothing was taken.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether an error was taken whose place lies in `span`.
    pub fn has_error_in(&self, span: Span) -> bool {
        let lies = |place: Span| span.holds(place);
        self.kept.iter().any(|diagnostic| {
            let place = diagnostic.primary.as_ref().map(|label| label.span);
            diagnostic.code.kind == Kind::Error && place.is_some_and(lies)
        })
    }

    /// Whether an error lies in none of `spans`; one without a place lies nowhere.
    pub fn has_error_outside(&self, spans: &[Span]) -> bool {
        let lies = |place: Span| spans.iter().any(|span| span.holds(place));
        self.kept.iter().any(|diagnostic| {
            let place = diagnostic.primary.as_ref().map(|label| label.span);
            diagnostic.code.kind == Kind::Error && !place.is_some_and(lies)
        })
    }

    /// Whether more errors were given than are kept: looking further is of no use. Warnings never keep a right text
    /// from being looked at as a whole.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Takes the `allow`s of the text that silenced nothing. That is known only of a text without mistakes, all of
    /// which was looked at.
    pub fn push_unused_allows(&mut self) {
        if self.errors == 0 && !self.full {
            for diagnostic in self.levels.unused() {
                self.push(diagnostic);
            }
        }
    }

    /// How many errors were taken; a denied lint is none.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// All that was kept, in the order of the text; those without a place come first.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut kept = self.kept;
        for Seen { index, events } in self.seen.into_values() {
            let said = index.and_then(|index| kept.get_mut(index));
            if let (others @ 1.., Some(said)) = (events.len().saturating_sub(1), said) {
                let events = if others == 1 { "event" } else { "events" };
                said.notes.push(format!("the same for {others} other {events} of the group"));
            }
        }
        kept.sort_by_key(|d| d.primary.as_ref().map(|label| label.span));
        if self.full {
            kept.push(codes::too_many_errors::more_errors());
        } else if self.more_warnings > 0 {
            kept.push(codes::too_many_errors::more_warnings(self.more_warnings));
        }
        kept
    }
}
