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

/// Every word that begins a statement, once for each context in which it is valid.
pub const CLAUSES: &[ClauseWord] = &[
    ClauseWord {
        word: "use",
        context: StatementContext::File,
        usage: "use PATH [as NAME];",
        doc: "Makes the names of a module, or of another file, usable.",
    },
    ClauseWord {
        word: "const",
        context: StatementContext::File,
        usage: "const NAME[: TYPE] = VALUE;",
        doc: "A name for a value.",
    },
    ClauseWord {
        word: "enum",
        context: StatementContext::File,
        usage: "enum NAME[: TYPE] { MEMBER [= VALUE] [\"TEXT\"], .. }",
        doc: "Values; a field has one of them.",
    },
    ClauseWord {
        word: "flags",
        context: StatementContext::File,
        usage: "flags NAME[: TYPE] { MEMBER [= VALUE] [\"TEXT\"], .. }",
        doc: "Bits; a field has any of them.",
    },
    ClauseWord {
        word: "lint",
        context: StatementContext::File,
        usage: "lint allow | warn | deny LINT, ..;",
        doc: "The level of lints in the file.",
    },
    ClauseWord {
        word: "subsystem",
        context: StatementContext::File,
        usage: "subsystem NAME;",
        doc: "The system of the events that the file defines (TRACE_SYSTEM).",
    },
    ClauseWord {
        word: "include",
        context: StatementContext::File,
        usage: "include <HEADER>;",
        doc: "A C header with the types of the events that the file defines.",
    },
    ClauseWord {
        word: "class",
        context: StatementContext::File,
        usage: "class NAME { proto (..) entry { .. } print \"..\" }",
        doc: "The common parts of several events (DECLARE_EVENT_CLASS).",
    },
    ClauseWord {
        word: "event",
        context: StatementContext::File,
        usage: "event NAME (: CLASS; | { .. } | at KIND TARGET ..)",
        doc: "An event: of a class, of its own, or at a place of the kernel.",
    },
    ClauseWord {
        word: "session",
        context: StatementContext::File,
        usage: "session NAME[(PARAMETERS)] { .. }",
        doc: "A trace session: what is recorded, under which condition, until when.",
    },
    ClauseWord {
        word: "trace",
        context: StatementContext::Session,
        usage: "trace EVENTS [except EVENTS] [having FIELDS] [if CONDITION] (; | { .. })",
        doc: "Records events, those for which the condition holds.",
    },
    ClauseWord {
        word: "on",
        context: StatementContext::Session,
        usage: "on EVENTS [except EVENTS] [having FIELDS] [if CONDITION] { trigger ..; }",
        doc: "Runs triggers when an event fires, without recording it.",
    },
    ClauseWord {
        word: "buffer",
        context: StatementContext::Session,
        usage: "buffer SIZE [per cpu | total];",
        doc: "The size of the ring buffer.",
    },
    ClauseWord {
        word: "queue",
        context: StatementContext::Session,
        usage: "queue SIZE;",
        doc: "The memory for records that wait for the output; 64 MiB unless set.",
    },
    ClauseWord {
        word: "clock",
        context: StatementContext::Session,
        usage: "clock NAME;",
        doc: "The clock of the timestamps.",
    },
    ClauseWord {
        word: "option",
        context: StatementContext::Session,
        usage: "option NAME [on | off];",
        doc: "Sets a trace option of the kernel.",
    },
    ClauseWord {
        word: "scope",
        context: StatementContext::Session,
        usage: "scope SUBJECT, .. [and children]; scope including tracec;",
        doc: "The tasks and CPUs that are traced: a process, a thread, the command, a control group, CPUs; tracec's own \
              tasks are left out unless `including tracec` is written.",
    },
    ClauseWord {
        word: "instance",
        context: StatementContext::Session,
        usage: "instance [\"NAME\"];",
        doc: "The ring buffer of the session, by this name.",
    },
    ClauseWord {
        word: "global",
        context: StatementContext::Session,
        usage: "global [discarding] { .. }",
        doc: "Clauses that act on the state of the whole machine.",
    },
    ClauseWord {
        word: "stream",
        context: StatementContext::Session,
        usage: "stream;",
        doc: "Reads the records while they are written.",
    },
    ClauseWord {
        word: "ring",
        context: StatementContext::Session,
        usage: "ring [last DURATION];",
        doc: "Keeps the newest records and reads them at the end.",
    },
    ClauseWord {
        word: "stop",
        context: StatementContext::Session,
        usage: "stop after DURATION | on EVENTS [if CONDITION] [count N] | on signal NAME | with command;",
        doc: "Ends the session by itself.",
    },
    ClauseWord {
        word: "start",
        context: StatementContext::Session,
        usage: "start paused;",
        doc: "Arms everything and records nothing before it is resumed.",
    },
    ClauseWord {
        word: "marker",
        context: StatementContext::Session,
        usage: "marker \"TEXT\";",
        doc: "Writes a text into the recording when the session starts.",
    },
    ClauseWord {
        word: "output",
        context: StatementContext::Session,
        usage: "output \"FILE\";",
        doc: "The file that the recording goes to.",
    },
    ClauseWord {
        word: "include",
        context: StatementContext::Session,
        usage: "include SESSION[(NAME = VALUE, ..)];",
        doc: "The clauses of another session.",
    },
    ClauseWord {
        word: "when",
        context: StatementContext::Session,
        usage: "when has FEATURE { .. } [else { .. }]",
        doc: "Clauses for kernels with a feature, and for kernels without it.",
    },
    ClauseWord {
        word: "lint",
        context: StatementContext::Session,
        usage: "lint allow | warn | deny LINT, ..;",
        doc: "The level of lints in the session.",
    },
    ClauseWord {
        word: "filter",
        context: StatementContext::Block,
        usage: "filter [in kernel] CONDITION;",
        doc: "Narrows what the block records; its triggers fire regardless.",
    },
    ClauseWord {
        word: "trigger",
        context: StatementContext::Block,
        usage: "trigger ACTION [EVENT] [count N | once] [if CONDITION];",
        doc: "Runs an action when the event fires.",
    },
    ClauseWord {
        word: "lint",
        context: StatementContext::Block,
        usage: "lint allow | warn | deny LINT, ..;",
        doc: "The level of lints in the clause.",
    },
    ClauseWord {
        word: "proto",
        context: StatementContext::Event,
        usage: "proto (NAME: TYPE, ..)",
        doc: "The arguments of the tracepoint (TP_PROTO, TP_ARGS).",
    },
    ClauseWord {
        word: "entry",
        context: StatementContext::Event,
        usage: "entry { NAME: TYPE [= VALUE]; .. }",
        doc: "The fields of the record and their values (TP_STRUCT__entry).",
    },
    ClauseWord {
        word: "assign",
        context: StatementContext::Event,
        usage: "assign `C`",
        doc: "Statements for values that are not expressions (TP_fast_assign).",
    },
    ClauseWord {
        word: "print",
        context: StatementContext::Event,
        usage: "print \"..{VALUE}..\"",
        doc: "The record as text (TP_printk).",
    },
];

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
