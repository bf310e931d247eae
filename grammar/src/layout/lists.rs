//! `x in {1, 2}`, which conditions do not have yet: read as a whole, so that it is one mistake.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::token::Kind;

impl Statements<'_> {
    /// Whether `in` and a list in brackets follow an operand here, perhaps with `not` between.
    pub(super) fn begins_membership(&self) -> bool {
        let behind_operand = self.at > 0 && self.kind_at(self.at - 1).ends_operand();
        let open = self.list_start();
        behind_operand
            && self.token_text(open - 1) == "in"
            && self.closing_bracket(open).is_some()
            && !self.holds_items(open)
    }

    /// Puts one broken token in the place of the test: its condition is given up.
    pub(super) fn membership(&mut self) {
        let first = self.input[self.at].span;
        self.at = self.list_start();
        self.skip_list();
        let span = first.to(self.previous_end());
        self.out.errors.push(SyntaxErrorKind::NotYet { what: "sets" }, span);
        self.out.explained.push(span);
        self.write(Kind::Broken, span);
    }

    /// Where the list of a test that begins here would begin.
    fn list_start(&self) -> usize {
        self.at + 1 + usize::from(self.token_text(self.at) == "not")
    }

    /// What closes the bracket at `index`; square ones are broken to the lexer.
    fn closing_bracket(&self, index: usize) -> Option<&'static str> {
        match self.token_text(index) {
            "{" => Some("}"),
            "[" => Some("]"),
            "(" => Some(")"),
            _ => None,
        }
    }

    /// Leaves out a list. Where nothing closes it, it ends with what no list holds.
    fn skip_list(&mut self) {
        let open = self.at;
        let close = self.closing_bracket(open);
        let mut depth = 0usize;
        loop {
            let text = self.token_text(self.at);
            if text == self.token_text(open) {
                depth += 1;
            } else if Some(text) == close {
                depth -= 1;
            } else if matches!(self.kind(), Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::End)
                || self.begins_statement(self.at, usize::MAX)
            {
                break;
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
        if self.kind_at(open) == Kind::LBrace {
            self.surplus.open = self.surplus.open.saturating_sub(depth);
        }
    }
}
