//! Layout of parameters and fields: `name: type`, and their C forms.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::foreign::{self, Context};
use crate::lexer::Kind;
use crate::span::Span;

/// The limit of tokens of one sort in a declaration of C.
const LONGEST: usize = 16;

/// What a declaration of C declares.
#[derive(Clone, Copy)]
enum Declared {
    Parameter,
    Field,
}

impl Statements<'_> {
    /// Arranges `(name: type, ..)`, from its parenthesis on. Each parameter may have its own mistake; those that are
    /// declared as in C are one, since a prototype is pasted as a whole.
    pub(super) fn params(&mut self) {
        let mut translated = Vec::new();
        self.each_param(&mut translated);
        let (Some((first, _)), Some((last, _))) = (translated.first(), translated.last()) else { return };
        let whole = first.to(*last);
        let mut instead = String::new();
        let mut at = whole.start;
        for (span, translation) in &translated {
            instead += self.source.slice(Span { start: at, end: span.start, ..whole });
            instead += translation;
            at = span.end;
        }
        self.out.errors.push(SyntaxErrorKind::DeclaredAsInC { instead }, whole);
    }

    /// Arranges a list of parameters, and adds those that are declared as in C to `translated`.
    fn each_param(&mut self, translated: &mut Vec<(Span, String)>) {
        self.keep();
        self.begin();
        translated.extend(self.declared_as_in_c(Declared::Parameter));
        let mut depth = 1usize;
        loop {
            match self.kind() {
                Kind::LParen => depth += 1,
                Kind::RParen => depth -= 1,
                Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::End | Kind::Doc => return,
                Kind::Comma if depth == 1 => {
                    self.keep();
                    self.begin();
                    translated.extend(self.declared_as_in_c(Declared::Parameter));
                    continue;
                }
                _ if self.begins_inner(self.at, usize::MAX) => return,
                _ if self.may_guess(self.at) && self.begins_part(self.at) => return,
                _ => {}
            }
            self.operand();
            if depth == 0 {
                return self.begin();
            }
        }
    }

    /// Arranges a field of an `entry`.
    pub(super) fn field(&mut self) {
        let head = self.at;
        if self.kind() == Kind::LBrace {
            return self.foreign_group();
        }
        if self.field_macro() {
            return;
        }
        self.report_declared_as_in_c();
        if self.at == head {
            self.keep();
        }
        self.rest(head);
    }

    /// Takes a macro of TP_STRUCT__entry, such as `__field(u32, bytes)`, as one broken field and reports its spelling
    /// in the language.
    fn field_macro(&mut self) -> bool {
        let is_macro = self.kind() == Kind::Word && self.kind_at(self.at + 1) == Kind::LParen;
        let found = is_macro.then(|| foreign::form(self.source, self.input, self.at, &[Context::Field]));
        let Some(foreign::Found { end, instead, .. }) = found.flatten() else { return false };
        let end = end + usize::from(self.kind_at(end) == Kind::Semicolon);
        if let [first, .., last] = &self.input[self.at..end] {
            self.out.errors.push(SyntaxErrorKind::DeclaredAsInC { instead }, first.span.to(last.span));
        }
        self.merge(end, Kind::Broken);
        self.break_here();
        true
    }

    /// Returns whether a field begins at `index` after one that lacks its semicolon.
    pub(super) fn begins_field(&self, index: usize) -> bool {
        self.begins_line(index)
            && self.is_complete(index)
            && self.kind_at(index).is_name()
            && self.kind_at(index + 1) == Kind::Colon
    }

    /// Arranges a field of a probe, or its `print`.
    pub(super) fn probe_field(&mut self) {
        let head = self.at;
        if self.begins_part(self.at) {
            return self.part();
        }
        if self.kind() == Kind::LBrace {
            return self.foreign_group();
        }
        self.report_declared_as_in_c();
        if self.at == head && (self.begins_fetch(self.at) || self.begins_path_to_member(self.at)) {
            self.fetch();
        }
        if self.at == head {
            self.keep();
        }
        loop {
            match self.kind() {
                // The last field needs no semicolon.
                Kind::RBrace => return self.write(Kind::Semicolon, self.previous_end()),
                Kind::LBrace => return self.foreign_group(),
                Kind::Assign if self.begins_fetch(self.at + 1) || self.begins_path(self.at + 1) => {
                    self.keep();
                    self.fetch();
                }
                _ if self.last_kind() == Kind::Colon && self.kernel_type() > self.at => {
                    self.merge(self.kernel_type(), Kind::Word);
                }
                _ if self.ends_statement(Some(head)) => return,
                _ => self.operand(),
            }
        }
    }

    /// Returns the index after a fetch type that begins here and is not a word; if there is none, the current index.
    /// These types are bit fields, `b3@0/32`, and the names of files, `%pd` and `%pD` (`parse_probe_arg` in
    /// kernel/trace/trace_probe.c).
    fn kernel_type(&self) -> usize {
        let is_joined = |index: usize| {
            let before = self.input.get(index - 1).map(|token| token.span.end);
            before == self.input.get(index).map(|token| token.span.start)
        };
        let bits = self.token_text(self.at).strip_prefix('b').unwrap_or_default();
        let is_bits = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
        let length = match self.kind() {
            Kind::Percent if matches!(self.token_text(self.at + 1), "pd" | "pD") => 2,
            Kind::Word
                if is_bits
                    && self.token_text(self.at + 1) == "@"
                    && self.kind_at(self.at + 2) == Kind::Int
                    && self.kind_at(self.at + 3) == Kind::Slash
                    && self.kind_at(self.at + 4) == Kind::Int =>
            {
                5
            }
            _ => 0,
        };
        let joined = (1..length).all(|offset| is_joined(self.at + offset));
        self.at + if joined { length } else { 0 }
    }

    /// Returns whether a field begins at `index` after one that lacks its semicolon.
    pub(super) fn begins_probe_field(&self, index: usize) -> bool {
        self.begins_line(index)
            && self.is_complete(index)
            && (self.begins_named_field(index) || (self.begins_fetch(index) && !self.is_operator(index)))
    }

    fn begins_named_field(&self, index: usize) -> bool {
        let continues_type = self.kind_at(index) == Kind::CType && self.kind_at(index - 1) == Kind::CType;
        self.kind_at(index).is_name()
            && match self.kind_at(index + 1) {
                Kind::Colon | Kind::Assign => true,
                Kind::Semicolon | Kind::RBrace => !continues_type,
                _ => false,
            }
    }

    /// Returns whether the sign at `index` continues the length of an array: fetch arguments are `+4(..)` and `%di`.
    fn is_operator(&self, index: usize) -> bool {
        match self.kind_at(index) {
            Kind::Plus | Kind::Minus => self.kind_at(index + 2) != Kind::LParen,
            Kind::Percent => self.kind_at(index + 2) == Kind::RBracket,
            _ => false,
        }
    }

    /// Returns whether a fetch argument of the kernel begins at `index`: Documentation/trace/kprobetrace.rst.
    fn begins_fetch(&self, index: usize) -> bool {
        matches!(self.token_text(index).as_bytes(), [b'%' | b'$' | b'@' | b'+' | b'-' | b'\\', ..])
    }

    /// Returns whether an argument, or a path to a member of one, begins at `index`: `old_pid`, `task->pid`.
    fn begins_path(&self, index: usize) -> bool {
        let goes_on = matches!(
            self.kind_at(index + 1),
            Kind::Arrow | Kind::Dot | Kind::Colon | Kind::Semicolon | Kind::RBrace
        );
        self.kind_at(index).is_name() && goes_on
    }

    /// Returns whether a path to a member of an argument begins at `index`.
    fn begins_path_to_member(&self, index: usize) -> bool {
        self.begins_path(index) && matches!(self.kind_at(index + 1), Kind::Arrow | Kind::Dot)
    }

    /// Returns whether the tokens before and at `index` are parts of one path, with blanks between them.
    fn joins_path(&self, index: usize) -> bool {
        let is_joint = |index: usize| matches!(self.kind_at(index), Kind::Arrow | Kind::Dot);
        // A comment between them would be lost.
        let gap = self.source.file.span(self.input[index - 1].span.end, self.input[index].span.start);
        let is_blank = self.source.slice(gap).trim().is_empty();
        is_blank
            && (is_joint(index) && self.kind_at(index + 1).is_name()
                || is_joint(index - 1) && self.kind_at(index).is_name())
    }

    /// Takes a fetch argument as one token: up to its type or its end, outside its brackets. A path to a member of an
    /// argument that is not written as a field has it is reported.
    fn fetch(&mut self) {
        let is_path = self.begins_path_to_member(self.at);
        let has_name = self.last_kind() == Kind::Assign;
        let mut has_blanks = false;
        let mut end = self.at + 1;
        let mut depth = 0usize;
        loop {
            match self.kind_at(end) {
                Kind::LParen | Kind::LBracket => depth += 1,
                Kind::RParen | Kind::RBracket => depth = depth.saturating_sub(1),
                Kind::Semicolon | Kind::RBrace | Kind::LBrace | Kind::End | Kind::Doc => break,
                Kind::Colon if depth == 0 => break,
                _ if self.begins_line(end) => break,
                // The kernel's fetch arguments do not contain blanks.
                _ if depth == 0 && self.input[end - 1].span.end != self.input[end].span.start => {
                    if !is_path || !self.joins_path(end) {
                        break;
                    }
                    has_blanks = true;
                }
                _ => {}
            }
            end += 1;
        }
        if is_path && (has_blanks || !has_name) {
            self.report_path(end, has_name);
        }
        self.merge(end, Kind::Fetch);
    }

    /// Reports the path up to `end`, which has blanks in it, or no name before it.
    fn report_path(&mut self, end: usize, has_name: bool) {
        let tokens = &self.input[self.at..end];
        let [first, .., last] = tokens else { return };
        let span = first.span.to(last.span);
        let path: String = tokens.iter().map(|token| self.source.slice(token.span)).collect();
        let member = tokens.iter().rev().find(|token| token.kind.is_name());
        let member = member.map_or("", |token| self.source.slice(token.span));
        let instead = if has_name { path } else { format!("{member} = {path}") };
        let found = self.source.slice(span).to_owned();
        self.out
            .errors
            .push(SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None }, span);
    }

    /// Takes a declaration of C as one broken token and reports its spelling in the language.
    fn report_declared_as_in_c(&mut self) {
        if let Some((span, instead)) = self.declared_as_in_c(Declared::Field) {
            self.out.errors.push(SyntaxErrorKind::DeclaredAsInC { instead }, span);
        }
    }

    /// Takes `struct request *rq`, `char comm[16]` or `rq: struct request *` as one broken token, and returns its span
    /// and its spelling in the language.
    fn declared_as_in_c(&mut self, what: Declared) -> Option<(Span, String)> {
        let (end, instead) = self.c_declaration(what)?;
        let [first, .., last] = &self.input[self.at..end] else { return None };
        let span = first.span.to(last.span);
        self.merge(end, Kind::Broken);
        Some((span, instead))
    }

    /// Returns a declaration of C that begins here: the index after it, and its spelling in the language.
    fn c_declaration(&self, what: Declared) -> Option<(usize, String)> {
        let named = self.kind().is_name() && self.kind_at(self.at + 1) == Kind::Colon;
        let first = if named { self.at + 2 } else { self.at };
        let words_end = self.skip(first, |kind| kind.is_name());
        let stars_end = self.skip(words_end, |kind| matches!(kind, Kind::Star | Kind::Const));
        let name_end = match named {
            true => stars_end,
            false => self.skip(stars_end, |kind| kind.is_name()),
        };
        let end = match self.kind_at(name_end) {
            Kind::LBracket => self.skip(name_end, |kind| {
                kind.is_name() || matches!(kind, Kind::LBracket | Kind::RBracket | Kind::Int)
            }),
            _ => name_end,
        };
        let stars =
            self.input.get(words_end..stars_end)?.iter().filter(|token| token.kind == Kind::Star).count();
        let ends = matches!(
            self.kind_at(end),
            Kind::Comma | Kind::RParen | Kind::Semicolon | Kind::Assign | Kind::RBrace
        );
        // Without a star, the name is the last of the words.
        let (words, name) = match (named, stars) {
            (true, 1..) if words_end > first => (first..words_end, self.at),
            (false, 0) if words_end - first >= 2 && (end > name_end || self.names_c_type(first)) => {
                (first..words_end - 1, words_end - 1)
            }
            (false, 1..) if name_end == stars_end + 1 && words_end > first => (first..words_end, stars_end),
            _ => return None,
        };
        if !ends {
            return None;
        }
        let array: String =
            self.input.get(name_end..end)?.iter().map(|token| self.source.slice(token.span)).collect();
        // C passes a pointer to the first element of an array.
        let (stars, array) = match what {
            Declared::Parameter if array.matches('[').count() == 1 => (stars + 1, String::new()),
            _ => (stars, array),
        };
        let is_user = |word: &&str| matches!(*word, "__user" | "user");
        let base: Vec<&str> = words.map(|index| self.token_text(index)).collect();
        let user = base.iter().any(is_user);
        let base: Vec<&str> = base.into_iter().filter(|word| !is_user(word)).collect();
        let stars = format!("{}{}", "*".repeat(stars), if user { "user " } else { "" });
        Some((end, format!("{}: {stars}{}{array}", self.token_text(name), base.join(" "))))
    }

    /// Returns whether the word at `index` begins or names a type of C: otherwise a colon is missing after it.
    fn names_c_type(&self, index: usize) -> bool {
        use Kind::*;
        let text = self.token_text(index);
        let sized =
            text.strip_prefix(['u', 's']).is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64"));
        matches!(self.kind_at(index), Struct | Union | Enum | Const | CType)
            || sized
            || text == "bool"
            || text.ends_with("_t")
    }

    fn skip(&self, from: usize, is_part: impl Fn(Kind) -> bool) -> usize {
        let mut end = from;
        while end < from + LONGEST && is_part(self.kind_at(end)) {
            end += 1;
        }
        end
    }
}
