//! T0222: not-an-address. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0222", "not-an-address", include_str!("not_an_address.md"));

/// Reports a field that cannot hold an address of `bytes` bytes.
pub(crate) fn not_an_address(
    span: Span,
    field: Span,
    name: &str,
    field_type: &str,
    bytes: usize,
) -> Diagnostic {
    let note = match bytes {
        4 => {
            "an IPv4 address can be compared with 4 bytes in network order, `__be32` or `__u8[4]`".to_owned()
        }
        // IPv6: records have such addresses as arrays of bytes.
        bytes => format!("the address has {bytes} bytes, and integers in records have 8 at most"),
    };
    Diagnostic::error(&CODE, format!("`{name}` cannot be compared with an address"))
        .at(span, "an address")
        .and_at(field, format!("has the type `{field_type}`"))
        .note(note)
}

/// Reports an address in quotes.
pub(crate) fn in_quotes(span: Span, field: Span, name: &str, field_type: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` holds an address and is compared with a string"))
        .at(span, "expected an address")
        .and_at(field, format!("`{name}` has the type `{field_type}`"))
}
