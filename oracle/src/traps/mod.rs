//! What the kernel accepts and means differently, or refuses without a word: each with what tracec does about it.
//!
//! The table is complete for kernel/trace/trace_events_filter.c and trace_events_trigger.c: [`FACTS`] are the traps of
//! tracefs, [`FILTER_ERRORS`] the errors of its filter parser, [`TRIGGER_ERRORS`] those of its triggers. The tests walk
//! all of them.

mod facts;
mod filter_errors;
mod trigger_errors;

pub use facts::FACTS;
pub use filter_errors::FILTER_ERRORS;
pub use trigger_errors::TRIGGER_ERRORS;

/// A trap and what is done about it.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    /// Its number among the traps of tracefs, from 1; `None` for an error, which has the kernel's text for a name.
    pub id: Option<u8>,
    /// What it is called here: a word for a fact, the kernel's own text for an error.
    pub name: &'static str,
    /// What the kernel does.
    pub kernel: &'static str,
    /// What tracec does: one or more answers.
    pub answers: &'static [Answer],
}

/// What tracec does about a trap.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// The compiler finds it.
    Caught {
        /// A one-liner that falls into the trap.
        text: &'static str,
        /// The part of it that the diagnostic points at.
        at: &'static str,
        /// The diagnostic's code.
        code: &'static str,
    },
    /// It is understood, and no target carries it out yet, so that nothing is written that could fall into it.
    Refused {
        /// A one-liner that asks for it.
        text: &'static str,
        /// The part of it that the diagnostic points at.
        at: &'static str,
        /// The diagnostic's code.
        code: &'static str,
    },
    /// The compiler writes something else, which means what was asked for.
    Lowered {
        /// A one-liner.
        text: &'static str,
        /// What is written for it to the file `file`.
        writes: &'static str,
        /// The last part of the file's path.
        file: &'static str,
    },
    /// The way in which sessions are applied keeps clear of it.
    Avoided {
        /// How.
        how: &'static str,
        /// The source file and the function of the test that shows it.
        test: (&'static str, &'static str),
    },
    /// The language has nothing that could fall into it.
    Unsayable {
        /// Why.
        why: &'static str,
    },
    /// No compiler can see it before the kernel does.
    Invisible {
        /// Why, and what happens then.
        why: &'static str,
    },
}

const fn caught(text: &'static str, at: &'static str, code: &'static str) -> Answer {
    Answer::Caught { text, at, code }
}

const fn filter(text: &'static str, writes: &'static str) -> Answer {
    Answer::Lowered { text, writes, file: "filter" }
}
