//! The state of one path in a snapshot.

use std::fmt;

use rustix::fs::{FileType, Stat};

/// The state of one file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) kind: Kind,
    /// The permission bits.
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) contents: Contents,
}

/// The kind of object at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    /// A link, pipe, socket or device.
    Other,
    /// A line of /proc/self/mounts instead of a file.
    Mount,
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Contents {
    /// Not read: not a file, a file without read permission for anybody, or one in the table of volatile files.
    Unread,
    /// All its bytes.
    Bytes(Vec<u8>),
    /// The kernel refused to open or read it, with this error number.
    Refused(i32),
}

impl State {
    /// Returns the state in a `stat`, without contents.
    pub(super) fn of(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            _ => Kind::Other,
        };
        let mode = stat.st_mode & 0o7777;
        Self { kind, mode, uid: stat.st_uid, gid: stat.st_gid, contents: Contents::Unread }
    }

    /// Returns the mount whose other words in /proc/self/mounts are `rest`.
    pub(super) fn mount(rest: &[u8]) -> Self {
        Self { kind: Kind::Mount, mode: 0, uid: 0, gid: 0, contents: Contents::Bytes(rest.to_vec()) }
    }
}

impl Kind {
    const ALL: [Self; 4] = [Self::File, Self::Directory, Self::Other, Self::Mount];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Other => "special",
            Self::Mount => "mount",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

/// Prints everything except the contents.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:04o} {}:{}", self.kind.name(), self.mode, self.uid, self.gid)
    }
}
