//! Expressions that have an address: fields of the record, their elements and members, and what addresses lead to.

use super::compile::{Compiler, Local, Result};
use super::error::TextErrorKind;
use super::program::{Arithmetic, Op, Small};
use super::types::{self, Type, UNSIGNED_LONG};
use crate::c::{Expr, ExprId, UnaryOperator};
use crate::format::Field;
use crate::tables::c_types::IntegerType;

impl<'a> Compiler<'a> {
    /// Compiles an expression to its address, and returns the type of what is there.
    pub(super) fn place(&mut self, id: ExprId) -> Result<Type> {
        match self.tree.expression(id) {
            Expr::Paren(inner) => self.place(*inner),
            Expr::Member { base, name, arrow } => match self.record_field(id, *base, name, *arrow)? {
                Some(field) => {
                    self.emit(Op::Record(field.offset));
                    Ok(Type::of_field(field))
                }
                None => self.member_place(id, *base, name, *arrow),
            },
            Expr::Index { base, index } => self.element_place(id, *base, *index),
            Expr::Unary { operator: UnaryOperator::Dereference, operand } => {
                match self.value(*operand)?.target() {
                    Some(target) if *target != Type::Void => Ok(target.clone()),
                    _ => self.error(id, TextErrorKind::NoAddress),
                }
            }
            Expr::Name(name) => match self.local(name) {
                Some(Local::Array { data, ty }) => {
                    self.emit(Op::Data(data));
                    Ok(ty)
                }
                _ => self.error(id, TextErrorKind::NoAddress),
            },
            _ => self.error(id, TextErrorKind::NoAddress),
        }
    }

    /// Compiles an expression that has an address to the value there.
    pub(super) fn load(&mut self, id: ExprId) -> Result<Type> {
        if let Some(ty) = self.without_address(id)? {
            return Ok(ty);
        }
        let ty = self.place(id)?;
        let integer = match &ty {
            Type::Integer(integer) => *integer,
            Type::Bool => IntegerType { bytes: 1, signed: false },
            Type::Pointer(_) => UNSIGNED_LONG,
            Type::Array(..) | Type::Aggregate { .. } => return Ok(ty),
            Type::Void => return self.error(id, TextErrorKind::NoValue),
        };
        self.emit(Op::Load(integer.into()));
        Ok(ty)
    }

    /// Compiles what needs no address: integers of the record, members of local variables, elements of arrays of
    /// strings, and members that are bit fields.
    fn without_address(&mut self, id: ExprId) -> Result<Option<Type>> {
        match self.tree.expression(id) {
            Expr::Member { base, name, arrow } => {
                if let Some(field) = self.record_field(id, *base, name, *arrow)? {
                    let ty = Type::of_field(field);
                    let integer = match &ty {
                        Type::Integer(_) | Type::Bool | Type::Pointer(_) => Small::from(ty.integer()),
                        _ => return Ok(None),
                    };
                    self.emit(Op::Field { offset: field.offset, integer });
                    return Ok(Some(ty));
                }
                if let Expr::Name(local) = self.tree.expression(self.tree.unparenthesised(*base))
                    && let Some(Local::Packed { slot, name: aggregate }) = self.local(local)
                {
                    return self.packed_member(id, slot, &aggregate, name).map(Some);
                }
                Ok(None)
            }
            Expr::Index { base, index } => {
                if let Expr::Name(local) = self.tree.expression(self.tree.unparenthesised(*base))
                    && let Some(Local::Strings { table, count }) = self.local(local)
                {
                    self.value(*index)?;
                    self.emit(Op::StringOf { table, count });
                    return Ok(Some(Type::string()));
                }
                if let Expr::Compound { ty, list } = self.tree.expression(self.tree.unparenthesised(*base))
                    && ty.text().contains('*')
                {
                    let (table, count) = self.strings(*list)?;
                    self.value(*index)?;
                    self.emit(Op::StringOf { table, count });
                    return Ok(Some(Type::string()));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Returns the field if the expression is `REC->name`. A dynamic field's member is its location word.
    fn record_field(&self, id: ExprId, base: ExprId, name: &str, arrow: bool) -> Result<Option<&'a Field>> {
        if !arrow || !matches!(self.tree.expression(self.tree.unparenthesised(base)), Expr::Record) {
            return Ok(None);
        }
        let format = self.format;
        let located = ["__data_loc_", "__rel_loc_"].iter().find_map(|prefix| name.strip_prefix(prefix));
        match format.field(name).or_else(|| format.field(located?)) {
            Some(field) => Ok(Some(field)),
            None => self.error(id, TextErrorKind::Field(name.to_owned())),
        }
    }

    fn member_place(&mut self, id: ExprId, base: ExprId, name: &str, arrow: bool) -> Result<Type> {
        let ty = if arrow { self.value(base)?.target().cloned() } else { Some(self.place(base)?) };
        let Some(Type::Aggregate { name: aggregate, .. }) = ty else {
            return self.error(id, TextErrorKind::Member(name.to_owned()));
        };
        let found = types::member(&aggregate, name, self.environment);
        // A bit field has no address.
        let bytes =
            found.filter(|member| member.bit_offset % 8 == 0 && matches!(member.bits, 8 | 16 | 32 | 64));
        let Some(member) = bytes else {
            return self.error(id, TextErrorKind::Member(format!("{aggregate}.{name}")));
        };
        self.emit(Op::Number(u64::from(member.bit_offset / 8)));
        self.emit(Op::Binary(Arithmetic::Add));
        let integer = Type::Integer(IntegerType { bytes: member.bits / 8, signed: member.signed });
        Ok(match member.elements {
            Some(count) => Type::Array(Box::new(integer), Some(count)),
            None => integer,
        })
    }

    fn element_place(&mut self, id: ExprId, base: ExprId, index: ExprId) -> Result<Type> {
        let Some(element) = self.value(base)?.target().cloned() else {
            return self.error(id, TextErrorKind::NoAddress);
        };
        if element == Type::Void {
            return self.error(id, TextErrorKind::NoValue);
        }
        let size = self.size(id, &element)?;
        self.value(index)?;
        self.scale(size);
        self.emit(Op::Binary(Arithmetic::Add));
        Ok(element)
    }

    fn packed_member(&mut self, id: ExprId, slot: u16, aggregate: &str, name: &str) -> Result<Type> {
        let Some(member) = types::member(aggregate, name, self.environment).filter(|m| m.elements.is_none())
        else {
            return self.error(id, TextErrorKind::Member(format!("{aggregate}.{name}")));
        };
        self.emit(Op::Local(slot));
        // Moved to the top and back, so that its sign is extended.
        let above = 64u32.saturating_sub(member.bit_offset + member.bits);
        self.emit(Op::Number(u64::from(above)));
        self.emit(Op::Binary(Arithmetic::ShiftLeft { bits: 64 }));
        self.emit(Op::Number(u64::from(64u32.saturating_sub(member.bits))));
        self.emit(Op::Binary(Arithmetic::ShiftRight { bits: 64, signed: member.signed }));
        let bytes = if member.bits > 32 { 8 } else { 4 };
        // A bit field that is narrower than an `int` becomes one.
        let signed = member.signed || member.bits < 32;
        Ok(Type::Integer(IntegerType { bytes, signed }))
    }

    /// Compiles the address of a dynamic field's location word.
    pub(super) fn location(&mut self, id: ExprId, name: &str, index: Option<ExprId>) -> Result<()> {
        let offset = self.located(id, name)?;
        self.emit(Op::Record(offset));
        if let Some(index) = index {
            self.value(index)?;
            self.scale(4);
            self.emit(Op::Binary(Arithmetic::Add));
        }
        Ok(())
    }

    /// Returns the offset of a dynamic field's location word.
    pub(super) fn located(&mut self, id: ExprId, name: &str) -> Result<u32> {
        let format = self.format;
        let Some(field) = format.own_fields().iter().rev().find(|field| field.name == name) else {
            return self.error(id, TextErrorKind::Field(name.to_owned()));
        };
        if !field.type_text.starts_with("__data_loc ") && !field.type_text.starts_with("__rel_loc ") {
            return self.error(id, TextErrorKind::NotDynamic(name.to_owned()));
        }
        Ok(field.offset)
    }

    /// Returns the local variable with this name, the innermost one.
    pub(super) fn local(&self, name: &str) -> Option<Local> {
        self.scope.iter().rev().find(|(local, _)| **local == *name).map(|(_, local)| local.clone())
    }
}
