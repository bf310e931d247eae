//! Tests of the messages about mistakes, and of the syntax that is recovered.

mod common;

use common::{kinds, show, show_errors};
use expect_test::{Expect, expect};
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::planned::{PLANNED, PlannedWord};
use tracec_grammar::syntax::DeclarationKind;
use tracec_grammar::words::{CLAUSES, StatementContext};
use tracec_grammar::{parse, parse_one_liner};

fn check(text: &str, errors: Expect, syntax: Expect) {
    let parsed = parse(text);
    errors.assert_eq(&show_errors(text, &parsed));
    syntax.assert_eq(&show(&parsed));
}

fn check_errors(text: &str, errors: Expect) {
    errors.assert_eq(&show_errors(text, &parse(text)));
}

#[test]
fn ten_mistakes_are_ten_errors() {
    let text = r#"session first {
    buffer 4MB;
    clock mono
    option sym-offset onn;
    trce foo:bar { filter x; }
    trace sched:sched_w* if x == 1;
    trace a:b if x = 3 {
        filter a < b < c;
        fliter y;
        trigger stacktrace;
    }
    output 'file';
    stop after;
    trace a:b;
}
session second { clock boot; }
"#;
    assert_eq!(parse(text).errors.len(), 10);
    check(
        text,
        expect![[r#"
        2:13 [MB] `MB` is not a unit (write `MiB`)
        3:15 [] a `;` is missing here
        4:23 [onn] expected `on`, `off` or `;`, found `onn`
        5:5 [trce] expected a clause, found `trce` (did you mean `trace`?)
        6:11 [sched:sched_w*] a pattern like this stands in quotes (write "sched:sched_w*")
        7:20 [=] `=` is written `==`
        8:22 [<] comparisons cannot be chained (join two comparisons: `a < b && b < c`)
        9:9 [fliter] expected an item, found `fliter` (did you mean `filter`?)
        12:12 ['file'] strings stand between `"`, not `'` (write it between `"`)
        13:15 [;] expected a duration, found `;`
    "#]],
        expect![[r#"
        session first
          buffer <error> None
          clock mono
          trace [foo:bar]
            filter x
          trace [a:b] if (x == 3)
            filter <error>
            trigger stacktrace
          trace [a:b]
        session second
          clock boot
    "#]],
    );
}

#[test]
fn a_missing_semicolon_loses_nothing() {
    check(
        r#"session a {
    buffer 4MiB
    clock mono
    option sym-offset on
    /// doc
    stop after 3s
    trace a:b if x == 1
    on c:d { trigger traceon trigger traceoff if x
        filter y }
    trace e:* trace f:g
    trace {h:i}
    output "f"
}
session b { clock mono buffer 1 per cpu clock boot }"#,
        expect![[r#"
            2:16 [] a `;` is missing here
            3:15 [] a `;` is missing here
            4:25 [] a `;` is missing here
            6:18 [] a `;` is missing here
            7:24 [] a `;` is missing here
            8:29 [] a `;` is missing here
            8:51 [] a `;` is missing here
            9:17 [] a `;` is missing here
            10:14 [] a `;` is missing here
            10:24 [] a `;` is missing here
            11:16 [] a `;` is missing here
            12:15 [] a `;` is missing here
            14:23 [] a `;` is missing here
            14:40 [] a `;` is missing here
            14:51 [] a `;` is missing here
        "#]],
        expect![[r#"
            session a
              buffer 4194304B None
              clock mono
              option sym-offset Some(true)
              doc "doc"
              stop after 3000000000ns
              trace [a:b] if (x == 1)
              on [c:d]
                trigger traceon
                trigger traceoff if x
                filter y
              trace [e:*]
              trace [f:g]
              trace [h:i]
              output "f"
            session b
              clock mono
              buffer 1 Some(PerCpu)
              clock boot
        "#]],
    );
}

#[test]
fn missing_operand_is_reported_at_the_end_of_its_line() {
    check(
        r#"session a {
    buffer
    clock mono;
    trace a:b if x ==
    trace c:d if
    stop after
    option
    output "f";
}"#,
        expect![[r#"
            2:11 [] expected a size, found `clock`
            4:22 [] expected a value, found `trace`
            5:17 [] expected a condition, found `stop`
            6:15 [] expected a duration, found `option`
            7:11 [] expected the name of an option, found `output`
        "#]],
        expect![[r#"
            session a
              clock mono
              trace [a:b] if <error>
              trace [c:d] if <error>
              output "f"
        "#]],
    );
}

#[test]
fn a_missing_brace_points_at_its_partner() {
    check(
        r#"session a {
    trace x:y {
        filter z;
    /// doc
    clock mono;
}
session b {
    clock mono;
/// doc
session c {
    trace {a:b, c:d { filter x; }
    trace {a:b, c:d if y;
    trace {a:b,
    clock boot;
}"#,
        expect![[r#"
            2:15 [{] this `{` is not closed
            7:11 [{] this `{` is not closed
            11:11 [{] this `{` is not closed
            12:11 [{] this `{` is not closed
            13:11 [{] this `{` is not closed
        "#]],
        expect![[r#"
            session a
              trace [x:y]
                filter z
              doc "doc"
              clock mono
            session b
              clock mono
            doc "doc"
            session c
              trace [a:b, c:d]
                filter x
              trace [a:b, c:d] if y
              trace [a:b]
              clock boot
        "#]],
    );
    check_errors(
        "session a { trace x:y { filter z;",
        expect![[r#"
        1:23 [{] this `{` is not closed
    "#]],
    );
    check_errors(
        "session a {\n  clock mono;\n",
        expect![[r#"
        1:11 [{] this `{` is not closed
    "#]],
    );
    check_errors(
        "session a { trace x:y if (b && (c == 1) { filter (d; filter e); } }",
        expect![[r#"
        1:26 [(] this `(` is not closed
        1:50 [(] this `(` is not closed
        1:62 [)] this `)` closes nothing
    "#]],
    );
}

/// A session that is being typed leaves the declarations behind it as they are.
#[test]
fn an_unfinished_session_takes_no_declaration() {
    for head in ["session", "session new", "session new {", "session new {\n    trace a:b;"] {
        let parsed =
            parse(&format!("{head}\nlint allow contradiction;\nconst A = 1;\nsession s {{ trace a:b; }}\n"));
        assert_eq!(parsed.errors.len(), 1, "{head}");
        let kinds: Vec<_> = parsed.file.declarations.iter().map(|declaration| &declaration.kind).collect();
        let has_lint = kinds.iter().any(|kind| matches!(kind, DeclarationKind::Lint(_)));
        let has_constant = kinds.iter().any(|kind| matches!(kind, DeclarationKind::Const(_)));
        assert!(has_lint && has_constant, "{head}: {kinds:#?}");
    }
}

#[test]
fn unmatched_closing_brace_does_not_end_the_session() {
    check(
        "session a {\n  trace x:y { filter z; } }\n  clock mono;\n}\nsession b {} }",
        expect![[r#"
            2:27 [}] this `}` closes nothing
            5:12 [}] this `}` closes nothing
        "#]],
        expect![[r#"
            session a
              trace [x:y]
                filter z
              clock mono
            session b
        "#]],
    );
}

#[test]
fn statements_that_cannot_stand_where_they_stand() {
    check(
        r#"use std::errno;
clock mono; trace x:y { filter z; } buffer 4MiB;
sesion a { clock mono; }
session b {
    filter x;
    session c { clock mono; }
    { clock mono; }
    5;
    trace x:y { clock mono; trigger traceon; 7 "x"; };
    clock mono { a; b { c; } } option x;
    trace a:b { filter x { y; } trigger z; }
}
session { clock boot; }
session c d(min = 3) { clock boot; }
session e
    clock boot;
}"#,
        expect![[r#"
            2:1 [clock] `clock` does not stand here, but in a session
            3:1 [sesion] expected a declaration, found `sesion` (did you mean `session`?)
            5:5 [filter] `filter` does not stand here, but in the block of a `trace` clause (write `if` and the condition behind the events of a clause)
            6:5 [session] `session` does not stand here, but at the top of a file
            7:5 [{] expected a clause, found `{`
            8:5 [5] expected a clause, found `5`
            9:17 [clock] `clock` does not stand here, but in a session
            9:46 [7] expected an item, found `7`
            9:54 [;] expected a clause or `}`, found `;` (remove it: blocks and finished clauses take no further `;`)
            10:16 [{] expected `;`, found `{`
            11:26 [{] expected an operator or `;`, found `{`
            13:9 [{] expected the name of a session, found `{`
            14:11 [d] expected `(` or `{`, found `d`
            15:10 [] expected `{`, found `clock`
        "#]],
        expect![[r#"
            use std::errno
            session a
              clock mono
            session b
              trace [x:y]
                trigger traceon
              option x None
              trace [a:b]
                filter <error>
                trigger z
            session -
              clock boot
            session -
              clock boot
            session e
              clock boot
        "#]],
    );
}

#[test]
fn events() {
    check(
        r#"session a {
    trace *wake*;
    trace "a:b" except z*;
    trace {9p:9p_client_req, xhci-hcd:foo, ok:ok, sched:sched_[ab]?};
    trace {};
    trace {{a:b}};
    trace {a:b c:d} { filter x; }
    trace { filter x; }
    trace a::b;
    trace a:b:c;
    trace a:;
    trace :b;
    trace *;
    trace a b if c d { filter x; }
    trace;
    trace a:b except;
    on 5 { trigger x; }
}"#,
        expect![[r#"
            2:11 [*wake*] a pattern like this stands in quotes (write "*wake*")
            3:24 [z*] a pattern like this stands in quotes (write "z*")
            4:12 [9p:9p_client_req] a pattern like this stands in quotes (write "9p:9p_client_req")
            4:30 [xhci-hcd:foo] a pattern like this stands in quotes (write "xhci-hcd:foo")
            4:51 [sched:sched_[ab]?] a pattern like this stands in quotes (write "sched:sched_[ab]?")
            5:12 [}] expected an event, found `}`
            6:12 [{] expected an event, found `{`
            7:16 [c] expected `,` or `}`, found `c`
            8:11 [{] expected an event, found `{`
            9:12 [::] `::` is written `:`
            10:14 [:] expected `except`, `having`, `if`, `{` or `;`, found `:`
            11:13 [;] expected the name of an event or `*`, found `;`
            12:11 [:] expected an event, found `:`
            13:12 [;] expected `:`, found `;`
            14:13 [b] expected `:`, `except`, `having`, `if`, `{` or `;`, found `b`
            15:10 [;] expected an event, found `;`
            16:21 [;] expected an event, found `;`
            17:8 [5] expected an event, found `5`
        "#]],
        expect![[r#"
            session a
              trace ["a:b"]
              trace [ok:ok]
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        r#"session a {
    trace x:y if not a == b;
    trace x:y if a == b and c;
    trace x:y if a or b;
    trace x:y if a | b;
    trace x:y if a = 1 && b === 2 && c <> 3 && d =~ "e" && f !== 4;
    trace x:y if a < b == c < d;
    trace x:y if (a < b) == c;
    trace x:y if !;
    trace x:y if a);
    trace x:y if ();
    trace x:y if a.;
    trace x:y if a.5;
    trace x:y if a::;
    trace x:y if a b;
    trace x:y if a &&;
    trace x:y if "a" ~ 'b' && c;
    trace x:y if user == 1;
    trace x:y if { filter a ==; filter b }
}"#,
        expect![[r#"
            2:18 [not] `not` is written `!`
            3:25 [and] `and` is written `&&`
            4:20 [or] `or` is written `||`
            6:20 [=] `=` is written `==`
            6:29 [===] `===` is written `==`
            6:40 [<>] `<>` is written `!=`
            6:50 [=~] `=~` takes a regular expression, and `~` a pattern (a pattern describes the whole string: `~ "*text*"` finds a text anywhere in it)
            6:62 [!==] `!==` is written `!=`
            7:24 [==] comparisons cannot be chained (join two comparisons: `a < b && b < c`)
            9:19 [;] expected a condition, found `;`
            10:19 [)] this `)` closes nothing
            11:19 [)] expected a value, found `)`
            12:20 [;] expected a name, found `;`
            13:20 [5] expected a name, found `5`
            14:21 [;] expected a name, found `;`
            15:20 [b] expected an operator, `{` or `;`, found `b`
            16:22 [;] expected a condition behind `&&`, found `;`
            17:24 ['b'] strings stand between `"`, not `'` (write it between `"`)
            18:18 [user] `user` is a reserved word (`if`, `struct` and `user` cannot be names)
            19:18 [{] expected a condition, found `{`
            19:31 [;] expected a value, found `;`
            19:41 [] a `;` is missing here
        "#]],
        expect![[r#"
            session a
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if (a | b)
              trace [x:y] if ((a == 1) && (b == 2) && (c != 3) && <error> && (f != 4))
              trace [x:y] if <error>
              trace [x:y] if ((a < b) == c)
              trace [x:y] if <error>
              trace [x:y] if a
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if <error>
              trace [x:y] if (("a" ~ <error>) && c)
              trace [x:y] if (user == 1)
              trace [x:y] if <error>
                filter <error>
                filter b
        "#]],
    );
}

#[test]
fn clauses() {
    check_errors(
        r#"session a {
    buffer;
    buffer 4MiB per;
    buffer 4MiB of cpu;
    clock;
    clock a b;
    clock a - b;
    option 5;
    option a-;
    option a yes;
    stop;
    stop 3s;
    output 5;
    output;
    trace a:b { trigger; trigger a count; trigger a count 5ms; trigger a count b; trigger a twice; filter; }
    ;
}"#,
        expect![[r#"
            2:11 [;] expected a size, found `;`
            3:20 [;] expected `cpu`, found `;`
            4:17 [of] expected an operator, `per cpu`, `total` or `;`, found `of`
            5:10 [;] expected the name of a clock, found `;`
            6:13 [b] expected `;`, found `b`
            7:13 [-] expected `;`, found `-`
            8:12 [5] expected the name of an option, found `5`
            9:14 [;] expected a name, found `;`
            10:14 [yes] `yes` is written `on`
            11:9 [;] expected `after`, `on` or `with`, found `;`
            12:10 [3s] expected `after`, `on` or `with`, found `3s`
            13:12 [5] expected a string, found `5`
            14:11 [;] expected a string, found `;`
            15:24 [;] expected an action, found `;`
            15:41 [;] expected a number, found `;`
            15:59 [5ms] expected a number, found `5ms`
            15:80 [b] expected a number, found `b`
            15:106 [;] expected a condition, found `;`
            16:5 [;] expected a clause or `}`, found `;` (remove it: blocks and finished clauses take no further `;`)
        "#]],
    );
}

#[test]
fn literals() {
    check_errors(
        "session a {\n\
         buffer 4MB;\n\
         buffer 4parsec;\n\
         buffer 99999999999999999999;\n\
         buffer 99999999999GiB;\n\
         buffer 0b12;\n\
         stop after 1.5s;\n\
         stop after 10\u{b5}s;\n\
         output \"a\\q\\xff\\u{110000}b\";\n\
         output \"abc;\n\
         output 'abc';\n\
         output \u{201c}abc\u{201d};\n\
         output it's;\n\
         clock m\u{f6}no;\n\
         output r#\"abc\";\n\
         clock @mono;\n\
         /* open\n\
         }",
        expect![[r#"
            2:9 [MB] `MB` is not a unit (write `MiB`)
            3:9 [parsec] `parsec` is not a unit (sizes end in B, KiB, MiB or GiB, durations in ns, us, ms, s, min or h)
            4:8 [99999999999999999999] this number does not fit 64 bits
            5:8 [99999999999GiB] this number does not fit 64 bits
            6:11 [2] this is not a number: binary digits are 0 and 1
            7:13 [.5s] this is not a number: numbers have no fraction; use a smaller unit
            8:14 [µs] `µs` is not a unit (write `us`)
            9:10 [\q] `\q` is not an escape: no escape has this letter (escapes are `\n`, `\r`, `\t`, `\0`, `\\`, `\"`, `\xNN` and `\u{..}`; a raw string, r"..", has none)
            9:12 [\xff] `\xff` is not an escape: it goes up to \x7f; write a character as \u{..} (escapes are `\n`, `\r`, `\t`, `\0`, `\\`, `\"`, `\xNN` and `\u{..}`; a raw string, r"..", has none)
            9:16 [\u{110000}] `\u{110000}` is not an escape: there is no such character (escapes are `\n`, `\r`, `\t`, `\0`, `\\`, `\"`, `\xNN` and `\u{..}`; a raw string, r"..", has none)
            10:8 ["abc;] this string is not closed on its line
            11:8 ['abc'] strings stand between `"`, not `'` (write it between `"`)
            12:8 [“abc”] strings stand between `"`, not `“` (write it between `"`)
            13:10 ['] strings stand between `"`, not `'` (write it between `"`)
            14:8 [ö] `ö` means nothing here
            15:8 [r#"abc";] this string is not closed on its line
            16:7 [@] `@` means nothing here
            17:1 [/*] this comment is not closed
        "#]],
    );
}

#[test]
fn doc_comments_describe_what_follows() {
    check(
        r#"/// A
session a {
    /// B
    //! C
    clock /// D
      mono;
    trace {/// E
        a:b};
    trace a:b /// F
    { filter x; /// G
    }
    /// H
}
//! I
/// J"#,
        expect![[r#"
            4:5 [//! C] this doc comment describes nothing (`//!` stands at the top of a file; describe what follows with `///`)
            5:11 [/// D] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
            7:12 [/// E] expected an event, found a doc comment
            9:15 [/// F] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
            10:17 [/// G] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
            12:5 [/// H] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
            14:1 [//! I] this doc comment describes nothing (`//!` stands at the top of a file; describe what follows with `///`)
            15:1 [/// J] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
        "#]],
        expect![[r#"
            doc "A"
            session a
              doc "B"
              clock mono
              trace [a:b]
                filter x
        "#]],
    );
}

#[test]
fn one_liners() {
    for (text, expected) in [
        (
            "",
            expect![[r#"
            1:1 [] expected an event, found the end of the text
        "#]],
        ),
        (
            "a:b if",
            expect![[r#"
            1:7 [] expected a condition, found the end of the text
        "#]],
        ),
        (
            "a:b c",
            expect![[r#"
                1:5 [c] expected `except`, `having`, `if`, `{` or `;`, found `c`
            "#]],
        ),
        (
            "sched:*w*",
            expect![[r#"
            1:1 [sched:*w*] a pattern like this stands in quotes (write "sched:*w*")
        "#]],
        ),
        (
            "a:b if x; clock mono; }",
            expect![[r#"
            1:23 [}] this `}` closes nothing
        "#]],
        ),
        (
            "a:b {",
            expect![[r#"
            1:5 [{] this `{` is not closed
        "#]],
        ),
        (
            "a:b { filter x",
            expect![[r#"
            1:5 [{] this `{` is not closed
        "#]],
        ),
        (
            "session a { clock mono; }",
            expect![[r#"
                1:1 [session a { clock mono; }] the text of `-e` has the clauses of one session, without `session NAME` and its braces (write `clock mono;`)
            "#]],
        ),
        ("trace", expect![[""]]),
        (
            "clock mono; bufer 5",
            expect![[r#"
            1:13 [bufer] expected a clause, found `bufer` (did you mean `buffer`?)
        "#]],
        ),
        (
            "/// doc\na:b",
            expect![[r#"
                1:1 [/// doc] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
            "#]],
        ),
    ] {
        expected.assert_eq(&show_errors(text, &parse_one_liner(text)));
    }
}

#[test]
fn fixes_repair() {
    for text in [
        "session a { buffer 4MB; }",
        "session a { clock mono }",
        "session a { trace a:b if x = 1; }",
        "session a { trace a:b if x <> 1; }",
        "session a { trace a:b if x and y; }",
        "session a { trace a:b if not (x); }",
        "session a { trace a::b; }",
        "session a { trace sched:sched_w*; }",
        "session a { trace a:b if x == 'y'; }",
        "session a { output \u{201c}x\u{201d}; }",
        "session a { clok mono; }",
        "session a { clock mono; } }",
        "session a { trace a:b if x); }",
        "sesion a {}",
        "session a { trace a:b { stacktrace; } }",
        "session a { trace a:b if x == 1 | y == 2; }",
        "session a { trace a:b if x in {1..2}; }",
        "session a { trace a:b if x & CPUS 0-3; }",
        "session a { when has option b { clock c; } else if has option d { clock e; } }",
        "session a(u32 b) {}",
        "session a {};",
        "enum a { b; c }",
        "enum a { b = 1\nc = 2 }",
        "enum a { b };",
        "claas a { proto (b: u8) }",
        "class a { proto (struct b *c) }",
        "class a { proto (b: struct c *) }",
        "class a { entry { char b[16]; } }",
        "class a { entry { b: u8 } }",
        "class a { print \"{b:}\" }",
        "class a { print \"b}\" }",
        "class a { print \"{b == \\\"c\\\"}\" }",
        "use a::b",
    ] {
        let parsed = parse(text);
        let [error] = parsed.errors.as_slice() else { panic!("{text}: {:?}", parsed.errors) };
        let fix = error.fix().unwrap_or_else(|| panic!("{text}: no fix for {error}"));
        let mut fixed = text.to_owned();
        fixed.replace_range(error.span.range(), &fix);
        assert_eq!(show_errors(&fixed, &parse(&fixed)), "", "{text}");
    }
}

#[test]
fn suggested_words_are_similar() {
    for (word, wanted) in [
        ("trce", Some("trace")),
        ("Buffer", Some("buffer")),
        ("bufer", Some("buffer")),
        ("options", Some("option")),
        ("clokc", Some("clock")),
        ("oputput", Some("output")),
        ("events", None),
        ("scop", Some("scope")),
        ("instnace", Some("instance")),
        ("globl", Some("global")),
        ("strean", Some("stream")),
        ("rings", Some("ring")),
        ("strat", Some("start")),
        ("markr", Some("marker")),
        ("inlude", Some("include")),
        ("wen", Some("when")),
        ("lnt", Some("lint")),
        ("x", None),
        ("aggregate", None),
    ] {
        let parsed = parse(&format!("session a {{ {word} x; }}"));
        match kinds(&parsed).as_slice() {
            [SyntaxErrorKind::UnknownClause { nearest, .. }] => assert_eq!(*nearest, wanted, "{word}"),
            other => panic!("{word}: {other:?}"),
        }
    }
    for entry in CLAUSES {
        // The first two letters are exchanged, a frequent typing error.
        let mut letters: Vec<char> = entry.word.chars().collect();
        letters.swap(0, 1);
        let word: String = letters.into_iter().collect();
        let text = match entry.context {
            StatementContext::File => format!("{word} x;"),
            StatementContext::Session => format!("session a {{ {word} x; }}"),
            StatementContext::Block => format!("session a {{ trace b:c {{ {word} x; }} }}"),
            StatementContext::Event => format!("class a {{ {word} x; }}"),
        };
        match kinds(&parse(&text)).as_slice() {
            [SyntaxErrorKind::UnknownClause { nearest: Some(nearest), context, .. }] => {
                assert_eq!((*nearest, *context), (entry.word, entry.context), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn block_behind_a_misspelt_head_is_read() {
    for (text, wanted) in [
        ("sesion s { clock ; buffer ; }", "1:1 [sesion] 1:18 [;] 1:27 [;]"),
        ("sesion s(a: int = 1) { clock ; }", "1:1 [sesion] 1:30 [;]"),
        ("session s { trce a:b if x in {1, 2} && y { trigger ; } clock ; }", "1:13 [trce] 1:52 [;] 1:62 [;]"),
        ("session s { onn a:b { trigger stacktrace cont 5; } }", "1:13 [onn] 1:47 [5]"),
        // Heads that are broken behind their word.
        ("session s { trace a b { trigger ; } }", "1:21 [b] 1:33 [;]"),
        ("session s(a:) { clock ; }", "1:13 [)] 1:23 [;]"),
        // No block, or none that can be read: one mistake.
        ("session s { trce a:b if x in {1, 2}; }", "1:13 [trce]"),
        ("sesion { clock ; }", "1:1 [sesion]"),
        ("session s { bufer { clock ; } }", "1:13 [bufer]"),
    ] {
        let parsed = parse(text);
        let places: Vec<String> = show_errors(text, &parsed)
            .lines()
            .map(|line| line.split_inclusive(']').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(places.join(" "), wanted, "{}", show_errors(text, &parsed));
    }
    let misspelt = parse("sesion s { trce a:b { trigger stacktrace; } onn a:b { stacktrace; } }");
    assert_eq!(
        show(&misspelt),
        show(&parse("session s { trace a:b { trigger stacktrace; } on a:b { stacktrace; } }"))
    );
}

#[test]
fn planned_words_are_not_called_misspelt() {
    for planned in PLANNED {
        let PlannedWord { word, context, .. } = planned;
        let text = match context {
            StatementContext::File => format!("{word} x;"),
            StatementContext::Session => format!("session a {{ {word} x from y {{ z; }} trace b:c; }}"),
            StatementContext::Block => format!("session a {{ trace b:c {{ {word} x; }} }}"),
            StatementContext::Event => format!("class a {{ {word} x; }}"),
        };
        assert_eq!(kinds(&parse(&text)), [&SyntaxErrorKind::NotImplemented { planned }], "{text}");
    }
    // A statement of a session, also in another place and where the word `trace` may be left out.
    for text in ["hist a from b:c by d;", "session s { on hist a { trigger traceoff; } }"] {
        assert!(matches!(kinds(&parse(text))[0], SyntaxErrorKind::NotImplemented { .. }), "{text}");
    }
    for text in [
        "hist a from b:c by d",
        "stack of io",
        "b:c; latency l = b:c as x -> d:e as y",
        "profile 99",
        "every 5s show x",
    ] {
        let parsed = parse_one_liner(text);
        assert!(matches!(kinds(&parsed)[0], SyntaxErrorKind::NotImplemented { .. }), "{text}");
    }
    // Its block is a part of it.
    for text in [
        "while in syscall read { trace a:b; }",
        "while in a:b..c:d { trace a:b if x == 1 { trigger traceoff; } }",
        "/// d\nwhile in syscall read { trace a:b }; trace c:d",
        "a:b; while in syscall read { trace a:b; }",
    ] {
        let parsed = parse_one_liner(text);
        assert!(
            matches!(kinds(&parsed).as_slice(), [SyntaxErrorKind::NotImplemented { .. }]),
            "{text}: {parsed:?}"
        );
    }
    // Within a definition that stands elsewhere, they are the parts of one.
    for text in ["event o { proto (a: int) entry { a: int; } print \"{a}\" }", "class c { print \"x\" }"] {
        let parsed = parse_one_liner(text);
        assert!(
            kinds(&parsed).iter().all(|kind| matches!(kind, SyntaxErrorKind::MisplacedClause { .. })),
            "{text}: {parsed:?}"
        );
    }
    // The words are still names of events.
    for text in
        ["hist", "profile if x == 1", "trace stack, latency", "trace {hist, a:b} { trigger traceoff; }"]
    {
        let parsed = parse_one_liner(text);
        assert!(!kinds(&parsed).iter().any(|kind| matches!(kind, SyntaxErrorKind::NotImplemented { .. })));
    }
}

#[test]
fn events_without_trace_are_repaired() {
    for (text, word) in [
        ("a:b if x == 1; c:d if y == 2", "c"),
        ("a:b; *:d", "*"),
        ("stop after 3s; c:* { trigger traceoff; }", "c"),
    ] {
        let parsed = parse_one_liner(text);
        let [error] = parsed.errors.as_slice() else { panic!("{text}: {:?}", parsed.errors) };
        assert_eq!(error.kind, SyntaxErrorKind::MissingTrace { word: word.to_owned() }, "{text}");
        let fix = error.fix().expect("a certain fix");
        let mut mended = text.to_owned();
        mended.replace_range(error.span.range(), &fix);
        assert_eq!(parse_one_liner(&mended).errors, [], "{mended}");
    }
}
