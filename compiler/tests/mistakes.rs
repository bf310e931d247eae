//! Each mistake raises its code at its place, and ten mistakes in a file are ten diagnostics.

mod common;
mod fixes;

use common::{Copy, check, places, text};
use tracec_compiler::diagnostic::codes;
use tracec_compiler::diagnostic::fix::{self, Applicability, mend};
use tracec_compiler::{Choice, Diagnostic, Input, KernelError, KernelSource, Severity, SourceText, analyse};
use tracec_kernel::tables::features::Support;

/// A session's clauses, the code they raise, and the text under its place.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("trace sched:sched_switch if prev_prio == #1;", "T0004", "#"),
    ("trace sched:sched_switch if prev_prio == 1 | prev_prio == 2;", "T0019", "|"),
    ("trace sched:sched_switch if next_comm == 'bash';", "T0005", "'bash'"),
    ("trace sched:sched_switch if next_comm == \"bash;", "T0006", "\"bash;"),
    ("trace sched:sched_switch if next_comm == \"\\q\";", "T0008", "\\q"),
    ("trace sched:sched_switch if prev_prio == 99999999999999999999;", "T0010", "99999999999999999999"),
    ("buffer 16MB; trace sched:sched_switch;", "T0011", "MB"),
    ("trace sched:sched_switch if prev_prio < ;", "T0012", ";"),
    ("trase sched:sched_switch;", "T0013", "trase"),
    ("trace sched:sched_switch; filter prev_prio < 100;", "T0014", "filter"),
    ("trace sched:sched_switch if (prev_prio < 100;", "T0016", "("),
    ("trace sched:sched_switch if prev_prio = 5;", "T0019", "="),
    ("trace sched:sched_switch if 1 < prev_prio < 5;", "T0020", "<"),
    ("trace sched:sched_w*;", "T0021", "sched:sched_w*"),
    ("trace sched:sched_swich;", "T0101", "sched:sched_swich"),
    ("trace sched_swich;", "T0101", "sched_swich"),
    ("trace sched:sched_switch if next_com == \"a\";", "T0102", "next_com"),
    ("trace sched:* except sched:sched_swich;", "T0101", "sched:sched_swich"),
    ("trace scheduler:*;", "T0104", "scheduler:*"),
    ("trace \"sched:*nothing*\";", "T0104", "\"sched:*nothing*\""),
    ("option stack-trace; trace sched:sched_switch;", "T0105", "stack-trace"),
    ("clock monotonic; trace sched:sched_switch;", "T0106", "monotonic"),
    ("on sched:sched_switch { trigger stack; }", "T0107", "stack"),
    ("trace ftrace:kernel_stack;", "T0108", "ftrace:kernel_stack"),
    ("trace \"../sched:sched_switch\";", "T0109", "\"../sched:sched_switch\""),
    ("trace {sched:sched_switch, sched:sched_waking} if prev_prio < 3;", "T0111", "prev_prio"),
    ("trace sched:sched_switch if prev_comm == 5;", "T0201", "5"),
    ("trace sched:sched_switch if prev_prio == \"5\";", "T0201", "\"5\""),
    ("trace sched:sched_switch if prev_prio < 10ms;", "T0201", "10ms"),
    ("trace signal:signal_generate if sig == 4294967306;", "T0202", "4294967306"),
    ("trace signal:signal_generate if sig == -2147483649;", "T0202", "-2147483649"),
    ("trace syscalls:sys_enter_openat if mode == -1;", "T0202", "-1"),
    ("trace signal:signal_generate if sig & 4 == 8;", "T0202", "8"),
    ("trace sched:sched_switch if next_comm == \"sixteen-bytes-16\";", "T0203", "\"sixteen-bytes-16\""),
    ("trace raw_syscalls:sys_enter if args == 3;", "T0204", "args"),
    ("trace sched:sched_switch if prev_prio ~ \"1*\";", "T0205", "~"),
    ("trace sched:sched_switch if prev_comm < \"a\";", "T0205", "<"),
    ("trace sched:sched_switch if cpu & 1;", "T0205", "&"),
    ("trace sched:sched_switch if next_comm;", "T0206", "next_comm"),
    ("trace sched:sched_switch if 1;", "T0206", "1"),
    ("trace sched:sched_switch if \"a\";", "T0206", "\"a\""),
    ("trace signal:signal_generate if !sig;", "T0207", "!"),
    ("trace signal:signal_generate if !sig == 9;", "T0207", "!"),
    ("trace sched:sched_switch if prev_comm == next_comm;", "T0208", "prev_comm == next_comm"),
    ("trace sched:sched_switch if 1 == 2;", "T0208", "1 == 2"),
    ("trace sched:sched_switch if next_comm != bash;", "T0209", "bash"),
    ("trace sched:sched_switch if next_comm ~ \"*\";", "T0210", "next_comm ~ \"*\""),
    ("trace sched:sched_wakeup if comm == \"bash\";", "T0211", "comm"),
    ("trace syscalls:sys_exit_openat if ret == -errno::ENOFILE;", "T0212", "errno::ENOFILE"),
    ("trace sched:sched_switch if current.name == \"bash\";", "T0213", "name"),
    ("trace syscalls:sys_enter_openat if filename == \"/etc/passwd\";", "T0214", "filename"),
    ("trace sched:sched_stat_runtime if runtime > pid;", "T0240", ">"),
    ("trace sched:sched_process_exec if filename.ustring == \"/bin/sh\";", "T0241", "ustring"),
    ("trace sched:sched_switch if next_comm ~ \"k[sw*\";", "T0243", "["),
    ("trace sched:sched_switch if next_comm == \"bash\\0\";", "T0244", "\"bash\\0\""),
    ("trace sched:sched_switch if prev_prio as duration == 5;", "T0246", "duration"),
    ("trace sched:sched_switch if prev_prio / 0 == 5;", "T0705", "0"),
    ("trace sched:sched_switch if prev_prio << 64 == 5;", "T0706", "64"),
    ("clock mono; clock local; trace sched:sched_switch;", "T0301", "clock local;"),
    ("option overwrite; option overwrite off; trace sched:sched_switch;", "T0301", "option overwrite off;"),
    (
        "global { option irq-info; } global { option irq-info off; } trace sched:sched_switch;",
        "T0301",
        "option irq-info off;",
    ),
    (
        "trace sched:sched_switch if prev_prio < 1; trace sched:sched_switch;",
        "T0302",
        "trace sched:sched_switch;",
    ),
    ("on sched:sched_switch { trigger traceon; trigger traceoff; }", "T0303", "trigger traceoff;"),
    ("option record-cmd off; trace sched:sched_switch;", "T0304", "record-cmd"),
    ("option event-fork; trace sched:sched_switch;", "T0325", "event-fork"),
    ("option sym-offset; trace sched:sched_switch;", "T0325", "sym-offset"),
    ("option irq-info off; trace sched:sched_switch;", "T0325", "irq-info"),
    ("option trace_printk_dest; trace sched:sched_switch;", "T0304", "trace_printk_dest"),
    ("buffer 16; trace sched:sched_switch;", "T0305", "16"),
    ("buffer 0KiB; trace sched:sched_switch;", "T0305", "0KiB"),
    ("stop after 30; trace sched:sched_switch;", "T0306", "30"),
    ("stop after 0s; trace sched:sched_switch;", "T0306", "0s"),
    ("output \"x.xls\"; trace sched:sched_switch;", "T0307", "\"x.xls\""),
    ("clock mono;", "T0310", "session s"),
    ("on sched:sched_switch { filter prev_prio < 1; trigger traceoff; }", "T0311", "filter prev_prio < 1;"),
    ("on sched:sched_switch { trigger stacktrace count 0; }", "T0313", "count 0"),
    ("on sched:sched_switch { trigger stacktrace; trigger traceoff; }", "T0326", "trigger stacktrace;"),
    (
        "on sched:sched_switch { trigger stacktrace; } trace sched:* { trigger traceoff if common_pid == 1; }",
        "T0326",
        "trigger stacktrace;",
    ),
    ("on sched:sched_switch;", "T0314", "sched:sched_switch"),
    ("trace sched:sched_switch hist by prev_pid;", "T0041", "hist"),
    ("trace sched:sched_switch tracer function;", "T0041", "tracer"),
    ("trace sched:sched_switch if next_prio < 100 stack;", "T0041", "stack"),
    ("trace sched:sched_switch if next_prio < 100 while in sched:a..sched:b;", "T0041", "while"),
    ("trace sched:sched_switch not-in 1;", "T0012", "not-in"),
    (
        "on sched:sched_process_exec if filename == \"a'b\\\"c\" { trigger traceoff; }",
        "T0401",
        "filename == \"a'b\\\"c\"",
    ),
    ("trace sched:* except sched:*;", "T0315", "sched:* except sched:*"),
    ("trace sched:sched_switch except signal:*;", "T0316", "signal:*"),
    ("on sched:sched_switch { trigger stacktrace:5; }", "T0132", ":5"),
    ("on sched:sched_switch { trigger stacktrace count -1; }", "T0313", "-1"),
    ("on sched:sched_switch { trigger stacktrace next_prio < 100; }", "T0130", "next_prio"),
    ("trace sched:sched_switch next_prio < 100;", "T0130", "next_prio"),
    ("trace sched:sched_switch if prev_prio < 1 next_prio < 2;", "T0131", "next_prio"),
    ("trace sched:sched_switch:u;", "T0133", ":u"),
    ("trace tracepoint:sched:sched_switch;", "T0134", "tracepoint:sched:sched_switch"),
    ("trace sched/sched_switch;", "T0135", "sched/sched_switch"),
    ("trace sched:sched_switch if next_pid == $pid;", "T0136", "$pid"),
    ("trace sched:sched_switch if next_comm == \\\"bash\\\";", "T0005", "\\\"bash\\\""),
    ("trace sched:sched_switch if prev_prio < 1 && && next_prio < 2;", "T0012", "&&"),
    ("trace sched:sched_switch if next_comm ~ \"^k.*\";", "T0223", "\"^k.*\""),
    ("trace sched:sched_switch if next_comm ~ \".*bash\";", "T0223", "\".*bash\""),
    ("trace sched:sched_switch if next_comm == \"ba*\";", "T0228", "\"ba*\""),
    ("trace block:block_rq_issue if bytes - nr_sector > 8;", "T0229", "bytes - nr_sector"),
    ("trace syscalls:sys_enter_openat if dfd == 0xffffff9c;", "T0202", "0xffffff9c"),
    ("trace syscalls:sys_enter_openat if mode == 0xdeadbeef000001ed;", "T0202", "0xdeadbeef000001ed"),
    ("trace syscalls:sys_enter_openat if mode & 0x10000 != 0;", "T0202", "0x10000"),
    ("trace sched:sched_switch if next_comm == 0;", "T0201", "0"),
    ("trace sched:sched_switch if args->next_prio < 100;", "T0224", "args->next_prio"),
    ("trace sched:sched_switch if args.next_prio < 100;", "T0224", "args.next_prio"),
    ("trace sched:sched_switch if args.prio < 100;", "T0224", "args.prio"),
    ("trace sched:sched_switch if next_prio == htons(443);", "T0220", "htons(443)"),
    ("trace signal:signal_generate if sig == SIGKILL;", "T0225", "SIGKILL"),
    ("trace syscalls:sys_exit_openat if ret == ENOENT;", "T0225", "ENOENT"),
    ("trace syscalls:openat;", "T0101", "syscalls:openat"),
];

#[test]
fn each_mistake_has_its_code_and_place() {
    let mut failures = Vec::new();
    for (clauses, code, place) in MISTAKES {
        let source = text(&format!("session s {{\n{clauses}\n}}\n"));
        let found = places(&source, &check(&source, &Copy));
        if found != [(*code, *place)] {
            failures.push(format!("{clauses}\n    expected {:?}\n    found    {found:?}", (code, place)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn ten_mistakes_are_ten_diagnostics() {
    let clauses = [
        "trace sched:sched_switch if prev_prio = 5;",
        "trace sched:sched_swich;",
        "trace sched:sched_waking if pio == 5;",
        "trace sched:sched_wakeup if prio == \"5\";",
        "trase sched:sched_process_exec;",
        "clock monotonic;",
        "option stack-trace;",
        "buffer 16;",
        "on signal:signal_generate if sig == 4294967306 { trigger traceoff; }",
        "on signal:signal_deliver { trigger stack; }",
    ];
    let source = text(&format!("session ten {{\n{}\n}}\n", clauses.join("\n")));
    let found = check(&source, &Copy);
    let lines: Vec<usize> = found
        .iter()
        .map(|d| source.text[..d.primary.as_ref().expect("a place").span.range().start].lines().count())
        .collect();
    assert_eq!(found.len(), 10, "{found:#?}");
    assert_eq!(lines.len(), 10);
    assert!(found.iter().all(|d| d.severity == Severity::Error));
}

/// Clauses may stand in any order: which filter wins must not depend on it.
#[test]
fn an_exact_name_wins_in_every_order() {
    let clauses = [
        "trace sched:sched_switch if prev_prio == 1;",
        "trace \"sched:sched_swi*\" if prev_prio == 2;",
        "trace \"sched:sched_swit*\" if prev_prio == 3;",
    ];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let source = order.map(|index| clauses[index]).join("\n");
        let found = check(&text(&format!("session s {{ {source} }}")), &Copy);
        assert!(found.is_empty(), "{order:?}: {found:#?}");
    }
}

#[test]
fn a_session_that_can_record_nothing_is_refused() {
    let never = "prev_prio & 0 != 0";
    let apart = "prev_prio == 1 && prev_prio == 2";
    let reported = |clauses: &str| {
        let found = check(&text(&format!("session s {{ {clauses} }}")), &Copy);
        let note = |said: &Diagnostic| said.notes.iter().any(|note| note.contains("would do nothing"));
        found.iter().map(|said| (said.code.id, said.severity, note(said))).collect::<Vec<_>>()
    };
    let error = |code| (code, Severity::Error, true);
    for (clauses, wanted) in [
        // The reason why it does nothing is the mistake, reported once.
        (format!("trace sched:sched_switch if {never};"), vec![error("T0210")]),
        (format!("trace sched:sched_switch if {apart};"), vec![error("T0226")]),
        (format!("trace sched:sched_switch if {apart} {{ trigger stacktrace; }}"), vec![error("T0226")]),
        (
            format!("trace sched:sched_switch if {apart}; trace sched:sched_waking if prio & 0 != 0;"),
            vec![error("T0226"), error("T0210")],
        ),
        ("trace {sched:sched_waking, sched:sched_wakeup} if prio == 1 && prio == 2;".to_owned(), {
            vec![error("T0226")]
        }),
        // Something is done beside it.
        (
            format!("trace sched:sched_switch if {apart}; trace sched:sched_waking;"),
            vec![("T0226", Severity::Warning, false)],
        ),
        // The reason was not reported.
        (
            format!("lint allow contradiction; trace sched:sched_switch if {apart};"),
            vec![("T0310", Severity::Error, false)],
        ),
        // One of two reasons was not reported.
        (
            format!(
                "lint allow contradiction; trace sched:sched_switch if {apart}; \
                 trace sched:sched_waking if prio & 0 != 0;"
            ),
            vec![("T0310", Severity::Error, false), ("T0210", Severity::Warning, false)],
        ),
    ] {
        assert_eq!(reported(&clauses), wanted, "{clauses}");
    }
    // Of several such sessions in a file each is reported, in any order.
    let contradicted = (format!("trace sched:sched_switch if {apart};"), error("T0226"));
    let empty = ("clock mono;".to_owned(), ("T0310", Severity::Error, false));
    for sessions in [
        [&contradicted, &contradicted, &empty],
        [&contradicted, &empty, &contradicted],
        [&empty, &contradicted, &empty],
        [&empty, &empty, &contradicted],
    ] {
        let text = sessions.map(|(clauses, _)| clauses.as_str()).join(" } session t { ");
        let text = text.replacen("session t", "session u", 1);
        assert_eq!(reported(&text), sessions.map(|(_, wanted)| *wanted), "{text}");
    }
    // What is defined in the text may be recorded, though nobody knows its layout.
    let probe = "event x at kprobe vfs_read { $arg* }";
    let source = format!("{probe}\nsession s {{ trace x; trace sched:sched_switch if {apart}; }}");
    let found = check(&text(&source), &Copy);
    let errors = found.iter().filter(|said| said.severity == Severity::Error && said.code.id == "T0226");
    assert_eq!(errors.count(), 0, "{found:#?}");
}

#[test]
fn a_mistake_over_a_group_is_said_once_and_many_are_cut() {
    let found = check(&text("session s { trace sched:* if comm ~ \"*\"; }"), &Copy);
    assert!(found.iter().filter(|d| d.code.id == "T0210").count() == 1, "{found:#?}");
    assert!(found[0].notes.iter().any(|note| note.contains("other events")), "{found:#?}");
    let many = "bogus == 1 && ".repeat(60_000);
    let found =
        check(&text(&format!("session s {{ trace sched:sched_switch if {many} bogus == 1; }}")), &Copy);
    assert!(found.len() <= 201, "{}", found.len());
    // What was left out has no place of its own.
    assert_eq!(found.last().map(|said| (said.code.id, &said.primary)), Some(("T0002", &None)));
}

#[test]
fn a_correct_session_raises_nothing() {
    for clauses in [
        "trace sched:sched_switch;",
        "trace sched_switch if prev_prio < 100;",
        "trace {sched:sched_switch, signal:*} except signal:signal_deliver { trigger stacktrace once; }",
        "trace syscalls:sys_enter_openat if dfd == -100 && flags & 0x40 == 0 && current.comm ~ \"c?t\";",
        "trace sched:sched_switch if prev_state == -9223372036854775808 || !(prev_prio == 1 || cpu >= 2);",
        "trace sched:sched_switch if next_comm == \"fifteen-bytes-1\" && 100 > prev_prio;",
        "trace sched:sched_switch if next_comm ~ \"*.log.*\" || next_comm ~ \"[!k]*\";",
        "on sched:sched_process_fork { trigger enable_event sched:sched_waking; }",
    ] {
        let found = check(&text(&format!("session s {{ {clauses} }}")), &Copy);
        assert!(found.is_empty(), "{clauses}: {found:#?}");
    }
}

#[test]
fn what_is_too_deep_or_too_long_is_one_mistake() {
    let (open, close) = ("(!".repeat(300), ")".repeat(300));
    let deep = format!("trace sched:sched_switch if {open}(prev_prio < 100){close};");
    let sum = format!("trace sched:sched_switch if prev_prio{} == 1;", " + 1".repeat(300));
    let names: Vec<String> = (0..400).map(|n| format!("next_comm == \"worker-{n}\"")).collect();
    let long = format!("on sched:sched_switch if {} {{ trigger traceoff; }}", names.join(" || "));
    let blocks =
        format!("{}trace sched:sched_switch;{}", "when has clock mono { ".repeat(300), "}".repeat(300));
    let condition = names.join(" || ");
    for (clause, code, place) in [
        (deep, "T0003", "!"),
        (sum, "T0003", "+"),
        (long, "T0402", condition.as_str()),
        (blocks, "T0028", "when"),
    ] {
        let source = text(&format!("session s {{ {clause} }}"));
        let found = check(&source, &Copy);
        assert_eq!(places(&source, &found), [(code, place)], "{found:#?}");
    }
}

/// Names that need quotes, members of nothing, negations within negations: what is offered can be read and is not a new
/// mistake.
const OFFERS: &[(&str, &str, &[&str])] = &[
    ("trace {sched:sched_switch, sched:sched_waking} if prev_prio < 3;", "T0111", &[" having prev_prio"]),
    ("trace sched:* having pid if target_cpu == 1;", "T0111", &[", target_cpu"]),
    ("on sched:* except sched:sched_switch if pid == 1 { trigger stacktrace; }", "T0111", &[" having pid"]),
    (
        "trace sched:sched_switch; stop on {sched:sched_switch, sched:sched_waking} if prev_prio < 3;",
        "T0111",
        &[],
    ),
    ("trace sched:sched_switch /prev_prio < 3/;", "T0019", &["sched:sched_switch if prev_prio < 3"]),
    ("trace sched:sched_switch where prev_prio < 3;", "T0019", &["if"]),
    ("trace sched:sched_switch, sched:sched_waking;", "T0019", &["{sched:sched_switch, sched:sched_waking}"]),
    (
        "trace sched:sched_switch || sched:sched_waking;",
        "T0019",
        &["{sched:sched_switch, sched:sched_waking}"],
    ),
    ("trace sched:sched_switch sched:sched_waking;", "T0019", &["{sched:sched_switch, sched:sched_waking}"]),
    ("trace sched:sched_switch if prev_comm contains \"ba\";", "T0019", &["~ \"*ba*\""]),
    ("trace sched:sched_switch if prev_prio between 1 and 5;", "T0019", &["in {1..=5}"]),
    ("trace sched:sched_switch if prev_prio is 5;", "T0019", &["== 5"]),
    ("trace sched:sched_switch if prev_prio in 1..5;", "T0019", &["{1..=5}"]),
    ("trace sched:sched_switch if prev_prio in {1..5};", "T0019", &["..="]),
    ("trace sched:sched_switch if prev_comm =~ \"ba\";", "T0019", &["~ \"*ba*\""]),
    ("trace sched:sched_switch; # all", "T0019", &["//"]),
    ("trace sched:sched_switch if prev_prio between 5 and 1;", "T0019", &["in {1..=5}"]),
    ("trace sched:sched_switch if prev_prio not in 1..5;", "T0019", &["!(prev_prio in {1..=5})"]),
    (
        "trace sched:sched_wakeup /tid == 1 && prio < 5/;",
        "T0019",
        &["sched:sched_wakeup if current.pid == 1 && prio < 5"],
    ),
    ("trace sched:sched_wakeup /uid == 1/;", "T0019", &[]),
    ("trace signal:signal_generate if sig == SIGKIL;", "T0212", &["use std::signal;\n", "SIGKILL"]),
    ("trace syscalls:sys_exit_openat if ret == -ENOET;", "T0212", &["use std::errno;\n", "ENOENT"]),
    ("trace kmem:kmalloc if ptr == NULL;", "T0201", &["0"]),
    ("trace sched:sched_process_exec if filename == NULL;", "T0201", &["\"(null)\""]),
    ("trace sched:sched_switch if prev_comm == NULL;", "T0201", &["\"\""]),
    ("trace syscalls:sys_enter_openat if filename == NULL;", "T0201", &[]),
    ("trace sched;", "T0101", &["sched:*"]),
    ("trace \"shed:*wake*\";", "T0104", &["\"sched:*wake*\""]),
    ("trace *:sched_swich;", "T0104", &["*:sched_switch"]),
    ("trace sched:sched_wakeup if com == \"a\";", "T0102", &["comm"]),
    ("trace sched:sched_wakeup if com == 1;", "T0102", &["common_pid"]),
    ("trace syscalls:sys_enter_openat if filenam == \"/etc/passwd\";", "T0102", &[]),
    ("trace sched:sched_switch if curent.comm == \"a\";", "T0102", &[]),
    ("trace sched:sched_switch if a.b.c == 1;", "T0102", &[]),
    ("trace sched:sched_switch if prev_prio.b == 1;", "T0213", &[]),
    ("trace kmem:kmalloc if call_site.func == kfree;", "T0213", &["function"]),
    ("trace kmem:kmalloc if call_site.functions == kfree;", "T0213", &["function"]),
    ("trace sched:sched_stat_runtime if runtime > pid;", "T0240", &[" as s64"]),
    ("trace sched:sched_stat_runtime if pid > runtime + 1;", "T0240", &["(", ") as s64"]),
    ("trace sched:sched_stat_runtime if pid > (runtime + 1);", "T0240", &[" as s64"]),
    ("trace syscalls:sys_enter_openat if filename == \"/etc/passwd\";", "T0214", &[".ustring"]),
    ("trace sched:sched_switch if current.comm.b == 1;", "T0213", &[]),
    ("trace sched:sched_switch if current.cmm == \"a\";", "T0213", &["comm"]),
    ("trace sched:sched_switch if !bogus == 1;", "T0102", &[]),
    ("trace signal:signal_generate if !(sig & 0x40);", "T0207", &["", " == 0"]),
    ("trace signal:signal_generate if !!sig;", "T0207", &["(", " == 0)"]),
    ("trace signal:signal_generate if !!!sig && code;", "T0207", &["(", " == 0)"]),
    ("trace signal:signal_generate if !sig == 9 || code == 1;", "T0207", &["(", ")"]),
    ("trace signal:signal_generate if !sig & 9;", "T0207", &[]),
    ("trace sched:sched_switch if next_comm == next_com;", "T0209", &["\"next_com\""]),
    ("trace sched:sched_switch if prev_prio == \"99999999999\";", "T0201", &[]),
    (
        "trace sched:sched_switch if next_comm == \"a-quote-\\\"-and-more\";",
        "T0203",
        &["\"a-quote-\\\"-and-m\""],
    ),
    ("output \"a\\\"b.jsn\"; trace sched:sched_switch;", "T0307", &["\"a\\\"b.json\""]),
    ("trace sched:sched_switch { stacktrace; }", "T0013", &["trigger stacktrace"]),
    ("trace sched:sched_switch if not prev_prio == 1;", "T0019", &["!(prev_prio == 1)"]),
    ("trace sched:sched_switch if not (prev_prio == 1 || prev_prio == 2);", "T0019", &[]),
    // What is negated by a comparison is known once it is typed.
    ("trace sched:sched_switch if not prev_pid;", "T0019", &["prev_pid == 0"]),
    ("trace sched:sched_switch if not prev_pid && next_pid;", "T0019", &["prev_pid == 0"]),
    ("trace sched:sched_switch if not(prev_pid) && next_pid;", "T0019", &["prev_pid == 0"]),
    ("trace sched:sched_switch if not next_comm;", "T0019", &["next_comm == \"\""]),
    ("trace sched:sched_switch unless prev_prio;", "T0019", &["if prev_prio == 0"]),
    ("trace sched:sched_switch unless prev_prio > 3;", "T0019", &["if !(prev_prio > 3)"]),
    ("trace sched:sched_switch if prev_prio =! 3;", "T0019", &["!="]),
    ("trace sched:sched_switch if prev_pid !in {5};", "T0026", &["!(prev_pid in {5})"]),
    ("trace sched:sched_switch if prev_pid == $$;", "T0136", &[]),
    ("trace sched:sched_switch if prev_pid == ${PID};", "T0136", &[]),
    ("trace sched:sched_switch if next_comm == 'it\\'s';", "T0005", &["\"it's\""]),
    ("trace sched:sched_switch if next_comm == bash-5.2;", "T0009", &[]),
    ("trace signal:signal_generate if sig == 012;", "T0009", &["0o12"]),
    ("trace signal:signal_generate if sig == 08;", "T0009", &["8"]),
    ("buffer 4 MiB; trace sched:sched_switch;", "T0012", &["4MiB"]),
    ("trace sched:sched_switch; stop after 10m;", "T0011", &["min"]),
    ("trace sched:sched_switch; stop after 10 m;", "T0012", &["10min"]),
    ("trace sched:sched_switch; stop after 10kb;", "T0011", &[]),
    ("trace kmem:kmalloc if bytes_req > 10m;", "T0011", &[]),
    ("trace kmem:kmalloc if bytes_req > 10sec;", "T0011", &[]),
    ("trace sched:sched_stat_runtime if runtime > 10ms;", "T0201", &[" as ns"]),
    ("trace sched:sched_stat_runtime if 10ms < runtime;", "T0201", &[" as ns"]),
    ("trace sched:sched_stat_runtime if runtime in {1ms};", "T0201", &[" as ns"]),
    ("trace sched:sched_stat_runtime if runtime > 10ms + 1us;", "T0201", &[]),
    ("clock = mono; trace sched:sched_switch;", "T0012", &[""]),
    ("option overwrite 0; trace sched:sched_switch;", "T0012", &["off"]),
    ("scope processs 123; trace sched:sched_switch;", "T0012", &["process"]),
    (
        "on sched:sched_switch { trigger enable_event:sched:sched_wakeup:3; }",
        "T0132",
        &[" sched:sched_wakeup count 3"],
    ),
    ("clock monotonic; trace sched:sched_switch;", "T0106", &["mono"]),
    ("clock CLOCK_MONOTONIC_RAW; trace sched:sched_switch;", "T0106", &["mono_raw"]),
    ("trace syscalls:openat;", "T0101", &["syscalls:sys_enter_openat"]),
    ("trace sched:sched_switch if next_comm ~ \"[^k]*\";", "T0223", &["\"[!k]*\""]),
    ("trace signal:signal_generate if sig == SIGKILL;", "T0225", &["use std::signal;\n"]),
    ("trace syscalls:sys_exit_openat if ret == ENOENT;", "T0225", &["use std::errno;\n", "-ENOENT"]),
];

#[test]
fn what_is_offered_is_what_was_meant() {
    for (clauses, code, wanted) in OFFERS {
        let found = check(&text(&format!("session s {{\n{clauses}\n}}\n")), &Copy);
        assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), [*code], "{clauses}: {found:#?}");
        let edits = found[0].fixes.first().map_or(&[][..], |fix| fix.edits.as_slice());
        let texts: Vec<&str> = edits.iter().map(|edit| edit.text.as_str()).collect();
        assert_eq!(texts, *wanted, "{clauses}");
    }
}

#[test]
fn fields_are_listed_once() {
    let found = check(&text("session s { trace sched:sched_wakeup if zzzzzz == 1; }"), &Copy);
    let listed = found[0].notes[0].strip_prefix("its fields are ").expect("the fields");
    assert_eq!(listed, "comm, pid, prio, target_cpu, cpu, common_pid");
}

#[test]
fn fixes_mend_and_their_pages_say_so() {
    let (mut tried, mut failures) = (0, Vec::new());
    let offers = OFFERS.iter().map(|(clauses, code, _)| (*clauses, *code));
    for (clauses, code) in MISTAKES.iter().map(|(clauses, code, _)| (*clauses, *code)).chain(offers) {
        let fixes = fixes::try_all(&text(&format!("session s {{\n{clauses}\n}}\n")), &Copy, &mut failures);
        let page = codes::ALL.iter().find(|known| known.id == code).expect("a code").page;
        if fixes > 0 && !page.contains("\n\nFix: ") {
            failures.push(format!("{code}: its page does not describe its fixes"));
        }
        tried += fixes;
    }
    println!("{tried} fixes of mistakes");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tried > 30, "{tried}");
}

/// Doc comments of several lines, each with its marker.
#[test]
fn doc_comments_that_describe_nothing_become_comments() {
    for source in [
        "session s { trace sched:sched_switch; }\n  /// one // two\n  /// three\n",
        "session s { trace sched:sched_switch; }\n//! at the top only\n//! two lines\n",
    ] {
        let source = text(source);
        let mut failures = Vec::new();
        assert!(fixes::try_all(&source, &Copy, &mut failures) > 0);
        assert!(failures.is_empty(), "{failures:?}");
        let mended = mend(&source, Applicability::Always, |source| check(source, &Copy));
        assert_eq!(mended.text, source.text.replace("///", "//").replace("//!", "//"));
        assert!(mended.remaining.is_empty());
    }
}

/// A one-liner has no imports, and names every constant of the library without one.
#[test]
fn constants_of_std_need_no_import_in_a_one_liner() {
    let one_liner = |clause: &str| SourceText { one_liner: true, ..text(clause) };
    let imported = |clause: &str| {
        let uses = "use std::errno; use std::signal; use std::sched; use std::syscall;";
        text(&format!("{uses} session s {{ {clause}; }}"))
    };
    let conditions = |source: &SourceText| {
        let input = Input::new(source, &Copy);
        let analysis = analyse(input, Choice::All);
        assert_eq!(analysis.diagnostics, [], "{}", source.text);
        analysis.module.conditions
    };
    for (bare, path) in [
        (
            "trace signal:signal_generate if sig == SIGKILL",
            "trace signal:signal_generate if sig == signal::SIGKILL",
        ),
        (
            "trace signal:signal_generate if sig in {SIGKILL, SIGTERM}",
            "trace signal:signal_generate if sig in {9, 15}",
        ),
        (
            "trace syscalls:sys_exit_openat if ret == -ENOENT",
            "trace syscalls:sys_exit_openat if ret == -errno::ENOENT",
        ),
        (
            "trace syscalls:sys_exit_openat if ret == -errno::ENOENT",
            "trace syscalls:sys_exit_openat if ret == -2",
        ),
        (
            "trace syscalls:sys_exit_openat if ret == -std::errno::ENOENT",
            "trace syscalls:sys_exit_openat if ret == -2",
        ),
        (
            "trace sched:sched_switch if prev_state == TASK_RUNNING",
            "trace sched:sched_switch if prev_state == 0",
        ),
        (
            "trace raw_syscalls:sys_enter if id == syscall::openat",
            "trace raw_syscalls:sys_enter if id == 257",
        ),
    ] {
        let (found, wanted) = (conditions(&one_liner(bare)), conditions(&imported(path)));
        let values = |all: &tracec_compiler::ir::Conditions| {
            all.iter().flat_map(|(_, parts)| parts.iter().map(|part| part.value.clone())).collect::<Vec<_>>()
        };
        assert_eq!(values(&found), values(&wanted), "{bare}");
    }
    // The kernel returns errors as negative numbers: a constant alone is a lint, and its fix the negative one.
    for clause in
        ["syscalls:sys_exit_openat if ret == ENOENT", "syscalls:sys_exit_openat if ret == errno::ENOENT"]
    {
        let source = one_liner(clause);
        let found = check(&source, &Copy);
        assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), ["T0215"], "{clause}: {found:#?}");
        let mut failures = Vec::new();
        assert_eq!(fixes::try_all(&source, &Copy, &mut failures), 1);
        assert!(failures.is_empty(), "{failures:?}");
    }
    // A field, and a name of the field's own values, come first.
    for (clause, wanted) in
        [("irq:softirq_entry if vec == TIMER", 1), ("signal:signal_generate if sig == SIGNONE", 0)]
    {
        let errors = check(&one_liner(clause), &Copy).len();
        assert_eq!(errors == 0, wanted == 1, "{clause}");
    }
}

/// What the event prints in the place of a number is offered as that number, and a name in quotes as the name.
#[test]
fn names_that_the_event_prints_become_what_can_be_compared() {
    use Applicability::{Always, Maybe};
    for (clause, wanted) in [
        ("trace irq:softirq_entry if vec == \"TIMER\";", Some((Always, "TIMER"))),
        ("trace irq:softirq_entry if vec in {\"TIMER\"};", Some((Always, "TIMER"))),
        ("trace irq:softirq_entry if vec == \"TIMMER\";", None),
        ("trace sched:sched_switch if prev_state == R;", Some((Maybe, "0"))),
        ("trace sched:sched_switch if prev_state == D;", Some((Maybe, "2"))),
        ("trace sched:sched_switch if prev_state == \"S\";", Some((Maybe, "1"))),
        ("trace sched:sched_switch if prev_state == Q;", None),
    ] {
        let source = text(&format!("session s {{ {clause} }}"));
        let found = check(&source, &Copy);
        let [said] = &found[..] else { panic!("{clause}\n{found:#?}") };
        let offered = said.fixes.first().map(|fix| (fix.applicability, fix.edits[0].text.as_str()));
        assert_eq!(offered, wanted, "{clause}: {said:#?}");
        let mut failures = Vec::new();
        fixes::try_all(&source, &Copy, &mut failures);
        assert!(failures.is_empty(), "{failures:?}");
    }
}

/// A path of the library that begins with `std` is not the one that a `use` binds.
#[test]
fn paths_that_begin_with_std_are_shortened() {
    for (uses, code, wanted) in [
        (
            "",
            "T0225",
            "use std::signal;\nsession s { trace signal:signal_generate if sig == signal::SIGKILL; }",
        ),
        (
            "use std::signal;\n",
            "T0212",
            "use std::signal;\nsession s { trace signal:signal_generate if sig == signal::SIGKILL; }",
        ),
    ] {
        let clause = "session s { trace signal:signal_generate if sig == std::signal::SIGKILL; }";
        let source = text(&format!("{uses}{clause}"));
        let found = check(&source, &Copy);
        assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), [code], "{found:#?}");
        let edits: Vec<_> = found[0].fixes[0].edits.iter().collect();
        assert_eq!(tracec_compiler::diagnostic::fix::apply(&source.text, &edits), wanted);
        assert_eq!(check(&text(wanted), &Copy), []);
    }
}

/// Behind a block that could not be read, nothing is said about what it lacks.
#[test]
fn a_broken_trigger_is_one_mistake() {
    for clauses in [
        "on sched:sched_switch { trigger stacktrace ? 5; }",
        "on sched:sched_switch { trigger stacktrace count; }",
        "on sched:sched_switch { stacktrace ? 5; }",
    ] {
        let found = check(&text(&format!("session s {{ {clauses} }}")), &Copy);
        assert_eq!(found.len(), 1, "{clauses}: {found:#?}");
        assert_ne!(found[0].code.id, "T0314", "{clauses}");
    }
}

#[test]
fn a_connector_without_its_right_side_is_marked_too() {
    let source = text("session s { trace sched:sched_switch if prev_prio < 1 &&; }");
    let found = check(&source, &Copy);
    let marked: Vec<&str> = found[0].secondary.iter().map(|label| &source.text[label.span.range()]).collect();
    assert_eq!((found.len(), marked), (1, vec!["&&"]), "{found:#?}");
}

/// The kernel of the tree, with these features and no others; its lists of triggers cannot be read.
struct With(&'static [&'static str]);

impl KernelSource for With {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Copy.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        Copy.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        self.0.contains(&name).into()
    }

    fn describe(&self) -> String {
        Copy.describe()
    }
}

#[test]
fn a_trigger_that_the_kernel_lacks_is_denied() {
    let source = text(
        "session s { ring; trace sched:sched_switch; on sched:sched_switch { trigger snapshot once; } }",
    );
    let said = |kernel: &dyn KernelSource| {
        let analysis = analyse(Input::new(&source, kernel), Choice::All);
        analysis
            .foreseen(kernel)
            .iter()
            .map(|found| (found.code.id, found.message.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(said(&With(&["trigger-snapshot"])), []);
    assert_eq!(said(&Copy), [], "nobody knows, and kernels have it");
    let missing = "there is no trigger `snapshot` in the test kernel".to_owned();
    assert_eq!(said(&With(&[])), [("T0107", missing)]);
}

#[test]
fn a_session_takes_one_snapshot_of_its_ring() {
    for (clauses, code) in [
        ("trace sched:sched_switch { trigger snapshot once; }", "T0329"),
        ("ring; trace sched:sched_switch { trigger snapshot; }", "T0334"),
        ("ring; trace sched:sched_switch { trigger snapshot count 2; }", "T0334"),
        ("ring; on sched:* { trigger snapshot once; } trace sched:sched_switch;", "T0334"),
        (
            "ring; on sched:sched_switch { trigger snapshot once; } on sched:sched_waking { trigger snapshot once; }",
            "T0334",
        ),
    ] {
        let source = text(&format!("session s {{ {clauses} }}"));
        let analysis = analyse(Input::new(&source, &Copy), Choice::All);
        let found: Vec<_> = analysis.foreseen(&Copy).iter().map(|found| found.code.id).collect();
        assert_eq!(found, [code], "{clauses}");
    }
}

/// The one error of a session's clause: its code, its message, and what its fixes write.
fn of_clause(clause: &str) -> (&'static str, String, Vec<String>) {
    let source = text(&format!("session s {{ trace sched:sched_switch; {clause} }}"));
    let found = check(&source, &Copy);
    assert_eq!(found.len(), 1, "{clause}: {found:#?}");
    let fixes = found[0].fixes.iter().flat_map(|fix| fix.edits.iter().map(|edit| edit.text.clone()));
    (found[0].code.id, found[0].message.clone(), fixes.collect())
}

/// A guess that would be the next mistake is none.
#[test]
fn signals_that_would_be_refused_are_not_proposed() {
    for (name, code, signal) in
        [("INT", "T0320", Some("SIGINT")), ("term", "T0320", Some("SIGTERM")), ("SIGKIL", "T0128", None)]
    {
        let (found, message, fixes) = of_clause(&format!("stop on signal {name};"));
        assert_eq!((found, fixes.as_slice()), (code, &[][..]), "{name}: {message}");
        assert!(signal.is_none_or(|signal| message.ends_with(signal)), "{message}");
    }
    for (name, fix) in [("usr1", "SIGUSR1"), ("usr2", "SIGUSR2"), ("SIGWINC", "SIGWINCH")] {
        let (code, message, fixes) = of_clause(&format!("stop on signal {name};"));
        assert_eq!((code, fixes), ("T0128", vec![fix.to_owned()]), "{message}");
    }
}

#[test]
fn of_words_that_could_stand_there_the_nearest_is_proposed() {
    for (clause, fixes) in [
        ("scope processs 123;", &["process"][..]),
        ("scope thraed 7;", &["thread"]),
        ("scope everything;", &[]),
    ] {
        let (code, message, found) = of_clause(clause);
        assert_eq!((code, found), ("T0012", fixes.iter().map(|&fix| fix.to_owned()).collect()), "{message}");
    }
}

/// However a constant of the library is written, its `use` is what is missing.
#[test]
fn constants_that_are_not_imported_are_known() {
    for (condition, module) in [
        ("ret == -EIO", "errno"),
        ("ret == -errno::EIO", "errno"),
        ("ret in {-EIO, -ENOSPC}", "errno"),
        ("__syscall_nr == syscall::openat", "syscall"),
    ] {
        let wrong = format!("session s {{ trace syscalls:sys_exit_openat if {condition}; }}");
        let source = text(&wrong);
        let found = check(&source, &Copy);
        assert!(!found.is_empty() && found.iter().all(|d| d.code.id == "T0225"), "{condition}: {found:#?}");
        let edits: Vec<&str> = found[0].fixes[0].edits.iter().map(|edit| edit.text.as_str()).collect();
        assert_eq!(edits, [format!("use std::{module};\n")], "{condition}");
        let mended = text(&format!("{}{wrong}", edits[0]));
        assert_eq!(check(&mended, &Copy), [], "{condition}");
    }
    // A name that the module lacks is not a constant of it, and the text's own declarations are its own.
    for condition in ["ret == errno::ENOSUCH", "ret == errnoo::EIO", "ret == signal::EIO"] {
        let found =
            check(&text(&format!("session s {{ trace syscalls:sys_exit_openat if {condition}; }}")), &Copy);
        assert_eq!(found[0].code.id, "T0212", "{condition}: {found:#?}");
    }
    let own = "const EIO: u32 = 7;\nsession s { trace syscalls:sys_exit_openat if ret == -EIO; }";
    assert_eq!(check(&text(own), &Copy), []);
}

/// A text of many `lint` lines is read in a time that grows with it: each found thing asks for its level.
#[test]
fn many_lint_lines_are_unused_but_for_the_last() {
    let lines = "lint allow constant-condition;\n".repeat(20_000);
    let source =
        text(&format!("{lines}session s {{ trace sched:sched_switch if prev_prio >= -2147483648; }}"));
    assert_eq!(check(&source, &Copy), [], "the last one silences");
    let asked = text(&format!("lint warn unused-allow;\n{}", source.text));
    let found = check(&asked, &Copy);
    assert_eq!((found.len(), found[0].code.id), (201, "T0903"), "each of the others does nothing");
}

/// Where a condition can be meant and nothing else, `if` is certain; behind a word alone it is a guess, and none where
/// another tool's `name = ..` stands.
#[test]
fn an_if_is_certain_only_where_nothing_else_can_be_meant() {
    use Applicability::{Always, Maybe};
    for (clause, wanted) in [
        (
            "trace sched:sched_switch next_prio < 100;",
            Some((Always, "trace sched:sched_switch if next_prio < 100;")),
        ),
        (
            "on sched:sched_switch { trigger stacktrace next_prio < 100; }",
            Some((Always, "on sched:sched_switch { trigger stacktrace if next_prio < 100; }")),
        ),
        ("trace sched_switch next_prio == 100;", Some((Maybe, "trace sched_switch if next_prio == 100;"))),
        ("trace sched_switch next_prio = 100;", None),
    ] {
        let source = text(&format!("session s {{ {clause} }}"));
        let found = check(&source, &Copy);
        let said = found.iter().find(|said| said.code.id == "T0130");
        let said = said.unwrap_or_else(|| panic!("{clause}\n{found:#?}"));
        let offered: Vec<_> = said
            .fixes
            .iter()
            .map(|fix| {
                let edits = fix.edits.iter().collect::<Vec<_>>();
                (fix.applicability, tracec_compiler::diagnostic::fix::apply(&source.text, &edits))
            })
            .collect();
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(applicability, clause)| (applicability, format!("session s {{ {clause} }}")))
            .collect();
        assert_eq!(offered, wanted, "{clause}");
    }
}

/// The diagnostics of the clauses of a session, with its text.
fn of(clauses: &str) -> (String, Vec<Diagnostic>) {
    let source = text(&format!("session s {{ {clauses} }}"));
    let found = check(&source, &Copy);
    (source.text, found)
}

fn first_fix(clauses: &str) -> String {
    let (text, found) = of(clauses);
    let fix = found.iter().flat_map(|said| &said.fixes).next().expect("a fix");
    fix::apply(&text, &fix.edits.iter().collect::<Vec<_>>())
}

#[test]
fn count_0_is_removed_with_the_blank_before_it() {
    for (written, right) in [
        (
            "on sched:sched_switch { trigger stacktrace count 0; }",
            "on sched:sched_switch { trigger stacktrace; }",
        ),
        (
            "on sched:sched_switch { trigger stacktrace  count -1; }",
            "on sched:sched_switch { trigger stacktrace; }",
        ),
        (
            "on sched:sched_switch { trigger stacktrace count 0 if prev_prio < 1; }",
            "on sched:sched_switch { trigger stacktrace if prev_prio < 1; }",
        ),
        (
            "trace sched:sched_switch; stop on sched:sched_waking if pid == 1 count 0;",
            "trace sched:sched_switch; stop on sched:sched_waking if pid == 1;",
        ),
    ] {
        assert_eq!(first_fix(written), format!("session s {{ {right} }}"));
    }
}

#[test]
fn stack_before_traceoff_is_exchanged_only_where_both_have_no_condition() {
    assert_eq!(
        first_fix("on sched:sched_switch { trigger stacktrace count 5; trigger traceoff once; }"),
        "session s { on sched:sched_switch { trigger traceoff once; trigger stacktrace count 5; } }"
    );
    for clauses in [
        "on sched:sched_switch { trigger stacktrace; trigger traceoff if prev_prio < 1; }",
        "on sched:sched_switch { trigger stacktrace; } on sched:sched_switch { trigger traceoff; }",
    ] {
        let (_, found) = of(clauses);
        let [said] = &found[..] else { panic!("{clauses}: {found:?}") };
        assert!(said.code.id == "T0326" && said.fixes.is_empty() && said.helps.len() == 1, "{said:?}");
    }
    let right = "on sched:sched_switch { trigger traceoff; trigger stacktrace; }";
    assert_eq!(of(right).1, []);
}

#[test]
fn signal_without_a_name_is_asked_for_its_name() {
    let (text, found) = of("trace sched:sched_switch; stop on signal;");
    let said = found.iter().find(|said| said.code.id == "T0101").expect("a mistake");
    assert_eq!(said.primary.as_ref().map(|label| &text[label.span.range()]), Some("signal"));
    assert!(said.notes.iter().any(|note| note.contains("end every session")), "{said:?}");
    assert!(first_fix("trace sched:sched_switch; stop on signal;").contains("stop on signal USR1;"));
}

#[test]
fn default_of_a_parameter_is_kept_in_the_help() {
    let (_, found) = of("param pid = 5; trace sched:sched_switch;");
    assert!(found[0].helps[0].contains("session my_session(pid = 5) { .. }"), "{found:?}");
}
