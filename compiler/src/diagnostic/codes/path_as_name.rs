//! T0252: path-as-name. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::limits;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0252", "path-as-name", Level::Warn, include_str!("path_as_name.md"));

/// Reports the path of a program that is compared with the name of a task.
pub(crate) fn path_as_name(span: Span, text: &str) -> Option<Diagnostic> {
    let name = text.strip_prefix('/')?.rsplit('/').next().filter(|name| !name.is_empty())?;
    let name = quoted(&name[..name.floor_char_boundary(limits::TASK_COMM_LEN - 1)]);
    Some(Diagnostic::lint(&CODE, "the name of a task has no path").at(span, "a path").guess(
        format!("write `{name}`"),
        span,
        name,
    ))
}
