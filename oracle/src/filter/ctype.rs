//! Classes of characters of the kernel: `_ctype` in lib/ctype.c, which includes Latin-1.
//!
//! Beyond ASCII, the no-break space is white space, and the letters from 0xc0 on are letters. In UTF-8 text this
//! applies to the bytes 0xa0 and 0xc3 to 0xf4.

/// Returns `isspace`: blank, tab, line feed, vertical tab, form feed, carriage return, and 0xa0.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13 | 0xa0)
}

/// Returns `isdigit` (include/linux/ctype.h).
pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Returns `isalnum`: a digit, a letter, or a letter of Latin-1, which does not include `×` (0xd7) and `÷` (0xf7).
pub(super) fn is_alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || (byte >= 0xc0 && byte != 0xd7 && byte != 0xf7)
}
