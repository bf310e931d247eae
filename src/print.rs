//! Diagnostics on standard error.

use std::io::{IsTerminal, Write};

use tracec_compiler::diagnostic::render;
use tracec_compiler::{Diagnostic, Severity, SourceText};

/// Prints diagnostics and, where there are several, how many.
pub(crate) fn diagnostics(text: &SourceText, diagnostics: &[Diagnostic]) {
    let stderr = std::io::stderr();
    let colour = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut rendered = render::text::render(text, diagnostics, colour);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let warnings = diagnostics.len() - errors;
    if diagnostics.len() > 1 {
        rendered.push_str(&format!("{}\n", count(errors, warnings)));
    }
    // Where standard error is gone there is nobody left to tell; the exit status still does.
    let _ = stderr.lock().write_all(rendered.as_bytes());
}

fn count(errors: usize, warnings: usize) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}
