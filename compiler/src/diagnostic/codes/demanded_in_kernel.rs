//! T0405: demanded-in-kernel. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0405", "demanded-in-kernel", include_str!("demanded_in_kernel.md"));

/// Reports a part of a `filter in kernel`. `words` is the span of `in kernel`.
pub(crate) fn demanded_in_kernel(span: Span, words: Span, event: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("the kernel's filter of `{event}` cannot express this part of `filter in kernel`"),
    )
    .at(span, "no exact filter text")
    .and_at(words, "required here")
    .note(reason)
    .help("remove `in kernel`: the host then decides this part for each record that passes the rest")
}
