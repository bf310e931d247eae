//! Validation of the invariants that the [form](super::ir) of conditions documents.
//!
//! The checker of the language makes conditions that hold them. A condition that was deserialised, or that another
//! program made, may have any shape that the types allow, and targets depend on every documented invariant.

use super::ir::{Atom, Condition, DEPTH, Number, NumberOp, Sign, Text, TextTest};
use crate::format::FieldKind;

/// The reason why a condition is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCondition {
    /// A conjunction or disjunction has fewer than two parts.
    #[error("a conjunction or disjunction has fewer than two parts")]
    FewParts,
    /// A condition or a number nests too deep.
    #[error("it nests deeper than {DEPTH} levels")]
    Deep,
    /// A comparison has a constant on its left side.
    #[error("a comparison has a constant on its left side")]
    ConstantLeft,
    /// A constant has more than 64 bits.
    #[error("the number {0} has more than 64 bits")]
    Constant(i128),
    /// A cast is to an integer type that does not exist.
    #[error("there is no integer of {0} bytes")]
    Cast(u32),
    /// The sign of an operation does not follow from its operands.
    #[error("the sign of an operation is not that of its operands")]
    Sign,
    /// A test does not fit the kind of its field.
    #[error("the field `{0}` does not hold {1}")]
    Field(String, &'static str),
    /// A set is empty.
    #[error("a set is empty")]
    EmptySet,
    /// A string holds a NUL.
    #[error("a string holds a NUL byte")]
    Nul,
}

impl Condition {
    /// Checks every invariant that the [form](super::ir) documents.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn check(&self) -> Result<(), InvalidCondition> {
        let mut rest = vec![(self, 0)];
        while let Some((condition, depth)) = rest.pop() {
            if depth > DEPTH {
                return Err(InvalidCondition::Deep);
            }
            match condition {
                Condition::Const(_) => {}
                Condition::Atom(atom) => check_atom(atom)?,
                Condition::Not(inner) => rest.push((inner, depth + 1)),
                Condition::And(parts) | Condition::Or(parts) if parts.len() < 2 => {
                    return Err(InvalidCondition::FewParts);
                }
                Condition::And(parts) | Condition::Or(parts) => {
                    rest.extend(parts.iter().map(|part| (part, depth + 1)));
                }
            }
        }
        Ok(())
    }
}

fn check_atom(atom: &Atom) -> Result<(), InvalidCondition> {
    let not = |name: &str, what| InvalidCondition::Field(name.to_owned(), what);
    match atom {
        Atom::Compare { left: Number::Const(_), op: _, right: _ } => Err(InvalidCondition::ConstantLeft),
        Atom::Compare { left, op: _, right } => {
            check_number(left)?;
            check_number(right)
        }
        Atom::In { of, ranges } if ranges.is_empty() => check_number(of).and(Err(InvalidCondition::EmptySet)),
        Atom::In { of, ranges: _ } => check_number(of),
        Atom::Text { of, test } => {
            if let (Text::Field(field), None) = (of, of.place()) {
                return Err(not(&field.name, "text"));
            }
            match test {
                TextTest::Eq(text) | TextTest::Ne(text) if text.contains('\0') => Err(InvalidCondition::Nul),
                TextTest::Eq(_) | TextTest::Ne(_) | TextTest::Glob(_) => Ok(()),
            }
        }
        Atom::Mask { of, test: _, cpus } => match of.kind {
            FieldKind::DynCpumask | FieldKind::RelCpumask if cpus.is_empty() => {
                Err(InvalidCondition::EmptySet)
            }
            FieldKind::DynCpumask | FieldKind::RelCpumask => Ok(()),
            _ => Err(not(&of.name, "a mask of CPUs")),
        },
        Atom::Function { of, name } if name.contains('\0') || of.kind != FieldKind::Int => {
            Err(not(&of.name, "an address"))
        }
        Atom::Function { of: _, name: _ } => Ok(()),
    }
}

/// Returns whether there are integers of this size.
fn exists(bytes: u32) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8)
}

fn check_number(number: &Number) -> Result<(), InvalidCondition> {
    let mut rest = vec![(number, 0)];
    let mut operations = Vec::new();
    while let Some((number, depth)) = rest.pop() {
        if depth > DEPTH {
            return Err(InvalidCondition::Deep);
        }
        match number {
            Number::Const(value) => {
                let (first, last) = Number::CONSTANTS;
                if !(first..=last).contains(value) {
                    return Err(InvalidCondition::Constant(*value));
                }
            }
            Number::Field(field) if !field.integer().is_some_and(|integer| exists(integer.bytes)) => {
                return Err(InvalidCondition::Field(field.name.to_string(), "an integer"));
            }
            Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => {}
            Number::Cast { to, of } => {
                if !exists(to.bytes) {
                    return Err(InvalidCondition::Cast(to.bytes));
                }
                rest.push((of, depth + 1));
            }
            Number::Binary { op, sign, left, right } => {
                rest.extend([(&**left, depth + 1), (&**right, depth + 1)]);
                operations.push((*op, *sign, &**left, &**right));
            }
        }
    }
    // A sign follows from the types of the operands, which exist.
    let follows = |&(op, sign, left, right): &(NumberOp, Sign, &Number, &Number)| {
        Number::sign_of(op, left, right) == sign
    };
    if operations.iter().all(follows) { Ok(()) } else { Err(InvalidCondition::Sign) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::ir::{CompareOp, MaskTest};
    use crate::condition::ranges::Ranges;
    use crate::format::{Field, IntegerType};

    fn field(kind: FieldKind) -> Field {
        Field { name: "f".into(), type_text: "int".into(), kind, offset: 8, size: 4, signed: true }
    }

    fn number() -> Number {
        Number::Field(field(FieldKind::Int))
    }

    fn compare(left: Number, right: Number) -> Condition {
        Condition::Atom(Atom::Compare { left, op: CompareOp::Eq, right })
    }

    fn good() -> Condition {
        compare(number(), Number::Const(1))
    }

    #[test]
    fn condition_that_breaks_an_invariant_is_found() {
        assert_eq!(good().check(), Ok(()));
        let text = |of, test| Condition::Atom(Atom::Text { of, test });
        let equal = || TextTest::Eq("x".to_owned());
        let mask = |kind, cpus| Condition::Atom(Atom::Mask { of: field(kind), test: MaskTest::Any, cpus });
        let sum = |sign| {
            let (left, right) = (Box::new(number()), Box::new(Number::Const(1)));
            Number::Binary { op: NumberOp::Add, sign, left, right }
        };
        let binary = |sign| compare(sum(sign), Number::Const(1));
        let odd = Number::Field(Field { size: 3, ..field(FieldKind::Int) });
        let cast = |bytes| Number::Cast { to: IntegerType { bytes, signed: false }, of: Box::new(number()) };
        let deep = |levels: usize| (0..levels).fold(good(), |inner, _| Condition::Not(Box::new(inner)));
        let deep_number = (0..=DEPTH).fold(number(), |of, _| Number::Cast {
            to: IntegerType { bytes: 4, signed: true },
            of: Box::new(of),
        });
        assert_eq!((deep(DEPTH).check(), binary(Sign::Signed).check()), (Ok(()), Ok(())));
        let not = |what| InvalidCondition::Field("f".to_owned(), what);
        for (condition, expected) in [
            (Condition::And(vec![good()]), InvalidCondition::FewParts),
            (Condition::Or(Vec::new()), InvalidCondition::FewParts),
            (deep(DEPTH + 1), InvalidCondition::Deep),
            (compare(deep_number, Number::Const(1)), InvalidCondition::Deep),
            (compare(Number::Const(1), number()), InvalidCondition::ConstantLeft),
            (compare(number(), Number::Const(1 << 64)), InvalidCondition::Constant(1 << 64)),
            (compare(cast(3), Number::Const(1)), InvalidCondition::Cast(3)),
            (binary(Sign::Unsigned), InvalidCondition::Sign),
            (
                compare(
                    Number::Cast {
                        to: IntegerType { bytes: 4, signed: true },
                        of: Box::new(sum(Sign::Unsigned)),
                    },
                    Number::Const(1),
                ),
                InvalidCondition::Sign,
            ),
            (compare(odd, Number::Const(1)), not("an integer")),
            (compare(Number::Field(field(FieldKind::Opaque)), Number::Const(1)), not("an integer")),
            (text(Text::Field(field(FieldKind::Int)), equal()), not("text")),
            (
                text(Text::Field(field(FieldKind::CharArray)), TextTest::Ne("a\0".to_owned())),
                InvalidCondition::Nul,
            ),
            (mask(FieldKind::Int, Ranges::new([(0, 1)])), not("a mask of CPUs")),
            (mask(FieldKind::DynCpumask, Ranges::new([])), InvalidCondition::EmptySet),
            (Condition::Atom(Atom::In { of: number(), ranges: Ranges::new([]) }), InvalidCondition::EmptySet),
            (
                Condition::Atom(Atom::Function { of: field(FieldKind::CharArray), name: "x".to_owned() }),
                not("an address"),
            ),
        ] {
            assert_eq!(condition.check(), Err(expected));
        }
    }
}
