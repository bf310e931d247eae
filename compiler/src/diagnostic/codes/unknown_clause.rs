//! T0013: unknown-clause. The page beside this file says what it means.

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind};
use tracec_grammar::words::StatementContext;

use crate::diagnostic::foreign::THREADS;
use crate::diagnostic::{Code, Diagnostic, statement};

pub(crate) static CODE: Code = Code::error("T0013", "unknown-clause", include_str!("unknown_clause.md"));

/// Reports a word that begins no statement. A condition in a block, and events in a file, say what is missing.
pub(crate) fn unknown_clause(error: &SyntaxError, context: StatementContext, text: &str) -> Diagnostic {
    let whole = statement::at(error.span, text);
    let written = text.get(whole.range()).unwrap_or_default();
    match context {
        StatementContext::Block => {
            let condition = written.strip_prefix("if ").unwrap_or(written);
            let filter = format!("filter {condition}");
            // A name alone is a misspelt word rather than a condition.
            let compares = condition.contains(['=', '<', '>', '~', '&']);
            if compares && statement::is_file(&format!("session s {{ trace a:b {{ {filter}; }} }}")) {
                let has_end =
                    text.get(whole.range().end..).is_some_and(|rest| rest.trim_start().starts_with(';'));
                let end = if has_end { "" } else { ";" };
                return Diagnostic::error(&CODE, "a condition in a block stands behind `filter`")
                    .at(whole, "a condition")
                    .fix(format!("write `{filter};`"), whole, format!("{filter}{end}"));
            }
        }
        StatementContext::File => {
            let session = format!("session my_session {{ trace {written}; }}");
            if written.contains(':') && statement::is_file(&session) {
                return Diagnostic::error(&CODE, "a file holds sessions, and events are named in them")
                    .at(whole, "an event, as `-e` takes it")
                    .help(format!("write `{session}`"));
            }
        }
        StatementContext::Session => {
            // `param pid = 5`: all of it goes behind the name of the session.
            let word = text.get(error.span.range()).unwrap_or_default();
            let declared = written.strip_prefix(word).unwrap_or_default().trim();
            let is_parameter = matches!(word, "param" | "params" | "parameter" | "let" | "var");
            if is_parameter && statement::is_file(&format!("session s({declared}) {{ trace a:b; }}")) {
                let name = declared.split([':', '=', ' ']).next().unwrap_or_default();
                return Diagnostic::error(&CODE, error.to_string()).at(error.span, "unknown word").help(format!(
                    "parameters stand behind the name of the session: `session my_session({declared}) {{ .. }}`; \
                     `--set {name}=..` sets one"
                ));
            }
        }
        StatementContext::Event => {}
    }
    Diagnostic::from_grammar(&CODE, error, "unknown word")
}

/// Reports a clause of another tool that narrows all events.
pub(crate) fn part_as_clause(error: &SyntaxError) -> Diagnostic {
    let said = Diagnostic::from_grammar(&CODE, error, "unknown word");
    match &error.kind {
        SyntaxErrorKind::PartAsClause { word, instead }
            if instead.contains("current.pid") && !matches!(word.as_str(), "tid" | "thread") =>
        {
            said.note(THREADS)
        }
        _ => said,
    }
}

pub(crate) fn missing_trace(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "an event begins no clause")
}
