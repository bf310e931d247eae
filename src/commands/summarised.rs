//! The summary of a session that has ended, and the exit status that follows from it.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use tracec::machine_code;
use tracec_compiler::{Diagnostic, Severity};
use tracec_kernel::grouped::Grouped;
use tracec_kernel::plan::{Plan, Watch};
use tracec_runtime::session::{Ended, Kept, Residue, Rounded, Summary};
use tracec_runtime::sink::FileCounts;

use super::dumps;
use super::units::{human, records};
use crate::{machine, print};

/// Reports the things that could not be put back. Returns whether there were any.
pub(super) fn report_residue(residue: &[Residue]) -> bool {
    let reported = machine::residue(residue);
    if let Some(diagnostic) = &reported {
        debug_assert_eq!(diagnostic.severity, Severity::Error);
        print::diagnostics(&super::nowhere(), std::slice::from_ref(diagnostic));
    }
    reported.is_some()
}

/// Returns the text of the summary, of several lines with `with_losses`.
pub(super) fn text(plan: &Plan, summary: &Summary, with_losses: bool) -> String {
    let without_code = summary.without_code.as_deref().map(machine_code::without_code).unwrap_or_default();
    let losses = match with_losses {
        true => losses(&summary.lost, &summary.lost_events, &summary.missed),
        false => String::new(),
    };
    let dumps = summary.dumps.as_ref().map_or(String::new(), |dumped| dumps::lines(dumped, plan));
    let rounded: String = summary.rounded.iter().map(rounded).collect();
    format!("{}\n{dumps}{losses}{rounded}{without_code}", sentence(plan, summary))
}

/// Returns the errors of a session that has ended: the dumps that could not be written, and the pages that could not be read.
pub(super) fn errors(plan: &Plan, summary: &Summary) -> Vec<Diagnostic> {
    let failed = summary.dumps.iter().flat_map(|dumped| &dumped.failed);
    let failed = failed.map(|(path, cause, reason)| machine::dump(plan, *cause, path, reason));
    failed
        .chain(summary.damaged.iter().map(|damaged| machine::damaged(damaged, "the session went on")))
        .collect()
}

/// Returns the exit status of a session that has left nothing behind.
pub(super) fn status(summary: &Summary) -> u8 {
    summary.command_status.map_or(0, command_status)
}

/// Returns the summary: `quickstart: 12 records, nothing lost, ended after 3 s`.
fn sentence(plan: &Plan, summary: &Summary) -> String {
    let lost: u64 = summary.lost.iter().map(|(_, lost)| lost).sum();
    let lost = match lost {
        0 => "nothing lost".to_owned(),
        lost => {
            let mut all = worst(&summary.lost_events, "event");
            all.extend(worst(&by_cpu(&summary.lost), "cpu"));
            format!("{} lost ({})", records(lost), all.join(", "))
        }
    };
    let missed = worst(&summary.missed, "event");
    let missed = match missed.as_slice() {
        [] => String::new(),
        missed => format!(", not seen while another program ran ({})", missed.join(", ")),
    };
    let end = match summary.ended_by {
        Ended::StopAfter => format!("ended after {}", human(plan.life.stop_after.unwrap_or(summary.elapsed))),
        Ended::Signal(signal) => format!("ended by signal {signal} after {}", human(summary.elapsed)),
        Ended::Event(watch) => format!("ended by {} after {}", events(plan, watch), human(summary.elapsed)),
        Ended::Process(id) => format!("ended with process {id} after {}", human(summary.elapsed)),
        Ended::CommandExited(status) => format!("ended with its command ({status})"),
        Ended::Stopped => format!("ended by `tracec stop` after {}", human(summary.elapsed)),
        Ended::Unconfirmed => {
            format!("ended because nobody confirmed it, after {}", human(summary.elapsed))
        }
        Ended::Unattended => "ended because the command that started it was gone".to_owned(),
        Ended::OutputClosed => "ended because its output was closed".to_owned(),
    };
    let dropped = summary
        .dropped
        .map_or(String::new(), |dropped| format!(", {} dropped by the host's conditions", records(dropped)));
    let unknown = match summary.unknown {
        0 => String::new(),
        unknown => format!(", {} of other events left out", Grouped(unknown)),
    };
    let incomplete = match (summary.output_complete, summary.unwritten) {
        (true, _) => String::new(),
        (false, 0) => ", not all of them written".to_owned(),
        (false, rest) => format!(", {} not written", Grouped(rest)),
    };
    let last = plan.life.ring.and_then(|ring| ring.last);
    let kept = summary.kept.map_or(String::new(), |found| {
        kept(found, last, (summary.elapsed, summary.was_cleared), plan.has_dumps())
    });
    let off = if summary.was_off { ", recording was off at the end" } else { "" };
    let running =
        summary.command_running.map_or(String::new(), |pid| format!("; its command still runs (pid {pid})"));
    let files = summary.files.map_or(String::new(), files);
    let records = match summary.dumps.as_ref().filter(|_| plan.has_dumps()) {
        Some(dumped) if summary.kept.is_none() => dumps::count(dumped),
        Some(dumped) => format!("{}, then {}", dumps::count(dumped), records(summary.records)),
        None => records(summary.records),
    };
    format!(
        "{}: {records}{files}{kept}{incomplete}{dropped}{unknown}, {lost}{missed}{off}, {end}{running}",
        plan.session,
    )
}

/// Returns in how many files the records are.
fn files(FileCounts { begun, removed }: FileCounts) -> String {
    let word = if begun == 1 { "file" } else { "files" };
    match removed {
        0 => format!(" in {} {word}", Grouped(begun)),
        removed => format!(" in {} {word} (the oldest {} removed)", Grouped(begun), Grouped(removed)),
    }
}

/// Returns what a ring has kept, of a session that ran for a time.
fn kept(
    Kept { overwritten, since_dump, covered }: Kept,
    last: Option<Duration>,
    (elapsed, was_cleared): (Duration, bool),
    has_dumps: bool,
) -> String {
    let older = format!("({} older ones overwritten)", Grouped(overwritten));
    match (overwritten, covered, last) {
        (0, _, Some(last)) if last < elapsed => format!(" of the last {}", human(last)),
        (0, ..) if since_dump && has_dumps => " since the last dump".to_owned(),
        (0, ..) if since_dump => " since the last snapshot".to_owned(),
        (0, ..) if was_cleared => " since it was cleared".to_owned(),
        (0, ..) => " since it began".to_owned(),
        (_, Some(covered), Some(last)) if covered < last => format!(
            " of the last {} on every CPU {older}, less than the {} asked for: `buffer` is too small",
            human(covered),
            human(last)
        ),
        (_, _, Some(last)) => format!(" of the last {}", human(last)),
        (_, Some(covered), None) => format!(" of the last {} on every CPU {older}", human(covered)),
        (_, None, None) => format!(" {older}"),
    }
}

/// Returns the event that a session waited for, or how many.
fn events(plan: &Plan, watch: usize) -> String {
    match plan.watches.get(watch).map(Watch::events).unwrap_or_default().as_slice() {
        [event] => event.clone(),
        events => format!("one of {} events", events.len()),
    }
}

/// The number of CPUs, and of events, that the summary names.
const NAMED: usize = 8;

/// Returns those that lost most, in their order, and how many more there are of what is called `what`.
fn worst(lost: &[(String, u64)], what: &str) -> Vec<String> {
    let mut named: Vec<usize> = (0..lost.len()).collect();
    named.sort_by_key(|&at| std::cmp::Reverse(lost[at].1));
    named.truncate(NAMED);
    named.sort_unstable();
    let mut texts: Vec<String> =
        named.iter().map(|&at| format!("{}: {}", lost[at].0, Grouped(lost[at].1))).collect();
    match lost.len() - named.len() {
        0 => {}
        1 => texts.push(format!("and 1 more {what}")),
        rest => texts.push(format!("and {rest} more {what}s")),
    }
    texts
}

/// Returns the same with the names of CPUs.
fn by_cpu(lost: &[(u32, u64)]) -> Vec<(String, u64)> {
    lost.iter().map(|(cpu, lost)| (format!("cpu {cpu}"), *lost)).collect()
}

/// Returns a line for each CPU and each event that lost records, and for each event whose program did not see some.
fn losses(cpus: &[(u32, u64)], events: &[(String, u64)], missed: &[(String, u64)]) -> String {
    let lines = |counts: &[(String, u64)], what| -> String {
        let some = counts.iter().filter(|(_, count)| *count > 0);
        some.map(|(name, count)| format!("{name}: {} {what}\n", records(*count))).collect()
    };
    lines(&by_cpu(cpus), "lost")
        + &lines(events, "lost")
        + &lines(missed, "not seen while another program ran")
}

/// Returns the line of a size that the kernel has made another of.
fn rounded(Rounded { file, written, shows }: &Rounded) -> String {
    format!("the kernel has rounded `{file}` to {shows}, from {written}\n")
}

/// Returns the command's exit status as a shell would: 128 and the signal's number if a signal killed it.
fn command_status(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_is_singular() {
        assert_eq!([0, 1, 2, 1024].map(records), ["0 records", "1 record", "2 records", "1,024 records"]);
    }

    #[test]
    fn ring_says_what_it_has_kept() {
        let seconds = Duration::from_secs;
        let said = |overwritten, covered: Option<u64>, last: Option<u64>| {
            let found = Kept { overwritten, since_dump: false, covered: covered.map(seconds) };
            kept(found, last.map(seconds), (seconds(60), false), true)
        };
        assert_eq!(said(0, None, None), " since it began");
        assert_eq!(said(0, None, Some(90)), " since it began");
        assert_eq!(said(0, None, Some(10)), " of the last 10 s");
        assert_eq!(said(7, Some(12), Some(10)), " of the last 10 s");
        assert_eq!(said(7, Some(12), None), " of the last 12 s on every CPU (7 older ones overwritten)");
        assert_eq!(said(7000, None, None), " (7,000 older ones overwritten)");
        let found = Kept { overwritten: 0, since_dump: false, covered: None };
        assert_eq!(kept(found, None, (seconds(60), true), true), " since it was cleared");
        let short = said(7, Some(5), Some(10));
        assert!(short.ends_with(", less than the 10 s asked for: `buffer` is too small"), "{short}");
    }

    #[test]
    fn cpus_that_lost_most_are_named() {
        assert_eq!(worst(&by_cpu(&[(0, 7), (3, 1)]), "cpu"), ["cpu 0: 7", "cpu 3: 1"]);
        let many: Vec<(u32, u64)> = (0..64).map(|cpu| (cpu, u64::from(cpu % 32) * 1000)).collect();
        let many = by_cpu(&many);
        let named = [28, 29, 30, 31, 60, 61, 62, 63].map(|cpu| format!("cpu {cpu}: {},000", cpu % 32));
        assert_eq!(worst(&many, "cpu"), [&named[..], &["and 56 more cpus".to_owned()]].concat());
        assert_eq!(worst(&many[..9], "event").last().map(String::as_str), Some("and 1 more event"));
    }

    #[test]
    fn losses_are_listed_by_cpu_and_by_event() {
        let (cpus, event) = ([(0, 7000), (1, 0), (3, 1)], "sched:sched_switch".to_owned());
        let listed = losses(&cpus, &[(event.clone(), 7001)], &[(event, 2)]);
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(
            lines,
            [
                "cpu 0: 7,000 records lost",
                "cpu 3: 1 record lost",
                "sched:sched_switch: 7,001 records lost",
                "sched:sched_switch: 2 records not seen while another program ran"
            ]
        );
    }
}
