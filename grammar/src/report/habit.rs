//! Mistakes that come from the habits of other tools and languages, told by the tokens around the one that was
//! refused.

use super::{Expected, describe};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::span::{Source, Span};
use crate::token::{Kind, Token};

/// The habit behind a token that the grammar refused, if one is known.
pub(super) fn find(
    source: Source<'_>,
    tokens: &[Token],
    index: usize,
    expected: &Expected<'_>,
) -> Option<SyntaxError> {
    let around = Around { source, tokens, index };
    around
        .after_connector()
        .or_else(|| around.of_trigger(expected))
        .or_else(|| around.of_event(expected))
        .or_else(|| around.without_if(expected))
        .or_else(|| around.without_connector(expected))
}

/// The tokens around the one at `index`.
struct Around<'t> {
    source: Source<'t>,
    tokens: &'t [Token],
    index: usize,
}

impl Around<'_> {
    /// The token so many places away.
    fn token(&self, offset: isize) -> Option<Token> {
        self.tokens.get(self.index.checked_add_signed(offset)?).copied()
    }

    fn kind(&self, offset: isize) -> Kind {
        self.token(offset).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self, offset: isize) -> String {
        self.token(offset).map_or_else(String::new, |token| self.source.slice(token.span).to_owned())
    }

    fn span(&self, from: isize, to: isize) -> Option<Span> {
        Some(self.token(from)?.span.to(self.token(to)?.span))
    }

    /// `a && && b`, and `a &&` at the end.
    fn after_connector(&self) -> Option<SyntaxError> {
        let connector = match self.kind(-1) {
            Kind::AndAnd => "&&",
            Kind::OrOr => "||",
            _ => return None,
        };
        let found = describe(self.source, &self.tokens[self.index.min(self.tokens.len())..]);
        let place = self.token(0).map_or(self.source.end(), |token| token.span);
        let at = self.token(-1)?.span;
        Some(SyntaxError::new(SyntaxErrorKind::DanglingConnector { connector, at, found }, place))
    }

    /// `trigger stacktrace:5`, `trigger enable_event:a:b`, `count -1`: the form of the kernel's `trigger` files
    /// (kernel/trace/trace_events_trigger.c, `event_trigger_parse_num`).
    fn of_trigger(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if self.kind(0) == Kind::Minus && self.kind(-1) == Kind::Count && self.kind(1) == Kind::Int {
            return Some(SyntaxError::new(SyntaxErrorKind::NegativeCount, self.span(0, 1)?));
        }
        if self.kind(0) != Kind::Colon || self.kind(-2) != Kind::Trigger || expected.has("&&") {
            return None;
        }
        let (what, instead, last) = match self.kind(1) {
            Kind::Int => ("a count", format!("count {}", self.text(1)), 1),
            system if system.is_name() && self.kind(2) == Kind::Colon && self.kind(3).is_name() => {
                ("the event of an action", format!("{}:{}", self.text(1), self.text(3)), 3)
            }
            _ => return None,
        };
        Some(SyntaxError::new(SyntaxErrorKind::AsInKernel { what, instead }, self.span(0, last)?))
    }

    /// `a:b:u`, `tracepoint:a:b` and `a/b`, where an event has just been named.
    fn of_event(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if !expected.has("except") || !self.kind(-1).is_name() {
            return None;
        }
        let is_path = self.kind(-2) == Kind::Colon;
        match self.kind(0) {
            Kind::Colon if is_path && self.text(-3) == "tracepoint" && self.kind(1).is_name() => {
                let (tool, instead) = ("bpftrace", format!("{}:{}", self.text(-1), self.text(1)));
                Some(SyntaxError::new(SyntaxErrorKind::ForeignTool { tool, instead }, self.span(-3, 1)?))
            }
            Kind::Colon if is_path && self.kind(1).is_name() => {
                Some(SyntaxError::new(SyntaxErrorKind::EventModifier, self.span(0, 1)?))
            }
            Kind::Slash if !is_path && self.kind(1).is_name() && self.kind(2) != Kind::Slash => {
                let instead = format!("{}:{}", self.text(-1), self.text(1));
                Some(SyntaxError::new(SyntaxErrorKind::EventAsPath { instead }, self.span(-1, 1)?))
            }
            _ => None,
        }
    }

    /// A condition where `if` could have introduced it.
    fn without_if(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if !expected.has("if") {
            return None;
        }
        // The word behind an action was taken for the event that it needs.
        let operand = match self.kind(-1) {
            Kind::Word if expected.has("count") && compares(self.kind(0)) => -1,
            _ if self.begins_comparison() => 0,
            Kind::Word | Kind::Int | Kind::Once if matches!(self.kind(0), Kind::LParen | Kind::Not) => 0,
            _ => return None,
        };
        let kind = SyntaxErrorKind::MissingIf { operand: self.text(operand) };
        Some(SyntaxError::new(kind, self.span(operand, operand)?))
    }

    /// `a < 1 b < 2`.
    fn without_connector(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        // Behind a value of an `enum`, `B = 2` is the next member.
        let is_member = self.kind(1) == Kind::Assign;
        if !(expected.has("&&") && self.kind(-1).ends_operand() && self.begins_comparison()) || is_member {
            return None;
        }
        let kind = SyntaxErrorKind::MissingConnector { operand: self.text(0) };
        Some(SyntaxError::new(kind, self.span(0, 0)?))
    }

    /// Whether `NAME OPERATOR` or a literal before an operator stands here.
    fn begins_comparison(&self) -> bool {
        let operand = self.kind(0).is_name() || self.kind(0).is_literal();
        operand && compares(self.kind(1))
    }
}

/// Whether a token compares, so that what stands before it is an operand.
fn compares(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        EqEq | NotEq
            | Less
            | LessEq
            | Greater
            | GreaterEq
            | Match
            | NotMatch
            | Assign
            | ForeignOperator
            | Ampersand
    )
}
