//! The format of a placeholder, which follows the colon: width, base, a printk extension, a helper.

mod hex_dump;

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::tables::printk::{self, Directive, Extension, Misuse};

use crate::diagnostic::{Diagnostic, Suggestions, codes};
use crate::ir::definition::{Base, Conversion, HexDump, SecondsPart, Shape};

/// A format as written: `#010x`, `pISpc`, `flags("|")`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Width, precision and flags of printf.
    pub(super) shape: Shape,
    /// The conversion of the value; `None` where only the shape is written.
    pub(super) wanted: Option<Wanted>,
}

/// A conversion of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A number.
    Number(Base),
    /// Text.
    Text,
    /// A `%p` extension.
    Pointer(&'static Extension),
    /// A device number as `MAJOR,MINOR`.
    Device,
    /// The names of flags.
    Flags {
        /// The text between two names.
        delimiter: String,
    },
    /// The name of an enum's member.
    Name,
    /// The bytes of an array.
    Hex {
        /// Whether there are blanks between them.
        spaced: bool,
    },
    /// The bytes of an array as lines.
    HexDump(HexDump),
    /// The elements of an array.
    Array,
    /// Nanoseconds as seconds.
    Nanoseconds(SecondsPart),
}

impl Wanted {
    /// Returns whether it is converted by printf alone, which can be given a width.
    fn takes_shape(&self) -> bool {
        match self {
            Wanted::Number(_) | Wanted::Text | Wanted::Pointer(_) | Wanted::Name => true,
            Wanted::Nanoseconds(part) => *part != SecondsPart::All,
            Wanted::Device
            | Wanted::Flags { .. }
            | Wanted::Hex { .. }
            | Wanted::HexDump(_)
            | Wanted::Array => false,
        }
    }
}

/// The largest width; a larger number is a typing error.
const MOST_WIDTH: u32 = 1024;

/// Parses a format.
pub(super) fn parse(format: &Spanned<String>, suggestions: &Suggestions) -> Result<Format, Diagnostic> {
    let text = format.value.as_str();
    if let Some(delimiter) = flags(text) {
        return Ok(Format {
            shape: Shape::default(),
            wanted: Some(Wanted::Flags { delimiter: delimiter.to_owned() }),
        });
    }
    if let Some(options) = hex_dump::options(format) {
        return Ok(Format {
            shape: Shape::default(),
            wanted: Some(Wanted::HexDump(hex_dump::read(&options)?)),
        });
    }
    let (shape, rest) = shape(text).ok_or_else(|| codes::bad_format::too_wide(format.span))?;
    if rest.is_empty() && !text.is_empty() {
        return Ok(Format { shape, wanted: None });
    }
    let word = Spanned::new(rest, tail(format.span, text, rest));
    let wanted = wanted(&word, suggestions)?;
    if !wanted.takes_shape() && shape != Shape::default() {
        return Err(codes::bad_format::no_shape(format.span, rest));
    }
    Ok(Format { shape, wanted: Some(wanted) })
}

/// Returns what gcc would warn of in the directive that a format becomes with a value of its type.
pub(super) fn misuse(format: &Spanned<String>, conversion: &Conversion) -> Option<Diagnostic> {
    let (letter, shape) = directive(conversion)?;
    let directive = Directive::find(letter)?;
    let Shape { flags, width, precision } = shape;
    let misuse = directive.misuse(flags, precision.is_some())?;
    let kept = Shape {
        flags: directive.kept(flags, precision.is_some()),
        width: *width,
        precision: precision.filter(|_| directive.has_precision),
    };
    let (_, word) = self::shape(&format.value)?;
    // The kernel pads with zeros beside a precision, and writes what gcc warns of for an address.
    let is_same = letter != 'p' && !matches!(misuse, Misuse::Beside('0', "a precision"));
    Some(codes::bad_format::misuse(format.span, letter, misuse, &format!("{kept}{word}"), is_same))
}

/// Returns the letter and the shape of the directive of printf that a conversion writes.
fn directive(conversion: &Conversion) -> Option<(char, &Shape)> {
    Some(match conversion {
        Conversion::Integer { base, shape, .. } => (base.letter(), shape),
        Conversion::Text(shape) | Conversion::Symbolic { shape, .. } | Conversion::Flags { shape, .. } => {
            ('s', shape)
        }
        Conversion::Pointer { shape, .. } => ('p', shape),
        Conversion::Nanoseconds { shape, .. } => ('u', shape),
        _ => return None,
    })
}

/// Returns the span of the last bytes of a text.
fn tail(span: Span, text: &str, rest: &str) -> Span {
    let skipped = text.len().saturating_sub(rest.len()) as u32;
    Span { start: span.start.saturating_add(skipped).min(span.end), ..span }
}

/// Returns the delimiter of `flags("|")`.
fn flags(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("flags(")?.strip_suffix(')')?.trim();
    let delimiter = inner.strip_prefix('"')?.strip_suffix('"')?;
    // The delimiter becomes a C string.
    (!delimiter.contains(['"', '\\', '%'])).then_some(delimiter)
}

/// Parses flags, width and precision, and returns the rest. `None` if a number is too large.
fn shape(text: &str) -> Option<(Shape, &str)> {
    let end = text.find(|c| !matches!(c, '-' | '+' | ' ' | '#' | '0')).unwrap_or(text.len());
    let (flags, rest) = text.split_at(end);
    let (width, rest) = number(rest)?;
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (precision, rest) = number(rest)?;
            (Some(precision.unwrap_or(0)), rest)
        }
        None => (None, rest),
    };
    Some((Shape { flags: flags.to_owned(), width, precision }, rest))
}

fn number(text: &str) -> Option<(Option<u32>, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        return Some((None, rest));
    }
    let value = digits.parse().ok().filter(|value| *value <= MOST_WIDTH)?;
    Some((Some(value), rest))
}

fn wanted(word: &Spanned<&str>, suggestions: &Suggestions) -> Result<Wanted, Diagnostic> {
    let wanted = match word.value {
        "d" | "i" => Wanted::Number(Base::Signed),
        "u" => Wanted::Number(Base::Unsigned),
        "x" => Wanted::Number(Base::Hex),
        "X" => Wanted::Number(Base::UpperHex),
        "o" => Wanted::Number(Base::Octal),
        "c" => Wanted::Number(Base::Char),
        "s" => Wanted::Text,
        "dev" => Wanted::Device,
        "flags" => Wanted::Flags { delimiter: "|".to_owned() },
        "name" => Wanted::Name,
        "hex" => Wanted::Hex { spaced: true },
        "hexstr" => Wanted::Hex { spaced: false },
        "hexdump" => Wanted::HexDump(hex_dump::PLAIN),
        "array" => Wanted::Array,
        "secs" => Wanted::Nanoseconds(SecondsPart::All),
        "ns_to_secs" => Wanted::Nanoseconds(SecondsPart::Whole),
        "ns_without_secs" => Wanted::Nanoseconds(SecondsPart::Rest),
        letters => match printk::find(letters) {
            Some(extension) => Wanted::Pointer(extension),
            None => return Err(unknown(word, suggestions)),
        },
    };
    Ok(wanted)
}

fn unknown(word: &Spanned<&str>, suggestions: &Suggestions) -> Diagnostic {
    if let Some((_, instead)) = printk::UNSAFE.iter().find(|(letters, _)| word.value.starts_with(letters)) {
        return codes::unsafe_format::outside(word.span, word.value, instead);
    }
    if word.value.starts_with("flags") {
        return codes::bad_format::delimiter(word.span);
    }
    // `lx`, `llu`: the length follows from the value's type.
    if let Some(short) = word.value.strip_prefix("ll").or_else(|| word.value.strip_prefix('l'))
        && matches!(short, "d" | "i" | "u" | "x" | "X" | "o")
    {
        return codes::bad_format::length(word.span, short);
    }
    let numbers = ["d", "u", "x", "X", "o", "c", "s"].into_iter();
    let known = numbers.chain(printk::names()).chain(printk::HELPERS.iter().map(|helper| helper.name));
    // Extensions differ in case only, and a common beginning counts as similar.
    let known: Vec<&str> = known.collect();
    let same = known.iter().filter(|name| name.eq_ignore_ascii_case(word.value)).copied();
    let mut found: Vec<String> = same.map(str::to_owned).collect();
    if found.is_empty() {
        found = suggestions.near(word.span, word.value, || known);
    }
    codes::bad_format::bad_format(word.span, word.value, &found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Format, &'static str> {
        let span = Span::new(10, 10 + text.len());
        parse(&Spanned::new(text.to_owned(), span), &Suggestions::default())
            .map_err(|diagnostic| diagnostic.code.name)
    }

    fn shape(flags: &str, width: Option<u32>, precision: Option<u32>) -> Shape {
        Shape { flags: flags.to_owned(), width, precision }
    }

    #[test]
    fn formats_are_those_of_printf_and_printk() {
        let plain = Shape::default;
        for (text, shape, wanted) in [
            ("x", plain(), Some(Wanted::Number(Base::Hex))),
            ("#010x", shape("#0", Some(10), None), Some(Wanted::Number(Base::Hex))),
            ("-16s", shape("-", Some(16), None), Some(Wanted::Text)),
            (".8", shape("", None, Some(8)), None),
            ("5", shape("", Some(5), None), None),
            ("pISpc", plain(), printk::find("pISpc").map(Wanted::Pointer)),
            ("20pS", shape("", Some(20), None), printk::find("pS").map(Wanted::Pointer)),
            ("flags(\", \")", plain(), Some(Wanted::Flags { delimiter: ", ".to_owned() })),
            ("dev", plain(), Some(Wanted::Device)),
            ("secs", plain(), Some(Wanted::Nanoseconds(SecondsPart::All))),
            ("6ns_to_secs", shape("", Some(6), None), Some(Wanted::Nanoseconds(SecondsPart::Whole))),
            ("09ns_without_secs", shape("0", Some(9), None), Some(Wanted::Nanoseconds(SecondsPart::Rest))),
        ] {
            assert_eq!(read(text), Ok(Format { shape, wanted }), "{text}");
        }
    }

    #[test]
    fn invalid_format_is_reported() {
        for (text, code) in [
            ("", "bad-format"),
            ("z", "bad-format"),
            ("lx", "bad-format"),
            ("5000d", "bad-format"),
            ("99999999999d", "bad-format"),
            ("8dev", "bad-format"),
            ("8secs", "bad-format"),
            ("8hexdump", "bad-format"),
            ("flags(|)", "bad-format"),
            ("flags(\"a\\n\")", "bad-format"),
            ("pd", "unsafe-format"),
            ("pISpq", "bad-format"),
        ] {
            assert_eq!(read(text), Err(code), "{text}");
        }
    }

    #[test]
    fn mistake_in_a_format_has_the_span_of_the_word() {
        let word = Spanned::new("#010q".to_owned(), Span::new(7, 12));
        let mistake = parse(&word, &Suggestions::default()).unwrap_err();
        assert_eq!(mistake.primary.unwrap().span, Span::new(11, 12));
    }
}
