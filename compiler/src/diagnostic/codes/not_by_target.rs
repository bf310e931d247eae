//! T0408: not-by-target. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0408", "not-by-target", include_str!("not_by_target.md"));

/// Reports a condition that would be decided on the host, of a target whose records tracec does not read.
pub(crate) fn host(span: Span, target: &str) -> Diagnostic {
    let instead = "run the session with `tracec run`, which decides it";
    not_by_target(span, "a condition that is decided on the host", target, instead)
}

/// Reports a condition that would be decided in the kernel, of a target without a part there.
pub(crate) fn kernel(span: Span, target: &str) -> Diagnostic {
    let instead = "run the session with `tracec run`, which decides it";
    not_by_target(span, "a condition that is decided in the kernel", target, instead)
}

/// Reports a clause that `target` does not implement and another target does; `instead` is an order.
pub(crate) fn not_by_target(span: Span, what: &str, target: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the target `{target}` does not support {what}"))
        .at(span, format!("unsupported by `{target}`"))
        .help(instead)
}

/// Reports a condition for which there is no program.
pub(crate) fn program(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the target `bpf` cannot make a program of this condition")
        .at(span, "too much for one program")
        .note(reason)
        .help("split the condition, or let tracefs record the session")
}

/// Reports a text that defines nothing for a target of definitions.
pub(crate) fn no_tracepoint(target: &str) -> Diagnostic {
    let what = "there is no tracepoint in this file";
    Diagnostic::error(&CODE, format!("{what}, and the target `{target}` is made of nothing else"))
        .help("define one: `event NAME { proto (ARGUMENT: TYPE) }`; a probe is built with a session")
}

/// Reports a C file of the user that has the name of a part of what is built.
pub(crate) fn code_of_a_part(target: &str, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the target `{target}` makes an object of the name of `{name}` itself"))
        .help("rename the file")
}

/// Reports that a target is made for a kernel tree, and none was named.
pub(crate) fn no_tree(target: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the target `{target}` is made for a kernel tree"))
        .help("name the directory in the tree that gets the tracepoints: `--into LINUX/drivers/block`")
}

/// Reports that a directory is not in a kernel tree that has what the target needs.
pub(crate) fn not_a_tree(target: &str, why: &str) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("the target `{target}` needs a kernel tree, and this is not one that it can use"),
    )
    .note(why)
    .help("name a directory with a Kbuild or a Makefile in a tree of Linux 6.1 or newer")
}

/// Reports a file that a kernel tree has already.
pub(crate) fn in_tree_already(target: &str, path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the target `{target}` would add {path}, which the tree has already"))
        .help("remove it from the tree, or give the subsystem another name")
}

/// Reports a text without an event for a target that writes decoders.
pub(crate) fn no_event(target: &str) -> Diagnostic {
    let what = "this file records no event and defines no tracepoint";
    Diagnostic::error(&CODE, format!("{what}, and the target `{target}` is made of nothing else"))
        .help("record one: `trace SYSTEM:EVENT;` in a session")
}
