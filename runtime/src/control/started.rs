//! The directory of started sessions, `RUNTIME_DIR/started/`: a card and a socket for each.
//!
//! The card is locked while its session runs. One that is not locked and has no result belongs to a supervisor that was
//! killed. The result of a session that ended while nobody waited for it stays in the card until somebody asks.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fd::AsRawFd;
use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use tracec_kernel::plan::InstanceName;

use super::protocol::{Ending, VERSION};
use crate::errno::errno_of;
use crate::journal::{DEFAULT_RUNTIME_DIR, JournalDirectory, JournalFileError, make, remove_if_empty};

/// The name of the directory.
const DIRECTORY: &str = "started";
const CARD: &str = "session";
const SOCKET: &str = "socket";
/// The greatest length of a card in bytes.
const LONGEST: u64 = 1 << 20;
/// The number of attempts to create a card while other sessions remove the directory each time.
const ATTEMPTS: usize = 8;
/// The number of attempts to lock a card, and the wait between two: a reader locks it for a moment.
const LOCKS: usize = 40;
const LOCK_WAIT: Duration = Duration::from_millis(5);

/// What is known of a started session without asking it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// The version of the control protocol that it speaks.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// The id of its supervisor.
    pub pid: u32,
    /// Its instance; `None` if programs record all of it.
    pub instance: Option<String>,
    /// The file with its records; `None` if it writes nothing besides its dumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// Whether it reads its records at the end, from a ring.
    pub is_ring: bool,
    /// Whether it writes one file after the other, whose names are made of that of the output.
    pub is_rotated: bool,
}

/// A session of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its supervisor runs.
    Running(Card),
    /// Its supervisor was killed.
    Dead(Card),
    /// It has ended.
    Ended(Card, Ending),
    /// It is about to begin.
    Beginning,
    /// Its card cannot be read.
    Unreadable(String),
}

/// The reason why a session cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The name is not one for a file.
    #[error("`{}` cannot name a started session: use `--name` with 1 to 64 of `A-Z a-z 0-9 . _ -`", .name.escape_debug())]
    Name {
        /// The name.
        name: String,
    },
    /// A session of this name runs.
    #[error("a session `{name}` was started and still runs{}: `tracec stop {name}` ends it, `--name` gives this one another name", pid.map_or(String::new(), |pid| format!(" (pid {pid})")))]
    Taken {
        /// The name.
        name: String,
        /// The id of its supervisor, if its card says so.
        pid: Option<u32>,
    },
    /// The supervisor of the last session of this name was killed.
    #[error("the supervisor of the session `{name}` was killed: `tracec recover` puts back what it left")]
    Dead {
        /// The name.
        name: String,
    },
    /// The directory cannot be used.
    #[error("{0}")]
    Directory(#[from] JournalFileError),
    /// A system call failed.
    #[error("{}: {errno}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error number.
        errno: Errno,
    },
}

/// The locked card of a session of this process.
#[derive(Debug)]
pub(super) struct OwnCard {
    directory: JournalDirectory,
    runtime_dir: PathBuf,
    /// Whether the runtime directory is to be removed if it is empty.
    made_runtime_dir: bool,
    name: String,
    file: File,
}

impl OwnCard {
    /// Creates and locks the card of a session.
    pub(super) fn create(runtime_dir: &Path, card: &Card) -> Result<Self, StartError> {
        let name = InstanceName::new(&card.name).map_err(|_| StartError::Name { name: card.name.clone() })?;
        let (mut made, mut last) = (runtime_dir == Path::new(DEFAULT_RUNTIME_DIR), Errno::AGAIN);
        let path = runtime_dir.join(DIRECTORY);
        for _ in 0..ATTEMPTS {
            made |= make(runtime_dir)?;
            // Only a directory that nobody else can write to is used.
            let opened = JournalDirectory::open(runtime_dir).and_then(|_| {
                make(&path)?;
                JournalDirectory::open(&path)
            });
            let directory = match opened {
                // Another session that has ended has just removed it.
                Err(JournalFileError::Io { errno: Errno::NOENT, .. }) => {
                    last = Errno::NOENT;
                    continue;
                }
                opened => opened?,
            };
            match take(&directory, name.as_str()) {
                Err(Taken::Again(errno)) => last = errno,
                Err(Taken::Never(error)) => return Err(error),
                Ok(file) => {
                    let runtime_dir = runtime_dir.to_owned();
                    let name = name.as_str().to_owned();
                    let mut own = OwnCard { directory, runtime_dir, made_runtime_dir: made, name, file };
                    return match own.append(card) {
                        Ok(()) => Ok(own),
                        Err(errno) => {
                            let path = own.directory.path_of(&own.card());
                            // The first error is returned; an error of the removal would hide it.
                            let _ = own.remove();
                            Err(StartError::Io { path, errno })
                        }
                    };
                }
            }
        }
        Err(StartError::Io { path, errno: last })
    }

    /// Returns a short path of its socket, which the address of a socket has room for.
    pub(super) fn socket_address(&self) -> String {
        format!("/proc/self/fd/{}/{}.{SOCKET}", self.directory.fd().as_raw_fd(), self.name)
    }

    /// Returns the path of its socket, for messages.
    pub(super) fn socket_path(&self) -> PathBuf {
        self.directory.path_of(&format!("{}.{SOCKET}", self.name))
    }

    /// Removes the socket, if it exists.
    pub(super) fn remove_socket(&self) -> Result<(), Errno> {
        unlink(&self.directory, &format!("{}.{SOCKET}", self.name))
    }

    /// Keeps the result of the session. It is unlocked when this is dropped.
    pub(super) fn keep(&mut self, ending: &Ending) -> Result<(), Errno> {
        self.append(ending)
    }

    /// Removes all that belongs to the session.
    pub(super) fn remove(&self) -> Result<(), Errno> {
        self.remove_socket()?;
        unlink(&self.directory, &self.card())?;
        remove_if_empty(&self.runtime_dir.join(DIRECTORY))?;
        if self.made_runtime_dir { remove_if_empty(&self.runtime_dir) } else { Ok(()) }
    }

    fn card(&self) -> String {
        format!("{}.{CARD}", self.name)
    }

    fn append<T: Serialize>(&mut self, value: &T) -> Result<(), Errno> {
        let mut line = serde_json::to_vec(value).map_err(|_| Errno::INVAL)?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|error| errno_of(&error))
    }
}

/// The reason why a card could not be taken.
enum Taken {
    /// The directory or the file has just been removed.
    Again(Errno),
    Never(StartError),
}

/// Creates or takes over the card of a name, and locks it.
fn take(directory: &JournalDirectory, name: &str) -> Result<File, Taken> {
    let card = format!("{name}.{CARD}");
    let failed = |errno| Taken::Never(StartError::Io { path: directory.path_of(&card), errno });
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match open_at(directory, &card, flags) {
        Err(Errno::NOENT) => return Err(Taken::Again(Errno::NOENT)),
        opened => opened.map_err(failed)?,
    };
    let mut attempt = 0;
    while let Err(errno) = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        attempt += 1;
        if errno != Errno::WOULDBLOCK || attempt == LOCKS {
            let pid =
                read(&file).ok().and_then(|text| contents(&text).ok()).and_then(|(card, _)| Some(card?.pid));
            return Err(match errno {
                Errno::WOULDBLOCK => Taken::Never(StartError::Taken { name: name.to_owned(), pid }),
                errno => failed(errno),
            });
        }
        sleep(LOCK_WAIT);
    }
    if rustix::fs::fstat(&file).map_err(failed)?.st_nlink == 0 {
        return Err(Taken::Again(Errno::NOENT));
    }
    let text = read(&file).map_err(failed)?;
    match contents(&text) {
        Ok((Some(_), None)) => return Err(Taken::Never(StartError::Dead { name: name.to_owned() })),
        // A result that nobody has asked for, a session that was killed before it had a card, or no card at all.
        Ok(_) | Err(_) => rustix::fs::ftruncate(&file, 0).map_err(failed)?,
    }
    // The socket of a session whose supervisor was killed.
    unlink(directory, &format!("{name}.{SOCKET}")).map_err(failed)?;
    Ok(file)
}

/// Returns the sessions of a runtime directory, by their names.
///
/// # Errors
/// The directory cannot be read, or others can write to it.
pub fn list(runtime_dir: &Path) -> Result<Vec<(String, Found)>, JournalFileError> {
    let Some(directory) = open(runtime_dir)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in names(&directory, runtime_dir)? {
        if let Some(state) = look(&directory, &name) {
            found.push((name, state));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

/// Returns the result of a session that ended while nobody waited for it, and forgets it; `None` if there is none.
///
/// # Errors
/// The directory or the card cannot be used.
pub fn take_result(runtime_dir: &Path, name: &str) -> Result<Option<Ending>, JournalFileError> {
    let Some(directory) = open(runtime_dir)? else { return Ok(None) };
    let wanted = |found: Found| if let Found::Ended(_, ending) = found { Some(ending) } else { None };
    forget_if(&directory, runtime_dir, name, wanted)
}

/// Removes the cards of supervisors that were killed, and returns their names and paths. What such a session has changed is
/// in its journal.
///
/// # Errors
/// The directory or a card cannot be used.
pub fn remove_dead(runtime_dir: &Path) -> Result<Vec<PathBuf>, JournalFileError> {
    let Some(directory) = open(runtime_dir)? else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for name in names(&directory, runtime_dir)? {
        let wanted = |found: Found| matches!(found, Found::Dead(_)).then_some(());
        if forget_if(&directory, runtime_dir, &name, wanted)?.is_some() {
            removed.push(directory.path_of(&format!("{name}.{CARD}")));
        }
    }
    Ok(removed)
}

/// Opens the socket's directory of a session, for a client: the directory and the short path of the socket.
pub(super) fn socket(
    runtime_dir: &Path,
    name: &str,
) -> Result<Option<(JournalDirectory, String)>, JournalFileError> {
    let Some(directory) = open(runtime_dir)? else { return Ok(None) };
    let address = format!("/proc/self/fd/{}/{name}.{SOCKET}", directory.fd().as_raw_fd());
    Ok(Some((directory, address)))
}

/// Removes what belongs to a session that does not run, if it is wanted. It is locked meanwhile: another session of its name
/// may begin at the same time.
fn forget_if<T>(
    directory: &JournalDirectory,
    runtime_dir: &Path,
    name: &str,
    wanted: impl Fn(Found) -> Option<T>,
) -> Result<Option<T>, JournalFileError> {
    let card = format!("{name}.{CARD}");
    let failed = |errno| JournalFileError::Io { path: directory.path_of(&card), errno };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match open_at(directory, &card, flags) {
        Err(Errno::NOENT) => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => return Ok(None),
        locked => locked.map_err(failed)?,
    }
    let Some(of) = state(&file, Ok(())).and_then(wanted) else { return Ok(None) };
    for file in [format!("{name}.{SOCKET}"), card.clone()] {
        unlink(directory, &file)
            .map_err(|errno| JournalFileError::Io { path: directory.path_of(&file), errno })?;
    }
    drop(file);
    let path = runtime_dir.join(DIRECTORY);
    remove_if_empty(&path).map_err(|errno| JournalFileError::Io { path, errno })?;
    if runtime_dir == Path::new(DEFAULT_RUNTIME_DIR) {
        remove_if_empty(runtime_dir)
            .map_err(|errno| JournalFileError::Io { path: runtime_dir.to_owned(), errno })?;
    }
    Ok(Some(of))
}

/// Opens the directory; `None` if there is none.
fn open(runtime_dir: &Path) -> Result<Option<JournalDirectory>, JournalFileError> {
    let opened = JournalDirectory::open(runtime_dir)
        .and_then(|_| JournalDirectory::open(&runtime_dir.join(DIRECTORY)));
    match opened {
        Err(JournalFileError::Io { errno: Errno::NOENT, .. }) => Ok(None),
        opened => opened.map(Some),
    }
}

fn names(directory: &JournalDirectory, runtime_dir: &Path) -> Result<Vec<String>, JournalFileError> {
    let failed = |errno| JournalFileError::Io { path: runtime_dir.join(DIRECTORY), errno };
    let mut names = Vec::new();
    for entry in Dir::read_from(directory.fd()).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name =
            entry.file_name().to_str().ok().and_then(|name| name.strip_suffix(CARD)?.strip_suffix('.'));
        names.extend(name.map(str::to_owned));
    }
    Ok(names)
}

/// Looks at a card; `None` if there is none.
fn look(directory: &JournalDirectory, name: &str) -> Option<Found> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match open_at(directory, &format!("{name}.{CARD}"), flags) {
        Err(Errno::NOENT) => return None,
        Err(errno) => return Some(Found::Unreadable(errno.to_string())),
        Ok(file) => file,
    };
    // Locked for a moment only: a session that begins tries again.
    let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared);
    state(&file, locked)
}

/// Returns what a card says, and the attempt to lock it; `None` if it has been removed.
fn state(file: &File, locked: Result<(), Errno>) -> Option<Found> {
    if rustix::fs::fstat(file).is_ok_and(|stat| stat.st_nlink == 0) {
        return None;
    }
    Some(match (locked, read(file).map(|text| contents(&text))) {
        (_, Err(errno)) => Found::Unreadable(errno.to_string()),
        (_, Ok(Err(why))) => Found::Unreadable(why),
        (Err(Errno::WOULDBLOCK), Ok(Ok((Some(card), _)))) => Found::Running(card),
        (Err(Errno::WOULDBLOCK), Ok(Ok((None, _)))) => Found::Beginning,
        (Err(errno), _) => Found::Unreadable(errno.to_string()),
        (Ok(()), Ok(Ok((Some(card), Some(ending))))) => Found::Ended(card, ending),
        (Ok(()), Ok(Ok((Some(card), None)))) => Found::Dead(card),
        (Ok(()), Ok(Ok((None, _)))) => Found::Beginning,
    })
}

/// Reads a card from its beginning.
fn read(file: &File) -> Result<String, Errno> {
    let mut text = String::new();
    let failed = |error: std::io::Error| errno_of(&error);
    let mut file = file;
    std::io::Seek::rewind(&mut file).map_err(failed)?;
    file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Returns the card and the result that a file has. A last line without a newline was cut off by a kill.
fn contents(text: &str) -> Result<(Option<Card>, Option<Ending>), String> {
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let Some(first) = lines.next() else { return Ok((None, None)) };
    let card: Card = serde_json::from_str(first).map_err(|error| error.to_string())?;
    if card.version != VERSION {
        return Err(format!("it is of version {} of the control protocol, this is {VERSION}", card.version));
    }
    let ending = lines.next().map(serde_json::from_str).transpose().map_err(|error| error.to_string())?;
    Ok((Some(card), ending))
}

fn open_at(directory: &JournalDirectory, file: &str, flags: OFlags) -> Result<File, Errno> {
    #[expect(clippy::disallowed_methods, reason = "cards are files below /run")]
    rustix::fs::openat(directory.fd(), file, flags, Mode::RUSR | Mode::WUSR).map(File::from)
}

fn unlink(directory: &JournalDirectory, file: &str) -> Result<(), Errno> {
    #[expect(clippy::disallowed_methods, reason = "cards and sockets are files below /run")]
    match rustix::fs::unlinkat(directory.fd(), file, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        unlinked => unlinked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(name: &str) -> Card {
        let output = Some("/tmp/x.txt".into());
        Card {
            version: VERSION,
            name: name.to_owned(),
            pid: 7,
            instance: None,
            output,
            is_ring: false,
            is_rotated: false,
        }
    }

    fn directory() -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        (parent, path)
    }

    #[test]
    fn name_belongs_to_one_session_at_a_time() {
        let (_parent, run) = directory();
        assert_eq!(list(&run).unwrap(), []);
        let own = OwnCard::create(&run, &card("a")).unwrap();
        assert_eq!(list(&run).unwrap(), [("a".to_owned(), Found::Running(card("a")))]);
        let taken = StartError::Taken { name: "a".to_owned(), pid: Some(7) };
        assert_eq!(OwnCard::create(&run, &card("a")).unwrap_err(), taken);
        let other = OwnCard::create(&run, &card("b")).unwrap();
        other.remove().unwrap();
        own.remove().unwrap();
        assert!(!run.exists(), "it was made for them");
    }

    #[test]
    fn card_without_a_lock_is_that_of_a_killed_supervisor() {
        let (_parent, run) = directory();
        drop(OwnCard::create(&run, &card("a")).unwrap());
        assert_eq!(list(&run).unwrap(), [("a".to_owned(), Found::Dead(card("a")))]);
        assert_eq!(OwnCard::create(&run, &card("a")).unwrap_err(), StartError::Dead { name: "a".to_owned() });
        assert_eq!(take_result(&run, "a").unwrap(), None);
        assert_eq!(remove_dead(&run).unwrap(), [run.join("started/a.session")]);
        assert_eq!(list(&run).unwrap(), []);
    }

    #[test]
    fn result_stays_until_somebody_asks_or_the_name_is_used_again() {
        let (_parent, run) = directory();
        let ending = Ending { text: "a: 1 record\n".to_owned(), status: 3 };
        for asks in [true, false] {
            let mut own = OwnCard::create(&run, &card("a")).unwrap();
            own.keep(&ending).unwrap();
            drop(own);
            assert_eq!(list(&run).unwrap(), [("a".to_owned(), Found::Ended(card("a"), ending.clone()))]);
            assert_eq!(remove_dead(&run).unwrap(), Vec::<PathBuf>::new());
            if asks {
                assert_eq!(take_result(&run, "a").unwrap(), Some(ending.clone()));
                assert_eq!(list(&run).unwrap(), []);
            }
        }
        OwnCard::create(&run, &card("a")).unwrap().remove().unwrap();
    }

    #[test]
    fn card_that_is_no_card_is_said() {
        let (_parent, run) = directory();
        let own = OwnCard::create(&run, &card("a")).unwrap();
        std::fs::write(run.join("started/b.session"), "{}\n").unwrap();
        std::fs::write(run.join("started/c.session"), r#"{"version":1,"na"#).unwrap();
        let found = list(&run).unwrap();
        assert!(matches!(&found[..], [_, (_, Found::Unreadable(_)), (_, Found::Beginning)]), "{found:?}");
        let name = StartError::Name { name: "../a".to_owned() };
        assert_eq!(OwnCard::create(&run, &card("../a")).unwrap_err(), name);
        own.remove().unwrap();
    }
}
