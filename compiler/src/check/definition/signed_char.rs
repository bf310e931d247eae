//! Whether `char` is signed: C leaves it open, and kernels differ.

use tracec_kernel::format::EventFormat;

use crate::source::{KernelError, KernelSource};

/// Events of every kernel with a field of `char`, and the field.
const WITH_TEXT: &[(&str, &str, &str)] = &[
    ("sched", "sched_switch", "prev_comm"),
    ("sched", "sched_wakeup", "comm"),
    ("task", "task_rename", "oldcomm"),
    ("block", "block_rq_issue", "comm"),
];

/// Returns whether `char` is signed, as the kernel shows it for fields of its own. On x86 it was before 6.2
/// (`-funsigned-char` in the Makefile). A kernel that has none of the events is taken for a newer one.
pub(super) fn has_signed_char(kernel: &dyn KernelSource) -> Result<bool, KernelError> {
    for (system, event, field) in WITH_TEXT {
        let text = kernel.read(&format!("events/{system}/{event}/format"))?;
        let format = text.and_then(|text| EventFormat::parse(system, &text).ok());
        if let Some(field) = format.as_ref().and_then(|format| format.field(field)) {
            return Ok(field.signed);
        }
    }
    Ok(false)
}
