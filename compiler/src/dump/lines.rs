//! A text in lines, each indented by its depth.

use std::fmt::{Debug, Write as _};

use tracec_grammar::span::Spanned;

use super::tree;

/// The spaces per depth.
const INDENT: usize = 2;

/// A text in lines. Data from outside is printed as `Debug`, without line ends.
#[derive(Default)]
pub(super) struct Lines<'s> {
    out: String,
    depth: usize,
    /// What gets each line as soon as it is written, instead of the text.
    sink: Option<&'s mut dyn FnMut(&str)>,
}

impl<'s> Lines<'s> {
    /// Passes each line on.
    pub(super) fn to(sink: &'s mut dyn FnMut(&str)) -> Self {
        Lines { sink: Some(sink), ..Lines::default() }
    }

    /// Returns the text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:1$}{2}", "", INDENT * self.depth, text.as_ref());
        if let Some(sink) = &mut self.sink {
            sink(&self.out);
            self.out.clear();
        }
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

    /// Writes a text: each of its lines verbatim after a bar, or in quotes as `Debug` where it has control characters,
    /// which a terminal would obey.
    pub(super) fn text(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            let content = line.strip_suffix('\n');
            self.line(match content.unwrap_or(line) {
                line if line.contains(is_obeyed) => format!("{line:?}"),
                line => format!("| {line}"),
            });
            if content.is_none() {
                self.line("\\ no line end");
            }
        }
    }
}

/// Returns a text without line ends and control characters, which are escaped. Two texts may look alike then.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => line.extend(c.escape_debug()),
            false => line.push(c),
        }
    }
    line
}

/// Returns whether a terminal may do something else with a character than show it. Tabs are in every layout.
fn is_obeyed(c: char) -> bool {
    c.is_control() && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut lines = Lines::default();
        lines.text(text);
        lines.finish()
    }

    #[test]
    fn line_with_control_characters_is_in_quotes() {
        assert_eq!(written("a\n\tb\"\\\n"), "| a\n| \tb\"\\\n");
        assert_eq!(
            written("a\n\u{1b}[2J\r\n\u{9b}"),
            "| a\n\"\\u{1b}[2J\\r\"\n\"\\u{9b}\"\n\\ no line end\n"
        );
        assert_eq!(written("\"\\u{1b}\""), "| \"\\u{1b}\"\n\\ no line end\n");
        assert_eq!(one_line("a\n\u{1b}\u{e4}\""), "a\\n\\u{1b}\u{e4}\"");
    }
}
