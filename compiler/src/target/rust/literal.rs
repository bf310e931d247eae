//! Literals of Rust.

use tracec_kernel::condition::ir::Sign;

/// Returns a text as a string literal of ASCII: rustc denies some of the other characters.
pub(super) fn text(content: &str) -> String {
    let mut literal = String::from("\"");
    for c in content.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            ' '..='~' => literal.push(c),
            c => literal.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
    }
    literal.push('"');
    literal
}

/// Returns bytes as a literal of a reference to an array.
pub(super) fn bytes(content: &[u8]) -> String {
    let mut literal = String::from("b\"");
    for &byte in content {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => literal.push_str(&format!("\\x{byte:02x}")),
        }
    }
    literal.push('"');
    literal
}

/// Returns a number of 64 bits in a sign.
pub(super) fn number(sign: Sign, value: i128) -> String {
    match sign {
        Sign::Signed => format!("{value}_i64"),
        Sign::Unsigned => format!("{value}_u64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_its_literal() {
        assert_eq!(text("a\"b\\\n{}\u{e9}\u{202e}"), "\"a\\\"b\\\\\\u{a}{}\\u{e9}\\u{202e}\"");
        assert_eq!(bytes(b"a\"b\\\n\xff"), "b\"a\\\"b\\\\\\x0a\\xff\"");
    }
}
