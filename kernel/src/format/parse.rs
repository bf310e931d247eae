//! The text of a `format` file.

use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use crate::format::classify::classify;
use crate::format::{EventFormat, Field, FieldKind};
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

/// A reader of many `format` files, which have much in common: the fields that all events share, and the same few types.
#[derive(Debug, Default)]
pub struct FormatReader {
    /// The lines of the common fields of the last file, and those.
    common: (String, Vec<Field>),
    kinds: FxHashMap<(SmolStr, u32), FieldKind>,
}

impl FormatReader {
    /// Reads the text of a `format` file as [`EventFormat::parse`] does.
    ///
    /// # Errors
    /// As there.
    pub fn read(&mut self, system: &str, text: &str) -> Result<EventFormat, FormatError> {
        event(self, system, text)
    }

    /// Returns the kind of the data of a field.
    fn kind(&mut self, type_text: &SmolStr, size: u32) -> FieldKind {
        self.kinds.entry((type_text.clone(), size)).or_insert_with(|| classify(type_text, size)).clone()
    }
}

fn event(reader: &mut FormatReader, system: &str, text: &str) -> Result<EventFormat, FormatError> {
    let (layout, print_fmt) = split_print_fmt(text)?;
    let mut lines = Lines { rest: layout, number: 0 };
    let name = lines.head("name:")?.into();
    let id = lines.head("ID:")?;
    let id = id.parse().map_err(|_| FormatError::new(lines.number, format!("`{id}` is not an event id")))?;
    lines.head("format:")?;

    let (mut fields, mut common) = (Vec::new(), None);
    let begin = lines.rest;
    let (common_lines, common_fields) = &reader.common;
    if !common_lines.is_empty() && begin.starts_with(common_lines) {
        fields.clone_from(common_fields);
        common = Some(fields.len());
        lines = Lines { rest: &begin[common_lines.len()..], number: lines.number + fields.len() + 1 };
    }
    while let Some(line) = lines.next() {
        if !line.trim().is_empty() {
            fields.push(reader.field(line, lines.number)?);
        } else if common.is_none() {
            // The first empty line ends the common fields; the one before `print fmt` comes later.
            common = Some(fields.len());
            reader.common = (begin[..begin.len() - lines.rest.len()].to_owned(), fields.clone());
        }
    }
    let common = common.unwrap_or(fields.len());
    if !fields[..common].iter().any(|field| field.name == "common_type") {
        return Err(FormatError::new(lines.number, "the common fields lack `common_type`"));
    }
    let fields = fields.into();
    Ok(EventFormat { system: system.into(), name, id, fields, common, print_fmt: print_fmt.into() })
}

/// The lines of a text.
struct Lines<'t> {
    rest: &'t str,
    /// The number of the last line, counted from 1.
    number: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number += 1;
        Some(line)
    }

    /// Returns what is behind `key` in the next line, which must begin with it.
    fn head(&mut self, key: &str) -> Result<&'t str, FormatError> {
        let Some(line) = self.next() else {
            return Err(FormatError::new(1, format!("the `{key}` line is missing")));
        };
        let value = line.strip_prefix(key).map(str::trim);
        let value = value
            .ok_or_else(|| FormatError::new(self.number, format!("expected `{key}`, found `{line}`")))?;
        if value.is_empty() && key != "format:" {
            return Err(FormatError::new(self.number, format!("nothing stands behind `{key}`")));
        }
        Ok(value)
    }
}

/// Splits the text into the layout and the print format. The print format may hold anything, line breaks too, so it is
/// cut off first.
fn split_print_fmt(text: &str) -> Result<(&str, &str), FormatError> {
    let mut rest = text;
    while !rest.starts_with(PRINT_FMT) {
        let Some((_, behind)) = rest.split_once('\n') else {
            return Err(FormatError::new(text.lines().count().max(1), "the `print fmt:` line is missing"));
        };
        rest = behind;
    }
    let start = text.len() - rest.len();
    let (layout, print_fmt) = text.split_at(start);
    Ok((layout, print_fmt[PRINT_FMT.len()..].trim()))
}

/// The parts of a line of a field.
struct Parts<'t> {
    declaration: &'t str,
    offset: u32,
    size: u32,
    signed: Option<bool>,
}

/// Parses one line `field:TYPE NAME; offset:N; size:N; signed:N;`. Kernels before 2.6.32 leave `signed:` out.
pub(crate) fn parse_field(line: &str, number: usize) -> Result<Field, FormatError> {
    FormatReader::default().field(line, number)
}

impl FormatReader {
    fn field(&mut self, line: &str, number: usize) -> Result<Field, FormatError> {
        let Parts { declaration, offset, size, signed } = match usual_parts(line) {
            Some(parts) => parts,
            None => parts(line).map_err(|reason| FormatError::new(number, reason))?,
        };
        let (type_text, name) = split_declaration(declaration)
            .ok_or_else(|| FormatError::new(number, format!("`{declaration}` declares no field")))?;
        let signed = signed.unwrap_or_else(|| c_types::find(&type_text).is_some_and(|c| c.signed));
        let kind = self.kind(&type_text, size);
        Ok(Field { name, type_text, kind, offset, size, signed })
    }
}

/// Splits a line as kernels since 2.6.32 write it (`f_show`, kernel/trace/trace_events.c). A file has many.
fn usual_parts(line: &str) -> Option<Parts<'_>> {
    let (declaration, rest) = line.strip_prefix("\tfield:")?.split_once(';')?;
    let (offset, rest) = small_number(rest.strip_prefix("\toffset:")?)?;
    let (size, rest) = small_number(rest.strip_prefix(";\tsize:")?)?;
    let (signed, rest) = small_number(rest.strip_prefix(";\tsigned:")?)?;
    (rest == ";").then_some(Parts { declaration, offset, size, signed: Some(signed != 0) })
}

/// Splits the digits at the start of a text off.
fn small_number(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    Some((digits.parse().ok()?, rest))
}

/// Splits a line, or returns the reason why it is not that of a field.
fn parts(line: &str) -> Result<Parts<'_>, String> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next().and_then(|part| part.strip_prefix("field:"));
    let declaration = declaration.ok_or_else(|| format!("expected `field:`, found `{}`", line.trim()))?;
    let (mut offset, mut size, mut signed) = (None, None, None);
    for part in parts.filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once(':').ok_or_else(|| format!("`{part}` has no value"))?;
        let value: u32 = value.trim().parse().map_err(|_| format!("`{part}` is not a small number"))?;
        match key {
            "offset" => offset = Some(value),
            "size" => size = Some(value),
            "signed" => signed = Some(value != 0),
            // A property that later kernels might add does not change the layout.
            _ => {}
        }
    }
    let offset = offset.ok_or("`offset:` is missing")?;
    let size = size.ok_or("`size:` is missing")?;
    Ok(Parts { declaration, offset, size, signed })
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
    let before = declarator.bytes().rposition(|byte| !is_identifier(byte));
    // What stands before a name is ASCII, so that both parts begin with a character.
    if before.and_then(|at| declarator.as_bytes().get(at)).is_some_and(|byte| !byte.is_ascii()) {
        return None;
    }
    let start = before.map_or(0, |at| at + 1);
    let name = declarator.get(start..)?;
    let base = declarator.get(..start)?.trim();
    // A record does not have bit fields: include/trace/stages/stage4_event_fields.h takes `offsetof` of every field.
    (!name.is_empty() && !base.is_empty() && !base.ends_with(':'))
        .then(|| (if array.is_empty() { base.into() } else { format_smolstr!("{base}{array}") }, name.into()))
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
    // Most declarations end here.
    text.strip_suffix(')')?;
    let open = text.find("(*")? + 2;
    let name = &text[open..];
    let name = &name[..name.bytes().take_while(|&byte| is_identifier(byte)).count()];
    let rest = &text[open + name.len()..];
    (!name.is_empty() && rest.starts_with(')'))
        .then(|| (format_smolstr!("{}{rest}", &text[..open]), name.into()))
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
