//! Layout of declarations of files: enums, classes, events and probes.

use super::statements::{Level, Statements};
use crate::error::SyntaxErrorKind;
use crate::lexer::Kind;
use crate::outline::Block;
use crate::words::StatementContext;

impl Statements<'_> {
    /// Arranges the declaration that begins here.
    pub(super) fn declaration(&mut self) {
        match self.kind() {
            Kind::Session => self.session(Kind::Session),
            Kind::Event => self.event_definition(),
            Kind::Include => self.header(),
            Kind::Lint => self.lint(),
            Kind::RBrace => self.stray_brace(),
            word if word.is_declaration() => match Block::File.behind(word) {
                [] => self.simple(),
                [block, ..] => self.head(*block),
            },
            _ if self.foreign_tool() => {}
            _ => match self.misspelt_head(StatementContext::File) {
                Some(word) => self.session(word),
                None => self.junk_of_file(),
            },
        }
    }

    /// Arranges a session from its word to the opening brace. The word may be misspelt.
    fn session(&mut self, kind: Kind) {
        let word = self.at;
        self.write(kind, self.input[self.at].span);
        self.at += 1;
        loop {
            match self.kind() {
                Kind::LBrace => return self.open_block(Block::Clauses),
                Kind::LParen => self.params(),
                Kind::Semicolon if self.at == word + 2 && self.surplus.close > 0 => {
                    return self.session_without_brace();
                }
                Kind::Semicolon => return self.keep(),
                Kind::End | Kind::RBrace => return self.break_here(),
                // `session session {` names it so.
                next if self.begins_declaration(self.at) && (next != Kind::Session || self.at > word + 1) => {
                    return self.break_here();
                }
                _ if self.begins_statement(self.behind_doc(), word) => return self.session_without_brace(),
                Kind::Doc => self.misplaced_doc(),
                _ => self.keep(),
            }
        }
    }

    /// Reports clauses, or a semicolon, in the place of a brace.
    fn session_without_brace(&mut self) {
        let span = self.previous_end();
        let found = format!("`{}`", self.token_text(self.behind_doc()));
        self.out.errors.push(SyntaxErrorKind::Unexpected { found, expected: vec!["`{`"] }, span);
        if self.kind() == Kind::Semicolon {
            self.at += 1;
        }
        match self.surplus.close {
            0 => self.surplus.open += 1,
            _ => self.surplus.close -= 1,
        }
        self.write(Kind::LBrace, span);
        self.levels.push(Level {
            block: Block::Clauses,
            open: Some(span),
            depth: 0,
            may_have_else: false,
            of_on: false,
        });
    }

    /// Works as [`Self::junk`]; adjacent clauses that lack their session are one mistake.
    fn junk_of_file(&mut self) {
        let is_clause = |kind: Kind| (kind.is_clause() || kind.is_item()) && !kind.is_declaration();
        let clause = is_clause(self.kind());
        self.junk();
        while clause && is_clause(self.kind()) {
            let written = self.out.tokens.len();
            self.junk();
            self.out.tokens.truncate(written);
        }
    }

    /// Arranges `include <..>;`, whose header is one token.
    fn header(&mut self) {
        if self.kind_at(self.at + 1) == Kind::Less {
            let first = self.at + 1;
            let mut end = first + 1;
            while !matches!(self.kind_at(end), Kind::Greater | Kind::Semicolon | Kind::End)
                && !self.begins_line(end)
            {
                end += 1;
            }
            if self.kind_at(end) == Kind::Greater {
                let head = self.at;
                self.keep();
                self.merge(end + 1, Kind::Header);
                return self.rest(head);
            }
        }
        self.simple();
    }

    /// Arranges `event NAME ..`.
    fn event_definition(&mut self) {
        let head = self.at;
        self.keep();
        let behind = self.kind_at(self.at + 1);
        let named = matches!(behind, Kind::Colon | Kind::LBrace | Kind::At | Kind::If | Kind::With);
        if self.kind().is_name() && (named || !self.begins_declaration(self.at)) {
            self.keep();
        }
        let mut block = Block::Parts;
        loop {
            match self.kind() {
                Kind::LBrace => return self.open_block(block),
                Kind::At if self.at == head + 2 && self.kind_at(self.at + 1).is_name() => {
                    block = Block::Probe;
                    self.keep();
                    self.keep();
                    self.attach_point();
                }
                Kind::LParen if block == Block::Probe => self.params(),
                _ if block == Block::Probe && self.ends_place() => {
                    return self.write(Kind::Semicolon, self.previous_end());
                }
                _ if self.ends_statement(Some(head)) => return,
                _ => self.operand(),
            }
        }
    }

    /// Returns whether the head of an event at a place is complete and a declaration, or the end of the text, follows:
    /// it needs no semicolon then, as neither continues a head.
    fn ends_place(&self) -> bool {
        let follows = self.kind_at(self.behind_doc());
        matches!(self.last_kind(), Kind::Word | Kind::Int | Kind::RParen)
            && (follows.is_declaration() || follows == Kind::End)
    }

    /// Arranges the place of a probe. Symbols of a compiler contain dots and dollars: each is one word.
    fn attach_point(&mut self) {
        loop {
            let mut end = self.at;
            while self.is_symbol_part(end)
                && (end == self.at || self.input[end - 1].span.end == self.input[end].span.start)
            {
                end += 1;
            }
            match self.kind() {
                Kind::Colon | Kind::Str => self.keep(),
                kind if kind.is_name() && end > self.at && !self.begins_declaration(self.at) => {
                    match end - self.at {
                        1 => {
                            self.write(Kind::Word, self.input[self.at].span);
                            self.at = end;
                        }
                        _ => self.merge(end, Kind::Word),
                    }
                    if self.kind() != Kind::Colon {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    fn is_symbol_part(&self, index: usize) -> bool {
        let kind = self.kind_at(index);
        kind.is_name()
            || matches!(kind, Kind::Dot | Kind::Int)
            || (kind == Kind::Broken && matches!(self.token_text(index).as_bytes(), [b'$' | b'0'..=b'9', ..]))
    }

    /// Arranges `NAME = EXPR "text",` of an enum.
    pub(super) fn member(&mut self) {
        let first = self.at;
        loop {
            match self.kind() {
                Kind::Comma => return self.keep(),
                Kind::Semicolon => return self.keep(),
                // The last member needs no comma.
                Kind::RBrace | Kind::End => return self.write(Kind::Comma, self.previous_end()),
                Kind::Doc if self.begins_line(self.at) => return self.break_here(),
                Kind::Doc => self.misplaced_doc(),
                Kind::LBrace => return self.foreign_group(),
                _ if self.at > first && self.begins_inner(self.at, first) => return self.break_here(),
                _ => self.operand(),
            }
        }
    }

    /// Returns whether a member begins at `index` after one that lacks its comma.
    pub(super) fn begins_member(&self, index: usize) -> bool {
        self.begins_line(index)
            && self.kind_at(index).is_name()
            && self.is_complete(index)
            && matches!(
                self.kind_at(index + 1),
                Kind::Assign | Kind::Comma | Kind::RBrace | Kind::Str | Kind::Semicolon
            )
    }

    /// Arranges a part of an event definition. Each gets a semicolon, so that it ends like any statement.
    pub(super) fn part(&mut self) {
        let word = self.kind();
        if !word.is_part() {
            return self.junk();
        }
        self.keep();
        match (self.kind(), Block::Parts.behind(word)) {
            (Kind::LBrace, [block, ..]) => return self.open_block(*block),
            (Kind::LParen, _) if Block::Parts.may_follow(word, Kind::LParen) => self.params(),
            _ => {}
        }
        self.end_part();
    }

    /// Goes on to the end of a part.
    fn end_part(&mut self) {
        loop {
            let first = self.at;
            match self.kind() {
                Kind::Semicolon => return self.keep(),
                Kind::RBrace | Kind::End => return self.write(Kind::Semicolon, self.previous_end()),
                Kind::LBrace => return self.foreign_group(),
                Kind::Doc => return self.write(Kind::Semicolon, self.previous_end()),
                _ if self.begins_part(first) || self.begins_inner(first, usize::MAX) => {
                    return self.write(Kind::Semicolon, self.previous_end());
                }
                _ => self.operand(),
            }
        }
    }
}
