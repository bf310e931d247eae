//! T0523: module-refused. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0523", "module-refused", include_str!("module_refused.md"));

/// Reports that the kernel did not load a module; `reason` is a clause.
pub fn module_refused(module: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the kernel did not load the module `{module}`: {reason}"))
        .note("all changes of the session were undone; the kernel's log may say more")
}

/// Reports a module that is loaded already.
pub fn module_taken(module: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a module `{module}` is loaded already; it was not touched"))
        .help(format!(
            "unload it with `rmmod {module}`, or with `tracec recover` if a killed tracec left it; or give the subsystem \
             another name"
        ))
}

/// Reports an event that a module would add, and that the kernel has.
pub fn event_taken(span: Span, event: &str, kernel: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kernel} already has an event with the name `{event}`"))
        .at(span, "a module cannot add a second one")
        .note("nothing was built, loaded or changed")
        .help("give the event, or the subsystem, another name")
}
