//! The matcher of forms, and the texts that their parts keep.

use crate::lexer::{Kind, Token};
use crate::span::Source;

use super::pattern::{self, is_wildcard};
use super::table::Part;
use Kind::{Colon, LBrace, LParen, Minus, Slash};
use Part::{
    Action, Adjacent, Braced, CType, CValue, ClauseWord, Comparison, Condition, Device, Event, Events,
    Function, Further, Kept, Like, Listed, Name, Path, Plain, Quoted, Regex, Token as One, Value, Values,
    Words,
};

/// The most events that a translation repeats.
const MOST_EVENTS: usize = 64;

/// The limit of a condition that a translation repeats, in bytes.
pub(super) const LONGEST_CONDITION: u32 = 400;

/// The bits of a device's minor number: `MINORBITS` of include/linux/kdev_t.h.
const MINOR_BITS: u32 = 20;

/// The matcher of a form: the tokens from `at` on are still to be matched.
pub(super) struct Matcher<'t> {
    pub(super) source: Source<'t>,
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    pub(super) kept: Vec<String>,
    /// Whether words match in any case, as those of SQL and of scripts.
    pub(super) any_case: bool,
}

impl<'t> Matcher<'t> {
    pub(super) fn parts(&mut self, parts: &[Part]) -> Option<()> {
        parts.iter().try_for_each(|part| self.part(*part))
    }

    fn part(&mut self, part: Part) -> Option<()> {
        match part {
            Words(words) => self.is_one_of(words).then(|| self.at += 1),
            One(kind) => (self.kind() == kind).then(|| self.at += 1),
            Name => self.name().map(|name| self.keep(name)),
            Value => self.value().map(|value| self.keep(value)),
            Values => {
                let first = self.at;
                while self.kind() == Kind::Comma {
                    self.at += 1;
                    self.value()?;
                }
                let values =
                    self.slice(first).filter(|_| self.at > first)?.trim_start_matches(',').trim_start();
                (values.len() <= LONGEST_CONDITION as usize).then(|| self.keep(values))
            }
            Kept(kind) => {
                let text = self.text();
                (self.kind() == kind).then(|| self.at += 1)?;
                self.keep(text);
                Some(())
            }
            Device => {
                let major: u64 = self.text().parse().ok()?;
                self.at += 1;
                self.part(One(Colon))?;
                let minor: u64 = self.text().parse().ok()?;
                self.at += 1;
                // `MKDEV` of include/linux/kdev_t.h.
                let fits = major < 1 << 12 && minor < 1 << MINOR_BITS;
                fits.then(|| self.keep(&(major << MINOR_BITS | minor).to_string()))
            }
            Listed => self.listed(),
            Comparison => (self.kind().is_name() && compares(self.kind_at(self.at + 1))).then_some(()),
            Plain => {
                let content = self.quoted()?;
                // Beside other characters, a wildcard may be meant.
                let is_literal = content.chars().all(is_wildcard) || !content.contains(is_wildcard);
                let is_plain = !content.is_empty() && is_literal && !content.contains(['\\', '"']);
                is_plain.then(|| self.keep(&pattern::literal_pattern(content)))
            }
            Like => {
                let content = self.quoted()?;
                // Without a `%` the wildcards may be those of a shell.
                let is_sql = content.contains('%') || !content.contains(is_wildcard);
                let is_plain = !content.is_empty() && is_sql && !content.contains(['\\', '"']);
                is_plain.then(|| self.keep(&pattern::of_sql(content)))
            }
            Regex => {
                let content = self.quoted()?;
                if content.is_empty() || content.contains(['\\', '"']) {
                    return None;
                }
                let patterns = match pattern::foreign_pattern(content, true) {
                    Some(foreign) => foreign.meaning.ok()?.patterns,
                    None if pattern::has_wildcard(content) => vec![content.to_owned()],
                    None => vec![format!("*{content}*")],
                };
                let quoted: Vec<String> = patterns.iter().map(|text| format!("\"{text}\"")).collect();
                let text = match quoted.as_slice() {
                    [only] => only.clone(),
                    several => format!("{{{}}}", several.join(", ")),
                };
                self.keep(&text);
                Some(())
            }
            Path => self.path().map(|path| self.keep(&path)),
            Event => self.event().map(|event| self.keep(&event)),
            Events(separator) => self.events(separator),
            Condition => self.condition(),
            Quoted => self.quoted().map(|content| self.keep(content)),
            Further => (!follows_events(self.kind())).then_some(()),
            ClauseWord => self.kind().is_clause().then_some(()),
            Adjacent => {
                let before = self.tokens.get(self.at.checked_sub(1)?)?;
                (before.span.end == self.tokens.get(self.at)?.span.start).then_some(())
            }
            Braced => self.block(|at| !self.kind_at(at).is_item()),
            Action => self.block(|at| {
                self.text_at(at) == "@" || (self.kind_at(at).is_name() && self.kind_at(at + 1) == LParen)
            }),
            CType => self.c_type(),
            CValue => self.c_value(),
            Function => self.function(),
        }
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.text()) || self.any_case && is_one_of(self.text(), words)
    }

    /// Takes the values between braces.
    fn listed(&mut self) -> Option<()> {
        let first = self.at;
        matches!(self.kind(), LBrace | Kind::ListOpen).then(|| self.at += 1)?;
        while !matches!(self.kind(), Kind::RBrace | Kind::ListClose) {
            let is_range = matches!(self.kind(), Kind::Comma | Kind::DotDotEq);
            match is_range {
                true => self.at += 1,
                false => _ = self.value()?,
            }
        }
        self.at += 1;
        let text = self.slice(first)?;
        (text.len() <= LONGEST_CONDITION as usize).then(|| self.keep(text))
    }

    /// Returns whether a value, a condition or an action can end before the next token.
    pub(super) fn ends(&self, is_statement: bool) -> bool {
        use Kind::*;
        match self.kind() {
            End | Semicolon | Break | RBrace | Broken => true,
            _ if is_statement => false,
            AndAnd | OrOr | RParen | RBracket | ListClose | PlaceholderClose | LBrace | If | Count | Once => {
                true
            }
            _ => is_one_of(self.text(), &["and", "or"]),
        }
    }

    fn keep(&mut self, text: &str) {
        self.kept.push(text.to_owned());
    }

    fn kind(&self) -> Kind {
        self.kind_at(self.at)
    }

    fn kind_at(&self, index: usize) -> Kind {
        self.tokens.get(index).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self) -> &'t str {
        self.text_at(self.at)
    }

    fn text_at(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| self.source.slice(token.span))
    }

    /// Returns the text from the token at `first` up to the next one.
    fn slice(&self, first: usize) -> Option<&'t str> {
        let last = self.tokens.get(self.at.checked_sub(1)?)?;
        Some(self.source.slice(self.tokens.get(first)?.span.to(last.span)))
    }

    /// Takes a number or a name, also with a minus.
    fn value(&mut self) -> Option<&'t str> {
        let first = self.at;
        self.at += usize::from(self.kind() == Minus);
        // A word that joins or tests values is not one of them.
        let joins = matches!(self.kind(), Kind::In | Kind::As) || is_one_of(self.text(), JOINING);
        (!joins && self.kind().is_name() || self.kind().is_literal()).then(|| self.at += 1)?;
        self.slice(first)
    }

    fn name(&mut self) -> Option<&'t str> {
        let text = self.text();
        self.kind().is_name().then(|| {
            self.at += 1;
            text
        })
    }

    fn path(&mut self) -> Option<String> {
        let system = self.name()?;
        self.part(One(Colon))?;
        let name = if self.kind() == Kind::Star { "*" } else { self.text() };
        (self.kind() == Kind::Star || self.kind().is_name()).then(|| self.at += 1)?;
        Some(format!("{system}:{name}"))
    }

    fn event(&mut self) -> Option<String> {
        let first = self.at;
        if let Some(path) = self.path() {
            return Some(path);
        }
        self.at = first;
        (self.kind().is_name() || self.kind() == Kind::Str).then(|| self.at += 1)?;
        self.slice(first).map(str::to_owned)
    }

    fn events(&mut self, separators: &[&str]) -> Option<()> {
        let mut found = Vec::new();
        while found.len() < MOST_EVENTS {
            let before = self.at;
            let next = match separators {
                [] => self.path(),
                _ if self.is_one_of(separators) => {
                    self.at += 1;
                    self.further_event(separators)
                }
                _ => None,
            };
            let Some(event) = next else {
                self.at = before;
                break;
            };
            found.push(event);
        }
        (!found.is_empty()).then(|| self.keep(&found.join(", ")))
    }

    /// Takes an event behind a separator. A name alone may also begin a condition or a clause.
    fn further_event(&mut self, separators: &[&str]) -> Option<String> {
        let first = self.at;
        if self.kind() == Kind::Str {
            return self.event();
        }
        if let Some(path) = self.path() {
            return Some(path);
        }
        self.at = first;
        let is_clause = self.kind().is_clause();
        let name = self.name()?.to_owned();
        let ends = follows_events(self.kind()) && self.kind() != Colon || self.is_one_of(separators);
        (ends && !is_clause).then_some(name)
    }

    fn condition(&mut self) -> Option<()> {
        let first = self.at;
        let end = end_of_condition(self.source, self.tokens, first, false)?;
        let closing = self.tokens[first..end].iter().rposition(|token| token.kind == Slash);
        // A filter between slashes ends at the last of them.
        let in_slashes = first > 0 && self.tokens[first - 1].kind == Slash;
        self.at = if in_slashes { first + closing? } else { end };
        if self.at == first {
            return None;
        }
        let text = self.slice(first)?;
        (text.len() <= LONGEST_CONDITION as usize).then(|| self.keep(text))
    }

    /// Takes `unsigned long`, `const char *`, `struct request *`.
    fn c_type(&mut self) -> Option<()> {
        let (mut words, mut stars) = (Vec::new(), String::new());
        loop {
            match self.kind() {
                Kind::Const => {}
                Kind::Star => stars.push('*'),
                Kind::Struct | Kind::Union if stars.is_empty() => words.push(self.text()),
                kind if kind.is_name() && stars.is_empty() => words.push(self.text()),
                _ => break,
            }
            self.at += 1;
        }
        (!words.is_empty()).then(|| self.keep(&format!("{stars}{}", words.join(" "))))
    }

    fn c_value(&mut self) -> Option<()> {
        let (first, mut depth) = (self.at, 0usize);
        loop {
            match self.kind() {
                Kind::LParen | Kind::LBracket => depth += 1,
                Kind::RParen | Kind::Comma if depth == 0 => break,
                Kind::RParen | Kind::RBracket => depth = depth.saturating_sub(1),
                Kind::End | Kind::Semicolon | LBrace | Kind::RBrace | Kind::Broken => return None,
                _ => {}
            }
            self.at += 1;
        }
        let text = self.slice(first).filter(|_| self.at > first)?;
        (text.len() <= LONGEST_CONDITION as usize).then(|| self.keep(text))
    }

    fn function(&mut self) -> Option<()> {
        const LONGEST: usize = 16;
        for _ in 0..LONGEST {
            let name = self.text();
            let is_name = self.kind().is_name();
            if !is_name && !matches!(self.kind(), Kind::Star | Kind::Const | Kind::Struct) {
                return None;
            }
            self.at += 1;
            if is_name && self.kind() == LParen {
                self.keep(name);
                return Some(());
            }
        }
        None
    }

    /// Returns what stands between quotes. Single quotes are a broken token.
    fn quoted(&mut self) -> Option<&'t str> {
        let text = self.text();
        let inside = match self.kind() {
            Kind::Str => text.strip_prefix('"')?.strip_suffix('"')?,
            Kind::Broken => text.strip_prefix('\'')?.strip_suffix('\'')?,
            _ => return None,
        };
        self.at += 1;
        Some(inside)
    }

    /// Finds the first block of the statement, and returns whether its first token fits.
    fn block(&self, fits: impl Fn(usize) -> bool) -> Option<()> {
        let ends = |token: &Token| matches!(token.kind, LBrace | Kind::Semicolon | Kind::If);
        let open = self.at + self.tokens.get(self.at..)?.iter().position(ends)?;
        (self.kind_at(open) == LBrace && fits(open + 1)).then_some(())
    }
}

/// Words that join or negate conditions.
const JOINING: &[&str] = &["not", "and", "or", "in"];

/// Returns whether a text is one of these words, in any case.
pub(super) fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Returns whether a token is a comparison.
fn compares(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, EqEq | NotEq | Less | LessEq | Greater | GreaterEq | Match | NotMatch)
}

/// Returns whether a token can follow the events of a clause.
fn follows_events(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, End | Semicolon | Colon | LBrace | If | Except | Having | Comma | OrOr)
}

/// Returns the index of the token behind the condition that begins at `first`: see [`condition`](super::condition).
pub(super) fn end_of_condition(
    source: Source<'_>,
    tokens: &[Token],
    first: usize,
    up_to_connector: bool,
) -> Option<usize> {
    let mut depth = 0usize;
    let mut end = first;
    for token in tokens.get(first..)? {
        use Kind::*;
        let connects = matches!(token.kind, AndAnd | OrOr)
            || (token.kind == Word && is_one_of(source.slice(token.span), &["and", "or"]));
        match token.kind {
            Broken | Junk | If => return None,
            LParen | LBracket | ListOpen => depth += 1,
            RParen | RBracket | ListClose if depth > 0 => depth -= 1,
            RParen | RBracket | ListClose => break,
            Semicolon | Break | LBrace | RBrace | PlaceholderClose | Format => break,
            Comma | Question | Colon if depth == 0 => break,
            // These tokens may belong to the clause.
            Count | Once if depth == 0 => return None,
            _ if connects && up_to_connector && depth == 0 => break,
            _ => {}
        }
        end += 1;
    }
    Some(end)
}

/// Puts the kept texts into the placeholders of a template: `{0}`, `{1}`.
pub(super) fn filled(template: &str, kept: &[String]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, placeholder) = rest.split_at(at);
        text.push_str(before);
        let index = placeholder.get(1..2).and_then(|digit| digit.parse::<usize>().ok());
        match index.and_then(|index| kept.get(index)).filter(|_| placeholder[2..].starts_with('}')) {
            Some(kept) => {
                text.push_str(kept);
                rest = &placeholder[3..];
            }
            None => {
                text.push('{');
                rest = &placeholder[1..];
            }
        }
    }
    text.push_str(rest);
    text
}
