//! Texts that the kernel accepts with an unexpected meaning, or refuses without a message, and what tracec does about
//! each.
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

/// A trap and the answer to it.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    /// Its number among the traps of tracefs, from 1; `None` for an error, which has the kernel's text for a name.
    pub id: Option<u8>,
    /// Its name: a word for a fact, the kernel's own text for an error.
    pub name: &'static str,
    /// The behaviour of the kernel.
    pub kernel: &'static str,
    /// The behaviour of tracec: one or more answers.
    pub answers: &'static [Answer],
}

/// The answer of tracec to a trap.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// The compiler reports it.
    Caught {
        /// A one-liner with the trap.
        text: &'static str,
        /// The part of it that the diagnostic points at.
        at: &'static str,
        /// The diagnostic's code.
        code: &'static str,
    },
    /// It is valid, but no target implements it yet, so that nothing is written that could contain the trap.
    Refused {
        /// A one-liner that uses it.
        text: &'static str,
        /// The part of it that the diagnostic points at.
        at: &'static str,
        /// The diagnostic's code.
        code: &'static str,
    },
    /// The compiler writes something else, which has the intended meaning.
    Lowered {
        /// A one-liner.
        text: &'static str,
        /// The text that is written for it to the file `file`.
        writes: &'static str,
        /// The last part of the file's path.
        file: &'static str,
    },
    /// The way in which sessions are applied avoids it.
    Avoided {
        /// How.
        how: &'static str,
        /// The source file and the function of the test that shows it.
        test: (&'static str, &'static str),
    },
    /// The language cannot express it.
    Unsayable {
        /// Why.
        why: &'static str,
    },
    /// It depends on the running kernel and cannot be found before.
    Invisible {
        /// Why, and the consequence.
        why: &'static str,
    },
}

const fn caught(text: &'static str, at: &'static str, code: &'static str) -> Answer {
    Answer::Caught { text, at, code }
}

const fn filter(text: &'static str, writes: &'static str) -> Answer {
    Answer::Lowered { text, writes, file: "filter" }
}
