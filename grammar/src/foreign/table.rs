//! The table: the forms of other tools and languages, each with its translation.

use crate::lexer::Kind;

use Kind::{
    Address, Colon, Comma, Dot, DotDot, DotDotEq, EqEq, Greater, LBrace, LParen, Minus, NotEq, OrOr, RParen,
    Slash,
};
use Part::{
    CType, CValue, Condition, Device, Event, Events, Function, Kept, Like, Name, Path, Plain, Predicate,
    Quoted, Regex, Target, Token as One, Trigger, Value, Values, Words,
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

/// A text for another tool, known by its first tokens.
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

/// A part of a form. All but the first two keep a text.
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
    /// A token.
    Kept(Kind),
    /// The numbers of a device, `8:0`: the number that a record has for it.
    Device,
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
    operand(&[CONTAINS, Plain], "~ \"*{0}*\""),
    operand(&[STARTS, Plain], "~ \"{0}*\""),
    operand(&[STARTS, WITH, Plain], "~ \"{0}*\""),
    guess(&[STARTS, WITH, Name], "~ \"{0}*\""),
    operand(&[ENDS, Plain], "~ \"*{0}\""),
    operand(&[ENDS, WITH, Plain], "~ \"*{0}\""),
    guess(&[ENDS, WITH, Name], "~ \"*{0}\""),
    // A word may be a string without quotes.
    guess(&[CONTAINS, Name], "~ \"*{0}*\""),
    guess(&[STARTS, Name], "~ \"{0}*\""),
    guess(&[ENDS, Name], "~ \"*{0}\""),
    operand(&[LIKE, Like], "~ \"{0}\""),
    guess(&[LIKE, Regex], "~ {0}"),
    guess(&[MATCHES, Regex], "~ {0}"),
    operand(&[BETWEEN, Value, AND, Value], "in {{0}..={1}}"),
    operand(&[BETWEEN, One(LParen), Value, One(Comma), Value, One(RParen)], "in {{0}..={1}}"),
    operand(&[NOT, CONTAINS, Plain], "!~ \"*{0}*\""),
    operand(&[NOT, STARTS, Plain], "!~ \"{0}*\""),
    operand(&[NOT, ENDS, Plain], "!~ \"*{0}\""),
    operand(&[NOT, LIKE, Like], "!~ \"{0}\""),
    guess(&[NOT, LIKE, Regex], "!~ {0}"),
    guess(&[NOT, MATCHES, Regex], "!~ {0}"),
    ForeignForm {
        before: 3,
        ..operand(&[Name, One(Dot), Name, NOT, BETWEEN, Value, AND, Value], "!({0}.{1} in {{2}..={3}})")
    },
    ForeignForm { before: 1, ..operand(&[Name, NOT, BETWEEN, Value, AND, Value], "!({0} in {{1}..={2}})") },
    operand(&[IS, NOT, EMPTY], "!= \"\""),
    operand(&[IS, EMPTY], "== \"\""),
    operand(&[IS, NOT, NULL], "!= NULL"),
    operand(&[IS, NULL], "== NULL"),
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
    // A list behind a comparison; the condition before it is complete.
    ForeignForm { before: 2, ..events(&[One(EqEq), Value, Values], "in {{0}, {1}}") },
    ForeignForm { before: 3, ..events(&[One(EqEq), Value, Values], "in {{0}, {1}}") },
    ForeignForm {
        before: 5,
        ..events(&[Name, One(Dot), Name, One(NotEq), Value, Values], "!({0}.{1} in {{2}, {3}})")
    },
    ForeignForm { before: 3, ..events(&[Name, One(NotEq), Value, Values], "!({0} in {{1}, {2}})") },
    // The kernel writes a device as one number; people write two.
    ForeignForm { before: 2, ..events(&[One(EqEq), Device], "== {0}") },
    ForeignForm { before: 2, ..events(&[One(NotEq), Device], "!= {0}") },
    // An address with its port.
    ForeignForm {
        before: 3,
        ..events(
            &[Words(&["daddr"]), One(EqEq), Kept(Address), One(Colon), Value],
            "daddr == {0} && dport == {1}",
        )
    },
    ForeignForm {
        before: 3,
        ..events(
            &[Words(&["saddr"]), One(EqEq), Kept(Address), One(Colon), Value],
            "saddr == {0} && sport == {1}",
        )
    },
    set(&[Value, One(DotDotEq), Value], true),
    // Shells include the last number, Rust does not.
    set(&[Value, One(DotDot), Value], false),
    set(&[Value, One(Minus), Value], true),
    set(&[Words(&["range"]), One(LParen), Value, One(Comma), Value, One(RParen)], false),
    ForeignForm { instead: "{{0}, {1}}", ..set(&[Value, Values], true) },
    ForeignForm { instead: "{{0}}", ..set(&[Value], true) },
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
pub(super) const TEXTS: &[ForeignText] = &[
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

const CONTAINS: Part = Words(&["contains", "includes"]);
const STARTS: Part = Words(&["startswith", "starts_with", "beginswith", "starts", "begins"]);
const ENDS: Part = Words(&["endswith", "ends_with", "ends"]);
const WITH: Part = Words(&["with"]);
const LIKE: Part = Words(&["like", "LIKE"]);
const MATCHES: Part = Words(&["matches", "regex", "regexp", "rlike", "REGEXP", "RLIKE"]);
const BETWEEN: Part = Words(&["between", "BETWEEN"]);
const AND: Part = Words(&["and", "AND"]);
const NOT: Part = Words(&["not", "NOT"]);
const IS: Part = Words(&["is", "IS"]);
const EMPTY: Part = Words(&["empty"]);
const NULL: Part = Words(&["null", "NULL", "nil", "None"]);
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

const fn events(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Events, written, before: 0, instead, certain: true }
}

const fn joined(before: usize, written: &'static [Part]) -> ForeignForm {
    ForeignForm { context: Context::Events, written, before, instead: "{{0}, {1}}", certain: true }
}

const fn operand(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 0, instead, certain: true }
}

const fn guess(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 0, instead, certain: false }
}

const fn of_test(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Operand, written, before: 2, instead, certain: true }
}

const fn field(written: &'static [Part], instead: &'static str) -> ForeignForm {
    ForeignForm { context: Context::Field, written, before: 0, instead, certain: false }
}

const fn set(written: &'static [Part], certain: bool) -> ForeignForm {
    ForeignForm { context: Context::Set, written, before: 0, instead: "{{0}..={1}}", certain }
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
