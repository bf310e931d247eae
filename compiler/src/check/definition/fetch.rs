//! The kernel's fetch arguments: `%di`, `+4($stack)`, `@jiffies` (`parse_probe_arg` in kernel/trace/trace_probe.c).

use std::num::IntErrorKind;

use tracec_grammar::span::Span;
use tracec_kernel::tables::limits;
use tracec_kernel::tables::probe_kinds::{ProbeKind, Space, Values};
use tracec_kernel::tables::registers;

use crate::diagnostic::{Diagnostic, Suggestions, codes};
use crate::ir::definition::{Dereference, FetchArgument, FirstValue as First};

/// A part of a fetch argument.
struct Part<'a> {
    text: &'a str,
    /// Its span.
    span: Span,
}

impl<'a> Part<'a> {
    /// Returns the part without its first bytes.
    fn behind(&self, bytes: usize) -> Part<'a> {
        let text = self.text.get(bytes..).unwrap_or_default();
        Part { text, span: self.span.part(self.text.len() - text.len()..self.text.len()) }
    }

    /// Returns the first bytes of the part.
    fn first(&self, bytes: usize) -> Part<'a> {
        let text = self.text.get(..bytes).unwrap_or(self.text);
        Part { text, span: self.span.part(0..text.len()) }
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        codes::bad_fetch::bad_fetch(self.span, what)
    }

    /// Returns the diagnostic for a part that is not the number that is expected.
    fn no_number(&self, error: NumberError, expected: &str) -> Box<Diagnostic> {
        Box::new(match error {
            NumberError::Malformed => self.wrong(&format!("expected {expected}")),
            NumberError::TooLarge => self.wrong("the number does not fit in 64 bits"),
            NumberError::TooLargeWithSign => {
                self.wrong("the number does not fit in 64 bits, of which one is the sign")
            }
        })
    }
}

/// Parses a fetch argument. Dereferences are removed one by one, without recursion.
pub(super) fn parse(
    text: &str,
    span: Span,
    suggestions: &Suggestions,
) -> Result<FetchArgument, Box<Diagnostic>> {
    let mut rest = Part { text, span: span.part(0..text.len()) };
    let mut dereferences = Vec::new();
    while rest.text.starts_with(['+', '-']) {
        let (offset, user) = match rest.text.get(1..) {
            Some(behind) if behind.starts_with('u') => (rest.behind(2), true),
            _ => (rest.behind(1), false),
        };
        let Some(open) = offset.text.find('(') else {
            return Err(Box::new(rest.wrong("a dereference has its operand in parentheses: `+4(%di)`")));
        };
        let number = offset.first(open);
        let sign = if rest.text.starts_with('-') { Sign::Minus } else { Sign::Plus };
        let bytes = signed(number.text, sign).map_err(|error| number.no_number(error, OFFSET))?;
        let inner = offset.behind(open + 1);
        let Some(without) = inner.text.strip_suffix(')') else {
            return Err(Box::new(rest.wrong("the parenthesis is not closed")));
        };
        dereferences.push(Dereference { offset: bytes, user, access: None });
        if dereferences.len() > limits::FETCH_DEREFERENCES {
            return Err(Box::new(rest.wrong("more dereferences than the kernel follows")));
        }
        rest = inner.first(without.len());
    }
    let first = first(&rest, suggestions)?;
    let leads_nowhere = match first {
        First::Comm | First::Text(_) => Some("this is text already and leads nowhere"),
        First::AllArguments => Some("these are several values"),
        _ => None,
    };
    if let Some(why) = leads_nowhere.filter(|_| !dereferences.is_empty()) {
        return Err(Box::new(rest.wrong(why)));
    }
    Ok(FetchArgument { first, dereferences })
}

fn first(part: &Part<'_>, suggestions: &Suggestions) -> Result<First, Box<Diagnostic>> {
    let behind = part.behind(1);
    match part.text.chars().next() {
        Some('%') if registers::architectures(behind.text).next().is_some() => {
            Ok(First::Register(behind.text.to_owned()))
        }
        Some('%') => {
            let near = suggestions.near(behind.span, behind.text, registers::names);
            Err(Box::new(codes::unknown_register::unknown_register(behind.span, behind.text, &near)))
        }
        Some('$') => variable(&behind),
        Some('@') => memory(&behind),
        Some('\\') => immediate(&behind),
        _ => Err(Box::new(
            part.wrong("expected `%REGISTER`, `$VARIABLE`, `@ADDRESS`, `+OFFSET(..)` or `\\VALUE`"),
        )),
    }
}

fn variable(name: &Part<'_>) -> Result<First, Box<Diagnostic>> {
    let numbered = |prefix: &str, least: u64| {
        let digits =
            name.text.strip_prefix(prefix).filter(|digits| digits.bytes().all(|c| c.is_ascii_digit()))?;
        (!digits.is_empty()).then(|| {
            let value = digits.parse::<u64>().ok();
            value.filter(|value| (least..=limits::FETCH_STACK_WORDS).contains(value))
        })
    };
    match name.text {
        "stack" => return Ok(First::StackPointer),
        "retval" => return Ok(First::Result),
        "comm" | "COMM" => return Ok(First::Comm),
        "arg*" => return Ok(First::AllArguments),
        _ => {}
    }
    if let Some(number) = numbered("stack", 0) {
        return number
            .map(First::Stack)
            .ok_or_else(|| Box::new(name.wrong("the stack has not so many words")));
    }
    if let Some(number) = numbered("arg", 1) {
        return number
            .map(First::Argument)
            .ok_or_else(|| Box::new(name.wrong("arguments are counted from 1")));
    }
    let is_name = name.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if is_name {
        Ok(First::Field(name.text.to_owned()))
    } else {
        Err(Box::new(name.wrong("expected a variable's name")))
    }
}

fn memory(address: &Part<'_>) -> Result<First, Box<Diagnostic>> {
    if address.text.starts_with(|c: char| c.is_ascii_digit()) {
        let number = c_number(address.text).map_err(|error| address.no_number(error, "an address: a number"));
        return number.map(First::Memory);
    }
    if address.text.starts_with('+') {
        let offset = address.behind(1);
        return match signed(offset.text, Sign::Plus) {
            Ok(number) => Ok(First::FileOffset(number.unsigned_abs())),
            Err(error) => Err(offset.no_number(error, "an offset in the file: a number")),
        };
    }
    let end = address.text.find(['+', '-']).unwrap_or(address.text.len());
    let (symbol, offset) = (address.first(end), address.behind(end));
    let is_symbol = !symbol.text.is_empty()
        && !symbol.text.starts_with(|c: char| c.is_ascii_digit())
        && symbol.text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$' | b':'));
    if !is_symbol {
        return Err(Box::new(symbol.wrong("expected an address or the name of a symbol")));
    }
    let bytes = match Sign::of(offset.text) {
        Some(sign) => signed(offset.behind(1).text, sign).map_err(|error| offset.no_number(error, OFFSET))?,
        None => 0,
    };
    Ok(First::Symbol { name: symbol.text.to_owned(), offset: bytes })
}

fn immediate(value: &Part<'_>) -> Result<First, Box<Diagnostic>> {
    if let Some(text) = value.text.strip_prefix('"') {
        return match text.strip_suffix('"').filter(|text| !text.contains('"')) {
            Some(text) => Ok(First::Text(text.to_owned())),
            None => Err(Box::new(value.wrong("the text is not closed by `\"`"))),
        };
    }
    // Without a sign it is a number of 64 bits, with one it is signed (`str_to_immediate`).
    let number = match Sign::of(value.text) {
        Some(sign) => signed(value.behind(1).text, sign).map(i128::from),
        None => c_number(value.text).map(i128::from),
    };
    match number {
        Ok(number) => Ok(First::Immediate(number)),
        Err(error) => Err(value.no_number(error, "a number, or text in double quotes")),
    }
}

/// What is expected where an offset stands.
const OFFSET: &str = "an offset: a number of bytes";

/// The sign before a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Sign {
    /// Returns the sign that a text begins with.
    fn of(text: &str) -> Option<Sign> {
        match text.as_bytes().first()? {
            b'+' => Some(Sign::Plus),
            b'-' => Some(Sign::Minus),
            _ => None,
        }
    }
}

/// The reason why a text is not a number.
#[derive(Clone, Copy)]
enum NumberError {
    Malformed,
    TooLarge,
    TooLargeWithSign,
}

/// Parses the digits after a sign; with it they are a number as `kstrtol` reads one.
fn signed(digits: &str, sign: Sign) -> Result<i64, NumberError> {
    let number = match c_number(digits) {
        Ok(number) if sign == Sign::Minus => -i128::from(number),
        Ok(number) => i128::from(number),
        Err(NumberError::Malformed) => return Err(NumberError::Malformed),
        Err(_) => return Err(NumberError::TooLargeWithSign),
    };
    i64::try_from(number).map_err(|_| NumberError::TooLargeWithSign)
}

/// Parses a number as `kstrtoul` does with base 0: decimal, `0x`, or octal after a `0`.
fn c_number(text: &str) -> Result<u64, NumberError> {
    let (digits, base) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..).unwrap_or_default(), 16),
        [b'0', _, ..] => (text.get(1..).unwrap_or_default(), 8),
        _ => (text, 10),
    };
    // `from_str_radix` accepts a sign, which is invalid here.
    if digits.starts_with(['+', '-']) {
        return Err(NumberError::Malformed);
    }
    u64::from_str_radix(digits, base).map_err(|error| match error.kind() {
        IntErrorKind::PosOverflow => NumberError::TooLarge,
        _ => NumberError::Malformed,
    })
}

/// Returns whether the field is an argument of a call at its return: some kernels store the arguments at the entry,
/// others cannot (`traceprobe_get_entry_data_size` in kernel/trace/trace_probe.c).
pub(super) fn is_argument_at_return(fetch: &FetchArgument, kind: &ProbeKind) -> bool {
    kind.values == Values::Result && matches!(fetch.first, First::Argument(_) | First::AllArguments)
}

/// Returns what a kind of probe cannot fetch, and why.
pub(super) fn not_here(fetch: &FetchArgument, kind: &ProbeKind, at_entry: bool) -> Option<String> {
    let returns = kind.values == Values::Result;
    let why = match fetch.first {
        First::Register(_) if matches!(kind.name, "event" | "fprobe" | "tprobe") => "it sees no registers",
        First::StackPointer | First::Stack(_) if kind.name == "event" => "it sees no stack",
        First::Result if !kind.has_result() => "only what returns has a result",
        First::Argument(_) | First::AllArguments if kind.space == Space::User => {
            "arguments of programs are in registers: `%di`"
        }
        First::Argument(_) | First::AllArguments if kind.name == "event" => "an event has fields: `$NAME`",
        First::Argument(_) | First::AllArguments if !at_entry && !returns => {
            "arguments are where a function begins"
        }
        First::Field(_) if kind.values != Values::Fields => {
            "the variables are `$stack`, `$stackN`, `$retval`, `$argN` and `$comm`"
        }
        First::FileOffset(_) if kind.space != Space::User => "only a program's file has such an offset",
        First::Symbol { .. } if kind.space == Space::User => {
            "symbols are the kernel's; use an address or `@+OFFSET`"
        }
        _ => return None,
    };
    Some(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<FetchArgument, (&'static str, Span)> {
        parse(text, Span::new(100, 100 + text.len()), &Suggestions::default())
            .map_err(|mistake| (mistake.code.name, mistake.primary.unwrap().span))
    }

    fn plain(first: First) -> FetchArgument {
        FetchArgument { first, dereferences: Vec::new() }
    }

    fn symbol(name: &str, offset: i64) -> First {
        First::Symbol { name: name.to_owned(), offset }
    }

    #[test]
    fn every_form_is_read() {
        for (text, first) in [
            ("%di", First::Register("di".to_owned())),
            ("%x0", First::Register("x0".to_owned())),
            ("$stack", First::StackPointer),
            ("$stack3", First::Stack(3)),
            ("$retval", First::Result),
            ("$arg12", First::Argument(12)),
            ("$arg*", First::AllArguments),
            ("$comm", First::Comm),
            ("$COMM", First::Comm),
            ("$filename", First::Field("filename".to_owned())),
            ("@0xffffffff81000000", First::Memory(0xffff_ffff_8100_0000)),
            ("@jiffies", symbol("jiffies", 0)),
            ("@init_task+0x10", symbol("init_task", 16)),
            ("@init_task-8", symbol("init_task", -8)),
            ("@+0x120", First::FileOffset(0x120)),
            ("\\42", First::Immediate(42)),
            ("\\-0x2a", First::Immediate(-42)),
            ("\\\"some text\"", First::Text("some text".to_owned())),
        ] {
            assert_eq!(read(text), Ok(plain(first)), "{text}");
        }
        let at = |offset, user| Dereference { offset, user, access: None };
        let through = |first, dereferences: &[Dereference]| {
            Ok(FetchArgument { first, dereferences: dereferences.to_vec() })
        };
        assert_eq!(read("+4($stack)"), through(First::StackPointer, &[at(4, false)]));
        let register = First::Register("si".to_owned());
        assert_eq!(read("+u0(-0x8(%si))"), through(register, &[at(0, true), at(-8, false)]));
        assert_eq!(read("+0(+u0(%si))").map(|fetch| fetch.is_user_memory()), Ok(false));
        assert_eq!(read("+010(@jiffies)"), through(symbol("jiffies", 0), &[at(8, false)]));
    }

    /// What the form holds is what the kernel gets.
    #[test]
    fn the_kernels_syntax_of_an_argument_is_read_as_the_same_argument() {
        for (text, written) in [
            ("%di", "%di"),
            ("$stack", "$stack"),
            ("$stack3", "$stack3"),
            ("$retval", "$retval"),
            ("$arg12", "$arg12"),
            ("$arg*", "$arg*"),
            ("$COMM", "$comm"),
            ("$filename", "$filename"),
            ("@18446744071578845184", "@0xffffffff81000000"),
            ("@jiffies", "@jiffies"),
            ("@ext4:name+0x10", "@ext4:name+16"),
            ("@init_task-010", "@init_task-8"),
            ("@+288", "@+0x120"),
            ("\\0x2a", "\\42"),
            ("\\-0x2a", "\\-42"),
            ("\\\"some text\"", "\\\"some text\""),
            ("+u0(-0x8(%si))", "+u0(-8(%si))"),
            ("-u010(+0x10($stack))", "-u8(+16($stack))"),
        ] {
            let fetch = read(text).expect(text);
            assert_eq!(fetch.to_string(), written);
            assert_eq!(read(written), Ok(fetch), "{text}");
        }
    }

    #[test]
    fn mistakes_are_reported_at_their_span() {
        for (text, code, place) in [
            ("%rdi", "unknown-register", "rdi"),
            ("+4(%dy)", "unknown-register", "dy"),
            ("+4", "bad-fetch", "+4"),
            ("+x(%di)", "bad-fetch", "x"),
            ("++4(%di)", "bad-fetch", "+4"),
            ("+0(-08(%di))", "bad-fetch", "08"),
            ("+4(%di", "bad-fetch", "+4(%di"),
            ("+4()", "bad-fetch", ""),
            ("+4($comm)", "bad-fetch", "$comm"),
            ("$arg0", "bad-fetch", "arg0"),
            ("$stack99999", "bad-fetch", "stack99999"),
            ("$", "bad-fetch", ""),
            ("@", "bad-fetch", ""),
            ("@09", "bad-fetch", "09"),
            ("@+x", "bad-fetch", "x"),
            ("@a+b", "bad-fetch", "+b"),
            ("@a b", "bad-fetch", "a b"),
            ("\\", "bad-fetch", ""),
            ("\\\"open", "bad-fetch", "\"open"),
            ("\\x", "bad-fetch", "x"),
            ("di", "bad-fetch", "di"),
            ("", "bad-fetch", ""),
        ] {
            let found = read(text)
                .map_err(|(code, span)| (code, &text[span.start as usize - 100..span.end as usize - 100]));
            assert_eq!(found, Err((code, place)), "{text}");
        }
    }

    #[test]
    fn numbers_that_the_kernel_cannot_hold_are_refused() {
        for text in [
            "@jiffies+9223372036854775807",
            "@jiffies-9223372036854775808",
            "@18446744073709551615",
            "@+0x7fffffffffffffff",
            "\\18446744073709551615",
            "\\+9223372036854775807",
            "\\-9223372036854775808",
            "+9223372036854775807(%di)",
            "-9223372036854775808(%di)",
        ] {
            let fetch = read(text).expect(text);
            assert_eq!(read(&fetch.to_string()), Ok(fetch), "{text}");
        }
        for (text, place) in [
            ("@jiffies+9223372036854775808", "+9223372036854775808"),
            ("@jiffies+18446744073709551615", "+18446744073709551615"),
            ("@jiffies-0x8000000000000001", "-0x8000000000000001"),
            ("@18446744073709551616", "18446744073709551616"),
            ("@+0x8000000000000000", "0x8000000000000000"),
            ("\\18446744073709551616", "18446744073709551616"),
            ("\\+9223372036854775808", "+9223372036854775808"),
            ("\\-18446744073709551615", "-18446744073709551615"),
            ("+9223372036854775808(%di)", "9223372036854775808"),
            ("-9223372036854775809(%di)", "9223372036854775809"),
            ("+99999999999999999999999999(%di)", "99999999999999999999999999"),
        ] {
            let mistake = parse(text, Span::new(0, text.len()), &Suggestions::default()).expect_err(text);
            let label = mistake.primary.expect("a place");
            assert_eq!((mistake.code.name, &text[label.span.range()]), ("bad-fetch", place), "{text}");
            assert!(label.text.starts_with("the number does not fit in 64 bits"), "{text}: {}", label.text);
        }
    }

    /// The text has any length.
    #[test]
    fn dereferences_beyond_the_limit_are_refused() {
        let nested = |depth: usize| format!("{}%di{}", "+0(".repeat(depth), ")".repeat(depth));
        assert!(read(&nested(limits::FETCH_DEREFERENCES)).is_ok());
        assert_eq!(read(&nested(limits::FETCH_DEREFERENCES + 1)).map_err(|(code, _)| code), Err("bad-fetch"));
        assert_eq!(read(&nested(1_000_000)).map_err(|(code, _)| code), Err("bad-fetch"));
    }
}
