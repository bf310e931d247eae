//! Simplification of conditions without a change of meaning.
//!
//! # Equivalence
//!
//! The result is true for the same records and contexts as the input, as [`ir`](super::ir) defines truth: for every
//! record as long as its layout says, whatever its bytes are, where the place has the [context](super::context) that
//! the input needs. Memory behind pointers may fault, locations in the record may point outside, divisors may be 0, a
//! function may be unknown.
//!
//! # Method
//!
//! A literal is an atom or its negation. Each states that one *subject* (a number, a text, a mask, the order of two
//! numbers) is in a set. A subject that can lack a value has one additional value that represents this case. It is in
//! the set of no atom, because an atom without a value is false; it is in the set of an atom's negation. Then
//!
//! - `&&` of two literals about one subject is the intersection of their sets, `||` the union, `!` the complement;
//! - a literal with an empty set is false, one with all values true;
//! - in a conjunction, a literal whose set contains the intersection of others says nothing;
//! - what stands beside literals with `&&` counts only where they hold, beside `||` only where they do not: within it
//!   their sets, or the complements, are all there is.
//!
//! These are laws of sets, hence exact, also for atoms that cannot be evaluated. A subject that is
//! [total](Atom::is_total) does not have the additional value; only then does `!(x == v)` become `x != v`, and `x < 5
//! || x >= 5` true. If `name` is dynamic data, `name == "a" || name != "a"` stays: it is true only if there is a name.
//!
//! Sets of numbers are [`Ranges`](super::ranges::Ranges) within the range of the number (`number.rs`): that of its
//! type, or a narrower one if it is computed. A comparison of `x + 1` becomes one of `x` where nothing wraps. A set of
//! texts or masks is represented by one value or a pattern (`points.rs`); some relations between these are not found,
//! which makes the result longer and never wrong.
//!
//! # Result
//!
//! Negations stand at atoms. Each literal stays as it was written, unless another spelling is shorter as a kernel's
//! filter; several literals about one number become one where that is shorter: `x > 5 && x < 7` is `x == 6`. The order
//! is that of the input. Simplification of the result changes nothing. The time is about that of sorting the atoms.

mod findings;
mod form;
mod group;
mod number;
mod points;
mod subject;
mod tree;

#[cfg(doc)]
use crate::condition::ir::Atom;
use crate::condition::ir::{Condition, Number};

pub use findings::{Finding, FindingKind};

use group::Part;
use tree::{Node, Simplifier};

/// A simplified condition, and the findings about the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplified {
    /// The conjuncts. None of them is a conjunction; if there are none, the condition is [`Simplified::always`].
    pub conjuncts: Vec<SimplifiedConjunct>,
    /// The value if there are no conjuncts.
    pub always: bool,
    /// The findings, in the order of the atoms.
    pub findings: Vec<Finding>,
}

/// One part of a simplified conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimplifiedConjunct {
    /// The part.
    pub condition: Condition,
    /// The atoms of the input that the conjunct came from, as indexes of [`Condition::atoms`], ascending; never empty.
    pub atoms: Vec<usize>,
}

impl Simplified {
    /// Returns the whole condition.
    pub fn condition(&self) -> Condition {
        if self.conjuncts.is_empty() {
            return Condition::Const(self.always);
        }
        Condition::all(self.conjuncts.iter().map(|conjunct| conjunct.condition.clone()).collect())
    }
}

/// Returns the smallest and the largest value of a number; `None` if it never has one. The range is narrower than
/// [`Number::range`] where the number is computed: `x & 3` is 0 to 3.
pub fn reach(number: &Number) -> Option<(i128, i128)> {
    number::bounds(&number::Domain::of(number).ranges)
}

/// Simplifies a condition.
///
/// The recursion is as deep as the condition and its numbers.
pub fn simplify_condition(condition: &Condition) -> Simplified {
    let mut simplifier = Simplifier::default();
    let node = simplifier.build(condition, false);
    simplified(simplifier, node)
}

/// Simplifies the conjunction of some conditions, without a copy of it. Findings and results count the atoms of all.
pub fn simplify_conjunction<'a>(conditions: impl IntoIterator<Item = &'a Condition>) -> Simplified {
    let mut simplifier = Simplifier::default();
    let parts = conditions.into_iter().map(|condition| simplifier.build(condition, false)).collect();
    simplified(simplifier, Node::Join { all: true, parts })
}

fn simplified(mut simplifier: Simplifier, node: Node) -> Simplified {
    let node = simplifier.simplify_node(node);
    let always = !matches!(node, Node::Const(false));
    let mut conjuncts = Vec::new();
    for Part { condition, atoms } in node.into_conjuncts() {
        match condition {
            // One number may be written as several tests: `x & 3 in {0, 3}` as two with `!=`, if that is shorter.
            Condition::And(parts) => conjuncts.extend(
                parts.into_iter().map(|condition| SimplifiedConjunct { condition, atoms: atoms.clone() }),
            ),
            condition => conjuncts.push(SimplifiedConjunct { condition, atoms }),
        }
    }
    Simplified { conjuncts, always, findings: simplifier.findings.into_list() }
}
