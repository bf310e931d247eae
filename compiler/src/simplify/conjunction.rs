//! A conjunction in its short form, with the spans of the text, and the lints for it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::{Atom, Condition};
use tracec_kernel::condition::simplify::{
    Finding, FindingKind, Simplified, simplify_condition, simplify_conjunction,
};

use super::lints::Lint;
use super::never::{Cause, Never};
use crate::diagnostic::codes;
use crate::diagnostic::codes::contradiction::{Other, Run};
use crate::diagnostic::render::one_line;
use crate::ir::{self, AtomSpan, Conjunct};
use crate::source::SourceMap;

/// The largest number of atoms, or spans, that one lint names.
const NAMED: usize = 3;

/// The short forms of conjunctions, each with whether it is the conjunction as it is written, without findings: one
/// that is written in many places is simplified once.
pub(super) type ShortForms<'a> = FxHashMap<Vec<&'a Condition>, (Rc<Simplified>, bool)>;

/// Returns the short form of conditions that must all hold, and whether it is what is given.
pub(super) fn short_form<'a>(
    given: impl Iterator<Item = &'a Conjunct>,
    known: &mut ShortForms<'a>,
) -> (Rc<Simplified>, bool) {
    let values: Vec<&Condition> = given.map(|conjunct| &conjunct.value).collect();
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
pub(super) fn conjunction(
    given: &[Conjunct],
    simplified: &Simplified,
    texts: &SourceMap,
) -> (Vec<Conjunct>, Vec<Lint>) {
    let sources = Sources::new(given, texts);
    let findings = sources.together(&simplified.findings);
    let mut found: Vec<Lint> = findings.iter().map(|finding| sources.lint(finding)).collect();
    if !simplified.conjuncts.is_empty() {
        let conjuncts = simplified.conjuncts.iter();
        return (conjuncts.map(|part| sources.conjunct_of(&part.condition, &part.atoms)).collect(), found);
    }
    let Some(extent) = ir::extent(given) else { return (Vec::new(), found) };
    if found.is_empty() {
        let diagnostic = codes::constant_condition::constant_condition(extent, simplified.always);
        found.push(Lint { diagnostic, about: None, never: constant(extent, simplified.always) });
    }
    let never = Conjunct { value: Condition::Const(false), span: extent, atoms: Vec::new() };
    let never = (!simplified.always).then_some(never);
    (never.into_iter().collect(), found)
}

/// Returns the reason that a part with this value is.
fn constant(span: Span, value: bool) -> Option<Never> {
    (!value).then_some(Never { cause: Cause::Constant, span })
}

/// The atoms of a conjunction with their spans in the text.
struct Sources<'a> {
    texts: &'a SourceMap,
    conjuncts: &'a [Conjunct],
    /// Each atom, the index of its conjunct, and its span.
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
            let spans = conjunct.value.atoms().into_iter().zip(&conjunct.atoms);
            atoms.extend(spans.map(|(atom, span)| (atom, index, *span)));
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
        let atoms = spans.into_iter().map(|span| AtomSpan { span, written: None });
        Conjunct { value: condition.clone(), span, atoms: atoms.collect() }
    }

    /// Returns those of the atoms that are within the conjunct of the first of them.
    fn beside(&self, atoms: &[usize]) -> Vec<usize> {
        // Every finding is about an atom, and every relation is to one.
        let first = atoms.first().copied().unwrap_or_default();
        atoms.iter().copied().filter(|atom| self.atoms[*atom].1 == self.atoms[first].1).collect()
    }

    /// Returns the span from the first of some atoms to the last, within the conjunct of the first.
    fn extent(&self, atoms: &[usize]) -> Span {
        let spans = self.beside(atoms).into_iter().map(|atom| self.atoms[atom].2.span);
        spans.reduce(Span::to).unwrap_or(self.conjuncts[0].span)
    }

    /// Returns this span in pieces that contain no other atom: the first ones of many.
    fn runs(&self, atoms: &[usize]) -> Vec<Run> {
        let mut atoms = self.beside(atoms);
        atoms.sort_unstable();
        let runs = atoms.chunk_by(|atom, next| atom + 1 == *next).take(NAMED);
        runs.map(|run| Run { span: self.extent(run), several: run.len() > 1 }).collect()
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
        let span = self.extent(&finding.atoms);
        let text = self.literals(&finding.atoms);
        let other = |others: &[usize]| Other { text: self.literals(others), runs: self.runs(others) };
        let about = finding.atoms.first().map(|atom| self.atoms[*atom].1);
        let mut never = None;
        let diagnostic = match &finding.kind {
            FindingKind::AlwaysTrue { range } => return self.constant(finding, true, *range),
            FindingKind::AlwaysFalse { range } => return self.constant(finding, false, *range),
            FindingKind::Exhaustive { with } => {
                codes::constant_condition::exhaustive(span, &text, &other(with))
            }
            FindingKind::Contradiction { with } => {
                let runs = self.runs(&finding.atoms);
                never = runs.first().map(|run| Never { cause: Cause::Contradiction, span: run.span });
                codes::contradiction::contradiction(&text, &runs, &other(with))
            }
            FindingKind::Implied { by: others } | FindingKind::Duplicate { of: others } => {
                codes::redundant_condition::redundant_condition(span, &text, &other(others))
            }
        };
        Lint { diagnostic, about, never }
    }

    fn constant(&self, finding: &Finding, value: bool, range: Option<(i128, i128)>) -> Lint {
        let first = finding.atoms.first().copied().unwrap_or_default();
        let about = Some(self.atoms[first].1);
        if let Some(always) = self.alone(first) {
            let span = self.conjunct(first).span;
            let diagnostic = codes::constant_condition::of_range(span, always, range);
            return Lint { diagnostic, about, never: constant(span, always) };
        }
        // The finding is about the atom itself, regardless of negations.
        let text = self.texts(&finding.atoms, |_| false);
        let span = self.extent(&finding.atoms);
        let diagnostic = codes::constant_condition::part(span, &text, value, range);
        Lint { diagnostic, about, never: constant(span, value) }
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
        let (shown, _, spans) = self.atoms[atom];
        let written = spans.written.map(|span| self.texts.text_of(span));
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
