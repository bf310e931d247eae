//! What definitions become for a kernel that lacks a macro.

use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::field_macros::{self, Holds, Storage};

use super::KernelSource;
use crate::KernelError;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::Definitions;

/// Returns the definitions with the macros that the kernel has.
///
/// A set of CPUs is declared by `__cpumask` only if an event of the kernel is: the macro came with 6.2, and fixes bring
/// it to older releases. `__bitmask` has the same bits and prints the same, in all of them.
///
/// # Errors
/// The kernel cannot be read.
pub(super) fn lowered(
    definitions: &Definitions,
    kernel: &dyn KernelSource,
) -> Result<Definitions, Vec<Diagnostic>> {
    let mut definitions = definitions.clone();
    let fields = definitions.classes.iter_mut().flat_map(|class| &mut class.fields);
    let sets: Vec<_> = fields.filter(|field| field.declared.holds == Holds::Cpumask).collect();
    if sets.is_empty() || has_cpumask(kernel).map_err(|error| unreadable(&error))? {
        return Ok(definitions);
    }
    let Some(bitmask) = field_macros::of(Holds::Bitmask, Storage::DataLoc) else {
        return Ok(definitions);
    };
    for field in sets {
        field.declared = bitmask;
        field.shown = "__data_loc unsigned long[]".to_owned();
    }
    Ok(definitions)
}

fn unreadable(error: &KernelError) -> Vec<Diagnostic> {
    vec![codes::kernel_unreadable::kernel_unreadable(None, &error.to_string())]
}

/// Events with a set of CPUs, which kernels with `__cpumask` declare by it.
const WITH_CPUS: [(&str, &str, &str); 1] = [("ipi", "ipi_send_cpumask", "cpumask")];

fn has_cpumask(kernel: &dyn KernelSource) -> Result<bool, KernelError> {
    for (system, event, field) in WITH_CPUS {
        let text = kernel.read(&format!("events/{system}/{event}/format"))?;
        let format = text.and_then(|text| EventFormat::parse(system, &text).ok());
        if let Some(field) = format.as_ref().and_then(|format| format.field(field)) {
            return Ok(field.type_text.contains("cpumask_t"));
        }
    }
    Ok(false)
}
