//! The tokens of C, in a header or in preprocessed text.

use super::error::{CError, CErrorKind};
use super::tree::ByteRange;

/// A token with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// Its range.
    pub range: ByteRange,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A constant that begins with a digit, with its suffix.
    Number,
    /// A character constant.
    Char,
    /// A string literal. Adjacent literals are tokens of their own.
    Str,
    /// An operator, a bracket, or a separator.
    Punctuator(&'static str),
    /// White space within a line, or a backslash and the line break after it.
    Blank,
    /// A line break.
    NewLine,
    /// A comment with its marks.
    Comment,
    /// A line of the preprocessor from its `#` to before the line break, with the lines that continue it.
    Directive,
    /// A string or character constant that is not closed, to the end of its line.
    OpenQuote,
    /// A character that does not begin a token.
    Unknown,
}

impl TokenKind {
    /// Returns whether the compiler ignores it.
    pub fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Blank | TokenKind::NewLine | TokenKind::Comment)
    }
}

/// The longest first, so that `<<=` is not read as `<<`. The reader of expressions does not accept `++`, `--`, `#` or
/// `##`.
const PUNCTUATORS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "##", "(", ")", "[", "]", "{", "}", ".", ",", ";", "?", ":", "=", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "#",
];

/// The stage of compilation at which a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Before the preprocessor: comments, directives and continued lines are there, and a literal ends with its line.
    Header,
    /// After it: `//` is two operators, and a line break in a literal belongs to the literal.
    Preprocessed,
}

/// An iterator over the tokens of a text, white space and comments included. Each begins where the one before it ends;
/// text that is not C becomes [`TokenKind::Unknown`] or [`TokenKind::OpenQuote`].
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    form: Form,
    /// Whether only white space and comments stand before `at` on the line.
    line_begins: bool,
}

impl<'a> Lexer<'a> {
    /// Reads a header, or a part of one that begins at a token.
    pub fn header(text: &'a str) -> Self {
        Lexer { text, at: 0, form: Form::Header, line_begins: true }
    }

    /// Reads a text without comments and directives, beginning at the byte `start`.
    pub fn preprocessed(text: &'a str, start: usize) -> Self {
        Lexer { text, at: start, form: Form::Preprocessed, line_begins: false }
    }

    /// Returns the kind and the end of the next token. `rest` is the text from there on, `first` its first character.
    fn token(&self, first: char, rest: &str) -> (TokenKind, usize) {
        let length = |is: fn(&u8) -> bool| rest.bytes().take_while(is).count();
        let is_header = self.form == Form::Header;
        let (kind, length) = match first {
            '\n' => (TokenKind::NewLine, 1),
            '\\' if is_header && rest.starts_with("\\\n") => (TokenKind::Blank, 2),
            _ if first.is_ascii_whitespace() => (TokenKind::Blank, length(is_blank)),
            '/' if is_header && rest.starts_with("/*") => {
                (TokenKind::Comment, rest[2..].find("*/").map_or(rest.len(), |end| end + 4))
            }
            '/' if is_header && rest.starts_with("//") => {
                let mut ends = rest.match_indices('\n').map(|(at, _)| at);
                let end = ends.find(|&at| !rest[..at].ends_with('\\'));
                (TokenKind::Comment, end.unwrap_or(rest.len()))
            }
            '#' if is_header && self.line_begins => (TokenKind::Directive, directive(rest)),
            '"' => quoted(rest, TokenKind::Str, is_header),
            '\'' => quoted(rest, TokenKind::Char, is_header),
            '0'..='9' => (TokenKind::Number, length(is_word)),
            'a'..='z' | 'A'..='Z' | '_' => (TokenKind::Word, length(is_word)),
            _ => match PUNCTUATORS.iter().find(|punctuator| rest.starts_with(**punctuator)) {
                Some(punctuator) => (TokenKind::Punctuator(punctuator), punctuator.len()),
                None => (TokenKind::Unknown, first.len_utf8()),
            },
        };
        (kind, self.at + length)
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..)?;
        let (kind, end) = self.token(rest.chars().next()?, rest);
        // The greatest offset of a range.
        u32::try_from(end).ok()?;
        let range = ByteRange::new(self.at, end);
        self.at = end;
        self.line_begins = kind == TokenKind::NewLine || self.line_begins && kind.is_trivia();
        Some(Token { kind, range })
    }
}

fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() && *byte != b'\n'
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Returns the length of the directive that `text` begins with: a comment in it may span several lines.
fn directive(text: &str) -> usize {
    let mut tokens = Lexer { text, at: 1, form: Form::Header, line_begins: false };
    let end = tokens.find(|token| token.kind == TokenKind::NewLine);
    end.map_or(text.len(), |token| token.range.start as usize)
}

/// Returns the kind and the length of the string or character constant that `text` begins with.
fn quoted(text: &str, kind: TokenKind, ends_with_line: bool) -> (TokenKind, usize) {
    let bytes = text.as_bytes();
    let mut end = 1;
    while let Some(&byte) = bytes.get(end) {
        if byte == b'\n' && ends_with_line {
            return (TokenKind::OpenQuote, end);
        }
        end += if byte == b'\\' { 2 } else { 1 };
        if byte == bytes[0] {
            return (kind, end);
        }
    }
    (TokenKind::OpenQuote, text.len())
}

/// Returns the tokens of preprocessed text, beginning at `start`, without white space.
pub(crate) fn tokens(text: &str, start: usize) -> Result<Vec<Token>, CError> {
    let meaning = Lexer::preprocessed(text, start).filter(|token| !token.kind.is_trivia());
    meaning.map(|token| known(text, token)).collect()
}

/// Refuses a token that is not valid in an expression.
pub(crate) fn known(text: &str, token: Token) -> Result<Token, CError> {
    let kind = match token.kind {
        TokenKind::OpenQuote => CErrorKind::OpenQuote,
        TokenKind::Unknown | TokenKind::Punctuator("#" | "##") => {
            CErrorKind::Character(token.range.of(text).chars().next().unwrap_or(char::REPLACEMENT_CHARACTER))
        }
        _ => return Ok(token),
    };
    Err(CError::new(token.range.start as usize, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kinds and texts of the tokens of a header, except white space.
    fn header(text: &str) -> Vec<(TokenKind, &str)> {
        let tokens = Lexer::header(text).map(|token| (token.kind, token.range.of(text)));
        tokens.filter(|(kind, _)| !matches!(kind, TokenKind::Blank | TokenKind::NewLine)).collect()
    }

    #[test]
    fn punctuators_are_as_long_as_they_can_be() {
        let text = r#"REC->a<<2>=0x1fUL?"a\"b":'\''"#;
        let found: Vec<&str> = tokens(text, 0).unwrap().iter().map(|token| token.range.of(text)).collect();
        assert_eq!(found, ["REC", "->", "a", "<<", "2", ">=", "0x1fUL", "?", r#""a\"b""#, ":", r"'\''"]);
    }

    #[test]
    fn what_is_no_token_has_its_place() {
        let error = |text| tokens(text, 0).unwrap_err();
        assert_eq!(error("a @ b"), CError::new(2, CErrorKind::Character('@')));
        assert_eq!(error("a ä"), CError::new(2, CErrorKind::Character('ä')));
        assert_eq!(error("a #b"), CError::new(2, CErrorKind::Character('#')));
        assert_eq!(error("a \\\nb"), CError::new(2, CErrorKind::Character('\\')));
        assert_eq!(error("a \"b"), CError::new(2, CErrorKind::OpenQuote));
        assert_eq!(error("'a\\'"), CError::new(0, CErrorKind::OpenQuote));
        assert_eq!(error("\"\\"), CError::new(0, CErrorKind::OpenQuote));
        assert_eq!(tokens("ab", 99).unwrap(), []);
    }

    #[test]
    fn header_has_comments_and_directives_and_preprocessed_text_has_neither() {
        use TokenKind::*;
        let text = "/* a */ #define A(x) #x \\\n  x##1 // b\nint f; # 'c";
        assert_eq!(
            header(text),
            [
                (Comment, "/* a */"),
                (Directive, "#define A(x) #x \\\n  x##1 // b"),
                (Word, "int"),
                (Word, "f"),
                (Punctuator(";"), ";"),
                (Punctuator("#"), "#"),
                (OpenQuote, "'c"),
            ]
        );
        let signs: Vec<_> = tokens("a //* b", 0).unwrap().into_iter().map(|token| token.kind).collect();
        assert_eq!(signs, [Word, Punctuator("/"), Punctuator("/"), Punctuator("*"), Word]);
    }

    #[test]
    fn directive_ends_with_its_line_unless_a_comment_or_a_backslash_continues_it() {
        for (text, length) in [
            ("#", 1),
            ("# 1 \"x\"\nint", 7),
            ("#error don't\n'", 12),
            ("#define A /* 1\n */ 2\nB", 20),
            ("#define A \\\n\\\n 2\nB", 16),
            ("#define A \"a\\\nb\"\nB", 16),
            ("#define A // 1\\\n 2\nB", 18),
        ] {
            let first = Lexer::header(text).next().unwrap();
            assert_eq!(
                (first.kind, first.range),
                (TokenKind::Directive, ByteRange::new(0, length)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn tokens_leave_no_gap() {
        let text = "#if A\n\tenum a { B = 'ä', };\r\n/* ö\"\u{a0}\\ @ \\\n\"x\\\ny\" \"open\n'";
        for tokens in [Lexer::header(text), Lexer::preprocessed(text, 0)] {
            assert_eq!(tokens.map(|token| token.range.of(text)).collect::<String>(), text);
        }
    }
}
