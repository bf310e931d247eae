//! The tokens of a text, for editors: what a place of a text that is being typed belongs to is known from its tokens,
//! also where no syntax is.

use crate::lexer::{self, Kind};
use crate::span::{FileId, Source, Span};

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextToken {
    /// Its class.
    pub class: TokenClass,
    /// Its span.
    pub span: Span,
}

/// The classes of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenClass {
    /// A name, or a word of the language: where it stands decides.
    Word,
    /// A number, with or without a unit; an address; `CPUS{..}`.
    Number,
    /// A string, or a part of a template between its placeholders.
    Text,
    /// C between backticks.
    C,
    /// An operator.
    Operator,
    /// A bracket, or punctuation.
    Punctuation,
    /// A comment, doc comments included.
    Comment,
    /// Text that is not a token.
    Broken,
}

/// Returns the tokens of a text in its order, comments included.
pub fn tokens(text: &str) -> Vec<TextToken> {
    let lexed = lexer::lex(Source { text, file: FileId::MAIN });
    let tokens = lexed.tokens.iter().map(|token| {
        let first = text.as_bytes().get(token.span.range().start).copied().unwrap_or_default();
        TextToken { class: class(token.kind, first), span: token.span }
    });
    let comments =
        lexed.comments.iter().map(|comment| TextToken { class: TokenClass::Comment, span: comment.span });
    let mut all: Vec<TextToken> = tokens.chain(comments).collect();
    all.sort_by_key(|token| token.span);
    all
}

fn class(kind: Kind, first: u8) -> TokenClass {
    match kind {
        Kind::Int | Kind::Size | Kind::Duration | Kind::Address | Kind::Cpus => TokenClass::Number,
        Kind::Str | Kind::TemplateOpen | Kind::TemplateText | Kind::TemplateClose | Kind::Format => {
            TokenClass::Text
        }
        Kind::RawC => TokenClass::C,
        Kind::Doc | Kind::InnerDoc => TokenClass::Comment,
        Kind::Broken => TokenClass::Broken,
        _ if first.is_ascii_alphabetic() || first == b'_' => TokenClass::Word,
        _ if b"(){}[];,".contains(&first) => TokenClass::Punctuation,
        Kind::Colon | Kind::ColonColon | Kind::Dot => TokenClass::Punctuation,
        _ => TokenClass::Operator,
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenClass, tokens};

    fn classes(text: &str) -> Vec<(TokenClass, &str)> {
        tokens(text).iter().map(|token| (token.class, &text[token.span.range()])).collect()
    }

    #[test]
    fn every_class_is_found_in_the_order_of_the_text() {
        use TokenClass::{Broken, C, Comment, Number, Operator, Punctuation, Text, Word};
        let found = classes("/* a */ trace a:b if x >= 64KiB // b\n \"c\" `d` $");
        let expected = [
            (Comment, "/* a */"),
            (Word, "trace"),
            (Word, "a"),
            (Punctuation, ":"),
            (Word, "b"),
            (Word, "if"),
            (Word, "x"),
            (Operator, ">="),
            (Number, "64KiB"),
            (Comment, "// b"),
            (Text, "\"c\""),
            (C, "`d`"),
            (Broken, "$"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn names_in_a_template_are_words() {
        let found = classes("print \"a {b:x} c\"");
        assert!(found.contains(&(TokenClass::Word, "b")), "{found:?}");
    }
}
