//! The words of a shell: quotes, pipes and files.

/// A simple command: its words, and the file that its output goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The words without their quotes.
    pub(super) words: Vec<String>,
    /// The file behind `>` or `>>`, or the one that `tee` writes.
    pub(super) file: Option<String>,
}

/// Splits a text into the commands that a shell would run. What a shell would replace stays as it is.
pub(super) fn commands(text: &str) -> Vec<Command> {
    let mut reader =
        Reader { rest: text, done: Vec::new(), command: Command::default(), word: None, to_file: false };
    while reader.step() {}
    reader.end_command();
    located(reader.done)
}

/// Fills in the variables that the commands set, and the directory that `cd` enters.
fn located(commands: Vec<Command>) -> Vec<Command> {
    let mut directory = String::new();
    let mut variables: Vec<(String, String)> = Vec::new();
    let mut located = Vec::new();
    for mut command in commands {
        let texts = command.words.iter_mut().chain(&mut command.file);
        texts.for_each(|text| *text = replaced(text, &variables));
        match command.words.as_slice() {
            [only]
                if command.file.is_none()
                    && let Some((name, value)) = assignment(only) =>
            {
                variables.insert(0, (name.to_owned(), value.to_owned()));
                continue;
            }
            [cd, to] if cd == "cd" => directory = below(&directory, to),
            _ => {}
        }
        command.file = command.file.map(|file| below(&directory, &file));
        located.push(command);
    }
    located
}

/// Returns the name and the value of `NAME=VALUE`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, value))
}

/// Returns a text with the values of variables: `$NAME`, `${NAME}`. Those that are not known stay as they are.
fn replaced(text: &str, variables: &[(String, String)]) -> String {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('$') {
        done.push_str(before);
        let bare = behind.strip_prefix('{').unwrap_or(behind);
        let end = bare.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(bare.len());
        let value = variables.iter().find(|(name, _)| *name == bare[..end]);
        rest = match value {
            Some((_, value)) => {
                done.push_str(value);
                bare[end..].strip_prefix('}').filter(|_| bare != behind).unwrap_or(&bare[end..])
            }
            None => {
                done.push('$');
                behind
            }
        };
    }
    done + rest
}

/// Returns a path that is relative to a directory.
fn below(directory: &str, path: &str) -> String {
    match path.starts_with(['/', '$', '~']) || directory.is_empty() {
        true => path.to_owned(),
        false => format!("{}/{path}", directory.trim_end_matches('/')),
    }
}

/// The state of the split.
struct Reader<'t> {
    rest: &'t str,
    done: Vec<Command>,
    command: Command,
    /// The word that has begun.
    word: Option<String>,
    /// Whether the next word is a file.
    to_file: bool,
}

impl Reader<'_> {
    /// Takes the next character, or quoted part. Returns whether there was one.
    fn step(&mut self) -> bool {
        let Some(next) = self.rest.chars().next() else { return false };
        let after = &self.rest[next.len_utf8()..];
        self.rest = after;
        match next {
            '\'' => self.quoted('\'', false),
            '"' => self.quoted('"', true),
            '\\' => self.escaped(),
            '#' if self.word.is_none() => self.rest = after.find('\n').map_or("", |end| &after[end..]),
            '\n' | ';' => self.end_command(),
            '&' | '|' if after.starts_with(next) => {
                self.rest = &after[1..];
                self.end_command();
            }
            '|' => self.pipe(),
            // In `prev_prio>100` it is the operator of a filter whose quotes were forgotten.
            '>' if self.word.is_none() => {
                self.rest = after.trim_start_matches(['>', '|']);
                self.to_file = true;
            }
            c if c.is_whitespace() => self.end_word(),
            c => self.word.get_or_insert_default().push(c),
        }
        true
    }

    /// Takes the rest of a quoted part; a quote that is not closed ends with the text.
    fn quoted(&mut self, quote: char, escapes: bool) {
        let word = self.word.get_or_insert_default();
        let mut chars = self.rest.char_indices();
        while let Some((at, next)) = chars.next() {
            match next {
                '\\' if escapes => word.extend(chars.next().map(|(_, escaped)| escaped)),
                _ if next == quote => {
                    self.rest = &self.rest[at + next.len_utf8()..];
                    // What follows at once is the next word only behind an operator: `echo '1'>file`.
                    if self.rest.starts_with('>') {
                        self.end_word();
                    }
                    return;
                }
                _ => word.push(next),
            }
        }
        self.rest = "";
    }

    fn escaped(&mut self) {
        let mut chars = self.rest.chars();
        match chars.next() {
            Some('\n') | None => {}
            Some(next) => self.word.get_or_insert_default().push(next),
        }
        self.rest = chars.as_str();
    }

    /// Ends a command whose output the next one reads: `| tee FILE` writes it to a file.
    fn pipe(&mut self) {
        self.end_word();
        let stage = self.rest.split(['|', ';', '\n', '&']).next().unwrap_or_default();
        let mut words = stage.split_whitespace().skip_while(|word| *word == "sudo");
        if words.next() != Some("tee") {
            return self.end_command();
        }
        self.command.file =
            words.find(|word| !word.starts_with('-')).map(|file| file.trim_matches(['\'', '"']).to_owned());
        self.rest = &self.rest[stage.len()..];
        self.end_command();
    }

    fn end_word(&mut self) {
        let Some(mut word) = self.word.take() else { return };
        // A filter whose quotes were forgotten is one word.
        if self.command.words.last().is_some_and(|option| matches!(option.as_str(), "-f" | "--filter")) {
            let end = end_of_filter(&word, self.rest);
            if end > 0 {
                word.push(' ');
            }
            word.push_str(&self.rest[..end]);
            self.rest = &self.rest[end..];
        }
        match std::mem::take(&mut self.to_file) {
            // The standard output of `tee FILE > /dev/null` is not what is meant.
            true if word == "/dev/null" => {}
            true => self.command.file = Some(word),
            false => self.command.words.push(word),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.to_file = false;
        let command = std::mem::take(&mut self.command);
        if command != Command::default() {
            self.done.push(command);
        }
    }
}

/// Returns the offset behind the filter that begins with `word` and goes on in `rest`; 0 if it ends with the word.
fn end_of_filter(word: &str, rest: &str) -> usize {
    let begins_operator =
        |text: &str| text.starts_with(['<', '>', '=', '!', '~', '&']) && !text.starts_with("&&");
    let is_operator = |text: &str| text.bytes().all(|byte| b"<>=!~&".contains(&byte));
    let is_connector = |text: &str| matches!(text, "&&" | "||");
    let (mut end, mut last) = (0, word);
    for next in rest.split_whitespace() {
        let goes_on = is_operator(last) || is_connector(last) || is_connector(next) || begins_operator(next);
        if !goes_on || next.contains([';', '|']) && !is_connector(next) {
            break;
        }
        end += rest[end..].find(next).unwrap_or_default() + next.len();
        last = next;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let file =
            |command: &Command| command.file.as_ref().map_or(String::new(), |file| format!(" > {file}"));
        commands(text).iter().map(|command| command.words.join("|") + &file(command)).collect()
    }

    #[test]
    fn words_quotes_files_and_pipes_are_those_of_a_shell() {
        for (text, expected) in [
            ("echo 1 > a/b", &["echo|1 > a/b"][..]),
            ("echo 'a \"b\"' >> f", &["echo|a \"b\" > f"]),
            ("echo \"a \\\"b\\\"\" >f # why", &["echo|a \"b\" > f"]),
            ("echo 'x'>f; cat g", &["echo|x > f", "cat|g"]),
            ("echo x | sudo tee -a 'f' > /dev/null", &["echo|x > f"]),
            ("cd d && perf record -e 'a:b' --filter x<1", &["cd|d", "perf|record|-e|a:b|--filter|x<1"]),
            ("a \\\n b\nc", &["a|b", "c"]),
            ("cat f | grep x", &["cat|f", "grep|x"]),
            ("echo 'not closed", &["echo|not closed"]),
            ("p -e a --filter b < 1 && c == 2 -a ls", &["p|-e|a|--filter|b < 1 && c == 2|-a|ls"]),
            ("p -f b > 1 sleep 1; ls", &["p|-f|b > 1|sleep|1", "ls"]),
            ("p -f 'b < 1' ls > f", &["p|-f|b < 1|ls > f"]),
            (
                "cd /a/b; echo 1 > c && cd d && echo 2 > /e",
                &["cd|/a/b", "echo|1 > /a/b/c", "cd|d", "echo|2 > /e"],
            ),
            ("T=/a; echo $T '$x' > ${T}/b; echo 1 > $T/c", &["echo|/a|$x > /a/b", "echo|1 > /a/c"]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
