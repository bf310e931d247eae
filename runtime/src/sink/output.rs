//! The outputs of a session.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::FileType;
use rustix::io::Errno;
use tracec_kernel::plan;

use super::open_file::open_file;
use super::outlet::Outlet;
use super::progress::Progress;
use super::rotation::{FileCounts, Files, numbered};
use super::{Event, Form, Sink, Timestamps, UnknownForm};
use crate::failure::{Failure, Residue};

/// The destination of a session's records.
pub enum Output {
    /// Standard output.
    Stdout(&'static Form),
    /// A file. It is created with mode 0644, or emptied once the session has been applied. If the session fails before
    /// it wrote a record, a file that it created is removed. If the path is a symlink to a missing file, that file is
    /// created, as with a shell's `>`.
    File {
        /// Its path.
        path: PathBuf,
        /// The form of the records.
        form: &'static Form,
    },
    /// One file after the other, each of about a size.
    Rotated {
        /// The path of which each gets its own: see [`numbered`](super::numbered).
        path: PathBuf,
        /// The form of the records.
        form: &'static Form,
        /// The size, and how many are kept.
        rotation: plan::Rotation,
    },
    /// A sink of the caller.
    Sink(Box<dyn Sink>),
    /// Nothing: the records of a session with dumps are in their files, and the rest of its ring is not read.
    Nothing,
}

/// What takes the records of an opened output.
pub(crate) enum Opened {
    /// A sink of records.
    Records(Box<dyn Sink>),
    /// A regular file of pages, open for reading and writing.
    Pages(OwnedFd),
}

/// The file or terminal behind a sink.
#[derive(Debug)]
pub(crate) struct OpenedOutput {
    /// Its name in messages.
    pub(crate) name: String,
    /// Whether it is the terminal that also shows the status line.
    pub(crate) on_terminal: bool,
    /// The descriptor, to notice that its reader has closed its end.
    fd: Option<OwnedFd>,
    created: Option<PathBuf>,
    empty_first: bool,
    /// The first of the files of an output that is rotated, until it is emptied.
    first: RefCell<Option<OwnedFd>>,
    /// What begins the others.
    pub(crate) files: Option<Files>,
    /// The path of an output that is rotated, of which each file has a number.
    pattern: Option<PathBuf>,
}

impl Output {
    /// Returns the output that a plan names.
    ///
    /// # Errors
    /// [`UnknownForm`]: the plan was made for another version of the runtime, or was edited.
    pub fn of_plan(output: &plan::Output) -> Result<Self, UnknownForm> {
        Ok(Output::File { path: output.path.clone().into(), form: Form::named(&output.form)? })
    }

    /// Opens the output. An existing file keeps its contents until [`OpenedOutput::empty`]. Its progress is
    /// noted.
    pub(crate) fn open(
        self,
        timestamps: Timestamps,
        progress: &Arc<Progress>,
    ) -> Result<(Opened, OpenedOutput), Failure> {
        let (mut opened, form, fd) = match self {
            Output::Sink(sink) => {
                return Ok((Opened::Records(sink), OpenedOutput::named("the sink".to_owned())));
            }
            Output::Nothing => {
                let sink = Box::new(|_: &Event<'_>| Ok(()));
                return Ok((Opened::Records(sink), OpenedOutput::named("nothing".to_owned())));
            }
            Output::Stdout(form) => {
                let fd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3);
                (OpenedOutput::named("standard output".to_owned()), form, fd)
            }
            Output::File { path, form } => {
                let (opened, fd) = OpenedOutput::of_file(&path, form);
                (opened, form, fd)
            }
            Output::Rotated { path, form, rotation } => {
                let pattern = path.clone();
                let mut files = Files::new(path, (form, timestamps), Arc::clone(progress), rotation);
                let (mut opened, fd) = OpenedOutput::of_file(&files.path(), form);
                opened.pattern = Some(pattern);
                let begun = fd.map_err(io::Error::from).and_then(|fd| {
                    let own = rustix::io::fcntl_dupfd_cloexec(&fd, 3)?;
                    files.begin(fd.as_fd())?;
                    opened.files = Some(files);
                    opened.first = RefCell::new(Some(fd));
                    Opened::of(own, form, (timestamps, progress))
                });
                return opened.taken(begun);
            }
        };
        let taken = fd.map_err(io::Error::from).and_then(|fd| {
            let fd = opened.fd.insert(fd);
            opened.on_terminal = rustix::termios::isatty(&*fd);
            Opened::of(rustix::io::fcntl_dupfd_cloexec(&*fd, 3)?, form, (timestamps, progress))
        });
        opened.taken(taken)
    }
}

impl Opened {
    /// Takes a descriptor of its own.
    fn of(
        fd: OwnedFd,
        form: &'static Form,
        (timestamps, progress): (Timestamps, &Arc<Progress>),
    ) -> io::Result<Opened> {
        if !form.is_of_pages() {
            let outlet = Outlet::new(fd, Arc::clone(progress))?;
            return Ok(Opened::Records(form.sink(Box::new(outlet), timestamps)));
        }
        match FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode) {
            FileType::RegularFile => Ok(Opened::Pages(fd)),
            _ => Err(io::Error::other("a trace.dat file has to be a regular file")),
        }
    }
}

impl OpenedOutput {
    /// Creates the output of a sink that has no descriptor.
    fn named(name: String) -> Self {
        let first = RefCell::default();
        OpenedOutput {
            name,
            on_terminal: false,
            fd: None,
            created: None,
            empty_first: false,
            first,
            files: None,
            pattern: None,
        }
    }

    /// Opens a file.
    fn of_file(path: &Path, form: &Form) -> (Self, Result<OwnedFd, Errno>) {
        let mut opened = OpenedOutput::named(path.display().to_string());
        let fd = open_file(path, form.access()).map(|(fd, created)| {
            opened.empty_first = created.is_none();
            opened.created = created;
            fd
        });
        (opened, fd)
    }

    /// Returns what takes the records, and the output itself. What was opened for nothing is discarded.
    fn taken(self, taken: io::Result<Opened>) -> Result<(Opened, Self), Failure> {
        match taken {
            Ok(taken) => Ok((taken, self)),
            Err(error) => {
                // The first error is returned; an error of the removal would hide it.
                let _ = self.discard();
                Err(self.failure(error))
            }
        }
    }

    /// Returns the error for an output that cannot be opened or written.
    pub(crate) fn failure(&self, source: io::Error) -> Failure {
        Failure::Output { output: self.name.clone(), source }
    }

    /// Returns the error for an output that took some records and cannot be written any more; of one that is rotated, some
    /// files were begun.
    pub(crate) fn full(&self, source: io::Error, records: u64, files: Option<FileCounts>) -> Failure {
        let files = files.map_or(1, |files| files.begun);
        let output = match &self.pattern {
            Some(pattern) => numbered(pattern, files).display().to_string(),
            None => self.name.clone(),
        };
        match records {
            0 => Failure::Output { output, source },
            records => Failure::Full { output, source, records, files },
        }
    }

    /// Returns the descriptor, if there is one.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.fd.as_ref().map(AsFd::as_fd)
    }

    /// Empties a file that existed before. It is called once the session is applied, so that a session that is refused
    /// does not destroy a file.
    pub(crate) fn empty(&self) -> Result<(), Errno> {
        let first = self.first.take();
        let Some(fd) = first.as_ref().or(self.fd.as_ref()).filter(|_| self.empty_first) else {
            return Ok(());
        };
        let is_file = FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode) == FileType::RegularFile;
        if is_file { rustix::fs::ftruncate(fd, 0) } else { Ok(()) }
    }

    /// Removes the file if it was created for this session.
    pub(crate) fn discard(&self) -> Result<(), Residue> {
        let Some(path) = &self.created else { return Ok(()) };
        match rustix::fs::unlink(path) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(Residue::new(path.clone(), errno)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::TEXT;

    fn open(path: &Path) -> Result<OpenedOutput, Failure> {
        let output = Output::File { path: path.to_owned(), form: &TEXT };
        output.open(Timestamps::Raw, &Arc::default()).map(|(_, opened)| opened)
    }

    fn refusal(path: &Path) -> (String, io::Error) {
        let Err(Failure::Output { output, source }) = open(path) else { panic!("it was opened") };
        (output, source)
    }

    #[test]
    fn unknown_form_of_a_plan_is_refused_with_the_known_ones() {
        let output = |form: &str| plan::Output {
            path: "x".to_owned(),
            form: form.to_owned(),
            origin: plan::Span::default(),
        };
        assert!(
            matches!(Output::of_plan(&output("text")), Ok(Output::File { form, .. }) if form.name == "text")
        );
        let Err(error) = Output::of_plan(&output("te\nxt")) else { panic!("it was found") };
        assert_eq!(
            error.to_string(),
            "no form of records is called \"te\\nxt\"; there are `text` (one line a record, as the kernel prints it), `JSON lines` \
             (one JSON object a line), `trace.dat` (the pages of the ring buffer, a file)"
        );
    }

    #[test]
    fn existing_file_is_emptied_late_and_kept_on_failure() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, "old").unwrap();
        let opened = open(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        opened.discard().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        opened.empty().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn new_file_is_removed_when_discarded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let opened = open(&path).unwrap();
        opened.empty().unwrap();
        assert!(path.exists());
        opened.discard().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn symlink_to_missing_file_creates_its_target_until_it_is_discarded() {
        let dir = tempfile::tempdir().unwrap();
        let (link, target) = (dir.path().join("link"), dir.path().join("target"));
        std::os::unix::fs::symlink("target", &link).unwrap();
        let opened = open(&link).unwrap();
        opened.empty().unwrap();
        assert!(target.is_file() && link.is_symlink());
        opened.discard().unwrap();
        assert!(!target.exists() && link.is_symlink());
    }

    #[test]
    fn symlink_into_missing_directory_and_nul_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("no/parent", &link).unwrap();
        let errno = |path: &Path| refusal(path).1.raw_os_error();
        assert_eq!(errno(&link), Some(Errno::NOENT.raw_os_error()));
        assert_eq!(errno(&dir.path().join("a\0b")), Some(Errno::INVAL.raw_os_error()));
        assert!(!dir.path().join("a").exists());
    }

    #[test]
    fn error_of_opening_names_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let (output, source) = refusal(dir.path());
        assert_eq!(output, dir.path().display().to_string());
        assert_eq!(source.raw_os_error(), Some(Errno::ISDIR.raw_os_error()));
    }
}
