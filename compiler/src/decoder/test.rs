//! An atom of a condition as a list of steps, each of which is a statement.
//!
//! A number is 64 bits in two's complement; its sign is known where it is compared. A step that has no value, because
//! the field lies outside of the record or a divisor is 0, makes the test false.

use tracec_kernel::condition::ir::{
    Atom, CompareOp, MaskTest, Number, NumberOp, Sign, Text, TextStorage, TextTest,
};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::{EventFormat, Field, FieldKind, IntegerType};

/// One test of a record.
#[derive(Debug)]
pub(crate) struct Test<'a> {
    /// The atom that it realises.
    pub(crate) atom: &'a Atom,
    /// What is asked.
    pub(crate) question: Question<'a>,
    /// What it needs beside the record.
    pub(crate) needs: Needs,
}

/// What a test needs beside the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The CPU that wrote the record.
    pub(crate) cpu: bool,
    /// The process id of the task that ran.
    pub(crate) tgid: bool,
    /// The name of the task that ran.
    pub(crate) comm: bool,
    /// The memory of the kernel or of the task that ran.
    pub(crate) memory: bool,
}

impl Needs {
    /// Returns what either needs.
    pub(crate) fn or(self, other: Needs) -> Needs {
        Needs {
            cpu: self.cpu | other.cpu,
            tgid: self.tgid | other.tgid,
            comm: self.comm | other.comm,
            memory: self.memory | other.memory,
        }
    }
}

/// The question of a test.
#[derive(Debug)]
pub(crate) enum Question<'a> {
    /// The test does not fit its field: it is false for every record.
    Never,
    /// About a number: the values of the steps, which a decision compares.
    Number {
        /// The steps. One refers to those before it by their index.
        steps: Vec<Step>,
        /// What is compared.
        decision: Decision,
    },
    /// About a text.
    Text {
        /// Where the text is.
        place: TextPlace,
        /// The test.
        test: &'a TextTest,
    },
    /// About a text in memory, where the 8 bytes at an offset point to.
    Pointed {
        /// The offset of the pointer.
        offset: u32,
        /// Whether it points into the task's memory, and not the kernel's.
        user: bool,
        /// The test.
        test: &'a TextTest,
    },
    /// About a set of CPUs.
    Mask {
        /// The offset of the location word.
        word: u32,
        /// Whether the location is relative to the end of the word.
        relative: bool,
        /// The test.
        test: MaskTest,
        /// The CPUs.
        cpus: &'a Ranges,
    },
}

/// A step whose value is 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A constant.
    Constant(u64),
    /// An integer of the record.
    Read {
        /// Its offset.
        offset: u32,
        /// Its size in the record.
        size: u32,
        /// The type of its low bytes.
        means: IntegerType,
    },
    /// The CPU.
    Cpu,
    /// The process id.
    Tgid,
    /// The low bytes of a value, extended by the sign of a type.
    Cast {
        /// The value.
        of: usize,
        /// The type.
        to: IntegerType,
    },
    /// An operation.
    Binary {
        /// The operation.
        op: NumberOp,
        /// The sign in which it is computed.
        sign: Sign,
        /// The left operand.
        left: usize,
        /// The right operand.
        right: usize,
    },
}

/// What is compared, of the values of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// A value with a constant that is neither the smallest nor the largest number of the sign.
    Constant {
        /// The value.
        of: usize,
        /// The sign of both.
        sign: Sign,
        /// The comparison.
        op: CompareOp,
        /// The constant.
        value: i128,
    },
    /// A value with ranges of numbers, all of its sign.
    Ranges {
        /// The value.
        of: usize,
        /// Its sign.
        sign: Sign,
        /// The ranges, both ends included.
        ranges: Ranges,
    },
    /// Two values.
    Order {
        /// The left one, with its sign.
        left: (usize, Sign),
        /// The comparison.
        op: CompareOp,
        /// The right one, with its sign.
        right: (usize, Sign),
    },
}

/// Where a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// In the fixed part of the record.
    Fixed {
        /// Its offset.
        offset: u32,
        /// Its size; 0 for the rest of the record.
        size: u32,
    },
    /// Where a location word says.
    Located {
        /// The offset of the word.
        word: u32,
        /// Whether the location is relative to the end of the word.
        relative: bool,
    },
    /// The task's name.
    Comm,
}

impl<'a> Test<'a> {
    /// Returns the test of an atom; `None` for one that asks for where the kernel's functions lie.
    pub(crate) fn of(atom: &'a Atom, format: &EventFormat) -> Option<Test<'a>> {
        let question = match atom {
            Atom::Compare { left, op, right } => comparison(left, *op, right, format),
            Atom::In { of, ranges } => set(of, ranges, format),
            Atom::Text { of, test } => text(of, test),
            Atom::Mask { of, test, cpus } => mask(of, *test, cpus),
            Atom::Function { of, .. } if !matches!(of.kind, FieldKind::Int | FieldKind::CharPtr) => {
                Question::Never
            }
            Atom::Function { .. } => return None,
        };
        let needs = question.needs();
        Some(Test { atom, question, needs })
    }

    /// Returns whether it reads the record.
    pub(crate) fn reads(&self) -> bool {
        match &self.question {
            Question::Never | Question::Text { place: TextPlace::Comm, .. } => false,
            Question::Number { steps, .. } => steps.iter().any(|step| matches!(step, Step::Read { .. })),
            Question::Text { .. } | Question::Pointed { .. } | Question::Mask { .. } => true,
        }
    }
}

impl Question<'_> {
    fn needs(&self) -> Needs {
        match self {
            Question::Number { steps, .. } => {
                let (cpu, tgid) = (steps.contains(&Step::Cpu), steps.contains(&Step::Tgid));
                Needs { cpu, tgid, ..Needs::default() }
            }
            Question::Text { place: TextPlace::Comm, .. } => Needs { comm: true, ..Needs::default() },
            Question::Pointed { .. } => Needs { memory: true, ..Needs::default() },
            Question::Never | Question::Text { .. } | Question::Mask { .. } => Needs::default(),
        }
    }
}

fn comparison<'a>(left: &Number, op: CompareOp, right: &Number, format: &EventFormat) -> Question<'a> {
    let mut steps = Vec::new();
    let Some(of) = number(left, format, &mut steps) else { return Question::Never };
    let sign = left.sign();
    if let Number::Const(value) = right {
        let (min, max) = sign.range();
        let decision = if min < *value && *value < max {
            Decision::Constant { of, sign, op, value: *value }
        } else {
            Decision::Ranges { of, sign, ranges: op.matching(*value, (min, max)) }
        };
        return Question::Number { steps, decision };
    }
    let Some(other) = number(right, format, &mut steps) else { return Question::Never };
    let decision = Decision::Order { left: (of, sign), op, right: (other, right.sign()) };
    Question::Number { steps, decision }
}

fn set<'a>(of: &Number, ranges: &Ranges, format: &EventFormat) -> Question<'a> {
    let mut steps = Vec::new();
    let sign = of.sign();
    let Some(of) = number(of, format, &mut steps) else { return Question::Never };
    let ranges = ranges.intersection(&Ranges::new([sign.range()]));
    Question::Number { steps, decision: Decision::Ranges { of, sign, ranges } }
}

/// Adds the steps of a number, and returns the index of its value; `None` if it is computed from a field that is not an
/// integer.
fn number(number: &Number, format: &EventFormat, steps: &mut Vec<Step>) -> Option<usize> {
    let step = match number {
        // Two's complement.
        Number::Const(value) => Step::Constant(*value as u64),
        Number::Field(field) => read(field)?,
        Number::Pid => read(format.task_pid()?)?,
        Number::Cpu => Step::Cpu,
        Number::Tgid => Step::Tgid,
        Number::Cast { to, of } => Step::Cast { of: self::number(of, format, steps)?, to: *to },
        Number::Binary { op, sign, left, right } => {
            let left = self::number(left, format, steps)?;
            let right = self::number(right, format, steps)?;
            Step::Binary { op: *op, sign: *sign, left, right }
        }
    };
    steps.push(step);
    Some(steps.len() - 1)
}

fn read(field: &Field) -> Option<Step> {
    let means = field.integer()?;
    matches!(field.size, 1 | 2 | 4 | 8).then_some(Step::Read {
        offset: field.offset,
        size: field.size,
        means,
    })
}

fn text<'a>(of: &Text, test: &'a TextTest) -> Question<'a> {
    let place = match (of, of.storage()) {
        (Text::Comm, _) => TextPlace::Comm,
        (Text::User(field), _) if !matches!(field.kind, FieldKind::Int | FieldKind::CharPtr) => {
            return Question::Never;
        }
        (
            Text::Field(field) | Text::User(field),
            Some(storage @ (TextStorage::Kernel | TextStorage::User)),
        ) => {
            return Question::Pointed { offset: field.offset, user: storage == TextStorage::User, test };
        }
        (Text::Field(field), Some(TextStorage::Fixed { .. })) => {
            TextPlace::Fixed { offset: field.offset, size: field.size }
        }
        (Text::Field(field), Some(TextStorage::Dynamic)) => {
            TextPlace::Located { word: field.offset, relative: field.kind.is_relative() }
        }
        (Text::Field(_) | Text::User(_), _) => return Question::Never,
    };
    Question::Text { place, test }
}

fn mask<'a>(of: &Field, test: MaskTest, cpus: &'a Ranges) -> Question<'a> {
    match of.kind {
        FieldKind::DynCpumask | FieldKind::RelCpumask => {
            Question::Mask { word: of.offset, relative: of.kind.is_relative(), test, cpus }
        }
        _ => Question::Never,
    }
}
