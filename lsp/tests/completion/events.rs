//! Events where something stands behind them, what can be left out of a set, paths, and fields in templates and probes.

use crate::offers;

#[test]
fn paths_go_on_behind_an_enum() {
    const ERROR: &str = "use std::errno;\nsession a { trace block:block_rq_complete if error";
    for (path, expected) in [
        (" == -errno::Errno::|; }", "errno::Errno::EIO"),
        (" == -Errno::EI|; }", "Errno::EIO"),
        (" in {-errno::Errno::EPERM, -errno::Errno::|}; }", "errno::Errno::EIO"),
        (" as errno::| == 5; }", "errno::Errno"),
    ] {
        offers(&format!("{ERROR}{path}"), &[expected], &[]);
    }
    for (text, expected, not) in [
        ("use std::errno;\nconst X = errno::Errno::EI|", "errno::Errno::EIO", "errno::Errno::EPERM"),
        ("use std::errno;\nconst X = 5 as errno::|", "errno::Errno", "errno::EIO"),
        (
            "use std::signal as s;\nsession a { trace signal:signal_generate if sig == s::Signal::SIGK|; }",
            "s::Signal::SIGKILL",
            "s::Signal::SIGHUP",
        ),
    ] {
        offers(text, &[expected], &[not]);
    }
}

#[test]
fn fields_are_offered_in_a_template_without_its_end() {
    for end in [
        "",
        "\" }",
        "\"; }",
        "\n    filter prev_pid == 1;\n}\n}",
        "}",
        "}\"; } }",
        "\n} }\nsession b { stream; }",
    ] {
        for begin in ["{prev_|", "a {next_pid} {prev_|"] {
            let text = format!("session a {{ trace sched:sched_switch {{\n    print \"{begin}{end}");
            offers(&text, &["prev_comm"], &["next_comm", "print", "filter"]);
        }
    }
    // The next statement does not belong to it.
    let next = "session a { trace sched:sched_switch {\n    print \"{prev_\n    filter next_|\n} }";
    offers(next, &["next_comm"], &["prev_comm"]);
    offers("session a { trace sched:sched_switch { print \"prev_|", &[], &["prev_comm"]);
}

#[test]
fn probes_record_the_fields_of_their_event_and_their_arguments() {
    for (text, expected, not) in [
        (
            "event e at event sched:sched_switch { | }",
            &["prev_comm", "next_pid", "print"][..],
            &["common_pid"][..],
        ),
        ("event e at event sched:sched_switch { prev_pid; prev_| }", &["prev_comm"], &["prev_pid"]),
        ("event e at event sched:sched_switch {\n    prev_pid;\n    n|\n}\n", &["next_comm"], &["prev_comm"]),
        ("event e at event sched:sched_switch { |", &["prev_comm"], &[]),
        ("event e at kprobe vfs_read(file: *char, count: u64) { co| }", &["count"], &["file"]),
        ("event e at kretprobe vfs_read -> (ret: ssize_t) { | }", &["ret"], &[]),
        ("subsystem s;\nclass c { proto (a: u32) entry { | } print \"{a}\" }", &[], &["a", "print"]),
    ] {
        offers(text, expected, not);
    }
}

#[test]
fn the_field_of_a_feature_is_offered_before_its_block_is_there() {
    for (text, expected) in [
        ("session a { when has field sched:sched_switch.| }", "prev_comm"),
        ("session a {\n    when has field sched:sched_switch.|\n}\n", "prev_comm"),
        (
            "session a {\n    when has field sched:sched_switch.prev_|\n    trace sched:sched_waking;\n}\n",
            "prev_comm",
        ),
        ("session a { when has field sched:sched_switch.|", "prev_comm"),
        ("session a { when has field sched:sched_switch.| { stream; } }", "prev_comm"),
    ] {
        offers(text, &[expected], &["common_pid"]);
    }
}
