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
    /// The sessions in the order they are written.
    pub sessions: Vec<Session>,
    /// Every expression of the file.
    pub exprs: Exprs,
}

/// `session NAME { clauses }`, or the anonymous session of a one-liner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The `///` lines before it.
    pub doc: Option<Spanned<String>>,
    /// The name; a one-liner has none.
    pub name: Option<Name>,
    /// What stands between the braces. Clauses that could not be parsed are left out; their diagnostics say so.
    pub clauses: Vec<Clause>,
    /// From the word `session` to the closing brace.
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
    /// `trace EVENTS [if C] { items }` or `trace EVENTS [if C];`: record.
    Trace(EventClause),
    /// `on EVENTS [if C] { items }`: triggers only.
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
    /// `stop after DURATION;`
    StopAfter(ExprId),
    /// `output "FILE";`
    Output(Spanned<String>),
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
    /// A name without a system: unique in the profile.
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
    /// `filter C;`: narrows recording only.
    Filter(ExprId),
    /// `trigger ACTION [count N | once] [if C];`
    Trigger {
        /// `stacktrace`, `traceon`, `traceoff`: any word is syntax, the checker knows which exist.
        action: Name,
        /// How often it may fire.
        count: Option<Spanned<u64>>,
        /// Its own condition, added to the head's.
        condition: Option<ExprId>,
    },
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

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
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
        }
    }
}
