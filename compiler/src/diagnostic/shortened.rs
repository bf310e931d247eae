//! Texts of diagnostics without the middle of very long words: a name may have a million characters.

/// The longest word that is kept, bytes. Paths and filter texts have words that are nearly as long.
const LONGEST_WORD: usize = 500;
/// What is kept of a longer one: bytes at its begin and at its end.
const KEPT: (usize, usize) = (200, 40);
/// The longest text, bytes.
const LONGEST: usize = 10_000;

/// Returns a text in which words are shortened, and which is cut if it has too many.
pub(super) fn shortened(text: String) -> String {
    if text.len() <= LONGEST_WORD {
        return text;
    }
    let mut short = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if word.len() <= LONGEST_WORD {
            short.push_str(word);
        } else {
            let (begin, end) =
                (word.floor_char_boundary(KEPT.0), word.ceil_char_boundary(word.len() - KEPT.1));
            short.extend([&word[..begin], "..", &word[end..]]);
        }
        if short.len() > LONGEST {
            short.truncate(short.floor_char_boundary(LONGEST));
            short.push_str("..");
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_texts_are_kept() {
        let condition = "prev_prio < 100 && ".repeat(200);
        for text in ["", "there is no event `a:b`", &"x".repeat(LONGEST_WORD), &condition] {
            assert_eq!(shortened(text.to_owned()), text);
        }
    }

    #[test]
    fn long_words_lose_their_middle_and_long_texts_their_end() {
        let long = format!("there is no event `{}`, nor any like it", "\u{e4}".repeat(1_000_000));
        let short = shortened(long);
        assert!(
            short.starts_with("there is no event `\u{e4}") && short.contains("\u{e4}..\u{e4}"),
            "{short}"
        );
        assert!(short.ends_with("\u{e4}`, nor any like it") && short.len() < 300, "{short}");
        let many = shortened("word ".repeat(1_000_000));
        assert!(many.len() < LONGEST + 10 && many.ends_with(".."), "{many}");
    }
}
