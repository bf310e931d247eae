use proptest::prelude::*;

use super::*;
use crate::condition::glob::Glob;
use crate::condition::ir::{CompareOp, NumberOp};
use crate::condition::ranges::Ranges;
use crate::format::{Field, FieldKind, parse_field};

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
    assert_eq!(lower(&condition), Ok(Lowered::Text(text.to_owned())));
}

#[track_caller]
fn refuses(condition: Condition, message: &str) -> LowerError {
    let error = lower(&condition).expect_err("the condition is lowered");
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
    assert_eq!(lower(&Condition::Const(true)), Ok(Lowered::Everything));
    assert_eq!(lower(&Condition::Const(false)), Ok(Lowered::Nothing));
    assert_eq!(lower(&Condition::Or(vec![a(), Condition::Const(true)])), Ok(Lowered::Everything));
    assert_eq!(lower(&Condition::And(vec![a(), Condition::Const(false)])), Ok(Lowered::Nothing));
    assert_eq!(lower(&not(Condition::Const(false))), Ok(Lowered::Everything));
    says(Condition::And(vec![Condition::Const(true), a()]), "pid == 1");
    says(
        Condition::Or(vec![Condition::And(vec![Condition::Const(true), a()]), Condition::Const(false)]),
        "pid == 1",
    );
    assert_eq!(lower(&any_bit(pid(), 0)), Ok(Lowered::Nothing));
    assert_eq!(lower(&glob(comm16(), "**")), Ok(Lowered::Everything));
    // A part that cannot be said is refused even where another decides: its author has to know.
    refuses(Condition::And(vec![Condition::Const(false), compare(pid(), CompareOp::Eq, 1 << 40)]), "outside");
}

#[test]
fn integers_are_decimal_and_in_range() {
    use CompareOp::*;
    says(compare(pid(), Ne, -5), "pid != -5");
    says(compare(int("x", "u64", 8, false), Eq, u64::MAX.into()), "x == 18446744073709551615");
    says(compare(int("x", "s64", 8, true), Ge, i64::MIN.into()), "x >= -9223372036854775808");
    says(compare(int("p", "void *", 8, false), Ne, 0), "p != 0");
    refuses(compare(int("x", "u8", 1, false), Eq, 256), "0 to 255");
    refuses(compare(int("x", "u8", 1, false), Eq, -1), "0 to 255");
    refuses(compare(int("x", "s16", 2, true), Lt, 40_000), "-32768 to 32767");
    refuses(compare(int("x", "u64", 8, false), Eq, -1), "0 to 18446744073709551615");
    refuses(compare(int("x", "s64", 8, true), Eq, 1 << 63), "9223372036854775807");
    refuses(compare(Number::Cpu, Eq, 1 << 31), "CPU");
    refuses(compare(int("flags", "unsigned int", 8, false), Eq, -1), "outside");
}

#[test]
fn what_the_kernel_never_matches_is_refused() {
    use CompareOp::*;
    let opaque = |line| Number::Field(field(line));
    let structure = opaque("\tfield:struct timespec64 t;\toffset:8;\tsize:16;\tsigned:0;");
    refuses(compare(structure, Ne, 1), "struct timespec64");
    let array = opaque("\tfield:u8 addr[4];\toffset:8;\tsize:4;\tsigned:0;");
    refuses(compare(array, Eq, 1), "u8[4]");
    let mask = opaque("\tfield:__data_loc cpumask_t cpus;\toffset:8;\tsize:4;\tsigned:0;");
    refuses(compare(mask.clone(), Eq, 1), "cpumask_t");
    refuses(any_bit(mask, 1), "cpumask_t");
    refuses(any_bit(Number::Cpu, 1), "CPU number");
    let Number::Field(number) = pid() else { unreachable!("pid() is a field") };
    refuses(eq(Text::Field(number.clone()), "1"), "`pid` is no text");
    let mut odd = number;
    odd.size = 3;
    refuses(compare(Number::Field(odd.clone()), Eq, 1), "pid_t");
    odd.name = "a b".to_owned();
    refuses(compare(Number::Field(odd), Eq, 1), "`a b`");
}

#[test]
fn the_kernel_computes_nothing() {
    use CompareOp::*;
    let sum = Number::binary(NumberOp::Add, pid(), Number::Const(1));
    refuses(compare(sum.clone(), Eq, 1), "computes nothing");
    refuses(within(sum, &[(1, 2)]), "computes nothing");
    refuses(Condition::Atom(Atom::Compare { left: pid(), op: Eq, right: dfd() }), "computes nothing");
    let byte = crate::format::IntegerType { bytes: 1, signed: false };
    refuses(compare(Number::Cast { to: byte, of: Box::new(pid()) }, Eq, 1), "computes nothing");
    refuses(bits(pid(), 6, Gt, 1), "computes nothing");
}

#[test]
fn sets_are_written_out() {
    says(within(pid(), &[(1, 1), (5, 9)]), "pid == 1 || pid >= 5 && pid <= 9");
    says(within(Number::Cpu, &[(0, 3)]), "CPU >= 0 && CPU <= 3");
    says(within(dfd(), &[(-100, -100)]), "dfd == 4294967196 || dfd == 18446744073709551516");
    assert_eq!(lower(&within(pid(), &[])), Ok(Lowered::Nothing));
    refuses(within(pid(), &[(1, 1 << 40)]), "outside");
}

#[test]
fn all_bits_of_a_mask_are_asked_one_by_one() {
    use CompareOp::*;
    says(bits(pid(), 6, Eq, 6), "pid & 2 && pid & 4");
    says(bits(pid(), 6, Eq, 2), "pid & 2 && !(pid & 4)");
    says(bits(pid(), 6, Eq, 0), "!(pid & 6)");
    says(bits(pid(), 6, Ne, 6), "!(pid & 2 && pid & 4)");
    assert_eq!(lower(&bits(pid(), 6, Eq, 1)), Ok(Lowered::Nothing));
    assert_eq!(lower(&bits(pid(), 6, Ne, 1)), Ok(Lowered::Everything));
}

#[test]
fn bits_are_those_of_the_width() {
    says(any_bit(int("flags", "unsigned int", 4, false), 0x8000_0000), "flags & 2147483648");
    says(any_bit(int("state", "long", 8, true), i128::from(i64::MIN)), "state & -9223372036854775808");
    says(any_bit(int("state", "long", 8, true), 3), "state & 3");
    says(any_bit(int("x", "u64", 8, false), 1 << 63), "x & 9223372036854775808");
    says(any_bit(dfd(), 0x8000_0000), "dfd & 2147483648");
    refuses(any_bit(int("flags", "unsigned int", 4, false), 1 << 32), "4294967295");
    refuses(any_bit(dfd(), 1 << 32), "4294967295");
}

#[test]
fn negative_arguments_of_system_calls_match() {
    use CompareOp::*;
    says(compare(dfd(), Eq, -100), "dfd == 4294967196 || dfd == 18446744073709551516");
    says(compare(dfd(), Ne, -100), "dfd != 4294967196 && dfd != 18446744073709551516");
    says(not(compare(dfd(), Eq, -100)), "!(dfd == 4294967196 || dfd == 18446744073709551516)");
    says(
        Condition::And(vec![compare(dfd(), Eq, -100), compare(pid(), Eq, 1)]),
        "(dfd == 4294967196 || dfd == 18446744073709551516) && pid == 1",
    );
    says(compare(dfd(), Eq, 5), "dfd == 5");
    says(compare(dfd(), Lt, 0), "dfd >= 2147483648");
    says(compare(dfd(), Gt, 5), "dfd > 5 && dfd < 2147483648");
    says(compare(int("n", "long", 8, false), Eq, -1), "n == 18446744073709551615");
    says(
        compare(int("n", "const clockid_t", 8, false), Eq, -6),
        "n == 4294967290 || n == 18446744073709551610",
    );
    refuses(compare(dfd(), Eq, 0xffff_ff9c), "-2147483648 to 2147483647");
}

#[test]
fn text_finds_its_quotes_or_is_refused() {
    says(eq(filename(), "/bin/sh"), "filename == \"/bin/sh\"");
    says(eq(filename(), "a \"b\""), "filename == 'a \"b\"'");
    says(eq(filename(), "it's"), "filename == \"it's\"");
    says(eq(filename(), ""), "filename == \"\"");
    says(eq(filename(), "a && (b"), "filename == \"a && (b\"");
    says(text_is(Text::Comm, TextTest::Ne("bash".to_owned())), "COMM != \"bash\"");
    refuses(eq(filename(), "'\""), "quotes");
    refuses(eq(filename(), "a\0b"), "NUL");
    refuses(eq(filename(), &"x".repeat(256)), "256 bytes");
    says(eq(filename(), &"x".repeat(255)), &format!("filename == \"{}\"", "x".repeat(255)));
    says(eq(comm16(), "fifteen_letters"), "next_comm == \"fifteen_letters\"");
    refuses(eq(comm16(), "sixteen__letters"), "at most 15 bytes");
    refuses(eq(Text::Comm, "sixteen__letters"), "at most 15 bytes");
    refuses(glob(Text::Comm, "sixteen__letters*"), "at most 15 bytes");
    says(glob(Text::Comm, "fifteen_letters*"), "COMM ~ \"fifteen_letters*\"");
}

#[test]
fn patterns_go_round_the_quirks() {
    for (pattern, fixed, dynamic) in [
        // Prefixes are exact everywhere.
        ("ab*", "ab*", "ab*"),
        // A suffix would be compared with the field's end.
        ("*ab", "*[a]b", "*[a]b"),
        // A part would be found behind the NUL of a fixed field.
        ("*ab*", "*[a]b*", "*ab*"),
        ("*-ab", "*\\-ab", "*\\-ab"),
        ("*é*", "*\\é*", "*é*"),
        // Full globs as they are.
        ("a*b", "a*b", "a*b"),
        ("*a*b*", "*a*b*", "*a*b*"),
        ("a?c", "a?c", "a?c"),
        ("[a-c]x*", "[a-c]x*", "[a-c]x*"),
        ("[!a]*", "[!a]*", "[!a]*"),
        ("[]a]*", "[]a]*", "[]a]*"),
        ("[!]a]*", "[!]a]*", "[!]a]*"),
        // A leading digit would make it a plain text, a leading `!` would invert it.
        ("1*", "[1]*", "[1]*"),
        ("12?", "[1]2?", "[1]2?"),
        ("!a*", "\\!a*", "\\!a*"),
        ("*!a", "*\\!a", "*\\!a"),
        ("*1*", "*[1]*", "*1*"),
        // Escapes stay escapes.
        ("a\\*b*", "a\\*b*", "a\\*b*"),
        ("*\\?", "*\\?", "*\\?"),
        ("\\a*", "a*", "a*"),
        ("a**b", "a*b", "a*b"),
    ] {
        says(glob(comm16(), pattern), &format!("next_comm ~ \"{fixed}\""));
        says(glob(filename(), pattern), &format!("filename ~ \"{dynamic}\""));
    }
}

#[test]
fn patterns_without_wildcards_are_texts() {
    says(glob(filename(), "abc"), "filename == \"abc\"");
    says(glob(filename(), "1a"), "filename == \"1a\"");
    says(glob(filename(), "!a"), "filename == \"!a\"");
    says(glob(filename(), "a\\*\\[b\\]"), "filename == \"a*[b]\"");
    says(glob(filename(), ""), "filename == \"\"");
    says(not(glob(filename(), "*x*")), "!(filename ~ \"*x*\")");
}

#[test]
fn patterns_that_cannot_be_written_are_refused() {
    refuses(glob(filename(), "\"'*"), "quotes");
    // The rewriting counts: 253 bytes and `[`, `]`, `*`.
    refuses(glob(filename(), &format!("1{}*", "x".repeat(252))), "256 bytes");
}

#[test]
fn behind_a_pointer_a_star_asks_whether_there_is_text() {
    says(glob(pointer(), "*"), "name ~ \"*\"");
    says(eq(pointer(), "eth0"), "name == \"eth0\"");
}

#[test]
fn a_filter_fills_a_page_and_no_more() {
    // `pid == 1` is 8 bytes, ` || ` 4: 341 of them are 4088 bytes, and 7 more fit.
    let one = || compare(pid(), CompareOp::Eq, 1);
    let mut parts: Vec<Condition> = (0..340).map(|_| one()).collect();
    parts.push(compare(pid(), CompareOp::Eq, 12_345_678));
    let Ok(Lowered::Text(text)) = lower(&Condition::Or(parts.clone())) else { panic!("it does not fit") };
    assert_eq!(text.len(), limits::FILTER_BYTES);
    parts.pop();
    parts.push(compare(pid(), CompareOp::Eq, 123_456_789));
    assert_eq!(lower(&Condition::Or(parts)), Err(LowerError::TooLong { length: limits::FILTER_BYTES + 1 }));
}

#[test]
fn an_error_names_its_leaf() {
    let fine = || compare(pid(), CompareOp::Eq, 1);
    let bad = Condition::Or(vec![
        fine(),
        Condition::And(vec![fine(), not(compare(Number::Cpu, CompareOp::Eq, -(1 << 40)))]),
    ]);
    let error = refuses(bad, "CPU");
    assert_eq!(error.leaf(), Some(&Leaf { index: 2, operand: "CPU".to_owned() }));
    assert_eq!(LowerError::TooLong { length: 5000 }.leaf(), None);
}

/// Evaluates the text of a filter over one unsigned 8-byte field as the kernel does.
fn kernel_says(text: &str, slot: u64) -> bool {
    text.split(" || ").any(|all| {
        all.split(" && ").all(|one| {
            let mut words = one.trim_matches(['(', ')']).split(' ').skip(1);
            let (op, value) = (words.next().unwrap(), words.next().unwrap().parse::<u64>().unwrap());
            match op {
                "==" => slot == value,
                "!=" => slot != value,
                "<" => slot < value,
                "<=" => slot <= value,
                ">" => slot > value,
                ">=" => slot >= value,
                op => panic!("{op}"),
            }
        })
    })
}

const OPS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

#[test]
fn signed_arguments_compare_as_in_c() {
    let values = [i32::MIN, i32::MIN + 1, -100, -2, -1, 0, 1, 2, 100, i32::MAX - 1, i32::MAX];
    for op in OPS {
        for right in values {
            let narrow = lower(&compare(dfd(), op, right.into())).unwrap();
            let wide = lower(&compare(int("n", "long", 8, false), op, right.into())).unwrap();
            let (Lowered::Text(narrow), Lowered::Text(wide)) = (narrow, wide) else { panic!("no text") };
            for left in values {
                let expected = op.holds(left.into(), right.into());
                assert_eq!(kernel_says(&narrow, u64::from(left as u32)), expected, "{left} in {narrow}");
                assert_eq!(kernel_says(&narrow, i64::from(left) as u64), expected, "{left} in {narrow}");
                assert_eq!(kernel_says(&wide, i64::from(left) as u64), expected, "{left} in {wide}");
            }
        }
    }
}

proptest! {
    /// Whatever comes in, the text is short enough, its quotes and parentheses close, and nothing panics.
    #[test]
    fn any_pattern_is_lowered_soundly_or_refused(pattern in ".{0,40}", fixed: bool) {
        let of = if fixed { comm16() } else { filename() };
        let Ok(pattern) = Glob::parse(&pattern) else { return Ok(()) };
        if let Ok(Lowered::Text(text)) = lower(&text_is(of, TextTest::Glob(pattern))) {
            prop_assert!(text.len() <= limits::FILTER_BYTES);
            let value = text.split_once("~ ").or(text.split_once("== ")).unwrap().1;
            let quote = value.chars().next().unwrap();
            prop_assert!(value.len() >= 2 && value.ends_with(quote));
            prop_assert!(!value[1..value.len() - 1].contains(quote));
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
        prop_assert_eq!(lower(&compare(operand, CompareOp::Eq, value)).is_ok(), fits);
    }
}
