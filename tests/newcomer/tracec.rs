//! The messages of tracec.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use libtest_mimic::Failed;
use tracec::{Choice, Input, KernelDirectory, SourceText, analyse};
use tracec_compiler::{Diagnostic, Severity};

/// The copy of a kernel that the mistakes are checked against, relative to the root of the tree.
pub(crate) const KERNEL: &str = "tests/data/kernel";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns a text as `-e` has it, or a file.
pub(crate) fn source(text: &str, in_file: bool) -> SourceText {
    let name = if in_file { "session.trc" } else { "-e" };
    SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: !in_file }
}

/// Fails unless there is an error with a code, a message and a place within the text.
pub(crate) fn refuses(text: &str, in_file: bool) -> Result<(), Failed> {
    let said = found(&source(text, in_file));
    if !said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(format!("no error: {said:?}").into());
    }
    for diagnostic in &said {
        let place = diagnostic.primary.as_ref().map(|label| label.span.range());
        let shown = place.as_ref().and_then(|range| text.get(range.clone()));
        if shown.is_none() {
            return Err(format!("{:?} is at {place:?}", diagnostic.code).into());
        }
        if diagnostic.message.is_empty() || diagnostic.code.page.is_empty() {
            return Err(format!("{:?} explains nothing", diagnostic.code).into());
        }
    }
    Ok(())
}

/// Fails unless the text has no mistake.
pub(crate) fn takes(text: &str) -> Result<(), Failed> {
    let said = found(&source(text, false));
    if said.is_empty() { Ok(()) } else { Err(format!("{said:?}").into()) }
}

/// Fails unless there are warnings, and no error.
pub(crate) fn warns(text: &str, in_file: bool) -> Result<(), Failed> {
    let said = found(&source(text, in_file));
    match !said.is_empty() && said.iter().all(|diagnostic| diagnostic.severity == Severity::Warning) {
        true => Ok(()),
        false => Err(format!("{said:?}").into()),
    }
}

fn found(source: &SourceText) -> Vec<Diagnostic> {
    analyse(Input::new(source, &KernelDirectory(root().join(KERNEL))), Choice::All).diagnostics
}

/// The output of `tracec check`, and its errors.
pub(crate) struct Refusal {
    /// Standard error.
    pub(crate) text: String,
    /// The codes of its errors.
    pub(crate) errors: Vec<String>,
}

/// Runs `tracec check`, which refuses a text unless it is learnt.
pub(crate) fn check_as_process(name: &str, text: &str, learnt: bool) -> Result<Refusal, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["check", "--kernel", KERNEL]);
    // As one word: a text may begin with a dash.
    let output = command.arg(format!("--expression={text}")).output()?;
    outcome(name, output, learnt)
}

/// Runs `tracec check` with a file, which is refused.
pub(crate) fn check_file_as_process(name: &str, text: &str) -> Result<Refusal, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["check", "--kernel", KERNEL, "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn()?;
    process.stdin.take().ok_or("standard input is a pipe")?.write_all(text.as_bytes())?;
    outcome(name, process.wait_with_output()?, false)
}

fn outcome(name: &str, output: Output, learnt: bool) -> Result<Refusal, Failed> {
    // That there is no mistake is said on standard output.
    let (said, nothing) =
        if learnt { (output.stdout, output.stderr) } else { (output.stderr, output.stdout) };
    let text = String::from_utf8(said)?;
    if output.status.code() != Some(i32::from(!learnt)) || !nothing.is_empty() {
        return Err(format!("{name}: {}\n{text}", output.status).into());
    }
    // The page is for readers whose kernel has no path.
    let text = text.replace(&format!("the kernel in {KERNEL}"), "this kernel");
    let codes = text.lines().filter_map(|line| Some(line.strip_prefix("error[")?.split_once(']')?.0));
    Ok(Refusal { errors: codes.map(str::to_owned).collect(), text: trimmed(&text) })
}

/// Runs `tracec check`, which warns of a text, and returns the warning.
pub(crate) fn warned_as_process(name: &str, text: &str) -> Result<String, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["check", "--kernel", KERNEL]);
    let output = command.arg(format!("--expression={text}")).output()?;
    let text = String::from_utf8(output.stderr)?;
    match output.status.success() && text.starts_with("warning[") {
        true => Ok(trimmed(&text)),
        false => Err(format!("{name}: {}\n{text}", output.status).into()),
    }
}

/// Returns the text without white space at the ends of lines.
fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Returns a path below the root.
pub(crate) fn path(relative: &str) -> PathBuf {
    root().join(relative)
}
