//! The kernels that the compiler can read: a tracefs, a directory that contains a copy of one, a profile.

mod attempt;
mod evidence;
mod formats;
pub mod library;
mod profile;
pub mod save;
pub mod shipped;
mod tried;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use tracec_compiler::source::Functions;
use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::tables::features::{NOT_TRIED, Support};
use tracec_runtime::tracefs::Tracefs;

pub use formats::FormatsKernel;
pub use profile::ProfileKernel;
pub use tried::TriedKernel;

/// The types of the running kernel.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// The running kernel, through its tracefs.
#[derive(Debug)]
pub struct LiveKernel(pub Tracefs);

impl KernelSource for LiveKernel {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        match self.0.read(path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(KernelError { path: path.to_owned(), reason: error.to_string() }),
        }
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        match self.0.list(path) {
            Ok(entries) => Ok(entries.into_iter().filter(|e| e.is_directory).map(|e| e.name).collect()),
            Err(error) if error.is_not_found() => Ok(Vec::new()),
            Err(error) => Err(KernelError { path: path.to_owned(), reason: error.to_string() }),
        }
    }

    fn feature(&self, name: &str) -> Support {
        match evidence::feature(&self.0, name) {
            Support::Unknown(reason) if reason == NOT_TRIED => Support::Unknown(format!(
                "{NOT_TRIED}; `tracec run` tries it, `tracec kernel save` keeps what it finds"
            )),
            support => support,
        }
    }

    /// Returns the functions in which the kernel's filter looks a name up; if they are hidden, the traceable ones.
    fn functions(&self) -> Option<Arc<Functions>> {
        let symbols = || Functions::symbols(&std::fs::read_to_string("/proc/kallsyms").ok()?);
        // A directory that is not a tracefs has the functions of the kernel that it was copied from.
        self.0.is_tracefs().then(symbols).flatten().or_else(|| Functions::traceable(self)).map(Arc::new)
    }

    fn describe(&self) -> String {
        "this kernel".to_owned()
    }

    fn is_running(&self) -> bool {
        true
    }

    fn arch(&self) -> String {
        rustix::system::uname().machine().to_string_lossy().into_owned()
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        // A directory that is not a tracefs is a copy, perhaps of another kernel.
        if !self.0.is_tracefs() {
            return Ok(None);
        }
        match std::fs::read(BTF) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(KernelError { path: BTF.to_owned(), reason: error.to_string() }),
        }
    }

    fn release(&self) -> String {
        rustix::system::uname().release().to_string_lossy().into_owned()
    }
}

/// A directory that contains a copy of a tracefs.
#[derive(Debug)]
pub struct KernelDirectory(pub PathBuf);

impl KernelDirectory {
    fn error(path: &str, error: &std::io::Error) -> KernelError {
        KernelError { path: path.to_owned(), reason: error.to_string() }
    }
}

impl KernelSource for KernelDirectory {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        match std::fs::read(self.0.join(path)) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(Self::error(path, &error)),
        }
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let entries = match std::fs::read_dir(self.0.join(path)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Self::error(path, &error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| Self::error(path, &error))?;
            if entry.path().is_dir() {
                names.extend(entry.file_name().into_string().ok());
            }
        }
        Ok(names)
    }

    fn feature(&self, name: &str) -> Support {
        evidence::feature(&evidence::CopyOf(&self.0), name)
    }

    fn describe(&self) -> String {
        format!("the kernel in {}", self.0.display())
    }
}
