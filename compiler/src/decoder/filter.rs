//! The condition under which a session records an event.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;

use super::test::{Needs, Test};
use crate::ir::Conjunct;

/// The condition of a session for an event.
#[derive(Debug)]
pub(crate) struct Filter<'a> {
    /// The session.
    pub(crate) session: &'a str,
    /// The index of the record.
    pub(crate) record: usize,
    /// The conjuncts that it was made of.
    pub(crate) conjuncts: &'a [Conjunct],
    /// The tests.
    pub(crate) tests: Vec<Test<'a>>,
    /// Formulas that others refer to: each to those before it only.
    pub(crate) parts: Vec<Formula>,
    /// The whole formula.
    pub(crate) formula: Formula,
}

/// What the results of tests decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// A constant.
    Constant(bool),
    /// The result of a test.
    Test(usize),
    /// The result of a part.
    Part(usize),
    /// The opposite.
    Not(Box<Formula>),
    /// All of them; two or more.
    All(Vec<Formula>),
    /// At least one of them; two or more.
    Any(Vec<Formula>),
}

/// The depth up to which a formula is one expression. A deeper one is written in parts: compilers have limits for
/// parentheses (clang: 256).
const DEPTH: usize = 16;

impl<'a> Filter<'a> {
    /// Returns the filter of conjuncts; `None` if a test asks for what neither a record nor an argument holds.
    pub(crate) fn of(
        session: &'a str,
        record: usize,
        conjuncts: &'a [Conjunct],
        format: &EventFormat,
    ) -> Option<Filter<'a>> {
        let mut filter = Filter {
            session,
            record,
            conjuncts,
            tests: Vec::new(),
            parts: Vec::new(),
            formula: Formula::Constant(true),
        };
        let mut formulas = Vec::new();
        for conjunct in conjuncts {
            formulas.push(filter.formula(&conjunct.value, format)?.0);
        }
        filter.formula = match formulas.len() {
            0 => Formula::Constant(true),
            1 => formulas.remove(0),
            _ => Formula::All(formulas),
        };
        Some(filter)
    }

    /// Returns what it needs beside the record.
    pub(crate) fn needs(&self) -> Needs {
        self.tests.iter().fold(Needs::default(), |needs, test| needs.or(test.needs))
    }

    /// Returns what the tests and parts that a formula calls need beside the record; `None` if it calls none. A part
    /// takes what the whole filter needs.
    pub(crate) fn used(&self, formula: &Formula) -> Option<Needs> {
        match formula {
            Formula::Constant(_) => None,
            Formula::Test(index) => Some(self.tests[*index].needs),
            Formula::Part(_) => Some(self.needs()),
            Formula::Not(inner) => self.used(inner),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().filter_map(|part| self.used(part)).reduce(Needs::or)
            }
        }
    }

    /// Returns the formula of a condition and its depth.
    fn formula(&mut self, condition: &'a Condition, format: &EventFormat) -> Option<(Formula, usize)> {
        let (formula, depth) = match condition {
            Condition::Const(value) => (Formula::Constant(*value), 0),
            Condition::Atom(atom) => {
                self.tests.push(Test::of(atom, format).filter(|test| !test.needs.memory)?);
                (Formula::Test(self.tests.len() - 1), 0)
            }
            Condition::Not(inner) => {
                let (inner, depth) = self.formula(inner, format)?;
                (Formula::Not(Box::new(inner)), depth + 1)
            }
            Condition::And(parts) => self.list(parts, Formula::All, format)?,
            Condition::Or(parts) => self.list(parts, Formula::Any, format)?,
        };
        if depth < DEPTH {
            return Some((formula, depth));
        }
        self.parts.push(formula);
        Some((Formula::Part(self.parts.len() - 1), 0))
    }

    fn list(
        &mut self,
        parts: &'a [Condition],
        make: fn(Vec<Formula>) -> Formula,
        format: &EventFormat,
    ) -> Option<(Formula, usize)> {
        let (mut formulas, mut deepest) = (Vec::new(), 0);
        for part in parts {
            let (formula, depth) = self.formula(part, format)?;
            formulas.push(formula);
            deepest = deepest.max(depth);
        }
        Some((make(formulas), deepest + 1))
    }
}

impl Formula {
    /// Returns the formula as an expression of C or Rust, of the calls of its tests and parts.
    pub(crate) fn expression(&self, call: &Calls<'_>) -> String {
        match self {
            Formula::Constant(value) => value.to_string(),
            Formula::Test(index) => (call.test)(*index),
            Formula::Part(index) => (call.part)(*index),
            Formula::Not(inner) => format!("!{}", inner.operand(call)),
            Formula::All(parts) => joined(parts, " && ", call),
            Formula::Any(parts) => joined(parts, " || ", call),
        }
    }

    fn operand(&self, call: &Calls<'_>) -> String {
        match self {
            Formula::All(_) | Formula::Any(_) => format!("({})", self.expression(call)),
            _ => self.expression(call),
        }
    }
}

fn joined(parts: &[Formula], connector: &str, call: &Calls<'_>) -> String {
    let parts: Vec<String> = parts.iter().map(|part| part.operand(call)).collect();
    parts.join(connector)
}

/// How the tests and the parts of a formula are called.
pub(crate) struct Calls<'c> {
    /// The call of a test.
    pub(crate) test: &'c dyn Fn(usize) -> String,
    /// The call of a part.
    pub(crate) part: &'c dyn Fn(usize) -> String,
}
