//! T0224: args-member. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0224", "args-member", include_str!("args_member.md"));

/// Reports a member of `args`; `is_field` says whether the event has a field of this name.
pub(crate) fn args_member(span: Span, field: &str, is_field: bool) -> Diagnostic {
    let said = Diagnostic::error(&CODE, "fields are named without `args`").at(span, "syntax of bpftrace");
    match is_field {
        true => said.fix(format!("write `{field}`"), span, field),
        false => said.help("write the name of a field alone"),
    }
}
