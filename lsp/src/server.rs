//! The thread that takes messages: it keeps the documents and hands out the work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, ScopedJoinHandle, scope};

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, ServerCapabilities,
    TextDocumentContentChangeEvent,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::abilities::Abilities;
use crate::answer::Answerer;
use crate::client::{Client, Level, error, written};
use crate::diagnose::Diagnoser;
use crate::document::Document;
use crate::request;
use crate::task::{Asked, Task, work};
use crate::workspace::Workspace;
use crate::world::World;

/// The stack of a thread that computes: as much as the main thread of a program has, since a check needs as much there.
const STACK: usize = 8 << 20;

/// The reason why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client ended the server without `shutdown`.
    #[error("the client sent `exit` without `shutdown`")]
    Exit,
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The client went away without `shutdown` and `exit`.
    #[error("the client closed the connection without `shutdown`")]
    Disconnected,
}

/// Serves a client until it says that it has ended. `incoming` are its messages, up to the one after which it is gone.
/// `send` gets each message to it as JSON, must not block for long, and ignores a client that is gone.
///
/// # Errors
/// [`ServeError`]
pub fn serve(
    mut incoming: impl Iterator<Item = Message>,
    send: impl Fn(String) + Send + Sync + 'static,
    world: Arc<dyn World>,
) -> Result<(), ServeError> {
    let client = Client::new(send);
    let Some((id, params)) = initialize(&mut incoming, &client)? else { return Err(ServeError::Exit) };
    let abilities = Abilities::of(&params);
    let workspace = Workspace::of(&params);
    client.answer_unexpected(&id, written(&initialized(abilities)));

    keep_memory();
    scope(|scope| {
        let (diagnose, diagnose_tasks) = channel();
        let (answer, answer_tasks) = channel();
        let (client, first, second) = (&client, Arc::clone(&world), world);
        let shared = Arc::new(workspace.clone());
        let (of_diagnoser, of_answerer) = (Arc::clone(&shared), shared);
        let thread = |name: &str| Builder::new().name(name.to_owned()).stack_size(STACK);
        let _diagnoser: ScopedJoinHandle<'_, ()> = thread("check").spawn_scoped(scope, move || {
            work(&diagnose_tasks, client, &mut Diagnoser::new(client, first, abilities, of_diagnoser));
        })?;
        let _answerer: ScopedJoinHandle<'_, ()> = thread("answers").spawn_scoped(scope, move || {
            work(&answer_tasks, client, &mut Answerer::new(second, abilities, of_answerer));
        })?;
        Server {
            client,
            abilities,
            workspace,
            documents: BTreeMap::new(),
            out_of_step: BTreeSet::new(),
            diagnose,
            answer,
        }
        .run(&mut incoming)
    })
}

/// The size in bytes of the blocks that the allocator keeps. A check of a long text takes less at once.
const KEPT: usize = 16 << 20;

/// Makes the allocator keep what is freed for the next check. Without that, each check gets its memory from the kernel
/// page by page and gives it back, which takes a tenth of its time.
///
/// glibc raises both of its thresholds to the size of the largest block that was freed: `M_MMAP_THRESHOLD` and twice
/// that, `M_TRIM_THRESHOLD` (mallopt(3)). Other allocators are not affected. The block is not used, so that it takes no
/// memory.
fn keep_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT)));
}

/// The method of the notification that stands for a message which cannot be read. Its parameters are `ids`, of the requests
/// in it; `uris`, of the documents that it is about; `isJson`; and `why`. The reader of the messages makes it.
pub const UNREADABLE: &str = "$/tracec/unreadable";

/// Waits for `initialize`; `None` if the client sends `exit` instead. Requests before it are refused, and notifications
/// are ignored, as the protocol wants it.
fn initialize(
    incoming: &mut impl Iterator<Item = Message>,
    client: &Client,
) -> Result<Option<(RequestId, Value)>, ServeError> {
    for message in incoming {
        match message {
            Message::Request(request) if request.method == "initialize" => {
                return Ok(Some((request.id, request.params)));
            }
            Message::Request(request) => {
                let why = format!("`{}` came before `initialize`", request.method);
                client.answer_unexpected(&request.id, Err(error(ErrorCode::ServerNotInitialized, why)));
            }
            Message::Notification(said) if said.method == "exit" => return Ok(None),
            Message::Notification(said) if said.method == UNREADABLE => {
                for id in requests(&said.params) {
                    client.answer_unexpected(&id, Err(refused(&said.params)));
                }
            }
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    Err(ServeError::Disconnected)
}

/// Returns the ids of the requests in a message that cannot be read.
fn requests(unreadable: &Value) -> Vec<RequestId> {
    let ids = unreadable.get("ids").and_then(Value::as_array).into_iter().flatten();
    ids.filter_map(|id| serde_json::from_value(id.clone()).ok()).collect()
}

/// Returns the error that answers a request which cannot be read.
fn refused(unreadable: &Value) -> lsp_server::ResponseError {
    let is_json = unreadable.get("isJson").and_then(Value::as_bool).unwrap_or(false);
    let code = if is_json { ErrorCode::InvalidRequest } else { ErrorCode::ParseError };
    error(code, unreadable.get("why").and_then(Value::as_str).unwrap_or("it cannot be read"))
}

/// Returns the result of `initialize`.
fn initialized(abilities: Abilities) -> Value {
    let capabilities: ServerCapabilities = request::capabilities(abilities.encoding);
    json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "tracec", "version": env!("CARGO_PKG_VERSION") },
    })
}

struct Server<'c> {
    client: &'c Client,
    abilities: Abilities,
    workspace: Workspace,
    /// By URI.
    documents: BTreeMap<String, Arc<Document>>,
    /// The documents of which an edit was not made: what their next edits mean is not known.
    out_of_step: BTreeSet<String>,
    diagnose: Sender<Task>,
    answer: Sender<Task>,
}

impl Server<'_> {
    fn run(mut self, incoming: &mut impl Iterator<Item = Message>) -> Result<(), ServeError> {
        let end = self.take_messages(incoming);
        // What waits is not worked on any more.
        self.client.end();
        end
    }

    fn take_messages(&mut self, incoming: &mut impl Iterator<Item = Message>) -> Result<(), ServeError> {
        while let Some(message) = incoming.next() {
            match message {
                Message::Request(request) => {
                    if request.method == "shutdown" {
                        self.client.expect(&request.id);
                        self.client.answer(request.id, written(&Value::Null));
                        self.client.end();
                        self.wait_for_exit(incoming);
                        return Ok(());
                    }
                    self.request(request);
                }
                Message::Notification(notification) if notification.method == "exit" => {
                    return Err(ServeError::Exit);
                }
                Message::Notification(notification) => self.notification(notification),
                // The only request of this server is to watch files: a client that refuses reports what it saves.
                Message::Response(_) => {}
            }
        }
        Err(ServeError::Disconnected)
    }

    /// Asks the client to watch the files that a text may import, if it can.
    fn watch(&self) {
        if !self.abilities.watches_files {
            return;
        }
        let watched = json!({ "watchers": [{ "globPattern": "**/*.trc" }] });
        let method = "workspace/didChangeWatchedFiles";
        let registration = json!({ "id": "files", "method": method, "registerOptions": watched });
        self.client.ask("client/registerCapability", json!({ "registrations": [registration] }));
    }

    /// Waits for `exit`. A client that goes away instead has ended too.
    fn wait_for_exit(&self, incoming: &mut impl Iterator<Item = Message>) {
        for message in incoming {
            match message {
                Message::Notification(notification) if notification.method == "exit" => return,
                Message::Request(request) => {
                    self.client.expect(&request.id);
                    let why = "the server has shut down";
                    self.client.answer(request.id, Err(error(ErrorCode::InvalidRequest, why)));
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
    }

    /// Hands out a task to both threads. They run as long as this one.
    fn change(&self, task: Task) {
        _ = self.diagnose.send(task.clone());
        _ = self.answer.send(task);
    }

    fn request(&self, request: Request) {
        let uri = request.params.pointer("/textDocument/uri").and_then(Value::as_str);
        let is_lost = uri.is_some_and(|uri| self.out_of_step.contains(uri));
        if !self.client.expect(&request.id) {
            let why = format!("the id {} belongs to a request without an answer", request.id);
            self.client.log(&why);
            return;
        }
        if request.method == "initialize" {
            let why = "the server is initialized already";
            self.client.answer(request.id, Err(error(ErrorCode::InvalidRequest, why)));
            return;
        }
        if is_lost {
            let why = "an edit of this document was not made: its text is not known";
            self.client.answer(request.id, Err(error(ErrorCode::ContentModified, why)));
            return;
        }
        let document = uri.and_then(|uri| self.documents.get(uri));
        let document = document.filter(|_| request::is_about_place(&request.method));
        let version = document.map(|document| (document.uri.clone(), document.version));
        let worker = if request::needs_check(&request.method) { &self.diagnose } else { &self.answer };
        _ = worker.send(Task::Request(Asked { request, version }));
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        match method.as_str() {
            "initialized" => self.watch(),
            "textDocument/didOpen" => self.decoded(&method, params, Self::open),
            "textDocument/didChange" => match changes(&params) {
                Ok(changes) => self.decoded(&method, params, |server, params| server.edit(params, &changes)),
                Err(why) => self.ignored(&method, &params, &why.to_string()),
            },
            UNREADABLE => self.unreadable(&params),
            "textDocument/didClose" => self.decoded(&method, params, Self::close),
            "workspace/didChangeWorkspaceFolders" => self.folders(&params),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.change(Task::FilesChanged),
            "$/cancelRequest" => {
                if let Some(id) = params.get("id").and_then(|id| serde_json::from_value(id.clone()).ok()) {
                    self.client.cancel(id);
                }
            }
            // The others are about what this server does not do.
            _ => {}
        }
    }

    fn folders(&mut self, params: &Value) {
        let uris = |list: &str| -> Vec<&str> {
            let folders = params.pointer(list).and_then(Value::as_array).into_iter().flatten();
            folders.filter_map(|folder| folder.get("uri").and_then(Value::as_str)).collect()
        };
        uris("/event/removed").into_iter().for_each(|uri| self.workspace.remove(uri));
        uris("/event/added").into_iter().for_each(|uri| self.workspace.add(uri));
        self.change(Task::Folders(Arc::new(self.workspace.clone())));
    }

    fn decoded<P: DeserializeOwned>(&mut self, method: &str, params: Value, take: impl FnOnce(&mut Self, P)) {
        match P::deserialize(&params) {
            Ok(params) => take(self, params),
            Err(why) => self.ignored(method, &params, &why.to_string()),
        }
    }

    /// Reports a notification that is not understood. The text of the document that it is about is not known any more.
    fn ignored(&mut self, method: &str, params: &Value, why: &str) {
        match params.pointer("/textDocument/uri").and_then(Value::as_str) {
            Some(uri) if self.documents.contains_key(uri) => self.lose(uri, &format!("{method}: {why}")),
            _ => self.client.log(&format!("{method}: {why}; it is ignored")),
        }
    }

    /// Answers what was asked in a message that cannot be read.
    fn unreadable(&mut self, params: &Value) {
        let why = params.get("why").and_then(Value::as_str).unwrap_or_default();
        self.client.log(&format!("a message cannot be read: {why}"));
        for id in requests(params) {
            if self.client.expect(&id) {
                self.client.answer(id, Err(refused(params)));
            }
        }
        let uris = params.get("uris").and_then(Value::as_array).into_iter().flatten();
        for uri in uris.filter_map(Value::as_str) {
            if self.documents.contains_key(uri) {
                self.lose(uri, &format!("a message cannot be read: {why}"));
            }
        }
    }

    /// Notes that an edit of an open document was not made, and says so once. Nothing more is reported of the document
    /// before its whole text arrives: it would be about another text.
    fn lose(&mut self, uri: &str, why: &str) {
        if self.out_of_step.insert(uri.to_owned()) {
            let file = uri.rsplit('/').next().unwrap_or_default();
            let said = format!(
                "tracec: {file}: {why}. The edit is not made, and what is shown of the document may be wrong until it \
                 is opened again."
            );
            self.client.show(Level::Warning, &said);
            self.change(Task::Lost(uri.to_owned()));
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        self.keep(Document::new(item.uri.as_ref(), item.version, item.text));
    }

    fn edit(&mut self, params: DidChangeTextDocumentParams, changes: &[TextDocumentContentChangeEvent]) {
        let id = params.text_document;
        let uri = id.text_document_identifier.uri;
        let Some(document) = self.documents.get(uri.as_ref()) else {
            self.client.log(&format!("{uri}: an edit of a document that is not open; it is ignored"));
            return;
        };
        if self.out_of_step.contains(uri.as_ref()) && !Document::is_whole(changes) {
            return;
        }
        match document.edited(id.version, changes, self.abilities.encoding) {
            Ok(next) => self.keep(next),
            Err(refused) => self.lose(uri.as_ref(), &refused.to_string()),
        }
    }

    fn keep(&mut self, document: Document) {
        let document = Arc::new(document);
        self.out_of_step.remove(&document.uri);
        self.documents.insert(document.uri.clone(), Arc::clone(&document));
        self.change(Task::Changed(document));
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.out_of_step.remove(uri.as_ref());
        if self.documents.remove(uri.as_ref()).is_some() {
            self.change(Task::Closed(uri.as_ref().to_owned()));
        }
    }
}

/// Returns the changes of an edit. They are not decoded with the rest: there, a change whose range is invalid would be one
/// that replaces the whole text.
fn changes(params: &Value) -> serde_json::Result<Vec<TextDocumentContentChangeEvent>> {
    let changes = params.get("contentChanges").and_then(Value::as_array);
    // A range of `null` is none.
    let range = |change: &Value| change.get("range").is_some_and(|range| !range.is_null());
    let decoded = changes.into_iter().flatten().map(|change| match range(change) {
        true => serde_json::from_value(change.clone())
            .map(TextDocumentContentChangeEvent::TextDocumentContentChangePartial),
        false => serde_json::from_value(change.clone())
            .map(TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument),
    });
    decoded.collect()
}

/// Returns the parameters of a request.
///
/// # Errors
/// `InvalidParams`.
pub(crate) fn params<P: DeserializeOwned>(params: Value) -> Result<P, lsp_server::ResponseError> {
    serde_json::from_value(params).map_err(|why| error(ErrorCode::InvalidParams, why.to_string()))
}
