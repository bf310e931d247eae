//! What this target can do of a session. The rest is refused at its clause, before anything is planned.

use tracec_grammar::span::Span;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir::{Session, Stop};

/// Reports every clause that the target does not carry out, and says whether there is none.
pub(super) fn validate(session: &Session, diagnostics: &mut Diagnostics) -> bool {
    let before = diagnostics.errors();
    for event in &session.defined {
        let what = format!("the event `{}`, which is defined in the text,", event.value);
        let instead = "name an event that the kernel has";
        diagnostics.push(codes::not_applied::not_applied(event.span, &what, instead));
    }
    for (span, what, instead) in refused(session) {
        diagnostics.push(codes::not_applied::not_applied(span, what, instead));
    }
    diagnostics.errors() == before
}

/// The clauses that the target does not carry out: place, name, and what to do.
fn refused(session: &Session) -> Vec<(Span, &'static str, &'static str)> {
    let mut refused = Vec::new();
    let mut refuse = |span, what, instead| refused.push((span, what, instead));
    for subject in &session.scope {
        refuse(subject.span, "`scope`", "write a condition, such as `if current.pid == 123`");
    }
    for global in &session.globals {
        refuse(global.span, "`global`", "set it beside the session, where you can see what was there");
    }
    if let Some(ring) = &session.ring {
        refuse(ring.span, "`ring`", "leave it out: the session streams");
    }
    if let Some(span) = session.start_paused {
        refuse(span, "`start paused`", "leave it out: the session records from its start");
    }
    for marker in &session.markers {
        refuse(marker.span, "`marker`", "leave it out");
    }
    for stop in &session.stops {
        match stop.value {
            Stop::After(_) => {}
            // Every session that has a command ends with it; who runs it asks for one.
            Stop::Command => {}
            Stop::When { .. } => {
                refuse(stop.span, "`stop when`", "use `trigger traceoff once` and end the session by hand");
            }
            Stop::Signal(_) => refuse(stop.span, "`stop on`", "end the session with SIGINT or SIGTERM"),
            Stop::Process(_) => refuse(stop.span, "`stop with process`", "run the command: `run -- COMMAND`"),
        }
    }
    refused
}
