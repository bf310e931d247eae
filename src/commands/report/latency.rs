//! `tracec report` of a file that has the text of a latency tracer in the place of records.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use tracec_kernel::escaped::Escaped;
use tracec_runtime::record::{BufferText, TraceDat};

use crate::cli::{Selection, ShowOptions, SourceOptions};
use crate::commands::{Failure, recording};

/// Prints the texts of a file that has no records.
pub(super) fn report(file: &Path, source: &SourceOptions, show: &ShowOptions) -> Result<ExitCode, Failure> {
    applies(file, source, show)?;
    let texts = TraceDat::read_texts(File::open(file)?).map_err(|error| recording::damaged(file, &error))?;
    print(&texts)
}

fn print(texts: &[BufferText]) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut write = || -> std::io::Result<()> {
        for BufferText { name, text } in texts {
            if !name.is_empty() {
                writeln!(out, "{}:", Escaped::text(name))?;
            }
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                // The kernel draws with backslashes.
                for (index, part) in line.split(|byte| *byte == b'\\').enumerate() {
                    out.write_all(if index > 0 { b"\\" } else { b"" })?;
                    write!(out, "{}", Escaped(part))?;
                }
                out.write_all(b"\n")?;
            }
        }
        out.flush()
    };
    match write() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Refuses options that need records.
fn applies(file: &Path, source: &SourceOptions, show: &ShowOptions) -> Result<(), Failure> {
    let Selection { events, cpus, tasks, from, to, buffers, .. } = &show.selection;
    let refused = [
        ("-e", source.expression.is_some()),
        ("--layout", show.layout.is_some()),
        ("--option", !show.options.is_empty()),
        ("--json", show.json),
        ("--fields", show.form.fields),
        ("--event", !events.is_empty()),
        ("--cpu", cpus.is_some()),
        ("--task", !tasks.is_empty()),
        ("--from", from.is_some()),
        ("--to", to.is_some()),
        ("--buffer", !buffers.is_empty()),
    ];
    match refused.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let why = "has the text of a latency trace, and no records";
            Err(Failure::Usage(format!("`{option}` cannot be applied: {} {why}", file.display())))
        }
    }
}
