//! T0014: misplaced-clause. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::words::StatementContext;

use crate::diagnostic::{Code, Diagnostic, foreign, statement};

pub(crate) static CODE: Code = Code::error("T0014", "misplaced-clause", include_str!("misplaced_clause.md"));

/// Reports the clause of `word`, with the same clause where it belongs.
pub(crate) fn misplaced_clause(
    error: &SyntaxError,
    word: &str,
    belongs: StatementContext,
    text: &str,
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, error.to_string()).at(error.span, "not here");
    let whole = statement::at(error.span, text);
    let written = text.get(whole.range()).unwrap_or_default();
    let placed = match belongs {
        StatementContext::Block => {
            // `trigger stacktrace on a:b` names its event itself.
            let (item, event) = match written.split_once(" on ") {
                Some((item, event)) if word == "trigger" => (item, Some(event)),
                _ => (written, None),
            };
            let before = statement::events_before(error.span, text);
            match (event, before, word) {
                (Some(event), _, _) => format!("on {event} {{ {item}; }}"),
                (None, Some(event), _) => format!("trace {event} {{ {item}; }}"),
                (None, None, "trigger") => format!("on SYSTEM:EVENT {{ {item}; }}"),
                (None, None, _) => format!("trace SYSTEM:EVENT {{ {item}; }}"),
            }
        }
        StatementContext::Session => format!("session my_session {{ {written}; }}"),
        StatementContext::File | StatementContext::Event => {
            let said =
                said.help("put it at the top of a file with a session; `tracec check FILE.trc` reads one");
            return match word {
                "event" | "class" => undefined(said, written),
                _ => said,
            };
        }
    };
    let file = match belongs {
        StatementContext::Block => format!("session s {{ {placed} }}"),
        _ => placed.clone(),
    };
    if statement::is_file(&file) { said.help(format!("write `{placed}`")) } else { said }
}

/// Adds to the report of a definition what records it.
fn undefined(said: Diagnostic, written: &str) -> Diagnostic {
    let said = match written.contains(" at ") {
        true => said.note("a session with `recorder bpf;` records a probe, by a BPF program"),
        false => said.note(
            "`tracec run FILE.trc --target module` records the tracepoints of a file, by a kernel module",
        ),
    };
    let function = |carrier: &str| {
        let (_, point) = written.split_once(&format!(" at {carrier} "))?;
        point.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
    };
    let by_hand = match (function("kprobe"), function("kretprobe")) {
        (Some(function), _) => foreign::probe_by_hand(function, false),
        (_, Some(function)) => foreign::probe_by_hand(function, true),
        _ => None,
    };
    by_hand.into_iter().fold(said, Diagnostic::help)
}
