//! Validation of sessions before a target takes them.
//!
//! Each target states its [`Capabilities`]: which [`Clause`]s it supports. [`validate`] reports the others with their
//! spans and an alternative. It is the only way to make a [`Validated`] session. Its type names the target, and targets
//! take nothing else.
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
use crate::place::{PlacedCondition, PlacedSession};

pub use clause::{Clause, Support};

/// What a target supports. A type that stands for the target implements it.
pub trait Capabilities {
    /// The name of the target.
    const NAME: &'static str;

    /// Returns whether the target supports a clause.
    fn supports(clause: Clause) -> Support;
}

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

/// Checks that the target `T` supports all of a session.
///
/// # Errors
/// A refusal of each condition that is invalid or runs where it cannot be decided, and of each clause that the target
/// does not support. A condition without any place has been reported before.
pub fn validate<T: Capabilities>(placed: PlacedSession<'_>) -> Result<Validated<'_, T>, Vec<Diagnostic>> {
    let mut refusals = condition::refusals(placed);
    // Events of one set have one span, and are in this order.
    let mut defined = placed.session.defined.iter();
    for (clause, span) in clause::clauses(placed) {
        let event = if clause == Clause::DefinedEvent { defined.next() } else { None };
        let support = T::supports(clause);
        if let Support::No(instead) | Support::NotYet(instead) = support {
            let what = match event {
                Some(event) => format!("the event `{}`, which is defined in the text,", event.value),
                None => clause.words().to_owned(),
            };
            refusals.push(match support {
                Support::NotYet(_) => codes::not_applied::not_applied(span, &what, instead),
                _ => codes::not_by_target::not_by_target(span, &what, T::NAME, instead),
            });
        }
    }
    let is_refused = placed.conditions().any(PlacedCondition::is_refused);
    if refusals.is_empty() && !is_refused {
        Ok(Validated { placed, target: PhantomData })
    } else {
        Err(refusals)
    }
}

#[cfg(test)]
mod tests;
