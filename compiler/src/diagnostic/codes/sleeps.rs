//! T0759: sleeps. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::sleeping::{Cause, Sleeping};

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0759", "sleeps", include_str!("sleeps.md"));

/// Reports a function that sleeps, or a flag with which an allocation does, where a record is written.
pub(crate) fn sleeps(span: Span, what: &Sleeping) -> Diagnostic {
    let (why, instead) = match what.cause {
        Cause::UserMemory => (
            "it waits for a page of user memory that is not there",
            "record the pointer, or give the tracepoint what its caller has copied; `copy_from_user_nofault` \
             and `strncpy_from_user_nofault` fail instead of waiting",
        ),
        Cause::Lock => (
            "it waits for a lock",
            "record what can be read without the lock, or give the tracepoint a copy that its caller has made under it",
        ),
        Cause::Wait => {
            ("it waits", "let the caller of the tracepoint wait, and give the tracepoint the result")
        }
        Cause::Memory => (
            "memory may have to be freed first",
            "a field of the record has memory of its own: `u8[]`, `string`",
        ),
        Cause::File => ("it waits for a file or a program", "give the tracepoint what its caller has read"),
    };
    let said = match what.is_flag {
        true => format!("an allocation with `{}` can sleep, and a tracepoint may not", what.name),
        false => format!("`{}` can sleep, and a tracepoint may not", what.name),
    };
    Diagnostic::error(&CODE, said)
        .at(span, why)
        .note("a record is written with preemption disabled, and the tracepoint may stand in an interrupt")
        .help(instead)
}
