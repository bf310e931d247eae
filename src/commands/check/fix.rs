//! `tracec check --fix`: fixes a text, and reports the remaining mistakes.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_compiler::diagnostic::fix::{Applicability, Mended, mend};
use tracec_compiler::{Diagnostic, Severity, SourceText};

use super::Checked;
use crate::cli::CheckOptions;
use crate::commands::Failure;
use crate::out::out;
use crate::{diff, print, replace};

/// Fixes a text and writes the result.
pub(super) fn fix(
    text: &SourceText,
    check: impl Fn(&SourceText) -> Checked,
    kernels: &str,
    options: &CheckOptions,
) -> Result<ExitCode, Failure> {
    let in_file = !text.one_liner && text.name != "-";
    if options.format.is_data() && (options.diff || !in_file) {
        let why = "diagnostics as JSON and a text cannot both be written to standard output";
        return Err(Failure::Usage(why.to_owned()));
    }
    let applicability = if options.guess { Applicability::Maybe } else { Applicability::Always };
    let mended = mend(text, applicability, |text| check(text).diagnostics);
    if options.diff {
        return show(text, &mended);
    }
    if in_file && mended.text != text.text {
        replace::replace(Path::new(&text.name), text.text.as_bytes(), mended.text.as_bytes())
            .map_err(|error| output_failed(None, &text.name, &error.to_string()))?;
    }
    if !options.format.is_data() {
        print::complain(&format!("{}: {}\n", text.name, count(mended.mended.len())));
    }
    let text = SourceText { text: mended.text, ..text.clone() };
    let checked = check(&text);
    if in_file {
        return super::report(checked, kernels, options);
    }
    let mut out = out();
    out.write_all(text.text.as_bytes())?;
    if text.one_liner {
        out.write_all(b"\n")?;
    }
    print::report(&checked.sources, &checked.diagnostics, options.format)?;
    Ok(status(&checked.diagnostics))
}

/// Shows the changes as a diff.
fn show(text: &SourceText, mended: &Mended) -> Result<ExitCode, Failure> {
    let diff = diff::unified(&text.name, &text.text, &mended.text);
    out().write_all(diff.as_bytes())?;
    let left = match mended.remaining.len() {
        0 => String::new(),
        left => format!(", {left} would be left"),
    };
    print::complain(&format!("{}: {}, not written{left}\n", text.name, count(mended.mended.len())));
    Ok(if diff.is_empty() { status(&mended.remaining) } else { ExitCode::FAILURE })
}

fn status(remaining: &[Diagnostic]) -> ExitCode {
    let failed = remaining.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn count(fixes: usize) -> String {
    match fixes {
        0 => "no fixes".to_owned(),
        1 => "1 fix".to_owned(),
        fixes => format!("{fixes} fixes"),
    }
}
