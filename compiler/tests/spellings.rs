//! Two spellings of one session have one meaning, and the form that is written is accepted without a remark.

mod common;

use common::{BESIDE, Copy, Files, check, text};
use tracec_compiler::diagnostic::fix::{Applicability, mend};
use tracec_compiler::{Analysis, Choice, Input, analyse};

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
    let session = |head| format!("session s {{ trace sched:* {head}; }}");
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
        let session = |stop| format!("session s {{ trace sched:sched_switch; {stop} }}");
        assert_eq!(mended(&session(former)), session(now));
        assert_eq!(meaning(&session(now)).1, [] as [String; 0]);
    }
}
