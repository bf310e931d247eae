//! Tests of the syntax of the clauses of a session.

mod common;

use common::{show, show_errors};
use expect_test::{Expect, expect};
use tracec_grammar::{parse, parse_one_liner};

fn check(text: &str, expected: Expect) {
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "");
    expected.assert_eq(&show(&parsed));
}

#[test]
fn every_clause_without_events_is_parsed() {
    check(
        r#"/// Documented.
session disk_stalls(min: duration = 10ms, dev: dev_t, name = "x",) {
    trace a:b except c:d having f, g if x { filter in kernel y == 1; filter in; lint allow z-z; }
    trace {a:b, c:*} having f;
    on a:b having f if c {
        trigger enable_event kmem:kmalloc count 3 if x;
        trigger enable_event "9p:*" once;
        trigger disable_event count:once;
        trigger hist lone;
        trigger x *:y;
    }
    scope process 123, thread 7, command, comm "x*", cgroup "a/b", cpus 0-3, cpus 2 and children;
    scope command;
    instance;
    instance "name";
    global { buffer 1MiB; global discarding { clock mono; } }
    global {}
    stream;
    ring;
    ring last 10s;
    stop after 30s;
    stop on a:b;
    stop on {a:b, c:d} except c:d if x in {1, 2} count 3;
    stop on "a*" once;
    stop on signal SIGUSR1;
    stop with command;
    stop with process 123;
    start paused;
    marker "text";
    include other(min = 5ms);
    include common::base(min = 5ms, dev = 8,);
    include base;
    lint warn a-b, c;
    when has event sched:sched_waking { clock mono; } else when has option func-args { stream; } else { ring; }
    when has field sched:sched_switch.prev_prio { start paused; }
    when has clock x86-tsc {}
    when has feature cpu-lists { } else { }
}"#,
        expect![[r#"
            doc "Documented."
            session disk_stalls
              param min: duration = 10000000ns
              param dev: dev_t
              param name = "x"
              trace [a:b] except [c:d] having [f, g] if x
                filter in kernel (y == 1)
                filter in
                lint allow [z-z]
              trace [a:b, c:*] having [f]
              on [a:b] having [f] if c
                trigger enable_event <kmem:kmalloc> count 3 if x
                trigger enable_event <"9p:*"> count 1
                trigger disable_event <count:once>
                trigger hist <lone>
                trigger x <*:y>
              scope process 123, thread 7, command, comm "x*", cgroup "a/b", cpus 0-3, cpus 2-2 and children
              scope command
              instance None
              instance Some("name")
              global
                buffer 1048576B None
                global discarding
                  clock mono
              global
              stream
              ring all
              ring 10000000000ns
              stop after 30000000000ns
              stop on [a:b]
              stop on [a:b, c:d] except [c:d] if (x in {1, 2}) count 3
              stop on ["a*"] count 1
              stop on signal SIGUSR1
              stop with command
              stop with process 123
              start paused
              marker "text"
              include other(min = 5000000ns)
              include common::base(min = 5000000ns, dev = 8)
              include base()
              lint warn [a-b, c]
              when event sched:sched_waking
                clock mono
              else
                when option func-args
                  stream
                else
                  ring all
              when field sched:sched_switch . prev_prio
                start paused
              when clock x86-tsc
              when feature cpu-lists
              else
        "#]],
    );
}

#[test]
fn parts_of_head_stand_in_any_order() {
    let parts = ["except {c:d, e:*}", "having f, g", "if x == except && y in {1, 2}"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let head = order.map(|part| parts[part]).join(" ");
        let parsed = parse_one_liner(&format!("trace a:* {head} {{ trigger x; }}"));
        assert_eq!(
            show(&parsed),
            "session -\n  trace [a:*] except [c:d, e:*] having [f, g] if ((x == except) && (y in {1, 2}))\n    \
             trigger x\n",
            "{head}: {:?}",
            parsed.errors
        );
        let parsed = parse_one_liner(&format!("a:* {head}"));
        assert_eq!(parsed.errors, [], "{head}");
    }
}

#[test]
fn word_trigger_may_be_left_out_in_block_of_on() {
    check(
        "session s {
            on a:b if x {
                traceoff once;
                stacktrace count 5 if y > 3;
                enable_event kmem:kmalloc;
                disable_event \"9p:*\" if z;
                trigger traceon;
            }
            on a:b { snapshot; }
        }",
        expect![[r#"
            session s
              on [a:b] if x
                trigger traceoff count 1
                trigger stacktrace count 5 if (y > 3)
                trigger enable_event <kmem:kmalloc>
                trigger disable_event <"9p:*"> if z
                trigger traceon
              on [a:b]
                trigger snapshot
        "#]],
    );
    let recording = parse("session s { trace a:b { traceoff once; } }");
    assert_eq!(recording.errors.len(), 1, "{:?}", recording.errors);
}

#[test]
fn stop_on_event_and_stop_on_signal() {
    check(
        "session s {
            stop on signal USR1;
            stop on signal signal;
            stop on signal:signal_deliver if sig == 9;
            stop on signal;
            stop on signal count 3;
            stop on {signal:*, a:b} except a:c if x once;
        }",
        expect![[r#"
            session s
              stop on signal USR1
              stop on signal signal
              stop on [signal:signal_deliver] if (sig == 9)
              stop on [signal]
              stop on [signal] count 3
              stop on [signal:*, a:b] except [a:c] if x count 1
        "#]],
    );
    let text = "session s { stop when a:b if x count 2; }";
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "1:18 [when] `when` is written `on`\n");
    assert_eq!(parsed.errors[0].fix().as_deref(), Some("on"));
}

#[test]
fn stop_when_is_followed_by_what_shows_the_word_that_is_meant() {
    for (rest, instead) in [
        ("5s", Some("after")),
        ("command", Some("with")),
        ("process 3", Some("with")),
        ("a:b if x", Some("on")),
        ("{a:b, c:d}", Some("on")),
        ("signal SIGUSR1", Some("on")),
        ("\"a:*\"", Some("on")),
        ("e count 2", Some("on")),
        // No event has a condition here.
        ("x == 3", None),
    ] {
        let text = format!("session s {{ trace a:b; stop when {rest}; }}");
        let errors = parse(&text).errors;
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].fix().as_deref(), instead, "{text}");
        if let Some(instead) = instead {
            assert_eq!(parse(&text.replace("when", instead)).errors, [], "{text}");
        }
    }
}

#[test]
fn strings_of_clauses_may_have_names() {
    check(
        "session s(f: errno::Errno, g: string) { marker f; output m::f; instance f; scope comm f, cgroup m::f; }",
        expect![[r#"
            session s
              param f: errno::Errno
              param g: string
              marker f
              output m::f
              instance Some(f)
              scope comm f, cgroup m::f
        "#]],
    );
}

#[test]
fn one_liners_of_one_word() {
    for (text, shown) in [
        ("stream", "session -\n  stream\n"),
        ("ring;", "session -\n  ring all\n"),
        ("instance", "session -\n  instance None\n"),
        ("global { stream; }", "session -\n  global\n    stream\n"),
        ("when has event a:b { ring; }; clock x", ""),
        ("stream:a", "session -\n  trace [stream:a]\n"),
        ("stream having f", "session -\n  trace [stream] having [f]\n"),
        ("include a(b = 1)", "session -\n  include a(b = 1)\n"),
    ] {
        if shown.is_empty() {
            assert_eq!(parse_one_liner(text).errors.len(), 1, "{text}");
            continue;
        }
        let parsed = parse_one_liner(text);
        assert_eq!(show_errors(text, &parsed), "", "{text}");
        assert_eq!(show(&parsed), shown, "{text}");
    }
}
