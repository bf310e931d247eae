//! The mistakes that a text can have, and their repairs.

use thiserror::Error;

use crate::limits::{MAX_DEPTH, MAX_SOURCE};
use crate::planned::PlannedWord;
use crate::span::Span;
use crate::words::{self, ACTIONS, StatementContext};

/// A mistake and its span.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// The kind of the mistake.
    pub kind: SyntaxErrorKind,
    /// The span. It is empty where something is missing.
    pub span: Span,
}

/// What the equivalent of a [foreign form](SyntaxErrorKind::ForeignForm) does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// It selects a thread, and the form may mean a process.
    Thread,
    /// It takes a word for a text, which may be the name of a field.
    Text,
    /// Its range includes the last value, as `..` of some languages does not.
    Inclusive,
    /// The form is a range whose first value is above its last: these, as they were written.
    Turned {
        /// The first value.
        first: String,
        /// The last value.
        last: String,
    },
}

/// The kinds of mistakes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SyntaxErrorKind {
    /// The text is longer than [`MAX_SOURCE`] bytes; it was not parsed.
    #[error("the text has more than {MAX_SOURCE} bytes; that is not read")]
    SourceTooLarge,
    /// There are more mistakes than [`crate::MAX_ERRORS`]; the rest is not reported. This is always the last one.
    #[error("too many mistakes; the rest is not shown")]
    TooManyErrors,
    /// An expression is nested deeper than [`MAX_DEPTH`].
    #[error("this expression is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// A character that begins no token.
    #[error("`{}` means nothing here", found.escape_debug())]
    StrayCharacter {
        /// The character.
        found: char,
    },
    /// Quotes that do not delimit a string: `'..'` or typographic ones.
    #[error("strings stand between `\"`, not `{found}`")]
    WrongQuotes {
        /// The quote that was written.
        found: char,
        /// The text between the quotes; `None` where they are not closed.
        content: Option<String>,
    },
    /// A string that its line does not close.
    #[error("this string is not closed on its line")]
    UnterminatedString,
    /// A block comment that nothing closes.
    #[error("this comment is not closed")]
    UnterminatedComment,
    /// A backslash in a string that does not begin an escape.
    #[error("`{escape}` is not an escape: {reason}")]
    InvalidEscape {
        /// The escape as written.
        escape: String,
        /// The reason.
        reason: &'static str,
    },
    /// An invalid number.
    #[error("this is not a number: {reason}")]
    InvalidNumber {
        /// The reason.
        reason: &'static str,
    },
    /// A decimal number with a leading zero, which C and the kernel parse as octal.
    #[error("a number does not begin with `0`: C reads it in octal")]
    LeadingZero {
        /// The same digits as an octal number, if that is a different one.
        octal: Option<String>,
        /// The number without the zero.
        decimal: String,
    },
    /// A number that does not fit into 64 bits, its unit included.
    #[error("this number does not fit 64 bits")]
    NumberTooLarge,
    /// A number with an unknown unit.
    #[error("`{unit}` is not a unit")]
    UnknownUnit {
        /// The unit as written.
        unit: String,
        /// The unit that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A token that cannot stand at its place.
    #[error("expected {}, found {found}", alternatives(expected))]
    Unexpected {
        /// The token as a message shows it: quoted, or words such as "the end of the text".
        found: String,
        /// The tokens that are valid there: readable classes such as "an event", or quoted tokens.
        expected: Vec<&'static str>,
    },
    /// A connector without a condition on its right side; the span is the token there.
    #[error("expected a condition behind `{connector}`, found {found}")]
    DanglingConnector {
        /// `&&` or `||`.
        connector: &'static str,
        /// Its span.
        at: Span,
        /// The token there, as a message shows it.
        found: String,
    },
    /// A number with a blank before its unit; the span is that of both.
    #[error("a number and its unit stand together")]
    SplitUnit {
        /// The number and the unit in the language's syntax.
        instead: String,
    },
    /// `clock = mono`; the span is that of the `=`.
    #[error("a clause takes its value without `=`")]
    AssignedClause {
        /// Whether a blank separates the words without it.
        is_apart: bool,
    },
    /// `option overwrite 0`.
    #[error("`{found}` is written `{instead}`")]
    SwitchAsNumber {
        /// As written.
        found: String,
        /// `on` or `off`.
        instead: &'static str,
    },
    /// A misspelt word in a place where only a few words are valid.
    #[error("expected {}, found `{word}`", alternatives(expected))]
    UnknownWord {
        /// The word.
        word: String,
        /// The valid words, as in [`SyntaxErrorKind::Unexpected`].
        expected: Vec<&'static str>,
        /// The word that was probably meant.
        nearest: &'static str,
    },
    /// `unless C`; the span ends where the condition does, if that is known.
    #[error("`unless` is written `if !(..)`")]
    Unless {
        /// The equivalent with `if`, if the end of the condition is known.
        instead: Option<String>,
    },
    /// `not C`; the span is that of the word.
    #[error("`not` is written `!`")]
    NotAsWord {
        /// The span of the negation, including `not`, and the equivalent in the language's syntax; if its end is known.
        negated: Option<(Span, String)>,
    },
    /// A condition without `if`; the span is that of its first token.
    #[error("`if` is missing before this condition")]
    MissingIf {
        /// The first token of the condition.
        operand: String,
    },
    /// Two adjacent conditions without a connector; the span is that of the first token of the second.
    #[error("two conditions are joined by `&&` or `||`")]
    MissingConnector {
        /// The first token of the second condition.
        operand: String,
    },
    /// The form of the kernel's `trigger` files, with a colon; the span begins at the colon.
    #[error("{what} is written `{instead}`")]
    AsInKernel {
        /// The kind of the part after the colon.
        what: &'static str,
        /// The equivalent in the language's syntax.
        instead: String,
    },
    /// The form of the kernel's `trigger` files where the meaning is unknown; the span is that of the first colon.
    #[error("a trigger is written `trigger ACTION [EVENT] [count N | once] [if C]`")]
    TriggerAsInKernel,
    /// `count -1`; the span is that of the number.
    #[error("a count must not be negative")]
    NegativeCount {
        /// The span of `count` and the number.
        whole: Span,
    },
    /// `E:u`; the span begins at the colon.
    #[error("events have no modifiers")]
    EventModifier,
    /// `sched/sched_switch`.
    #[error("an event is written `{instead}`")]
    EventAsPath {
        /// The equivalent in the language's syntax.
        instead: String,
    },
    /// A text for another tool.
    #[error("this is written for {tool}")]
    ForeignTool {
        /// The tool.
        tool: &'static str,
        /// What to do, as an order.
        advice: String,
        /// The event that a header of the kernel defines, in the language's syntax.
        event: Option<Box<TranslatedEvent>>,
    },
    /// A command line or a program of another tool, up to the end of the text; the compiler translates it.
    #[error("this is written for {tool}")]
    ForeignCommand {
        /// The tool.
        tool: &'static str,
        /// Whether it stands in the place of the text of `-e`.
        one_liner: bool,
    },
    /// A form of another tool or language in a statement.
    #[error("`{found}` cannot be used here")]
    ForeignForm {
        /// The form as written.
        found: String,
        /// The equivalent in the language's syntax.
        instead: String,
        /// Whether it certainly means the same.
        certain: bool,
        /// What the equivalent does not show.
        remark: Option<Remark>,
    },
    /// `=~` and a string; the span is that of the operator.
    #[error("`{op}` takes a regular expression, and `~` a pattern")]
    RegularExpression {
        /// The operator as written.
        op: String,
        /// The span of the operator and the string, and both in the language's syntax.
        translated: Option<(Span, String)>,
        /// Whether the translation matches more than the expression.
        wider: bool,
        /// The operator and the string in the language's syntax if the string, with its `*`, is meant as a pattern.
        as_pattern: Option<String>,
        /// Why no pattern says it, as a clause without its subject; `None` where that is unknown.
        why: Option<&'static str>,
    },
    /// Data where the text of sessions was expected: a recording as JSON lines, or binary data.
    #[error("this is data, and not the text of a session")]
    NotASource {
        /// Whether it is JSON.
        json: bool,
    },
    /// `$pid`.
    #[error("`{word}` is for a shell, which has not replaced it")]
    ShellVariable {
        /// The variable as written.
        word: String,
    },
    /// A statement whose first word does not begin a statement.
    #[error("expected {}, found `{word}`", context.content())]
    UnknownClause {
        /// The word.
        word: String,
        /// The context of the statement.
        context: StatementContext,
        /// The word that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A clause that narrows all events elsewhere; the span is that of its word.
    #[error("expected a clause, found `{word}`")]
    PartAsClause {
        /// The word.
        word: String,
        /// The same behind the events of a clause.
        instead: String,
    },
    /// `session a { .. }` in the text of `-e`.
    #[error("the text of `-e` has the clauses of one session, without `session NAME` and its braces")]
    SessionInOneLiner {
        /// The clauses, if their session is all that the text has.
        instead: Option<String>,
    },
    /// `use` in the text of `-e`.
    #[error("the text of `-e` has no `use`")]
    UseInOneLiner,
    /// `a:b if ..;` as a clause that is not the first of a one-liner; the span is that of the first word.
    #[error("`trace` is missing before this event")]
    MissingTrace {
        /// The first word of the event.
        word: String,
    },
    /// A statement that the language plans and does not have yet; the span is that of its first word.
    #[error("`{}` is not implemented yet", planned.word)]
    NotImplemented {
        /// The statement.
        planned: &'static PlannedWord,
    },
    /// A clause or item that belongs elsewhere.
    #[error("`{word}` does not stand here, but {}", place(word, *belongs))]
    MisplacedClause {
        /// Its first word.
        word: &'static str,
        /// The context in which it is valid.
        belongs: StatementContext,
    },
    /// Items that follow the head of their clause without braces; the span is that of the first word of the first.
    #[error("`{word}` stands between `{{` and `}}`")]
    MissingBraces {
        /// The word of the clause: `trace` or `on`.
        clause: &'static str,
        /// The word of the item: `filter` or `trigger`.
        word: &'static str,
    },
    /// `x not in {..}`.
    #[error("`{found}` does not take a set")]
    NegatedSet {
        /// `not in` or `!in`; `!=` before a set.
        found: &'static str,
        /// The span of the whole test, and the test in the language's syntax, where they are known.
        negated: Option<(Span, String)>,
    },
    /// The set of `in` in other brackets than braces; the span is that of the opening one.
    #[error("the set behind `in` stands between `{{` and `}}`, not `{open}`")]
    WrongSetBrackets {
        /// The bracket that was written.
        open: char,
        /// The span of the set, and the set in braces, where its end is known.
        set: Option<(Span, String)>,
    },
    /// `c ? a : b` in the place of a condition or a constant.
    #[error("`?` and `:` choose a value only in print templates and in the values of entry fields")]
    MisplacedChoice,
    /// `global` and `when` blocks nested deeper than [`MAX_DEPTH`].
    #[error("these blocks are nested deeper than {MAX_DEPTH} levels")]
    BlocksTooDeep,
    /// An invalid address; the span is that of the invalid part.
    #[error("this is not an address: {reason}")]
    InvalidAddress {
        /// The reason.
        reason: &'static str,
    },
    /// An invalid set of CPUs.
    #[error("this is not a set of CPUs: {reason}")]
    InvalidCpus {
        /// The reason.
        reason: &'static str,
        /// The list, if only its braces are wrong.
        list: Option<String>,
    },
    /// A placeholder of a template without its closing brace; the span is that of the opening one.
    #[error("this placeholder is not closed")]
    UnclosedPlaceholder,
    /// A closing brace in the text of a template.
    #[error("this `}}` does not close a placeholder")]
    LoneBrace,
    /// `{x:}`.
    #[error("a format is missing behind this `:`")]
    EmptyFormat,
    /// A backtick without a closing one.
    #[error("this backtick is not closed")]
    UnterminatedC,
    /// A declaration in the style of C: the type before the name, or `*` after the type.
    #[error("the name stands before its type, and `*` before what it points to")]
    DeclaredAsInC {
        /// The declaration in the language's syntax.
        instead: String,
    },
    /// Members of an `enum` without a comma between them; the span is empty.
    #[error("a `,` is missing here")]
    MissingComma,
    /// A semicolon in the place of a comma.
    #[error("members are separated by `,`, not `;`")]
    WrongSeparator,
    /// A repeated part of an event definition.
    #[error("`{word}` is repeated")]
    RepeatedPart {
        /// The word of the part.
        word: &'static str,
    },
    /// A part of an event definition that an event of a class cannot have.
    #[error("`{word}` stands in the class: an event of a class may only have its own `print`")]
    MisplacedPart {
        /// The word of the part.
        word: &'static str,
    },
    /// A statement that lacks only its semicolon.
    #[error("a `;` is missing here")]
    MissingSemicolon,
    /// An opening bracket without its closing one; the span is that of the bracket.
    #[error("this `{open}` is not closed")]
    UnclosedDelimiter {
        /// The bracket.
        open: char,
    },
    /// A closing bracket without its opening one.
    #[error("this `{close}` closes nothing")]
    UnmatchedDelimiter {
        /// The bracket.
        close: char,
    },
    /// A doc comment before nothing that it could describe.
    #[error("this doc comment describes nothing")]
    MisplacedDoc {
        /// Whether it is a `//!` comment, which is valid only at the top of a file.
        inner: bool,
    },
    /// An operator of another language.
    #[error("`{found}` is written `{instead}`")]
    WrongOperator {
        /// As written.
        found: String,
        /// The operator of the language.
        instead: &'static str,
    },
    /// `a < b < c`.
    #[error("comparisons cannot be chained")]
    ChainedComparison {
        /// The span of both, and two comparisons in their place; `None` at a further one.
        joined: Option<(Span, String)>,
    },
    /// Events named by an unquoted pattern that consists of more than words, `:` and `*`.
    #[error("a pattern like this stands in quotes")]
    UnquotedPattern {
        /// The pattern as written.
        pattern: String,
    },
    /// A reserved word in the place of a name.
    #[error("`{word}` is a reserved word")]
    ReservedWord {
        /// The word.
        word: String,
    },
}

impl SyntaxError {
    pub(crate) fn new(kind: SyntaxErrorKind, span: Span) -> Self {
        SyntaxError { kind, span }
    }

    /// Returns advice, where the message alone does not say what to do.
    pub fn hint(&self) -> Option<String> {
        use SyntaxErrorKind::*;
        let text = match &self.kind {
            WrongQuotes { .. } => "write it between `\"`",
            InvalidEscape { .. } => {
                "escapes are `\\n`, `\\r`, `\\t`, `\\0`, `\\\\`, `\\\"`, `\\xNN` and `\\u{..}`; \
                 a raw string, r\"..\", has none"
            }
            LeadingZero { octal: Some(octal), decimal } => {
                return Some(format!("write `{octal}` or `{decimal}`"));
            }
            LeadingZero { octal: None, decimal } => return Some(format!("write `{decimal}`")),
            SplitUnit { instead } | Unless { instead: Some(instead) } => {
                return Some(format!("write `{instead}`"));
            }
            AssignedClause { is_apart: true } => "remove it",
            AssignedClause { is_apart: false } => "put a blank in its place",
            PartAsClause { instead, .. } => {
                return Some(format!("write `{instead}` behind the events of a clause"));
            }
            SessionInOneLiner { instead: Some(instead) } => return Some(format!("write `{instead}`")),
            SessionInOneLiner { instead: None } => {
                "put it into a file, and name the file in the place of `-e`"
            }
            MissingTrace { .. } => return self.fix().map(|fix| format!("write `{fix}:..`")),
            MisplacedClause { word: "filter", .. } => {
                "write `if` and the condition behind the events of a clause"
            }
            NotImplemented { planned } => planned.until_then,
            UnknownWord { nearest, .. } => return Some(format!("did you mean `{nearest}`?")),
            MissingIf { operand } => return Some(format!("write `if {operand} ..`")),
            MissingConnector { operand } => return Some(format!("write `&& {operand} ..`")),
            AsInKernel { instead, .. } => return Some(format!("write `{instead}` behind a space")),
            EventModifier => "remove it: whether the kernel or a program runs is not a part of an event",
            EventAsPath { instead } => return Some(format!("write `{instead}`")),
            ForeignTool { advice, .. } => return Some(advice.clone()),
            UseInOneLiner => "remove it: `-e` names the constants of `std` without it",
            NotASource { json: true } => {
                "these are records that a session has written: show them with a pager or `jq`, since tracec reads no JSON; \
                 to record anew, name the file with the session"
            }
            NotASource { json: false } => "`tracec report FILE` shows a recording of trace-cmd",
            ForeignForm { instead, remark: Some(Remark::Inclusive), .. } => {
                return Some(format!("write `{instead}`, which includes the last value"));
            }
            WrongOperator { found, .. } if found == ".." => "write `..=`, which includes the last value",
            WrongOperator { found, .. } if found == "=~" || found == "~=" => ANYWHERE,
            RegularExpression { why: Some(why), .. } => {
                return Some(format!("the expression {why}, which no pattern says; {ANYWHERE}"));
            }
            RegularExpression { .. } => ANYWHERE,
            ShellVariable { word } => {
                return Some(format!(
                    "single quotes keep the shell from replacing it; put it outside of them, between double quotes: \
                     '..'\"{word}\"'..'; in a file, name a parameter of the session, `session s(x: int) {{ .. }}`, and \
                     give its value with `--set x={word}`"
                ));
            }
            UnknownUnit { nearest: Some(unit), .. } => return Some(format!("write `{unit}`")),
            UnknownUnit { unit, .. } if unit.eq_ignore_ascii_case("hz") => {
                "frequencies belong to samples, which are not implemented yet: leave the clause out"
            }
            UnknownUnit { nearest: None, .. } => {
                "sizes end in B, KiB, MiB or GiB, durations in ns, us, ms, s, min or h"
            }
            UnknownClause { word, context: StatementContext::Block, .. } if is_action(word) => {
                return Some(format!("did you mean `trigger {word};`?"));
            }
            UnknownClause { nearest: Some(word), .. } => return Some(format!("did you mean `{word}`?")),
            UnknownClause { word, context: StatementContext::Session, .. } if is_parameter(word) => {
                "parameters stand behind the name of the session: `session a(pid) { .. }`; `--set pid=5` sets one"
            }
            UnknownClause { context, nearest: None, .. } => return Some(words::beginnings(*context)),
            MissingBraces { clause, word: "trigger" } => {
                return Some(format!("write `{clause} E {{ trigger stacktrace; }}`"));
            }
            MissingBraces { clause, word } => return Some(format!("write `{clause} E {{ {word} C; }}`")),
            NegatedSet { .. } => "negate the whole, as in `!(x in {1, 2})`",
            WrongSetBrackets { .. } => "put the set in braces, as in `x in {1, 2}`",
            MisplacedChoice => "say it with connectors, as in `(c && a) || (!c && b)`",
            InvalidCpus { list: Some(list), .. } => return Some(format!("write `CPUS{{{list}}}`")),
            InvalidCpus { list: None, .. } => "list numbers and ranges, as in `CPUS{0-3,8}`",
            UnclosedPlaceholder => "write `{{` for a brace",
            LoneBrace => "write `}}` for a brace",
            DeclaredAsInC { instead } => return Some(format!("write `{instead}`")),
            MisplacedDoc { inner: true } => {
                "`//!` stands at the top of a file; describe what follows with `///`"
            }
            MisplacedDoc { inner: false } => {
                "a `///` comment describes the declaration after it; write `//` elsewhere"
            }
            ChainedComparison { .. } => "join two comparisons: `a < b && b < c`",
            UnquotedPattern { pattern } => return Some(format!("write \"{pattern}\"")),
            ReservedWord { .. } => "`if`, `struct` and `user` cannot be names",
            Unexpected { .. } if self.is_surplus_semicolon() => {
                "remove it: blocks and finished clauses take no further `;`"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// Returns whether the mistake is a `;` after a block or a complete clause.
    fn is_surplus_semicolon(&self) -> bool {
        match &self.kind {
            SyntaxErrorKind::Unexpected { found, expected } => {
                let begins = ["a declaration", "a clause", "an item", "a part"];
                found == "`;`" && begins.iter().any(|class| expected.contains(class))
            }
            _ => false,
        }
    }

    /// Returns the text that repairs the mistake in the place of [`SyntaxError::span`].
    pub fn fix(&self) -> Option<String> {
        use SyntaxErrorKind::*;
        match &self.kind {
            MissingSemicolon => Some(";".to_owned()),
            MissingComma | WrongSeparator => Some(",".to_owned()),
            LoneBrace => Some("}}".to_owned()),
            EmptyFormat => Some(String::new()),
            DeclaredAsInC { instead } => Some(instead.clone()),
            InvalidCpus { list: Some(list), .. } => Some(format!("CPUS{{{list}}}")),
            // A regular expression is not a pattern.
            WrongOperator { found, .. } if found == "=~" || found == "~=" => None,
            WrongOperator { instead, .. } => Some((*instead).to_owned()),
            ForeignForm { instead, .. } => Some(instead.clone()),
            UnquotedPattern { pattern } => Some(format!("\"{pattern}\"")),
            UnknownClause { word, context: StatementContext::Block, .. } if is_action(word) => {
                Some(format!("trigger {word}"))
            }
            UnknownUnit { nearest, .. } | UnknownClause { nearest, .. } => nearest.map(str::to_owned),
            UnmatchedDelimiter { .. } | EventModifier => Some(String::new()),
            LeadingZero { octal: None, decimal } => Some(decimal.clone()),
            SplitUnit { instead } => Some(instead.clone()),
            Unless { instead } => instead.clone(),
            NotAsWord { .. } => Some("!".to_owned()),
            AssignedClause { is_apart: true } | UseInOneLiner => Some(String::new()),
            AssignedClause { is_apart: false } => Some(" ".to_owned()),
            SessionInOneLiner { instead } => instead.clone(),
            SwitchAsNumber { instead, .. } => Some((*instead).to_owned()),
            UnknownWord { nearest, .. } => Some((*nearest).to_owned()),
            MissingIf { operand } => Some(format!("if {operand}")),
            MissingTrace { word } => Some(format!("trace {word}")),
            MissingConnector { operand } => Some(format!("&& {operand}")),
            AsInKernel { instead, .. } => Some(format!(" {instead}")),
            EventAsPath { instead } => Some(instead.clone()),
            Unexpected { .. } if self.is_surplus_semicolon() => Some(String::new()),
            WrongQuotes { content: Some(content), .. } if !content.contains(['"', '\\']) => {
                Some(format!("\"{content}\""))
            }
            _ => None,
        }
    }
}

/// An event of the language that means the same as one of a kernel's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedEvent {
    /// Files with the event, each on one line. The first that can be parsed is the best: C has expressions that the
    /// language lacks.
    pub texts: Vec<String>,
    /// The types that it names, without `*`, as C has them.
    pub types: Vec<String>,
    /// Whether the header was written in the place of a file, which the event can replace.
    pub in_file: bool,
}

/// Returns where a word stands that belongs into a context.
fn place(word: &str, belongs: StatementContext) -> &'static str {
    // A condition of `on` stands behind `if`.
    if word == "filter" { "in the block of a `trace` clause" } else { belongs.describe() }
}

/// What a pattern is, for those who know regular expressions.
const ANYWHERE: &str = "a pattern describes the whole string: `~ \"*text*\"` finds a text anywhere in it";

/// Returns whether `word` is an action whose `trigger` was forgotten.
fn is_action(word: &str) -> bool {
    ACTIONS.contains(&word)
}

/// Returns whether `word` declares a parameter or a variable elsewhere.
fn is_parameter(word: &str) -> bool {
    matches!(word, "param" | "params" | "parameter" | "arg" | "let" | "var" | "set")
}

/// Returns a list as text: "a, b or c".
fn alternatives(items: &[&str]) -> String {
    match items {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
