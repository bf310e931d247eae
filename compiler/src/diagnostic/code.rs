//! Kinds of diagnostics: each has a code, a name and a page. The level of a lint can be set.

use std::fmt;

/// A kind of diagnostic.
#[derive(PartialEq, Eq)]
pub struct Code {
    /// `T0101`: stable, never reused.
    pub id: &'static str,
    /// `unknown-event`: the name of the file that raises it.
    pub name: &'static str,
    /// Whether its severity is fixed.
    pub kind: Kind,
    /// Its page, Markdown: what it means and why, a wrong and a right example, what a fix does.
    pub page: &'static str,
}

/// Whether the severity of a code is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Always an error: nothing can be built.
    Error,
    /// A lint with its default level. The session can be built; the text and the command line can set another level.
    Lint(Level),
}

/// The level of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Not shown.
    Allow,
    /// A warning.
    Warn,
    /// An error.
    Deny,
}

impl Level {
    /// All levels.
    pub const ALL: [Level; 3] = [Level::Allow, Level::Warn, Level::Deny];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
        }
    }

    /// Returns the level with this word.
    pub fn find(word: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.word() == word)
    }
}

impl Code {
    /// Creates a code whose diagnostics are errors.
    pub const fn error(id: &'static str, name: &'static str, page: &'static str) -> Self {
        Code { id, name, kind: Kind::Error, page }
    }

    /// Creates a lint with its default level.
    pub const fn lint(id: &'static str, name: &'static str, level: Level, page: &'static str) -> Self {
        Code { id, name, kind: Kind::Lint(level), page }
    }

    /// Returns whether the text could not be parsed: `T00` of the ranges of codes.
    pub fn is_of_syntax(&self) -> bool {
        self.id.starts_with("T00")
    }

    /// Returns the first line of its page.
    pub fn summary(&self) -> &'static str {
        self.page.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or(self.name)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_their_words() {
        for level in Level::ALL {
            assert_eq!(Level::find(level.word()), Some(level));
        }
        assert_eq!(Level::find("forbid"), None);
    }
}
