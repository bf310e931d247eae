//! The subset of statements in `({ ... })` that kernels print: include/trace/events/dma.h (`min_t`), arch/x86/kvm/mmu
//! (`KVM_MMU_PAGE_PRINTK`), drivers/usb/dwc3/trace.h (a `switch`).

use super::error::{CError, CErrorKind};
use super::parser::Parser;
use super::tree::{BinaryOperator, Expr, ExprId, Statement, StatementId};
use super::type_name::{Certainty, TypeScan};

type Result<T> = std::result::Result<T, CError>;

/// Words that begin an unsupported kind of statement, rather than an expression.
const UNKNOWN: &[&str] = &["if", "for", "while", "do", "goto", "return", "continue", "asm", "extern"];

impl Parser<'_> {
    /// Reads `{ ... }`.
    pub(super) fn block(&mut self) -> Result<Vec<StatementId>> {
        self.nested(|parser| {
            parser.expect("{", "`{`")?;
            let mut statements = Vec::new();
            while !parser.take("}") {
                if !parser.take(";") {
                    statements.push(parser.statement()?);
                }
            }
            Ok(statements)
        })
    }

    fn statement(&mut self) -> Result<StatementId> {
        let statement = match self.word(0) {
            Some("switch") => self.switch()?,
            Some("case") => {
                self.advance(1);
                let value = self.expression()?;
                self.expect(":", "`:`")?;
                Statement::Case(value)
            }
            Some("default") => {
                self.advance(1);
                self.expect(":", "`:`")?;
                Statement::Default
            }
            Some("break") => {
                self.advance(1);
                self.semicolon()?;
                Statement::Break
            }
            Some(word) if UNKNOWN.contains(&word) => {
                return Err(CError::new(self.offset(), CErrorKind::Statement));
            }
            _ if self.is(0, "{") => Statement::Block(self.block()?),
            _ => match self.declared_type() {
                Some((is_static, found)) => self.declaration(is_static, found)?,
                None => self.expression_statement()?,
            },
        };
        Ok(self.push_statement(statement))
    }

    fn semicolon(&mut self) -> Result<()> {
        self.expect(";", "`;`")
    }

    fn switch(&mut self) -> Result<Statement> {
        self.advance(1);
        self.expect("(", "`(`")?;
        let value = self.expression()?;
        self.expect(")", "`)`")?;
        Ok(Statement::Switch { value, body: self.block()? })
    }

    fn expression_statement(&mut self) -> Result<Statement> {
        let expression = self.assignment()?;
        self.semicolon()?;
        Ok(Statement::Expression(expression))
    }

    fn assignment(&mut self) -> Result<ExprId> {
        self.nested(|parser| {
            let start = parser.start();
            let target = parser.expression()?;
            let Some(operator) = parser.assignment_operator() else { return Ok(target) };
            parser.advance(1);
            let value = parser.assignment()?;
            parser.push(start, Expr::Assign { operator, target, value })
        })
    }

    /// Reads an assignment operator: `Some(None)` for `=`, `Some(Some(Add))` for `+=`.
    fn assignment_operator(&self) -> Option<Option<BinaryOperator>> {
        if self.is(0, "=") {
            return Some(None);
        }
        let operators = BinaryOperator::ALL.iter().filter(|(_, _, precedence)| *precedence > 2);
        let mut arithmetic = operators.filter(|(_, _, precedence)| !matches!(precedence, 6 | 7));
        let found = arithmetic.find(|(_, text, _)| self.is(0, &format!("{text}=")))?;
        Some(Some(found.0))
    }

    /// Returns the type if the next tokens declare a variable, and whether it is `static`. A type is followed by the
    /// variable's name; `a * b` counts as a declaration, since a statement that only multiplies has no effect.
    fn declared_type(&self) -> Option<(bool, TypeScan)> {
        let is_static = self.word(0) == Some("static");
        let found = self.scan_type(usize::from(is_static))?;
        let name = self.word(usize::from(is_static) + found.tokens);
        (name.is_some() || found.certainty == Certainty::Grammar).then_some((is_static, found))
    }

    fn declaration(&mut self, is_static: bool, found: TypeScan) -> Result<Statement> {
        self.advance(usize::from(is_static));
        let ty = self.take_type(found);
        let name = self.take_word("the name of a variable")?.into();
        let mut dimensions = Vec::new();
        while self.take("[") {
            let size = if self.is(0, "]") { None } else { Some(self.expression()?) };
            self.expect("]", "`]`")?;
            dimensions.push(size);
        }
        let initializer = if self.take("=") { Some(self.initializer()?) } else { None };
        self.semicolon()?;
        Ok(Statement::Declaration { is_static, ty, name, dimensions, initializer })
    }
}
