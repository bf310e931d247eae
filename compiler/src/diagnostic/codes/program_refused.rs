//! T0525: program-refused. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0525", "program-refused", include_str!("program_refused.md"));

/// The last lines of a log that are shown: the reason is at its end.
const LINES: usize = 12;

/// Reports a BPF program that the kernel does not load or attach, at its clause. `log` is that of the verifier.
pub fn program_refused(span: Option<Span>, reason: &str, log: &[String]) -> Diagnostic {
    let mut error = Diagnostic::error(&CODE, reason);
    if let Some(span) = span {
        error = error.at(span, "the program is for this clause");
    }
    if !log.is_empty() {
        let last = log.len().saturating_sub(LINES);
        error = error.note(format!("the end of the verifier's log:\n{}", log[last..].join("\n")));
    }
    error.help("run the session without `--target bpf`: tracefs records it then")
}
