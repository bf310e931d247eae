//! Lines of C.

/// The columns of a line, as scripts/checkpatch.pl counts them (`max_line_length`).
const COLUMNS: usize = 100;

/// The columns of a tab.
const TAB: usize = 8;

/// Returns items with commas between them, on as many lines as they need. Each further line begins below the first
/// item.
pub(super) fn fill(before: &str, items: &[String], after: &str) -> String {
    let start = width(before);
    let indent = format!("{}{}", "\t".repeat(start / TAB), " ".repeat(start % TAB));
    let mut text = before.to_owned();
    let mut column = start;
    for (index, item) in items.iter().enumerate() {
        let behind = if index + 1 < items.len() { "," } else { after };
        let length = item.chars().count() + behind.len();
        if index > 0 {
            if column + 1 + length > COLUMNS {
                text.push('\n');
                text.push_str(&indent);
                column = start;
            } else {
                text.push(' ');
                column += 1;
            }
        }
        text.push_str(item);
        text.push_str(behind);
        column += length;
    }
    if items.is_empty() {
        text.push_str(after);
    }
    text
}

/// Returns the lines of a paragraph of a comment, which leave room for what stands before and behind them.
pub(super) fn wrapped(paragraph: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let fits = |line: &String| line.is_empty() || width(line) + 1 + width(word) <= COLUMNS - 6;
        match lines.last_mut().filter(|line| fits(line)) {
            Some(line) => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

fn width(text: &str) -> usize {
    text.chars().fold(0, |column, c| match c {
        '\t' => (column / TAB + 1) * TAB,
        _ => column + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraph_is_wrapped_between_words() {
        assert_eq!(wrapped(""), [""]);
        let long = "word ".repeat(30);
        let lines = wrapped(&long);
        assert_eq!((lines.len(), lines.concat().matches("word").count()), (2, 30));
        assert!(lines.iter().all(|line| line.len() <= COLUMNS - 6 && line.trim() == line), "{lines:?}");
    }

    #[test]
    fn lines_continue_below_the_first_item() {
        let items = ["a".repeat(60), "b".repeat(30), "c".repeat(5)];
        let expected = format!("\tf({},\n\t  {}, {});", items[0], items[1], items[2]);
        assert_eq!(fill("\tf(", &items, ");"), expected);
        assert_eq!(fill("\tf(", &[], ");"), "\tf();");
    }
}
