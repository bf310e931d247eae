//! The intermediate form of conditions: the tests of one record that a session asks for, and the specification of their
//! meaning.
//!
//! The checker makes this form, every target realises it, and its meaning is the same for all of them.
//! [`eval`](mod@super::eval) computes it; [`realisation`](super::realisation) is the table of how each target
//! implements or refuses each part.
//!
//! # Truth
//!
//! A condition is true or false, never undefined. An [`Atom`] is one test of the record or its moment. An atom that
//! cannot be evaluated is **false**: its field or the field's dynamic data lies outside the record, the memory behind a
//! pointer faults, a divisor is 0, a shift count is not 0 to 63, the place has no such context. [`Condition::Not`]
//! negates that result. Hence `x != v` and `!(x == v)` differ, and no pass may turn one into the other unless the atom
//! is [total](Atom::is_total): it can always be evaluated, given a record as long as its layout says, and a place that
//! has the context. There is no order of evaluation: atoms have no side effects.
//!
//! An atom that does not fit its field, a number test of a structure or a text test of a number, is false too.
//!
//! A record that is shorter than its layout is not a valid record of this event; every atom that reads beyond its end
//! is false. Passes need not preserve the result for such records: `x < 5 || x >= 5` may become true. They preserve it
//! for all records that are long enough, whatever their bytes are: a location in one may point outside, and the atoms
//! of that data are then false.
//!
//! # Integers
//!
//! A [`Number`] is a 64-bit integer with a sign of its own ([`Number::sign`]). The value of a field is extended to 64
//! bits by the sign of its type, [`Field::integer`]. That type is the record's, except for an argument of a system
//! call: its type is the C type, in the low bytes of the eight that are recorded. `as T` keeps the low bytes of T and
//! extends them by T's sign.
//!
//! Arithmetic wraps at 64 bits. Its sign is unsigned where neither side's type can be negative, and signed otherwise;
//! it represents all values that the operands can have, so a target may compute in that sign without a check. Division
//! truncates toward 0, and the remainder has the dividend's sign; the smallest signed number divided by -1 wraps to
//! itself, with remainder 0. A right shift of a signed number copies its sign bit. The sign of a shift is that of its
//! left side alone; its count keeps its own value, so that -1 is not a valid count under either sign.
//!
//! A comparison is one of numbers, not of bits: one of the two signs represents all values that both sides can have. A
//! number of a set is such a side. What a number can have is its [`reach`](super::simplify::reach), which is narrower
//! than its type where it is computed: `x & 7` compares with any number, an unsigned `x` of 64 bits with none below 0.
//!
//! # Text
//!
//! A text is the bytes up to the first NUL, or to the end of the field's data: a field of size 0 extends to the end of
//! the record, and dynamic data of length 0 is the empty text whatever its offset is. Equality compares all bytes,
//! case-sensitively. A [`Glob`] matches the whole text; its unit is the byte. Behind a pointer the text is its first
//! [`POINTED_TEXT_BYTES`](crate::tables::limits::POINTED_TEXT_BYTES)` - 1` bytes; the name of the task has at most
//! [`TASK_COMM_LEN`](crate::tables::limits::TASK_COMM_LEN)` - 1`.
//!
//! # Sets of CPUs
//!
//! A mask in a record is the set of the bits that the record holds. [`MaskTest::Any`] tests for a CPU in common,
//! [`MaskTest::Equal`] for the same CPUs and no others.
//!
//! # Fields and context
//!
//! Fields are those of one event: the same text gives one condition per event of a group. The [context](super::context)
//! of a condition consists of the values that a recording [lacks](super::realisation::Way::Lacks), and the CPU. The
//! task that runs is known by its thread id ([`Number::Pid`]), which the header of every record holds, its process id
//! ([`Number::Tgid`]) and its name ([`Text::Comm`]). Each target decides how it reads them.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::condition::glob::{Glob, GlobToken};
use crate::condition::ranges::Ranges;
use crate::format::{Field, FieldKind, IntegerType};

/// The depth of conditions, and of numbers, up to which they are accepted. The language's own conditions are far below
/// it, and code that walks a condition has the stack for it.
pub const DEPTH: usize = 1_000;

/// The numbers of CPUs that a list may hold.
pub const CPUS: RangeInclusive<i128> = 0..=u32::MAX as i128;

/// A typed condition over the record of one event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A constant.
    Const(bool),
    /// A test.
    Atom(Atom),
    /// Logical not.
    Not(Box<Condition>),
    /// All parts hold; two or more.
    And(Vec<Condition>),
    /// At least one part holds; two or more.
    Or(Vec<Condition>),
}

/// One test of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Atom {
    /// `left OP right`.
    Compare {
        /// The left operand.
        left: Number,
        /// The operator.
        op: CompareOp,
        /// The right operand; a constant stands here, not on the left.
        right: Number,
    },
    /// `of in {1, 2, 5..=9}`.
    In {
        /// The number.
        of: Number,
        /// The values, in the range [`Number::CONSTANTS`]; not empty.
        ranges: Ranges,
    },
    /// A text compared with a constant.
    Text {
        /// The text.
        of: Text,
        /// The test.
        test: TextTest,
    },
    /// A mask of CPUs in the record compared with a list.
    Mask {
        /// A field of the kind [`FieldKind::DynCpumask`] or [`FieldKind::RelCpumask`].
        of: Field,
        /// The test.
        test: MaskTest,
        /// The CPUs, in the range [`CPUS`]; not empty.
        cpus: Ranges,
    },
    /// `of.function == name`: an address in the function of that name.
    Function {
        /// The address: an integer of 8 bytes.
        of: Field,
        /// The function; holds no NUL.
        name: String,
    },
}

/// A 64-bit integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A constant, in the range [`Number::CONSTANTS`].
    Const(i128),
    /// An integer field, the common ones included. Its kind is [`FieldKind::Int`].
    Field(Field),
    /// The CPU that wrote the record.
    Cpu,
    /// The thread id of the task that runs: the kernel's `pid`. The records have it in their header, as `common_pid`.
    Pid,
    /// The process id of the task that runs: the kernel's `tgid`, which all threads of a process share.
    Tgid,
    /// `of as to`.
    Cast {
        /// The type.
        to: IntegerType,
        /// The number that is cast.
        of: Box<Number>,
    },
    /// `left OP right`.
    Binary {
        /// The operation.
        op: NumberOp,
        /// The sign of the operation: [`Number::sign_of`] its operands.
        sign: Sign,
        /// Left operand.
        left: Box<Number>,
        /// Right operand.
        right: Box<Number>,
    },
}

/// The interpretation of the 64 bits of a [`Number`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Two's complement.
    Signed,
    /// 0 to 2^64 - 1.
    Unsigned,
}

/// Operations on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`; a divisor of 0 gives no value.
    Div,
    /// `%`; a divisor of 0 gives no value.
    Rem,
    /// `<<`; a count other than 0 to 63 gives no value.
    Shl,
    /// `>>`; a count other than 0 to 63 gives no value.
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// Comparisons of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A text in the record or its context.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Text {
    /// A text field: an array in the record, dynamic data, or a `char *` into the kernel's memory.
    Field(Field),
    /// `field.ustring`: the text that a field points to in the memory of the task that runs. The field is a `char *` or
    /// an integer, of 8 bytes.
    User(Field),
    /// The name of the task that runs.
    Comm,
}

/// A test of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextTest {
    /// Equal to this; holds no NUL.
    Eq(String),
    /// Different from this; holds no NUL. It is not the negation of [`TextTest::Eq`]: where the text cannot be read,
    /// both are false, in the language as in the kernel (`filter_pred_pchar`).
    Ne(String),
    /// Matched by a pattern.
    Glob(Glob),
}

/// A test of a mask of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaskTest {
    /// `&`: a CPU in common.
    Any,
    /// `==`: the same CPUs.
    Equal,
    /// `!=`: different CPUs.
    Differ,
}

/// The storage of a text, as far as its meaning depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStorage {
    /// `char[N]` in the record or in the task: bytes of older texts may follow the NUL.
    Fixed {
        /// The length of the longest text in bytes: one without a NUL fills the array.
        room: usize,
    },
    /// `__data_loc` or `__rel_loc`: the location holds the length.
    Dynamic,
    /// `char *` into the kernel's memory: the text is copied, which may fault.
    Kernel,
    /// An address in the task's memory: the text is copied, which may fault.
    User,
}

impl Condition {
    /// Returns the comparison of an integer with a constant.
    pub fn compare(left: Number, op: CompareOp, value: i128) -> Condition {
        Condition::Atom(Atom::Compare { left, op, right: Number::Const(value) })
    }

    /// Returns the negation of a condition. A double negation is removed.
    #[expect(clippy::should_implement_trait, reason = "a constructor beside `all` and `any`")]
    pub fn not(inner: Condition) -> Condition {
        match inner {
            Condition::Const(value) => Condition::Const(!value),
            Condition::Not(inner) => *inner,
            inner => Condition::Not(Box::new(inner)),
        }
    }

    /// Returns the conjunction of the parts; of no parts, true. A conjunction among them is flattened.
    pub fn all(mut parts: Vec<Condition>) -> Condition {
        if parts.iter().any(|part| matches!(part, Condition::And(_))) {
            let taken_apart = |part| if let Condition::And(inner) = part { inner } else { vec![part] };
            parts = parts.into_iter().flat_map(taken_apart).collect();
        }
        match parts.len() {
            0 => Condition::Const(true),
            1 => parts.remove(0),
            _ => Condition::And(parts),
        }
    }

    /// Returns the disjunction of the parts; of no parts, false. A disjunction among them is flattened.
    pub fn any(mut parts: Vec<Condition>) -> Condition {
        if parts.iter().any(|part| matches!(part, Condition::Or(_))) {
            let taken_apart = |part| if let Condition::Or(inner) = part { inner } else { vec![part] };
            parts = parts.into_iter().flat_map(taken_apart).collect();
        }
        match parts.len() {
            0 => Condition::Const(false),
            1 => parts.remove(0),
            _ => Condition::Or(parts),
        }
    }

    /// Returns the atoms of the condition in the order they are written.
    pub fn atoms(&self) -> Vec<&Atom> {
        let mut atoms = Vec::new();
        let mut rest = vec![self];
        while let Some(condition) = rest.pop() {
            match condition {
                Condition::Const(_) => {}
                Condition::Atom(atom) => atoms.push(atom),
                Condition::Not(inner) => rest.push(inner),
                Condition::And(parts) | Condition::Or(parts) => rest.extend(parts.iter().rev()),
            }
        }
        atoms
    }
}

impl Atom {
    /// Returns whether the atom can always be evaluated, so that its negation is the opposite test.
    ///
    /// The record has to be as long as its layout says, and the place has to have the [context](super::context) that
    /// the atom needs. An atom that depends on a location in the record, on memory, or on a kernel's functions is never
    /// total: the kernel writes only locations that lie in the record, but the file of a recording may have any.
    pub fn is_total(&self) -> bool {
        match self {
            Atom::Compare { left, right, .. } => left.is_total() && right.is_total(),
            Atom::In { of, .. } => of.is_total(),
            Atom::Text { of, .. } => of.is_total(),
            Atom::Mask { .. } | Atom::Function { .. } => false,
        }
    }
}

impl Number {
    /// The type of a thread id and of a process id: `pid_t` is an `int`.
    pub const PID: IntegerType = IntegerType { bytes: 4, signed: true };

    /// The range of constants: from the smallest signed to the largest unsigned number of 64 bits.
    pub const CONSTANTS: (i128, i128) = (i64::MIN as i128, u64::MAX as i128);

    /// Returns `left OP right` in the sign that represents both.
    pub fn binary(op: NumberOp, left: Number, right: Number) -> Number {
        let sign = Number::sign_of(op, &left, &right);
        Number::Binary { op, sign, left: Box::new(left), right: Box::new(right) }
    }

    /// Returns the sign of `left OP right`: unsigned where neither can be negative. The sign of a shift is that of its
    /// left side.
    pub fn sign_of(op: NumberOp, left: &Number, right: &Number) -> Sign {
        let negative = |number: &Number| number.range().0 < 0;
        match op {
            NumberOp::Shl | NumberOp::Shr => left.sign(),
            _ if negative(left) || negative(right) => Sign::Signed,
            _ => Sign::Unsigned,
        }
    }

    /// Returns the interpretation of the 64 bits. A number that cannot be negative is unsigned.
    pub fn sign(&self) -> Sign {
        match self {
            Number::Binary { sign, .. } => *sign,
            other if other.range().0 < 0 => Sign::Signed,
            _ => Sign::Unsigned,
        }
    }

    /// Returns the smallest and the largest value of the number's type. The simplifier derives narrower ranges from the
    /// expression ([`reach`](super::simplify::reach)).
    pub fn range(&self) -> (i128, i128) {
        match self {
            Number::Const(value) => (*value, *value),
            Number::Field(field) => field.integer().map_or((0, 0), |integer| (integer.min(), integer.max())),
            // `raw_smp_processor_id()` is an `int`, and never negative.
            Number::Cpu => (0, i128::from(i32::MAX)),
            Number::Pid | Number::Tgid => (Number::PID.min(), Number::PID.max()),
            Number::Cast { to, .. } => (to.min(), to.max()),
            Number::Binary { sign, .. } => sign.range(),
        }
    }

    /// Returns whether it reads the process id of the task.
    pub fn reads_process_id(&self) -> bool {
        match self {
            Number::Tgid => true,
            Number::Const(_) | Number::Field(_) | Number::Cpu | Number::Pid => false,
            Number::Cast { of, .. } => of.reads_process_id(),
            Number::Binary { left, right, .. } => left.reads_process_id() || right.reads_process_id(),
        }
    }

    /// Returns whether the number always has a value.
    pub fn is_total(&self) -> bool {
        match self {
            Number::Const(_) | Number::Cpu | Number::Pid | Number::Tgid => true,
            Number::Field(field) => field.integer().is_some(),
            Number::Cast { of, .. } => of.is_total(),
            Number::Binary { op, left, right, .. } => {
                op.has_value(right) && left.is_total() && right.is_total()
            }
        }
    }
}

impl NumberOp {
    /// Returns whether the operation has a value for every value of `right`.
    pub fn has_value(self, right: &Number) -> bool {
        match (self, right) {
            (NumberOp::Div | NumberOp::Rem, Number::Const(divisor)) => *divisor != 0,
            (NumberOp::Shl | NumberOp::Shr, Number::Const(count)) => (0..64).contains(count),
            (NumberOp::Div | NumberOp::Rem | NumberOp::Shl | NumberOp::Shr, _) => false,
            _ => true,
        }
    }
}

impl TextTest {
    /// Returns how many of a text's first bytes decide the test, its NUL included where that is among them; `None`
    /// where all bytes may count. Targets that copy a text before they test it copy no more than that.
    pub fn reach(&self) -> Option<usize> {
        match self {
            TextTest::Eq(text) | TextTest::Ne(text) => Some(text.len() + 1),
            TextTest::Glob(pattern) => match pattern.tokens() {
                [tokens @ .., GlobToken::Star] if !tokens.contains(&GlobToken::Star) => Some(tokens.len()),
                tokens if !tokens.contains(&GlobToken::Star) => Some(tokens.len() + 1),
                _ => None,
            },
        }
    }
}

impl Sign {
    /// Returns the smallest and the largest number of this sign.
    pub fn range(self) -> (i128, i128) {
        match self {
            Sign::Signed => (i128::from(i64::MIN), i128::from(i64::MAX)),
            Sign::Unsigned => (0, i128::from(u64::MAX)),
        }
    }
}

impl Text {
    /// Returns the storage of the text; `None` if the field is not a text.
    pub fn storage(&self) -> Option<TextStorage> {
        match self {
            Text::Comm => Some(TextStorage::Fixed { room: crate::tables::limits::TASK_COMM_LEN - 1 }),
            Text::User(_) => Some(TextStorage::User),
            Text::Field(field) => match field.kind {
                FieldKind::CharArray => Some(TextStorage::Fixed { room: field.size as usize }),
                FieldKind::DynString | FieldKind::RelString => Some(TextStorage::Dynamic),
                FieldKind::CharPtr => Some(TextStorage::Kernel),
                _ => None,
            },
        }
    }

    /// Returns whether the text can always be read; see [`Atom::is_total`].
    pub fn is_total(&self) -> bool {
        matches!(self.storage(), Some(TextStorage::Fixed { .. }))
    }
}

impl CompareOp {
    /// Returns the operator that holds exactly where this one does not.
    pub fn opposite(self) -> CompareOp {
        match self {
            CompareOp::Eq => CompareOp::Ne,
            CompareOp::Ne => CompareOp::Eq,
            CompareOp::Lt => CompareOp::Ge,
            CompareOp::Le => CompareOp::Gt,
            CompareOp::Gt => CompareOp::Le,
            CompareOp::Ge => CompareOp::Lt,
        }
    }

    /// Returns the operator that means the same with the sides exchanged.
    pub fn flipped(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            same => same,
        }
    }

    /// Returns the numbers of a range that compare so with a value, which may lie outside of the range.
    pub fn matching(self, value: i128, (first, last): (i128, i128)) -> Ranges {
        let up_to = Ranges::new([(first, last.min(value))]);
        let from = Ranges::new([(first.max(value), last)]);
        match self {
            CompareOp::Eq => up_to.intersection(&from),
            CompareOp::Ne => up_to.intersection(&from).complement(first, last),
            CompareOp::Lt => from.complement(first, last),
            CompareOp::Le => up_to,
            CompareOp::Gt => up_to.complement(first, last),
            CompareOp::Ge => from,
        }
    }

    /// Returns whether the comparison holds between two numbers.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            CompareOp::Eq => left == right,
            CompareOp::Ne => left != right,
            CompareOp::Lt => left < right,
            CompareOp::Le => left <= right,
            CompareOp::Gt => left > right,
            CompareOp::Ge => left >= right,
        }
    }
}

impl fmt::Display for CompareOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        })
    }
}

impl fmt::Display for NumberOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NumberOp::Add => "+",
            NumberOp::Sub => "-",
            NumberOp::Mul => "*",
            NumberOp::Div => "/",
            NumberOp::Rem => "%",
            NumberOp::Shl => "<<",
            NumberOp::Shr => ">>",
            NumberOp::And => "&",
            NumberOp::Or => "|",
            NumberOp::Xor => "^",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::CompareOp;

    #[test]
    fn matching_values_are_those_for_which_the_operator_holds() {
        use CompareOp::*;
        let (first, last) = (-3, 4);
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            for value in (-6..=7).chain([i128::MIN, i128::MAX]) {
                let matching = op.matching(value, (first, last));
                for number in -6..=7 {
                    let is = (first..=last).contains(&number) && op.holds(number, value);
                    assert_eq!(matching.contains(number), is, "{number} {op} {value}");
                }
            }
        }
    }
}
