//! The messages of tracec.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Failed;
use tracec::{Choice, Input, KernelDirectory, SourceText, analyse};
use tracec_compiler::Severity;

use crate::mistake::Mistake;

/// The copy of a kernel that the mistakes are checked against, relative to the root of the tree.
const KERNEL: &str = "tests/data/kernel";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Fails unless there is an error with a code, a message and a place within the text.
pub(crate) fn refuses(mistake: &Mistake) -> Result<(), Failed> {
    let source = SourceText { name: "-e".to_owned(), text: mistake.tracec.to_owned(), one_liner: true };
    let kernel = KernelDirectory(root().join(KERNEL));
    let said = analyse(Input::new(&source, &kernel), Choice::All).diagnostics;
    if !said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(format!("no error: {said:?}").into());
    }
    for diagnostic in &said {
        let place = diagnostic.primary.as_ref().map(|label| label.span.range());
        let shown = place.as_ref().and_then(|range| mistake.tracec.get(range.clone()));
        if shown.is_none() {
            return Err(format!("{:?} is at {place:?}", diagnostic.code).into());
        }
        if diagnostic.message.is_empty() || diagnostic.code.page.is_empty() {
            return Err(format!("{:?} explains nothing", diagnostic.code).into());
        }
    }
    Ok(())
}

/// The output of `tracec check`, and its errors.
pub(crate) struct Refusal {
    /// Standard error.
    pub(crate) text: String,
    /// The codes of its errors.
    pub(crate) errors: Vec<String>,
}

/// Runs `tracec check`.
pub(crate) fn check_as_process(mistake: &Mistake) -> Result<Refusal, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["check", "--kernel", KERNEL]);
    // As one word: a text may begin with a dash.
    let output = command.arg(format!("--expression={}", mistake.tracec)).output()?;
    let text = String::from_utf8(output.stderr)?;
    if output.status.code() != Some(1) || !output.stdout.is_empty() {
        return Err(format!("{}: {}\n{text}", mistake.name, output.status).into());
    }
    // The page is for readers whose kernel has no path.
    let text = text.replace(&format!("the kernel in {KERNEL}"), "this kernel");
    let codes = text.lines().filter_map(|line| Some(line.strip_prefix("error[")?.split_once(']')?.0));
    Ok(Refusal { errors: codes.map(str::to_owned).collect(), text: trimmed(&text) })
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
