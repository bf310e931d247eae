//! The programs of a session as text, under the lines of the source that they are for.

use std::fmt::Write as _;

use super::maps;
use super::program;
use super::session::validated;
use crate::bpf::text::Written;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::render::one_line;
use crate::place::PlacedSession;
use crate::source::{KernelSource, SourceMap};

/// Returns the instructions of each program of a session that programs record, as the kernel's verifier shows them.
///
/// # Errors
/// What the session is refused for.
pub fn listing(
    session: PlacedSession<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let built = program::object(validated(session)?, kernel, sources)?;
    let mut out = String::new();
    for (part, format) in built.parts.iter().zip(&built.events) {
        let event = one_line(&format.qualified_name());
        let count = part.program.instructions.len();
        // Writing into a string does not fail.
        let _ = writeln!(
            out,
            "\nprogram {} for {event}, {count} instructions\n  at {}",
            part.name,
            one_line(&part.section)
        );
        let mut origins = part.program.origins.iter().peekable();
        for line in Written::all(&part.program, &maps::NAMES) {
            while let Some((_, origin)) = origins.next_if(|(at, _)| *at <= line.index) {
                let source = origin.and_then(|origin| part.lines.get(origin as usize));
                if let Some(source) = source {
                    let _ = writeln!(out, "  {}:{}: {}", source.line, source.column, one_line(&source.text));
                }
            }
            let _ = write!(out, "    {:>4}: {}", line.index, line.text);
            if let Some((access, aspect)) = part.program.relocation(line.index) {
                let _ = write!(out, "    ; {aspect} of {}", one_line(&access.to_string()));
            }
            out.push('\n');
        }
    }
    Ok(out)
}
