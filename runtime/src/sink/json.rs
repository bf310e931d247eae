//! The form `JSON lines`: one JSON object per line.
//!
//! A record is `{"ts":..,"cpu":..,"pid":..,"comm":..,"event":"system:name","fields":{..}}`, with `"stack":[..]` in
//! place of `fields` for a stack and, on request, `"text":".."` behind the fields. A loss is `{"lost":255,"cpu":0}`
//! (`null` if its size is unknown).
//!
//! Behind `ts` stands `"clock":".."`, and `"unit":"counts"` if the time stamps are not nanoseconds. Records and losses of
//! several files have `"file":".."`, and those of an instance `"buffer":".."`: each line says all that it needs, so that
//! lines can be sorted, joined and split by other programs.
//!
//! Integers are JSON numbers of up to 64 bits, addresses are `"0x.."` strings. No byte of a string is lost: a byte that
//! is not part of UTF-8 is written as `\xNN`, and so is a backslash before an `x`. A control character, or one that
//! changes the direction of text, is written as JSON's `\uNNNN`.

use std::io::Write;

use tracec_kernel::escaped::is_unprintable;
use tracec_kernel::page::Lost;
use tracec_kernel::record::{RecordError, Value};

use super::lines::{Lines, push_hex_escapes, push_shown, push_signed, push_unsigned};
use super::{BufferOverview, Event, Form, Frame, Overview, Ring, Sink, SinkError, Timestamps};

/// The form for programs.
pub static JSON_LINES: Form = Form {
    name: "JSON lines",
    about: "one JSON object a line",
    sink: |out, _| Box::new(JsonLines::new(out, false)),
};

/// The same with `"text":".."`, the text that the kernel prints for the record, where it has one. No plan names it: it
/// takes the place of [`JSON_LINES`].
pub static JSON_LINES_WITH_TEXT: Form = Form {
    name: "JSON lines with text",
    about: "one JSON object a line, with the text that the kernel prints",
    sink: |out, _| Box::new(JsonLines::new(out, true)),
};

struct JsonLines {
    lines: Lines,
    needs_text: bool,
    /// The text of a record before it is quoted.
    text: Vec<u8>,
    buffers: Vec<Marks>,
}

/// The members that every line of a buffer has.
struct Marks {
    /// The clock of its records.
    clock: Vec<u8>,
    /// The file and the instance.
    place: Vec<u8>,
}

impl Marks {
    fn of(buffer: &BufferOverview) -> Self {
        let (mut clock, mut place) = (Vec::new(), Vec::new());
        let member = |members: &mut Vec<u8>, name: &str, value: &str| {
            push_shown(members, format_args!(",\"{name}\":"));
            push_string(members, value.as_bytes());
        };
        if !buffer.clock.is_empty() {
            member(&mut clock, "clock", &buffer.clock);
        }
        if buffer.timestamps == Timestamps::Raw {
            member(&mut clock, "unit", COUNTS);
        }
        if let Some(file) = &buffer.file {
            member(&mut place, "file", file);
        }
        if !buffer.instance.is_empty() {
            member(&mut place, "buffer", &buffer.instance);
        }
        Marks { clock, place }
    }
}

/// The unit of time stamps that are not nanoseconds.
pub(super) const COUNTS: &str = "counts";

impl JsonLines {
    fn new(out: Box<dyn Write + Send>, needs_text: bool) -> Self {
        JsonLines { lines: Lines::new(out), needs_text, text: Vec::new(), buffers: Vec::new() }
    }
}

impl Sink for JsonLines {
    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        self.buffers = overview.buffers.iter().map(Marks::of).collect();
        Ok(())
    }

    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let line = self.lines.line();
        push_head(line, event, self.buffers.get(event.buffer as usize));
        match event.stack {
            Some(frames) => push_stack(line, frames),
            None => push_fields(line, event),
        }
        if let Some(text) = event.text.as_ref().filter(|_| self.needs_text && event.stack.is_none()) {
            self.text.clear();
            text.push(&mut self.text);
            line.extend_from_slice(b",\"text\":");
            push_string(line, self.text.strip_suffix(b"\n").unwrap_or(&self.text));
        }
        line.push(b'}');
        self.lines.end_line()
    }

    fn needs_text(&self) -> bool {
        self.needs_text
    }

    fn lost(&mut self, Ring { buffer, cpu }: Ring, lost: Lost) -> Result<(), SinkError> {
        let line = self.lines.line();
        match lost {
            Lost::None => return Ok(()),
            Lost::Unknown => push_shown(line, format_args!("{{\"lost\":null,\"cpu\":{cpu}")),
            Lost::Count(count) => push_shown(line, format_args!("{{\"lost\":{count},\"cpu\":{cpu}")),
        }
        if let Some(marks) = self.buffers.get(buffer as usize) {
            line.extend_from_slice(&marks.place);
        }
        line.push(b'}');
        self.lines.end_line()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.lines.flush()
    }
}

fn push_head(line: &mut Vec<u8>, event: &Event<'_>, marks: Option<&Marks>) {
    line.extend_from_slice(b"{\"ts\":");
    push_unsigned(line, event.timestamp);
    if let Some(Marks { clock, place }) = marks {
        line.extend_from_slice(clock);
        line.extend_from_slice(place);
    }
    line.extend_from_slice(b",\"cpu\":");
    push_unsigned(line, u64::from(event.cpu));
    line.extend_from_slice(b",\"pid\":");
    push_signed(line, i64::from(event.record.common_pid()));
    line.extend_from_slice(b",\"comm\":");
    push_string(line, event.comm);
    line.extend_from_slice(b",\"event\":\"");
    push_text(line, event.record.format.system.as_bytes());
    line.push(b':');
    push_text(line, event.record.format.name.as_bytes());
    line.push(b'"');
}

fn push_stack(line: &mut Vec<u8>, frames: &[Frame<'_>]) {
    line.extend_from_slice(b",\"stack\":");
    push_array(line, frames.iter(), |line, frame| push_string(line, frame.to_string().as_bytes()));
}

fn push_fields(line: &mut Vec<u8>, event: &Event<'_>) {
    line.extend_from_slice(b",\"fields\":{");
    for (index, (field, value)) in event.record.fields().enumerate() {
        if index > 0 {
            line.push(b',');
        }
        push_string(line, field.name.as_bytes());
        line.push(b':');
        push_value(line, value);
    }
    line.push(b'}');
}

fn push_value(line: &mut Vec<u8>, value: Result<Value<'_>, RecordError>) {
    match value {
        Ok(Value::Int(value)) => push_signed(line, value),
        Ok(Value::UInt(value)) => push_unsigned(line, value),
        Ok(Value::Text(text)) => push_string(line, text),
        Ok(Value::Ints(array)) => push_array(line, array.iter(), push_shown),
        Ok(Value::Cpumask(mask)) => {
            push_array(line, mask.cpus(), |line, cpu| push_unsigned(line, cpu as u64))
        }
        Ok(value @ (Value::Address(_) | Value::Bytes(_))) => {
            line.push(b'"');
            push_shown(line, value);
            line.push(b'"');
        }
        Err(error) => {
            line.extend_from_slice(b"{\"error\":");
            push_string(line, error.to_string().as_bytes());
            line.push(b'}');
        }
    }
}

fn push_array<T>(line: &mut Vec<u8>, items: impl Iterator<Item = T>, push: impl Fn(&mut Vec<u8>, T)) {
    line.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            line.push(b',');
        }
        push(line, item);
    }
    line.push(b']');
}

fn push_string(line: &mut Vec<u8>, text: &[u8]) {
    line.push(b'"');
    push_text(line, text);
    line.push(b'"');
}

/// Appends the inside of a string.
fn push_text(line: &mut Vec<u8>, text: &[u8]) {
    // Nearly all texts are names or paths; each byte of those is examined once.
    if text.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        return line.extend_from_slice(text);
    }
    for chunk in text.utf8_chunks() {
        push_valid(line, chunk.valid());
        for byte in chunk.invalid() {
            line.push(b'\\');
            push_hex_escapes(line, &[*byte]);
        }
    }
}

fn push_valid(line: &mut Vec<u8>, text: &str) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => line.extend_from_slice(b"\\\""),
            '\\' if chars.as_str().starts_with('x') => line.extend_from_slice(b"\\\\x5c"),
            '\\' => line.extend_from_slice(b"\\\\"),
            '\n' => line.extend_from_slice(b"\\n"),
            '\t' => line.extend_from_slice(b"\\t"),
            c if is_unprintable(c) => push_shown(line, format_args!("\\u{:04x}", u32::from(c))),
            c => line.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::testing::{Sample, Shared};
    use super::*;

    fn written(write: impl FnOnce(&mut JsonLines)) -> Vec<Json> {
        let shared = Shared::default();
        let mut sink = JsonLines::new(Box::new(shared.clone()), false);
        write(&mut sink);
        sink.finish().unwrap();
        shared.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    #[test]
    fn record_is_one_object() {
        let sample = Sample::new(b"a\"b\x01", i32::MIN, 7);
        let objects = written(|sink| sample.give(sink, u64::MAX, b"ba\tsh", None));
        let fields = json!({"name": "a\"b\u{1}", "code": i32::MIN, "at": "0xffffffff81000010"});
        let expected = json!({
            "ts": u64::MAX, "cpu": 2, "pid": 7, "comm": "ba\tsh", "event": "test:sample", "fields": fields
        });
        assert_eq!(objects, [expected]);
    }

    #[test]
    fn text_is_added_on_request() {
        let sample = Sample::new(b"a\"b\x01", 1, 7);
        let objects = written(|sink| {
            sink.needs_text = true;
            sample.give(sink, 1, b"c", None);
        });
        assert_eq!(objects[0]["text"], "a\"b\u{1}");
        assert_eq!(objects[0]["fields"]["code"], 1);
    }

    #[test]
    fn control_characters_and_bytes_outside_utf8_are_escaped() {
        for (text, shown) in [
            (&b"\xff"[..], "\\xff"),
            (b"\\xff", "\\x5cxff"),
            (b"\\y\\", "\\y\\"),
            (b"", ""),
            ("\u{e4}\u{1f600}".as_bytes(), "\u{e4}\u{1f600}"),
        ] {
            let mut line = Vec::new();
            push_string(&mut line, text);
            assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), shown, "{text:?}");
        }
    }

    #[test]
    fn names_and_texts_of_a_recording_are_printable() {
        let sample = Sample::new("\u{9b}\u{202e}\u{7f}".as_bytes(), 1, 0).named("a\"\n", "b\u{2066}\\x");
        let shared = Shared::default();
        let mut sink = JsonLines::new(Box::new(shared.clone()), false);
        let frames = [Frame { address: 16, symbol: Some(("do\u{1b}it", 4)) }];
        sample.give(&mut sink, 1, b"c", None);
        sample.give(&mut sink, 2, b"c", Some(&frames));
        sink.finish().unwrap();
        let text = shared.text();
        assert!(!text.contains(|c| c != '\n' && is_unprintable(c)), "{text:?}");
        let objects: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert_eq!(objects[0]["event"], "a\"\n:b\u{2066}\\x5cx");
        assert_eq!(objects[0]["fields"]["name"], "\u{9b}\u{202e}\u{7f}");
        assert_eq!(objects[1]["stack"], json!(["do\u{1b}it+0x4"]));
    }

    #[test]
    fn stack_and_loss_are_objects() {
        let sample = Sample::new(b"x", 1, 0);
        let frames = [Frame { address: 16, symbol: Some(("do_it", 4)) }, Frame { address: 16, symbol: None }];
        let objects = written(|sink| {
            sink.lost(Ring { buffer: 0, cpu: 3 }, Lost::Count(255)).unwrap();
            sink.lost(Ring { buffer: 0, cpu: 3 }, Lost::Unknown).unwrap();
            sink.lost(Ring { buffer: 0, cpu: 3 }, Lost::None).unwrap();
            sample.give(sink, 1, b"x", Some(&frames));
        });
        assert_eq!(objects.len(), 3);
        assert_eq!(objects[0], json!({"lost": 255, "cpu": 3}));
        assert_eq!(objects[1], json!({"lost": null, "cpu": 3}));
        assert_eq!(objects[2]["stack"], json!(["do_it+0x4", "0x10"]));
    }

    #[test]
    fn unreadable_field_is_an_error_object() {
        let sample = Sample::truncated();
        let objects = written(|sink| sample.give(sink, 1, b"x", None));
        assert!(objects[0]["fields"]["at"]["error"].is_string(), "{objects:?}");
    }
}
