//! Characters that change the direction of text: they can make a line read as another than it is.

use crate::comment::Comment;
use crate::lexer::{self, Kind};
use crate::limits::MAX_SOURCE;
use crate::span::{FileId, Source, Span};

/// A character that changes the direction of text, in a comment or a string. Elsewhere it is a mistake of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectionMark {
    /// The character.
    pub character: char,
    /// Its span.
    pub span: Span,
    /// What it stands in.
    pub holder: Holder,
}

/// What holds a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A comment.
    Comment,
    /// A string with escapes.
    String,
    /// A raw string, or C between backticks.
    Raw,
}

/// Returns the marks in a text, in its order. Only a text that has some is read once more.
pub fn direction_marks(text: &str, file: FileId) -> Vec<DirectionMark> {
    if text.is_ascii() || text.len() > MAX_SOURCE || !text.contains(is_mark) {
        return Vec::new();
    }
    let source = Source { text, file };
    let lexed = lexer::lex(source);
    let marks = text.match_indices(is_mark).filter_map(|(at, character)| {
        let span = file.span(at as u32, (at + character.len()) as u32);
        let comment = last_before(&lexed.comments, span, |comment: &Comment| comment.span);
        let token = last_before(&lexed.tokens, span, |token| token.span);
        let holder = match (comment, token.map(|token| (token.kind, source.slice(token.span)))) {
            (Some(_), _) | (None, Some((Kind::Doc | Kind::InnerDoc, _))) => Holder::Comment,
            (None, Some((Kind::Str, text))) if text.starts_with('r') => Holder::Raw,
            (None, Some((Kind::Str | Kind::TemplateText, _))) => Holder::String,
            (None, Some((Kind::RawC, _))) => Holder::Raw,
            (None, _) => return None,
        };
        Some(DirectionMark { character: character.chars().next()?, span, holder })
    });
    marks.collect()
}

/// Returns the one that holds a place, of those that are sorted and do not overlap.
fn last_before<T>(all: &[T], at: Span, span: impl Fn(&T) -> Span) -> Option<&T> {
    let behind = all.partition_point(|one| span(one).start <= at.start);
    all.get(behind.checked_sub(1)?).filter(|one| span(one).holds(at))
}

/// The marks, embeddings, overrides and isolates of the Unicode Bidirectional Algorithm (UAX #9, 2).
fn is_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(char, usize, Holder)> {
        let marks = direction_marks(text, FileId::MAIN);
        marks.iter().map(|mark| (mark.character, mark.span.range().start, mark.holder)).collect()
    }

    #[test]
    fn marks_are_found_in_comments_and_strings() {
        for (text, expected) in [
            ("// a\u{202e}b", vec![('\u{202e}', 4, Holder::Comment)]),
            (
                "/* \u{200f} */ // \u{61c}",
                vec![('\u{200f}', 3, Holder::Comment), ('\u{61c}', 13, Holder::Comment)],
            ),
            ("/// \u{2066}\n/// \u{2069}\nsession s {}", {
                vec![('\u{2066}', 4, Holder::Comment), ('\u{2069}', 12, Holder::Comment)]
            }),
            ("//! \u{200e}", vec![('\u{200e}', 4, Holder::Comment)]),
            ("const A = \"\u{202a}\";", vec![('\u{202a}', 11, Holder::String)]),
            ("const A = r\"\u{202b}\";", vec![('\u{202b}', 12, Holder::Raw)]),
            ("print \"\u{202c} {a}\u{202d}\"", {
                vec![('\u{202c}', 7, Holder::String), ('\u{202d}', 14, Holder::String)]
            }),
            ("assign `\u{202e}`", vec![('\u{202e}', 8, Holder::Raw)]),
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_characters_are_not_marks() {
        for text in
            ["// \u{5d0}\u{e4}\u{1f600}\u{200b}\u{2028}", "const A = \"\\u{202e}\";", "a\u{202e} == 1", ""]
        {
            assert_eq!(found(text), [], "{text:?}");
        }
    }
}
