//! Checked names and paths in tracefs.

use serde::{Deserialize, Serialize};

use super::checked::checked_text;

/// The name of a directory below `instances/` that `mkdir` accepts there and that a shell need not quote.
///
/// It has 1 to 64 characters of `[A-Za-z0-9._-]` and begins with a letter, a digit or `_`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InstanceName(String);

/// An error for a text that cannot name an instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an instance name is 1 to 64 of `A-Z a-z 0-9 . _ -` and begins with a letter, a digit or `_`")]
pub struct InvalidInstanceName;

impl InstanceName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`InvalidInstanceName`] for a text of another form, such as `..` or a name with `/`.
    pub fn new(name: &str) -> Result<Self, InvalidInstanceName> {
        let ok_first = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let ok = |c: char| ok_first(c) || c == '.' || c == '-';
        if name.len() <= 64 && name.chars().next().is_some_and(ok_first) && name.chars().all(ok) {
            Ok(InstanceName(name.to_owned()))
        } else {
            Err(InvalidInstanceName)
        }
    }
}

impl InstanceName {
    /// Returns the name of the instance in which a session waits for events, by their number. If the session has a name
    /// that tracec has chosen, so has this.
    ///
    /// # Errors
    /// [`InvalidInstanceName`] if it would be longer than names are.
    pub fn of_watch(&self, number: usize) -> Result<Self, InvalidInstanceName> {
        match self.0.strip_prefix("tracec.") {
            Some(rest) => InstanceName::new(&format!("tracec.w{number}.{rest}")),
            None => InstanceName::new(&format!("{}.w{number}", self.0)),
        }
    }
}

checked_text!(InstanceName, InvalidInstanceName);

/// The path of a control file relative to a directory of tracefs, which it does not leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilePath(String);

/// An error for a text that is not the path of a control file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a path below tracefs", .0.escape_debug())]
pub struct InvalidFilePath(pub String);

impl FilePath {
    /// Checks a path.
    ///
    /// # Errors
    /// [`InvalidFilePath`] unless [`FilePath::stays_below`] holds.
    pub fn new(path: impl Into<String>) -> Result<Self, InvalidFilePath> {
        let path = path.into();
        if FilePath::stays_below(&path) { Ok(FilePath(path)) } else { Err(InvalidFilePath(path)) }
    }

    /// Returns the path of a file that is named in the code.
    pub(super) fn known(path: &'static str) -> Self {
        FilePath(path.to_owned())
    }

    /// Returns whether a relative path names something below its directory, by its text alone: it is not absolute and
    /// has neither `.`, `..`, an empty part nor a control character.
    pub fn stays_below(path: &str) -> bool {
        !path.contains(char::is_control) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
    }
}

checked_text!(FilePath, InvalidFilePath);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_that_leaves_its_directory_is_invalid() {
        for path in
            ["", ".", "..", "/tracing_on", "a/../b", "../../tracing_on", "a//b", "./a", "a/", "a\0b", "a\nb"]
        {
            assert_eq!(FilePath::new(path), Err(InvalidFilePath(path.to_owned())));
        }
        for path in
            ["tracing_on", "events/sched/sched_switch/filter", "instances/x/options/irq-info", "a/..b"]
        {
            assert_eq!(FilePath::new(path).map(String::from), Ok(path.to_owned()));
        }
    }
}
