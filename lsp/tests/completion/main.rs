//! Completion: at every word of the examples, what is offered in its place checks.

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod events;
mod kernels;

use std::collections::BTreeSet;

use common::{Client, TestWorld, position};
use tracec_grammar::words::{CLAUSES, StatementContext};

const URI: &str = "file:///project/a.trc";

/// Returns the labels that are offered at the `|` of a text.
fn offered(marked: &str) -> Vec<String> {
    offered_in(TestWorld::default(), marked)
}

fn offered_in(world: TestWorld, marked: &str) -> Vec<String> {
    let at = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    let mut client = Client::utf8(world);
    client.open(URI, 1, &text);
    // On a busy machine there may not have been the time to try all of them: an editor asks again.
    let mut labels = Vec::new();
    for _ in 0..20 {
        let found = client.at("textDocument/completion", URI, position(&text, at, true));
        let items = found["items"].as_array().cloned().unwrap_or_default();
        labels = items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect();
        if found["isIncomplete"] != true {
            break;
        }
    }
    client.end();
    labels
}

fn offers(marked: &str, expected: &[&str], not: &[&str]) {
    offers_in(TestWorld::default(), marked, expected, not);
}

fn offers_in(world: TestWorld, marked: &str, expected: &[&str], not: &[&str]) {
    let found: BTreeSet<String> = offered_in(world, marked).into_iter().collect();
    for label in expected {
        assert!(found.contains(*label), "{marked}: no `{label}` in {found:?}");
    }
    for label in not {
        assert!(!found.contains(*label), "{marked}: `{label}` in {found:?}");
    }
}

#[test]
fn each_kind_of_thing_is_offered_at_its_places() {
    // Every clause, except `include` where there is nothing to include, and the one that only `global` has.
    let clauses = CLAUSES.iter().filter(|clause| clause.context == StatementContext::Session);
    let clauses: Vec<&str> =
        clauses.map(|clause| clause.word).filter(|word| !["include", "cmdlines"].contains(word)).collect();
    offers("session a { | }", &clauses, &["session", "filter", "include", "cmdlines"]);
    offers("session a { global discarding { | } }", &["cmdlines", "buffer"], &["subbuffer", "rotate"]);
    offers("session a { rotate | }", &["every"], &[]);
    offers("session a { rotate every 1GiB | }", &["max"], &[]);
    offers("session a { clock mono; | }", &["buffer"], &["clock"]);
    let declarations = CLAUSES.iter().filter(|clause| clause.context == StatementContext::File);
    offers("|", &declarations.map(|clause| clause.word).collect::<Vec<_>>(), &["trace"]);
    offers("session a { cl|", &["clock"], &["buffer"]);
    // A line of its own before other statements.
    offers("session a {\n    |\n    trace sched:sched_switch;\n}", &["clock", "trace"], &["session"]);
    offers("session a {\n    cl|\n    trace sched:sched_switch;\n}", &["clock"], &["buffer"]);
    offers("session a {\n    clock |\n    trace sched:sched_switch;\n}", &["mono"], &[]);
    offers("|\nsession a { }", &["use", "const"], &[]);
    offers(
        "session a { trace sched:sched_switch { | } }",
        &["filter", "trigger", "print", "drop"],
        &["clock"],
    );
    offers("session a { on sched:sched_switch { | } }", &["trigger"], &["print", "drop", "redact"]);
    offers("session a { trace sched:sched_switch { drop | } }", &["prev_comm"], &["common_pid", "comm"]);
    offers("session a { trace sched:sched_switch { redact prev_comm, next_c| } }", &["next_comm"], &[]);
    offers("session a { clock | }", &["mono", "boot", "x86-tsc"], &[]);
    offers("session a { option | }", &["sym-offset", "stacktrace"], &[]);
    offers("session a { option sym-o| }", &["sym-offset"], &["stacktrace"]);
    offers("session a { option stacktrace | }", &["on", "off"], &[]);
    offers("session a { recorder | }", &["tracefs", "bpf"], &[]);
    offers("session a { stop | }", &["after", "on", "with"], &[]);
    offers("session a { stop on signal | }", &["USR1"], &["KILL"]);
    offers(
        "session a { trace sched:sched_switch { trigger | } }",
        &["stacktrace", "traceoff", "enable_event"],
        &[],
    );
    offers("session a { trace sched:sched_switch { trigger stacktrace | } }", &["if", "count", "once"], &[]);
    offers("use |", &["std::errno"], &[]);
    offers("use std::|", &["std::errno"], &[]);
    offers("session a { when | }", &["has"], &[]);
    offers("session a { when has clock | {} }", &["mono"], &[]);
    offers("session a { lint | }", &["allow", "deny"], &[]);
    offers("session b { stream; }\nsession a { include | }", &["b"], &["a"]);
}

#[test]
fn events_are_offered_by_any_part_of_their_name() {
    offers("session a { trace sched:sched_sw| }", &["sched:sched_switch"], &["sched:sched_waking"]);
    offers("session a { trace sched_switch| }", &["sched:sched_switch"], &[]);
    offers(
        "session a { trace {sched:sched_switch, block:| } }",
        &["block:block_rq_issue"],
        &["sched:sched_switch"],
    );
    offers(
        "session a { trace sched:sched_switch { trigger enable_event block:| } }",
        &["block:block_rq_issue"],
        &[],
    );
    offers("session a { stop on sched:| }", &["sched:sched_switch"], &[]);
    offers("session a { trace Sched:Sched_Sw| }", &["sched:sched_switch"], &["sched:sched_waking"]);
    // A comma stands in a set alone.
    offers("session a { trace sched:sched_switch, | }", &[], &["block:block_rq_issue"]);
    offers("session a { trace sched:* except {sched:sched_switch, sched:| } }", &["sched:sched_waking"], &[]);
    offers("session a { trace sched:sched_switch | }", &["if", "having"], &[]);
}

#[test]
fn conditions_have_fields_operators_and_values() {
    offers("session a { trace sched:sched_switch if | }", &["prev_prio", "next_comm", "comm", "cpu"], &[]);
    offers(
        "session a { trace sched:sched_switch if prev_prio > 1 && ne| }",
        &["next_comm", "next_pid"],
        &["prev_prio"],
    );
    // `filter` in a block is about the events of its clause.
    offers("session a { trace sched:sched_switch { filter | } }", &["prev_prio"], &[]);
    offers("session a { trace sched:sched_switch having | }", &["prev_prio"], &[]);
    offers("session a { trace sched:sched_switch if current.| }", &["current.comm", "current.pid"], &[]);
    // Strings are not compared by size, and numbers have no patterns.
    offers("session a { trace sched:sched_switch if next_comm | }", &["==", "~"], &["<"]);
    offers("session a { trace sched:sched_switch if prev_prio | }", &["==", "<", "in", "&"], &["~"]);
    offers("session a { trace sched:sched_switch if prev_prio == 1 | }", &["&&", "||"], &["=="]);
    offers("session a(min: int = 3) { trace sched:sched_switch if prev_prio > | }", &["min"], &[]);
    offers("const LOW = 3;\nsession a { trace sched:sched_switch if prev_prio > | }", &["LOW"], &[]);
    offers(
        "enum E: u32 { A = 1 }\nsession a { trace sched:sched_switch if prev_prio as E == | }",
        &["E::A"],
        &[],
    );
    offers("session a { trace irq:softirq_entry if vec == | }", &["NET_RX", "TIMER"], &[]);
    offers("session a { trace irq:softirq_entry if vec in {NET_RX, | } }", &["TIMER"], &[]);
    // What has no names has a form.
    for end in ["}", "} }", "}; }"] {
        offers(
            &format!("session a {{ trace sched:sched_switch if prev_comm in {{|{end}"),
            &["\"\""],
            &["CPUS{0}"],
        );
    }
    offers(
        "session a(n: string = \"a\") { trace sched:sched_switch if prev_comm in {|} }",
        &["n", "\"\""],
        &[],
    );
    offers("session a { trace irq:softirq_entry if vec in {|}; }", &["TIMER"], &["\"\""]);
    offers("session a { trace sched:sched_switch if prev_comm ~ |; }", &["\"*\""], &[]);
    offers("session a { trace sched:sched_switch if prev_comm ~ {|}; }", &["\"\""], &[]);
    offers(
        "use std::errno;\nsession a { trace block:block_rq_complete if error == -errno::EI| }",
        &["errno::EIO"],
        &["errno::ENOSPC"],
    );
}

#[test]
fn nothing_is_offered_that_stands_there_already_or_does_not_fit() {
    const SWITCH: &str = "trace sched:sched_switch;";
    for (text, expected, not) in [
        ("session a { trace sched:sched_switch having prev_pid | }", &["if"][..], &["having"][..]),
        ("session a { SWITCH option overwrite on | }", &[], &["on", "off"]),
        ("session a { SWITCH scope cpus 0 | }", &[], &["and children"]),
        ("session a { SWITCH scope comm \"x\" | }", &[], &["and children"]),
        ("session a { SWITCH scope command | }", &["and children"], &[]),
        ("session a { SWITCH scope command, | }", &["process"], &[]),
        ("session a { SWITCH stop on sched:sched_switch count 3 | }", &[], &["if", "count", "once"]),
        ("session a { SWITCH stop on sched:sched_switch | }", &["if", "count", "once"], &[]),
        (
            "session b(m: u32) { stream; }\nsession c(m: u32 = 1) { stream; }\nsession a { include | }",
            &["c"],
            &["b"],
        ),
        ("session b { stream; }\nsession a {\n    include |", &["b"], &["a"]),
        ("session b { include a; }\nsession c { stream; }\nsession a {\n    include |", &["c"], &["a", "b"]),
        ("session a {\n    SWITCH\n|", &["buffer"], &["include"]),
        ("session a(m: u32 = 1) {\n    SWITCH\n    when has clock mono {\n    |", &["buffer"], &["include"]),
        ("session b { include a; }\nsession c { stream; }\nsession a { include | }", &["c"], &["b"]),
    ] {
        offers(&text.replace("SWITCH", SWITCH), expected, not);
    }
    let labels = offered("session a { trace sched:sched_wakeup if | }");
    let names: BTreeSet<&String> = labels.iter().collect();
    assert_eq!(labels.len(), names.len(), "{labels:?}");
}

#[test]
fn a_place_in_an_unfinished_text_has_its_candidates() {
    for (text, expected) in [
        (
            "session a {\n    trace sched:sched_switch if |\n\nsession b { trace sched:sched_waking; }\n",
            "prev_prio",
        ),
        ("session a { trace sched:sched_switch if (|", "prev_prio"),
        ("session a { trace sched:sched_switch if (|); }", "prev_prio"),
        ("session a { trace sched:sched_switch if (prev_pid == 1 && |); }", "prev_prio"),
        ("session a { trace sched:sched_switch if (prev_pid == 1 && next_pid | }", "=="),
        ("session a { trace irq:softirq_entry if vec in {NET_RX, |", "TIMER"),
        (
            "session a {\n    trace sched:sched_wakeup if pid ==\n    trace sched:sched_switch if |\n}\n",
            "prev_prio",
        ),
        (
            "session a {\n    trace sched:sched_switch if prev_pid == 1;\n    trace sched:sched_switch if |\n}\n",
            "prev_prio",
        ),
        ("session a { recorder bpf; trace sched:sched_switch if current.| }", "current.tgid"),
        ("session a { trace sched:sched_switch if prev_pid as | == 1; }", "u16"),
        ("enum E: u8 { A }\nsession a { trace sched:sched_switch if prev_pid as | }", "E"),
        ("enum E: |", "u16"),
        ("const A: |", "u16"),
    ] {
        offers(text, &[expected], &[]);
    }
}

/// A type is one of those that the declaration may have, where the rest of the text uses what is declared.
#[test]
fn a_type_is_offered_behind_a_colon() {
    const SESSION: &str =
        "session a(min: | = 3, other: u32) { trace sched:sched_switch if prev_prio > min; }";
    const PROBE: &str = "event e at kprobe do_sys_openat2(dfd: int, path: |) { path: user string }";
    for (text, expected, not) in [
        ("session a(min: |", &["duration", "size", "string", "u32"][..], &["*char", "void"][..]),
        ("session a(min: |) { trace sched:sched_switch; }", &["duration", "address", "cpus"], &[]),
        // The session compares it with a number, and the default is one.
        (SESSION, &["u32", "int", "size"], &["duration", "string", "address"]),
        ("session a(min: si|) { trace sched:sched_switch; }", &["size"], &["u32"]),
        ("session a(b: |, c: nonsense) { clock nonsense; }", &["duration"], &[]),
        ("enum E: u8 { A }\nsession a(b: |) { stream; }", &["E"], &[]),
        ("use std::errno;\nsession a(b: |) { stream; }", &["errno::Errno"], &["errno::EIO"]),
        ("use std::errno;\nsession a(b: errno::|) { stream; }", &["errno::Errno"], &["errno::EIO", "u32"]),
        ("use std::errno;\nconst A: errno::|", &["errno::Errno"], &["u32"]),
        ("const A: | = 10ms;", &["duration"], &["u32", "size"]),
        ("const A: |", &["duration", "string", "u32"], &[]),
        ("event e at kprobe vfs_read(file: |", &["u32", "*char", "*void"], &["string", "duration"]),
        // What is copied from user memory is behind a pointer.
        (PROBE, &["*user char"], &["u32", "string", "int"]),
        ("event e at kretprobe vfs_read -> (ret: |)", &["int", "s64"], &["string"]),
        ("event e at kretprobe vfs_read -> (ret: ss|)", &["ssize_t"], &["int"]),
        (
            "subsystem s;\nclass c {\n    proto (a: |, b: u32)\n    entry { a: u32; }\n    print \"{a}\"\n}",
            &["u32", "int"],
            &["string", "duration"],
        ),
        (
            "subsystem s;\nclass c {\n    proto (a: u32)\n    entry {\n        a: |\n    }\n    print \"{a}\"\n}",
            &["u32", "int"],
            &["duration", "cpumask"],
        ),
        ("event e at kprobe vfs_read(file: *char) { file: | }", &["string", "u64"], &["duration"]),
        (
            "subsystem s;\nclass c { proto (a: u32) entry { a: u32; } print \"{a}\" }\nevent e: |",
            &["c"],
            &["u32"],
        ),
    ] {
        offers(text, expected, not);
    }
}

/// What a constant, a default or an argument can be, without what would be of another type.
#[test]
fn a_value_is_offered_behind_an_equals_sign() {
    const CONSTANTS: &str = "const N = 3;\nconst T = 10ms;\nconst S = \"a\";\nenum E: u8 { A, B }\n";
    for (text, expected, not) in [
        ("const X = |", &["N", "T", "S", "E::A", "true"][..], &["X", "A"][..]),
        ("const X: duration = |", &["T"], &["N", "S", "E::A"]),
        ("const X: E = |", &["A", "E::B"], &["T", "S"]),
        ("const X = E::|", &["E::A", "E::B"], &["N"]),
        ("const X = N |", &["+", "<<", "as"], &["=="]),
        ("const X = N + |", &["N", "E::A"], &["T", "S"]),
        ("const X = T as |", &["us", "ms"], &["u32"]),
        ("const X = N as |", &["u32"], &["us"]),
        ("use std::errno;\nconst X = errno::EI|", &["errno::EIO"], &["errno::ENOSPC"]),
        ("session a(m: duration = |) { stream; }", &["T"], &["N", "S"]),
        ("session a(m: u32 = |, n: u32) { stream; }", &["N"], &["T", "S", "m", "n"]),
        ("session a(m = |) { trace sched:sched_switch if prev_prio > m; }", &["N"], &["T", "S"]),
        ("session b(m: duration = 1ms) { stream; }\nsession a { include b(|); }", &["m"], &["N"]),
        ("session b(m: u32, n: u32) { stream; }\nsession a { include b(m = 1, |); }", &["n"], &["m"]),
    ] {
        offers(&format!("{CONSTANTS}{text}"), expected, not);
    }
}

/// Sessions of imported files are included by their path; those that need a value, or that do not exist, are not offered.
#[test]
fn sessions_of_imports_are_offered() {
    let files = || {
        let world = TestWorld::default();
        let common = "session base { stream; }\nsession open(m: u32) { stream; }\n".to_owned();
        world.files.lock().expect("files").insert("/project/common.trc".to_owned(), common);
        world
    };
    for (text, expected, not) in [
        ("use \"common.trc\";\nsession a { | }", &["include"][..], &[][..]),
        ("use \"common.trc\";\nsession a { include | }", &["common::base"], &["common::open", "a"]),
        ("use \"common.trc\";\nsession a { include common::| }", &["common::base"], &["common::open"]),
        ("use \"common.trc\";\nsession a { include ba| }", &["common::base"], &[]),
        ("use \"common.trc\" as c;\nsession a { include c::b| }", &["c::base"], &[]),
        ("use \"common.trc\";\nsession a { include common::open(|); }", &["m"], &[]),
        ("use std::errno;\nsession a { | }", &["clock"], &["include"]),
        ("session b { stream; }\nsession a { include |; }", &["b"], &["a"]),
        // A session that has a clause already cannot include another of it.
        ("use \"common.trc\";\nsession a { ring; include | }", &[], &["common::base"]),
    ] {
        offers_in(files(), text, expected, not);
    }
}

/// The parts of a condition do not depend on each other.
#[test]
fn a_long_condition_does_not_delay_its_candidates() {
    let conjuncts =
        |count: usize| -> String { (0..count).map(|at| format!("prev_pid != {at} && ")).collect() };
    let time = |text: &str| {
        let begin = std::time::Instant::now();
        offers(text, &["next_prio"], &[]);
        begin.elapsed()
    };
    let short = time(&format!("session a {{ trace sched:sched_switch if {}next_|; }}", conjuncts(40)));
    let long = time(&format!("session a {{ trace sched:sched_switch if {}next_|; }}", conjuncts(4000)));
    // Without that it takes a hundred times as long.
    assert!(long < short * 20, "{long:?} after {short:?}");
}

#[test]
fn nothing_is_offered_in_comments_and_strings() {
    for text in ["// |", "session a { output \"|\"; }", "session a { trace a:b if comm == \"|"] {
        assert_eq!(offered(text), Vec::<String>::new(), "{text}");
    }
}

/// A condition on many events is one on what all of them have.
#[test]
fn the_fields_of_all_events_of_a_set_are_offered_before_those_of_every_record() {
    const TASK: [&str; 4] = ["cpu", "comm", "common_pid", "current.pid"];
    for (set, own, not) in [
        ("syscalls:*", &["__syscall_nr"][..], &["fd", "ret"][..]),
        ("ext4:*", &[], &["ino"]),
        ("sched:*", &[], &["prev_pid", "pid"]),
        ("{block:*} except {block:block_plug, block:block_unplug}", &[], &["nr_rq"]),
        (
            "{block:block_rq_issue, block:block_rq_insert, block:block_rq_merge, block:block_getrq}",
            &["dev"],
            &["bytes"],
        ),
        ("block:* having bytes, dev", &["bytes", "dev"], &["nr_rq"]),
    ] {
        for form in [
            "trace SET if | ",
            "trace SET { filter | }",
            "trace SET if common_pid == 1 && | ",
            "on SET { traceoff if | }",
        ] {
            let text = format!("session a {{ {} }}", form.replace("SET", set));
            offers(&text, &[own, &TASK].concat(), not);
            let labels = offered(&text);
            let at = |name: &str| labels.iter().position(|label| label == name);
            let order: Vec<_> =
                own.iter().chain(&["cpu", "common_pid", "current.pid"]).map(|name| at(name)).collect();
            assert!(own.len() > 1 || order.is_sorted(), "{text}: {labels:?}");
        }
    }
    // One of many sessions has the same words.
    let sessions: String =
        (0..500).map(|at| format!("session s{at} {{ trace sched:sched_switch; }}\n")).collect();
    offers(&format!("{sessions}session a {{ inc|"), &["include"], &[]);
    offers("session a { trace block:* having | }", &["nr_rq", "bytes"], &[]);
    offers(
        "session a { trace {irq:softirq_entry, irq:softirq_exit, irq:softirq_raise} if vec == | }",
        &["NET_RX"],
        &[],
    );
    offers(
        "session a { trace {block:block_rq_issue, block:block_rq_insert, block:block_rq_merge, block:block_getrq} { drop | } }",
        &["dev"],
        &["bytes", "common_pid"],
    );
}

/// The events that the text and its imports define are events of the kernel that has them.
#[test]
fn events_that_a_text_defines_are_offered() {
    const OWN: &str = "event opened at kretprobe do_sys_openat2 -> (ret: int) { ret }\n";
    let world = || {
        let world = TestWorld::default();
        let text = format!("subsystem disk;\n{OWN}event other at kprobe vfs_read(a: int) {{ a }}\n");
        world.files.lock().expect("files").insert("/project/probes.trc".to_owned(), text);
        world
    };
    for (text, expected, not) in [
        ("OWNsession a { trace ope| }", &["opened"][..], &[][..]),
        ("OWNsession a { trace | }", &["opened"], &[]),
        ("subsystem st;\nOWNsession a { trace st:| }", &["st:opened"], &["opened", "sched:sched_switch"]),
        ("subsystem st;\nOWNsession a { trace {sched:sched_switch, st| } }", &["st:opened"], &[]),
        ("OWNsession a { on opened { enable_event ope| } }", &["opened"], &[]),
        ("use \"probes.trc\";\nsession a { trace oth| }", &["other"], &[]),
        ("use \"probes.trc\";\nsession a { trace disk:| }", &["disk:opened", "disk:other"], &["other"]),
        ("OWNsession a { trace opened if re| }", &["ret"], &[]),
    ] {
        offers_in(world(), &text.replace("OWN", OWN), expected, not);
    }
}

/// Clients show an item only if its text for that begins with what was typed, and some look at what is inserted.
#[test]
fn every_item_begins_for_the_client_with_what_was_typed() {
    for (marked, typed, label) in [
        ("session a { trace switch| }", "switch", "sched:sched_switch"),
        ("session a { trace SCHED_SW| }", "SCHED_SW", "sched:sched_switch"),
        ("session a { trace sched:sched_sw| }", "sched:sched_sw", "sched:sched_switch"),
        // The name alone is an event.
        ("session a { trace sched_sw| }", "sched_sw", "sched_switch"),
        ("session a { trace sched:sched_switch if omm| }", "omm", "next_comm"),
        (
            "use std::signal;\nsession a { trace signal:signal_generate if sig == SIGK| }",
            "SIGK",
            "signal::Signal::SIGKILL",
        ),
    ] {
        let at = marked.find('|').expect("a mark");
        let text = marked.replacen('|', "", 1);
        let mut client = Client::utf8(TestWorld::default());
        client.open(URI, 1, &text);
        let found = client.at("textDocument/completion", URI, position(&text, at, true));
        client.end();
        let items = found["items"].as_array().expect("items");
        assert!(items.iter().any(|item| item["label"] == label), "{marked}: {items:?}");
        for item in items {
            let filter = item["filterText"].as_str().or(item["label"].as_str()).expect("a label");
            assert!(filter.starts_with(typed), "{marked}: {item}");
        }
    }
    // A name that several systems have means none of them.
    let world = || TestWorld {
        added: ["one", "two"].map(|system| (format!("events/{system}/twice/id"), "1\n".to_owned())).into(),
        ..TestWorld::default()
    };
    offers_in(world(), "session a { trace twi| }", &["one:twice", "two:twice"], &["twice"]);
}

#[test]
fn placeholders_of_a_template_have_the_fields_of_the_record() {
    const CLASS: &str =
        "subsystem s;\nclass c { proto (a: u32) entry { first: u32 = a; second: u32 = a; } PRINT }\n";
    for (text, expected, not) in [
        (
            "session a { trace sched:sched_switch { print \"{|}\"; } }",
            &["prev_comm", "next_pid"][..],
            &["print"][..],
        ),
        ("session a { trace sched:sched_switch { print \"a {prev_c|}\" } }", &["prev_comm"], &["next_comm"]),
        (
            "session a { trace sched:sched_switch { print \"{prev_pid} {next_|:x}\"; } }",
            &["next_pid"],
            &["next_comm"],
        ),
        ("session a { trace sched:sched_switch { print \"|{prev_pid}\"; } }", &[], &["prev_pid"]),
        ("session a { trace sched:* { print \"{|}\"; } }", &["common_pid"], &["prev_pid"]),
        ("CLASSPRINT=print \"{|}\"", &["first", "second"], &["a", "entry", "c"]),
        ("CLASSPRINT=\nevent e: c { print \"{fi|}\" }", &["first"], &["second"]),
        (
            "event e at kprobe vfs_read(file: *char, count: u64) { count; print \"{|}\" }",
            &["count"],
            &["file"],
        ),
    ] {
        let text = match text.split_once("PRINT=") {
            Some((_, rest)) if rest.starts_with('\n') => {
                CLASS.replace("PRINT", "print \"{first}\"") + rest.trim_start()
            }
            Some((_, print)) => CLASS.replace("PRINT", print),
            None => text.to_owned(),
        };
        offers(&text, expected, not);
    }
}

#[test]
fn the_word_trigger_may_be_left_out_where_nothing_else_stands() {
    offers("session a { on sched:sched_switch { tr| } }", &["traceoff", "trigger"], &["snapshot"]);
    offers("session a { on sched:sched_switch { traceoff | } }", &["once", "count", "if"], &[]);
    // What records has the word.
    offers("session a { trace sched:sched_switch { tr| } }", &["trigger"], &["traceoff"]);
    offers("session a { on sched:sched_switch { traceoff once if | } }", &["prev_prio"], &[]);
    offers("session a { on sched:sched_switch { enable_event sched:| } }", &["sched:sched_waking"], &[]);
    offers("session a { tr| }", &["trace"], &["traceoff"]);
}

/// A number is compared with names that belong to it, and only CPUs with a set of CPUs.
#[test]
fn values_fit_what_they_are_compared_with() {
    for (text, expected, not) in [
        ("session a { trace sched:sched_switch if prev_prio == | }", &[][..], &["CPUS{0}"][..]),
        ("session a { trace sched:sched_switch if prev_prio == CP| }", &["CPUS{0}"], &[]),
        ("session a { trace sched:sched_waking if target_cpu == | }", &["CPUS{0}"], &[]),
        ("session a { trace sched:sched_switch if current.cpu == | }", &["CPUS{0}"], &[]),
        ("session a { trace ipi:ipi_send_cpumask if cpumask & | }", &["CPUS{0}"], &[]),
    ] {
        offers(text, expected, not);
    }
    let labels = offered("use std::signal;\nsession a { trace signal:signal_generate if sig == | }");
    let first = labels.first().expect("items");
    assert!(first.starts_with("signal::SIG") || first.starts_with("signal::Signal::"), "{labels:?}");
    assert!(labels.contains(&"signal::Signal::SIGKILL".to_owned()), "{labels:?}");
    assert!(labels.contains(&"signal::Signal::SIGUSR2".to_owned()), "{labels:?}");
}

/// What may stand once is not offered again, however long the session is.
#[test]
fn clauses_of_a_long_session_are_offered_once() {
    let clause = "    trace sched:sched_switch if prev_prio < 1;\n";
    for count in [1, 200] {
        let clauses = clause.to_owned() + &"    // A line among many others.\n".repeat(count);
        let text = format!(
            "session a {{\n    clock mono;\n    ring;\n    option sym-offset off;\n{clauses}    |\n    buffer 1MiB;\n}}\n"
        );
        offers(&text, &["trace", "output"], &["clock", "ring", "stream", "buffer"]);
        let option = text.replacen("    |", "    option s|", 1);
        offers(&option, &["sym-addr"], &["sym-offset"]);
    }
}

/// An end of the statement, or its next part, does not take the place of what is still to be typed before it.
#[test]
fn what_follows_the_place_of_a_clause_leaves_room_for_more() {
    let clauses = CLAUSES.iter().filter(|clause| clause.context == StatementContext::Session);
    let clauses: Vec<&str> =
        clauses.map(|clause| clause.word).filter(|word| !["include", "cmdlines"].contains(word)).collect();
    for (text, expected, not) in [
        ("if next_|; }", &["next_comm", "next_pid"][..], &["prev_pid"][..]),
        ("if |; }", &["prev_pid", "prev_comm", "comm", "current.comm"], &[]),
        ("if | { drop prev_pid; } }", &["prev_pid", "prev_comm", "comm"], &[]),
        ("if prev_pid |; }", &["==", "<", "in"], &["~"]),
        ("if prev_comm |; }", &["==", "~"], &["<"]),
        ("if prev_pid == 1 |; }", &["&&", "||"], &["=="]),
        ("if prev_pid | && cpu == 0; }", &["==", "<"], &["~"]),
        ("if (prev_pid |) && cpu == 0; }", &["==", "<"], &["~"]),
        ("if cpu == 0 && | || cpu == 1; }", &["prev_pid", "prev_comm"], &[]),
        ("if prev_pid == | && cpu == 0; }", &["next_pid"], &["prev_comm"]),
        ("if prev_pid | == 1; }", &[], &["==", "&&"]),
        ("|; }", &["if", "having", "except"], &[]),
        ("| if cpu == 0; }", &["having"], &["if"]),
        ("having |; }", &["prev_pid"], &[]),
        ("; | }", &["buffer", "stop"], &["if"]),
        ("; stop |; }", &["after", "on", "with"], &[]),
        ("; buffer 4MiB |; }", &["per cpu", "total"], &[]),
        ("; |; }", &clauses, &["include", "if"]),
    ] {
        let space = if text.starts_with(';') { "" } else { " " };
        offers(&format!("session a {{ trace sched:sched_switch{space}{text}"), expected, not);
    }
}

/// Directly behind a number a word would become a part of it.
#[test]
fn words_are_offered_behind_a_number_only_after_a_blank() {
    for (text, expected, not) in [
        ("buffer 4MiB|", &[][..], &["per cpu", "total"][..]),
        ("buffer 4MiB|; stream;", &[], &["per cpu", "total"]),
        ("buffer 4MiB |", &["per cpu", "total"], &[]),
        ("buffer 4MiB per|", &["per cpu"], &[]),
        ("stop on sched:sched_switch count 3|", &[], &["if", "except"]),
        ("trace sched:sched_switch if prev_pid == 1|", &["&&", "||"], &[]),
    ] {
        offers(&format!("session a {{ {text} }}"), expected, not);
    }
}

/// A pointer to text is compared by its modifier, and an address of a network with one.
#[test]
fn fields_that_are_compared_by_a_modifier_or_an_address_are_offered() {
    const OPENAT: &str = "trace syscalls:sys_enter_openat if";
    const SOCKET: &str = "trace sock:inet_sock_set_state if";
    for (text, expected, not) in [
        ("OPENAT |", &["filename", "dfd", "comm"][..], &[][..]),
        ("OPENAT file|;", &["filename"], &[]),
        ("OPENAT dfd == 1 && |;", &["filename"], &[]),
        ("OPENAT filename |", &[".ustring"], &[".function", "~", "<"]),
        ("OPENAT filename |;", &[".ustring"], &[".function", "~", "<"]),
        ("OPENAT filename.|", &["filename.ustring"], &["filename.function"]),
        ("OPENAT filename.ustring |", &["==", "~", "in"], &["<", ".ustring"]),
        ("OPENAT filename.ustring == |", &["\"\""], &["127.0.0.1"]),
        ("OPENAT dfd |", &["=="], &[".ustring", ".function"]),
        ("trace kmem:kmalloc if call_site |", &["==", ".function"], &[".ustring"]),
        ("trace kmem:kmalloc if call_site.|", &["call_site.function"], &["call_site.ustring"]),
        ("SOCKET |", &["saddr", "daddr", "sport"], &[]),
        ("SOCKET sport == 1 && |;", &["saddr", "daddr"], &[]),
        ("SOCKET saddr |", &["==", "!="], &["~"]),
        ("SOCKET saddr == |", &["127.0.0.1"], &["\"\""]),
        ("SOCKET sport == |", &[], &["127.0.0.1"]),
    ] {
        let text = text.replace("OPENAT", OPENAT).replace("SOCKET", SOCKET);
        offers(&format!("session a {{ {text} }}"), expected, not);
    }
}

#[test]
fn arithmetic_in_a_condition_is_completed() {
    const ARITHMETIC: &[&str] = &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "as"];
    for (text, expected, not) in [
        ("prev_prio |", ARITHMETIC, &[][..]),
        ("prev_prio |;", ARITHMETIC, &[]),
        ("prev_prio | && cpu == 0;", ARITHMETIC, &[]),
        ("prev_prio * 2 |", &["+", "==", ">"], &["~"]),
        ("prev_comm |", &["==", "~"], ARITHMETIC),
        ("prev_prio == 1 |", &["&&"], &["+", "as"]),
        ("prev_prio > next_prio |", &["&&", "*", "as"], &["=="]),
        ("prev_comm == \"a\" |", &["&&"], ARITHMETIC),
        ("prev_prio * |", &["next_prio", "next_pid"], &["next_comm", "\"\""]),
        ("prev_prio + ne|", &["next_prio", "next_pid"], &["next_comm"]),
        ("prev_prio + ne|; ", &["next_prio", "next_pid"], &["next_comm"]),
        ("prev_prio << |", &["next_prio"], &["next_comm"]),
        ("prev_prio > next_prio * |", &["next_pid"], &["next_comm"]),
        ("(prev_prio + |) > 3", &["next_prio"], &["next_comm"]),
        ("prev_prio as |", &["u8"], &[]),
        ("prev_prio as u8 |", &["==", ">", "+"], &["~"]),
    ] {
        offers(&format!("session a {{ trace sched:sched_switch if {text} }}"), expected, not);
    }
    // Nothing is divided by zero, and the product with it is always the same.
    let before = "session a { trace sched:sched_switch if prev_prio";
    offers(&format!("{before} | 0 == 1; }}"), &["+", "|"], &["*", "/", "%"]);
}

/// The fields of one event are compared with each other too.
#[test]
fn fields_are_offered_behind_an_operator() {
    offers("session a { trace sched:sched_switch if prev_pid == next_pi|; }", &["next_pid"], &["prev_pid"]);
}

#[test]
fn parts_of_a_class_are_offered_behind_its_prototype() {
    offers("subsystem s;\nclass c {\n    proto (a: u32)\n    |\n}\n", &["entry"], &["proto"]);
    offers("subsystem s;\nclass c {\n    proto (a: u32)\n    e|\n}\n", &["entry"], &[]);
}

#[test]
fn parts_of_a_dump_are_offered() {
    for (statement, expected, not) in [
        ("dump |", &["on"][..], &["to"][..]),
        ("dump on sched:sched_wak|", &["sched:sched_waking"], &[]),
        ("dump on sched:sched_waking |", &["if", "count", "to"], &["once"]),
        ("dump on sched:sched_waking if |", &["prio", "target_cpu"], &["prev_prio"]),
        ("dump on sched:sched_waking if prio |", &["==", "<", "in"], &[]),
        ("dump on sched:sched_waking if (prio > 1 && |) to \"d-{n}.dat\" max 5;", &["comm"], &["prev_comm"]),
        ("dump on sched:sched_waking if prio > 1 |", &["&&", "to"], &[]),
        ("dump on sched:sched_waking if prio > 1 | to \"d-{n}.dat\";", &["&&"], &["to"]),
        ("dump on sched:sched_waking to \"d-{n}.dat\" |", &["max"], &["to"]),
    ] {
        for ring in ["ring; ", ""] {
            offers(&format!("session a {{ {ring}trace sched:sched_switch; {statement} }}"), expected, not);
        }
    }
}

/// A value is tried that the field can have: nothing unsigned is less than 0.
#[test]
fn operators_fit_their_operand() {
    offers("session a { trace block:block_rq_issue if bytes | }", &["==", "<", ">=", "in"], &[]);
    offers("session a { trace block:block_rq_issue if (bytes + 1) | }", &["==", "<=", "in"], &[]);
    offers("session a { trace sock:inet_sock_set_state if saddr | }", &["==", "!=", "in"], &["<"]);
}
