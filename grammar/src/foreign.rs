//! What people write who know other tools and languages: one table, each form with its translation, and its matcher.
//!
//! The table is read only at a token that the grammar has refused, and at a text that begins as no text of the language
//! can. A translation means the same as the form; where that is likely and not certain, the form says so.

use crate::lexer::{Kind, Token};
use crate::span::{Source, Span};

use Kind::{Colon, Comma, DotDot, DotDotEq, Greater, LBrace, LParen, Minus, OrOr, RParen, Slash};
use Part::{
    CType, CValue, Condition, Event, Events, Function, Like, Name, Path, Plain, Predicate, Quoted, Target,
    Token as One, Trigger, Value, Words,
};

/// A form that is written in a statement, with the text that stands for it in the language.
pub(crate) struct Form {
    /// The context in which it is refused.
    context: Context,
    /// Its tokens. The first `before` of them stand before the token that is refused.
    written: &'static [Part],
    before: usize,
    /// The translation; `{0}` is the first text that a part keeps.
    instead: &'static str,
    /// Whether the translation certainly means the same.
    certain: bool,
}

/// A text for another tool, known by its first tokens.
pub(crate) struct ForeignText {
    written: &'static [Part],
    /// What it is written for.
    tool: &'static str,
    /// What to do, as an order; `{0}` is the first text that a part keeps.
    advice: &'static str,
}

/// Where a form is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Behind the events of a clause.
    Events,
    /// Behind an operand.
    Operand,
    /// Behind `in`.
    Set,
    /// In the place of a field of an `entry`.
    Field,
}

/// A part of a form. All but the first two keep a text.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A token.
    Token(Kind),
    /// A name.
    Name,
    /// A number or a name, also with a minus.
    Value,
    /// A string without characters that have a meaning in patterns: its content.
    Plain,
    /// A pattern of SQL: its content as a pattern of the language.
    Like,
    /// `system:event`, `system:*`.
    Path,
    /// A path, the name of an event, or a pattern in quotes.
    Event,
    /// Further events, each behind this token, or behind nothing.
    Events(Option<Kind>),
    /// A condition up to the end of the clause, or up to the `/` that closes it.
    Condition,
    /// A condition of bpftrace up to the `/` that closes it, if all of its names have an equivalent.
    Predicate,
    /// A string in quotes of any kind: its content.
    Quoted,
    /// The text of a `trigger` file, `traceoff:5 if C`, in quotes of any kind: the same as a trigger.
    Trigger,
    /// The path of this file of an event, to the end of the text: the event.
    Target(&'static str),
    /// A type of C without arrays: the same type in the language.
    CType,
    /// An argument of a macro of C, up to its comma or parenthesis.
    CValue,
    /// The rest of a prototype of C up to its parenthesis: the name of the function.
    Function,
}

/// The most events that a translation repeats.
const MOST_EVENTS: usize = 64;

/// The limit of a condition that a translation repeats, in bytes.
const LONGEST_CONDITION: u32 = 400;

/// Names of bpftrace for the task that runs. Its `pid` is the process, which no filter of the kernel knows.
const BUILTINS: &[(&str, &str)] = &[("comm", "current.comm"), ("cpu", "current.cpu"), ("tid", "current.pid")];

/// The forms, in the order in which they are tried.
pub(crate) const FORMS: &[Form] = &[
    // A filter of bpftrace, of perf probe and of DTrace.
    Form { before: 3, ..events(&[Path, One(Slash), Condition, One(Slash)], "{0} if {1}") },
    // The options of trace-cmd and perf, after the event.
    Form { before: 3, ..events(&[Path, One(Minus), Words(&["f", "F"]), Quoted], "{0} if {1}") },
    Form { before: 3, ..events(&[Path, One(Minus), One(Minus), Words(&["filter"]), Quoted], "{0} if {1}") },
    events(&[Words(&["where", "when"])], "if"),
    joined(3, &[Path, Events(Some(Comma))]),
    joined(1, &[Event, Events(Some(Comma))]),
    joined(3, &[Path, Events(Some(OrOr))]),
    joined(1, &[Event, Events(Some(OrOr))]),
    joined(3, &[Path, Events(None)]),
    operand(&[Words(&["contains", "includes"]), Plain], "~ \"*{0}*\""),
    operand(&[Words(&["startswith", "starts_with", "beginswith"]), Plain], "~ \"{0}*\""),
    operand(&[Words(&["endswith", "ends_with"]), Plain], "~ \"*{0}\""),
    operand(&[Words(&["like", "LIKE"]), Like], "~ \"{0}\""),
    operand(&[Words(&["between", "BETWEEN"]), Value, Words(&["and", "AND"]), Value], "in {{0}..={1}}"),
    operand(&[Words(&["is"]), Words(&["not"]), Value], "!= {0}"),
    operand(&[Words(&["is", "eq", "equals"]), Value], "== {0}"),
    operand(&[Words(&["ne"]), Value], "!= {0}"),
    operand(&[Words(&["lt"]), Value], "< {0}"),
    operand(&[Words(&["le"]), Value], "<= {0}"),
    operand(&[Words(&["gt"]), Value], "> {0}"),
    operand(&[Words(&["ge"]), Value], ">= {0}"),
    set(&[Value, One(DotDotEq), Value], true),
    // Shells include the last number, Rust does not.
    set(&[Value, One(DotDot), Value], false),
    // include/trace/stages/stage1_struct_define.h
    field(
        &[Words(&["__field", "__field_struct"]), One(LParen), CType, One(Comma), Name, One(RParen)],
        "{1}: {0};",
    ),
    field(
        &[Words(&["__field_ext"]), One(LParen), CType, One(Comma), Name, One(Comma), Name, One(RParen)],
        "{1}: {0};",
    ),
    field(
        &[Words(&["__array"]), One(LParen), CType, One(Comma), Name, One(Comma), Value, One(RParen)],
        "{1}: {0}[{2}];",
    ),
    field(
        &[Words(&["__dynamic_array"]), One(LParen), CType, One(Comma), Name, One(Comma), CValue, One(RParen)],
        "{1}: {0}[];",
    ),
    field(&[Words(&["__string"]), One(LParen), Name, One(Comma), CValue, One(RParen)], "{0}: string = {1};"),
    field(&[Words(&["__cpumask"]), One(LParen), Name, One(RParen)], "{0}: cpumask;"),
];

/// The texts for other tools, in the order in which they are tried.
pub(crate) const TEXTS: &[ForeignText] = &[
    bpftrace(
        &[TRACEPOINT, One(Colon), Path, One(Slash), Predicate, One(Slash)],
        "write `{0} if {1}` to record the event",
    ),
    bpftrace(
        &[TRACEPOINT, One(Colon), Path, One(Slash)],
        "name the event `{0}`, and write its condition behind `if`, with the fields of the event",
    ),
    bpftrace(&[TRACEPOINT, One(Colon), Path, One(LBrace)], "write `{0}` to record the event"),
    bpftrace(&[KPROBE, One(Colon), Name, One(Slash)], ENTRY),
    bpftrace(&[KPROBE, One(Colon), Name, One(LBrace)], ENTRY),
    bpftrace(&[KRETPROBE, One(Colon), Name, One(Slash)], RETURN),
    bpftrace(&[KRETPROBE, One(Colon), Name, One(LBrace)], RETURN),
    bpftrace(&[Words(&["BEGIN", "END"]), One(LBrace)], SESSION),
    bpftrace(
        &[Words(&["interval", "profile", "software", "hardware"]), One(Colon), Name, One(Colon)],
        SESSION,
    ),
    bpftrace(&[Words(&["uprobe", "uretprobe", "usdt"]), One(Colon)], SESSION),
    shell(&[ECHO, Trigger, One(Greater), Target("trigger")], "write `on {1} { trigger {0}; }`"),
    shell(&[ECHO, Quoted, One(Greater), Target("filter")], "write `{1} if {0}`"),
    shell(&[ECHO, Value, One(Greater), Target("enable")], "write `{1}`"),
    shell(&[ECHO, Quoted], "write clauses: tracec makes the changes in tracefs, and undoes them"),
    trace_cmd(&[One(Minus), E, Path, One(Minus), F, Quoted], FILTERED),
    trace_cmd(&[One(Minus), E, Path], "write `{0}`"),
    trace_cmd(&[One(Minus), Name, Name], "name the event, and write its condition behind `if`"),
    trace_cmd(
        &[TRACE, One(Minus), CMD, Name, One(Minus), E, Path, One(Minus), F, Quoted],
        "write `{1} if {2}`",
    ),
    trace_cmd(&[TRACE, One(Minus), CMD, Name, One(Minus), E, Path], "write `{1}`"),
    ForeignText {
        written: &[Words(&["perf"]), Name, One(Minus), E, Path],
        tool: "perf",
        advice: "write `{1}`",
    },
    header(&[Words(&["TRACE_EVENT", "TRACE_EVENT_CONDITION", "TRACE_EVENT_FN"]), One(LParen)]),
    header(&[Words(&["DECLARE_EVENT_CLASS", "DEFINE_EVENT", "DEFINE_EVENT_PRINT"]), One(LParen)]),
    header(&[Words(&["DEFINE_EVENT_CONDITION", "DEFINE_EVENT_FN"]), One(LParen)]),
    ForeignText {
        written: &[Words(C_TYPES), Function, One(LParen)],
        tool: "C",
        advice: "define the event in a file: `event {0} at kprobe {0};`",
    },
    header(&[One(Kind::Broken), Words(&["define", "include", "undef", "ifdef", "ifndef", "if"])]),
];

/// The beginning of a file of JSON.
const JSON: &[Part] = &[One(LBrace), One(Kind::Str), One(Colon)];

/// Words that a prototype of C begins with, and no declaration of the language.
const C_TYPES: &[&str] = &[
    "int",
    "long",
    "unsigned",
    "void",
    "bool",
    "char",
    "short",
    "static",
    "extern",
    "inline",
    "asmlinkage",
    "struct",
    "ssize_t",
    "size_t",
    "loff_t",
    "u32",
    "u64",
    "s32",
    "s64",
    "__u32",
    "__u64",
    "__s32",
    "__s64",
];

const TRACEPOINT: Part = Words(&["tracepoint", "t"]);
const KPROBE: Part = Words(&["kprobe", "k", "kfunc", "fentry"]);
const KRETPROBE: Part = Words(&["kretprobe", "kr", "kretfunc", "fexit"]);
const ECHO: Part = Words(&["echo"]);
const TRACE: Part = Words(&["trace"]);
const CMD: Part = Words(&["cmd"]);
const E: Part = Words(&["e"]);
const F: Part = Words(&["f", "F"]);
const FILTERED: &str = "write `{0} if {1}`";
const ENTRY: &str = "define the event in a file: `event {0} at kprobe {0};`";
const RETURN: &str = "define the event in a file: `event {0} at kretprobe {0};`";
const SESSION: &str = "write a session: it names events, and the conditions under which they are recorded";

const fn events(written: &'static [Part], instead: &'static str) -> Form {
    Form { context: Context::Events, written, before: 0, instead, certain: true }
}

const fn joined(before: usize, written: &'static [Part]) -> Form {
    Form { context: Context::Events, written, before, instead: "{{0}, {1}}", certain: true }
}

const fn operand(written: &'static [Part], instead: &'static str) -> Form {
    Form { context: Context::Operand, written, before: 0, instead, certain: true }
}

const fn field(written: &'static [Part], instead: &'static str) -> Form {
    Form { context: Context::Field, written, before: 0, instead, certain: false }
}

const fn set(written: &'static [Part], certain: bool) -> Form {
    Form { context: Context::Set, written, before: 0, instead: "{{0}..={1}}", certain }
}

const fn bpftrace(written: &'static [Part], advice: &'static str) -> ForeignText {
    ForeignText { written, tool: "bpftrace", advice }
}

const fn shell(written: &'static [Part], advice: &'static str) -> ForeignText {
    ForeignText { written, tool: "a shell", advice }
}

const fn trace_cmd(written: &'static [Part], advice: &'static str) -> ForeignText {
    ForeignText { written, tool: "trace-cmd", advice }
}

const fn header(written: &'static [Part]) -> ForeignText {
    ForeignText {
        written,
        tool: "a C header of the kernel",
        advice: "define the event with `event`: `proto`, `entry` and `print` are the parts of TRACE_EVENT",
    }
}

/// A form that was found.
pub(crate) struct Found {
    /// The index of the token behind it.
    pub(crate) end: usize,
    /// Its span.
    pub(crate) span: Span,
    /// Its translation.
    pub(crate) instead: String,
    /// Whether the translation certainly means the same.
    pub(crate) certain: bool,
}

/// Returns the form around the token at `index`, which the grammar refused.
pub(crate) fn form(
    source: Source<'_>,
    tokens: &[Token],
    index: usize,
    contexts: &[Context],
) -> Option<Found> {
    FORMS.iter().filter(|form| contexts.contains(&form.context)).find_map(|form| {
        let first = index.checked_sub(form.before)?;
        let mut matcher = Matcher { source, tokens, at: first, kept: Vec::new() };
        matcher.parts(form.written)?;
        let span = tokens.get(first)?.span.to(tokens.get(matcher.at.checked_sub(1)?)?.span);
        // A form that begins before the refused token reaches to it.
        let reaches = matcher.at > index;
        reaches.then(|| Found {
            end: matcher.at,
            span,
            instead: filled(form.instead, &matcher.kept),
            certain: form.certain,
        })
    })
}

/// Returns the tool for which a text is written that begins with these tokens, and what to do.
pub(crate) fn text(source: Source<'_>, tokens: &[Token]) -> Option<(&'static str, String)> {
    TEXTS.iter().find_map(|known| {
        let mut matcher = Matcher { source, tokens, at: 0, kept: Vec::new() };
        matcher.parts(known.written)?;
        Some((known.tool, filled(known.advice, &matcher.kept)))
    })
}

/// Returns whether a text is JSON.
pub(crate) fn is_json(source: Source<'_>, tokens: &[Token]) -> bool {
    Matcher { source, tokens, at: 0, kept: Vec::new() }.parts(JSON).is_some()
}

/// Returns the span of the condition that begins at a token: up to the end of its clause, or up to the connector after
/// it. `None` if the condition is broken.
pub(crate) fn condition(
    source: Source<'_>,
    tokens: &[Token],
    first: usize,
    up_to_connector: bool,
) -> Option<Span> {
    let end = end_of_condition(source, tokens, first, up_to_connector)?;
    let span = tokens.get(first)?.span.to(tokens.get(end.checked_sub(1)?)?.span);
    (end > first && span.end - span.start <= LONGEST_CONDITION).then_some(span)
}

fn end_of_condition(
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
            || (token.kind == Word && matches!(source.slice(token.span), "and" | "or"));
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

/// Puts the kept texts into the places of a template: `{0}`, `{1}`.
fn filled(template: &str, kept: &[String]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, place) = rest.split_at(at);
        text.push_str(before);
        let index = place.get(1..2).and_then(|digit| digit.parse::<usize>().ok());
        match index.and_then(|index| kept.get(index)).filter(|_| place[2..].starts_with('}')) {
            Some(kept) => {
                text.push_str(kept);
                rest = &place[3..];
            }
            None => {
                text.push('{');
                rest = &place[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

/// The matcher of a form: the tokens from `at` on are still to be matched.
struct Matcher<'t> {
    source: Source<'t>,
    tokens: &'t [Token],
    at: usize,
    kept: Vec<String>,
}

impl<'t> Matcher<'t> {
    fn parts(&mut self, parts: &[Part]) -> Option<()> {
        parts.iter().try_for_each(|part| self.part(*part))
    }

    fn part(&mut self, part: Part) -> Option<()> {
        match part {
            Words(words) => words.contains(&self.text()).then(|| self.at += 1),
            One(kind) => (self.kind() == kind).then(|| self.at += 1),
            Name => self.name().map(|name| self.keep(name)),
            Value => {
                let first = self.at;
                self.at += usize::from(self.kind() == Minus);
                (self.kind().is_name() || self.kind().is_literal()).then(|| self.at += 1)?;
                let value = self.slice(first)?;
                self.keep(value);
                Some(())
            }
            Plain => {
                let content = self.quoted()?;
                let is_plain = !content.is_empty() && !content.contains(['*', '?', '[', '\\', '"']);
                is_plain.then(|| self.keep(content))
            }
            Like => {
                let content = self.quoted()?;
                let is_plain = !content.is_empty() && !content.contains(['*', '?', '[', '\\', '"']);
                is_plain.then(|| self.keep(&content.replace('%', "*").replace('_', "?")))
            }
            Path => self.path().map(|path| self.keep(&path)),
            Event => self.event().map(|event| self.keep(&event)),
            Events(separator) => self.events(separator),
            Condition => self.condition(),
            Predicate => self.predicate(),
            Quoted => self.quoted().map(|content| self.keep(content)),
            Trigger => {
                let content = self.quoted()?;
                let text = trigger(content)?;
                self.keep(&text);
                Some(())
            }
            Target(file) => self.target(file),
            CType => self.c_type(),
            CValue => self.c_value(),
            Function => self.function(),
        }
    }

    fn keep(&mut self, text: &str) {
        self.kept.push(text.to_owned());
    }

    fn kind(&self) -> Kind {
        self.tokens.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self) -> &'t str {
        self.tokens.get(self.at).map_or("", |token| self.source.slice(token.span))
    }

    /// Returns the text from the token at `first` up to the next one.
    fn slice(&self, first: usize) -> Option<&'t str> {
        let last = self.tokens.get(self.at.checked_sub(1)?)?;
        Some(self.source.slice(self.tokens.get(first)?.span.to(last.span)))
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

    fn events(&mut self, separator: Option<Kind>) -> Option<()> {
        let mut found = Vec::new();
        while found.len() < MOST_EVENTS {
            let before = self.at;
            let next = match separator {
                Some(kind) => self.part(One(kind)).and_then(|()| self.event()),
                None => self.path(),
            };
            let Some(event) = next else {
                self.at = before;
                break;
            };
            found.push(event);
        }
        (!found.is_empty()).then(|| self.keep(&found.join(", ")))
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

    fn predicate(&mut self) -> Option<()> {
        let first = self.at;
        let end =
            self.tokens[first..].iter().position(|token| matches!(token.kind, LBrace | Kind::Semicolon));
        let end = end.map_or(self.tokens.len(), |length| first + length);
        let end = first + self.tokens.get(first..end)?.iter().rposition(|token| token.kind == Slash)?;
        let mut text = String::new();
        let mut written = self.tokens.get(first)?.span.start;
        while self.at < end {
            let token = self.tokens[self.at];
            text.push_str(self.source.slice(Span { start: written, end: token.span.start, ..token.span }));
            let follows =
                |offset: usize| self.tokens.get(self.at + offset).map_or(Kind::End, |token| token.kind);
            let is_args = self.text() == "args" && matches!(follows(1), Kind::Arrow | Kind::Dot);
            if is_args && follows(2).is_name() {
                self.at += 2;
                text.push_str(self.text());
            } else if token.kind.is_name() {
                text.push_str(BUILTINS.iter().find(|(name, _)| *name == self.text())?.1);
            } else if matches!(token.kind, Kind::Broken | Kind::Dot | Kind::Arrow | Kind::LBracket) {
                return None;
            } else {
                text.push_str(self.text());
            }
            written = self.tokens[self.at].span.end;
            self.at += 1;
        }
        (!text.is_empty() && text.len() <= LONGEST_CONDITION as usize).then(|| self.keep(&text))
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

    /// Takes the path of a file `events/SYSTEM/EVENT/FILE`, in which a shell allows anything before it.
    fn target(&mut self, file: &str) -> Option<()> {
        let rest = self.tokens.get(self.at..)?;
        let path = self.source.slice(rest.first()?.span.to(rest.last()?.span));
        let path = path.trim_matches(|quote| matches!(quote, '"' | '\''));
        let mut parts = path.rsplit('/');
        let is_file = parts.next()? == file;
        let (name, system) = (parts.next()?, parts.next()?);
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_file || parts.next()? != "events" || !is_name(name) || !is_name(system) {
            return None;
        }
        self.keep(&format!("{system}:{name}"));
        self.at = self.tokens.len();
        Some(())
    }
}

/// Returns the trigger of a `trigger` file, `ACTION[:COUNT][ if FILTER]`, in the language's syntax. Actions with other
/// parts have no translation.
fn trigger(text: &str) -> Option<String> {
    let (head, condition) = match text.split_once(" if ") {
        Some((head, condition)) => (head, format!(" if {condition}")),
        None => (text, String::new()),
    };
    let (action, count) = match head.split_once(':') {
        Some((action, count)) => {
            let count: u64 = count.trim().parse().ok()?;
            (action, format!(" count {count}"))
        }
        None => (head, String::new()),
    };
    let is_word = action.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    (is_word && !action.is_empty()).then(|| format!("{action}{count}{condition}"))
}
