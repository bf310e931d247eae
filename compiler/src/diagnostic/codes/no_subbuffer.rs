//! T0332: no-subbuffer. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0332", "no-subbuffer", include_str!("no_subbuffer.md"));

pub(crate) fn no_subbuffer(clause: Span, kib: u64, kernel: &str) -> Diagnostic {
    let text = format!("when has feature subbuffer-size {{ subbuffer {kib}KiB; }}");
    Diagnostic::error(&CODE, format!("{kernel} has sub-buffers of one page only"))
        .at(clause, "needs a kernel with the feature `subbuffer-size` (6.8 or later)")
        .guess(format!("write it for newer kernels: `{text}`"), clause, text)
        .help("or leave it out")
}
