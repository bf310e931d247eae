//! Equality and patterns of texts.

use super::*;
use crate::condition::ir::MaskTest;

#[test]
fn text_is_quoted_or_refused() {
    says(eq(pointer(), "/bin/sh"), "name == \"/bin/sh\"");
    says(eq(pointer(), "a \"b\""), "name == 'a \"b\"'");
    says(eq(pointer(), "it's"), "name == \"it's\"");
    says(eq(pointer(), ""), "name == \"\"");
    says(eq(pointer(), "a && (b"), "name == \"a && (b\"");
    says(text_is(Text::Comm, TextTest::Ne("bash".to_owned())), "COMM != \"bash\"");
    refuses(eq(pointer(), "'\""), "quotes");
    refuses(eq(pointer(), "a\0b"), "NUL");
    refuses(eq(pointer(), &"x".repeat(256)), "256 bytes");
    says(eq(pointer(), &"x".repeat(255)), &format!("name == \"{}\"", "x".repeat(255)));
    says(eq(comm16(), "fifteen_letters"), "next_comm == \"fifteen_letters\"");
    says(eq(comm16(), "sixteen__letters"), "next_comm == \"sixteen__letters\"");
    refuses(eq(comm16(), "seventeen_letters"), "at most 16 bytes");
    refuses(eq(Text::Comm, "sixteen__letters"), "at most 15 bytes");
    refuses(glob(Text::Comm, "sixteen__letters*"), "at most 15 bytes");
    says(glob(Text::Comm, "fifteen_letters*"), "COMM ~ \"fifteen_letters*\"");
}

/// A model of older kernels, which do not stop at the end of a field, match the NUL with a class, or both.
const UNBOUNDED: Model = Model { bounded_text: false, ..Model::LINUX_6_18 };

#[test]
fn patterns_avoid_the_quirks_of_the_kernel() {
    for (pattern, fixed, dynamic, pointed) in [
        // Prefixes are exact, except for dynamic text of length 0.
        ("ab*", "ab*", "[a]b*", "ab*"),
        // A suffix would be compared with the field's end.
        ("*ab", "*[a]b", "*[a]b", "*ab"),
        // A part would be found behind the NUL.
        ("*ab*", "*[a]b*", "*[a]b*", "*ab*"),
        ("*-ab", "*\\-ab", "*\\-ab", "*-ab"),
        ("*é*", "*\\é*", "*\\é*", "*é*"),
        // Full globs stay as they are.
        ("a*b", "a*b", "a*b", "a*b"),
        ("*a*b*", "*a*b*", "*a*b*", "*a*b*"),
        ("a?c", "a?c", "a?c", "a?c"),
        ("[a-c]x*", "[a-c]x*", "[a-c]x*", "[a-c]x*"),
        ("[!a]*", "[!a]*", "[!a]*", "[!a]*"),
        ("[]a]*", "[]a]*", "[]a]*", "[]a]*"),
        ("[!]a]*", "[!]a]*", "[!]a]*", "[!]a]*"),
        ("[a-a-z]*", "[a-a-z]*", "[a-a-z]*", "[a-a-z]*"),
        ("[a-]*", "[a-]*", "[a-]*", "[a-]*"),
        // A leading digit would make it a plain text, a leading `!` would invert it.
        ("1*", "[1]*", "[1]*", "[1]*"),
        ("12?", "[1]2?", "[1]2?", "[1]2?"),
        ("!a*", "\\!a*", "\\!a*", "\\!a*"),
        ("*!a", "*\\!a", "*\\!a", "*!a"),
        ("*1*", "*[1]*", "*[1]*", "*1*"),
        // Escapes stay escapes.
        ("a\\*b*", "a\\*b*", "a\\*b*", "a\\*b*"),
        ("*\\?", "*\\?", "*\\?", "*\\?"),
        ("\\a*", "a*", "[a]*", "a*"),
        ("a**b", "a*b", "a*b", "a*b"),
    ] {
        says(glob(comm16(), pattern), &format!("next_comm ~ \"{fixed}\""));
        says(glob(Text::Comm, pattern), &format!("COMM ~ \"{fixed}\""));
        says(glob(filename(), pattern), &format!("filename ~ \"{dynamic}\""));
        says(glob(pointer(), pattern), &format!("name ~ \"{pointed}\""));
        says(glob(in_user_memory(), pattern), &format!("name.ustring ~ \"{pointed}\""));
    }
}

fn in_user_memory() -> Text {
    let Text::Field(field) = pointer() else { unreachable!("pointer() is a field") };
    Text::User(field)
}

#[test]
fn dynamic_text_may_have_no_length() {
    for (text, equal, differs) in [
        ("abc", "~ \"[a]bc\"", "~ \"![a]bc\""),
        ("/bin/sh", "~ \"\\/bin/sh\"", "~ \"!\\/bin/sh\""),
        ("1a", "~ \"[1]a\"", "~ \"![1]a\""),
        ("!a", "~ \"\\!a\"", "~ \"!\\!a\""),
        ("a*[b]", "~ \"[a]\\*\\[b]\"", "~ \"![a]\\*\\[b]\""),
        ("é", "~ \"\\é\"", "~ \"!\\é\""),
        ("", "~ \"!?*\"", "~ \"?*\""),
    ] {
        says(eq(filename(), text), &format!("filename {equal}"));
        says(text_is(filename(), TextTest::Ne(text.to_owned())), &format!("filename {differs}"));
    }
    // The brackets would make it too long.
    let long = "x".repeat(255);
    says(eq(filename(), &long), &format!("filename == \"{long}\" && filename ~ \"*\""));
    // Without bounds a full glob does not help; other rewritings do.
    says_for(
        &UNBOUNDED,
        eq(filename(), "/bin/sh"),
        "filename == \"/bin/sh\" && filename ~ \"/bin/sh*\" && filename ~ \"*\"",
    );
    says_for(
        &UNBOUNDED,
        text_is(filename(), TextTest::Ne("a".to_owned())),
        "!(filename == \"a\" && filename ~ \"a*\" && filename ~ \"*\")",
    );
    says_for(&UNBOUNDED, eq(filename(), ""), "filename == \"\" || !(filename ~ \"*\")");
    says_for(&UNBOUNDED, glob(filename(), "ab*"), "filename ~ \"ab*\" && filename ~ \"*\"");
    assert_eq!(lower(&glob(filename(), "*"), &Spelling::USUAL, &UNBOUNDED), Ok(Lowered::Everything));
    refuses_for(&UNBOUNDED, eq(filename(), "1a"), "filter-bounded-text");
    refuses_for(&UNBOUNDED, eq(filename(), "a*"), "filter-bounded-text");
    refuses_for(&UNBOUNDED, glob(filename(), "*a"), "filter-bounded-text");
}

#[test]
fn a_fixed_array_may_have_no_nul() {
    says_for(&UNBOUNDED, eq(comm16(), "abc"), "next_comm == \"abc\"");
    says_for(&UNBOUNDED, glob(comm16(), "ab*"), "next_comm ~ \"ab*\"");
    says_for(&UNBOUNDED, glob(Text::Comm, "*ab"), "COMM ~ \"*[a]b\"");
    says_for(&UNBOUNDED, glob(pointer(), "a?b"), "name ~ \"a?b\"");
    for pattern in ["*ab", "*ab*", "a?b", "1*", "!a*", "a\\**"] {
        refuses_for(&UNBOUNDED, glob(comm16(), pattern), "filter-bounded-text");
    }
}

#[test]
fn an_inverted_class_may_take_the_nul() {
    let old = &Model::LINUX_6_1;
    for (pattern, text) in [
        ("[!a]*", "next_comm ~ \"?*\" && !(next_comm ~ \"[a]*\")"),
        ("x[!a-c]", "next_comm ~ \"x?\" && !(next_comm ~ \"?[a-c]\")"),
        ("*[!]a]", "next_comm ~ \"*?\" && !(next_comm ~ \"*[]a]\")"),
        ("[!a]*[!b]", "next_comm ~ \"?*?\" && !(next_comm ~ \"[a]*?\") && !(next_comm ~ \"?*[b]\")"),
        ("[a]*", "next_comm ~ \"[a]*\""),
    ] {
        says_for(old, glob(comm16(), pattern), text);
    }
    refuses_for(old, glob(comm16(), "*[!a]*"), "filter-class-takes-nul");
    refuses_for(old, glob(comm16(), "[!!a]"), "filter-class-takes-nul");
}

#[test]
fn patterns_without_wildcards_are_texts() {
    says(glob(comm16(), "abc"), "next_comm == \"abc\"");
    says(glob(pointer(), "1a"), "name == \"1a\"");
    says(glob(comm16(), "!a"), "next_comm == \"!a\"");
    says(glob(comm16(), "a\\*\\[b\\]"), "next_comm == \"a*[b]\"");
    says(glob(comm16(), ""), "next_comm == \"\"");
    says(glob(filename(), "a\\*"), "filename ~ \"[a]\\*\"");
    says(not(glob(filename(), "*x*")), "!(filename ~ \"*[x]*\")");
}

#[test]
fn patterns_that_cannot_be_written_are_refused() {
    refuses(glob(filename(), "\"'*"), "quotes");
    // The length counts after rewriting: 253 bytes and `[`, `]`, `*`.
    refuses(glob(filename(), &format!("1{}*", "x".repeat(252))), "256 bytes");
}

/// The form that avoids a quirk may have a text where the plain form has none; every kernel accepts it.
#[test]
fn text_without_a_plain_form_is_written_in_the_form_for_a_quirk() {
    let long = "x".repeat(254);
    says(glob(filename(), &format!("{long}*")), &format!("filename ~ \"{long}*\" && filename ~ \"*\""));
    says(glob(pointer(), "'[!\"]"), "name ~ \"'?\" && !(name ~ '?[\"]')");
    // Both kinds of quotes in one class stay in one text.
    refuses(glob(pointer(), "[!'\"]"), "quotes");
    refuses(glob(filename(), &format!("{long}x*")), "258 bytes");
    // An error that is the same on every kernel does not name a feature.
    refuses_for(&UNBOUNDED, glob(filename(), "[a]'\"*"), "quotes");
}

#[test]
fn star_behind_a_pointer_tests_that_the_text_is_readable() {
    says(glob(pointer(), "*"), "name ~ \"*\"");
    assert_eq!(written(&glob(filename(), "**")), Ok(Lowered::Everything));
    says(eq(pointer(), "eth0"), "name == \"eth0\"");
}

#[test]
fn masks_and_functions_need_features_of_newer_kernels() {
    let old = &Model::LINUX_6_1;
    says(eq(in_user_memory(), "eth0"), "name.ustring == \"eth0\"");
    refuses_for(&Model::LEAST, eq(in_user_memory(), "eth0"), "filter-ustring");
    refuses(eq(Text::User(field("\tfield:u64 at;\toffset:8;\tsize:8;\tsigned:0;")), "x"), "`char *` alone");

    let mask = field("\tfield:__data_loc cpumask_t cpus;\toffset:8;\tsize:4;\tsigned:0;");
    let asks = |of: &Field, test, cpus: &[(i128, i128)]| {
        let cpus = Ranges::new(cpus.iter().copied());
        Condition::Atom(Atom::Mask { of: of.clone(), test, cpus })
    };
    says(asks(&mask, MaskTest::Any, &[(0, 3), (7, 7)]), "cpus & CPUS{0-3,7}");
    // The bits of the record that the kernel compares depend on the machine, and are never all of them.
    refuses(asks(&mask, MaskTest::Equal, &[(1, 1)]), "a part of the mask");
    refuses(asks(&mask, MaskTest::Differ, &[(0, 1)]), "a part of the mask");
    refuses_for(old, asks(&mask, MaskTest::Any, &[(0, 3)]), "filter-cpus");
    refuses(asks(&mask, MaskTest::Any, &[(-1, 3)]), "-1 is outside");
    let two = &Model { cpus: Some(2), ..Model::LINUX_6_18 };
    says_for(two, asks(&mask, MaskTest::Any, &[(0, 1)]), "cpus & CPUS{0-1}");
    says_for(two, asks(&mask, MaskTest::Any, &[]), "cpus & CPUS{,}");
    refuses_for(two, asks(&mask, MaskTest::Any, &[(0, 3)]), "it names 3, and there can be 2");
    refuses_for(two, asks(&mask, MaskTest::Any, &[(0, 0), (2, 2)]), "it names 2, and there can be 2");
    let relative = field("\tfield:__rel_loc cpumask_t cpus;\toffset:8;\tsize:4;\tsigned:0;");
    refuses(asks(&relative, MaskTest::Any, &[(0, 3)]), "__rel_loc cpumask_t");

    let at = field("\tfield:void * at;\toffset:8;\tsize:8;\tsigned:0;");
    let inside =
        |of: &Field, name: &str| Condition::Atom(Atom::Function { of: of.clone(), name: name.to_owned() });
    says(inside(&at, "vfs_read"), "at.function == vfs_read");
    // The name extends to the next white space, so a parenthesis would be a part of it.
    says(not(inside(&at, "vfs_read.cold")), "!(at.function == vfs_read.cold )");
    let one = || compare(pid(), CompareOp::Eq, 1);
    let either = || Condition::Or(vec![one(), inside(&at, "f")]);
    says(Condition::And(vec![either(), one()]), "(pid == 1 || at.function == f ) && pid == 1");
    says(not(Condition::And(vec![one(), either()])), "!(pid == 1 && (pid == 1 || at.function == f ))");
    refuses_for(old, inside(&at, "vfs_read"), "filter-function");
    for name in ["", "1f", "a b", "a(b", "a'b", "fé"] {
        refuses(inside(&at, name), "cannot name the function");
    }
    let narrow = field("\tfield:u32 at;\toffset:8;\tsize:4;\tsigned:0;");
    refuses(inside(&narrow, "f"), "4 bytes");
}

#[test]
fn work_is_the_cost_of_the_written_text() {
    let of =
        |condition: &Condition| FilterTree::new(condition, &Spelling::USUAL, &Model::LINUX_6_18).ok()?.work();
    assert_eq!(of(&compare(pid(), CompareOp::Eq, 1)), Some(Work::Compare));
    assert_eq!(of(&eq(comm16(), "a")), Some(Work::Text));
    // `~ "!?*"`, and a glob without wildcards.
    assert_eq!(of(&eq(filename(), "")), Some(Work::Pattern));
    assert_eq!(of(&eq(filename(), "/bin/true")), Some(Work::Pattern));
    // `==`.
    assert_eq!(of(&glob(comm16(), "a\\*")), Some(Work::Text));
    assert_eq!(of(&glob(comm16(), "a*")), Some(Work::Pattern));
    assert_eq!(of(&eq(pointer(), "a")), Some(Work::Memory));
    assert_eq!(of(&not(Condition::Or(vec![glob(comm16(), "a*"), eq(comm16(), "b")]))), Some(Work::Pattern));
    assert_eq!(of(&compare(with_one(pid()), CompareOp::Gt, 1)), None);
    assert_eq!(of(&Condition::Const(true)), None);
}

/// Returns a number that no filter computes.
fn with_one(number: Number) -> Number {
    Number::binary(NumberOp::Xor, number, Number::Const(1))
}
