//! T0522: module-not-built. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0522", "module-not-built", include_str!("module_not_built.md"));

/// Reports that a module for the tracepoints of a text could not be built; `reason` is a clause.
pub fn module_not_built(reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the module of the tracepoints was not built: {reason}"))
        .note("nothing was loaded or changed")
}

/// Reports that the headers of a kernel are missing.
pub fn no_headers(directory: &str, release: &str) -> Diagnostic {
    module_not_built(&format!("the headers of the kernel {release} are not at {directory}"))
        .help(format!("install them; on Debian: `apt install linux-headers-{release}`"))
        .help("or build the module elsewhere and name its directory: `--built DIR`")
}
