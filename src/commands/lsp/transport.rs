//! Messages on standard input and output. What cannot be read ends the server only where the next message cannot be found.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lsp_server::{Message, Notification, RequestId};
use serde_json::{Value, json};
use tracec_lsp::UNREADABLE;

/// The bytes of a message, at most: a text of the largest size with each byte escaped is smaller.
const MOST: u64 = 128 << 20;

/// How long the end of the server waits for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(1);

/// The threads that read and write.
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
    /// Disconnected when everything is written.
    writes: Receiver<()>,
}

/// Connects a server with standard input and output: the messages that it gets, and where it sends its own, as JSON.
pub(super) fn stdio() -> io::Result<(Receiver<Message>, Sender<String>, Threads)> {
    let (sender, incoming) = mpsc::channel();
    let (outgoing, receiver) = mpsc::channel::<String>();
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    let reader = named("read").spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read(&mut input)? {
            let is_exit = matches!(&message, Message::Notification(said) if said.method == "exit");
            if sender.send(message).is_err() || is_exit {
                break;
            }
        }
        Ok(())
    })?;
    let (writing, writes) = mpsc::channel();
    let writer = named("write").spawn(move || {
        let _writing: Sender<()> = writing;
        let mut output = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| {
            write!(output, "Content-Length: {}\r\n\r\n{message}", message.len())?;
            output.flush()
        })
    })?;
    Ok((incoming, outgoing, Threads { reader, writer, writes }))
}

impl Threads {
    /// Waits until everything is written. Returns the mistake of the input, if it was the end of it.
    ///
    /// # Errors
    /// Those of the output, also that nobody reads it.
    pub(super) fn end(self) -> io::Result<Option<io::Error>> {
        let panicked = |_| io::Error::other("the thread ended by a panic");
        if self.writes.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read what is written"));
        }
        self.writer.join().map_err(panicked)??;
        // One that still waits for a message has made no mistake.
        if !self.reader.is_finished() {
            return Ok(None);
        }
        Ok(self.reader.join().map_err(panicked)?.err())
    }
}

/// Reads a message; one that cannot be read becomes a notification that says so. `None` at the end of the input.
///
/// # Errors
/// Where the next message begins is not known.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let Some(length) = length(input)? else { return Ok(None) };
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        let (had, wanted) = (bytes.len(), length);
        return Err(lost(format!("the input ended after {had} of {wanted} bytes of a message")));
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => message,
        Err(why) => repaired(&bytes).unwrap_or_else(|| unreadable(&bytes, &why.to_string())),
    }))
}

/// Reads the header of a message, and returns the length of its content. `None` at the end of the input.
fn length(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = String::new();
        // No header is this long.
        if input.take(4096).read_line(&mut line)? == 0 {
            return if is_first { Ok(None) } else { Err(lost("the input ended in a header".to_owned())) };
        }
        is_first = false;
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(lost(format!("`{}` is not a header", line.escape_debug())));
        };
        if name.eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse::<u64>().ok().filter(|number| *number <= MOST);
            length =
                Some(number.ok_or_else(|| {
                    lost(format!("`{}` is not the length of a message", line.escape_debug()))
                })?);
        }
    }
    length.map(Some).ok_or_else(|| lost("a header has no `Content-Length`".to_owned()))
}

fn lost(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Returns the message in which each half of a character beyond U+FFFF, a lone surrogate, is U+FFFD. That takes the same
/// room in UTF-16, so that columns stay what they are.
fn repaired(bytes: &[u8]) -> Option<Message> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let unit = |text: &str| u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
        let is_low = |unit: u32| (0xdc00..0xe000).contains(&unit);
        let length = match unit(escape) {
            Some(0xd800..0xdc00) if escape.get(6..).and_then(unit).is_some_and(is_low) => 12,
            Some(0xd800..0xe000) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..)?;
                continue;
            }
            // The character behind a backslash is not the start of another escape.
            _ => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        out.push_str(escape.get(..length)?);
        rest = escape.get(length..)?;
    }
    out.push_str(rest);
    serde_json::from_str(&out).ok()
}

/// Returns what the server gets instead of a message that cannot be read: the requests in it, and the document that it is about.
fn unreadable(bytes: &[u8], why: &str) -> Message {
    let value: Value = serde_json::from_str(&String::from_utf8_lossy(bytes)).unwrap_or_default();
    let parts = match &value {
        // A batch, which the protocol does not have.
        Value::Array(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let is_request = |part: &&Value| part.get("method").is_some() || part.get("result").is_none();
    let ids = parts.iter().filter(is_request).filter_map(|part| part.get("id"));
    let ids: Vec<&Value> =
        ids.filter(|id| serde_json::from_value::<RequestId>((*id).clone()).is_ok()).collect();
    let uris: Vec<&Value> =
        parts.iter().filter_map(|part| part.pointer("/params/textDocument/uri")).collect();
    let why = if value.is_array() { "it is a batch, which the protocol does not have" } else { why };
    let params = json!({ "ids": ids, "uris": uris, "why": why, "isJson": !value.is_null() });
    Message::Notification(Notification { method: UNREADABLE.to_owned(), params })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<Message>, Option<String>) {
        let mut input = bytes;
        let mut messages = Vec::new();
        loop {
            match read(&mut input) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => return (messages, None),
                Err(why) => return (messages, Some(why.to_string())),
            }
        }
    }

    fn frame(content: &[u8]) -> Vec<u8> {
        [format!("Content-Length: {}\r\n\r\n", content.len()).as_bytes(), content].concat()
    }

    fn notification(message: &Message) -> &Notification {
        let Message::Notification(said) = message else { panic!("{message:?}") };
        said
    }

    #[test]
    fn what_cannot_be_read_does_not_end_the_input() {
        for (content, ids) in [
            (&b"{bad}"[..], json!([])),
            (b"", json!([])),
            (b"[{\"id\":11,\"method\":\"shutdown\"},{\"method\":\"exit\"}]", json!([11])),
            (b"{\"id\":5}", json!([5])),
            (b"{\"id\":\"a\",\"method\":\"b\",\"params\":\"\xff\"}", json!(["a"])),
        ] {
            let bytes = [frame(content), frame(b"{\"method\":\"exit\"}")].concat();
            let (messages, end) = all(&bytes);
            assert_eq!(end, None);
            let [first, second] = messages.as_slice() else { panic!("{messages:?}") };
            assert_eq!(notification(first).method, UNREADABLE);
            assert_eq!(notification(first).params["ids"], ids);
            assert_eq!(notification(second).method, "exit");
        }
    }

    #[test]
    fn an_unreadable_edit_names_its_document() {
        let content =
            b"{\"method\":\"a\",\"params\":{\"textDocument\":{\"uri\":\"file:///a\"},\"b\":\"\xff\"}}";
        let (messages, _) = all(&frame(content));
        assert_eq!(notification(&messages[0]).params["uris"], json!(["file:///a"]));
    }

    #[test]
    fn a_lone_surrogate_is_replaced() {
        for (written, text) in [
            ("a\\ud800b", "a\u{fffd}b"),
            ("\\udc00\\ud83e\\udd80", "\u{fffd}\u{1f980}"),
            ("\\ud800\\ud83e\\udd80", "\u{fffd}\u{1f980}"),
            ("\\ud800\\n\\\\ud800", "\u{fffd}\n\\ud800"),
        ] {
            let content = format!("{{\"method\":\"a\",\"params\":{{\"text\":\"{written}\"}}}}");
            let (messages, _) = all(&frame(content.as_bytes()));
            assert_eq!(notification(&messages[0]).params["text"], text, "{written}");
        }
    }

    #[test]
    fn a_header_without_a_length_ends_the_input() {
        for (bytes, why) in [
            (&b"\r\n"[..], "a header has no `Content-Length`"),
            (b"Content-Length: 999999999999\r\n\r\n{}", "is not the length of a message"),
            (b"Content-Length: 99999999999999999999\r\n\r\n{}", "is not the length of a message"),
            (b"Content-Length: x\r\n\r\n{}", "is not the length of a message"),
            (b"{}\r\n\r\n", "`{}` is not a header"),
            (b"Content-Length: 9\r\n\r\n{}", "the input ended after 2 of 9 bytes"),
            (b"Content-Length: 9\r\n", "the input ended in a header"),
        ] {
            let (messages, end) = all(bytes);
            assert!(messages.is_empty());
            assert!(end.as_ref().is_some_and(|end| end.contains(why)), "{end:?}");
        }
    }
}
