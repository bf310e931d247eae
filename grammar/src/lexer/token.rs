//! The tokens that the lexer makes, the layout arranges and the grammar reads.

use logos::Logos;

use super::Extras;
use crate::span::Span;

/// A token: its kind and its span. The values of literals are in [`crate::literal::Literals`], so that a token stays
/// small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// The kind of a token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(extras = Extras)]
#[logos(skip r"[ \t\r\n\f]+")]
pub(crate) enum Kind {
    #[token("session")]
    Session,
    #[token("trace")]
    Trace,
    #[token("on")]
    On,
    #[token("buffer")]
    Buffer,
    #[token("queue")]
    Queue,
    #[token("subbuffer")]
    Subbuffer,
    #[token("cmdlines")]
    Cmdlines,
    #[token("rotate")]
    Rotate,
    #[token("keep")]
    Keep,
    #[token("dump")]
    Dump,
    #[token("clock")]
    Clock,
    #[token("recorder")]
    Recorder,
    #[token("option")]
    Option,
    #[token("scope")]
    Scope,
    #[token("instance")]
    Instance,
    #[token("global")]
    Global,
    #[token("stream")]
    Stream,
    #[token("ring")]
    Ring,
    #[token("stop")]
    Stop,
    #[token("start")]
    Start,
    #[token("marker")]
    Marker,
    #[token("output")]
    Output,
    #[token("include")]
    Include,
    #[token("when")]
    When,
    #[token("lint")]
    Lint,
    #[token("filter")]
    Filter,
    #[token("trigger")]
    Trigger,
    #[token("drop")]
    Drop,
    #[token("redact")]
    Redact,
    #[token("use")]
    Use,
    #[token("const")]
    Const,
    #[token("enum")]
    Enum,
    #[token("flags")]
    Flags,
    #[token("subsystem")]
    Subsystem,
    #[token("class")]
    Class,
    #[token("event")]
    Event,
    #[token("proto")]
    Proto,
    #[token("entry")]
    Entry,
    #[token("assign")]
    AssignC,
    #[token("print")]
    Print,
    #[token("after")]
    After,
    #[token("and")]
    And,
    #[token("as")]
    As,
    #[token("at")]
    At,
    #[token("cgroup")]
    Cgroup,
    #[token("children")]
    Children,
    #[token("comm")]
    Comm,
    #[token("command")]
    Command,
    #[token("count")]
    Count,
    #[token("to")]
    To,
    #[token("max")]
    Max,
    #[token("every")]
    Every,
    #[token("cpu")]
    Cpu,
    #[token("cpus")]
    CpusWord,
    #[token("discarding")]
    Discarding,
    #[token("else")]
    Else,
    #[token("except")]
    Except,
    #[token("field")]
    Field,
    #[token("has")]
    Has,
    #[token("having")]
    Having,
    #[token("in")]
    In,
    #[token("kernel")]
    Kernel,
    #[token("last")]
    Last,
    #[token("off")]
    Off,
    #[token("once")]
    Once,
    #[token("including")]
    Including,
    #[token("tracec")]
    Tracec,
    #[token("paused")]
    Paused,
    #[token("per")]
    Per,
    #[token("process")]
    Process,
    #[token("string")]
    String,
    #[token("thread")]
    Thread,
    #[token("total")]
    Total,
    #[token("union")]
    Union,
    #[token("with")]
    With,
    #[token("if")]
    If,
    #[token("struct")]
    Struct,
    #[token("user")]
    User,
    /// A word of which C composes integer types.
    #[token("char")]
    #[token("int")]
    #[token("long")]
    #[token("short")]
    #[token("signed")]
    #[token("unsigned")]
    CType,
    #[regex("[A-Za-z_][A-Za-z0-9_]*", super::word)]
    Word,

    /// An integer. The regex matches every character that can belong to a number; the callback decides the kind.
    #[regex(r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)*", super::number)]
    Int,
    Size,
    Duration,
    /// An IP address or a prefix of addresses.
    Address,
    /// `CPUS{0-3}`.
    Cpus,
    #[token("\"", super::string)]
    #[regex("r#*\"", super::raw_string)]
    Str,
    /// The lines of one `///` comment.
    #[token("//", super::line_comment)]
    #[token("/*", super::block_comment)]
    #[token("#", super::hash)]
    Doc,
    /// The lines of one `//!` comment.
    InnerDoc,
    /// C between backticks.
    #[token("`", super::raw_c)]
    RawC,
    /// The opening quote of a template.
    TemplateOpen,
    /// Text of a template between its placeholders.
    TemplateText,
    /// The opening brace of a placeholder.
    PlaceholderOpen,
    /// The text after the colon of a placeholder.
    Format,
    /// The closing brace of a placeholder.
    PlaceholderClose,
    /// The closing quote of a template.
    TemplateClose,

    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("::", super::colons)]
    ColonColon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("..=")]
    DotDotEq,
    #[token("->")]
    Arrow,
    #[token("?")]
    Question,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("!")]
    Not,
    #[token("&")]
    Ampersand,
    #[token("^")]
    Caret,
    #[token("|")]
    Pipe,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEq,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEq,
    #[token("~")]
    Match,
    #[token("!~")]
    NotMatch,
    #[token("=")]
    Assign,
    /// An operator of another language; the grammar parses it as the equivalent one and reports it.
    #[token("===")]
    #[token("!==")]
    #[token("=~")]
    #[token("~=")]
    #[token("<>")]
    #[token("><")]
    #[token("=<")]
    #[token("=>")]
    #[regex("[=!<>][ \t]+=")]
    ForeignOperator,

    /// A piece of text with a mistake that has been reported.
    #[regex("'[^'\n]*'", super::single_quotes)]
    #[regex(r"[^\x00-\x7F]+", super::non_ascii)]
    #[regex(r"[\x00-\x7F]", super::stray, priority = 0)]
    Broken,

    /// Layout: the opening brace of a set of events.
    SetOpen,
    /// Layout: the closing brace of a set of events.
    SetClose,
    /// Layout: the opening bracket of the set behind `in`.
    ListOpen,
    /// Layout: the closing bracket of the set behind `in`.
    ListClose,
    /// Layout: the opening brace of a probe's fields.
    ProbeOpen,
    /// Layout: `in kernel` behind `filter`.
    InKernel,
    /// Layout: the action of a trigger in the block of `on`, without the word `trigger`.
    Action,
    /// Layout: `signal` behind `stop on`.
    Signal,
    /// Layout: the header of `include <..>`.
    Header,
    /// Layout: a fetch argument of the kernel.
    Fetch,
    /// Layout: the end of a statement without a semicolon.
    Break,
    /// Layout: a whole misplaced statement, in the place of its first token.
    Junk,
    /// Layout: a file follows.
    StartFile,
    /// Layout: the clauses of one session follow.
    StartClauses,
    /// Layout: a `trace` clause without its first word follows, perhaps with more clauses.
    StartEvents,
    /// The end of the text. It is not in the token stream.
    End,
}

impl Kind {
    /// Returns whether a word of this kind can begin a clause of a later version: `every` is a part of others.
    pub(crate) fn may_be_planned(self) -> bool {
        matches!(self, Kind::Word | Kind::Every)
    }

    /// Returns whether the token begins a declaration, a clause or an item.
    pub(crate) fn begins_statement(self) -> bool {
        self.is_clause() || self.is_item() || self.is_declaration()
    }

    /// Returns whether the token opens or closes something, or is C, in which such tokens are.
    pub(crate) fn is_bracket(self) -> bool {
        use Kind::*;
        matches!(
            self,
            LBrace | RBrace | LParen | RParen | LBracket | RBracket | TemplateOpen | TemplateClose | RawC
        )
    }

    /// Returns whether the token is a number, a string, an address or a set of CPUs.
    pub(crate) fn is_literal(self) -> bool {
        use Kind::*;
        matches!(self, Int | Size | Duration | Str | Address | Cpus)
    }

    /// Returns whether the token ends an operand, so that another operand cannot follow.
    pub(crate) fn ends_operand(self) -> bool {
        use Kind::*;
        self.is_name()
            || self.is_literal()
            || matches!(self, Star | RParen | RBracket | RBrace | ListClose | Broken | RawC | TemplateClose)
    }
}
