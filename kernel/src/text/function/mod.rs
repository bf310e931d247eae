//! Functions of the kernel that print formats call for a string: a table, with one file per family.

mod choice;
mod iommu;
mod nvme;
mod ras;
mod xen;

use super::memory::Value;
use super::program::TextFunction;

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
