//! `output "FILE";`

use std::path::Path;

use tracec_grammar::span::Spanned;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{self, OutputForm};

use super::Settings;

/// The output forms that the language knows, and the file endings that select each.
///
/// The endings belong to the language and are checked without a runtime. The sinks with the names of the forms belong
/// to the runtime (`runtime/src/sink/`); a test of the command compares the two lists.
pub const OUTPUT_FORMS: [(OutputForm, &[&str]); 3] = [
    (OutputForm::Text, &["txt", "log"]),
    (OutputForm::JsonLines, &["json", "jsonl", "ndjson"]),
    (OutputForm::TraceDat, &["dat"]),
];

impl Settings<'_, '_> {
    /// Returns the file and its form. `None` if a mistake was reported.
    pub(super) fn output(&mut self, path: &Spanned<String>) -> Option<ir::Output> {
        if path.value.contains('\0') {
            let why = "a path cannot hold a NUL";
            return self.say(codes::output_failed::output_failed(Some(path.span), &path.value, why));
        }
        match OUTPUT_FORMS.iter().find(|(_, endings)| endings.contains(&ending(&path.value))) {
            Some((form, _)) => Some(ir::Output { path: path.clone(), form: *form }),
            None => self.say(unknown_output(path)),
        }
    }
}

/// Returns what follows the last `.` of a file's name; empty where there is none.
fn ending(path: &str) -> &str {
    Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

fn unknown_output(path: &Spanned<String>) -> Diagnostic {
    let known = Path::new(&path.value);
    let endings = OUTPUT_FORMS.iter().flat_map(|(_, endings)| endings.iter().copied());
    let near: Vec<String> = nearest(ending(&path.value), endings, 1)
        .into_iter()
        .map(|near| quoted(&known.with_extension(near).to_string_lossy()))
        .collect();
    codes::unknown_output::unknown_output(path.span, &path.value, &near)
}
