//! Sessions, clauses and items: finds where each ends, also where its end was forgotten.

use super::Layout;
use super::groups::Surplus;
use crate::error::SyntaxErrorKind;
use crate::lexer::Lexed;
use crate::span::{Source, Span};
use crate::token::{Kind, Token};

/// Reads the tokens of the lexer and writes those of the layout.
pub(super) struct Statements<'t> {
    pub(super) source: Source<'t>,
    pub(super) input: &'t [Token],
    /// Index of the next token of `input`.
    pub(super) at: usize,
    pub(super) out: Layout,
    pub(super) surplus: Surplus,
    /// Whether it has been reported that the text ends too early; what is left open there follows from it.
    pub(super) end_reported: bool,
    /// One-liners may leave out the last semicolon.
    one_liner: bool,
}

pub(super) fn arrange(source: Source<'_>, lexed: &Lexed, start: Kind) -> Layout {
    let input = lexed.tokens.as_slice();
    let out = Layout { tokens: Vec::with_capacity(input.len() + 2), ..Layout::default() };
    let one_liner = start != Kind::StartFile;
    let surplus = Surplus::of(input);
    let mut pass = Statements { source, input, at: 0, out, surplus, end_reported: lexed.cut_off, one_liner };
    let origin = pass.input.first().map_or(source.base, |token| token.span.start);
    pass.write(start, Span { start: origin, end: origin });
    if one_liner && pass.kind() == Kind::InnerDoc {
        pass.keep();
    }
    match start {
        Kind::StartFile => pass.file(),
        Kind::StartEvents => {
            pass.begin();
            if pass.begins_session(pass.at) {
                pass.junk()
            } else {
                pass.event_clause(None)
            }
            pass.clauses(None);
        }
        _ => pass.clauses(None),
    }
    pass.out
}

impl Statements<'_> {
    fn file(&mut self) {
        loop {
            self.begin();
            match self.kind() {
                Kind::End => return,
                Kind::InnerDoc => self.keep(),
                Kind::Doc => self.doc_before_statement(),
                Kind::Session => self.session(),
                Kind::RBrace => self.stray_brace(),
                _ => self.junk_of_file(),
            }
        }
    }

    /// From the word `session` to the closing brace.
    fn session(&mut self) {
        let word = self.at;
        self.keep();
        loop {
            match self.kind() {
                Kind::LBrace => break,
                Kind::Semicolon if self.at == word + 2 && self.surplus.close > 0 => {
                    return self.session_without_brace();
                }
                Kind::Semicolon => return self.keep(),
                Kind::End | Kind::RBrace => return self.break_here(),
                Kind::Session if self.begins_session(self.at) => return self.break_here(),
                _ if self.begins_statement(self.behind_doc(), word) => return self.session_without_brace(),
                Kind::Doc => self.misplaced_doc(),
                _ => self.keep(),
            }
        }
        let open = self.input[self.at].span;
        self.keep();
        self.clauses(Some(open));
    }

    /// Clauses begin where a brace should stand, or a semicolon stands in its place.
    fn session_without_brace(&mut self) {
        let place = self.previous_end();
        let found = format!("`{}`", self.source.slice(self.input[self.behind_doc()].span));
        self.out.errors.push(SyntaxErrorKind::Unexpected { found, expected: vec!["`{`"] }, place);
        if self.kind() == Kind::Semicolon {
            self.at += 1;
        }
        match self.surplus.close {
            0 => self.surplus.open += 1,
            _ => self.surplus.close -= 1,
        }
        self.write(Kind::LBrace, place);
        self.clauses(Some(place));
    }

    /// The clauses between a session's braces, or those of a one-liner.
    fn clauses(&mut self, open: Option<Span>) {
        loop {
            self.begin();
            let next = self.behind_doc();
            match (self.kind(), open) {
                (Kind::End, None) => return,
                (Kind::End, Some(open)) => return self.close_missing(open),
                (_, Some(open)) if self.surplus.open > 0 && self.begins_session(next) => {
                    return self.close_missing(open);
                }
                (Kind::RBrace, Some(_)) if !self.closes_too_early() => return self.keep(),
                (Kind::RBrace, _) => self.stray_brace(),
                (Kind::Doc, _) => self.doc_before_statement(),
                (Kind::Semicolon, _) => self.keep(),
                (Kind::Trace | Kind::On, _) => {
                    let head = self.at;
                    self.keep();
                    self.event_clause(Some(head));
                }
                (kind, _) if kind.is_clause() => self.simple(),
                _ => self.junk(),
            }
        }
    }

    /// A clause or item without a block: up to its semicolon.
    pub(super) fn simple(&mut self) {
        let head = self.at;
        self.keep();
        while !self.ends_statement(Some(head)) {
            match self.kind() {
                Kind::Word if self.begins_membership() => self.membership(),
                Kind::LBrace => return self.foreign_group(),
                _ => self.keep(),
            }
        }
    }

    /// `trace` or `on` behind its word: events, condition, and a semicolon or a block.
    fn event_clause(&mut self, head: Option<usize>) {
        let mut condition = false;
        self.event();
        loop {
            if self.items_follow(head) {
                return self.items_without_braces(head);
            }
            if self.ends_statement(head) {
                return;
            }
            match self.kind() {
                Kind::LBrace => {
                    let open = self.input[self.at].span;
                    self.keep();
                    return self.items(open);
                }
                Kind::Except if !condition && self.last_kind() != Kind::Colon => {
                    self.keep();
                    self.event();
                }
                Kind::If => {
                    condition = true;
                    self.keep();
                }
                Kind::Word if condition && self.begins_membership() => self.membership(),
                _ => self.keep(),
            }
        }
    }

    /// The items between the braces of a `trace` or `on` clause.
    fn items(&mut self, open: Span) {
        loop {
            self.begin();
            let next = self.behind_doc();
            match self.kind() {
                Kind::End => return self.close_missing(open),
                _ if self.surplus.open > 0 && (self.begins_session(next) || self.begins_clause(next)) => {
                    return self.close_missing(open);
                }
                Kind::RBrace => return self.keep(),
                Kind::Doc => self.doc_before_statement(),
                Kind::Semicolon => self.keep(),
                kind if kind.is_item() => self.simple(),
                _ => self.junk(),
            }
        }
    }

    /// Ends the statement if it ends here, and says whether it does.
    fn ends_statement(&mut self, head: Option<usize>) -> bool {
        match self.kind() {
            Kind::Semicolon => self.keep(),
            Kind::End if self.one_liner => self.write(Kind::Semicolon, self.previous_end()),
            Kind::End | Kind::RBrace => self.break_here(),
            Kind::Doc if self.doc_begins_next() => self.break_here(),
            Kind::Doc => {
                self.misplaced_doc();
                return self.ends_statement(head);
            }
            _ if self.begins_next(head) => self.break_here(),
            _ => return false,
        }
        true
    }

    /// Ends a statement whose semicolon is missing.
    pub(super) fn break_here(&mut self) {
        self.write(Kind::Break, self.previous_end());
    }

    /// A statement that cannot stand here: one token, so that it is one mistake.
    fn junk(&mut self) {
        let first = self.at;
        self.write(Kind::Junk, self.input[first].span);
        loop {
            match self.kind() {
                Kind::Semicolon => return self.keep(),
                Kind::LBrace => {
                    self.skip_group();
                    return self.end_after_group();
                }
                Kind::End | Kind::RBrace => return self.break_here(),
                _ if self.at > first && self.begins_statement(self.at, first) => return self.break_here(),
                _ => self.at += 1,
            }
        }
    }

    /// As [`Self::junk`]; clauses in a row that lack their session are one mistake.
    fn junk_of_file(&mut self) {
        let is_clause = |kind: Kind| kind.is_clause() || kind.is_item();
        let clause = is_clause(self.kind());
        self.junk();
        while clause && is_clause(self.kind()) {
            let written = self.out.tokens.len();
            self.junk();
            self.out.tokens.truncate(written);
        }
    }

    /// Whether the next token begins a statement though the one that `head` began has not ended.
    fn begins_next(&self, head: Option<usize>) -> bool {
        self.at > head.unwrap_or(0) && self.begins_statement(self.at, head.unwrap_or(usize::MAX))
    }

    /// Whether items follow the head of a clause, though no brace opens a block for them.
    fn items_follow(&self, head: Option<usize>) -> bool {
        let next = self.behind_doc();
        self.kind_at(next).is_item()
            && next > head.unwrap_or(0)
            && self.begins_statement(next, head.unwrap_or(usize::MAX))
    }

    /// Whether a statement begins at `index`, judged by what no correct statement holds inside: a word that begins
    /// statements, and behind it what neither an expression nor a clause has behind a name. On the line of the
    /// statement before, an operand must stand before it too, and not just the word `head` that began it.
    pub(super) fn begins_statement(&self, index: usize, head: usize) -> bool {
        let kind = self.kind_at(index);
        if !kind.begins_statement() {
            return false;
        }
        let behind_operand = index > 0 && index - 1 != head && self.kind_at(index - 1).ends_operand();
        if !behind_operand && !self.begins_line(index) {
            return false;
        }
        let next = self.kind_at(index + 1);
        match kind {
            Kind::Session => self.begins_session(index),
            Kind::Stop => next == Kind::After,
            Kind::Filter if matches!(next, Kind::LParen | Kind::Not) => true,
            Kind::Output => next == Kind::Str || next == Kind::Broken,
            Kind::Trace | Kind::On if matches!(next, Kind::Star | Kind::LBrace) => behind_operand,
            _ => next.is_literal() || (next.is_name() && !self.continues(index + 1)),
        }
    }

    /// Whether the word at `index` can stand behind a name in a clause.
    fn continues(&self, index: usize) -> bool {
        match self.kind_at(index) {
            Kind::On => self.kind_at(index + 1) != Kind::Colon,
            kind => {
                matches!(kind, Kind::Except | Kind::Count | Kind::Once | Kind::Per | Kind::Total | Kind::Off)
            }
        }
    }

    /// Whether a clause, not an item, begins at `index` on a line of its own.
    fn begins_clause(&self, index: usize) -> bool {
        self.kind_at(index).is_clause() && self.begins_line(index)
    }

    /// Whether `session NAME {` stands at `index`, and not an event called `session` with what is taken out of it.
    pub(super) fn begins_session(&self, index: usize) -> bool {
        self.kind_at(index) == Kind::Session
            && self.kind_at(index + 1).is_name()
            && self.kind_at(index + 1) != Kind::Except
            && self.kind_at(index + 2) == Kind::LBrace
    }

    /// Whether the token at `index` is the first on its line.
    fn begins_line(&self, index: usize) -> bool {
        match (index.checked_sub(1).and_then(|before| self.input.get(before)), self.input.get(index)) {
            (Some(before), Some(token)) => {
                let between = Span { start: before.span.end, end: token.span.start };
                self.source.slice(between).contains('\n')
            }
            _ => true,
        }
    }

    /// Keeps a doc comment if a statement follows.
    fn doc_before_statement(&mut self) {
        match self.kind_at(self.behind_doc()) {
            Kind::RBrace | Kind::End => self.misplaced_doc(),
            _ => self.keep(),
        }
    }

    /// Whether the doc comment inside a statement describes the next one: only a semicolon is missing.
    fn doc_begins_next(&self) -> bool {
        let kind = self.kind_at(self.behind_doc());
        self.begins_line(self.at) && (kind.begins_statement() || kind == Kind::RBrace)
    }

    fn misplaced_doc(&mut self) {
        let place = self.input[self.at].span;
        self.out.errors.push(SyntaxErrorKind::MisplacedDoc { inner: false }, place);
        self.at += 1;
    }

    /// Index of the next token that is no doc comment.
    pub(super) fn behind_doc(&self) -> usize {
        self.at + usize::from(self.kind() == Kind::Doc)
    }

    /// Marks the place where a statement begins.
    pub(super) fn begin(&mut self) {
        if let Some(token) = self.input.get(self.at) {
            self.out.statements.push(token.span.start);
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind_at(self.at)
    }

    pub(super) fn kind_at(&self, index: usize) -> Kind {
        self.input.get(index).map_or(Kind::End, |token| token.kind)
    }

    /// The kind of the last token that was written.
    pub(super) fn last_kind(&self) -> Kind {
        self.out.tokens.last().map_or(Kind::End, |token| token.kind)
    }

    /// The empty place behind the token before the next one.
    pub(super) fn previous_end(&self) -> Span {
        let end = self.at.checked_sub(1).map_or(self.source.base, |before| self.input[before].span.end);
        Span { start: end, end }
    }

    /// Passes the next token on.
    pub(super) fn keep(&mut self) {
        if let Some(token) = self.input.get(self.at) {
            self.out.tokens.push(*token);
            self.at += 1;
        }
    }

    pub(super) fn write(&mut self, kind: Kind, span: Span) {
        self.out.tokens.push(Token { kind, span });
    }
}
