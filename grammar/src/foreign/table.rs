//! The table: the forms of other tools and languages, each with its translation.

use crate::lexer::Kind;

use Kind::{Colon, Comma, DotDot, DotDotEq, LBrace, LParen, Minus, OrOr, RParen, Slash};
use Part::{
    Action, Braced, CType, CValue, Condition, Event, Events, Function, Further, Like, Name, Path, Plain,
    Quoted, Token as One, Value, Words,
};

/// A form that is written in a statement, with the text that stands for it in the language.
pub(super) struct ForeignForm {
    /// The context in which it is refused.
    pub(super) context: Context,
    /// Its tokens. The first `before` of them stand before the token that is refused.
    pub(super) written: &'static [Part],
    pub(super) before: usize,
    /// The translation; `{0}` is the first text that a part keeps.
    pub(super) instead: &'static str,
    /// Whether the translation certainly means the same.
    pub(super) certain: bool,
}

/// A command line or a program of another tool, known by its first tokens. The compiler translates it: its options, files
/// and probes are names that the grammar does not know.
pub(super) struct ForeignCommand {
    pub(super) written: &'static [Part],
    /// What it is written for.
    pub(super) tool: &'static str,
}

/// A text of C, known by its first tokens.
pub(super) struct ForeignText {
    pub(super) written: &'static [Part],
    /// What it is written for.
    pub(super) tool: &'static str,
    /// What to do, as an order; `{0}` is the first text that a part keeps.
    pub(super) advice: &'static str,
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

/// A part of a form. All but the first two and the last three keep a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
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
    /// A string in quotes of any kind: its content.
    Quoted,
    /// A type of C without arrays: the same type in the language.
    CType,
    /// An argument of a macro of C, up to its comma or parenthesis.
    CValue,
    /// The rest of a prototype of C up to its parenthesis: the name of the function.
    Function,
    /// A token that cannot follow the events of a clause; it is not taken.
    Further,
    /// A block later in the statement that does not hold items of a clause.
    Braced,
    /// A block later in the statement that holds an action of bpftrace: `{ @ = ..` or `{ f(..`.
    Action,
}

/// The forms, in the order in which they are tried.
pub(super) const FORMS: &[ForeignForm] = &[
    // A filter of bpftrace, of perf probe and of DTrace.
    ForeignForm { before: 3, ..events(&[Path, One(Slash), Condition, One(Slash)], "{0} if {1}") },
    // The options of trace-cmd and perf, after the event.
    ForeignForm { before: 3, ..events(&[Path, One(Minus), Words(&["f", "F"]), Quoted], "{0} if {1}") },
    ForeignForm {
        before: 3,
        ..events(&[Path, One(Minus), One(Minus), Words(&["filter"]), Quoted], "{0} if {1}")
    },
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

/// The commands and programs, in the order in which they are tried.
pub(super) const COMMANDS: &[ForeignCommand] = &[
    bpftrace(&[Words(PROBES), One(Colon), Name, One(Colon)]),
    bpftrace(&[Words(PROBES), One(Colon), Braced]),
    bpftrace(&[Words(&["uprobe", "uretprobe", "usdt"]), One(Colon)]),
    bpftrace(&[Words(&["BEGIN", "END"]), One(LBrace)]),
    bpftrace(&[Path, Action]),
    bpftrace(&[Words(&["bpftrace"]), Further]),
    ForeignCommand { written: &[Words(&["perf"]), Further], tool: "perf" },
    trace_cmd(&[Words(&["trace"]), One(Minus), Words(&["cmd"])]),
    trace_cmd(&[One(Minus), Name]),
    trace_cmd(&[One(Minus), One(Minus), Name]),
    ForeignCommand { written: &[Words(SHELL), Further], tool: "a shell" },
];

/// The texts of C, in the order in which they are tried.
pub(super) const TEXTS: &[ForeignText] = &[
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
pub(super) const JSON: &[Part] = &[One(LBrace), One(Kind::Str), One(Colon)];

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

/// The probes of bpftrace(8).
const PROBES: &[&str] = &[
    "tracepoint",
    "t",
    "rawtracepoint",
    "rt",
    "kprobe",
    "k",
    "kfunc",
    "fentry",
    "f",
    "kretprobe",
    "kr",
    "kretfunc",
    "fexit",
    "fr",
    "uprobe",
    "u",
    "uretprobe",
    "ur",
    "usdt",
    "interval",
    "i",
    "profile",
    "p",
    "software",
    "s",
    "hardware",
    "h",
];

/// Commands of a shell that are written around tracefs.
const SHELL: &[&str] =
    &["echo", "printf", "cat", "head", "tail", "less", "grep", "tee", "sudo", "cd", "sh", "bash", "mkdir"];

const fn events(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Events, written, before: 0, instead, certain: true }
}

const fn joined(before: usize, written: &'static [Part]) -> ForeignForm {
    ForeignForm { context: Context::Events, written, before, instead: "{{0}, {1}}", certain: true }
}

const fn operand(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 0, instead, certain: true }
}

const fn field(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Field, written, before: 0, instead, certain: false }
}

const fn set(written: &'static [Part], certain: bool) -> ForeignForm {
    ForeignForm { context: Context::Set, written, before: 0, instead: "{{0}..={1}}", certain }
}

const fn bpftrace(written: &'static [Part]) -> ForeignCommand {
    ForeignCommand { written, tool: "bpftrace" }
}

const fn trace_cmd(written: &'static [Part]) -> ForeignCommand {
    ForeignCommand { written, tool: "trace-cmd" }
}

const fn header(written: &'static [Part]) -> ForeignText {
    ForeignText {
        written,
        tool: "a C header of the kernel",
        advice: "define the event with `event`: `proto`, `entry` and `print` are the parts of TRACE_EVENT",
    }
}
