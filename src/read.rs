//! Bytes and texts that are read, up to the limit of a text.

use std::fs::File;
use std::io::{self, Read};

use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes;

/// Returns the bytes of a file or of standard input.
pub(crate) fn bytes(path: &str) -> io::Result<Vec<u8>> {
    if path == "-" { limited(io::stdin().lock()) } else { limited(File::open(path)?) }
}

/// Reads at most a little more than the grammar accepts: a wrong path may name a device or a dump.
pub(crate) fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(tracec_grammar::MAX_SOURCE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the text of the bytes that were read from `name`.
pub(crate) fn text(name: &str, bytes: io::Result<Vec<u8>>) -> Result<String, Diagnostic> {
    let bytes = bytes.map_err(|error| {
        let said = codes::unreadable_source::unreadable_source(name, &error.to_string());
        let is_session = name.contains(':') && !name.contains(['/', '\'']);
        if is_session {
            said.help(format!("the text of a session stands behind `-e`: -e '{name}'"))
        } else {
            said
        }
    })?;
    if bytes.len() > tracec_grammar::MAX_SOURCE {
        // The grammar refuses it by its size, so it does not matter where it was cut.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let text = tracec_grammar::decode(&bytes);
    text.map(str::to_owned).map_err(|invalid| codes::not_utf8::not_utf8(name, invalid.at))
}
