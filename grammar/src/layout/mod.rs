//! Between lexer and grammar: repairs the outline of a text, so that each mistake stays in its statement.
//!
//! An LR parser that meets a mistake drops tokens until it can go on, and does not know where a person would say that
//! the broken part ends. These passes guess it: by lines, by words that begin statements, by brackets without a partner.
//! No guess may change what a correct text says. Therefore a text is arranged without guesses first; only one that
//! cannot be read so is arranged again, with guesses from the declaration on that holds the mistake ([`Guesses`]).
//!
//! Behind the passes every bracket has its partner, every statement ends in `;`, in [`Kind::Break`] or in its block, a
//! statement that cannot stand where it stands is one [`Kind::Junk`], and nothing nests deeper than
//! [`crate::MAX_DEPTH`]. A correct text passes through unchanged, except that the braces of event sets and of the sets
//! behind `in` get kinds of their own, that headers, fetch arguments and symbols become one token each, and that the
//! last member of a list and every part of an event definition get the comma or semicolon that they need not have. Each
//! pass goes over the text once.

mod begins;
mod clauses;
mod declarations;
mod events;
mod fields;
mod foreign;
mod groups;
mod lists;
mod parens;
mod statements;

use crate::errors::Errors;
use crate::lexer::Lexed;
use crate::outline::Block;
use crate::span::{Source, Span};
use crate::token::{Kind, Token};

/// What the grammar reads, and what was wrong with the outline.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Begins with the token that says what is to be parsed.
    pub(crate) tokens: Vec<Token>,
    /// The offsets at which statements begin, in order.
    pub(crate) statements: Vec<u32>,
    /// The offsets at which the declarations of a file begin, in order.
    pub(crate) declarations: Vec<u32>,
    /// Text that the layout explains better than the lexer did; its lexical mistakes do not count.
    pub(crate) explained: Vec<Span>,
    pub(crate) errors: Errors,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Sessions.
    File,
    /// The clauses of one session, the word `trace` of the first may be missing.
    OneLiner,
}

/// Where the layout may guess that a statement ends though nothing says so. In a broken text, lines tell well where;
/// in a correct one, a line may begin with any token, and the guess would break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guesses {
    /// Nowhere: the text is taken as written.
    None,
    /// From this offset on: what stands before it has been read and is correct.
    From(u32),
}

impl Guesses {
    /// Whether the token at `offset` may be guessed to begin something.
    fn include(self, offset: u32) -> bool {
        match self {
            Guesses::None => false,
            Guesses::From(first) => first <= offset,
        }
    }
}

impl Layout {
    /// Guesses for a text that could not be read as written. `place` is where that was noticed.
    ///
    /// An LR parser reads nothing that cannot be the start of a correct text: the mistake is in the declaration before
    /// `place`, and what stands before that is correct. A one-liner has no declarations.
    pub(crate) fn guesses(&self, place: u32) -> Guesses {
        let before = self.declarations.partition_point(|&start| start < place);
        Guesses::From(before.checked_sub(1).map_or(0, |last| self.declarations[last]))
    }
}

/// Arranges the tokens of a text.
pub(crate) fn arrange(source: Source<'_>, lexed: &Lexed, form: Form, guesses: Guesses) -> Layout {
    let start = match form {
        Form::File => Kind::StartFile,
        Form::OneLiner if begins_with_clause(&lexed.tokens) => Kind::StartClauses,
        Form::OneLiner => Kind::StartEvents,
    };
    let mut layout = statements::arrange(source, lexed, start, guesses);
    parens::arrange(&mut layout);
    layout
}

/// Whether a one-liner begins with a clause word rather than with an event of that name.
fn begins_with_clause(tokens: &[Token]) -> bool {
    let kind = |index: usize| tokens.get(index).map_or(Kind::End, |token| token.kind);
    let first = usize::from(matches!(kind(0), Kind::Doc | Kind::InnerDoc));
    let word = kind(first);
    word.is_clause()
        && match kind(first + 1) {
            Kind::Colon | Kind::If | Kind::Except | Kind::Having => false,
            // Clauses of one word.
            Kind::Semicolon | Kind::End => Block::Clauses.may_follow(word, Kind::Semicolon),
            Kind::LBrace => Block::Clauses.may_follow(word, Kind::LBrace),
            _ => true,
        }
}
