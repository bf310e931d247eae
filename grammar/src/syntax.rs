//! The syntax of a `.trc` text as values, without a kernel: nothing is resolved or typed.
//!
//! Expressions are stored in one arena per file and refer to each other by [`ExprId`], so that a tree of any depth is
//! dropped, copied and compared without recursion.

use std::ops::Range;

use crate::span::{Span, Spanned};

/// A word of the language used as a name.
pub type Name = Spanned<String>;

/// A whole source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The `//!` lines at the top, joined by newlines, without their markers.
    pub doc: Option<Spanned<String>>,
    /// The declarations of the file, in the order they are written. Declarations that could not be parsed are left out;
    /// their mistakes are reported.
    pub declarations: Vec<Declaration>,
    /// Every expression of the file.
    pub exprs: Exprs,
}

impl File {
    /// Returns the sessions in the order they are written.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.declarations.iter().filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Session(session) => Some(session),
            _ => None,
        })
    }
}

/// A declaration of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The kind and the content.
    pub kind: DeclarationKind,
    /// From its first word to its semicolon or closing brace.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// `use std::errno;`, `use "common.trc";`, `use "common.trc" as common;`
    Use(Use),
    /// `const NAME: TYPE = EXPR;`
    Const(Const),
    /// `enum NAME: TYPE { .. }`: values; a field has one of them.
    Enum(Enum),
    /// `flags NAME: TYPE { .. }`: bits; a field has any of them.
    Flags(Enum),
    /// `subsystem NAME;`: the `TRACE_SYSTEM` of the events that the file defines.
    Subsystem(Name),
    /// `include <linux/blkdev.h>;` or `include "driver.h";`: a C header for the types of the file's events.
    Header(Header),
    /// `class NAME { .. }`: `DECLARE_EVENT_CLASS`.
    Class(Box<Class>),
    /// `event NAME ..`: an event of its own, of a class, or at a place of the kernel.
    Event(Box<EventDefinition>),
    /// `session NAME { .. }`
    Session(Session),
    /// `lint allow NAME, ..;` for the whole file.
    Lint(LintLevel),
}

/// `use ..;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The imported module or file.
    pub imported: Imported,
    /// `as NAME`: its name in the file; otherwise the last part of the path, or the stem of the file's name.
    pub alias: Option<Name>,
}

/// What a `use` imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// `std::errno`: a module of the standard library.
    Module(Vec<Name>),
    /// `"common.trc"`: a file, relative to the file with the `use`.
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

/// `enum NAME: TYPE { MEMBER = EXPR "text", .. }`, also for `flags`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name.
    pub name: Name,
    /// The integer type of the values; `u32` by default.
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
    /// The value; without one, an `enum` continues from the member before (the first is 0) and `flags` take the next
    /// bit (the first is 1).
    pub value: Option<ExprId>,
    /// Its text in a printed record; without one, its name.
    pub text: Option<Spanned<String>>,
    /// From the name to the text.
    pub span: Span,
}

/// A C header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The path between the brackets or quotes.
    pub path: Spanned<String>,
    /// Whether it is written `<..>` and not `".."`.
    pub angled: bool,
}

/// `class NAME { parts }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The name.
    pub name: Name,
    /// The parts that all events of the class share.
    pub body: EventBody,
}

/// The parts of `TRACE_EVENT`, in the order they are written where that matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventBody {
    /// `proto (..)`: the arguments of the tracepoint (`TP_PROTO`, `TP_ARGS`).
    pub proto: Option<Spanned<Vec<Param>>>,
    /// `entry { .. }`: the fields of the record (`TP_STRUCT__entry`) and their values.
    pub entry: Option<Spanned<Vec<EntryField>>>,
    /// `` assign `C` ``: statements of `TP_fast_assign` that cannot be written as expressions.
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
    /// The value; without one, the argument of the same name.
    pub value: Option<EntryValue>,
    /// From the name to the semicolon.
    pub span: Span,
}

/// The value of a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// `= EXPR`.
    Expr(ExprId),
    /// `= (POINTER, COUNT)`: the elements of a dynamic array.
    Elements {
        /// The first element.
        pointer: ExprId,
        /// The number of elements.
        count: ExprId,
    },
}

/// `event NAME ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDefinition {
    /// The name.
    pub name: Name,
    /// The kind of definition.
    pub form: EventForm,
}

/// The ways to define an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a file has few events, and a box would be in everybody's way")]
pub enum EventForm {
    /// `event NAME { parts }`: `TRACE_EVENT`.
    Whole {
        /// `if (C)`: `TRACE_EVENT_CONDITION`; its names are the arguments of the event.
        condition: Option<ExprId>,
        /// `with (REG, UNREG)`: `TRACE_EVENT_FN`.
        hooks: Option<Hooks>,
        /// The parts.
        body: EventBody,
    },
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
    /// `event NAME at KIND TARGET ..`: an event at a place in the kernel or a program, without a change to either.
    At(Probe),
}

/// `with (REG, UNREG)`: functions that run when the first probe of an event is registered and after the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// The function that runs when the first probe is registered.
    pub register: Name,
    /// The function that runs after the last probe is unregistered.
    pub unregister: Name,
    /// From `with` to the parenthesis.
    pub span: Span,
}

/// `at KIND TARGET (ARGUMENTS) -> (RESULT) { fields }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// `kprobe`, `kretprobe`, `uprobe`, `uretprobe`, `usdt`, `event`, `fentry`, `fexit`, `tp_btf`, `raw_tp`, `fprobe`,
    /// `tprobe`, `perf`: the syntax accepts any word, the checker knows which exist.
    pub kind: Name,
    /// The place.
    pub attach_point: AttachPoint,
    /// `(name: type, ..)`: the function's arguments that are used, in its order.
    pub params: Option<Spanned<Vec<Param>>>,
    /// `-> (name: type)`: the value that the function returns.
    pub result: Option<Param>,
    /// `{ .. }`: the fields of the record; without a block, the arguments and the result.
    pub fields: Option<Spanned<Vec<ProbeField>>>,
    /// `print "..."`, last in the block.
    pub print: Option<Template>,
}

/// The place of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachPoint {
    /// `vfs_read`, `vfs_read+8`, `ext4:ext4_sync_file` (a module's function).
    Symbol {
        /// The module, before the colon.
        module: Option<Name>,
        /// The function, tracepoint or counter.
        symbol: Name,
        /// The offset from its start in bytes.
        offset: Option<Spanned<u64>>,
    },
    /// `"/bin/bash":readline`, `"/bin/bash":readline+4`, `"/bin/bash":0x1234`, and for `usdt` `"/bin/x":provider:name`.
    Binary {
        /// The file.
        path: Spanned<String>,
        /// The provider of a `usdt`.
        provider: Option<Name>,
        /// The symbol; `None` where only an address is given.
        symbol: Option<Name>,
        /// The offset from the symbol in bytes, or the address in the file.
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
    /// The name; if there is none, the kernel assigns one.
    pub name: Option<Name>,
    /// `= %di`, `= +4($stack)`, `@jiffies`: the kernel's own fetch argument, without blanks at its ends; if there is
    /// none, the argument or field of the same name.
    pub fetch: Option<Spanned<String>>,
    /// `: type`.
    pub ty: Option<TypeRef>,
    /// The whole field with its semicolon.
    pub span: Span,
}

/// A type as written: pointers, a base, an array. It is flat, so that no depth has to be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRef {
    /// The `*` before the base, outermost first.
    pub pointers: Vec<Spanned<Pointer>>,
    /// The type that they point to, or the type itself.
    pub base: TypeBase,
    /// `[LENGTH]` or `[]` after the base.
    pub array: Option<Spanned<Option<ExprId>>>,
    /// The whole type.
    pub span: Span,
}

/// One `*` of a type and the words after it: `*user`, `*const`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// `user`: the pointer is into user memory.
    pub user: bool,
    /// `const`: the target is not written to.
    pub constant: bool,
}

/// The innermost part of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeBase {
    /// `u32`, `dev_t`, `string`, `unsigned long`: one or more words.
    Words(Vec<Name>),
    /// `errno::Errno`: an `enum` or `flags` of an import.
    Path(Vec<Name>),
    /// `struct NAME`, `union NAME`, `enum NAME`.
    Tagged {
        /// The word.
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
    /// Texts and placeholders; never two texts in a row, never an empty one.
    pub parts: Vec<TemplatePart>,
    /// The span, with the quotes.
    pub span: Span,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text, with escapes resolved.
    Text(String),
    /// `{EXPR}` or `{EXPR:FORMAT}`.
    Placeholder {
        /// The value.
        value: ExprId,
        /// The format: width, base, printk extension. It follows the first colon that is not part of the expression.
        format: Option<Spanned<String>>,
        /// The span, with the braces.
        span: Span,
    },
}

/// `lint LEVEL NAME, ..;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintLevel {
    /// `allow`, `warn`, `deny`: the syntax accepts any word.
    pub level: Name,
    /// The lints: their names may contain dashes.
    pub names: Vec<Name>,
}

/// `session NAME(params) { clauses }`, or the anonymous session of a one-liner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The name; a one-liner has none.
    pub name: Option<Name>,
    /// The parameters, which can be set from outside.
    pub params: Vec<SessionParam>,
    /// The clauses. Those that could not be parsed are left out; their mistakes are reported.
    pub clauses: Vec<Clause>,
    /// From the word `session` to the closing brace.
    pub span: Span,
}

impl Session {
    /// Returns the span from the word `session` to the name. A one-liner has neither: it is all of it.
    pub fn head(&self) -> Span {
        self.name.as_ref().map_or(self.span, |name| Span { end: name.span.end, ..self.span })
    }
}

/// `name: type = default`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionParam {
    /// The name.
    pub name: Name,
    /// The type; without one, that of the default.
    pub ty: Option<TypeRef>,
    /// The default value; without one, the parameter has to be set.
    pub default: Option<ExprId>,
    /// From the name to the default.
    pub span: Span,
}

/// One clause of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The kind and the content.
    pub kind: ClauseKind,
    /// From its first word to its semicolon or closing brace.
    pub span: Span,
}

/// The kinds of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `trace EVENTS [having f, ..] [if C] { items }` or `trace EVENTS [if C];`: record.
    Trace(Box<EventClause>),
    /// `on EVENTS [having f, ..] [if C] { items }`: triggers only.
    On(Box<EventClause>),
    /// `buffer SIZE [per cpu | total];`
    Buffer {
        /// The size, an integer or a size literal.
        size: ExprId,
        /// The scope of the size; `None` where nothing is written.
        scope: Option<Spanned<BufferScope>>,
    },
    /// `queue SIZE;`
    Queue(ExprId),
    /// `subbuffer SIZE;`
    Subbuffer(ExprId),
    /// `cmdlines NUMBER;`
    Cmdlines(ExprId),
    /// `rotate every SIZE [max N];`
    Rotate {
        /// The size of a file.
        size: ExprId,
        /// How many files are kept.
        max: Option<Spanned<u64>>,
    },
    /// `keep DURATION after;`
    Keep(ExprId),
    /// `clock NAME;`. Names may contain dashes (`x86-tsc`).
    Clock(Name),
    /// `recorder tracefs;`, `recorder bpf;`.
    Recorder(Name),
    /// `option NAME [on|off];`. Names may contain dashes (`sym-offset`).
    Option {
        /// The option's kernel name as written.
        name: Name,
        /// `on` or `off`; `None` where nothing is written, which means on.
        value: Option<Spanned<bool>>,
    },
    /// `scope SUBJECT, .. [and children];`: the tasks and CPUs that are traced.
    Scope {
        /// The subjects; the session traces their union.
        subjects: Vec<ScopeSubject>,
        /// The span of `and children`.
        children: Option<Span>,
    },
    /// `scope including tracec;`: what tracec's own tasks do is recorded too.
    IncludingTracec,
    /// `instance;` or `instance "name";`: the name of the session's instance.
    Instance(Option<ExprId>),
    /// `global { clauses }` or `global discarding { clauses }`: in the machine's top-level state.
    Global {
        /// The span of `discarding`.
        discarding: Option<Span>,
        /// The clauses of the block.
        clauses: Vec<Clause>,
    },
    /// `stream;`: records are read while they are written.
    Stream,
    /// `ring;` or `ring last 10s;`: the newest records are kept and read at the end.
    Ring {
        /// The time before the end from which records are kept.
        last: Option<ExprId>,
    },
    /// `dump on EVENTS to "FILE-{n}.dat";`: what the ring holds at an event is written to a file.
    Dump(Dump),
    /// `stop ..;`
    Stop(StopRule),
    /// `start paused;`: everything is armed, but nothing is recorded until `tracec resume`.
    StartPaused,
    /// `marker "text";`: a text written into the ring when the session starts.
    Marker(ExprId),
    /// `output "FILE";`
    Output(ExprId),
    /// `include SESSION(name = EXPR, ..);`: the clauses of another session.
    Include {
        /// The session: `NAME` of this file, `module::NAME` of an import.
        session: Spanned<Vec<Name>>,
        /// The values of its parameters.
        args: Vec<Argument>,
    },
    /// `when has FEATURE { clauses } else { clauses }`.
    When(Box<When>),
    /// `lint allow NAME, ..;` for the session.
    Lint(LintLevel),
}

/// A subject of a scope: tasks or CPUs that are traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSubject {
    /// The kind of subject.
    pub kind: ScopeKind,
    /// From its first word to its last.
    pub span: Span,
}

/// The kinds of subjects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// `process 123`: all threads of a process.
    Process(ExprId),
    /// `thread 7`: one thread.
    Thread(ExprId),
    /// `command`: the command that the session runs.
    Command,
    /// `comm "x*"`: tasks whose name matches.
    Comm(ExprId),
    /// `cgroup "path"`: the tasks of a control group.
    Cgroup(ExprId),
    /// `cpus 0-3`, `cpus 2`: first and last CPU.
    Cpus {
        /// The first.
        first: Spanned<u64>,
        /// The last; the same as the first where nothing is written.
        last: Option<Spanned<u64>>,
    },
}

/// `dump on EVENTS [if C] [count N] to "FILE" [max N];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The events.
    pub events: EventSet,
    /// The condition.
    pub condition: Option<ExprId>,
    /// How many events it takes for each dump; 1 where nothing is written.
    pub count: Option<Spanned<u64>>,
    /// The name of the files.
    pub file: ExprId,
    /// The number of files; no limit where nothing is written.
    pub max: Option<Spanned<u64>>,
}

/// A condition that ends a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// `stop after 30s;`: after a time.
    After(ExprId),
    /// `stop on EVENTS [if C] [count N | once];`: at the N-th event.
    On {
        /// The events.
        events: EventSet,
        /// The condition.
        condition: Option<ExprId>,
        /// The number of the event that ends the session; 1 where nothing is written.
        count: Option<Spanned<u64>>,
    },
    /// `stop on signal USR1;`: a signal to tracec.
    Signal(Name),
    /// `stop with command;` or `stop with process 123;`: when the process ends.
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
    /// The value.
    pub value: ExprId,
    /// The whole argument.
    pub span: Span,
}

/// `when has FEATURE { .. } else ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// The feature that the kernel must have.
    pub feature: Feature,
    /// The clauses for a kernel with the feature.
    pub then: Vec<Clause>,
    /// The clauses for a kernel without it; `else when ..` is one clause.
    pub otherwise: Option<Vec<Clause>>,
}

/// A feature of kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The kind and the name.
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
    /// `option func-args`, `clock tai`, `trigger hist`, `tracer osnoise`, `feature cpu-lists`: the syntax accepts any
    /// first word.
    Named {
        /// The kind of feature.
        what: Name,
        /// Its name.
        name: Name,
    },
}

/// The scope of a `buffer` size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferScope {
    /// Each CPU's ring has the size.
    PerCpu,
    /// All rings together have the size.
    Total,
}

/// The common form of `trace` and `on`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventClause {
    /// The events.
    pub events: EventSet,
    /// `having f, ..`: only the events that have these fields.
    pub having: Vec<Name>,
    /// The head's `if`, which applies to the whole block.
    pub condition: Option<ExprId>,
    /// The items of the block, in order.
    pub items: Vec<Item>,
}

/// A set of events: `a:b`, `a:*`, `"pattern"`, `{a:b, c:d}`, each with `except ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSet {
    /// The paths that add events.
    pub include: Vec<EventPath>,
    /// The paths that remove events.
    pub except: Vec<EventPath>,
    /// The whole set.
    pub span: Span,
}

/// A path that names events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPath {
    /// The form of the path.
    pub kind: EventPathKind,
    /// The whole path.
    pub span: Span,
}

/// The forms of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventPathKind {
    /// `system:name`, `system:*`, `*:name`, `*:*`; `None` is the star.
    Path {
        /// The part before the colon.
        system: Option<Name>,
        /// The part after the colon.
        name: Option<Name>,
    },
    /// A quoted pattern, `"sched:*wake*"`, for patterns that consist of more than words.
    Pattern(String),
    /// A name without a system: an event that the file defines, or a name that is unique in the kernel.
    Bare(String),
}

/// One item of a `trace` or `on` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The kind and the content.
    pub kind: ItemKind,
    /// From its first word to its semicolon.
    pub span: Span,
}

/// The kinds of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `filter [in kernel] C;`: a condition for recording only.
    Filter {
        /// The span of `in kernel`, which forbids the host.
        in_kernel: Option<Span>,
        /// The condition.
        condition: ExprId,
    },
    /// `trigger ACTION [EVENT] [count N | once] [if C];`
    Trigger {
        /// `stacktrace`, `traceon`, `traceoff`, `enable_event`: the syntax accepts any word, the checker knows which
        /// exist.
        action: Name,
        /// The event that `enable_event` and the like act on.
        event: Option<EventPath>,
        /// The number of times that it may fire.
        count: Option<Spanned<u64>>,
        /// Its own condition, in addition to the head's.
        condition: Option<ExprId>,
    },
    /// `print "..";`: the text of a record, in the place of the kernel's.
    Print(Template),
    /// `drop f, ..;`: fields that are left out of what is recorded.
    Drop(Vec<Name>),
    /// `redact f, ..;`: fields whose values are blanked in what is recorded.
    Redact(Vec<Name>),
    /// `lint allow NAME, ..;` for the clause.
    Lint(LintLevel),
}

/// The index of an expression in its file's [`Exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// All expressions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exprs {
    nodes: Vec<Expr>,
}

impl Exprs {
    /// Adds an expression whose operands have been added before.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.nodes.push(expr);
        ExprId(self.nodes.len() as u32 - 1)
    }

    /// Makes room for some more expressions.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.nodes.reserve(more);
    }

    /// Returns the number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no expressions.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns every expression with its id; operands precede the expressions that use them.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.iter().enumerate().map(|(index, expr)| (ExprId(index as u32), expr))
    }

    /// Returns those that end in a part of the text, as [`iter`](Self::iter) does. They are stored in the order of their ends.
    pub fn ending_in(&self, part: Range<u32>) -> impl Iterator<Item = (ExprId, &Expr)> {
        let indexes = self.indexes_in(&part);
        let ids = (indexes.start as u32..).map(ExprId);
        ids.zip(self.nodes.get(indexes).unwrap_or_default())
    }

    /// Returns the indexes of those that end in a part of the text.
    pub(crate) fn indexes_in(&self, part: &Range<u32>) -> Range<usize> {
        let until = |place: u32| self.nodes.partition_point(|expr| expr.span.end <= place);
        until(part.start)..until(part.end)
    }

    /// Returns them in the order in which they were parsed.
    pub(crate) fn as_slice(&self) -> &[Expr] {
        &self.nodes
    }

    /// Returns them in the same order.
    pub(crate) fn into_vec(self) -> Vec<Expr> {
        self.nodes
    }

    /// Sets an expression's span to that of the parentheses around it.
    pub(crate) fn set_span(&mut self, id: ExprId, span: Span) {
        self.nodes[id.0 as usize].span = span;
    }
}

impl From<Vec<Expr>> for Exprs {
    fn from(nodes: Vec<Expr>) -> Self {
        Exprs { nodes }
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }
}

/// An expression and its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// The kind and the operands.
    pub kind: ExprKind,
    /// The span, including parentheses around it.
    pub span: Span,
    /// The number of nodes on the longest path below and including this one; at most [`crate::MAX_DEPTH`].
    pub depth: u32,
}

/// The kinds of expressions, all untyped: the checker decides which are valid where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// An expression that could not be parsed, or was too deep; the mistake has been reported.
    Error,
    /// `42`, `0x2a`, `0o52`, `0b101010`, `1_000`.
    Int(u64),
    /// `64KiB`, in bytes.
    Size(u64),
    /// `10ms`, in nanoseconds.
    Duration(u64),
    /// A string literal, with escapes resolved.
    Str(String),
    /// `10.0.0.1`, `10.0.0.0/8`, `2001:db8::1`, `fe80::/10`: an address or a prefix.
    Address(Address),
    /// `CPUS{0-3,8}`: ranges of CPU numbers that include both ends; ascending and disjoint as written.
    Cpus(Vec<(u32, u32)>),
    /// A name: field, pseudo-field, constant.
    Name(String),
    /// `base.member`: `current.comm`, a modifier.
    Member {
        /// The part before the dot.
        base: ExprId,
        /// The part after the dot.
        member: Name,
    },
    /// `a::b`: a constant of a module or enum.
    Path(Vec<Name>),
    /// `a->b`, only in expressions of C.
    Arrow {
        /// The part before the arrow.
        base: ExprId,
        /// The part after the arrow.
        member: Name,
    },
    /// `a[i]`.
    Index {
        /// The part before the bracket.
        base: ExprId,
        /// The part between the brackets.
        index: ExprId,
    },
    /// `f(a, b)`: a call of C, or a modifier with an argument (`bytes.buckets(64)`).
    Call {
        /// The function.
        function: ExprId,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `x as T`.
    Cast {
        /// The operand.
        operand: ExprId,
        /// The type.
        ty: Box<TypeRef>,
    },
    /// `x in {1, 2, 5..=9}`; its negation is written `!(x in ..)`.
    In {
        /// The operand.
        operand: ExprId,
        /// The members of the set.
        members: Vec<SetMember>,
        /// The span of the word `in`.
        word: Span,
    },
    /// `{"nginx*", "php*"}` behind `~` or `!~`: any of the patterns.
    Patterns(Vec<ExprId>),
    /// `c ? a : b`, only in templates and assignments.
    Choose {
        /// The condition.
        condition: ExprId,
        /// The value where the condition holds.
        then: ExprId,
        /// The value where it does not.
        otherwise: ExprId,
    },
    /// `!x`, `-x`.
    Unary {
        /// The operator and its span.
        op: Spanned<UnaryOp>,
        /// Its operand.
        operand: ExprId,
    },
    /// Two operands.
    Binary {
        /// The operator and its span.
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
    /// `a..=b`: a range that includes both ends.
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
    /// `&x`: the address, only in expressions of C.
    AddressOf,
    /// `*x`: the value at an address, only in expressions of C.
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
    /// `!~`: not a glob match
    NotMatch,
    /// `&`: bits in common; binds tighter than comparisons
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`: copies the sign bit of a signed operand
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
    /// Returns the operator as it is written.
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
