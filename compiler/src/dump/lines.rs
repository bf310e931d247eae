//! A text in lines, each indented by its depth.

use std::fmt::{Debug, Write as _};

use tracec_grammar::span::Spanned;

use super::tree;

/// The spaces per depth.
const INDENT: usize = 2;

/// A text in lines. Data from outside is printed as `Debug`, without line ends.
#[derive(Default)]
pub(super) struct Lines {
    out: String,
    depth: usize,
}

impl Lines {
    /// Returns the text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:1$}{2}", "", INDENT * self.depth, text.as_ref());
    }

    /// Writes `name: value`, as a tree where it does not fit on a line.
    pub(super) fn field(&mut self, name: &str, value: impl Debug) {
        let depth = self.depth;
        for (below, line) in tree::lines(&format!("{name}: "), &value, INDENT * depth, INDENT) {
            self.depth = depth + below;
            self.line(line);
        }
        self.depth = depth;
    }

    /// Writes `name: value` for each of some values.
    pub(super) fn each<T: Debug>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.field(name, value));
    }

    /// Writes `name at SPAN: value` for each of some values; nothing for none.
    pub(super) fn spanned<'a, T: Debug + 'a>(
        &mut self,
        name: &str,
        values: impl IntoIterator<Item = &'a Spanned<T>>,
    ) {
        for Spanned { value, span } in values {
            self.field(&format!("{name} at {span:?}"), value);
        }
    }

    /// Writes a head, and its body indented below it.
    pub(super) fn block(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        self.line(head);
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// Writes a text verbatim, each of its lines after a bar.
    pub(super) fn text(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => self.line(format!("| {line}")),
                None => self.line(format!("| {line}\n\\ no line end")),
            }
        }
    }
}
