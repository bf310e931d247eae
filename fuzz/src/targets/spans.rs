//! Every span of a value, found in the output of `Debug`, so that new parts of the syntax are covered too.

use std::fmt::Debug;

use tracec_grammar::span::{FileId, Span};

/// The start of a [`Span`] in the output of a derived `Debug`.
const BEFORE: &str = "Span(";

/// Returns the spans in the order they are printed.
pub(super) fn of(value: &impl Debug) -> Vec<Span> {
    let printed = format!("{value:?}");
    let mut spans = Vec::new();
    let mut rest = printed.as_str();
    while let Some(at) = rest.find(['"', '\'', 'S']) {
        rest = &rest[at..];
        if let Some(numbers) = rest.strip_prefix(BEFORE) {
            spans.extend(span(numbers));
        }
        rest = match rest.as_bytes()[0] {
            quote @ (b'"' | b'\'') => behind_text(rest, quote),
            _ => &rest[1..],
        };
    }
    spans
}

/// Returns the output of `Debug` with all spans alike: it is the same for two texts with the same meaning at different
/// places.
pub(super) fn erased(value: &impl Debug) -> String {
    let printed = format!("{value:?}");
    let mut out = String::with_capacity(printed.len());
    let mut rest = printed.as_str();
    while let Some(at) = rest.find(['"', '\'', 'S']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let behind = match rest.as_bytes()[0] {
            quote @ (b'"' | b'\'') => behind_text(rest, quote),
            _ if rest.starts_with(BEFORE) => {
                out.push_str("Span");
                rest = rest.split_once(')').map_or("", |(_, behind)| behind);
                continue;
            }
            _ => &rest[1..],
        };
        out.push_str(&rest[..rest.len() - behind.len()]);
        rest = behind;
    }
    out + rest
}

/// Reads the part after `Span(`: `0:1..2)`.
fn span(numbers: &str) -> Option<Span> {
    let (file, rest) = numbers.split_once(':')?;
    let (range, _) = rest.split_once(')')?;
    let (start, end) = range.split_once("..")?;
    Some(FileId(file.parse().ok()?).span(start.parse().ok()?, end.parse().ok()?))
}

/// Returns the part after a printed string or character: a `Span(` in a user's string is not a span.
fn behind_text(printed: &str, quote: u8) -> &str {
    let mut escaped = false;
    for (at, byte) in printed.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return &printed[at + 1..],
            _ => {}
        }
    }
    ""
}
