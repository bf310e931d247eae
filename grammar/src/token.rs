//! The tokens that the lexer makes, the layout arranges and the grammar reads.

use logos::Logos;

use crate::lexer::{self, Extras};
use crate::span::Span;

/// A token: what it is and where. Values of literals lie in [`crate::literal::Literals`], so that a token stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// What a token is.
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
    #[token("clock")]
    Clock,
    #[token("option")]
    Option,
    #[token("stop")]
    Stop,
    #[token("output")]
    Output,
    #[token("filter")]
    Filter,
    #[token("trigger")]
    Trigger,
    #[token("after")]
    After,
    #[token("count")]
    Count,
    #[token("cpu")]
    Cpu,
    #[token("except")]
    Except,
    #[token("off")]
    Off,
    #[token("once")]
    Once,
    #[token("per")]
    Per,
    #[token("total")]
    Total,
    #[token("if")]
    If,
    /// A word that is kept for later: it names nothing.
    #[token("struct")]
    #[token("user")]
    Reserved,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,

    /// The regex takes all that can belong to a number; the callback tells the kinds apart.
    #[regex(r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)*", lexer::number)]
    Int,
    Size,
    Duration,
    #[token("\"", lexer::string)]
    #[regex("r#*\"", lexer::raw_string)]
    Str,
    /// The lines of one `///` comment.
    #[token("//", lexer::line_comment)]
    #[token("/*", lexer::block_comment)]
    Doc,
    /// The lines of one `//!` comment.
    InnerDoc,

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
    #[token("::")]
    ColonColon,
    #[token(".")]
    Dot,
    #[token("*")]
    Star,
    #[token("-")]
    Minus,
    #[token("!")]
    Not,
    #[token("&")]
    And,
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
    /// An operator of another language; the grammar reads it as ours and says so.
    #[token("=")]
    #[token("===")]
    #[token("!==")]
    #[token("=~")]
    #[token("<>")]
    ForeignOperator,

    /// A piece of text about which a diagnostic has been given.
    #[regex("'[^'\n]*'", lexer::single_quotes)]
    #[regex(r"[^\x00-\x7F]+", lexer::non_ascii)]
    #[regex(r"[\x00-\x7F]", lexer::stray, priority = 0)]
    Broken,

    /// Layout: the opening brace of a set of events.
    SetOpen,
    /// Layout: the closing brace of a set of events.
    SetClose,
    /// Layout: a statement ends here though no semicolon stands here.
    Break,
    /// Layout: a whole statement that cannot stand here, in the place of its first token.
    Junk,
    /// Layout: what follows is a file.
    StartFile,
    /// Layout: what follows are the clauses of one session.
    StartClauses,
    /// Layout: what follows is a `trace` clause without its first word, and perhaps more clauses.
    StartEvents,
    /// No token: the end of the text. Never in the token stream.
    End,
}

impl Kind {
    /// Begins a clause of a session.
    pub(crate) fn is_clause(self) -> bool {
        use Kind::*;
        matches!(self, Trace | On | Buffer | Clock | Option | Stop | Output)
    }

    /// Begins an item of a `trace` or `on` block.
    pub(crate) fn is_item(self) -> bool {
        matches!(self, Kind::Filter | Kind::Trigger)
    }

    /// Begins a session, a clause or an item.
    pub(crate) fn begins_statement(self) -> bool {
        self.is_clause() || self.is_item() || self == Kind::Session
    }

    /// Can be a name: every word but `if` (`struct` and `user` too, so that the grammar can refuse them by name).
    pub(crate) fn is_name(self) -> bool {
        use Kind::*;
        self.is_clause()
            || self.is_item()
            || matches!(
                self,
                Session | After | Count | Cpu | Except | Off | Once | Per | Total | Reserved | Word
            )
    }

    /// A number or a string.
    pub(crate) fn is_literal(self) -> bool {
        matches!(self, Kind::Int | Kind::Size | Kind::Duration | Kind::Str)
    }

    /// Ends an operand, so that a further operand cannot follow.
    pub(crate) fn ends_operand(self) -> bool {
        self.is_name()
            || self.is_literal()
            || matches!(self, Kind::Star | Kind::RParen | Kind::RBrace | Kind::Broken)
    }
}
