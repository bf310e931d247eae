//! The text of a script, before `body.sh`.

use std::fmt::Write;
use std::time::Duration;

use rustc_hash::FxHashMap;
use tracec_kernel::plan::{Action, Plan, Span, Step, Transaction};
use tracec_kernel::tables::files::SUBBUFFER_SIZE;
use tracec_span::FileId;

use crate::source::{KernelSource, LineEnds, LineIndex, SourceMap, Unit};

/// The part that is the same in every script.
const BODY: &str = include_str!("body.sh");

/// Returns the script of a plan that has no refusals. Every value is quoted, and the text depends only on the
/// arguments.
pub(super) fn script(plan: &Plan, sources: &SourceMap, kernel: &str) -> String {
    let mut locations = Locations::new(sources);
    let transaction = &plan.transaction;
    let mut lines = head(plan, &sources.main().name, kernel);
    let mut set = |name: &str, value: &str| lines.push(format!("{name}={}", quote(value)));
    set("session", &plan.session);
    set("digest", &format!("{:08x}", digest(plan)));
    set("instance", transaction.instance().as_str());
    let (after, whole) = plan.life.stop_after.map(seconds).unwrap_or_default();
    set("after", &after);
    set("after_whole", &whole);
    let output = plan.output.as_ref();
    // A path may also begin with `-` or `&`.
    set("output", &output.map(|output| path(&output.path)).unwrap_or_default());
    set("output_place", &output.map(|output| locations.of(output.origin)).unwrap_or_default());
    let command = plan.life.stop_with_command;
    set("needs_command", &command.map(|clause| locations.of(clause)).unwrap_or_default());
    let written: Vec<&Step> =
        transaction.steps().iter().filter(|step| step.action != Action::Create).collect();
    let (last, others) = match written.split_last() {
        Some((last, others)) => (last_call(last, transaction, &locations.of(last.origin)), others),
        None => (":".to_owned(), &[][..]),
    };
    let calls: Vec<String> =
        others.iter().map(|step| call(step, transaction, &locations.of(step.origin))).collect();
    lines.push(String::new());
    lines.push("# Each step: the clause that asks for it, the file, the value.".to_owned());
    lines.push("steps() {".to_owned());
    // A shell function must contain a command.
    lines.extend(calls.is_empty().then(|| "    :".to_owned()));
    lines.extend(calls.iter().map(|call| format!("    {call}")));
    lines.push("}\n\n# The step that starts the recording.\nlast() {".to_owned());
    lines.push(format!("    {last}\n}}\n"));
    lines.join("\n") + BODY
}

/// Returns the CRC of what a script does, by which it knows its own state file. Where the clauses are in their text
/// does not belong to it.
fn digest(plan: &Plan) -> u32 {
    let after = plan.life.stop_after.map(seconds).unwrap_or_default().0;
    let output = plan.output.as_ref().map(|output| output.path.as_str()).unwrap_or_default();
    let written = plan.transaction.steps().iter().filter_map(|step| step.action.written());
    let mut digest = crc32fast::Hasher::new();
    let mut add = |text: &str| {
        digest.update(text.as_bytes());
        // A NUL is in no name and no value, so that no two lists of them are the same bytes.
        digest.update(&[0]);
    };
    for text in [plan.session.as_str(), plan.transaction.instance().as_str(), &after, output] {
        add(text);
    }
    for (file, value) in written {
        add(&file.to_string());
        add(value);
    }
    digest.finalize()
}

/// Returns what a kernel is. Where it was read from is not said: the same kernel yields the same bytes.
pub(super) fn kernel(kernel: &dyn KernelSource) -> String {
    let release = match kernel.release() {
        release if release.is_empty() => "a kernel of unknown release".to_owned(),
        release => format!("kernel {release}"),
    };
    match kernel.arch() {
        arch if arch.is_empty() => release,
        arch => format!("{release} ({arch})"),
    }
}

fn head(plan: &Plan, source: &str, kernel: &str) -> Vec<String> {
    let (session, instance) = (one_line(&plan.session), plan.transaction.instance());
    let mut lines = vec![
        "#!/bin/sh".to_owned(),
        format!("# The session {session} of {}, made by tracec for {}.", one_line(source), one_line(kernel)),
        "#".to_owned(),
        format!(
            "# It records in instances/{instance} of tracefs and undoes all that it changes. It needs root and a POSIX"
        ),
        "# shell (dash, busybox ash) with cat, dd, id, ls, mkdir, mkfifo, rm, rmdir, sed and sleep."
            .to_owned(),
        "#".to_owned(),
        "#     sh FILE                  record until a signal, or as long as the session says".to_owned(),
        "#     sh FILE run -- COMMAND   record until COMMAND ends".to_owned(),
        "#     sh FILE undo             undo what a killed run has left".to_owned(),
        "#     sh FILE help             list all commands".to_owned(),
        "#".to_owned(),
        "# COMMAND ignores SIGINT and SIGQUIT unless it handles them: a shell cannot reset them for it."
            .to_owned(),
    ];
    for left_out in &plan.left_out {
        lines.push(format!(
            "#\n# {} is left out: it {}.",
            one_line(&left_out.event),
            one_line(&left_out.reason)
        ));
    }
    // A value may contain a `$`, which the quotes keep.
    lines.extend(["#", "# shellcheck disable=SC2016", "set -u", ""].map(str::to_owned));
    lines
}

/// Returns the call of a step. The function is chosen by how the file shows the value that was written.
fn call(step: &Step, transaction: &Transaction, location: &str) -> String {
    let Some((file, value)) = step.action.written() else { return ":".to_owned() };
    let file = file.to_string();
    let arguments = words(&[location, &file, value]);
    match &step.action {
        Action::LeaveOut => format!("leave_out {}", words(&[location])),
        Action::Append { .. } => {
            let (head, tail) = entry(value);
            format!("entry {arguments} {}", words(&[head, &tail]))
        }
        _ if matches!(file.as_str(), "buffer_size_kb" | SUBBUFFER_SIZE) => format!("resize {arguments}"),
        _ if is_flipped(&file, transaction) => format!("flip {arguments}"),
        _ => format!("write {arguments}"),
    }
}

/// Returns the call of the last step.
fn last_call(step: &Step, transaction: &Transaction, location: &str) -> String {
    let Some((file, value)) = step.action.written() else { return ":".to_owned() };
    let file = file.to_string();
    let check = if is_flipped(&file, transaction) { "flip" } else { "same" };
    format!("record {}", words(&[location, &file, value, check]))
}

/// Splits an entry of a list into the words before a colon and the count (`stacktrace:unlimited`), and the end after
/// the count.
///
/// The list shows the remaining count, so it is not compared (`event_trigger_print` in
/// kernel/trace/trace_events_trigger.c).
fn entry(command: &str) -> (&str, String) {
    let (words, condition) = command.split_once(" if ").unwrap_or((command, ""));
    // `enable_event:SYSTEM:EVENT` has two more words than `traceoff`.
    let parts = if words.starts_with("enable_event:") || words.starts_with("disable_event:") { 3 } else { 1 };
    let end = words.match_indices(':').nth(parts - 1).map_or(words.len(), |(at, _)| at);
    let tail = if condition.is_empty() { String::new() } else { format!(" if {condition}") };
    (&words[..end], tail)
}

/// Returns whether triggers of the session can change the value of a switch.
fn is_flipped(file: &str, transaction: &Transaction) -> bool {
    let triggers = transaction.steps().iter().filter_map(|step| match &step.action {
        Action::Append { value, .. } => Some(value.as_str()),
        Action::Create
        | Action::LeaveOut
        | Action::Scope(_)
        | Action::Write { .. }
        | Action::Define(_)
        | Action::Load { .. } => None,
    });
    let event = file.strip_prefix("events/").and_then(|path| path.strip_suffix("/enable"));
    let event = event.map(|event| event.replacen('/', ":", 1));
    triggers.map(|command| entry(command).0).any(|head| match (&event, head) {
        (None, "traceon" | "traceoff") => file == "tracing_on",
        (Some(event), head) => head.split_once(':').is_some_and(|(_, target)| target == event),
        (None, _) => false,
    })
}

/// Returns a duration in seconds for a sleep(1) that accepts fractions, and rounded up for one that accepts whole
/// seconds only.
fn seconds(duration: Duration) -> (String, String) {
    let whole = duration.as_secs() + u64::from(duration.subsec_nanos() != 0);
    let mut text = format!("{}.{:09}", duration.as_secs(), duration.subsec_nanos());
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    (text, whole.to_string())
}

/// Returns a path that begins with `/` or `./`, so that it is not taken for an option or a descriptor.
fn path(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("./{path}") }
}

fn words(words: &[&str]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// Returns a quoted word that the shell reads back as this text: single quotes make all other characters literal.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the text with control characters escaped, so that a comment stays one line.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    line
}

/// A formatter of spans as `FILE:LINE:COLUMN`.
struct Locations<'a> {
    sources: &'a SourceMap,
    lines: FxHashMap<FileId, LineIndex<'a>>,
}

impl<'a> Locations<'a> {
    fn new(sources: &'a SourceMap) -> Self {
        Locations { sources, lines: FxHashMap::default() }
    }

    fn of(&mut self, origin: Span) -> String {
        let (file, range) = self.sources.locate(origin);
        let lines =
            self.lines.entry(origin.file).or_insert_with(|| LineIndex::new(&file.text, LineEnds::Newline));
        let position = lines.position(range.start, Unit::Char);
        let mut location = one_line(&file.name);
        // Writing to a string cannot fail.
        let _ = write!(location, ":{}:{}", position.line + 1, position.column + 1);
        location
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::tests::{plan, write as step};
    use super::*;
    use crate::source::KernelError;

    #[test]
    fn entry_is_split_at_its_count_and_condition() {
        for (command, head, tail) in [
            ("traceoff", "traceoff", ""),
            ("traceoff:1 if sig == 9", "traceoff", " if sig == 9"),
            ("stacktrace if comm ~ \"a if b\"", "stacktrace", " if comm ~ \"a if b\""),
            ("enable_event:sched:sched_switch", "enable_event:sched:sched_switch", ""),
            ("disable_event:a:b:3 if x == 1", "disable_event:a:b", " if x == 1"),
        ] {
            assert_eq!(entry(command), (head, tail.to_owned()), "{command}");
        }
    }

    #[test]
    fn duration_is_written_in_seconds() {
        for (ns, text, whole) in [
            (3_000_000_000, "3", "3"),
            (300_000_000, "0.3", "1"),
            (1_500_000_000, "1.5", "2"),
            (1, "0.000000001", "1"),
            (100_000_000_000, "100", "100"),
            (0, "0", "0"),
        ] {
            assert_eq!(seconds(Duration::from_nanos(ns)), (text.to_owned(), whole.to_owned()));
        }
    }

    #[test]
    fn line_break_in_a_name_does_not_end_its_comment() {
        let script = script(&plan(vec![step("tracing_on", "1")]), &SourceMap::default(), "x\nreboot\r");
        assert!(script.contains("for x\\nreboot\\r.\n"), "{script}");
    }

    #[test]
    fn kernel_is_named_by_release_and_architecture() {
        struct Kernel(&'static str, &'static str);

        impl KernelSource for Kernel {
            fn read(&self, _: &str) -> Result<Option<String>, KernelError> {
                Ok(None)
            }

            fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
                Ok(Vec::new())
            }

            fn describe(&self) -> String {
                "the kernel in /a/path".to_owned()
            }

            fn arch(&self) -> String {
                self.1.to_owned()
            }

            fn release(&self) -> String {
                self.0.to_owned()
            }
        }

        for (release, arch, expected) in [
            ("6.12.1", "x86_64", "kernel 6.12.1 (x86_64)"),
            ("6.12.1", "", "kernel 6.12.1"),
            ("", "", "a kernel of unknown release"),
        ] {
            assert_eq!(kernel(&Kernel(release, arch)), expected);
        }
    }

    /// Returns the shells of this machine that scripts support.
    fn shells() -> Vec<Vec<&'static str>> {
        let all = vec![vec!["dash"], vec!["busybox", "sh"], vec!["sh"]];
        let (found, missing): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|shell| Command::new(shell[0]).args(&shell[1..]).args(["-c", ":"]).output().is_ok());
        missing.iter().for_each(|shell| println!("SKIPPED: no {} on this machine", shell.join(" ")));
        found
    }

    #[test]
    fn quoted_text_is_read_back_by_every_shell() {
        let mut texts: Vec<String> =
            ["", "'", "''", "a'b", "\\", "\\'", "$HOME $(id) `id`", "* ? [a]", "-n", "-", "\n", "a\n"]
                .map(str::to_owned)
                .into();
        texts.push((1..=0x2ff).filter_map(char::from_u32).collect());
        // A fixed generator: the same texts on every machine.
        let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let special: Vec<char> =
            "'\"\\$`!*?[]{}()<>|&;#~=%-\n\t\r \u{1b}\u{7f}\u{e4}\u{1f980}ab0".chars().collect();
        for _ in 0..400 {
            let length = random(40);
            texts.push((0..length).map(|_| special[random(special.len() as u64) as usize]).collect());
        }
        let script: String = texts.iter().map(|text| format!("printf '%s\\0' {}\n", quote(text))).collect();
        let expected: String = texts.iter().map(|text| format!("{text}\0")).collect();
        for shell in shells() {
            let file = std::env::temp_dir().join(format!("tracec-quote-{}.sh", std::process::id()));
            std::fs::write(&file, &script).unwrap();
            let said = Command::new(shell[0]).args(&shell[1..]).arg(&file).output().unwrap();
            std::fs::remove_file(&file).unwrap();
            assert!(said.status.success(), "{shell:?}: {}", String::from_utf8_lossy(&said.stderr));
            assert_eq!(String::from_utf8_lossy(&said.stdout), expected, "{shell:?}");
        }
    }
}
