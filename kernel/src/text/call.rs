//! Calls: functions of the compiler, small functions of the kernel that are a computation, and those that print.

use super::compile::{Compiler, Result};
use super::error::{TextError, TextErrorKind};
use super::function;
use super::program::{Arithmetic, Op, Small};
use super::style::Dialect;
use super::types::{LONG, Type, UNSIGNED, UNSIGNED_LONG};
use crate::c::{Expr, ExprId};
use crate::format::print;
use crate::tables::c_types::IntegerType;
use crate::tables::kernel_values::TICKS;

/// The functions that wrap the entry of a page table in a struct, and unwrap it (arch/x86/include/asm/pgtable.h).
const WRAPPERS: &[&str] = &[
    "native_make_pte",
    "native_make_pmd",
    "native_make_pud",
    "native_make_p4d",
    "native_make_pgd",
    "pte_val",
    "pmd_val",
    "pud_val",
    "p4d_val",
    "pgd_val",
];

impl Compiler<'_> {
    /// Compiles a call that has a value.
    pub(super) fn call(&mut self, id: ExprId, function: ExprId, arguments: &[ExprId]) -> Result<Type> {
        let Some(name) = self.function_name(function) else { return self.error(id, TextErrorKind::Form) };
        match (name, arguments) {
            ("__builtin_expect", &[value, _]) => {
                self.integer(value, LONG)?;
                Ok(Type::Integer(LONG))
            }
            ("__builtin_constant_p", &[_]) => {
                // What a record holds is not known to the compiler.
                self.emit(Op::Number(0));
                Ok(Type::Integer(super::types::INT))
            }
            ("__builtin_choose_expr", &[condition, then, otherwise]) => {
                let chosen = if self.constant(condition)? != 0 { then } else { otherwise };
                self.value(chosen)
            }
            ("__builtin_types_compatible_p", &[left, right]) => {
                let same = self.named_type(left)? == self.named_type(right)?;
                self.emit(Op::Number(u64::from(same)));
                Ok(Type::Integer(super::types::INT))
            }
            ("__builtin_bswap16", &[value]) => self.swapped(value, 2),
            ("__builtin_bswap32", &[value]) => self.swapped(value, 4),
            ("__builtin_bswap64", &[value]) => self.swapped(value, 8),
            ("__builtin_ctz" | "__builtin_ctzl" | "__builtin_ctzll", &[value]) => {
                self.integer(value, UNSIGNED_LONG)?;
                self.emit(Op::TrailingZeroes);
                Ok(Type::Integer(super::types::INT))
            }
            ("__le16_to_cpup", &[address]) if self.environment.is_little_endian() => {
                self.value(address)?;
                self.emit(Op::Load(Small { bytes: 2, signed: false }));
                Ok(Type::Integer(IntegerType { bytes: 2, signed: false }))
            }
            // include/linux/ktime.h
            ("ktime_to_ns", &[value]) => {
                self.integer(value, LONG)?;
                Ok(Type::Integer(LONG))
            }
            ("ktime_to_us", &[value]) => self.divided(value, 1000),
            ("ktime_to_ms", &[value]) => self.divided(value, 1_000_000),
            // The plugin `jbd2` of trace-cmd takes a tick for a millisecond.
            ("jiffies_to_msecs", &[value]) if self.dialect() == Dialect::TraceCmd => {
                self.integer(value, UNSIGNED_LONG)?;
                Ok(Type::Integer(UNSIGNED_LONG))
            }
            // kernel/time/time.c
            ("jiffies_to_msecs", &[value]) => self.ticks(id, value, 1000),
            ("jiffies_to_usecs", &[value]) => self.ticks(id, value, 1_000_000),
            (name, &[value]) if WRAPPERS.contains(&name) => {
                self.integer(value, UNSIGNED_LONG)?;
                Ok(Type::Integer(UNSIGNED_LONG))
            }
            (name, _) => self.error(id, TextErrorKind::Function(name.to_owned())),
        }
    }

    fn swapped(&mut self, value: ExprId, bytes: u8) -> Result<Type> {
        let integer = IntegerType { bytes: bytes.into(), signed: false };
        self.integer(value, integer)?;
        self.emit(Op::SwapBytes(bytes));
        Ok(Type::Integer(integer))
    }

    fn divided(&mut self, value: ExprId, by: u64) -> Result<Type> {
        self.integer(value, LONG)?;
        self.emit(Op::Number(by));
        self.emit(Op::Binary(Arithmetic::Divide { signed: true }));
        Ok(Type::Integer(LONG))
    }

    /// Compiles the conversion of ticks to a unit of which a second has so many. Only rates that divide it are exact.
    fn ticks(&mut self, id: ExprId, value: ExprId, units: u64) -> Result<Type> {
        let rate = self.environment.ticks_per_second().map(u64::from);
        let Some(rate) = rate.filter(|rate| *rate > 0 && units.is_multiple_of(*rate)) else {
            return match self.unknown(TICKS) {
                true => Ok(Type::Integer(UNSIGNED)),
                false => self.error(id, TextErrorKind::Unresolved(TICKS.to_owned())),
            };
        };
        self.integer(value, UNSIGNED_LONG)?;
        self.emit(Op::Number(units / rate));
        self.emit(Op::Binary(Arithmetic::Multiply));
        self.convert(UNSIGNED_LONG, UNSIGNED);
        Ok(Type::Integer(UNSIGNED))
    }

    fn named_type(&mut self, id: ExprId) -> Result<Type> {
        match self.tree.expression(id) {
            Expr::Type(ty) => self.type_of_name(id, ty),
            _ => self.error(id, TextErrorKind::Form),
        }
    }

    /// Compiles a call that is a string.
    pub(super) fn printed_call(&mut self, id: ExprId, function: ExprId, arguments: &[ExprId]) -> Result<()> {
        let Some(name) = self.function_name(function) else { return self.error(id, TextErrorKind::Form) };
        if let ("__builtin_choose_expr", &[condition, then, otherwise]) = (name, arguments) {
            let chosen = if self.constant(condition)? != 0 { then } else { otherwise };
            return self.text(chosen);
        }
        let Some(found) = function::find(name) else {
            return self.error(id, TextErrorKind::Function(name.to_owned()));
        };
        if arguments.len() != usize::from(found.arguments) {
            return self.error(id, TextErrorKind::Arguments(name.to_owned()));
        }
        for &argument in arguments {
            if self.is_sequence(argument) {
                self.emit(Op::Number(0))
            } else {
                self.value(argument).map(|_| ())?
            }
        }
        let function = self.add_function(found);
        self.emit(Op::Function(function));
        Ok(())
    }

    /// Returns whether it is `p`, the output that functions print into.
    fn is_sequence(&self, id: ExprId) -> bool {
        matches!(self.tree.expression(self.tree.unparenthesised(id)), Expr::Name(name) if &**name == "p")
            && self.local("p").is_none()
    }

    /// Returns whether it is `trace_seq_buffer_ptr(p)`: where the output goes on.
    pub(super) fn is_output(&self, id: ExprId) -> bool {
        match self.tree.expression(self.tree.unparenthesised(id)) {
            Expr::Call { function, .. } => self.function_name(*function) == Some("trace_seq_buffer_ptr"),
            _ => false,
        }
    }

    /// Returns whether a function is `trace_seq_printf`.
    pub(super) fn is_print(&self, function: ExprId) -> bool {
        self.function_name(function) == Some("trace_seq_printf")
    }

    /// Compiles `trace_seq_printf(p, "...", ...)`.
    pub(super) fn print_call(&mut self, id: ExprId, arguments: &[ExprId]) -> Result<()> {
        let Some((format, arguments)) = arguments.get(1..).and_then(<[ExprId]>::split_first) else {
            return self.error(id, TextErrorKind::Arguments("trace_seq_printf".to_owned()));
        };
        let Expr::Str { value, .. } = self.tree.expression(self.tree.unparenthesised(*format)) else {
            return self.error(*format, TextErrorKind::NotText);
        };
        let pieces = print::pieces(value);
        let pieces = pieces
            .map_err(|error| TextError::new(self.tree.range(*format), TextErrorKind::Print(error.kind)))?;
        self.pieces(value, &pieces, &mut arguments.iter().copied())
    }

    fn function_name(&self, function: ExprId) -> Option<&str> {
        match self.tree.expression(self.tree.unparenthesised(function)) {
            Expr::Name(name) => Some(name),
            _ => None,
        }
    }
}
