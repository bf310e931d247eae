//! What the compiler is given: texts, and a kernel to ask.

mod functions;
mod imports;
mod lines;
mod map;

use std::fmt;

use tracec_kernel::tables::features::Support;

pub use functions::{FunctionList, Functions};
pub use imports::{ImportError, Imports, NoImports};
pub use lines::{LineEnds, Lines, Position, Unit};
pub use map::SourceMap;

/// A text to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// How diagnostics call it: a path, or `-e`.
    pub name: String,
    /// The text.
    pub text: String,
    /// It is the text of `-e`: clauses of one anonymous session, without the braces.
    pub one_liner: bool,
}

/// A kernel's tracefs, to be read. Paths are relative to the tracefs root.
pub trait KernelSource {
    /// The text of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// Where the file is there, or may be, and cannot be read.
    fn read(&self, path: &str) -> Result<Option<String>, KernelError>;

    /// The names of the directories in a directory; empty if there is no such directory.
    ///
    /// # Errors
    /// Where the directory is there, or may be, and cannot be read.
    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError>;

    /// Whether the kernel has a feature of [`tracec_kernel::tables::features`]. Of a kernel that is only
    /// looked at, nothing is written to find out.
    fn feature(&self, name: &str) -> Support {
        Support::Unknown(format!("nothing here tells of `{name}`"))
    }

    /// The functions that a condition can name; `None` where the source does not tell, or cannot be read: then nothing is
    /// known of them. By default those that can be traced, as `available_filter_functions` lists them.
    fn functions(&self) -> Option<Functions> {
        Functions::traceable(self)
    }

    /// What diagnostics call it: `the running kernel`, a directory.
    fn describe(&self) -> String;

    /// Whether it is the kernel of the machine that sessions are run on. What a copy of another tells of its machine, as
    /// how many CPUs there are, says nothing for sure of the machine that a session is for.
    fn is_running(&self) -> bool {
        false
    }

    /// Its architecture as uname(2) has it; empty where the source does not tell.
    fn arch(&self) -> String {
        String::new()
    }

    /// Its release as uname(2) has it; empty where the source does not tell.
    fn release(&self) -> String {
        String::new()
    }
}

/// How many numbers the CPUs of the machine can have, counted from 0 to the last; `None` where the source does not tell.
///
/// There is a directory `per_cpu/cpuN` for each possible CPU (`tracing_init_tracefs_percpu` in kernel/trace/trace.c;
/// `tracing_buffer_mask` is a copy of `cpu_possible_mask`). Possible CPUs may have gaps between them, so the directories
/// are not counted: the kernel too takes the last and 1 (`setup_nr_cpu_ids` in kernel/smp.c).
///
/// # Errors
/// Where the directory is there, or may be, and cannot be read.
pub fn possible_cpus(kernel: &dyn KernelSource) -> Result<Option<u32>, KernelError> {
    Ok(cpu_numbers(kernel.directories("per_cpu")?.iter().map(String::as_str)))
}

/// The same by the names of the directories of `per_cpu`.
pub fn cpu_numbers<'n>(names: impl Iterator<Item = &'n str>) -> Option<u32> {
    let last = names.filter_map(|name| name.strip_prefix("cpu")?.parse::<u32>().ok()).max()?;
    last.checked_add(1)
}

/// A kernel that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// The path that was asked for.
    pub path: String,
    /// What went wrong, one clause.
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
