//! How much each lint matters at each place.
//!
//! A lint has a level by itself. `lint LEVEL NAME, ..;` sets another one: for a file, for a session, or for one clause;
//! the innermost one counts, and of several at one place the last. What the command line says of a lint by its name
//! counts more than the text: whoever runs a check decides, also about a text that is not theirs to change.

mod nested;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use tracec_grammar::syntax::{Clause, ClauseKind, DeclarationKind, File, ItemKind, LintLevel, Name};
use tracec_span::{FileId, Span};

use super::{Code, Diagnostic, Kind, Level, codes};
use nested::Nested;

/// The name by which the command line means all lints that are warnings: `-D warnings`.
pub const WARNINGS: &str = "warnings";

/// One level that the command line sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Which lint; `None` is every lint that is a warning when this setting's turn comes.
    code: Option<&'static Code>,
    level: Level,
}

impl Setting {
    /// The setting that gives a level to a lint, or to all `warnings`.
    ///
    /// # Errors
    /// Where the name is not that of a lint.
    pub fn new(level: Level, name: &str) -> Result<Self, Diagnostic> {
        let code = if name == WARNINGS { None } else { Some(find(name, None)?) };
        Ok(Setting { code, level })
    }
}

/// The levels of all lints, at every place of a text.
#[derive(Debug, Default)]
pub struct Levels {
    /// As the text sets them.
    entries: Vec<Entry>,
    /// The entries that can decide, of each text and each lint.
    index: BTreeMap<FileId, BTreeMap<&'static str, Nested>>,
    /// As the command line sets them, in its order.
    settings: Vec<Setting>,
    /// What the text said about something that was found: where the name of the lint stands, and the place of what was
    /// found.
    uses: FxHashSet<(Span, Span)>,
}

/// A level that the text sets for one lint.
#[derive(Debug)]
struct Entry {
    /// Where it holds.
    scope: Span,
    level: Level,
    code: &'static Code,
    /// Where the name stands.
    name: Span,
    /// What to remove so that the name is gone.
    part: Span,
}

impl Levels {
    /// The levels of a command line, its settings in order: the last one wins.
    pub fn new(settings: Vec<Setting>) -> Self {
        Levels { settings, ..Levels::default() }
    }

    /// Takes the `lint` declarations, clauses and items of a text, which lies at `text`. What is wrong with them is
    /// returned.
    pub(super) fn declare(&mut self, file: &File, text: Span) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        let before = self.entries.len();
        let mut clauses: Vec<(&Clause, Span)> = Vec::new();
        for declaration in &file.declarations {
            match &declaration.kind {
                DeclarationKind::Lint(lint) => self.take(lint, declaration.span, text, &mut wrong),
                DeclarationKind::Session(session) => {
                    clauses.extend(session.clauses.iter().map(|clause| (clause, session.span)));
                }
                _ => {}
            }
        }
        // Clauses within clauses are as deep as the text likes, hence no recursion.
        while let Some((clause, around)) = clauses.pop() {
            let inner = |within| (within, clause.span);
            match &clause.kind {
                ClauseKind::Lint(lint) => self.take(lint, clause.span, around, &mut wrong),
                ClauseKind::Trace(content) | ClauseKind::On(content) => {
                    for item in &content.items {
                        if let ItemKind::Lint(lint) = &item.kind {
                            self.take(lint, item.span, clause.span, &mut wrong);
                        }
                    }
                }
                ClauseKind::When(when) => {
                    let otherwise = when.otherwise.iter().flatten();
                    clauses.extend(when.then.iter().chain(otherwise).map(inner));
                }
                ClauseKind::Global { clauses: within, .. } => clauses.extend(within.iter().map(inner)),
                _ => {}
            }
        }
        self.index_from(before, text);
        wrong
    }

    /// Puts the entries of one text, those from `first`, into the index.
    fn index_from(&mut self, first: usize, text: Span) {
        if first == self.entries.len() {
            return;
        }
        let mut by_code: BTreeMap<&'static str, Vec<(Span, usize)>> = BTreeMap::new();
        let mut order: Vec<usize> = (first..self.entries.len()).collect();
        // Of several at one place the last in the text counts.
        order.sort_by_key(|&entry| self.entries[entry].name);
        for entry in order {
            let Entry { code, scope, .. } = &self.entries[entry];
            by_code.entry(code.id).or_default().push((*scope, entry));
        }
        let nested = by_code.into_iter().map(|(code, scopes)| (code, Nested::new(scopes)));
        self.index.insert(text.file, nested.collect());
    }

    /// One `lint LEVEL NAMES;`, which stands at `statement` and holds for `scope`.
    fn take(&mut self, lint: &LintLevel, statement: Span, scope: Span, wrong: &mut Vec<Diagnostic>) {
        let level = Level::find(&lint.level.value);
        if level.is_none() {
            wrong.push(codes::unknown_level::unknown_level(lint.level.span, &lint.level.value));
        }
        for (index, name) in lint.names.iter().enumerate() {
            match (find(&name.value, Some(name.span)), level) {
                (Ok(code), Some(level)) => {
                    let part = removable(&lint.names, index, statement);
                    self.entries.push(Entry { scope, level, code, name: name.span, part });
                }
                (Ok(_), None) => {}
                (Err(diagnostic), _) => wrong.push(diagnostic),
            }
        }
    }

    /// The level of a code at a place; `None` for an error, whose severity is fixed.
    #[cfg(test)]
    fn level(&self, code: &Code, at: Option<Span>) -> Option<Level> {
        self.decide(code, at).map(|(level, _)| level)
    }

    /// The same for something that was found: what the text says there is in use.
    pub(super) fn found(&mut self, code: &Code, at: Option<Span>) -> Option<Level> {
        let (level, entry) = self.decide(code, at)?;
        let entry = entry.and_then(|entry| self.entries.get(entry));
        self.uses.extend(entry.zip(at).map(|(entry, at)| (entry.name, at)));
        Some(level)
    }

    /// Returns what the text said about something that was found: where the name of the lint stands, and the place of
    /// what was found.
    pub(super) fn uses(&self) -> Vec<(Span, Span)> {
        self.uses.iter().copied().collect()
    }

    /// The level, and the entry that says so if the text does.
    fn decide(&self, code: &Code, at: Option<Span>) -> Option<(Level, Option<usize>)> {
        let Kind::Lint(own) = code.kind else { return None };
        let entry = at.and_then(|at| self.innermost(code, at));
        let written = entry.map_or(own, |entry| self.entries[entry].level);
        let level = self.settings.iter().fold(written, |level, setting| match setting.code {
            Some(named) if named.id == code.id => setting.level,
            None if level == Level::Warn => setting.level,
            _ => level,
        });
        Some((level, entry))
    }

    fn innermost(&self, code: &Code, at: Span) -> Option<usize> {
        self.index.get(&at.file)?.get(code.id)?.innermost(at)
    }

    /// The `allow`s of the text that silenced nothing, once everything has been looked for. `others` are the names of
    /// those that did in what was not looked at again.
    pub(super) fn unused(&self, others: &[Span]) -> Vec<Diagnostic> {
        let used: FxHashSet<Span> =
            self.uses.iter().map(|(name, _)| *name).chain(others.iter().copied()).collect();
        let unused =
            self.entries.iter().filter(|entry| entry.level == Level::Allow && !used.contains(&entry.name));
        // An `allow` of this very lint is in use if it silences one; that is known only behind it.
        unused
            .filter(|entry| entry.code.id != codes::unused_allow::CODE.id)
            .map(|entry| codes::unused_allow::unused_allow(entry.name, entry.code.name, entry.part))
            .collect()
    }
}

/// The lint called so.
fn find(name: &str, span: Option<Span>) -> Result<&'static Code, Diagnostic> {
    match Code::find(name) {
        None => Err(codes::unknown_lint::unknown_lint(span, name)),
        Some(code) if code.kind == Kind::Error => Err(codes::not_a_lint::not_a_lint(span, code)),
        Some(code) => Ok(code),
    }
}

/// What to remove so that a name of a list is gone: the name with the comma beside it; all, if it is the only one.
fn removable(names: &[Name], index: usize, statement: Span) -> Span {
    let this = names[index].span;
    match (index.checked_sub(1).and_then(|before| names.get(before)), names.get(index + 1)) {
        (Some(before), _) => before.span.behind().to(this),
        (None, Some(next)) => this.to(next.span.before()),
        (None, None) => statement,
    }
}

#[cfg(test)]
mod tests;
