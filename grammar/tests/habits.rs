//! Habits of C, shells and other tools: each is one mistake, and its fix is complete.

mod common;

use common::{kinds, show, show_errors};
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::{Parsed, parse, parse_one_liner};

/// Returns the text with its only mistake repaired.
fn repaired(text: &str, parsed: &Parsed) -> String {
    let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(text, parsed)) };
    let (span, fix) = match &error.kind {
        SyntaxErrorKind::NotAsWord { negated: Some((span, instead)) } => (*span, instead.clone()),
        _ => (error.span, error.fix().unwrap_or_else(|| panic!("{text}: {error} has no fix"))),
    };
    let mut repaired = text.to_owned();
    repaired.replace_range(span.range(), &fix);
    repaired
}

#[test]
fn repaired_text_is_correct() {
    for (text, wanted) in [
        ("a:b if x =! 3", "a:b if x != 3"),
        ("a:b if x =!3 && y", "a:b if x !=3 && y"),
        ("a:b if x == 08", "a:b if x == 8"),
        ("a:b if x == 007", "a:b if x == 7"),
        ("a:b; stop after 010ms", "a:b; stop after 10ms"),
        ("a:b if not x == 3", "a:b if !(x == 3)"),
        ("a:b if not x == 3 && y", "a:b if !(x == 3) && y"),
        ("a:b if (not x in {1, 2} || y)", "a:b if (!(x in {1, 2}) || y)"),
        ("a:b unless x > 3", "a:b if !(x > 3)"),
        ("on a:b { trigger stacktrace unless x > 3; }", "on a:b { trigger stacktrace if !(x > 3); }"),
        (
            "on a:b { trigger stacktrace count 2 unless (x || y); }",
            "on a:b { trigger stacktrace count 2 if !((x || y)); }",
        ),
        (
            "trace a:b unless x > 3 && y { trigger stacktrace; }",
            "trace a:b if !(x > 3 && y) { trigger stacktrace; }",
        ),
        ("on a:b { trigger enable_event:c:d:3; }", "on a:b { trigger enable_event c:d count 3; }"),
        ("on a:b { trigger enable_event:c:d if x; }", "on a:b { trigger enable_event c:d if x; }"),
        ("buffer 4 MiB", "buffer 4MiB"),
        ("buffer 4 MB per cpu; trace a:b", "buffer 4MiB per cpu; trace a:b"),
        ("a:b; stop after 10 s", "a:b; stop after 10s"),
        ("a:b; ring last 10 seconds", "a:b; ring last 10s"),
        ("a:b if x > 64 KiB && y", "a:b if x > 64KiB && y"),
        ("a:b; option overwrite 0", "a:b; option overwrite off"),
        ("a:b; option overwrite yes", "a:b; option overwrite on"),
        ("clock = mono", "clock  mono"),
        ("a:b; buffer = 4MiB", "a:b; buffer  4MiB"),
        ("a:b; option sym-offset = on", "a:b; option sym-offset  on"),
        ("a:b; stop after = 3s", "a:b; stop after  3s"),
        ("a:b; output = \"f\"", "a:b; output  \"f\""),
        ("a:b; scope processs 123", "a:b; scope process 123"),
        ("a:b; scope process 123, thred 4", "a:b; scope process 123, thread 4"),
        ("a:b if x == 'it\\'s'", "a:b if x == \"it's\""),
    ] {
        let parsed = parse_one_liner(text);
        let found = repaired(text, &parsed);
        assert_eq!(found, wanted);
        assert_eq!(show_errors(&found, &parse_one_liner(&found)), "", "{found}");
    }
}

#[test]
fn mistake_without_a_complete_fix_has_none() {
    for (text, place, message) in [
        ("a:b if x == 012", "012", "a number does not begin with `0`: C reads it in octal"),
        (
            "on a:b { trigger stacktrace:5:7; }",
            ":",
            "a trigger is written `trigger ACTION [EVENT] [count N | once] [if C]`",
        ),
        (
            "on a:b { trigger enable_event:c:d:x; }",
            ":",
            "a trigger is written `trigger ACTION [EVENT] [count N | once] [if C]`",
        ),
        (
            "on a:b { trigger enable_event:c:d:3:4; }",
            ":",
            "a trigger is written `trigger ACTION [EVENT] [count N | once] [if C]`",
        ),
        (
            "t:sched:sched_switch /pid == 3/ { @ = count(); }",
            "t:sched:sched_switch /pid == 3/ { @ = count(); }",
            "this is written for bpftrace",
        ),
        ("trace t:sched:sched_switch /pid == 3/;", "t:sched:sched_switch", "this is written for bpftrace"),
        ("a:b if x !in {5}", "!in", "`!in` is not an operator"),
        ("a:b if (x !in {5} || y)", "!in", "`!in` is not an operator"),
        ("a:b if x == $$", "$$", "the shell has not replaced `$$`"),
        ("a:b if x == ${PID}", "${PID}", "the shell has not replaced `${PID}`"),
        ("a:b if x == ${PID:-1} && y", "${PID:-1}", "the shell has not replaced `${PID:-1}`"),
        ("a:b if x == bash-5.2", ".2", "this is not a number: numbers have no fraction; use a smaller unit"),
    ] {
        let parsed = parse_one_liner(text);
        let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(text, &parsed)) };
        assert_eq!((&text[error.span.range()], error.to_string().as_str()), (place, message), "{text}");
        assert_eq!(error.fix(), None, "{text}");
    }
    let wanted = SyntaxErrorKind::NotAsWord { negated: None };
    assert_eq!(kinds(&parse_one_liner("a:b if not (x || y)")), [&wanted]);
}

#[test]
fn text_with_a_habit_keeps_its_meaning() {
    for (text, meant) in [
        ("a:b if x =! 3", "a:b if x != 3"),
        ("a:b if x =! 3 | y", "a:b if <error>"),
        ("a:b if not (x || y)", "a:b if !(x || y)"),
        ("a:b if x !in {5}", "a:b if x in {5}"),
    ] {
        let (found, meant) = (show(&parse_one_liner(text)), show(&parse_one_liner(meant)));
        if text.contains('|') && text.contains("=!") {
            assert!(found.contains("<error>"), "{text}: {found}");
        } else {
            assert_eq!(found, meant, "{text}");
        }
    }
    // A word followed by an invalid number is not also reported as an unknown name.
    assert!(show(&parse_one_liner("a:b if x == bash-5.2")).contains("(x == <error>)"));
}

#[test]
fn octal_and_decimal_are_both_offered() {
    let parsed = parse_one_liner("a:b if sig == 012");
    let wanted = SyntaxErrorKind::LeadingZero { octal: Some("0o12".to_owned()), decimal: "12".to_owned() };
    assert_eq!(kinds(&parsed), [&wanted]);
    assert_eq!(parsed.errors[0].hint().as_deref(), Some("write `0o12` or `12`"));
    assert_eq!(show_errors("", &parse_one_liner("a:b if x == 0 && y == 0x0 && z == 0o0")), "");
}

/// A fix repeats a negation only where its end is known.
#[test]
fn a_broken_negation_has_no_fix() {
    let parsed = parse_one_liner("a:b unless x > $y");
    assert!(parsed.errors.iter().all(|error| error.fix().is_none()), "{:?}", parsed.errors);
    let long = format!("a:b if not x == \"{}\"", "y".repeat(1000));
    assert_eq!(kinds(&parse_one_liner(&long)), [&SyntaxErrorKind::NotAsWord { negated: None }]);
}

#[test]
fn reserved_words_are_not_names() {
    for (text, word) in [
        ("session if {}", "if"),
        ("session if { trace a:b; }", "if"),
        ("session struct {}", "struct"),
        ("session user { clock mono; }", "user"),
        ("enum if { A }", "if"),
        ("const if = 3;", "if"),
    ] {
        let parsed = parse(text);
        let wanted = SyntaxErrorKind::ReservedWord { word: word.to_owned() };
        assert_eq!(kinds(&parsed), [&wanted], "{text}");
        assert_eq!(&text[parsed.errors[0].span.range()], word);
    }
}

#[test]
fn an_event_at_a_place_ends_where_a_declaration_begins() {
    let bare = "event wrote at kretprobe vfs_write -> (ret: ssize_t)\n\
        /// doc\n\
        event lines at uprobe \"/bin/bash\":readline(prompt: *user char)   // more\n\
        event there at uprobe \"/bin/bash\":0x1234\n\
        event sync at kprobe vfs_read+8 include \"x.h\";\n\
        event raw at kprobe vfs_read";
    let ended = "event wrote at kretprobe vfs_write -> (ret: ssize_t);\n\
        /// doc\n\
        event lines at uprobe \"/bin/bash\":readline(prompt: *user char);\n\
        event there at uprobe \"/bin/bash\":0x1234;\n\
        event sync at kprobe vfs_read+8; include \"x.h\";\n\
        event raw at kprobe vfs_read;";
    let (found, wanted) = (parse(bare), parse(ended));
    assert_eq!(show_errors(bare, &found), "");
    assert_eq!(show_errors(ended, &wanted), "");
    assert_eq!(show(&found), show(&wanted));
    // The formatter writes the semicolons, before the comments.
    let formatted = tracec_grammar::format(bare).expect("a correct text is formatted");
    assert!(
        formatted.contains("(ret: ssize_t);\n") && formatted.contains("user char); // more\n"),
        "{formatted}"
    );
    assert_eq!(tracec_grammar::format(&formatted).as_deref(), Ok(formatted.as_str()));
}

#[test]
fn fetch_types_that_are_not_words_are_parsed() {
    let text =
        "event e at kprobe f { a = %di: b3@0/32; %si: b12@4/64[2]; b: %pd; c = +4(%di): /* c */\n %pD }";
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "");
    let shown = show(&parsed);
    for ty in ["b3@0/32", "b12@4/64", "%pd", "%pD"] {
        assert!(shown.contains(ty), "{shown}");
    }
    let formatted = tracec_grammar::format(text).expect("a correct text is formatted");
    assert_eq!(tracec_grammar::format(&formatted).as_deref(), Ok(formatted.as_str()));
    assert!(formatted.contains("a = %di: b3@0/32;"), "{formatted}");
    // The parts of a type are not separated by blanks.
    for text in ["event e at kprobe f { a = %di: b3 @0/32 }", "event e at kprobe f { a = %di: % pd }"] {
        assert!(!parse(text).errors.is_empty(), "{text}");
    }
}
