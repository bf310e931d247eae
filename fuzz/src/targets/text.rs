//! Laws for the syntax of every text.

use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::span::Span;
use tracec_grammar::syntax::ExprKind;
use tracec_grammar::{MAX_DEPTH, MAX_ERRORS, Parsed, decode};

use super::spans;

/// Reads a file.
pub fn parse(data: &[u8]) {
    read(data, tracec_grammar::parse);
}

/// Reads the text of `-e`.
pub fn one_liner(data: &[u8]) {
    read(data, tracec_grammar::parse_one_liner);
}

fn read(data: &[u8], parse: fn(&str) -> Parsed) {
    let text = match decode(data) {
        Ok(text) => text,
        Err(invalid) => {
            assert!(std::str::from_utf8(&data[..invalid.at]).is_ok(), "byte {} is not the first", invalid.at);
            return;
        }
    };
    let parsed = parse(text);
    laws(text, &parsed);
    // A correct text stays correct, with the same meaning, when its last line gets a line end.
    if parsed.errors.is_empty() {
        let ended = parse(&format!("{text}\n"));
        assert!(ended.errors.is_empty(), "a line's end makes {:?}", ended.errors);
        assert_eq!(ended.file, parsed.file, "a line's end changes the meaning");
    }
}

/// Asserts that spans lie in the text and between characters, errors are in order and have a message, depth is limited,
/// and every mistake is reported.
fn laws(text: &str, parsed: &Parsed) {
    let inside = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?} is outside");
    assert!(parsed.errors.len() <= MAX_ERRORS + 1);
    assert!(parsed.errors.is_sorted_by_key(|error| error.span.start), "{:?}", parsed.errors);
    for error in &parsed.errors {
        inside(error.span);
        assert!(!error.to_string().is_empty());
        let _ = (error.hint(), error.fix());
        if let SyntaxErrorKind::Unexpected { expected, .. } = &error.kind {
            assert!(!expected.is_empty(), "nothing would be right at {:?}", error.span);
        }
    }
    assert!(parsed.comments.is_sorted_by_key(|comment| comment.span.start));
    for comment in &parsed.comments {
        inside(comment.span);
        let start = text.get(comment.span.range()).and_then(|comment| comment.get(..2));
        assert!(matches!(start, Some("//" | "/*")), "{start:?} begins no comment");
    }
    spans::of(&parsed.file).into_iter().for_each(inside);
    for (_, expr) in parsed.file.exprs.iter() {
        assert!((1..=MAX_DEPTH).contains(&expr.depth), "depth {}", expr.depth);
        assert!(expr.kind != ExprKind::Error || !parsed.errors.is_empty(), "an error in silence");
    }
}
