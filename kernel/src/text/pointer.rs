//! The extensions of `%p` (`pointer` in lib/vsprintf.c).

use super::compile::{Compiler, Result};
use super::error::TextErrorKind;
use super::program::Extension;
use crate::c::ExprId;

impl Compiler<'_> {
    /// Returns what an extension prints, by the letters and digits after `%p` and the extension that they begin with.
    pub(super) fn extension(
        &mut self,
        id: ExprId,
        suffix: &str,
        letters: Option<&'static str>,
    ) -> Result<Extension> {
        let options = suffix.strip_prefix(letters.unwrap_or_default()).unwrap_or_default();
        let first = options.bytes().next();
        let has = |option: u8| options.bytes().take_while(u8::is_ascii_alphabetic).any(|byte| byte == option);
        // The last of the letters for a byte order counts; `n` and `b` are that of the network.
        let order =
            options.bytes().take_while(u8::is_ascii_alphabetic).filter(|b| b"hnbl".contains(b)).last();
        let reverses = |order: Option<u8>| match order {
            Some(b'l') => true,
            Some(b'h') => self.environment.is_little_endian(),
            _ => false,
        };
        let extension = match letters {
            None | Some("K") => {
                self.hashes();
                Extension::Address
            }
            Some("x") => Extension::Address,
            Some("e") => Extension::Error,
            Some("S") => Extension::Symbol { offset: true, before: false },
            Some("s") => Extension::Symbol { offset: false, before: false },
            Some("B") => Extension::Symbol { offset: true, before: true },
            Some("M") => Extension::Hardware {
                separator: Some(if first == Some(b'F') { b'-' } else { b':' }),
                reversed: first == Some(b'R'),
            },
            Some("m") => Extension::Hardware { separator: None, reversed: first == Some(b'R') },
            Some(letters @ ("I4" | "i4")) => {
                Extension::Ipv4 { zeroes: letters == "i4", reversed: reverses(first) }
            }
            Some(letters @ ("I6" | "i6")) => Extension::Ipv6 {
                compressed: letters == "I6" && first == Some(b'c'),
                colons: letters == "I6",
            },
            Some(letters @ ("IS" | "iS")) => Extension::Socket {
                port: has(b'p'),
                flow: has(b'f'),
                scope: has(b's'),
                compressed: has(b'c'),
                plain: letters == "iS",
                reversed: reverses(order),
            },
            Some("U") => Extension::Uuid {
                upper: matches!(first, Some(b'L' | b'B')),
                guid: matches!(first, Some(b'L' | b'l')),
            },
            Some("h") => Extension::Hex {
                separator: match first {
                    Some(b'C') => Some(b':'),
                    Some(b'D') => Some(b'-'),
                    Some(b'N') => None,
                    _ => Some(b' '),
                },
            },
            Some("b") => Extension::Bitmap { list: false },
            Some("bl") => Extension::Bitmap { list: true },
            Some("a" | "ap" | "ad" | "NF") => Extension::Word,
            Some(_) => return self.error(id, TextErrorKind::Extension(suffix.to_owned())),
        };
        Ok(extension)
    }
}
