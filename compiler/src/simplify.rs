//! Conditions are simplified before they are placed, and what is noticed on the way is told.
//!
//! A condition over a group of events is simplified for each of them. Something is told only if it holds for all the
//! events of the clause: of a field that is narrower in one of them, a comparison may say nothing there and a lot
//! elsewhere.

use std::collections::{HashMap, HashSet};

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::{Atom, Condition};
use tracec_kernel::condition::simplify::{Finding, FindingKind, simplify};

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{self, Conjuncts};

/// What is found in the conditions of one clause, which are those that stand at the same places.
#[derive(Debug, Default)]
struct Clause {
    events: usize,
    /// With how many events each was found for, in the order in which they were found.
    found: Vec<(Diagnostic, usize)>,
}

/// Simplifies every condition of a session.
pub fn session(mut session: ir::Session, diagnostics: &mut Diagnostics) -> ir::Session {
    let mut clauses: HashMap<Vec<Span>, Clause> = HashMap::new();
    let mut order: Vec<Vec<Span>> = Vec::new();
    for event in &mut session.events {
        let shared = shared(event);
        for (conjuncts, demanded) in conditions(event).into_iter().filter(|(all, _)| !all.is_empty()) {
            let place: Vec<Span> = conjuncts.iter().map(|conjunct| conjunct.span).collect();
            let (simplified, mut found) = conjunction(conjuncts);
            let constant = simplified.iter().any(|conjunct| matches!(conjunct.value, Condition::Const(_)));
            // What a trigger's own condition makes of the head says nothing against the head.
            if !constant && !place.iter().all(|span| shared.contains(span)) {
                found.retain(|diagnostic| key(diagnostic).1.is_none_or(|span| !shared.contains(&span)));
            }
            // `in kernel` is said of conjuncts as they are written: one that another implies must not vanish into it.
            if !demanded || constant {
                *conjuncts = simplified;
            }
            let clause = clauses.entry(place.clone()).or_insert_with(|| {
                order.push(place);
                Clause::default()
            });
            clause.add(found);
        }
    }
    // The head of a clause belongs to its recording and to each of its triggers.
    let mut said = HashSet::new();
    for clause in order.into_iter().filter_map(|place| clauses.remove(&place)) {
        let events = clause.events;
        let of_all = clause.found.into_iter().filter(|(_, count)| *count == events);
        for (diagnostic, _) in of_all.filter(|(diagnostic, _)| said.insert(key(diagnostic))) {
            diagnostics.push(diagnostic);
        }
    }
    session
}

impl Clause {
    /// Counts what was found for one more event; of several things with one code at one place the first.
    fn add(&mut self, found: Vec<Diagnostic>) {
        self.events += 1;
        let mut seen = HashSet::new();
        for diagnostic in found.into_iter().filter(|diagnostic| seen.insert(key(diagnostic))) {
            match self.found.iter_mut().find(|(other, _)| key(other) == key(&diagnostic)) {
                Some((_, count)) => *count += 1,
                None => self.found.push((diagnostic, 1)),
            }
        }
    }
}

/// What is said, and where.
fn key(diagnostic: &Diagnostic) -> (&'static str, Option<Span>) {
    (diagnostic.code.id, diagnostic.primary.as_ref().map(|label| label.span))
}

/// All conditions of an event, that of recording first, and whether the kernel has to decide a part of each.
fn conditions(event: &mut ir::Event) -> Vec<(&mut Conjuncts, bool)> {
    let recording = event.record.iter_mut();
    let recording = recording.map(|recording| (&mut recording.filter, !recording.demands.is_empty()));
    recording.chain(event.triggers.iter_mut().map(|trigger| (&mut trigger.condition, false))).collect()
}

/// Where the conjuncts stand that belong to several conditions of an event: the head of its clause.
fn shared(event: &mut ir::Event) -> HashSet<Span> {
    let mut seen = HashSet::new();
    let all = conditions(event).into_iter().flat_map(|(conjuncts, _)| conjuncts.iter());
    all.map(|conjunct| conjunct.span).filter(|span| !seen.insert(*span)).collect()
}

/// The simplified form of conditions that must all hold, and what there is to say about them.
///
/// A conjunct keeps its place; one that was made of several reaches from the first to the last of them. What holds for
/// every record is an empty list, what holds for none is the constant.
pub fn conjunction(given: &Conjuncts) -> (Conjuncts, Vec<Diagnostic>) {
    let whole = Condition::And(given.iter().map(|conjunct| conjunct.value.clone()).collect());
    let simplified = simplify(&whole);
    let sources = Sources::new(given, &whole);
    let mut found: Vec<Diagnostic> =
        simplified.findings.iter().map(|finding| sources.diagnostic(finding)).collect();
    if !simplified.conjuncts.is_empty() {
        let place = |atoms: &[usize]| {
            let spans = atoms.iter().map(|atom| sources.conjunct(*atom).span);
            spans.reduce(Span::to).unwrap_or(given[0].span)
        };
        let conjuncts = simplified.conjuncts.into_iter();
        let spanned = conjuncts.map(|part| Spanned::new(part.condition, place(&part.atoms)));
        return (spanned.collect(), found);
    }
    let Some(extent) = ir::extent(given) else { return (Vec::new(), found) };
    if found.is_empty() {
        found.push(codes::constant_condition::constant_condition(extent, simplified.always));
    }
    let never = (!simplified.always).then(|| Spanned::new(Condition::Const(false), extent));
    (never.into_iter().collect(), found)
}

/// Where atoms stand.
struct Sources<'a> {
    conjuncts: &'a Conjuncts,
    /// Each atom and its conjunct.
    atoms: Vec<(&'a Atom, usize)>,
}

impl<'a> Sources<'a> {
    fn new(conjuncts: &'a Conjuncts, whole: &'a Condition) -> Self {
        let owners = conjuncts
            .iter()
            .enumerate()
            .flat_map(|(index, conjunct)| std::iter::repeat_n(index, conjunct.value.atoms().len()));
        Sources { conjuncts, atoms: whole.atoms().into_iter().zip(owners).collect() }
    }

    fn conjunct(&self, atom: usize) -> &'a Spanned<Condition> {
        &self.conjuncts[self.atoms[atom].1]
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        // Every finding is about an atom, and every relation is to one.
        let atom = finding.atoms.first().copied().unwrap_or_default();
        let conjunct = self.conjunct(atom);
        let other = |others: &[usize]| {
            let other = others.first().copied().unwrap_or_default();
            codes::contradiction::Other { text: self.texts(others), span: self.conjunct(other).span }
        };
        let text = self.texts(&finding.atoms);
        match &finding.kind {
            FindingKind::AlwaysTrue { range } => self.constant(conjunct, &text, true, *range),
            FindingKind::AlwaysFalse { range } => self.constant(conjunct, &text, false, *range),
            FindingKind::Exhaustive { with } => {
                codes::constant_condition::exhaustive(conjunct.span, &text, &self.texts(with))
            }
            FindingKind::Contradiction { with } => {
                codes::contradiction::contradiction(conjunct.span, &text, &other(with))
            }
            FindingKind::Implied { by: others } | FindingKind::Duplicate { of: others } => {
                codes::redundant_condition::redundant_condition(conjunct.span, &text, &other(others))
            }
        }
    }

    fn constant(
        &self,
        conjunct: &Spanned<Condition>,
        atom: &str,
        value: bool,
        range: Option<(i128, i128)>,
    ) -> Diagnostic {
        let alone = simplify(&conjunct.value);
        if alone.conjuncts.is_empty() {
            return codes::constant_condition::of_range(conjunct.span, alone.always, range);
        }
        codes::constant_condition::part(conjunct.span, atom, value, range)
    }

    /// Atoms as they are written: the first ones of many.
    fn texts(&self, atoms: &[usize]) -> String {
        const NAMED: usize = 3;
        let named: Vec<String> =
            atoms.iter().take(NAMED).map(|atom| format!("`{}`", self.atoms[*atom].0)).collect();
        let more = if atoms.len() > NAMED { " .." } else { "" };
        format!("{}{more}", named.join(", "))
    }
}
