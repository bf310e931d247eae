//! Which session of a file is meant.

use tracec_grammar::syntax::{File, Session};

use crate::diagnostic::{Diagnostics, codes};

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
