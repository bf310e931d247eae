//! T0212: unknown-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};
use crate::stdlib;

pub(crate) static CODE: Code = Code::error("T0212", "unknown-constant", include_str!("unknown_constant.md"));

pub(crate) fn unknown_constant(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no constant `{name}`"))
        .at(span, "unknown constant")
        .suggest(span, nearest);
    if nearest.is_empty() { diagnostic.help("write the number") } else { diagnostic }
}

/// Reports a word that is similar to constants of the library, which a `use` at `import` would name. `nearest` are
/// their names, each with the minus that it needs.
pub(crate) fn not_imported(span: Span, name: &str, nearest: &[String], import: Span) -> Diagnostic {
    let said =
        Diagnostic::error(&CODE, format!("there is no constant `{name}`")).at(span, "unknown constant");
    nearest.iter().fold(said, |said, near| {
        let holders = stdlib::holders(near.trim_start_matches('-'));
        let Some(holder) = holders.first() else { return said };
        let line = format!("use std::{};", holder.module);
        let edits = vec![Edit { span: import, text: format!("{line}\n") }, Edit { span, text: near.clone() }];
        let title = format!("did you mean `{near}`? add `{line}`");
        said.offer(Fix::several(Applicability::Maybe, title, edits))
    })
}

/// Reports the number of a system call by the name that C has for it.
pub(crate) fn of_call(span: Span, name: &str, call: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no constant `{name}`"))
        .at(span, "a macro of C")
        .help(one_call(call))
}

/// Reports the name of a function that is compared with an address; `field` is that of the address.
pub(crate) fn of_function(span: Span, name: &str, field: &str, behind: Span) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no constant `{name}`"))
        .at(span, "a function of the kernel")
        .guess(format!("write `{field}.function == {name}` for an address in it"), behind, ".function")
}

/// Reports a word that stands for a number in examples.
pub(crate) fn placeholder(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no constant `{name}`")).at(span, "stands for a number").help(
        "write the number itself, or a parameter of the session: `session s(x: int) { .. }` in a file, and \
         `--set x=1234`",
    )
}

/// Says which event is one system call.
pub(crate) fn one_call(call: &str) -> String {
    format!("the event of this call alone is another: write `syscalls:sys_enter_{call}`")
}
