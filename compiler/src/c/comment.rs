//! Comments of C.

use super::literal::is_escaped;

/// Returns a text that a comment can contain.
pub(crate) fn comment(text: &str) -> String {
    let character = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if is_escaped(c) => format!("U+{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    let shown: String = text.chars().map(character).collect();
    shown.replace("*/", "* /").replace("/*", "/ *")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_neither_ends_nor_changes_the_direction_of_text() {
        assert_eq!(comment("*/ a\u{202e}b\n\u{f8ff}\u{e4}"), "* / aU+202Eb\nU+F8FF\u{e4}");
    }
}
