//! Helpers of TP_printk that print: tables of names, and dumps of bytes.

use super::compile::{Compiler, Result};
use super::error::TextErrorKind;
use super::program::{Names, Op, Range};
use super::style::Dialect;
use super::types::{INT, Type, UNSIGNED_LONG};
use crate::c::{Expr, ExprId, Table};
use crate::tables::print_helpers::{HelperResult, PrintHelper};

/// Values below this find their name by their position.
const SMALL: u64 = 128;

impl Compiler<'_> {
    /// Compiles `__print_symbolic` or `__print_flags`.
    pub(super) fn table(&mut self, id: ExprId, table: &Table) -> Result<()> {
        let flags = table.helper.result == HelperResult::Flags;
        let mut names = Names { entries: Vec::new(), small: Vec::new(), delimiter: Range::default() };
        if let Some(delimiter) = table.delimiter
            && !self.tree.is_null(delimiter)
        {
            names.delimiter = self.string_constant(delimiter)?;
        }
        for entry in &table.entries {
            // An entry without a name ends the kernel's table.
            let Some(name) = entry.name.filter(|name| !self.tree.is_null(*name)) else { break };
            let Some(value) = entry.value else { break };
            // libtraceevent finds no value by a name that it does not know.
            if !flags && self.dialect() == Dialect::TraceCmd && self.tree.constant(value).is_none() {
                continue;
            }
            let value = self.constant(value)?;
            names.entries.push((value, self.string_constant(name)?));
        }
        if !flags && names.entries.len() > 4 {
            let most = names.entries.iter().map(|(value, _)| *value).filter(|value| *value < SMALL).max();
            names.small = vec![0; most.map_or(0, |most| most as usize + 1)];
            for (place, (value, _)) in (1..).zip(&names.entries) {
                if let Some(small) = usize::try_from(*value).ok().and_then(|value| names.small.get_mut(value))
                    && *small == 0
                {
                    *small = place;
                }
            }
        }
        let names = self.add_names(id, names)?;
        self.integer(table.value, UNSIGNED_LONG)?;
        self.emit(if flags { Op::Flags(names) } else { Op::Symbolic(names) });
        Ok(())
    }

    fn string_constant(&mut self, id: ExprId) -> Result<Range> {
        let Expr::Str { value, .. } = self.tree.expression(self.tree.unparenthesised(id)) else {
            return self.error(id, TextErrorKind::NotText);
        };
        let text = value.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(self.add_data(text))
    }

    /// Compiles a helper that prints bytes.
    pub(super) fn printed_helper(
        &mut self,
        id: ExprId,
        helper: &'static PrintHelper,
        arguments: &[ExprId],
    ) -> Result<()> {
        let op = match (helper.result, arguments) {
            (HelperResult::Hex | HelperResult::HexStr, &[address, count]) => {
                self.value(address)?;
                self.integer(count, INT)?;
                Op::Hex { joined: helper.result == HelperResult::HexStr }
            }
            (HelperResult::Array, &[address, count, size]) => {
                self.value(address)?;
                self.integer(count, INT)?;
                self.integer(size, UNSIGNED_LONG)?;
                Op::Array
            }
            (HelperResult::HexDump, &[prefix, kind, row, group, address, length, characters]) => {
                self.value(prefix)?;
                // An enumerator of include/linux/printk.h that the kernel has not replaced.
                match self.dump_prefix(kind) {
                    Some(kind) => self.emit(Op::Number(kind)),
                    None => self.integer(kind, INT)?,
                }
                self.integer(row, INT)?;
                self.integer(group, INT)?;
                self.value(address)?;
                self.integer(length, UNSIGNED_LONG)?;
                self.value(characters)?;
                Op::HexDump
            }
            (HelperResult::Buf, _) => return self.error(id, TextErrorKind::Function(helper.name.to_owned())),
            _ => {
                self.value(id)?;
                Op::PrintString
            }
        };
        self.emit(op);
        Ok(())
    }

    fn dump_prefix(&self, id: ExprId) -> Option<u64> {
        let Expr::Name(name) = self.tree.expression(self.tree.unparenthesised(id)) else { return None };
        ["DUMP_PREFIX_NONE", "DUMP_PREFIX_ADDRESS", "DUMP_PREFIX_OFFSET"]
            .iter()
            .zip(0..)
            .find(|(known, _)| **known == &**name)
            .map(|(_, value)| value)
    }

    /// Compiles a helper that prints a dynamic field.
    pub(super) fn printed_dynamic(
        &mut self,
        id: ExprId,
        helper: &'static PrintHelper,
        field: &str,
        arguments: &[ExprId],
    ) -> Result<()> {
        let relative = helper.relative;
        match helper.result {
            HelperResult::Bitmask | HelperResult::Cpumask | HelperResult::Stacktrace => {
                self.location(id, field, None)?;
                self.emit(Op::Locate { relative });
                self.location(id, field, None)?;
                self.emit(Op::LocatedLength);
                let stack = helper.result == HelperResult::Stacktrace;
                self.emit(if stack { Op::Stack } else { Op::Bitmask });
                Ok(())
            }
            HelperResult::PrintDynamicArray => {
                let &[size] = arguments else {
                    return self.error(id, TextErrorKind::Arguments(helper.name.to_owned()));
                };
                self.location(id, field, None)?;
                self.emit(Op::Locate { relative });
                self.location(id, field, None)?;
                self.emit(Op::LocatedLength);
                self.integer(size, UNSIGNED_LONG)?;
                self.emit(Op::Binary(super::program::Arithmetic::Divide { signed: false }));
                self.integer(size, UNSIGNED_LONG)?;
                self.emit(Op::Array);
                Ok(())
            }
            _ => {
                self.value(id)?;
                self.emit(Op::PrintString);
                Ok(())
            }
        }
    }

    /// Returns the type of the elements of a list of numbers, and adds them to the data.
    pub(super) fn numbers(&mut self, list: ExprId, element: &Type) -> Result<(u32, u32)> {
        let Expr::List { items, .. } = self.tree.expression(list) else {
            return self.error(list, TextErrorKind::Form);
        };
        let bytes = element.integer().bytes as usize;
        let mut data = Vec::new();
        for &item in items {
            let value = self.constant(item)?;
            match self.environment.is_little_endian() {
                true => data.extend(value.to_le_bytes().iter().take(bytes)),
                false => data.extend(value.to_be_bytes().iter().skip(8 - bytes.min(8))),
            }
        }
        Ok((self.add_data(&data).start, items.len() as u32))
    }
}
