//! Validation of the invariants that the [form](super::ir) of conditions documents.
//!
//! The checker of the language makes conditions that hold them. A condition that was deserialised, or that another
//! program made, may have any shape that the types allow, and targets depend on every documented invariant.

use super::ir::{Atom, CPUS, Condition, DEPTH, Number, NumberOp, Sign, Text, TextTest};
use super::ranges::Ranges;
use super::simplify::reach;
use crate::format::{EventFormat, Field, FieldKind};

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
    /// A sign of 64 bits represents one side of a comparison or of an operation, and not the other.
    #[error("no sign represents both {0} and {1}")]
    Mixed(String, String),
    /// A field is not one of the event.
    #[error("the event has no field `{0}` of this type and place")]
    OtherEvent(String),
    /// A set is empty.
    #[error("a set is empty")]
    EmptySet,
    /// A number in a list of CPUs is not the number of a CPU.
    #[error("there is no CPU {0}")]
    Cpu(i128),
    /// A string holds a NUL.
    #[error("a string holds a NUL byte")]
    Nul,
}

impl Condition {
    /// Checks every invariant that the [form](super::ir) documents, except for the one that needs the event:
    /// [`check_fields`](Self::check_fields).
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

    /// Checks that the fields that it tests are those of one event.
    ///
    /// # Errors
    /// [`InvalidCondition::OtherEvent`] for the first field that is not.
    pub fn check_fields(&self, event: &EventFormat) -> Result<(), InvalidCondition> {
        let is_own = |field: &Field| match event.fields.contains(field) {
            true => Ok(()),
            false => Err(InvalidCondition::OtherEvent(field.name.to_string())),
        };
        // A number may be an array of bytes as one integer.
        let is_number = |field: &Field| {
            let packs = || event.fields.iter().any(|own| own.packed().as_ref() == Some(field));
            is_own(field).or_else(|wrong| if packs() { Ok(()) } else { Err(wrong) })
        };
        self.atoms().into_iter().try_for_each(|atom| match atom {
            Atom::Compare { left, op: _, right } => {
                [left, right].into_iter().flat_map(fields).try_for_each(is_number)
            }
            Atom::In { of, ranges: _ } => fields(of).into_iter().try_for_each(is_number),
            Atom::Text { of: Text::Field(of) | Text::User(of), test: _ } => is_own(of),
            Atom::Text { of: Text::Comm, test: _ } => Ok(()),
            Atom::Mask { of, test: _, cpus: _ } | Atom::Function { of, name: _ } => is_own(of),
        })
    }
}

/// Returns the fields that a number is computed from.
fn fields(number: &Number) -> Vec<&Field> {
    let mut fields = Vec::new();
    let mut rest = vec![number];
    while let Some(number) = rest.pop() {
        match number {
            Number::Const(_) | Number::Cpu | Number::Pid | Number::Tgid => {}
            Number::Field(field) => fields.push(field),
            Number::Cast { to: _, of } => rest.push(of),
            Number::Binary { op: _, sign: _, left, right } => rest.extend([&**right, &**left]),
        }
    }
    fields
}

fn check_atom(atom: &Atom) -> Result<(), InvalidCondition> {
    match atom {
        Atom::Compare { left: Number::Const(_), op: _, right: _ } => Err(InvalidCondition::ConstantLeft),
        Atom::Compare { left, op: _, right } => {
            check_number(left)?;
            check_number(right)?;
            check_sides(left, right)
        }
        Atom::In { of, ranges } => {
            check_number(of)?;
            check_set(of, ranges)
        }
        Atom::Text { of, test } => {
            check_text(of)?;
            match test {
                TextTest::Eq(text) | TextTest::Ne(text) if text.contains('\0') => Err(InvalidCondition::Nul),
                TextTest::Eq(_) | TextTest::Ne(_) | TextTest::Glob(_) => Ok(()),
            }
        }
        Atom::Mask { of, test: _, cpus } => match of.kind {
            FieldKind::DynCpumask | FieldKind::RelCpumask if is_sized(of) => check_cpus(cpus),
            _ => Err(not(of, "a mask of CPUs")),
        },
        Atom::Function { of, name: _ } if of.kind != FieldKind::Int || of.size != 8 => {
            Err(not(of, "an address"))
        }
        Atom::Function { of: _, name } if name.contains('\0') => Err(InvalidCondition::Nul),
        Atom::Function { of: _, name: _ } => Ok(()),
    }
}

fn not(field: &Field, what: &'static str) -> InvalidCondition {
    InvalidCondition::Field(field.name.to_string(), what)
}

fn check_text(text: &Text) -> Result<(), InvalidCondition> {
    match text {
        Text::Field(field) if text.storage().is_none() || !is_sized(field) => Err(not(field, "text")),
        Text::User(field)
            if !matches!(field.kind, FieldKind::Int | FieldKind::CharPtr) || field.size != 8 =>
        {
            Err(not(field, "an address"))
        }
        Text::Field(_) | Text::User(_) | Text::Comm => Ok(()),
    }
}

/// Returns whether a field has the size of its kind: an address has 8 bytes, the location of dynamic data 4, or 8 in a
/// synthetic event (`trace_event_raw_event_synth` in kernel/trace/trace_events_synth.c).
fn is_sized(field: &Field) -> bool {
    match field.kind {
        FieldKind::CharPtr => field.size == 8,
        FieldKind::DynString | FieldKind::RelString | FieldKind::DynCpumask | FieldKind::RelCpumask => {
            matches!(field.size, 4 | 8)
        }
        _ => true,
    }
}

fn check_cpus(cpus: &Ranges) -> Result<(), InvalidCondition> {
    let (first, last) = ends(cpus)?;
    match [first, last].into_iter().find(|cpu| !CPUS.contains(cpu)) {
        Some(outside) => Err(InvalidCondition::Cpu(outside)),
        None => Ok(()),
    }
}

/// Checks the values of a set that a number is tested for. Each is one side of a comparison.
fn check_set(of: &Number, values: &Ranges) -> Result<(), InvalidCondition> {
    let (first, last) = ends(values)?;
    for end in [first, last].map(Number::Const) {
        check_number(&end)?;
        check_sides(of, &end)?;
    }
    Ok(())
}

/// Returns the ends of a set; an empty one is invalid.
fn ends(set: &Ranges) -> Result<(i128, i128), InvalidCondition> {
    let ends = set.iter().next().zip(set.iter().next_back());
    ends.map(|((first, _), (_, last))| (first, last)).ok_or(InvalidCondition::EmptySet)
}

/// Checks that one sign represents all values that two numbers can have.
fn check_sides(left: &Number, right: &Number) -> Result<(), InvalidCondition> {
    let fits = |left, right| {
        [Sign::Signed, Sign::Unsigned].into_iter().any(|sign| is_within(left, sign) && is_within(right, sign))
    };
    // The type of a number is known at once, and nearly always enough.
    if fits(left.range(), right.range()) {
        return Ok(());
    }
    match reach(left).zip(reach(right)) {
        Some((l, r)) if !fits(l, r) => Err(InvalidCondition::Mixed(left.to_string(), right.to_string())),
        // A number that never has a value has none that a sign cannot represent.
        Some(_) | None => Ok(()),
    }
}

/// Checks that the sign of an operation follows from its operands, and represents all values that they can have. The
/// count of a shift keeps its own value.
fn check_operation(op: NumberOp, sign: Sign, left: &Number, right: &Number) -> Result<(), InvalidCondition> {
    if Number::sign_of(op, left, right) != sign {
        return Err(InvalidCondition::Sign);
    }
    let is_held = |number: &Number| {
        is_within(number.range(), sign) || reach(number).is_none_or(|range| is_within(range, sign))
    };
    let is_shift = matches!(op, NumberOp::Shl | NumberOp::Shr);
    if is_held(left) && (is_shift || is_held(right)) {
        return Ok(());
    }
    Err(InvalidCondition::Mixed(left.to_string(), right.to_string()))
}

fn is_within((first, last): (i128, i128), sign: Sign) -> bool {
    let (min, max) = sign.range();
    min <= first && last <= max
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
                return Err(not(field, "an integer"));
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
    // A sign follows from the types of the operands, which exist. The operands of an operation stand behind it: each is
    // checked before the operation that uses its range.
    operations
        .into_iter()
        .rev()
        .try_for_each(|(op, sign, left, right)| check_operation(op, sign, left, right))
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

    fn sized(kind: FieldKind, size: u32) -> Field {
        Field { size, ..field(kind) }
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
            (text(Text::User(field(FieldKind::CharArray)), equal()), not("an address")),
            (text(Text::Comm, TextTest::Eq("\0".to_owned())), InvalidCondition::Nul),
            (mask(FieldKind::DynCpumask, Ranges::new([])), InvalidCondition::EmptySet),
            (mask(FieldKind::DynCpumask, Ranges::new([(-1, 3)])), InvalidCondition::Cpu(-1)),
            (mask(FieldKind::RelCpumask, Ranges::new([(0, 1 << 32)])), InvalidCondition::Cpu(1 << 32)),
            (within(number(), [].into()), InvalidCondition::EmptySet),
            (within(number(), vec![(0, 1 << 64)]), InvalidCondition::Constant(1 << 64)),
            (within(number(), vec![(i128::MIN, 0)]), InvalidCondition::Constant(i128::MIN)),
            (function(FieldKind::CharArray, 8, "x"), not("an address")),
            (function(FieldKind::Int, 4, "x"), not("an address")),
            (function(FieldKind::Int, 8, "x\0"), InvalidCondition::Nul),
        ] {
            assert_eq!(condition.check(), Err(expected));
        }
        for condition in [
            function(FieldKind::Int, 8, "x"),
            mask(FieldKind::DynCpumask, Ranges::new([(0, u32::MAX.into())])),
            within(number(), vec![(0, 0)]),
            text(Text::User(sized(FieldKind::CharPtr, 8)), equal()),
            text(Text::Comm, equal()),
        ] {
            assert_eq!(condition.check(), Ok(()), "{condition}");
        }
    }

    #[test]
    fn address_or_location_of_another_size_than_the_kernels_is_found() {
        use FieldKind::{CharArray, CharPtr, DynCpumask, DynString, Int, RelCpumask, RelString};
        let test = |of| Condition::Atom(Atom::Text { of, test: TextTest::Eq("x".to_owned()) });
        let mask = |of| Condition::Atom(Atom::Mask { of, test: MaskTest::Any, cpus: Ranges::new([(0, 1)]) });
        let not = |what| InvalidCondition::Field("f".to_owned(), what);
        for size in (0..=9).chain([16, u32::MAX]) {
            let (address, location) = (size == 8, matches!(size, 4 | 8));
            for (condition, is_valid, what) in [
                (test(Text::User(sized(Int, size))), address, "an address"),
                (test(Text::User(sized(CharPtr, size))), address, "an address"),
                (test(Text::Field(sized(CharPtr, size))), address, "text"),
                (test(Text::Field(sized(DynString, size))), location, "text"),
                (test(Text::Field(sized(RelString, size))), location, "text"),
                (mask(sized(DynCpumask, size)), location, "a mask of CPUs"),
                (mask(sized(RelCpumask, size)), location, "a mask of CPUs"),
            ] {
                let expected = if is_valid { Ok(()) } else { Err(not(what)) };
                assert_eq!(condition.check(), expected, "{condition} of {size} bytes");
            }
            assert_eq!(test(Text::Field(sized(CharArray, size))).check(), Ok(()));
        }
    }

    fn within(of: Number, ranges: Vec<(i128, i128)>) -> Condition {
        Condition::Atom(Atom::In { of, ranges: Ranges::new(ranges) })
    }

    fn function(kind: FieldKind, size: u32, name: &str) -> Condition {
        Condition::Atom(Atom::Function { of: Field { size, ..field(kind) }, name: name.to_owned() })
    }

    /// Returns an integer field of 64 bits.
    fn long(signed: bool) -> Number {
        // In eight unsigned bytes, `int` would be the type of an argument of a system call.
        Number::Field(Field { type_text: "u64".into(), size: 8, signed, ..field(FieldKind::Int) })
    }

    fn is_mixed(condition: &Condition) -> bool {
        match condition.check() {
            Ok(()) => false,
            Err(InvalidCondition::Mixed(..)) => true,
            Err(other) => panic!("{condition}: {other}"),
        }
    }

    #[test]
    fn numbers_that_no_sign_represents_together_are_found() {
        let and = |of, mask| Number::binary(NumberOp::And, of, Number::Const(mask));
        let add = |left, right| Number::binary(NumberOp::Add, left, right);
        let shifted = |left, right| Number::binary(NumberOp::Shr, left, right);
        let never = |of| Number::binary(NumberOp::Div, of, Number::Const(0));
        let top = 1 << 63;
        for (condition, expected) in [
            (compare(long(false), Number::Const(-1)), true),
            (compare(long(false), Number::Const(top)), false),
            (compare(long(true), Number::Const(top)), true),
            (compare(long(true), Number::Const(top - 1)), false),
            (compare(number(), Number::Const(-1)), false),
            (compare(number(), Number::Const(1 << 40)), false),
            (compare(long(true), long(false)), true),
            (compare(number(), long(false)), true),
            (compare(number(), long(true)), false),
            // The mask leaves no value above the largest signed number.
            (compare(and(long(false), 7), long(true)), false),
            (compare(and(long(false), top), long(true)), true),
            (within(long(false), vec![(-1, -1), (5, 5)]), true),
            (within(long(true), vec![(5, 5), (top, top)]), true),
            (within(number(), vec![(-5, 5)]), false),
            (compare(add(long(true), long(false)), Number::Const(0)), true),
            (compare(add(long(false), Number::Const(-1)), Number::Const(0)), true),
            (compare(add(long(true), and(long(false), 7)), Number::Const(0)), false),
            (compare(add(add(long(true), long(false)), number()), Number::Const(0)), true),
            // The count of a shift keeps its own value.
            (compare(shifted(long(false), long(true)), Number::Const(0)), false),
            (compare(shifted(long(true), long(false)), Number::Const(0)), false),
            (compare(never(number()), long(false)), true),
        ] {
            assert_eq!(is_mixed(&condition), expected, "{condition}");
            let text = serde_json::to_string(&condition).unwrap();
            assert_eq!(is_mixed(&serde_json::from_str(&text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn field_of_another_event_is_found() {
        let layout = |size| {
            let file = "name: e\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
                \tfield:int f;\toffset:8;\tsize:SIZE;\tsigned:1;\n\nprint fmt: \"\"\n";
            EventFormat::parse("s", &file.replace("SIZE", size)).unwrap()
        };
        let with = |operand: Number| {
            let sum = Number::binary(NumberOp::Add, Number::Pid, operand);
            Condition::Not(Box::new(compare(sum, Number::Cpu)))
        };
        let text = Condition::Atom(Atom::Text {
            of: Text::User(field(FieldKind::CharPtr)),
            test: TextTest::Eq(String::new()),
        });
        let other = || Err(InvalidCondition::OtherEvent("f".to_owned()));
        assert_eq!(with(number()).check_fields(&layout("4")), Ok(()));
        assert_eq!(with(Number::Const(3)).check_fields(&layout("8")), Ok(()));
        assert_eq!(with(number()).check_fields(&layout("8")), other());
        assert_eq!(within(number(), vec![(0, 1)]).check_fields(&layout("8")), other());
        assert_eq!(function(FieldKind::Int, 8, "x").check_fields(&layout("4")), other());
        assert_eq!(text.check_fields(&layout("4")), other());
    }
}
