//! What the check of a text found, with what that depends on.

use tracec_span::Span;

use crate::Diagnostic;
use crate::diagnostic::Searched;

/// What the check of a text found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The diagnostics, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What they depend on beside the text of their session.
    pub(crate) dependences: Dependences,
}

/// What could be read outside of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Whether all of it could be read and found.
    pub(crate) is_whole: bool,
    /// Whether there may be a declaration of any name that could not be read.
    pub(crate) has_lost: bool,
    /// Whether there may be a constant of any name: one that could not be read, or one of an import that was not found.
    pub(crate) may_have_more: bool,
}

/// What the diagnostics of sessions depend on beside their own text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependences {
    /// What could be read outside of the sessions.
    pub(crate) reading: Reading,
    /// The sessions of which more is said if all could be read. A span may stand for a clause of one.
    pub(crate) asked_for_whole: Vec<Span>,
    /// The sessions that name something that was not found, which is not said of each.
    pub(crate) incomplete: Vec<Span>,
    /// The sessions with a parameter that has no value.
    pub(crate) open: Vec<Span>,
    /// What the text said about lints that were found: where the name of the lint stands, and the place of what was found.
    pub(crate) lints: Vec<(Span, Span)>,
    /// What was found in another session than the one that was checked, or outside of all: where, and in the check of which.
    pub(crate) elsewhere: Vec<(Span, Span)>,
    /// How much was searched for suggestions.
    pub(crate) searched: Searched,
    /// How many clauses and parameters were included.
    pub(crate) included: usize,
}
