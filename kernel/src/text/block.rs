//! Blocks in parentheses: `({ int a = REC->x; a < 3 ? a : 3; })`.

use super::compile::{Compiler, Local, Patch, Result};
use super::error::TextErrorKind;
use super::program::{Arithmetic, Op};
use super::types::{self, Type, UNSIGNED_LONG, promoted};
use crate::c::{Expr, ExprId, Statement, StatementId, TypeName};

impl Compiler<'_> {
    /// Compiles a block to the value of its last statement.
    pub(super) fn block_value(&mut self, id: ExprId, statements: &[StatementId]) -> Result<Type> {
        let scope = self.scope.len();
        let result = self.leading(id, statements)?;
        let ty = self.value(result)?;
        self.scope.truncate(scope);
        Ok(ty)
    }

    /// Compiles a block whose last statement is a string.
    pub(super) fn block_text(&mut self, id: ExprId, statements: &[StatementId]) -> Result<()> {
        let scope = self.scope.len();
        let result = self.leading(id, statements)?;
        self.text(result)?;
        self.scope.truncate(scope);
        Ok(())
    }

    /// Compiles all statements but the last one, which has to be an expression, and returns that.
    fn leading(&mut self, id: ExprId, statements: &[StatementId]) -> Result<ExprId> {
        let Some((last, before)) = statements.split_last() else {
            return self.error(id, TextErrorKind::NoValue);
        };
        for statement in before {
            self.statement(id, *statement, &mut Vec::new())?;
        }
        match self.tree.statement(*last) {
            Statement::Expression(result) => Ok(*result),
            _ => self.error(id, TextErrorKind::NoValue),
        }
    }

    /// Compiles a statement. `breaks` takes the jumps out of the innermost `switch`.
    fn statement(&mut self, id: ExprId, statement: StatementId, breaks: &mut Vec<Patch>) -> Result<()> {
        match self.tree.statement(statement) {
            Statement::Declaration { ty, name, dimensions, initializer, .. } => {
                let local = self.declaration(id, ty, dimensions, *initializer)?;
                self.scope.push((name.clone(), local));
                Ok(())
            }
            Statement::Expression(expression) => self.effect(*expression),
            Statement::Switch { value, body } => self.switch(id, *value, body),
            Statement::Break => {
                let jump = self.jump(Op::Jump);
                breaks.push(jump);
                Ok(())
            }
            Statement::Block(body) => {
                let scope = self.scope.len();
                for statement in body {
                    self.statement(id, *statement, breaks)?;
                }
                self.scope.truncate(scope);
                Ok(())
            }
            // Those of a `switch` are compiled by it.
            Statement::Case(_) | Statement::Default => self.error(id, TextErrorKind::Form),
        }
    }

    fn declaration(
        &mut self,
        id: ExprId,
        ty: &TypeName,
        dimensions: &[Option<ExprId>],
        initializer: Option<ExprId>,
    ) -> Result<Local> {
        if !dimensions.is_empty() {
            let ([_], Some(list)) = (dimensions, initializer) else {
                return self.error(id, TextErrorKind::Form);
            };
            if ty.is_pointer() {
                let (table, count) = self.strings(list)?;
                return Ok(Local::Strings { table, count });
            }
            let element = self.type_of_name(id, ty)?;
            let (data, count) = self.numbers(list, &element)?;
            return Ok(Local::Array { data, ty: Type::Array(Box::new(element), Some(count)) });
        }
        if let Some(initializer) = initializer
            && self.is_output(initializer)
        {
            return Ok(Local::Output);
        }
        let ty = self.type_of_name(id, ty)?;
        let slot = self.add_local(id)?;
        if let Some(initializer) = initializer {
            self.assigned(initializer, &ty)?;
        } else {
            self.emit(Op::Number(0));
        }
        self.emit(Op::SetLocal(slot));
        Ok(match ty {
            Type::Aggregate { name, .. } => Local::Packed { slot, name },
            ty => Local::Slot { slot, ty },
        })
    }

    /// Compiles a value, converted to the type of what it is assigned to.
    fn assigned(&mut self, value: ExprId, ty: &Type) -> Result<()> {
        let from = self.value(value)?;
        match ty {
            Type::Bool => self.emit(Op::Truth),
            Type::Integer(integer) => self.convert(from.integer(), *integer),
            _ => {}
        }
        Ok(())
    }

    /// Compiles an expression for its effect: an assignment, or a function that prints.
    fn effect(&mut self, id: ExprId) -> Result<()> {
        match self.tree.expression(self.tree.unparenthesised(id)) {
            Expr::Assign { operator: None, target, value } => self.assignment(*target, *value),
            Expr::Call { function, arguments } if self.is_print(*function) => self.print_call(id, arguments),
            _ => {
                self.value(id)?;
                self.emit(Op::Drop);
                Ok(())
            }
        }
    }

    fn assignment(&mut self, target: ExprId, value: ExprId) -> Result<()> {
        match self.tree.expression(self.tree.unparenthesised(target)) {
            Expr::Name(name) => match self.local(name) {
                Some(Local::Slot { slot, ty }) => {
                    self.assigned(value, &ty)?;
                    self.emit(Op::SetLocal(slot));
                    Ok(())
                }
                _ => self.error(target, TextErrorKind::Form),
            },
            Expr::Member { base, name, arrow: false } => {
                let Expr::Name(local) = self.tree.expression(self.tree.unparenthesised(*base)) else {
                    return self.error(target, TextErrorKind::Form);
                };
                let Some(Local::Packed { slot, name: aggregate }) = self.local(local) else {
                    return self.error(target, TextErrorKind::Form);
                };
                // Only the member that is the whole: `role.word`.
                let member = types::member(&aggregate, name, self.environment);
                let Some(member) = member.filter(|m| m.bit_offset == 0 && matches!(m.bits, 8 | 16 | 32 | 64))
                else {
                    return self.error(target, TextErrorKind::Member(format!("{aggregate}.{name}")));
                };
                self.value(value)?;
                self.emit(Op::Extend(super::program::Small {
                    bytes: (member.bits / 8) as u8,
                    signed: false,
                }));
                self.emit(Op::SetLocal(slot));
                Ok(())
            }
            _ => self.error(target, TextErrorKind::Form),
        }
    }

    /// Compiles a `switch` whose cases stand directly in its braces.
    fn switch(&mut self, id: ExprId, value: ExprId, body: &[StatementId]) -> Result<()> {
        let slot = self.add_local(id)?;
        let integer = promoted(self.value(value)?.integer());
        self.emit(Op::SetLocal(slot));
        let mut cases = Vec::new();
        let mut default = None;
        for statement in body {
            match self.tree.statement(*statement) {
                Statement::Case(case) => {
                    self.emit(Op::Local(slot));
                    let value = self.constant(*case)?;
                    self.emit(Op::Number(value));
                    self.convert(UNSIGNED_LONG, integer);
                    self.emit(Op::Binary(Arithmetic::Equal));
                    let jump = self.jump(Op::JumpIfNotZero);
                    cases.push(jump);
                }
                Statement::Default => default = Some(()),
                _ => {}
            }
        }
        let otherwise = self.jump(Op::Jump);
        let mut otherwise = Some(otherwise);
        let mut cases = cases.into_iter();
        let mut breaks = Vec::new();
        for statement in body {
            match self.tree.statement(*statement) {
                Statement::Case(_) => {
                    if let Some(case) = cases.next() {
                        self.land(case);
                    }
                }
                Statement::Default => {
                    if let Some(default) = otherwise.take() {
                        self.land(default);
                    }
                }
                _ => self.statement(id, *statement, &mut breaks)?,
            }
        }
        if default.is_none()
            && let Some(otherwise) = otherwise
        {
            self.land(otherwise);
        }
        for jump in breaks {
            self.land(jump);
        }
        Ok(())
    }

    /// Compiles `(const int[]){ 1, 2 }`.
    pub(super) fn compound(&mut self, id: ExprId, ty: &TypeName, list: ExprId) -> Result<Type> {
        let (base, _) = ty.text().split_once('[').unwrap_or((ty.text(), ""));
        let Some(element) = Type::parse(base) else {
            return self.error(id, TextErrorKind::Type(ty.text().to_owned()));
        };
        match element {
            Type::Integer(_) | Type::Bool => {
                let (data, count) = self.numbers(list, &element)?;
                self.emit(Op::Data(data));
                Ok(Type::Array(Box::new(element), Some(count)))
            }
            _ => self.error(id, TextErrorKind::Form),
        }
    }
}
