//! An instance of tracefs for the tests.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

/// An instance that is removed at the end.
pub(crate) struct Instance {
    path: PathBuf,
}

impl Instance {
    /// Makes an instance that records nothing yet.
    pub(crate) fn new(tracefs: &Path) -> Result<Self, Failed> {
        let path = tracefs.join(format!("instances/tracec-texts-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let instance = Instance { path };
        instance.write("tracing_on", "0")?;
        // The first records stay, so that a full ring ends what is recorded and has no holes.
        instance.write("options/overwrite", "0")?;
        Ok(instance)
    }

    /// Returns the path of a file.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a value to a file.
    pub(crate) fn write(&self, name: &str, value: &str) -> Result<(), Failed> {
        self.try_write(name, value).map_err(|error| format!("{name} <- {value}: {error}").into())
    }

    /// Writes a value to a file that may refuse it.
    pub(crate) fn try_write(&self, name: &str, value: &str) -> io::Result<()> {
        fs::write(self.file(name), value)
    }

    /// Returns the CPUs that have rings.
    pub(crate) fn cpus(&self) -> Result<Vec<u32>, Failed> {
        let mut cpus = Vec::new();
        for entry in fs::read_dir(self.file("per_cpu"))? {
            let name = entry?.file_name();
            cpus.extend(name.to_str().and_then(|name| name.strip_prefix("cpu")?.parse::<u32>().ok()));
        }
        cpus.sort_unstable();
        Ok(cpus)
    }

    /// Returns the pages of a CPU, which are consumed.
    pub(crate) fn pages(&self, cpu: u32, size: usize) -> Result<Vec<Vec<u8>>, Failed> {
        let path = self.file(&format!("per_cpu/cpu{cpu}/trace_pipe_raw"));
        let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        let mut pages = Vec::new();
        loop {
            let mut page = vec![0; size];
            match file.read(&mut page) {
                Ok(0) => return Ok(pages),
                Ok(length) => {
                    page.truncate(length);
                    pages.push(page);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(pages),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The first fails only for an event that was never enabled.
        let _ = self.try_write("events/enable", "0");
        if let Err(error) = fs::remove_dir(&self.path) {
            println!("{} stays: {error}", self.path.display());
        }
    }
}

/// Returns the bytes of a control file.
///
/// Some files give nothing from any offset but 0 (`event_filter_read`, `show_header`), so the first read takes all that
/// there is; `fs::read` begins with a small one and would cut them.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failed> {
    let failed = |error: io::Error| Failed::from(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = vec![0; 1 << 16];
    let mut length = file.read(&mut bytes).map_err(failed)?;
    bytes.truncate(length);
    while length > 0 {
        length = file.by_ref().take(1 << 20).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}
