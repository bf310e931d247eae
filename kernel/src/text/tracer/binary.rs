//! The arguments of `trace_printk`, as `vbin_printf` packs them and `bstr_printf` prints them (lib/vsprintf.c).

use super::super::number;
use super::super::print::{kernel_string, pad};
use super::super::program::{NumberFormat, NumberStyle, Padding};
use super::view::View;
use crate::append::push_decimal;
use crate::bytes::sign_extend;
use crate::format::print::{Conversion, Count, Directive, Length, pieces};
use crate::record::until_nul;

/// Arguments of more than four bytes are aligned to this.
const WORD: usize = 4;

/// The packed arguments that are left.
struct Arguments<'v, 'a> {
    view: &'v View<'a>,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Arguments<'_, 'a> {
    /// Takes a number; `None` if the record has no further one.
    fn number(&mut self, size: usize) -> Option<u64> {
        let from = self.at.next_multiple_of(size.clamp(1, WORD));
        let value = self.view.order.uint(self.bytes, from, size)?;
        self.at = from + size;
        Some(value)
    }

    /// Takes a string, and the NUL behind it.
    fn string(&mut self) -> &'a [u8] {
        let text = until_nul(self.bytes.get(self.at..).unwrap_or_default());
        self.at += text.len() + 1;
        text
    }
}

/// Appends the text of a format at an address of the kernel. If the recording lacks the format, the address is printed,
/// as the kernel does for a string that it does not trust.
pub(super) fn print(view: &View<'_>, out: &mut Vec<u8>, format: u64, bytes: &[u8]) {
    let parsed = view.environment.string(format).and_then(|text| Some((text, pieces(text).ok()?)));
    let Some((text, pieces)) = parsed else {
        return kernel_string(out, format, view.environment, view.escape);
    };
    let mut arguments = Arguments { view, bytes, at: 0 };
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    for piece in pieces {
        match &piece.directive {
            None => {
                let end = piece.range.end.min(text.len());
                out.extend_from_slice(text.get(piece.range.start..end).unwrap_or_default());
            }
            Some(directive) => self::directive(directive, &mut arguments, out),
        }
    }
}

fn directive(directive: &Directive, arguments: &mut Arguments<'_, '_>, out: &mut Vec<u8>) {
    let mut count = |count: Option<Count>| match count {
        Some(Count::Fixed(number)) => i32::try_from(number).unwrap_or(i32::MAX),
        Some(Count::Argument) => arguments.number(4).map_or(-1, |number| number as u32 as i32),
        None => -1,
    };
    let (width, precision) = (count(directive.width), count(directive.precision));
    let padding = Padding {
        width: width.saturating_abs().max(if width == -1 { -1 } else { 0 }),
        precision,
        left: directive.left || width < -1,
        zero: directive.zero,
    };
    let padding = if width == -1 { Padding { width: -1, ..padding } } else { padding };
    let start = out.len();
    match &directive.conversion {
        Conversion::Percent => out.push(b'%'),
        Conversion::Char => {
            let character = [arguments.number(1).unwrap_or(0) as u8];
            arguments.view.push_text(out, &character);
            pad(out, start, Padding { precision: -1, ..padding });
        }
        Conversion::Str => {
            let text = arguments.string();
            arguments.view.push_text(out, text);
            pad(out, start, padding);
        }
        Conversion::Pointer { format: None, .. } => push_number(arguments, out, &address(padding), 8),
        Conversion::Pointer { suffix, .. } => match suffix.bytes().next() {
            Some(b'S' | b's') => {
                let address = arguments.number(8).unwrap_or(0);
                let symbol = arguments.view.environment.symbol(address);
                arguments.view.push_found(out, address, symbol, suffix.starts_with('S'));
                pad(out, start, padding);
            }
            Some(b'x' | b'K' | b'e') => push_number(arguments, out, &address(padding), 8),
            // All others were printed when they were recorded.
            _ => {
                let text = arguments.string();
                arguments.view.push_text(out, text);
            }
        },
        conversion => {
            let size = match directive.length {
                Some(Length::Char) => 1,
                Some(Length::Short) => 2,
                None => 4,
                Some(_) => 8,
            };
            let base = match conversion {
                Conversion::Octal => 8,
                Conversion::Hex { .. } => 16,
                _ => 10,
            };
            let format = NumberFormat {
                base,
                signed: *conversion == Conversion::Signed,
                upper: *conversion == Conversion::Hex { upper: true },
                alternate: directive.alternate,
                plus: directive.plus,
                space: directive.space,
                padding,
            };
            push_number(arguments, out, &format, size);
        }
    }
}

/// Returns the form of a plain address, which has all its digits.
fn address(padding: Padding) -> NumberFormat {
    let padding = if padding.width == -1 { Padding { width: 16, zero: true, ..padding } } else { padding };
    NumberFormat {
        base: 16,
        signed: false,
        upper: false,
        alternate: false,
        plus: false,
        space: false,
        padding,
    }
}

fn push_number(arguments: &mut Arguments<'_, '_>, out: &mut Vec<u8>, format: &NumberFormat, size: usize) {
    match arguments.number(size) {
        Some(value) if format.signed => {
            number::push(out, sign_extend(value, size) as u64, format, format.padding)
        }
        Some(value) if format.plain() == Some(NumberStyle::Unsigned) => push_decimal(out, value),
        Some(value) => number::push(out, value, format, format.padding),
        None => out.push(b'?'),
    }
}
