//! Machine code for the conditions that the host decides.

use std::sync::Arc;

use tracec_compiler::target::host::Code;
use tracec_kernel::selection::PageFilter;
use tracec_runtime::record::CompileFilter;

/// Returns what makes machine code of the conditions of a session or a report.
pub fn compiler() -> CompileFilter {
    Arc::new(|selection| match Code::new(selection) {
        Ok(code) => Ok(Box::new(code) as Box<dyn PageFilter>),
        Err(error) => Err(error.to_string()),
    })
}

/// Returns the line that says why there is no machine code.
pub fn without_code(reason: &str) -> String {
    format!("tracec: conditions are evaluated without machine code: {reason}\n")
}
