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
        let mut end = self.at;
        while is_pattern_part(self.kind_at(end), self.token_text(end))
            && (end == self.at || self.input[end - 1].span.end == self.input[end].span.start)
        {
            end += 1;
        }
        end
    }
}

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
