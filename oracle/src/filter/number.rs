//! Numbers as lib/kstrtox.c reads them, with base 0.

/// Reads `kstrtoll` or `kstrtoull`, by the field's sign; returns the bits of the number. `None` if the kernel refuses
/// it.
pub(super) fn parse(token: &[u8], signed: bool) -> Option<u64> {
    if !signed {
        return unsigned(token);
    }
    match token.strip_prefix(b"-") {
        // -2^63 is the least.
        Some(digits) => unsigned(digits).filter(|&value| value <= 1 << 63).map(u64::wrapping_neg),
        None => unsigned(token).filter(|&value| value < 1 << 63),
    }
}

/// Reads as `_kstrtoull`: the whole token has to be digits of its base. A sign is not a digit.
pub(super) fn unsigned(token: &[u8]) -> Option<u64> {
    let (base, digits) = radix(token);
    let (value, length) = leading(digits, base)?;
    (length == digits.len()).then_some(value)
}

/// Reads the base as `_parse_integer_fixup_radix`: `0x` makes hexadecimal only before a hexadecimal digit, any other
/// `0` octal.
fn radix(token: &[u8]) -> (u64, &[u8]) {
    match token {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, &token[2..]),
        [b'0', ..] => (8, token),
        _ => (10, token),
    }
}

/// Reads as `_parse_integer`: the number at the start of the text and its length; `None` if it is too large or missing.
pub(super) fn leading(text: &[u8], base: u64) -> Option<(u64, usize)> {
    let mut value: u64 = 0;
    let mut length = 0;
    for &byte in text {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => break,
        };
        if u64::from(digit) >= base {
            break;
        }
        value = value.checked_mul(base)?.checked_add(u64::from(digit))?;
        length += 1;
    }
    (length > 0).then_some((value, length))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_read_as_the_kernel_reads_them() {
        for (token, signed, unsigned) in [
            ("10", Some(10), Some(10)),
            ("0xa", Some(10), Some(10)),
            ("0XA", Some(10), Some(10)),
            ("012", Some(10), Some(10)),
            ("0", Some(0), Some(0)),
            ("-0", Some(0), None),
            ("-0x0", Some(0), None),
            ("-010", Some(-8), None),
            ("08", None, None),
            ("0x", None, None),
            ("0xg", None, None),
            ("5u", None, None),
            ("-", None, None),
            ("", None, None),
            ("--1", None, None),
            ("9223372036854775807", Some(i64::MAX), Some(i64::MAX)),
            ("9223372036854775808", None, Some(i64::MIN)),
            ("-9223372036854775808", Some(i64::MIN), None),
            ("-9223372036854775809", None, None),
            ("18446744073709551615", None, Some(-1)),
            ("18446744073709551616", None, None),
            ("0xffffffffffffffff", None, Some(-1)),
            ("0x10000000000000000", None, None),
        ] {
            assert_eq!(parse(token.as_bytes(), true), signed.map(|value: i64| value as u64), "{token}");
            assert_eq!(parse(token.as_bytes(), false), unsigned.map(|value: i64| value as u64), "{token}");
        }
    }
}
