//! T0754: unknown-register. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0754", "unknown-register", include_str!("unknown_register.md"));

pub(crate) fn unknown_register(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    let nearest = match name.strip_prefix(['r', 'e']) {
        Some(short) if nearest.iter().any(|near| near == short) => vec![short.to_owned()],
        _ => nearest.to_vec(),
    };
    let diagnostic = Diagnostic::error(&CODE, format!("there is no register `{name}`"))
        .at(span, "unknown register")
        .suggest(span, &nearest);
    if nearest.is_empty() {
        diagnostic.note("the kernel names registers `ax`, `di`, `x0`, `a0`, ...")
    } else {
        diagnostic
    }
}
