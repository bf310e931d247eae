//! URIs of documents, and the names of texts. A text with a path has it as its name, so that an import of the file
//! finds it; any other document has its URI as its name.

use std::fmt::Write;

const FILE: &str = "file://";

/// Returns the name of a document's text.
pub(crate) fn name(uri: &str) -> String {
    path(uri).unwrap_or_else(|| uri.to_owned())
}

/// Returns the path of a `file:` URI; `None` for another one, for one of another host, and for one whose path is not
/// UTF-8.
fn path(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix(FILE)?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    path.starts_with('/').then(|| decoded(path)).flatten()
}

/// Returns the URI of the text with this name.
pub(crate) fn uri(name: &str) -> String {
    if !name.starts_with('/') {
        return name.to_owned();
    }
    let mut uri = FILE.to_owned();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte))
            }
            // Writing to a string does not fail.
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}

/// Resolves `%XX`; `None` if the result is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let escaped = match (byte, after) {
            (b'%', [high, low, ..]) => hexadecimal(*high).zip(hexadecimal(*low)),
            _ => None,
        };
        bytes.push(escaped.map_or(*byte, |(high, low)| high << 4 | low));
        rest = after.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8(bytes).ok()
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_uri_lead_to_each_other() {
        for path in ["/a/b.trc", "/with space/%41/\u{e4}\u{1f980}#?.trc"] {
            assert_eq!(name(&uri(path)), path);
        }
        assert_eq!(uri("/a b.trc"), "file:///a%20b.trc");
        assert_eq!(name("file://localhost/a%2Db.trc"), "/a-b.trc");
    }

    #[test]
    fn what_is_no_path_keeps_its_uri() {
        for other in ["untitled:Untitled-1", "file:relative.trc", "file://host/a.trc", "file:///%FF"] {
            assert_eq!(name(other), other);
            assert_eq!(uri(other), other);
        }
    }

    #[test]
    fn broken_escapes_stay_as_they_are() {
        assert_eq!(name("file:///a%"), "/a%");
        assert_eq!(name("file:///a%4"), "/a%4");
        assert_eq!(name("file:///a%zz"), "/a%zz");
    }
}
