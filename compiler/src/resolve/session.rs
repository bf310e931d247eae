//! Which session of a file is meant, and what the command line gives it.

use tracec_grammar::syntax::{File, Session};

use super::expand::Arguments;
use crate::diagnostic::{Diagnostics, codes};
use crate::load::Parameter;

/// The session called `wanted`, or the only one.
pub fn select<'a>(
    file: &'a File,
    wanted: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Option<&'a Session> {
    let names =
        || file.sessions().filter_map(|s| s.name.as_ref()).map(|n| n.value.clone()).collect::<Vec<_>>();
    let sessions: Vec<&Session> = file.sessions().collect();
    match (wanted, sessions.as_slice()) {
        (_, []) => {
            if diagnostics.is_empty() {
                diagnostics.push(codes::no_session::no_session());
            }
            None
        }
        (None, [only]) => Some(only),
        (None, _) => {
            diagnostics.push(codes::which_session::which_session(&names()));
            None
        }
        (Some(wanted), sessions) => {
            let found = sessions.iter().copied().find(|s| s.name.as_ref().is_some_and(|n| n.value == wanted));
            if found.is_none() {
                diagnostics.push(codes::unknown_session::unknown_session(wanted, &names()));
            }
            found
        }
    }
}

/// Every session, each with those values that it has parameters for. A value for which none has is reported.
pub fn all<'a>(
    file: &'a File,
    set: &[Parameter],
    diagnostics: &mut Diagnostics,
) -> Vec<(&'a Session, Arguments)> {
    let has = |session: &Session, name: &str| session.params.iter().any(|param| param.name.value == name);
    for value in set.iter().filter(|value| !file.sessions().any(|session| has(session, &value.name))) {
        let known = file.sessions().flat_map(|session| &session.params);
        let known: Vec<&str> = known.map(|param| param.name.value.as_str()).collect();
        diagnostics.push(codes::unknown_parameter::unknown_parameter(value.span, &value.name, &known));
    }
    let arguments = |session: &Session| {
        let own = set.iter().filter(|value| has(session, &value.name));
        Arguments { set: own.cloned().collect(), open: true }
    };
    file.sessions().map(|session| (session, arguments(session))).collect()
}
