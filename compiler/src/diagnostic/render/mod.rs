//! Forms of output, one file each: [`text`] and [`short`] for people, [`json`] for programs. The form for editors is in
//! the crate tracec-lsp.

pub mod json;
pub mod short;
pub mod text;

use std::borrow::Cow;

use tracec_kernel::escaped::is_unprintable;

/// A text with everything replaced that a terminal would obey, byte for byte: a source, and the name of one, must not
/// speak to it. Besides control characters these are the ones that turn the direction of writing round and make a line
/// read as another than it is.
fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |c| is_unprintable(c) && !matches!(c, '\n' | '\r' | '\t'))
}

/// The same for what has to stay on one line.
pub(crate) fn one_line(text: &str) -> String {
    replaced(&printable(text), |c| matches!(c, '\n' | '\r' | '\t')).into_owned()
}

fn replaced(text: &str, speaks: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&speaks) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if speaks(c) { clean.extend(std::iter::repeat_n('?', c.len_utf8())) } else { clean.push(c) }
    }
    Cow::Owned(clean)
}
