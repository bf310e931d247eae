//! Appends the short pieces that a line of text is made of.
//!
//! `Vec::extend_from_slice` calls `memcpy` where a length is not known at compile time, and `std::fmt` is slower still.
//! Most pieces of a trace are a few bytes, and there are twenty of them in a line. These functions copy blocks of
//! constant sizes, which are single instructions.

/// The digits of 0 to 99.
const PAIRS: &[u8; 200] =
    b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/// Appends the first `length` bytes of a block.
#[inline]
pub(crate) fn push_start<const N: usize>(out: &mut Vec<u8>, block: &[u8; N], length: usize) {
    let from = out.len();
    out.extend_from_slice(block);
    out.truncate(from + length);
}

/// Appends bytes of which there are usually few.
#[inline]
pub fn push_short(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.len() {
        0 => {}
        1..4 => bytes.iter().for_each(|&byte| out.push(byte)),
        4..8 => push_ends::<4>(out, bytes),
        8..=16 => push_ends::<8>(out, bytes),
        17..=32 => push_ends::<16>(out, bytes),
        33..=64 => push_ends::<32>(out, bytes),
        _ => out.extend_from_slice(bytes),
    }
}

/// Appends `N` to `2 * N` bytes as two blocks that may overlap.
#[inline]
fn push_ends<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) {
        push_start(out, first, bytes.len() - N);
        out.extend_from_slice(last);
    }
}

/// The first number of nine digits.
const NINE_DIGITS: u64 = 100_000_000;

/// Appends a number in decimal.
#[inline]
pub fn push_decimal(out: &mut Vec<u8>, value: u64) {
    match value {
        0..10 => out.push(b'0' + value as u8),
        10..NINE_DIGITS => {
            let digits = eight_digits(value as u32) + ASCII_ZEROES;
            let count = count_digits(value as u32);
            push_start(out, &(digits >> (8 * (8 - count))).to_le_bytes(), count as usize);
        }
        _ => push_long(out, value),
    }
}

/// Returns the number of digits of a number below 100,000,000. It is known before the digits are: whatever is appended next
/// does not wait for them.
#[inline]
fn count_digits(value: u32) -> u32 {
    const POWERS: [u32; 9] = [0, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    // 1233 / 4096 is the logarithm of 2 to base 10.
    let most = ((32 - (value | 1).leading_zeros()) * 1233) >> 12;
    most + u32::from(POWERS.get(most as usize).is_some_and(|power| value >= *power))
}

/// Appends a number of more than eight digits.
fn push_long(out: &mut Vec<u8>, value: u64) {
    push_decimal(out, value / NINE_DIGITS);
    let rest = eight_digits((value % NINE_DIGITS) as u32) + ASCII_ZEROES;
    out.extend_from_slice(&rest.to_le_bytes());
}

/// `0` in each byte.
const ASCII_ZEROES: u64 = u64::from_le_bytes([b'0'; 8]);

/// Returns the eight decimal digits of a number below 100,000,000 as numbers, the first one in the least significant byte.
/// The pieces of the number are halved three times, all at once: a division by 100 or by 10 is a multiplication that is
/// exact for so few digits.
#[inline]
fn eight_digits(value: u32) -> u64 {
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let high = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = high | (fours - 100 * high) << 16;
    let high = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    high | (twos - 10 * high) << 8
}

/// Appends a number in decimal with its sign.
#[inline]
pub fn push_signed(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_decimal(out, value.unsigned_abs());
}

/// Appends a number below 1,000,000 in decimal, as six digits, and two bytes after it, as one block.
#[inline]
pub fn push_six_digits(out: &mut Vec<u8>, value: u32, behind: [u8; 2]) {
    let digits = (eight_digits(value) + ASCII_ZEROES) >> 16;
    let block = digits | u64::from(u16::from_le_bytes(behind)) << 48;
    out.extend_from_slice(&block.to_le_bytes());
}

/// Appends a number with six digits behind the point: `whole` in decimal, right-aligned to a width, and `millionths`, which
/// are less than 1,000,000. It is one block, since each line of a trace has such a time.
#[inline]
pub fn push_fixed(out: &mut Vec<u8>, whole: u64, millionths: u32, width: usize) {
    if whole >= NINE_DIGITS || width > 8 {
        return push_long_fixed(out, whole, millionths, width);
    }
    let digits = count_digits(whole as u32);
    let zeroes = (1_u64 << (8 * (8 - digits))) - 1;
    let blanks = zeroes & (ASCII_ZEROES - u64::from_le_bytes([b' '; 8]));
    let whole = eight_digits(whole as u32) + ASCII_ZEROES - blanks;
    // `millionths` has six digits, so the first two of the eight are zeroes. The point replaces the second of them.
    let behind = (eight_digits(millionths) + ASCII_ZEROES) >> 8;
    let behind = behind & !0xff | u64::from(b'.');
    let left_out = 8 - digits.max(width as u32);
    let block = (u128::from(whole) | u128::from(behind) << 64) >> (8 * left_out);
    push_start(out, &block.to_le_bytes(), 15 - left_out as usize);
}

/// The same of any number, to any width.
#[cold]
fn push_long_fixed(out: &mut Vec<u8>, whole: u64, millionths: u32, width: usize) {
    let digits = whole.checked_ilog10().unwrap_or(0) as usize + 1;
    out.extend(std::iter::repeat_n(b' ', width.saturating_sub(digits)));
    push_decimal(out, whole);
    let digits = (eight_digits(millionths) + ASCII_ZEROES) >> 8;
    push_start(out, &(digits & !0xff | u64::from(b'.')).to_le_bytes(), 7);
}

/// Returns the last two digits of a number.
#[inline]
pub(crate) fn two_digits(value: u64) -> [u8; 2] {
    let at = 2 * (value % 100) as usize;
    [PAIRS[at], PAIRS[at + 1]]
}

/// Appends a number in hexadecimal with small letters, without prefix.
#[inline]
pub fn push_hex(out: &mut Vec<u8>, value: u64) {
    let count = (67 - (value | 1).leading_zeros() as usize) / 4;
    let [high, low] = [value >> 32, value & 0xffff_ffff].map(|half| u128::from(hex_digits(half as u32)));
    let digits = (high << 64 | low) << (8 * (16 - count));
    push_start(out, &digits.to_be_bytes(), count);
}

/// Returns the eight hexadecimal digits of a number, the first one in the most significant byte.
#[inline]
fn hex_digits(value: u32) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut nibbles = u64::from(value);
    nibbles = (nibbles << 16 | nibbles) & 0x0000_ffff_0000_ffff;
    nibbles = (nibbles << 8 | nibbles) & 0x00ff_00ff_00ff_00ff;
    nibbles = (nibbles << 4 | nibbles) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 in each byte above 9.
    let letters = (nibbles + 6 * ONES) >> 4 & ONES;
    nibbles + u64::from(b'0') * ONES + letters * u64::from(b'a' - b'9' - 1)
}

/// Returns whether all bytes are printable ASCII.
#[inline]
pub fn is_printable_ascii(bytes: &[u8]) -> bool {
    // Without an early end, so that several bytes are looked at in one instruction.
    bytes.iter().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = b"x".to_vec();
        push(&mut out);
        assert_eq!(out.remove(0), b'x');
        String::from_utf8(out).unwrap()
    }

    /// Numbers of all lengths.
    fn numbers() -> impl Iterator<Item = u64> {
        let edges = (0..20).flat_map(|power| {
            let edge = 10u64.pow(power);
            [edge - 1, edge, edge + 1]
        });
        let bits = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit]);
        let mut seed = 1u64;
        let others = std::iter::repeat_with(move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed >> (seed % 64)
        });
        edges.chain(bits).chain([u64::MAX]).chain(others.take(10_000))
    }

    #[test]
    fn numbers_are_those_of_std() {
        for value in numbers() {
            assert_eq!(appended(|out| push_decimal(out, value)), value.to_string());
            assert_eq!(appended(|out| push_hex(out, value)), format!("{value:x}"));
            let signed = value as i64;
            assert_eq!(appended(|out| push_signed(out, signed)), signed.to_string());
            assert_eq!(
                appended(|out| push_signed(out, signed.wrapping_neg())),
                signed.wrapping_neg().to_string()
            );
            let six = (value % 1_000_000) as u32;
            assert_eq!(appended(|out| push_six_digits(out, six, *b": ")), format!("{six:06}: "));
            for width in [0, 1, 5, 8, 9, 12] {
                let fixed = appended(|out| push_fixed(out, value, six, width));
                assert_eq!(fixed, format!("{value:width$}.{six:06}"));
            }
        }
    }

    #[test]
    fn bytes_of_each_length_are_appended() {
        let all: Vec<u8> = (b' '..=b'~').collect();
        for length in 0..=all.len() {
            let text = std::str::from_utf8(&all[..length]).unwrap();
            assert_eq!(appended(|out| push_short(out, text.as_bytes())), text);
            assert!(is_printable_ascii(text.as_bytes()));
        }
        for byte in (0..=u8::MAX).filter(|byte| !(b' '..=b'~').contains(byte)) {
            assert!(!is_printable_ascii(&[b'a', byte]));
        }
    }
}
