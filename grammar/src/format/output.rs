//! Conversion of the document to text: line ends, without blanks before them.

use std::fmt;

use pretty::{Render, RenderAnnotated};

/// The text that is being written.
pub(super) struct Output {
    text: String,
    line_end: &'static str,
    /// The number of blanks, which are written only if something follows them on their line.
    blanks: usize,
}

impl Output {
    pub(super) fn new(line_end: &'static str, capacity: usize) -> Self {
        Output { text: String::with_capacity(capacity), line_end, blanks: 0 }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl Render for Output {
    type Error = fmt::Error;

    fn write_str(&mut self, piece: &str) -> Result<usize, fmt::Error> {
        // Tokens are not single line ends or blanks: these come from the document.
        if piece == "\n" {
            self.blanks = 0;
            self.text.push_str(self.line_end);
        } else if piece.bytes().all(|byte| byte == b' ') {
            self.blanks += piece.len();
        } else {
            self.text.extend(std::iter::repeat_n(' ', self.blanks));
            self.blanks = 0;
            self.text.push_str(piece);
        }
        Ok(piece.len())
    }

    fn fail_doc(&self) -> fmt::Error {
        fmt::Error
    }
}

impl<'a> RenderAnnotated<'a, ()> for Output {
    fn push_annotation(&mut self, (): &'a ()) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn pop_annotation(&mut self) -> Result<(), fmt::Error> {
        Ok(())
    }
}

/// Returns the line end that most lines of a text have.
pub(super) fn line_end(text: &str) -> &'static str {
    let (mut all, mut windows) = (0usize, 0usize);
    for line in text.split_inclusive('\n') {
        all += usize::from(line.ends_with('\n'));
        windows += usize::from(line.ends_with("\r\n"));
    }
    if 2 * windows > all { "\r\n" } else { "\n" }
}
