//! The condition of a session as a method of its record, and a function for each test.

use std::fmt::Write;

use tracec_kernel::condition::ir::{CompareOp, MaskTest, NumberOp, Sign, TextTest};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::IntegerType;

use super::line;
use super::literal::{bytes, number};
use super::names::word;
use super::table::integer;
use crate::decoder::{
    Calls, Decision, Filter, Formula, Identifiers, Needs, Question, Step, Test, TextPlace, identifier,
};

/// Writes the method of a condition, and what it calls into `tests`.
pub(super) fn write(
    text: &mut String,
    tests: &mut String,
    filter: &Filter<'_>,
    record: &str,
    taken: &mut Identifiers,
) {
    let session = if filter.session == "-e" { "session" } else { filter.session };
    let method = taken.take(word(identifier(&format!("{session}_matches"))));
    // A method of a record has a name of its own, and so have the functions that begin with both names.
    let function =
        |kind: &str, index: usize| format!("{record}_{method}_{kind}_{}", index + 1).replace("r#", "");
    let all = passed(filter.needs());
    let call = Calls {
        test: &|index| {
            let test = &filter.tests[index];
            let data = if test.reads() { "data" } else { "" };
            let arguments = list(&[data, &passed(test.needs)]);
            format!("{}({arguments}).unwrap_or(false)", function("test", index))
        },
        part: &|index| format!("{}({})", function("part", index), list(&["data", &all])),
    };
    for (index, of) in filter.tests.iter().enumerate() {
        test(tests, of, &function("test", index));
    }
    for (index, formula) in filter.parts.iter().enumerate() {
        let (data, expression) = (is_read(filter, formula), formula.expression(&call));
        let unused = unused(filter, formula, data);
        let parameters = list(&["data: &[u8]", &parameters(filter.needs())]);
        // Writing into a string does not fail.
        let _ = write!(
            tests,
            "\nfn {}({parameters}) -> bool {{\n{}    {expression}\n}}\n",
            function("part", index),
            unused.replace("        ", "    ")
        );
    }
    let written: Vec<String> = filter.conjuncts.iter().map(|conjunct| conjunct.value.to_string()).collect();
    let condition = match written.is_empty() {
        true => "every record".to_owned(),
        false => line(&written.join(" && ")),
    };
    let parameters = list(&["&self", &parameters(filter.needs())]);
    let data = if is_read(filter, &filter.formula) { "        let data = self.data;\n" } else { "" };
    let unused = unused(filter, &filter.formula, true);
    let _ = write!(
        text,
        "\n    /// Returns whether the session `{}` records it: {}\n    \
         pub fn {method}({parameters}) -> bool {{\n{data}{unused}        {}\n    }}\n",
        line(session),
        condition.replace('[', "\\[").replace('<', "\\<"),
        filter.formula.expression(&call)
    );
}

/// Returns whether a formula calls something that takes the record.
fn is_read(filter: &Filter<'_>, formula: &Formula) -> bool {
    match formula {
        Formula::Constant(_) => false,
        Formula::Test(index) => filter.tests[*index].reads(),
        Formula::Part(_) => true,
        Formula::Not(inner) => is_read(filter, inner),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| is_read(filter, part)),
    }
}

/// Returns the statement that takes the parameters that a formula does not use.
fn unused(filter: &Filter<'_>, formula: &Formula, data: bool) -> String {
    let (needs, used) = (filter.needs(), filter.used(formula).unwrap_or_default());
    let unused = Needs {
        cpu: needs.cpu && !used.cpu,
        tgid: needs.tgid && !used.tgid,
        comm: needs.comm && !used.comm,
        memory: false,
    };
    let names = list(&[if data { "" } else { "data" }, &passed(unused)]);
    match names.contains(',') {
        _ if names.is_empty() => String::new(),
        true => format!("        let _ = ({names});\n"),
        false => format!("        let _ = {names};\n"),
    }
}

/// Returns items that are not empty with commas between them.
fn list(items: &[&str]) -> String {
    let items: Vec<&str> = items.iter().copied().filter(|item| !item.is_empty()).collect();
    items.join(", ")
}

/// Returns what is needed beside the record as parameters.
fn parameters(needs: Needs) -> String {
    list(&[
        if needs.cpu { "cpu: u32" } else { "" },
        if needs.tgid { "tgid: i32" } else { "" },
        if needs.comm { "comm: &[u8]" } else { "" },
    ])
}

/// Returns what is needed beside the record as arguments.
fn passed(needs: Needs) -> String {
    list(&[
        if needs.cpu { "cpu" } else { "" },
        if needs.tgid { "tgid" } else { "" },
        if needs.comm { "comm" } else { "" },
    ])
}

/// Writes the function of a test: `None` where it cannot be decided, which is false.
fn test(text: &mut String, test: &Test<'_>, name: &str) {
    let data = if test.reads() { "data: &[u8]" } else { "" };
    let parameters = list(&[data, &parameters(test.needs)]);
    let _ =
        write!(text, "\n// {}\nfn {name}({parameters}) -> Option<bool> {{\n", line(&test.atom.to_string()));
    match &test.question {
        // Memory is not read here; the table of realisations says so.
        Question::Never | Question::Pointed { .. } => text.push_str("    None\n"),
        Question::Number { steps, decision } => {
            steps.iter().enumerate().for_each(|(index, step)| statement(text, steps, index, *step));
            decide(text, steps, decision);
        }
        Question::Text { place, test } => text_test(text, *place, test),
        Question::Mask { word, relative, test, cpus } => mask_test(text, (*word, *relative), *test, cpus),
    }
    text.push_str("}\n");
}

/// Writes the statement that computes the value of a step; a constant is written where it is used.
fn statement(text: &mut String, steps: &[Step], index: usize, step: Step) {
    let value = |index: usize| value(steps, index);
    let made = match step {
        Step::Constant(_) => return,
        Step::Read { offset, size, means } => {
            let read = format!("read(data, {offset}, {size})?");
            if !means.signed && means.bytes == size { read } else { cast(&read, means) }
        }
        Step::Cpu => "u64::from(cpu)".to_owned(),
        Step::Tgid => "i64::from(tgid) as u64".to_owned(),
        Step::Cast { of, to } => cast(&value(of), to),
        Step::Binary { op, sign, left, right } => {
            let (a, b, signed) = (value(left), value(right), sign == Sign::Signed);
            match op {
                NumberOp::Add => format!("{a}.wrapping_add({b})"),
                NumberOp::Sub => format!("{a}.wrapping_sub({b})"),
                NumberOp::Mul => format!("{a}.wrapping_mul({b})"),
                NumberOp::Div => format!("divide({a}, {b}, {signed})?"),
                NumberOp::Rem => format!("remainder({a}, {b}, {signed})?"),
                NumberOp::Shl => format!("shift_left({a}, {b})?"),
                NumberOp::Shr => format!("shift_right({a}, {b}, {signed})?"),
                NumberOp::And | NumberOp::Or | NumberOp::Xor => format!("{a} {op} {b}"),
            }
        }
    };
    let _ = writeln!(text, "    let n{index} = {made};");
}

/// Returns the value of a step as an operand.
fn value(steps: &[Step], index: usize) -> String {
    match steps[index] {
        Step::Constant(value) => format!("{value}_u64"),
        _ => format!("n{index}"),
    }
}

/// Returns the low bytes of a value, extended by the sign of a type.
fn cast(value: &str, to: IntegerType) -> String {
    // Nothing of the 64 bits changes.
    if to.bytes == 8 { value.to_owned() } else { format!("{value} as {} as u64", integer(to)) }
}

/// Returns the value of a step in a sign.
fn signed(steps: &[Step], (index, sign): (usize, Sign)) -> String {
    match sign {
        Sign::Signed => format!("{} as i64", value(steps, index)),
        Sign::Unsigned => value(steps, index),
    }
}

/// Returns the value of a step in a sign as an operand of a comparison.
fn operand(steps: &[Step], (index, sign): (usize, Sign)) -> String {
    let value = signed(steps, (index, sign));
    if sign == Sign::Signed { format!("({value})") } else { value }
}

fn decide(text: &mut String, steps: &[Step], decision: &Decision) {
    match decision {
        Decision::Constant { of, sign, op, value } => {
            let (left, right) = (operand(steps, (*of, *sign)), number(*sign, *value));
            let _ = writeln!(text, "    Some({left} {op} {right})");
        }
        Decision::Ranges { of, sign, ranges } => in_ranges(text, &signed(steps, (*of, *sign)), *sign, ranges),
        Decision::Order { left, op, right } => {
            let _ = writeln!(text, "    Some({})", ordered(steps, *left, *op, *right));
        }
    }
}

/// Returns the comparison of two values. 128 bits have room for both signs.
fn ordered(steps: &[Step], left: (usize, Sign), op: CompareOp, right: (usize, Sign)) -> String {
    if left.1 == right.1 {
        return format!("{} {op} {}", operand(steps, left), operand(steps, right));
    }
    format!("i128::from({}) {op} i128::from({})", signed(steps, left), signed(steps, right))
}

/// Writes whether a value is in one of some ranges.
fn in_ranges(text: &mut String, value: &str, sign: Sign, ranges: &Ranges) {
    let (min, max) = sign.range();
    let pattern = |(first, last): (i128, i128)| match first == last {
        true => number(sign, first),
        false => format!("{}..={}", number(sign, first), number(sign, last)),
    };
    let patterns: Vec<String> = ranges.iter().map(pattern).collect();
    let all = ranges.iter().any(|range| range == (min, max));
    let _ = match patterns.is_empty() || all {
        true => write!(text, "    let _ = {value};\n    Some({all})\n"),
        false => writeln!(text, "    Some(matches!({value}, {}))", patterns.join(" | ")),
    };
}

fn text_test(text: &mut String, place: TextPlace, test: &TextTest) {
    let found = match place {
        TextPlace::Fixed { offset, size } => format!("until_nul(fixed(data, {offset}, {size})?)"),
        TextPlace::Located { word, relative } => format!("until_nul(located(data, {word}, {relative})?)"),
        TextPlace::Comm => "task_name(comm)".to_owned(),
    };
    let question = match test {
        TextTest::Eq(other) => format!("text == {}", bytes(other.as_bytes())),
        TextTest::Ne(other) => format!("text != {}", bytes(other.as_bytes())),
        TextTest::Glob(pattern) => format!("glob({}, text)", bytes(pattern.as_str().as_bytes())),
    };
    let _ = write!(text, "    let text = {found};\n    Some({question})\n");
}

fn mask_test(text: &mut String, (word, relative): (u32, bool), test: MaskTest, cpus: &Ranges) {
    let ranges: Vec<String> = cpus.iter().map(|(first, last)| format!("({first}, {last})")).collect();
    let question = match test {
        MaskTest::Any => "any",
        MaskTest::Equal => "same",
        MaskTest::Differ => "!same",
    };
    let _ = write!(
        text,
        "    let mask = located(data, {word}, {relative})?;\n    Some({question}(mask, &[{}]))\n",
        ranges.join(", ")
    );
}
