//! Collects diagnostics: each once, and at most [`MOST`] of them.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::Span;
use tracec_grammar::syntax::File;

use super::lints::Levels;
use super::{Code, Diagnostic, Kind, Level, Severity, codes};
use crate::ir::EventId;

/// How many errors are kept, and how many warnings. After so many a user fixes the first ones and checks again.
pub(crate) const MOST: usize = 200;

/// Gathers diagnostics.
///
/// A condition over a group of events is checked for each of them, so the same mistake comes once per event: it is
/// kept once, with a note that counts the others.
///
/// A lint gets the severity of its level, or is left out; a lint that says why a session would do nothing becomes an
/// error. A denied lint does not stop a pass, so that all diagnostics are found; nothing is built in the end.
#[derive(Debug, Default)]
pub struct Diagnostics {
    levels: Levels,
    kept: Vec<Diagnostic>,
    seen: FxHashMap<Key, Seen>,
    /// The event that a condition is being checked for.
    event: Option<EventId>,
    errors: usize,
    /// How many of `kept` are of each severity, denied lints among the errors.
    kept_errors: usize,
    kept_warnings: usize,
    /// Whether there was an error that is not kept.
    full: bool,
    /// How many warnings are not kept.
    more_warnings: usize,
    /// Whether something outside of the sessions could not be read.
    in_part: bool,
    /// The sessions of which something is said only if all outside of them could be read.
    asked_for_whole: Vec<Span>,
    /// The session that is checked.
    session: Option<Span>,
    /// What was found in another session than the one that was checked: where, and in the check of which.
    elsewhere: FxHashSet<(Span, Span)>,
}

/// A code and a span: a diagnostic with both is the same mistake as an earlier one.
type Key = (&'static str, Span);

/// The record of a diagnostic that may come again.
#[derive(Debug)]
struct Seen {
    /// Its index in the kept diagnostics, if it is kept.
    index: Option<usize>,
    /// Each event that it was found for; only filled for a kept diagnostic.
    events: FxHashSet<EventId>,
}

impl Seen {
    fn found_for(&mut self, event: Option<EventId>) {
        if self.index.is_some() {
            self.events.extend(event);
        }
    }
}

impl Diagnostics {
    /// Takes lints at these levels; where the text sets levels too, see [`Diagnostics::declare_levels`].
    pub fn with_levels(levels: Levels) -> Self {
        Diagnostics { levels, ..Diagnostics::default() }
    }

    /// Takes the levels that a text sets, which lies at `text`, before anything is looked for in it, and what is wrong
    /// with them.
    pub fn declare_levels(&mut self, file: &File, text: Span) {
        for wrong in self.levels.declare(file, text) {
            self.push(wrong);
        }
    }

    /// Notes whether all outside of the sessions could be read.
    pub(crate) fn set_whole(&mut self, is_whole: bool) {
        self.in_part = !is_whole;
    }

    /// What comes from now on is found in the check of the session with this span, or in none.
    pub(crate) fn of_session(&mut self, session: Option<Span>) {
        self.session = session;
    }

    /// Notes where something was found.
    fn note_place(&mut self, place: Option<Span>) {
        if let (Some(place), Some(session)) = (place, self.session)
            && !session.holds(place)
        {
            self.elsewhere.insert((place, session));
        }
    }

    /// Returns what was found in another session than the one that was checked, or outside of all: where, and in the check
    /// of which.
    pub(crate) fn found_elsewhere(&self) -> Vec<(Span, Span)> {
        self.elsewhere.iter().copied().collect()
    }

    /// Returns whether all outside of the sessions could be read. If not, what would be said of the session that is checked
    /// may be wrong.
    pub(crate) fn is_whole(&mut self) -> bool {
        self.ask_for_whole();
        !self.in_part
    }

    /// Notes that more may be said of the session that is checked if all outside of the sessions could be read.
    pub(crate) fn ask_for_whole(&mut self) {
        self.asked_for_whole.extend(self.session);
    }

    /// Returns the sessions that asked whether all could be read.
    pub(crate) fn asked_for_whole(&self) -> Vec<Span> {
        self.asked_for_whole.clone()
    }

    /// Returns what the text said about lints that were found: where the name of the lint stands, and the place of what
    /// was found.
    pub(crate) fn uses_of_lints(&self) -> Vec<(Span, Span)> {
        self.levels.uses()
    }

    /// What comes from now on is found for this event, or for none in particular. A condition may be checked several
    /// times for an event, for its recording and for each trigger; that counts once.
    pub fn about(&mut self, event: Option<EventId>) {
        self.event = event;
    }

    /// Takes one that may have been taken before, for another event of a group.
    pub(crate) fn push_once_more(&mut self, diagnostic: &Diagnostic) {
        let key = diagnostic.primary.as_ref().map(|label| (diagnostic.code.id, label.span));
        self.note_place(key.map(|(_, span)| span));
        match key.and_then(|key| self.seen.get_mut(&key)) {
            Some(seen) => seen.found_for(self.event),
            None => self.push(diagnostic.clone()),
        }
    }

    /// Takes one of a code at a span, which is made only if none was taken there before.
    pub(crate) fn push_new(&mut self, code: &Code, span: Span, make: impl FnOnce() -> Diagnostic) {
        self.note_place(Some(span));
        match self.seen.get_mut(&(code.id, span)) {
            Some(seen) => seen.found_for(self.event),
            None => self.push(make()),
        }
    }

    /// Takes one.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        self.note_place(span);
        match self.levels.found(diagnostic.code, span) {
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
            if let Some(seen) = self.seen.get_mut(&key) {
                seen.found_for(self.event);
                return;
            }
            let index = has_room.then_some(self.kept.len());
            let mut seen = Seen { index, events: FxHashSet::default() };
            seen.found_for(self.event);
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

    /// Takes why a session does nothing: for each of its conditions the codes and spans of the lints that say so. Those
    /// that were taken become errors, whatever their levels, with a note that says `why`. Where the levels silence all
    /// lints of one condition, `otherwise` is taken instead.
    pub(crate) fn refuse(&mut self, reasons: &[Vec<(&Code, Span)>], why: &str, otherwise: Diagnostic) {
        reasons.iter().flatten().for_each(|(_, span)| self.note_place(Some(*span)));
        let kept =
            |(code, span): &(&Code, Span)| self.seen.get(&(code.id, *span)).and_then(|seen| seen.index);
        let reported: Vec<Vec<usize>> =
            reasons.iter().map(|of_one| of_one.iter().filter_map(kept).collect()).collect();
        if reported.is_empty() || reported.iter().any(Vec::is_empty) {
            return self.push(otherwise);
        }
        for index in reported.into_iter().flatten() {
            let said = &mut self.kept[index];
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

    /// Where a text has no mistakes, all of which was looked at, reports each `allow` that silenced nothing. `others` are
    /// the names of the lints that were found in what was not looked at again.
    pub(crate) fn look_for_unused(&mut self, others: &[Span]) {
        if self.errors == 0 && !self.full {
            for diagnostic in self.levels.unused(others) {
                self.push(diagnostic);
            }
        }
    }

    /// Returns how many warnings were not kept.
    pub(crate) fn more_warnings(&self) -> usize {
        self.more_warnings
    }

    /// Returns all that was kept, in the order of the text; those without a place come first.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut kept = self.kept;
        for Seen { index, events } in self.seen.into_values() {
            let said = index.and_then(|index| kept.get_mut(index));
            if let (others @ 1.., Some(said)) = (events.len().saturating_sub(1), said) {
                let events = if others == 1 { "event" } else { "events" };
                said.notes.push(format!("the same for {others} other {events} of the group"));
            }
        }
        if self.full {
            kept.push(codes::too_many_errors::more_errors());
        } else if self.more_warnings > 0 {
            kept.push(codes::too_many_errors::more_warnings(self.more_warnings));
        }
        add_in_order(&mut kept, []);
        kept
    }
}

/// Adds warnings that were found after others were collected, as many as those have left room for. The others are counted,
/// beside the `more` that were not kept before.
pub(crate) fn add_warnings(
    diagnostics: &mut Vec<Diagnostic>,
    late: impl IntoIterator<Item = Diagnostic>,
    more: usize,
) {
    let counts = |said: &Diagnostic| said.code == &codes::too_many_errors::CODE;
    let is_warning = |said: &Diagnostic| said.severity == Severity::Warning;
    let kept = diagnostics.iter().filter(|said| is_warning(said) && !counts(said)).count();
    let mut late = late.into_iter();
    let mut new: Vec<Diagnostic> = late.by_ref().take(MOST.saturating_sub(kept)).collect();
    let left_out = late.count();
    if left_out > 0 && !diagnostics.iter().any(|said| counts(said) && !is_warning(said)) {
        diagnostics.retain(|said| !(counts(said) && is_warning(said)));
        new.push(codes::too_many_errors::more_warnings(more + left_out));
    }
    add_in_order(diagnostics, new);
}

/// Adds diagnostics that were found after others were collected, in the order of the text: those without a place come
/// first, and what says that some are not shown comes last.
pub fn add_in_order(diagnostics: &mut Vec<Diagnostic>, late: impl IntoIterator<Item = Diagnostic>) {
    diagnostics.extend(late);
    diagnostics.sort_by_key(|said| {
        let span = said.primary.as_ref().map(|label| label.span);
        (said.code == &codes::too_many_errors::CODE, span)
    });
}
