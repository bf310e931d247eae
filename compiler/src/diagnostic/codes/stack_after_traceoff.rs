//! T0326: stack-after-traceoff. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::fix::Edit;
use crate::diagnostic::{Applicability, Code, Diagnostic, Fix, Level};

pub(crate) static CODE: Code =
    Code::lint("T0326", "stack-after-traceoff", Level::Warn, include_str!("stack_after_traceoff.md"));

/// Reports `trigger stacktrace` at `stack` that is written before `trigger traceoff` at `off`. `exchanged` are their
/// texts, the second first, where each can take the other's place.
pub(crate) fn stack_after_traceoff(stack: Span, off: Span, exchanged: Option<[String; 2]>) -> Diagnostic {
    let said = Diagnostic::lint(&CODE, "no stack is recorded where `traceoff` stops the recording")
        .at(stack, "acts after `traceoff`, when nothing is recorded")
        .and_at(off, "acts first")
        .note("of the triggers of an event, the kernel begins with the one that was written last");
    let title = "put `traceoff` before `stacktrace`";
    match exchanged {
        Some([first, second]) => {
            let edits = vec![Edit { span: stack, text: first }, Edit { span: off, text: second }];
            said.offer(Fix::several(Applicability::Maybe, title, edits))
        }
        None => said.help(title),
    }
}
