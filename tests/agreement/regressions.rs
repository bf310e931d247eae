//! Filters and records on which kernel and model once disagreed: `regressions.txt`, tried first on every kernel.
//!
//! One line each: `EVENT | FILTER | @cpu=N @serial=N @task=TEXT FIELD=VALUE ..`. A value is a number or a quoted
//! string; the filter and the strings have the escapes of Rust. Disagreements are printed in this form.
//!
//! `conditions.txt` is the same with a condition in JSON, as plans have it, in place of the filter: there kernel and
//! meaning disagreed. Its fields are replaced by those of the kernel that is asked.

use std::path::Path;

use libtest_mimic::Failed;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::rebind::rebind;
use tracec_kernel::format::EventFormat;

use super::field::{Field, Stimulus, Value};
use super::source::Source;

/// A line of the file.
#[derive(Debug)]
pub(crate) struct Case {
    /// The name of the event, without its system: that of a probe differs in each run.
    pub(crate) event: String,
    /// The filter or the condition, as it is written.
    text: String,
    record: String,
}

/// Reads the file.
pub(crate) fn read(file: &Path) -> Result<Vec<Case>, Failed> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &str| -> Result<Case, Failed> {
        let bad = || Failed::from(format!("{}: {line:?} is not a case", file.display()));
        let (event, rest) = line.split_once(" | ").ok_or_else(bad)?;
        // A filter may hold `||`, but not with one bar.
        let (text, record) = rest.rsplit_once(" | ").ok_or_else(bad)?;
        Ok(Case { event: event.to_owned(), text: text.to_owned(), record: record.to_owned() })
    };
    lines.map(case).collect()
}

/// Returns the line of a case.
pub(crate) fn line(source: &dyn Source, text: &[u8], stimulus: &Stimulus) -> String {
    format!("{} | {} | {}", event(source), text.escape_ascii(), record(source, stimulus))
}

/// Returns the line of a case of a condition.
pub(crate) fn condition_line(
    source: &dyn Source,
    condition: &Condition,
    stimulus: &Stimulus,
) -> Result<String, Failed> {
    let condition = serde_json::to_string(condition)?;
    Ok(format!("{} | {condition} | {}", event(source), record(source, stimulus)))
}

fn record(source: &dyn Source, stimulus: &Stimulus) -> String {
    let mut line = String::new();
    line.push_str(&format!("@cpu={} @serial={}", stimulus.cpu, stimulus.serial));
    line.push_str(&format!(" @task={}", quoted(&stimulus.task)));
    for (field, value) in chosen(source).zip(&stimulus.values) {
        let value = match value {
            // The default of a case.
            Value::Bits(0) => continue,
            Value::Text(text) if text.is_empty() => continue,
            Value::Bits(bits) => format!("{bits:#x}"),
            Value::Text(text) => quoted(text),
        };
        line.push_str(&format!(" {}={value}", field.name));
    }
    line
}

/// Returns the event of a source, as cases name it.
pub(crate) fn event(source: &dyn Source) -> &str {
    source.event().rsplit('/').next().unwrap_or_default()
}

fn chosen(source: &dyn Source) -> impl Iterator<Item = &Field> {
    source.fields().iter().filter(|field| field.slot.is_some())
}

impl Case {
    /// Returns its filter.
    pub(crate) fn filter(&self) -> Result<Vec<u8>, Failed> {
        unescape(&self.text)
    }

    /// Returns its condition, on an event of this layout.
    pub(crate) fn condition(&self, format: &EventFormat) -> Result<Condition, Failed> {
        let mut condition = serde_json::from_str(&self.text)?;
        rebind(&mut condition, format)?;
        Ok(condition)
    }

    /// Returns its record. A value that the case leaves out is 0 or empty.
    pub(crate) fn stimulus(&self, source: &dyn Source) -> Result<Stimulus, Failed> {
        let empty =
            |field: &Field| if field.kind.is_text() { Value::Text(Vec::new()) } else { Value::Bits(0) };
        let values = chosen(source).map(empty).collect();
        let mut stimulus = Stimulus { serial: 1, cpu: 0, task: Vec::new(), values };
        for word in self.record.split(' ').filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("{word:?} is not a value"))?;
            match (name, parse(value)?) {
                ("@cpu", Value::Bits(bits)) => stimulus.cpu = u32::try_from(bits)?,
                ("@serial", Value::Bits(bits)) => stimulus.serial = u32::try_from(bits)?,
                ("@task", Value::Text(text)) => stimulus.task = text,
                (name, value) => {
                    let place = chosen(source).position(|field| field.name == name);
                    stimulus.values[place.ok_or_else(|| format!("no field {name:?}"))?] = value;
                }
            }
        }
        Ok(stimulus)
    }
}

/// Returns a text in quotes and without blanks, which separate words.
fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", text.escape_ascii().to_string().replace(' ', "\\x20"))
}

fn parse(value: &str) -> Result<Value, Failed> {
    if let Some(text) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
        return Ok(Value::Text(unescape(text)?));
    }
    let number = match value.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => value.parse(),
    };
    Ok(Value::Bits(number.map_err(|error| format!("{value}: {error}"))?))
}

/// Undoes `escape_ascii`.
fn unescape(text: &str) -> Result<Vec<u8>, Failed> {
    let mut plain = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        plain.push(match bytes.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'x') => {
                let digits: String = bytes.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).map_err(|error| format!("{text}: {error}"))?
            }
            Some(same @ (b'\\' | b'"' | b'\'')) => same,
            _ => return Err(format!("{text}: a backslash that begins nothing").into()),
        });
    }
    Ok(plain)
}
