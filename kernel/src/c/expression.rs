//! The subset of C expressions that kernels print.

use super::error::{CError, CErrorKind};
use super::lexer::{Token, TokenKind};
use super::literal;
use super::parser::Parser;
use super::tree::{BinaryOperator, ByteRange, Expr, ExprId, Table, TableEntry, UnaryOperator};
use super::type_name::Certainty;
use crate::tables::print_helpers::{self, Arguments, PrintHelper};

type Result<T> = std::result::Result<T, CError>;

const EXPRESSION: &str = "an expression";

impl Parser<'_> {
    /// Reads expressions separated by commas, up to and including `close`, or to the end.
    pub(crate) fn list(&mut self, close: Option<&'static str>) -> Result<Vec<ExprId>> {
        let mut items = Vec::new();
        if close.is_some_and(|close| self.take(close)) {
            return Ok(items);
        }
        loop {
            items.push(self.argument()?);
            if !self.take(",") {
                break;
            }
        }
        if let Some(close) = close {
            self.expect(close, "a comma or a closing parenthesis")?;
        }
        Ok(items)
    }

    /// Reads an argument of a call: an expression, or a type, which some functions of the compiler take.
    fn argument(&mut self) -> Result<ExprId> {
        let start = self.start();
        if let Some(found) = self.scan_type(0)
            && found.certainty == Certainty::Grammar
            && (self.is(found.tokens, ",") || self.is(found.tokens, ")"))
        {
            let ty = self.take_type(found);
            return self.push(start, Expr::Type(ty));
        }
        self.expression()
    }

    /// Reads an expression without comma operator and assignment.
    pub(super) fn expression(&mut self) -> Result<ExprId> {
        self.nested(Self::conditional)
    }

    fn conditional(&mut self) -> Result<ExprId> {
        let start = self.start();
        let condition = self.binary()?;
        if !self.take("?") {
            return Ok(condition);
        }
        let then = if self.is(0, ":") { None } else { Some(self.expression()?) };
        self.expect(":", "`:`")?;
        let otherwise = self.expression()?;
        self.push(start, Expr::Conditional { condition, then, otherwise })
    }

    /// Reads binary operators and their operands. Operators that wait for their right side are kept in an explicit
    /// stack, since recursion would need one call per level of precedence.
    fn binary(&mut self) -> Result<ExprId> {
        let mut operands = vec![self.unary()?];
        let mut waiting: Vec<(BinaryOperator, u8)> = Vec::new();
        while let Some((operator, precedence)) = self.binary_operator() {
            while waiting.last().is_some_and(|(_, before)| *before >= precedence) {
                self.reduce(&mut operands, &mut waiting)?;
            }
            self.advance(1);
            waiting.push((operator, precedence));
            operands.push(self.unary()?);
        }
        while !waiting.is_empty() {
            self.reduce(&mut operands, &mut waiting)?;
        }
        operands.pop().ok_or_else(|| self.expected(EXPRESSION))
    }

    fn binary_operator(&self) -> Option<(BinaryOperator, u8)> {
        let TokenKind::Punctuator(text) = self.token(0)?.kind else { return None };
        let found = BinaryOperator::ALL.iter().find(|(_, punctuator, _)| *punctuator == text)?;
        Some((found.0, found.2))
    }

    fn reduce(&mut self, operands: &mut Vec<ExprId>, waiting: &mut Vec<(BinaryOperator, u8)>) -> Result<()> {
        let (Some((operator, _)), Some(right), Some(left)) = (waiting.pop(), operands.pop(), operands.pop())
        else {
            return Err(self.expected(EXPRESSION));
        };
        let start = self.range(left);
        operands.push(self.push(start, Expr::Binary { operator, left, right })?);
        Ok(())
    }

    fn unary(&mut self) -> Result<ExprId> {
        let start = self.start();
        if let Some(operator) = self.unary_operator() {
            self.advance(1);
            let operand = self.operand()?;
            return self.push(start, Expr::Unary { operator, operand });
        }
        if self.word(0) == Some("sizeof") {
            return self.size_of();
        }
        match self.cast_or_literal()? {
            Some(cast) => Ok(cast),
            None => self.postfix(),
        }
    }

    /// Reads the operand of an operator or a cast.
    fn operand(&mut self) -> Result<ExprId> {
        self.nested(Self::unary)
    }

    fn unary_operator(&self) -> Option<UnaryOperator> {
        let TokenKind::Punctuator(text) = self.token(0)?.kind else { return None };
        UnaryOperator::ALL.iter().find(|(_, punctuator)| *punctuator == text).map(|(operator, _)| *operator)
    }

    fn size_of(&mut self) -> Result<ExprId> {
        let start = self.start();
        self.advance(1);
        if self.is(0, "(")
            && let Some(found) = self.scan_type(1)
            && found.certainty != Certainty::Guess
            && self.is(1 + found.tokens, ")")
        {
            self.advance(1);
            let ty = self.take_type(found);
            self.advance(1);
            return self.push(start, Expr::SizeOfType(ty));
        }
        let operand = self.operand()?;
        self.push(start, Expr::SizeOf(operand))
    }

    /// Reads `(type)operand` or `(type){ ... }`; `None` if the parenthesis encloses an expression.
    ///
    /// Only a list of all typedefs could decide whether `(name)` is a cast. Here it is one if the name is a known type
    /// or ends in `_t`, or if an operand follows: two operands never follow each other in C.
    fn cast_or_literal(&mut self) -> Result<Option<ExprId>> {
        if !self.is(0, "(") {
            return Ok(None);
        }
        let Some(found) = self.scan_type(1).filter(|found| self.is(1 + found.tokens, ")")) else {
            return Ok(None);
        };
        let behind = 2 + found.tokens;
        if found.certainty == Certainty::Guess && !self.begins_operand(behind) {
            return Ok(None);
        }
        let start = self.start();
        self.advance(1);
        let ty = self.take_type(found);
        self.advance(1);
        if self.is(0, "{") {
            let list = self.initializer()?;
            let literal = self.push(start, Expr::Compound { ty, list })?;
            return self.postfix_of(start, literal).map(Some);
        }
        let operand = self.operand()?;
        self.push(start, Expr::Cast { ty, operand }).map(Some)
    }

    /// Returns whether the token begins an operand and cannot be a binary operator.
    fn begins_operand(&self, ahead: usize) -> bool {
        match self.token(ahead).map(|token| token.kind) {
            Some(TokenKind::Punctuator(text)) => matches!(text, "(" | "!" | "~" | "{"),
            Some(_) => true,
            None => false,
        }
    }

    /// Reads an initializer: an expression, or `{ a, b }`, which may end in a comma.
    pub(super) fn initializer(&mut self) -> Result<ExprId> {
        self.nested(|parser| {
            let start = parser.start();
            if !parser.take("{") {
                return parser.expression();
            }
            let mut items = Vec::new();
            let mut trailing_comma = false;
            while !parser.is(0, "}") {
                items.push(parser.initializer()?);
                trailing_comma = parser.take(",");
                if !trailing_comma {
                    break;
                }
            }
            parser.expect("}", "a comma or `}`")?;
            parser.push(start, Expr::List { items, trailing_comma })
        })
    }

    fn postfix(&mut self) -> Result<ExprId> {
        let start = self.start();
        let base = self.primary()?;
        self.postfix_of(start, base)
    }

    fn postfix_of(&mut self, start: ByteRange, mut base: ExprId) -> Result<ExprId> {
        loop {
            let arrow = self.is(0, "->");
            let expr = if arrow || self.is(0, ".") {
                self.advance(1);
                let name = self.take_word("the name of a member")?.into();
                Expr::Member { base, name, arrow }
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]", "`]`")?;
                Expr::Index { base, index }
            } else if self.take("(") {
                Expr::Call { function: base, arguments: self.list(Some(")"))? }
            } else {
                return Ok(base);
            };
            base = self.push(start, expr)?;
        }
    }

    fn primary(&mut self) -> Result<ExprId> {
        let start = self.start();
        let Some(Token { kind, range }) = self.token(0) else { return Err(self.expected(EXPRESSION)) };
        let text = range.of(self.text);
        match kind {
            TokenKind::Word => self.name(text),
            TokenKind::Number => {
                let wrong = || CError::new(range.start as usize, CErrorKind::Constant);
                let (value, integer) = literal::integer(text).ok_or_else(wrong)?;
                self.advance(1);
                self.push(start, Expr::Integer { value, integer })
            }
            TokenKind::Char => {
                let [value] = *literal::bytes(text) else {
                    return Err(CError::new(range.start as usize, CErrorKind::Constant));
                };
                self.advance(1);
                self.push(start, Expr::Char(value))
            }
            TokenKind::Str => self.string(),
            TokenKind::Punctuator("(") if self.is(1, "{") => {
                self.advance(1);
                let statements = self.block()?;
                self.expect(")", "`)`")?;
                self.push(start, Expr::Block(statements))
            }
            TokenKind::Punctuator("(") => {
                self.advance(1);
                let inner = self.expression()?;
                self.expect(")", "`)`")?;
                self.push(start, Expr::Paren(inner))
            }
            _ => Err(self.expected(EXPRESSION)),
        }
    }

    fn name(&mut self, name: &str) -> Result<ExprId> {
        let start = self.start();
        let helper = print_helpers::find(name).filter(|_| self.is(1, "("));
        self.advance(1);
        match (helper, name) {
            (Some(helper), _) => self.helper(start, helper),
            (None, "REC") => self.push(start, Expr::Record),
            (None, _) => self.push(start, Expr::Name(name.into())),
        }
    }

    /// Reads a string; adjacent literals are one string.
    fn string(&mut self) -> Result<ExprId> {
        let start = self.start();
        let mut value = Vec::new();
        let mut parts = Vec::new();
        while let Some(Token { kind: TokenKind::Str, range }) = self.token(0) {
            value.extend(literal::bytes(range.of(self.text)));
            parts.push(range);
            self.advance(1);
        }
        self.push(start, Expr::Str { value: value.into(), parts })
    }

    fn helper(&mut self, start: ByteRange, helper: &'static PrintHelper) -> Result<ExprId> {
        let wrong = || CError::new(start.start as usize, CErrorKind::Helper { helper: helper.name });
        self.expect("(", "`(`")?;
        let expr = match helper.arguments {
            Arguments::Symbols | Arguments::Flags => Expr::Table(self.table(helper)?),
            Arguments::Values(count) => {
                let arguments = self.list(Some(")"))?;
                if arguments.len() != count {
                    return Err(wrong());
                }
                Expr::Helper { helper, arguments }
            }
            Arguments::Field | Arguments::FieldAnd(_) => {
                let field = self.take_word("the name of a field")?.into();
                let mut index = None;
                if self.take("[") {
                    index = Some(self.expression()?);
                    self.expect("]", "`]`")?;
                }
                let arguments = if self.take(",") { self.list(Some(")"))? } else { self.closed()? };
                let expected = if let Arguments::FieldAnd(count) = helper.arguments { count } else { 0 };
                if arguments.len() != expected {
                    return Err(wrong());
                }
                Expr::Dynamic { helper, field, index, arguments }
            }
        };
        self.push(start, expr)
    }

    fn closed(&mut self) -> Result<Vec<ExprId>> {
        self.expect(")", "`)`").map(|()| Vec::new())
    }

    /// Reads `value, { 1, "a" }, ...)` or `value, delimiter, { 1, "a" }, ...)`.
    fn table(&mut self, helper: &'static PrintHelper) -> Result<Table> {
        let value = self.expression()?;
        self.expect(",", "a comma")?;
        let mut delimiter = None;
        if helper.arguments == Arguments::Flags {
            delimiter = Some(self.expression()?);
            self.expect(",", "a comma")?;
        }
        let mut entries = Vec::new();
        loop {
            entries.push(self.table_entry()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "a comma or a closing parenthesis")?;
        Ok(Table { helper, value, delimiter, entries })
    }

    fn table_entry(&mut self) -> Result<TableEntry> {
        self.expect("{", "`{`")?;
        let mut entry = TableEntry { value: None, name: None, trailing_comma: false };
        if !self.is(0, "}") {
            entry.value = Some(self.expression()?);
            entry.trailing_comma = self.take(",");
        }
        if entry.trailing_comma && !self.is(0, "}") {
            entry.name = Some(self.expression()?);
            entry.trailing_comma = self.take(",");
        }
        self.expect("}", "a comma or `}`")?;
        Ok(entry)
    }
}
