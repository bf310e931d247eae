//! Values of literals: integer constants, and the bytes of character constants and strings.

use crate::tables::c_types::IntegerType;

/// Returns the value and type of an integer constant of C, on a machine with a `long` of 64 bits.
pub(super) fn integer(text: &str) -> Option<(u64, IntegerType)> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text.get(digits.len()..)?.to_ascii_lowercase();
    let (unsigned, long) = match &*suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return None,
    };
    let prefixed = |prefix: [&str; 2]| prefix.iter().find_map(|prefix| digits.strip_prefix(prefix));
    let (value, decimal) = if let Some(digits) = prefixed(["0x", "0X"]) {
        (u64::from_str_radix(digits, 16).ok()?, false)
    } else if let Some(digits) = prefixed(["0b", "0B"]) {
        (u64::from_str_radix(digits, 2).ok()?, false)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (u64::from_str_radix(digits, 8).ok()?, false)
    } else {
        (digits.parse().ok()?, true)
    };
    let candidates = [(4, true), (4, false), (8, true), (8, false)];
    let integer = candidates.into_iter().find(|&(bytes, signed)| {
        // A decimal constant without `u` stays signed as long as a signed type holds it.
        let allowed = if signed { !unsigned } else { unsigned || !decimal };
        let integer = IntegerType { bytes, signed };
        allowed && (bytes == 8 || !long) && i128::from(value) <= integer.max()
    });
    let (bytes, signed) = integer.unwrap_or((8, false));
    Some((value, IntegerType { bytes, signed }))
}

/// Returns the bytes that a string or character constant, quotes included, stands for.
pub(crate) fn bytes(literal: &str) -> Vec<u8> {
    unescape(literal.as_bytes().get(1..literal.len().saturating_sub(1)).unwrap_or_default())
}

/// Returns the bytes that the inside of a string or character constant stands for. The backslash of an unknown escape
/// is dropped, as gcc does.
fn unescape(inside: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            value.push(byte);
            continue;
        }
        let Some((&letter, tail)) = rest.split_first() else { break };
        match letter {
            b'x' => value.push(digits(&mut rest, 1, usize::MAX, 16)),
            b'0'..=b'7' => value.push(digits(&mut rest, 0, 3, 8)),
            _ => {
                rest = tail;
                value.push(simple_escape(letter));
            }
        }
    }
    value
}

fn simple_escape(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'v' => 11,
        other => other,
    }
}

/// Reads a byte of up to `most` digits after `skip` bytes; `rest` is then the text that follows them.
fn digits(rest: &mut &[u8], skip: usize, most: usize, radix: u32) -> u8 {
    let text = rest.get(skip..).unwrap_or_default();
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let length = text.iter().take(most).take_while(is_digit).count();
    let (digits, tail) = text.split_at(length);
    *rest = tail;
    let digit = |byte: &u8| char::from(*byte).to_digit(radix).unwrap_or_default();
    digits.iter().fold(0u32, |value, byte| value.wrapping_mul(radix).wrapping_add(digit(byte))) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(unescape(br#"a\n\t\"\\\x41g\1012\0\q"#), b"a\n\t\"\\AgA2\0q");
        assert_eq!(unescape(b"\\"), b"");
        assert_eq!(unescape(b"\\x"), b"\0");
        assert_eq!(unescape(b"\\xffffffff"), b"\xff");
    }
}
