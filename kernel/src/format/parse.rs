//! The text of a `format` file.

use smol_str::{SmolStr, format_smolstr};

use crate::format::classify::classify;
use crate::format::{EventFormat, Field};
use crate::tables::c_types;

/// An error in a `format` file, or in the page header, which has the same syntax.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct FormatError {
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

impl FormatError {
    pub(crate) fn new(line: usize, reason: impl Into<String>) -> Self {
        FormatError { line, reason: reason.into() }
    }
}

const PRINT_FMT: &str = "print fmt:";

pub(super) fn event(system: &str, text: &str) -> Result<EventFormat, FormatError> {
    let (layout, print_fmt) = split_print_fmt(text)?;
    let mut lines = (1..).zip(layout.lines());
    let name = head(&mut lines, "name:")?;
    let id = head(&mut lines, "ID:")?;
    let id = id.1.parse().map_err(|_| FormatError::new(id.0, format!("`{}` is not an event id", id.1)))?;
    head(&mut lines, "format:")?;

    let mut fields: Vec<Field> = Vec::new();
    let mut common = None;
    let mut last = 3;
    for (number, line) in lines {
        last = number;
        if line.trim().is_empty() {
            // The first empty line ends the common fields; the one before `print fmt` comes later.
            common = common.or(Some(fields.len()));
        } else {
            fields.push(parse_field(line, number)?);
        }
    }
    let common = common.unwrap_or(fields.len());
    if !fields[..common].iter().any(|field| field.name == "common_type") {
        return Err(FormatError::new(last, "the common fields lack `common_type`"));
    }
    let system = system.to_owned();
    Ok(EventFormat { system, name: name.1.to_owned(), id, fields, common, print_fmt: print_fmt.to_owned() })
}

/// Splits the text into the layout and the print format. The print format may hold anything, line breaks too, so it is
/// cut off first.
fn split_print_fmt(text: &str) -> Result<(&str, &str), FormatError> {
    let start = if text.starts_with(PRINT_FMT) {
        Some(0)
    } else {
        text.find(&format!("\n{PRINT_FMT}")).map(|newline| newline + 1)
    };
    let start = start
        .ok_or_else(|| FormatError::new(text.lines().count().max(1), "the `print fmt:` line is missing"))?;
    let (layout, print_fmt) = text.split_at(start);
    Ok((layout, print_fmt[PRINT_FMT.len()..].trim()))
}

/// Returns the next line, which must begin with `key`: its number and the text after the key.
fn head<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    key: &str,
) -> Result<(usize, &'a str), FormatError> {
    let Some((number, line)) = lines.next() else {
        return Err(FormatError::new(1, format!("the `{key}` line is missing")));
    };
    let value = line.strip_prefix(key).map(str::trim);
    let value = value.ok_or_else(|| FormatError::new(number, format!("expected `{key}`, found `{line}`")))?;
    if value.is_empty() && key != "format:" {
        return Err(FormatError::new(number, format!("nothing stands behind `{key}`")));
    }
    Ok((number, value))
}

/// Parses one line `field:TYPE NAME; offset:N; size:N; signed:N;`. Kernels before 2.6.32 leave `signed:` out.
pub(crate) fn parse_field(line: &str, number: usize) -> Result<Field, FormatError> {
    let error = |reason: String| FormatError::new(number, reason);
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts
        .next()
        .and_then(|part| part.strip_prefix("field:"))
        .ok_or_else(|| error(format!("expected `field:`, found `{}`", line.trim())))?;
    let (mut offset, mut size, mut signed) = (None, None, None);
    for part in parts.filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once(':').ok_or_else(|| error(format!("`{part}` has no value")))?;
        let value: u32 =
            value.trim().parse().map_err(|_| error(format!("`{part}` is not a small number")))?;
        match key {
            "offset" => offset = Some(value),
            "size" => size = Some(value),
            "signed" => signed = Some(value != 0),
            // A property that later kernels might add does not change the layout.
            _ => {}
        }
    }
    let offset = offset.ok_or_else(|| error("`offset:` is missing".to_owned()))?;
    let size = size.ok_or_else(|| error("`size:` is missing".to_owned()))?;
    let (type_text, name) =
        split_declaration(declaration).ok_or_else(|| error(format!("`{declaration}` declares no field")))?;
    let signed = signed.unwrap_or_else(|| c_types::find(&type_text).is_some_and(|c| c.signed));
    let kind = classify(&type_text, size);
    Ok(Field { name, type_text, kind, offset, size, signed })
}

/// Splits a C declaration into type, array part included, and name: `char comm[16]`, `__data_loc char[] name`,
/// `__rel_loc char name[]`, `void (*func)(int)`.
fn split_declaration(text: &str) -> Option<(SmolStr, SmolStr)> {
    let text = text.trim();
    if let Some(split) = split_function_pointer(text) {
        return Some(split);
    }
    let mut declarator = text;
    while let Some(open) = opening_bracket(declarator) {
        declarator = declarator[..open].trim_end();
    }
    let array = text[declarator.len()..].trim();
    let start = declarator.rfind(|c: char| !is_identifier(c)).map_or(0, |at| at + 1);
    // The byte before an identifier is ASCII or the last byte of another character; `get` refuses the latter.
    let name = declarator.get(start..)?;
    let base = declarator.get(..start)?.trim();
    // A record does not have bit fields: include/trace/stages/stage4_event_fields.h takes `offsetof` of every field.
    (!name.is_empty() && !base.is_empty() && !base.ends_with(':'))
        .then(|| (format_smolstr!("{base}{array}"), name.into()))
}

/// Returns the offset of the array part at the end of the text. A size that the kernel could not replace by its value
/// is an expression, which may hold brackets of its own.
fn opening_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b']' => depth += 1,
            _ if depth == 0 => return None,
            b'[' if depth == 1 => return Some(at),
            b'[' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn split_function_pointer(text: &str) -> Option<(SmolStr, SmolStr)> {
    let open = text.strip_suffix(')').and(text.find("(*"))? + 2;
    let name = text[open..].split(|c: char| !is_identifier(c)).next()?;
    let rest = &text[open + name.len()..];
    (!name.is_empty() && rest.starts_with(')'))
        .then(|| (format_smolstr!("{}{rest}", &text[..open]), name.into()))
}

fn is_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
