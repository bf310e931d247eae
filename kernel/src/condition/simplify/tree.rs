//! Connectives: simplification of each part by the literals beside it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::condition::ir::{Atom, Condition};

use super::findings::{FindingKind, Findings};
use super::form::{negation, price, write};
use super::group::{Literal, Part, merge};
use super::subject::{AtomMeaning, Set, Topics};

/// The limit of the rounds in which parts are simplified by the results of the round before. Only chains of
/// implications written backwards need more, which are then left unchanged.
const ROUNDS: usize = 8;

/// A condition with negations only in its literals.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Const(bool),
    Literal(Literal),
    /// A conjunction or disjunction of two or more.
    Join {
        all: bool,
        parts: Vec<Node>,
    },
}

/// Knowledge about a subject at a part of the condition, from the literals beside it.
#[derive(Debug)]
struct Fact {
    set: Set,
    /// The atoms that state it.
    atoms: Vec<usize>,
    /// Whether `&&` joins them with the part: the part counts only where they hold. Otherwise it counts only where they
    /// do not.
    given: bool,
}

/// Simplifies one condition.
#[derive(Debug, Default)]
pub(super) struct Simplifier {
    topics: Topics,
    pub(super) findings: Findings,
    /// The facts about each subject, the outermost first. A fact about a number includes those before.
    facts: FxHashMap<usize, Vec<Fact>>,
    /// The number of atoms seen so far.
    atoms: usize,
}

impl Simplifier {
    /// Returns the condition with its negations pushed down to the atoms. That is always allowed: a condition has two
    /// values.
    pub(super) fn build(&mut self, condition: &Condition, negated: bool) -> Node {
        let (all, parts) = match condition {
            Condition::Const(value) => return Node::Const(*value != negated),
            Condition::Atom(atom) => return self.literal(atom, negated),
            Condition::Not(inner) => return self.build(inner, !negated),
            Condition::And(parts) => (!negated, parts),
            Condition::Or(parts) => (negated, parts),
        };
        Node::Join { all, parts: parts.iter().map(|part| self.build(part, negated)).collect() }
    }

    fn literal(&mut self, atom: &Atom, negated: bool) -> Node {
        let number = self.atoms;
        self.atoms += 1;
        let (id, set) = match self.topics.meaning(atom) {
            AtomMeaning::Const(value, range) => return self.constant(number, value, range, negated),
            AtomMeaning::In(id, set) => (id, set),
        };
        let topic = self.topics.get(id);
        if let Some(value) = topic.constant(&set) {
            return self.constant(number, value, None, negated);
        }
        let (set, original) = if negated {
            (topic.complement(&set), negation(atom))
        } else {
            (set, Condition::Atom(atom.clone()))
        };
        // A test is never shorter than one comparison.
        let own = price(&original);
        let shorter = if own > 1 { write(topic, &set).filter(|written| price(written) < own) } else { None };
        let part = Part { condition: shorter.unwrap_or(original), atoms: vec![number] };
        Node::Literal(Literal { topic: id, set, parts: vec![part], all: true })
    }

    fn constant(&mut self, atom: usize, value: bool, range: Option<(i128, i128)>, negated: bool) -> Node {
        let kind = if value { FindingKind::AlwaysTrue { range } } else { FindingKind::AlwaysFalse { range } };
        self.findings.add(vec![atom], kind);
        Node::Const(value != negated)
    }

    /// Returns a condition that is equivalent wherever the facts hold.
    pub(super) fn simplify_node(&mut self, node: Node) -> Node {
        match node {
            Node::Const(value) => Node::Const(value),
            Node::Literal(literal) => self.under_facts(literal),
            Node::Join { all, parts } => self.join(all, parts).unwrap_or(Node::Const(!all)),
        }
    }

    /// Simplifies the parts; `None` if one part decides: false of a conjunction, true of a disjunction.
    fn join(&mut self, all: bool, parts: Vec<Node>) -> Option<Node> {
        let (mut literals, mut rest) = (Vec::new(), Vec::new());
        self.sort(all, parts, &mut literals, &mut rest)?;
        for _ in 0..ROUNDS {
            literals = merge(literals, all, &self.topics, &mut self.findings)?;
            if rest.is_empty() && !literals.iter().any(|literal| self.is_known(literal.topic)) {
                // There is no part that the literals could simplify.
                break;
            }
            let mut known = FxHashMap::default();
            let found = self.round(all, &mut known, &mut literals, &mut rest);
            for (topic, count) in known {
                let facts = self.facts.entry(topic).or_default();
                facts.truncate(facts.len().saturating_sub(count));
            }
            if !found? {
                break;
            }
        }
        self.without_twins(&mut rest);
        let mut parts: Vec<Node> = literals.into_iter().map(Node::Literal).chain(rest).collect();
        Some(match parts.pop() {
            None => Node::Const(all),
            Some(only) if parts.is_empty() => only,
            Some(last) => {
                parts.push(last);
                Node::Join { all, parts }
            }
        })
    }

    /// Simplifies the parts that are not literals by the literals. Returns whether that made new literals; `None` if
    /// one part decides. The number of facts added about each subject goes to `known`.
    fn round(
        &mut self,
        all: bool,
        known: &mut FxHashMap<usize, usize>,
        literals: &mut Vec<Literal>,
        rest: &mut Vec<Node>,
    ) -> Option<bool> {
        for literal in literals.iter() {
            self.assume(all, literal, known)?;
        }
        let before = literals.len();
        for part in std::mem::take(rest) {
            let part = self.simplify_node(part);
            let from = literals.len();
            self.sort(all, vec![part], literals, rest)?;
            for literal in &literals[from..] {
                self.assume(all, literal, known)?;
            }
        }
        Some(literals.len() > before)
    }

    /// Returns whether there is a fact about a subject.
    fn is_known(&self, topic: usize) -> bool {
        self.facts.get(&topic).is_some_and(|facts| !facts.is_empty())
    }

    /// Flattens parts of the same connective, and separates the literals. `None` if one part decides.
    fn sort(
        &mut self,
        all: bool,
        parts: Vec<Node>,
        literals: &mut Vec<Literal>,
        rest: &mut Vec<Node>,
    ) -> Option<()> {
        for part in parts {
            let part = match part {
                Node::Literal(literal) => self.under_facts(literal),
                part => part,
            };
            match part {
                Node::Const(value) if value == all => {}
                Node::Const(_) => return None,
                Node::Literal(literal) => literals.push(literal),
                Node::Join { all: inner, parts } if inner == all => self.sort(all, parts, literals, rest)?,
                join => rest.push(join),
            }
        }
        Some(())
    }

    /// Adds a literal to the facts. `None` if no value is left then: the connective is decided.
    fn assume(&mut self, all: bool, literal: &Literal, known: &mut FxHashMap<usize, usize>) -> Option<()> {
        let topic = self.topics.get(literal.topic);
        let facts = self.facts.entry(literal.topic).or_default();
        let mut fact = Fact { set: literal.known(all, topic), atoms: literal.atoms(), given: all };
        if let (Set::Values(own), Some(Fact { set: Set::Values(outer), atoms, given })) =
            (&mut fact.set, facts.last())
        {
            *own = topic.domain.clip(&own.intersection(outer));
            if own.is_empty() {
                let kind = match all && *given {
                    true => FindingKind::Contradiction { with: atoms.clone() },
                    false => FindingKind::Implied { by: atoms.clone() },
                };
                self.findings.add(fact.atoms, kind);
                return None;
            }
            fact.atoms.extend(atoms);
            fact.given &= *given;
        }
        let count = known.entry(literal.topic).or_default();
        // The new fact about a number includes the one before.
        if *count > 0 && matches!(fact.set, Set::Values(_)) {
            facts.pop();
            *count -= 1;
        }
        facts.push(fact);
        *count += 1;
        Some(())
    }

    /// Simplifies a literal where the facts hold: unchanged, or true, or false.
    fn under_facts(&mut self, literal: Literal) -> Node {
        let topic = self.topics.get(literal.topic);
        let facts = self.facts.get(&literal.topic).map_or(&[][..], Vec::as_slice);
        if facts.is_empty() {
            return Node::Literal(literal);
        }
        let opposite = topic.complement(&literal.set);
        let decides =
            |fact: &&Fact| topic.implies(&fact.set, &literal.set) || topic.implies(&fact.set, &opposite);
        // The last fact about a number includes all before.
        let last = facts.last().filter(|_| matches!(literal.set, Set::Values(_)));
        if last.is_some_and(|last| !decides(&last)) {
            return Node::Literal(literal);
        }
        // The outermost fact that does is reported: those within it are more specific than needed, and parts that one
        // fact decides get one finding.
        let Some(fact) = facts.iter().find(decides) else { return Node::Literal(literal) };
        let value = topic.implies(&fact.set, &literal.set);
        let kind = if value || !fact.given {
            FindingKind::Implied { by: fact.atoms.clone() }
        } else {
            FindingKind::Contradiction { with: fact.atoms.clone() }
        };
        self.findings.add(literal.atoms(), kind);
        Node::Const(value)
    }

    /// Removes duplicate parts.
    fn without_twins(&mut self, rest: &mut Vec<Node>) {
        let mut seen: FxHashMap<Condition, Vec<usize>> = FxHashMap::default();
        rest.retain(|part| {
            let Some(Part { condition, atoms }) = part.clone().into_part() else { return true };
            let of = seen.get(&condition).cloned();
            if let Some(of) = &of {
                self.findings.add(atoms, FindingKind::Duplicate { of: of.clone() });
            } else {
                seen.insert(condition, atoms);
            }
            of.is_none()
        });
    }
}

impl Node {
    /// Returns the conjuncts, or one part that is not a conjunction, in the order of the input. A constant has none.
    pub(super) fn into_conjuncts(self) -> Vec<Part> {
        self.into_parts(true)
    }

    /// Returns the node's parts as parts of a conjunction (`all`) or a disjunction.
    fn into_parts(self, all: bool) -> Vec<Part> {
        match self {
            Node::Join { all: own, parts } if own == all => {
                let mut parts: Vec<Part> = parts.into_iter().flat_map(|part| part.into_parts(all)).collect();
                parts.sort_by(|a, b| a.atoms.cmp(&b.atoms));
                parts
            }
            Node::Literal(literal) => literal.into_parts(all),
            other => other.into_part().into_iter().collect(),
        }
    }

    /// Returns the node as one part; `None` of a constant.
    fn into_part(self) -> Option<Part> {
        let all = match &self {
            Node::Const(_) => return None,
            Node::Literal(literal) => literal.all,
            Node::Join { all, .. } => *all,
        };
        let parts = self.into_parts(all);
        let atoms: FxHashSet<usize> = parts.iter().flat_map(|part| part.atoms.iter().copied()).collect();
        let mut atoms: Vec<usize> = atoms.into_iter().collect();
        atoms.sort_unstable();
        let parts = parts.into_iter().map(|part| part.condition).collect();
        Some(Part { condition: if all { Condition::all(parts) } else { Condition::any(parts) }, atoms })
    }
}
