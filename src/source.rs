//! Texts from files, standard input and the command line.

use tracec_compiler::diagnostic::lints::Setting;
use tracec_compiler::{Diagnostic, Input, KernelSource, SourceText};

use crate::cli::{Source, SourceOptions};
use crate::imports::Files;
use crate::read;

/// A text and the session that was chosen in it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The text.
    pub(crate) text: SourceText,
    /// The session of `FILE#SESSION`.
    pub(crate) session: Option<String>,
    /// Values of the session's parameters.
    pub(crate) set: Vec<(String, String)>,
    /// Lint levels of the command line.
    pub(crate) levels: Vec<Setting>,
    /// The files that it may import.
    files: Files,
}

impl Loaded {
    /// Returns the input of the compiler, with the files beside the text.
    pub(crate) fn input<'a>(&'a self, kernel: &'a dyn KernelSource) -> Input<'a> {
        Input { imports: &self.files, set: &self.set, levels: &self.levels, ..Input::new(&self.text, kernel) }
    }
}

/// Reads the text that the command line names.
pub(crate) fn load(Source { file, options }: &Source) -> Result<Loaded, Diagnostic> {
    load_or(file.as_deref(), options)
}

/// Reads the text of a file, or the one in the options.
pub(crate) fn load_or(file: Option<&str>, options: &SourceOptions) -> Result<Loaded, Diagnostic> {
    if let Some(text) = &options.expression {
        return of_command_line("-e", text, options);
    }
    let (levels, set) = (options.lints.settings()?, options.set.clone());
    let (path, session) = split(file.unwrap_or("-"));
    let text = read::text(path, read::bytes(path)).map_err(|said| match session {
        Some(_) => said.note("the name of a session follows the last `#`"),
        None => said,
    })?;
    let text = SourceText { name: path.to_owned(), text, one_liner: false };
    let files = Files::beside(path, &options.import_path);
    Ok(Loaded { text, session, set, levels, files })
}

/// Takes an argument as the text itself.
pub(crate) fn load_text(text: &str, options: &SourceOptions) -> Result<Loaded, Diagnostic> {
    of_command_line("condition", text, options)
}

fn of_command_line(name: &str, text: &str, options: &SourceOptions) -> Result<Loaded, Diagnostic> {
    let (levels, set) = (options.lints.settings()?, options.set.clone());
    let text = SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: true };
    let files = Files::beside(&text.name, &options.import_path);
    Ok(Loaded { text, session: None, set, levels, files })
}

/// Splits `FILE#SESSION`, unless a file of that name exists.
fn split(argument: &str) -> (&str, Option<String>) {
    match argument.rsplit_once('#') {
        Some((path, session)) if !std::path::Path::new(argument).exists() => (path, Some(session.to_owned())),
        _ => (argument, None),
    }
}
