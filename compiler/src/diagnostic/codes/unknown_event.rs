//! T0101: unknown-event. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, foreign};

pub(crate) static CODE: Code = Code::error("T0101", "unknown-event", include_str!("unknown_event.md"));

/// Reports `stop on SIGUSR1`.
pub(crate) fn is_signal(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no event `{name}`")).at(span, "the name of a signal").fix(
        format!("write `signal {name}`"),
        span,
        format!("signal {name}"),
    )
}

/// Reports `stop on signal` without the name of a signal; `span` is the word `signal`.
pub(crate) fn no_signal(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`stop on signal` names no signal")
        .at(span, "which signal?")
        .note("SIGINT, of Ctrl-C, and SIGTERM end every session, without a clause")
        .guess("write `signal USR1`, for the signal that you send", span, "signal USR1")
}

/// Reports an event that the kernel does not have. `nearest` are the names that are similar.
pub(crate) fn unknown_event(span: Span, name: &str, kernel: &str, nearest: &[String]) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("there is no event `{name}` in {kernel}"));
    let Some(translation) = foreign::probe(name) else {
        let said = said.at(span, "unknown event").suggest(span, nearest);
        return match nearest.iter().find_map(|name| name.split_once("sys_enter_")) {
            Some((_, call)) => said.note(format!(
                "`sys_enter_{call}` is the call with its arguments, `sys_exit_{call}` its result"
            )),
            None => said,
        };
    };
    let said = said.at(span, "a probe of bpftrace");
    let said = translation.left_out().iter().fold(said, Diagnostic::note);
    let said = match translation.session(true) {
        Some(session) => said.help(format!("{} `{session}`", translation.order())),
        None => said,
    };
    translation.advice().into_iter().fold(said, Diagnostic::help)
}
