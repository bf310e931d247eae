//! The client, as all threads see it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use lsp_server::{ErrorCode, RequestId, ResponseError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The result of a request, as JSON. The tree of values that it could be instead takes fifty times the room of its text.
pub(crate) type Answer = Result<Box<RawValue>, ResponseError>;

/// A way to send messages, and the requests that have no answer yet. Each gets one answer.
pub(crate) struct Client {
    send: Box<dyn Fn(String) + Send + Sync>,
    waiting: Mutex<HashSet<RequestId>>,
    ended: AtomicBool,
}

/// An answer, as the protocol writes it.
#[derive(Serialize)]
struct Answered<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ResponseError>,
}

/// A request or a notification, as the protocol writes it.
#[derive(Serialize)]
struct Said<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    method: &'a str,
    params: P,
}

/// The version of the protocol below.
const JSON_RPC: &str = "2.0";

/// The kinds of messages that a user sees (`MessageType`).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Warning = 2,
    Info = 3,
}

impl Client {
    /// Creates a client. `send` gets each message as JSON, must not block for long, and ignores a client that is gone.
    pub(crate) fn new(send: impl Fn(String) + Send + Sync + 'static) -> Self {
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
            self.answer_unexpected(&id, result);
        }
    }

    /// Answers a request that was not noted.
    pub(crate) fn answer_unexpected(&self, id: &RequestId, result: Answer) {
        let (result, error) = (result.as_deref().ok(), result.as_ref().err());
        self.write(&Answered { jsonrpc: JSON_RPC, id, result, error });
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
        self.write(&Said { jsonrpc: JSON_RPC, id: Some(method), method, params });
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: impl Serialize) {
        self.write(&Said { jsonrpc: JSON_RPC, id: None, method, params });
    }

    fn write(&self, message: &impl Serialize) {
        // A value whose keys are strings always serialises.
        if let Ok(text) = serde_json::to_string(message) {
            (self.send)(text);
        }
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

/// Creates the answer with a value.
///
/// # Errors
/// The value has keys that are not strings: a bug.
pub(crate) fn written(value: &(impl Serialize + ?Sized)) -> Answer {
    serde_json::value::to_raw_value(value).map_err(|why| error(ErrorCode::InternalError, why.to_string()))
}

/// Creates the error of an answer.
pub(crate) fn error(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}
