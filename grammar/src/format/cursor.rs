//! The position in the text up to which everything is in the document, and the comments found on the way.

use crate::comment::{Comment, CommentKind};

/// The characters that separate tokens.
pub(super) const BLANKS: [char; 5] = [' ', '\t', '\r', '\n', '\x0c'];

/// A comment that has been passed and is not yet in the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed<'a> {
    /// As written, without blanks at its end.
    pub(super) text: &'a str,
    /// Whether its line must end behind it.
    pub(super) ends_line: bool,
    /// The number of line ends before it, since the preceding token or comment.
    pub(super) newlines: u32,
}

/// A cursor over a text, token by token. It does not know tokens: text that is neither blank nor comment belongs to
/// one, and the syntax knows where it ends.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The comments after `at`.
    comments: &'a [Comment],
    /// The offsets after `at` of parentheses that are skipped like blanks.
    superfluous: &'a [usize],
    passed: Vec<Passed<'a>>,
    /// The number of line ends between the last comment or token and the next token.
    newlines: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, comments: &'a [Comment], superfluous: &'a [usize]) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { text, at, comments, superfluous, passed: Vec::new(), newlines: 0 }
    }

    /// Returns the position.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes to the next token and returns the text from there on.
    pub(super) fn peek(&mut self) -> &'a str {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let token = rest.trim_start_matches(BLANKS);
            let blank = &rest[..rest.len() - token.len()];
            self.newlines += blank.bytes().filter(|byte| *byte == b'\n').count() as u32;
            self.at += blank.len();
            if let Some((_, behind)) = self.superfluous.split_first().filter(|(first, _)| **first == self.at)
            {
                self.superfluous = behind;
                self.at += 1;
                continue;
            }
            match self.comments.split_first() {
                Some((comment, behind)) if comment.span.range().start == self.at => {
                    self.comments = behind;
                    self.pass(comment);
                }
                _ => return token,
            }
        }
    }

    fn pass(&mut self, comment: &Comment) {
        // A line comment ends its line even if a token has been moved before it.
        let newlines = self.newlines.max(u32::from(self.passed_line_comment()));
        let text = self.text.get(comment.span.range()).unwrap_or_default().trim_end();
        self.passed.push(Passed { text, ends_line: comment.kind == CommentKind::Line, newlines });
        self.at = comment.span.range().end;
        self.newlines = 0;
    }

    fn passed_line_comment(&self) -> bool {
        self.passed.last().is_some_and(|comment| comment.ends_line)
    }

    /// Takes the token that begins here and ends at `end`.
    pub(super) fn take(&mut self, end: usize) -> &'a str {
        self.peek();
        let token = self.text.get(self.at..end).unwrap_or_default();
        self.at = end.max(self.at);
        // Comments and parentheses in the placeholders of a template are part of the text that was taken.
        let inside = self.comments.partition_point(|comment| comment.span.range().start < self.at);
        self.comments = self.comments.get(inside..).unwrap_or_default();
        let inside = self.superfluous.partition_point(|offset| *offset < self.at);
        self.superfluous = self.superfluous.get(inside..).unwrap_or_default();
        self.newlines = 0;
        token
    }

    /// Takes the rest of the line as one token, without blanks at its end.
    pub(super) fn take_line(&mut self) -> &'a str {
        let rest = self.peek();
        let line = rest.split('\n').next().unwrap_or_default();
        self.take(self.at + line.len()).trim_end()
    }

    /// Skips a mark if it is the next token.
    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.peek().starts_with(mark);
        if found {
            self.take(self.at + mark.len());
        }
        found
    }

    /// Returns the text after the next token, which is `token`, from the following token on; and whether there are
    /// comments between the two.
    pub(super) fn behind(&mut self, token: &str) -> (&'a str, bool) {
        self.peek();
        let mut behind = Cursor { at: self.at + token.len(), passed: Vec::new(), ..*self };
        (behind.peek(), !behind.passed.is_empty())
    }

    /// Returns the comments before the next token, and the number of line ends between the last of them and the token.
    pub(super) fn comments(&mut self) -> (Vec<Passed<'a>>, u32) {
        self.peek();
        let newlines = self.newlines.max(u32::from(self.passed_line_comment()));
        (std::mem::take(&mut self.passed), newlines)
    }

    /// Returns whether a comment stands before the next token.
    pub(super) fn is_before_comment(&mut self) -> bool {
        self.peek();
        !self.passed.is_empty()
    }

    /// Returns whether the comments before the next token must not stand before it on its line.
    pub(super) fn must_step_over(&mut self) -> bool {
        self.peek();
        !self.passed.is_empty()
            && (self.newlines > 0
                || self.passed.iter().any(|comment| comment.ends_line || comment.newlines > 0))
    }

    /// Returns whether the text from here to `end` is one line without a comment.
    pub(super) fn is_one_line(&self, end: usize) -> bool {
        let comment = self.comments.first().is_some_and(|comment| comment.span.range().start < end);
        let text = self.text.get(self.at..end).unwrap_or_default();
        self.passed.is_empty() && !comment && !text.contains('\n')
    }

    /// Returns the end of a literal or name that begins here and has only parentheses, blanks and comments between
    /// itself and `end`.
    pub(super) fn end_of_leaf(&self, end: usize) -> usize {
        let comment = self.comments.first().map_or(end, |comment| comment.span.range().start.min(end));
        let leaf = self.text.get(self.at..comment).unwrap_or_default();
        self.at + leaf.trim_end_matches(|c: char| c == ')' || c.is_ascii_whitespace()).len()
    }
}
