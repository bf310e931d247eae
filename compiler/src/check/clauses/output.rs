//! `output "FILE";`

use std::path::Path;

use tracec_grammar::span::Spanned;
use tracec_kernel::nearest::nearest;
use tracec_kernel::plan::RecordFormat;

use crate::check::quoted::quoted;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir;

use super::Settings;

impl Settings<'_, '_> {
    /// The file and its form. `None` has been reported.
    pub(super) fn output(&mut self, path: &Spanned<String>) -> Option<ir::Output> {
        if path.value.contains('\0') {
            let why = "a path cannot hold a NUL";
            return self.say(codes::output_failed::output_failed(Some(path.span), &path.value, why));
        }
        let ending = Path::new(&path.value).extension().and_then(|ending| ending.to_str());
        let format = match ending {
            Some("txt" | "log") => RecordFormat::Text,
            Some("json" | "jsonl" | "ndjson") => RecordFormat::JsonLines,
            _ => return self.say(unknown_output(path)),
        };
        Some(ir::Output { path: path.clone(), format })
    }
}

/// The endings of output files whose form is known.
const ENDINGS: [&str; 5] = ["txt", "log", "json", "jsonl", "ndjson"];

fn unknown_output(path: &Spanned<String>) -> Diagnostic {
    let known = Path::new(&path.value);
    let ending = known.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let near: Vec<String> = nearest(ending, ENDINGS, 1)
        .into_iter()
        .map(|near| quoted(&known.with_extension(near).to_string_lossy()))
        .collect();
    codes::unknown_output::unknown_output(path.span, &path.value, &near)
}
