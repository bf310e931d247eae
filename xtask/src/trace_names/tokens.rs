//! Preprocessed C as the words that name something.

use std::path::Path;

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A function, a variable or a type.
    Ordinary,
    /// What follows `struct`, `union` or `enum`.
    Tag,
    /// A member that is used: what follows `.` or `->`.
    Member,
}

/// A name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Token<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Kind,
    /// Whether a file of this name has it.
    pub(super) is_own: bool,
}

/// Returns the names in the output of the preprocessor. `own` is the name of a file whose lines are told apart.
pub(super) fn tokens<'a>(text: &'a str, own: &str) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut is_own = false;
    for line in text.lines() {
        match marker(line) {
            Some(file) => is_own = Path::new(file).file_name() == Some(own.as_ref()),
            None => names(line, is_own, &mut found),
        }
    }
    found
}

/// Returns the file of `# LINE "FILE" FLAGS`.
fn marker(line: &str) -> Option<&str> {
    line.strip_prefix("# ")?.split('"').nth(1)
}

fn names<'a>(line: &'a str, is_own: bool, found: &mut Vec<Token<'a>>) {
    let mut rest = line;
    let mut kind = Kind::Ordinary;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '"' | '\'' => literal(rest, first),
            _ if is_part(first) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("->") => 2,
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        rest = behind;
        if first.is_whitespace() {
            continue;
        }
        if (first.is_ascii_alphabetic() || first == '_') && !["struct", "union", "enum"].contains(&token) {
            found.push(Token { name: token, kind, is_own });
        }
        kind = match token {
            "struct" | "union" | "enum" => Kind::Tag,
            "." | "->" => Kind::Member,
            _ => Kind::Ordinary,
        };
    }
}

/// Returns the length of the literal that a text begins with.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_kinds_and_literals_none() {
        let text = "# 1 \"a/x.h\" 1\nstruct a *b = c->d + e.f(\"g\\\" h\", 'i');\n# 2 \"y.h\"\n0x1f j";
        let found: Vec<(&str, Kind, bool)> =
            tokens(text, "x.h").into_iter().map(|token| (token.name, token.kind, token.is_own)).collect();
        use Kind::{Member, Ordinary, Tag};
        assert_eq!(
            found,
            [
                ("a", Tag, true),
                ("b", Ordinary, true),
                ("c", Ordinary, true),
                ("d", Member, true),
                ("e", Ordinary, true),
                ("f", Member, true),
                ("j", Ordinary, false)
            ]
        );
    }
}
