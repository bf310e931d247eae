//! Addresses and sets of CPUs: literals that begin like other tokens.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use logos::Lexer;

use super::Kind;
use super::{broken, span};
use crate::error::SyntaxErrorKind;
use crate::literal::Literal;
use crate::syntax::Address;

/// The length of the longest address as text: an IPv6 address that ends in an IPv4 address.
const LONGEST: usize = 45;

/// Reads a word that is not a keyword: a name, `CPUS{0-3}`, or an address that begins with letters.
pub(crate) fn word(lexer: &mut Lexer<Kind>) -> Kind {
    if lexer.slice() == "CPUS" {
        return cpus(lexer);
    }
    ipv6(lexer).unwrap_or(Kind::Word)
}

/// Reads `::`, of a path or at the start of an address. After a name it belongs to a path.
pub(crate) fn colons(lexer: &mut Lexer<Kind>) -> Kind {
    let previous = lexer.extras.previous;
    if previous.is_name() && previous != Kind::Filter {
        return Kind::ColonColon;
    }
    ipv6(lexer).unwrap_or(Kind::ColonColon)
}

/// Reads the address that begins with the number just read, if there is one.
pub(super) fn address(lexer: &mut Lexer<Kind>) -> Option<Kind> {
    match lexer.slice().matches('.').count() {
        0 => ipv6(lexer),
        1 => None,
        _ => Some(ipv4(lexer)),
    }
}

/// Reads an IPv4 address, all of whose digits and dots have been read.
fn ipv4(lexer: &mut Lexer<Kind>) -> Kind {
    let text = lexer.slice();
    if let Ok(ip) = text.parse::<Ipv4Addr>() {
        return prefix(lexer, IpAddr::V4(ip));
    }
    let whole = span(lexer);
    let mut at = 0;
    for part in text.split('.') {
        let span = whole.part(at..at + part.len());
        at += part.len() + 1;
        let reason = match part.parse::<u8>() {
            Ok(_) if part.len() > 1 && part.starts_with('0') => "its numbers have no leading zeros",
            Ok(_) => continue,
            Err(_) if part.bytes().all(|byte| byte.is_ascii_digit()) => "its numbers go from 0 to 255",
            Err(_) => "its numbers are decimal",
        };
        return broken(lexer, SyntaxErrorKind::InvalidAddress { reason }, span);
    }
    broken(lexer, SyntaxErrorKind::InvalidAddress { reason: "an IPv4 address has four numbers" }, whole)
}

/// Reads an IPv6 address that begins with the token just read, if there is one. A text that can be a path of names is a
/// path: `a::b` is a path, `a:0::b` an address.
fn ipv6(lexer: &mut Lexer<Kind>) -> Option<Kind> {
    let (slice, rest) = (lexer.slice(), lexer.remainder());
    let is_group = slice.len() <= 4 && slice.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !(is_group && rest.starts_with(':')) && slice != "::" {
        return None;
    }
    let length = rest.bytes().take(LONGEST + 1).take_while(|byte| is_part(*byte)).count();
    let mut run = format!("{slice}{}", &rest[..length]);
    if run.ends_with(':') && !run.ends_with("::") {
        run.pop();
    }
    let behind = &rest[run.len() - slice.len()..];
    let Ok(ip) = run.parse::<Ipv6Addr>() else {
        let colons = run.matches(':').count();
        // In a placeholder, the text after a colon may be a format.
        if colons < 2
            || lexer.extras.placeholder.is_some()
            || !slice.starts_with(|c: char| c.is_ascii_digit())
        {
            return None;
        }
        lexer.bump(run.len() - slice.len());
        let span = span(lexer);
        let reason =
            "an IPv6 address has eight groups of up to four hexadecimal digits, `::` in place of zeros";
        return Some(broken(lexer, SyntaxErrorKind::InvalidAddress { reason }, span));
    };
    if behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') || reads_as_path(&run, behind) {
        return None;
    }
    lexer.bump(run.len() - slice.len());
    Some(prefix(lexer, IpAddr::V6(ip)))
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')
}

/// Returns whether the text of an address, with the text `behind` it, could also be names and `::`.
fn reads_as_path(run: &str, behind: &str) -> bool {
    let is_number = |group: &str| group.starts_with(|c: char| c.is_ascii_digit());
    if run.split(':').any(is_number) {
        return false;
    }
    let is_prefix = || behind.strip_prefix('/').is_some_and(is_number);
    if run.ends_with("::") {
        let next = behind_comments(behind).chars().next();
        let name_follows = next.is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let is_plain = run == "::" || run.contains(|c: char| c.is_ascii_digit());
        return name_follows || !(is_plain || is_prefix());
    }
    !run.starts_with("::")
}

/// Returns a text without the blanks and comments that it begins with.
fn behind_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            return rest;
        };
        rest = rest[end.unwrap_or(rest.len())..].trim_start();
    }
}

/// Ends an address: with the length of a prefix where `/` and digits follow without a space.
fn prefix(lexer: &mut Lexer<Kind>, ip: IpAddr) -> Kind {
    let start = span(lexer).start;
    let rest = lexer.remainder();
    let digits = rest
        .strip_prefix('/')
        .map_or(0, |rest| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len()));
    if digits == 0 || !rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        lexer.extras.literals.push(start, Literal::Address(Address { ip, prefix: None }));
        return Kind::Address;
    }
    let bits = rest[1..=digits].parse::<u8>();
    let number = span(lexer).behind().part(1..digits + 1);
    lexer.bump(digits + 1);
    let (limit, reason) = match ip {
        IpAddr::V4(_) => (32, "a prefix of IPv4 has at most 32 bits"),
        IpAddr::V6(_) => (128, "a prefix of IPv6 has at most 128 bits"),
    };
    match bits {
        Ok(bits) if bits <= limit => {
            lexer.extras.literals.push(start, Literal::Address(Address { ip, prefix: Some(bits) }));
            Kind::Address
        }
        _ => broken(lexer, SyntaxErrorKind::InvalidAddress { reason }, number),
    }
}

/// Reads `CPUS`: with a list in braces directly after it a set, otherwise a name. A list without braces is read to
/// report it.
fn cpus(lexer: &mut Lexer<Kind>) -> Kind {
    let rest = lexer.remainder();
    let Some(inner) = rest.strip_prefix('{') else {
        return bare_cpus(lexer);
    };
    let start = span(lexer).start;
    let body = span(lexer).behind();
    let length = inner.find(['}', '{', ';', '\n']).unwrap_or(inner.len());
    if !inner[length..].starts_with('}') {
        lexer.bump(1);
        let span = span(lexer);
        lexer.bump(inner[..length].trim_end().len());
        return broken(
            lexer,
            SyntaxErrorKind::InvalidCpus { reason: "its `}` is missing", list: None },
            span,
        );
    }
    lexer.bump(length + 2);
    match cpu_list(&inner[..length]) {
        Ok(ranges) => {
            lexer.extras.literals.push(start, Literal::Cpus(ranges));
            Kind::Cpus
        }
        Err((reason, range)) => broken(
            lexer,
            SyntaxErrorKind::InvalidCpus { reason, list: None },
            body.part(1 + range.start..1 + range.end),
        ),
    }
}

/// Reads `CPUS 0-3` to report it.
fn bare_cpus(lexer: &mut Lexer<Kind>) -> Kind {
    let rest = lexer.remainder();
    let list = rest.trim_start_matches(' ');
    let blanks = rest.len() - list.len();
    let length = list.find(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | ',')).unwrap_or(list.len());
    let list = list[..length].trim_end_matches([',', '-']);
    if blanks == 0 || !list.starts_with(|c: char| c.is_ascii_digit()) {
        return Kind::Word;
    }
    lexer.bump(blanks + list.len());
    let span = span(lexer);
    let kind = SyntaxErrorKind::InvalidCpus {
        reason: "the list stands in braces, without a space before them",
        list: Some(list.to_owned()),
    };
    broken(lexer, kind, span)
}

/// The reason why a list of CPUs is invalid, and the range of the mistake in it.
type Misfit = (&'static str, Range<usize>);

/// Parses ranges of CPUs, ascending and disjoint; the error has its range in `text`.
fn cpu_list(text: &str) -> Result<Vec<(u32, u32)>, Misfit> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut at = 0;
    for part in text.split(',') {
        let range = at..at + part.len();
        at += part.len() + 1;
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| match text.trim() {
            "" => Err(("a CPU is missing", range.clone())),
            digits if !digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(("CPUs are numbers, ranges such as 0-3, and commas between them", range.clone()))
            }
            digits => digits.parse::<u32>().map_err(|_| ("no machine has that many CPUs", range.clone())),
        };
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(("a range goes from the lower to the higher CPU", range));
        }
        if ranges.last().is_some_and(|before| before.1 >= first) {
            return Err(("CPUs are written in ascending order, each once", range));
        }
        ranges.push((first, last));
    }
    Ok(ranges)
}
