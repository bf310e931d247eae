//! The user as whom the command of a session runs.
//!
//! The unsafe code asks the C library for users and groups, and changes the identity of a process between fork and exec.

use std::ffi::{CStr, CString, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::ptr::null_mut;

/// The sizes of the buffer for the strings of a user, and of the list of groups, that are tried.
const LEAST: usize = 1 << 10;
const MOST: usize = 1 << 20;

/// A user of this system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    uid: libc::uid_t,
    gid: libc::gid_t,
    /// All its groups.
    groups: Vec<libc::gid_t>,
    home: OsString,
}

impl User {
    /// Finds a user by name; `None` if there is none.
    ///
    /// # Errors
    /// The database of users cannot be read.
    pub fn named(name: &str) -> io::Result<Option<User>> {
        let name = CString::new(name).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut size = LEAST;
        loop {
            let mut strings = vec![0; size];
            // SAFETY: all zeros is a valid `passwd`: its pointers are null.
            let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
            let mut found = null_mut();
            // SAFETY: the function writes the entry, and its strings into the buffer of the size given; all live across the call.
            let error = unsafe {
                libc::getpwnam_r(name.as_ptr(), &raw mut entry, strings.as_mut_ptr(), size, &raw mut found)
            };
            match error {
                0 if found.is_null() => return Ok(None),
                // The system has no such entry, or no database (getpwnam(3)).
                libc::ENOENT | libc::ESRCH => return Ok(None),
                0 => {}
                libc::ERANGE if size < MOST => {
                    size *= 2;
                    continue;
                }
                error => return Err(io::Error::from_raw_os_error(error)),
            }
            let home = match entry.pw_dir.is_null() {
                true => Vec::new(),
                // SAFETY: the directory is a string in the buffer, which still lives.
                false => unsafe { CStr::from_ptr(entry.pw_dir) }.to_bytes().to_vec(),
            };
            let groups = groups(&name, entry.pw_gid)?;
            return Ok(Some(User {
                uid: entry.pw_uid,
                gid: entry.pw_gid,
                groups,
                home: OsString::from_vec(home),
            }));
        }
    }

    /// Returns its home directory.
    pub(super) fn home(&self) -> &OsString {
        &self.home
    }

    /// Makes the calling process one of this user. Called between fork and exec: it makes system calls only.
    pub(super) fn become_it(&self) -> io::Result<()> {
        // SAFETY: the list has the length given. In a forked child there are no other threads, whose identity the C
        // library would change too.
        let results = unsafe {
            [
                libc::setgroups(self.groups.len(), self.groups.as_ptr()),
                libc::setgid(self.gid),
                libc::setuid(self.uid),
            ]
        };
        if results == [0; 3] { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Returns all groups of a user.
fn groups(name: &CStr, gid: libc::gid_t) -> io::Result<Vec<libc::gid_t>> {
    let mut size = 32;
    while size <= MOST {
        let mut groups = vec![0; size];
        let mut count = libc::c_int::try_from(size).unwrap_or(libc::c_int::MAX);
        // SAFETY: the function writes at most `count` groups, for which there is room, and then their number.
        let result = unsafe { libc::getgrouplist(name.as_ptr(), gid, groups.as_mut_ptr(), &raw mut count) };
        if result >= 0 {
            groups.truncate(usize::try_from(count).unwrap_or(0));
            return Ok(groups);
        }
        size *= 2;
    }
    Err(io::Error::other("it has too many groups"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_found_and_nobody_else_by_its_name() {
        let root = User::named("root").unwrap().unwrap();
        assert_eq!((root.uid, root.gid, root.home.to_str()), (0, 0, Some("/root")));
        assert!(root.groups.contains(&0));
        assert_eq!(User::named("no-such-user").unwrap(), None);
        assert!(User::named("a\0b").is_err());
    }
}
