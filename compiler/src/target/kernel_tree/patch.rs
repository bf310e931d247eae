//! Unified diffs of what is added.

use std::fmt::Write;

/// The number of equal lines in front of a change.
const CONTEXT: usize = 3;

/// Returns the diff that adds a file.
pub(super) fn new_file(path: &str, content: &str) -> String {
    let lines = content.lines().count();
    let mut text = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n");
    for line in content.lines() {
        // Writing into a string does not fail.
        let _ = writeln!(text, "+{line}");
    }
    text
}

/// Returns the diff that adds a line at the end of a file.
pub(super) fn last_line(path: &str, content: &str, line: &str) -> String {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let context = &lines[lines.len().saturating_sub(CONTEXT)..];
    let length = context.len();
    // An empty range is named by the line in front of it.
    let first = if lines.is_empty() { 0 } else { lines.len() - length + 1 };
    // A line with a backslash at its end goes on in the next one, and an empty one ends it.
    let added = if content.trim_end_matches('\n').ends_with('\\') && !content.ends_with("\n\n") {
        format!("+\n+{line}")
    } else {
        format!("+{line}")
    };
    let (begins, count) = (first.max(1), length + added.lines().count());
    let mut text = format!("--- a/{path}\n+++ b/{path}\n@@ -{first},{length} +{begins},{count} @@\n");
    for equal in context {
        match equal.strip_suffix('\n') {
            Some(equal) => {
                let _ = writeln!(text, " {equal}");
            }
            // Only the last line of a file can lack its end.
            None => {
                let _ = write!(text, "-{equal}\n\\ No newline at end of file\n+{equal}\n");
            }
        }
    }
    let _ = writeln!(text, "{added}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_follows_what_is_there() {
        let two = "--- a/m\n+++ b/m\n@@ -1,2 +1,3 @@\n a\n b\n+c\n";
        assert_eq!(last_line("m", "a\nb\n", "c"), two);
        let four = "--- a/m\n+++ b/m\n@@ -2,3 +2,4 @@\n b\n c\n d\n+e\n";
        assert_eq!(last_line("m", "a\nb\nc\nd\n", "e"), four);
        assert_eq!(last_line("m", "", "a"), "--- a/m\n+++ b/m\n@@ -0,0 +1,1 @@\n+a\n");
        let goes_on = "--- a/m\n+++ b/m\n@@ -1,1 +1,3 @@\n a \\\n+\n+c\n";
        assert_eq!(last_line("m", "a \\\n", "c"), goes_on);
        let has_ended = "--- a/m\n+++ b/m\n@@ -1,2 +1,3 @@\n a \\\n \n+c\n";
        assert_eq!(last_line("m", "a \\\n\n", "c"), has_ended);
        let open = "--- a/m\n+++ b/m\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n";
        assert_eq!(last_line("m", "a", "b"), open);
    }

    #[test]
    fn new_file_has_all_its_lines() {
        assert_eq!(new_file("x/y", "a\n\nb\n"), "--- /dev/null\n+++ b/x/y\n@@ -0,0 +1,3 @@\n+a\n+\n+b\n");
    }
}
