//! Replaces the contents of a user's file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode, OFlags, Stat, Uid};

/// The number of names that are tried for the new file.
const ATTEMPTS: u32 = 100;

/// Replaces a file that contains `old` by one that contains `new`: at every moment the file has one content or the
/// other, also after a crash. Its mode and its owner stay.
///
/// A file with several names (hard links) is written in place instead, so that all of them have the new content. While
/// that lasts, a copy of the old content is beside it.
///
/// A symbolic link is followed once, to the file that it names now. After that no link is followed, and everything is
/// done in the directory that was opened, so that a program that renames files meanwhile cannot redirect the write to
/// another file.
///
/// # Errors
/// The file is not a regular one, no longer contains `old`, or cannot be replaced. Then it is unchanged.
pub(crate) fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<()> {
    let path = std::fs::canonicalize(path)?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::new(ErrorKind::InvalidInput, "not a file"));
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = rustix::fs::openat(CWD, parent, flags, Mode::empty())?;
    let stat = unchanged(&directory, name, old)?;
    let (temporary, file) = create(&directory, name)?;
    if stat.st_nlink > 1 {
        return overwrite((&directory, name), (&temporary, file), (old, new), &stat);
    }
    let written = fill(file, new, &stat).and_then(|()| {
        // A program that replaced the file meanwhile must not lose its changes.
        let now = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if identity(&now) == identity(&stat) { Ok(()) } else { Err(changed()) }
    });
    let renamed =
        written.and_then(|()| Ok(rustix::fs::renameat(&directory, temporary.as_str(), &directory, name)?));
    if renamed.is_err() {
        // The first error is returned; an error of the removal would hide it.
        let _ = rustix::fs::unlinkat(&directory, temporary.as_str(), AtFlags::empty());
    }
    renamed
}

/// Returns the values that identify a file and its contents.
fn identity(stat: &Stat) -> impl PartialEq {
    (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec)
}

fn changed() -> Error {
    Error::other("it was changed meanwhile; nothing was written")
}

/// Returns the file's status if it is a regular file that still contains `old`.
fn unchanged(directory: &OwnedFd, name: &OsStr, old: &[u8]) -> Result<Stat> {
    // Without NONBLOCK the opening of a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(directory, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut content = Vec::new();
    File::from(file).take(old.len() as u64 + 1).read_to_end(&mut content)?;
    if content == old { Ok(stat) } else { Err(changed()) }
}

/// Creates a new file beside the old one, which no other user can open yet.
fn create(directory: &OwnedFd, name: &OsStr) -> Result<(String, File)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let process = std::process::id();
    let stem: String = name.to_string_lossy().chars().take(40).collect();
    for attempt in 0..ATTEMPTS {
        let temporary = format!(".{stem}.tracec-{process}-{attempt}");
        match rustix::fs::openat(directory, temporary.as_str(), flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => return Ok((temporary, File::from(file))),
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::new(ErrorKind::AlreadyExists, "no name is free for the new file"))
}

/// Writes the new content into the file itself. `copy` has the old content meanwhile, and stays if the write fails.
fn overwrite(
    (directory, name): (&OwnedFd, &OsStr),
    (copy, file): (&str, File),
    (old, new): (&[u8], &[u8]),
    stat: &Stat,
) -> Result<()> {
    let opened = fill(file, old, stat).and_then(|()| {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(directory, name, flags, Mode::empty())?;
        let is_same = identity(&rustix::fs::fstat(&file)?) == identity(stat);
        if is_same { Ok(File::from(file)) } else { Err(changed()) }
    });
    let remove = || rustix::fs::unlinkat(directory, copy, AtFlags::empty());
    let mut file = opened.inspect_err(|_| {
        // The first error is returned; an error of the removal would hide it.
        let _ = remove();
    })?;
    file.write_all(new)
        .and_then(|()| file.set_len(new.len() as u64))
        .and_then(|()| file.sync_all())
        .map_err(|error| Error::new(error.kind(), format!("{error}; `{copy}` beside it has the old text")))?;
    Ok(remove()?)
}

/// Writes the contents, and then sets the owner and mode of the old file.
fn fill(mut file: File, content: &[u8], like: &Stat) -> Result<()> {
    file.write_all(content)?;
    let own = rustix::fs::fstat(&file)?;
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid) {
        let (owner, group) = (Uid::from_raw(like.st_uid), Gid::from_raw(like.st_gid));
        rustix::fs::fchown(&file, Some(owner), Some(group))?;
    }
    // The mode is set after the owner, whose change clears the set-user-id bits.
    rustix::fs::fchmod(&file, Mode::from_raw_mode(like.st_mode))?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn directory() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("a.trc");
        std::fs::write(&file, "old").expect("written");
        (dir, file)
    }

    /// Returns the names in the directory, sorted.
    fn names(dir: &tempfile::TempDir) -> Vec<String> {
        let entries = std::fs::read_dir(dir.path()).expect("readable");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    #[test]
    fn mode_and_owner_stay_and_no_temporary_file_is_left() {
        let (dir, file) = directory();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o754)).expect("own file");
        let before = std::fs::metadata(&file).expect("there");
        replace(&file, b"old", b"new").expect("replaced");
        let after = std::fs::metadata(&file).expect("there");
        assert_eq!(std::fs::read(&file).expect("readable"), b"new");
        assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "a new file in the old one's place");
        assert_eq!(names(&dir), ["a.trc"]);
    }

    #[test]
    fn link_stays_and_its_file_is_replaced() {
        let (dir, file) = directory();
        let link = dir.path().join("link.trc");
        symlink("a.trc", &link).expect("a link");
        replace(&link, b"old", b"new").expect("replaced");
        assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(std::fs::read(&file).expect("readable"), b"new");
        assert_eq!(names(&dir), ["a.trc", "link.trc"]);
    }

    #[test]
    fn all_names_of_a_file_have_the_new_text() {
        for new in ["x", "longer than before"] {
            let (dir, file) = directory();
            let other = dir.path().join("other.trc");
            std::fs::hard_link(&file, &other).expect("a hard link");
            let before = std::fs::metadata(&file).expect("there");
            replace(&file, b"old", new.as_bytes()).expect("written");
            let after = std::fs::metadata(&file).expect("there");
            assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
            for name in [&file, &other] {
                assert_eq!(std::fs::read_to_string(name).expect("readable"), new);
            }
            assert_eq!(names(&dir), ["a.trc", "other.trc"]);
        }
    }

    #[test]
    fn file_changed_meanwhile_is_not_replaced() {
        let (dir, file) = directory();
        for content in ["other", "ol", "older", ""] {
            std::fs::write(&file, content).expect("written");
            let error = replace(&file, b"old", b"new").expect_err("refused");
            assert!(error.to_string().contains("changed meanwhile"), "{error}");
            assert_eq!(std::fs::read_to_string(&file).expect("readable"), content);
        }
        assert_eq!(names(&dir), ["a.trc"]);
    }

    #[test]
    fn directory_device_and_missing_file_are_not_replaced() {
        let (dir, _) = directory();
        replace(dir.path(), b"", b"new").expect_err("a directory");
        replace(Path::new("/dev/null"), b"", b"new").expect_err("a device");
        replace(&dir.path().join("missing"), b"", b"new").expect_err("nothing");
        assert_eq!(names(&dir), ["a.trc"]);
    }
}
