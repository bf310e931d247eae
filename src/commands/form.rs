//! The form of records that the command line chooses.

use std::ffi::OsStr;
use std::path::Path;

use tracec_compiler::check::OUTPUT_FORMS;
use tracec_runtime::sink::{FIELDS, Form, JSON_LINES, JSON_LINES_WITH_TEXT, TEXT, TRACE_DAT};

use super::Failure;
use crate::cli::FormOptions;

/// Returns the output form that the extension of a path names.
pub(crate) fn of_path(path: &Path) -> Option<&'static Form> {
    let ending = path.extension().and_then(OsStr::to_str)?;
    let (form, _) = OUTPUT_FORMS.iter().find(|(_, endings)| endings.contains(&ending))?;
    Form::named(form.name()).ok()
}

/// Returns the form that takes the place of `form`.
pub(crate) fn chosen(form: &'static Form, options: &FormOptions) -> Result<&'static Form, Failure> {
    let refused = |option: &str, why: &str| Err(Failure::Usage(format!("`{option}` changes nothing: {why}")));
    let is = |other: &'static Form| std::ptr::eq(form, other);
    match options {
        FormOptions { fields: true, .. } if is(&TEXT) => Ok(&FIELDS),
        FormOptions { fields: true, .. } if is(&TRACE_DAT) => {
            refused("--fields", "a trace.dat file has records as they are")
        }
        FormOptions { fields: true, .. } => refused("--fields", "JSON has the fields of records"),
        FormOptions { text: true, .. } if is(&JSON_LINES) => Ok(&JSON_LINES_WITH_TEXT),
        FormOptions { text: true, .. } => {
            refused("--text", "it is for JSON, and text is what is printed anyway")
        }
        FormOptions { fields: false, text: false } => Ok(form),
    }
}
