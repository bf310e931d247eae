use proptest::prelude::*;

use super::*;
use crate::condition::ir::CompareOp;
use crate::format::{FieldKind, parse_field};

fn field(line: &str) -> Field {
    parse_field(line, 1).unwrap()
}

fn int(name: &str, type_text: &str, size: u32, signed: bool) -> Operand {
    let signed = u8::from(signed);
    Operand::Field(field(&format!("\tfield:{type_text} {name};\toffset:8;\tsize:{size};\tsigned:{signed};")))
}

fn pid() -> Operand {
    int("pid", "pid_t", 4, true)
}

fn dfd() -> Operand {
    int("dfd", "int", 8, false)
}

fn comm16() -> Operand {
    Operand::Field(field("\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;"))
}

fn filename() -> Operand {
    Operand::Field(field("\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;"))
}

fn pointer() -> Operand {
    Operand::Field(field("\tfield:const char * name;\toffset:8;\tsize:8;\tsigned:0;"))
}

fn compare(operand: Operand, op: CompareOp, value: i128) -> Condition {
    Condition::Compare { operand, op, value }
}

fn eq(operand: Operand, text: &str) -> Condition {
    Condition::TextEq { operand, text: text.to_owned() }
}

fn glob(operand: Operand, pattern: &str) -> Condition {
    Condition::Glob { operand, pattern: pattern.to_owned() }
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
    let c = || compare(Operand::Cpu, Le, 3);
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
    assert_eq!(lower(&Condition::AnyBit { operand: pid(), mask: 0 }), Ok(Lowered::Nothing));
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
    refuses(compare(Operand::Cpu, Eq, 1 << 31), "CPU");
    refuses(compare(int("flags", "unsigned int", 8, false), Eq, -1), "outside");
}

#[test]
fn what_the_kernel_never_matches_is_refused() {
    use CompareOp::*;
    let opaque = |line| Operand::Field(field(line));
    let structure = opaque("\tfield:struct timespec64 t;\toffset:8;\tsize:16;\tsigned:0;");
    refuses(compare(structure, Ne, 1), "struct timespec64");
    let array = opaque("\tfield:u8 addr[4];\toffset:8;\tsize:4;\tsigned:0;");
    refuses(compare(array, Eq, 1), "u8[4]");
    let mask = opaque("\tfield:__data_loc cpumask_t cpus;\toffset:8;\tsize:4;\tsigned:0;");
    refuses(compare(mask.clone(), Eq, 1), "cpumask_t");
    refuses(Condition::AnyBit { operand: mask, mask: 1 }, "cpumask_t");
    refuses(Condition::AnyBit { operand: Operand::Cpu, mask: 1 }, "CPU number");
    refuses(Condition::AnyBit { operand: Operand::Comm, mask: 1 }, "COMM");
    refuses(compare(Operand::Comm, Eq, 1), "COMM");
    refuses(eq(pid(), "1"), "`pid` is no text");
    refuses(glob(Operand::Cpu, "1*"), "`CPU` is no text");
    let Operand::Field(mut odd) = pid() else { unreachable!("pid() is a field") };
    odd.size = 3;
    refuses(compare(Operand::Field(odd.clone()), Eq, 1), "pid_t");
    odd.name = "a b".to_owned();
    refuses(compare(Operand::Field(odd), Eq, 1), "`a b`");
}

#[test]
fn bits_are_those_of_the_width() {
    let bits = |operand, mask| Condition::AnyBit { operand, mask };
    says(bits(int("flags", "unsigned int", 4, false), 0x8000_0000), "flags & 2147483648");
    says(bits(int("state", "long", 8, true), 1 << 63), "state & -9223372036854775808");
    says(bits(int("state", "long", 8, true), 3), "state & 3");
    says(bits(int("x", "u64", 8, false), 1 << 63), "x & 9223372036854775808");
    says(bits(dfd(), 0x8000_0000), "dfd & 2147483648");
    refuses(bits(int("flags", "unsigned int", 4, false), 1 << 32), "4294967295");
    refuses(bits(dfd(), 1 << 32), "4294967295");
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
    says(Condition::TextNe { operand: Operand::Comm, text: "bash".to_owned() }, "COMM != \"bash\"");
    refuses(eq(filename(), "'\""), "quotes");
    refuses(eq(filename(), "a\0b"), "NUL");
    refuses(eq(filename(), &"x".repeat(256)), "256 bytes");
    says(eq(filename(), &"x".repeat(255)), &format!("filename == \"{}\"", "x".repeat(255)));
    says(eq(comm16(), "fifteen_letters"), "next_comm == \"fifteen_letters\"");
    refuses(eq(comm16(), "sixteen__letters"), "at most 15 bytes");
    refuses(eq(Operand::Comm, "sixteen__letters"), "at most 15 bytes");
    refuses(glob(Operand::Comm, "sixteen__letters*"), "at most 15 bytes");
    says(glob(Operand::Comm, "fifteen_letters*"), "COMM ~ \"fifteen_letters*\"");
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
fn patterns_that_say_nothing_clear_are_refused() {
    refuses(glob(filename(), "a\\"), "backslash");
    refuses(glob(filename(), "a[b"), "not closed");
    refuses(glob(filename(), "[]"), "not closed");
    refuses(glob(filename(), "[é]"), "more than one byte");
    refuses(glob(filename(), "a\0*"), "NUL");
    refuses(glob(filename(), "\"'*"), "quotes");
    // The rewriting counts: 253 bytes and `[`, `]`, `*`.
    refuses(glob(filename(), &format!("1{}*", "x".repeat(252))), "256 bytes");
}

#[test]
fn behind_a_pointer_a_star_asks_whether_there_is_text() {
    says(glob(pointer(), "*"), "name ~ \"*\"");
    says(eq(pointer(), "eth0"), "name == \"eth0\"");
    refuses(compare(pointer(), CompareOp::Eq, 0), "const char *");
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
        Condition::And(vec![fine(), not(compare(Operand::Cpu, CompareOp::Eq, -(1 << 40)))]),
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

fn holds(op: CompareOp, left: i128, right: i128) -> bool {
    match op {
        CompareOp::Eq => left == right,
        CompareOp::Ne => left != right,
        CompareOp::Lt => left < right,
        CompareOp::Le => left <= right,
        CompareOp::Gt => left > right,
        CompareOp::Ge => left >= right,
    }
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
                let expected = holds(op, left.into(), right.into());
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
        let operand = if fixed { comm16() } else { filename() };
        if let Ok(Lowered::Text(text)) = lower(&glob(operand, &pattern)) {
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
        let Operand::Field(x) = &operand else { unreachable!("int() is a field") };
        prop_assert_eq!(&x.kind, &FieldKind::Int);
        let range = x.integer().unwrap();
        let fits = (range.min()..=range.max()).contains(&value);
        prop_assert_eq!(lower(&compare(operand, CompareOp::Eq, value)).is_ok(), fits);
    }
}
