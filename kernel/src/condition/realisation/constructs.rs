//! Splitting of a condition into constructs.

use super::{Construct, Holder, Lies, LiteralClass};
use crate::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, Text, TextStorage, TextTest};
use crate::condition::lower::integer::{CPU, compared_as};
use crate::condition::lower::words::LAST_CPU;
use crate::condition::lower::{
    FilterOperand, LowerError, Spelling, can_say, inverts, is_plain, named_after, text_named_after,
};
use crate::condition::ranges::Ranges;
use crate::filter::Model;
use crate::format::{Field, FieldKind, IntegerType};

/// Returns the constructs of a condition at an event with this spelling, in the order they are written; one for each
/// occurrence.
pub fn constructs(condition: &Condition, spelling: &Spelling) -> Vec<Construct> {
    let mut found = Vec::new();
    let mut rest = vec![condition];
    while let Some(condition) = rest.pop() {
        match condition {
            Condition::Const(_) => found.push(Construct::Const),
            Condition::Atom(atom) => of_atom(atom, spelling, &mut found),
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
    found
}

fn of_atom(atom: &Atom, spelling: &Spelling, found: &mut Vec<Construct>) {
    match atom {
        Atom::Compare { left, op, right } => {
            of_number(left, spelling, found);
            of_number(right, spelling, found);
            of_comparison(atom, (left, *op, right), found);
        }
        Atom::In { of, ranges } => of_set(atom, (of, ranges), spelling, found),
        Atom::Text { of, test } => of_text(atom, (of, test), spelling, found),
        Atom::Mask { of, test, cpus } => {
            of_name(of, found);
            if cpus.iter().any(|(first, last)| first < 0 || last > LAST_CPU) {
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

/// A kernel that has every feature, and none of the quirks that affect a text.
const ALL: Model = Model::LINUX_6_18;

/// Returns whether such a kernel can express an atom. Constructs that only lowering can compute are taken from it, so
/// that there is one computation.
fn alone(atom: &Atom) -> Result<(), LowerError> {
    can_say(atom, &ALL)
}

fn of_name(field: &Field, found: &mut Vec<Construct>) {
    if !is_plain(&field.name) {
        found.push(Construct::OddName);
    }
}

/// Adds the constructs that keep a filter from naming an operand.
fn of_operand(operand: &FilterOperand<'_>, spelling: &Spelling, found: &mut Vec<Construct>) {
    match operand {
        FilterOperand::Field(field) => of_name(field, found),
        hidden if spelling.hides(hidden) => found.push(Construct::Hidden),
        _ => {}
    }
}

fn is_address(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Int | FieldKind::CharPtr)
}

fn of_number(number: &Number, spelling: &Spelling, found: &mut Vec<Construct>) {
    match number {
        Number::Const(_) => {}
        Number::Cpu | Number::Pid | Number::Tgid | Number::Field(_) => {
            of_operand(&named_after(number), spelling, found);
            found.push(match number {
                Number::Field(field) => of_integer(field),
                Number::Pid => Construct::Pid,
                Number::Tgid => Construct::Tgid,
                _ => Construct::Cpu,
            });
        }
        Number::Cast { to, of } => {
            of_number(of, spelling, found);
            found.push(Construct::Cast { to: *to });
        }
        Number::Binary { op, sign, left, right } => {
            of_number(left, spelling, found);
            of_number(right, spelling, found);
            found.push(Construct::Arithmetic { op: *op, sign: *sign, total: op.has_value(right) });
        }
    }
}

pub(super) fn of_integer(field: &Field) -> Construct {
    match compared_as(field) {
        Some(integer) => {
            if field.is_argument() {
                return Construct::Argument { bytes: integer.bytes, signed: integer.signed };
            }
            // Fields that a BPF program cannot read (kernel/trace/bpf_trace.c, `tp_prog_is_valid_access`).
            let lies = match field.offset {
                _ if field.name == "common_pid" => Lies::CommonPid,
                0..8 => Lies::Header,
                // Real-time kernels have more common fields. They are filled in after the program has run
                // (`perf_trace_buf_update` in `perf_tp_event`).
                _ if field.name.starts_with("common_") => Lies::Header,
                offset if offset.is_multiple_of(field.size) => Lies::Aligned,
                _ => Lies::Unaligned,
            };
            Construct::Integer { bytes: integer.bytes, signed: integer.signed, lies }
        }
        None => Construct::NotInteger,
    }
}

/// Returns the range of a number that is compared without arithmetic.
fn plain_range(number: &Number) -> Option<(i128, i128)> {
    match number {
        Number::Field(_) | Number::Pid | Number::Tgid => Some(number.range()),
        Number::Cpu => Some((CPU.min(), CPU.max())),
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
        // The whole test is one construct, without a construct of its own for `&`.
        (Some((Number::Cpu, _)), CompareOp::Eq | CompareOp::Ne) => {
            found.pop();
            found.push(Construct::TestCpuBits);
        }
        (
            Some((of @ (Number::Field(_) | Number::Pid | Number::Tgid), mask)),
            CompareOp::Eq | CompareOp::Ne,
        ) => {
            found.pop();
            let integer = if let Number::Field(field) = of { field.integer() } else { Some(Number::PID) };
            let bits = integer.map_or(u64::MAX, IntegerType::mask);
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

/// Returns the other operand of `&` and the constant.
fn masked(number: &Number) -> Option<(&Number, i128)> {
    let Number::Binary { op: NumberOp::And, left, right, .. } = number else { return None };
    match (&**left, &**right) {
        (of, Number::Const(mask)) | (Number::Const(mask), of) => Some((of, *mask)),
        _ => None,
    }
}

fn of_set(atom: &Atom, (of, ranges): (&Number, &Ranges), spelling: &Spelling, found: &mut Vec<Construct>) {
    if ranges.is_empty() {
        // No value is read, but the operand still has a name.
        of_operand(&named_after(of), spelling, found);
        return found.push(Construct::EmptySet);
    }
    of_number(of, spelling, found);
    let Some((min, max)) = plain_range(of) else {
        let computes = matches!(alone(atom), Err(LowerError::Computes { .. }));
        return found.push(if computes { Construct::SetOfNumber } else { Construct::Solved });
    };
    let outside = ranges.iter().any(|(first, last)| first < min || last > max);
    found.push(if outside { Construct::ConstantOutside } else { Construct::SetOfField });
}

fn of_text(atom: &Atom, (of, test): (&Text, &TextTest), spelling: &Spelling, found: &mut Vec<Construct>) {
    of_operand(&text_named_after(of), spelling, found);
    let holder = match (of, of.storage()) {
        (Text::Comm, _) => Holder::Comm,
        (Text::User(field), _) if !is_address(field) => return found.push(Construct::NotAddress),
        (Text::User(field), _) if field.kind != FieldKind::CharPtr => {
            return found.push(Construct::UserTextOfNumber);
        }
        (_, None) => return found.push(Construct::NotText),
        (Text::Field(field), Some(TextStorage::Fixed { .. })) if field.size == 0 => Holder::Tail,
        (_, Some(TextStorage::Fixed { .. })) => Holder::Fixed,
        (_, Some(TextStorage::Dynamic)) => Holder::Dynamic,
        (_, Some(TextStorage::Kernel)) => Holder::Kernel,
        (_, Some(TextStorage::User)) => Holder::User,
    };
    found.push(match test {
        TextTest::Eq(_) | TextTest::Ne(_) => Construct::TextEquality(holder),
        TextTest::Glob(_) => Construct::Pattern(holder),
    });
    // The spelling of a text is known only after it is rewritten.
    let literal = match alone(atom) {
        Err(LowerError::Nul { .. }) => LiteralClass::Nul,
        Err(LowerError::Quotes { .. }) => LiteralClass::BothQuotes,
        Err(LowerError::OperandTooLong { .. }) => LiteralClass::TooLong,
        Err(LowerError::TextTooLong { .. }) => LiteralClass::NoRoom,
        _ => LiteralClass::Plain,
    };
    found.push(Construct::Literal(literal));
    if literal == LiteralClass::Plain {
        of_matcher(atom, test, holder, found);
    }
}

/// Adds the constructs of a text test that depend on the kernel's matchers.
fn of_matcher(atom: &Atom, test: &TextTest, holder: Holder, found: &mut Vec<Construct>) {
    let fails = |model| can_say(atom, &model).is_err();
    if matches!(holder, Holder::Fixed | Holder::Tail | Holder::Dynamic)
        && fails(Model { bounded_text: false, ..ALL })
    {
        found.push(Construct::Bounded);
    }
    if inverts(test) {
        let loose = fails(Model { class_takes_nul: true, ..ALL });
        found.push(if loose { Construct::LooseInvertedClass } else { Construct::InvertedClass });
    }
}
