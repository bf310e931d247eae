//! The spans of a syntax tree, and the tree without them.

use tracec_grammar::Parsed;
use tracec_grammar::span::Span;

/// Returns all spans of the result, found in its debug form, so that new parts of the syntax are included.
pub fn all_spans(parsed: &Parsed) -> Vec<Span> {
    let text = format!("{parsed:?}");
    text.match_indices("Span(0:")
        .filter_map(|(at, found)| {
            let (range, _) = text[at + found.len()..].split_once(')')?;
            let (start, end) = range.split_once("..")?;
            Some(Span::new(start.parse().ok()?, end.parse().ok()?))
        })
        .collect()
}

/// Returns a text's syntax without the spans.
pub fn meaning(parsed: &Parsed) -> String {
    let printed = format!("{:?}", parsed.file);
    let mut pieces = printed.split("Span(0:");
    let mut meaning = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (place, rest) = piece.split_once(')').expect("the end of a span");
        assert!(place.split("..").all(|number| number.parse::<u32>().is_ok()), "{place}");
        meaning.push('_');
        meaning.push_str(rest);
    }
    meaning
}
