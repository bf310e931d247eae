//! The mistakes a text can hold, and what would repair them.

use thiserror::Error;

use crate::span::Span;
use crate::words::{ACTIONS, Place};
use crate::{MAX_DEPTH, MAX_SOURCE};

/// A mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where. Empty where something is missing.
    pub span: Span,
}

/// The kinds of mistakes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SyntaxErrorKind {
    /// The text is longer than [`MAX_SOURCE`] bytes; nothing of it was read.
    #[error("the text has more than {MAX_SOURCE} bytes; that is not read")]
    SourceTooLarge,
    /// There are more mistakes than [`crate::MAX_ERRORS`]; the rest is not reported. Always the last one.
    #[error("too many mistakes; the rest is not shown")]
    TooManyErrors,
    /// An expression is nested deeper than [`MAX_DEPTH`].
    #[error("this expression is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// A character that means nothing here.
    #[error("`{}` means nothing here", found.escape_debug())]
    StrayCharacter {
        /// The character.
        found: char,
    },
    /// Quotes that do not make a string: `'..'` or typographic ones.
    #[error("strings stand between `\"`, not `{found}`")]
    WrongQuotes {
        /// The quote that was written.
        found: char,
        /// What stands between the quotes; `None` where they are not closed.
        content: Option<String>,
    },
    /// A string that its line does not close.
    #[error("this string is not closed on its line")]
    UnterminatedString,
    /// A block comment that nothing closes.
    #[error("this comment is not closed")]
    UnterminatedComment,
    /// A backslash in a string, and behind it something that is no escape.
    #[error("`{escape}` is no escape: {reason}")]
    InvalidEscape {
        /// The escape as written.
        escape: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Digits that make no number.
    #[error("this is no number: {reason}")]
    InvalidNumber {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A decimal number with a zero before it, which C and the kernel read in octal.
    #[error("a number does not begin with `0`: C reads it in octal")]
    LeadingZero {
        /// The same digits as an octal number, where that is another one.
        octal: Option<String>,
        /// The number without the zero.
        decimal: String,
    },
    /// A number that does not fit 64 bits, its unit included.
    #[error("this number does not fit 64 bits")]
    NumberTooLarge,
    /// A number with a unit that is none.
    #[error("`{unit}` is no unit")]
    UnknownUnit {
        /// The unit as written.
        unit: String,
        /// The unit that was likely meant.
        nearest: Option<&'static str>,
    },
    /// Something that cannot stand where it stands.
    #[error("expected {}, found {found}", alternatives(expected))]
    Unexpected {
        /// What was found, ready for a message: a quoted token, or words such as "the end of the text".
        found: String,
        /// What could have stood there: readable classes such as "an event", or quoted tokens.
        expected: Vec<&'static str>,
    },
    /// A connector without a condition on its right side; the span is what stands there instead.
    #[error("expected a condition behind `{connector}`, found {found}")]
    DanglingConnector {
        /// `&&` or `||`.
        connector: &'static str,
        /// Where it stands.
        at: Span,
        /// What was found, ready for a message.
        found: String,
    },
    /// A number with a blank before its unit; the span is both.
    #[error("a number and its unit stand together")]
    SplitUnit {
        /// Both as the language writes them.
        instead: String,
    },
    /// `clock = mono`; the span is the sign.
    #[error("no `=` stands before what a clause is set to")]
    AssignedClause,
    /// `option overwrite 0`.
    #[error("`{found}` is written `{instead}`")]
    SwitchAsNumber {
        /// As written.
        found: String,
        /// `on` or `off`.
        instead: &'static str,
    },
    /// A misspelt word where one of a few can stand.
    #[error("expected {}, found `{word}`", alternatives(expected))]
    UnknownWord {
        /// The word.
        word: String,
        /// What could have stood there, as in [`SyntaxErrorKind::Unexpected`].
        expected: Vec<&'static str>,
        /// The word that was likely meant.
        nearest: &'static str,
    },
    /// `unless C`; the span ends where the condition does, if that is known.
    #[error("`unless` is written `if !(..)`")]
    Unless {
        /// The same with `if`, where the end of the condition is known.
        instead: Option<String>,
    },
    /// `not C`; the span is the word.
    #[error("`not` is written `!`")]
    NotAsWord {
        /// What is negated, `not` included, and the same as the language writes it; where its end is known.
        negated: Option<(Span, String)>,
    },
    /// A condition that nothing introduces; the span is its first token.
    #[error("`if` is missing before this condition")]
    MissingIf {
        /// The first token of the condition.
        operand: String,
    },
    /// Two conditions with nothing between them; the span is the first token of the second.
    #[error("two conditions are joined by `&&` or `||`")]
    MissingConnector {
        /// The first token of the second condition.
        operand: String,
    },
    /// What the kernel's `trigger` files write behind a colon; the span begins at the colon.
    #[error("{what} is written `{instead}`")]
    AsInKernel {
        /// What stands there.
        what: &'static str,
        /// As the language writes it.
        instead: String,
    },
    /// The same where it is not known what is meant; the span is the first colon.
    #[error("a trigger is written `trigger ACTION [EVENT] [count N | once] [if C]`")]
    TriggerAsInKernel,
    /// `count -1`; the span is the number.
    #[error("a count is 1 or more")]
    NegativeCount,
    /// `E:u`; the span begins at the colon.
    #[error("events have no modifiers")]
    EventModifier,
    /// `sched/sched_switch`.
    #[error("an event is written `{instead}`")]
    EventAsPath {
        /// As the language writes it.
        instead: String,
    },
    /// What another tool reads.
    #[error("this is written for {tool}")]
    ForeignTool {
        /// The tool.
        tool: &'static str,
        /// How the language says it.
        instead: String,
    },
    /// `$pid`.
    #[error("the shell has not replaced `{word}`")]
    ShellVariable {
        /// The variable as written.
        word: String,
    },
    /// A statement that begins with a word which begins none.
    #[error("expected {}, found `{word}`", place.content())]
    UnknownClause {
        /// The word.
        word: String,
        /// Where it stands.
        place: Place,
        /// The word that was likely meant.
        nearest: Option<&'static str>,
    },
    /// A clause or item that belongs elsewhere.
    #[error("`{word}` does not stand here, but {}", belongs.describe())]
    MisplacedClause {
        /// Its first word.
        word: &'static str,
        /// Where it may stand.
        belongs: Place,
    },
    /// Items that follow the head of their clause without braces; the span is the first word of the first.
    #[error("`{word}` stands between `{{` and `}}`")]
    MissingBraces {
        /// The word of the clause: `trace` or `on`.
        clause: &'static str,
        /// The word of the item: `filter` or `trigger`.
        word: &'static str,
    },
    /// `x not in {..}`.
    #[error("`{found}` is no operator")]
    NegatedSet {
        /// `not in` or `!in`.
        found: &'static str,
    },
    /// The set behind `in` between other brackets than braces; the span is the opening one.
    #[error("the set behind `in` stands between `{{` and `}}`, not `{open}`")]
    WrongSetBrackets {
        /// The bracket that was written.
        open: char,
    },
    /// `c ? a : b` where a condition or a constant stands.
    #[error("`?` and `:` choose a value only in print templates and in the values of entry fields")]
    MisplacedChoice,
    /// `global` and `when` blocks nested deeper than [`MAX_DEPTH`].
    #[error("these blocks are nested deeper than {MAX_DEPTH} levels")]
    BlocksTooDeep,
    /// An address that is none; the span is the part that is wrong.
    #[error("this is no address: {reason}")]
    InvalidAddress {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A set of CPUs that is none.
    #[error("this is no set of CPUs: {reason}")]
    InvalidCpus {
        /// What is wrong with it.
        reason: &'static str,
        /// The list, where only its braces are wrong.
        list: Option<String>,
    },
    /// A placeholder of a template that nothing closes; the span is its brace.
    #[error("this placeholder is not closed")]
    UnclosedPlaceholder,
    /// A closing brace in the text of a template.
    #[error("this `}}` closes no placeholder")]
    LoneBrace,
    /// `{x:}`.
    #[error("a format is missing behind this `:`")]
    EmptyFormat,
    /// A backtick, and C behind it that nothing closes.
    #[error("this backtick is not closed")]
    UnterminatedC,
    /// A declaration as C writes it: the type before the name, or `*` behind the type.
    #[error("the name stands before its type, and `*` before what it points to")]
    DeclaredAsInC {
        /// The declaration as the language writes it.
        instead: String,
    },
    /// Members of an `enum` without a comma between them; the place between them.
    #[error("a `,` is missing here")]
    MissingComma,
    /// A semicolon where a comma separates.
    #[error("members are separated by `,`, not `;`")]
    WrongSeparator,
    /// A part of an event definition that was written before.
    #[error("`{word}` is already said")]
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
    /// A statement that is complete but for its semicolon.
    #[error("a `;` is missing here")]
    MissingSemicolon,
    /// An opening bracket that nothing closes; the span is the bracket's.
    #[error("this `{open}` is not closed")]
    UnclosedDelimiter {
        /// The bracket.
        open: char,
    },
    /// A closing bracket that closes nothing.
    #[error("this `{close}` closes nothing")]
    UnmatchedDelimiter {
        /// The bracket.
        close: char,
    },
    /// A doc comment that stands before nothing it could describe.
    #[error("this doc comment describes nothing")]
    MisplacedDoc {
        /// Whether it is a `//!` comment, which stands at the top of a file only.
        inner: bool,
    },
    /// An operator of another language.
    #[error("`{found}` is written `{instead}`")]
    WrongOperator {
        /// As written.
        found: String,
        /// As the language spells it.
        instead: &'static str,
    },
    /// `a < b < c`.
    #[error("comparisons cannot be chained")]
    ChainedComparison,
    /// Events named by a pattern that words, `:` and `*` cannot spell.
    #[error("a pattern like this stands in quotes")]
    UnquotedPattern {
        /// The pattern as written.
        pattern: String,
    },
    /// A reserved word where a name should stand.
    #[error("`{word}` is a reserved word and no name")]
    ReservedWord {
        /// The word.
        word: String,
    },
}

impl SyntaxError {
    pub(crate) fn new(kind: SyntaxErrorKind, span: Span) -> Self {
        SyntaxError { kind, span }
    }

    /// Advice for the reader, where the message alone does not say what to do.
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
            AssignedClause => "remove it",
            UnknownWord { nearest, .. } => return Some(format!("did you mean `{nearest}`?")),
            MissingIf { operand } => return Some(format!("write `if {operand} ..`")),
            MissingConnector { operand } => return Some(format!("write `&& {operand} ..`")),
            AsInKernel { instead, .. } => return Some(format!("write `{instead}` behind a space")),
            EventModifier => "remove it: whether the kernel or a program runs is no part of an event",
            EventAsPath { instead } => return Some(format!("write `{instead}`")),
            ForeignTool { instead, .. } => return Some(format!("write `{instead}`")),
            ShellVariable { .. } => {
                "single quotes keep the shell from replacing it; put the variable outside of them, \
                 between double quotes: '..'\"$x\"'..'"
            }
            UnknownUnit { nearest: Some(unit), .. } => return Some(format!("write `{unit}`")),
            UnknownUnit { nearest: None, .. } => {
                "sizes end in B, KiB, MiB or GiB, durations in ns, us, ms, s, min or h"
            }
            UnknownClause { word, place: Place::Block, .. } if is_action(word) => {
                return Some(format!("did you mean `trigger {word};`?"));
            }
            UnknownClause { nearest: Some(word), .. } => return Some(format!("did you mean `{word}`?")),
            MissingBraces { clause, word: "trigger" } => {
                return Some(format!("write `{clause} E {{ trigger stacktrace; }}`"));
            }
            MissingBraces { clause, word } => return Some(format!("write `{clause} E {{ {word} C; }}`")),
            NegatedSet { .. } => "write `!(x in {1, 2})`",
            WrongSetBrackets { .. } => "write `x in {1, 2}`",
            MisplacedChoice => "write `(c && a) || (!c && b)`",
            InvalidCpus { list: Some(list), .. } => return Some(format!("write `CPUS{{{list}}}`")),
            InvalidCpus { list: None, .. } => "write `CPUS{0-3,8}`",
            UnclosedPlaceholder => "write `{{` for a brace",
            LoneBrace => "write `}}` for a brace",
            DeclaredAsInC { instead } => return Some(format!("write `{instead}`")),
            MisplacedDoc { inner: true } => {
                "`//!` stands at the top of a file; describe what follows with `///`"
            }
            MisplacedDoc { inner: false } => "`///` stands before what it describes; write `//` elsewhere",
            ChainedComparison => "join two comparisons: `a < b && b < c`",
            UnquotedPattern { pattern } => return Some(format!("write \"{pattern}\"")),
            ReservedWord { .. } => "`if`, `struct` and `user` cannot be names",
            Unexpected { .. } if self.is_surplus_semicolon() => {
                "remove it: blocks and finished clauses take no further `;`"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// Whether it is a `;` behind a block or a finished clause.
    fn is_surplus_semicolon(&self) -> bool {
        match &self.kind {
            SyntaxErrorKind::Unexpected { found, expected } => {
                let begins = ["a declaration", "a clause", "an item", "a part"];
                found == "`;`" && begins.iter().any(|class| expected.contains(class))
            }
            _ => false,
        }
    }

    /// The text that repairs the mistake when it is put in the place of [`SyntaxError::span`].
    pub fn fix(&self) -> Option<String> {
        use SyntaxErrorKind::*;
        match &self.kind {
            MissingSemicolon => Some(";".to_owned()),
            MissingComma | WrongSeparator => Some(",".to_owned()),
            LoneBrace => Some("}}".to_owned()),
            EmptyFormat => Some(String::new()),
            DeclaredAsInC { instead } => Some(instead.clone()),
            InvalidCpus { list: Some(list), .. } => Some(format!("CPUS{{{list}}}")),
            WrongOperator { instead, .. } => Some((*instead).to_owned()),
            UnquotedPattern { pattern } => Some(format!("\"{pattern}\"")),
            UnknownClause { word, place: Place::Block, .. } if is_action(word) => {
                Some(format!("trigger {word}"))
            }
            UnknownUnit { nearest, .. } | UnknownClause { nearest, .. } => nearest.map(str::to_owned),
            UnmatchedDelimiter { .. } | EventModifier => Some(String::new()),
            LeadingZero { octal: None, decimal } => Some(decimal.clone()),
            SplitUnit { instead } => Some(instead.clone()),
            Unless { instead } => instead.clone(),
            NotAsWord { .. } => Some("!".to_owned()),
            AssignedClause => Some(String::new()),
            SwitchAsNumber { instead, .. } => Some((*instead).to_owned()),
            UnknownWord { nearest, .. } => Some((*nearest).to_owned()),
            MissingIf { operand } => Some(format!("if {operand}")),
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

/// Whether `word` is an action whose `trigger` was forgotten.
fn is_action(word: &str) -> bool {
    ACTIONS.contains(&word)
}

/// "a, b or c".
fn alternatives(items: &[&str]) -> String {
    match items {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
