//! The reader of a script: what is not written is reported, and never called a closed output.

use std::process::Command;

use libtest_mimic::Failed;

use super::points::insert_behind;
use super::{BUSY, QUIET, Script, nothing_left, shells};
use crate::harness::bench::{Bench, TIMEOUT, finish};

pub(super) fn full_output(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let mut command = Command::new("sh");
        let run = script.command(bench, &["run", "--for", "20"]);
        command.args(["-c", "exec \"$@\" >/dev/full", "sh"]).arg(run.get_program()).args(run.get_args());
        let said = finish(command, TIMEOUT)?;
        said.expect_status(1)?.expect_stderr("standard output cannot be written: No space left on device")?;
        said.expect_stderr("records, not all of them written")?.expect_stderr("ended by an error")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A run that fails before it records removes the output that it has created, and keeps one that was there.
pub(super) fn output_of_refused_run(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        for (line, status) in [
            ("    write 'bad.trc:1:2' 'options/test_nop_refuse' '1'", 1),
            ("    [ \"$phase\" != apply ] || kill -s TERM $$", 143),
        ] {
            let directory = tempfile::tempdir()?;
            let output = directory.path().join("records.txt");
            let session = format!("{QUIET} output {output:?};");
            let script = Script::build(bench, &["-e", &session], shell)?;
            script.run(bench, &["run", "--", "true"])?.expect_status(0)?;
            if std::fs::read(&output)? != b"" {
                return Err(format!("{shell:?}: the output of a run without records is not empty").into());
            }
            std::fs::remove_file(&output)?;
            insert_behind(&script, "steps() {", line)?;
            script.run(bench, &["run", "--", "true"])?.expect_status(status)?;
            if output.exists() {
                return Err(format!("{shell:?}: {line:?} leaves the output").into());
            }
            std::fs::write(&output, "kept")?;
            script.run(bench, &["run", "--", "true"])?.expect_status(status)?;
            if std::fs::read(&output)? != b"kept" {
                return Err(format!("{shell:?}: {line:?} changes the output that was there").into());
            }
            nothing_left(bench, shell)?;
        }
    }
    Ok(())
}

/// Inserted after the line that starts the recording: the processes are killed while the records are read.
pub(super) fn killed_reader(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        for (victim, message) in [
            ("\"$copy\"", "the records cannot be copied: dd was ended by signal 9"),
            ("\"$reader\"", "the process that reads the records was killed"),
            ("\"$reader\" \"$copy\"", "the process that reads the records was killed"),
        ] {
            let script = Script::build(bench, &["-e", BUSY], shell)?;
            let text = script.text()?;
            let start = "    [ -z \"$command\" ] || echo go >&3\n";
            let changed = text.replace(start, &format!("{start}    kill -s KILL {victim}\n"));
            if changed == text {
                return Err("the script has another text: the test proves nothing".into());
            }
            std::fs::write(&script.path, changed)?;
            let mut late = 0;
            loop {
                let said = script.run(bench, &["run", "--for", "20"])?;
                said.expect_status(1)?.expect_stderr(message)?;
                said.expect_stderr("not all of them written")?;
                nothing_left(bench, shell)?;
                if said.stderr.contains("ended by an error") {
                    break;
                }
                // A signal that comes between a shell's look for signals and its read is noticed with the next message
                // only: here, when the time is over. In an emulated machine under load that is not rare.
                late += 1;
                if late == 6 {
                    return Err(format!("{shell:?}: noticed late, six times\n{said}").into());
                }
            }
        }
    }
    Ok(())
}

/// The reader is in the process group too, and reads the rest. After a signal it has a second for that, which a machine
/// under load may exceed once; a reader that the signal ends never reads it.
pub(super) fn group_signal(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        for signal in ["TERM", "HUP"] {
            let mut late = 0;
            while let Some(said) = late_after(bench, shell, signal)? {
                late += 1;
                if late == 3 {
                    return Err(format!("{shell:?}: records are missing, three times\n{said}").into());
                }
            }
        }
    }
    Ok(())
}

/// Ends a script by a signal to its process group. Returns what it said if not all records were written.
fn late_after(bench: &Bench, shell: &'static [&'static str], signal: &str) -> Result<Option<String>, Failed> {
    let script = Script::build(bench, &["-e", "sched:sched_process_exec"], shell)?;
    let end = |seconds: &str| {
        let run = script.command(bench, &["run", "--", "sh", "-c", "/bin/true; sleep 20"]);
        let mut command = Command::new("timeout");
        command.args(["-s", signal, seconds]).arg(run.get_program()).args(run.get_args());
        finish(command, TIMEOUT)
    };
    let mut said = end("1")?;
    // A machine under load needs longer to begin.
    if said.stderr.contains("before the recording began") {
        nothing_left(bench, shell)?;
        said = end("10")?;
    }
    // The signal ends the command too, which may be noticed first.
    let number = if signal == "TERM" { 15 } else { 1 };
    let of_command = format!("ended with its command (exit status {})", 128 + number);
    if !said.stderr.contains(&of_command) {
        said.expect_stderr(&format!("ended by SIG{signal}"))?;
    }
    nothing_left(bench, shell)?;
    Ok(said.stderr.contains("not all of them").then(|| said.to_string()))
}
