//! The directory that a build writes to.
//!
//! The files are written under other names first, and replace what was there when all are complete and nothing is in
//! their way. A build that fails before leaves every file as it was.

use std::fs::{File as Handle, OpenOptions, symlink_metadata};
use std::io::{self, Error, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_compiler::target::File;

use super::depfile;

/// The bits that the umask of the process is taken from, as with open(2) of any program.
const MODE: u32 = 0o666;
const MODE_OF_EXECUTABLE: u32 = 0o777;

/// Writes files into a directory, which is created if it does not exist, and a rule for make that names the texts and
/// the profile they were made from. The rule's file is named after the first file, so that sessions can share a
/// directory.
///
/// Each file is replaced atomically, and all of them without another build between: of two at the same time the last
/// one wins. A symbolic link is replaced, and not the file that it names.
pub(super) fn write(directory: &Path, files: &[File], inputs: &[PathBuf]) -> Result<(), Diagnostic> {
    let rule = files.first().map(|first| rule(directory, first, files, inputs)).transpose()?;
    for file in rule.iter().chain(files) {
        is_not_read(&directory.join(&file.name), inputs)?;
    }
    create(directory)?;
    // The rule comes first: if a later file cannot be replaced, make compares it with the new inputs.
    let written = rule.iter().chain(files).map(|file| Written::new(directory, file));
    let written = written.collect::<Result<_, _>>()?;
    // Of two builds at the same time the rule is that of the files: one replaces all of its files, then the other.
    let _locked = lock(directory)?;
    replace(written)
}

/// Refuses a file that is one of those that the artifacts were made from.
fn is_not_read(path: &Path, inputs: &[PathBuf]) -> Result<(), Diagnostic> {
    let Ok(file) = std::fs::canonicalize(path) else { return Ok(()) };
    match inputs.iter().any(|input| std::fs::canonicalize(input).is_ok_and(|input| input == file)) {
        true => Err(failed(path, "the artifacts are made from it").help("name another directory")),
        false => Ok(()),
    }
}

/// Returns the rule for make that belongs to the files of a directory; it is named after the first.
fn rule(directory: &Path, first: &File, files: &[File], inputs: &[PathBuf]) -> Result<File, Diagnostic> {
    let outputs: Vec<PathBuf> = files.iter().map(|file| directory.join(&file.name)).collect();
    let name = format!("{}.d", first.name);
    let content = depfile::rule(&outputs, inputs).map_err(|refused| {
        let reason = format!("make cannot read the name `{}`: {}", refused.name.display(), refused.why);
        failed(&directory.join(&name), &reason)
            .help("use another name, or `-o -`, which writes no rule for make")
    })?;
    Ok(File { name, content, executable: false })
}

/// Creates the directory if it does not exist.
fn create(directory: &Path) -> Result<(), Diagnostic> {
    std::fs::create_dir_all(directory).map_err(|error| match obstacle(directory) {
        Some(what) => failed(directory, &format!("{what}; `-o` names a directory")),
        None => failed(directory, &error.to_string()),
    })
}

/// Waits until no other build replaces files of a directory, and returns what keeps others from it until it is dropped;
/// `None` on a file system without locks.
fn lock(directory: &Path) -> Result<Option<Handle>, Diagnostic> {
    let locked = Handle::open(directory).and_then(|handle| handle.lock().map(|()| Some(handle)));
    locked.or_else(|error| match error.kind() {
        ErrorKind::Unsupported => Ok(None),
        _ => Err(failed(directory, &format!("it cannot be locked: {error}"))),
    })
}

/// Returns what prevents a directory, or the nearest existing path above it, from being one, as a clause.
fn obstacle(directory: &Path) -> Option<String> {
    let existing = directory.ancestors().find(|path| symlink_metadata(path).is_ok())?;
    let subject = match existing == directory {
        true => "it".to_owned(),
        false => format!("`{}`", existing.display()),
    };
    let what = match std::fs::metadata(existing) {
        Ok(found) if found.is_dir() => return None,
        Ok(found) if found.is_file() => "is a file".to_owned(),
        Ok(_) => "is not a directory".to_owned(),
        Err(error) => {
            let target = std::fs::read_link(existing).ok()?;
            let target = target.display();
            match error.kind() {
                ErrorKind::NotFound => format!("is a symbolic link to `{target}`, which does not exist"),
                _ => format!("is a symbolic link to `{target}`, which cannot be followed: {error}"),
            }
        }
    };
    Some(format!("{subject} {what}"))
}

/// A complete file that has another name still.
struct Written {
    path: PathBuf,
    file: NamedTempFile<Handle>,
}

impl Written {
    /// Writes a file, if it can replace what stands at its path.
    fn new(directory: &Path, file: &File) -> Result<Written, Diagnostic> {
        let path = directory.join(&file.name);
        replaceable(&path).map_err(|error| failed(&path, &error.to_string()))?;
        let mode = if file.executable { MODE_OF_EXECUTABLE } else { MODE };
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        // An error concerns the directory: the name is a free one.
        let mut written = tempfile::Builder::new()
            .prefix(".tracec")
            .make_in(directory, create)
            .map_err(|error| failed(directory, &format!("no file can be created in it: {error}")))?;
        // The handle's own errors do not name the temporary file.
        let content = written.as_file_mut().write_all(&file.content);
        content.map_err(|error| failed(&path, &error.to_string()))?;
        Ok(Written { path, file: written })
    }
}

/// Returns an error if a file cannot replace what stands at its path.
fn replaceable(path: &Path) -> io::Result<()> {
    match symlink_metadata(path) {
        Ok(found) if found.is_file() || found.is_symlink() => Ok(()),
        Ok(found) if found.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "it is a directory")),
        Ok(_) => Err(Error::other("it is not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Gives all files their names. What fails here is an error of the file system, and the error names the files that were
/// replaced before it.
fn replace(files: Vec<Written>) -> Result<(), Diagnostic> {
    let mut replaced: Vec<String> = Vec::new();
    for Written { path, file } in files {
        if let Err(error) = file.persist(&path) {
            let error = error.error;
            let reason = match replaced.as_slice() {
                [] => error.to_string(),
                replaced => format!("{error}; replaced before it: {}", replaced.join(", ")),
            };
            return Err(failed(&path, &reason));
        }
        replaced.push(path.display().to_string());
    }
    Ok(())
}

fn failed(path: &Path, reason: &str) -> Diagnostic {
    output_failed(None, &path.display().to_string(), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> File {
        File { name: name.to_owned(), content: b"new".to_vec(), executable: false }
    }

    #[test]
    fn error_while_files_are_renamed_names_those_replaced_before() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let written = ["a", "b"].map(|name| Written::new(directory.path(), &file(name)).unwrap());
        // Another program is faster.
        std::fs::create_dir(at("b")).unwrap();
        let failed = replace(written.into()).unwrap_err();
        let [a, b] = ["a", "b"].map(|name| at(name).display().to_string());
        let message = format!("cannot write {b}: Is a directory (os error 21); replaced before it: {a}");
        assert_eq!(failed.message, message);
        assert_eq!(std::fs::read(at("a")).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
