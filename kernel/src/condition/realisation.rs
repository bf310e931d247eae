//! How each part of a condition is realised by each target. Lowering and the host's context are held to it by tests.
//!
//! [`constructs`] takes a condition apart, [`way`] says for each construct what a target makes of it. A condition can
//! go where no construct of it is refused, and every feature that one needs is there; the length of the whole
//! ([`FILTER_BYTES`](crate::tables::limits::FILTER_BYTES)) is counted when the text is known.
//! [`lower`] reads the features from the [`Model`] of its kernel.
//!
//! What targets ask of the form, and where it stands: widths and signs of fields are [`Field::integer`], of numbers
//! [`Number::sign`]; where a field lies in its record, and whether aligned, is [`Field::offset`]; how many bytes of a
//! text decide a test, so that no more need to be copied, is [`TextTest::reach`]; what faults is what is not
//! [total](Atom::is_total); the context is [`Condition::needs`]. Byte order and the size of `long` are the same for all
//! records of a kernel: they are the target's arguments, not the condition's.
#![doc = ""]
#![doc = include_str!("realisation/table.md")]

#[cfg(test)]
mod tests;
mod ways;

use std::fmt;

use crate::condition::ir::{
    Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Sign, Text, TextPlace, TextTest,
};
use crate::condition::lower::{LowerError, Lowered, lower};
use crate::condition::ranges::Ranges;
use crate::filter::Model;
use crate::format::{Field, FieldKind, IntegerType};

/// What a condition is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The text of a kernel's event filter.
    KernelFilter,
    /// A BPF program at the tracepoint.
    Bpf,
    /// Machine code that reads records.
    Host,
    /// A decoder in C.
    C,
    /// A decoder in Rust.
    Rust,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 5] = [Target::KernelFilter, Target::Bpf, Target::Host, Target::C, Target::Rust];
}

/// What a target makes of a construct. The texts are clauses without their subject, for a table or a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It says it as it is.
    Directly,
    /// It says something else with the same meaning.
    Rewritten(&'static str),
    /// Where the kernel has this feature of [`tables::features`](crate::tables::features).
    Needs {
        /// The feature's name.
        feature: &'static str,
        /// How it is said then.
        form: &'static str,
    },
    /// It does not, for this reason.
    Refused(&'static str),
}

/// A part of a condition, as far as targets differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// [`Condition::Const`].
    Const,
    /// [`Condition::Not`].
    Not,
    /// [`Condition::And`].
    And,
    /// [`Condition::Or`].
    Or,
    /// A field whose name has other characters than letters, digits and `_`.
    OddName,
    /// An integer field.
    Integer {
        /// 1, 2, 4 or 8.
        bytes: u32,
        /// Its sign.
        signed: bool,
        /// Where it lies.
        lies: Lies,
    },
    /// An argument of a system call that is signed in C, in eight unsigned bytes: see [`Field::integer`].
    SignedArgument {
        /// Those of the C type: 4 or 8.
        bytes: u32,
    },
    /// A number is asked of a field that is none.
    NotInteger,
    /// [`Number::Cpu`].
    Cpu,
    /// A field or the CPU as it is, with a constant.
    CompareConstant(CompareOp),
    /// A constant beside the values of the field that it is compared with.
    ConstantOutside,
    /// `field & constant`, equal to a constant or not.
    TestBits,
    /// Bits that the field of such a test does not have.
    BitsOutside,
    /// The same of the CPU.
    TestCpuBits,
    /// A number that is computed from a field, or the CPU, and constants, with a constant or a set of them, where that
    /// comes to a few runs of values, or some bits, of the field.
    Solved,
    /// Any other comparison.
    CompareNumbers {
        /// Of a signed with an unsigned number.
        across: bool,
    },
    /// [`Atom::In`] of a field or the CPU.
    SetOfField,
    /// [`Atom::In`] of a number that is not [solved](Construct::Solved).
    SetOfNumber,
    /// [`Atom::In`] of no values.
    EmptySet,
    /// [`Number::Binary`].
    Arithmetic {
        /// The operation.
        op: NumberOp,
        /// In which sign.
        sign: Sign,
        /// It has a value whatever its operands are: a divisor or a count that could fail is a constant that does not.
        total: bool,
    },
    /// [`Number::Cast`].
    Cast {
        /// The type.
        to: IntegerType,
    },
    /// [`TextTest::Eq`], [`TextTest::Ne`].
    TextEquality(Holder),
    /// [`TextTest::Glob`].
    Pattern(Holder),
    /// A text is asked of a field that has none.
    NotText,
    /// The text, or pattern, that a text is compared with.
    Literal(Literal),
    /// [`Atom::Mask`].
    Mask {
        /// How.
        test: MaskTest,
        /// The field is a `__rel_loc`.
        relative: bool,
    },
    /// A mask is asked of a field that is none.
    NotMask,
    /// [`Text::User`] of a field that is no `char *`.
    UserTextOfNumber,
    /// [`Atom::Function`].
    Function,
    /// A function is asked of an integer that is no `long`.
    NarrowAddress,
    /// A function whose name has other characters than symbols have.
    OddFunction,
    /// A function is asked of a field that holds no address.
    NotAddress,
}

/// Where an integer field lies in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lies {
    /// Behind the first eight bytes, at a multiple of its size.
    Aligned,
    /// Behind the first eight bytes, elsewhere: fields of probes are packed.
    Unaligned,
    /// It is `common_pid`.
    CommonPid,
    /// It begins in the first eight bytes, and is not `common_pid`.
    Header,
}

/// What holds a text: [`TextPlace`], with the task's name by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// `char[N]` in the record.
    Fixed,
    /// `__data_loc` or `__rel_loc`.
    Dynamic,
    /// The kernel's memory.
    Kernel,
    /// The task's memory.
    User,
    /// The task's name.
    Comm,
}

/// Texts, by whether the kernel's filter can spell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// It can.
    Plain,
    /// Holds a NUL.
    Nul,
    /// Holds both kinds of quotes.
    BothQuotes,
    /// Longer than the filter's operands, after rewriting.
    TooLong,
    /// Longer than what the field has room for.
    NoRoom,
}

/// A row of the table.
struct Row {
    kernel_filter: Way,
    bpf: Way,
    host: Way,
    c: Way,
    rust: Way,
}

/// What a target makes of a construct.
pub fn way(construct: &Construct, target: Target) -> Way {
    let row = ways::row(construct);
    match target {
        Target::KernelFilter => row.kernel_filter,
        Target::Bpf => row.bpf,
        Target::Host => row.host,
        Target::C => row.c,
        Target::Rust => row.rust,
    }
}

/// What a condition is made of, in the order it is written; one for each time it occurs.
pub fn constructs(condition: &Condition) -> impl Iterator<Item = Construct> {
    let mut found = Vec::new();
    let mut rest = vec![condition];
    while let Some(condition) = rest.pop() {
        match condition {
            Condition::Const(_) => found.push(Construct::Const),
            Condition::Atom(atom) => of_atom(atom, &mut found),
            Condition::Not(inner) => {
                found.push(Construct::Not);
                rest.push(inner);
            }
            Condition::And(parts) => {
                found.push(Construct::And);
                rest.extend(parts.iter().rev());
            }
            Condition::Or(parts) => {
                found.push(Construct::Or);
                rest.extend(parts.iter().rev());
            }
        }
    }
    found.into_iter()
}

fn of_atom(atom: &Atom, found: &mut Vec<Construct>) {
    match atom {
        Atom::Compare { left, op, right } => {
            of_number(left, found);
            of_number(right, found);
            of_comparison(atom, (left, *op, right), found);
        }
        Atom::In { of, ranges } => of_set(atom, of, ranges, found),
        Atom::Text { of, test } => of_text(atom, of, test, found),
        Atom::Mask { of, test, cpus } => {
            of_name(of, found);
            if cpus.iter().any(|(first, last)| first < 0 || last > i32::MAX.into()) {
                found.push(Construct::ConstantOutside);
            }
            let mask = matches!(of.kind, FieldKind::DynCpumask | FieldKind::RelCpumask);
            let relative = of.kind.is_relative();
            found.push(if mask { Construct::Mask { test: *test, relative } } else { Construct::NotMask });
        }
        Atom::Function { of, .. } => {
            of_name(of, found);
            found.push(match alone(atom) {
                _ if !is_address(of) => Construct::NotAddress,
                Err(LowerError::NotAddress { .. }) => Construct::NarrowAddress,
                Err(LowerError::FunctionName { .. }) => Construct::OddFunction,
                _ => Construct::Function,
            });
        }
    }
}

/// What a kernel with all features makes of an atom. What lowering has to compute to know is not computed twice.
fn alone(atom: &Atom) -> Result<Lowered, LowerError> {
    lower(&Condition::Atom(atom.clone()), &Model::LINUX_6_18)
}

fn of_name(field: &Field, found: &mut Vec<Construct>) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if field.name.is_empty() || !field.name.bytes().all(plain) {
        found.push(Construct::OddName);
    }
}

fn is_address(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Int | FieldKind::CharPtr)
}

fn of_number(number: &Number, found: &mut Vec<Construct>) {
    match number {
        Number::Const(_) => {}
        Number::Cpu => found.push(Construct::Cpu),
        Number::Field(field) => {
            of_name(field, found);
            found.push(of_integer(field));
        }
        Number::Cast { to, of } => {
            of_number(of, found);
            found.push(Construct::Cast { to: *to });
        }
        Number::Binary { op, sign, left, right } => {
            of_number(left, found);
            of_number(right, found);
            found.push(Construct::Arithmetic { op: *op, sign: *sign, total: op.has_value(right) });
        }
    }
}

fn of_integer(field: &Field) -> Construct {
    match field.integer() {
        Some(integer) if matches!(field.size, 1 | 2 | 4 | 8) => {
            if integer.signed && !field.signed {
                return Construct::SignedArgument { bytes: integer.bytes };
            }
            // What a BPF program cannot read (kernel/trace/bpf_trace.c, `tp_prog_is_valid_access`).
            let lies = match field.offset {
                0..8 if field.name == "common_pid" => Lies::CommonPid,
                0..8 => Lies::Header,
                offset if offset.is_multiple_of(field.size) => Lies::Aligned,
                _ => Lies::Unaligned,
            };
            Construct::Integer { bytes: integer.bytes, signed: integer.signed, lies }
        }
        _ => Construct::NotInteger,
    }
}

/// The values of what is compared as it is.
fn plain_range(number: &Number) -> Option<(i128, i128)> {
    match number {
        Number::Field(_) => Some(number.range()),
        // The filter compares it as an `int` (`filter_pred_cpu`).
        Number::Cpu => Some((i32::MIN.into(), i32::MAX.into())),
        _ => None,
    }
}

fn of_comparison(atom: &Atom, (left, op, right): (&Number, CompareOp, &Number), found: &mut Vec<Construct>) {
    let across = Construct::CompareNumbers { across: left.sign() != right.sign() };
    let Number::Const(value) = right else { return found.push(across) };
    if let Some((min, max)) = plain_range(left) {
        let outside = !(min..=max).contains(value);
        found.push(if outside { Construct::ConstantOutside } else { Construct::CompareConstant(op) });
        return;
    }
    match (masked(left), op) {
        // The test is said as one, whatever `&` is by itself.
        (Some((Number::Cpu, _)), CompareOp::Eq | CompareOp::Ne) => {
            found.pop();
            found.push(Construct::TestCpuBits);
        }
        (Some((Number::Field(field), mask)), CompareOp::Eq | CompareOp::Ne) => {
            found.pop();
            let bits = u64::MAX >> (64 - 8 * field.integer().map_or(8, |integer| integer.bytes.clamp(1, 8)));
            let outside = mask as u64 & !bits != 0;
            found.push(if outside { Construct::BitsOutside } else { Construct::TestBits });
        }
        _ => found.push(match alone(atom) {
            Err(LowerError::Computes { .. }) => across,
            Err(LowerError::BitsOfCpu { .. }) => Construct::TestCpuBits,
            _ => Construct::Solved,
        }),
    }
}

/// What of `left & constant` stands beside the constant.
fn masked(number: &Number) -> Option<(&Number, i128)> {
    let Number::Binary { op: NumberOp::And, left, right, .. } = number else { return None };
    match (&**left, &**right) {
        (of, Number::Const(mask)) | (Number::Const(mask), of) => Some((of, *mask)),
        _ => None,
    }
}

fn of_set(atom: &Atom, of: &Number, ranges: &Ranges, found: &mut Vec<Construct>) {
    if ranges.is_empty() {
        // Nothing is read, but what it is asked of has a name.
        if let Some(field) = subject(of) {
            of_name(field, found);
        }
        return found.push(Construct::EmptySet);
    }
    of_number(of, found);
    let Some((min, max)) = plain_range(of) else {
        let computes = matches!(alone(atom), Err(LowerError::Computes { .. }));
        return found.push(if computes { Construct::SetOfNumber } else { Construct::Solved });
    };
    let outside = ranges.iter().any(|(first, last)| first < min || last > max);
    found.push(if outside { Construct::ConstantOutside } else { Construct::SetOfField });
}

/// The field that a number is named after where it is lowered.
fn subject(number: &Number) -> Option<&Field> {
    match number {
        Number::Const(_) | Number::Cpu => None,
        Number::Field(field) => Some(field),
        Number::Cast { of, .. } => subject(of),
        Number::Binary { left, right, .. } => match **left {
            Number::Const(_) => subject(right),
            _ => subject(left),
        },
    }
}

fn of_text(atom: &Atom, of: &Text, test: &TextTest, found: &mut Vec<Construct>) {
    if let Text::Field(field) | Text::User(field) = of {
        of_name(field, found);
    }
    let holder = match (of, of.place()) {
        (Text::Comm, _) => Holder::Comm,
        (Text::User(field), _) if !is_address(field) => return found.push(Construct::NotAddress),
        (Text::User(field), _) if field.kind != FieldKind::CharPtr => {
            return found.push(Construct::UserTextOfNumber);
        }
        (_, None) => return found.push(Construct::NotText),
        (_, Some(TextPlace::Fixed { .. })) => Holder::Fixed,
        (_, Some(TextPlace::Dynamic)) => Holder::Dynamic,
        (_, Some(TextPlace::Kernel)) => Holder::Kernel,
        (_, Some(TextPlace::User)) => Holder::User,
    };
    found.push(match test {
        TextTest::Eq(_) | TextTest::Ne(_) => Construct::TextEquality(holder),
        TextTest::Glob(_) => Construct::Pattern(holder),
    });
    // How a text is spelled is known only once it is rewritten.
    found.push(Construct::Literal(match alone(atom) {
        Err(LowerError::Nul { .. }) => Literal::Nul,
        Err(LowerError::Quotes { .. }) => Literal::BothQuotes,
        Err(LowerError::OperandTooLong { .. }) => Literal::TooLong,
        Err(LowerError::TextTooLong { .. }) => Literal::NoRoom,
        _ => Literal::Plain,
    }));
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::KernelFilter => "kernel filter",
            Target::Bpf => "BPF",
            Target::Host => "host",
            Target::C => "C",
            Target::Rust => "Rust",
        })
    }
}

/// As a line of the table names it.
impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Construct::Const => f.write_str("`true`, `false`"),
            Construct::Not => f.write_str("`!`"),
            Construct::And => f.write_str("`&&`"),
            Construct::Or => f.write_str("`||`"),
            Construct::OddName => f.write_str("a field with an odd name"),
            Construct::Integer { bytes, signed, lies } => {
                let place = match lies {
                    Lies::Aligned => "",
                    Lies::Unaligned => " unaligned",
                    Lies::CommonPid => " `common_pid`",
                    Lies::Header => " in the header",
                };
                write!(f, "`{}`{place}", IntegerType { bytes: *bytes, signed: *signed })
            }
            Construct::SignedArgument { bytes } => write!(f, "`s{}` argument of a system call", 8 * bytes),
            Construct::NotInteger => f.write_str("a number of what is none"),
            Construct::Cpu => f.write_str("the CPU"),
            Construct::CompareConstant(op) => write!(f, "field `{op}` constant"),
            Construct::ConstantOutside => f.write_str("a constant that the field cannot hold"),
            Construct::TestBits => f.write_str("field `&` constant `==`, `!=` constant"),
            Construct::BitsOutside => f.write_str("bits that the field does not have"),
            Construct::TestCpuBits => f.write_str("CPU `&` constant"),
            Construct::Solved => f.write_str("arithmetic with constants, solved for its field"),
            Construct::CompareNumbers { across: false } => f.write_str("any numbers compared"),
            Construct::CompareNumbers { across: true } => f.write_str("any numbers compared across sign"),
            Construct::SetOfField => f.write_str("field `in`"),
            Construct::SetOfNumber => f.write_str("any number `in`"),
            Construct::EmptySet => f.write_str("`in {}`"),
            Construct::Arithmetic { op, sign, total } => {
                let sign = if *sign == Sign::Signed { "signed" } else { "unsigned" };
                // Only where it makes a difference.
                let by = match (op, total) {
                    (NumberOp::Div | NumberOp::Rem | NumberOp::Shl | NumberOp::Shr, true) => " by a constant",
                    _ => "",
                };
                write!(f, "{sign} `{op}`{by}")
            }
            Construct::Cast { to } => write!(f, "`as {to}`"),
            Construct::TextEquality(holder) => write!(f, "{holder} `==`, `!=`"),
            Construct::Pattern(holder) => write!(f, "{holder} `~`"),
            Construct::NotText => f.write_str("a text of what is none"),
            Construct::Literal(literal) => write!(f, "{literal}"),
            Construct::Mask { test, relative } => {
                let op = match test {
                    MaskTest::Any => "&",
                    MaskTest::Equal => "==",
                    MaskTest::Differ => "!=",
                };
                write!(f, "{} mask `{op}`", if *relative { "`__rel_loc`" } else { "`__data_loc`" })
            }
            Construct::NotMask => f.write_str("a mask of what is none"),
            Construct::Function => f.write_str("`.function`"),
            Construct::UserTextOfNumber => f.write_str("`.ustring` of an integer"),
            Construct::NarrowAddress => f.write_str("`.function` of less than a `long`"),
            Construct::OddFunction => f.write_str("`.function` with an odd name"),
            Construct::NotAddress => f.write_str("an address of what is none"),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Holder::Fixed => "`char[N]`",
            Holder::Dynamic => "dynamic text",
            Holder::Kernel => "`char *`",
            Holder::User => "`.ustring`",
            Holder::Comm => "the task's name",
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Literal::Plain => "a text",
            Literal::Nul => "a text with a NUL",
            Literal::BothQuotes => "a text with both quotes",
            Literal::TooLong => "a text above 255 bytes",
            Literal::NoRoom => "a text that the field cannot hold",
        })
    }
}
