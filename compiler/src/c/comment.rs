//! Comments of C.

/// Returns a text that a comment can contain.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}
