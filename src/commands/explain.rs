//! `tracec explain`: the implementation of a session, or the page of a diagnostic.

mod asm;
mod code;

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::Code;
use tracec_compiler::explain::{json, text};
use tracec_compiler::place::PlacedSession;
use tracec_compiler::target::bpf;
use tracec_compiler::{Choice, KernelSource, SourceMap, analyse};

use super::Failure;
use super::unknown::Looked;
use crate::cli::{Explain, ExplanationFormat, Kernels};
use crate::out::out;
use crate::source::Loaded;
use crate::{print, selected_kernel, source};

/// Explains a session, or a code.
pub(crate) fn explain(arguments: &Explain) -> Result<ExitCode, Failure> {
    let Explain { what, source, kernels, format, json, asm } = arguments;
    let format = if *json { ExplanationFormat::Json } else { *format };
    match what.as_deref() {
        Some(what) if source.expression.is_none() && !is_source(what) => code::explain(Some(what), format),
        None if source.expression.is_none() => code::explain(None, format),
        file => sessions(source::load_or(file, source)?, kernels, format, *asm),
    }
}

/// Returns whether an argument names a text: it is not a code, and it looks like a path or is one.
fn is_source(what: &str) -> bool {
    let looks_like_one = what == "-" || what.contains(['/', '#']) || what.ends_with(".trc");
    Code::find(what).is_none() && (looks_like_one || Path::new(what).exists())
}

/// Explains the sessions of a text for each of the kernels, with machine code where it is asked for.
fn sessions(
    loaded: Loaded,
    kernels: &Kernels,
    format: ExplanationFormat,
    with_code: bool,
) -> Result<ExitCode, Failure> {
    let selected = selected_kernel::selected(kernels)?;
    let mut out = BufWriter::new(out());
    let (mut failed, mut first) = (false, true);
    for one in &selected {
        let kernel = match (one.is_stand_in, one.source.describe()) {
            (true, kernel) => format!("{kernel}, shipped with tracec: no tracefs is mounted"),
            (false, kernel) => kernel,
        };
        let looked = Looked::new(one.source.as_ref());
        let choice = loaded.session.as_deref().map_or(Choice::Some, |name| Choice::One(Some(name)));
        let explained = analyse(loaded.input(&looked), choice);
        // A session with mistakes is not explained.
        let complete = || explained.sessions().filter(|session| session.is_complete());
        match format {
            ExplanationFormat::Text => {
                let texts = text::render(complete(), &explained.sources, &kernel);
                for (session, placed) in texts.zip(complete()) {
                    let between = if std::mem::replace(&mut first, false) { "" } else { "\n" };
                    write!(out, "{between}{session}")?;
                    if placed.events().any(|(event, _)| placed.is_by_program(event.id)) {
                        programs(&mut out, placed, &looked, &explained.sources)?;
                    }
                    if with_code {
                        out.write_all(asm::listings(placed, &explained).as_bytes())?;
                    }
                }
            }
            ExplanationFormat::Json => {
                for line in json::render(complete(), &explained.sources, &kernel) {
                    out.write_all(line.map_err(std::io::Error::from)?.as_bytes())?;
                }
            }
        }
        // Explanations on standard output come before the mistakes on standard error.
        out.flush()?;
        looked.report();
        print::diagnostics(&explained.sources, &explained.foreseen(&looked));
        failed |= explained.has_errors();
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Writes the programs of a session. What it is refused for is among the mistakes.
fn programs(
    out: &mut impl Write,
    session: PlacedSession<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
) -> Result<(), Failure> {
    if let Ok(listing) = bpf::listing(session, kernel, sources) {
        out.write_all(listing.as_bytes())?;
    }
    Ok(())
}
