//! A client that drives the server in this process, and a kernel to check for.

#![allow(dead_code, reason = "each test uses a part")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use tracec_compiler::source::{ImportError, NoImports};
use tracec_compiler::{Imports, KernelError, KernelSource, SourceText};
use tracec_kernel::profile::{Block, Kept, Profile};
use tracec_kernel::tables::features::Support;
use tracec_lsp::{Kernels, ServeError, World, serve};

/// How long a test waits for a message. No message takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shipped profile as a kernel.
pub(crate) struct Shipped {
    profile: Profile<&'static [u8]>,
    kept: RefCell<Option<Block>>,
    /// Files that the kernel has besides those of the profile, by their path below tracefs.
    added: Added,
    /// Its types, which the profile has not.
    btf: Option<Vec<u8>>,
    /// Whether it is one of several, which diagnostics do not name.
    is_one_of_several: bool,
}

/// Files by their path.
pub(crate) type Added = BTreeMap<String, String>;

impl Shipped {
    pub(crate) fn open(name: &str) -> Shipped {
        Shipped::with(name, Added::new())
    }

    /// Opens profiles. Diagnostics do not name one of several.
    pub(crate) fn open_all(names: &[&str]) -> Vec<Shipped> {
        let is_one_of_several = names.len() > 1;
        names.iter().map(|name| Shipped { is_one_of_several, ..Shipped::open(name) }).collect()
    }

    /// Opens a profile, and adds files.
    pub(crate) fn with(name: &str, added: Added) -> Shipped {
        let bytes: &'static [u8] = match name {
            "6.1" => include_bytes!("../../../profiles/6.1.trcprof"),
            "6.12" => include_bytes!("../../../profiles/6.12.trcprof"),
            _ => panic!("no profile {name}"),
        };
        Shipped {
            profile: Profile::open(bytes).expect("a profile"),
            kept: RefCell::default(),
            added,
            btf: None,
            is_one_of_several: false,
        }
    }
}

impl KernelSource for Shipped {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        if let Some(added) = self.added.get(path) {
            return Ok(Some(added.clone()));
        }
        let error = |reason: String| KernelError { path: path.to_owned(), reason };
        match self.profile.file(path, &mut self.kept.borrow_mut()) {
            Ok(Kept::Text(text)) => Ok(Some(text)),
            Ok(Kept::Absent) => Ok(None),
            Ok(Kept::Unknown) => Err(error("the profile does not contain it".to_owned())),
            Err(failed) => Err(error(failed.to_string())),
        }
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let mut found = if path == "per_cpu" { Vec::new() } else { self.profile.directories(path) };
        let below = self.added.keys().filter_map(|added| added.strip_prefix(path)?.strip_prefix('/'));
        found.extend(below.filter_map(|rest| Some(rest.split_once('/')?.0.to_owned())));
        Ok(found)
    }

    fn feature(&self, name: &str) -> Support {
        self.profile.facts().feature(name)
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        Ok(self.btf.clone())
    }

    fn describe(&self) -> String {
        match self.is_one_of_several {
            true => "the kernel".to_owned(),
            false => format!("kernel {}", self.profile.facts().release),
        }
    }

    fn arch(&self) -> String {
        self.profile.facts().arch.clone()
    }

    fn release(&self) -> String {
        self.profile.facts().release.clone()
    }
}

/// Files in memory, by path.
pub(crate) type Files = Arc<Mutex<BTreeMap<String, String>>>;

/// The surroundings of the server under test.
pub(crate) struct TestWorld {
    pub(crate) kernels: Vec<&'static str>,
    pub(crate) files: Files,
    pub(crate) notices: Vec<String>,
    /// What each kernel has besides its profile.
    pub(crate) added: Added,
    /// The types of each kernel, which its profile has not.
    pub(crate) btf: Option<Vec<u8>>,
    /// How often a file was read that a text imports.
    pub(crate) reads: Arc<AtomicUsize>,
    /// What is called before each of these reads.
    pub(crate) on_read: OnRead,
    /// Why the folders cannot be searched.
    pub(crate) unsearched: Option<String>,
}

/// What is called before a file is read that a text imports.
pub(crate) type OnRead = Arc<dyn Fn() + Send + Sync>;

/// Returns what an editor of today says that it can do, with its encodings.
pub(crate) fn abilities(encodings: &[&str]) -> Value {
    json!({
        "general": { "positionEncodings": encodings },
        "textDocument": {
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "completion": { "completionItem": { "documentationFormat": ["markdown"] } },
            "publishDiagnostics": {
                "relatedInformation": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
                "versionSupport": true,
            },
        },
    })
}

impl Default for TestWorld {
    fn default() -> Self {
        TestWorld {
            kernels: vec!["6.12"],
            files: Files::default(),
            notices: Vec::new(),
            added: Added::new(),
            btf: None,
            reads: Arc::default(),
            on_read: Arc::new(|| {}),
            unsearched: None,
        }
    }
}

struct MemoryFiles {
    files: Files,
    reads: Arc<AtomicUsize>,
    on_read: OnRead,
}

impl Imports for MemoryFiles {
    fn read(&self, from: &str, path: &str) -> Result<SourceText, ImportError> {
        let mut directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let mut path = path;
        while let Some(rest) = path.strip_prefix("../") {
            directory = directory.rsplit_once('/').map_or("", |(directory, _)| directory);
            path = rest;
        }
        let name = format!("{directory}/{path}");
        self.reads.fetch_add(1, Ordering::SeqCst);
        (self.on_read)();
        match self.files.lock().expect("files").get(&name) {
            Some(text) => Ok(SourceText { name, text: text.clone(), one_liner: false }),
            None => NoImports.read(from, path),
        }
    }
}

impl World for TestWorld {
    fn kernels(&self) -> Kernels {
        let open = |name: &&'static str| -> (String, Box<dyn KernelSource>) {
            let shipped = Shipped::with(name, self.added.clone());
            ((*name).to_owned(), Box::new(Shipped { btf: self.btf.clone(), ..shipped }))
        };
        Kernels { kernels: self.kernels.iter().map(open).collect(), notices: self.notices.clone() }
    }

    fn generation(&self) -> u64 {
        0
    }

    fn imports(&self, _main: &str) -> Box<dyn Imports> {
        let (files, reads, on_read) =
            (Arc::clone(&self.files), Arc::clone(&self.reads), Arc::clone(&self.on_read));
        Box::new(MemoryFiles { files, reads, on_read })
    }

    fn library(&self, name: &str, text: &str) -> Option<String> {
        let path = format!("/library/{name}");
        self.files.lock().expect("files").insert(path.clone(), text.to_owned());
        Some(path)
    }

    fn is_library(&self, path: &str) -> bool {
        path.starts_with("/library/")
    }

    fn texts(&self, directories: &[String]) -> Result<Vec<SourceText>, String> {
        if let Some(why) = &self.unsearched {
            return Err(why.clone());
        }
        let files = self.files.lock().expect("files");
        let below = |name: &str| directories.iter().any(|folder| name.starts_with(&format!("{folder}/")));
        let found = files.iter().filter(|(name, _)| below(name));
        let text = |(name, text): (&String, &String)| SourceText {
            name: name.clone(),
            text: text.clone(),
            one_liner: false,
        };
        Ok(found.map(text).collect())
    }
}

/// Serves one end of a connection.
pub(crate) fn served(
    Connection { sender, receiver }: Connection,
    world: TestWorld,
) -> Result<(), ServeError> {
    let send = move |text: String| {
        let message: Message = serde_json::from_str(&text).expect("a message");
        // A client that is gone reads nothing.
        drop(sender.send(message));
    };
    serve(receiver.into_iter(), send, Arc::new(world))
}

/// A client with its server.
pub(crate) struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    next: i32,
    /// Notifications that were received while something else was awaited.
    pub(crate) notifications: Vec<Notification>,
    /// Messages of the server to the user and to the log.
    pub(crate) said: Vec<Notification>,
    /// The server's capabilities.
    pub(crate) initialized: Value,
}

impl Client {
    /// Starts a server for a client that has only UTF-16.
    pub(crate) fn new() -> Client {
        Client::start(TestWorld::default(), abilities(&["utf-16"]))
    }

    pub(crate) fn utf8(world: TestWorld) -> Client {
        Client::start(world, abilities(&["utf-32", "utf-8"]))
    }

    pub(crate) fn start(world: TestWorld, capabilities: Value) -> Client {
        let (ours, theirs) = Connection::memory();
        let server = std::thread::spawn(move || served(theirs, world));
        let connection = Some(ours);
        let mut client = Client {
            connection,
            server: Some(server),
            next: 0,
            notifications: Vec::new(),
            said: Vec::new(),
            initialized: json!({}),
        };
        let folders = json!([{ "uri": "file:///project", "name": "project" }]);
        let params = json!({ "capabilities": capabilities, "workspaceFolders": folders });
        client.initialized = client.request("initialize", params).expect("a result");
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn send(&self, message: impl Into<Message>) {
        self.connection.as_ref().expect("a connection").sender.send(message.into()).expect("a server");
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    pub(crate) fn receive(&self) -> Message {
        let connection = self.connection.as_ref().expect("a connection");
        connection.receiver.recv_timeout(PATIENCE).expect("a message")
    }

    /// Receives a message, if one comes.
    pub(crate) fn receive_if_any(&self) -> Option<Message> {
        self.connection.as_ref().expect("a connection").receiver.recv_timeout(PATIENCE).ok()
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, wanted: &RequestId) -> Result<Value, String> {
        loop {
            match self.receive() {
                Message::Response(Response { id, response_result }) => {
                    assert_eq!(id, *wanted, "answers come once and in order");
                    return response_result.map_err(|error| format!("{}: {}", error.code, error.message));
                }
                Message::Notification(notification) => self.notifications.push(notification),
                Message::Request(request) => panic!("the server asks {request:?}"),
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    /// Sends a request about a position.
    pub(crate) fn at(&mut self, method: &str, uri: &str, (line, character): (usize, usize)) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        self.request(method, params).expect("an answer")
    }

    pub(crate) fn open(&self, uri: &str, version: i32, text: &str) {
        let item = json!({ "uri": uri, "languageId": "trc", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    pub(crate) fn change(&self, uri: &str, version: i32, changes: Value) {
        let id = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": id, "contentChanges": changes }));
    }

    pub(crate) fn replace(&self, uri: &str, version: i32, text: &str) {
        self.change(uri, version, json!([{ "text": text }]));
    }

    /// Waits for the diagnostics of a version of a document. Those of older versions may come before, in their order.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let mut last = i64::MIN;
        loop {
            let notification = match self.notifications.is_empty() {
                false => self.notifications.remove(0),
                true => match self.receive() {
                    Message::Notification(notification) => notification,
                    other => panic!("unexpected {other:?}"),
                },
            };
            let params = &notification.params;
            if notification.method != "textDocument/publishDiagnostics" {
                self.said.push(notification);
                continue;
            }
            if params["uri"] != uri {
                continue;
            }
            let Some(found) = params["version"].as_i64() else { continue };
            assert!(found >= last && found <= i64::from(version), "{found} after {last}, at {version}");
            last = found;
            if found == i64::from(version) {
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// Waits for the diagnostics of a version of a document whose older versions may have been closed.
    pub(crate) fn newest(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let _ = self.notifications.drain(..);
        loop {
            let Message::Notification(said) = self.receive() else { continue };
            if said.method == "textDocument/publishDiagnostics"
                && said.params["uri"] == uri
                && said.params["version"] == version
            {
                return said.params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// Ends the server as the protocol wants it.
    pub(crate) fn end(mut self) {
        self.request("shutdown", Value::Null).expect("an answer");
        self.exit();
    }

    /// Ends a server that was shut down.
    pub(crate) fn exit(mut self) {
        self.notify("exit", Value::Null);
        let server = self.server.take().expect("a server");
        server.join().expect("no panic").expect("an orderly end");
    }
}

/// Returns the codes of some diagnostics.
pub(crate) fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|said| said["code"].as_str().expect("a code")).collect()
}

/// Returns the line and column of an offset, in units of UTF-16 or in bytes.
pub(crate) fn position(text: &str, offset: usize, is_utf8: bool) -> (usize, usize) {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let column = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    (line, if is_utf8 { column.len() } else { column.encode_utf16().count() })
}

/// Returns the offset of a position.
pub(crate) fn offset(text: &str, position: &Value, is_utf8: bool) -> usize {
    let line = position["line"].as_u64().expect("a line") as usize;
    let column = position["character"].as_u64().expect("a column") as usize;
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let mut units = 0;
    for (at, char) in text[start..].char_indices() {
        if units >= column {
            return start + at;
        }
        units += if is_utf8 { char.len_utf8() } else { char.len_utf16() };
    }
    text.len()
}

/// Applies edits of the protocol.
pub(crate) fn apply(text: &str, edits: &[Value], is_utf8: bool) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let at = |end: &str| offset(text, &edit["range"][end], is_utf8);
            (at("start"), at("end"), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    edits.sort();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

/// Returns the paths and the texts of the examples of the project.
pub(crate) fn examples() -> Vec<(String, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut all = Vec::new();
    for directory in [root.to_owned(), format!("{root}/tasks")] {
        for entry in std::fs::read_dir(directory).expect("the examples") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "trc") {
                all.push((path.display().to_string(), std::fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    all.sort();
    all
}
