//! T0525: program-refused. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0525", "program-refused", include_str!("program_refused.md"));

/// The last lines of a log that are shown: the reason is at its end.
const LINES: usize = 12;

/// Reports a BPF program that the kernel does not load or attach, at its clause. `log` is that of the verifier. Without
/// the program there is no event if it `is_probe`.
pub fn program_refused(span: Option<Span>, reason: &str, log: &[String], is_probe: bool) -> Diagnostic {
    let mut error = Diagnostic::error(&CODE, reason);
    if let Some(span) = span {
        error = error.at(span, "the program is for this clause");
    }
    if !log.is_empty() {
        let last = log.len().saturating_sub(LINES);
        let of = if log.iter().any(|line| line.starts_with("libbpf:")) {
            "what libbpf says"
        } else {
            "the verifier's log"
        };
        error = error.note(format!("the end of {of}:\n{}", log[last..].join("\n")));
    }
    error.help(match is_probe {
        true => "compare the probe's place and arguments with what the kernel or the file has there",
        false => "let tracefs record the session: without `recorder bpf` and `--target bpf`",
    })
}
