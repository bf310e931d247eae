//! The condition of a session as functions: one for each test, and one for the whole.

use std::fmt::Write;

use tracec_kernel::condition::ir::{CompareOp, MaskTest, NumberOp, Sign, TextTest};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::IntegerType;

use super::line;
use super::names::Names;
use super::table::{constant_of, stdint};
use crate::c::bytes;
use crate::decoder::{Calls, Decision, Filter, Formula, Needs, Question, Record, Step, Test, TextPlace};

/// Writes the condition of a session.
pub(super) fn write(text: &mut String, filter: &Filter<'_>, record: &Record<'_>, names: &mut Names) {
    let session = if filter.session == "-e" { "session" } else { filter.session };
    let base = format!("{session}_{}_{}", record.format.system, record.format.name);
    let take = |names: &mut Names, kind: &str, count: usize| -> Vec<String> {
        (1..=count).map(|number| names.take(&format!("{base}_{kind}_{number}"))).collect()
    };
    let tests = take(names, "test", filter.tests.len());
    let parts = take(names, "part", filter.parts.len());
    let arguments = passed(filter.needs());
    let call = Calls {
        test: &|index| format!("{}(data, size{})", tests[index], passed(filter.tests[index].needs)),
        part: &|index| format!("{}(data, size{arguments})", parts[index]),
    };
    for (of, name) in filter.tests.iter().zip(&tests) {
        test(text, of, name);
    }
    for (formula, name) in filter.parts.iter().zip(&parts) {
        function(text, filter, formula, name, &call);
    }
    let written: Vec<String> = filter.conjuncts.iter().map(|conjunct| conjunct.value.to_string()).collect();
    let condition = match written.is_empty() {
        true => "every record".to_owned(),
        false => line(&written.join(" && ")),
    };
    // Writing into a string does not fail.
    let _ = write!(text, "\n/* Whether the session `{}` records it: {condition} */", line(session));
    function(text, filter, &filter.formula, &names.take(&format!("{base}_matches")), &call);
}

/// Returns what is needed beside the record as parameters.
fn parameters(needs: Needs) -> String {
    let cpu = if needs.cpu { ", uint32_t cpu" } else { "" };
    let tgid = if needs.tgid { ", int32_t tgid" } else { "" };
    let comm = if needs.comm { ", const char *comm" } else { "" };
    format!("{cpu}{tgid}{comm}")
}

/// Returns what is needed beside the record as arguments.
fn passed(needs: Needs) -> String {
    let cpu = if needs.cpu { ", cpu" } else { "" };
    let tgid = if needs.tgid { ", tgid" } else { "" };
    let comm = if needs.comm { ", comm" } else { "" };
    format!("{cpu}{tgid}{comm}")
}

/// Writes the function of a formula.
fn function(text: &mut String, filter: &Filter<'_>, formula: &Formula, name: &str, call: &Calls<'_>) {
    let parameters = parameters(filter.needs());
    let _ = write!(text, "\nstatic inline bool {name}(const void *data, size_t size{parameters})\n{{\n");
    let used = filter.used(formula);
    let (needs, used_needs) = (filter.needs(), used.unwrap_or_default());
    let unused = [
        ("data", used.is_none()),
        ("size", used.is_none()),
        ("cpu", needs.cpu && !used_needs.cpu),
        ("tgid", needs.tgid && !used_needs.tgid),
        ("comm", needs.comm && !used_needs.comm),
    ];
    for (parameter, _) in unused.iter().filter(|(_, is_unused)| *is_unused) {
        let _ = writeln!(text, "\t(void){parameter};");
    }
    let _ = write!(text, "\treturn {};\n}}\n", formula.expression(call));
}

/// Writes the function of a test.
fn test(text: &mut String, test: &Test<'_>, name: &str) {
    let parameters = parameters(test.needs);
    let _ = write!(
        text,
        "\n/* {} */\nstatic inline bool {name}(const void *data, size_t size{parameters})\n{{\n",
        line(&test.atom.to_string())
    );
    if !test.reads() {
        text.push_str("\t(void)data;\n\t(void)size;\n");
    }
    match &test.question {
        // Memory is not read here; the table of realisations says so.
        Question::Never | Question::Pointed { .. } => text.push_str("\treturn false;\n"),
        Question::Number { steps, decision } => {
            steps.iter().enumerate().for_each(|(index, step)| statement(text, steps, index, *step));
            decide(text, steps, decision);
        }
        Question::Text { place, test } => text_test(text, *place, test),
        Question::Mask { word, relative, test, cpus } => mask_test(text, (*word, *relative), *test, cpus),
    }
    text.push_str("}\n");
}

/// Writes the statements that compute the value of a step; a constant is written where it is used.
fn statement(text: &mut String, steps: &[Step], index: usize, step: Step) {
    let value = |index: usize| value(steps, index);
    let n = format!("n{index}");
    let checked = |call: String| format!("\tuint64_t {n} = 0;\n\n\tif (!{call})\n\t\treturn false;\n");
    let made = match step {
        Step::Constant(_) => return,
        Step::Read { offset, size, means } => {
            let read = checked(format!("tracec_read(data, size, {offset}, {size}, &{n})"));
            let is_as_read = !means.signed && means.bytes == size;
            let extended = if is_as_read { String::new() } else { format!("\t{n} = {};\n", cast(&n, means)) };
            format!("{read}{extended}")
        }
        Step::Cpu => format!("\tconst uint64_t {n} = cpu;\n"),
        Step::Tgid => format!("\tconst uint64_t {n} = (uint64_t)(int64_t)tgid;\n"),
        Step::Cast { of, to } => format!("\tconst uint64_t {n} = {};\n", cast(&value(of), to)),
        Step::Binary { op, sign, left, right } => {
            let (a, b, signed) = (value(left), value(right), sign == Sign::Signed);
            match op {
                NumberOp::Div => checked(format!("tracec_divide({a}, {b}, {signed}, &{n})")),
                NumberOp::Rem => checked(format!("tracec_remainder({a}, {b}, {signed}, &{n})")),
                NumberOp::Shl => checked(format!("tracec_left({a}, {b}, &{n})")),
                NumberOp::Shr => checked(format!("tracec_right({a}, {b}, {signed}, &{n})")),
                NumberOp::Add
                | NumberOp::Sub
                | NumberOp::Mul
                | NumberOp::And
                | NumberOp::Or
                | NumberOp::Xor => format!("\tconst uint64_t {n} = {a} {op} {b};\n"),
            }
        }
    };
    text.push_str(&made);
}

/// Returns the value of a step as an operand.
fn value(steps: &[Step], index: usize) -> String {
    match steps[index] {
        Step::Constant(value) => format!("UINT64_C({value})"),
        _ => format!("n{index}"),
    }
}

/// Returns the low bytes of a value, extended by the sign of a type.
fn cast(value: &str, to: IntegerType) -> String {
    match (to.signed, to.bytes) {
        // Nothing of the 64 bits changes.
        (_, 8) => value.to_owned(),
        (true, _) => format!("(uint64_t)(int64_t)({}){value}", stdint(to)),
        (false, _) => format!("(uint64_t)({}){value}", stdint(to)),
    }
}

/// Returns a type of 64 bits with this sign.
fn wide(sign: Sign) -> IntegerType {
    IntegerType { bytes: 8, signed: sign == Sign::Signed }
}

/// Returns the value of a step in a sign.
fn signed(steps: &[Step], (index, sign): (usize, Sign)) -> String {
    match sign {
        Sign::Signed => format!("(int64_t){}", value(steps, index)),
        Sign::Unsigned => value(steps, index),
    }
}

fn decide(text: &mut String, steps: &[Step], decision: &Decision) {
    match decision {
        Decision::Constant { of, sign, op, value } => {
            let (left, right) = (signed(steps, (*of, *sign)), constant_of(wide(*sign), *value));
            let _ = writeln!(text, "\treturn {left} {op} {right};");
        }
        Decision::Ranges { of, sign, ranges } => in_ranges(text, &signed(steps, (*of, *sign)), *sign, ranges),
        Decision::Order { left, op, right } => {
            let _ = writeln!(text, "\treturn {};", ordered(steps, *left, *op, *right));
        }
    }
}

/// Returns the comparison of two values.
fn ordered(steps: &[Step], left: (usize, Sign), op: CompareOp, right: (usize, Sign)) -> String {
    let (a, b) = (value(steps, left.0), value(steps, right.0));
    match (left.1, right.1) {
        (Sign::Signed, Sign::Unsigned) => format!("tracec_order({a}, {b}) {op} 0"),
        (Sign::Unsigned, Sign::Signed) => format!("0 {op} tracec_order({b}, {a})"),
        _ => format!("{} {op} {}", signed(steps, left), signed(steps, right)),
    }
}

/// Writes whether a value is in one of some ranges. The ends of the sign are not compared with: gcc warns of a
/// comparison that is always true.
fn in_ranges(text: &mut String, value: &str, sign: Sign, ranges: &Ranges) {
    let (min, max) = sign.range();
    let constant = |number| constant_of(wide(sign), number);
    let mut is_used = false;
    for (first, last) in ranges.iter() {
        let question = match (first == min, last == max) {
            (true, true) => {
                let _ = write!(text, "\t(void){value};\n\treturn true;\n");
                return;
            }
            _ if first == last => format!("{value} == {}", constant(first)),
            (true, false) => format!("{value} <= {}", constant(last)),
            (false, true) => format!("{value} >= {}", constant(first)),
            (false, false) => {
                format!("{value} >= {} && {value} <= {}", constant(first), constant(last))
            }
        };
        is_used = true;
        let _ = write!(text, "\tif ({question})\n\t\treturn true;\n");
    }
    if !is_used {
        let _ = writeln!(text, "\t(void){value};");
    }
    text.push_str("\treturn false;\n");
}

fn text_test(text: &mut String, place: TextPlace, test: &TextTest) {
    let found = match place {
        TextPlace::Fixed { offset, size } => {
            format!("tracec_text(tracec_fixed(data, size, {offset}, {size}))")
        }
        TextPlace::Located { word, relative } => {
            format!("tracec_text(tracec_located(data, size, {word}, {relative}))")
        }
        TextPlace::Comm => "tracec_comm(comm)".to_owned(),
    };
    let operands = |other: &str| format!("text, {}, {}", bytes(other.as_bytes()), other.len());
    let question = match test {
        TextTest::Eq(other) => format!("tracec_equal({})", operands(other)),
        TextTest::Ne(other) => format!("!tracec_equal({})", operands(other)),
        TextTest::Glob(pattern) => format!("tracec_matches({})", operands(pattern.as_str())),
    };
    let _ = write!(text, "\tstruct tracec_bytes text = {found};\n\n\treturn text.at && {question};\n");
}

fn mask_test(text: &mut String, (word, relative): (u32, bool), test: MaskTest, cpus: &Ranges) {
    let ranges: Vec<String> = cpus.iter().map(|(first, last)| format!("{{ {first}, {last} }}")).collect();
    let question = match test {
        MaskTest::Any => "tracec_any",
        MaskTest::Equal => "tracec_same",
        MaskTest::Differ => "!tracec_same",
    };
    let _ = write!(
        text,
        "\tstatic const uint32_t cpus[][2] = {{ {} }};\n\
         \tstruct tracec_bytes mask = tracec_located(data, size, {word}, {relative});\n\n\
         \treturn mask.at && {question}(mask, cpus, {});\n",
        ranges.join(", "),
        ranges.len()
    );
}
