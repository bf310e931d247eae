//! Simplification of conditions before they are placed, and lints for redundant parts.
//!
//! A condition over a group of events is simplified once for the events that share it. A lint is reported only if it
//! applies to all events of the clause: where a field is narrower in one of them, a comparison may be redundant there
//! and not elsewhere.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::{Atom, Condition};
use tracec_kernel::condition::simplify::{
    Finding, FindingKind, Simplified, simplify_condition, simplify_conjunction,
};

use crate::diagnostic::codes::contradiction::{Other, Run};
use crate::diagnostic::render::one_line;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{self, AtomSpan, ConditionId, Conditions, Conjunct, Stop};
use crate::source::SourceMap;

/// The largest number of reported contradictions of one clause.
const CONTRADICTIONS: usize = 10;

/// The largest number of atoms, or places, that one lint names.
const NAMED: usize = 3;

/// A lint for a condition.
#[derive(Clone, Debug)]
pub struct Lint {
    /// The diagnostic.
    pub said: Diagnostic,
    /// Whether it says that the condition, or a part of it, holds for no record.
    pub never: bool,
}

/// The lints for the conditions of one clause, which are those with the same spans.
#[derive(Debug, Default)]
struct Clause {
    events: usize,
    /// The lints with the number of events of each, in the order in which they were found.
    found: Vec<(Lint, usize)>,
    /// The index of each lint in `found`.
    by_key: FxHashMap<Key, usize>,
}

/// The code and the span of a lint.
type Key = (&'static str, Option<Span>);

/// All clauses, in the order of their events.
#[derive(Debug, Default)]
struct Clauses {
    by_places: FxHashMap<Vec<Span>, Clause>,
    order: Vec<Vec<Span>>,
}

/// The conditions of an event: of its recording, then of its triggers.
type Given = Vec<ConditionId>;

/// Events that share all their conditions.
#[derive(Debug)]
struct Group {
    events: usize,
    /// One for each of their conditions that has conjuncts.
    simplified: Vec<SimplifiedClause>,
}

/// The result of simplifying a condition.
#[derive(Debug)]
struct SimplifiedClause {
    /// The spans of its conjuncts in the text.
    places: Vec<Span>,
    found: Vec<Lint>,
}

/// The short forms of conjunctions, each with whether it is the conjunction as it is written, without findings: one that
/// is written in many places is simplified once.
type Known<'a> = FxHashMap<Vec<&'a Condition>, (Rc<Simplified>, bool)>;

/// All groups of a session, in the order of their first events.
#[derive(Debug)]
struct Groups<'a, 'm> {
    texts: &'a SourceMap,
    given: &'a Conditions,
    /// The conditions of which the kernel has to decide a part.
    demanded: &'a FxHashSet<ConditionId>,
    known: &'m mut Known<'a>,
    /// The conditions that have become shorter.
    shorter: &'m mut FxHashMap<ConditionId, Vec<Conjunct>>,
    all: Vec<Group>,
    by_conditions: FxHashMap<Given, usize>,
}

/// Simplifies every condition of a module, which is written in these texts. Returns for each session the lints for
/// conditions that hold for no record.
pub fn simplify(
    module: ir::Module,
    texts: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> (ir::Module, Vec<Vec<Diagnostic>>) {
    let ir::Module { definitions, catalogue, conditions: mut given, mut sessions } = module;
    let demanded: FxHashSet<ConditionId> = demanded(&sessions).collect();
    let (mut shorter, mut known) = (FxHashMap::default(), Known::default());
    let mut never = Vec::new();
    for session in &sessions {
        let groups = Groups {
            texts,
            given: &given,
            demanded: &demanded,
            known: &mut known,
            shorter: &mut shorter,
            all: Vec::new(),
            by_conditions: FxHashMap::default(),
        };
        never.push(groups.session(session, diagnostics));
    }
    for (id, short) in shorter {
        given.replace(id, short);
    }
    let conditions = in_use(given, &mut sessions);
    (ir::Module { definitions, catalogue, conditions, sessions }, never)
}

/// Returns the conditions of which the kernel has to decide a part.
fn demanded(sessions: &[ir::Session]) -> impl Iterator<Item = ConditionId> {
    let recordings =
        sessions.iter().flat_map(|session| &session.events).filter_map(|event| event.record.as_ref());
    recordings.filter(|recording| !recording.demands.is_empty()).map(|recording| recording.filter)
}

/// Returns the conditions that sessions use, in the order of their use, and changes the sessions to their new ids.
fn in_use(mut conditions: Conditions, sessions: &mut [ir::Session]) -> Conditions {
    let (mut used, mut ids) = (Conditions::default(), FxHashMap::default());
    let mut keep = |id: &mut ConditionId| {
        *id = *ids.entry(*id).or_insert_with(|| used.add(conditions.replace(*id, Vec::new())));
    };
    for session in sessions {
        for event in &mut session.events {
            event.record.iter_mut().for_each(|recording| keep(&mut recording.filter));
            event.triggers.iter_mut().for_each(|trigger| keep(&mut trigger.condition));
        }
        for stop in &mut session.stops {
            if let Stop::When { events, .. } = &mut stop.value {
                events.iter_mut().for_each(|(_, condition)| keep(condition));
            }
        }
    }
    used
}

impl Groups<'_, '_> {
    /// Simplifies the conditions of a session. Returns the lints for those that hold for no record.
    fn session(mut self, session: &ir::Session, diagnostics: &mut Diagnostics) -> Vec<Diagnostic> {
        for event in &session.events {
            let recording = event.record.iter().map(|recording| recording.filter);
            let triggers = event.triggers.iter().map(|trigger| trigger.condition);
            self.one_event(recording.chain(triggers).collect());
        }
        for stop in &session.stops {
            let Stop::When { events, .. } = &stop.value else { continue };
            events.iter().for_each(|(_, condition)| self.one_event(vec![*condition]));
        }
        if self.all.iter().flat_map(|group| &group.simplified).all(|clause| clause.found.is_empty()) {
            return Vec::new();
        }
        let mut clauses = Clauses::default();
        for Group { events, simplified } in self.all {
            for SimplifiedClause { places, found } in simplified {
                clauses.add(places, found, events);
            }
        }
        clauses.report(diagnostics)
    }

    /// Simplifies the conditions of one more event.
    fn one_event(&mut self, given: Given) {
        let index = match self.by_conditions.get(&given) {
            Some(index) => *index,
            None => {
                let group = self.group(&given);
                self.all.push(group);
                self.by_conditions.insert(given, self.all.len() - 1);
                self.all.len() - 1
            }
        };
        self.all[index].events += 1;
    }

    fn group(&mut self, given: &Given) -> Group {
        let shared = shared(given, self.given);
        let mut simplified = Vec::with_capacity(given.len());
        for id in given {
            let conjuncts = &self.given[*id];
            if conjuncts.is_empty() {
                continue;
            }
            let places: Vec<Span> = conjuncts.iter().map(|conjunct| conjunct.span).collect();
            let (short, unchanged) = short_form(conjuncts, self.known);
            if unchanged {
                simplified.push(SimplifiedClause { places, found: Vec::new() });
                continue;
            }
            let (short, mut found) = conjunction(conjuncts, &short, self.texts);
            let constant = short.iter().any(|conjunct| matches!(conjunct.value, Condition::Const(_)));
            // A contradiction with a trigger's own condition is not a lint for the head.
            if !constant && !places.iter().all(|span| shared.contains(span)) {
                let head = Extents::new(&shared);
                found.retain(|lint| key(&lint.said).1.is_none_or(|span| !head.hold(span)));
            }
            // `in kernel` applies to conjuncts as they are written: one that another implies must not be dropped.
            if constant || !self.demanded.contains(id) {
                self.shorter.insert(*id, short);
            }
            simplified.push(SimplifiedClause { places, found });
        }
        Group { events: 0, simplified }
    }
}

impl Clauses {
    /// Adds lints for some more events to the clause whose conditions have these spans.
    fn add(&mut self, places: Vec<Span>, found: Vec<Lint>, events: usize) {
        let clause = self.by_places.entry(places.clone()).or_insert_with(|| {
            self.order.push(places);
            Clause::default()
        });
        clause.add(found, events);
    }

    /// Reports the lints that apply to all events of a clause. Returns those for conditions that hold for no record.
    fn report(mut self, diagnostics: &mut Diagnostics) -> Vec<Diagnostic> {
        // The head of a clause belongs to its recording and to each of its triggers.
        let mut reported = FxHashSet::default();
        let mut never = Vec::new();
        for clause in self.order.into_iter().filter_map(|places| self.by_places.remove(&places)) {
            let events = clause.events;
            let of_all = clause.found.into_iter().filter(|(_, count)| *count == events);
            let new = of_all.map(|(found, _)| found).filter(|found| reported.insert(key(&found.said)));
            for lint in first_contradictions(new.collect()) {
                if lint.never {
                    never.push(lint.said.clone());
                }
                diagnostics.push(lint.said);
            }
        }
        never
    }
}

/// Removes all but the first contradictions; the last one left counts the others. Hundreds of them come from one
/// mistake, or from a program.
fn first_contradictions(mut found: Vec<Lint>) -> Vec<Lint> {
    let is_one = |lint: &Lint| lint.said.code == &codes::contradiction::CODE;
    let Some(last) = (0..found.len()).filter(|index| is_one(&found[*index])).nth(CONTRADICTIONS - 1) else {
        return found;
    };
    let mut rest = found.split_off(last + 1);
    let before = rest.len();
    rest.retain(|lint| !is_one(lint));
    let more = before - rest.len();
    if let (1.., Some(last)) = (more, found.last_mut()) {
        last.said.notes.push(codes::contradiction::more(more));
    }
    found.append(&mut rest);
    found
}

impl Clause {
    /// Adds lints for some more events; of several lints with the same code and span, only the first.
    fn add(&mut self, found: Vec<Lint>, events: usize) {
        self.events += events;
        let mut seen = FxHashSet::default();
        for lint in found.into_iter().filter(|lint| seen.insert(key(&lint.said))) {
            let index = *self.by_key.entry(key(&lint.said)).or_insert(self.found.len());
            match self.found.get_mut(index) {
                Some((_, count)) => *count += events,
                None => self.found.push((lint, events)),
            }
        }
    }
}

fn key(diagnostic: &Diagnostic) -> Key {
    (diagnostic.code.id, diagnostic.primary.as_ref().map(|label| label.span))
}

/// Returns the spans of the conjuncts that belong to several conditions of an event: the head of its clause.
fn shared(given: &Given, conditions: &Conditions) -> FxHashSet<Span> {
    let mut seen = FxHashSet::default();
    // The conjuncts of one condition have different spans.
    if given.len() == 1 {
        return seen;
    }
    let all = given.iter().flat_map(|id| &conditions[*id]);
    all.map(|conjunct| conjunct.span).filter(|span| !seen.insert(*span)).collect()
}

/// Spans, searched for one that contains another span.
struct Extents {
    /// The spans, ascending by start, each with the largest end of those of its file up to it.
    furthest: Vec<Span>,
}

impl Extents {
    fn new(spans: &FxHashSet<Span>) -> Self {
        let mut furthest: Vec<Span> = spans.iter().copied().collect();
        furthest.sort_unstable();
        let mut last = Span::default();
        for span in &mut furthest {
            if last.file == span.file {
                span.end = span.end.max(last.end);
            }
            last = *span;
        }
        Extents { furthest }
    }

    /// Returns whether one of the spans contains this one.
    fn hold(&self, place: Span) -> bool {
        let starts = |span: &Span| (span.file, span.start) <= (place.file, place.start);
        let before = self.furthest.partition_point(starts);
        self.furthest[..before].last().is_some_and(|span| span.holds(place))
    }
}

/// Returns the short form of conditions that must all hold, and whether it is what is given.
fn short_form<'a>(given: &'a [Conjunct], known: &mut Known<'a>) -> (Rc<Simplified>, bool) {
    let values: Vec<&Condition> = given.iter().map(|conjunct| &conjunct.value).collect();
    if let Some((short, unchanged)) = known.get(&values) {
        return (Rc::clone(short), *unchanged);
    }
    let short = Rc::new(simplify_conjunction(values.iter().copied()));
    let unchanged = short.findings.is_empty()
        && short.conjuncts.len() == values.len()
        && short.conjuncts.iter().zip(&values).all(|(short, given)| short.condition == **given);
    known.insert(values, (Rc::clone(&short), unchanged));
    (short, unchanged)
}

/// Returns the simplified form of conditions that must all hold, and the lints for them.
///
/// A conjunct keeps its span; one that was made of several reaches from the first to the last of them. A condition that
/// holds for every record is an empty list, one that holds for none is the constant.
fn conjunction(given: &[Conjunct], simplified: &Simplified, texts: &SourceMap) -> (Vec<Conjunct>, Vec<Lint>) {
    let sources = Sources::new(given, texts);
    let findings = sources.together(&simplified.findings);
    let mut found: Vec<Lint> = findings.iter().map(|finding| sources.lint(finding)).collect();
    if !simplified.conjuncts.is_empty() {
        let conjuncts = simplified.conjuncts.iter();
        return (conjuncts.map(|part| sources.conjunct_of(&part.condition, &part.atoms)).collect(), found);
    }
    let Some(extent) = ir::extent(given) else { return (Vec::new(), found) };
    if found.is_empty() {
        let said = codes::constant_condition::constant_condition(extent, simplified.always);
        found.push(Lint { said, never: !simplified.always });
    }
    let never = Conjunct { value: Condition::Const(false), span: extent, atoms: Vec::new() };
    let never = (!simplified.always).then_some(never);
    (never.into_iter().collect(), found)
}

/// The places of atoms in the text.
struct Sources<'a> {
    texts: &'a SourceMap,
    conjuncts: &'a [Conjunct],
    /// Each atom, its conjunct and its place.
    atoms: Vec<(&'a Atom, usize, AtomSpan)>,
    /// Whether each atom is negated: computed when it is first needed.
    negated: OnceCell<Vec<bool>>,
    /// The value of each conjunct alone, if it is constant: computed when it is first needed, and only once, because
    /// each of its atoms may need it.
    alone: Vec<OnceCell<Option<bool>>>,
}

impl<'a> Sources<'a> {
    fn new(conjuncts: &'a [Conjunct], texts: &'a SourceMap) -> Self {
        let mut atoms = Vec::new();
        for (index, conjunct) in conjuncts.iter().enumerate() {
            let places = conjunct.value.atoms().into_iter().zip(&conjunct.atoms);
            atoms.extend(places.map(|(atom, place)| (atom, index, *place)));
        }
        Sources {
            texts,
            conjuncts,
            atoms,
            negated: OnceCell::new(),
            alone: vec![OnceCell::new(); conjuncts.len()],
        }
    }

    /// Returns whether an atom is negated, counting all negations around it.
    fn is_negated(&self, atom: usize) -> bool {
        let negated = self.negated.get_or_init(|| {
            let mut negated = Vec::new();
            self.conjuncts.iter().for_each(|conjunct| polarities(&conjunct.value, false, &mut negated));
            negated
        });
        negated[atom]
    }

    fn conjunct(&self, atom: usize) -> &'a Conjunct {
        &self.conjuncts[self.atoms[atom].1]
    }

    /// Returns the value of an atom's conjunct alone, if it is constant.
    fn alone(&self, atom: usize) -> Option<bool> {
        let index = self.atoms[atom].1;
        *self.alone[index].get_or_init(|| {
            let simplified = simplify_condition(&self.conjuncts[index].value);
            simplified.conjuncts.is_empty().then_some(simplified.always)
        })
    }

    /// Returns a condition that was made of some atoms as a conjunct, which spans the conjuncts of these atoms.
    fn conjunct_of(&self, condition: &Condition, atoms: &[usize]) -> Conjunct {
        let spans = atoms.iter().map(|atom| self.conjunct(*atom).span);
        let span = spans.reduce(Span::to).unwrap_or(self.conjuncts[0].span);
        let count = condition.atoms().len();
        // Where conjuncts were joined, each new one comes from all of them.
        let spans = match count == atoms.len() {
            true => atoms.iter().map(|atom| self.atoms[*atom].2.span).collect(),
            false => vec![span; count],
        };
        // Each may have another spelling now.
        let places = spans.into_iter().map(|span| AtomSpan { span, written: None });
        Conjunct { value: condition.clone(), span, atoms: places.collect() }
    }

    /// Returns those of the atoms that are within the conjunct of the first of them.
    fn beside(&self, atoms: &[usize]) -> Vec<usize> {
        // Every finding is about an atom, and every relation is to one.
        let first = atoms.first().copied().unwrap_or_default();
        atoms.iter().copied().filter(|atom| self.atoms[*atom].1 == self.atoms[first].1).collect()
    }

    /// Returns the span from the first of some atoms to the last, within the conjunct of the first.
    fn place(&self, atoms: &[usize]) -> Span {
        let spans = self.beside(atoms).into_iter().map(|atom| self.atoms[atom].2.span);
        spans.reduce(Span::to).unwrap_or(self.conjuncts[0].span)
    }

    /// Returns this span in pieces that contain no other atom: the first ones of many.
    fn runs(&self, atoms: &[usize]) -> Vec<Run> {
        let mut atoms = self.beside(atoms);
        atoms.sort_unstable();
        let runs = atoms.chunk_by(|atom, next| atom + 1 == *next).take(NAMED);
        runs.map(|run| Run { span: self.place(run), several: run.len() > 1 }).collect()
    }

    /// Joins contradictions of the same atoms within one conjunct, which are one mistake: both parts of `(x == 3 || x
    /// == 4)` beside `x == 1`.
    fn together(&self, findings: &[Finding]) -> Vec<Finding> {
        let mut joined: Vec<Finding> = Vec::new();
        let mut by_others: FxHashMap<(usize, Vec<usize>), usize> = FxHashMap::default();
        for finding in findings {
            if let (FindingKind::Contradiction { with }, Some(first)) = (&finding.kind, finding.atoms.first())
            {
                let key = (self.atoms[*first].1, with.clone());
                let index = *by_others.entry(key).or_insert(joined.len());
                if let Some(known) = joined.get_mut(index) {
                    known.atoms.extend(&finding.atoms);
                    continue;
                }
            }
            joined.push(finding.clone());
        }
        joined
    }

    fn lint(&self, finding: &Finding) -> Lint {
        let span = self.place(&finding.atoms);
        let text = self.literals(&finding.atoms);
        let other = |others: &[usize]| Other { text: self.literals(others), runs: self.runs(others) };
        let said = match &finding.kind {
            FindingKind::AlwaysTrue { range } => return self.constant(finding, true, *range),
            FindingKind::AlwaysFalse { range } => return self.constant(finding, false, *range),
            FindingKind::Exhaustive { with } => {
                codes::constant_condition::exhaustive(span, &text, &other(with))
            }
            FindingKind::Contradiction { with } => {
                codes::contradiction::contradiction(&text, &self.runs(&finding.atoms), &other(with))
            }
            FindingKind::Implied { by: others } | FindingKind::Duplicate { of: others } => {
                codes::redundant_condition::redundant_condition(span, &text, &other(others))
            }
        };
        Lint { said, never: matches!(finding.kind, FindingKind::Contradiction { .. }) }
    }

    fn constant(&self, finding: &Finding, value: bool, range: Option<(i128, i128)>) -> Lint {
        let first = finding.atoms.first().copied().unwrap_or_default();
        if let Some(always) = self.alone(first) {
            let said = codes::constant_condition::of_range(self.conjunct(first).span, always, range);
            return Lint { said, never: !always };
        }
        // The finding is about the atom itself, regardless of negations.
        let text = self.texts(&finding.atoms, |_| false);
        let said = codes::constant_condition::part(self.place(&finding.atoms), &text, value, range);
        Lint { said, never: !value }
    }

    /// Returns atoms with their effective negations.
    fn literals(&self, atoms: &[usize]) -> String {
        self.texts(atoms, |atom| self.is_negated(atom))
    }

    /// Returns atoms in quotes: the first ones of many.
    fn texts(&self, atoms: &[usize], negated: impl Fn(usize) -> bool) -> String {
        let text = |&atom: &usize| match (negated(atom), self.text(atom)) {
            (true, text) => format!("`!({text})`"),
            (false, text) => format!("`{text}`"),
        };
        let named: Vec<String> = atoms.iter().take(NAMED).map(text).collect();
        let more = if atoms.len() > NAMED { " .." } else { "" };
        format!("{}{more}", named.join(", "))
    }

    /// Returns an atom as it is written if that is printable and on one line, else in the usual form of conditions.
    fn text(&self, atom: usize) -> Cow<'a, str> {
        let (shown, _, place) = self.atoms[atom];
        let written = place.written.map(|span| self.texts.text_of(span));
        match written.filter(|text| one_line(text) == *text) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(shown.to_string()),
        }
    }
}

/// Collects whether each atom of a condition is negated, in their order.
fn polarities(condition: &Condition, negated: bool, found: &mut Vec<bool>) {
    match condition {
        Condition::Const(_) => {}
        Condition::Atom(_) => found.push(negated),
        Condition::Not(inner) => polarities(inner, !negated, found),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().for_each(|part| polarities(part, negated, found));
        }
    }
}
