//! Lints about conditions stand at the part that they are about, and name the part that makes it so.

mod common;

use common::{Copy, check, text};
use tracec_compiler::diagnostic::Diagnostic;

fn checked(clauses: &str) -> (String, Vec<Diagnostic>) {
    let source = text(&format!("session s {{\n{clauses}\n}}\n"));
    let found = check(&source, &Copy);
    (source.text, found)
}

/// The one thing that is found: its code, the text at its place, and those at its other places.
#[track_caller]
fn only(clauses: &str) -> (&'static str, String, Vec<String>) {
    let (text, found) = checked(clauses);
    let [said] = &found[..] else { panic!("{clauses}\n{found:#?}") };
    let at = |span: tracec_grammar::span::Span| text[span.range()].to_owned();
    let place = at(said.primary.as_ref().expect("a place").span);
    (said.code.id, place, said.secondary.iter().map(|label| at(label.span)).collect())
}

#[test]
fn the_part_is_marked_not_the_conjunct() {
    for (condition, code, place, others) in [
        // Within one conjunct.
        (
            "prev_prio > 120 && prev_prio < 100 || next_prio == 1",
            "T0226",
            "prev_prio < 100",
            &["prev_prio > 120"][..],
        ),
        (
            "next_prio == 1 || prev_prio > 100 && prev_prio > 50",
            "T0227",
            "prev_prio > 50",
            &["prev_prio > 100"],
        ),
        ("next_prio == 1 || next_prio == 1", "T0227", "next_prio == 1", &["next_prio == 1"]),
        // Over two.
        (
            "(prev_prio > 100 || prev_pid == 0) && prev_prio <= 100 && next_pid > 7",
            "T0226",
            "prev_prio > 100",
            &["prev_prio <= 100"],
        ),
        // Under a negation, and as a number alone.
        ("!(prev_prio > 50 && prev_prio > 100)", "T0227", "prev_prio > 50", &["prev_prio > 100"]),
        ("prev_pid == 5 && (prev_pid || next_pid == 1)", "T0227", "prev_pid", &["prev_pid == 5"]),
        // One always holds.
        ("next_pid == 7 && (prev_prio < 5 || prev_prio >= 5)", "T0210", "prev_prio >= 5", &["prev_prio < 5"]),
        // By what the number can be: nothing else makes it so.
        ("next_comm ~ \"*\" && next_pid > 3 || next_prio == 1", "T0210", "next_comm ~ \"*\"", &[]),
        // A member of a set of texts.
        (
            "next_comm in {\"a\", \"b\"} && next_pid > 3 || next_comm == \"b\"",
            "T0227",
            "\"b\"",
            &["next_comm == \"b\""],
        ),
    ] {
        let (id, at, beside) = only(&format!("trace sched:sched_switch if {condition};"));
        assert_eq!((id, at.as_str()), (code, place), "{condition}");
        assert_eq!(beside, others, "{condition}");
    }
}

#[test]
fn triggers_and_stops_are_looked_at_like_filters() {
    let contradiction = "prev_prio > 120 && prev_prio < 100";
    for clauses in [
        format!("trace sched:sched_switch if {contradiction}; trace sched:sched_waking;"),
        format!("trace sched:sched_switch {{ trigger stacktrace if {contradiction}; }}"),
        format!("on sched:sched_switch if {contradiction} {{ trigger traceoff; }} trace sched:sched_waking;"),
        format!("stop when sched:sched_switch if {contradiction}; trace sched:sched_waking;"),
    ] {
        let wanted = ("T0226", "prev_prio < 100".to_owned(), vec!["prev_prio > 120".to_owned()]);
        assert_eq!(only(&clauses), wanted, "{clauses}");
    }
    // Over a group of events only what holds for all of them; without a condition, nothing.
    let group = "{sched:sched_wakeup, sched:sched_waking}";
    let (id, at, _) = only(&format!("stop when {group} if prio > 5 && prio > 3; trace sched:sched_switch;"));
    assert_eq!((id, at.as_str()), ("T0227", "prio > 3"));
    let (_, found) = checked("stop when sched:sched_switch; trace sched:sched_waking;");
    assert_eq!(found, []);
    // What a trigger's condition makes of a part of the head says nothing against that part.
    let head = "prev_prio > 100 || next_pid == 1";
    let clauses = format!("trace sched:sched_switch if {head} {{ trigger stacktrace if prev_prio > 100; }}");
    assert_eq!(checked(&clauses).1, []);
    let clauses = format!("trace sched:sched_switch if {head} {{ filter prev_prio > 100; }}");
    assert_eq!(only(&clauses).0, "T0227");
}
