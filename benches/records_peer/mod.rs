//! The least that a reader of pages does, as a C program and as one of the library, which are compiled at run time.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The bytes of each CPU of a file without compression: their offset and their number.
pub(crate) type Places = Vec<(u64, u64)>;

/// The program.
pub(crate) struct Walk {
    program: PathBuf,
}

/// What a walk over all records adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    /// The number of records.
    pub(crate) records: u64,
    /// The sum of their time stamps, modulo 2^64.
    pub(crate) time: u64,
}

impl Walk {
    /// Compiles the program; `None` if there is no C compiler.
    pub(crate) fn compile(scratch: &Path) -> io::Result<Option<Walk>> {
        if Command::new("cc").arg("--version").output().is_err() {
            return Ok(None);
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/records_peer/walk.c");
        let program = scratch.join("walk");
        let built = Command::new("cc").args(["-O2", "-Wall", "-o"]).arg(&program).arg(source).output()?;
        if !built.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&built.stderr).into_owned()));
        }
        Ok(Some(Walk { program }))
    }

    /// Compiles the example `walk` of the library, which does the same by its iterator.
    pub(crate) fn of_library() -> io::Result<Walk> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let arguments = ["build", "--quiet", "--release", "-p", "tracec-kernel", "--example", "walk"];
        let built = Command::new(cargo).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).status()?;
        let own = std::env::current_exe()?;
        match own.ancestors().nth(2) {
            Some(release) if built.success() => Ok(Walk { program: release.join("examples/walk") }),
            _ => Err(io::Error::other(format!("the example `walk` cannot be built: {built}"))),
        }
    }

    /// Returns the command that reads the pages of a file, once from the file or so many times from memory.
    pub(crate) fn command(&self, file: &Path, passes: usize, page_size: u32, places: &Places) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(file).arg(passes.to_string()).arg(page_size.to_string());
        for (offset, length) in places {
            command.arg(offset.to_string()).arg(length.to_string());
        }
        command
    }

    /// Walks over the pages in memory. Returns the sums and the processor's time of each pass.
    pub(crate) fn passes(
        &self,
        file: &Path,
        passes: usize,
        page_size: u32,
        places: &Places,
    ) -> io::Result<(Sums, Vec<Duration>)> {
        let output = self.command(file, passes, page_size, places).output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let strange = || io::Error::other(format!("the walk said `{said}`, {}", output.status));
        let numbers: Option<Vec<u64>> = said.split_whitespace().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some([records, time, passes @ ..]) if output.status.success() => Ok((
                Sums { records: *records, time: *time },
                passes.iter().copied().map(Duration::from_nanos).collect(),
            )),
            _ => Err(strange()),
        }
    }
}
