//! Messages about the parser's errors, in readable words.

use lalrpop_util::ParseError;

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::errors::TooMany;
use crate::foreign::{self, FoundClause};
use crate::lexer::{Kind, Token};
use crate::planned;
use crate::span::{Source, Span};
use crate::words::{self, StatementContext};

mod habit;

/// The limit of a text that a message quotes, in characters.
const QUOTED: usize = 40;

/// Returns the mistake for an error of the parser; `None` where it only follows from another mistake.
pub(crate) fn explain(
    source: Source<'_>,
    tokens: &[Token],
    error: &ParseError<u32, Kind, TooMany>,
) -> Option<SyntaxError> {
    let (index, expected) = match error {
        ParseError::UnrecognizedToken { token, expected } => {
            (find(tokens, token.0, token.1), expected.as_slice())
        }
        ParseError::UnrecognizedEof { expected, .. } => (tokens.len(), expected.as_slice()),
        ParseError::ExtraToken { token } => (find(tokens, token.0, token.1), [].as_slice()),
        // The lexer is not called by the parser, and too many mistakes are counted elsewhere.
        ParseError::InvalidToken { .. } | ParseError::User { .. } => return None,
    };
    let end = Token { kind: Kind::End, span: source.end() };
    let found = tokens.get(index).copied().unwrap_or(end);
    let before = index.checked_sub(1).and_then(|before| tokens.get(before)).copied().unwrap_or(end);
    let word = source.slice(found.span);
    let expected = Expected { terminals: expected };

    match found.kind {
        Kind::Broken => None,
        _ if let Some(error) = not_implemented(source, tokens, index, &expected) => Some(error),
        Kind::Junk if expected.is_in_session() && begins_event(source, found.span) => {
            let kind = SyntaxErrorKind::MissingTrace { word: shortened(word) };
            Some(SyntaxError::new(kind, found.span))
        }
        Kind::Junk
            if expected.is_in_session()
                && let Some(error) = foreign_clause(source, found.span) =>
        {
            Some(error)
        }
        Kind::Junk if expected.begins_statement() => {
            let kind = match part_of_definition(source, &tokens[..index.min(tokens.len())], word) {
                Some(known) => known,
                None => statement(word, &expected),
            };
            Some(SyntaxError::new(kind, found.span))
        }
        Kind::Word if word.eq_ignore_ascii_case("and") && expected.has("&&") => {
            Some(wrong_operator(word, "&&", found.span))
        }
        Kind::Word if word.eq_ignore_ascii_case("or") && expected.has("&&") => {
            Some(wrong_operator(word, "||", found.span))
        }
        Kind::ColonColon if expected.has(":") => Some(wrong_operator("::", ":", found.span)),
        _ if let Some(error) = habit::find(source, tokens, index, &expected) => Some(error),
        _ if let Some(error) = planned_behind_events(word, found, &expected) => Some(error),
        Kind::Word if let Some(nearest) = expected.subject(word) => {
            let expected = expected.classes(before.kind);
            let kind = SyntaxErrorKind::UnknownWord { word: shortened(word), expected, nearest };
            Some(SyntaxError::new(kind, found.span))
        }
        _ => {
            let joined = joined(&tokens[index.min(tokens.len())..]);
            let found_text = match joined {
                Some(span) => quoted(source.slice(span)),
                None => describe(source, &tokens[index.min(tokens.len())..]),
            };
            let kind =
                SyntaxErrorKind::Unexpected { found: found_text, expected: expected.classes(before.kind) };
            Some(SyntaxError::new(kind, joined.unwrap_or(found.span)))
        }
    }
}

fn wrong_operator(found: &str, instead: &'static str, span: Span) -> SyntaxError {
    SyntaxError::new(SyntaxErrorKind::WrongOperator { found: found.to_owned(), instead }, span)
}

/// Returns the index of the token of this kind that begins at `start`.
fn find(tokens: &[Token], start: u32, kind: Kind) -> usize {
    let first = tokens.partition_point(|token| token.span.start < start);
    let offset = tokens[first..].iter().take_while(|token| token.span.start == start);
    offset.enumerate().find(|(_, token)| token.kind == kind).map_or(first, |(offset, _)| first + offset)
}

/// Returns the mistake of a statement that begins with `word`.
fn statement(word: &str, expected: &Expected) -> SyntaxErrorKind {
    let context = expected.context();
    match words::clause_words(word).next() {
        _ if let Some(planned) = planned::in_context(word, context) => {
            SyntaxErrorKind::NotImplemented { planned }
        }
        Some(known) if words::clause_words(word).all(|known| known.context != context) => {
            SyntaxErrorKind::MisplacedClause { word: known.word, belongs: known.context }
        }
        None if let Some(planned) = planned::anywhere(word) => SyntaxErrorKind::NotImplemented { planned },
        _ if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            let nearest = words::nearest(word, context);
            SyntaxErrorKind::UnknownClause { word: shortened(word), context, nearest }
        }
        _ => SyntaxErrorKind::Unexpected { found: quoted(word), expected: vec![context.content()] },
    }
}

/// Returns the mistake of a word that is a part of a definition, in the braces of one that does not stand at the top of a
/// file: such a word can also be one that a session will have.
fn part_of_definition(source: Source<'_>, before: &[Token], word: &str) -> Option<SyntaxErrorKind> {
    let known = words::clause_words(word).find(|known| known.context == StatementContext::Event)?;
    let mut depth = 0_usize;
    let opened = before.iter().rposition(|token| match token.kind {
        Kind::RBrace => {
            depth += 1;
            false
        }
        Kind::LBrace if depth == 0 => true,
        Kind::LBrace => {
            depth -= 1;
            false
        }
        _ => false,
    })?;
    let ends = |token: &Token| matches!(token.kind, Kind::Semicolon | Kind::LBrace | Kind::RBrace);
    let first = before[..opened].iter().rposition(ends).map_or(0, |end| end + 1);
    // The mark of what is parsed stands in front.
    let head = before.get(first..)?.iter().find(|token| token.span.start < token.span.end)?;
    let head = source.slice(head.span);
    matches!(head, "event" | "class")
        .then_some(SyntaxErrorKind::MisplacedClause { word: known.word, belongs: known.context })
}

/// Detects a clause of another tool. The tokens behind its word are those of a statement that is left out.
fn foreign_clause(source: Source<'_>, word: Span) -> Option<SyntaxError> {
    let behind = source.slice(Span { start: word.end, ..source.end() });
    let rest = behind.split([';', '}', '{', '\n']).next().unwrap_or_default().trim_end();
    let found = source.slice(word);
    match foreign::clause(found, rest)? {
        FoundClause::Clause(instead) => {
            let span = Span { end: word.end + rest.len() as u32, ..word };
            let found = shortened(source.slice(span));
            Some(SyntaxError::new(
                SyntaxErrorKind::ForeignForm { found, instead, certain: false, remark: None },
                span,
            ))
        }
        FoundClause::Part(instead) => {
            let kind = SyntaxErrorKind::PartAsClause { word: found.to_owned(), instead };
            Some(SyntaxError::new(kind, word))
        }
    }
}

/// Returns whether a word is the first one of `a:b`. The tokens behind it are those of a statement that is left out.
fn begins_event(source: Source<'_>, word: Span) -> bool {
    let rest = source.slice(Span { start: word.end, ..source.end() });
    let is_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*');
    is_name(source.slice(word)) && rest.strip_prefix(':').is_some_and(is_name)
}

/// Detects a planned clause whose first word was parsed as an event: `tracec -e 'hist a from b:c by d'`.
fn not_implemented(
    source: Source<'_>,
    tokens: &[Token],
    index: usize,
    expected: &Expected<'_>,
) -> Option<SyntaxError> {
    let before = tokens[..index].last()?;
    let found = tokens.get(index)?.kind;
    if !before.kind.may_be_planned() || !expected.has("having") || !(found.is_name() || found.is_literal()) {
        return None;
    }
    let planned = planned::in_context(source.slice(before.span), StatementContext::Session)?;
    Some(SyntaxError::new(SyntaxErrorKind::NotImplemented { planned }, before.span))
}

/// Detects the word of a planned clause behind events or their condition: `trace a:b hist`, `trace a:b if c stack`.
fn planned_behind_events(word: &str, found: Token, expected: &Expected<'_>) -> Option<SyntaxError> {
    let behind_events = expected.has("having") || (expected.has("&&") && expected.has("{"));
    let is_word = found.kind.may_be_planned() || found.kind == Kind::Junk;
    let planned = planned::anywhere(word).filter(|_| is_word && behind_events)?;
    Some(SyntaxError::new(SyntaxErrorKind::NotImplemented { planned }, found.span))
}

/// Returns the span of words that dashes join, which people read as one: `not-in`.
fn joined(tokens: &[Token]) -> Option<Span> {
    let mut whole = tokens.first().filter(|first| first.kind.is_name())?.span;
    let mut is_joined = false;
    for pair in tokens[1..].chunks_exact(2) {
        let [dash, word] = pair else { break };
        let is_adjacent = dash.span.start == whole.end && word.span.start == dash.span.end;
        if !(is_adjacent && dash.kind == Kind::Minus && word.kind.is_name()) {
            break;
        }
        (whole, is_joined) = (whole.to(word.span), true);
    }
    is_joined.then_some(whole)
}

/// Returns the first of `tokens` that is not empty, for a message.
fn describe(source: Source<'_>, tokens: &[Token]) -> String {
    match tokens.iter().find(|token| token.span.start < token.span.end) {
        None => "the end of the text".to_owned(),
        Some(Token { kind: Kind::Doc | Kind::InnerDoc, .. }) => "a doc comment".to_owned(),
        Some(token) => quoted(source.slice(token.span)),
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text.to_owned(),
    }
}

/// The terminals that the grammar expected.
struct Expected<'e> {
    /// The terminals as LALRPOP writes them: in quotes.
    terminals: &'e [String],
}

/// Terminals that a message lists one by one, in this order.
const NAMED: &[(&str, &str)] = &[
    ("header", "a header such as `<linux/blkdev.h>`"),
    ("string", "a string"),
    ("template{", "a string"),
    ("string-word", "`string`"),
    ("raw-c", "C between backticks"),
    ("fetch", "an argument, a member behind one, or a fetch argument of the kernel"),
    (".", "`.`"),
    (":", "`:`"),
    ("=", "`=`"),
    ("as", "`as`"),
    ("at", "`at`"),
    ("->", "`->`"),
    ("except", "`except`"),
    ("having", "`having`"),
    ("with", "`with`"),
    ("after", "`after`, `on` or `with`"),
    ("cpu", "`cpu`"),
    ("process", "`process`"),
    ("thread", "`thread`"),
    ("command", "`command`"),
    ("comm", "`comm`"),
    ("cgroup", "`cgroup`"),
    ("cpus", "`cpus`"),
    ("and", "`and children`"),
    ("children", "`children`"),
    ("has", "`has`"),
    ("last", "`last`"),
    ("paused", "`paused`"),
    ("including", "`including`"),
    ("tracec", "`tracec`"),
    ("discarding", "`discarding`"),
    ("when", "`when`"),
    ("count", "`count`"),
    ("to", "`to`"),
    ("max", "`max`"),
    ("every", "`every`"),
    ("once", "`once`"),
    ("per", "`per cpu`"),
    ("total", "`total`"),
    ("off", "`on`, `off`"),
    ("on", "`on`"),
    ("if", "`if`"),
    (",", "`,`"),
    ("[", "`[`"),
    ("(", "`(`"),
    ("{", "`{`"),
    ("probe{", "`{`"),
    ("list{", "a set such as `{1, 2}`"),
    ("}", "`}`"),
    ("set}", "`}`"),
    ("list}", "`}`"),
    ("place}", "`}`"),
    ("]", "`]`"),
    (")", "`)`"),
    (";", "`;`"),
];

/// Words that begin a statement in one kind of block only.
const CONTEXTS: &[(&str, StatementContext)] = &[
    ("buffer", StatementContext::Session),
    ("filter", StatementContext::Block),
    ("session", StatementContext::File),
    ("proto", StatementContext::Event),
];

impl Expected<'_> {
    fn has(&self, terminal: &str) -> bool {
        self.terminals.iter().any(|name| name.trim_matches('"') == terminal)
    }

    /// Returns whether the condition of a clause was expected: after one, a further `if` is the grammar's mistake.
    fn condition(&self) -> bool {
        self.has("if") && !self.has("&&")
    }

    /// Returns the subject of a `scope` that was probably meant by a misspelt word.
    fn subject(&self, word: &str) -> Option<&'static str> {
        const SUBJECTS: &[&str] = &["process", "thread", "command", "comm", "cgroup", "cpus"];
        // The time is proportional to the product of the lengths.
        if word.len() > 16 || !SUBJECTS.iter().all(|subject| self.has(subject)) {
            return None;
        }
        let distance = |subject: &str| strsim::osa_distance(&word.to_ascii_lowercase(), subject);
        let nearest = SUBJECTS.iter().copied().min_by_key(|subject| distance(subject))?;
        (distance(nearest) <= 2).then_some(nearest)
    }

    /// Returns whether `on` or `off`, and not a name, was expected.
    fn is_switch(&self) -> bool {
        self.has("off") && !self.has("word")
    }

    /// Returns whether the beginning of a clause of a session was expected.
    fn is_in_session(&self) -> bool {
        self.begins_statement() && self.context() == StatementContext::Session
    }

    /// Returns whether the beginning of a statement was expected.
    fn begins_statement(&self) -> bool {
        !self.has("word") && CONTEXTS.iter().any(|(word, _)| self.has(word))
    }

    /// Returns the context of the statement.
    fn context(&self) -> StatementContext {
        let known = CONTEXTS.iter().find(|(word, _)| self.has(word));
        known.map_or(StatementContext::File, |(_, context)| *context)
    }

    /// Returns whether a type was expected. A type does not begin with `const`, but `const` may follow a star.
    fn is_type(&self, before: Kind) -> bool {
        let behind_star = matches!(before, Kind::Star | Kind::User | Kind::Const) && self.has("*");
        self.has("c-type") && !self.has("int") && (behind_star || !self.has("const"))
    }

    /// Returns the words for the names that were expected after `before`.
    fn names(&self, before: Kind) -> Vec<&'static str> {
        if self.has("*") && self.has("string") {
            return match before {
                Kind::Comma => vec!["an event", "`}`"],
                _ => vec!["an event"],
            };
        }
        match before {
            Kind::Session => vec!["the name of a session"],
            Kind::Class => vec!["the name of a class"],
            Kind::Event => vec!["the name of an event"],
            Kind::Clock => vec!["the name of a clock"],
            Kind::Recorder => vec!["`tracefs` or `bpf`"],
            Kind::Option => vec!["the name of an option"],
            Kind::Lint => vec!["`allow`, `warn` or `deny`"],
            Kind::Trigger => vec!["an action"],
            Kind::Marker | Kind::Output | Kind::To | Kind::Comm | Kind::Cgroup if self.has("string") => {
                vec!["a string"]
            }
            Kind::Instance if self.has("string") => vec!["a string", "`;`"],
            Kind::Colon if self.has("*") => vec!["the name of an event", "`*`"],
            _ if self.has("}") => vec!["a name", "`}`"],
            _ => vec!["a name"],
        }
    }

    /// Returns the terminals as a short list of classes. The word for a class depends on the token `before` it.
    fn classes(&self, before: Kind) -> Vec<&'static str> {
        if self.is_type(before) {
            return vec!["a type"];
        }
        if self.has("int") && !self.has("size") {
            return vec![if self.has("word") { "a symbol or an address" } else { "a number" }];
        }
        if self.has("int") {
            return vec![operand(before)];
        }
        if self.has("word") {
            return self.names(before);
        }
        let mut classes = Vec::new();
        if self.has("&&") {
            classes.push("an operator");
        }
        classes
            .extend(CONTEXTS.iter().filter(|(word, _)| self.has(word)).map(|(_, context)| context.content()));
        for (terminal, class) in NAMED.iter().filter(|(terminal, _)| self.has(terminal)) {
            // After an operand, every continuation is an operator; the parts of a head are seldom meant there.
            let goes_on =
                matches!(*terminal, "=" | "as" | "[" | "(" | "->" | "." | "except" | "having" | "if")
                    && self.has("&&");
            let included = matches!(*terminal, "when" | "with" | "on")
                && ["after", "buffer", "off"].into_iter().any(|other| self.has(other));
            if !goes_on && !included && !classes.contains(class) {
                classes.push(class);
            }
        }
        classes
    }
}

/// Returns the word for an operand after `before`.
fn operand(before: Kind) -> &'static str {
    match before {
        Kind::If | Kind::Filter | Kind::AndAnd | Kind::OrOr | Kind::Not => "a condition",
        Kind::Buffer | Kind::Queue | Kind::Subbuffer | Kind::Every => "a size",
        Kind::After | Kind::Keep | Kind::Last => "a duration",
        _ => "a value",
    }
}
