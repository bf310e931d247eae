//! The targets: from a validated session to artifacts. There is one folder per target, and no target imports another.
//!
//! A target is an implementation of `Builder` in its folder, and an entry of [`TARGETS`]. It states which engines
//! decide its conditions, and how it supports each clause. Conditions are placed among its engines, and the
//! [validator](crate::validate) refuses unsupported clauses, so that a target may assume that a session has none. The
//! table of targets in the book is generated from these statements.

pub mod plan;
mod script;

use tracec_kernel::plan::InstanceName;

use crate::diagnostic::Diagnostic;
use crate::place::{Engines, PlacedSession};
use crate::source::{KernelSource, SourceMap};
use crate::validate::{Capabilities, Clause, ClauseSupport, Validated, validate};

/// All targets, in the order in which they are listed.
pub static TARGETS: &[Target] = &[Target::of::<plan::PlanTarget>(), Target::of::<script::Script>()];

/// A form that a session can be built as.
#[derive(Debug)]
pub struct Target {
    /// The name for `--target NAME`.
    pub name: &'static str,
    /// A description of the artifacts in one line.
    pub about: &'static str,
    /// What decides the conditions of its sessions.
    pub engines: Engines,
    /// Returns whether it supports a clause.
    pub supports: fn(Clause) -> ClauseSupport,
    /// Validates a session for the target, and builds it.
    pub build: fn(PlacedSession<'_>, &Request<'_>) -> Built,
}

/// A type that stands for a target and builds the sessions that were validated for it.
trait Builder: Capabilities + Sized {
    /// A description of the artifacts in one line.
    const ABOUT: &'static str;

    /// Builds a session.
    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built;
}

/// The files that a target made, or the diagnostics that say why it cannot.
pub type Built = Result<Vec<File>, Vec<Diagnostic>>;

/// The input of a target besides the session.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The instance of the session, if the session does not name one.
    pub instance: &'a InstanceName,
    /// The kernel to build for.
    pub kernel: &'a dyn KernelSource,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
}

/// A file that was built. The same input yields the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a directory.
    pub name: String,
    /// The contents.
    pub content: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

impl Target {
    const fn of<T: Builder>() -> Target {
        Target {
            name: T::NAME,
            about: T::ABOUT,
            engines: T::ENGINES,
            supports: T::supports,
            build: |session, request| T::build(&validate(session)?, request),
        }
    }

    /// Returns the target of `check`, `explain`, `plan` and `run`: the first.
    pub fn recorder() -> &'static Target {
        &TARGETS[0]
    }

    /// Returns the target with this name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_names_are_lowercase_and_distinct() {
        let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        // `--target list` lists them.
        assert!(!names.contains(&"list"));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TARGETS.len());
        assert!(Target::find("plan").is_some() && Target::find("pla").is_none());
        assert_eq!(Target::recorder().name, plan::PlanTarget::NAME);
    }

    /// `plan` makes the same plans for all targets that execute them.
    #[test]
    fn clause_of_a_script_is_one_of_plans() {
        for clause in
            Clause::ALL.iter().filter(|clause| script::Script::supports(**clause) == ClauseSupport::Yes)
        {
            assert_eq!(plan::PlanTarget::supports(*clause), ClauseSupport::Yes, "{clause:?}");
        }
    }

    /// The words that follow "not yet" stand with the clause: they are the same for every target.
    #[test]
    fn clause_that_no_target_supports_has_an_alternative() {
        for &clause in Clause::ALL {
            let support = |target: &Target| (target.supports)(clause);
            assert_eq!(
                TARGETS.iter().all(|target| support(target) == ClauseSupport::NotYet),
                clause.until_then().is_some(),
                "{clause:?}"
            );
            assert!(
                TARGETS.iter().all(|target| support(target) != ClauseSupport::NotYet)
                    || TARGETS.iter().all(|target| support(target) != ClauseSupport::Yes),
                "{clause:?}"
            );
        }
    }
}
