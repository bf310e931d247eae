//! The lexer: logos finds tokens, and the callbacks here compute their values.
//!
//! Comments go to a side table, and the values of literals to another. Text that is not a token becomes
//! [`Kind::Broken`] and a mistake, because the grammar cannot recover from text that it does not see. A string after
//! `print` is a template: its placeholders become tokens among the others.

use logos::{Filter, Lexer};

use crate::comment::{Comment, CommentKind};
use crate::error::SyntaxErrorKind;
use crate::errors::Errors;
use crate::literal::{self, Literal, Literals, Unit, Wanted};
use crate::span::{FileId, Source, Span};

mod network;
mod template;
mod token;

pub(crate) use network::{colons, word};
pub(crate) use token::{Kind, Token};

/// The result of the lexer.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) literals: Literals,
    pub(crate) comments: Vec<Comment>,
    pub(crate) errors: Errors,
    /// Whether the text ends in an unterminated comment.
    pub(crate) cut_off: bool,
    /// Whether the text ends among the members of an `enum` or of `flags`.
    pub(crate) in_members: bool,
}

/// The results of the callbacks besides the tokens.
#[derive(Debug)]
pub(crate) struct Extras {
    /// The text's id among those of the compilation.
    file: FileId,
    literals: Literals,
    comments: Vec<Comment>,
    errors: Errors,
    cut_off: bool,
    /// The text of the last doc comment line.
    doc: String,
    /// The kind of the previous token.
    previous: Kind,
    /// The number of open braces since the members of an `enum` or of `flags` began: among them, `print` is a name.
    members: u32,
    /// The open placeholder of a template.
    placeholder: Option<template::Placeholder>,
}

impl Extras {
    fn new(file: FileId) -> Self {
        Extras {
            file,
            literals: Literals::default(),
            comments: Vec::new(),
            errors: Errors::default(),
            cut_off: false,
            doc: String::new(),
            previous: Kind::End,
            members: 0,
            placeholder: None,
        }
    }
}

/// Splits a text into tokens. A byte order mark at its start is skipped.
pub(crate) fn lex(source: Source<'_>) -> Lexed {
    let text = source.text;
    let mut lexer = Lexer::<Kind>::with_extras(text, Extras::new(source.file));
    if text.starts_with('\u{feff}') {
        lexer.bump('\u{feff}'.len_utf8());
    }
    // Most texts have fewer tokens than a fourth of their bytes. Memory that is not used costs nothing.
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4);
    while let Some(found) = lexer.next() {
        let span = span(&lexer);
        // Every character belongs to some token, so that logos itself reports no error.
        let kind = found.unwrap_or(Kind::Broken);
        let token = Token { kind, span };
        if lexer.extras.placeholder.is_some() {
            template::inside(&mut lexer, &mut tokens, source, token);
        } else if matches!(kind, Kind::Doc | Kind::InnerDoc) {
            doc_line(&mut lexer.extras, &mut tokens, token);
        } else {
            match kind {
                Kind::LBrace if lexer.extras.members > 0 || opens_members(&tokens) => {
                    lexer.extras.members += 1;
                }
                Kind::RBrace => lexer.extras.members = lexer.extras.members.saturating_sub(1),
                _ => {}
            }
            tokens.push(token);
            if kind == Kind::TemplateOpen {
                template::text(&mut lexer, &mut tokens, span);
            }
        }
        lexer.extras.previous = tokens.last().map_or(Kind::End, |last| last.kind);
    }
    template::end(&mut lexer.extras, &mut tokens, source.end());
    let Extras { literals, comments, errors, cut_off, members, .. } = lexer.extras;
    Lexed { tokens, literals, comments, errors, cut_off, in_members: members > 0 }
}

/// Returns whether `tokens` end in `enum NAME: TYPE`, or in the same with `flags`.
fn opens_members(tokens: &[Token]) -> bool {
    let kinds = || tokens.iter().rev().map(|token| token.kind);
    let is_head = |kind: Kind| kind == Kind::Colon || kind.is_name();
    let mut words = kinds().take(LONGEST_HEAD).take_while(|kind| is_head(*kind));
    let word = words.position(|kind| matches!(kind, Kind::Enum | Kind::Flags));
    word.is_some_and(|at| at > 0 && kinds().nth(at + 1) != Some(Kind::At))
}

/// The number of tokens before the brace of an `enum` that are checked.
const LONGEST_HEAD: usize = 8;

/// Adds a line to the doc comment before it, or begins a new one.
fn doc_line(extras: &mut Extras, tokens: &mut Vec<Token>, token: Token) {
    let line = std::mem::take(&mut extras.doc);
    if let Some(last) = tokens.last_mut().filter(|last| last.kind == token.kind)
        && let Some(text) = extras.literals.last_text()
    {
        text.push('\n');
        text.push_str(&line);
        last.span.end = token.span.end;
    } else if token.kind == Kind::InnerDoc && !tokens.is_empty() {
        extras.errors.push(SyntaxErrorKind::MisplacedDoc { inner: true }, token.span);
    } else {
        extras.literals.push(token.span.start, Literal::Text(line));
        tokens.push(token);
    }
}

/// Reads `//` up to the end of the line; `///` and `//!` are doc comments, `////` is not.
pub(crate) fn line_comment(lexer: &mut Lexer<Kind>) -> Filter<Kind> {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
    let body = &lexer.slice()[2..];
    let (kind, line) = match body.strip_prefix('!') {
        Some(line) => (Kind::InnerDoc, line),
        None => match body.strip_prefix('/').filter(|line| !line.starts_with('/')) {
            Some(line) => (Kind::Doc, line),
            None => {
                comment(lexer, CommentKind::Line);
                return Filter::Skip;
            }
        },
    };
    lexer.extras.doc = line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned();
    Filter::Emit(kind)
}

/// Reads `#`: in many languages it begins a comment, which is reported once for the line.
pub(crate) fn hash(lexer: &mut Lexer<Kind>) -> Filter<Kind> {
    let before = lexer.source()[..lexer.span().start].chars().next_back();
    let rest = lexer.remainder();
    let begins = before.is_none_or(char::is_whitespace)
        && (rest.is_empty() || rest.starts_with([' ', '\t', '!', '#', '\r', '\n']));
    if !begins || lexer.extras.placeholder.is_some() {
        return Filter::Emit(stray(lexer));
    }
    let (found, instead) = ("#".to_owned(), "//".to_owned());
    let span = span(lexer);
    lexer
        .extras
        .errors
        .push(SyntaxErrorKind::ForeignForm { found, instead, certain: true, remark: None }, span);
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
    Filter::Skip
}

/// Reads `/*` up to the first `*/`: block comments do not nest.
pub(crate) fn block_comment(lexer: &mut Lexer<Kind>) -> Filter<Kind> {
    let rest = lexer.remainder();
    match rest.find("*/") {
        Some(at) => lexer.bump(at + 2),
        None => {
            let opening = span(lexer);
            lexer.extras.errors.push(SyntaxErrorKind::UnterminatedComment, opening);
            lexer.extras.cut_off = true;
            lexer.bump(rest.len());
        }
    }
    comment(lexer, CommentKind::Block);
    Filter::Skip
}

fn comment(lexer: &mut Lexer<Kind>, kind: CommentKind) {
    let slice = lexer.slice();
    let mut span = span(lexer);
    span.end -= (slice.len() - slice.trim_end_matches('\r').len()) as u32;
    lexer.extras.comments.push(Comment { span, kind });
}

/// Reads a number with all letters after it.
pub(crate) fn number(lexer: &mut Lexer<Kind>) -> Kind {
    // A unit that is not a word but often written: a microsecond with its Greek letter.
    let rest = lexer.remainder();
    if rest.starts_with("\u{b5}s") || rest.starts_with("\u{3bc}s") {
        lexer.bump("\u{b5}s".len());
    }
    if let Some(kind) = network::address(lexer) {
        return kind;
    }
    if let Some(kind) = number_of_another_language(lexer) {
        return kind;
    }
    let whole = span(lexer);
    match literal::number(lexer.slice(), wanted(lexer.extras.previous)) {
        Ok((unit, value)) => {
            lexer.extras.literals.push(whole.start, Literal::Number(value));
            match unit {
                Unit::None => Kind::Int,
                Unit::Size => Kind::Size,
                Unit::Duration => Kind::Duration,
            }
        }
        Err((kind, range)) => broken(lexer, kind, whole.part(range)),
    }
}

/// Reads `10,000,000`, `1e7` and `4d2` behind a comparison, and reports them with the number in the language's syntax.
fn number_of_another_language(lexer: &mut Lexer<Kind>) -> Option<Kind> {
    if wanted(lexer.extras.previous) != Wanted::Number {
        return None;
    }
    // A list of values behind `==` is a likelier mistake than groups of digits, unless a group begins with 0.
    let is_ordered = !matches!(lexer.extras.previous, Kind::EqEq | Kind::NotEq);
    let grouped = literal::grouped(lexer.slice(), lexer.remainder());
    let grouped = grouped.filter(|(_, number)| is_ordered || number.contains("_0"));
    let (instead, certain) = match grouped {
        Some((length, instead)) => {
            lexer.bump(length);
            (instead, true)
        }
        None => literal::of_another_language(lexer.slice())?,
    };
    let (_, value) = literal::number(&instead, Wanted::Number).ok()?;
    let (whole, found) = (span(lexer), lexer.slice().to_owned());
    lexer.extras.literals.push(whole.start, Literal::Number(value));
    lexer.extras.errors.push(SyntaxErrorKind::ForeignForm { found, instead, certain, remark: None }, whole);
    Some(Kind::Int)
}

/// Returns what a number after this token counts.
pub(crate) fn wanted(previous: Kind) -> Wanted {
    match previous {
        Kind::Buffer | Kind::Queue | Kind::Subbuffer | Kind::Every => Wanted::Size,
        Kind::After | Kind::Keep | Kind::Last => Wanted::Duration,
        Kind::EqEq | Kind::NotEq | Kind::Less | Kind::LessEq | Kind::Greater | Kind::GreaterEq => {
            Wanted::Number
        }
        _ => Wanted::Any,
    }
}

/// Reads a string with escapes, on one line.
pub(crate) fn string(lexer: &mut Lexer<Kind>) -> Kind {
    let (previous, inside) = (lexer.extras.previous, lexer.extras.placeholder.is_some());
    if previous == Kind::Print && !inside && lexer.extras.members == 0 {
        return Kind::TemplateOpen;
    }
    // A string cannot follow an operand: the quote closes the template.
    if inside && previous.ends_operand() {
        return Kind::TemplateClose;
    }
    let rest = lexer.remainder();
    let Some(length) = literal::string_end(rest) else {
        return if inside { Kind::TemplateClose } else { unterminated(lexer) };
    };
    let body = span(lexer).behind();
    lexer.bump(length);
    match literal::unescape(&rest[..length - 1]) {
        Ok(text) => text_literal(lexer, text),
        Err(problems) => {
            for (kind, range) in problems {
                lexer.extras.errors.push(kind, body.part(range));
            }
            Kind::Broken
        }
    }
}

/// Reads `r"..."` or `r#"..."#`, on one line.
pub(crate) fn raw_string(lexer: &mut Lexer<Kind>) -> Kind {
    let rest = lexer.remainder();
    let closing = &lexer.slice()[1..lexer.slice().len() - 1];
    match raw_string_end(rest, closing) {
        Some(length) => {
            lexer.bump(length + 1 + closing.len());
            text_literal(lexer, rest[..length].to_owned())
        }
        None => unterminated(lexer),
    }
}

/// Returns where the closing quote is: the first one on the line that is followed by `closing`, the hashes of the
/// opening one.
fn raw_string_end(rest: &str, closing: &str) -> Option<usize> {
    let mut stops = rest.match_indices(['"', '\n']);
    let (at, _) = stops.find(|(at, stop)| *stop == "\n" || rest[at + 1..].starts_with(closing))?;
    rest[at..].starts_with('"').then_some(at)
}

/// Reads C between backticks, over any number of lines.
pub(crate) fn raw_c(lexer: &mut Lexer<Kind>) -> Kind {
    let rest = lexer.remainder();
    let start = span(lexer).start;
    match rest.find('`') {
        Some(length) => {
            lexer.bump(length + 1);
            lexer.extras.literals.push(start, Literal::Text(rest[..length].to_owned()));
            Kind::RawC
        }
        None => {
            let opening = span(lexer);
            lexer.bump(rest.len());
            lexer.extras.cut_off = true;
            broken(lexer, SyntaxErrorKind::UnterminatedC, opening)
        }
    }
}

fn text_literal(lexer: &mut Lexer<Kind>, text: String) -> Kind {
    let start = span(lexer).start;
    lexer.extras.literals.push(start, Literal::Text(text));
    Kind::Str
}

/// Returns where an unterminated string ends: at the line's end, but before the braces there.
fn unterminated_end(rest: &str) -> usize {
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let line = line.trim_end_matches('\r');
    let inner = line.trim_end_matches([' ', '\t', '}']);
    if line[inner.len()..].contains('}') { inner.len() } else { line.len() }
}

/// Takes the rest of the line, so that the next one is read normally.
fn unterminated(lexer: &mut Lexer<Kind>) -> Kind {
    let rest = lexer.remainder();
    lexer.bump(unterminated_end(rest));
    let span = span(lexer);
    broken(lexer, SyntaxErrorKind::UnterminatedString, span)
}

/// Reads `'...'`, also with escaped quotes between letters: `'it\'s'`.
pub(crate) fn single_quotes(lexer: &mut Lexer<Kind>) -> Kind {
    while lexer.slice().ends_with("\\'") && lexer.remainder().starts_with(|c: char| c.is_ascii_alphanumeric())
    {
        let rest = lexer.remainder();
        let Some(end) = rest.find(['\'', '\n']).filter(|end| rest[*end..].starts_with('\'')) else { break };
        lexer.bump(end + 1);
    }
    let slice = lexer.slice();
    let content = Some(slice[1..slice.len() - 1].replace("\\'", "'"));
    let span = span(lexer);
    broken(lexer, SyntaxErrorKind::WrongQuotes { found: '\'', content }, span)
}

/// Reads a run of characters outside ASCII; typographic quotes include their content.
pub(crate) fn non_ascii(lexer: &mut Lexer<Kind>) -> Kind {
    let run = lexer.slice();
    let Some(found) = run.chars().next() else {
        return Kind::Broken;
    };
    if !is_typographic_quote(found) {
        let span = span(lexer);
        return broken(lexer, SyntaxErrorKind::StrayCharacter { found }, span);
    }
    let rest = lexer.remainder();
    let inside = &run[found.len_utf8()..];
    let mut content = None;
    if let Some(at) = inside.find(is_typographic_quote) {
        content = Some(inside[..at].to_owned());
    } else if let Some(at) = rest.find(|c| c == '\n' || is_typographic_quote(c))
        && let Some(closing) = rest[at..].chars().next().filter(|c| is_typographic_quote(*c))
    {
        content = Some(format!("{inside}{}", &rest[..at]));
        lexer.bump(at + closing.len_utf8());
    }
    let span = span(lexer);
    broken(lexer, SyntaxErrorKind::WrongQuotes { found, content }, span)
}

fn is_typographic_quote(character: char) -> bool {
    matches!(character, '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2039}' | '\u{203a}')
}

/// Reads an ASCII character that does not begin a token.
pub(crate) fn stray(lexer: &mut Lexer<Kind>) -> Kind {
    let found = lexer.slice().chars().next().unwrap_or_default();
    let kind = match found {
        '\'' => SyntaxErrorKind::WrongQuotes { found, content: None },
        // A string of a placeholder, with the escapes of C; or one with escapes that a shell has not removed.
        '\\' if lexer.remainder().starts_with('"')
            && (lexer.extras.placeholder.is_some() || is_escaped_string(lexer.remainder())) =>
        {
            let rest = lexer.remainder();
            let end = rest.find("\\\"").filter(|end| !rest[..*end].contains('\n'));
            let content = end.map(|end| rest[1..end].to_owned());
            lexer.bump(end.map_or(1, |end| end + 2));
            SyntaxErrorKind::WrongQuotes { found, content }
        }
        '$' if let Some(length) = shell_variable(lexer.remainder()) => {
            lexer.bump(length);
            SyntaxErrorKind::ShellVariable { word: lexer.slice().to_owned() }
        }
        _ => SyntaxErrorKind::StrayCharacter { found },
    };
    let span = span(lexer);
    broken(lexer, kind, span)
}

/// Returns how much of `rest` belongs to the shell variable whose `$` precedes it: `$pid`, `$$`, `${PID}`, `$1`,
/// `$(pidof bash)`.
fn shell_variable(rest: &str) -> Option<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match rest.chars().next()? {
        '$' => Some(1),
        first if first.is_ascii_digit() => Some(1),
        '(' => {
            // The time is proportional to the limit for each `$`.
            const LONGEST: usize = 200;
            let mut within = rest.char_indices().take(LONGEST);
            let (end, closing) = within.find(|(_, c)| matches!(c, ')' | '\n' | ';' | '"'))?;
            (closing == ')' && rest[1..].starts_with(is_word)).then_some(end + 1)
        }
        '{' => {
            let end = rest.find(['}', '\n', ';', '"']).filter(|end| rest[*end..].starts_with('}'))?;
            rest[1..].starts_with(is_word).then_some(end + 1)
        }
        first if is_word(first) && !first.is_ascii_digit() => {
            Some(rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()))
        }
        _ => None,
    }
}

/// Returns whether the string that begins with the quote of `rest` also ends with an escaped quote. The kernel's fetch
/// argument `\"text"` does not.
fn is_escaped_string(rest: &str) -> bool {
    let inner = rest.get(1..).unwrap_or_default();
    let end = inner.find(['"', '\n']).filter(|end| inner[*end..].starts_with('"'));
    end.is_some_and(|end| inner[..end].ends_with('\\'))
}

fn broken(lexer: &mut Lexer<Kind>, kind: SyntaxErrorKind, span: Span) -> Kind {
    lexer.extras.errors.push(kind, span);
    Kind::Broken
}

fn span(lexer: &Lexer<Kind>) -> Span {
    let range = lexer.span();
    lexer.extras.file.span(range.start as u32, range.end as u32)
}
