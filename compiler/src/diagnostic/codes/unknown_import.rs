//! T0118: unknown-import. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0118", "unknown-import", include_str!("unknown_import.md"));

pub(crate) fn unknown_import(span: Span, name: &str, known: Vec<&str>) -> Diagnostic {
    let near = nearest(name, known.iter().copied(), 1);
    let said = Diagnostic::error(&CODE, format!("nothing is imported as `{name}`"))
        .at(span, "unknown import")
        .suggest(span, near);
    match known.as_slice() {
        [] => said.help(format!("import it: `use \"{name}.trc\";`")),
        known => said.note(format!("the imports are {}", known.join(", "))),
    }
}
