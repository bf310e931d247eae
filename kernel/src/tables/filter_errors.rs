//! The texts with which the kernel refuses a filter: `ERRORS` in kernel/trace/trace_events_filter.c.
//!
//! `error_log` holds them as `event filter parse error: error: TEXT`, the filter file as `parse_error: TEXT`.

/// A text of the kernel and what causes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The kernel's words.
    pub text: &'static str,
    /// What causes it.
    pub cause: &'static str,
}

/// All of them, of the kernels 6.1 to 7.2.
pub const ALL: &[FilterError] = &[
    error("No error", "the kernel gave no reason"),
    error("Invalid operator", "no operator follows the field"),
    error("Too many '('", "a `(` is not closed"),
    error("Too few '('", "a `)` closes nothing"),
    error("Missing matching quote", "a quote is not closed"),
    error("Missing '{'", "`CPUS` is not followed by `{`"),
    error("Missing '}'", "`CPUS{` is not closed"),
    error("Operand too long", "a string is longer than 255 bytes or a number longer than 23 characters"),
    // The kernel's wording is the reverse of what one expects.
    error("Expecting string field", "a text field is compared with a number"),
    error("Expecting numeric field", "a field that is no text is compared with a string"),
    error("Illegal operation for field type", "the operator does not fit the field's type"),
    error("Field not found", "the event has no such field"),
    error(
        "Illegal integer value",
        "the number has bad digits, is too large, or is negative for an unsigned field",
    ),
    error(
        "Couldn't find or set field in one of a subsystem's events",
        "not every event of the system takes it",
    ),
    error(
        "Too many terms in predicate expression",
        "something stands behind a comparison that is no `&&` or `||`",
    ),
    error("Meaningless filter expression", "nothing follows an `&&` or `||`"),
    error("Invalid cpulist", "the list in `CPUS{..}` is empty or does not read as one"),
    error("Only 'ip' field is supported for function trace", "the function event filters by `ip` alone"),
    error("Invalid value (did you forget quotes)?", "the value is neither a number nor a string in quotes"),
    error("Function not found", "the kernel has no function of this name"),
    error("Error", "the kernel gave only an error number"),
    error("No filter found", "the text holds nothing but `!`"),
];

const fn error(text: &'static str, cause: &'static str) -> FilterError {
    FilterError { text, cause }
}

/// The error with this text.
pub fn find(text: &str) -> Option<&'static FilterError> {
    ALL.iter().find(|error| error.text == text)
}

/// The texts of all errors.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|error| error.text)
}
