//! Lowering with an error planted, which has to be found, and soon.
//!
//! An error is planted around lowering, which has no hooks for it: in how the condition is read, in the text that comes
//! out, or in what the kernel is taken for.

use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::lower::{LowerError, Lowered, Spelling, lower};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::filter::Model;
use tracec_kernel::format::Field;

/// What an error does; `None` where it makes no difference.
pub(crate) enum Planted {
    /// A part of the condition is taken for another one.
    Reading(fn(&Condition) -> Option<Condition>),
    /// The text comes out as another one.
    Writing(fn(&str) -> Option<String>),
    /// The kernel is taken for another one.
    Kernel(fn(&mut Model)),
    /// The event is taken for another one.
    Event(fn(&mut Spelling)),
}
use Planted::{Event, Kernel, Reading, Writing};

/// A kernel on which the error shows, what it is, and the error.
pub(crate) const ERRORS: &[(&str, &str, Planted)] = &[
    ("6.18", "`<=` for `<`", Reading(at_most)),
    ("6.18", "a `!` is lost", Reading(lost_not)),
    ("6.18", "De Morgan on an atom that may fail", Reading(opposite_of_a_fault)),
    ("6.18", "De Morgan that keeps `&&`", Reading(same_connector)),
    ("6.18", "any bit of a mask for all of them", Reading(any_bit)),
    ("6.18", "a run of a set without its end", Reading(run_without_end)),
    ("6.18", "a complement that is one too wide", Reading(wide_gaps)),
    ("6.18", "an `int` argument is the whole register", Reading(whole_register)),
    ("6.18", "a `long` argument has no sign", Reading(unsigned_long)),
    ("6.18", "a negative `int` argument has two forms", Reading(two_forms)),
    ("6.18", "a negative `int` argument has one form", Reading(one_form)),
    ("6.18", "an `unsigned int` argument is the whole register", Reading(whole_unsigned_register)),
    ("6.18", "a `umode_t` argument has 32 bits", Reading(wide_mode)),
    ("6.18", "a sum does not wrap", Reading(sum_without_wrap)),
    ("6.18", "a right shift loses nothing", Reading(exact_shift)),
    ("6.18", "a cast changes nothing", Reading(no_cast)),
    ("6.18", "a suffix is left to the kernel's suffix", Writing(plain_suffix)),
    ("6.18", "a letter that makes a full glob is not marked", Writing(unmarked)),
    ("6.18", "a digit at the front is not marked", Writing(unmarked_digit)),
    ("6.18", "dynamic text is compared with `==`", Writing(plain_equality)),
    ("6.18", "the other quotes", Writing(other_quotes)),
    ("6.18", "a disjunction without parentheses", Writing(no_parentheses)),
    ("6.18", "no blank behind a function", Writing(no_blank)),
    ("6.1", "an inverted class leaves the NUL alone", Kernel(|model| model.class_takes_nul = false)),
    ("6.18.35", "text ends with its field", Kernel(|model| model.bounded_text = true)),
    ("6.18", "the CPU is called `CPU` where a field is", Event(|event| event.cpu = Spelling::USUAL.cpu)),
    (
        "6.18",
        "the task's name is called `COMM` where a field is",
        Event(|event| event.comm = Spelling::USUAL.comm),
    ),
    (
        "6.18",
        "the thread id is called `common_pid` where a field is",
        Event(|event| event.pid = Spelling::USUAL.pid),
    ),
    ("6.18", "a list of any CPUs", Kernel(|model| model.cpus = None)),
    ("6.1", "`CPUS{..}` before its time", Kernel(|model| model.cpu_lists = true)),
];

impl Planted {
    /// Lowers as if the error were there.
    pub(crate) fn lower(
        &self,
        condition: &Condition,
        event: &Spelling,
        model: &Model,
    ) -> Result<Lowered, LowerError> {
        match self {
            Planted::Reading(change) => lower(&everywhere(condition, *change), event, model),
            Planted::Writing(change) => Ok(match lower(condition, event, model)? {
                Lowered::Text(text) => Lowered::Text(change(&text).unwrap_or(text)),
                constant => constant,
            }),
            Planted::Kernel(change) => {
                let mut other = *model;
                change(&mut other);
                lower(condition, event, &other)
            }
            Planted::Event(change) => {
                let mut other = *event;
                change(&mut other);
                lower(condition, &other, model)
            }
        }
    }
}

/// The condition with a change wherever it applies.
fn everywhere(condition: &Condition, change: fn(&Condition) -> Option<Condition>) -> Condition {
    if let Some(changed) = change(condition) {
        return changed;
    }
    let each = |parts: &[Condition]| parts.iter().map(|part| everywhere(part, change)).collect();
    match condition {
        Condition::Not(inner) => Condition::Not(Box::new(everywhere(inner, change))),
        Condition::And(parts) => Condition::And(each(parts)),
        Condition::Or(parts) => Condition::Or(each(parts)),
        other => other.clone(),
    }
}

/// A comparison with a constant.
fn comparison(condition: &Condition) -> Option<(&Number, CompareOp, i128)> {
    match condition {
        Condition::Atom(Atom::Compare { left, op, right: Number::Const(value) }) => Some((left, *op, *value)),
        _ => None,
    }
}

fn at_most(condition: &Condition) -> Option<Condition> {
    let (left, op, value) = comparison(condition)?;
    (op == CompareOp::Lt).then(|| Condition::compare(left.clone(), CompareOp::Le, value))
}

fn lost_not(condition: &Condition) -> Option<Condition> {
    if let Condition::Not(inner) = condition { Some((**inner).clone()) } else { None }
}

fn opposite_of_a_fault(condition: &Condition) -> Option<Condition> {
    let Condition::Not(inner) = condition else { return None };
    let Condition::Atom(Atom::Text { of, test: TextTest::Eq(text) }) = &**inner else { return None };
    Some(Condition::Atom(Atom::Text { of: of.clone(), test: TextTest::Ne(text.clone()) }))
}

fn same_connector(condition: &Condition) -> Option<Condition> {
    let Condition::Not(inner) = condition else { return None };
    let Condition::And(parts) = &**inner else { return None };
    Some(Condition::And(parts.iter().cloned().map(Condition::not).collect()))
}

fn any_bit(condition: &Condition) -> Option<Condition> {
    let (left, op, value) = comparison(condition)?;
    let Number::Binary { op: NumberOp::And, right, .. } = left else { return None };
    let all = op == CompareOp::Eq && **right == Number::Const(value) && value != 0;
    all.then(|| Condition::compare(left.clone(), CompareOp::Ne, 0))
}

fn set(condition: &Condition, change: impl Fn(usize, (i128, i128)) -> (i128, i128)) -> Option<Condition> {
    let Condition::Atom(Atom::In { of, ranges }) = condition else { return None };
    let ranges = Ranges::new(ranges.iter().enumerate().map(|(index, run)| change(index, run)));
    Some(Condition::Atom(Atom::In { of: of.clone(), ranges }))
}

fn run_without_end(condition: &Condition) -> Option<Condition> {
    set(condition, |_, (first, last)| (first, if first < last { last - 1 } else { last }))
}

fn wide_gaps(condition: &Condition) -> Option<Condition> {
    set(condition, |index, (first, last)| (if index > 0 { first + 1 } else { first }, last))
}

/// A comparison of an argument of a type, as of one of another.
fn argument(condition: &Condition, is: &str, taken_for: &str) -> Option<(Field, CompareOp, i128)> {
    let (left, op, value) = comparison(condition)?;
    let Number::Field(field) = left else { return None };
    let argument = field.size == 8 && !field.signed && field.type_text == is;
    argument.then(|| (Field { type_text: taken_for.into(), ..field.clone() }, op, value))
}

fn whole_register(condition: &Condition) -> Option<Condition> {
    let (field, op, value) = argument(condition, "int", "long")?;
    Some(Condition::compare(Number::Field(field), op, value))
}

fn unsigned_long(condition: &Condition) -> Option<Condition> {
    let (field, op, value) = argument(condition, "long", "unsigned long")?;
    (value >= 0).then(|| Condition::compare(Number::Field(field), op, value))
}

fn whole_unsigned_register(condition: &Condition) -> Option<Condition> {
    let register = |is| argument(condition, is, "unsigned long");
    let (field, op, value) = register("unsigned int").or_else(|| register("unsigned"))?;
    Some(Condition::compare(Number::Field(field), op, value))
}

fn wide_mode(condition: &Condition) -> Option<Condition> {
    let (field, op, value) = argument(condition, "umode_t", "unsigned int")?;
    Some(Condition::compare(Number::Field(field), op, value))
}

/// What `-1` comes to in four bytes, and in eight.
fn forms(condition: &Condition, wraps: &[u32]) -> Option<Condition> {
    let (field, op, value) = argument(condition, "int", "unsigned long")?;
    let form = |wrap: &u32| Condition::compare(Number::Field(field.clone()), op, value + (1 << wrap));
    (op == CompareOp::Eq && value < 0).then(|| Condition::any(wraps.iter().map(form).collect()))
}

fn two_forms(condition: &Condition) -> Option<Condition> {
    forms(condition, &[32, 64])
}

fn one_form(condition: &Condition) -> Option<Condition> {
    forms(condition, &[64])
}

/// A comparison of `left OP constant` with a constant.
fn computed(condition: &Condition, wanted: NumberOp) -> Option<(&Number, i128, CompareOp, i128)> {
    let (number, compare, value) = comparison(condition)?;
    let Number::Binary { op, left, right, .. } = number else { return None };
    let Number::Const(constant) = **right else { return None };
    (*op == wanted).then_some((left, constant, compare, value))
}

fn sum_without_wrap(condition: &Condition) -> Option<Condition> {
    let (of, constant, op, value) = computed(condition, NumberOp::Add)?;
    let (min, max) = of.range();
    let solved = value - constant;
    (min..=max).contains(&solved).then(|| Condition::compare(of.clone(), op, solved))
}

fn exact_shift(condition: &Condition) -> Option<Condition> {
    let (of, count, op, value) = computed(condition, NumberOp::Shr)?;
    let shifted = (1..32).contains(&count).then(|| value << count)?;
    let (min, max) = of.range();
    (min..=max).contains(&shifted).then(|| Condition::compare(of.clone(), op, shifted))
}

fn no_cast(condition: &Condition) -> Option<Condition> {
    let (left, op, value) = comparison(condition)?;
    let Number::Cast { of, .. } = left else { return None };
    let (min, max) = of.range();
    (min..=max).contains(&value).then(|| Condition::compare((**of).clone(), op, value))
}

/// The first `[c]` of one letter or digit in a pattern, as `c`.
fn unmark(text: &str, begins: &str, byte: fn(&u8) -> bool) -> Option<String> {
    let at = text.find(begins)? + begins.len() - 1;
    match text.as_bytes()[at..] {
        [b'[', c, b']', ..] if byte(&c) => {
            Some([&text[..at], &text[at + 1..at + 2], &text[at + 3..]].concat())
        }
        _ => None,
    }
}

fn plain_suffix(text: &str) -> Option<String> {
    unmark(text, "~ \"*[", u8::is_ascii_alphabetic)
}

fn unmarked(text: &str) -> Option<String> {
    unmark(text, "[", u8::is_ascii_alphabetic)
}

fn unmarked_digit(text: &str) -> Option<String> {
    unmark(text, "~ \"[", u8::is_ascii_digit)
}

/// `name ~ "[a]bc"` as `name == "abc"`.
fn plain_equality(text: &str) -> Option<String> {
    let unmarked = unmark(text, "~ \"[", u8::is_ascii_alphabetic)?;
    let plain = !unmarked.contains(['*', '?', '[', '\\']);
    plain.then(|| unmarked.replacen("~ \"", "== \"", 1))
}

fn other_quotes(text: &str) -> Option<String> {
    text.contains(" '").then(|| text.replace('\'', "\""))
}

/// Only of texts whose parentheses are all those of disjunctions.
fn no_parentheses(text: &str) -> Option<String> {
    let plain = !text.contains(['"', '\'', '!']) && text.contains('(');
    plain.then(|| text.replace(['(', ')'], ""))
}

fn no_blank(text: &str) -> Option<String> {
    text.contains(" )").then(|| text.replace(" )", ")"))
}
