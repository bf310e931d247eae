//! Validation of sessions before a target takes them.
//!
//! Each target states its [`Capabilities`]: what decides its conditions, and which [`Clause`]s it supports.
//! [`validate`] reports the others with their spans and an alternative. It is the only way to make a [`Validated`]
//! session. Its type names the target, and targets take nothing else.
//!
//! The validator destructures every struct of the session form and of its placement: a new field does not compile here
//! until it is assigned to a clause, or to a check of the conditions.
//!
//! The table by which conditions are placed ([`realisation`](tracec_kernel::condition::realisation)) also decides here
//! which place can decide a condition.

mod clause;
mod condition;

use std::marker::PhantomData;

use crate::diagnostic::{Diagnostic, codes};
use crate::place::{Among, Engines, PlacedCondition, PlacedSession};

pub use clause::{Clause, ClauseSupport, Supported};
use clause::{ClauseName, FoundClause};

/// What a target supports. A type that stands for the target implements it.
pub trait Capabilities {
    /// The name of the target.
    const NAME: &'static str;

    /// What decides the conditions of its sessions.
    const ENGINES: Engines;

    /// What decides those of events that programs record, if it lets each event have its own recorder.
    const PROGRAMS: Option<Engines> = None;

    /// The clauses that it supports.
    const CLAUSES: Supported;
}

/// Returns whether any target that exists supports a clause. The targets are known to [`crate::target`], which imports
/// this module.
pub type Implemented = fn(Clause) -> bool;

/// A session that the target `T` supports completely. Only [`validate`] makes one.
#[derive(Debug)]
pub struct Validated<'a, T> {
    placed: PlacedSession<'a>,
    target: PhantomData<T>,
}

impl<'a, T> Validated<'a, T> {
    /// Returns the session, with the places of its conditions.
    pub fn session(&self) -> PlacedSession<'a> {
        self.placed
    }

    /// Returns the name of the files that are made of the session: the session's name, `session` for a one-liner.
    pub fn file_stem(&self) -> &'a str {
        match self.placed.session.name.as_str() {
            "-e" => "session",
            name => name,
        }
    }
}

/// Checks that the target `T` supports all of a session. An unsupported clause that no other target supports either is
/// not implemented yet.
///
/// # Errors
/// A refusal of each condition that is invalid or runs where it cannot be decided, and of each clause that the target
/// does not support. The mistakes of a session that is not complete, and conditions without any place, have been
/// reported before: such a session is refused without a diagnostic of its own.
pub fn validate<T: Capabilities>(
    placed: PlacedSession<'_>,
    implemented: Implemented,
) -> Result<Validated<'_, T>, Vec<Diagnostic>> {
    let among = Among { own: T::ENGINES, programs: T::PROGRAMS };
    let mut refusals = condition::refusals(placed, T::NAME, among);
    refusals.extend(placed.watches().flat_map(|watch| condition::refusals(watch, T::NAME, among)));
    refusals.extend(unsupported(placed, T::NAME, &T::CLAUSES, implemented));
    let all = placed.watches().chain([placed]);
    let is_refused = all.flat_map(PlacedSession::conditions).any(PlacedCondition::is_refused);
    if refusals.is_empty() && !is_refused && placed.is_complete() {
        Ok(Validated { placed, target: PhantomData })
    } else {
        Err(refusals)
    }
}

/// Returns a refusal of each clause that a target does not support.
pub(crate) fn unsupported<'a>(
    placed: PlacedSession<'a>,
    target: &'static str,
    supported: &'a Supported,
    implemented: Implemented,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let is_refused = |clause| !supported.has(clause);
    clause::clauses(placed, &is_refused).into_iter().filter_map(
        move |FoundClause { clause, span, name, instead }| {
            let what = || match &name {
                Some(ClauseName::Trigger(kind)) if clause == Clause::TriggerBesideProgram => {
                    format!("`trigger {kind}` of an event that a program records")
                }
                Some(ClauseName::Trigger(_)) if clause == Clause::SnapshotBesideDump => {
                    clause.words().to_owned()
                }
                Some(ClauseName::Event(event)) => format!("the event `{event}` that the text defines"),
                Some(ClauseName::Trigger(kind)) => format!("`trigger {kind}`"),
                None => clause.words().to_owned(),
            };
            let instead = match supported.of(clause) {
                ClauseSupport::Yes => return None,
                ClauseSupport::Instead(instead) => instead,
                ClauseSupport::No => instead.as_deref().or(clause.alternative()).unwrap_or("leave it out"),
            };
            Some(match name {
                _ if implemented(clause) => {
                    codes::not_by_target::not_by_target(span, &what(), target, instead)
                }
                _ => codes::not_applied::not_applied(span, &what(), instead),
            })
        },
    )
}

#[expect(clippy::single_range_in_vec_init, reason = "one range of conjuncts")]
#[cfg(test)]
mod tests;
