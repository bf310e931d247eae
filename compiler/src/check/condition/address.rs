//! Comparisons of IP addresses with a field that holds one in network order.

use core::net::{IpAddr, Ipv4Addr};

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Address, BinaryOp, ExprId, ExprKind};
use tracec_kernel::condition::ir::{CompareOp, Condition, Number, NumberOp};

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, codes};

use super::Checker;
use super::operand::{NamedOperand, Operand, Side};

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

    /// Returns whether an operand holds the four bytes of an address.
    pub(super) fn holds_address(&self, named: &NamedOperand) -> bool {
        matches!(&named.operand, Operand::Field(field) if field.packed().is_some())
    }

    /// Reports an address in quotes, or a pattern of addresses.
    pub(super) fn quoted_address<T>(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        text: &str,
        at: Span,
    ) -> Option<T> {
        let said = codes::not_an_address::in_quotes(at, named.span, &named.name, named.type_text());
        let Some(address) = address_in(text) else {
            return self.say(said.help("write the address without quotes, as in `10.0.0.1` or `10.0.0.0/8`"));
        };
        let symbol = match op.value {
            BinaryOp::Match => "==",
            BinaryOp::NotMatch => "!=",
            _ => return self.say(said.fix(format!("write `{address}`"), at, address)),
        };
        let edits =
            vec![Edit { span: op.span, text: symbol.to_owned() }, Edit { span: at, text: address.clone() }];
        let title = format!("write `{symbol} {address}`");
        self.say(said.offer(Fix::several(Applicability::Maybe, title, edits)))
    }

    /// Returns the diagnostic of an address that is compared with a call of `htonl`, whose argument is its number in
    /// host byte order.
    pub(super) fn address_from_host(&self, left: Option<&Side>, right: ExprId) -> Option<Diagnostic> {
        let ExprKind::Call { function, args } = &self.exprs[right].kind else { return None };
        let Some(Side::Operand(named)) = left else { return None };
        let name = self.byte_order(*function)?;
        if !self.holds_address(named) {
            return None;
        }
        let number = match args.as_slice() {
            [only] => match &self.exprs[*only].kind {
                ExprKind::Int(number) => u32::try_from(*number).ok(),
                _ => None,
            },
            _ => None,
        };
        let address = number.map(|number| Ipv4Addr::from(number).to_string());
        Some(codes::c_in_condition::address(self.exprs[right].span, name, address))
    }

    fn no_address<T>(&mut self, named: &NamedOperand, at: Span, bytes: usize) -> Option<T> {
        let type_text = named.type_text();
        self.say(codes::not_an_address::not_an_address(at, named.span, &named.name, type_text, bytes))
    }
}

/// Returns the address in a text, or the prefix that a pattern of addresses is: `10.0.0.0/8` for `10.*`.
fn address_in(text: &str) -> Option<String> {
    let (ip, prefix) = text.split_once('/').map_or((text, None), |(ip, prefix)| (ip, Some(prefix)));
    let is_prefix = prefix.is_none_or(|bits| bits.parse::<u8>().is_ok_and(|bits| bits <= 32));
    if is_prefix && ip.parse::<Ipv4Addr>().is_ok() {
        return Some(text.to_owned());
    }
    let known = text.trim_end_matches(".*").trim_end_matches('.');
    let numbers: Vec<&str> = known.split('.').collect();
    let is_open = known.len() < text.len() && numbers.len() < 4;
    if !is_open || !numbers.iter().all(|number| number.parse::<u8>().is_ok()) {
        return None;
    }
    let zeros = ".0".repeat(4 - numbers.len());
    Some(format!("{known}{zeros}/{}", 8 * numbers.len()))
}
