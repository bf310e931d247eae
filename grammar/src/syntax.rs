//! What a `.trc` text says, as values: no kernel is known here, nothing is resolved or typed.
//!
//! Expressions live in one arena per file and refer to each other by [`ExprId`], so that a tree of any depth is
//! dropped, copied and compared without recursion.

use crate::span::{Span, Spanned};

/// A word of the language used as a name.
pub type Name = Spanned<String>;

/// A whole source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The `//!` lines at the top, joined by newlines, without their markers.
    pub doc: Option<Spanned<String>>,
    /// What the file declares, in the order it is written. Declarations that could not be parsed are left out; their
    /// diagnostics say so.
    pub declarations: Vec<Declaration>,
    /// Every expression of the file.
    pub exprs: Exprs,
}

impl File {
    /// The sessions in the order they are written.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.declarations.iter().filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Session(session) => Some(session),
            _ => None,
        })
    }
}

/// One thing that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// What it says.
    pub kind: DeclarationKind,
    /// From its first word to its semicolon or closing brace.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a file has few declarations, and a box would be in everybody's way"
)]
pub enum DeclarationKind {
    /// `use std::errno;`, `use "common.trc";`, `use "common.trc" as common;`
    Use(Use),
    /// `const NAME: TYPE = EXPR;`
    Const(Const),
    /// `enum NAME: TYPE { .. }`: values of which a field has one.
    Enum(Enum),
    /// `flags NAME: TYPE { .. }`: bits of which a field has any.
    Flags(Enum),
    /// `subsystem NAME;`: the `TRACE_SYSTEM` of the events that the file defines.
    Subsystem(Name),
    /// `include <linux/blkdev.h>;` or `include "driver.h";`: a C header for the types of the file's events.
    Header(Header),
    /// `class NAME { .. }`: `DECLARE_EVENT_CLASS`.
    Class(Class),
    /// `event NAME ..`: an event of its own, of a class, or at a place of the kernel.
    Event(EventDefinition),
    /// `session NAME { .. }`
    Session(Session),
    /// `lint allow NAME, ..;` for the whole file.
    Lint(LintLevel),
}

/// `use ..;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// What is imported.
    pub target: UseTarget,
    /// `as NAME`: how the file calls it; else by the last part of the path, or the stem of the file's name.
    pub alias: Option<Name>,
}

/// What a `use` imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UseTarget {
    /// `std::errno`: a module that comes with the language.
    Module(Vec<Name>),
    /// `"common.trc"`: a file, relative to the one it is named in.
    File(Spanned<String>),
}

/// `const NAME: TYPE = EXPR;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Const {
    /// The name.
    pub name: Name,
    /// The type; without one, that of the value.
    pub ty: Option<TypeRef>,
    /// The value.
    pub value: ExprId,
}

/// `enum NAME: TYPE { MEMBER = EXPR "text", .. }`, also of `flags`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name.
    pub name: Name,
    /// The integer type that carries it; `u32` where nothing is written.
    pub ty: Option<TypeRef>,
    /// Its members in the order they are written.
    pub members: Vec<EnumMember>,
}

/// `NAME = EXPR "text"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumMember {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The name.
    pub name: Name,
    /// The value; without one, an `enum` counts on from the member before (the first is 0) and `flags` take the next
    /// bit (the first is 1).
    pub value: Option<ExprId>,
    /// How a record prints it; without one, by its name.
    pub text: Option<Spanned<String>>,
    /// From the name to the text.
    pub span: Span,
}

/// A C header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The path between the brackets or quotes.
    pub path: Spanned<String>,
    /// `<..>` and not `".."`.
    pub angled: bool,
}

/// `class NAME { parts }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The name.
    pub name: Name,
    /// What every event of the class has.
    pub body: EventBody,
}

/// The parts of `TRACE_EVENT`, in the order they are written where that matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventBody {
    /// `proto (..)`: the arguments of the tracepoint (`TP_PROTO`, `TP_ARGS`).
    pub proto: Option<Spanned<Vec<Param>>>,
    /// `entry { .. }`: the fields of the record (`TP_STRUCT__entry`) and what they are set to.
    pub entry: Option<Spanned<Vec<EntryField>>>,
    /// `` assign `C` ``: statements of `TP_fast_assign` that expressions cannot say.
    pub assign: Option<Spanned<String>>,
    /// `print "..."` (`TP_printk`).
    pub print: Option<Template>,
}

/// `name: type`, of a tracepoint's arguments or of a probe's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: TypeRef,
    /// From the name to the type.
    pub span: Span,
}

/// `name: type = value;` in an `entry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryField {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: TypeRef,
    /// What it is set to; without one, the argument of the same name.
    pub value: Option<EntryValue>,
    /// From the name to the semicolon.
    pub span: Span,
}

/// What a field of a record is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// `= EXPR`.
    Expr(ExprId),
    /// `= (POINTER, COUNT)`: the elements of a dynamic array.
    Elements {
        /// The first element.
        pointer: ExprId,
        /// How many.
        count: ExprId,
    },
}

/// `event NAME ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDefinition {
    /// The name.
    pub name: Name,
    /// Which kind of definition.
    pub form: EventForm,
}

/// The ways to define an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a file has few events, and a box would be in everybody's way")]
pub enum EventForm {
    /// `event NAME { parts }`: `TRACE_EVENT`.
    Whole(EventBody),
    /// `event NAME: CLASS ..`: `DEFINE_EVENT` and its relatives.
    OfClass {
        /// The class.
        class: Name,
        /// `if (C)`: `DEFINE_EVENT_CONDITION`; its names are the arguments of the class.
        condition: Option<ExprId>,
        /// `with (REG, UNREG)`: `DEFINE_EVENT_FN`.
        hooks: Option<Hooks>,
        /// `{ print "..." }`: `DEFINE_EVENT_PRINT`.
        print: Option<Template>,
    },
    /// `event NAME at KIND TARGET ..`: where the kernel or a program is, without a change to either.
    At(Probe),
}

/// `with (REG, UNREG)`: functions that run with the first and the last probe of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// Runs when the first probe registers.
    pub register: Name,
    /// Runs when the last probe has gone.
    pub unregister: Name,
    /// From `with` to the parenthesis.
    pub span: Span,
}

/// `at KIND TARGET (ARGUMENTS) -> (RESULT) { fields }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// `kprobe`, `kretprobe`, `uprobe`, `uretprobe`, `usdt`, `event`, `fentry`, `fexit`, `tp_btf`, `raw_tp`, `fprobe`,
    /// `tprobe`, `perf`: any word is syntax, the checker knows which exist.
    pub kind: Name,
    /// Where.
    pub target: ProbeTarget,
    /// `(name: type, ..)`: the function's arguments that are of interest, in its order.
    pub params: Option<Spanned<Vec<Param>>>,
    /// `-> (name: type)`: what the function returns.
    pub result: Option<Param>,
    /// `{ .. }`: the fields of the record; without a block, the arguments and the result.
    pub fields: Option<Spanned<Vec<ProbeField>>>,
    /// `print "..."`, last in the block.
    pub print: Option<Template>,
}

/// Where a probe is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeTarget {
    /// `vfs_read`, `vfs_read+8`, `ext4:ext4_sync_file` (a module's function).
    Symbol {
        /// The module, before the colon.
        module: Option<Name>,
        /// The function, tracepoint or counter.
        symbol: Name,
        /// Bytes behind its start.
        offset: Option<Spanned<u64>>,
    },
    /// `"/bin/bash":readline`, `"/bin/bash":readline+4`, `"/bin/bash":0x1234`, and of `usdt` `"/bin/x":provider:name`.
    Binary {
        /// The file.
        path: Spanned<String>,
        /// The provider of a `usdt`.
        provider: Option<Name>,
        /// The symbol; `None` where only an address is given.
        symbol: Option<Name>,
        /// Bytes behind the symbol, or the address in the file.
        offset: Option<Spanned<u64>>,
    },
    /// `sched:sched_process_exec`: another event.
    Event(EventPath),
}

/// A field of a probe's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeField {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The name; the kernel gives one where there is none.
    pub name: Option<Name>,
    /// `= %di`, `= +4($stack)`, `@jiffies`: the kernel's own fetch argument, blanks at its ends removed; without one,
    /// the argument or field of the same name.
    pub fetch: Option<Spanned<String>>,
    /// `: type`.
    pub ty: Option<TypeRef>,
    /// The whole field with its semicolon.
    pub span: Span,
}

/// A type as written: pointers, a base, an array. Flat, so that no depth has to be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRef {
    /// The `*` before the base, outermost first.
    pub pointers: Vec<Spanned<Pointer>>,
    /// What they point to, or the type itself.
    pub base: TypeBase,
    /// `[LENGTH]` or `[]` behind the base.
    pub array: Option<Spanned<Option<ExprId>>>,
    /// The whole type.
    pub span: Span,
}

/// One `*` of a type and the words behind it: `*user`, `*const`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// `user`: it points into user memory.
    pub user: bool,
    /// `const`: what it points to is not written.
    pub constant: bool,
}

/// The innermost part of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeBase {
    /// `u32`, `dev_t`, `string`, `unsigned long`: one or more words.
    Words(Vec<Name>),
    /// `struct NAME`, `union NAME`, `enum NAME`.
    Tagged {
        /// Which of the three.
        tag: Spanned<Tag>,
        /// The C tag.
        name: Name,
    },
    /// `user string`: text in user memory, copied into the record.
    UserString,
}

/// The words before a C tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// `struct`
    Struct,
    /// `union`
    Union,
    /// `enum`
    Enum,
}

/// `"dev={dev:dev} {bytes > 4096 ? "big" : "small"}"`: text with placeholders. `{{` and `}}` are braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Text and placeholders in turn; no two texts in a row, none empty.
    pub parts: Vec<TemplatePart>,
    /// With the quotes.
    pub span: Span,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text, escapes resolved.
    Text(String),
    /// `{EXPR}` or `{EXPR:FORMAT}`.
    Placeholder {
        /// What is printed.
        value: ExprId,
        /// How: width, base, printk extension. The text behind the first colon that is none of the expression's.
        format: Option<Spanned<String>>,
        /// With the braces.
        span: Span,
    },
}

/// `lint LEVEL NAME, ..;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintLevel {
    /// `allow`, `warn`, `deny`: any word is syntax.
    pub level: Name,
    /// The lints: their names may hold dashes.
    pub names: Vec<Name>,
}

/// `session NAME(params) { clauses }`, or the anonymous session of a one-liner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The name; a one-liner has none.
    pub name: Option<Name>,
    /// What can be set from outside.
    pub params: Vec<SessionParam>,
    /// What stands between the braces. Clauses that could not be parsed are left out; their diagnostics say so.
    pub clauses: Vec<Clause>,
    /// From the word `session` to the closing brace.
    pub span: Span,
}

/// `name: type = default`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionParam {
    /// The name.
    pub name: Name,
    /// The type; without one, that of the default.
    pub ty: Option<TypeRef>,
    /// The value where nothing else is said; without one, it has to be set.
    pub default: Option<ExprId>,
    /// From the name to the default.
    pub span: Span,
}

/// One clause of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// What it says.
    pub kind: ClauseKind,
    /// From its first word to its semicolon or closing brace.
    pub span: Span,
}

/// The kinds of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `trace EVENTS [having f, ..] [if C] { items }` or `trace EVENTS [if C];`: record.
    Trace(EventClause),
    /// `on EVENTS [having f, ..] [if C] { items }`: triggers only.
    On(EventClause),
    /// `buffer SIZE [per cpu | total];`
    Buffer {
        /// The size, an integer or a size literal.
        size: ExprId,
        /// What the size counts; `None` where nothing is written.
        scope: Option<Spanned<BufferScope>>,
    },
    /// `clock NAME;`. Names may hold dashes (`x86-tsc`).
    Clock(Name),
    /// `option NAME [on|off];`. Names may hold dashes (`sym-offset`).
    Option {
        /// The option's kernel name as written.
        name: Name,
        /// `on` or `off`; `None` where nothing is written, which means on.
        value: Option<Spanned<bool>>,
    },
    /// `scope SUBJECT, .. [and children];`: who is traced.
    Scope {
        /// Who: all of them together.
        subjects: Vec<ScopeSubject>,
        /// The place of `and children`.
        children: Option<Span>,
    },
    /// `instance;` or `instance "name";`: the ring of the session, by this name.
    Instance(Option<Spanned<String>>),
    /// `global { clauses }` or `global discarding { clauses }`: in the machine's top-level state.
    Global {
        /// The place of `discarding`.
        discarding: Option<Span>,
        /// What is done there.
        clauses: Vec<Clause>,
    },
    /// `stream;`: records are read while they come.
    Stream,
    /// `ring;` or `ring last 10s;`: the newest records are kept and read at the end.
    Ring {
        /// How far back.
        last: Option<ExprId>,
    },
    /// `stop ..;`
    Stop(StopRule),
    /// `start paused;`: everything is armed, nothing recorded until `tracec resume`.
    StartPaused,
    /// `marker "text";`: written into the ring when the session starts.
    Marker(Spanned<String>),
    /// `output "FILE";`
    Output(Spanned<String>),
    /// `include SESSION(name = EXPR, ..);`: the clauses of another session.
    Include {
        /// The session: `NAME` of this file, `module::NAME` of an import.
        session: Spanned<Vec<Name>>,
        /// What its parameters are set to.
        args: Vec<Argument>,
    },
    /// `when has FEATURE { clauses } else { clauses }`.
    When(When),
    /// `lint allow NAME, ..;` for the session.
    Lint(LintLevel),
}

/// Who is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSubject {
    /// Who.
    pub kind: ScopeKind,
    /// From its first word to its last.
    pub span: Span,
}

/// The ways to say who is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// `process 123`: all threads of a process.
    Process(ExprId),
    /// `thread 7`: one thread.
    Thread(ExprId),
    /// `command`: the command that the session runs.
    Command,
    /// `comm "x*"`: tasks of that name.
    Comm(Spanned<String>),
    /// `cgroup "path"`: the tasks of a control group.
    Cgroup(Spanned<String>),
    /// `cpus 0-3`, `cpus 2`: first and last CPU.
    Cpus {
        /// The first.
        first: Spanned<u64>,
        /// The last; the first where nothing is written.
        last: Option<Spanned<u64>>,
    },
}

/// What ends a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// `stop after 30s;`: time.
    After(ExprId),
    /// `stop when EVENTS [if C] [count N | once];`: the event, the N-th time.
    When {
        /// Which events.
        events: EventSet,
        /// Under which condition.
        condition: Option<ExprId>,
        /// The how many-th time; the first where nothing is written.
        count: Option<Spanned<u64>>,
    },
    /// `stop on SIGUSR1;`: a signal to tracec.
    On(Name),
    /// `stop with command;` or `stop with process 123;`: when it ends.
    With {
        /// The process; `None` is the command that the session runs.
        process: Option<ExprId>,
    },
}

/// `name = EXPR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The parameter.
    pub name: Name,
    /// What it is set to.
    pub value: ExprId,
    /// The whole.
    pub span: Span,
}

/// `when has FEATURE { .. } else ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// What the kernel must have.
    pub feature: Feature,
    /// The clauses for a kernel that has it.
    pub then: Vec<Clause>,
    /// The clauses for one that has not; `else when ..` is one clause.
    pub otherwise: Option<Vec<Clause>>,
}

/// What a kernel may have or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// What it is.
    pub kind: FeatureKind,
    /// From its first word to its last.
    pub span: Span,
}

/// The kinds of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// `event sched:sched_waking`.
    Event(EventPath),
    /// `field sched:sched_switch.prev_prio`.
    Field {
        /// The event.
        event: EventPath,
        /// Its field.
        field: Name,
    },
    /// `option func-args`, `clock tai`, `trigger hist`, `tracer osnoise`, `feature cpu-lists`: any first word is syntax.
    Named {
        /// The kind of thing.
        what: Name,
        /// Its name.
        name: Name,
    },
}

/// What a `buffer` size counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferScope {
    /// Each CPU's ring has the size.
    PerCpu,
    /// All rings together have it.
    Total,
}

/// The shape that `trace` and `on` share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventClause {
    /// Which events.
    pub events: EventSet,
    /// `having f, ..`: only those of them that have these fields.
    pub having: Vec<Name>,
    /// The head's `if`: gates all in the block.
    pub condition: Option<ExprId>,
    /// What stands in the block, in order.
    pub items: Vec<Item>,
}

/// A set of events: `a:b`, `a:*`, `"pattern"`, `{a:b, c:d}`, each with `except ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSet {
    /// The paths that put events in.
    pub include: Vec<EventPath>,
    /// The paths that take events out.
    pub except: Vec<EventPath>,
    /// The whole set.
    pub span: Span,
}

/// One way to name events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPath {
    /// How they are named.
    pub kind: EventPathKind,
    /// The whole path.
    pub span: Span,
}

/// The ways to name events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventPathKind {
    /// `system:name`, `system:*`, `*:name`, `*:*`; `None` is the star.
    Path {
        /// Before the colon.
        system: Option<Name>,
        /// Behind the colon.
        name: Option<Name>,
    },
    /// A quoted pattern, `"sched:*wake*"`, for everything that words cannot spell.
    Pattern(String),
    /// A name without a system: a definition of the file, or unique in the profile.
    Bare(String),
}

/// One item of a `trace` or `on` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// What it says.
    pub kind: ItemKind,
    /// From its first word to its semicolon.
    pub span: Span,
}

/// The kinds of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `filter [in kernel] C;`: narrows recording only.
    Filter {
        /// The place of `in kernel`: nowhere else.
        in_kernel: Option<Span>,
        /// Under which condition.
        condition: ExprId,
    },
    /// `trigger ACTION [EVENT] [count N | once] [if C];`
    Trigger {
        /// `stacktrace`, `traceon`, `traceoff`, `enable_event`: any word is syntax, the checker knows which exist.
        action: Name,
        /// The event that `enable_event` and its relatives act on.
        target: Option<EventPath>,
        /// How often it may fire.
        count: Option<Spanned<u64>>,
        /// Its own condition, added to the head's.
        condition: Option<ExprId>,
    },
    /// `lint allow NAME, ..;` for the clause.
    Lint(LintLevel),
}

/// Index of an expression in its file's [`Exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// All expressions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exprs {
    nodes: Vec<Expr>,
}

impl Exprs {
    /// Adds an expression whose operands are already here.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.nodes.push(expr);
        ExprId(self.nodes.len() as u32 - 1)
    }

    /// The number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every expression with its id; operands come before what uses them.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.iter().enumerate().map(|(index, expr)| (ExprId(index as u32), expr))
    }

    /// Gives an expression the place of the parentheses around it.
    pub(crate) fn set_span(&mut self, id: ExprId, span: Span) {
        self.nodes[id.0 as usize].span = span;
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }
}

/// An expression and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, its parentheses included.
    pub span: Span,
    /// Nodes on the longest path below and including this one; at most [`crate::MAX_DEPTH`].
    pub depth: u32,
}

/// The kinds of expressions. One untyped ladder: what fits where is the checker's question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// Could not be parsed, or lay too deep; a diagnostic has been given.
    Error,
    /// `42`, `0x2a`, `0o52`, `0b101010`, `1_000`.
    Int(u64),
    /// `64KiB`: bytes; a plain factor.
    Size(u64),
    /// `10ms`, in nanoseconds.
    Duration(u64),
    /// A string literal, escapes resolved.
    Str(String),
    /// `10.0.0.1`, `10.0.0.0/8`, `2001:db8::1`, `fe80::/10`: an address or a prefix.
    Address(Address),
    /// `CPUS{0-3,8}`: ranges of CPU numbers, both ends in; ascending and apart as written.
    Cpus(Vec<(u32, u32)>),
    /// A name: field, pseudo-field, constant.
    Name(String),
    /// `base.member`: `current.comm`, a modifier.
    Member {
        /// Before the dot.
        base: ExprId,
        /// Behind the dot.
        member: Name,
    },
    /// `a::b`: a constant of a module or enum.
    Path(Vec<Name>),
    /// `a->b`, of C-like expressions only.
    Arrow {
        /// Before the arrow.
        base: ExprId,
        /// Behind the arrow.
        member: Name,
    },
    /// `a[i]`.
    Index {
        /// Before the bracket.
        base: ExprId,
        /// Between the brackets.
        index: ExprId,
    },
    /// `f(a, b)`: a call of C, or a modifier with an argument (`bytes.buckets(64)`).
    Call {
        /// What is called.
        function: ExprId,
        /// With what.
        args: Vec<ExprId>,
    },
    /// `x as T`.
    Cast {
        /// What.
        operand: ExprId,
        /// As what.
        ty: TypeRef,
    },
    /// `x in {1, 2, 5..=9}`, `!` of which is written `!(x in ..)`.
    In {
        /// What.
        operand: ExprId,
        /// Of which.
        members: Vec<SetMember>,
        /// The place of the word `in`.
        word: Span,
    },
    /// `c ? a : b`, of templates and assignments only.
    Choose {
        /// Which.
        condition: ExprId,
        /// Where it holds.
        then: ExprId,
        /// Where it does not.
        otherwise: ExprId,
    },
    /// `!x`, `-x`.
    Unary {
        /// The operator and its place.
        op: Spanned<UnaryOp>,
        /// Its operand.
        operand: ExprId,
    },
    /// Two operands.
    Binary {
        /// The operator and its place.
        op: Spanned<BinaryOp>,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `a && b && c`: two or more operands, flattened.
    And(Vec<ExprId>),
    /// `a || b || c`: two or more operands, flattened.
    Or(Vec<ExprId>),
}

/// A member of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetMember {
    /// One value.
    One(ExprId),
    /// `a..=b`: both ends in.
    Range {
        /// The first value.
        first: ExprId,
        /// The last value.
        last: ExprId,
    },
}

/// An IP address, or a prefix of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address.
    pub ip: core::net::IpAddr,
    /// The number of bits of a prefix.
    pub prefix: Option<u8>,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `&x`: the address, of C-like expressions only.
    AddressOf,
    /// `*x`: what it points to, of C-like expressions only.
    Deref,
}

/// Operators with two operands; `&&` and `||` are lists of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `~`: glob match
    Match,
    /// `!~`: no glob match
    NotMatch,
    /// `&`: bits in common; binds tighter than comparisons
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`: of the operand's own sign
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl BinaryOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Match => "~",
            BinaryOp::NotMatch => "!~",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }
}
