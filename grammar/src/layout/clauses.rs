//! Layout of clauses of sessions and items of their blocks.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::lexer::Kind;
use crate::limits::MAX_DEPTH;
use crate::outline::Block;
use crate::planned;
use crate::words::{self, StatementContext};

impl Statements<'_> {
    /// Arranges the clause that begins here, in `depth` blocks of `global` and `when`.
    pub(super) fn clause(&mut self, depth: u32) {
        match self.kind() {
            Kind::Stop => self.stop(),
            Kind::Dump => self.dump(),
            Kind::Lint => self.lint(),
            word if word.is_clause() => match Block::Clauses.behind(word) {
                [] => self.simple(),
                [Block::Clauses, ..] => self.nested(depth + 1, word == Kind::When),
                _ => {
                    let head = self.at;
                    self.keep();
                    self.event_clause(Some(head), word == Kind::On);
                }
            },
            _ => match self.misspelt_head(StatementContext::Session) {
                Some(word) => {
                    let head = self.at;
                    self.write(word, self.input[self.at].span);
                    self.at += 1;
                    self.event_clause(Some(head), word == Kind::On);
                }
                None => self.junk(),
            },
        }
    }

    /// Reports a misspelt word before a block whose statements can be read, and returns the one that was meant.
    pub(super) fn misspelt_head(&mut self, context: StatementContext) -> Option<Kind> {
        if self.kind() != Kind::Word || !self.precedes_block() {
            return None;
        }
        let word = self.token_text(self.at);
        // A word of a later version is right.
        if planned::in_context(word, context).is_some() {
            return None;
        }
        let nearest = words::nearest(word, context)?;
        let kind = match nearest {
            "session" => Kind::Session,
            "trace" => Kind::Trace,
            "on" => Kind::On,
            _ => return None,
        };
        let place = self.input[self.at].span;
        let kind_of_mistake =
            SyntaxErrorKind::UnknownClause { word: word.to_owned(), context, nearest: Some(nearest) };
        self.out.errors.push(kind_of_mistake, place);
        Some(kind)
    }

    /// Returns whether a name or event follows the word here, and then the block of a session, `trace` or `on`. Long
    /// heads are not searched, so that the time is linear in the text.
    fn precedes_block(&self) -> bool {
        const LONGEST: usize = 200;
        let first = self.at + 1;
        let has_event = self.kind_at(first + 1) == Kind::Colon;
        let begins_block = matches!(self.kind_at(first + 1), Kind::LBrace | Kind::LParen);
        if !self.kind_at(first).is_name() || !(has_event || begins_block) {
            return false;
        }
        let mut in_set = false;
        for index in first..first + LONGEST {
            match self.kind_at(index) {
                Kind::LBrace if matches!(self.kind_at(index - 1), Kind::In | Kind::Except) => in_set = true,
                Kind::RBrace if in_set => in_set = false,
                Kind::LBrace => return true,
                Kind::RBrace | Kind::Semicolon | Kind::Doc | Kind::End => return false,
                _ => {}
            }
        }
        false
    }

    /// Arranges the item that begins here.
    pub(super) fn item(&mut self) {
        match self.kind() {
            Kind::Trigger => self.trigger(),
            Kind::Word if self.is_action() => self.action(),
            Kind::Filter => self.filter(),
            Kind::Lint => self.lint(),
            Kind::Print => self.print(),
            Kind::Drop | Kind::Redact => self.fields(),
            word if word.is_item() => self.simple(),
            _ => self.junk(),
        }
    }

    /// Arranges `filter [in kernel] C;`.
    fn filter(&mut self) {
        let head = self.at;
        self.keep();
        if self.kind() == Kind::In && self.kind_at(self.at + 1) == Kind::Kernel {
            self.merge(self.at + 2, Kind::InKernel);
        }
        self.rest(head);
    }

    /// Arranges `trace` or `on` after its word: events, condition, and a semicolon or a block.
    pub(super) fn event_clause(&mut self, head: Option<usize>, of_on: bool) {
        self.event();
        self.behind_events(head, Some(Block::Items), of_on);
    }

    /// Arranges the rest of a clause after its events: `except`, `having` and a condition, in any order, and the end of
    /// the statement, which is a semicolon, or a `block` if there may be one, of an `on` clause or of another.
    fn behind_events(&mut self, head: Option<usize>, block: Option<Block>, of_on: bool) {
        let mut condition = false;
        loop {
            if block.is_some() && self.items_follow(head) {
                return self.items_without_braces(head);
            }
            if self.ends_statement(head) {
                return;
            }
            // In a condition, the word of a part is the name of a field, unless the condition can end before it.
            let may_begin_part = match condition {
                false => self.last_kind() != Kind::Colon,
                true => block.is_some() && self.is_complete(self.at),
            };
            match self.kind() {
                Kind::Except if may_begin_part => {
                    self.keep();
                    self.event();
                    condition = false;
                }
                Kind::Having if block.is_some() && may_begin_part => {
                    self.having();
                    condition = false;
                }
                Kind::If => {
                    condition = true;
                    self.keep();
                }
                Kind::LBrace => match block {
                    Some(block) => {
                        self.open_block(block);
                        if let Some(level) = self.levels.last_mut() {
                            level.of_on = of_on;
                        }
                        return;
                    }
                    None => return self.foreign_group(),
                },
                _ => self.operand(),
            }
        }
    }

    /// Arranges `print ".."`, which ends with its template.
    fn print(&mut self) {
        self.keep();
        loop {
            match self.kind() {
                Kind::Semicolon => return self.keep(),
                Kind::RBrace | Kind::End => return self.write(Kind::Semicolon, self.previous_end()),
                _ if self.last_kind() == Kind::TemplateClose => {
                    return self.write(Kind::Semicolon, self.previous_end());
                }
                Kind::LBrace => return self.foreign_group(),
                _ if self.begins_inner(self.at, self.at - 1) => return self.break_here(),
                _ => self.operand(),
            }
        }
    }

    /// Arranges `drop f, g;` and `redact f, g;`.
    fn fields(&mut self) {
        let head = self.at;
        self.having();
        self.rest(head);
    }

    /// Arranges `having f, g`: all words there are names.
    fn having(&mut self) {
        self.keep();
        loop {
            if !self.kind().is_name() || self.begins_statement(self.at, self.at - 1) {
                return;
            }
            self.keep();
            if self.kind() != Kind::Comma {
                return;
            }
            self.keep();
        }
    }

    /// Returns whether items follow the head of a clause without an opening brace.
    fn items_follow(&self, head: Option<usize>) -> bool {
        let next = self.behind_doc();
        matches!(self.kind_at(next), Kind::Filter | Kind::Trigger)
            && next > head.unwrap_or(0)
            && self.begins_statement(next, head.unwrap_or(usize::MAX))
    }

    /// Arranges `trigger ACTION [EVENT] ..`: a word after the action is an event, unless it is `count` or `once`.
    fn trigger(&mut self) {
        let head = self.at;
        self.keep();
        if self.ends_statement(Some(head)) {
            return;
        }
        if self.kind().is_name() {
            self.keep();
            self.target();
        }
        self.rest(head);
    }

    /// Returns whether the word here is the action of a trigger without the word `trigger`: a block of `on` holds
    /// hardly anything else.
    fn is_action(&self) -> bool {
        let ends = |kind: Kind| {
            matches!(kind, Kind::Semicolon | Kind::RBrace | Kind::End | Kind::Count | Kind::Once | Kind::If)
        };
        let next = self.kind_at(self.at + 1);
        let names_event = matches!(next, Kind::Str | Kind::Star)
            || (next.is_name()
                && (self.kind_at(self.at + 2) == Kind::Colon || ends(self.kind_at(self.at + 2))));
        self.levels.last().is_some_and(|level| level.of_on) && (ends(next) || names_event)
    }

    /// Arranges `ACTION [EVENT] ..` as [`Self::trigger`].
    fn action(&mut self) {
        let head = self.at;
        self.write(Kind::Action, self.input[head].span);
        self.at += 1;
        self.target();
        self.rest(head);
    }

    fn target(&mut self) {
        let next = self.kind_at(self.at + 1);
        match self.kind() {
            Kind::Count | Kind::Once if next != Kind::Colon => {}
            kind if kind.is_name() && !self.begins_statement(self.at, usize::MAX) => {
                self.write(Kind::Word, self.input[self.at].span);
                self.at += 1;
            }
            Kind::Str | Kind::Star | Kind::Broken => self.path(),
            _ => {}
        }
    }

    /// Arranges `lint LEVEL NAME, ..;`: all words there are names.
    pub(super) fn lint(&mut self) {
        let head = self.at;
        self.keep();
        if self.ends_statement(Some(head)) {
            return;
        }
        self.keep_name();
        if !(self.may_guess(self.at) && self.begins_line(self.at)) {
            self.keep_name();
        }
        self.rest(head);
    }

    /// Arranges `stop ..;`, which may name events.
    fn stop(&mut self) {
        let head = self.at;
        self.keep();
        match self.kind() {
            Kind::On => return self.stop_on(head),
            Kind::When => {
                let Some((instead, kind)) = self.instead_of_when() else { return self.rest(head) };
                let (found, place) = ("when".to_owned(), self.input[self.at].span);
                self.out.errors.push(SyntaxErrorKind::WrongOperator { found, instead }, place);
                if kind == Kind::On {
                    return self.stop_on(head);
                }
                self.write(kind, place);
                self.at += 1;
            }
            _ => {}
        }
        self.rest(head);
    }

    /// Arranges `stop on ..` from its second word on, whatever that is.
    fn stop_on(&mut self, head: usize) {
        let names_signal = self.precedes_signal();
        self.write(Kind::On, self.input[self.at].span);
        self.at += 1;
        if names_signal {
            self.write(Kind::Signal, self.input[self.at].span);
            self.at += 1;
            self.keep_name();
            return self.rest(head);
        }
        self.event();
        self.behind_events(Some(head), None, false);
    }

    /// Arranges `dump on ..;`, which names events.
    fn dump(&mut self) {
        let head = self.at;
        self.keep();
        if self.kind() != Kind::On {
            return self.rest(head);
        }
        self.keep();
        self.event();
        self.behind_events(Some(head), None, false);
    }

    /// Returns the word that is meant by the `when` of `stop when`, if what follows shows it. A condition without an
    /// event does not.
    fn instead_of_when(&self) -> Option<(&'static str, Kind)> {
        let ends = |kind| matches!(kind, Kind::Semicolon | Kind::End | Kind::RBrace);
        match (self.kind_at(self.at + 1), self.kind_at(self.at + 2)) {
            (Kind::Duration, _) => Some(("after", Kind::After)),
            (Kind::Command, behind) if ends(behind) => Some(("with", Kind::With)),
            (Kind::Process, Kind::Int) => Some(("with", Kind::With)),
            (word, signal)
                if word.is_name() && signal.is_name() && self.token_text(self.at + 1) == "signal" =>
            {
                Some(("on", Kind::On))
            }
            (Kind::LBrace | Kind::Str | Kind::Star, _) => Some(("on", Kind::On)),
            (Kind::Broken, _) => Some(("on", Kind::On)),
            (word, Kind::Colon | Kind::If | Kind::Except | Kind::Having | Kind::Count | Kind::Once)
                if word.is_name() =>
            {
                Some(("on", Kind::On))
            }
            (word, behind) if word.is_name() && ends(behind) => Some(("on", Kind::On)),
            _ => None,
        }
    }

    /// Returns whether `signal NAME` follows, and not an event of the system `signal`.
    fn precedes_signal(&self) -> bool {
        let ends = matches!(self.kind_at(self.at + 3), Kind::Semicolon | Kind::End | Kind::RBrace);
        self.token_text(self.at + 1) == "signal" && self.kind_at(self.at + 2).is_name() && ends
    }

    /// Arranges `global ..` or `when ..`, with its block at `depth`.
    fn nested(&mut self, depth: u32, may_have_else: bool) {
        if depth > MAX_DEPTH {
            let span = self.input[self.at].span;
            self.out.errors.push(SyntaxErrorKind::BlocksTooDeep, span);
            return self.skip_nested();
        }
        let head = self.at;
        let word = if may_have_else { Kind::When } else { self.kind() };
        self.write(word, self.input[self.at].span);
        self.at += 1;
        if may_have_else && self.kind() == Kind::Has {
            self.keep();
            // `event` and the like: any word is accepted here.
            self.keep_name();
            self.keep_name();
        }
        self.block_of(head, depth, may_have_else);
    }

    fn keep_name(&mut self) {
        if self.kind().is_name() {
            self.keep();
        }
    }

    /// Arranges the tokens up to the block of `global`, `when` or `else`.
    fn block_of(&mut self, head: usize, depth: u32, may_have_else: bool) {
        while self.kind() != Kind::LBrace {
            if self.ends_statement(Some(head)) {
                return;
            }
            self.keep();
        }
        self.open_block(Block::Clauses);
        if let Some(level) = self.levels.last_mut() {
            (level.depth, level.may_have_else) = (depth, may_have_else);
        }
    }

    /// Arranges `else ..` after the block of a `when`, which is at `depth`. The alternative is one level deeper: it is
    /// inside.
    pub(super) fn otherwise(&mut self, depth: u32) {
        let head = self.at;
        self.keep();
        match self.kind() {
            Kind::When => {
                self.begin();
                self.else_when(depth + 1);
            }
            // The spelling of other languages.
            Kind::If if self.kind_at(self.at + 1) == Kind::Has => {
                self.begin();
                let span = self.input[self.at].span;
                let found = "if".to_owned();
                self.out.errors.push(SyntaxErrorKind::WrongOperator { found, instead: "when" }, span);
                self.else_when(depth + 1);
            }
            _ => self.block_of(head, depth, false),
        }
    }

    fn else_when(&mut self, depth: u32) {
        if depth <= MAX_DEPTH {
            return self.nested(depth, true);
        }
        let span = self.input[self.at].span;
        self.out.errors.push(SyntaxErrorKind::BlocksTooDeep, span);
        let end = self.previous_end();
        self.write(Kind::LBrace, end);
        self.write(Kind::RBrace, end);
        self.leave_out_nested();
    }

    /// Leaves out a nested clause with its block and all of its `else`, except for one token.
    fn skip_nested(&mut self) {
        self.write(Kind::Junk, self.input[self.at].span);
        self.leave_out_nested();
        self.break_here();
    }

    fn leave_out_nested(&mut self) {
        loop {
            while !matches!(self.kind(), Kind::LBrace | Kind::Semicolon | Kind::RBrace | Kind::End) {
                self.at += 1;
            }
            match self.kind() {
                Kind::LBrace => self.skip_group(),
                Kind::Semicolon => {
                    self.at += 1;
                    return;
                }
                _ => return,
            }
            if self.kind() != Kind::Else {
                return;
            }
        }
    }
}
