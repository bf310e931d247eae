//! Generator of texts of the whole language from numbers: each number chooses an alternative, and 0 is always the
//! shortest. Fewer and smaller numbers are therefore simpler texts, which is how proptest finds the simplest text that
//! fails. The texts are correct, and have every kind of space between their tokens.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part of this module")]

mod declarations;
mod expressions;
mod sessions;
mod trivia;

use std::ops::Range;

/// A text under construction.
pub struct Generator<'n> {
    numbers: std::slice::Iter<'n, u32>,
    text: String,
    /// Whether the next token must follow directly.
    glued: bool,
    comments: u32,
    gaps: Vec<Range<usize>>,
}

/// A text, and the ranges of the gaps between its tokens, where blanks, line ends and comments are or may be.
pub struct Text {
    pub text: String,
    pub gaps: Vec<Range<usize>>,
}

/// Returns the text of a file that the numbers choose.
pub fn file(numbers: &[u32]) -> String {
    let mut generator = Generator::new(numbers);
    generator.file();
    let line_ends = generator.choose(8);
    match line_ends {
        1 => generator.text.replace('\n', "\r\n"),
        2 => format!("\u{feff}{}", generator.text),
        _ => generator.text,
    }
}

/// Returns the same text as [`file`], with its gaps; the lines end in a line feed alone.
pub fn file_with_gaps(numbers: &[u32]) -> Text {
    let mut generator = Generator::new(numbers);
    generator.file();
    Text { text: generator.text, gaps: generator.gaps }
}

impl<'n> Generator<'n> {
    fn new(numbers: &'n [u32]) -> Self {
        Generator { numbers: numbers.iter(), text: String::new(), glued: true, comments: 0, gaps: Vec::new() }
    }
}

impl Generator<'_> {
    /// Returns a number below `ways`.
    fn choose(&mut self, ways: u32) -> u32 {
        self.numbers.next().map_or(0, |number| number % ways)
    }

    fn maybe(&mut self) -> bool {
        self.choose(2) == 1
    }

    fn rarely(&mut self) -> bool {
        self.choose(8) == 7
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        let index = self.choose(words.len() as u32);
        words[index as usize]
    }

    /// Adds a token.
    fn token(&mut self, token: &str) {
        if !self.glued {
            self.trivia(token);
        }
        self.glued = false;
        self.text.push_str(token);
    }

    /// Adds tokens that are separated by blanks in `tokens`.
    fn tokens(&mut self, tokens: &str) {
        tokens.split(' ').for_each(|token| self.token(token));
    }

    /// Adds more of the last token, or a token that must follow it directly.
    fn glue(&mut self, text: &str) {
        self.text.push_str(text);
        self.glued = false;
    }

    fn name(&mut self) {
        let name = self.pick(&[
            "x",
            "dev",
            "comm",
            "bytes",
            "count",
            "event",
            "size",
            "a_name_that_is_rather_long",
            "_1",
        ]);
        self.token(name);
    }

    fn string(&mut self) {
        let text = self.pick(&[
            "\"s\"",
            "\"a \\\"b\\\" // c\"",
            "r\"x/*\"",
            "r#\"a\"b)\"#",
            "\"\u{e4}\\u{e4}\"",
            "\"\"",
        ]);
        self.token(text);
    }

    fn integer(&mut self) {
        let number = self.pick(&["1", "0x2A", "0b1_0", "0o17", "18446744073709551615", "0o7"]);
        self.token(number);
    }

    /// Calls `one` some times, with commas between.
    fn listed(&mut self, least: u32, mut one: impl FnMut(&mut Self)) {
        let count = least + self.choose(4);
        for index in 0..count {
            if index > 0 {
                self.token(",");
            }
            one(self);
        }
    }

    /// Generates `open one, one, close`, perhaps with a comma after the last.
    fn bracketed(&mut self, open: &str, close: &str, least: u32, one: impl FnMut(&mut Self)) {
        self.token(open);
        let before = self.text.len();
        self.listed(least, one);
        if self.text.len() > before && self.rarely() {
            self.token(",");
        }
        self.token(close);
    }
}
