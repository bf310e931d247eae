//! Literals of C.

use tracec_kernel::escaped::is_unprintable;

use super::marks::MARK;

/// Returns whether C has a character only with an escape: gcc warns of those that change the direction of text
/// (`-Wbidi-chars`), no reader sees control characters, and one stands for the places of lines until a header is complete.
pub(super) fn is_escaped(c: char) -> bool {
    c == MARK || is_unprintable(c)
}

/// Returns C that is taken as it is written, where these characters can stand in literals and comments only.
pub(super) fn verbatim(c: &str) -> String {
    let character = |c: char| match c {
        _ if c.is_ascii() || !is_escaped(c) => c.to_string(),
        // A universal character name of C names no character below U+00A0.
        ..'\u{a0}' => octal(c),
        c => format!("\\u{:04x}", u32::from(c)),
    };
    c.chars().map(character).collect()
}

/// Returns a character as escapes of its bytes: three octal digits each, so that a digit can follow.
fn octal(c: char) -> String {
    c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\{byte:03o}")).collect()
}

/// Returns a text as a string literal. Most characters beyond ASCII stay as they are, as in the kernel's own sources.
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
            c if is_escaped(c) => literal.push_str(&octal(c)),
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
        assert_eq!(text("\u{202e}1\u{f8ff}"), r#""\342\200\2561\357\243\277""#);
    }

    #[test]
    fn c_as_it_is_written_has_no_character_that_gcc_warns_of() {
        assert_eq!(
            verbatim("f(\"\u{202e}\u{e4}\u{f8ff}\u{85}\");\t"),
            "f(\"\\u202e\u{e4}\\uf8ff\\302\\205\");\t"
        );
    }
}
