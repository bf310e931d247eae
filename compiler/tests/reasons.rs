//! What is said is the reason, speaks of what was written, and names what could have been meant.

mod common;

use common::{Copy, check, text};
use tracec_compiler::{Input, KernelError, KernelSource, Options, compile};
use tracec_kernel::plan::InstanceName;

/// The message, the labels, notes and helps of the one thing that is found.
#[track_caller]
fn words(source: &str) -> (&'static str, String) {
    let found = check(&text(source), &Copy);
    let [said] = &found[..] else { panic!("{source}\n{found:#?}") };
    let labels = said.primary.iter().chain(&said.secondary).map(|label| label.text.to_string());
    let rest = labels.chain(said.notes.iter().chain(&said.helps).map(|text| text.to_string()));
    (said.code.id, std::iter::once(said.message.to_string()).chain(rest).collect::<Vec<_>>().join("; "))
}

/// What is said is the reason, and of the thing that was written.
#[test]
fn reasons_are_those_of_the_mistake() {
    let switch =
        |condition: &str| words(&format!("session s {{ trace sched:sched_switch if {condition}; }}"));
    for ((code, said), wanted, reported, never) in [
        (switch("prev_prio & 4 == 3"), "T0202", "0x3 has the bits 0x3, which", "0 to 4"),
        (switch("prev_prio & 0 == 3"), "T0202", "the mask keeps no bit", "0x0"),
        (switch("prev_prio & 6 == 0xb"), "T0202", "the bits 0x9, which", "0 to 6"),
        (
            switch(&format!("prev_comm == \"{}\"", "x".repeat(1234))),
            "T0203",
            "a string of 1,234 bytes",
            "1234",
        ),
        (
            words(&format!("session s {{ marker \"{}\"; trace sched:sched_switch; }}", "x".repeat(2345))),
            "T0319",
            "it has 2,345 bytes, and kernels such as 6.1 keep 1,024",
            "2345",
        ),
        (switch("prev_prio & 0x100000000"), "T0202", "`prev_prio` has 32 bits", "holds"),
        (switch("prev_prio as s8 & CPUS{200}"), "T0202", "holds -128 to 127", "holds 0"),
        (
            switch("prev_prio in {0..=2147483648}"),
            "T0202",
            "holds -2147483648 to 2147483647",
            "the same bits",
        ),
        (switch("prev_prio in {next_prio}"), "T0208", "`prev_prio == next_prio`", "constant with"),
        (switch("5 in {prev_prio}"), "T0208", "`5 == prev_prio`", "two constants"),
        (switch("prev_prio as bool"), "T0246", "`prev_prio != 0` asks", "low byte"),
        (switch("cpu & 1"), "T0205", "`cpu & CPUS{0}` to test", "the operators"),
        (switch("0x25 & current.cpu"), "T0205", "`current.cpu & CPUS{0,2,5}` to test", "`cpu "),
        (switch("cpu & 0"), "T0205", "`cpu & CPUS{..}` to test", "!= 0"),
        (switch("cpu & 0x80000000"), "T0205", "`cpu & CPUS{31}` to test", "!= 0"),
        (switch("cpu & prev_prio"), "T0205", "`cpu & prev_prio != 0` to test bits", "CPUS{0"),
        (switch("cpu & CPUS"), "T0102", "`CPUS{0-3}`", "did you mean"),
        (switch("!prev_comm == \"bash\""), "T0207", "not a string; negates a condition; a string", "integer"),
        (switch("!prev_prio == 3"), "T0207", "not an integer", "string"),
        (switch("prev_prio == fe80::1"), "T0222", "has 16 bytes, and integers in records", "__be32"),
        (switch("prev_prio == 10.0.0.1"), "T0222", "`__be32`", "16 bytes"),
        (
            words(
                "enum Status : u32 { Ok = 0, Err = 1 } \
                 session s { trace sched:sched_switch if prev_prio as Status == Okk; }",
            ),
            "T0129",
            "`Status` has Ok, Err",
            "kernel prints",
        ),
        (
            words("session s { trace irq:softirq_entry if vec == TIMMER; }"),
            "T0129",
            "prints its values as HI",
            "``",
        ),
        (
            words("session s { trace {sched:*, block:*} having prev_prio, bytes; }"),
            "T0126",
            "left has a field `bytes`; no event is left; removes",
            "no event has",
        ),
        (
            words("session s { trace sched:* having prev_pio if prev_pio > 3; }"),
            "T0126",
            "no event has a field",
            "left has",
        ),
        (
            words("session s { stop on sched:sched_switch count 0; trace sched:sched_waking; }"),
            "T0313",
            "the count of `stop on EVENT`",
            "trigger",
        ),
        (words("session s { trace sched:sched_switch; ring last 0s; }"), "T0306", "`ring last 30s;`", "stop"),
        (
            words("session s { trace sched:sched_switch; stop after 0s; }"),
            "T0306",
            "`stop after 30s;`",
            "ring",
        ),
        (
            words("session s { trace sched:sched_switch; option record_cmd off; }"),
            "T0304",
            "option `record-cmd`",
            "tgid",
        ),
        (words("session s { trace sched:sched_switch; queue 0MiB; }"), "T0305", "`queue 256MiB;`", "buffer"),
        (
            words("session s { trace sched:sched_switch; subbuffer 513KiB; }"),
            "T0305",
            "the kernel takes at most 512KiB",
            "queue",
        ),
        (
            words("session s { global discarding { cmdlines 32769; } trace sched:sched_switch; }"),
            "T0331",
            "expected 1 to 32768",
            "buffer",
        ),
        (
            words("session s { trace sched:sched_switch; rotate every 16; }"),
            "T0305",
            "`rotate every 1GiB;`",
            "buffer",
        ),
        (
            words("session s { trace sched:sched_switch; rotate every 1GiB max 0; }"),
            "T0313",
            "the number of files must not be 0",
            "dump",
        ),
        (
            words("session s { trace sched:sched_switch; queue 16; }"),
            "T0305",
            "a number without a unit",
            "buffer",
        ),
        (
            words("session s { trace sched:sched_switch; buffer 1B per cpu; }"),
            "T0305",
            "less than 1 KiB per CPU",
            "unit",
        ),
        (
            words("session s { trace sched:sched_switch; buffer 1023B; }"),
            "T0305",
            "less than 1 KiB per CPU",
            "unit",
        ),
    ] {
        assert_eq!(code, wanted, "{said}");
        assert!(said.contains(reported) && !said.contains(never), "{wanted}: {said}");
    }
    let found = check(&text("session s { trace sched:sched_switch; buffer 1025B per cpu; }"), &Copy);
    assert_eq!(found, []);
}

/// A field whose values are printed by names that only the kernel's own source knows as numbers.
#[test]
fn names_without_numbers_are_reported_as_such() {
    struct Unresolved;

    impl KernelSource for Unresolved {
        fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
            let text = Copy.read(path)?;
            let is_event = path == "events/irq/softirq_entry/format";
            Ok(text.map(|text| match text.split_once("print fmt:") {
                Some((head, _)) if is_event => {
                    format!("{head}print fmt: \"%s\", __print_symbolic(REC->vec, {{ HI_SOFTIRQ, \"HI\" }})\n")
                }
                _ => text.clone(),
            }))
        }

        fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
            Copy.directories(path)
        }

        fn describe(&self) -> String {
            Copy.describe()
        }
    }

    let found = check(&text("session s { trace irq:softirq_entry if vec == HI; }"), &Unresolved);
    let [said] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(said.code.id, "T0129");
    assert!(said.notes.iter().any(|note| note.contains("their numbers are unknown")), "{:?}", said.notes);
}

/// A name that is none has neighbours among all that could stand there.
#[test]
fn every_kind_of_name_is_suggested() {
    for (source, place, near) in [
        (
            "session s(minimum: u32 = 5) { trace sched:sched_switch if prev_pid > minimun; }",
            "minimun",
            "minimum",
        ),
        (
            "const LIMIT: u32 = 5; session s { trace sched:sched_switch if prev_pid > LIMTI; }",
            "LIMTI",
            "LIMIT",
        ),
        ("const LIMIT: u32 = 5; session s { trace irq:softirq_entry if vec == LIMTI; }", "LIMTI", "LIMIT"),
        (
            "enum Status : u32 { Ready = 1 } session s { trace sched:sched_switch if prev_pid == Raedy; }",
            "Raedy",
            "Status::Ready",
        ),
        ("session s { trace sched:sched_switch if CPU & 1; }", "CPU", "cpu"),
        ("session s { trace sched:sched_switch if CPU & 1 == 1; }", "CPU", "cpu"),
        ("session s { trace sched:sched_switch if CPU == CPUS{0-1}; }", "CPU", "cpu"),
        ("session s { trace sched:sched_switch if CPU & CPUS{0-1}; }", "CPU", "cpu"),
        ("session s { trace sched:sched_switch if CPU == 1; }", "CPU", "cpu"),
    ] {
        let found = check(&text(source), &Copy);
        let [said] = &found[..] else { panic!("{source}\n{found:#?}") };
        let edits: Vec<(&str, &str)> = said
            .fixes
            .iter()
            .flat_map(|fix| &fix.edits)
            .map(|edit| (&source[edit.span.range()], edit.text.as_str()))
            .collect();
        assert!(edits.contains(&(place, near)), "{source}: {} {edits:?}", said.message);
    }
}

/// A condition over a group that has no place is reported for one event, with the number of the others.
#[test]
fn events_of_a_group_without_a_place_are_counted() {
    let condition = "current.comm == \"a\" || prio + pid > 3";
    let clause = format!("trace {{sched:sched_wakeup, sched:sched_waking}} if {condition};");
    let source = text(&format!("session s {{ {clause} }}"));
    let instance = InstanceName::new("test").expect("a valid name");
    let found = compile(Input::new(&source, &Copy), &Options::new(None, instance)).diagnostics;
    let [said] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(said.code.id, "T0404");
    assert!(said.notes.iter().any(|note| note == "the same for 1 other event of the group"), "{said:#?}");
}

/// Wherever the process id is asked for, the help offers nothing that would be refused as well.
#[test]
fn process_id_is_refused_in_every_clause() {
    let instance = || InstanceName::new("test").expect("a valid name");
    let unknown = "the kernel's filter does not know the process id of the task";
    for (clause, code) in [
        ("trace sched:sched_switch if current.tgid == 5;", "T0404"),
        ("trace sched:sched_switch if prev_prio == 1 && current.tgid + 1 in {5, 7};", "T0404"),
        ("trace sched:sched_switch { filter in kernel current.tgid == 5; }", "T0404"),
        ("trace sched:sched_switch if current.tgid == current.pid;", "T0404"),
        ("trace sched:sched_switch if prev_prio > next_prio || current.tgid == 5;", "T0404"),
        ("on sched:sched_switch if current.tgid == 5 { trigger traceoff once; }", "T0401"),
    ] {
        let source = text(&format!("session s {{ {clause} }}"));
        let options = Options::new(None, instance());
        let found = compile(Input::new(&source, &Copy), &options).diagnostics;
        let [said] = &found[..] else { panic!("{clause}: {found:#?}") };
        let place = said.primary.as_ref().map(|label| &source.text[label.span.range()]).expect("a place");
        assert_eq!((said.code.id, place.contains("current.tgid")), (code, true), "{place}");
        assert!(said.notes.iter().any(|note| note.ends_with(unknown)), "{said:#?}");
        let by_program = "write `recorder bpf;` in the session, or use `--target bpf`: a program decides it";
        let by_thread = "compare `current.pid`, the id of the thread: the first thread of a process has the id of the process";
        // A program has no triggers.
        let helps = if code == "T0401" { vec![by_thread] } else { vec![by_program, by_thread] };
        assert_eq!(said.helps, helps, "{clause}");
    }
}
