//! The state of the parser: tokens, arenas and depth.

use super::error::{CError, CErrorKind};
use super::lexer::{Token, TokenKind};
use super::tree::{ByteRange, Expr, ExprId, Node, Statement, StatementId, Tree};
use crate::tables::limits::PRINT_FMT_DEPTH;

/// Reads expressions from tokens into a [`Tree`].
pub(crate) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: u16,
    nodes: Vec<Node>,
    statements: Vec<Statement>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Parser { text, tokens, at: 0, depth: 0, nodes: Vec::new(), statements: Vec::new() }
    }

    pub(crate) fn into_tree(self) -> Tree {
        Tree { text: self.text.into(), nodes: self.nodes, statements: self.statements }
    }

    /// Returns the token `ahead` of the next one.
    pub(super) fn token(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).copied()
    }

    pub(super) fn advance(&mut self, tokens: usize) {
        self.at += tokens;
    }

    pub(crate) fn at_end(&self) -> bool {
        self.token(0).is_none()
    }

    pub(super) fn is(&self, ahead: usize, punctuator: &str) -> bool {
        matches!(self.token(ahead), Some(Token { kind: TokenKind::Punctuator(found), .. }) if found == punctuator)
    }

    /// Returns the text of the token `ahead` if it is a word.
    pub(super) fn word(&self, ahead: usize) -> Option<&'a str> {
        let token = self.token(ahead).filter(|token| token.kind == TokenKind::Word)?;
        Some(token.range.of(self.text))
    }

    /// Takes the next token if it is this one.
    pub(crate) fn take(&mut self, punctuator: &str) -> bool {
        let found = self.is(0, punctuator);
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_word(&mut self, what: &'static str) -> Result<&'a str, CError> {
        let word = self.word(0).ok_or_else(|| self.expected(what))?;
        self.at += 1;
        Ok(word)
    }

    pub(super) fn expect(&mut self, punctuator: &'static str, what: &'static str) -> Result<(), CError> {
        if self.take(punctuator) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Returns the offset of the next token; at the end, the length of the text.
    pub(super) fn offset(&self) -> usize {
        self.token(0).map_or(self.text.len(), |token| token.range.start as usize)
    }

    pub(crate) fn expected(&self, what: &'static str) -> CError {
        CError::new(self.offset(), CErrorKind::Expected(what))
    }

    /// Runs a part of the parser that may recurse, and limits the depth.
    pub(super) fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, CError>,
    ) -> Result<T, CError> {
        if self.depth >= PRINT_FMT_DEPTH {
            return Err(CError::new(self.offset(), CErrorKind::TooDeep));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Returns the start of a node that begins at the next token.
    pub(super) fn start(&self) -> ByteRange {
        let offset = self.offset();
        ByteRange::new(offset, offset)
    }

    /// Adds an expression that spans from `start` to the last token that was taken.
    ///
    /// A chain of operators makes a deep tree without any nesting in the text, so depth is checked here too.
    pub(super) fn push(&mut self, start: ByteRange, expr: Expr) -> Result<ExprId, CError> {
        let end =
            self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.range);
        let depth = self.children_depth(&expr) + 1;
        if depth > PRINT_FMT_DEPTH {
            return Err(CError::new(start.start as usize, CErrorKind::TooDeep));
        }
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(Node { expr, range: start.to(end), depth });
        Ok(id)
    }

    pub(super) fn push_statement(&mut self, statement: Statement) -> StatementId {
        let id = StatementId(self.statements.len() as u32);
        self.statements.push(statement);
        id
    }

    pub(super) fn range(&self, id: ExprId) -> ByteRange {
        self.nodes.get(id.0 as usize).map_or(self.start(), |node| node.range)
    }

    fn depth_of(&self, id: ExprId) -> u16 {
        self.nodes.get(id.0 as usize).map_or(0, |node| node.depth)
    }

    fn children_depth(&self, expr: &Expr) -> u16 {
        let all = |ids: &[ExprId]| ids.iter().map(|&id| self.depth_of(id)).max().unwrap_or(0);
        match expr {
            Expr::Integer { .. } | Expr::Char(_) | Expr::Str { .. } | Expr::Record | Expr::Name(_) => 0,
            Expr::SizeOfType(_) | Expr::Type(_) => 0,
            Expr::Paren(inner) | Expr::SizeOf(inner) => self.depth_of(*inner),
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => self.depth_of(*operand),
            Expr::Compound { list, .. } => self.depth_of(*list),
            Expr::Member { base, .. } => self.depth_of(*base),
            Expr::Binary { left, right, .. } => all(&[*left, *right]),
            Expr::Assign { target, value, .. } => all(&[*target, *value]),
            Expr::Index { base, index } => all(&[*base, *index]),
            Expr::Conditional { condition, then, otherwise } => {
                all(&[*condition, then.unwrap_or(*condition), *otherwise])
            }
            Expr::List { items, .. } => all(items),
            Expr::Call { function, arguments } => self.depth_of(*function).max(all(arguments)),
            Expr::Helper { arguments, .. } => all(arguments),
            Expr::Dynamic { index, arguments, .. } => {
                all(arguments).max(index.map_or(0, |index| self.depth_of(index)))
            }
            Expr::Table(table) => {
                let entries = table.entries.iter().flat_map(|entry| [entry.value, entry.name]).flatten();
                let parts = entries.chain([table.value]).chain(table.delimiter);
                parts.map(|id| self.depth_of(id)).max().unwrap_or(0)
            }
            Expr::Block(statements) => self.statements_depth(statements),
        }
    }

    /// Returns the depth of statements. Blocks are parsed under [`nested`](Self::nested), so this recursion is limited.
    fn statements_depth(&self, ids: &[StatementId]) -> u16 {
        let depth = |id: &StatementId| match self.statements.get(id.0 as usize) {
            Some(Statement::Declaration { dimensions, initializer, .. }) => {
                dimensions.iter().flatten().chain(initializer).map(|&id| self.depth_of(id)).max().unwrap_or(0)
            }
            Some(Statement::Expression(id) | Statement::Case(id)) => self.depth_of(*id),
            Some(Statement::Switch { value, body }) => {
                self.depth_of(*value).max(self.statements_depth(body) + 1)
            }
            Some(Statement::Block(body)) => self.statements_depth(body) + 1,
            Some(Statement::Default | Statement::Break) | None => 0,
        };
        ids.iter().map(depth).max().unwrap_or(0)
    }
}
