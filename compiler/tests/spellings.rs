//! Two spellings of one session have one meaning, and the form that is written is accepted without a remark.

mod common;

use common::{BESIDE, Copy, Files, check, places, text};
use tracec_compiler::diagnostic::fix::{Applicability, mend};
use tracec_compiler::{Analysis, Choice, Input, KernelError, KernelSource, SourceText, analyse};
use tracec_kernel::tables::features::Support;

fn analysed(source: &str) -> Analysis {
    let source = text(source);
    let input = Input { imports: &Files(BESIDE), ..Input::new(&source, &Copy) };
    analyse(input, Choice::All)
}

/// The sessions and conditions of a text without their spans, and what was remarked.
fn meaning(source: &str) -> (String, Vec<String>) {
    let Analysis { module, diagnostics, .. } = analysed(source);
    let printed = format!("{:?} {:?}", module.sessions, module.conditions);
    let mut pieces = printed.split("Span(");
    let mut meaning = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        meaning.push_str(piece.split_once(')').expect("the end of a span").1);
    }
    let meaning = meaning.replace("written: Some()", "written: None");
    let remarks = diagnostics.iter().map(|said| format!("{}: {}", said.code.id, said.message));
    (meaning, remarks.collect())
}

#[track_caller]
fn same(one: &str, other: &str) {
    let (one_meaning, remarks) = meaning(one);
    assert_eq!(remarks, [] as [String; 0], "{one}");
    let (other_meaning, remarks) = meaning(other);
    assert_eq!(remarks, [] as [String; 0], "{other}");
    assert!(one_meaning.contains("Session {"), "{one}");
    assert_eq!(one_meaning, other_meaning, "{one}\n{other}");
}

/// Returns the text after its certain fixes.
#[track_caller]
fn mended(source: &str) -> String {
    let source = text(source);
    mend(&source, Applicability::Always, |source| check(source, &Copy)).text
}

#[test]
fn parts_of_head_in_any_order() {
    let session = |head: &str| format!("session s {{ trace sched:* {head}; }}");
    let plain = session("except sched:sched_waking having prev_prio if prev_prio > 3");
    for head in [
        "having prev_prio except sched:sched_waking if prev_prio > 3",
        "if prev_prio > 3 except sched:sched_waking having prev_prio",
        "if prev_prio > 3 having prev_prio except sched:sched_waking",
    ] {
        same(&plain, &session(head));
    }
}

#[test]
fn triggers_of_on_without_their_word() {
    same(
        "session s { on sched:sched_switch if prev_prio > 3 { trigger traceoff once; } }",
        "session s { on sched:sched_switch if prev_prio > 3 { traceoff once; } }",
    );
    same(
        "session s { on sched:sched_switch { trigger enable_event sched:sched_waking count 2 if prev_prio > 3; } }",
        "session s { on sched:sched_switch { enable_event sched:sched_waking count 2 if prev_prio > 3; } }",
    );
}

#[test]
fn signals_of_stop_with_and_without_sig() {
    same(
        "session s { trace sched:sched_switch; stop on signal SIGUSR1; }",
        "session s { trace sched:sched_switch; stop on signal USR1; }",
    );
}

#[test]
fn former_spellings_of_stop_are_mended() {
    for (former, now) in [
        ("stop when sched:sched_waking if prio > 3 once;", "stop on sched:sched_waking if prio > 3 once;"),
        ("stop on SIGUSR1;", "stop on signal SIGUSR1;"),
    ] {
        let session = |stop: &str| format!("session s {{ trace sched:sched_switch; {stop} }}");
        assert_eq!(mended(&session(former)), session(now));
        assert_eq!(meaning(&session(now)).1, [] as [String; 0]);
    }
}

#[test]
fn sets_of_patterns() {
    let session = |condition: &str| format!("session s {{ trace sched:sched_switch if {condition}; }}");
    same(&session("prev_comm ~ \"a*\" || prev_comm ~ \"*b\""), &session("prev_comm ~ {\"a*\", \"*b\"}"));
    same(&session("!(prev_comm ~ \"a*\" || prev_comm ~ \"*b\")"), &session("prev_comm !~ {\"a*\", \"*b\"}"));
    same(&session("prev_comm !~ \"a*\""), &session("prev_comm !~ {\"a*\"}"));
    for (condition, code) in [
        ("prev_comm ~ {}", "T0218"),
        ("prev_pid ~ {\"1*\", \"2*\"}", "T0205"),
        ("prev_comm ~ {\"a*\", \"a*\"}", "T0219"),
        ("prev_comm ~ {\"[\", 5}", "T0243"),
    ] {
        let found = check(&text(&session(condition)), &Copy);
        let codes: Vec<&str> = found.iter().map(|said| said.code.id).collect();
        assert!(codes.contains(&code), "{condition}: {found:#?}");
    }
}

#[test]
fn truth_is_a_value_and_a_condition() {
    let session = |condition: &str| format!("session s {{ trace sched:sched_process_exit if {condition}; }}");
    same(&session("group_dead == 1"), &session("group_dead == true"));
    same(&session("group_dead != 0"), &session("group_dead != false"));
    let (always, remarks) = meaning(&session("true"));
    assert_eq!(remarks, ["T0210: this condition is always true"]);
    assert_eq!(always, meaning("session s { trace sched:sched_process_exit; }").0);
    let named = meaning("const true = 7; session s { trace sched:sched_process_exit if pid == true; }");
    assert_eq!(named, meaning("session s { trace sched:sched_process_exit if pid == 7; }"));
}

#[test]
fn constants_and_types_of_imports_have_several_paths() {
    let session = |condition: &str| {
        format!("use std::errno; session s {{ trace signal:signal_generate if {condition}; }}")
    };
    for constant in ["errno::EIO", "Errno::EIO", "errno::Errno::EIO", "EIO"] {
        same(&session("errno == -5"), &session(&format!("errno == -{constant}")));
    }
    same(&session("-errno as Errno == EIO"), &session("-errno as errno::Errno == Errno::EIO"));
    let with = |declaration: &str, constant: &str| {
        format!("use std::errno; {declaration} {{ trace signal:signal_generate if errno == -{constant}; }}")
    };
    for ty in ["Errno", "errno::Errno"] {
        same(&with("session s", "5"), &with(&format!("session s(e: {ty} = EIO)"), "e"));
        same(&with("session s", "5"), &with(&format!("const E: {ty} = errno::EIO; session s"), "E"));
    }
    assert!(
        meaning(&with("session s(e: errno::Errn = EIO)", "e")).1.iter().any(|said| said.starts_with("T07"))
    );
}

#[test]
fn members_of_an_enum_are_defaults_by_their_name_alone() {
    let session = |default: &str| {
        format!(
            "enum P {{ A = 3, B = 5 }} session s(p: P = {default}) {{ trace sched:sched_process_exit if pid == p; }}"
        )
    };
    same(&session("P::B"), &session("B"));
    same(
        "enum P { A = 3, B = 5 } const Q: P = P::B; session s { trace sched:sched_process_exit if pid == Q; }",
        "enum P { A = 3, B = 5 } const Q: P = B; session s { trace sched:sched_process_exit if pid == Q; }",
    );
}

#[test]
fn strings_of_clauses_have_names() {
    let session = |params, a: &str, b: &str, c: &str| {
        format!(
            "const M = \"one\"; session s{params} {{ trace sched:sched_switch; marker {a}; output {b}; instance {a}; \
             scope comm {c}, cgroup {c}; }}"
        )
    };
    same(
        &session("", "\"one\"", "\"f.txt\"", "\"x\""),
        &session("(f: string = \"f.txt\", x = \"x\")", "M", "f", "x"),
    );
    let clause = |clause: &str| format!("session s {{ trace sched:sched_switch; {clause} }}");
    assert_eq!(mended(&clause("marker hello;")), clause("marker \"hello\";"));
    let (_, remarks) = meaning("session s(n: int = 5) { trace sched:sched_switch; marker n; }");
    assert_eq!(remarks, ["T0708: the clause takes a string, and this is a number"]);
}

#[test]
fn prototype_of_c_is_one_mistake_with_a_certain_fix() {
    let class = |proto| {
        format!(
            "subsystem s; class c {{ proto ({proto}) entry {{ b: u32 = bytes; }} print \"{{b}}\" }} event e: c;"
        )
    };
    let pasted =
        class("struct request *rq, unsigned int bytes, u8 last, const char __user *name, u64 sizes[4]");
    let found = check(&text(&pasted), &Copy);
    assert_eq!(found.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0035"], "{found:#?}");
    assert_eq!(
        mended(&pasted),
        class("rq: *struct request, bytes: unsigned int, last: u8, name: *user const char, sizes: *u64")
    );
    // What is right already stays as it is.
    assert_eq!(
        mended(&class("int bytes, last: u8, struct file *f")),
        class("bytes: int, last: u8, f: *struct file")
    );
}

#[test]
fn names_that_a_field_hides_are_remarked() {
    for (declaration, what) in
        [("const pid = 5; session s", "constant"), ("session s(pid: int = 5)", "parameter")]
    {
        let (_, remarks) =
            meaning(&format!("{declaration} {{ trace sched:sched_process_exit if pid == 3; }}"));
        assert_eq!(
            remarks,
            [format!("T0247: `pid` means the field of `sched:sched_process_exit` here, not the {what}")]
        );
    }
    let (_, remarks) = meaning("const PID = 5; session s { trace sched:sched_process_exit if pid == PID; }");
    assert_eq!(remarks, [] as [String; 0]);
}

#[test]
fn definitions_that_could_not_be_read_are_the_only_mistake() {
    for definition in ["event lost at kprobe 5 { a; }", "event lost at kprobe vfs_read(a u8;"] {
        let found = check(&text(&format!("{definition}\nsession s {{ trace lost; }}")), &Copy);
        assert!(!found.is_empty() && found.iter().all(|said| said.code.id.starts_with("T00")), "{found:#?}");
    }
    let (_, remarks) = meaning("session s { trace lost; }");
    assert_eq!(remarks, ["T0101: there is no event `lost` in the test kernel"]);
}

#[test]
fn probes_fetch_what_kernels_take() {
    for probe in [
        "kprobe do_sys_openat2 { a = +u8(%si): string; }",
        "kretprobe vfs_read(file: *struct file, count: size_t) -> (ret: ssize_t)",
        "uprobe \"libc.so.6\":malloc(size: size_t)",
        "uprobe \"libssl.so\":SSL_read",
    ] {
        let (_, remarks) = meaning(
            &format!("event e at {probe}; session s {{ trace sched:sched_switch; }}").replace("};", "}"),
        );
        assert_eq!(remarks, [] as [String; 0], "{probe}");
    }
    for path in ["libc", ".so", "lib/libc.so.6", "libc.sox"] {
        let (_, remarks) = meaning(&format!(
            "event e at uprobe \"{path}\":malloc; session s {{ trace sched:sched_switch; }}"
        ));
        assert_eq!(remarks, ["T0745: the path of the file must be absolute"], "{path}");
    }
}

#[test]
fn string_parameters_name_events() {
    let session =
        |params: &str, events: &str| format!("session s{params} {{ trace {events}; stop on {events}; }}");
    same(
        &session("", "\"sched:sched_wak*\" except \"sched:sched_waking\""),
        &session("(of = \"sched:sched_wak*\", not: string = \"sched:sched_waking\")", "of except not"),
    );
    let (_, remarks) = meaning(&session("(of = \"sched:sched_swich\")", "of"));
    assert!(
        remarks.iter().all(|said| said.starts_with("T0101") && said.contains("sched:sched_swich")),
        "{remarks:?}"
    );
    let (_, remarks) = meaning(&session("(of: string)", "of"));
    assert!(!remarks.iter().any(|said| said.starts_with("T0101")), "{remarks:?}");
}

/// The copy of a kernel without its list of functions and its release.
struct WithoutFunctions;

impl KernelSource for WithoutFunctions {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        if path == "available_filter_functions" { Ok(None) } else { Copy.read(path) }
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        Copy.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        Copy.feature(name)
    }

    fn describe(&self) -> String {
        Copy.describe()
    }
}

#[test]
fn functions_that_no_list_has_are_remarked() {
    let source = text(
        "event wrote at kretprobe vfs_wriite -> (ret: ssize_t);\nevent red at kprobe vfs_read;\n\
         event tick at raw_tp sched_switch;",
    );
    let found = check(&source, &WithoutFunctions);
    assert_eq!(places(&source, &found), [("T0757", "vfs_wriite")]);
    assert_eq!(found[0].message, "whether the test kernel has the function `vfs_wriite` is not checked");
    assert!(found[0].notes.iter().any(|note| note.contains("one more function")), "{found:#?}");
    assert_eq!(check(&source, &Copy), []);
}

#[test]
fn addresses_are_compared_with_bytes_of_the_record() {
    let session = |condition: &str| format!("session s {{ trace sock:inet_sock_set_state if {condition}; }}");
    // 10.0.0.1 as the bytes of a record, the first of which is the lowest.
    let (one, remarks) = meaning(&session("saddr == 10.0.0.1"));
    assert_eq!(remarks, [] as [String; 0]);
    let compared = "Compare { left: Field(Field { name: \"saddr\", type_text: \"__u8[4]\", kind: Int, offset: 32, \
                    size: 4, signed: false }), op: Eq, right: Const(16777226) }";
    assert!(one.contains(compared), "{one}");
    let (of_set, remarks) = meaning(&session("saddr in {10.0.0.0/8, 192.168.0.1} && daddr != 0.0.0.0"));
    assert_eq!(remarks, [] as [String; 0], "{of_set}");
    let (_, remarks) = meaning(&session("saddr_v6 == fe80:0::1"));
    assert_eq!(remarks, ["T0222: `saddr_v6` cannot be compared with an address"]);
    let (_, remarks) = meaning(&session("sport == 10.0.0.1"));
    assert_eq!(remarks, ["T0222: `sport` cannot be compared with an address"]);
    let analysis = analysed(&session("saddr == 10.0.0.1"));
    assert!(!analysis.has_errors(), "{:?}", analysis.diagnostics);
}

/// The one-liner is checked with the kernel of the tests.
fn one_liner(text: &str) -> SourceText {
    SourceText { name: "-e".to_owned(), text: text.to_owned(), one_liner: true }
}

#[test]
fn misspelt_constants_of_the_library_are_mended_in_one_line() {
    for (misspelt, right) in [
        ("signal:signal_generate if sig == SIGKIL", "signal:signal_generate if sig == SIGKILL"),
        (
            "signal:signal_generate if sig == signal::SIGKIL",
            "signal:signal_generate if sig == signal::SIGKILL",
        ),
        (
            "signal:signal_generate if sig == std::signal::SIGKIL",
            "signal:signal_generate if sig == std::signal::SIGKILL",
        ),
        ("signal:signal_generate if sig in {SIGKIL, 15}", "signal:signal_generate if sig in {SIGKILL, 15}"),
        ("syscalls:sys_exit_openat if ret == -ENOENTT", "syscalls:sys_exit_openat if ret == -ENOENT"),
        ("syscalls:sys_exit_openat if ret == ENOENTT", "syscalls:sys_exit_openat if ret == -ENOENT"),
        (
            "syscalls:sys_exit_openat if ret == -errno::ENOENTT",
            "syscalls:sys_exit_openat if ret == -errno::ENOENT",
        ),
    ] {
        let source = one_liner(misspelt);
        let found = check(&source, &Copy);
        assert_eq!(found.len(), 1, "{misspelt}: {found:#?}");
        let fix = found[0].fixes.first().unwrap_or_else(|| panic!("{misspelt}: {found:#?}"));
        let edits: Vec<_> = fix.edits.iter().collect();
        assert_eq!(tracec_compiler::diagnostic::fix::apply(misspelt, &edits), right);
        assert_eq!(check(&one_liner(right), &Copy), [], "{right}");
    }
    // A field is meant, or nothing that is known.
    for (text, fix) in [
        ("signal:signal_generate if sig == sgi", Some("sig")),
        ("signal:signal_generate if sig == QQQQ", None),
    ] {
        let found = check(&one_liner(text), &Copy);
        let first = found[0].fixes.first().map(|fix| fix.edits[0].text.as_str());
        assert_eq!(first, fix, "{found:#?}");
    }
}

/// For a kernel whose release is not known `std::gfp` has no numbers.
#[test]
fn constants_that_the_library_lacks_for_a_kernel_are_named_as_the_event_prints_them() {
    let text = "kmem:kmalloc if gfp_flags & std::gfp::GFP_KERNEL";
    let found = check(&one_liner(text), &WithoutFunctions);
    assert_eq!(found.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0113"], "{found:#?}");
    let mended = mend(&one_liner(text), Applicability::Always, |source| check(source, &WithoutFunctions));
    assert_eq!(mended.text, "kmem:kmalloc if gfp_flags & GFP_KERNEL");
    // Which of its bits are asked for is another question.
    assert_eq!(mended.remaining.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0254"]);
    // A field without names of its own.
    for name in ["GFP_KERNEL", "gfp::GFP_KERNEL"] {
        let found = check(&one_liner(&format!("kmem:kmalloc if bytes_req == {name}")), &WithoutFunctions);
        assert_eq!(found.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0113"], "{found:#?}");
        assert!(found[0].fixes.is_empty() && found[0].helps[0].contains("the headers of the kernel"));
    }
}

#[test]
fn event_of_a_header_is_mended_in_a_file_and_explained_in_one_line() {
    let header = "TRACE_EVENT(waited,\n\tTP_PROTO(int fd, u64 delay),\n\tTP_ARGS(fd, delay),\n\t\
        TP_STRUCT__entry(\n\t\t__field(int, fd)\n\t\t__field(u64, delay)\n\t),\n\t\
        TP_fast_assign(\n\t\t__entry->fd = fd;\n\t\t__entry->delay = delay + 1;\n\t),\n\t\
        TP_printk(\"fd=%d delay=%llu\", __entry->fd, __entry->delay)\n);\n";
    let source = text(header);
    let found = check(&source, &Copy);
    assert_eq!(found.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0134"]);
    let mended = mend(&source, Applicability::Maybe, |source| check(source, &Copy));
    assert_eq!(mended.remaining, []);
    assert_eq!(
        mended.text,
        "subsystem my_system;\nevent waited {\n    proto (fd: int, delay: u64)\n    entry { fd: int; delay: u64 = delay + 1; }\n    \
         print \"fd={fd} delay={delay}\"\n}\n"
    );
    let found = check(&one_liner(header), &Copy);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].fixes.is_empty() && found[0].helps[0].starts_with("define the event in a file: `subsystem")
    );
    // The language does not have a type that only a header has.
    let found = check(&text(&header.replace("u64", "foo_t")), &Copy);
    assert!(
        found[0].fixes.is_empty() && found[0].helps[0].contains("`proto`, `entry` and `print`"),
        "{found:#?}"
    );
}
