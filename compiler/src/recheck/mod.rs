//! The check of an edited text, where most of what was found before stays.
//!
//! What is said of a session depends on its text, on what is declared outside of sessions, and on the sessions that it
//! includes; on no other. After an edit only the sessions are checked again that it may concern:
//!
//! - those that it touches, and those with a mistake of syntax;
//! - those that mention a constant that was changed, or one that is made of it;
//! - those that include one of these;
//! - where a name is there no more, or a new one is, those with diagnostics, which may suggest it, and those that name
//!   something that was not found;
//! - where more or less can be read outside of sessions, these too, and those of which something is said only if all can be.
//!
//! The diagnostics of the others move with their text. What stands outside of sessions is always checked again.
//!
//! All of a text has to be checked again where another declaration than a constant was edited; where two sessions have one
//! name; near a limit to diagnostics or suggestions; and in a text so short that fixes are tried.

mod found;
mod outline;

use std::collections::BTreeSet;
use std::ops::Range;

use tracec_grammar::changed;
use tracec_span::{FileId, Span};

pub use found::Found;
pub(crate) use found::{Dependences, Reading};
pub use outline::Outline;
use outline::{At, Other, add_includers, holder};

use crate::diagnostic::{Kind, MOST, add_in_order, are_fixes_tried, codes};
use crate::ir::KnownConditions;
use crate::resolve::expand::MAX_INCLUDED;
pub use crate::resolve::session::Rest;
use crate::{Diagnostic, Severity};

/// Which sessions of an edited text are checked again.
#[derive(Debug)]
pub struct Recheck<'t> {
    edit: Edit,
    before: Version<'t>,
    after: Version<'t>,
    /// By the index of a session after the edit, its index before it, if the text of the session was not edited.
    same: Vec<Option<usize>>,
    /// The indexes of the constants after the edit that may have another value than before.
    changed: BTreeSet<usize>,
    /// The same of those before the edit.
    changed_before: BTreeSet<usize>,
    /// The names of all of these.
    words: BTreeSet<&'t str>,
    /// The sessions that are checked again, by their index after the edit.
    again: BTreeSet<usize>,
}

/// The result of the combination of what was found before and after an edit.
#[derive(Debug)]
pub enum Combined {
    /// All that a check of the whole text finds.
    Found(Found),
    /// More sessions have to be checked: they were added.
    More,
    /// All of the text has to be checked.
    All,
}

/// A version of a text.
#[derive(Clone, Copy, Debug)]
pub struct Version<'t> {
    /// The text.
    pub text: &'t str,
    /// Where its declarations stand.
    pub outline: &'t Outline,
}

/// An edit of a text.
#[derive(Debug)]
struct Edit {
    /// The bytes that it replaces.
    old: Range<usize>,
    /// Those that it puts there.
    new: Range<usize>,
}

impl Edit {
    fn of(before: &str, after: &str) -> Edit {
        let old = changed(before, after);
        let new = old.start..old.end + after.len() - before.len();
        Edit { old, new }
    }

    /// Returns where a range is that the edit does not touch.
    fn moved(&self, Range { start, end }: &Range<usize>) -> Option<Range<usize>> {
        if *start > self.old.end {
            let moved = |at: usize| at - self.old.end + self.new.end;
            Some(moved(*start)..moved(*end))
        } else if *end < self.old.start {
            Some(*start..*end)
        } else {
            None
        }
    }

    fn moved_span(&self, span: Span) -> Option<Span> {
        if span.file != FileId::MAIN {
            return Some(span);
        }
        self.moved(&span.range()).map(|range| Span::new(range.start, range.end))
    }

    /// Returns the diagnostic at its new place.
    fn moved_diagnostic(&self, said: &Diagnostic) -> Option<Diagnostic> {
        let mut said = said.clone();
        let labels = said.primary.iter_mut().chain(&mut said.secondary).map(|label| &mut label.span);
        let edits = said.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        for span in labels.chain(edits) {
            *span = self.moved_span(*span)?;
        }
        Some(said)
    }

    /// Returns, by the index of a declaration after the edit, its index before it, if the edit does not touch it.
    fn same<T: At>(&self, before: &[T], after: &[T], is_same: impl Fn(&T, &T) -> bool) -> Vec<Option<usize>> {
        let mut same = vec![None; after.len()];
        let mut at = 0;
        for (index, old) in before.iter().enumerate() {
            let Some(moved) = self.moved(old.range()) else { continue };
            while after.get(at).is_some_and(|new| new.range().start < moved.start) {
                at += 1;
            }
            if after.get(at).is_some_and(|new| *new.range() == moved && is_same(old, new)) {
                same[at] = Some(index);
            }
        }
        same
    }
}

impl<'t> Recheck<'t> {
    /// Returns what is to be checked after an edit, where this was `found` before it, for each kernel. `None` where all of
    /// the text has to be.
    pub fn new(before: Version<'t>, after: Version<'t>, found: &[&Found]) -> Option<Recheck<'t>> {
        let is_short = are_fixes_tried(before.text) || are_fixes_tried(after.text);
        if is_short || !after.outline.is_sorted() || has_namesakes(before) || has_namesakes(after) {
            return None;
        }
        let edit = Edit::of(before.text, after.text);
        let same = edit
            .same(&before.outline.sessions, &after.outline.sessions, |old, new| old.is_read && new.is_read);
        let edited = (0..same.len()).filter(|index| same[*index].is_none()).collect();
        let (changed, changed_before, words) = <_>::default();
        let mut recheck =
            Recheck { edit, before, after, same, changed, changed_before, words, again: edited };
        let has_other_names = recheck.constants()?;
        let has_other_names = recheck.includers() || has_other_names;
        if has_other_names {
            let places = found.iter().flat_map(|found| open_to_names(found));
            let concerned: Vec<usize> = places.filter_map(|at| recheck.session_now(at)).collect();
            recheck.add(concerned);
        }
        recheck.add_included(found);
        Some(recheck)
    }

    /// Returns the sessions that are checked again, by their index, in ascending order.
    pub fn sessions(&self) -> Vec<usize> {
        self.again.iter().copied().collect()
    }

    /// Returns the conditions that are known after the edit, of those that were before it.
    pub fn known(&self, mut conditions: KnownConditions) -> KnownConditions {
        conditions.move_by(|span| self.edit.moved_span(span));
        let places = self.words.iter().flat_map(|word| mentions(self.after.text, word));
        conditions.forget(places.collect());
        conditions
    }

    /// Returns what is known of the other sessions, where this was found before the edit.
    pub fn rest(&self, found: &Found) -> Rest {
        let dependences = &found.dependences;
        let lints = dependences.lints.iter().filter(|(_, at)| self.stays(*at));
        let kept = found.diagnostics.iter().filter(|said| place(said).is_some_and(|at| self.stays(at)));
        Rest {
            has_errors: kept.into_iter().any(|said| said.code.kind == Kind::Error),
            is_open: dependences.open.iter().any(|session| self.stays(*session)),
            lints: lints.filter_map(|(name, _)| self.edit.moved_span(*name)).collect(),
        }
    }

    /// Returns what a check of the whole edited text finds: of the sessions that were not checked again what was found
    /// `before`, of the rest what was found `now`, on the same kernel.
    pub fn combine(&mut self, before: &Found, now: Found) -> Combined {
        let Found { diagnostics, dependences } = now;
        if dependences.reading != before.dependences.reading {
            let asked = before.dependences.asked_for_whole.iter().copied();
            let concerned = asked.chain(open_to_names(before));
            let concerned: Vec<usize> = concerned.filter_map(|session| self.session_now(session)).collect();
            if self.add(concerned) {
                self.add_included(&[before]);
                return Combined::More;
            }
        }
        let Some(diagnostics) = self.diagnostics(&before.diagnostics, diagnostics) else {
            return Combined::All;
        };
        match self.dependences(&before.dependences, dependences) {
            Some(dependences) => Combined::Found(Found { diagnostics, dependences }),
            None => Combined::All,
        }
    }

    /// Finds the constants that were changed, and adds the sessions that mention one. Returns whether there are other names
    /// than before; `None` if another declaration was changed, or depends on such a constant.
    fn constants(&mut self) -> Option<bool> {
        let (old, new) = (&self.before.outline.others, &self.after.outline.others);
        let same = self.edit.same(old, new, |old, new| {
            old.is_read && new.is_read && old.constant.is_some() == new.constant.is_some()
        });
        self.changed = (0..new.len()).filter(|index| same[*index].is_none()).collect();
        self.changed_before = (0..old.len()).collect();
        same.iter().flatten().for_each(|index| _ = self.changed_before.remove(index));
        let name = |of: Version<'t>, other: &Other| of.text.get(other.constant.clone()?);
        let of = |version: Version<'t>, indexes: &BTreeSet<usize>| -> Option<BTreeSet<&'t str>> {
            indexes.iter().map(|index| name(version, &version.outline.others[*index])).collect()
        };
        let names_before = of(self.before, &self.changed_before)?;
        let names = of(self.after, &self.changed)?;
        let has_other_names = names != names_before;
        let mut open: Vec<&str> = names.union(&names_before).copied().collect();
        let mut seen: BTreeSet<&str> = open.iter().copied().collect();
        while let Some(word) = open.pop() {
            let mut sessions = Vec::new();
            for place in mentions(self.after.text, word) {
                if let Some(index) = holder(&self.after.outline.sessions, &place) {
                    sessions.push(index);
                } else if let Some(index) = holder(new, &place) {
                    let made_of_it = name(self.after, &new[index])?;
                    self.changed.insert(index);
                    self.changed_before.extend(same[index]);
                    if seen.insert(made_of_it) {
                        open.push(made_of_it);
                    }
                }
            }
            self.add_changed(sessions);
        }
        self.words = seen;
        Some(has_other_names)
    }

    /// Adds the sessions that include one that was edited, or that is there no more. Returns whether there are other names
    /// of sessions than before.
    fn includers(&mut self) -> bool {
        let names = |of: Version<'t>, indexes: &mut dyn Iterator<Item = usize>| -> BTreeSet<&'t str> {
            indexes.filter_map(|index| of.text.get(of.outline.sessions[index].name.clone())).collect()
        };
        let old = names(self.before, &mut self.edited_before().into_iter());
        let new = names(self.after, &mut (0..self.same.len()).filter(|index| self.same[*index].is_none()));
        let has_other_names = old != new;
        let again = names(self.after, &mut self.again.iter().copied());
        let open = old.into_iter().chain(again).collect();
        add_includers(self.after.text, self.after.outline, open, &mut self.again);
        has_other_names
    }

    /// Adds sessions that mean something else than before, and those that include one of them.
    fn add_changed(&mut self, sessions: Vec<usize>) {
        let name = |index: &usize| self.after.text.get(self.after.outline.sessions[*index].name.clone());
        let open = sessions.iter().filter_map(name).collect();
        self.again.extend(sessions);
        add_includers(self.after.text, self.after.outline, open, &mut self.again);
    }

    /// Adds sessions of which something else may be said. Returns whether there is a new one.
    fn add(&mut self, sessions: impl IntoIterator<Item = usize>) -> bool {
        let before = self.again.len();
        self.again.extend(sessions);
        self.again.len() > before
    }

    /// Adds the sessions in which something was found by way of one that is checked again, or is there no more; and those by
    /// way of which something was found in one that is checked again.
    fn add_included(&mut self, found: &[&Found]) {
        let elsewhere = || found.iter().flat_map(|found| &found.dependences.elsewhere);
        loop {
            let again = |at: Span| self.session_now(at).filter(|index| self.again.contains(index));
            let linked =
                elsewhere().filter(|(place, session)| !self.stays(*session) || again(*place).is_some());
            let both =
                linked.flat_map(|(place, session)| [self.session_now(*place), self.session_now(*session)]);
            let concerned: Vec<usize> = both.flatten().collect();
            if !self.add(concerned) {
                return;
            }
        }
    }

    /// Returns the sessions before the edit that it touches, or that had a mistake of syntax.
    fn edited_before(&self) -> Vec<usize> {
        let kept: BTreeSet<usize> = self.same.iter().flatten().copied().collect();
        (0..self.before.outline.sessions.len()).filter(|index| !kept.contains(index)).collect()
    }

    /// Returns the session that holds a place of the text before the edit, by its index after it, if the session was not
    /// edited.
    fn session_now(&self, at: Span) -> Option<usize> {
        let old = self.before.outline.session_of(at)?;
        let moved = self.edit.moved(&self.before.outline.sessions[old].range)?;
        let index = holder(&self.after.outline.sessions, &moved)?;
        (self.same[index] == Some(old)).then_some(index)
    }

    /// Returns whether a place of the text before the edit is in a session that is not checked again.
    fn stays(&self, at: Span) -> bool {
        self.session_now(at).is_some_and(|index| !self.again.contains(&index))
    }

    /// Returns whether a place of the edited text is in a session that is not checked again.
    fn is_old(&self, at: Span) -> bool {
        self.after.outline.session_of(at).is_some_and(|index| !self.again.contains(&index))
    }

    /// Combines the diagnostics before the edit and those that were found now.
    fn diagnostics(&self, before: &[Diagnostic], now: Vec<Diagnostic>) -> Option<Vec<Diagnostic>> {
        let is_limit = |said: &Diagnostic| said.code == &codes::too_many_errors::CODE;
        if before.iter().chain(&now).any(is_limit) {
            return None;
        }
        // Whether a level is used is always known of the whole text.
        let is_of_text = |said: &&Diagnostic| said.code != &codes::unused_allow::CODE;
        let mut stay = Vec::new();
        let mut outside = Vec::new();
        for said in before.iter().filter(is_of_text) {
            match place(said) {
                Some(at) if self.stays(at) => stay.push(self.edit.moved_diagnostic(said)?),
                at if self.is_unchanged(at, self.before, &self.changed_before) => {
                    outside.push(self.edit.moved_diagnostic(said)?);
                }
                _ => {}
            }
        }
        let is_known = |said: &Diagnostic| stay.contains(said);
        let is_unchanged = |said: &&Diagnostic| {
            self.is_unchanged(place(said), self.after, &self.changed) && is_of_text(said)
        };
        if !now.iter().filter(is_unchanged).eq(&outside) {
            return None;
        }
        let is_old = |said: &Diagnostic| is_of_text(&said) && place(said).is_some_and(|at| self.is_old(at));
        let (old, new): (Vec<_>, Vec<_>) = now.into_iter().partition(is_old);
        if !old.iter().all(is_known) {
            return None;
        }
        add_in_order(&mut stay, new);
        let errors = stay.iter().filter(|said| said.severity == Severity::Error).count();
        (errors < MOST && stay.len() - errors < MOST).then_some(stay)
    }

    /// Returns whether a place is outside of the text, of all sessions, and of what was edited: what is found there stays.
    fn is_unchanged(&self, at: Option<Span>, version: Version<'_>, changed: &BTreeSet<usize>) -> bool {
        let Some(at) = at.filter(|at| at.file == FileId::MAIN) else { return true };
        version.outline.session_of(at).is_none()
            && holder(&version.outline.others, &at.range()).is_some_and(|index| !changed.contains(&index))
    }

    /// Combines what the diagnostics depend on.
    fn dependences(&self, before: &Dependences, mut now: Dependences) -> Option<Dependences> {
        now.searched = now.searched + before.searched;
        now.included += before.included;
        if !now.searched.is_below_limits() || now.included >= MAX_INCLUDED {
            return None;
        }
        let stay = |spans: &[Span]| -> Option<Vec<Span>> {
            spans.iter().filter(|at| self.stays(**at)).map(|at| self.edit.moved_span(*at)).collect()
        };
        // Pairs of spans, of which one decides whether they stay.
        let pairs = |all: &[(Span, Span)], of: fn((Span, Span)) -> Span| -> Option<Vec<(Span, Span)>> {
            let staying = all.iter().filter(|pair| self.stays(of(**pair)));
            staying.map(|(a, b)| Some((self.edit.moved_span(*a)?, self.edit.moved_span(*b)?))).collect()
        };
        now.asked_for_whole.extend(stay(&before.asked_for_whole)?);
        now.incomplete.extend(stay(&before.incomplete)?);
        now.open.extend(stay(&before.open)?);
        now.elsewhere.extend(pairs(&before.elsewhere, |(_, session)| session)?);
        now.lints.retain(|(_, at)| !self.is_old(*at));
        now.lints.extend(pairs(&before.lints, |(_, at)| at)?);
        Some(now)
    }
}

/// Returns where something stands of which more, or something else, may be said if there are other names.
fn open_to_names(found: &Found) -> impl Iterator<Item = Span> + '_ {
    found.diagnostics.iter().filter_map(place).chain(found.dependences.incomplete.iter().copied())
}

/// Returns where a diagnostic stands.
fn place(said: &Diagnostic) -> Option<Span> {
    said.primary.as_ref().map(|label| label.span)
}

/// Returns whether two sessions have one name.
fn has_namesakes(Version { text, outline }: Version<'_>) -> bool {
    let mut names: Vec<&str> = outline.sessions.iter().filter_map(|at| text.get(at.name.clone())).collect();
    names.sort_unstable();
    names.windows(2).any(|two| two[0] == two[1])
}

/// Returns where a text has a word.
fn mentions<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let found = if word.is_empty() { "" } else { text }.match_indices(word);
    found.map(|(at, word)| at..at + word.len()).filter(move |range| {
        let bytes = text.as_bytes();
        !is_part(range.start.checked_sub(1).and_then(|before| bytes.get(before)))
            && !is_part(bytes.get(range.end))
    })
}

#[cfg(test)]
mod tests;
