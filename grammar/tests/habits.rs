//! Habits of C, shells and other tools: each is one mistake, and its fix is complete.

mod common;

use common::{kinds, show, show_errors};
use tracec_grammar::error::{SyntaxError, SyntaxErrorKind};
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
        ("a:b if not x", "a:b if !x"),
        ("a:b if not x.y && z", "a:b if !x.y && z"),
        ("a:b if not(x) && y", "a:b if !x && y"),
        ("a:b unless x", "a:b if !x"),
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
        // Filters of bpftrace, SQL and shells.
        ("a:b /x == 1/", "a:b if x == 1"),
        (
            "trace a:b /x / 2 == 1 && y/ { trigger stacktrace; }",
            "trace a:b if x / 2 == 1 && y { trigger stacktrace; }",
        ),
        ("a:b /x == 1/ { }", "a:b if x == 1 { }"),
        ("a:b where x == 1", "a:b if x == 1"),
        ("a:b -f \"x == 1\"; stop after 1s", "a:b if x == 1; stop after 1s"),
        ("a:b --filter \"x == 1\"", "a:b if x == 1"),
        ("a:b when x == 1 || y; stop after 1s", "a:b if x == 1 || y; stop after 1s"),
        ("a:b, c:d", "{a:b, c:d}"),
        ("trace a:b, c:d, e:* if x == 1; stop after 1s", "trace {a:b, c:d, e:*} if x == 1; stop after 1s"),
        ("a, \"b:*c\" if x", "{a, \"b:*c\"} if x"),
        ("a:b || c:d if x", "{a:b, c:d} if x"),
        ("trace a:b c:d;", "trace {a:b, c:d};"),
        ("a:b if x contains \"ba\"", "a:b if x ~ \"*ba*\""),
        ("a:b if x startswith \"ba\" && y", "a:b if x ~ \"ba*\" && y"),
        ("a:b if x endswith \"sh\"", "a:b if x ~ \"*sh\""),
        ("a:b if x like \"b_%\"", "a:b if x ~ \"b?*\""),
        ("a:b if x between 1 and 5 && y", "a:b if x in {1..=5} && y"),
        ("a:b if x is 5", "a:b if x == 5"),
        ("a:b if x is not -5 || y", "a:b if x != -5 || y"),
        ("a:b if x in 1..5", "a:b if x in {1..=5}"),
        ("a:b if x in 1..=5 && y", "a:b if x in {1..=5} && y"),
        ("a:b # all", "a:b // all"),
        ("use std::signal; a:b if x == SIGKILL", " a:b if x == SIGKILL"),
        ("use std::signal; use std::errno; trace a:b; stop after 1s", " trace a:b; stop after 1s"),
        ("a:b if x # && y", "a:b if x // && y"),
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
        ("a:b if x !in {5}", "!in", "`!in` does not take a set"),
        ("a:b if (x !in {5} || y)", "!in", "`!in` does not take a set"),
        ("a:b if x == $$", "$$", "`$$` is for a shell, which has not replaced it"),
        ("a:b if x == ${PID}", "${PID}", "`${PID}` is for a shell, which has not replaced it"),
        ("a:b if x == ${PID:-1} && y", "${PID:-1}", "`${PID:-1}` is for a shell, which has not replaced it"),
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

/// Returns the parts of advice that are written to be copied.
fn quoted(advice: &str) -> Vec<&str> {
    advice.split('`').skip(1).step_by(2).collect()
}

#[test]
fn text_for_another_tool_is_one_mistake_over_the_whole_text() {
    for (text, tool) in [
        ("tracepoint:a:b { @ = count(); }", "bpftrace"),
        ("tracepoint:a:b,tracepoint:a:c { @ = count(); }", "bpftrace"),
        ("tracepoint:a:b_* { @ = count(); }", "bpftrace"),
        ("a:b { @ = count(); }", "bpftrace"),
        ("a:b { printf(\"x\"); }", "bpftrace"),
        ("kprobe:vfs_read { @[comm] = count(); }", "bpftrace"),
        ("kretprobe:f /x/ { }", "bpftrace"),
        ("interval:s:1 { exit(); }", "bpftrace"),
        ("BEGIN { printf(\"x\"); }", "bpftrace"),
        ("bpftrace -e 'BEGIN { }'", "bpftrace"),
        ("echo 'traceoff:5 if x < 100' >> events/a/b/trigger", "a shell"),
        ("echo 1 > events/a/b/enable", "a shell"),
        ("cat /sys/kernel/tracing/trace_pipe", "a shell"),
        ("cd /sys/kernel/tracing; echo 1 > tracing_on", "a shell"),
        ("-e a:b -f 'x < 100'", "trace-cmd"),
        ("trace-cmd record -e a", "trace-cmd"),
        ("perf record -e a:b sleep 1", "perf"),
    ] {
        let parsed = parse_one_liner(text);
        let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(text, &parsed)) };
        assert_eq!(error.kind, SyntaxErrorKind::ForeignCommand { tool, one_liner: true }, "{text}");
        assert_eq!(&text[error.span.range()], text);
    }
}

#[test]
fn file_for_another_tool_is_one_mistake() {
    for (text, message) in [
        (
            "#!/usr/bin/env bpftrace\nBEGIN\n{\n  @a[tid] = 1;\n}\nEND { clear(@a); }\n",
            "this is written for bpftrace",
        ),
        (
            "/* x */\ntracepoint:a:b\n/args.x == 1/\n{ @[comm] = count(); }\nkprobe:f { }\n",
            "this is written for bpftrace",
        ),
        (
            "kprobe:vfs_read { @[comm] = count(); }\nkprobe:vfs_write { @[comm] = count(); }",
            "this is written for bpftrace",
        ),
        (
            "#undef TRACE_SYSTEM\n#define TRACE_SYSTEM x\nTRACE_EVENT(a, TP_PROTO(int b), TP_ARGS(b));\n",
            "this is written for a C header of the kernel",
        ),
        (
            "TRACE_EVENT(a,\n  TP_PROTO(int b),\n  TP_printk(\"b=%d\", __entry->b)\n);\nDEFINE_EVENT(c, d);\n",
            "this is written for a C header of the kernel",
        ),
        (
            "{\"event\":\"a:b\",\"cpu\":0}\n{\"event\":\"a:b\"}\n",
            "this is data, and not the text of a session",
        ),
        ("\u{17}\u{8}Dtracing6\0\0\u{8}\n", "this is data, and not the text of a session"),
    ] {
        let parsed = parse(text);
        let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(text, &parsed)) };
        assert_eq!(error.to_string(), message, "{text}");
        // The compiler translates a program.
        let is_command = matches!(error.kind, SyntaxErrorKind::ForeignCommand { one_liner: false, .. });
        assert!(error.hint().is_some() != is_command && error.fix().is_none(), "{text}");
    }
    // A text of the language stays one.
    for text in
        ["session s { trace kprobe:x { trigger stacktrace; } trace t:e { filter x; } }", "use std::errno;"]
    {
        assert_eq!(show_errors(text, &parse(text)), "");
    }
    assert_eq!(show_errors("", &parse_one_liner("perf if x == 1")), "");
    for text in ["echo:x if y == 1", "cat", "echo { trigger stacktrace; }", "a:b { trigger stacktrace; }"] {
        assert_eq!(show_errors("", &parse_one_liner(text)), "");
    }
}

/// A tool's name on a line of its own is one token, and the declaration behind it is read.
#[test]
fn declaration_behind_one_token_of_a_tool_is_read() {
    for head in ["strace", "perf", "bpftrace", "echo"] {
        for behind in ["session s { trace a:b; }", "/// What it is for.\nevent e { proto (a: int) }"] {
            let text = format!("{head}\n{behind}\n");
            let parsed = parse(&text);
            let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(&text, &parsed)) };
            assert!(matches!(error.kind, SyntaxErrorKind::ForeignCommand { .. }), "{text} {error}");
            assert_eq!(&text[error.span.range()], head);
            assert_eq!(parsed.file.declarations.len(), 1, "{text}");
        }
    }
    // A sign alone on its line is not an option of trace-cmd.
    let parsed = parse("-\nsession s { trace a:b; }\n");
    let [error] = parsed.errors.as_slice() else { panic!("{:?}", parsed.errors) };
    assert_eq!(error.to_string(), "expected a declaration, found `-`");
}

/// A broken definition of C hides no other mistake.
#[test]
fn declaration_behind_a_header_of_the_kernel_is_read() {
    let parts = "TRACE_EVENT(a,\n  TP_PROTO(int b),\n  TP_ARGS(b";
    for header in
        [format!("{parts})\n);\n"), format!("{parts}\n"), format!("{parts}),\n  TP_printk(\"x)\n);\n")]
    {
        for (behind, declarations) in [
            ("session s { trace a:b; }\n", 1),
            ("/// What it is for.\nsession s { trace a:b; }\n", 1),
            ("subsystem x;\nevent e { proto (a: int) entry { a: int = a; } }\n", 2),
        ] {
            let text = format!("{header}{behind}");
            let parsed = parse(&text);
            let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(&text, &parsed)) };
            assert_eq!(error.to_string(), "this is written for a C header of the kernel");
            assert_eq!(text[error.span.range()].trim_end(), header.trim_end());
            assert_eq!(parsed.file.declarations.len(), declarations, "{text}");
        }
        let text = format!("{header}session s {{ trace a:b if == 1; }}\n");
        assert_eq!(parse(&text).errors.len(), 2, "{text}");
    }
}

#[test]
fn demand_behind_a_condition_is_moved() {
    for (written, moved) in [
        ("filter x < 1 in kernel;", "filter in kernel x < 1;"),
        ("filter x in {1, 2} && (y || z) in kernel;", "filter in kernel x in {1, 2} && (y || z);"),
    ] {
        let clause = |item: &str| format!("session s {{ trace a:b if w {{ {item} }} }}");
        let text = clause(written);
        assert_eq!(repaired(&text, &parse(&text)), clause(moved));
        assert_eq!(parse(&clause(moved)).errors, []);
    }
    // It belongs to a `filter`.
    let text = "session s { trace a:b if x in kernel { filter y; } }";
    let moves = |error: &SyntaxError| error.fix().is_some_and(|fix| fix.contains("in kernel x"));
    assert!(!parse(text).errors.iter().any(moves));
}

#[test]
fn fields_of_trace_event_are_translated() {
    let text = "subsystem s;\nevent e {\n    proto (name: *char, bytes: u32)\n    entry {\n        \
        __field(u32, bytes)\n        __field( unsigned long, flags );\n        __array(char, comm, TASK_COMM_LEN)\n        \
        __string(name, rq->name)\n        __dynamic_array(u8, tags, max(a, b))\n        __field(const char *, at)\n        \
        __string_len(text, f(a, b), n)\n        __vstring(msg, vaf->fmt, vaf->va)\n        \
        __bitmask(map, n * 8)\n        __sockaddr(to, f(a))\n    }\n}\n";
    let parsed = parse(text);
    let fixes: Vec<String> = parsed.errors.iter().filter_map(SyntaxError::fix).collect();
    let wanted = [
        "bytes: u32;",
        "flags: unsigned long;",
        "comm: char[TASK_COMM_LEN];",
        "name: string = rq->name;",
        "tags: u8[];",
        "at: *char;",
        "text: string = (f(a, b), n);",
        "msg: string = vaf;",
        "map: bitmask;",
        "to: sockaddr;",
    ];
    assert_eq!(fixes, wanted, "{}", show_errors(text, &parsed));
    let mut repaired = text.to_owned();
    for (error, fix) in parsed.errors.iter().zip(&fixes).rev() {
        repaired.replace_range(error.span.range(), fix);
    }
    assert_eq!(show_errors(&repaired, &parse(&repaired)), "", "{repaired}");
}

#[test]
fn prototype_of_c_is_one_mistake() {
    for (text, function) in [
        ("int do_sys_open(int dfd, const char __user *filename, int flags);", "do_sys_open"),
        ("static struct file *open_exec(const char *name)\n{ return 0; }\n", "open_exec"),
    ] {
        let parsed = parse(text);
        let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(text, &parsed)) };
        assert_eq!(error.to_string(), "this is written for C", "{text}");
        let advice = error.hint().expect("advice");
        assert_eq!(quoted(&advice), [format!("event {function} at kprobe {function};")]);
    }
    // A misspelt declaration is not a prototype.
    let misspelt = parse("sesion s(min: duration) { trace a:b; }");
    assert!(matches!(kinds(&misspelt)[..], [SyntaxErrorKind::UnknownClause { .. }]), "{:?}", misspelt.errors);
}

#[test]
fn form_without_a_certain_translation_has_none() {
    for text in ["a:b if x contains \"b*\"", "a:b if x contains 5", "a:b if x =~ \"ba\"", "a:b if x ne"] {
        let parsed = parse_one_liner(text);
        assert!(
            !parsed.errors.is_empty() && parsed.errors.iter().all(|error| error.fix().is_none()),
            "{text}"
        );
    }
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

/// A member of an argument is a fetch argument, which has a name and contains no blanks.
#[test]
fn paths_to_members_are_repaired() {
    for (field, repaired) in [
        ("pid = task -> pid", "pid = task->pid"),
        ("pid = task-> pid: s32", "pid = task->pid: s32"),
        ("pid = task ->signal -> pids[3] . x", "pid = task->signal->pids[3].x"),
        ("task->pid", "pid = task->pid"),
        ("task -> comm: string", "comm = task->comm: string"),
        ("task->a[2]", "a = task->a[2]"),
    ] {
        let text = |field: &str| format!("event e at kprobe f(task: *struct t) {{ {field}; }}");
        let parsed = parse(&text(field));
        let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(&text(field), &parsed)) };
        assert!(matches!(error.kind, SyntaxErrorKind::ForeignForm { certain: true, .. }), "{error:?}");
        let mut fixed = text(field);
        fixed.replace_range(error.span.range(), &error.fix().expect("a replacement"));
        assert_eq!(fixed, text(repaired));
        let fixed = parse(&fixed);
        assert_eq!(show_errors(&text(repaired), &fixed), "");
    }
    // A comment would be lost.
    let text = "event e at kprobe f(task: *struct t) { pid = task /* a */ -> pid; }";
    let parsed = parse(text);
    assert!(!parsed.errors.iter().any(|error| error.fix().is_some()));
    assert!(!parsed.errors.is_empty());
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

/// Returns the event that a header is translated to.
fn translated(header: &str) -> Option<String> {
    let parsed = parse(header);
    let [error] = parsed.errors.as_slice() else { panic!("{}", show_errors(header, &parsed)) };
    match &error.kind {
        SyntaxErrorKind::ForeignTool { event, .. } => {
            let texts = event.as_ref().map_or(&[][..], |event| &event.texts);
            texts.iter().find(|text| parse(text).errors.is_empty()).cloned()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn event_of_a_header_is_translated() {
    let header = "TRACE_EVENT(waited,\n\tTP_PROTO(struct task_struct *tsk, const char *name, u64 delay),\n\t\
        TP_ARGS(tsk, name, delay),\n\tTP_STRUCT__entry(\n\t\t__array( char, comm, TASK_COMM_LEN )\n\t\t\
        __field( pid_t, pid )\n\t\t__field( u64, delay ) /* ns */\n\t\t__string( name, name )\n\t),\n\t\
        TP_fast_assign(\n\t\tmemcpy(__entry->comm, tsk->comm, TASK_COMM_LEN);\n\t\t\
        __entry->pid\t= tsk->pid;\n\t\t__entry->delay = delay;\n\t\t__assign_str(name, name);\n\t),\n\t\
        TP_printk(\"comm=%s pid=%d {100%%} delay=%#Lx [ns] \"\n\t\"%s\", __entry->comm, __entry->pid,\n\t\t\
        (unsigned long long)__entry->delay, __get_str(name))\n);\n";
    let expected = "subsystem my_system; event waited { \
        proto (tsk: *struct task_struct, name: *const char, delay: u64) \
        entry { comm: char[TASK_COMM_LEN] = tsk->comm; pid: pid_t = tsk->pid; delay: u64; name: string; } \
        print \"comm={comm} pid={pid} {{100%}} delay={delay:#x} [ns] {name}\" }";
    assert_eq!(translated(header).as_deref(), Some(expected));
    assert_eq!(parse(expected).errors, []);
}

#[test]
fn texts_of_a_header_are_translated() {
    let header = |fields: &str, assign: &str| {
        format!(
            "TRACE_EVENT(e, TP_PROTO(struct va_format *vaf, const char *t, int n), TP_ARGS(vaf, t, n), \
             TP_STRUCT__entry({fields}), TP_fast_assign({assign}), TP_printk(\"%s %s\", __get_str(a), __get_str(b)))"
        )
    };
    let fields = "__string_len(a, t, n + 1) __vstring(b, vaf->fmt, vaf->va)";
    let assign = "__assign_str_len(a, t, n + 1); __assign_vstr(b, vaf->fmt, vaf->va);";
    let expected = "subsystem my_system; event e { proto (vaf: *struct va_format, t: *const char, n: int) \
        entry { a: string = (t, n + 1); b: string = vaf; } print \"{a} {b}\" }";
    assert_eq!(translated(&header(fields, assign)).as_deref(), Some(expected));
    assert_eq!(parse(expected).errors, []);
    // A format and arguments of different places.
    assert_eq!(translated(&header("__vstring(a, vaf->fmt, ap)", "")), None);
}

#[test]
fn parts_of_a_header_without_an_equivalent_stay_c_or_are_left_out() {
    let header = |entry: &str, assign: &str, print: &str| {
        format!(
            "TRACE_EVENT(e, TP_PROTO(struct foo *f, int n), TP_ARGS(f, n), TP_STRUCT__entry({entry}), \
             TP_fast_assign({assign}), TP_printk({print}))"
        )
    };
    let event =
        |rest: &str| format!("subsystem my_system; event e {{ proto (f: *struct foo, n: int) {rest} }}");
    let field = "__field(int, a)";
    for (entry, assign, print, expected) in [
        // A statement that is not the value of a field.
        (
            field,
            "if (n) __entry->a = 1;",
            "\"%d\", __entry->a",
            "entry { a: int; } assign `if (n) __entry->a = 1;` print \"{a}\"",
        ),
        // An expression with a cast, and one with a name that is not an argument.
        (field, "__entry->a = (int)n;", "\"\"", "entry { a: int; } assign `__entry->a = (int)n;` print \"\""),
        (field, "__entry->a = LIMIT;", "\"x\"", "entry { a: int; } assign `__entry->a = LIMIT;` print \"x\""),
        // Texts that printk alone can print.
        (field, "__entry->a = n;", "\"%s\", __print_hex(f, n)", "entry { a: int = n; }"),
        (field, "__entry->a = n;", "\"%5d\", __entry->a", "entry { a: int = n; }"),
        (field, "__entry->a = n;", "\"%d %d\", __entry->a", "entry { a: int = n; }"),
        (field, "__entry->a = n;", "\"%d\", __entry->a, n", "entry { a: int = n; }"),
    ] {
        let header = header(entry, assign, print);
        assert_eq!(translated(&header), Some(event(expected)), "{header}");
    }
    for (entry, assign) in [
        ("__dynamic_array(u8, a, n)", "memcpy(__get_dynamic_array(a), f, n);"),
        ("__field(int, a)", ""),
        ("__field(int, a)", "__entry->a = `;"),
        ("__field(int (*)(void), a)", "__entry->a = n;"),
    ] {
        assert_eq!(translated(&header(entry, assign, "\"\"")), None, "{entry} {assign}");
    }
    // More than one event, and less than one.
    let one = header(field, "__entry->a = n;", "\"\"");
    for text in
        [format!("{one};\n{one};"), one[..one.len() - 9].to_owned(), one.replace(", TP_printk(\"\")", "")]
    {
        assert_eq!(translated(&text), None, "{text}");
    }
}
