//! A kernel with the events of a module that is not loaded yet.

use std::sync::Arc;

use tracec_compiler::source::Functions;
use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::tables::features::Support;

/// A kernel, and the events that a module will add to it.
pub(crate) struct Foreseen<'a> {
    /// The kernel.
    pub(super) kernel: &'a dyn KernelSource,
    /// The system of the events.
    pub(super) system: &'a str,
    /// Their `format` files, `EVENT` with its text.
    pub(super) formats: &'a [(String, String)],
}

/// The line of a `format` file that differs between two loads of a module.
const NO_ID: &str = "\nID: 0\n";

impl Foreseen<'_> {
    /// Returns a `format` file. The kernel assigns its id when the module is loaded; until then it is one from the end
    /// of the range (`TRACE_EVENT_TYPE_MAX` in kernel/trace/trace_output.c), so that events have different ones.
    fn format(&self, event: &str) -> Option<String> {
        let index = self.formats.iter().position(|(name, _)| name == event)?;
        let id = usize::from(u16::MAX) - index;
        Some(self.formats[index].1.replacen(NO_ID, &format!("\nID: {id}\n"), 1))
    }
}

impl KernelSource for Foreseen<'_> {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        let below =
            path.strip_prefix("events/").and_then(|path| path.strip_prefix(self.system)?.strip_prefix('/'));
        if let Some(format) = below.and_then(|below| self.format(below.strip_suffix("/format")?)) {
            return Ok(Some(format));
        }
        self.kernel.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let mut names = self.kernel.directories(path)?;
        let mut add = |name: &str| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        match path.strip_prefix("events/") {
            None if path == "events" => add(self.system),
            Some(system) if system == self.system => self.formats.iter().for_each(|(name, _)| add(name)),
            _ => {}
        }
        Ok(names)
    }

    fn feature(&self, name: &str) -> Support {
        self.kernel.feature(name)
    }

    fn functions(&self) -> Option<Arc<Functions>> {
        self.kernel.functions()
    }

    fn describe(&self) -> String {
        format!("{} with the module", self.kernel.describe())
    }

    fn is_running(&self) -> bool {
        self.kernel.is_running()
    }

    fn arch(&self) -> String {
        self.kernel.arch()
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        self.kernel.btf()
    }

    fn release(&self) -> String {
        self.kernel.release()
    }
}
