//! Guesses of where a statement begins though the one before it has not ended, from token sequences that statements
//! seldom contain. A correct text is arranged without guesses: see [`super::Guesses`].

use super::statements::Statements;
use crate::lexer::Kind;
use crate::outline::Block;

impl Statements<'_> {
    /// Returns whether a statement of the innermost block, or of one around it, begins at `index`.
    pub(super) fn begins_inner(&self, index: usize, head: usize) -> bool {
        if !self.may_guess(index) {
            return false;
        }
        match self.levels.last().map(|level| level.block) {
            Some(Block::Members) => self.begins_member(index) || self.begins_declaration(index),
            Some(Block::Parts) => self.begins_part(index) || self.begins_declaration(index),
            Some(Block::Fields) => {
                self.begins_field(index) || self.begins_part(index) || self.begins_declaration(index)
            }
            Some(Block::Probe) => {
                self.begins_probe_field(index) || self.begins_part(index) || self.begins_declaration(index)
            }
            // While all braces match, a clause does not begin in the block of another.
            Some(Block::Items) if self.surplus.open == 0 => {
                self.kind_at(index).is_item() && self.begins_statement(index, head)
            }
            _ => self.begins_statement(index, head),
        }
    }

    /// Returns whether a statement begins at `index`: a word that begins statements, followed by a token that neither
    /// an expression nor a clause has after a name. On the line of the statement before, it must also follow an
    /// operand, and not just the word `head` that began that statement.
    pub(super) fn begins_statement(&self, index: usize, head: usize) -> bool {
        let kind = self.kind_at(index);
        if !kind.begins_statement() || !self.may_guess(index) {
            return false;
        }
        let before = index.checked_sub(1).map_or(Kind::End, |before| self.kind_at(before));
        let behind_operand = index > 0 && index - 1 != head && before.ends_operand();
        // Any word here is a name.
        let is_name = matches!(before, Kind::ColonColon | Kind::Dot | Kind::Arrow)
            || (before == Kind::As && !self.is_complete(index));
        if is_name || (!behind_operand && !self.begins_line(index)) {
            return false;
        }
        let next = self.kind_at(index + 1);
        let follows = |next: Kind| Block::Clauses.may_follow(kind, next);
        match kind {
            Kind::Session => self.begins_session(index),
            kind if kind.is_declaration() && !kind.is_clause() => self.begins_declaration(index),
            Kind::Stop if next == Kind::After => true,
            Kind::Stop => {
                let rule = self.kind_at(index + 2);
                matches!(next, Kind::When | Kind::On | Kind::With)
                    && (rule.is_name() || matches!(rule, Kind::Str | Kind::Star | Kind::LBrace))
            }
            Kind::Filter if matches!(next, Kind::LParen | Kind::Not) => true,
            Kind::Filter if next == Kind::In => self.kind_at(index + 2) == Kind::Kernel,
            Kind::Print if next == Kind::TemplateOpen => true,
            Kind::When => next == Kind::Has && self.kind_at(index + 2).is_name(),
            Kind::Include => {
                next.is_name()
                    && matches!(self.kind_at(index + 2), Kind::LParen | Kind::Semicolon | Kind::ColonColon)
                    && behind_operand
            }
            Kind::Lint => next.is_name() && self.kind_at(index + 2).is_name() && !self.continues(index + 1),
            // A clause of one word.
            _ if next == Kind::Semicolon && follows(next) => {
                behind_operand && !takes_operand(before) && self.is_at_clauses()
            }
            // An expression may also continue like this.
            Kind::Global => follows(next) && behind_operand && self.is_complete(index),
            _ if matches!(next, Kind::Star | Kind::LBrace) => {
                let opens = !Block::Clauses.behind(kind).is_empty();
                opens && follows(next) && behind_operand && self.is_complete(index)
            }
            // The word between them is easily forgotten.
            Kind::Ring if next.is_literal() => true,
            _ if follows(Kind::Word) || kind.is_item() => {
                next.is_literal() || (next.is_name() && !self.continues(index + 1))
            }
            _ => follows(next) || (next == Kind::Broken && follows(Kind::Str)),
        }
    }

    /// Returns whether the text before `index` is complete, judged by its last token, so that the next statement may
    /// begin there.
    pub(super) fn is_complete(&self, index: usize) -> bool {
        use Kind::*;
        let before = |offset: usize| index.checked_sub(offset).map_or(End, |before| self.kind_at(before));
        match before(1) {
            // A star ends a pattern of events; where events are not allowed, it multiplies or points.
            Star => self.may_name_events() && !before(2).ends_operand(),
            // After a colon or a dot, and where a statement begins, it is a name.
            As => !before(2).ends_operand(),
            User => false,
            Const => !matches!(before(2), Star | User),
            Struct | Union | Enum => !matches!(before(2), Colon | Star | Const | User | As),
            last => last.ends_operand(),
        }
    }

    /// Returns whether events are named in the innermost block, so that a star can be the end of a statement.
    fn may_name_events(&self) -> bool {
        self.levels.last().is_some_and(|level| matches!(level.block, Block::Clauses | Block::Items))
    }

    /// Returns whether the innermost block contains clauses, so that a word alone can be a clause.
    fn is_at_clauses(&self) -> bool {
        self.levels.last().is_some_and(|level| level.block == Block::Clauses)
    }

    /// Returns whether the word at `index` can follow a name in a clause.
    fn continues(&self, index: usize) -> bool {
        use Kind::*;
        match self.kind_at(index) {
            On => self.kind_at(index + 1) != Colon,
            With => self.kind_at(index + 1) == LParen,
            kind => matches!(kind, Except | Count | Once | Per | Total | Off | Having | As | In | And),
        }
    }

    /// Returns whether a clause, not an item, begins at `index` on a line of its own.
    fn begins_clause(&self, index: usize) -> bool {
        let kind = self.kind_at(index);
        kind.is_clause() && !kind.is_item() && self.begins_line(index)
    }

    /// Returns whether `session NAME {` or `session NAME (` begins at `index`, and not an event called `session` with
    /// its exceptions.
    pub(super) fn begins_session(&self, index: usize) -> bool {
        self.kind_at(index) == Kind::Session
            && self.kind_at(index + 1).is_name()
            && !self.continues(index + 1)
            && matches!(self.kind_at(index + 2), Kind::LBrace | Kind::LParen)
    }

    /// Returns whether a declaration begins at `index` on a line of its own.
    pub(super) fn begins_declaration(&self, index: usize) -> bool {
        let kind = self.kind_at(index);
        if !self.may_guess(index) {
            return false;
        }
        if kind == Kind::Session {
            return self.begins_session(index);
        }
        if !kind.is_declaration() || !self.begins_line(index) {
            return false;
        }
        // After an operator, the word is its operand.
        let before = index.checked_sub(1).map_or(Kind::End, |before| self.kind_at(before));
        let ends = matches!(before, Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::Comma | Kind::Doc);
        let behind_header = self.last_kind() == Kind::Header;
        if !(self.is_complete(index) || ends || behind_header || before == Kind::End) {
            return false;
        }
        let at = |offset: usize| self.kind_at(index + offset);
        let named = at(1).is_name() && !self.continues(index + 1);
        match kind {
            Kind::Class => named && at(2) == Kind::LBrace,
            Kind::Enum | Kind::Flags => {
                named && (at(2) == Kind::LBrace || (at(2) == Kind::Colon && at(4) == Kind::LBrace))
            }
            Kind::Event => {
                let is_path = matches!(before, Kind::Has | Kind::At);
                named
                    && !is_path
                    && match at(2) {
                        Kind::LBrace | Kind::If => true,
                        Kind::With => at(3) == Kind::LParen,
                        Kind::Colon => {
                            matches!(at(4), Kind::Semicolon | Kind::LBrace | Kind::If | Kind::With)
                        }
                        Kind::At => at(3).is_name(),
                        _ => false,
                    }
            }
            Kind::Const => named && matches!(at(2), Kind::Assign | Kind::Colon),
            Kind::Use => at(1) == Kind::Str || (named && at(2) == Kind::ColonColon),
            Kind::Subsystem => named && at(2) == Kind::Semicolon,
            Kind::Lint => named && at(2).is_name(),
            _ => (named || !at(1).is_name()) && Block::File.may_follow(kind, at(1)),
        }
    }

    /// Returns whether a part of an event definition can be complete before `index`.
    fn ends_part(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map_or(Kind::End, |before| self.kind_at(before));
        matches!(before, Kind::RawC | Kind::TemplateClose | Kind::RParen)
    }

    /// Returns whether a part of an event definition begins at `index`.
    pub(super) fn begins_part(&self, index: usize) -> bool {
        let next = self.kind_at(index + 1);
        Block::Parts.may_follow(self.kind_at(index), next)
            // Elsewhere it may be a call.
            && (next != Kind::LParen || self.begins_line(index) || self.ends_part(index))
    }

    /// Returns whether the start of a statement belongs to a block around the innermost one.
    pub(super) fn belongs_outside(&self, block: Block) -> bool {
        let next = self.behind_doc();
        match block {
            Block::File => false,
            Block::Clauses => self.begins_outer_declaration(next),
            Block::Items => self.begins_outer_declaration(next) || self.begins_clause(next),
            Block::Fields => self.begins_outer_declaration(next) || self.begins_part(next),
            Block::Members | Block::Parts | Block::Probe => self.begins_outer_declaration(next),
        }
    }

    /// Returns the same as [`Self::begins_declaration`], except for words that also begin clauses: these have to stand at
    /// the margin, where clauses do not.
    fn begins_outer_declaration(&self, index: usize) -> bool {
        (!self.kind_at(index).is_clause() || self.is_at_margin(index)) && self.begins_declaration(index)
    }

    /// Returns whether the token at `index` is at the start of its line.
    fn is_at_margin(&self, index: usize) -> bool {
        let start = self.input.get(index).map_or(0, |token| token.span.start);
        start == 0 || self.source.slice(self.source.file.span(start - 1, start)) == "\n"
    }

    /// Returns whether the closing brace here would end a declaration though more of it follows.
    pub(super) fn closes_too_early(&self) -> bool {
        let outermost = match self.levels.as_slice() {
            [file, _] => file.block == Block::File,
            _ => false,
        };
        let next = self.at + 1;
        let next = next + usize::from(self.kind_at(next) == Kind::Doc);
        let follows = self.kind_at(next);
        self.surplus.close > 0
            && outermost
            && follows != Kind::End
            && follows != Kind::Session
            && !self.begins_declaration(next)
    }
}

/// Returns whether the word of a clause is followed by an operand.
fn takes_operand(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        After
            | As
            | Cgroup
            | Comm
            | Every
            | Except
            | Having
            | In
            | Last
            | On
            | Process
            | Thread
            | To
            | When
            | With
    )
}
