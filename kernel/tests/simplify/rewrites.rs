//! What becomes of conditions, and what is said of their atoms.

use tracec_kernel::condition::simplify::{FindingKind, simplify_condition};

use crate::spelling::read;

#[track_caller]
fn check(table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (before, after) in table {
        let condition = read(before);
        let simplified = simplify_condition(&condition).condition();
        if simplified.to_string() != *after {
            wrong.push_str(&format!("{before}\n  becomes  {simplified}\n  not      {after}\n"));
        }
        if simplify_condition(&simplified).condition() != simplified {
            wrong
                .push_str(&format!("{before}\n  again    {}\n", simplify_condition(&simplified).condition()));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// What is found in a condition, one after the other.
fn found(condition: &str) -> String {
    let words: Vec<String> = simplify_condition(&read(condition))
        .findings
        .into_iter()
        .map(|finding| {
            let what = match finding.kind {
                FindingKind::AlwaysTrue { range } => format!("true {range:?}"),
                FindingKind::AlwaysFalse { range } => format!("false {range:?}"),
                FindingKind::Contradiction { with } => format!("against {with:?}"),
                FindingKind::Exhaustive { with } => format!("all with {with:?}"),
                FindingKind::Implied { by } => format!("by {by:?}"),
                FindingKind::Duplicate { of } => format!("as {of:?}"),
            };
            format!("{:?} {what}", finding.atoms)
        })
        .collect();
    words.join("; ")
}

#[test]
fn numbers_in_conjunctions() {
    check(&[
        ("word > 5 && word < 3", "false"),
        ("word > 5 && word > 3", "word > 5"),
        ("word > 3 && word > 5", "word > 5"),
        ("word == 1 && word == 1", "word == 1"),
        ("word == 1 && word != 2", "word == 1"),
        ("word != 2 && word == 1", "word == 1"),
        ("word == 1 && word == 2", "false"),
        ("word > 5 && word < 7", "word == 6"),
        ("word >= 5 && word <= 5", "word == 5"),
        ("word > 5 && word < 9", "word > 5 && word < 9"),
        ("word > 5 && word != 6", "word >= 7"),
        ("word != 2 && word != 5", "word != 2 && word != 5"),
        ("word != 2 && small > 0 && word != 5", "word != 2 && small > 0 && word != 5"),
        ("word in {1, 3, 9} && word < 5 && word != 3", "word == 1"),
        // 5 has a bit that cannot be set.
        ("half & 8 | 0 in {1..=4, 6..=9}", "half & 8 | 0 >= 6"),
        // No bit pattern of the number lies between.
        ("!((half | 2) & 7 != 1) || word > 7", "word > 7"),
        ("word in {1, 2, 9} && word in {2, 9, 11} && word > 2", "word == 9"),
        ("small > 0 && word > 5 && word < 3", "false"),
        ("byte != 0 && byte < 2", "byte == 1"),
        ("byte <= 254 && byte >= 1", "byte <= 254 && byte >= 1"),
        ("byte > 253 && byte != 254", "byte == 255"),
    ]);
}

#[test]
fn numbers_in_disjunctions() {
    check(&[
        ("word < 5 || word >= 5", "true"),
        ("word < 5 || word > 5", "word != 5"),
        ("word == 1 || word == 1", "word == 1"),
        ("word > 3 || word > 5", "word > 3"),
        ("word == 1 || word == 2 || word == 3", "word in {1..=3}"),
        ("word == 1 || word == 3", "word == 1 || word == 3"),
        ("word != 1 || word == 1", "true"),
        ("word != 1 || word != 2", "true"),
        ("word != 1 || word == 2", "word != 1"),
        ("word == 0 || word > 0", "true"),
        ("byte < 255 || byte == 255", "true"),
        ("small == 5 || byte == 1 || small in {3..=8}", "byte == 1 || small in {3..=8}"),
    ]);
}

#[test]
fn what_a_number_can_come_to() {
    check(&[
        ("byte > 255", "false"),
        ("byte <= 255", "true"),
        ("byte == -1", "false"),
        ("byte != 256", "true"),
        ("byte in {1, 300}", "byte == 1"),
        ("byte in {0..=300}", "true"),
        ("dfd == 4294967196", "false"),
        ("dfd < 2147483648", "true"),
        ("fd == 4294967296", "false"),
        ("fd <= 4294967295", "true"),
        ("current.cpu >= 0", "true"),
        ("word & 1 == 2", "false"),
        ("word & 6 > 6", "false"),
        ("word & 6 <= 6", "true"),
        ("word & 6 >= 5", "word & 6 == 6"),
        // The topmost bit of a number with a sign makes it negative.
        ("deep & -9223372036854775808 in {-9223372036854775808, 0}", "true"),
        ("deep & -9223372036854775808 < 0", "deep & -9223372036854775808 == -9223372036854775808"),
        ("large & 9223372036854775808 >= 2", "large & 9223372036854775808 == 9223372036854775808"),
        ("word & 1 > 0", "word & 1 == 1"),
        ("word & 4080 == 1", "false"),
        ("word & 4080 != 1", "true"),
        ("word | 1 == 2", "false"),
        ("(word | 1) != 2", "true"),
        ("byte & 255 == 3", "byte == 3"),
        ("byte as u32 > 255", "false"),
        ("word as u8 > 255", "false"),
        ("byte as s64 == 3", "byte == 3"),
        ("byte % 10 < 10", "true"),
        ("word >> 28 < 16", "true"),
        ("byte / 2 > 127", "false"),
        ("byte < half", "byte < half"),
        ("byte < half && byte > half", "false"),
        ("byte < half || half <= byte", "true"),
        ("byte < half || byte == half", "byte <= half"),
        ("byte == byte", "true"),
        ("word >= count || word < count", "true"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("word + 1 > 5", "word >= 5"),
        ("half - 1 == 5", "half == 6"),
        ("10 - half > 5", "half <= 4"),
        ("count / 512 in {1, 2..=8}", "count in {512..=4607}"),
        ("half / 10 == 0", "half in {-9..=9}"),
        ("count * 3 == 7", "false"),
        ("count * 3 == 9", "count == 3"),
        ("word >> 4 == 3", "word in {48..=63}"),
        ("count << 4 == 32", "count == 2"),
        ("(count + 1) / 2 == 3", "count in {5..=6}"),
        ("large + 1 > 5", "large + 1 > 5"),
        ("large + 1 > 5 && large + 1 > 7", "large + 1 > 7"),
        ("2 + 3 == 5", "true"),
        ("5 < word", "word >= 6"),
        ("word + 1 > 5 && word < 3", "false"),
        ("word > 2 + 3", "word >= 6"),
        ("word / 0 == 1", "false"),
        ("!(word / 0 == 1)", "true"),
        ("word << 64 == 0", "false"),
        ("word / count == 1 || word / count != 1", "word / count >= 0"),
        ("!(word / count == 1)", "!(word / count == 1)"),
        ("!(word / count == 1) && word / count > 0", "word / count >= 2"),
        ("!(word / count == 1) || word / count == 1", "true"),
    ]);
}

#[test]
fn negations() {
    check(&[
        ("!(word == 1)", "word != 1"),
        ("!(word < 5)", "word >= 5"),
        ("!!(word < 5)", "word < 5"),
        ("!(word in {1, 5})", "!(word in {1, 5})"),
        ("!(word == 1 && byte == 2)", "word != 1 || byte != 2"),
        ("!(word == 1 || !(byte == 2))", "word != 1 && byte == 2"),
        ("!(name == \"a\")", "!(name == \"a\")"),
        ("!(fixed == \"a\")", "fixed != \"a\""),
        ("!(fixed ~ \"a*\")", "!(fixed ~ \"a*\")"),
        ("!(cpus == CPUS{1})", "!(cpus == CPUS{1})"),
        ("address.function == f && !(address.function == f)", "false"),
        ("address.function == f || !(address.function == f)", "true"),
        ("address.function == f && address.function == g", "address.function == f && address.function == g"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("name == \"a\" && name == \"b\"", "false"),
        ("name == \"ab\" && name ~ \"a*\"", "name == \"ab\""),
        ("name == \"ab\" && name ~ \"b*\"", "false"),
        ("name == \"ab\" && name != \"b\"", "name == \"ab\""),
        ("name == \"ab\" || name ~ \"a*\"", "name ~ \"a*\""),
        ("name ~ \"a*\" && name ~ \"b*\"", "false"),
        ("name ~ \"*a\" && name ~ \"*b\"", "false"),
        ("name ~ \"a*\" && name ~ \"ab*\"", "name ~ \"ab*\""),
        ("name ~ \"a*\" || name ~ \"ab*\"", "name ~ \"a*\""),
        ("name ~ \"[a-c]x\" && name ~ \"?x\"", "name ~ \"[a-c]x\""),
        ("name ~ \"???\" && name ~ \"????*\"", "false"),
        ("name ~ \"a*\" && name != \"b\"", "name ~ \"a*\""),
        ("name ~ \"a*\" && name != \"ab\"", "name ~ \"a*\" && name != \"ab\""),
        ("name == \"a\" || name != \"a\"", "name == \"a\" || name != \"a\""),
        ("fixed == \"a\" || fixed != \"a\"", "true"),
        ("fixed == \"a\" || fixed != \"b\"", "fixed != \"b\""),
        ("name == \"a\" || !(name == \"a\")", "true"),
        ("name ~ \"a*\" && !(name ~ \"a*\")", "false"),
        ("fixed == \"123456789\"", "false"),
        ("fixed == \"12345678\"", "fixed == \"12345678\""),
        ("rest == \"123456789\"", "rest == \"123456789\""),
        ("fixed ~ \"*\"", "true"),
        ("name ~ \"*\"", "name ~ \"*\""),
        ("!(name != \"a\") && name ~ \"a*\"", "name == \"a\""),
        ("current.comm == \"1234567890123456\"", "false"),
        ("text_at == \"a\" && text_at.ustring == \"b\"", "text_at == \"a\" && text_at.ustring == \"b\""),
        ("cpus == CPUS{1} && cpus == CPUS{2}", "false"),
        ("cpus == CPUS{1} && cpus & CPUS{0-3}", "cpus == CPUS{1}"),
        ("cpus == CPUS{1} && cpus & CPUS{2-3}", "false"),
        ("cpus & CPUS{1} && cpus & CPUS{0-3}", "cpus & CPUS{1}"),
    ]);
}

#[test]
fn connectives() {
    check(&[
        ("word == 1 && (word == 1 || byte == 2)", "word == 1"),
        ("word == 1 || word == 1 && byte == 2", "word == 1"),
        ("word == 1 && (word == 2 || byte == 2)", "word == 1 && byte == 2"),
        ("word == 1 || word != 1 && byte == 2", "word == 1 || byte == 2"),
        ("word > 5 && (word < 3 || byte == 1)", "word > 5 && byte == 1"),
        ("word > 5 && (word > 3 && byte == 1 || half == 2)", "word > 5 && (byte == 1 || half == 2)"),
        ("(word == 1 || word == 2) && word != 2", "word == 1"),
        ("(word == 1 || byte == 2) && (word == 1 || byte == 2)", "word == 1 || byte == 2"),
        ("word == 1 && (byte == 2 && half == 3)", "word == 1 && byte == 2 && half == 3"),
        ("(byte == 1 || half == 2) && word == 1 && byte == 2", "half == 2 && word == 1 && byte == 2"),
        ("true && word == 1", "word == 1"),
        ("false || word == 1 || false", "word == 1"),
        ("word == 1 || true", "true"),
        ("!(word == 1 && false)", "true"),
    ]);
}

#[test]
fn findings_name_the_atoms() {
    for (condition, expected) in [
        ("small == 1 && word > 5 && word < 3", "[2] against [1]"),
        ("word > 3 && word > 5", "[0] by [1]"),
        ("word == 1 && byte == 1 && word == 1", "[2] as [0]"),
        ("word < 5 || word >= 5", "[1] all with [0]"),
        ("byte > 255 || word == 1", "[0] false Some((0, 255))"),
        ("word == 1 && !(half > 40000)", "[1] false Some((-32768, 32767))"),
        // The range is that of what is asked about.
        ("half % 2 == 3", "[0] false Some((-1, 1))"),
        ("half - 1 < 40000", "[0] true Some((-32769, 32766))"),
        ("(word & 6) + 1 == 9", "[0] false Some((1, 7))"),
        ("half & 0 == 1", "[0] false Some((0, 0))"),
        // It is not the reason where bits are, or where what is inside cannot be so.
        ("half | 1 == 0", "[0] false None"),
        ("word & 6 == 5", "[0] false None"),
        ("(word & 6) + 1 == 4", "[0] false None"),
        ("word == 1 && fixed ~ \"*\"", "[1] true None"),
        ("word == 1 && (word == 1 || byte == 2)", "[1] by [0]"),
        ("word == 1 || word == 1 && byte == 2", "[1] by [0]"),
        ("word == 1 && (word == 2 || byte == 2)", "[1] against [0]"),
        ("name == \"ab\" && name ~ \"a*\"", "[1] by [0]"),
        ("name ~ \"a*\" && name == \"b\"", "[1] against [0]"),
        ("cpus == CPUS{1} || cpus == CPUS{1}", "[1] as [0]"),
        ("word > 5 && word < 9 && word in {1, 9}", "[2] against [0, 1]"),
        ("(word == 1 || byte == 2) && (word == 1 || byte == 2)", "[2, 3] as [0, 1]"),
        ("word > 5 && word < 9 && half != 3", ""),
        ("word / count == 1 || word / count != 1", ""),
    ] {
        assert_eq!(found(condition), expected, "{condition}");
    }
}

#[test]
fn conjuncts_know_where_they_come_from() {
    let simplified = simplify_condition(&read(
        "byte == 1 && word > 5 && (half == 1 || word < 3 || small == 2) && word < 7",
    ));
    let parts: Vec<String> = simplified
        .conjuncts
        .iter()
        .map(|conjunct| format!("{} {:?}", conjunct.condition, conjunct.atoms))
        .collect();
    assert_eq!(parts, ["byte == 1 [0]", "word == 6 [1, 5]", "half == 1 || small == 2 [2, 4]"]);
}

/// The mask has few values, and those that are left are written as two comparisons.
#[test]
fn conjunct_is_not_a_conjunction() {
    let simplified = simplify_condition(&read("byte & 7 in {0, 1, 3, 4, 5, 7} && half == 1"));
    let parts: Vec<String> = simplified
        .conjuncts
        .iter()
        .map(|conjunct| format!("{} {:?}", conjunct.condition, conjunct.atoms))
        .collect();
    assert_eq!(parts, ["byte & 7 != 2 [0]", "byte & 7 != 6 [0]", "half == 1 [1]"]);
}
