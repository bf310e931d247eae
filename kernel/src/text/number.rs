//! Numbers as `number` of lib/vsprintf.c prints them.

use super::program::{NumberFormat, Padding};
use crate::append::two_digits;
use crate::tables::limits::SEQUENCE_BYTES;

/// The size of a buffer for the digits of a number, of which there are 22 at most, and what surrounds them. It is a power
/// of two, so that a masked index lies in it.
const ROOM: usize = 64;

/// A number at the end of a buffer.
struct Digits {
    buffer: [u8; ROOM],
    from: usize,
}

impl Digits {
    fn push(&mut self, byte: u8) {
        self.from = self.from.wrapping_sub(1);
        self.buffer[self.from & (ROOM - 1)] = byte;
    }

    fn push_all(&mut self, bytes: &[u8]) {
        bytes.iter().rev().for_each(|&byte| self.push(byte));
    }

    fn text(&self) -> &[u8] {
        self.buffer.get(self.from..).unwrap_or_default()
    }

    fn len(&self) -> usize {
        ROOM - self.from.min(ROOM)
    }

    fn decimal(mut value: u64) -> Self {
        let mut digits = Digits { buffer: [0; ROOM], from: ROOM };
        while value >= 10 {
            let [tens, ones] = two_digits(value);
            value /= 100;
            digits.push(ones);
            digits.push(tens);
        }
        // Of an odd number of digits the first is left; where none is left, the pair may have a leading zero.
        if value > 0 || digits.len() == 0 {
            digits.push(b'0' + value as u8);
        }
        if digits.len() > 1 && digits.text().first() == Some(&b'0') {
            digits.from += 1;
        }
        digits
    }

    fn of_bits(mut value: u64, shift: u32, upper: bool) -> Self {
        let mut digits = Digits { buffer: [0; ROOM], from: ROOM };
        let letters: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        loop {
            digits.push(letters[(value & ((1 << shift) - 1)) as usize & 15]);
            value >>= shift;
            if value == 0 {
                return digits;
            }
        }
    }
}

/// Appends a number in hexadecimal with at least so many digits.
pub(super) fn push_hex_padded(out: &mut Vec<u8>, value: u64, digits: usize) {
    let text = Digits::of_bits(value, 4, false);
    fill(out, b'0', digits as i64 - text.text().len() as i64);
    out.extend_from_slice(text.text());
}

/// Appends a byte as two hexadecimal digits.
pub(super) fn push_hex_byte(out: &mut Vec<u8>, byte: u8) {
    const LETTERS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(&[LETTERS[usize::from(byte >> 4)], LETTERS[usize::from(byte & 15)]]);
}

/// Appends a byte so many times, at most as often as fits the kernel's buffer.
pub(super) fn fill(out: &mut Vec<u8>, byte: u8, count: i64) {
    if count > 0 {
        let count = (count as usize).min(SEQUENCE_BYTES);
        out.resize(out.len() + count, byte);
    }
}

/// Appends a number. A signed one is given extended to 64 bits.
pub(super) fn push(out: &mut Vec<u8>, value: u64, format: &NumberFormat, padding: Padding) {
    let negative = format.signed && (value as i64) < 0;
    let value = if negative { value.wrapping_neg() } else { value };
    let mut digits = match format.base {
        8 => Digits::of_bits(value, 3, false),
        16 => Digits::of_bits(value, 4, format.upper),
        _ => Digits::decimal(value),
    };
    let sign = match () {
        () if negative => b"-".as_slice(),
        () if format.signed && format.plus => b"+",
        () if format.signed && format.space => b" ",
        () => b"",
    };
    let prefix = match (format.alternate, format.base) {
        (true, 16) if format.upper => b"0X".as_slice(),
        (true, 16) => b"0x",
        (true, 8) if value != 0 => b"0",
        _ => b"",
    };
    let precision = i64::from(padding.precision).max(digits.len() as i64);
    let blank = i64::from(padding.width) - (sign.len() + prefix.len()) as i64 - precision;
    let zeroes = padding.zero && !padding.left;
    // Nearly all numbers, with all that surrounds them, have room in the buffer of the digits.
    if !padding.left && precision.max(padding.width.into()) < ROOM as i64 - 4 {
        let zero = precision - digits.len() as i64 + if zeroes { blank.max(0) } else { 0 };
        (0..zero).for_each(|_| digits.push(b'0'));
        digits.push_all(prefix);
        digits.push_all(sign);
        (0..if zeroes { 0 } else { blank }).for_each(|_| digits.push(b' '));
        return out.extend_from_slice(digits.text());
    }
    let digits = digits.text();
    if !padding.left && !zeroes {
        fill(out, b' ', blank);
    }
    out.extend_from_slice(sign);
    out.extend_from_slice(prefix);
    if zeroes {
        fill(out, b'0', blank);
    }
    fill(out, b'0', precision - digits.len() as i64);
    out.extend_from_slice(digits);
    if padding.left {
        fill(out, b' ', blank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: u64) -> String {
        let padding = Padding { width: -1, precision: -1, left: false, zero: false };
        let format = NumberFormat {
            base: 10,
            signed: false,
            upper: false,
            alternate: false,
            plus: false,
            space: false,
            padding,
        };
        let mut out = Vec::new();
        push(&mut out, value, &format, padding);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimal_digits_are_those_of_rust() {
        for value in [0, 1, 9, 10, 11, 99, 100, 101, 109, 110, 999, 1000, 12345, 1 << 40, u64::MAX] {
            assert_eq!(decimal(value), value.to_string());
        }
        let mut value = 1u64;
        for _ in 0..10_000 {
            value = value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let cut = value >> (value % 64);
            assert_eq!(decimal(cut), cut.to_string());
        }
    }
}
