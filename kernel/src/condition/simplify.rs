//! Conditions made shorter without a change of meaning.
//!
//! # What is the same
//!
//! The result is true for the same records and contexts as the input, as [`ir`](super::ir) defines truth: for every
//! record as long as its layout says, whatever it holds, where the place has the [context](super::context) that the input
//! asks for. Memory behind pointers may fault, locations in the record may point outside, divisors may be 0, a function
//! may be unknown.
//!
//! # The one argument
//!
//! A literal is an atom or its negation. Each says of one *subject* (a number, a text, a mask, the order of two numbers)
//! that it lies in a set. A subject that can lack a value has one more value that stands for that. No atom has it in
//! its set, for an atom without a value is false; the negation of an atom has it. Then
//!
//! - `&&` of two literals about one subject is the intersection of their sets, `||` the union, `!` the complement;
//! - a literal with an empty set is false, one with all values true;
//! - in a conjunction, a literal whose set contains the intersection of others says nothing;
//! - what stands beside literals with `&&` counts only where they hold, beside `||` only where they do not: within it
//!   their sets, or the complements, are all there is.
//!
//! These are laws of sets, hence exact, also for what cannot be evaluated. In a subject that is
//! [total](Atom::is_total) the additional value does not occur; so, and only so, becomes `!(x == v)` `x != v`, and
//! `x < 5 || x >= 5` true. Of `name` in dynamic data, `name == "a" || name != "a"` stays: it says that there is a name.
//!
//! Sets of numbers are [`Ranges`](super::ranges::Ranges) within what the number can come to (`number.rs`): the range of
//! its type, narrower where it is computed. A comparison of `x + 1` is one of `x` where nothing wraps. Texts and masks
//! are known by one value or a pattern (`points.rs`); there not every relation is seen, which costs length and never
//! meaning.
//!
//! # The form of the result
//!
//! Negations stand at atoms. Each literal is as it was written, unless another spelling is shorter as a kernel's filter;
//! of a number several are one where that is shorter: `x > 5 && x < 7` is `x == 6`. The order is that of the input.
//! Simplifying the result changes nothing. The time is about that of sorting the atoms.

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

pub use findings::{Finding, Kind as FindingKind};

use tree::{Node, Simplifier};

/// A simplified condition, and what was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplified {
    /// What must hold, part by part. None of them is a conjunction; of none, the condition is [`Simplified::always`].
    pub conjuncts: Vec<Conjunct>,
    /// The value if there are no conjuncts.
    pub always: bool,
    /// What was noticed, in the order of the atoms.
    pub findings: Vec<Finding>,
}

/// One part of a simplified conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct {
    /// The part.
    pub condition: Condition,
    /// The atoms of the input that it came from, by their place in [`Condition::atoms`], ascending; never empty.
    pub atoms: Vec<usize>,
}

impl Simplified {
    /// The whole condition.
    pub fn condition(&self) -> Condition {
        if self.conjuncts.is_empty() {
            return Condition::Const(self.always);
        }
        Condition::all(self.conjuncts.iter().map(|conjunct| conjunct.condition.clone()).collect())
    }
}

/// The smallest and the largest value that a number can come to; `None` if it never has one. Narrower than
/// [`Number::range`] where the number is computed: `x & 3` is 0 to 3.
pub fn reach(number: &Number) -> Option<(i128, i128)> {
    number::bounds(&number::Domain::of(number).ranges)
}

/// Simplifies a condition.
///
/// The call recurses as deep as the condition and its numbers do.
pub fn simplify(condition: &Condition) -> Simplified {
    let mut simplifier = Simplifier::default();
    let node = simplifier.build(condition, false);
    let node = simplifier.simplify(node);
    let always = !matches!(node, Node::Const(false));
    let conjuncts = node.into_conjuncts();
    Simplified {
        conjuncts: conjuncts
            .into_iter()
            .map(|part| Conjunct { condition: part.condition, atoms: part.atoms })
            .collect(),
        always,
        findings: simplifier.findings.into_list(),
    }
}
