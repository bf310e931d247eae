//! Lints about conditions stand at the part that they are about, and name the part that makes it so.

mod common;

use common::{Copy, check, text};
use tracec_compiler::diagnostic::{Applicability, Diagnostic};
use tracec_compiler::{Choice, Input, KernelError, KernelSource, Severity, analyse};
use tracec_kernel::tables::features::Support;

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
        // The header's field is the thread id.
        ("common_pid == 3 && current.pid == 4", "T0226", "current.pid == 4", &["common_pid == 3"]),
        ("current.pid == 3 && common_pid == 3", "T0227", "common_pid == 3", &["current.pid == 3"]),
        // Over two.
        (
            "(prev_prio > 100 || prev_pid == 0) && prev_prio <= 100 && next_pid > 7",
            "T0226",
            "prev_prio > 100",
            &["prev_prio <= 100"],
        ),
        // Each part of a conjunct with the same: one mistake, whatever stands between them, which is not marked.
        (
            "(prev_prio == 1 || prev_prio == 2) && (prev_prio == 3 || prev_prio == 4 || next_prio == 1)",
            "T0226",
            "prev_prio == 3 || prev_prio == 4",
            &["prev_prio == 1 || prev_prio == 2"],
        ),
        (
            "prev_prio == 9 && (prev_prio == 3 || next_prio == 1 || prev_prio == 4 && next_pid == 2)",
            "T0226",
            "prev_prio == 3",
            &["prev_prio == 9", "prev_prio == 4"],
        ),
        // Also where what they contradict stands between them.
        (
            "next_pid == 1 || (prev_pid == 2 || next_prio == 1) && prev_pid == 1 && (prev_pid == 3 || prev_prio == 2)",
            "T0226",
            "prev_pid == 2",
            &["prev_pid == 1", "prev_pid == 3"],
        ),
        // Of several parts around it those that it needs.
        (
            "prev_pid > 9 && (prev_pid < 20 && (prev_pid == 1 || next_pid == 1) || next_pid == 2)",
            "T0226",
            "prev_pid == 1",
            &["prev_pid > 9"],
        ),
        (
            "next_pid == 1 || prev_pid > 5 && (prev_pid == 3 || next_pid == 2) && prev_pid < 9",
            "T0226",
            "prev_pid == 3",
            &["prev_pid > 5", "prev_pid < 9"],
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
        format!("stop on sched:sched_switch if {contradiction}; trace sched:sched_waking;"),
    ] {
        let wanted = ("T0226", "prev_prio < 100".to_owned(), vec!["prev_prio > 120".to_owned()]);
        assert_eq!(only(&clauses), wanted, "{clauses}");
    }
    // Over a group of events only what holds for all of them; without a condition, nothing.
    let group = "{sched:sched_wakeup, sched:sched_waking}";
    let (id, at, _) = only(&format!("stop on {group} if prio > 5 && prio > 3; trace sched:sched_switch;"));
    assert_eq!((id, at.as_str()), ("T0227", "prio > 3"));
    let (_, found) = checked("stop on sched:sched_switch; trace sched:sched_waking;");
    assert_eq!(found, []);
    // What a trigger's condition makes of a part of the head says nothing against that part.
    let head = "prev_prio > 100 || next_pid == 1";
    let clauses = format!("trace sched:sched_switch if {head} {{ trigger stacktrace if prev_prio > 100; }}");
    assert_eq!(checked(&clauses).1, []);
    let clauses = format!("trace sched:sched_switch if {head} {{ filter prev_prio > 100; }}");
    assert_eq!(only(&clauses).0, "T0227");
}

#[test]
fn lint_for_a_head_with_filter_and_trigger_behind_it_is_reported_once() {
    let own = "{ filter next_pid > 1; trigger stacktrace if next_pid > 2; }";
    for (head, code, at) in [
        ("prev_prio > 5 && prev_prio > 3", "T0227", "prev_prio > 3"),
        ("prev_prio & 0 == 0 && next_prio == 1", "T0210", "prev_prio & 0 == 0"),
        ("(next_prio == 1 || prev_prio > 120 && prev_prio < 100)", "T0226", "prev_prio < 100"),
    ] {
        let (id, place, _) = only(&format!("trace sched:sched_switch if {head} {own}"));
        assert_eq!((id, place.as_str()), (code, at), "{head}");
    }
    let group = "{sched:sched_wakeup, sched:sched_waking}";
    let own = "{ filter pid > 1; trigger stacktrace if pid > 2; }";
    let (id, at, _) = only(&format!("trace {group} if prio > 5 && prio > 3 {own}"));
    assert_eq!((id, at.as_str()), ("T0227", "prio > 3"));
    // What the filter and the trigger make of the head says nothing against it.
    let both = "{ filter prev_prio > 100; trigger stacktrace if prev_prio > 100; }";
    let clauses = format!("trace sched:sched_switch if prev_prio > 100 || next_pid == 1 {both}");
    assert_eq!(checked(&clauses).1, []);
}

#[test]
fn what_is_negated_is_quoted_with_its_negation() {
    for (condition, wanted) in [
        (
            "!(prev_prio < 5) && prev_prio < 3",
            "`prev_prio < 3` is never true together with `!(prev_prio < 5)`",
        ),
        (
            "!(prev_comm ~ \"a*\") && prev_comm == \"abc\"",
            "`prev_comm == \"abc\"` is never true together with `!(prev_comm ~ \"a*\")`",
        ),
        ("!(prev_prio < 5) && !(prev_prio < 3)", "`!(prev_prio < 3)` is redundant beside `!(prev_prio < 5)`"),
        ("!!(prev_prio > 5) && prev_prio > 3", "`prev_prio > 3` is redundant beside `prev_prio > 5`"),
        (
            "prev_prio == 9 && (prev_prio == 3 || !(prev_prio != 4))",
            "`prev_prio == 3`, `!(prev_prio != 4)` are never true together with `prev_prio == 9`",
        ),
    ] {
        let (_, found) =
            checked(&format!("trace sched:sched_switch if {condition}; trace sched:sched_waking;"));
        let [said] = &found[..] else { panic!("{condition}\n{found:#?}") };
        assert_eq!(said.message, wanted, "{condition}");
    }
}

#[test]
fn events_are_counted_once_each() {
    let notes = |clauses: &str| {
        let (_, found) = checked(clauses);
        found
            .iter()
            .flat_map(|said| said.notes.clone())
            .filter(|note| note.contains("other"))
            .collect::<Vec<_>>()
    };
    let again =
        |events: &str| format!("trace {events} if comm == \"a\" {{ trigger stacktrace if prio > 5; }}");
    assert_eq!(notes(&again("sched:sched_waking")), [""; 0], "checked for the recording and for the trigger");
    assert_eq!(
        notes(&again("{sched:sched_waking, sched:sched_wakeup}")),
        ["the same for 1 other event of the group"]
    );
}

/// The guess that a lint offers, applied to the condition.
#[track_caller]
fn guessed(event: &str, condition: &str) -> Option<String> {
    let (text, found) = checked(&format!("trace {event} if {condition};"));
    let [said] = &found[..] else { panic!("{condition}\n{found:#?}") };
    let fix = said.fixes.first()?;
    let mended = tracec_compiler::diagnostic::fix::apply(&text, &fix.edits.iter().collect::<Vec<_>>());
    let (_, condition) = mended.split_once(" if ")?;
    Some(condition.trim_end_matches(";\n}\n").to_owned())
}

#[test]
fn unsigned_differences_are_reported_where_they_can_wrap() {
    let block = "block:block_rq_issue";
    let kmalloc = "kmem:kmalloc";
    for (event, condition, mended) in [
        // 32 bits and 32 bits: the sum has room in 64.
        (block, "bytes - nr_sector > 64", Some("bytes > nr_sector + 64")),
        (block, "bytes - nr_sector <= ioprio", Some("bytes <= nr_sector + ioprio")),
        (block, "bytes - 512 >= 64", Some("bytes >= 512 + 64")),
        (block, "bytes + 1 - nr_sector * 512 < 8", None),
        // 64 bits: the sum may wrap as well.
        (kmalloc, "bytes_alloc - bytes_req > 64", None),
        (block, "sector - nr_sector > sector", None),
        // In parentheses, on the right, or beside what is looser than a sum, operators do not change places.
        (block, "(bytes - nr_sector) > 64", None),
        (block, "64 < bytes - nr_sector", None),
        (block, "bytes - nr_sector > ioprio & 7", None),
    ] {
        let (id, at, _) = only(&format!("trace {event} if {condition};"));
        assert_eq!(id, "T0229", "{condition}");
        assert!(at.contains(" - ") && condition.contains(&at), "{condition}: {at}");
        assert_eq!(guessed(event, condition).as_deref(), mended, "{condition}");
    }
    for (event, condition) in [
        // With a sign; with the order of no size; where the first is never the smaller one.
        ("sched:sched_switch", "prev_prio - next_prio > 5"),
        (block, "bytes as s64 - nr_sector as s64 > 64"),
        (block, "bytes - nr_sector == 64"),
        (block, "0xffffffff - bytes > 64"),
        (block, "16 - (ioprio & 7) > 10"),
        (block, "bytes > nr_sector + 64"),
        (block, "nr_sector > 64 - 2"),
        // What an operation leaves of the first.
        (block, "bytes - bytes % 512 > 64"),
        (block, "bytes - (bytes & 511) > 64"),
        (block, "bytes - (511 & bytes) / 2 > 64"),
        (block, "bytes - bytes / 2 > 64"),
        (block, "bytes - (bytes >> 3) > 64"),
        // Something beside the difference says that the first is not the smaller one, before it or behind.
        (block, "bytes > nr_sector && bytes - nr_sector > 64"),
        (block, "bytes - nr_sector > 64 && nr_sector <= bytes"),
        (block, "bytes >= 1024 && bytes - 512 > 64"),
        (block, "bytes == 1024 && (bytes - 512 > nr_sector || dev == 1)"),
        (block, "dev == 1 || bytes > nr_sector && bytes - nr_sector > 64"),
        (block, "bytes < nr_sector || bytes - nr_sector > 64"),
        (block, "!(bytes < nr_sector) && bytes - nr_sector > 64"),
        (block, "bytes != 0 && bytes - 1 > nr_sector"),
    ] {
        let (_, found) = checked(&format!("trace {event} if {condition};"));
        assert_eq!(found, [], "{condition}");
    }
    // What has to hold too may stand in the clause's head, or in another item of its block.
    for clause in [
        "if bytes > nr_sector { filter bytes - nr_sector > 64; }",
        "if bytes > nr_sector { filter in kernel nr_sector == 8; filter bytes - nr_sector > 64; }",
        "if bytes - nr_sector > 64 { filter bytes > nr_sector; }",
        "{ filter bytes - nr_sector > 64; filter bytes > nr_sector; }",
    ] {
        let (_, found) = checked(&format!("trace {block} {clause}"));
        assert_eq!(found, [], "{clause}");
    }
    // A `filter` narrows recording alone: where a trigger acts, what it says need not hold.
    for clause in [
        "if bytes - nr_sector > 64 { filter bytes > nr_sector; trigger stacktrace; }",
        "{ filter bytes > nr_sector; trigger stacktrace if bytes - nr_sector > 64; }",
    ] {
        let (_, found) = checked(&format!("trace {block} {clause}"));
        assert!(found.iter().any(|said| said.code.id == "T0229"), "{clause}: {found:#?}");
    }
    // Beside these it can.
    for condition in [
        "bytes > nr_sector || bytes - nr_sector > 64",
        "bytes < nr_sector && bytes - nr_sector > 64",
        "(bytes > nr_sector || dev == 1) && bytes - nr_sector > 64",
        "bytes > 511 && bytes - 513 > nr_sector",
        "bytes - nr_sector % 512 > 64",
    ] {
        let (_, found) = checked(&format!("trace {block} if {condition};"));
        assert!(found.iter().any(|said| said.code.id == "T0229"), "{condition}: {found:#?}");
    }
}

/// What is quoted, and what is advised, means what was written.
#[test]
fn parts_of_a_difference_keep_their_parentheses() {
    for (condition, difference, help) in [
        ("bytes - (nr_sector & 511) > 64", "`bytes - (nr_sector & 511)` wraps", None),
        (
            "64 < bytes - (nr_sector & 511)",
            "`bytes - (nr_sector & 511)` wraps",
            Some("write `as s64` behind `bytes` and `(nr_sector & 511)` for"),
        ),
        (
            "64 < (bytes >> 1) - nr_sector * 512",
            "`(bytes >> 1) - nr_sector * 512` wraps",
            Some("write `as s64` behind `(bytes >> 1)` and `(nr_sector * 512)` for"),
        ),
        ("64 < 4096 - nr_sector", "`4096 - nr_sector` wraps", Some("write `as s64` behind `nr_sector` for")),
    ] {
        let (_, found) = checked(&format!("trace block:block_rq_issue if {condition};"));
        let [said] = &found[..] else { panic!("{condition}\n{found:#?}") };
        assert!(said.message.starts_with(difference), "{condition}: {}", said.message);
        let helps = said.helps.iter().any(|text| help.is_some_and(|help| text.starts_with(help)));
        assert_eq!(helps, help.is_some(), "{condition}: {:?}", said.helps);
    }
}

#[test]
fn patterns_where_none_are_accepted_are_reported() {
    let switch = "sched:sched_switch";
    for (condition, mended) in [
        ("prev_comm == \"ba*\"", Some("prev_comm ~ \"ba*\"")),
        ("prev_comm != \"ba*\"", Some("prev_comm !~ \"ba*\"")),
        ("\"ba*\" == prev_comm", None),
        ("prev_comm in {\"ba*\", \"sh\"}", Some("prev_comm ~ {\"ba*\", \"sh\"}")),
    ] {
        let (id, at, _) = only(&format!("trace {switch} if {condition};"));
        assert_eq!((id, at.as_str()), ("T0228", "\"ba*\""), "{condition}");
        assert_eq!(guessed(switch, condition).as_deref(), mended, "{condition}");
    }
    let (id, at, _) = only("trace sched:sched_switch if prev_comm ~ \".*bash\";");
    assert_eq!((id, at.as_str()), ("T0223", "\".*bash\""));
    assert_eq!(guessed(switch, "prev_comm ~ \".*bash\"").as_deref(), Some("prev_comm ~ \"*bash\""));
}

/// What is said beside the mistake helps with the mistake.
#[test]
fn help_is_about_what_was_written() {
    let said = |event: &str, condition: &str| {
        let (_, found) = checked(&format!("trace {event} if {condition};"));
        let [said] = &found[..] else { panic!("{condition}\n{found:#?}") };
        (said.code.id, said.notes.join("; "), said.helps.join("; "))
    };
    let openat = "syscalls:sys_enter_openat";
    assert_eq!(guessed(openat, "dfd == 0xffffff9c").as_deref(), Some("dfd == -100"));
    assert_eq!(guessed(openat, "dfd in {3, 0xffffff9c}").as_deref(), Some("dfd in {3, -100}"));
    // More bits than the field has are not a number of it.
    assert_eq!(guessed(openat, "dfd == 0x1ffffff9c"), None);
    let (id, notes, helps) = said("sched:sched_switch", "prev_pid > 10ms");
    assert_eq!((id, helps.contains(" as us")), ("T0201", false));
    assert!(notes.contains("does not say in which unit"), "{notes}");
    // The event prints `runtime=%Lu [ns]`.
    let stat = "sched:sched_stat_runtime";
    assert_eq!(guessed(stat, "runtime > 10ms").as_deref(), Some("runtime > 10ms as ns"));
    assert_eq!(guessed(stat, "runtime > (1ms + 2ms)").as_deref(), Some("runtime > (1ms + 2ms) as ns"));
    let (_, notes, helps) = said(stat, "runtime + 1 > 10ms");
    assert_eq!((notes.as_str(), helps.as_str()), ("`runtime + 1` is a plain number", ""));
    let (_, unknown) = checked("trace sched:sched_switch if pid == 1;");
    let near: Vec<&str> = unknown[0].fixes.iter().map(|fix| fix.edits[0].text.as_str()).collect();
    assert_eq!((unknown[0].code.id, &near[..2]), ("T0102", &["current.pid", "next_pid"][..]));
    assert_eq!(guessed("sched:sched_switch", "prev_comm == 0").as_deref(), Some("prev_comm == \"\""));
    let (id, _, helps) = said(openat, "filename == 0");
    assert_eq!(id, "T0201");
    assert!(helps.contains("`filename.ustring == \"\"`"), "{helps}");
    let (_, found) = checked(&format!("trace {openat} if filename.ustring == \"\";"));
    assert_eq!(found, []);
}

/// However many atoms there are, something is said where something is to be said, and no more than is shown. What it
/// costs is measured by the benchmark `check`.
#[test]
fn lints_of_long_conditions_are_reported() {
    const ATOMS: usize = 1000;
    let joined = |atom: &dyn Fn(usize) -> String, by: &str| (0..ATOMS).map(atom).collect::<Vec<_>>().join(by);
    let constants = joined(&|i| format!("prev_prio - {i} > 5000000000"), " || ");
    let pairs = joined(&|i| format!("prev_pid == {i} && prev_prio - {i} < 5000000000"), " || ");
    let redundant = joined(&|i| format!("prev_comm != \"b{i}\""), " && ");
    for (name, condition, wanted) in [
        ("constants", constants, 1),
        ("pairs", format!("prev_pid == 4 && ({pairs})"), 201),
        ("redundant", format!("prev_comm == \"a\" && {redundant}"), 201),
    ] {
        let (_, found) = checked(&format!("trace sched:sched_switch if {condition};"));
        assert_eq!(found.len(), wanted, "{name}");
    }
}

/// The parts that one part contradicts are one mistake together; other mistakes are reported up to a limit.
#[test]
fn contradictions_of_many_parts_are_reported_in_few_words() {
    let any =
        |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(" || ");
    for count in [2, 3, 300] {
        let of_one = [
            any(count, &|i| format!("prev_pid == {i}")),
            any(count, &|i| format!("prev_pid == {i} && prev_prio == {i}")),
            any(count, &|i| {
                format!("prev_pid < {} && (prev_pid == {i} || prev_pid == 7 && next_pid == 3)", 2000 + i)
            }),
        ];
        for parts in of_one {
            let (_, found) = checked(&format!("trace sched:sched_switch if prev_pid > 1000 && ({parts});"));
            let [said] = &found[..] else { panic!("{count}: {parts}\n{found:#?}") };
            assert!(
                said.message.ends_with(" are never true together with `prev_pid > 1000`"),
                "{}",
                said.message
            );
            assert!(said.secondary.len() <= 3, "{:?}", said.secondary);
        }
    }
    let more = |said: &Diagnostic| said.notes.iter().find(|note| note.contains("more part")).cloned();
    for (count, reported, note) in [
        (2, 2, None),
        (10, 10, None),
        (11, 10, Some("1 more part of this condition contradicts another")),
        (300, 10, Some("290 more parts of this condition contradict others")),
    ] {
        let parts = any(count, &|i| format!("prev_pid == {i} && prev_pid > {i}"));
        let (_, found) =
            checked(&format!("trace sched:sched_switch if {parts} || next_pid == 1 || next_pid == 1;"));
        // The last is that one stands there twice.
        let (last, contradictions) = found.split_last().expect("what is found");
        assert_eq!((last.code.id, contradictions.len()), ("T0227", reported), "{count}");
        assert_eq!(contradictions.last().and_then(more).as_deref(), note, "{count}");
        assert!(
            contradictions
                .split_last()
                .is_some_and(|(_, before)| before.iter().all(|said| more(said).is_none()))
        );
    }
}

#[test]
fn warnings_alone_never_are_too_many() {
    let others: String = (0..250).map(|i| format!(" && prev_comm != \"b{i}\"")).collect();
    let clause = format!("trace sched:sched_switch if prev_comm == \"a0\"{others};");
    let (_, found) = checked(&clause);
    assert!(found.iter().all(|said| said.severity == Severity::Warning), "{found:#?}");
    let (last, shown) = found.split_last().expect("warnings");
    assert_eq!(
        (shown.len(), last.code.id, last.message.as_str()),
        (200, "T0002", "50 more warnings are not shown")
    );
    // Errors have their own room, and one that is dropped is an error.
    let (_, found) = checked(&format!("{clause} trace sched:nothing;"));
    assert!(found.iter().any(|said| said.code.id == "T0101"), "{found:#?}");
    let errors: String = (0..250).map(|i| format!("trace sched:nothing_{i};")).collect();
    let (_, found) = checked(&errors);
    let last = found.last().expect("errors");
    assert_eq!((found.len(), last.code.id, last.severity), (201, "T0002", Severity::Error));
    // Also where warnings of the target join them.
    let source = text(&format!("session s {{ {errors} scope cgroup \"a\"; }}"));
    let foreseen = analyse(Input::new(&source, &Copy), Choice::All).foreseen(&Copy);
    assert!(foreseen.iter().any(|said| said.code.id == "T0403"), "{foreseen:#?}");
    assert_eq!(foreseen.last().map(|said| said.code.id), Some("T0002"));
}

/// After a syntax error a condition is not what was written: no lint is about it, and it is not shown.
#[test]
fn what_was_not_written_is_neither_judged_nor_explained() {
    let good = "session good { trace sched:sched_waking if prio > 5; }";
    let explained = |text: &str| {
        let source = common::text(text);
        let analysis = tracec_compiler::analyse(
            tracec_compiler::Input::new(&source, &Copy),
            tracec_compiler::Choice::Some,
        );
        let complete = analysis.module.sessions.iter().filter(|session| session.complete);
        (complete.map(|session| session.name.clone()).collect::<Vec<_>>(), analysis.diagnostics)
    };
    for condition in [
        "prev_pid == 3 && prev_state !in {5}",
        "prev_state == 18446744073709551616",
        "prev_state == 5 && prev_state !in {5}",
        "prev_pid == 3 && prev_comm == 5",
        "prev_pid == 3 && no_such_field == 5",
    ] {
        let bad = format!("session bad {{ trace sched:sched_switch if {condition}; }}");
        let (names, found) = explained(&format!("{bad}\n{good}\n"));
        assert_eq!(names, ["good"], "{condition}");
        let lints = found.iter().filter(|said| said.severity == Severity::Warning).count();
        assert_eq!((lints, found.len()), (0, 1), "{condition}: {found:#?}");
        // Also where it is included, before or behind.
        let includes = "session includes { include bad; }";
        for text in [format!("{bad}\n{includes}\n{good}"), format!("{includes}\n{good}\n{bad}")] {
            assert_eq!(explained(&text).0, ["good"], "{text}");
        }
    }
    // Of errors of placement is shown what they are about.
    let refused =
        "session refused { trace sched:sched_switch { trigger stacktrace if prev_prio - next_prio == 3; } }";
    let (names, found) = explained(&format!("session includes {{ include refused; }}\n{refused}\n{good}"));
    assert_eq!(names, ["includes", "refused", "good"]);
    assert!(found.iter().any(|said| said.severity == Severity::Error), "{found:#?}");
    // What stands outside of sessions may be in any of them.
    assert_eq!(explained(&format!("const LOW = ;\n{good}")).0, Vec::<String>::new());
}

/// A class that holds nothing matches nothing.
#[test]
fn empty_classes_are_reported() {
    for (condition, says) in [
        ("prev_comm ~ \"a[z-a]*\"", "this condition is never true"),
        ("prev_comm !~ \"[z-a]\"", "this condition is always true"),
    ] {
        let (_, found) = checked(&format!("trace sched:sched_switch if {condition};"));
        let said = found.iter().find(|said| said.code.id == "T0210");
        assert_eq!(said.map(|said| said.message.as_str()), Some(says), "{condition}");
    }
    for condition in ["prev_comm ~ \"[!z-a]*\"", "prev_comm ~ \"[z-ab]*\""] {
        assert_eq!(checked(&format!("trace sched:sched_switch if {condition};")).1, [], "{condition}");
    }
}

/// The kernel's reading of a number is stated only where it differs.
#[test]
fn numbers_out_of_range_are_reported_with_their_range() {
    for (event, condition, note, help) in [
        ("signal:signal_generate", "sig == 4294967306", "truncate", ""),
        (
            "syscalls:sys_enter_openat",
            "mode == -1",
            "a negative number",
            "no record has a value below 0; if 0 is meant, write `mode == 0`",
        ),
        (
            "block:block_rq_issue",
            "sector == -1",
            "a negative number",
            "`sector as s64` gives the number a sign",
        ),
        ("sched:sched_switch", "cpu == -1", "", ""),
        ("syscalls:sys_enter_openat", "dfd == 0x1ffffff9c", "", ""),
    ] {
        let (_, found) = checked(&format!("trace {event} if {condition};"));
        let [said] = &found[..] else { panic!("{condition}\n{found:#?}") };
        assert_eq!(said.code.id, "T0202", "{condition}");
        let notes = said.notes.join("; ");
        assert!(notes.contains(note) && notes.is_empty() == note.is_empty(), "{condition}: {notes}");
        assert_eq!(said.helps.join("; "), help, "{condition}");
    }
}

/// A machine with some CPUs: the one that runs, or one whose kernel was saved. With none it does not say which.
struct SomeCpus {
    cpus: &'static [u32],
    is_running: bool,
}

impl KernelSource for SomeCpus {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Copy.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        match path {
            "per_cpu" if self.cpus.is_empty() => {
                Err(KernelError { path: path.to_owned(), reason: "Permission denied".to_owned() })
            }
            "per_cpu" => Ok(self.cpus.iter().map(|cpu| format!("cpu{cpu}")).collect()),
            path => Copy.directories(path),
        }
    }

    fn feature(&self, name: &str) -> Support {
        Copy.feature(name)
    }

    fn describe(&self) -> String {
        Copy.describe()
    }

    fn is_running(&self) -> bool {
        self.is_running
    }
}

/// How many CPUs a machine has is only sure of the one that runs.
#[test]
fn cpus_are_those_of_the_machine_that_runs() {
    let codes = |clauses: &str, kernel: &dyn KernelSource| {
        let found = check(&text(&format!("session s {{ {clauses} }}")), kernel);
        found.iter().map(|said| (said.code.id, said.severity)).collect::<Vec<_>>()
    };
    let scope = "scope cpus 0-3; trace sched:sched_switch;";
    let condition = "trace sched:sched_switch if cpu & CPUS{0-3};";
    // The copy has no directory for each CPU, and neither has what is shipped.
    assert_eq!((codes(scope, &Copy), codes(condition, &Copy)), (vec![], vec![]));
    let cpus = &[0, 1];
    let (running, saved) = (SomeCpus { cpus, is_running: true }, SomeCpus { cpus, is_running: false });
    assert_eq!(codes(scope, &running), [("T0317", Severity::Error)]);
    assert_eq!(codes(scope, &saved), [("T0245", Severity::Warning)]);
    for kernel in [&running, &saved] {
        assert_eq!(codes(condition, kernel), [("T0245", Severity::Warning)]);
        assert_eq!(codes("scope cpus 0-1; trace sched:sched_switch;", kernel), []);
    }
    assert_eq!(
        codes("scope cpus 4294967296; trace sched:sched_switch;", &saved),
        [("T0317", Severity::Error)]
    );
}

/// Each condition on CPUs has a note that the machine does not say which it has.
#[test]
fn cpus_that_cannot_be_read_are_reported() {
    let kernel = SomeCpus { cpus: &[], is_running: true };
    for clause in ["scope cpus 0-3;", "trace sched:sched_waking if cpu & CPUS{0-3};"] {
        let found = check(&text(&format!("session s {{ {clause} trace sched:sched_switch; }}")), &kernel);
        let said: Vec<_> = found.iter().map(|said| (said.code.id, said.message.to_string())).collect();
        assert_eq!(said, [("T0512", "cannot read per_cpu: Permission denied".to_owned())], "{clause}");
    }
}

/// Possible CPUs may have gaps between them: what the machine can have goes to the last, however many there are.
#[test]
fn cpus_with_gaps_go_to_the_last() {
    let kernel = SomeCpus { cpus: &[0, 1, 8, 9], is_running: true };
    let said = |clauses: &str| {
        let found = check(&text(&format!("session s {{ {clauses} }}")), &kernel);
        found
            .iter()
            .map(|said| (said.code.id, said.primary.clone().map(|label| label.text)))
            .collect::<Vec<_>>()
    };
    for clauses in [
        "trace sched:sched_switch if cpu & CPUS{0,9};",
        "trace sched:sched_switch if cpu == CPUS{8};",
        "scope cpus 8-9; trace sched:sched_switch;",
    ] {
        assert_eq!(said(clauses), [], "{clauses}");
    }
    let above = "the test kernel has no CPU above 9".to_owned();
    assert_eq!(said("trace sched:sched_switch if cpu & CPUS{0,10};"), [("T0245", Some(above.clone()))]);
    assert_eq!(said("scope cpus 8-10; trace sched:sched_switch;"), [("T0317", Some(above))]);
}

#[test]
fn parts_are_quoted_as_they_are_written() {
    for (condition, message) in [
        (
            "prev_state == 0x40 && prev_state == 0x41",
            "`prev_state == 0x41` is never true together with `prev_state == 0x40`",
        ),
        (
            "(cpu & CPUS{0,3}) && !(cpu == 0x0 || cpu == 3)",
            "`!(cpu == 3)` is never true together with `cpu & CPUS{0,3}`, `!(cpu == 0x0)`",
        ),
        (
            "prev_prio in {0x1, 2} && prev_prio == 0x3",
            "`prev_prio == 0x3` is never true together with `prev_prio in {0x1, 2}`",
        ),
        // Parentheses around all of it are not quoted, and neither are two lines or invisible characters.
        (
            "((prev_prio == 0x1)) && (prev_prio) == 0x2",
            "`(prev_prio) == 0x2` is never true together with `prev_prio == 0x1`",
        ),
        (
            "prev_prio == 0x1 && prev_prio ==\n0x2",
            "`prev_prio == 2` is never true together with `prev_prio == 0x1`",
        ),
        (
            "prev_comm == \"a\u{2028}\" && prev_comm\t== \"c\"",
            "`prev_comm == \"c\"` is never true together with `prev_comm == \"a\\u{2028}\"`",
        ),
        // A part that is not an atom is shown as its atoms.
        (
            "!(prev_comm !~ \"a*\") && prev_comm !~ \"a*\"",
            "`!(prev_comm ~ \"a*\")` is never true together with `prev_comm ~ \"a*\"`",
        ),
        (
            "prev_comm in {\"a\", \"b\"} && prev_comm == \"\\u{63}\"",
            "`prev_comm == \"a\"`, `prev_comm == \"b\"` are never true together with `prev_comm == \"\\u{63}\"`",
        ),
    ] {
        let (_, found) = checked(&format!("trace sched:sched_switch if {condition};"));
        let messages: Vec<&str> = found.iter().map(|said| said.message.as_str()).collect();
        assert_eq!(messages, [message], "{condition}");
    }
}

#[test]
fn a_number_that_has_one_value_is_no_range() {
    let (_, found) = checked("trace sched:sched_switch if prev_prio & 0 == 0 || next_prio == 1;");
    let notes: Vec<&[String]> = found.iter().map(|said| &said.notes[..]).collect();
    assert_eq!(notes, [["the value is always 0".to_owned()]]);
}

#[test]
fn characters_that_change_the_direction_of_text_are_marked() {
    let clause = "trace sched:sched_switch if prev_comm";
    for (text, fix) in [
        (
            format!("{clause} == \"a\u{202e}\";"),
            Some(("write `\\u{202e}`", "\\u{202e}", Applicability::Always)),
        ),
        (format!("{clause} == \"b\"; // \u{202e}"), Some(("remove it", "", Applicability::Maybe))),
        (format!("/* \u{202e} */ {clause} == \"b\";"), Some(("remove it", "", Applicability::Maybe))),
        (format!("{clause} == r\"a\u{202e}\";"), None),
    ] {
        assert_eq!(only(&text), ("T0040", "\u{202e}".to_owned(), vec![]), "{text}");
        let (_, found) = checked(&text);
        let fixes = found[0].fixes.iter();
        let fixes: Vec<_> =
            fixes.map(|fix| (fix.title.as_str(), fix.edits[0].text.as_str(), fix.applicability)).collect();
        assert_eq!(fixes, Vec::from_iter(fix), "{text}");
    }
    let (_, found) = checked(&format!("lint allow text-direction;\n{clause} == \"a\u{202e}\";"));
    assert_eq!(found, []);
    // Elsewhere it is a mistake, which is reported once.
    let (_, found) = checked(&format!("{clause}\u{202e} == \"a\";"));
    assert_eq!(found.iter().map(|said| said.code.id).collect::<Vec<_>>(), ["T0004"]);
}
