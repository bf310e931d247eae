//! The words of clauses that the language plans and does not have yet, so that nobody is sent to another word.

use crate::words::StatementContext;

/// A word that will begin a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedWord {
    /// The word itself.
    pub word: &'static str,
    /// The context in which it will be valid.
    pub context: StatementContext,
    /// The alternative until then, as an order.
    pub until_then: &'static str,
}

const COUNT: &str = "record the events with `trace`, and count the lines of `tracec run --json`";
const LEAVE_OUT: &str = "leave it out";
const RECORD_LESS: &str = "narrow what is recorded with `buffer`, `if` and `stop after`";

/// Every planned word, once for each context.
pub const PLANNED: &[PlannedWord] = &[
    session("hist", COUNT),
    session("latency", "record both events with `trace`, and subtract their times in the output"),
    session("stack", "record the stack of an event: `trace EVENT { trigger stacktrace; }`"),
    session("profile", LEAVE_OUT),
    session("tracer", LEAVE_OUT),
    session("while", "record the events of the window and those that begin and end it with `trace`"),
    session("syscall", "record both ends: `trace syscalls:sys_enter_NAME; trace syscalls:sys_exit_NAME;`"),
    session("function", LEAVE_OUT),
    session("snapshot", RECORD_LESS),
    session("every", COUNT),
    session("cpumask", "name the CPUs in the scope, which gates triggers too: `scope cpus 0-3`"),
    session("marker_raw", LEAVE_OUT),
    session("stack_tracer", LEAVE_OUT),
    session("profiler", LEAVE_OUT),
    session("hwlat", LEAVE_OUT),
    session("osnoise", LEAVE_OUT),
    session("blk", "record the events of the block layer: `trace block:*;`"),
    block("view", LEAVE_OUT),
    PlannedWord {
        word: "virtual",
        context: StatementContext::File,
        until_then: "write the clauses for each kernel: `when has event EVENT { .. } else { .. }`",
    },
];

const fn session(word: &'static str, until_then: &'static str) -> PlannedWord {
    PlannedWord { word, context: StatementContext::Session, until_then }
}

const fn block(word: &'static str, until_then: &'static str) -> PlannedWord {
    PlannedWord { word, context: StatementContext::Block, until_then }
}

/// Returns the planned statement of `context` that begins with `word`.
pub(crate) fn in_context(word: &str, context: StatementContext) -> Option<&'static PlannedWord> {
    PLANNED.iter().find(|planned| planned.word == word && planned.context == context)
}

/// Returns the first planned statement of any context that begins with `word`.
pub(crate) fn anywhere(word: &str) -> Option<&'static PlannedWord> {
    PLANNED.iter().find(|planned| planned.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn planned_words_do_not_exist_in_their_context() {
        for PlannedWord { word, context, .. } in PLANNED {
            assert!(words::clause_words(word).all(|known| known.context != *context), "{word}");
        }
    }
}
