//! Kinds of diagnostics: each has a code, a name and a page; some of them are lints, whose level can be chosen.

use std::fmt;

use super::codes;

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
    /// Something is suspicious and can be built. The text and the command line say how much it matters; this is the
    /// level where they say nothing.
    Lint(Level),
}

/// How much a lint matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// It is not shown.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
}

impl Level {
    /// All levels.
    pub const ALL: [Level; 3] = [Level::Allow, Level::Warn, Level::Deny];

    /// How it is written.
    pub fn word(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
        }
    }

    /// The level that is written so.
    pub fn find(word: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.word() == word)
    }
}

impl Code {
    /// A code whose diagnostics are errors.
    pub const fn error(id: &'static str, name: &'static str, page: &'static str) -> Self {
        Code { id, name, kind: Kind::Error, page }
    }

    /// A lint and its level where nobody says another.
    pub const fn lint(id: &'static str, name: &'static str, level: Level, page: &'static str) -> Self {
        Code { id, name, kind: Kind::Lint(level), page }
    }

    /// The code with this id or name. Case does not matter, nor whether a name's words are joined by `-` or `_`.
    pub fn find(wanted: &str) -> Option<&'static Code> {
        let wanted = wanted.replace('_', "-");
        let mut all = codes::ALL.iter().copied();
        all.find(|code| code.id.eq_ignore_ascii_case(&wanted) || code.name.eq_ignore_ascii_case(&wanted))
    }

    /// All lints.
    pub fn lints() -> impl Iterator<Item = &'static Code> {
        codes::ALL.iter().copied().filter(|code| matches!(code.kind, Kind::Lint(_)))
    }

    /// What it means in one line: the first line of its page.
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
    fn codes_are_found_by_id_and_by_name() {
        for wanted in ["T0210", "t0210", "constant-condition", "constant_condition", "CONSTANT-condition"] {
            assert_eq!(Code::find(wanted).map(|code| code.id), Some("T0210"), "{wanted}");
        }
        for wanted in ["", "T02100", "constant", "constant-condition "] {
            assert_eq!(Code::find(wanted), None, "{wanted}");
        }
    }

    #[test]
    fn levels_are_found_by_their_words() {
        for level in Level::ALL {
            assert_eq!(Level::find(level.word()), Some(level));
        }
        assert_eq!(Level::find("forbid"), None);
    }
}
