//! The words with which statements begin.

use tracec_grammar::words::{CLAUSES, StatementContext};

use super::Candidate;
use super::candidates::word;

/// Returns the words that begin a statement. `can_include` says whether there is a session to include, `records` whether the
/// block is that of a clause that records.
pub(super) fn beginnings(context: StatementContext, can_include: bool, records: bool) -> Vec<Candidate> {
    let clauses = CLAUSES.iter().filter(|clause| clause.context == context);
    let of_session = |word: &str| context == StatementContext::Session && word == "include";
    let of_fields = |word: &str| matches!(word, "drop" | "redact");
    let fitting = clauses.filter(|clause| can_include || !of_session(clause.word));
    let fitting = fitting.filter(|clause| records || !of_fields(clause.word));
    let candidates = fitting.map(|clause| {
        let candidate = word(clause.word, clause.usage).doc(clause.doc);
        // Which session it is, or which fields they are, is for the user to say.
        if of_session(clause.word) || of_fields(clause.word) {
            candidate.certain()
        } else {
            candidate.rests(rests(clause.word)).likely()
        }
    });
    candidates.collect()
}

/// Returns what makes a statement of a word, one of which checks where the word may stand. A clause that a session has
/// already is refused with it.
fn rests(word: &str) -> &'static [&'static str] {
    match word {
        // Declarations.
        "use" => &[" std::errno"],
        "const" => &[" NAME = 1"],
        "enum" | "flags" => &[" NAME: u32 { MEMBER = 1 }"],
        "lint" => &[" allow constant-condition"],
        "subsystem" => &[" name"],
        "include" => &[" <linux/types.h>"],
        "class" => &[
            " name { proto (a: u32) entry { a: u32; } print \"{a}\" }",
            // The first one of a file.
            " name { proto (a: u32) entry { a: u32; } print \"{a}\" }\nsubsystem name",
        ],
        "event" => &[" name at event sched:sched_switch { prev_pid }"],
        "session" => &[" name { trace sched:sched_process_wait; }"],
        // Clauses.
        "trace" => &[" sched:sched_process_wait"],
        "on" => &[" sched:sched_process_wait { trigger traceoff; }"],
        "buffer" | "queue" => &[" 1MiB"],
        "subbuffer" => &[" 16KiB"],
        "cmdlines" => &[" 8192"],
        "rotate" => &[" every 1GiB"],
        "clock" => &[" mono"],
        "recorder" => &[" tracefs", " bpf"],
        "option" => &[" sym-offset"],
        "scope" => &[" command"],
        "global" => &[" { }", " { option sym-offset; }"],
        "stop" => &[" after 1s", " with command"],
        "dump" => &[
            " on sched:sched_process_wait to \"dump-{n}.dat\"",
            // The first one of a session that streams.
            " on sched:sched_process_wait to \"dump-{n}.dat\"; ring",
        ],
        "keep" => &[" 1s after"],
        "start" => &[" paused"],
        "marker" => &[" \"text\""],
        "output" => &[" \"file.txt\""],
        "when" => &[" has clock mono { }"],
        // Items, and parts of events.
        "filter" => &[" cpu == 0"],
        "trigger" => &[" stacktrace", " traceoff"],
        "proto" => &[" (a: u32)"],
        "entry" => &[" { a: u32; }"],
        "assign" => &[" `a`"],
        "print" => &[" \"text\""],
        // A statement by itself: `stream`, `ring`, `instance`.
        _ => &[""],
    }
}
