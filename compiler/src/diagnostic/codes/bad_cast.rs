//! T0246: bad-cast. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0246", "bad-cast", include_str!("bad_cast.md"));

pub(crate) fn bad_cast(ty: Span, operand: &str, name: &str) -> Diagnostic {
    let name = if name == "this" { "this".to_owned() } else { format!("`{name}`") };
    Diagnostic::error(&CODE, format!("`{operand}` cannot be cast to {name}"))
        .at(ty, "expected an integer type or an enum")
        .help("integer types are `u8` to `u64`, `s8` to `s64` and those of C")
}
