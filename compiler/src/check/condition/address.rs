//! Comparisons of IP addresses with a field that holds one in network order.

use core::net::IpAddr;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Address, BinaryOp};
use tracec_kernel::condition::ir::{CompareOp, Condition, Number, NumberOp};

use crate::diagnostic::codes;

use super::Checker;
use super::operand::{NamedOperand, Operand};

impl Checker<'_> {
    /// Types an operand compared with an address or a prefix of addresses.
    pub(super) fn compare_address(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        address: Address,
        at: Span,
    ) -> Option<Condition> {
        let compare = match op.value {
            BinaryOp::Eq => CompareOp::Eq,
            BinaryOp::Ne => CompareOp::Ne,
            _ => {
                let (is, ops) = ("an address", "`==` and `!=`");
                let said =
                    codes::bad_operator::bad_operator(op.span, op.value.symbol(), &named.name, is, ops);
                return self.say(said);
            }
        };
        let IpAddr::V4(v4) = address.ip else { return self.no_address(named, at, 16) };
        // Only these types mean that the bytes are in network order: a plain u32 may be anything.
        let bytes = match &named.operand {
            Operand::Field(field) if field.size == 4 && field.type_text.ends_with("be32") => {
                Some(Number::Field(field.clone()))
            }
            Operand::Field(field) => field.packed().map(Number::Field),
            _ => None,
        };
        let Some(number) = bytes else { return self.no_address(named, at, 4) };
        // The record holds the bytes in network order; read as a little-endian number, the first byte is the lowest.
        let value = u32::from_le_bytes(v4.octets());
        Some(match address.prefix {
            None | Some(32) => Condition::compare(number, compare, i128::from(value)),
            Some(bits) => {
                let ones = u32::MAX.checked_shl(32 - u32::from(bits.min(32))).unwrap_or(0);
                let mask = u32::from_le_bytes(ones.to_be_bytes());
                let masked = Number::binary(NumberOp::And, number, Number::Const(mask.into()));
                Condition::compare(masked, compare, i128::from(value & mask))
            }
        })
    }

    fn no_address<T>(&mut self, named: &NamedOperand, at: Span, bytes: usize) -> Option<T> {
        let type_text = named.type_text();
        self.say(codes::not_an_address::not_an_address(at, named.span, &named.name, type_text, bytes))
    }
}
