//! Where the sessions and the other declarations of a text stand.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tracec_grammar::Parsed;
use tracec_grammar::syntax::{Clause, ClauseKind, DeclarationKind, StopRule};
use tracec_span::{FileId, Span};

/// Where the sessions and the other declarations of a text stand, each in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    pub(super) sessions: Vec<Place>,
    pub(super) others: Vec<Other>,
}

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// From the comments that document it to its closing brace.
    pub(super) range: Range<usize>,
    /// Its name.
    pub(super) name: Range<usize>,
    /// The names of the sessions of this text that it includes.
    pub(super) includes: Vec<Range<usize>>,
    /// Whether it has a clause about events.
    pub(super) has_events: bool,
    /// Whether all of it could be read.
    pub(super) is_read: bool,
}

/// Where another declaration stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Other {
    /// From the comments that document it to its end.
    pub(super) range: Range<usize>,
    /// The name of a constant; `None` for another declaration.
    pub(super) constant: Option<Range<usize>>,
    /// Whether all of it could be read.
    pub(super) is_read: bool,
}

/// A declaration, whose place is known.
pub(super) trait At {
    /// Returns its place.
    fn range(&self) -> &Range<usize>;

    /// Returns whether all of it could be read.
    fn is_read(&mut self) -> &mut bool;
}

impl At for Place {
    fn range(&self) -> &Range<usize> {
        &self.range
    }

    fn is_read(&mut self) -> &mut bool {
        &mut self.is_read
    }
}

impl At for Other {
    fn range(&self) -> &Range<usize> {
        &self.range
    }

    fn is_read(&mut self) -> &mut bool {
        &mut self.is_read
    }
}

/// Notes that something in a range could not be read.
fn note_unread<T: At>(all: &mut [T], unread: &Range<usize>) {
    let from = all.partition_point(|at| at.range().end < unread.start);
    let touched = all[from..].iter_mut().take_while(|at| at.range().start <= unread.end);
    touched.for_each(|at| *at.is_read() = false);
}

/// Returns the index of the declaration that holds a range.
pub(super) fn holder<T: At>(all: &[T], range: &Range<usize>) -> Option<usize> {
    let behind = all.partition_point(|at| at.range().start <= range.start);
    let index = behind.checked_sub(1)?;
    (range.end <= all[index].range().end).then_some(index)
}

impl Outline {
    /// Returns the outline of a text with this syntax.
    pub fn of(parsed: &Parsed) -> Outline {
        let mut outline = Outline::default();
        outline.sessions.reserve_exact(parsed.file.sessions().count());
        for declaration in &parsed.file.declarations {
            let of_declaration = declaration.doc.as_ref();
            match &declaration.kind {
                DeclarationKind::Session(session) => {
                    let start =
                        session.doc.as_ref().or(of_declaration).map_or(session.span, |doc| doc.span).start;
                    let (includes, has_events) = clauses(&session.clauses);
                    outline.sessions.push(Place {
                        range: start as usize..session.span.end as usize,
                        name: session.name.as_ref().map_or(0..0, |name| name.span.range()),
                        includes,
                        has_events,
                        is_read: true,
                    });
                }
                other => {
                    let start = of_declaration.map_or(declaration.span, |doc| doc.span).start;
                    let constant = match other {
                        DeclarationKind::Const(constant) => Some(constant.name.span.range()),
                        _ => None,
                    };
                    let range = start as usize..declaration.span.end as usize;
                    outline.others.push(Other { range, constant, is_read: true });
                }
            }
        }
        for error in &parsed.errors {
            note_unread(&mut outline.sessions, &error.span.range());
            note_unread(&mut outline.others, &error.span.range());
        }
        outline
    }

    /// Returns whether the declarations follow each other.
    pub(super) fn is_sorted(&self) -> bool {
        fn sorted<T: At>(all: &[T]) -> bool {
            all.is_sorted_by(|a, b| a.range().end <= b.range().start)
        }
        sorted(&self.sessions) && sorted(&self.others)
    }

    /// Returns the indexes of the sessions that overlap a range.
    pub fn at(&self, range: &Range<usize>) -> Range<usize> {
        let from = self.sessions.partition_point(|at| at.range.end < range.start);
        from..self.sessions.partition_point(|at| at.range.start <= range.end).max(from)
    }

    /// Returns the sessions of a text that are analysed to know all of what is in some of them: these, and where they have
    /// clauses about events, those that include them.
    pub fn with_includers(&self, text: &str, sessions: Range<usize>) -> Vec<usize> {
        let mut all: BTreeSet<usize> = sessions.clone().collect();
        let name = |at: &Place| text.get(at.name.clone());
        let with_events = sessions.filter_map(|index| self.sessions.get(index)).filter(|at| at.has_events);
        add_includers(text, self, with_events.filter_map(name).collect(), &mut all);
        all.into_iter().collect()
    }

    /// Returns the index of the session of the main text that holds a span.
    pub(super) fn session_of(&self, span: Span) -> Option<usize> {
        if span.file == FileId::MAIN { holder(&self.sessions, &span.range()) } else { None }
    }
}

/// Adds the sessions that include one with one of these names, and those that include them in turn.
pub(super) fn add_includers<'t>(
    text: &'t str,
    outline: &Outline,
    mut open: Vec<&'t str>,
    to: &mut BTreeSet<usize>,
) {
    if open.is_empty() || outline.sessions.iter().all(|at| at.includes.is_empty()) {
        return;
    }
    let mut includers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, at) in outline.sessions.iter().enumerate() {
        for name in at.includes.iter().filter_map(|name| text.get(name.clone())) {
            includers.entry(name).or_default().push(index);
        }
    }
    while let Some(name) = open.pop() {
        for index in includers.remove(name).into_iter().flatten() {
            to.insert(index);
            open.extend(text.get(outline.sessions[index].name.clone()));
        }
    }
}

/// Returns the names of the sessions of the same text that clauses include, and whether one of them is about events.
fn clauses(clauses: &[Clause]) -> (Vec<Range<usize>>, bool) {
    let (mut includes, mut has_events) = (Vec::new(), false);
    // Clauses within clauses are as deep as the text likes, hence no recursion.
    let mut open: Vec<&Clause> = clauses.iter().collect();
    while let Some(clause) = open.pop() {
        match &clause.kind {
            ClauseKind::Include { session, .. } => {
                if let [name] = session.value.as_slice() {
                    includes.push(name.span.range());
                }
            }
            ClauseKind::When(when) => {
                open.extend(when.then.iter().chain(when.otherwise.iter().flatten()));
            }
            ClauseKind::Global { clauses, .. } => open.extend(clauses),
            ClauseKind::Trace(_)
            | ClauseKind::On(_)
            | ClauseKind::Stop(StopRule::On { .. })
            | ClauseKind::Dump(_) => {
                has_events = true;
            }
            _ => {}
        }
    }
    (includes, has_events)
}
