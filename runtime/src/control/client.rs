//! The side of the commands: it asks a session, and waits for the answer no longer than it says.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fd::{AsFd, BorrowedFd};

use super::protocol::{Answer, Ending, LONGEST_ANSWER, Request, Unusable, VERSION, line, parse};
use super::started::socket;
use crate::journal::JournalFileError;
use crate::record::Dump;

/// A connection to a session.
#[derive(Debug)]
pub struct Client {
    name: String,
    stream: UnixStream,
    input: Vec<u8>,
}

/// The reason why a session does not answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The file of the socket is missing.
    #[error("the socket of the session `{name}` was removed: {}", path.display())]
    NoSocket {
        /// The name.
        name: String,
        /// The socket.
        path: PathBuf,
    },
    /// Nobody listens at the socket, or the other side has gone.
    #[error("the supervisor of the session `{name}` has gone")]
    Gone {
        /// The name.
        name: String,
    },
    /// No answer has come in time.
    #[error("the session `{name}` does not answer")]
    Silent {
        /// The name.
        name: String,
    },
    /// It speaks another version.
    #[error(
        "the session `{name}` speaks version {version} of the control protocol, this is version {VERSION}: use the tracec that has started it"
    )]
    Version {
        /// The name.
        name: String,
        /// Its version.
        version: u32,
    },
    /// What it says is not an answer.
    #[error("what the session `{name}` says is not an answer of the control protocol")]
    Malformed {
        /// The name.
        name: String,
    },
    /// It refuses the request.
    #[error("{why}")]
    Refused {
        /// Why.
        why: String,
    },
    /// The directory cannot be used.
    #[error("{0}")]
    Directory(#[from] JournalFileError),
    /// A system call failed.
    #[error("the session `{name}` cannot be asked: {source}")]
    Io {
        /// The name.
        name: String,
        /// Why.
        source: std::io::Error,
    },
}

impl Client {
    /// Connects to the session of a name, within a time.
    ///
    /// # Errors
    /// [`ClientError`]
    pub fn connect(runtime_dir: &Path, name: &str, patience: Duration) -> Result<Self, ClientError> {
        let gone = || ClientError::Gone { name: name.to_owned() };
        let (directory, address) = socket(runtime_dir, name)?.ok_or_else(gone)?;
        let path = directory.path_of(&format!("{name}.socket"));
        // connect(2) waits where the queue of a session that takes no clients is full. The thread ends with the process then.
        let (send, connected) = mpsc::channel();
        thread::spawn(move || {
            // If nobody waits any more, the connection is closed.
            let _ = send.send(UnixStream::connect(address));
            drop(directory);
        });
        let silent = |_| ClientError::Silent { name: name.to_owned() };
        let stream =
            connected.recv_timeout(patience).map_err(silent)?.map_err(|source| match source.kind() {
                ErrorKind::NotFound => ClientError::NoSocket { name: name.to_owned(), path },
                ErrorKind::ConnectionRefused => gone(),
                _ => ClientError::Io { name: name.to_owned(), source },
            })?;
        Ok(Client { name: name.to_owned(), stream, input: Vec::new() })
    }

    /// Sends a request whose answer is not waited for here: [`Client::ended`] passes over it.
    ///
    /// # Errors
    /// [`ClientError`]
    pub fn send(&mut self, request: &Request, patience: Duration) -> Result<(), ClientError> {
        let failed = |source| ClientError::Io { name: self.name.clone(), source };
        let line = line(request).map_err(|error| failed(error.into()))?;
        self.stream.set_write_timeout(Some(patience)).map_err(failed)?;
        match self.stream.write_all(&line) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                Err(ClientError::Silent { name: self.name.clone() })
            }
            // What has come before it went says why; else that it has gone.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Sends a request, and waits for its answer for a time.
    ///
    /// # Errors
    /// [`ClientError`], of which [`ClientError::Refused`] is an answer.
    pub fn ask(&mut self, request: &Request, patience: Duration) -> Result<Answer, ClientError> {
        self.send(request, patience)?;
        match self.answer(Some(patience))? {
            Answer::Refused { why } => Err(ClientError::Refused { why }),
            answer => Ok(answer),
        }
    }

    /// Waits for the end of a session that was asked to end, or that this waits for. `None` if something else
    /// was said, or nothing within `patience`.
    ///
    /// # Errors
    /// [`ClientError`]
    pub fn ended(&mut self, patience: Option<Duration>) -> Result<Option<Ending>, ClientError> {
        match self.answer(patience) {
            Ok(Answer::Ended(ending)) => Ok(Some(ending)),
            // The answer to what was sent meanwhile.
            Ok(Answer::Done) => Ok(None),
            Ok(_) => Err(ClientError::Malformed { name: self.name.clone() }),
            Err(ClientError::Silent { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits for a snapshot that was begun, without end: `None` if something else was said.
    ///
    /// # Errors
    /// [`ClientError`]
    pub fn snapshot(&mut self) -> Result<Option<(Dump, Option<Duration>)>, ClientError> {
        match self.answer(None)? {
            Answer::Snapshot { dump, last } => Ok(Some((dump, last))),
            Answer::Refused { why } => Err(ClientError::Refused { why }),
            _ => Ok(None),
        }
    }

    /// Returns a descriptor that polls as readable when an answer comes.
    pub fn readable(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Waits for an answer, without end if `patience` is `None`.
    fn answer(&mut self, patience: Option<Duration>) -> Result<Answer, ClientError> {
        let until = patience.map(|patience| Instant::now() + patience);
        let name = || self.name.clone();
        loop {
            if let Some(end) = self.input.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.input.drain(..=end).collect();
                return parse(&line).map_err(|unusable| match unusable {
                    Unusable::Version(version) => ClientError::Version { name: name(), version },
                    Unusable::Malformed => ClientError::Malformed { name: name() },
                });
            }
            if self.input.len() > LONGEST_ANSWER {
                return Err(ClientError::Malformed { name: name() });
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Err(ClientError::Silent { name: name() });
            }
            let failed = |source| ClientError::Io { name: self.name.clone(), source };
            self.stream.set_read_timeout(left).map_err(failed)?;
            let mut chunk = [0; 4096];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(ClientError::Gone { name: name() }),
                Ok(length) => self.input.extend_from_slice(chunk.get(..length).unwrap_or_default()),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                    return Err(ClientError::Gone { name: name() });
                }
                Err(source) => return Err(failed(source)),
            }
        }
    }
}
