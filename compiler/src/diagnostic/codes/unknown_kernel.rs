//! T0605: unknown-kernel. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0605", "unknown-kernel", include_str!("unknown_kernel.md"));

/// Returns the error for an argument of `--kernel` that names nothing. The nearest names become help, since there
/// is no text to edit.
pub fn unknown_kernel(name: &str, nearest: &[String]) -> Diagnostic {
    let said = Diagnostic::error(
        &CODE,
        format!("there is no kernel `{name}`, and no file or directory of that name"),
    );
    let said = match nearest {
        [] => said,
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            said.help(format!("did you mean {}?", names.join(" or ")))
        }
    };
    said.help("`tracec kernel list` lists the kernels that tracec knows")
}
