//! The words that begin something, with what they mean: for suggestions and completion.

/// Where a clause or an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// At the top of a file.
    File,
    /// Between the braces of a session.
    Session,
    /// Between the braces of a `trace` or `on` clause.
    Block,
}

impl Place {
    /// Where that is, for a message.
    pub fn describe(self) -> &'static str {
        match self {
            Place::File => "at the top of a file",
            Place::Session => "in a session",
            Place::Block => "in the block of a `trace` or `on` clause",
        }
    }

    /// What stands there, for "expected ..".
    pub fn content(self) -> &'static str {
        match self {
            Place::File => "a session",
            Place::Session => "a clause",
            Place::Block => "an item",
        }
    }
}

/// A word that begins a session, a clause or an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseWord {
    /// The word itself.
    pub word: &'static str,
    /// Where it may stand.
    pub place: Place,
    /// How it is written.
    pub usage: &'static str,
    /// What it says, in one line.
    pub doc: &'static str,
}

/// Every word that begins a session, a clause or an item.
pub const CLAUSES: &[ClauseWord] = &[
    ClauseWord {
        word: "session",
        place: Place::File,
        usage: "session NAME { .. }",
        doc: "A trace session: what is recorded, under which condition, until when.",
    },
    ClauseWord {
        word: "trace",
        place: Place::Session,
        usage: "trace EVENTS [if CONDITION] (; | { .. })",
        doc: "Records events, those for which the condition holds.",
    },
    ClauseWord {
        word: "on",
        place: Place::Session,
        usage: "on EVENTS [if CONDITION] { trigger ..; }",
        doc: "Runs triggers when an event fires, without recording it.",
    },
    ClauseWord {
        word: "buffer",
        place: Place::Session,
        usage: "buffer SIZE [per cpu | total];",
        doc: "The size of the ring buffer.",
    },
    ClauseWord {
        word: "clock",
        place: Place::Session,
        usage: "clock NAME;",
        doc: "The clock of the timestamps.",
    },
    ClauseWord {
        word: "option",
        place: Place::Session,
        usage: "option NAME [on | off];",
        doc: "Sets a trace option of the kernel.",
    },
    ClauseWord {
        word: "stop",
        place: Place::Session,
        usage: "stop after DURATION;",
        doc: "Ends the session by itself.",
    },
    ClauseWord {
        word: "output",
        place: Place::Session,
        usage: "output \"FILE\";",
        doc: "The file that the recording goes to.",
    },
    ClauseWord {
        word: "filter",
        place: Place::Block,
        usage: "filter CONDITION;",
        doc: "Narrows what the block records; its triggers fire regardless.",
    },
    ClauseWord {
        word: "trigger",
        place: Place::Block,
        usage: "trigger ACTION [count N | once] [if CONDITION];",
        doc: "Does something whenever the event fires.",
    },
];

/// Actions of triggers that are often written without the word `trigger`.
pub(crate) const ACTIONS: &[&str] = &["stacktrace", "traceon", "traceoff"];

/// The entry of a word, if it begins something.
pub fn clause_word(word: &str) -> Option<&'static ClauseWord> {
    CLAUSES.iter().find(|entry| entry.word == word)
}

/// The word of `place` that was most likely meant by a misspelt one.
pub(crate) fn nearest(word: &str, place: Place) -> Option<&'static str> {
    // The distance costs the product of the lengths; nothing that long is a slip of a short word.
    if word.len() > 16 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    CLAUSES
        .iter()
        .filter(|entry| entry.place == place)
        .map(|entry| (strsim::osa_distance(&word, entry.word), entry.word))
        .filter(|&(distance, candidate)| distance <= candidate.len().div_ceil(3).min(2))
        .min()
        .map(|(_, candidate)| candidate)
}
