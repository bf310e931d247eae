//! Mistakes that come from the habits of other tools and languages, detected by the tokens around the one that was
//! refused.

use super::{Expected, describe};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::foreign::{self, Context};
use crate::lexer::{self, Kind, Token};
use crate::literal;
use crate::planned;
use crate::span::{Source, Span};
use crate::words::{self, ACTIONS, StatementContext};

/// Returns the habit behind a token that the grammar refused, if one is known.
pub(super) fn find(
    source: Source<'_>,
    tokens: &[Token],
    index: usize,
    expected: &Expected<'_>,
) -> Option<SyntaxError> {
    let around = Around { source, tokens, index };
    around
        .after_connector()
        .or_else(|| around.reserved_name(expected))
        .or_else(|| around.declaration_in_one_liner(expected))
        .or_else(|| around.dashed_name(expected))
        .or_else(|| around.value_of_clause(expected))
        .or_else(|| around.subject_of_scope(expected))
        .or_else(|| around.time_kept(expected))
        .or_else(|| around.action_without_block(expected))
        .or_else(|| around.assigned_clause(expected))
        .or_else(|| around.unless(expected))
        .or_else(|| around.negation(expected))
        .or_else(|| around.of_trigger(expected))
        .or_else(|| around.demand_behind())
        .or_else(|| around.between_slashes())
        .or_else(|| around.without_quotes())
        .or_else(|| around.foreign_form(expected))
        .or_else(|| around.of_event(expected))
        .or_else(|| around.without_if(expected))
        .or_else(|| around.without_connector(expected))
        .or_else(|| around.split_unit(expected))
        .or_else(|| around.switch_as_number(expected))
}

/// The values of options in other tools, each with the equivalent here.
const SWITCHES: &[(&str, &str)] = &[
    ("0", "off"),
    ("1", "on"),
    ("no", "off"),
    ("yes", "on"),
    ("false", "off"),
    ("true", "on"),
    ("disable", "off"),
    ("enable", "on"),
    ("disabled", "off"),
    ("enabled", "on"),
];

/// The most tokens of a condition that a message repeats.
const LONGEST_DEMAND: usize = 64;

/// The tokens around the one at `index`.
struct Around<'t> {
    source: Source<'t>,
    tokens: &'t [Token],
    index: usize,
}

impl Around<'_> {
    /// Returns the token at this distance.
    fn token(&self, offset: isize) -> Option<Token> {
        self.tokens.get(self.index.checked_add_signed(offset)?).copied()
    }

    fn kind(&self, offset: isize) -> Kind {
        self.token(offset).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self, offset: isize) -> String {
        self.token(offset).map_or_else(String::new, |token| self.source.slice(token.span).to_owned())
    }

    fn span(&self, from: isize, to: isize) -> Option<Span> {
        Some(self.token(from)?.span.to(self.token(to)?.span))
    }

    /// Detects `a && && b`, and `a &&` at the end.
    fn after_connector(&self) -> Option<SyntaxError> {
        let connector = match self.kind(-1) {
            Kind::AndAnd => "&&",
            Kind::OrOr => "||",
            _ => return None,
        };
        let found = describe(self.source, &self.tokens[self.index.min(self.tokens.len())..]);
        let span = self.token(0).map_or(self.source.end(), |token| token.span);
        let at = self.token(-1)?.span;
        Some(SyntaxError::new(SyntaxErrorKind::DanglingConnector { connector, at, found }, span))
    }

    /// Detects `trigger stacktrace:5`, `trigger enable_event:a:b`, `count -1`: the form of the kernel's `trigger` files
    /// (kernel/trace/trace_events_trigger.c, `event_trigger_parse_num`).
    fn of_trigger(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if self.kind(0) == Kind::Minus && self.kind(-1) == Kind::Count && self.kind(1) == Kind::Int {
            return Some(SyntaxError::new(
                SyntaxErrorKind::NegativeCount { whole: self.span(-1, 1)? },
                self.span(0, 1)?,
            ));
        }
        // `trigger hist:keys=pid`, `trigger hist by pid`
        let action = [-1, -2].into_iter().find(|offset| self.kind(offset - 1) == Kind::Trigger);
        if let Some(at) = action
            && let Some(planned) = planned::in_context(&self.text(at), StatementContext::Session)
        {
            let kind = SyntaxErrorKind::NotImplemented { planned };
            return Some(SyntaxError::new(kind, self.span(at, at)?));
        }
        if self.kind(0) != Kind::Colon || self.kind(-2) != Kind::Trigger || expected.has("&&") {
            return None;
        }
        let names_event = self.kind(1).is_name() && self.kind(2) == Kind::Colon && self.kind(3).is_name();
        let (what, instead, last) = match self.kind(1) {
            Kind::Int => ("a count", format!("count {}", self.text(1)), 1),
            _ if names_event && self.kind(4) == Kind::Colon && self.kind(5) == Kind::Int => {
                let instead = format!("{}:{} count {}", self.text(1), self.text(3), self.text(5));
                ("the event of an action, and its count,", instead, 5)
            }
            _ if names_event => ("the event of an action", format!("{}:{}", self.text(1), self.text(3)), 3),
            _ => ("", String::new(), 0),
        };
        // A form that cannot be parsed completely has no complete translation.
        if last == 0 || self.kind(last + 1) == Kind::Colon {
            return Some(SyntaxError::new(SyntaxErrorKind::TriggerAsInKernel, self.span(0, 0)?));
        }
        Some(SyntaxError::new(SyntaxErrorKind::AsInKernel { what, instead }, self.span(0, last)?))
    }

    /// Detects `filter C in kernel`.
    fn demand_behind(&self) -> Option<SyntaxError> {
        if self.kind(0) != Kind::Kernel || self.kind(-1) != Kind::In {
            return None;
        }
        let before = self.tokens[..self.index].iter().rev().take(LONGEST_DEMAND);
        let ends = |kind: Kind| matches!(kind, Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::If);
        let (distance, _) = before
            .enumerate()
            .take_while(|(_, token)| !ends(token.kind))
            .find(|(_, token)| token.kind == Kind::Filter)?;
        if distance < 2 {
            // There is no condition between `filter` and `in`.
            return None;
        }
        let filter = self.index - 1 - distance;
        let condition = self.tokens.get(filter + 1)?.span.to(self.token(-2)?.span);
        let span = self.tokens[filter].span.to(self.token(0)?.span);
        let found = self.source.slice(span).to_owned();
        let instead = format!("filter in kernel {}", self.source.slice(condition));
        Some(SyntaxError::new(
            SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None },
            span,
        ))
    }

    /// Detects `a:b:u`, `tracepoint:a:b` and `a/b` after the name of an event.
    fn of_event(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        // An event in the braces of a list has no clause behind it.
        let is_member = expected.has(",") && expected.has("}");
        if !(expected.has("except") || is_member) || expected.has("&&") || !self.kind(-1).is_name() {
            return None;
        }
        let is_path = self.kind(-2) == Kind::Colon;
        match self.kind(0) {
            // The second is bpftrace's short form.
            Kind::Colon
                if is_path
                    && matches!(self.text(-3).as_str(), "tracepoint" | "t")
                    && self.kind(1).is_name() =>
            {
                let advice = format!("write `{}:{}`", self.text(-1), self.text(1));
                let kind = SyntaxErrorKind::ForeignTool { tool: "bpftrace", advice, event: None };
                Some(SyntaxError::new(kind, self.span(-3, 1)?))
            }
            Kind::Colon if is_path && self.kind(1).is_name() && compares(self.kind(2)) => {
                let (found, instead) = (format!("{}:", self.text(-1)), format!("{} if", self.text(-1)));
                let kind = SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None };
                Some(SyntaxError::new(kind, self.span(-1, 0)?))
            }
            Kind::Colon if is_path && is_modifier(&self.text(1)) => {
                Some(SyntaxError::new(SyntaxErrorKind::EventModifier, self.span(0, 1)?))
            }
            Kind::Slash
                if !is_path && !is_member && self.kind(1).is_name() && self.kind(2) != Kind::Slash =>
            {
                let instead = format!("{}:{}", self.text(-1), self.text(1));
                Some(SyntaxError::new(SyntaxErrorKind::EventAsPath { instead }, self.span(-1, 1)?))
            }
            _ => None,
        }
    }

    /// Detects a condition in a place where `if` was expected.
    fn without_if(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if !expected.condition() {
            return None;
        }
        // The word after an action was parsed as the event that it needs.
        let operand = match self.kind(-1) {
            // `stop on x < 1` lacks the event, which the condition limits.
            Kind::Word if self.kind(-2) == Kind::On => return None,
            Kind::Word if expected.has("count") && compares(self.kind(0)) => -1,
            _ if self.begins_comparison() => 0,
            Kind::Word | Kind::Int | Kind::Once if matches!(self.kind(0), Kind::LParen | Kind::Not) => 0,
            _ => return None,
        };
        let kind = SyntaxErrorKind::MissingIf { operand: self.text(operand) };
        Some(SyntaxError::new(kind, self.span(operand, operand)?))
    }

    /// Detects `a < 1 b < 2`.
    fn without_connector(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        // After a value of an `enum`, `B = 2` is the next member.
        let is_member = self.kind(1) == Kind::Assign;
        if !(expected.has("&&") && self.kind(-1).ends_operand() && self.begins_comparison()) || is_member {
            return None;
        }
        let kind = SyntaxErrorKind::MissingConnector { operand: self.text(0) };
        Some(SyntaxError::new(kind, self.span(0, 0)?))
    }

    /// Detects `session if {}`.
    fn reserved_name(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        use Kind::*;
        let names = matches!(self.kind(-1), Session | Class | Event | Enum | Flags | Const | Subsystem);
        if self.kind(0) != If || !names || !expected.has("word") {
            return None;
        }
        let kind = SyntaxErrorKind::ReservedWord { word: "if".to_owned() };
        Some(SyntaxError::new(kind, self.span(0, 0)?))
    }

    /// Detects `event x at kprobe f;` as the text of `-e`, which has no declarations.
    fn declaration_in_one_liner(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let is_first = self.kind(-2) == Kind::StartEvents && self.kind(0).is_name() && expected.has("if");
        let word = self.text(-1);
        let mut known = words::clause_words(&word);
        let declaration = known.next().filter(|entry| is_first && entry.context == StatementContext::File)?;
        // `event a:b` is an event with a word before it.
        if known.next().is_some() || self.kind(1) == Kind::Colon && self.kind(2) != Kind::Assign {
            return None;
        }
        let kind =
            SyntaxErrorKind::MisplacedClause { word: declaration.word, belongs: StatementContext::File };
        Some(SyntaxError::new(kind, self.span(-1, -1)?))
    }

    /// Detects `session my-session {`.
    fn dashed_name(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if self.kind(0) != Kind::Minus || self.kind(-2) != Kind::Session || !expected.has("{") {
            return None;
        }
        let mut last = 0;
        while self.kind(last) == Kind::Minus && self.kind(last + 1).is_name() {
            last += 2;
        }
        let span = self.span(-1, last - 1).filter(|_| last > 0)?;
        let found = self.source.slice(span);
        let kind = SyntaxErrorKind::ForeignForm {
            found: found.to_owned(),
            instead: found.replace('-', "_"),
            certain: true,
            remark: None,
        };
        Some(SyntaxError::new(kind, span))
    }

    /// Detects `scope pid 7`, `scope children` and `scope command with children`.
    fn subject_of_scope(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let children = |at: isize| self.text(at) == "children";
        let (span, instead) = match self.text(0).as_str() {
            "pid" | "tgid" | "proc" if expected.has("process") => (self.span(0, 0)?, "process"),
            "tid" | "task" | "lwp" if expected.has("process") => (self.span(0, 0)?, "thread"),
            "cpu" | "core" if expected.has("process") => (self.span(0, 0)?, "cpus"),
            "children" if expected.has("process") => (self.span(0, 0)?, "command and children"),
            "with" | "plus" if children(1) && expected.has("and") => (self.span(0, 1)?, "and children"),
            "children" if expected.has("and") => (self.span(0, 0)?, "and children"),
            _ => return None,
        };
        Some(self.foreign(span, instead.to_owned()))
    }

    /// Detects `keep 5s;`, `keep after 5s;` and `ring 10s;`.
    fn time_kept(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let (span, instead) = match (self.kind(-2), self.kind(-1), self.kind(0)) {
            (Kind::Keep, Kind::Duration, _) if expected.has("after") => {
                (self.span(-2, -1)?, format!("keep {} after", self.text(-1)))
            }
            (Kind::Keep, Kind::After, Kind::Duration) => {
                (self.span(-2, 0)?, format!("keep {} after", self.text(0)))
            }
            (_, Kind::Ring, Kind::Duration) => (self.span(0, 0)?, format!("last {}", self.text(0))),
            _ => return None,
        };
        Some(self.foreign(span, instead))
    }

    fn foreign(&self, span: Span, instead: String) -> SyntaxError {
        let found = self.source.slice(span).to_owned();
        SyntaxError::new(SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None }, span)
    }

    /// Detects `output file.txt`, `output to "file.txt"`, `buffer size 4MiB`: the value of a clause with a word too
    /// many, or without its quotes.
    fn value_of_clause(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let clause = self.kind(-2);
        let (span, instead) = match (clause, self.kind(0)) {
            (Kind::Output, Kind::Dot) if self.kind(-1).is_name() && self.kind(1).is_name() => {
                let span = self.span(-1, 1)?;
                (span, format!("\"{}\"", self.source.slice(span)))
            }
            (Kind::Output, Kind::Str) if self.text(-1) == "to" => (self.span(-1, 0)?, self.text(0)),
            (Kind::Buffer | Kind::Queue, Kind::Size) if self.text(-1) == "size" => {
                (self.span(-1, 0)?, self.text(0))
            }
            _ => return None,
        };
        if expected.begins_statement() {
            return None;
        }
        let found = self.source.slice(span).to_owned();
        Some(SyntaxError::new(
            SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None },
            span,
        ))
    }

    /// Detects `on a:b: traceoff`, `on a:b traceoff` and `on a:b if c then traceoff`: an action without its block.
    fn action_without_block(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let behind_head = expected.has("if") || expected.has("&&");
        if !behind_head || expected.has("count") {
            return None;
        }
        let is_word = matches!(self.text(0).as_str(), ":" | "then" | "do" | "->" | "=>");
        let action = isize::from(is_word);
        let mut end = action + 1;
        let is_action = ACTIONS.contains(&self.text(action).as_str())
            && matches!(
                self.kind(end),
                Kind::Semicolon
                    | Kind::Break
                    | Kind::End
                    | Kind::RBrace
                    | Kind::Count
                    | Kind::Once
                    | Kind::If
            );
        if !is_action {
            return None;
        }
        while !matches!(
            self.kind(end),
            Kind::Semicolon
                | Kind::Break
                | Kind::End
                | Kind::LBrace
                | Kind::RBrace
                | Kind::Broken
                | Kind::Junk
        ) {
            end += 1;
        }
        let trigger = self.source.slice(self.span(action, end - 1)?);
        // Without a blank before it, the colon is replaced with the name.
        let is_adjacent = self.token(-1)?.span.end == self.token(0)?.span.start;
        let (first, before) = if is_adjacent { (-1, self.text(-1) + " ") } else { (0, String::new()) };
        let instead = format!("{before}{{ trigger {trigger}; }}");
        // A block ends its clause.
        let is_ended = self.kind(end) == Kind::Semicolon
            && self.token(end).is_some_and(|end| end.span.start < end.span.end);
        let span = self.span(first, if is_ended { end } else { end - 1 })?;
        let found = self.source.slice(span).to_owned();
        Some(SyntaxError::new(
            SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None },
            span,
        ))
    }

    /// Detects `clock = mono`, `option overwrite = off`.
    fn assigned_clause(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        use Kind::*;
        let begins = |offset: isize| {
            matches!(self.kind(offset), Semicolon | LBrace | RBrace | Break | StartClauses | Doc | InnerDoc)
        };
        let is_set = match self.kind(-1) {
            Clock | Recorder | Buffer | Queue | Subbuffer | Cmdlines | Option | Output | Marker
            | Instance => begins(-2),
            After => self.kind(-2) == Stop,
            Count => self.statement_has(Trigger),
            Last => self.kind(-2) == Ring,
            Every => self.kind(-2) == Rotate,
            _ => false,
        };
        // The token after the name of an option.
        let is_option = self.kind(-1).is_name() && expected.is_switch();
        if self.kind(0) != Assign || !(is_set || is_option) {
            return None;
        }
        let is_apart = self.token(-1)?.span.end < self.token(0)?.span.start
            || self
                .token(1)
                .is_none_or(|next| self.token(0).is_some_and(|sign| sign.span.end < next.span.start));
        Some(SyntaxError::new(SyntaxErrorKind::AssignedClause { is_apart }, self.span(0, 0)?))
    }

    /// Detects `unless x > 3`; after an action, `unless` was parsed as the event that it needs.
    fn unless(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if !expected.condition() {
            return None;
        }
        let word = match () {
            () if self.text(0) == "unless" && self.begins_operand(1) => 0,
            () if self.text(-1) == "unless" && self.begins_operand(0) => -1,
            () => return None,
        };
        let condition = self.condition(word + 1, false);
        let instead = condition.map(|span| format!("if {}", negated(self.source.slice(span))));
        let span = self.token(word)?.span;
        let span = condition.map_or(span, |condition| span.to(condition));
        Some(SyntaxError::new(SyntaxErrorKind::Unless { instead }, span))
    }

    /// Detects `not x == 3`: the word covers the comparison, as in every language that has it.
    fn negation(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        if !self.text(-1).eq_ignore_ascii_case("not") || !expected.has("&&") || !self.begins_operand(0) {
            return None;
        }
        let word = self.token(-1)?.span;
        let negated = self
            .condition(0, true)
            .map(|condition| (word.to(condition), negated(self.source.slice(condition))));
        Some(SyntaxError::new(SyntaxErrorKind::NotAsWord { negated }, word))
    }

    /// Detects `buffer 4 MiB`. After a value of an `enum`, the word is the next member.
    fn split_unit(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let number = self.text(-1);
        if self.kind(-1) != Kind::Int
            || expected.has("string")
            || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
        {
            return None;
        }
        let unit = literal::unit_named(&self.text(0), lexer::wanted(self.kind(-2)))
            .filter(|_| self.kind(0) == Kind::Word)?;
        let kind = SyntaxErrorKind::SplitUnit { instead: format!("{number}{unit}") };
        Some(SyntaxError::new(kind, self.span(-1, 0)?))
    }

    /// Detects `option overwrite 0`.
    fn switch_as_number(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        let found = self.text(0);
        let &(_, instead) = SWITCHES.iter().find(|(word, _)| *word == found && expected.is_switch())?;
        Some(SyntaxError::new(SyntaxErrorKind::SwitchAsNumber { found, instead }, self.span(0, 0)?))
    }

    /// Returns the span of the condition that begins at this distance: see [`foreign::condition`].
    fn condition(&self, offset: isize, up_to_connector: bool) -> Option<Span> {
        let first = self.index.checked_add_signed(offset)?;
        foreign::condition(self.source, self.tokens, first, up_to_connector)
    }

    /// Detects the forms of other tools and languages that have a translation.
    fn foreign_form(&self, expected: &Expected<'_>) -> Option<SyntaxError> {
        use Context::{Action, Clause, Condition, Events, Operand, Set};
        let in_clause = |kind: Kind| self.statement_has(kind);
        let first = match () {
            () if expected.has("count") && in_clause(Kind::Trigger) => ("count", Action),
            () if in_clause(Kind::If) => ("if", Condition),
            () => ("if", Events),
        };
        let contexts = [first, ("if", Clause), ("&&", Operand), ("list{", Set)];
        let contexts = contexts.into_iter().filter(|(terminal, _)| expected.has(terminal));
        let contexts: Vec<Context> = contexts.map(|(_, context)| context).collect();
        let foreign::Found { span, instead, certain, remark, end: _ } =
            foreign::form(self.source, self.tokens, self.index, &contexts)?;
        let found = self.source.slice(span).to_owned();
        Some(SyntaxError::new(SyntaxErrorKind::ForeignForm { found, instead, certain, remark }, span))
    }

    /// Returns whether the statement has a token of this kind before the one that was refused.
    fn statement_has(&self, kind: Kind) -> bool {
        let ends = |token: &&Token| {
            !matches!(token.kind, Kind::Semicolon | Kind::Break | Kind::LBrace | Kind::RBrace)
        };
        let before = self.tokens[..self.index.min(self.tokens.len())].iter().rev().take(LONGEST_DEMAND);
        before.take_while(ends).any(|token| token.kind == kind)
    }

    /// Detects a regular expression between slashes: `~ /bash/`, `=~ /^ba/`.
    fn between_slashes(&self) -> Option<SyntaxError> {
        let op = self.text(-1);
        if self.kind(0) != Kind::Slash || !matches!(op.as_str(), "~" | "!~" | "=~" | "~=") {
            return None;
        }
        let closing = (1..LONGEST_DEMAND as isize).find(|offset| self.kind(*offset) == Kind::Slash)?;
        let (whole, slashes) = (self.span(-1, closing)?, self.span(0, closing)?);
        let content = self.source.slice(slashes.part(1..slashes.range().len() - 1));
        if content.is_empty() || content.contains(['"', '\\', '\n']) {
            return None;
        }
        let meaning = foreign::pattern::regular_expression(content);
        let kind = match (op.as_str(), meaning) {
            ("~" | "!~", Ok(set)) => match set.patterns.as_slice() {
                [only] if set.has_wildcard() => {
                    let (found, instead) = (format!("/{content}/"), format!("\"{only}\""));
                    let kind = SyntaxErrorKind::ForeignForm { found, instead, certain: false, remark: None };
                    return Some(SyntaxError::new(kind, slashes));
                }
                _ => return None,
            },
            (_, Ok(set)) => SyntaxErrorKind::RegularExpression {
                op,
                translated: Some((whole, set.comparison())),
                wider: set.wider,
                as_pattern: None,
                why: None,
            },
            (_, Err(why)) => {
                let (translated, wider, as_pattern, why) = (None, false, None, Some(why));
                SyntaxErrorKind::RegularExpression { op, translated, wider, as_pattern, why }
            }
        };
        Some(SyntaxError::new(kind, self.span(-1, -1)?))
    }

    /// Detects texts without quotes, or in others, behind a comparison: `` == `bash` ``, `~ bash*`.
    fn without_quotes(&self) -> Option<SyntaxError> {
        let is_match = |offset: isize| matches!(self.kind(offset), Kind::Match | Kind::NotMatch);
        let is_equality = |offset: isize| matches!(self.kind(offset), Kind::EqEq | Kind::NotEq);
        let (first, last, instead, certain) = match self.kind(0) {
            Kind::RawC if is_match(-1) || is_equality(-1) => {
                let content = self.text(0).trim_matches('`').to_owned();
                if content.is_empty() || content.contains(['"', '\\', '\n']) {
                    return None;
                }
                (0, 0, format!("\"{content}\""), true)
            }
            _ if self.kind(-1) == Kind::Star && self.kind(-2) == Kind::Word && is_match(-3) => {
                (-2, -1, format!("\"{}*\"", self.text(-2)), true)
            }
            _ if self.kind(-1) == Kind::Star && self.kind(-2) == Kind::Word && is_equality(-3) => {
                let op = if self.kind(-3) == Kind::EqEq { "~" } else { "!~" };
                (-3, -1, format!("{op} \"{}*\"", self.text(-2)), true)
            }
            _ => return None,
        };
        let span = self.span(first, last)?;
        let found = self.source.slice(span).to_owned();
        Some(SyntaxError::new(SyntaxErrorKind::ForeignForm { found, instead, certain, remark: None }, span))
    }

    /// Returns whether an operand begins at this distance.
    fn begins_operand(&self, offset: isize) -> bool {
        let kind = self.kind(offset);
        kind.is_name() || kind.is_literal() || matches!(kind, Kind::LParen | Kind::Not)
    }

    /// Returns whether `NAME OPERATOR` or a literal before an operator begins here.
    fn begins_comparison(&self) -> bool {
        let operand = self.kind(0).is_name() || self.kind(0).is_literal();
        operand && compares(self.kind(1))
    }
}

/// Returns whether a word consists of letters that are modifiers of perf-list(1).
fn is_modifier(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|letter| b"ukhGHpPSDWebIR".contains(&letter))
}

/// Returns whether a token is a comparison, so that an operand precedes it.
fn compares(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        EqEq | NotEq
            | Less
            | LessEq
            | Greater
            | GreaterEq
            | Match
            | NotMatch
            | Assign
            | ForeignOperator
            | Ampersand
    )
}

/// Returns the negation of a condition. A name has no parentheses: what it is decides how it is negated.
fn negated(condition: &str) -> String {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte);
    if condition.bytes().all(is_name) { format!("!{condition}") } else { format!("!({condition})") }
}
