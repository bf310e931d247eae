//! The thread that takes messages: it keeps the documents and hands out the work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, ScopedJoinHandle, scope};

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, ServerCapabilities,
    TextDocumentContentChangeEvent,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::abilities::Abilities;
use crate::answer::Answerer;
use crate::client::{Client, error};
use crate::diagnose::Diagnoser;
use crate::document::Document;
use crate::request;
use crate::task::{Task, work};
use crate::workspace::Workspace;
use crate::world::World;

/// The stack of a thread that computes: as much as the main thread of a program has, since a check needs as much there.
const STACK: usize = 8 << 20;

/// The reason why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client does not keep to the protocol, or is gone.
    #[error("the client: {0}")]
    Protocol(#[from] ProtocolError),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The client went away without `shutdown` and `exit`.
    #[error("the client closed the connection without `shutdown`")]
    Disconnected,
}

/// Serves a client until it says that it has ended.
///
/// # Errors
/// [`ServeError`]
pub fn serve(connection: &Connection, world: Arc<dyn World>) -> Result<(), ServeError> {
    let (id, params) = connection.initialize_start()?;
    let abilities = Abilities::of(&params);
    let workspace = Workspace::of(&params);
    connection.initialize_finish(id, initialized(abilities))?;

    let sender = connection.sender.clone();
    keep_memory();
    // A client that is gone reads nothing.
    let client = Client::new(move |message| drop(sender.send(message)));
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
        Server { connection, client, abilities, workspace, documents: BTreeMap::new(), diagnose, answer }
            .run()
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

/// Returns the result of `initialize`.
fn initialized(abilities: Abilities) -> Value {
    let capabilities: ServerCapabilities = request::capabilities(abilities.encoding);
    json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "tracec", "version": env!("CARGO_PKG_VERSION") },
    })
}

struct Server<'c> {
    connection: &'c Connection,
    client: &'c Client,
    abilities: Abilities,
    workspace: Workspace,
    /// By URI.
    documents: BTreeMap<String, Arc<Document>>,
    diagnose: Sender<Task>,
    answer: Sender<Task>,
}

impl Server<'_> {
    fn run(mut self) -> Result<(), ServeError> {
        if self.abilities.watches_files {
            self.watch();
        }
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    if request.method == "shutdown" {
                        self.shut_down(request.id);
                        return Ok(());
                    }
                    self.request(request);
                }
                Message::Notification(notification) if notification.method == "exit" => return Ok(()),
                Message::Notification(notification) => self.notification(notification),
                // The only request of this server is to watch files: a client that refuses reports what it saves.
                Message::Response(_) => {}
            }
        }
        Err(ServeError::Disconnected)
    }

    /// Asks the client to watch the files that a text may import.
    fn watch(&self) {
        let watched = json!({ "watchers": [{ "globPattern": "**/*.trc" }] });
        let method = "workspace/didChangeWatchedFiles";
        let registration = json!({ "id": "files", "method": method, "registerOptions": watched });
        self.client.ask("client/registerCapability", json!({ "registrations": [registration] }));
    }

    /// Answers `shutdown` and waits for `exit`. A client that goes away instead has ended too.
    fn shut_down(&self, id: RequestId) {
        self.client.expect(&id);
        self.client.answer(id, Ok(Value::Null));
        for message in &self.connection.receiver {
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
        if !self.client.expect(&request.id) {
            let why = format!("the id {} belongs to a request without an answer", request.id);
            self.client.log(&why);
            return;
        }
        match request::needs_check(&request.method) {
            true => _ = self.diagnose.send(Task::Request(request)),
            false => _ = self.answer.send(Task::Request(request)),
        }
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        match method.as_str() {
            "textDocument/didOpen" => self.decoded(&method, params, Self::open),
            "textDocument/didChange" => match changes(&params) {
                Ok(changes) => self.decoded(&method, params, |server, params| server.edit(params, &changes)),
                Err(why) => self.client.log(&format!("{method}: {why}; it is ignored")),
            },
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
        match serde_json::from_value(params) {
            Ok(params) => take(self, params),
            Err(why) => self.client.log(&format!("{method}: {why}; it is ignored")),
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
        match document.edited(id.version, changes, self.abilities.encoding) {
            Ok(next) => self.keep(next),
            Err(refused) => self.client.log(&refused.to_string()),
        }
    }

    fn keep(&mut self, document: Document) {
        let document = Arc::new(document);
        self.documents.insert(document.uri.clone(), Arc::clone(&document));
        self.change(Task::Changed(document));
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        if self.documents.remove(uri.as_ref()).is_some() {
            self.change(Task::Closed(uri.as_ref().to_owned()));
        }
    }
}

/// Returns the changes of an edit. They are not decoded with the rest: there, a change whose range is invalid would be one
/// that replaces the whole text.
fn changes(params: &Value) -> serde_json::Result<Vec<TextDocumentContentChangeEvent>> {
    let changes = params.get("contentChanges").and_then(Value::as_array);
    let decoded = changes.into_iter().flatten().map(|change| match change.get("range") {
        Some(_) => serde_json::from_value(change.clone())
            .map(TextDocumentContentChangeEvent::TextDocumentContentChangePartial),
        None => serde_json::from_value(change.clone())
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
