//! Layout of event names: sets in braces, and patterns that lack their quotes.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::lexer::{Kind, Token};
use crate::span::Span;

impl Statements<'_> {
    /// Arranges a set of events, or a single path.
    pub(super) fn event(&mut self) {
        if self.kind() != Kind::LBrace {
            self.path();
        } else if !self.holds_items(self.at) {
            self.set();
        }
    }

    /// Returns whether the brace at `index` opens a block, so that the events before it are missing.
    pub(super) fn holds_items(&self, index: usize) -> bool {
        self.kind_at(index + 1).is_item()
            && !matches!(self.kind_at(index + 2), Kind::Colon | Kind::Comma | Kind::RBrace | Kind::DotDotEq)
    }

    /// Arranges `{a:b, c:d}`. A token that is invalid in a set ends it.
    fn set(&mut self) {
        let open = self.input[self.at].span;
        self.write(Kind::SetOpen, open);
        self.at += 1;
        self.path();
        loop {
            match self.kind() {
                Kind::RBrace => {
                    self.write(Kind::SetClose, self.input[self.at].span);
                    self.at += 1;
                    return;
                }
                Kind::Comma => {
                    self.keep();
                    self.path();
                }
                Kind::LBrace if matches!(self.last_kind(), Kind::SetOpen | Kind::Comma) => {
                    self.write(Kind::Junk, self.input[self.at].span);
                    self.skip_group();
                }
                Kind::Semicolon | Kind::End | Kind::If | Kind::LBrace => return self.close_set(open),
                _ if self.begins_statement(self.at, usize::MAX) => return self.close_set(open),
                _ => self.keep(),
            }
        }
    }

    /// Closes a set whose brace is missing.
    fn close_set(&mut self, open: Span) {
        self.report_unclosed(open);
        self.write(Kind::SetClose, self.previous_end());
    }

    /// Checks the adjacent tokens here. A pattern without quotes becomes one broken token; everything else is left to
    /// the grammar.
    pub(super) fn path(&mut self) {
        if self.begins_statement(self.at, self.at.wrapping_sub(1)) {
            return;
        }
        if let Some((instead, end)) = self.expansion().or_else(|| self.list()) {
            let span = self.input[self.at].span.to(self.input[end - 1].span);
            let found = self.source.slice(span).to_owned();
            // A set does not hold sets.
            let instead = match self.last_kind() {
                Kind::SetOpen | Kind::Comma => instead,
                _ => format!("{{{instead}}}"),
            };
            self.out
                .errors
                .push(SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None }, span);
            return self.merge(end, Kind::Broken);
        }
        let run = &self.input[self.at..self.run_end()];
        if let ([first, .., last], false) = (run, is_grammatical(run)) {
            let span = first.span.to(last.span);
            let pattern = self.source.slice(span).to_owned();
            self.out.errors.push(SyntaxErrorKind::UnquotedPattern { pattern }, span);
            self.out.explained.push(span);
            self.write(Kind::Broken, span);
            self.at += run.len();
        } else if self.kind().is_name() {
            // Any word here is a name.
            self.keep();
        }
    }

    /// Returns the index after the adjacent parts of a pattern.
    fn run_end(&self) -> usize {
        let (mut end, mut open) = (self.at, None);
        while is_pattern_part(self.kind_at(end), self.token_text(end))
            && (end == self.at || self.is_adjacent(end))
        {
            match self.kind_at(end) {
                Kind::LBracket if end > self.at => open = open.or(Some(end)),
                Kind::RBracket => open = None,
                _ => {}
            }
            end += 1;
        }
        // A bracket with blanks inside holds no characters of a pattern.
        open.unwrap_or(end)
    }

    /// Returns whether no blank stands before the token at `index`.
    fn is_adjacent(&self, index: usize) -> bool {
        self.input[index - 1].span.end == self.input[index].span.start
    }

    /// Returns the events that a shell makes of `sched:sched_{switch,waking}` here, and the index behind it.
    fn expansion(&self) -> Option<(String, usize)> {
        let first = self.input.get(self.at).filter(|first| first.kind.is_name())?;
        let mut open = self.at + 1;
        while open <= self.at + 2
            && (self.kind_at(open) == Kind::Colon || self.kind_at(open).is_name())
            && self.is_adjacent(open)
        {
            open += 1;
        }
        if self.kind_at(open) != Kind::LBrace || !self.is_adjacent(open) {
            return None;
        }
        let before = self.source.slice(Span { end: self.input[open].span.start, ..first.span });
        let mut events = Vec::new();
        let mut at = open + 1;
        while events.len() < MOST_EVENTS && self.kind_at(at).is_name() {
            events.push(format!("{before}{}", self.token_text(at)));
            match self.kind_at(at + 1) {
                Kind::Comma => at += 2,
                Kind::RBrace if events.len() > 1 => return Some((events.join(", "), at + 2)),
                _ => return None,
            }
        }
        None
    }

    /// Returns the events of a list in other brackets than braces, and the index behind it.
    fn list(&self) -> Option<(String, usize)> {
        let close = match self.kind() {
            Kind::LBracket => Kind::RBracket,
            Kind::LParen => Kind::RParen,
            _ => return None,
        };
        let mut events = Vec::new();
        let mut at = self.at + 1;
        while events.len() < MOST_EVENTS && self.kind_at(at).is_name() && self.kind_at(at + 1) == Kind::Colon
        {
            let (system, name) = (self.input[at].span, self.input.get(at + 2)?);
            if !name.kind.is_name() && name.kind != Kind::Star {
                return None;
            }
            events.push(self.source.slice(system.to(name.span)).to_owned());
            match self.kind_at(at + 3) {
                Kind::Comma => at += 4,
                kind if kind == close && events.len() > 1 => return Some((events.join(", "), at + 4)),
                _ => return None,
            }
        }
        None
    }
}

/// The most events of a list that is translated.
const MOST_EVENTS: usize = 64;

/// Returns whether a token is a part of a pattern; the lexer reports `9p` as broken.
fn is_pattern_part(kind: Kind, text: &str) -> bool {
    use Kind::*;
    kind.is_name()
        || matches!(kind, Colon | Star | Minus | Int | Size | Duration | Question | LBracket | RBracket)
        || (kind == Broken && text.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the grammar can parse adjacent tokens, or has the best report for them: they are a path, or consist
/// only of words and colons.
fn is_grammatical(run: &[Token]) -> bool {
    let is_part = |token: &Token| token.kind.is_name() || token.kind == Kind::Star;
    match run {
        [] | [_] => true,
        [system, colon] if colon.kind == Kind::Colon && is_part(system) => true,
        [system, colon, name] if colon.kind == Kind::Colon && is_part(system) && is_part(name) => true,
        _ => run.iter().all(|token| token.kind.is_name() || token.kind == Kind::Colon),
    }
}
