//! The choice of the sessions of a file, and the values that the command line gives them.

use rustc_hash::FxHashSet;
use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::{File, Session};

use super::expand::Arguments;
use crate::diagnostic::{Diagnostics, codes};
use crate::load::{Parameter, Program, SessionId};

/// The choice of sessions of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'a> {
    /// All of them, if there are any. A parameter may lack a value: another session may include this one.
    All,
    /// All of them; at least one has to exist.
    Some,
    /// The one of this name, or the only one. Its parameters need values.
    One(Option<&'a str>),
    /// Those with these indexes, in ascending order: of the others it is known what an analysis finds.
    Again(&'a [usize], &'a Rest),
}

/// What is known of the sessions that are not analysed again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Whether one of them has a mistake.
    pub has_errors: bool,
    /// Whether one of them has a parameter without a value.
    pub is_open: bool,
    /// Where the names of the lints stand that were found in them.
    pub lints: Vec<Span>,
}

impl Choice<'_> {
    /// Returns what is known of the sessions that are not analysed, where all of a text is meant; `None` where not.
    pub(crate) fn rest(self) -> Option<Rest> {
        match self {
            Choice::All => Some(Rest::default()),
            Choice::Again(_, rest) => Some(rest.clone()),
            Choice::Some | Choice::One(_) => None,
        }
    }
}

/// Returns the chosen sessions, each with its id and the values for its parameters. A choice that is not possible is
/// reported.
pub fn choose<'p>(
    choice: Choice<'_>,
    program: &'p Program,
    set: &[Parameter],
    diagnostics: &mut Diagnostics,
) -> Vec<(SessionId, &'p Session, Arguments)> {
    let file = &program[FileId::MAIN].parsed.file;
    let sessions: Vec<(SessionId, &Session)> = program.sessions(FileId::MAIN).collect();
    let is_needed = !matches!(choice, Choice::All | Choice::Again(..)) || file.declarations.is_empty();
    if sessions.is_empty() && is_needed {
        // A part that could not be read may hold one.
        if program.complete {
            diagnostics.push(codes::no_session::no_session());
        }
        return Vec::new();
    }
    let names =
        || sessions.iter().filter_map(|(_, s)| s.name.as_ref()).map(|n| n.value.clone()).collect::<Vec<_>>();
    let complete = |&(id, session): &(SessionId, &'p Session)| {
        vec![(id, session, Arguments { set: set.to_vec(), open: false })]
    };
    match (choice, sessions.as_slice()) {
        (Choice::All | Choice::Some, sessions) => all(file, sessions, set, diagnostics),
        (Choice::Again(indexes, _), sessions) => {
            let again: Vec<_> = indexes.iter().filter_map(|&index| sessions.get(index).copied()).collect();
            all(file, &again, set, diagnostics)
        }
        (Choice::One(None), [only]) => complete(only),
        (Choice::One(None), _) => {
            diagnostics.push(codes::which_session::which_session(&names()));
            Vec::new()
        }
        (Choice::One(Some(wanted)), sessions) => {
            let is_it = |session: &Session| session.name.as_ref().is_some_and(|name| name.value == wanted);
            let found = sessions.iter().find(|(_, session)| is_it(session));
            if found.is_none() {
                diagnostics.push(codes::unknown_session::unknown_session(wanted, &names()));
            }
            found.map(complete).unwrap_or_default()
        }
    }
}

/// Returns every session. A value that belongs to none of their parameters is reported.
fn all<'p>(
    file: &'p File,
    sessions: &[(SessionId, &'p Session)],
    set: &[Parameter],
    diagnostics: &mut Diagnostics,
) -> Vec<(SessionId, &'p Session, Arguments)> {
    let mut names = FxHashSet::default();
    if !set.is_empty() {
        names.extend(
            file.sessions().flat_map(|session| &session.params).map(|param| param.name.value.as_str()),
        );
    }
    for value in set.iter().filter(|value| !names.contains(value.name.as_str())) {
        let known = file.sessions().flat_map(|session| &session.params);
        let known: Vec<&str> = known.map(|param| param.name.value.as_str()).collect();
        diagnostics.push(codes::unknown_parameter::unknown_parameter(value.span, &value.name, &known));
    }
    let arguments = |session: &Session| {
        let has = |value: &&Parameter| session.params.iter().any(|param| param.name.value == value.name);
        Arguments { set: set.iter().filter(has).cloned().collect(), open: true }
    };
    sessions.iter().map(|&(id, session)| (id, session, arguments(session))).collect()
}
