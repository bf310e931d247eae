//! T0712: ambiguous-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0712", "ambiguous-constant", include_str!("ambiguous_constant.md"));

pub(crate) fn ambiguous_constant(span: Span, name: &str, paths: &[String]) -> Diagnostic {
    let list = paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" or ");
    Diagnostic::error(&CODE, format!("`{name}` is ambiguous here"))
        .at(span, "several constants have this name")
        .note(format!("it can be {list}"))
        .help(match paths.iter().find(|path| path.contains("::")) {
            Some(path) => format!("write the path: `{path}`"),
            None => "rename one of them".to_owned(),
        })
}
