//! The language server as a process, and its client on the other end of the pipes.
//!
//! Nothing is waited for without a limit: a server that does not answer is an error that says what was expected of it.

use std::io::{BufReader, Error, ErrorKind, Read, Result, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, RequestId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

/// How long a process may take to write something, or to read. None takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The bytes that a pipe takes at once if it takes any (`PIPE_BUF`).
const AT_ONCE: usize = 4096;

/// The bytes in a pipe, at least, that takes no further answer.
const FILLED: u64 = 48 << 10;

/// The version before all.
const NONE: i64 = -1;

/// The document.
pub(crate) const URI: &str = "file:///bench/lines.trc";

/// A pipe that is not waited for without a limit.
#[derive(Debug)]
pub(crate) struct Patient<P>(pub(crate) P);

impl<P: Read + AsFd> Read for Patient<P> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        match is_ready(&self.0, PollFlags::IN, PATIENCE)? {
            true => self.0.read(buffer),
            false => Err(timed_out("nothing was written")),
        }
    }
}

impl<P: Write + AsFd> Write for Patient<P> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match is_ready(&self.0, PollFlags::OUT, PATIENCE)? {
            true => self.0.write(&bytes[..bytes.len().min(AT_ONCE)]),
            false => Err(timed_out("nothing was read")),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

/// Returns whether a pipe is ready within a time. One whose other end is closed is.
fn is_ready(pipe: &impl AsFd, wanted: PollFlags, time: Duration) -> Result<bool> {
    let time = Timespec::try_from(time).map_err(Error::other)?;
    Ok(poll(&mut [PollFd::new(pipe, wanted)], Some(&time))? > 0)
}

fn timed_out(what: &str) -> Error {
    Error::new(ErrorKind::TimedOut, format!("{what} for {} s", PATIENCE.as_secs()))
}

/// Adds to an error what was waited for.
fn awaited(what: &str) -> impl Fn(Error) -> Error {
    move |error| Error::new(error.kind(), format!("{what}: {error}"))
}

/// A server process.
pub(crate) struct Server {
    process: Child,
    input: Patient<ChildStdin>,
    output: BufReader<Patient<ChildStdout>>,
    next: i32,
    /// The version of the last diagnostics of the document.
    last: i64,
}

impl Server {
    /// Starts `tracec lsp` for a kernel, and agrees on UTF-8.
    pub(crate) fn start(kernel: &str) -> Result<Server> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        Server::of(command.args(["lsp", "--kernel", kernel]))
    }

    /// Starts a server by a command of the caller's.
    pub(crate) fn of(command: &mut Command) -> Result<Server> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) =
            process.stdin.take().zip(process.stdout.take()).ok_or(Error::other("no pipes"))?;
        let (input, output) = (Patient(input), BufReader::new(Patient(output)));
        let mut server = Server { process, input, output, next: 0, last: NONE };
        let capabilities = json!({ "general": { "positionEncodings": ["utf-8"] } });
        server.request("initialize", json!({ "capabilities": capabilities }))?;
        server.notify("initialized", json!({}))?;
        Ok(server)
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(Notification { method: method.to_owned(), params })
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: impl Into<Message>) -> Result<()> {
        message.into().write(&mut self.input)
    }

    /// Sends bytes, which may be no message.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.input.write_all(bytes)?;
        self.input.flush()
    }

    /// Sends a request, whose answer is not waited for.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<RequestId> {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request { id: id.clone(), method: method.to_owned(), params })?;
        Ok(id)
    }

    /// Sends a request, and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.ask(method, params)?;
        let answer = format!("the answer to {method}");
        loop {
            if let Message::Response(response) = self.receive().map_err(awaited(&answer))?
                && response.id == id
            {
                return response.response_result.map_err(|error| Error::other(error.message));
            }
        }
    }

    /// Waits for a message.
    pub(crate) fn receive(&mut self) -> Result<Message> {
        Message::read(&mut self.output)?.ok_or_else(|| Error::other("the server has ended"))
    }

    /// Opens the document at version 0.
    pub(crate) fn open(&mut self, text: &str) -> Result<()> {
        self.last = NONE;
        let item = json!({ "uri": URI, "languageId": "trc", "version": 0, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }))
    }

    /// Replaces a part of the document.
    pub(crate) fn change(
        &mut self,
        version: i32,
        from: (usize, usize),
        to: (usize, usize),
        text: &str,
    ) -> Result<()> {
        let at = |(line, character)| json!({ "line": line, "character": character });
        let change = json!({ "range": { "start": at(from), "end": at(to) }, "text": text });
        let id = json!({ "uri": URI, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": id, "contentChanges": [change] }))
    }

    /// Types a letter at a place, or deletes it.
    pub(crate) fn edit(
        &mut self,
        version: i32,
        (line, column): (usize, usize),
        deletes: bool,
        letter: &str,
    ) -> Result<()> {
        match deletes {
            true => self.change(version, (line, column), (line, column + 1), ""),
            false => self.change(version, (line, column), (line, column), letter),
        }
    }

    /// Asks what an editor asks after each edit: the hints of the lines that it shows, and what is under the pointer.
    pub(crate) fn ask_as_editors_do(&mut self, line: usize) -> Result<()> {
        let at = |line: usize, character: usize| json!({ "line": line, "character": character });
        let document = json!({ "uri": URI });
        let range = json!({ "start": at(line.saturating_sub(25), 0), "end": at(line + 25, 0) });
        self.ask("textDocument/inlayHint", json!({ "textDocument": document, "range": range }))?;
        let hover = json!({ "textDocument": document, "position": at(line + 1, 12) });
        self.ask("textDocument/hover", hover)?;
        Ok(())
    }

    /// Waits for the diagnostics of a version. An older version after a newer one is an error.
    pub(crate) fn diagnostics(&mut self, version: i32) -> Result<Value> {
        loop {
            let wanted = format!("the diagnostics of version {version}, of which {} came last", self.last);
            let message = self.receive().map_err(awaited(&wanted))?;
            if let Some((found, params)) = self.published(message)?
                && found == i64::from(version)
            {
                return Ok(params);
            }
        }
    }

    /// Reads for a time what the server writes, as editors do while somebody types.
    pub(crate) fn read_for(&mut self, time: Duration) -> Result<()> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let has_some = || is_ready(&self.output.get_ref().0, PollFlags::IN, left);
            if left.is_zero() || self.output.buffer().is_empty() && !has_some()? {
                return Ok(());
            }
            let message = self.receive()?;
            self.published(message)?;
        }
    }

    /// Returns the diagnostics of a version, if a message has them. An older version after a newer one is an error, and so is
    /// a check that failed: its diagnostics never come.
    fn published(&mut self, message: Message) -> Result<Option<(i64, Value)>> {
        let Message::Notification(said) = message else { return Ok(None) };
        if let Some(why) = said.params["message"].as_str().filter(|why| why.contains("a bug of tracec")) {
            return Err(Error::other(why.to_owned()));
        }
        let Some(found) = said.params["version"].as_i64() else { return Ok(None) };
        if found < self.last {
            return Err(Error::other(format!("version {found} after {}", self.last)));
        }
        self.last = found;
        Ok(Some((found, said.params)))
    }

    /// Asks for completion.
    pub(crate) fn completion(&mut self, line: usize, character: usize) -> Result<Value> {
        let position = json!({ "line": line, "character": character });
        self.request(
            "textDocument/completion",
            json!({ "textDocument": { "uri": URI }, "position": position }),
        )
    }

    /// Returns the resident memory in MiB.
    pub(crate) fn memory(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        kib.map(|kib| kib / 1024.0).ok_or_else(|| Error::other("no VmRSS"))
    }

    /// Ends the server as the protocol wants it.
    pub(crate) fn end(mut self) -> Result<()> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        // It still may have answers.
        std::io::copy(&mut self.output, &mut std::io::sink())?;
        self.process.wait().map(drop)
    }

    /// Ends the server without reading any more of what it writes, once that has filled the pipe, and returns its status.
    pub(crate) fn end_unread(mut self) -> Result<ExitStatus> {
        while rustix::io::ioctl_fionread(&self.output.get_ref().0)? < FILLED {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.ask("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        self.process.wait()
    }

    /// Waits for the end of the server, and returns what it wrote to its standard error, which is a pipe.
    pub(crate) fn complaint(mut self) -> Result<String> {
        let mut said = String::new();
        self.process.stderr.take().ok_or(Error::other("no pipe"))?.read_to_string(&mut said)?;
        self.process.wait()?;
        Ok(said)
    }
}
