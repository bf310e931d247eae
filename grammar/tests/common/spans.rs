//! Every place that a syntax tree names, and what it says besides.

use tracec_grammar::Parsed;
use tracec_grammar::span::Span;

/// All spans of the result, found in its debug form: none that is added to the syntax can be forgotten here.
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

/// A text's syntax without the places.
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
