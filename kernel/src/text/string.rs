//! Expressions that are strings: their text is appended to the output.

use super::compile::{Compiler, Local, Result};
use super::error::TextErrorKind;
use super::program::Op;
use crate::c::{Expr, ExprId};
use crate::tables::print_helpers::HelperResult;

impl Compiler<'_> {
    /// Compiles a string to instructions that append its text.
    pub(super) fn text(&mut self, id: ExprId) -> Result<()> {
        match self.tree.expression(id) {
            Expr::Paren(inner) => self.text(*inner),
            Expr::Str { value, .. } => {
                // C's string ends at its first NUL.
                let text = value.split(|&byte| byte == 0).next().unwrap_or_default();
                self.literal(text);
                Ok(())
            }
            Expr::Cast { ty, operand } if ty.is_pointer() && self.is_printed(*operand) => self.text(*operand),
            Expr::Table(table) => self.table(id, table),
            Expr::Helper { helper, arguments } => self.printed_helper(id, helper, arguments),
            Expr::Dynamic { helper, field, index, arguments } => match helper.result {
                HelperResult::Str if index.is_none() => {
                    let word = self.located(id, field)?;
                    self.emit(Op::PrintLocated { word, relative: helper.relative });
                    Ok(())
                }
                HelperResult::Str | HelperResult::DynamicArray => self.text_at(id),
                _ => self.printed_dynamic(id, helper, field, arguments),
            },
            Expr::Conditional { condition, then: Some(then), otherwise } => {
                match self.tree.constant(*condition) {
                    Some(constant) => self.text(if constant.value() != 0 { *then } else { *otherwise }),
                    None => self.chosen_text(*condition, *then, *otherwise),
                }
            }
            Expr::Call { function, arguments } => self.printed_call(id, *function, arguments),
            Expr::Block(statements) => self.block_text(id, statements),
            // What a function has printed since this variable was set is in the output.
            Expr::Name(name) if matches!(self.local(name), Some(Local::Output)) => Ok(()),
            _ => self.text_at(id),
        }
    }

    fn chosen_text(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Result<()> {
        self.value(condition)?;
        let skip = self.jump(Op::JumpIfZero);
        self.text(then)?;
        let end = self.jump(Op::Jump);
        self.land(skip);
        self.text(otherwise)?;
        self.land(end);
        Ok(())
    }

    /// Compiles an address to the string at it.
    fn text_at(&mut self, id: ExprId) -> Result<()> {
        self.value(id)?;
        self.emit(Op::PrintString);
        Ok(())
    }

    /// Returns whether an expression prints its string, so that no address of it exists.
    fn is_printed(&self, id: ExprId) -> bool {
        match self.tree.expression(self.tree.unparenthesised(id)) {
            Expr::Table(_) | Expr::Helper { .. } | Expr::Call { .. } | Expr::Block(_) => true,
            Expr::Conditional { then: Some(then), otherwise, .. } => {
                self.is_printed(*then) || self.is_printed(*otherwise)
            }
            _ => false,
        }
    }

    /// Adds the strings of a list to the data: a table of their offsets, all ones for a null pointer.
    pub(super) fn strings(&mut self, list: ExprId) -> Result<(u32, u32)> {
        let Expr::List { items, .. } = self.tree.expression(list) else {
            return self.error(list, TextErrorKind::NotText);
        };
        let mut offsets = Vec::new();
        for &item in items {
            match self.tree.expression(self.tree.unparenthesised(item)) {
                Expr::Str { value, .. } => offsets.push(self.add_string(value)),
                Expr::Name(name) if &**name == "NULL" => offsets.push(u32::MAX),
                _ if self.tree.constant(item).is_some_and(|c| c.value() == 0) => offsets.push(u32::MAX),
                _ => return self.error(item, TextErrorKind::NotText),
            }
        }
        let mut table = Vec::new();
        for offset in &offsets {
            table.extend(if self.environment.is_little_endian() {
                offset.to_le_bytes()
            } else {
                offset.to_be_bytes()
            });
        }
        Ok((self.add_data(&table).start, offsets.len() as u32))
    }
}
