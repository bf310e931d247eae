//! Sessions that name events which the text or its imports define: they are typed, and refused only by the target.

mod common;

use common::{Copy, Files, check, places, text};
use tracec_compiler::{Choice, Compilation, Input, Options, Severity, SourceText, analyse, compile};
use tracec_kernel::plan::InstanceName;

/// Events of a file: probes with and without a block of fields, one that no target lays out, and a tracepoint.
const DEFINITIONS: &str = r#"
    subsystem storage;
    event opened at kprobe do_sys_openat2(dfd: s32, path: *user char) { dfd; path: user string; }
    event wrote at kretprobe vfs_write -> (ret: ssize_t);
    event sent at fexit tcp_sendmsg(sk: *struct sock, size: size_t) -> (ret: int);
    event issued { proto (bytes: u32, task: *char) entry { bytes: u32; task: string = task; } }
"#;

fn file(session: &str) -> SourceText {
    text(&format!("{DEFINITIONS} {session}"))
}

fn compiled(source: &SourceText) -> Compilation {
    let instance = InstanceName::new("test").expect("a valid name");
    compile(Input::new(source, &Copy), &Options::new(None, instance))
}

#[test]
fn conditions_on_events_of_the_text_are_typed() {
    for (clause, expected) in [
        ("trace opened;", &[][..]),
        ("trace storage:opened if dfd == -100 && path ~ \"/etc/*\";", &[]),
        ("trace \"storage:*\";", &[]),
        ("trace wrote if ret < 0;", &[]),
        ("trace opened if __probe_ip != 0;", &[]),
        ("trace wrote if __probe_func != __probe_ret_ip && __probe_ret_ip.function == vfs_read;", &[]),
        ("trace sent if size > 4KiB && ret == -1;", &[]),
        ("trace issued if bytes > 4 && task == \"dd\" && common_pid != 1;", &[]),
        ("on issued if bytes > 4 { trigger traceoff; }", &[]),
        ("on sched:sched_switch { trigger enable_event issued; }", &[]),
        ("trace issued if byts > 4;", &[("T0102", "byts")]),
        ("trace opened if path == 5;", &[("T0201", "5")]),
        ("trace wrote if ret == \"a\";", &[("T0201", "\"a\"")]),
        ("trace issued if bytes == -1;", &[("T0202", "-1")]),
        ("trace sent if ret == 4294967296;", &[("T0202", "4294967296")]),
        // Where a call returns there is no such field, and BPF programs write neither.
        ("trace wrote if __probe_ip != 0;", &[("T0102", "__probe_ip")]),
        ("trace sent if __probe_ip != 0;", &[("T0102", "__probe_ip")]),
        ("trace isued;", &[("T0101", "isued")]),
    ] {
        let source = file(&format!("session s {{ {clause} }}"));
        assert_eq!(places(&source, &check(&source, &Copy)), expected, "{clause}");
    }
    let near = check(&file("session s { trace isued; }"), &Copy);
    assert!(near[0].fixes.iter().any(|fix| fix.edits[0].text == "issued"), "{near:#?}");
}

/// A session whose conditions never hold is refused, also if all its events are defined in the text.
#[test]
fn session_of_defined_events_that_records_nothing_is_refused() {
    let never = |event: &str| {
        let source = file(&format!("session s {{ trace {event} if bytes > 4 && bytes < 3; }}"));
        let found = check(&source, &Copy);
        found.iter().map(|said| (said.code.id, said.severity)).collect::<Vec<_>>()
    };
    assert_eq!(never("issued"), [("T0226", Severity::Error)]);
    assert_eq!(never("storage:issued"), [("T0226", Severity::Error)]);
}

/// One true sentence at the clause, and no other event in its place.
#[test]
fn event_of_the_text_is_refused_where_it_is_named() {
    for (clause, code, place) in [
        // A program would be it.
        ("trace opened if dfd == 3;", "T0408", "opened"),
        // A module would have it.
        ("trace storage:issued;", "T0408", "storage:issued"),
        ("on issued { trigger traceoff; }", "T0408", "issued"),
        ("on sched:sched_switch { trigger enable_event wrote; }", "T0408", "wrote"),
    ] {
        let source = file(&format!("session s {{ {clause} trace sched:sched_waking; }}"));
        let found = compiled(&source);
        assert!(found.plan.is_none(), "{clause}");
        assert_eq!(places(&source, &found.diagnostics), [(code, place)], "{clause}");
        assert!(found.diagnostics[0].fixes.is_empty());
    }
}

#[test]
fn what_cannot_be_laid_out_and_what_is_mistaken_is_no_unknown_event() {
    let unplaced =
        "include <linux/x.h>; subsystem s; event e { proto (a: *u8) entry { a: u8[LENGTH] = a; } }";
    let source = text(&format!("{unplaced} session s {{ trace e if nothing == 1; }}"));
    let found = compiled(&source);
    assert_eq!(places(&source, &found.diagnostics), [("T0408", "e")], "nobody knows its fields' places");
    // Its mistake is the definition's.
    let source = text("event e at kprob vfs_read; session s { trace e; }");
    assert_eq!(places(&source, &check(&source, &Copy)), [("T0743", "kprob")]);
}

#[test]
fn events_of_imports_are_known() {
    let source = text("use \"probes.trc\"; session s { trace wrote if ret == \"a\"; trace issued; }");
    let input = Input { imports: &Files(&[("probes.trc", DEFINITIONS)]), ..Input::new(&source, &Copy) };
    let found = analyse(input, Choice::All).diagnostics;
    assert_eq!(places(&source, &found), [("T0201", "\"a\"")]);
}

#[test]
fn probes_are_at_tracepoints_of_the_text_and_at_no_probe() {
    for (probe, expected) in [
        ("event lean at event issued { bytes; }", &[][..]),
        ("event lean at event storage:issued { bytes; }", &[]),
        ("event lean at event issued { byts; }", &[("T0102", "byts")]),
        ("event lean at event opened { dfd; }", &[("T0744", "opened")]),
        ("event lean at event storage:wrote { ret; }", &[("T0744", "storage:wrote")]),
    ] {
        let source = file(probe);
        assert_eq!(places(&source, &check(&source, &Copy)), expected, "{probe}");
    }
    // A tracepoint without a layout, and one with a mistake: neither is reported again where it is used.
    for (definitions, expected) in [
        (
            "include <linux/x.h>; event a { proto (p: *u8) entry { a: u8[LENGTH] = p; b: u8 = 0; } }",
            ("T0744", "a"),
        ),
        ("event a { proto (p: *u8) entry { b: u8 = q; } }", ("T0733", "q")),
    ] {
        let probe = "event lean at event a { b; c; print \"{b}\" }";
        let source = text(&format!("subsystem storage; {definitions} {probe}"));
        assert_eq!(places(&source, &check(&source, &Copy)), [expected], "{definitions}");
    }
}
