//! From a validated session to artifacts, one folder per target. No target knows another.
//!
//! A target is a [`Target`] in a folder of its own, and a line in [`TARGETS`]. It states what it carries out of each
//! clause; the [validator](crate::validate) refuses the rest, so that a target may assume that it was given nothing else.
//! The table of targets in the book is made from these statements.

mod plan;
mod script;

use tracec_kernel::plan::InstanceName;

use crate::diagnostic::Diagnostic;
use crate::source::{KernelSource, SourceMap};
use crate::validate::{Clause, Support, Validated};

/// Every target, in the order in which they are listed.
pub const TARGETS: &[&Target] = &[&plan::TARGET, &script::TARGET];

/// What a session can be built as.
#[derive(Debug)]
pub struct Target {
    /// Its name: `--target NAME`.
    pub name: &'static str,
    /// What it makes, in one line.
    pub about: &'static str,
    /// Returns whether it carries out a clause.
    pub supports: fn(Clause) -> Support,
    /// Builds a session.
    pub build: fn(Validated<'_>, &Request<'_>) -> Built,
}

/// The files that a target made, or why it cannot.
pub type Built = Result<Vec<File>, Vec<Diagnostic>>;

/// What a target knows besides the session.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The instance that the session lives in, if it names none itself.
    pub instance: &'a InstanceName,
    /// The kernel that it is for.
    pub kernel: &'a dyn KernelSource,
    /// The texts that spans point into.
    pub sources: &'a SourceMap,
}

/// A file that was built. The same input yields the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a directory.
    pub name: String,
    /// What it holds.
    pub content: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

impl Target {
    /// Returns the target of a name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_names_are_words_of_their_own() {
        let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        // `--target list` lists them.
        assert!(!names.contains(&"list"));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TARGETS.len());
        assert!(Target::find("plan").is_some() && Target::find("pla").is_none());
    }
}
