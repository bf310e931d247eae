//! T0522: module-not-built. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0522", "module-not-built", include_str!("module_not_built.md"));

/// The way out on a machine without the tools.
const ELSEWHERE: &str = "or build the module elsewhere and name its directory: `--built DIR`";

/// Reports that a module for the tracepoints of a text could not be built; `reason` is a clause.
pub fn module_not_built(reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the module of the tracepoints was not built: {reason}"))
        .note("nothing was loaded or changed")
}

/// Reports an error of gcc at the part of the text whose C it does not take.
pub fn refused_by_gcc(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the module of the tracepoints was not built: gcc refuses the C of a definition")
        .at(span, message.trim())
        .note("nothing was loaded or changed; names of C have to be declared by a header: `include <linux/NAME.h>;`")
}

/// Reports that make is missing.
pub fn no_make() -> Diagnostic {
    lacks_a_program(module_not_built("there is no `make` in the directories of PATH"))
}

/// Adds what to do where a program of kbuild is missing.
pub fn lacks_a_program(said: Diagnostic) -> Diagnostic {
    said.help("install the program; on Debian: `apt install make linux-headers-$(uname -r)` brings all that kbuild needs")
        .help(ELSEWHERE)
}

/// Reports a function that the text names and no file of the module has.
pub fn undefined_function(span: Span, function: &str) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("the module of the tracepoints was not built: nothing has `{function}()`"),
    )
    .at(span, "the kernel exports no such function, and no C file of the module defines it")
    .note("nothing was loaded or changed")
    .help("name the C file that defines it: `--with FILE.c`")
}

/// Reports a tracepoint that another part of the kernel has and exports.
pub fn exported_twice(span: Span, event: &str, by: &str) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("the module of the tracepoints was not built: {by} exports a tracepoint `{event}` too"),
    )
    .at(span, "this name is in use")
    .note("nothing was loaded or changed; the symbol of a tracepoint has no subsystem in its name")
    .help("give the event another name")
}

/// Reports that the headers of a kernel are missing.
pub fn no_headers(directory: &str, release: &str) -> Diagnostic {
    module_not_built(&format!("the headers of the kernel {release} are not at {directory}"))
        .help(format!("install them; on Debian: `apt install linux-headers-{release}`"))
        .help(ELSEWHERE)
}
