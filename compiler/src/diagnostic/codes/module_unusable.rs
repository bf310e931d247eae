//! T0524: module-unusable. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0524", "module-unusable", include_str!("module_unusable.md"));

/// What builds a module of a text.
const BUILD: &str = "leave out `--built`, or build the module again from what `tracec build FILE --target module -o DIR` \
                     writes for this text";

fn unusable(reason: String) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the module of the tracepoints was not loaded: {reason}"))
        .note("nothing was loaded or changed")
}

/// Reports a file that is not a module; `reason` is a clause.
pub fn no_module(path: &str, reason: &str) -> Diagnostic {
    unusable(format!("{path} is not a kernel module: {reason}")).help(BUILD)
}

/// Reports a module of another name.
pub fn other_name(path: &str, found: &str, expected: &str) -> Diagnostic {
    unusable(format!("{path} has the module `{found}`, and not `{expected}`")).help(BUILD)
}

/// Reports a module of other tracepoints.
pub fn other_text(path: &str) -> Diagnostic {
    unusable(format!("{path} has other tracepoints than the text"))
        .note("the text has changed since it was built, or it was built for a kernel with other features, or by another tracec")
        .help(BUILD)
}

/// Reports a module that does not say which tracepoints it has.
pub fn no_tag(path: &str) -> Diagnostic {
    unusable(format!("{path} was not built from what `tracec build --target module` writes")).help(BUILD)
}

/// Reports a module that was built for another kernel.
pub fn other_kernel(path: &str, found: &str, expected: &str) -> Diagnostic {
    unusable(format!("{path} was built for the kernel {found}, and {expected} runs")).help(format!(
        "build it with the headers of {expected}: `make -C /lib/modules/{expected}/build M=DIR modules`"
    ))
}

/// Reports a kernel that keeps every module until it ends.
pub fn no_unloading(release: &str) -> Diagnostic {
    unusable(format!("the kernel {release} cannot unload modules, and it would stay"))
        .note("the kernel was built without CONFIG_MODULE_UNLOAD")
}

/// Reports a module that the kernel could not unload.
pub fn no_exit(module: &str) -> Diagnostic {
    unusable(format!(
        "the module `{module}` has `module_init` and no `module_exit`, and the kernel would never unload it"
    ))
    .help("add to the C file with `module_init`: `static void __exit leave(void) { } module_exit(leave);`")
}
