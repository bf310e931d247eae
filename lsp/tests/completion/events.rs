//! Events where something stands behind them, what can be left out of a set, paths, and fields in templates and probes.

use tracec_compiler::KernelSource;

use crate::common::{Client, Shipped, TestWorld, position};
use crate::{URI, offers};

#[test]
fn events_are_offered_before_a_condition() {
    for (text, expected, not) in [
        (
            "session a { trace sched:sch| if pid == 1; }",
            &["sched:sched_waking", "sched:sched_wakeup"][..],
            &["sched:sched_switch"][..],
        ),
        (
            "session a { trace | if pid == 1; }",
            &["sched:sched_waking", "oom:mark_victim"],
            &["sched:sched_switch"],
        ),
        (
            "session a { trace wak| if target_cpu == 1 && pid == 2; }",
            &["sched:sched_waking"],
            &["oom:wake_reaper"],
        ),
        (
            "session a { trace {sched:sched_waking, |} if pid == 1; }",
            &["sched:sched_wakeup"],
            &["sched:sched_switch"],
        ),
        (
            "session a { trace | having nr_sector { drop nr_sector; } }",
            &["block:block_rq_issue"],
            &["block:block_plug"],
        ),
        ("session a { stop on sched:| if pid == 1; }", &["sched:sched_waking"], &["sched:sched_switch"]),
        (
            "session a { on sched:| if prev_pid == 1 { traceoff; } }",
            &["sched:sched_switch"],
            &["sched:sched_waking"],
        ),
        ("session a { trace irq:| if vec == NET_RX; }", &["irq:softirq_entry"], &["irq:irq_handler_entry"]),
        // What another clause says of an event counts too.
        (
            "session a { trace sched:sched_wakeup if pid == 2; trace sched:| if pid == 1; }",
            &["sched:sched_waking"],
            &["sched:sched_wakeup"],
        ),
    ] {
        offers(text, expected, not);
    }
}

/// The event behind the place stays.
#[test]
fn a_system_is_offered_before_its_event() {
    offers("session a { trace bl|ock:block_rq_issue if bytes >= 4096; }", &["block"], &["sched"]);
    offers("session a { trace |:sched_switch; }", &["sched"], &["block", "sched:sched_switch"]);
}

#[test]
fn only_events_of_the_set_are_offered_behind_except() {
    for (text, expected, not) in [
        ("session a { trace sched:* except | }", &["sched:sched_switch"][..], &["block:block_rq_issue"][..]),
        ("session a { trace sched:* except block:| }", &[], &["block:block_rq_issue"]),
        ("session a { trace sched:* except switch| }", &["sched:sched_switch"], &["sched:sched_waking"]),
        (
            "session a { trace {sched:*, block:block_plug} except {sched:sched_switch, |} }",
            &["sched:sched_waking", "block:block_plug"],
            &["sched:sched_switch", "block:block_unplug"],
        ),
        (
            "session a { trace {sched:sched_waking, sched:sched_switch} except | if pid == 1; }",
            &["sched:sched_switch"],
            &["sched:sched_waking"],
        ),
        (
            "session a { trace {sched:sched_waking, sched:sched_switch} except {sched:sched_waking, |} }",
            &[],
            &["sched:sched_switch"],
        ),
        // Nothing would be left.
        ("session a { trace sched:sched_switch except | }", &[], &["sched:sched_switch"]),
    ] {
        offers(text, expected, not);
    }
}

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

/// The quote and the brace may not be there yet.
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

/// What a session does with an event that the text defines matters, and what only programs can ask of a record.
#[test]
fn what_the_session_cannot_do_is_not_offered() {
    let probe = "event e at kretprobe vfs_write -> (ret: |);\nsession a { trace e if ret < 0; }\n";
    offers(probe, &["s64", "ssize_t"], &["*char"]);
    offers(&probe.replace(" if ret < 0", ""), &["s64", "*char"], &[]);
    let stop = "session a { trace sched:sched_waking; stop on sched:sched_switch if | == 1; }";
    offers(stop, &["prev_pid", "current.pid"], &["current.tgid"]);
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

/// Every field of the kernel that is compared by a modifier or with an address, in a condition on its event.
#[test]
fn each_pointer_to_text_and_each_address_of_a_kernel_is_offered() {
    let kernel = Shipped::open("6.12");
    let mut client = Client::utf8(TestWorld::default());
    let (mut version, mut pointers, mut addresses) = (0, 0, 0);
    let mut missing = Vec::new();
    let systems = kernel.directories("events").expect("systems").into_iter();
    // What tracers write cannot be traced as an event.
    for system in systems.filter(|system| system != "ftrace") {
        for name in kernel.directories(&format!("events/{system}")).expect("events") {
            let Ok(Some(layout)) = kernel.layout(&system, &name) else { continue };
            for field in layout.format.own_fields() {
                match field.type_text.as_str() {
                    "char *" | "const char *" => pointers += 1,
                    _ if field.packed().is_some() || field.type_text == "__be32" => addresses += 1,
                    _ => continue,
                }
                let before = format!("session a {{ trace {system}:{name} if {}", field.name);
                version += 1;
                client.open(URI, version, &format!("{before}; }}"));
                let at = position(&before, before.len(), true);
                let found = client.at("textDocument/completion", URI, at);
                let mut items = found["items"].as_array().into_iter().flatten();
                if !items.any(|item| item["label"] == field.name.as_str()) {
                    missing.push(format!("{before}: {} {}", field.type_text, field.name));
                }
            }
        }
    }
    println!("{pointers} pointers, {addresses} addresses");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(pointers > 100 && addresses > 20, "{pointers} pointers, {addresses} addresses");
    client.end();
}
