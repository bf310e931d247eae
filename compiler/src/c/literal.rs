//! Literals of C.

/// Returns a text as a string literal. Characters beyond ASCII stay as they are, as in the kernel's own sources.
pub(super) fn text(content: &str) -> String {
    let mut literal = String::from("\"");
    for (index, c) in content.char_indices() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            // `??/` is a trigraph for a backslash.
            '?' if content[..index].ends_with('?') => literal.push_str("\\?"),
            // Three octal digits, so that a digit can follow.
            c if c.is_ascii_control() => literal.push_str(&format!("\\{:03o}", u32::from(c))),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// Returns any bytes as a string literal of ASCII: a compiler warns of some of the other characters.
pub(crate) fn bytes(content: &[u8]) -> String {
    let mut literal = String::from("\"");
    for &byte in content {
        match byte {
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            // Three octal digits, so that a digit can follow.
            _ => literal.push_str(&format!("\\{byte:03o}")),
        }
    }
    literal.push('"');
    literal
}

/// Returns a number as an operand. C reads a decimal number as the first of `int` and `long` that can hold it.
pub(super) fn number(value: i128) -> String {
    match value {
        ..0 if value == i128::from(i64::MIN) => "(-9223372036854775807 - 1)".to_owned(),
        ..0 => format!("({value})"),
        _ if value > i128::from(i64::MAX) => format!("{value}ULL"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_values_that_they_show() {
        assert_eq!(number(0), "0");
        assert_eq!(number(-5), "(-5)");
        assert_eq!(number(i128::from(u64::MAX)), "18446744073709551615ULL");
        assert_eq!(number(i128::from(i64::MIN)), "(-9223372036854775807 - 1)");
    }

    #[test]
    fn bytes_are_ascii() {
        assert_eq!(bytes(b"a\"b\\\n1??/\xff%"), "\"a\\\"b\\\\\\0121\\?\\?/\\377%\"");
    }

    #[test]
    fn text_cannot_end_its_literal() {
        assert_eq!(text("a\"b\\\n\t\u{e9}\u{1}2"), "\"a\\\"b\\\\\\n\\t\u{e9}\\0012\"");
        assert_eq!(text("1? ??/ ???"), r#""1? ?\?/ ?\?\?""#);
    }
}
