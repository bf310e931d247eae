//! Texts from files, standard input and the command line.

use std::io::Read;

use tracec_compiler::diagnostic::codes;
use tracec_compiler::diagnostic::lints::Setting;
use tracec_compiler::{Diagnostic, Input, KernelSource, SourceText};

use crate::cli::{Source, SourceOptions};
use crate::imports::Files;

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
}

impl Loaded {
    /// Returns the input of the compiler, with the files beside the text.
    pub(crate) fn input<'a>(&'a self, kernel: &'a dyn KernelSource) -> Input<'a> {
        Input { imports: &Files, set: &self.set, levels: &self.levels, ..Input::new(&self.text, kernel) }
    }
}

/// Reads the text that the command line names.
pub(crate) fn load(Source { file, options }: &Source) -> Result<Loaded, Diagnostic> {
    load_or(file.as_deref(), options)
}

/// Reads the text of a file, or the one in the options.
pub(crate) fn load_or(file: Option<&str>, options: &SourceOptions) -> Result<Loaded, Diagnostic> {
    let (levels, set) = (options.lints.settings()?, options.set.clone());
    if let Some(text) = &options.expression {
        let text = SourceText { name: "-e".to_owned(), text: text.clone(), one_liner: true };
        return Ok(Loaded { text, session: None, set, levels });
    }
    let (path, session) = split(file.unwrap_or("-"));
    let read = text(path, read(path));
    let text = read.map_err(|said| match session {
        Some(_) => said.note("the name of a session follows the last `#`"),
        None => said,
    })?;
    let text = SourceText { name: path.to_owned(), text, one_liner: false };
    Ok(Loaded { text, session, set, levels })
}

/// Returns the text of the bytes that were read from `name`.
pub(crate) fn text(name: &str, bytes: std::io::Result<Vec<u8>>) -> Result<String, Diagnostic> {
    let bytes =
        bytes.map_err(|error| codes::unreadable_source::unreadable_source(name, &error.to_string()))?;
    if bytes.len() > tracec_grammar::MAX_SOURCE {
        // The grammar refuses it by its size, so it does not matter where it was cut.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let text = tracec_grammar::decode(&bytes);
    text.map(str::to_owned).map_err(|invalid| codes::not_utf8::not_utf8(name, invalid.at))
}

/// Splits `FILE#SESSION`, unless a file of that name exists.
fn split(argument: &str) -> (&str, Option<String>) {
    match argument.rsplit_once('#') {
        Some((path, session)) if !std::path::Path::new(argument).exists() => (path, Some(session.to_owned())),
        _ => (argument, None),
    }
}

/// Returns the bytes of a file or of standard input.
pub(crate) fn read(path: &str) -> std::io::Result<Vec<u8>> {
    if path == "-" { limited(std::io::stdin().lock()) } else { limited(std::fs::File::open(path)?) }
}

/// Reads at most a little more than the grammar accepts: a wrong path may name a device or a dump.
pub(crate) fn limited(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(tracec_grammar::MAX_SOURCE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
