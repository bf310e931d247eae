//! Layout of `x in {1, 2}` and `x ~ {"a*", "b*"}`: it distinguishes the braces of sets from those of blocks.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::lexer::Kind;
use crate::span::Span;

/// The brackets of an open set.
struct List {
    span: Span,
    open: Kind,
    close: Kind,
    /// The number of open brackets of its kind in it.
    nested: u32,
}

impl Statements<'_> {
    /// Returns whether `in` and a list in brackets follow an operand here, perhaps with `not` or `!` between; or `~`
    /// and a list in braces.
    pub(super) fn begins_membership(&self) -> bool {
        let behind_operand = self.at > 0 && self.kind_at(self.at - 1).ends_operand();
        let open = self.list_start();
        let opens = match self.kind_at(open - 1) {
            Kind::In => matches!(self.kind_at(open), Kind::LBrace | Kind::LBracket | Kind::LParen),
            // Other brackets are parts of a pattern's expression.
            Kind::Match | Kind::NotMatch => open == self.at + 1 && self.kind_at(open) == Kind::LBrace,
            // Where a value is expected, a brace begins nothing else.
            Kind::EqEq | Kind::NotEq => open == self.at + 1 && self.kind_at(open) == Kind::LBrace,
            _ => false,
        };
        behind_operand && opens && !self.holds_statements(open)
    }

    /// Returns whether the bracket at `index` opens a block: it is followed by an item, not by an expression.
    fn holds_statements(&self, index: usize) -> bool {
        let next = self.kind_at(index + 2);
        let operand = next.is_name() && !matches!(next, Kind::As | Kind::In);
        self.kind_at(index + 1).is_item() && (operand || next.is_literal() || next == Kind::Not)
    }

    /// Passes `in` and its set on. Sets may be nested to any depth.
    pub(super) fn membership(&mut self) {
        let mut open: Vec<List> = Vec::new();
        self.open_list(&mut open);
        while let Some(list) = open.last_mut() {
            match self.kind() {
                kind if kind == list.close && list.nested == 0 => {
                    self.write(Kind::ListClose, self.input[self.at].span);
                    self.at += 1;
                    open.pop();
                }
                Kind::In
                | Kind::Word
                | Kind::Not
                | Kind::Match
                | Kind::NotMatch
                | Kind::EqEq
                | Kind::NotEq
                    if self.begins_membership() =>
                {
                    self.open_list(&mut open)
                }
                Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::End => break,
                _ if self.begins_inner(self.at, usize::MAX) => break,
                kind => {
                    if kind == list.open {
                        list.nested += 1;
                    } else if kind == list.close {
                        list.nested -= 1;
                    }
                    self.keep();
                }
            }
        }
        self.close_lists(&open);
    }

    /// Passes on `in` or `~`, and the bracket after it.
    fn open_list(&mut self, open: &mut Vec<List>) {
        let start = self.list_start();
        let word = self.input[start - 1].span;
        if start - 1 > self.at {
            let span = self.input[self.at].span.to(word);
            let found = if self.kind() == Kind::Not { "!in" } else { "not in" };
            let negated = self.negated(start);
            self.out.errors.push(SyntaxErrorKind::NegatedSet { found, negated }, span);
        }
        let bracket = self.input[start].span;
        let close = match self.kind_at(start) {
            Kind::LBracket => Kind::RBracket,
            Kind::LParen => Kind::RParen,
            _ => Kind::RBrace,
        };
        if close != Kind::RBrace {
            let found = if close == Kind::RBracket { '[' } else { '(' };
            let set = self.in_braces(start);
            self.out.errors.push(SyntaxErrorKind::WrongSetBrackets { open: found, set }, bracket);
        }
        let kind = match self.kind_at(start - 1) {
            Kind::EqEq => {
                let (found, instead) = ("==".to_owned(), "in".to_owned());
                let kind = SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None };
                self.out.errors.push(kind, word);
                Kind::In
            }
            Kind::NotEq => {
                let negated = self.negated(start);
                self.out.errors.push(SyntaxErrorKind::NegatedSet { found: "!=", negated }, word);
                Kind::In
            }
            kind => kind,
        };
        self.write(kind, word);
        self.write(Kind::ListOpen, bracket);
        self.at = start + 1;
        open.push(List { span: bracket, open: self.kind_at(start), close, nested: 0 });
    }

    /// Closes sets whose brackets are missing: one mistake.
    fn close_lists(&mut self, open: &[List]) {
        let braces = open.iter().filter(|list| list.close == Kind::RBrace).count();
        if let Some(first) = open.first() {
            match first.close {
                Kind::RBrace => self.report_unclosed(first.span),
                // The wrong bracket has been reported.
                _ => self.surplus.open = self.surplus.open.saturating_sub(usize::from(braces > 0)),
            }
            self.surplus.open = self.surplus.open.saturating_sub(braces.saturating_sub(1));
        }
        let end = self.previous_end();
        for _ in open {
            self.write(Kind::ListClose, end);
        }
    }

    /// Returns whether `is NULL` or `is not NULL` of SQL follows an operand here.
    pub(super) fn begins_null_test(&self) -> bool {
        let is_null = |at| matches!(self.token_text(at), "NULL" | "null" | "nil" | "None");
        matches!(self.token_text(self.at), "is" | "IS")
            && self.at > 0
            && self.kind_at(self.at - 1).ends_operand()
            && (is_null(self.at + 1) || self.is_not_behind() && is_null(self.at + 2))
    }

    /// Passes on `is` or `is not` as the comparison that it is. What the value is depends on the operand, so that the
    /// check of conditions says it.
    pub(super) fn null_test(&mut self) {
        let last = self.at + usize::from(self.is_not_behind());
        let span = self.input[self.at].span.to(self.input[last].span);
        let (kind, instead) = match last > self.at {
            true => (Kind::NotEq, "!=".to_owned()),
            false => (Kind::EqEq, "==".to_owned()),
        };
        let found = self.source.slice(span).to_owned();
        self.out
            .errors
            .push(SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None }, span);
        self.write(kind, span);
        self.at = last + 1;
    }

    /// Returns whether the next token is the word `not`.
    fn is_not_behind(&self) -> bool {
        matches!(self.token_text(self.at + 1), "not" | "NOT")
    }

    /// Returns the index of the bracket that closes the one at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        const MOST: usize = 256;
        let mut depth = 0usize;
        for (index, token) in self.input.iter().enumerate().skip(open).take(MOST) {
            match token.kind {
                Kind::LBrace | Kind::LBracket | Kind::LParen => depth += 1,
                Kind::RBrace | Kind::RBracket | Kind::RParen => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                Kind::Semicolon | Kind::End | Kind::Broken => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the list that is opened at `open` in braces, and its span.
    fn in_braces(&self, open: usize) -> Option<(Span, String)> {
        let whole = self.input[open].span.to(self.input[self.closing(open)?].span);
        let text = self.source.slice(whole);
        Some((whole, format!("{{{}}}", &text[1..text.len() - 1])))
    }

    /// Returns `!(x in {..})` for the test whose list is opened at `open`, and its span. The operand is a name, perhaps
    /// with a name before it and a dot.
    fn negated(&self, open: usize) -> Option<(Span, String)> {
        let last = self.at.checked_sub(1)?;
        let is_member = self.kind_at(last.checked_sub(1)?) == Kind::Dot;
        let first = if is_member { last.checked_sub(2)? } else { last };
        let begins = matches!(
            self.kind_at(first.checked_sub(1)?),
            Kind::If | Kind::Filter | Kind::AndAnd | Kind::OrOr | Kind::LParen
        );
        if !begins || !self.kind_at(first).is_name() || !self.kind_at(last).is_name() {
            return None;
        }
        let (set, text) = self.in_braces(open)?;
        let operand = self.input[first].span.to(self.input[last].span);
        Some((operand.to(set), format!("!({} in {text})", self.source.slice(operand))))
    }

    /// Returns where the list of a test that begins here would begin.
    fn list_start(&self) -> usize {
        self.at + 1 + usize::from(matches!(self.token_text(self.at), "not" | "!"))
    }
}
