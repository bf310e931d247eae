//! Generation of blanks, line ends and comments between tokens.

use super::Generator;

impl Generator<'_> {
    /// Adds the space before `token`.
    pub(super) fn trivia(&mut self, token: &str) {
        let start = self.text.len();
        self.blanks(token);
        self.gaps.push(start..self.text.len());
    }

    fn blanks(&mut self, token: &str) {
        match self.choose(26) {
            0..=11 => self.text.push(' '),
            12..=14 if self.may_touch(token) => {}
            15 | 16 => self.text.push('\n'),
            17 => self.text.push_str("  \n\t\n \n"),
            18 => self.text.push_str(" \t\x0c "),
            19 => self.line_comment(),
            20 => self.block_comment(),
            21 => {
                self.block_comment();
                self.line_comment();
            }
            22 => {
                self.text.push_str("\n\n");
                self.line_comment();
                self.text.push_str("\n    ");
                self.block_comment();
            }
            23 => {
                self.line_comment();
                self.text.push_str("\n \n\t");
            }
            24 => {
                self.text.push_str("\n\r\n");
                self.block_comment();
                self.text.push_str("\n\n\n");
            }
            _ => {
                self.text.push('\n');
                self.block_comment();
                self.text.push('\n');
            }
        }
    }

    fn line_comment(&mut self) {
        self.comments += 1;
        // Three slashes would make it a doc comment, four do not.
        let (slashes, body) =
            [("//", ""), ("//", " words"), ("////", ""), ("//", " trailing  "), ("//", " \u{e4} \" ` {")]
                [self.comments as usize % 5];
        self.text.push_str(&format!(" {slashes} {}{body}\n", self.comments));
    }

    fn block_comment(&mut self) {
        self.comments += 1;
        let body = ["", " words ", "\n   two lines \n", "*", " // "][self.comments as usize % 5];
        // After a division sign it would be a line comment.
        let blank = if self.text.ends_with('/') { " " } else { "" };
        self.text.push_str(&format!("{blank}/* {}{body}*/", self.comments));
    }

    /// Returns whether a token may follow the text directly: one of the two is a bracket or ends something.
    fn may_touch(&self, token: &str) -> bool {
        let alone = |c: char| "(){};,".contains(c);
        self.text.ends_with(alone) || token.starts_with(alone)
    }

    /// Adds `///` lines, where they are valid.
    pub(super) fn docs(&mut self) {
        if !self.rarely() {
            return;
        }
        for _ in 0..=self.choose(3) {
            self.token("/// documented");
            let end = if self.maybe() { "  \n" } else { "\n" };
            self.text.push_str(end);
        }
    }
}
