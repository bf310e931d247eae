//! Layout of unmatched brackets, and of misplaced groups in braces.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::lexer::Kind;
use crate::span::Span;

impl Statements<'_> {
    /// Reports items after the head of their clause without braces: one mistake for all of them.
    pub(super) fn items_without_braces(&mut self, head: Option<usize>) {
        let clause = match head.map(|head| self.kind_at(head)) {
            Some(Kind::On) => "on",
            _ => "trace",
        };
        let first = self.behind_doc();
        let word = if self.kind_at(first) == Kind::Filter { "filter" } else { "trigger" };
        let span = self.input[first].span;
        self.out.errors.push(SyntaxErrorKind::MissingBraces { clause, word }, span);
        self.write(Kind::LBrace, self.previous_end());
        while matches!(self.kind_at(self.behind_doc()), Kind::Filter | Kind::Trigger) {
            self.begin();
            if self.kind() == Kind::Doc {
                self.keep();
            }
            self.item();
        }
        if self.kind() == Kind::RBrace && self.surplus.close > 0 {
            self.surplus.close -= 1;
            self.keep();
        } else {
            self.write(Kind::RBrace, self.previous_end());
        }
    }

    /// Closes the innermost block, which `open` opened and which has no closing brace.
    pub(super) fn close_missing(&mut self, open: Span) {
        self.report_unclosed(open);
        self.write(Kind::RBrace, self.previous_end());
        self.levels.pop();
    }

    /// Reports that `open` is not closed, unless the text has no such brace: then its absence has been reported where
    /// it should stand.
    pub(super) fn report_unclosed(&mut self, open: Span) {
        self.surplus.open = self.surplus.open.saturating_sub(1);
        let at_end = self.kind() == Kind::End;
        let invented = open.start == open.end;
        let follows = at_end && self.end_reported;
        if !(invented || follows) {
            self.out.errors.push(SyntaxErrorKind::UnclosedDelimiter { open: '{' }, open);
        }
        self.end_reported |= at_end;
    }

    /// Leaves out an unmatched closing brace.
    pub(super) fn stray_brace(&mut self) {
        let span = self.input[self.at].span;
        self.out.errors.push(SyntaxErrorKind::UnmatchedDelimiter { close: '}' }, span);
        self.surplus.close = self.surplus.close.saturating_sub(1);
        self.at += 1;
    }

    /// Ends a statement at a group in braces in a place where none is allowed.
    pub(super) fn foreign_group(&mut self) {
        self.write(Kind::Junk, self.input[self.at].span);
        self.skip_group();
        self.end_after_group();
    }

    /// Ends a statement after a group: with its semicolon if there is one.
    pub(super) fn end_after_group(&mut self) {
        match self.kind() {
            Kind::Semicolon => self.keep(),
            _ => self.write(Kind::Break, self.previous_end()),
        }
    }

    /// Leaves out everything from the opening brace here to its partner.
    pub(super) fn skip_group(&mut self) {
        let open = self.input[self.at].span;
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::LBrace => depth += 1,
                Kind::RBrace => depth -= 1,
                Kind::End => return self.report_unclosed(open),
                _ if self.surplus.open > 0 && self.begins_declaration(self.at) => {
                    return self.report_unclosed(open);
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}
