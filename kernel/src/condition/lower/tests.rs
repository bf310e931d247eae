//! Golden texts. `oracle/tests/lowering` tests that they mean the same as their conditions.

mod numbers;
mod texts;

use proptest::prelude::*;

use super::*;
use crate::condition::glob::Glob;
use crate::condition::ir::{CompareOp, NumberOp, TextTest};
use crate::condition::ranges::Ranges;
use crate::format::{EventFormat, Field, FieldKind, parse_field};

/// Returns the text for a kernel that has every feature.
fn written(condition: &Condition) -> Result<Lowered, LowerError> {
    lower(condition, &Spelling::USUAL, &Model::LINUX_6_18)
}

fn field(line: &str) -> Field {
    parse_field(line, 1).unwrap()
}

fn int(name: &str, type_text: &str, size: u32, signed: bool) -> Number {
    let signed = u8::from(signed);
    Number::Field(field(&format!("\tfield:{type_text} {name};\toffset:8;\tsize:{size};\tsigned:{signed};")))
}

fn pid() -> Number {
    int("pid", "pid_t", 4, true)
}

fn dfd() -> Number {
    int("dfd", "int", 8, false)
}

fn comm16() -> Text {
    Text::Field(field("\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;"))
}

fn filename() -> Text {
    Text::Field(field("\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;"))
}

fn pointer() -> Text {
    Text::Field(field("\tfield:const char * name;\toffset:8;\tsize:8;\tsigned:0;"))
}

fn compare(number: Number, op: CompareOp, value: i128) -> Condition {
    Condition::compare(number, op, value)
}

fn bits(number: Number, mask: i128, op: CompareOp, value: i128) -> Condition {
    Condition::compare(Number::binary(NumberOp::And, number, Number::Const(mask)), op, value)
}

fn any_bit(number: Number, mask: i128) -> Condition {
    bits(number, mask, CompareOp::Ne, 0)
}

fn within(number: Number, ranges: &[(i128, i128)]) -> Condition {
    Condition::Atom(Atom::In { of: number, ranges: Ranges::new(ranges.iter().copied()) })
}

fn text_is(of: Text, test: TextTest) -> Condition {
    Condition::Atom(Atom::Text { of, test })
}

fn eq(of: Text, text: &str) -> Condition {
    text_is(of, TextTest::Eq(text.to_owned()))
}

fn glob(of: Text, pattern: &str) -> Condition {
    text_is(of, TextTest::Glob(Glob::parse(pattern).unwrap()))
}

fn not(inner: Condition) -> Condition {
    Condition::Not(Box::new(inner))
}

#[track_caller]
fn says(condition: Condition, text: &str) {
    assert_eq!(written(&condition), Ok(Lowered::Text(text.to_owned())));
}

#[track_caller]
fn says_for(model: &Model, condition: Condition, text: &str) {
    assert_eq!(lower(&condition, &Spelling::USUAL, model), Ok(Lowered::Text(text.to_owned())));
}

#[track_caller]
fn refuses(condition: Condition, message: &str) -> LowerError {
    refuses_for(&Model::LINUX_6_18, condition, message)
}

#[track_caller]
fn refuses_for(model: &Model, condition: Condition, message: &str) -> LowerError {
    let error = lower(&condition, &Spelling::USUAL, model).expect_err("the condition is lowered");
    assert!(error.to_string().contains(message), "{error}");
    error
}

#[test]
fn connectives_have_the_parentheses_they_need() {
    use CompareOp::*;
    let a = || compare(pid(), Eq, 1);
    let b = || compare(pid(), Gt, 2);
    let c = || compare(Number::Cpu, Le, 3);
    says(Condition::And(vec![a(), b()]), "pid == 1 && pid > 2");
    says(Condition::Or(vec![Condition::And(vec![a(), b()]), c()]), "pid == 1 && pid > 2 || CPU <= 3");
    says(Condition::And(vec![Condition::Or(vec![a(), b()]), c()]), "(pid == 1 || pid > 2) && CPU <= 3");
    says(Condition::And(vec![Condition::And(vec![a(), b()]), c()]), "pid == 1 && pid > 2 && CPU <= 3");
    says(Condition::Or(vec![a(), Condition::Or(vec![b(), c()])]), "pid == 1 || pid > 2 || CPU <= 3");
    says(not(a()), "!(pid == 1)");
    says(not(not(a())), "pid == 1");
    says(not(Condition::Or(vec![a(), b()])), "!(pid == 1 || pid > 2)");
    says(
        Condition::And(vec![not(Condition::And(vec![a(), b()])), c()]),
        "!(pid == 1 && pid > 2) && CPU <= 3",
    );
}

#[test]
fn constants_fold() {
    let a = || compare(pid(), CompareOp::Eq, 1);
    assert_eq!(written(&Condition::Const(true)), Ok(Lowered::Everything));
    assert_eq!(written(&Condition::Const(false)), Ok(Lowered::Nothing));
    assert_eq!(written(&Condition::Or(vec![a(), Condition::Const(true)])), Ok(Lowered::Everything));
    assert_eq!(written(&Condition::And(vec![a(), Condition::Const(false)])), Ok(Lowered::Nothing));
    assert_eq!(written(&not(Condition::Const(false))), Ok(Lowered::Everything));
    says(Condition::And(vec![Condition::Const(true), a()]), "pid == 1");
    says(
        Condition::Or(vec![Condition::And(vec![Condition::Const(true), a()]), Condition::Const(false)]),
        "pid == 1",
    );
    assert_eq!(written(&any_bit(pid(), 0)), Ok(Lowered::Nothing));
    assert_eq!(written(&glob(comm16(), "**")), Ok(Lowered::Everything));
    // An atom that cannot be expressed is refused even where another one decides: the author has to know.
    refuses(Condition::And(vec![Condition::Const(false), compare(pid(), CompareOp::Eq, 1 << 40)]), "outside");
}

#[test]
fn filter_longer_than_4095_bytes_is_refused() {
    // `pid == 1` is 8 bytes, ` || ` 4: 341 of them are 4088 bytes, and 7 more fit.
    let one = || compare(pid(), CompareOp::Eq, 1);
    let mut parts: Vec<Condition> = (0..340).map(|_| one()).collect();
    parts.push(compare(pid(), CompareOp::Eq, 12_345_678));
    let Ok(Lowered::Text(text)) = written(&Condition::Or(parts.clone())) else { panic!("it does not fit") };
    assert_eq!(text.len(), limits::FILTER_BYTES);
    parts.pop();
    parts.push(compare(pid(), CompareOp::Eq, 123_456_789));
    assert_eq!(written(&Condition::Or(parts)), Err(LowerError::TooLong { length: limits::FILTER_BYTES + 1 }));
}

#[test]
fn error_names_the_atom_at_fault() {
    let fine = || compare(pid(), CompareOp::Eq, 1);
    let bad = Condition::Or(vec![
        fine(),
        Condition::And(vec![fine(), not(compare(Number::Cpu, CompareOp::Eq, -(1 << 40)))]),
    ]);
    let error = refuses(bad, "CPU");
    assert_eq!(error.leaf(), Some(&Leaf { index: 2, operand: "CPU".to_owned() }));
    assert_eq!(LowerError::TooLong { length: 5000 }.leaf(), None);
}

/// Returns a probe whose arguments have the names of generic fields.
fn hiding(names: &[&str]) -> EventFormat {
    let own: String =
        names.iter().map(|name| format!("\tfield:u64 {name};\toffset:8;\tsize:8;\tsigned:0;\n")).collect();
    let head = "name: e\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
    EventFormat::parse("s", &format!("{head}{own}\nprint fmt: \"\"\n")).unwrap()
}

/// The names of the task and the CPU depend on the event: a field of its own with that name is another value.
#[test]
fn name_hidden_by_a_field_is_not_used() {
    let is_x = text_is(Text::Comm, TextTest::Eq("x".to_owned()));
    let on_3 = compare(Number::Cpu, CompareOp::Eq, 3);
    let is_5 = compare(Number::Pid, CompareOp::Eq, 5);
    let (plain_comm, plain_cpu) = (Ok("COMM == \"x\""), Ok("CPU == 3"));
    let plain_pid = Ok("common_pid == 5");
    let hidden = Err("fields of the event hide");
    for (own, comm, cpu, pid) in [
        (&["a"][..], plain_comm, plain_cpu, plain_pid),
        (&["comm", "cpu"], plain_comm, plain_cpu, plain_pid),
        (&["COMM", "CPU"], Ok("comm == \"x\""), Ok("cpu == 3"), plain_pid),
        // Any other name is unknown in filters.
        (&["CPU", "cpu", "comm", "COMM", "common_comm"], hidden, Ok("common_cpu == 3"), plain_pid),
        (&["CPU", "cpu", "common_cpu"], plain_comm, hidden, plain_pid),
        (
            &["common_pid"],
            plain_comm,
            plain_cpu,
            Err("the kernel's filter cannot name the field `current.pid`"),
        ),
    ] {
        let spelling = Spelling::at(&hiding(own));
        for (condition, expected) in [(&is_x, comm), (&on_3, cpu), (&is_5, pid)] {
            match (lower(condition, &spelling, &Model::LINUX_6_18), expected) {
                (Ok(Lowered::Text(text)), Ok(expected)) => assert_eq!(text, expected, "{own:?}"),
                (Err(error), Err(expected)) => {
                    assert!(error.to_string().contains(expected), "{own:?}: {error}")
                }
                (lowered, expected) => panic!("{own:?}: {lowered:?} for {expected:?}"),
            }
        }
    }
}

#[test]
fn thread_id_is_asked_for_as_the_field_of_the_header() {
    says(bits(Number::Pid, 1, CompareOp::Ne, 0), "common_pid & 1");
    says(within(Number::Pid, &[(5, 9)]), "common_pid >= 5 && common_pid <= 9");
    let next = Number::binary(NumberOp::Add, Number::Pid, Number::Const(1));
    says(compare(next, CompareOp::Eq, 5), "common_pid == 4");
    refuses(compare(Number::Pid, CompareOp::Eq, 1 << 31), "is outside the values of `common_pid`");
}

#[test]
fn process_id_is_refused_in_every_comparison() {
    let next = Number::binary(NumberOp::Add, Number::Tgid, Number::Const(1));
    for condition in [
        compare(Number::Tgid, CompareOp::Eq, 5),
        compare(next, CompareOp::Eq, 5),
        bits(Number::Tgid, 1, CompareOp::Ne, 0),
        within(Number::Tgid, &[(5, 9)]),
        Condition::Atom(Atom::Compare { left: Number::Tgid, op: CompareOp::Eq, right: Number::Pid }),
        Condition::Atom(Atom::Compare { left: Number::Pid, op: CompareOp::Eq, right: Number::Tgid }),
    ] {
        let error = refuses(condition, "the kernel's filter does not know the process id of the task");
        assert_eq!(error.leaf(), Some(&Leaf { index: 0, operand: "current.tgid".to_owned() }));
    }
}

#[test]
fn process_id_is_the_reason_before_all_others() {
    let of_pids = Atom::Compare { left: Number::Pid, op: CompareOp::Eq, right: Number::Cpu };
    let condition = Condition::Or(vec![Condition::Atom(of_pids), compare(Number::Tgid, CompareOp::Eq, 5)]);
    let error = refuses(condition, "the kernel's filter does not know the process id of the task");
    assert_eq!(error.leaf().map(|leaf| leaf.index), Some(1));
}

proptest! {
    /// For every pattern the text is short enough, its quotes and parentheses close, and nothing panics.
    #[test]
    fn any_pattern_is_lowered_soundly_or_refused(pattern in ".{0,40}", fixed: bool) {
        let of = if fixed { comm16() } else { filename() };
        let Ok(pattern) = Glob::parse(&pattern) else { return Ok(()) };
        if let Ok(Lowered::Text(text)) = written(&text_is(of, TextTest::Glob(pattern))) {
            prop_assert!(text.len() <= limits::FILTER_BYTES);
            let (mut quote, mut quoted, mut depth) = (None, 0, 0);
            for character in text.chars() {
                match (quote, character) {
                    (Some(open), close) if open == close => quote = None,
                    (Some(_), _) => {}
                    (None, '"' | '\'') => (quote, quoted) = (Some(character), quoted + 1),
                    (None, '(') => depth += 1,
                    (None, ')') => depth -= 1,
                    // Nothing of the pattern stands outside of quotes.
                    (None, other) => prop_assert!(other.is_ascii_alphanumeric() || "_ ~=!&|".contains(other)),
                }
                prop_assert!(depth >= 0, "{}", text);
            }
            prop_assert!(quote.is_none() && depth == 0 && quoted > 0, "{}", text);
        }
    }

    #[test]
    fn a_number_in_a_text_is_in_range(size in 0u32..4, signed: bool, value: i128) {
        let size = 1 << size;
        let operand = int("x", "some_t", size, signed);
        let Number::Field(x) = &operand else { unreachable!("int() is a field") };
        prop_assert_eq!(&x.kind, &FieldKind::Int);
        let range = x.integer().unwrap();
        let fits = (range.min()..=range.max()).contains(&value);
        prop_assert_eq!(written(&compare(operand, CompareOp::Eq, value)).is_ok(), fits);
    }
}
