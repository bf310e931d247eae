//! The driver of the layout: goes through a text statement by statement, block by block.

use super::surplus::Surplus;
use super::{Guesses, Layout};
use crate::error::SyntaxErrorKind;
use crate::lexer::Lexed;
use crate::lexer::{Kind, Token};
use crate::outline::Block;
use crate::span::{Source, Span};

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) block: Block,
    /// Its brace; the whole text has none.
    pub(super) open: Option<Span>,
    /// The number of `global` and `when` blocks around it, itself included.
    pub(super) depth: u32,
    /// Whether an `else` may follow.
    pub(super) may_have_else: bool,
    /// Whether it is the block of an `on` clause.
    pub(super) of_on: bool,
}

/// The state of the layout, which reads the tokens of the lexer and writes its own.
pub(super) struct Statements<'t> {
    pub(super) source: Source<'t>,
    pub(super) input: &'t [Token],
    /// The index of the next token of `input`.
    pub(super) at: usize,
    pub(super) out: Layout,
    pub(super) surplus: Surplus,
    pub(super) guesses: Guesses,
    /// Whether the early end of the text has been reported; unclosed brackets and blocks follow from it.
    pub(super) end_reported: bool,
    /// Whether the last semicolon may be left out, as in one-liners.
    pub(super) one_liner: bool,
    /// The open blocks, outermost first.
    pub(super) levels: Vec<Level>,
}

/// Arranges a text; the first `uses` tokens are the `use` declarations of a one-liner.
pub(super) fn arrange(
    source: Source<'_>,
    lexed: &Lexed,
    start: Kind,
    uses: usize,
    guesses: Guesses,
) -> Layout {
    let (declarations, input) = lexed.tokens.split_at(uses);
    let mut pass = Statements {
        source,
        input,
        at: 0,
        out: Layout { tokens: Vec::with_capacity(input.len() + 2), ..Layout::default() },
        surplus: Surplus::of(input),
        guesses,
        end_reported: lexed.cut_off,
        one_liner: start != Kind::StartFile,
        levels: Vec::new(),
    };
    if let [first, .., last] = declarations {
        pass.out.errors.push(SyntaxErrorKind::UseInOneLiner, first.span.to(last.span));
    }
    let origin = pass.input.first().map_or(source.file.span(0, 0), |token| token.span.before());
    pass.write(start, origin);
    let block = if pass.one_liner { Block::Clauses } else { Block::File };
    pass.levels.push(Level { block, open: None, depth: 0, may_have_else: false, of_on: false });
    if pass.one_liner && pass.kind() == Kind::InnerDoc {
        pass.keep();
    }
    if pass.one_liner && pass.foreign_tool() {
        // The mistake has been reported, and there are no tokens left.
    } else if start == Kind::StartEvents {
        pass.begin();
        if pass.begins_session(pass.at) {
            pass.session_in_one_liner();
        } else {
            pass.event_clause(None, false);
        }
    }
    pass.blocks();
    pass.out
}

impl Statements<'_> {
    fn blocks(&mut self) {
        while let Some(&level) = self.levels.last() {
            self.begin();
            if self.ends_block(level) {
                continue;
            }
            match (self.kind(), level.block) {
                (Kind::InnerDoc, Block::File) => self.keep(),
                (Kind::Doc, Block::Parts) => self.misplaced_doc(),
                (Kind::Doc, _) => self.doc_before_statement(),
                (_, Block::File) => {
                    self.out.declarations.extend(self.input.get(self.at).map(|token| token.span.start));
                    self.declaration();
                }
                (Kind::Semicolon, _) => self.keep(),
                (_, Block::Clauses) => self.clause(level.depth),
                (_, Block::Items) => self.item(),
                (_, Block::Members) => self.member(),
                (_, Block::Parts) => self.part(),
                (_, Block::Fields) => self.field(),
                (_, Block::Probe) => self.probe_field(),
            }
        }
    }

    /// Ends the innermost block if it ends here, and returns whether it did.
    fn ends_block(&mut self, level: Level) -> bool {
        match (self.kind(), level.open) {
            (Kind::End, None) => {
                self.levels.pop();
            }
            (Kind::End, Some(open)) => self.close_missing(open),
            (_, Some(open)) if self.surplus.open > 0 && self.belongs_outside(level.block) => {
                self.close_missing(open);
            }
            (Kind::RBrace, Some(_)) if !self.closes_too_early() => {
                self.keep();
                self.levels.pop();
                if level.may_have_else && self.kind() == Kind::Else {
                    self.otherwise(level.depth);
                }
            }
            (Kind::RBrace, _) => self.stray_brace(),
            _ => return false,
        }
        true
    }

    /// Opens the block whose brace is here.
    pub(super) fn open_block(&mut self, block: Block) {
        let depth = self.levels.last().map_or(0, |level| level.depth);
        let open = self.input.get(self.at).map(|token| token.span);
        self.keep();
        if block == Block::Probe
            && let Some(brace) = self.out.tokens.last_mut()
        {
            brace.kind = Kind::ProbeOpen;
        }
        self.levels.push(Level { block, open, depth, may_have_else: false, of_on: false });
    }

    /// Arranges a clause, item or declaration without a block: up to its semicolon.
    pub(super) fn simple(&mut self) {
        let head = self.at;
        self.keep();
        self.rest(head);
    }

    /// Arranges the rest of a statement without a block, which `head` began.
    pub(super) fn rest(&mut self, head: usize) {
        while !self.ends_statement(Some(head)) {
            match self.kind() {
                Kind::LBrace => return self.foreign_group(),
                // The `and` of `and children`, or a mistake for a comma, but not one for `&&`.
                Kind::And if self.kind_at(head) == Kind::Scope => self.keep(),
                _ => self.operand(),
            }
        }
    }

    /// Arranges the head of a statement that ends in a block of this kind.
    pub(super) fn head(&mut self, block: Block) {
        let head = self.at;
        self.keep();
        if self.kind().is_name() && !self.begins_declaration(self.at) {
            self.keep();
        }
        loop {
            match self.kind() {
                Kind::LBrace => return self.open_block(block),
                Kind::LParen => self.params(),
                // The name of a type; the brace after it opens the block.
                Kind::In if !self.is_complete(self.at) => self.keep(),
                _ if self.ends_statement(Some(head)) => return,
                _ => self.operand(),
            }
        }
    }

    /// Passes on a part of an expression: a token, or the set of `in`.
    pub(super) fn operand(&mut self) {
        match self.kind() {
            Kind::In | Kind::Word | Kind::Not | Kind::Match | Kind::NotMatch | Kind::EqEq | Kind::NotEq
                if self.begins_membership() =>
            {
                self.membership()
            }
            Kind::Word if self.begins_null_test() => self.null_test(),
            Kind::PlaceholderOpen => {
                // Each placeholder may have its own mistake.
                self.begin();
                self.keep();
            }
            Kind::TemplateText => {
                self.begin();
                self.keep();
            }
            Kind::TemplateClose => {
                self.keep();
                self.begin();
            }
            // Another kind than the `and` of `and children`, so that the grammar stops at it and can report what is
            // meant.
            Kind::And if self.kind_at(self.at + 1) != Kind::Children => {
                self.write(Kind::Word, self.input[self.at].span);
                self.at += 1;
            }
            _ => self.keep(),
        }
    }

    /// Ends the statement if it ends here, and returns whether it does.
    pub(super) fn ends_statement(&mut self, head: Option<usize>) -> bool {
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

    /// Replaces a misplaced statement by one token, so that it is one mistake.
    pub(super) fn junk(&mut self) {
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
                // `trigger stacktrace on a:b` is one statement.
                Kind::On if self.kind_at(first) == Kind::Trigger => self.at += 1,
                _ if self.at > first && self.begins_inner(self.at, first) => return self.break_here(),
                _ => self.at += 1,
            }
        }
    }

    /// Reports a session in the place of its clauses.
    fn session_in_one_liner(&mut self) {
        let Some([first, .., last]) = self.input.get(self.at..) else { return };
        let span = first.span.to(last.span);
        let open = self.input.get(self.at + 2).filter(|open| open.kind == Kind::LBrace);
        let instead = open.filter(|_| last.kind == Kind::RBrace && self.surplus.open == 0).map(|open| {
            let inside = open.span.behind().to(last.span.before());
            self.source.slice(inside).trim().to_owned()
        });
        let instead = instead.filter(|clauses| !clauses.is_empty() && !clauses.contains(['`', '\n']));
        self.out.errors.push(SyntaxErrorKind::SessionInOneLiner { instead }, span);
        self.merge(self.input.len(), Kind::Broken);
    }

    /// Returns whether the next token begins a statement though the one that `head` began has not ended.
    fn begins_next(&self, head: Option<usize>) -> bool {
        self.at > head.unwrap_or(0) && self.begins_inner(self.at, head.unwrap_or(usize::MAX))
    }

    /// Keeps a doc comment if a statement follows.
    fn doc_before_statement(&mut self) {
        match self.kind_at(self.behind_doc()) {
            Kind::RBrace | Kind::End => self.misplaced_doc(),
            // Parts do not have doc comments, and neither do parts of a probe.
            Kind::Print if !self.is_among_items() && self.begins_part(self.behind_doc()) => {
                self.misplaced_doc();
            }
            _ => self.keep(),
        }
    }

    /// Returns whether the innermost block is that of a `trace` or `on` clause.
    fn is_among_items(&self) -> bool {
        self.levels.last().is_some_and(|level| level.block == Block::Items)
    }

    /// Returns whether the doc comment inside a statement describes the next one: only a semicolon is missing.
    fn doc_begins_next(&self) -> bool {
        let next = self.behind_doc();
        let kind = self.kind_at(next);
        self.begins_line(self.at)
            && (kind.begins_statement() || kind == Kind::RBrace || self.begins_inner(next, usize::MAX))
    }

    pub(super) fn misplaced_doc(&mut self) {
        let span = self.input[self.at].span;
        self.out.errors.push(SyntaxErrorKind::MisplacedDoc { inner: false }, span);
        self.at += 1;
    }

    /// Returns the index of the next token that is not a doc comment.
    pub(super) fn behind_doc(&self) -> usize {
        self.at + usize::from(self.kind() == Kind::Doc)
    }

    /// Marks the place where a statement begins.
    pub(super) fn begin(&mut self) {
        if let Some(token) = self.input.get(self.at) {
            self.out.statements.push(token.span.start);
        }
    }

    /// Returns whether a statement may be guessed to begin at the token at `index` though the one before has not ended.
    pub(super) fn may_guess(&self, index: usize) -> bool {
        self.input.get(index).is_some_and(|token| self.guesses.include(token.span.start))
    }

    /// Returns whether the token at `index` is the first on its line.
    pub(super) fn begins_line(&self, index: usize) -> bool {
        match (index.checked_sub(1).and_then(|before| self.input.get(before)), self.input.get(index)) {
            (Some(before), Some(token)) => {
                let between = before.span.behind().to(token.span.before());
                self.source.slice(between).contains('\n')
            }
            _ => true,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind_at(self.at)
    }

    pub(super) fn kind_at(&self, index: usize) -> Kind {
        self.input.get(index).map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn token_text(&self, index: usize) -> &str {
        self.input.get(index).map_or("", |token| self.source.slice(token.span))
    }

    /// Returns the kind of the last token that was written.
    pub(super) fn last_kind(&self) -> Kind {
        self.out.tokens.last().map_or(Kind::End, |token| token.kind)
    }

    /// Returns the empty span after the token before the next one.
    pub(super) fn previous_end(&self) -> Span {
        let before = self.at.checked_sub(1).map(|before| self.input[before].span);
        before.map_or(self.source.file.span(0, 0), Span::behind)
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

    /// Passes on the tokens from here up to `end` as one of this kind, and removes the lexer's mistakes in them.
    pub(super) fn merge(&mut self, end: usize, kind: Kind) {
        if let [first, .., last] | [first @ last] = &self.input[self.at..end] {
            let span = first.span.to(last.span);
            self.out.explained.push(span);
            self.write(kind, span);
            self.at = end;
        }
    }
}
