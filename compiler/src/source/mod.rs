//! The inputs of the compiler: texts and a kernel.

mod functions;
mod imports;
mod layout;
mod line_index;
mod map;

use std::fmt;
use std::sync::Arc;

use tracec_kernel::tables::features::Support;

pub use functions::{FunctionList, Functions, Names};
pub use imports::{ImportError, Imports, NoImports};
pub use layout::{EventLayout, LayoutError};
pub use line_index::{LineEnds, LineIndex, Position, Unit};
pub use map::SourceMap;

/// A text to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// Its name in diagnostics: a path, or `-e`.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether it is the text of `-e`: clauses of one anonymous session, without the braces.
    pub one_liner: bool,
}

/// A kernel's tracefs that can be read. Paths are relative to the tracefs root.
pub trait KernelSource {
    /// Returns the text of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// [`KernelError`], if the file exists or may exist, and cannot be read.
    fn read(&self, path: &str) -> Result<Option<String>, KernelError>;

    /// Returns the layout of an event; `None` if the kernel lacks it. A source that is asked often can remember what it
    /// read: by default, the file is read and parsed each time.
    ///
    /// # Errors
    /// [`LayoutError`], if the file of the event cannot be read.
    fn layout(&self, system: &str, name: &str) -> Result<Option<Arc<EventLayout>>, LayoutError> {
        EventLayout::read(self, system, name)
    }

    /// Returns the names of the directories in a directory; empty if there is no such directory.
    ///
    /// # Errors
    /// [`KernelError`], if the directory exists or may exist, and cannot be read.
    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError>;

    /// Returns whether the kernel has a feature of [`tracec_kernel::tables::features`]. Nothing is written to find out,
    /// unless a session is to run on the kernel.
    fn feature(&self, name: &str) -> Support {
        Support::Unknown(format!("nothing here says whether it has `{name}`"))
    }

    /// Returns the functions that a condition can name; `None` where the source does not know them or cannot read them.
    /// By default those that can be traced, as `available_filter_functions` lists them.
    fn functions(&self) -> Option<Arc<Functions>> {
        Functions::traceable(self).map(Arc::new)
    }

    /// Returns the names that are similar to an unknown one, which `search` finds among all names of a kind that the source
    /// has. One that is asked after each edit of a text remembers them.
    fn similar(&self, _kind: NameKind, _name: &str, search: &mut dyn FnMut() -> Vec<String>) -> Vec<String> {
        search()
    }

    /// Returns the kernel's types, as `/sys/kernel/btf/vmlinux` has them; `None` where the source does not know them.
    ///
    /// # Errors
    /// [`KernelError`], if they exist and cannot be read.
    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        Ok(None)
    }

    /// Returns the kernel's name in diagnostics: `the running kernel`, a directory.
    fn describe(&self) -> String;

    /// Returns whether it is the kernel of the machine that sessions run on. Properties of another machine, such as the
    /// number of its CPUs, may differ from those of the machine that a session is for.
    fn is_running(&self) -> bool {
        false
    }

    /// Returns its architecture as uname(2) has it; empty where the source does not know it.
    fn arch(&self) -> String {
        String::new()
    }

    /// Returns its release as uname(2) has it; empty where the source does not know it.
    fn release(&self) -> String {
        String::new()
    }
}

/// Returns the number of possible CPU numbers, counted from 0 to the last; `None` where the source does not know it.
///
/// There is a directory `per_cpu/cpuN` for each possible CPU (`tracing_init_tracefs_percpu` in kernel/trace/trace.c;
/// `tracing_buffer_mask` is a copy of `cpu_possible_mask`). The numbers of possible CPUs may have gaps, so the
/// directories are not counted: the kernel too takes the last number and adds 1 (`setup_nr_cpu_ids` in kernel/smp.c).
///
/// # Errors
/// [`KernelError`], if the directory exists or may exist, and cannot be read.
pub fn possible_cpus(kernel: &dyn KernelSource) -> Result<Option<u32>, KernelError> {
    Ok(cpu_numbers(kernel.directories("per_cpu")?.iter().map(String::as_str)))
}

/// Returns the same, given the names of the directories of `per_cpu`.
pub fn cpu_numbers<'n>(names: impl Iterator<Item = &'n str>) -> Option<u32> {
    let last = names.filter_map(|name| name.strip_prefix("cpu")?.parse::<u32>().ok()).max()?;
    last.checked_add(1)
}

/// A kind of names that a kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// Events: `SYSTEM:NAME`, or a name alone.
    Event,
    /// Patterns of events.
    Pattern,
    /// Functions.
    Function,
}

/// A failure to read from a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// The path that was read.
    pub path: String,
    /// The reason, a clause.
    pub reason: String,
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}: {}", self.path, self.reason)
    }
}

impl std::error::Error for KernelError {}

#[cfg(test)]
mod tests {
    use super::cpu_numbers;

    #[test]
    fn gaps_between_cpus_are_numbers_too() {
        let of = |names: &[&str]| cpu_numbers(names.iter().copied());
        assert_eq!(of(&["cpu0", "cpu1"]), Some(2));
        assert_eq!(of(&["cpu9", "cpu0", "cpu1", "cpu8"]), Some(10));
        assert_eq!(of(&["cpu0", "cpuidle", "trace"]), Some(1));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["cpu4294967295"]), None);
    }
}
