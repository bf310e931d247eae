//! Text that comes from outside, on one line.
//!
//! Names and texts of a recording or a profile may hold any bytes. Written as they are, they could end a line, command
//! the terminal, or make a line read as another than it is.

use std::borrow::Cow;
use std::fmt;

/// Returns whether it is a control character, a line or paragraph separator, or a mark that changes the direction of
/// text.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text or name that prints with `\xNN` for each byte of an unprintable character, each byte that is not UTF-8, and
/// each backslash.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a [u8]);

impl<'a> Escaped<'a> {
    /// Escapes a string.
    pub fn text(text: &'a str) -> Self {
        Escaped(text.as_bytes())
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some(at) = rest.find(|c| c == '\\' || is_unprintable(c)) {
                let (plain, from) = rest.split_at(at);
                let length = from.chars().next().map_or(0, char::len_utf8);
                let (escaped, behind) = from.split_at(length);
                f.write_str(plain)?;
                write_hex(f, escaped.as_bytes())?;
                rest = behind;
            }
            f.write_str(rest)?;
            write_hex(f, chunk.invalid())?;
        }
        Ok(())
    }
}

/// Writes `\xNN` for each byte.
pub(crate) fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))
}

/// Returns JSON in which unprintable characters are `\uNNNN`. JSON itself demands it for those below U+0020 only; the
/// others can stand nowhere but in strings.
pub fn in_json(json: &str) -> Cow<'_, str> {
    let is_raw = |c: char| c >= ' ' && is_unprintable(c);
    if !json.contains(is_raw) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_raw(c) { safe.push_str(&format!("\\u{:04x}", u32::from(c))) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_on_its_line_and_says_nothing_to_the_terminal() {
        for (text, shown) in [
            (&b""[..], ""),
            (b"sched_switch", "sched_switch"),
            ("\u{e4} \u{1f600}".as_bytes(), "\u{e4} \u{1f600}"),
            (b"a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f"),
            ("\u{202e}x\u{9b}\u{200f}".as_bytes(), "\\xe2\\x80\\xaex\\xc2\\x9b\\xe2\\x80\\x8f"),
            (b"\xff\xc3a\\", "\\xff\\xc3a\\x5c"),
        ] {
            assert_eq!(Escaped(text).to_string(), shown);
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let json = "[\n\"\u{202e}\u{7f}\u{9b}\u{61c}\u{e4}\\n\"\n]";
        let safe = in_json(json);
        assert_eq!(safe, "[\n\"\\u202e\\u007f\\u009b\\u061c\u{e4}\\n\"\n]");
        let values = [json, &safe].map(|json| serde_json::from_str::<Vec<String>>(json).unwrap());
        assert_eq!(values[0], values[1]);
        assert!(matches!(in_json("[\n\"a\"]"), Cow::Borrowed(_)));
    }
}
