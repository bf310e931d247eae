//! Texts as the language writes them, for fixes.

/// A text as a string literal of the language.
pub(crate) fn quoted(text: &str) -> String {
    let mut literal = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if c.is_control() => literal.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use tracec_grammar::syntax::ExprKind;

    use super::quoted;

    #[test]
    fn a_quoted_text_reads_back_as_the_same() {
        for text in ["", "plain", "a\"b\\c", "tab\tnul\0end", "\u{1f980}\u{85}", "\n"] {
            let parsed = tracec_grammar::parse_one_liner(&format!("a:b if c == {}", quoted(text)));
            assert_eq!(parsed.errors, [], "{text:?}");
            let read = parsed.file.exprs.iter().find_map(|(_, expr)| match &expr.kind {
                ExprKind::Str(read) => Some(read.as_str()),
                _ => None,
            });
            assert_eq!(read, Some(text));
        }
    }
}
