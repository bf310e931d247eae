//! Where events are named: sets in braces, and patterns that lack their quotes.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::span::Span;
use crate::token::{Kind, Token};

impl Statements<'_> {
    /// What stands where events are named: a set, or a single path.
    pub(super) fn event(&mut self) {
        if self.kind() != Kind::LBrace {
            self.path();
        } else if !self.holds_items(self.at) {
            self.set();
        }
    }

    /// Whether the brace at `index` opens a block, so that what should stand before it was forgotten.
    pub(super) fn holds_items(&self, index: usize) -> bool {
        self.kind_at(index + 1).is_item()
            && !matches!(self.kind_at(index + 2), Kind::Colon | Kind::Comma | Kind::RBrace | Kind::DotDotEq)
    }

    /// `{a:b, c:d}`. What no set can hold ends it.
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

    /// Looks at the tokens that stand together here. A pattern is passed on as one broken token; all else is left
    /// to the grammar.
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
            // Whatever word it is, here it is a name.
            self.keep();
        }
    }

    /// Index behind the parts of patterns that stand here with nothing between them.
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

/// Parts of patterns; `9p` is broken to the lexer.
fn is_pattern_part(kind: Kind, text: &str) -> bool {
    use Kind::*;
    kind.is_name()
        || matches!(kind, Colon | Star | Minus | Int | Size | Duration | Question | LBracket | RBracket)
        || (kind == Broken && text.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether the grammar can read tokens that stand together, or tells best what is wrong with them: they are a path,
/// or hold nothing but words and colons.
fn is_grammatical(run: &[Token]) -> bool {
    let is_part = |token: &Token| token.kind.is_name() || token.kind == Kind::Star;
    match run {
        [] | [_] => true,
        [system, colon] if colon.kind == Kind::Colon && is_part(system) => true,
        [system, colon, name] if colon.kind == Kind::Colon && is_part(system) && is_part(name) => true,
        _ => run.iter().all(|token| token.kind.is_name() || token.kind == Kind::Colon),
    }
}
