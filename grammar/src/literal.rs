//! Values of numbers, sizes, durations and strings.

use crate::error::SyntaxErrorKind;
use crate::syntax::Address;
use std::ops::Range;

/// The value of a token that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    /// The value of an integer; of a size in bytes; of a duration in nanoseconds.
    Number(u64),
    /// The value of a string or a doc comment.
    Text(String),
    /// The value of an address or a prefix.
    Address(Address),
    /// The value of `CPUS{..}`.
    Cpus(Vec<(u32, u32)>),
}

/// The values of a text's literals, by the start of their token.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    /// The values, sorted by offset, as the lexer goes through the text.
    entries: Vec<(u32, Literal)>,
}

impl Literals {
    pub(crate) fn push(&mut self, start: u32, value: Literal) {
        self.entries.push((start, value));
    }

    /// Returns the text of the last entry, to add a line to it.
    pub(crate) fn last_text(&mut self) -> Option<&mut String> {
        match self.entries.last_mut() {
            Some((_, Literal::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of the number that begins at `start`.
    pub(crate) fn number(&self, start: u32) -> Option<u64> {
        match self.entries.get(self.find(start)?) {
            Some((_, Literal::Number(value))) => Some(*value),
            _ => None,
        }
    }

    /// Returns the text of the string or doc comment that begins at `start`; it can be taken once.
    pub(crate) fn take_text(&mut self, start: u32) -> Option<String> {
        let index = self.find(start)?;
        match self.entries.get_mut(index) {
            Some((_, Literal::Text(text))) => Some(std::mem::take(text)),
            _ => None,
        }
    }

    /// Returns the address that begins at `start`.
    pub(crate) fn address(&self, start: u32) -> Option<Address> {
        match self.entries.get(self.find(start)?) {
            Some((_, Literal::Address(address))) => Some(*address),
            _ => None,
        }
    }

    /// Returns the CPUs of the list that begins at `start`; they can be taken once.
    pub(crate) fn take_cpus(&mut self, start: u32) -> Option<Vec<(u32, u32)>> {
        let index = self.find(start)?;
        match self.entries.get_mut(index) {
            Some((_, Literal::Cpus(ranges))) => Some(std::mem::take(ranges)),
            _ => None,
        }
    }

    fn find(&self, start: u32) -> Option<usize> {
        self.entries.binary_search_by_key(&start, |entry| entry.0).ok()
    }
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    None,
    Size,
    Duration,
}

/// A mistake in a literal; its range counts from the literal's first byte.
pub(crate) type Problem = (SyntaxErrorKind, Range<usize>);

const UNITS: &[(&str, Unit, u64)] = &[
    ("B", Unit::Size, 1),
    ("KiB", Unit::Size, 1 << 10),
    ("MiB", Unit::Size, 1 << 20),
    ("GiB", Unit::Size, 1 << 30),
    ("ns", Unit::Duration, 1),
    ("us", Unit::Duration, 1_000),
    ("ms", Unit::Duration, 1_000_000),
    ("s", Unit::Duration, 1_000_000_000),
    ("min", Unit::Duration, 60 * 1_000_000_000),
    ("h", Unit::Duration, 3_600 * 1_000_000_000),
];

/// What a number is expected to count, by the token before it. A unit of another kind is not suggested there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Nothing is known.
    Any,
    /// `buffer`.
    Size,
    /// `stop after`, `ring last`.
    Duration,
    /// A comparison: a size is a plain number, a duration is not comparable without `as`.
    Number,
}

impl Wanted {
    fn allows(self, unit: Unit) -> bool {
        match self {
            Wanted::Any => true,
            Wanted::Size | Wanted::Number => unit == Unit::Size,
            Wanted::Duration => unit == Unit::Duration,
        }
    }
}

/// Units of other tools and languages, in lower case. Decimal sizes are not supported: kernels count in binary ones.
/// `m` is a minute or a megabyte.
const OTHER_UNITS: &[(&str, &str)] = &[
    ("b", "B"),
    ("byte", "B"),
    ("bytes", "B"),
    ("k", "KiB"),
    ("kb", "KiB"),
    ("kib", "KiB"),
    ("m", "MiB"),
    ("mb", "MiB"),
    ("mib", "MiB"),
    ("g", "GiB"),
    ("gb", "GiB"),
    ("gib", "GiB"),
    ("nsec", "ns"),
    ("usec", "us"),
    ("\u{b5}s", "us"),
    ("\u{3bc}s", "us"),
    ("msec", "ms"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("m", "min"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
];

/// Parses a number, which begins with a digit; `wanted` limits which unit is suggested for a wrong one.
pub(crate) fn number(text: &str, wanted: Wanted) -> Result<(Unit, u64), Problem> {
    if let Some(dot) = text.find('.') {
        let reason = "numbers have no fraction; use a smaller unit";
        return Err((SyntaxErrorKind::InvalidNumber { reason }, dot..text.len()));
    }
    match text.get(..2) {
        Some("0x" | "0X") => based(text, 16),
        Some("0o" | "0O") => based(text, 8),
        Some("0b") => based(text, 2),
        _ => decimal(text, wanted),
    }
}

/// Returns the groups of three digits behind commas that follow a number of up to three: their length, and the number
/// with `_` in their place.
pub(crate) fn grouped(first: &str, rest: &str) -> Option<(usize, String)> {
    if first.len() > 3 || first.starts_with('0') || !first.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let is_group = |group: &[u8]| group[0] == b',' && group[1..].iter().all(u8::is_ascii_digit);
    let groups = rest.as_bytes().chunks_exact(4).take_while(|group| is_group(group)).count();
    let length = 4 * groups;
    let ends = !rest[length..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ','));
    (groups > 0 && ends).then(|| (length, format!("{first}{}", rest[..length].replace(',', "_"))))
}

/// Returns the number that `1e7` or `4d2` stands for elsewhere, in the language's syntax, and whether that is certain.
pub(crate) fn of_another_language(text: &str) -> Option<(String, bool)> {
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let (digits, suffix) = text.split_at(split);
    if text.starts_with('0') || UNITS.iter().any(|(unit, ..)| *unit == suffix) {
        return None;
    }
    if let Some(exponent) = suffix.strip_prefix(['e', 'E'])
        && exponent.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(exponent @ 1..=18) = exponent.parse::<usize>()
    {
        return Some((format!("{digits}{}", "0".repeat(exponent)), true));
    }
    // `10d` may be days, `5b` bytes; digits behind the letters are those of a hexadecimal number.
    let is_hex = suffix.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (suffix.bytes().any(|byte| byte.is_ascii_digit()) || suffix.len() > 2);
    is_hex.then(|| (format!("0x{text}"), false))
}

/// Parses a number with a prefix. It has no unit: `0x10B` is one number.
fn based(text: &str, base: u32) -> Result<(Unit, u64), Problem> {
    let mut value = Some(0u64);
    let mut digits = 0;
    for (at, character) in text.char_indices().skip(2).filter(|&(_, character)| character != '_') {
        let Some(digit) = character.to_digit(base) else {
            let reason = match base {
                16 => "hexadecimal digits are 0 to 9 and a to f",
                8 => "octal digits are 0 to 7",
                _ => "binary digits are 0 and 1",
            };
            let span = at..at + character.len_utf8();
            return Err((SyntaxErrorKind::InvalidNumber { reason }, span));
        };
        digits += 1;
        value = value.and_then(|value| value.checked_mul(base.into())?.checked_add(digit.into()));
    }
    let whole = 0..text.len();
    if digits == 0 {
        let reason = "digits must follow the prefix";
        return Err((SyntaxErrorKind::InvalidNumber { reason }, whole));
    }
    value.map(|value| (Unit::None, value)).ok_or((SyntaxErrorKind::NumberTooLarge, whole))
}

/// Parses a decimal number and its unit.
fn decimal(text: &str, wanted: Wanted) -> Result<(Unit, u64), Problem> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (digits, suffix) = text.split_at(split);
    let (unit, factor) = unit(suffix, wanted).map_err(|kind| (kind, split..text.len()))?;
    let significant = digits.trim_start_matches(['0', '_']);
    if digits.starts_with('0') && digits.len() > 1 {
        let kind = leading_zero(significant, suffix);
        return Err((kind, 0..text.len()));
    }
    digits
        .bytes()
        .filter(u8::is_ascii_digit)
        .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
        .and_then(|value| value.checked_mul(factor))
        .map(|value| (unit, value))
        .ok_or((SyntaxErrorKind::NumberTooLarge, 0..text.len()))
}

/// Reports `012` and the like; `significant` are its digits without leading zeros. The kernel's filter parses it as
/// octal (`kstrtoull` with base 0 in kernel/trace/trace_events_filter.c), as C does; people read it as decimal.
fn leading_zero(significant: &str, suffix: &str) -> SyntaxErrorKind {
    let significant = if significant.is_empty() { "0" } else { significant };
    let is_octal = significant.bytes().all(|byte| matches!(byte, b'0'..=b'7' | b'_'));
    // One octal digit is the same number in both, and a number with a unit is decimal.
    let differs = significant.len() > 1 && suffix.is_empty();
    let octal = (is_octal && differs).then(|| format!("0o{significant}"));
    SyntaxErrorKind::LeadingZero { octal, decimal: format!("{significant}{suffix}") }
}

fn unit(suffix: &str, wanted: Wanted) -> Result<(Unit, u64), SyntaxErrorKind> {
    if suffix.is_empty() {
        return Ok((Unit::None, 1));
    }
    if let Some(&(_, unit, factor)) = UNITS.iter().find(|entry| entry.0 == suffix) {
        return Ok((unit, factor));
    }
    Err(SyntaxErrorKind::UnknownUnit { unit: suffix.to_owned(), nearest: meant(suffix, wanted) })
}

/// Returns the unit that a wrong one probably means; `None` where it can mean several, or none that is expected.
fn meant(suffix: &str, wanted: Wanted) -> Option<&'static str> {
    // The Greek letter, in both of its forms.
    if matches!(suffix, "\u{b5}s" | "\u{3bc}s") {
        return Some("us");
    }
    let lower = suffix.to_lowercase();
    let known = |name: &str| OTHER_UNITS.iter().any(|(other, unit)| *other == lower && *unit == name);
    let is_meant = |name: &str| known(name) || name.eq_ignore_ascii_case(suffix);
    // A comparison says nothing about what `10m` counts.
    let is_open = wanted == Wanted::Number;
    let is_candidate = |name: &str, unit: Unit| is_meant(name) && (is_open || wanted.allows(unit));
    let mut units = UNITS.iter().filter(|(name, unit, _)| is_candidate(name, *unit));
    match (units.next(), units.next()) {
        (Some((name, unit, _)), None) if wanted.allows(*unit) => Some(name),
        _ => None,
    }
}

/// Returns the unit of this name, or the one that was probably meant.
pub(crate) fn unit_named(text: &str, wanted: Wanted) -> Option<&'static str> {
    match UNITS.iter().find(|entry| entry.0 == text) {
        Some(entry) => Some(entry.0),
        None => meant(text, wanted),
    }
}

/// Returns the length of a string's rest, from after the opening quote to after the closing one; `None` if its line
/// does not close it.
pub(crate) fn string_end(rest: &str) -> Option<usize> {
    let mut bytes = rest.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at + 1),
            b'\n' => return None,
            b'\\' if bytes.next()?.1 == b'\n' => return None,
            _ => {}
        }
    }
    None
}

/// Resolves the escapes of `body`, the text between a string's quotes; the ranges of problems count from its first
/// byte.
pub(crate) fn unescape(body: &str) -> Result<String, Vec<Problem>> {
    let mut value = String::with_capacity(body.len());
    let mut problems = Vec::new();
    let mut at = 0;
    while let Some(offset) = body[at..].find('\\') {
        value.push_str(&body[at..at + offset]);
        at += offset;
        let (length, meaning) = escape(&body[at..]);
        match meaning {
            Ok(character) => value.push(character),
            Err(reason) => {
                let escape = body[at..at + length].to_owned();
                problems.push((SyntaxErrorKind::InvalidEscape { escape, reason }, at..at + length));
            }
        }
        at += length;
    }
    value.push_str(&body[at..]);
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}

/// Returns the length and the meaning of the escape that `text` begins with.
pub(crate) fn escape(text: &str) -> (usize, Result<char, &'static str>) {
    let Some(letter) = text.chars().nth(1) else {
        return (1, Err("nothing follows the backslash"));
    };
    let short = 1 + letter.len_utf8();
    match letter {
        'n' => (short, Ok('\n')),
        'r' => (short, Ok('\r')),
        't' => (short, Ok('\t')),
        '0' => (short, Ok('\0')),
        '\\' | '"' => (short, Ok(letter)),
        'x' => byte_escape(text),
        'u' => unicode_escape(text),
        _ => (short, Err("no escape has this letter")),
    }
}

/// Resolves `\xNN`, two hexadecimal digits up to 7f: strings are UTF-8, in which higher bytes are not characters.
fn byte_escape(text: &str) -> (usize, Result<char, &'static str>) {
    let digits = text[2..].bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
    let length = 2 + digits;
    match u8::from_str_radix(&text[2..length], 16) {
        Ok(byte) if digits == 2 && byte.is_ascii() => (length, Ok(char::from(byte))),
        Ok(_) if digits == 2 => (length, Err("it goes up to \\x7f; write a character as \\u{..}")),
        _ => (length, Err("two hexadecimal digits must follow \\x")),
    }
}

/// Resolves `\u{N}`, one to six hexadecimal digits.
fn unicode_escape(text: &str) -> (usize, Result<char, &'static str>) {
    let Some(rest) = text[2..].strip_prefix('{') else {
        return (2, Err("a number in braces must follow \\u"));
    };
    let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    if rest.as_bytes().get(digits) != Some(&b'}') {
        return (3 + digits, Err("hexadecimal digits and a closing brace must follow \\u{"));
    }
    let length = 4 + digits;
    if !(1..=6).contains(&digits) {
        return (length, Err("one to six digits must stand between the braces"));
    }
    let character = u32::from_str_radix(&rest[..digits], 16).ok().and_then(char::from_u32);
    (length, character.ok_or("there is no such character"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<(Unit, u64), Problem> {
        super::number(text, Wanted::Any)
    }

    #[test]
    fn numbers_in_every_base() {
        for (text, value) in [
            ("0", 0),
            ("42", 42),
            ("1_000_", 1000),
            ("0x2A", 42),
            ("0xdead_beef", 0xdead_beef),
            ("0o52", 42),
            ("0b10_1010", 42),
            ("18446744073709551615", u64::MAX),
            ("0xffffffffffffffff", u64::MAX),
        ] {
            assert_eq!(number(text), Ok((Unit::None, value)), "{text}");
        }
    }

    #[test]
    fn number_with_a_leading_zero_is_refused() {
        for (text, octal, decimal) in [
            ("012", Some("0o12"), "12"),
            ("0_12", Some("0o12"), "12"),
            ("08", None, "8"),
            ("007", None, "7"),
            ("089", None, "89"),
            ("00", None, "0"),
            ("010ms", None, "10ms"),
        ] {
            let (octal, decimal) = (octal.map(str::to_owned), decimal.to_owned());
            let kind = SyntaxErrorKind::LeadingZero { octal, decimal };
            assert_eq!(number(text), Err((kind, 0..text.len())), "{text}");
        }
    }

    #[test]
    fn units_are_factors() {
        for (text, unit, value) in [
            ("7B", Unit::Size, 7),
            ("64KiB", Unit::Size, 65_536),
            ("1_6MiB", Unit::Size, 16 << 20),
            ("2GiB", Unit::Size, 2 << 30),
            ("5ns", Unit::Duration, 5),
            ("5us", Unit::Duration, 5_000),
            ("10ms", Unit::Duration, 10_000_000),
            ("30s", Unit::Duration, 30_000_000_000),
            ("2min", Unit::Duration, 120_000_000_000),
            ("1h", Unit::Duration, 3_600_000_000_000),
        ] {
            assert_eq!(number(text), Ok((unit, value)), "{text}");
        }
    }

    #[test]
    fn number_beyond_64_bits_is_refused() {
        for text in ["18446744073709551616", "0x10000000000000000", "17179869184GiB", "5124096h"] {
            let whole = 0..text.len();
            assert_eq!(number(text), Err((SyntaxErrorKind::NumberTooLarge, whole)), "{text}");
        }
        assert_eq!(number("17179869183GiB"), Ok((Unit::Size, 17_179_869_183 << 30)));
    }

    #[test]
    fn units_of_other_tools_are_refused_with_a_suggestion() {
        for (text, at, wanted) in [
            ("64KB", 2, Some("KiB")),
            ("64kB", 2, Some("KiB")),
            ("1M", 1, None),
            ("1MB", 1, Some("MiB")),
            ("1GB", 1, Some("GiB")),
            ("3sec", 1, Some("s")),
            ("3\u{b5}s", 1, Some("us")),
            ("3MS", 1, Some("ms")),
            ("3parsec", 1, None),
        ] {
            match number(text) {
                Err((SyntaxErrorKind::UnknownUnit { unit, nearest }, span)) => {
                    assert_eq!((unit.as_str(), nearest), (&text[at..], wanted), "{text}");
                    assert_eq!(span, at..text.len(), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn unit_of_another_kind_is_not_suggested() {
        for (unit, wanted, meant) in [
            ("m", Wanted::Any, None),
            ("m", Wanted::Duration, Some("min")),
            ("m", Wanted::Size, Some("MiB")),
            ("sec", Wanted::Any, Some("s")),
            ("sec", Wanted::Number, None),
            ("sec", Wanted::Size, None),
            ("m", Wanted::Number, None),
            ("kb", Wanted::Number, Some("KiB")),
            ("kb", Wanted::Duration, None),
        ] {
            assert_eq!(super::meant(unit, wanted), meant, "{unit} {wanted:?}");
        }
    }

    #[test]
    fn wrong_digit_is_reported_at_its_span() {
        for (text, start, end) in
            [("0b102", 4, 5), ("0o9", 2, 3), ("0xfg", 3, 4), ("0x", 0, 2), ("0b_", 0, 3), ("1.5s", 1, 4)]
        {
            match number(text) {
                Err((SyntaxErrorKind::InvalidNumber { .. }, span)) => {
                    assert_eq!(span, start..end, "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn escapes() {
        let value = unescape(r#"a\n\r\t\0\\\"\x41\u{1F600}\u{e4}z"#);
        assert_eq!(value.as_deref(), Ok("a\n\r\t\0\\\"A\u{1F600}\u{e4}z"));
    }

    #[test]
    fn every_wrong_escape_is_reported_at_its_place() {
        let body = r"ok\q\x4\xff\u12\u{}\u{d800}\u{1234567}\u{12\ä";
        let problems = unescape(body).expect_err("none of these is an escape");
        let found: Vec<&str> = problems.iter().map(|(_, span)| &body[span.clone()]).collect();
        assert_eq!(
            found,
            [r"\q", r"\x4", r"\xff", r"\u", r"\u{}", r"\u{d800}", r"\u{1234567}", r"\u{12", r"\ä"]
        );
    }

    #[test]
    fn strings_end_on_their_line() {
        assert_eq!(string_end(r#"a\"b" c"#), Some(5));
        assert_eq!(string_end(r#"a\\" c"#), Some(4));
        for open in ["", "abc", "abc\ndef\"", "abc\\", "abc\\\ndef\"", r#"abc\""#] {
            assert_eq!(string_end(open), None, "{open:?}");
        }
    }
}
