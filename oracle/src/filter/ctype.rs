//! Kinds of characters as the kernel tells them apart: `_ctype` in lib/ctype.c, which knows Latin-1.
//!
//! Beyond ASCII that is: the no-break space is white space, and the letters from 0xc0 on are letters. In a text of UTF-8
//! the bytes 0xa0 and 0xc3 to 0xf4 meet these rules.

/// `isspace`: blank, tab, line feed, vertical tab, form feed, carriage return, and 0xa0.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13 | 0xa0)
}

/// `isdigit` (include/linux/ctype.h).
pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// `isalnum`: a digit, a letter, or a letter of Latin-1, among which are neither `×` (0xd7) nor `÷` (0xf7).
pub(super) fn is_alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || (byte >= 0xc0 && byte != 0xd7 && byte != 0xf7)
}
