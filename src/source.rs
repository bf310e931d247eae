//! Texts from files, standard input and the command line.

use std::io::Read;

use tracec_compiler::diagnostic::codes;
use tracec_compiler::{Diagnostic, Input, KernelSource, SourceText};

use crate::cli::Source;
use crate::imports::Files;

/// A text and the session that was chosen in it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The text.
    pub(crate) text: SourceText,
    /// `FILE#SESSION`.
    pub(crate) session: Option<String>,
    /// Values for the session's parameters.
    pub(crate) set: Vec<(String, String)>,
}

impl Loaded {
    /// What the compiler works on, with the files beside the text and every lint at its own level.
    pub(crate) fn input<'a>(&'a self, kernel: &'a dyn KernelSource) -> Input<'a> {
        Input { imports: &Files, set: &self.set, ..Input::new(&self.text, kernel) }
    }
}

/// Reads the text that the command line means.
pub(crate) fn load(source: &Source) -> Result<Loaded, Diagnostic> {
    if let Some(text) = &source.expression {
        let text = SourceText { name: "-e".to_owned(), text: text.clone(), one_liner: true };
        return Ok(Loaded { text, session: None, set: source.set.clone() });
    }
    let argument = source.file.as_deref().unwrap_or("-");
    let (path, session) = split(argument);
    let bytes =
        read(path).map_err(|error| codes::unreadable_source::unreadable_source(path, &error.to_string()))?;
    let text = if bytes.len() > tracec_grammar::MAX_SOURCE {
        // The grammar refuses it by its size; where it was cut is of no interest.
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        tracec_grammar::decode(&bytes)
            .map_err(|invalid| codes::not_utf8::not_utf8(path, invalid.at))?
            .to_owned()
    };
    let text = SourceText { name: path.to_owned(), text, one_liner: false };
    Ok(Loaded { text, session, set: source.set.clone() })
}

/// `FILE#SESSION`, unless a file of that very name is there.
fn split(argument: &str) -> (&str, Option<String>) {
    match argument.rsplit_once('#') {
        Some((path, session)) if !std::path::Path::new(argument).exists() => (path, Some(session.to_owned())),
        _ => (argument, None),
    }
}

/// The bytes of a source, no more than just above what the grammar accepts: a wrong path may name a device or a dump.
pub(crate) fn read(path: &str) -> std::io::Result<Vec<u8>> {
    let limit = tracec_grammar::MAX_SOURCE as u64 + 1;
    let mut bytes = Vec::new();
    if path == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
