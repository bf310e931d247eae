//! `print`, `drop` and `redact` in a session: what the plan says of the records, and the mistakes of each.

mod common;

use common::{Copy, check, text};
use tracec_compiler::target::report::{REPORT, selected};
use tracec_compiler::{Choice, Input, analyse};
use tracec_kernel::shown::ShownEvent;

/// Returns what a session shows of the records of its events.
fn shown(source: &str) -> Vec<ShownEvent> {
    let source = text(source);
    let input = Input { target: &REPORT, ..Input::new(&source, &Copy) };
    let (asked, said) = analyse(input, Choice::One(None)).make(selected);
    asked.unwrap_or_else(|| panic!("{}: {said:#?}", source.text)).shown
}

/// Returns the `print fmt` of the only event of a clause.
fn print_fmt(clause: &str) -> String {
    let shown = shown(&format!("session s {{ {clause} }}"));
    let [one] = shown.as_slice() else { panic!("{shown:?}") };
    one.print_fmt.clone().expect("a text")
}

/// Returns the code and the place of each mistake.
fn mistakes(clauses: &str) -> Vec<(&'static str, String)> {
    let source = text(&format!("session s {{ {clauses} }}"));
    let found = check(&source, &Copy);
    let place = |span: tracec_grammar::span::Span| source.text[span.range()].to_owned();
    found.iter().map(|said| (said.code.id, place(said.primary.as_ref().expect("a place").span))).collect()
}

#[test]
fn template_is_the_print_fmt_of_the_fields_of_the_kernel() {
    for (clause, expected) in [
        (
            r#"trace sched:sched_switch { print "{prev_comm}:{prev_pid:5} {{{next_pid:#x}" }"#,
            r#""%s:%5d {%#x", REC->prev_comm, REC->prev_pid, REC->next_pid"#,
        ),
        (
            r#"trace sched:sched_switch { print "{prev_prio < 100 ? "real time" : "fair"}" }"#,
            r#""%s", REC->prev_prio < 100 ? "real time" : "fair""#,
        ),
        // Text behind the struct, and the field of the header.
        (
            r#"trace sched:sched_process_exec { print "{filename} {common_pid}" }"#,
            r#""%s %d", __get_str(filename), REC->common_pid"#,
        ),
        // An argument of a system call is the number of its type, an address is itself.
        (
            r#"trace syscalls:sys_enter_openat { print "{dfd} {filename}" }"#,
            r#""%d %#llx", ((int)REC->dfd), (unsigned long long)REC->filename"#,
        ),
        (r#"trace sched:sched_switch { print "off" }"#, r#""%s", "off""#),
    ] {
        assert_eq!(print_fmt(clause), expected, "{clause}");
    }
    let constant = r#"const LIMIT: u32 = 100;
        session s(top: u32 = 7) { trace sched:sched_switch { print "{prev_prio < LIMIT ? "a" : "b"} {top}" } }"#;
    assert_eq!(
        shown(constant)[0].print_fmt.as_deref(),
        Some(r#""%s %d", REC->prev_prio < 100 ? "a" : "b", 7"#)
    );
}

#[test]
fn fields_of_several_clauses_add_up_and_the_text_is_that_of_the_exact_one() {
    let found = shown(
        r#"session s {
            trace "sched:sched_switc*" { print "pattern" drop prev_comm; redact next_comm, prev_pid; }
            trace sched:sched_switch { print "exact" redact next_pid; drop prev_pid; }
        }"#,
    );
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.print_fmt.as_deref(), Some(r#""%s", "exact""#));
    assert_eq!(one.left_out, ["prev_comm", "prev_pid"]);
    assert_eq!(one.blanked, ["next_comm", "next_pid"]);
    assert!(shown("session s { trace sched:sched_switch; }").is_empty());
}

#[test]
fn each_mistake_stands_at_its_place() {
    for (clauses, code, place) in [
        (r#"trace sched:sched_switch { print "{prev_com}" }"#, "T0738", "prev_com"),
        (r#"trace sched:sched_switch { print "{prev_pid} {prev_pid" }"#, "T0031", "{"),
        (r#"trace sched:sched_switch { print "}" }"#, "T0032", "}"),
        (r#"trace sched:sched_switch { print "{prev_pid:q}" }"#, "T0739", "q"),
        (r#"trace sched:sched_switch { print "{prev_comm:x}" }"#, "T0740", "prev_comm"),
        // What is left out cannot be shown either.
        (r#"trace sched:sched_switch { drop prev_pid; print "{prev_pid}" }"#, "T0738", "prev_pid"),
        (r#"trace sched:sched_switch { print "a" print "b" }"#, "T0301", r#"print "b""#),
        (
            r#"trace sched:sched_switch { print "a" } trace sched:sched_switch { print "b" }"#,
            "T0301",
            r#""b""#,
        ),
        ("trace sched:sched_switch { drop prev_com; }", "T0102", "prev_com"),
        ("trace sched:sched_switch { redact prev_pid, common_pid; }", "T0327", "common_pid"),
        ("trace sched:sched_switch { redact prev_pid; drop prev_pid; }", "T0301", "prev_pid"),
        ("on sched:sched_switch { trigger traceoff; drop prev_pid; }", "T0311", "drop prev_pid;"),
        (r#"on sched:sched_switch { trigger traceoff; print "a" }"#, "T0311", r#"print "a""#),
    ] {
        assert_eq!(mistakes(clauses), [(code, place.to_owned())], "{clauses}");
    }
}
