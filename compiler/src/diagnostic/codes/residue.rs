//! T0511: residue. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0511", "residue", include_str!("residue.md"));

/// Returns the error for changes that could not be undone, one line each. `is_open` if the journal is kept for some of them.
pub fn residue(what: &[String], is_open: bool) -> Diagnostic {
    listed(what).help(match is_open {
        true => "run `tracec recover` to try again",
        false => "`tracec recover` cannot undo it: put it back yourself if nothing needs it as it is",
    })
}

/// Returns the error for changes that a recovery could not undo, and for journals that it could not use, one line each.
pub fn unrecovered(what: &[String]) -> Diagnostic {
    listed(what).help(
        "`tracec recover` tries again where the journal is kept; remove the rest yourself if nothing uses it",
    )
}

fn listed(what: &[String]) -> Diagnostic {
    what.iter()
        .fold(Diagnostic::error(&CODE, "not every change could be undone"), |d, line| d.note(line.clone()))
}
