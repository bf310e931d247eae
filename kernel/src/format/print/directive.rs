//! The format string as `vsnprintf` of the kernel reads it: `format_decode` in lib/vsprintf.c.

use std::ops::Range;

use super::error::{PrintError, PrintErrorKind};
use crate::tables::pointer_formats::{self, PointerFormat};

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its range in the format string's bytes. Pieces follow each other without a gap.
    pub range: Range<usize>,
    /// The directive; `None` for literal text.
    pub directive: Option<Directive>,
}

/// A directive of a format string: `%-8s`, `%#lx`, `%*pbl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// `-`: the field is padded on the right.
    pub left: bool,
    /// `+`: positive numbers have a sign too.
    pub plus: bool,
    /// A blank: a blank takes the place of a missing sign.
    pub space: bool,
    /// `#`: the number has the prefix `0x` or `0`.
    pub alternate: bool,
    /// `0`: the field is padded with zeroes.
    pub zero: bool,
    /// The width of the field.
    pub width: Option<Count>,
    /// The precision. Unlike in C, a dot alone does not set one.
    pub precision: Option<Count>,
    /// The size of the argument.
    pub length: Option<Length>,
    /// The conversion of the argument.
    pub conversion: Conversion,
}

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A number in the format.
    Fixed(u32),
    /// `*`: an `int` argument before the one that is printed.
    Argument,
}

/// The size of an integer argument; without one it is an `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// `hh`: `char`.
    Char,
    /// `h`: `short`.
    Short,
    /// `l`: `long`.
    Long,
    /// `ll` or `L`: `long long`.
    LongLong,
    /// `z`: `size_t`.
    Size,
    /// `t`: `ptrdiff_t`.
    Difference,
}

/// The conversion of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `%%`: a percent sign; it takes no argument.
    Percent,
    /// `c`: one character.
    Char,
    /// `s`: a string.
    Str,
    /// `d`, `i`: a signed number.
    Signed,
    /// `u`: an unsigned number.
    Unsigned,
    /// `o`: octal.
    Octal,
    /// `x`, `X`: hexadecimal.
    Hex {
        /// `X`: with the digits A to F.
        upper: bool,
    },
    /// `p`: an address, or the data at it.
    Pointer {
        /// All letters and digits that follow.
        suffix: Box<str>,
        /// Their meaning; `None` for a plain address.
        format: Option<&'static PointerFormat>,
    },
}

impl Directive {
    /// Returns the number of arguments that it takes.
    pub fn arguments(&self) -> usize {
        let counts = [self.width, self.precision];
        let stars = counts.iter().filter(|count| **count == Some(Count::Argument)).count();
        stars + usize::from(self.conversion != Conversion::Percent)
    }
}

/// Splits a format string into pieces. Offsets in errors count from its beginning.
pub(crate) fn pieces(format: &[u8]) -> Result<Vec<Piece>, PrintError> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let rest = format.get(at..).unwrap_or_default();
        let text = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        if text > 0 {
            pieces.push(Piece { range: at..at + text, directive: None });
            at += text;
            continue;
        }
        let mut scanner = Scanner { bytes: rest, at: 1 };
        let directive = scanner.directive();
        let directive = directive.ok_or_else(|| PrintError::new(at, PrintErrorKind::Directive))?;
        pieces.push(Piece { range: at..at + scanner.at, directive: Some(directive) });
        at += scanner.at;
    }
    Ok(pieces)
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn directive(&mut self) -> Option<Directive> {
        let mut directive = Directive {
            left: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            width: None,
            precision: None,
            length: None,
            conversion: Conversion::Percent,
        };
        loop {
            match self.peek() {
                Some(b'-') => directive.left = true,
                Some(b'+') => directive.plus = true,
                Some(b' ') => directive.space = true,
                Some(b'#') => directive.alternate = true,
                Some(b'0') => directive.zero = true,
                _ => break,
            }
            self.at += 1;
        }
        directive.width = self.count()?;
        if self.take(b'.') {
            directive.precision = self.count()?;
        }
        directive.length = self.length();
        directive.conversion = self.conversion()?;
        Some(directive)
    }

    /// Reads a number, `*`, or nothing; fails on a number that no field of a line can have.
    fn count(&mut self) -> Option<Option<Count>> {
        if self.take(b'*') {
            return Some(Some(Count::Argument));
        }
        let digits = self.bytes.get(self.at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = str::from_utf8(self.bytes.get(self.at..self.at + digits)?).ok()?;
        self.at += digits;
        if digits == 0 {
            return Some(None);
        }
        text.parse().ok().map(|number| Some(Count::Fixed(number)))
    }

    fn length(&mut self) -> Option<Length> {
        let length = match self.peek()? {
            b'h' => Length::Short,
            b'l' => Length::Long,
            b'L' => Length::LongLong,
            b'z' => Length::Size,
            b't' => Length::Difference,
            _ => return None,
        };
        self.at += 1;
        Some(match length {
            Length::Short if self.take(b'h') => Length::Char,
            Length::Long if self.take(b'l') => Length::LongLong,
            length => length,
        })
    }

    fn conversion(&mut self) -> Option<Conversion> {
        Some(match self.next()? {
            b'%' => Conversion::Percent,
            b'c' => Conversion::Char,
            b's' => Conversion::Str,
            b'd' | b'i' => Conversion::Signed,
            b'u' => Conversion::Unsigned,
            b'o' => Conversion::Octal,
            b'x' => Conversion::Hex { upper: false },
            b'X' => Conversion::Hex { upper: true },
            b'p' => self.pointer()?,
            _ => return None,
        })
    }

    /// Reads the text after `%p`. `vsnprintf` skips all letters and digits there.
    fn pointer(&mut self) -> Option<Conversion> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let suffix = str::from_utf8(rest.get(..length)?).ok()?;
        self.at += length;
        Some(Conversion::Pointer { suffix: suffix.into(), format: pointer_formats::of_suffix(suffix) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str) -> Directive {
        let pieces = pieces(format.as_bytes()).unwrap();
        assert_eq!(pieces.len(), 1, "{format}");
        assert_eq!(pieces[0].range, 0..format.len(), "{format}");
        pieces[0].directive.clone().unwrap()
    }

    #[test]
    fn directives_read_as_vsnprintf_does() {
        let directive = one("%-+ #016Lx");
        assert!(directive.left && directive.plus && directive.space && directive.alternate && directive.zero);
        assert_eq!(directive.width, Some(Count::Fixed(16)));
        assert_eq!(directive.length, Some(Length::LongLong));
        assert_eq!(directive.conversion, Conversion::Hex { upper: false });

        let directive = one("%*.*s");
        assert_eq!((directive.width, directive.precision), (Some(Count::Argument), Some(Count::Argument)));
        assert_eq!(directive.arguments(), 3);

        assert_eq!(one("%.2x").precision, Some(Count::Fixed(2)));
        assert_eq!(one("%.s").precision, None);
        for (format, length) in [
            ("%u", None),
            ("%hhu", Some(Length::Char)),
            ("%hu", Some(Length::Short)),
            ("%lu", Some(Length::Long)),
            ("%llu", Some(Length::LongLong)),
            ("%zu", Some(Length::Size)),
            ("%tu", Some(Length::Difference)),
        ] {
            assert_eq!((one(format).length, one(format).arguments()), (length, 1), "{format}");
        }
        assert_eq!(one("%%").arguments(), 0);
        assert_eq!(one("%*%").arguments(), 1);
    }

    #[test]
    fn a_pointer_takes_all_letters_behind_it() {
        for (format, suffix, letters) in [
            ("%p", "", None),
            ("%pS", "S", Some("S")),
            ("%*pbl", "bl", Some("bl")),
            ("%6phC", "hC", Some("h")),
            ("%pMpmk", "Mpmk", Some("M")),
            ("%pz9", "z9", None),
        ] {
            let Conversion::Pointer { suffix: found, format: extension } = one(format).conversion else {
                panic!("{format} is not a pointer")
            };
            assert_eq!((&*found, extension.map(|e| e.letters)), (suffix, letters), "{format}");
        }
        assert_eq!(pieces(b"%pS+0x").unwrap().len(), 2);
    }

    #[test]
    fn pieces_tile_the_format() {
        let format = b"a=%d\n\xffb=%s%% %p|";
        let pieces = pieces(format).unwrap();
        let mut at = 0;
        for piece in &pieces {
            assert_eq!(piece.range.start, at);
            at = piece.range.end;
        }
        assert_eq!(at, format.len());
        assert_eq!(pieces.iter().filter(|piece| piece.directive.is_some()).count(), 4);
        assert!(super::pieces(b"").unwrap().is_empty());
    }

    #[test]
    fn what_vsnprintf_does_not_know_is_an_error_at_its_place() {
        for (format, offset) in
            [("%", 0), ("100%", 3), ("a %n", 2), ("%5", 0), ("%qd", 0), ("%ll", 0), ("%d %99999999999d", 3)]
        {
            let error = pieces(format.as_bytes()).unwrap_err();
            assert_eq!((error.offset, error.kind), (offset, PrintErrorKind::Directive), "{format}");
        }
    }
}
