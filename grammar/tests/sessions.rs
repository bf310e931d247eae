//! Tests of the syntax of correct texts.

mod common;

use common::{show, show_errors};
use expect_test::{Expect, expect};
use tracec_grammar::span::FileId;
use tracec_grammar::syntax::*;
use tracec_grammar::{
    Comment, CommentKind, Parsed, decode, parse, parse_as, parse_one_liner, parse_one_liner_as,
};

fn check(text: &str, expected: Expect) {
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "");
    expected.assert_eq(&show(&parsed));
}

fn check_one_liner(text: &str, expected: Expect) {
    let parsed = parse_one_liner(text);
    assert_eq!(show_errors(text, &parsed), "");
    expected.assert_eq(&show(&parsed));
}

const EVERY_CLAUSE: &str = r#"//! Which requests stall the disk,
//! and who issued them?

// A plain comment.
/// The only session.
///   Indented.
session disk_stalls {
    buffer 16MiB per cpu;
    buffer 1_024 total;
    buffer ring_size;
    clock  mono;
    clock  x86-tsc;
    stop   after 30s; /* a block
                         comment */
    option sym-offset;
    option func-stack-trace on;
    option irq-info off;

    /// Large writes.
    trace block:block_rq_issue if bytes >= 64KiB && comm !~ "kworker*" {
        filter rwbs ~ r"W*" || !(sector == 0x7fff_ffff);
        /// Who?
        trigger stacktrace count 5 if bytes >= 1MiB;
        trigger traceoff once;
        trigger traceon;
        /// Shorter.
        print "{dev:dev} {{{bytes > 4096 ? "big" : "small"}"
        drop comm, error; redact sector;
    }
    trace {sched:*, *:sys_enter, "xhci-hcd:*",} except {sched:sched_waking} except "irq:*";
    trace *:* {}
    on bare if current.pid != errno::EIO & -1 { trigger snapshot; }
    output "a\t\u{e4}\x41.dat";
}

session empty {}
"#;

#[test]
fn every_clause() {
    check(
        EVERY_CLAUSE,
        expect![[r#"
            doc "Which requests stall the disk,\nand who issued them?"
            doc "The only session.\n  Indented."
            session disk_stalls
              buffer 16777216B Some(PerCpu)
              buffer 1024 Some(Total)
              buffer ring_size None
              clock mono
              clock x86-tsc
              stop after 30000000000ns
              option sym-offset None
              option func-stack-trace Some(true)
              option irq-info Some(false)
              doc "Large writes."
              trace [block:block_rq_issue] if ((bytes >= 65536B) && (comm !~ "kworker*"))
                filter ((rwbs ~ "W*") || (!(sector == 2147483647)))
                doc "Who?"
                trigger stacktrace count 5 if (bytes >= 1048576B)
                trigger traceoff count 1
                trigger traceon
                doc "Shorter."
                print {dev : dev} " {" {((bytes > 4096) ? "big" : "small")}
                drop comm, error
                redact sector
              trace [sched:*, *:sys_enter, "xhci-hcd:*"] except [sched:sched_waking, "irq:*"]
              trace [*:*]
              on [bare] if (current.pid != (errno::EIO & (-1)))
                trigger snapshot
              output "a\täA.dat"
            session empty
        "#]],
    );
}

#[test]
fn comments_stand_in_the_side_table() {
    let parsed = parse(EVERY_CLAUSE);
    let found: Vec<(&str, CommentKind)> =
        parsed.comments.iter().map(|comment| (&EVERY_CLAUSE[comment.span.range()], comment.kind)).collect();
    let block = "/* a block\n                         comment */";
    assert_eq!(found, [("// A plain comment.", CommentKind::Line), (block, CommentKind::Block)]);
}

#[test]
fn four_slashes_and_trailing_returns_are_plain() {
    let text = "//// no doc\r\nsession a { // end\r\n clock mono; }\r\n";
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "");
    let found: Vec<&str> = parsed.comments.iter().map(|comment| &text[comment.span.range()]).collect();
    assert_eq!(found, ["//// no doc", "// end"]);
}

#[test]
fn spans_cover_what_was_written() {
    let parsed = parse(EVERY_CLAUSE);
    let session = parsed.file.sessions().next().unwrap();
    let slice = |span: tracec_grammar::span::Span| &EVERY_CLAUSE[span.range()];
    assert!(slice(session.span).starts_with("session disk_stalls {"));
    assert!(slice(session.span).ends_with("dat\";\n}"));
    assert_eq!(slice(session.clauses[0].span), "buffer 16MiB per cpu;");
    let ClauseKind::Trace(trace) = &session.clauses[10].kind else { panic!("{:?}", session.clauses[10]) };
    assert!(slice(trace.events.span).starts_with("{sched:*"));
    assert!(slice(trace.events.span).ends_with("except \"irq:*\""));
    let ClauseKind::Trace(trace) = &session.clauses[9].kind else { panic!("{:?}", session.clauses[9]) };
    assert_eq!(slice(trace.items[1].span), "trigger stacktrace count 5 if bytes >= 1MiB;");
    let ItemKind::Filter { condition: filter, .. } = trace.items[0].kind else {
        panic!("{:?}", trace.items[0])
    };
    let ExprKind::Or(operands) = &parsed.file.exprs[filter].kind else { panic!("no `||`") };
    assert_eq!(slice(parsed.file.exprs[operands[1]].span), "!(sector == 0x7fff_ffff)");
}

#[test]
fn empty_text_is_a_file() {
    for text in ["", "\u{feff}", " \t\r\n", "// only this", "/**/", "//! Only a doc."] {
        let parsed = parse(text);
        assert_eq!(show_errors(text, &parsed), "", "{text:?}");
        assert!(parsed.file.declarations.is_empty(), "{text:?}");
    }
}

#[test]
fn windows_files_read_the_same() {
    let text = "\u{feff}session a {\n  /// d\n  /// e\n  clock mono;\n  trace a:b if x == \"y\";\n}\n";
    let parsed = parse(&text.replace('\n', "\r\n"));
    assert_eq!(show(&parsed), show(&parse(text)));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
}

#[test]
fn one_liners_may_leave_out_the_first_word_and_the_last_semicolon() {
    check_one_liner(
        "tcp:tcp_retransmit_skb if dport == 443",
        expect![[r#"
            session -
              trace [tcp:tcp_retransmit_skb] if (dport == 443)
        "#]],
    );
    check_one_liner(
        "{a:b, c:*} except \"c:d*\" if x { trigger traceoff; }",
        expect![[r#"
            session -
              trace [a:b, c:*] except ["c:d*"] if x
                trigger traceoff
        "#]],
    );
    check_one_liner(
        "sched:sched_switch; stop after 3s; buffer 4MiB",
        expect![[r#"
            session -
              trace [sched:sched_switch]
              stop after 3000000000ns
              buffer 4194304B None
        "#]],
    );
    check_one_liner(
        "clock mono; trace a:b; on c:d { trigger traceon once; }",
        expect![[r#"
            session -
              clock mono
              trace [a:b]
              on [c:d]
                trigger traceon count 1
        "#]],
    );
    check_one_liner(
        "stop after 3s",
        expect![[r#"
            session -
              stop after 3000000000ns
        "#]],
    );
    check_one_liner(
        "//! Docs too.\ntrace \"*:*\"",
        expect![[r#"
            doc "Docs too."
            session -
              trace ["*:*"]
        "#]],
    );
}

#[test]
fn a_one_liner_may_name_an_event_like_a_clause() {
    for (text, event) in [
        ("trace:foo if x", "trace:foo"),
        ("clock", "clock"),
        ("stop if x", "stop"),
        ("on except a:b", "on"),
        ("option;", "option"),
        ("buffer {}", "buffer"),
        ("trace on:x", "on:x"),
        ("filter:trigger", "filter:trigger"),
        ("session", "session"),
    ] {
        let parsed = parse_one_liner(text);
        assert_eq!(show_errors(text, &parsed), "", "{text}");
        assert!(
            show(&parsed).starts_with(&format!("session -\n  trace [{event}]")),
            "{text}: {}",
            show(&parsed)
        );
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    assert_eq!(decode("ä".as_bytes()), Ok("ä"));
    for (bytes, at) in [(&b"ab\xff"[..], 2), (b"\xc3", 0), (b"clock \xed\xa0\x80;", 6)] {
        let error = decode(bytes).expect_err("these bytes are no UTF-8");
        assert_eq!(error.at, at);
    }
}

#[test]
fn comment_inside_a_string_is_text() {
    let text = r#"session a { output "http://x/*y*/"; }"#;
    let parsed = parse(text);
    assert_eq!(parsed.comments, Vec::<Comment>::new());
    assert_eq!(show(&parsed), "session a\n  output \"http://x/*y*/\"\n");
}

#[test]
fn every_span_names_its_file() {
    let broken = "//! d\nsession a { // c\n buffer 4MB; trace {a:b c:d} if (x == 1; } }";
    let file = FileId(7);
    let as_of_file = |parsed: &Parsed| format!("{parsed:?}").replace("Span(0:", "Span(7:");
    for text in [EVERY_CLAUSE, broken] {
        assert_eq!(format!("{:?}", parse_as(text, file)), as_of_file(&parse(text)));
    }
    let text = "a:b if x; clok";
    assert_eq!(format!("{:?}", parse_one_liner_as(text, file)), as_of_file(&parse_one_liner(text)));
}
