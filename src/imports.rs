//! Imported files, read relative to the file that imports them.
//!
//! A session is often run as root, and its author may be another user. So that a text cannot make tracec open devices
//! or show other files, imports are `.trc` files below the project, or below a directory that the user names.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use tracec_compiler::source::ImportError;
use tracec_compiler::{Imports, SourceText};

use crate::read;

/// The name that marks the root of a project.
const PROJECT: &str = ".git";

/// The files that a text may import.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// The directory of the main text; for one that is not a file, the current directory.
    directory: PathBuf,
    /// The directories of `--import-path`.
    others: Vec<PathBuf>,
}

impl Files {
    /// Creates the files beside a text, and those below other directories.
    pub(crate) fn beside(main: &str, others: &[PathBuf]) -> Self {
        let directory = Path::new(main).parent().filter(|parent| !parent.as_os_str().is_empty());
        Files { directory: directory.unwrap_or(Path::new(".")).to_owned(), others: others.to_owned() }
    }

    /// Returns the nearest directory above the main text that is a project, or else the directory of the text.
    fn project(&self) -> io::Result<PathBuf> {
        let own = self.directory.canonicalize()?;
        let project = own.ancestors().find(|directory| directory.join(PROJECT).exists());
        Ok(project.unwrap_or(&own).to_owned())
    }

    /// Returns an error if a file may not be imported.
    fn check(&self, file: &Path) -> Result<(), ImportError> {
        // First, since no option makes a text of it.
        if file.extension().is_none_or(|ending| ending != "trc") {
            let name = file.file_name().unwrap_or_default().display();
            let other = ImportError::new(format!("`{name}` is not a `.trc` file"));
            return Err(other.help("import a file whose name ends in `.trc`"));
        }
        let project = self.project().map_err(|error| ImportError::new(error.to_string()))?;
        // A directory that does not exist any more has no files.
        let mut others = self.others.iter().filter_map(|other| other.canonicalize().ok());
        if !file.starts_with(&project) && !others.any(|other| file.starts_with(other)) {
            let parent = file.parent().unwrap_or(file).display();
            let outside = format!("it is outside of the project, `{}`", project.display());
            let help = format!("with `--import-path {parent}` files below that directory are imported too");
            return Err(ImportError::new(outside).help(help));
        }
        Ok(())
    }
}

impl Imports for Files {
    fn read(&self, from: &str, path: &str) -> Result<SourceText, ImportError> {
        let name = beside(from, path);
        let failed = |error: io::Error| ImportError::new(error.to_string());
        let file = Path::new(&name).canonicalize().map_err(failed)?;
        self.check(&file)?;
        let bytes = regular(&file).and_then(read::limited).map_err(failed)?;
        let text = tracec_grammar::decode(&bytes).map_err(|error| ImportError::new(error.to_string()))?;
        Ok(SourceText { name, text: text.to_owned(), one_liner: false })
    }
}

/// Opens a regular file. Others are not opened: that could wait for a writer, or act on a device.
fn regular(path: &Path) -> io::Result<File> {
    let check = |mode: u32| match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Ok(()),
        other => Err(io::Error::other(format!("it is {}, not a regular file", described(other)))),
    };
    check(rustix::fs::lstat(path)?.st_mode)?;
    // Another program may have replaced it since then.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    check(rustix::fs::fstat(&file)?.st_mode)?;
    Ok(File::from(file))
}

fn described(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a directory",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Symlink => "a symbolic link",
        FileType::RegularFile | FileType::Unknown => "of another kind",
    }
}

/// Returns a path relative to the directory of a file in normal form, so that a file has one name.
fn beside(from: &str, path: &str) -> String {
    let directory = Path::new(from).parent().unwrap_or(Path::new(""));
    normal(&directory.join(path)).to_string_lossy().into_owned()
}

/// Returns a path in normal form.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // After a symbolic link, `a/..` is not the parent of `a`, but a reader of the text expects that it is.
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn import_is_relative_to_the_file_that_names_it() {
        for (from, path, expected) in [
            ("a.trc", "b.trc", "b.trc"),
            ("dir/a.trc", "b.trc", "dir/b.trc"),
            ("dir/a.trc", "../b.trc", "b.trc"),
            ("dir/a.trc", "./x/../b.trc", "dir/b.trc"),
            ("/etc/a.trc", "/usr/b.trc", "/usr/b.trc"),
            ("a.trc", "../b.trc", "../b.trc"),
            ("../../a.trc", "../b.trc", "../../../b.trc"),
            ("-", "b.trc", "b.trc"),
        ] {
            assert_eq!(beside(from, path), expected, "{path} from {from}");
        }
    }
}
