//! Functions of the kernel that print formats call for a string: a table, with one file per family.

mod choice;
mod iommu;
mod nvme;
mod ras;
mod xen;

use super::memory::{Memory, Value};

/// The greatest number of arguments of a function.
pub(super) const MOST_ARGUMENTS: usize = 12;

/// A function whose result is a string.
pub(super) struct TextFunction {
    /// Its name in the kernel.
    pub(super) name: &'static str,
    /// The number of its arguments; `p`, the sequence that the kernel's functions print into, is one of them.
    pub(super) arguments: u8,
    /// Appends its string.
    pub(super) print: fn(&[Value], &Memory<'_>, &mut Vec<u8>),
}

impl std::fmt::Debug for TextFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The families.
const ALL: &[&[TextFunction]] = &[choice::ALL, iommu::ALL, nvme::ALL, ras::ALL, xen::ALL];

/// Returns the function with this name.
pub(super) fn find(name: &str) -> Option<&'static TextFunction> {
    ALL.iter().flat_map(|family| family.iter()).find(|function| function.name == name)
}

/// Returns an argument; 0 where there is none.
fn argument(arguments: &[Value], index: usize) -> Value {
    arguments.get(index).copied().unwrap_or(Value::ZERO)
}

/// Returns an argument that is an `int`.
fn int(arguments: &[Value], index: usize) -> i32 {
    argument(arguments, index).bits as i32
}
