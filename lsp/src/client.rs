//! The client, as all threads see it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde::Serialize;
use serde_json::json;

/// The result of a request.
pub(crate) type Answer = Result<serde_json::Value, ResponseError>;

/// A way to send messages, and the requests that have no answer yet. Each gets one answer.
pub(crate) struct Client {
    send: Box<dyn Fn(Message) + Send + Sync>,
    waiting: Mutex<HashSet<RequestId>>,
    ended: AtomicBool,
}

/// The kinds of messages that a user sees (`MessageType`).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Warning = 2,
    Info = 3,
}

impl Client {
    /// Creates a client. `send` must not block for long, and ignores a client that is gone.
    pub(crate) fn new(send: impl Fn(Message) + Send + Sync + 'static) -> Self {
        Client { send: Box::new(send), waiting: Mutex::default(), ended: AtomicBool::new(false) }
    }

    /// Notes a request. Returns whether its id is free.
    pub(crate) fn expect(&self, id: &RequestId) -> bool {
        self.waiting().insert(id.clone())
    }

    /// Returns whether a request still waits for its answer: it was not cancelled.
    pub(crate) fn waits(&self, id: &RequestId) -> bool {
        self.waiting().contains(id)
    }

    /// Answers a request, unless it has been answered.
    pub(crate) fn answer(&self, id: RequestId, result: Answer) {
        if self.waiting().remove(&id) {
            (self.send)(Response { id, response_result: result }.into());
        }
    }

    /// Answers a request that was cancelled.
    pub(crate) fn cancel(&self, id: RequestId) {
        self.answer(id, Err(error(ErrorCode::RequestCanceled, "cancelled by the client")));
    }

    /// Ends all work: what waits is answered, and no new work begins.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        let waiting: Vec<RequestId> = self.waiting().iter().cloned().collect();
        for id in waiting {
            self.answer(id, Err(error(ErrorCode::ServerCancelled, "the server ends")));
        }
    }

    /// Returns whether all work is to end.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Sends the only request of this server; nothing depends on the answer.
    pub(crate) fn ask(&self, method: &str, params: impl Serialize) {
        let params = serde_json::to_value(params).unwrap_or_default();
        (self.send)(Request { id: method.to_owned().into(), method: method.to_owned(), params }.into());
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: impl Serialize) {
        // A value whose keys are strings always serialises.
        let params = serde_json::to_value(params).unwrap_or_default();
        (self.send)(Notification { method: method.to_owned(), params }.into());
    }

    /// Shows a message to the user.
    pub(crate) fn show(&self, level: Level, message: &str) {
        self.notify("window/showMessage", json!({ "type": level as u8, "message": message }));
    }

    /// Writes a message into the client's log of this server.
    pub(crate) fn log(&self, message: &str) {
        let level = Level::Warning as u8;
        self.notify("window/logMessage", json!({ "type": level, "message": message }));
    }

    /// No code panics while it holds the lock.
    fn waiting(&self) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates the error of an answer.
pub(crate) fn error(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}
