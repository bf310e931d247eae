//! The boundaries of the tokens of a hand-written text, found without the lexer of the crate.

use std::ops::Range;

/// Returns the gaps between the tokens of a correct text, as far as a line-based scan finds them: every run of blanks
/// and comments outside of strings, templates, C and headers, and the places beside brackets, commas and semicolons. A
/// fetch argument or a set of CPUs is one token.
pub fn gaps(text: &str) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut word = "";
    while at < text.len() {
        let start = at;
        at += blanks(&text[at..]);
        let before = text[..start].chars().next_back();
        let touches = |c: char| "(){};,".contains(c);
        if at > start || before.is_some_and(touches) || text[at..].starts_with(touches) {
            gaps.push(start..at);
        }
        if at == text.len() {
            break;
        }
        let length = token(&text[at..], word);
        word = &text[at..at + length];
        at += length;
    }
    gaps
}

/// Returns how many bytes of blanks and comments a text begins with.
fn blanks(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let doc = (rest.starts_with("///") && !rest.starts_with("////")) || rest.starts_with("//!");
        at += match rest.chars().next() {
            Some(blank) if blank.is_ascii_whitespace() => 1,
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("//") && !doc => line(rest),
            _ => return at,
        };
    }
}

/// Returns the length of the first line of a text, its end included.
fn line(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// Returns the length of the token that a text begins with, after the token `before`.
fn token(text: &str, before: &str) -> usize {
    let until =
        |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    let words = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = text.chars().next().unwrap_or_default();
    match first {
        '/' if text.starts_with("//") => line(text),
        // The last quote of the line: those before it may be in placeholders.
        '"' if before == "print" => text[..line(text)].rfind('"').map_or(1, |end| end + 1),
        '"' => 1 + text[1..].replace("\\\\", "__").replace("\\\"", "__").find('"').map_or(0, |end| end + 1),
        '`' => until(1, "`"),
        '<' if before == "include" => until(1, ">"),
        '%' | '@' | '$' if before != ")" && text[1..].starts_with(words) => {
            1 + text[1..].find(|c: char| !words(c)).unwrap_or(text.len() - 1)
        }
        // A fetch argument: `+8($stack)`, `+u0(%si)`.
        '+' | '-' if before == "=" && is_offset(&text[1..]) => until(1, ")"),
        _ if text.starts_with("CPUS{") => until(0, "}"),
        c if words(c) => text.find(|c: char| !words(c)).unwrap_or(text.len()),
        other => other.len_utf8(),
    }
}

/// Returns whether a text begins with the offset of a fetch argument: a number before a parenthesis.
fn is_offset(text: &str) -> bool {
    let text = text.strip_prefix('u').unwrap_or(text);
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < text.len() && behind.starts_with('(')
}
