//! Lines of the form `JSON lines` that are read again, and shown as the forms `fields` and `text` show their records.
//!
//! The head of `json.rs` describes them. What JSON does not have is not restored: an address or bytes are a string, and a
//! set of CPUs is a list.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use tracec_kernel::page::Lost;
use tracec_kernel::record::Value;

use super::Timestamps;
use super::json::COUNTS;
use super::lines::{push_name, push_shown};
use super::text::{push_context, push_frame, push_loss};

/// What a line has.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonLine {
    /// A record.
    Record(JsonRecord),
    /// A loss.
    Lost {
        /// The CPU.
        cpu: u32,
        /// How many records were lost.
        lost: Lost,
    },
}

/// A record.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonRecord {
    /// The time stamp.
    pub timestamp: u64,
    /// Its notation: nanoseconds, unless the line has another unit.
    pub timestamps: Timestamps,
    /// The file of the record, where the lines are of several.
    file: Option<Vec<u8>>,
    /// The CPU.
    pub cpu: u32,
    /// The thread.
    pub pid: i32,
    /// Its name.
    pub comm: Vec<u8>,
    /// The event, `SYSTEM:EVENT`.
    pub event: String,
    what: What,
    text: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Fields(Fields),
    Stack(Vec<String>),
}

/// The members of any line.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Members {
    cpu: u32,
    ts: Option<u64>,
    unit: Option<String>,
    file: Option<String>,
    pid: Option<i32>,
    comm: Option<String>,
    event: Option<String>,
    fields: Option<Fields>,
    stack: Option<Vec<String>>,
    text: Option<String>,
    /// `Some(None)` for `null`.
    #[serde(default, deserialize_with = "given")]
    lost: Option<Option<u64>>,
}

/// Fields in the order of the line.
#[derive(Clone, Debug, PartialEq)]
struct Fields(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl JsonLine {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong: it is not an object of this form.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let members: Members = serde_json::from_slice(line).map_err(|error| match error.column() {
            0 => error.to_string(),
            // It is the only line that is known here.
            column => {
                let said = error.to_string();
                let said = said.split(" at line ").next().unwrap_or_default();
                format!("{said} at column {column}")
            }
        })?;
        let Members { cpu, ts, unit, file, pid, comm, event, fields, stack, text, lost } = members;
        if let Some(lost) = lost {
            return Ok(JsonLine::Lost { cpu, lost: lost.map_or(Lost::Unknown, Lost::Count) });
        }
        let missing = |name: &str| format!("`{name}` is missing");
        let what = match (fields, stack) {
            (Some(fields), _) => What::Fields(fields),
            (None, Some(stack)) => What::Stack(stack),
            (None, None) => return Err(missing("fields")),
        };
        Ok(JsonLine::Record(JsonRecord {
            timestamp: ts.ok_or_else(|| missing("ts"))?,
            timestamps: if unit.as_deref() == Some(COUNTS) {
                Timestamps::Raw
            } else {
                Timestamps::Nanoseconds
            },
            file: file.as_deref().map(unescaped),
            cpu,
            pid: pid.ok_or_else(|| missing("pid"))?,
            comm: unescaped(&comm.ok_or_else(|| missing("comm"))?),
            event: event.ok_or_else(|| missing("event"))?,
            what,
            text: text.as_deref().map(unescaped),
        }))
    }

    /// Appends its line as text, without a line break: the text that it has, unless `fields` asks for its fields. A
    /// record of one of several files begins with the name of its own.
    pub fn push(&self, line: &mut Vec<u8>, fields: bool) {
        let record = match self {
            JsonLine::Record(record) => record,
            JsonLine::Lost { cpu, lost } => return push_loss(line, *cpu, *lost),
        };
        if let Some(file) = &record.file {
            push_name(line, file);
            line.extend_from_slice(b": ");
        }
        let time = (record.timestamps, record.timestamp);
        push_context(line, (&record.comm, record.pid), record.cpu, time);
        push_name(line, &unescaped(&record.event));
        line.push(b':');
        match (&record.what, record.text.as_ref().filter(|_| !fields)) {
            (_, Some(text)) if text.is_empty() => {}
            (_, Some(text)) => {
                line.push(b' ');
                push_name(line, text);
            }
            (What::Fields(Fields(fields)), None) => {
                for (name, value) in fields {
                    line.push(b' ');
                    push_name(line, &unescaped(name));
                    line.push(b'=');
                    push_value(line, value);
                }
            }
            (What::Stack(frames), None) => frames.iter().for_each(|frame| {
                push_frame(line);
                push_name(line, &unescaped(frame));
            }),
        }
    }
}

fn push_value(line: &mut Vec<u8>, value: &Json) {
    match value {
        Json::String(text) => push_shown(line, Value::Text(&unescaped(text))),
        Json::Array(items) => {
            line.push(b'{');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    line.push(b',');
                }
                push_value(line, item);
            }
            line.push(b'}');
        }
        Json::Object(error) => match error.get("error").and_then(Json::as_str) {
            Some(error) => {
                line.push(b'<');
                push_name(line, &unescaped(error));
                line.push(b'>');
            }
            None => push_name(line, value.to_string().as_bytes()),
        },
        Json::Null | Json::Bool(_) | Json::Number(_) => push_shown(line, value),
    }
}

/// Returns the bytes of a string: `\xNN` stands for one that is not part of UTF-8, or for a backslash.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\x") {
        let (plain, escape) = rest.split_at(at);
        bytes.extend_from_slice(plain.as_bytes());
        let byte = escape.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(b"\\x"),
        }
        rest = escape.get(if byte.is_some() { 4 } else { 2 }..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sample, Shared};
    use super::super::{FIELDS, Form, Frame, JSON_LINES, Ring};
    use super::*;

    fn written(form: &Form, comm: &[u8], name: &[u8], stack: Option<&[Frame<'_>]>) -> String {
        let shared = Shared::default();
        let mut sink = (form.sink)(Box::new(shared.clone()), Timestamps::Nanoseconds);
        Sample::new(name, -3, 12).give(sink.as_mut(), 7_000_041_500, comm, stack);
        sink.lost(Ring { buffer: 0, cpu: 3 }, Lost::Count(1)).unwrap();
        sink.lost(Ring { buffer: 0, cpu: 3 }, Lost::Unknown).unwrap();
        sink.finish().unwrap();
        shared.text()
    }

    #[test]
    fn lines_are_shown_as_their_records_are() {
        let frames = [Frame { address: 16, symbol: Some(("f", 8)) }, Frame { address: 17, symbol: None }];
        for (comm, name, stack) in [
            (&b"bash"[..], &b"a b"[..], None),
            (b"a\xff\\x41\n", b"\\x\\\xfe\"", None),
            (b"", b"", None),
            ("\u{202e}".as_bytes(), "\u{e4}=".as_bytes(), None),
            (b"bash", b"", Some(&frames[..])),
        ] {
            let mut shown = Vec::new();
            for line in written(&JSON_LINES, comm, name, stack).lines() {
                JsonLine::parse(line.as_bytes()).unwrap().push(&mut shown, false);
                shown.push(b'\n');
            }
            assert_eq!(String::from_utf8(shown).unwrap(), written(&FIELDS, comm, name, stack));
        }
    }

    #[test]
    fn other_lines_are_refused_with_the_reason() {
        for (line, reason) in [
            ("", "EOF while parsing a value"),
            ("7", "expected an object"),
            ("{\"cpu\":1}", "`fields` is missing"),
            ("{\"cpu\":1,\"fields\":{},\"ts\":1,\"pid\":1,\"comm\":\"a\"}", "`event` is missing"),
            ("{\"cpu\":-1}", "at column 9"),
            ("{\"lost\":true,\"cpu\":1}", "at column 12"),
        ] {
            let said = JsonLine::parse(line.as_bytes()).unwrap_err();
            assert!(said.contains(reason), "{line}: {said}");
        }
    }
}
