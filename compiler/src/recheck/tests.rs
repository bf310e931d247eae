//! Which sessions an edit concerns. That the diagnostics are those of a fresh check is a law of the language server's tests.

use tracec_grammar::parse;

use super::*;

/// Returns a text that is long enough: sessions of which each includes one, or uses a constant, or neither.
fn text() -> String {
    let clause = |at: usize| match at {
        1 => "include settings;",
        2 => "include s1;",
        3 => "trace sched:sched_switch if prev_prio < LOW;",
        4 => "trace sched:sched_switch if prev_prio < HIGH;",
        5 => "trace sched:sched_switch if prev_prio < lowest || prev_prio == LOWER;",
        _ => "trace sched:sched_switch if prev_prio < 100;",
    };
    let session = |at| format!("/// Doc {at}.\nsession s{at} {{\n    clock mono;\n    {}\n}}\n", clause(at));
    format!(
        "const LOW = 1;\nconst HIGH = LOW + 1;\nconst OTHER = 7;\n\nsession settings {{ buffer 4MiB; }}\n{}",
        (0..700).map(session).collect::<String>()
    )
}

/// Returns the names of the sessions that are checked again after an edit; `None` if all are.
fn again(before: &str, after: &str, found: &Found) -> Option<Vec<String>> {
    let (old, new) = (Outline::of(&parse(before)), Outline::of(&parse(after)));
    let before = Version { text: before, outline: &old };
    let recheck = Recheck::new(before, Version { text: after, outline: &new }, &[found])?;
    let names =
        recheck.sessions().into_iter().map(|index| after[new.sessions[index].name.clone()].to_owned());
    Some(names.collect())
}

/// Returns the same for an edit of what stands at the first place of `at`.
fn edited(at: &str, from: &str, to: &str) -> Option<Vec<String>> {
    let text = text();
    let (before, behind) = text.split_at(text.find(at).expect("a place"));
    again(&text, &format!("{before}{}", behind.replacen(from, to, 1)), &Found::default())
}

fn names(words: &str) -> Option<Vec<String>> {
    Some(words.split_whitespace().map(str::to_owned).collect())
}

#[test]
fn edit_of_a_session_concerns_it_and_those_that_include_it() {
    for (at, from, to, expected) in [
        ("session s9 ", "100", "1007", "s9"),
        ("session s9 ", "    clock mono;\n", "", "s9"),
        ("session s9 ", "100;", "(100;", "s9"),
        ("session s9 ", "100;", "100", "s9"),
        ("/// Doc 9", "9", "99", "s9"),
        // What was said of it may have been found by way of another one.
        ("session s1 ", "mono", "boot", "s1 s2"),
        ("session s2 ", "mono", "boot", "s2"),
        ("buffer", "4MiB", "8MiB", "settings s1 s2"),
        // Its name was known, or may be now.
        ("session settings", "settings", "set", "set s1 s2"),
        ("session s1 ", "s1", "s0001", "s0001 s2"),
        ("session s9 ", "s9", "s9000", "s9000"),
        // An end that is open for a moment.
        ("session s9 ", "}\n", "}\nsession new {\n}\n", "new s10"),
        ("session s9 ", "}\n", "\n", "s9"),
    ] {
        let again = edited(at, from, to);
        let is = |name: &str| again.as_ref().is_some_and(|again| again.iter().any(|known| known == name));
        assert!(expected.split(' ').all(is), "{at} {from} {to}: {again:?}");
        assert!(again.as_ref().is_some_and(|again| again.len() <= 5), "{at} {from} {to}: {again:?}");
    }
}

#[test]
fn edit_of_a_constant_concerns_the_sessions_that_mention_it() {
    assert_eq!(edited("const LOW", "1", "2"), names("s3 s4"));
    assert_eq!(edited("const HIGH", "1", "2"), names("s4"));
    assert_eq!(edited("const OTHER", "7", "8"), names(""));
    assert_eq!(edited("const OTHER", "OTHER", "lowest"), names("s5"));
    assert_eq!(edited("const OTHER", "const OTHER = 7;\n", ""), names(""));
    assert_eq!(edited("const OTHER", "const", "const LOWER = 2;\nconst"), names("s5"));
    assert_eq!(edited("const OTHER", "const", "// About it.\n\nconst"), names(""));
}

#[test]
fn edit_of_another_declaration_concerns_all() {
    for to in ["use std::errno;\nconst", "lint allow contradiction;\nconst", "enum E: u8 { A = 1 }\nconst"] {
        assert_eq!(edited("const OTHER", "const", to), None, "{to}");
    }
    assert_eq!(edited("session s9 ", "s9", "s8"), None, "two of one name");
    let text = text();
    let short = &text[..text.find("/// Doc 300").expect("a session")];
    assert_eq!(again(short, &short.replacen("100", "101", 1), &Found::default()), None, "fixes are tried");
}

#[test]
fn new_name_concerns_what_was_not_found() {
    let text = text();
    let at = text.find("session s20 ").expect("a session");
    let said = Diagnostic::error(&codes::unknown_event::CODE, "").at(Span::new(at, at + 7), "");
    let found = Found { diagnostics: vec![said], ..Found::default() };
    let again = |from: &str, to: &str| again(&text, &text.replacen(from, to, 1), &found);
    assert_eq!(again("OTHER = 7", "OTHER = 8"), names(""));
    assert_eq!(again("OTHER = 7", "OTHERS = 7"), names("s20"));
    assert_eq!(
        again("session s9 ", "session t9 "),
        names("s9 s20").map(|_| vec!["t9".to_owned(), "s20".to_owned()])
    );
}

#[test]
fn diagnostics_move_with_their_session() {
    let text = text();
    let after = text.replacen("OTHER = 7", "OTHER = 1234", 1);
    let at = text.find("session s20 ").expect("a session");
    let said = |at: usize| Diagnostic::error(&codes::unknown_event::CODE, "").at(Span::new(at, at + 7), "");
    let before = Found { diagnostics: vec![said(at)], ..Found::default() };
    let (old, new) = (Outline::of(&parse(&text)), Outline::of(&parse(&after)));
    let versions = (Version { text: &text, outline: &old }, Version { text: &after, outline: &new });
    let mut recheck = Recheck::new(versions.0, versions.1, &[&before]).expect("a part");
    assert!(recheck.rest(&before).has_errors);
    let Combined::Found(found) = recheck.combine(&before, Found::default()) else { panic!("{recheck:?}") };
    assert_eq!(found.diagnostics, [said(at + 3)]);
    // What is found of a session that was not checked again has been found before.
    let other = Found { diagnostics: vec![said(at + 4)], ..Found::default() };
    assert!(matches!(recheck.combine(&before, other), Combined::All));
    // Where less can be read, other things are said.
    let mut unread = Found::default();
    unread.dependences.reading = Reading { is_whole: true, ..Reading::default() };
    assert!(matches!(recheck.combine(&before, unread.clone()), Combined::More));
    assert!(matches!(recheck.combine(&before, unread), Combined::Found(_)));
}
