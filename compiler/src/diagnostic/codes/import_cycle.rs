//! T0115: import-cycle. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0115", "import-cycle", include_str!("import_cycle.md"));

pub(crate) fn import_cycle(span: Span, names: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, "these files import each other")
        .at(span, "closes the cycle")
        .note(names.join(" -> "))
}
