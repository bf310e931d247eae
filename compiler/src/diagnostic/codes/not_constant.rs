//! T0703: not-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};
use crate::ir::definition::EnumType;

pub(crate) static CODE: Code = Code::error("T0703", "not-constant", include_str!("not_constant.md"));

pub(crate) fn not_constant(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} is not a constant"))
        .at(span, "its value is not known before the session runs")
        .help("write a literal, another constant, a member of an enum, or combine them with `+ - * / % << >> & | ^` and `as`")
}

/// Reports the name of an enum in the place of a value.
pub(crate) fn is_a_type(span: Span, ty: &EnumType) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(&CODE, format!("`{}` is {} type, not a constant", ty.name, article(ty)))
            .at(span, "a type, not a value");
    match ty.members().first() {
        Some(member) => diagnostic.help(format!("write one of its members: `{}::{}`", ty.name, member.name)),
        None => diagnostic,
    }
}

fn article(ty: &EnumType) -> &'static str {
    if ty.flags { "a flags" } else { "an enum" }
}
