//! The stage between lexer and grammar, which repairs the structure of a text, so that each mistake stays in its
//! statement.
//!
//! An LR parser that finds a mistake drops tokens until it can go on, and cannot judge where the broken part ends.
//! These passes guess it: by lines, by words that begin statements, by unmatched brackets. A guess must not change the
//! meaning of a correct text. Therefore a text is arranged without guesses first; only a text that cannot be parsed so
//! is arranged again, with guesses from the declaration on that contains the mistake ([`Guesses`]).
//!
//! After the passes every bracket has its partner, every statement ends in `;`, in [`Kind::Break`] or in its block, a
//! misplaced statement is one [`Kind::Junk`], and the nesting is at most [`crate::MAX_DEPTH`]. A correct text is
//! unchanged, with these exceptions: the braces of event sets and of the sets of `in` get kinds of their own; headers,
//! fetch arguments and symbols become one token each; and the last member of a list and every part of an event
//! definition get their optional comma or semicolon. Each pass goes over the text once.

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
mod surplus;

pub(crate) use surplus::Surplus;

use crate::errors::Errors;
use crate::lexer::Lexed;
use crate::lexer::{Kind, Token};
use crate::outline::Block;
use crate::planned;
use crate::span::{Source, Span};
use crate::words::StatementContext;

/// The input of the grammar, and the structural mistakes.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The tokens, after one that says what is to be parsed.
    pub(crate) tokens: Vec<Token>,
    /// The offsets at which statements begin, in order.
    pub(crate) statements: Vec<u32>,
    /// The offsets at which the declarations of a file begin, in order.
    pub(crate) declarations: Vec<u32>,
    /// The spans of text whose mistakes the layout explains better than the lexer; lexical mistakes in them do not
    /// count.
    pub(crate) explained: Vec<Span>,
    pub(crate) errors: Errors,
}

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Sessions.
    File,
    /// The clauses of one session; the word `trace` of the first may be missing.
    OneLiner,
}

/// The part of a text in which the layout may guess that a statement ends without a semicolon. In a broken text, line
/// ends are good evidence; in a correct one, a line may begin with any token, and the guess would break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guesses {
    /// No guesses: the text is taken as written.
    None,
    /// Guesses from this offset on: the text before it has been parsed and is correct.
    From(u32),
}

impl Guesses {
    /// Returns whether a statement may be guessed to begin at the token at `offset`.
    fn include(self, offset: u32) -> bool {
        match self {
            Guesses::None => false,
            Guesses::From(first) => first <= offset,
        }
    }
}

impl Layout {
    /// Returns the guesses for a text that could not be parsed as written. `place` is where the parser noticed that.
    ///
    /// An LR parser accepts only tokens that can begin a correct text: the mistake is in the declaration before
    /// `offset`, and the text before that declaration is correct. A one-liner has no declarations.
    pub(crate) fn guesses(&self, offset: u32) -> Guesses {
        let before = self.declarations.partition_point(|&start| start < offset);
        Guesses::From(before.checked_sub(1).map_or(0, |last| self.declarations[last]))
    }
}

/// Arranges the tokens of a text.
pub(crate) fn arrange(source: Source<'_>, lexed: &Lexed, form: Form, guesses: Guesses) -> Layout {
    let uses = if form == Form::OneLiner { leading_uses(&lexed.tokens) } else { 0 };
    let start = match form {
        Form::File => Kind::StartFile,
        Form::OneLiner if begins_with_clause(source, &lexed.tokens[uses..]) => Kind::StartClauses,
        Form::OneLiner => Kind::StartEvents,
    };
    let mut layout = statements::arrange(source, lexed, start, uses, guesses);
    parens::arrange(&mut layout);
    layout
}

/// Returns how many tokens the `use` declarations take that a one-liner begins with. It has none; they are reported,
/// and the rest is read.
fn leading_uses(tokens: &[Token]) -> usize {
    let kind = |index: usize| tokens.get(index).map_or(Kind::End, |token| token.kind);
    let mut end = 0;
    // One with `as` binds another name.
    while kind(end) == Kind::Use
        && kind(end + 1).is_name()
        && kind(end + 2) == Kind::ColonColon
        && kind(end + 3).is_name()
        && kind(end + 4) == Kind::Semicolon
    {
        end += 5;
    }
    end
}

/// Returns whether a one-liner begins with a clause word rather than with an event of that name.
fn begins_with_clause(source: Source<'_>, tokens: &[Token]) -> bool {
    let kind = |index: usize| tokens.get(index).map_or(Kind::End, |token| token.kind);
    let first = usize::from(matches!(kind(0), Kind::Doc | Kind::InnerDoc));
    let word = kind(first);
    // A planned clause is one mistake with its block, as it is in a session.
    let planned = |token: &Token| {
        planned::in_context(source.slice(token.span), StatementContext::Session).is_some()
            && (kind(first + 1).is_name() || kind(first + 1).is_literal())
    };
    if word.may_be_planned() && tokens.get(first).is_some_and(planned) {
        return true;
    }
    // A trigger is not a clause; that is said of the trigger, and not of an event with its name.
    let is_trigger = word == Kind::Trigger && kind(first + 1).is_name();
    is_trigger
        || word.is_clause()
            && match kind(first + 1) {
                Kind::Colon | Kind::If | Kind::Except | Kind::Having => false,
                // Clauses of one word.
                Kind::Semicolon | Kind::End => Block::Clauses.may_follow(word, Kind::Semicolon),
                Kind::LBrace => Block::Clauses.may_follow(word, Kind::LBrace),
                _ => true,
            }
}
