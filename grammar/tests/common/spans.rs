//! Every place that a syntax tree names, and what it says besides.

use tracec_grammar::Parsed;
use tracec_grammar::span::Span;

/// All spans of the result, found in its debug form: none that is added to the syntax can be forgotten here.
pub fn all_spans(parsed: &Parsed) -> Vec<Span> {
    let text = format!("{parsed:?}");
    let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse();
    text.match_indices("Span { start: ")
        .filter_map(|(at, found)| {
            let rest = &text[at + found.len()..];
            let (_, end) = rest.split_once(", end: ")?;
            Some(Span { start: number(rest).ok()?, end: number(end).ok()? })
        })
        .collect()
}

/// A text's syntax without the places.
pub fn meaning(parsed: &Parsed) -> String {
    let printed = format!("{:?}", parsed.file);
    let mut pieces = printed.split("Span { start: ");
    let mut meaning = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (place, rest) = piece.split_once(" }").expect("the end of a span");
        assert!(place.split(", end: ").all(|number| number.parse::<u32>().is_ok()), "{place}");
        meaning.push('_');
        meaning.push_str(rest);
    }
    meaning
}
