//! A value as an indented tree, with every group that fits on a line joined to one.
//!
//! The input is the text of `{:#?}`, which has one line per leaf and per end of a group. Line breaks in strings are
//! escaped there. Only white space is changed between these lines, so that two trees are equal exactly if the texts
//! are.

use std::fmt::Debug;

/// The width of a line, up to which a group is joined, and the least that is left to a group where the indentation
/// takes more.
const WIDTH: usize = 116;
const LEAST_WIDTH: usize = 60;

/// Returns the lines of `head` and the value, each with its depth below the first. The first is indented by `indent`
/// columns, each depth by `step` more.
pub(super) fn lines(head: &str, value: &impl Debug, indent: usize, step: usize) -> Vec<(usize, String)> {
    let text = format!("{value:#?}");
    let node = Node::read(&mut text.lines());
    let mut printed = Lines { indent, step, lines: Vec::new() };
    printed.node(&node, head.to_owned(), 0, "");
    printed.lines
}

/// A part of a value.
#[derive(Debug)]
enum Node<'t> {
    /// One without parts.
    Leaf(&'t str),
    /// `open PARTS close`.
    Group { open: &'t str, parts: Vec<Node<'t>>, close: &'t str },
}

/// Returns a line without indentation and the comma behind it.
fn trimmed(line: &str) -> &str {
    let line = line.trim_start_matches(' ');
    line.strip_suffix(',').unwrap_or(line)
}

impl<'t> Node<'t> {
    /// Reads the node that begins on the next line.
    fn read(lines: &mut std::str::Lines<'t>) -> Node<'t> {
        // The groups that are not closed.
        let mut open: Vec<(&'t str, Vec<Node<'t>>)> = Vec::new();
        loop {
            let line = lines.next().map(trimmed);
            let done = match (line, open.pop()) {
                (Some(line), outer) if line.ends_with(['{', '(', '[']) => {
                    open.extend(outer);
                    open.push((line, Vec::new()));
                    continue;
                }
                (Some(close), Some((open, parts))) if close.starts_with(['}', ')', ']']) => {
                    Node::Group { open, parts, close }
                }
                (Some(leaf), outer) => {
                    open.extend(outer);
                    Node::Leaf(leaf)
                }
                // A text that is not closed: what was read so far.
                (None, Some((open, parts))) => Node::Group { open, parts, close: "" },
                (None, None) => Node::Leaf(""),
            };
            match open.last_mut() {
                Some((_, parts)) => parts.push(done),
                None => return done,
            }
        }
    }

    /// Appends the node as one line, if that takes no more than `room` bytes.
    fn join(&self, line: &mut String, room: usize) -> bool {
        match self {
            Node::Leaf(text) => line.push_str(text),
            Node::Group { open, parts, close } => {
                line.push_str(open);
                let space = if open.ends_with('{') { " " } else { "" };
                line.push_str(space);
                for (index, part) in parts.iter().enumerate() {
                    line.push_str(if index > 0 { ", " } else { "" });
                    if !part.join(line, room) {
                        return false;
                    }
                }
                line.push_str(space);
                line.push_str(close);
            }
        }
        line.len() <= room
    }
}

struct Lines {
    indent: usize,
    step: usize,
    lines: Vec<(usize, String)>,
}

impl Lines {
    /// Prints a node behind what its first line begins with, and before what its last line ends with.
    fn node(&mut self, node: &Node<'_>, head: String, depth: usize, tail: &str) {
        let room = WIDTH.saturating_sub(self.indent + self.step * depth).max(LEAST_WIDTH);
        let mut line = head.clone();
        if node.join(&mut line, room) {
            return self.lines.push((depth, line + tail));
        }
        match node {
            Node::Leaf(text) => self.lines.push((depth, head + text + tail)),
            // The only part of a group stands with it: `Some(Spanned {`.
            Node::Group { open, parts, close } if parts.len() == 1 && open.ends_with('(') => {
                self.node(&parts[0], head + open, depth, &format!("{close}{tail}"));
            }
            Node::Group { open, parts, close } => {
                self.lines.push((depth, head + open));
                parts.iter().for_each(|part| self.node(part, String::new(), depth + 1, ""));
                self.lines.push((depth, format!("{close}{tail}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "it is only printed")]
    struct Pair<A, B> {
        first: A,
        second: B,
    }

    fn printed(value: &impl Debug) -> String {
        let lines = lines("x: ", value, 0, 2);
        lines.into_iter().map(|(depth, line)| format!("{:1$}{line}\n", "", 2 * depth)).collect()
    }

    #[test]
    fn group_that_fits_is_one_line() {
        assert_eq!(printed(&3), "x: 3\n");
        assert_eq!(printed(&[0; 0]), "x: []\n");
        let value = Pair { first: Some(1), second: vec!["a", "{"] };
        assert_eq!(printed(&value), "x: Pair { first: Some(1), second: [\"a\", \"{\"] }\n");
        assert_eq!(printed(&BTreeMap::from([("a", 1)])), "x: { \"a\": 1 }\n");
    }

    #[test]
    fn group_that_does_not_fit_has_a_line_per_part() {
        let long = "x".repeat(80);
        let value = Some(Pair { first: long.clone(), second: vec![Pair { first: long.clone(), second: 7 }] });
        let expected = format!(
            "x: Some(Pair {{\n  first: \"{long}\"\n  second: [\n    Pair {{ first: \"{long}\", second: 7 }}\n  ]\n}})\n"
        );
        assert_eq!(printed(&value), expected);
    }

    #[test]
    fn string_is_not_taken_for_the_end_of_a_group() {
        let texts = ["(", "[", "a {", "}", "),", "\n}\n", ",", "  "];
        let long = [texts.to_vec(), vec!["y"; 40]].concat();
        let joined: String = printed(&long).lines().map(|line| line.trim_start().to_owned() + ",").collect();
        let expected: String = long.iter().map(|text| format!("{text:?},")).collect();
        assert_eq!(joined, format!("x: [,{expected}],"));
    }
}
