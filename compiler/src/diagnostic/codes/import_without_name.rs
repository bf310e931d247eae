//! T0117: import-without-name. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0117", "import-without-name", include_str!("import_without_name.md"));

pub(crate) fn import_without_name(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the file name is not a valid name for an import")
        .at(span, "needs a name")
        .help("name the import: `use \"..\" as NAME;`")
}
