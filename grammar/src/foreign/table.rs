//! The table: the forms of other tools and languages, each with its translation.

use crate::error::Remark;
use crate::lexer::Kind;

use Kind::{
    Address, Arrow, Colon, Comma, Dot, DotDot, DotDotEq, EqEq, LBrace, LBracket, LParen, Less, Minus, Not,
    NotEq, RBracket, RParen, Slash,
};
use Part::{
    Action, Adjacent, Braced, CType, CValue, ClauseWord, Comparison, Condition, Device, Event, Events,
    Function, Further, Kept, Like, Listed, Name, Path, Plain, Quoted, Regex, Token as One, Value, Values,
    Words,
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
    /// What the translation does not show, whatever is written.
    pub(super) remark: Option<&'static Remark>,
}

/// A command line or a program of another tool, known by its first tokens. The compiler translates it: its options,
/// files and probes are names that the grammar does not know.
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
    /// Behind the condition of a clause.
    Condition,
    /// Behind the events of a clause, or behind their condition.
    Clause,
    /// Behind an operand.
    Operand,
    /// Behind `in`.
    Set,
    /// In the place of a field of an `entry`.
    Field,
    /// Behind the action of a trigger.
    Action,
}

/// A part of a form. All but the first two and the last five keep a text.
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
    /// A string, as a pattern that matches only it.
    Plain,
    /// A pattern of SQL: its content as a pattern of the language.
    Like,
    /// A regular expression or another pattern: the patterns behind `~` that say the same.
    Regex,
    /// Further values, each behind a comma.
    Values,
    /// Values between braces.
    Listed,
    /// A name before a comparison; it is not taken.
    Comparison,
    /// A token.
    Kept(Kind),
    /// The numbers of a device, `8:0`: the number that a record has for it.
    Device,
    /// `system:event`, `system:*`.
    Path,
    /// A path, the name of an event, or a pattern in quotes.
    Event,
    /// Further events, each behind one of these words or signs, or behind nothing.
    Events(&'static [&'static str]),
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
    /// The word of a clause; it is not taken.
    ClauseWord,
    /// No blank before the next token.
    Adjacent,
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
    ForeignForm {
        context: Context::Clause,
        certain: false,
        ..events(&[Words(&["with"]), Words(&["stacktrace", "stack", "stacks"])], "{ trigger stacktrace; }")
    },
    ForeignForm {
        context: Context::Clause,
        certain: false,
        ..events(&[Words(ENDS), Value], "; stop after {0}")
    },
    // The rest of a list of events, which another statement follows.
    ForeignForm { context: Context::Clause, ..events(&[One(Comma), ClauseWord], ";") },
    condition(0, &[One(Comma), Path], "; trace {0}"),
    ForeignForm { certain: false, ..condition(0, &[One(Comma), Comparison, Condition], "&& {0}") },
    ForeignForm { before: 3, ..events(&[Path, One(Comma), One(Not), Path], "{0} except {1}") },
    joined(3, &[Path, Events(SEPARATORS)]),
    joined(1, &[Event, Events(SEPARATORS)]),
    joined(3, &[Path, Events(&[])]),
    events(&[Words(&["without", "excluding", "exclude", "minus", "but", "-", "!"]), Path], "except {0}"),
    ForeignForm { before: 1, ..events(&[Name, One(Dot), Name], "{0}:{1}") },
    // Verbs of other tools before an event; the first clause of `-e` needs none.
    ForeignForm { before: 1, ..events(&[Words(VERBS), Path], "{0}") },
    // Conditions that look like a part of the events.
    ForeignForm {
        before: 3,
        ..events(&[Path, Adjacent, One(LParen), Condition, One(RParen)], "{0} if ({1})")
    },
    ForeignForm {
        before: 3,
        ..events(&[Path, Adjacent, One(LBracket), Condition, One(RBracket)], "{0} if {1}")
    },
    ForeignForm { before: 3, ..events(&[Path, Words(&["&&", "&", "and"]), Condition], "{0} if {1}") },
    ForeignForm { before: 2, certain: false, ..events(&[Words(&["except"]), Condition], "if !({0})") },
    ForeignForm { before: 3, ..events(&[Path, One(Minus), Words(&["f", "F"]), Condition], "{0} if {1}") },
    ForeignForm {
        before: 3,
        ..events(&[Path, One(Minus), One(Minus), Words(&["filter"]), Condition], "{0} if {1}")
    },
    // A process has other threads.
    ForeignForm {
        before: 3,
        certain: false,
        remark: Some(&Remark::Thread),
        ..events(&[Path, One(Minus), Words(&["p", "P", "t"]), Value], "{0} if current.pid == {1}")
    },
    action(&[Kept(Kind::Int)], "count {0}"),
    ForeignForm { before: 1, ..action(&[Name, One(LParen), Kept(Kind::Int), One(RParen)], "{0} count {1}") },
    ForeignForm { before: 1, ..action(&[Name, One(LParen), One(RParen)], "{0}") },
    // The word was parsed as the event that an action needs.
    ForeignForm { before: 1, ..action(&[Words(&["where", "when"]), Condition], "if {0}") },
    action(&[Words(&["where", "when"]), Condition], "if {0}"),
    divided(&[Words(&["trace"]), Adjacent, One(Minus), Adjacent, Words(&["on"])], "traceon"),
    divided(&[Words(&["trace"]), Adjacent, One(Minus), Adjacent, Words(&["off"])], "traceoff"),
    divided(&[Words(&["stack"]), Adjacent, One(Minus), Adjacent, Words(&["trace"])], "stacktrace"),
    ForeignForm { before: 4, ..action(&[Name, Path, One(Comma), Path], "{0} {1}; trigger {0} {2}") },
    // The kernel calls the last trigger first: the stack is recorded before recording stops.
    ForeignForm {
        before: 1,
        ..action(&[Words(&["stacktrace"]), One(Comma), Words(&["traceoff"])], "traceoff; trigger stacktrace")
    },
    ForeignForm {
        before: 1,
        ..action(
            &[Words(&["stacktrace"]), One(Comma), Words(&["traceoff"]), Words(&["once"])],
            "traceoff once; trigger stacktrace",
        )
    },
    ForeignForm { before: 1, ..action(&[Name, One(Comma), Name], "{0}; trigger {1}") },
    operand(&[CONTAINS, Plain], "~ \"*{0}*\""),
    operand(&[BEGINNING, Plain], "~ \"{0}*\""),
    operand(&[BEGINNING, WITH, Plain], "~ \"{0}*\""),
    of_text(guess(&[BEGINNING, WITH, Name], "~ \"{0}*\"")),
    operand(&[ENDING, Plain], "~ \"*{0}\""),
    operand(&[ENDING, WITH, Plain], "~ \"*{0}\""),
    of_text(guess(&[ENDING, WITH, Name], "~ \"*{0}\"")),
    // A word may be a string without quotes.
    of_text(guess(&[CONTAINS, Name], "~ \"*{0}*\"")),
    of_text(guess(&[BEGINNING, Name], "~ \"{0}*\"")),
    of_text(guess(&[ENDING, Name], "~ \"*{0}\"")),
    operand(&[LIKE, Like], "~ \"{0}\""),
    guess(&[LIKE, Regex], "~ {0}"),
    guess(&[MATCHES, Regex], "~ {0}"),
    operand(&[BETWEEN, Value, AND, Value], "in {{0}..={1}}"),
    operand(&[BETWEEN, One(LParen), Value, One(Comma), Value, One(RParen)], "in {{0}..={1}}"),
    operand(&[NOT, CONTAINS, Plain], "!~ \"*{0}*\""),
    operand(&[NOT, BEGINNING, Plain], "!~ \"{0}*\""),
    operand(&[NOT, ENDING, Plain], "!~ \"*{0}\""),
    operand(&[NOT, LIKE, Like], "!~ \"{0}\""),
    guess(&[NOT, LIKE, Regex], "!~ {0}"),
    guess(&[NOT, MATCHES, Regex], "!~ {0}"),
    ForeignForm {
        before: 3,
        ..operand(&[Name, One(Dot), Name, NOT, BETWEEN, Value, AND, Value], "!({0}.{1} in {{2}..={3}})")
    },
    ForeignForm { before: 1, ..operand(&[Name, NOT, BETWEEN, Value, AND, Value], "!({0} in {{1}..={2}})") },
    // Shells include the last number, Rust does not.
    inclusive(not_in(
        3,
        &[Name, One(Dot), Name, NOT, IN, Value, One(DotDot), Value],
        "!({0}.{1} in {{2}..={3}})",
    )),
    inclusive(not_in(1, &[Name, NOT, IN, Value, One(DotDot), Value], "!({0} in {{1}..={2}})")),
    inclusive(not_in(
        3,
        &[Name, One(Dot), Name, NOT, IN, Value, One(DotDotEq), Value],
        "!({0}.{1} in {{2}..={3}})",
    )),
    inclusive(not_in(1, &[Name, NOT, IN, Value, One(DotDotEq), Value], "!({0} in {{1}..={2}})")),
    not_in(3, &[Name, One(Dot), Name, NOT, IN, Value, One(Minus), Value], "!({0}.{1} in {{2}..={3}})"),
    not_in(1, &[Name, NOT, IN, Value, One(Minus), Value], "!({0} in {{1}..={2}})"),
    not_in(1, &[Name, NOT, IN, Listed], "!({0} in {1})"),
    operand(&[IN, Listed], "in {0}"),
    operand(&[NOT, One(EqEq), Value], "!= {0}"),
    operand(&[IS, LESS, THAN, Value], "< {0}"),
    operand(&[IS, MORE, THAN, Value], "> {0}"),
    operand(&[LESS, THAN, Value], "< {0}"),
    operand(&[MORE, THAN, Value], "> {0}"),
    operand(&[IS, Words(&["equal"]), Words(&["to"]), Value], "== {0}"),
    operand(&[IS, NOT, EMPTY], "!= \"\""),
    operand(&[IS, EMPTY], "== \"\""),
    operand(&[IS, NOT, Value], "!= {0}"),
    operand(&[Words(&["isnot"]), Value], "!= {0}"),
    guess(&[NOT, Value], "!= {0}"),
    operand(&[Words(&["is", "eq", "equals"]), Value], "== {0}"),
    operand(&[Words(&["ne"]), Value], "!= {0}"),
    operand(&[Words(&["lt"]), Value], "< {0}"),
    operand(&[Words(&["le"]), Value], "<= {0}"),
    operand(&[Words(&["gt"]), Value], "> {0}"),
    operand(&[Words(&["ge"]), Value], ">= {0}"),
    // The operators of test(1), which begin like a subtraction.
    of_test(&[One(Minus), Words(&["eq"]), Value], "== {0}"),
    of_test(&[One(Minus), Words(&["ne"]), Value], "!= {0}"),
    of_test(&[One(Minus), Words(&["lt"]), Value], "< {0}"),
    of_test(&[One(Minus), Words(&["le"]), Value], "<= {0}"),
    of_test(&[One(Minus), Words(&["gt"]), Value], "> {0}"),
    of_test(&[One(Minus), Words(&["ge"]), Value], ">= {0}"),
    // A list behind a comparison.
    condition(2, &[One(EqEq), Value, Values], "in {{0}, {1}}"),
    condition(3, &[One(EqEq), Value, Values], "in {{0}, {1}}"),
    condition(5, &[Name, One(Dot), Name, One(NotEq), Value, Values], "!({0}.{1} in {{2}, {3}})"),
    condition(3, &[Name, One(NotEq), Value, Values], "!({0} in {{1}, {2}})"),
    // The kernel writes a device as one number; people write two.
    condition(2, &[One(EqEq), Device], "== {0}"),
    condition(2, &[One(NotEq), Device], "!= {0}"),
    // An address with its port.
    condition(
        3,
        &[Words(&["daddr"]), One(EqEq), Kept(Address), One(Colon), Value],
        "daddr == {0} && dport == {1}",
    ),
    condition(
        3,
        &[Words(&["saddr"]), One(EqEq), Kept(Address), One(Colon), Value],
        "saddr == {0} && sport == {1}",
    ),
    ForeignForm { before: 2, instead: "{1} ~ \"*{0}*\"", ..set(&[Plain, IN, Name], false) },
    inclusive(set(&[Value, One(DotDotEq), Value], true)),
    // Shells include the last number, Rust does not.
    inclusive(set(&[Value, One(DotDot), Value], false)),
    inclusive(set(&[Value, One(DotDot), One(Dot), Value], false)),
    set(&[Value, Words(&["to"]), Value], true),
    set(&[Value, One(Minus), Value], true),
    inclusive(set(&[Words(&["range"]), One(LParen), Value, One(Comma), Value, One(RParen)], false)),
    ForeignForm { instead: "{{0}, {1}}", ..set(&[Value, Values], true) },
    ForeignForm { instead: "{{0}}", ..set(&[Kept(Kind::Int)], true) },
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
    field(
        &[Words(&["__string_len"]), One(LParen), Name, One(Comma), CValue, One(Comma), CValue, One(RParen)],
        "{0}: string = ({1}, {2});",
    ),
    field(
        &[
            Words(&["__vstring"]),
            One(LParen),
            Name,
            One(Comma),
            Name,
            One(Arrow),
            Words(&["fmt"]),
            One(Comma),
            Name,
            One(Arrow),
            Words(&["va"]),
            One(RParen),
        ],
        "{0}: string = {1};",
    ),
    field(&[Words(&["__cpumask"]), One(LParen), Name, One(RParen)], "{0}: cpumask;"),
    field(&[Words(&["__bitmask"]), One(LParen), Name, One(Comma), CValue, One(RParen)], "{0}: bitmask;"),
    field(&[Words(&["__sockaddr"]), One(LParen), Name, One(Comma), CValue, One(RParen)], "{0}: sockaddr;"),
];

/// A clause of another tool: a word and what follows it up to the end of the statement.
pub(super) struct ForeignClause {
    pub(super) words: &'static [&'static str],
    pub(super) takes: Takes,
    /// The translation; `{0}` is what follows the word.
    pub(super) instead: &'static str,
    /// Whether the translation is a clause, and not a part of one.
    pub(super) is_clause: bool,
}

/// What follows the word of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// A number with a unit of time.
    Duration,
    /// A number.
    Number,
    /// A name.
    Name,
    /// A string, or a word that needs quotes.
    Text,
    /// A condition.
    Condition,
    /// Events, of which the first has a system, and the rest of their clause.
    Events,
}

/// The clauses, in the order in which they are tried.
pub(super) const CLAUSES: &[ForeignClause] = &[
    clause(ENDS, Takes::Duration, "stop after {0}"),
    clause(ENDS, Takes::Number, "stop after {0}s"),
    clause(&["stacktrace", "stack_trace", "backtrace", "callgraph"], Takes::Nothing, "option stacktrace"),
    clause(&["log", "file", "write", "save", "to"], Takes::Text, "output \"{0}\""),
    clause(VERBS, Takes::Events, "trace {0}"),
    clause(&["buffer_size_kb"], Takes::Number, "buffer {0}KiB per cpu"),
    clause(&["buffer_total_size_kb"], Takes::Number, "buffer {0}KiB total"),
    clause(&["trace_clock"], Takes::Name, "clock {0}"),
    part(&["where"], Takes::Condition, "if {0}"),
    part(&["cpu", "cpus"], Takes::Number, "if current.cpu == {0}"),
    // The id of a process is that of its first thread; the message says so.
    part(&["pid", "tid", "process", "thread", "task"], Takes::Number, "if current.pid == {0}"),
    part(&["comm", "command", "program"], Takes::Text, "if current.comm == \"{0}\""),
];

/// Words that limit the time of a session elsewhere.
const ENDS: &[&str] = &["duration", "timeout", "for", "during", "runtime", "stop_after", "sleep", "wait"];

const fn clause(words: &'static [&'static str], takes: Takes, instead: &'static str) -> ForeignClause {
    ForeignClause { words, takes, instead, is_clause: true }
}

const fn part(words: &'static [&'static str], takes: Takes, instead: &'static str) -> ForeignClause {
    ForeignClause { words, takes, instead, is_clause: false }
}

/// The commands and programs, in the order in which they are tried.
pub(super) const COMMANDS: &[ForeignCommand] = &[
    bpftrace(&[Words(PROBES), One(Colon), Name, One(Colon)]),
    bpftrace(&[Words(PROBES), One(Colon), Braced]),
    bpftrace(&[Words(&["uprobe", "uretprobe", "usdt"]), One(Colon)]),
    bpftrace(&[Words(&["BEGIN", "END"]), One(LBrace)]),
    bpftrace(&[Path, Action]),
    bpftrace(&[Words(&["bpftrace"]), Further]),
    ForeignCommand { written: &[Words(&["perf"]), Further], tool: "perf" },
    ForeignCommand { written: &[Words(&["strace"]), Further], tool: "strace" },
    trace_cmd(&[Words(&["trace"]), One(Minus), Words(&["cmd"])]),
    trace_cmd(&[One(Minus), Adjacent, Name]),
    trace_cmd(&[One(Minus), Adjacent, One(Minus), Adjacent, Name]),
    ForeignCommand { written: &[Words(SHELL), Further], tool: "a shell" },
];

/// The texts of C, in the order in which they are tried.
pub(super) const TEXTS: &[ForeignText] = &[
    header(&[Words(&["TRACE_EVENT", "TRACE_EVENT_CONDITION", "TRACE_EVENT_FN"]), One(LParen)]),
    header(&[Words(&["DECLARE_EVENT_CLASS", "DEFINE_EVENT", "DEFINE_EVENT_PRINT"]), One(LParen)]),
    header(&[Words(&["DEFINE_EVENT_CONDITION", "DEFINE_EVENT_FN"]), One(LParen)]),
    header(&[Words(PARTS_OF_TRACE_EVENT), One(LParen)]),
    ForeignText {
        written: &[Words(C_TYPES), Function, One(LParen)],
        tool: "C",
        advice: "define the event in a file: `event {0} at kprobe {0};`",
    },
    ForeignText {
        written: &[One(Kind::Broken), Words(&["define"]), Words(&["TRACE_SYSTEM"]), Name],
        tool: "the preprocessor of C",
        advice: "begin the file with `subsystem {0};`",
    },
    ForeignText {
        written: &[One(Kind::Broken), Words(&["define"]), Name, Value],
        tool: "the preprocessor of C",
        advice: "write `const {0} = {1};`",
    },
    ForeignText {
        written: &[One(Kind::Broken), Words(&["include"]), One(Less), Words(&["errno"])],
        tool: "the preprocessor of C",
        advice: "write `use std::errno;`",
    },
    ForeignText {
        written: &[One(Kind::Broken), Words(&["include"]), One(Less), Words(&["signal"])],
        tool: "the preprocessor of C",
        advice: "write `use std::signal;`",
    },
    header(&[One(Kind::Broken), Words(&["define", "include", "undef", "ifdef", "ifndef", "if"])]),
];

/// The beginning of a file of JSON.
pub(super) const JSON: &[Part] = &[One(LBrace), One(Kind::Str), One(Colon)];

/// Macros within TRACE_EVENT, which name no event by themselves (include/linux/tracepoint.h and
/// include/trace/stages/stage1_struct_define.h).
const PARTS_OF_TRACE_EVENT: &[&str] = &[
    "TP_PROTO",
    "TP_ARGS",
    "TP_STRUCT__entry",
    "TP_fast_assign",
    "TP_printk",
    "TP_CONDITION",
    "__field",
    "__field_ext",
    "__field_struct",
    "__array",
    "__dynamic_array",
    "__string",
    "__string_len",
    "__vstring",
    "__bitmask",
    "__cpumask",
    "__sockaddr",
];

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

/// What joins events elsewhere.
const SEPARATORS: &[&str] = &[",", "||", "|", "+", "&&", "&", "and", "or"];

/// Words that stand before an event elsewhere.
const VERBS: &[&str] =
    &["record", "enable", "watch", "monitor", "capture", "probe", "event", "events", "trace"];

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

const CONTAINS: Part = Words(&["contains", "includes"]);
const BEGINNING: Part = Words(&["startswith", "starts_with", "beginswith", "starts", "begins"]);
const ENDING: Part = Words(&["endswith", "ends_with", "ends"]);
const WITH: Part = Words(&["with"]);
const LIKE: Part = Words(&["like"]);
const MATCHES: Part = Words(&["matches", "regex", "regexp", "rlike"]);
const BETWEEN: Part = Words(&["between"]);
const AND: Part = Words(&["and"]);
const NOT: Part = Words(&["not"]);
const IS: Part = Words(&["is"]);
const LESS: Part = Words(&["less", "lower", "smaller", "below"]);
const MORE: Part = Words(&["more", "greater", "higher", "larger", "above"]);
const THAN: Part = Words(&["than"]);
const EMPTY: Part = Words(&["empty"]);
const IN: Part = Words(&["in"]);

const fn events(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Events, written, before: 0, instead, certain: true, remark: None }
}

const fn condition(before: usize, written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Condition, written, before, instead, certain: true, remark: None }
}

const fn divided(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Action, written, before: 1, instead, certain: true, remark: None }
}

const fn joined(before: usize, written: &'static [Part]) -> ForeignForm {
    ForeignForm {
        context: Context::Events,
        written,
        before,
        instead: "{{0}, {1}}",
        certain: true,
        remark: None,
    }
}

const fn action(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Action, written, before: 0, instead, certain: true, remark: None }
}

const fn operand(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 0, instead, certain: true, remark: None }
}

const fn guess(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 0, instead, certain: false, remark: None }
}

const fn not_in(before: usize, written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before, instead, certain: false, remark: None }
}

const fn of_test(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 2, instead, certain: true, remark: None }
}

const fn field(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Field, written, before: 0, instead, certain: false, remark: None }
}

const fn set(written: &'static [Part], certain: bool) -> ForeignForm {
    ForeignForm { context: Context::Set, written, before: 0, instead: "{{0}..={1}}", certain, remark: None }
}

/// Adds that a word is taken for a text.
const fn of_text(form: ForeignForm) -> ForeignForm {
    ForeignForm { remark: Some(&Remark::Text), ..form }
}

/// A range whose last value is the last one in it.
const fn inclusive(form: ForeignForm) -> ForeignForm {
    ForeignForm { remark: Some(&Remark::Inclusive), ..form }
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
        advice: "if a kernel has the event, name it as SYSTEM:EVENT, which `tracec list` shows; a definition with `event`, \
                 whose parts are `proto`, `entry` and `print`, is recorded by `tracec run FILE --target module`",
    }
}
