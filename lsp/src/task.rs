//! The work of the threads that compute.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use lsp_server::{ErrorCode, Request};

use crate::client::{Answer, Client, error};
use crate::document::Document;
use crate::workspace::Workspace;

/// A task.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// A document has a new version, the first one included.
    Changed(Arc<Document>),
    /// The text of the document with this URI is not known any more.
    Lost(String),
    /// The document with this URI was closed.
    Closed(String),
    /// Files may have changed: a document was saved, or the client has seen a change.
    FilesChanged,
    /// The client works on other folders.
    Folders(Arc<Workspace>),
    /// A request.
    Request(Asked),
}

/// A request with what it was asked of.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) request: Request,
    /// The version of the document that it names a place of.
    pub(crate) version: Option<(String, i32)>,
}

/// A thread that takes tasks in their order.
pub(crate) trait Worker {
    /// Takes a change.
    fn change(&mut self, task: Task);

    /// Answers a request. Work that takes long ends early once the answer is not wanted any more; it is not sent then.
    fn answer(&mut self, request: &Request, is_wanted: &dyn Fn() -> bool) -> Answer;

    /// Returns the newest version of the document with this URI.
    fn version(&self, uri: &str) -> Option<i32>;

    /// Does a part of the work that waits until there is nothing else to do. Returns whether there may be more.
    fn idle(&mut self) -> bool;
}

/// Does tasks until the server ends. Changes come first where several wait, so that only the newest version of a document
/// is worked on. A request is answered for the newest version; one about a place of an older version, where something else
/// may stand now, is refused.
pub(crate) fn work(tasks: &Receiver<Task>, client: &Client, worker: &mut impl Worker) {
    let mut is_idle = true;
    let mut requests = VecDeque::new();
    while !client.has_ended() {
        let next = if is_idle && requests.is_empty() { tasks.recv().ok() } else { tasks.try_recv().ok() };
        match next {
            Some(Task::Request(request)) => requests.push_back(request),
            Some(change) => {
                is_idle = false;
                if let Err(why) = guarded(client, "a change", || worker.change(change)) {
                    client.log(&why);
                }
            }
            None => match requests.pop_front() {
                Some(request) => answer(client, worker, request),
                None if is_idle => return,
                None => match guarded(client, "the check", || worker.idle()) {
                    Ok(more) => is_idle = !more,
                    Err(_) => is_idle = false,
                },
            },
        }
    }
}

/// Answers a request, if it was not cancelled.
fn answer(client: &Client, worker: &mut impl Worker, Asked { request, version }: Asked) {
    if version.is_some_and(|(uri, version)| worker.version(&uri).is_some_and(|newest| newest != version)) {
        let why = "the document was edited since";
        client.answer(request.id, Err(error(ErrorCode::ContentModified, why)));
    } else if client.waits(&request.id) {
        let is_wanted = || client.waits(&request.id) && !client.has_ended();
        let answer = guarded(client, &request.method, || worker.answer(&request, &is_wanted));
        client.answer(request.id, answer.unwrap_or_else(|why| Err(error(ErrorCode::InternalError, why))));
    }
}

/// Runs a part of the compiler. A panic there is a bug of tracec, which must not end the server: a text that is being
/// typed has every mistake that there is.
fn guarded<T>(client: &Client, what: &str, run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let why = format!("{what}: a bug of tracec: {}", message(&*panic));
        client.log(&why);
        why
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic")
}
