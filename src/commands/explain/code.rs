//! The page of a diagnostic.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use tracec_compiler::diagnostic::{Code, Kind, codes};
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::{clocks, features, options, triggers};

use crate::cli::ExplanationFormat;
use crate::commands::Failure;
use crate::out::out;

/// Prints a code's page, or the list of all codes.
pub(super) fn explain(code: Option<&str>, format: ExplanationFormat) -> Result<ExitCode, Failure> {
    let mut out = out();
    let Some(wanted) = code else {
        for code in codes::ALL {
            match format {
                ExplanationFormat::Text => {
                    writeln!(out, "{}  {:<5}  {:<25}  {}", code.id, kind(code), code.name, code.summary())?;
                }
                ExplanationFormat::Json => writeln!(out, "{}", object(code))?,
            }
        }
        return Ok(ExitCode::SUCCESS);
    };
    let code = Code::find(wanted).ok_or_else(|| unknown(wanted))?;
    match format {
        ExplanationFormat::Text => out.write_all(code.page.as_bytes())?,
        ExplanationFormat::Json => writeln!(out, "{}", object(code))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(wanted: &str) -> tracec_compiler::Diagnostic {
    let near = nearest(wanted, codes::ALL.iter().flat_map(|code| [code.id, code.name]), 3);
    let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
    let said = codes::unknown_code::unknown_code(wanted, &near);
    // The user may want to know about a name that is not a diagnostic's.
    match elsewhere(wanted) {
        Some((name, kind)) => {
            said.help(format!("`{name}` is one of the {kind}: `tracec list --kind {kind}` says what it does"))
        }
        None => said,
    }
}

/// Returns the listed thing of this or a similar name: its name and its `--kind`.
fn elsewhere(wanted: &str) -> Option<(&'static str, &'static str)> {
    let listed = || {
        let of = |kind: &'static str| move |name: &'static str| (name, kind);
        let triggers = triggers::names().map(of("triggers"));
        let options = options::names().map(of("options"));
        let clocks = clocks::names().map(of("clocks"));
        triggers.chain(options).chain(clocks).chain(features::names().map(of("features")))
    };
    let near = nearest(wanted, listed().map(|(name, _)| name), 1);
    listed().find(|(name, _)| near.first() == Some(name))
}

/// Returns `error`, or the default level of a lint.
fn kind(code: &Code) -> &'static str {
    match code.kind {
        Kind::Error => "error",
        Kind::Lint(level) => level.word(),
    }
}

fn object(code: &Code) -> serde_json::Value {
    let level = match code.kind {
        Kind::Error => None,
        Kind::Lint(level) => Some(level.word()),
    };
    let kind = if level.is_some() { "lint" } else { "error" };
    json!({
        "code": code.id, "name": code.name, "kind": kind, "level": level, "summary": code.summary(), "page": code.page,
    })
}
