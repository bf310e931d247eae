//! The words that begin statements, with their meanings: for suggestions and completion.

/// The syntactic context of a clause or an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatementContext {
    /// At the top of a file.
    File,
    /// Between the braces of a session.
    Session,
    /// Between the braces of a `trace` or `on` clause.
    Block,
    /// Between the braces of a `class` or an `event`.
    Event,
}

impl StatementContext {
    /// Returns the context in words, for a message.
    pub fn describe(self) -> &'static str {
        match self {
            StatementContext::File => "at the top of a file",
            StatementContext::Session => "in a session",
            StatementContext::Block => "in the block of a `trace` or `on` clause",
            StatementContext::Event => "in a `class` or an `event`",
        }
    }

    /// Returns the statements that it can hold, for "expected ..".
    pub fn content(self) -> &'static str {
        match self {
            StatementContext::File => "a declaration",
            StatementContext::Session => "a clause",
            StatementContext::Block => "an item",
            StatementContext::Event => "a part",
        }
    }
}

/// A word that begins a declaration, a clause, an item or a part of an event definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseWord {
    /// The word itself.
    pub word: &'static str,
    /// The context in which it is valid.
    pub context: StatementContext,
    /// Its syntax.
    pub usage: &'static str,
    /// Its meaning, in one line.
    pub doc: &'static str,
}

/// Declares the words of each context, with syntax and meaning.
macro_rules! clauses {
    ($($context:ident { $($word:literal: $usage:literal, $doc:literal;)* })*) => {
        &[$($(
            ClauseWord { word: $word, context: StatementContext::$context, usage: $usage, doc: $doc },
        )*)*]
    };
}

/// Every word that begins a statement, once for each context in which it is valid.
pub const CLAUSES: &[ClauseWord] = clauses! {
    File {
        "use": "use PATH [as NAME];",
            "Makes the names of a module, or of another file, usable.";
        "const": "const NAME[: TYPE] = VALUE;",
            "A name for a value.";
        "enum": "enum NAME[: TYPE] { MEMBER [= VALUE] [\"TEXT\"], .. }",
            "Values; a field has one of them.";
        "flags": "flags NAME[: TYPE] { MEMBER [= VALUE] [\"TEXT\"], .. }",
            "Bits; a field has any of them.";
        "lint": "lint allow | warn | deny LINT, ..;",
            "The level of lints in the file.";
        "subsystem": "subsystem NAME;",
            "The system of the events that the file defines (TRACE_SYSTEM).";
        "include": "include <HEADER>;",
            "A C header with the types of the events that the file defines.";
        "class": "class NAME { proto (..) entry { .. } print \"..\" }",
            "The common parts of several events (DECLARE_EVENT_CLASS).";
        "event": "event NAME (: CLASS; | { .. } | at KIND TARGET ..)",
            "An event: of a class, of its own, or at a place of the kernel.";
        "session": "session NAME[(PARAMETERS)] { .. }",
            "A trace session: what is recorded, under which condition, until when.";
    }
    Session {
        "trace": "trace EVENTS [except EVENTS] [having FIELDS] [if CONDITION] (; | { .. })",
            "Records events, those for which the condition holds.";
        "on": "on EVENTS [except EVENTS] [having FIELDS] [if CONDITION] { trigger ..; }",
            "Runs triggers when an event fires, without recording it.";
        "buffer": "buffer SIZE [per cpu | total];",
            "The size of the ring buffer.";
        "queue": "queue SIZE;",
            "The memory for records that wait for the output; 64 MiB unless set.";
        "subbuffer": "subbuffer SIZE;",
            "The size of the parts of the ring: the most that a record can have, and what a reader gets at once.";
        "cmdlines": "cmdlines NUMBER;",
            "In `global discarding`: how many names of tasks the kernel remembers.";
        "rotate": "rotate every SIZE [max N];",
            "Closes the file of the output when it has that size and begins the next one; with `max`, keeps the newest N.";
        "clock": "clock NAME;",
            "The clock of the timestamps.";
        "recorder": "recorder tracefs | bpf;",
            "What records: tracefs, or BPF programs, which decide every condition in the kernel.";
        "option": "option NAME [on | off];",
            "Sets a trace option of the kernel.";
        "scope": "scope SUBJECT, .. [and children]; scope including tracec;",
            "The tasks and CPUs that are traced: a process, a thread, the command, a control group, CPUs; tracec's own \
             tasks are left out unless `including tracec` is written.";
        "instance": "instance [\"NAME\"];",
            "The ring buffer of the session, by this name.";
        "global": "global [discarding] { .. }",
            "Clauses that act on the state of the whole machine.";
        "stream": "stream;",
            "Reads the records while they are written.";
        "ring": "ring [last DURATION];",
            "Keeps the newest records and reads them at the end.";
        "keep": "keep DURATION after;",
            "Goes on for a time after the event of `stop on`.";
        "dump": "dump on EVENTS [if CONDITION] [count N] to \"FILE-{n}.dat\" [max N];",
            "Writes what the ring holds to a file at an event, and goes on.";
        "stop": "stop after DURATION | on EVENTS [if CONDITION] [count N] | on signal NAME | with command | with process ID;",
            "Ends the session by itself.";
        "start": "start paused;",
            "Arms everything and records nothing before it is resumed.";
        "marker": "marker \"TEXT\";",
            "Writes a text into the recording when the session starts.";
        "output": "output \"FILE\";",
            "The file that the recording goes to.";
        "include": "include SESSION[(NAME = VALUE, ..)];",
            "The clauses of another session.";
        "when": "when has FEATURE { .. } [else { .. }]",
            "Clauses for kernels with a feature, and for kernels without it.";
        "lint": "lint allow | warn | deny LINT, ..;",
            "The level of lints in the session.";
    }
    Block {
        "filter": "filter [in kernel] CONDITION;",
            "Narrows what the block records; its triggers fire regardless.";
        "trigger": "trigger ACTION [EVENT] [count N | once] [if CONDITION];",
            "Runs an action when the event fires.";
        "print": "print \"..{FIELD}..\"",
            "The text of a record, in the place of the kernel's.";
        "drop": "drop FIELD, ..;",
            "Leaves fields out of what is recorded.";
        "redact": "redact FIELD, ..;",
            "Blanks the values of fields in what is recorded.";
        "lint": "lint allow | warn | deny LINT, ..;",
            "The level of lints in the clause.";
    }
    Event {
        "proto": "proto (NAME: TYPE, ..)",
            "The arguments of the tracepoint (TP_PROTO, TP_ARGS).";
        "entry": "entry { NAME: TYPE [= VALUE]; .. }",
            "The fields of the record and their values (TP_STRUCT__entry).";
        "assign": "assign `C`",
            "Statements for values that are not expressions (TP_fast_assign).";
        "print": "print \"..{VALUE}..\"",
            "The record as text (TP_printk).";
    }
};

/// Actions of triggers, which are often written without the word `trigger`.
pub(crate) const ACTIONS: &[&str] = &["stacktrace", "traceon", "traceoff"];

/// Returns the entries of a word: one for each context in which it begins a statement.
pub fn clause_words(word: &str) -> impl Iterator<Item = &'static ClauseWord> {
    CLAUSES.iter().filter(move |entry| entry.word == word)
}

/// Words of other languages, each with the one that means the same here.
const SYNONYMS: &[(&str, StatementContext, &str)] = &[
    ("let", StatementContext::File, "const"),
    ("var", StatementContext::File, "const"),
    ("val", StatementContext::File, "const"),
    ("define", StatementContext::File, "const"),
    ("import", StatementContext::File, "use"),
    ("require", StatementContext::File, "use"),
    ("using", StatementContext::File, "use"),
    ("from", StatementContext::File, "use"),
];

/// Returns the words with which the statements of a context begin, as a sentence.
pub(crate) fn beginnings(context: StatementContext) -> String {
    let words =
        CLAUSES.iter().filter(|entry| entry.context == context).map(|entry| format!("`{}`", entry.word));
    format!("{} begins with one of {}", context.content(), words.collect::<Vec<_>>().join(", "))
}

/// Returns the word of `context` that was probably meant by a misspelt one, or by one of another language.
pub(crate) fn nearest(word: &str, context: StatementContext) -> Option<&'static str> {
    let synonym = SYNONYMS.iter().find(|(known, of, _)| *known == word && *of == context);
    if let Some((_, _, instead)) = synonym {
        return Some(instead);
    }
    // The time is proportional to the product of the lengths; a very long word is not a misspelt short one.
    if word.len() > 16 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    CLAUSES
        .iter()
        .filter(|entry| entry.context == context)
        .map(|entry| (strsim::osa_distance(&word, entry.word), entry.word))
        .filter(|&(distance, candidate)| distance <= candidate.len().div_ceil(3).min(2))
        .min()
        .map(|(_, candidate)| candidate)
}
