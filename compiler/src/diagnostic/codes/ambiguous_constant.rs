//! T0712: ambiguous-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0712", "ambiguous-constant", include_str!("ambiguous_constant.md"));

pub(crate) fn ambiguous_constant(span: Span, name: &str, paths: &[String]) -> Diagnostic {
    let list = paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" and ");
    Diagnostic::error(&CODE, format!("`{name}` has several values here"))
        .at(span, "which one?")
        .note(format!("it may be {list}"))
        .help(match paths.iter().find(|path| path.contains("::")) {
            Some(path) => format!("write the path: `{path}`"),
            None => "give one of them another name".to_owned(),
        })
}
