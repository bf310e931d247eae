//! The messages with which the kernel refuses a filter: `ERRORS` in kernel/trace/trace_events_filter.c.
//!
//! `error_log` holds them as `event filter parse error: error: TEXT`, the filter file as `parse_error: TEXT`.

/// A message of the kernel and its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The kernel's message.
    pub text: &'static str,
    /// The cause.
    pub cause: &'static str,
}

/// `FILT_ERR_NONE`.
pub const NONE: FilterError = error("No error", "the kernel gave no reason");
/// `FILT_ERR_INVALID_OP`.
pub const INVALID_OP: FilterError = error("Invalid operator", "no operator follows the field");
/// `FILT_ERR_TOO_MANY_OPEN`.
pub const TOO_MANY_OPEN: FilterError = error("Too many '('", "a `(` is not closed");
/// `FILT_ERR_TOO_MANY_CLOSE`.
pub const TOO_MANY_CLOSE: FilterError = error("Too few '('", "a `)` closes nothing");
/// `FILT_ERR_MISSING_QUOTE`.
pub const MISSING_QUOTE: FilterError = error("Missing matching quote", "a quote is not closed");
/// `FILT_ERR_MISSING_BRACE_OPEN`.
pub const MISSING_BRACE_OPEN: FilterError = error("Missing '{'", "`CPUS` is not followed by `{`");
/// `FILT_ERR_MISSING_BRACE_CLOSE`.
pub const MISSING_BRACE_CLOSE: FilterError = error("Missing '}'", "`CPUS{` is not closed");
/// `FILT_ERR_OPERAND_TOO_LONG`.
pub const OPERAND_TOO_LONG: FilterError =
    error("Operand too long", "a string is longer than 255 bytes or a number longer than 23 characters");
/// `FILT_ERR_EXPECT_STRING`. The kernel's wording is the reverse of the expected one.
pub const EXPECT_STRING: FilterError =
    error("Expecting string field", "a text field is compared with a number");
/// `FILT_ERR_EXPECT_DIGIT`.
pub const EXPECT_DIGIT: FilterError =
    error("Expecting numeric field", "a field that is not a string is compared with one");
/// `FILT_ERR_ILLEGAL_FIELD_OP`.
pub const ILLEGAL_FIELD_OP: FilterError =
    error("Illegal operation for field type", "the operator does not fit the field's type");
/// `FILT_ERR_FIELD_NOT_FOUND`.
pub const FIELD_NOT_FOUND: FilterError = error("Field not found", "the event has no such field");
/// `FILT_ERR_ILLEGAL_INTVAL`.
pub const ILLEGAL_INTVAL: FilterError = error(
    "Illegal integer value",
    "the number has bad digits, is too large, or is negative for an unsigned field",
);
/// `FILT_ERR_BAD_SUBSYS_FILTER`.
pub const BAD_SUBSYS_FILTER: FilterError = error(
    "Couldn't find or set field in one of a subsystem's events",
    "not every event of the system takes it",
);
/// `FILT_ERR_TOO_MANY_PREDS`.
pub const TOO_MANY_PREDS: FilterError = error(
    "Too many terms in predicate expression",
    "a comparison is followed by something other than `&&` or `||`",
);
/// `FILT_ERR_INVALID_FILTER`.
pub const INVALID_FILTER: FilterError =
    error("Meaningless filter expression", "nothing follows an `&&` or `||`");
/// `FILT_ERR_INVALID_CPULIST`.
pub const INVALID_CPULIST: FilterError =
    error("Invalid cpulist", "the list in `CPUS{..}` is empty or does not read as one");
/// `FILT_ERR_IP_FIELD_ONLY`.
pub const IP_FIELD_ONLY: FilterError =
    error("Only 'ip' field is supported for function trace", "the function event filters by `ip` alone");
/// `FILT_ERR_INVALID_VALUE`.
pub const INVALID_VALUE: FilterError =
    error("Invalid value (did you forget quotes)?", "the value is neither a number nor a string in quotes");
/// `FILT_ERR_NO_FUNCTION`.
pub const NO_FUNCTION: FilterError = error("Function not found", "the kernel has no function of this name");
/// `FILT_ERR_ERRNO`.
pub const ERRNO: FilterError = error("Error", "the kernel gave only an error number");
/// `FILT_ERR_NO_FILTER`.
pub const NO_FILTER: FilterError = error("No filter found", "the text holds nothing but `!`");

/// All messages of the kernels 6.1 to 7.2, in the order of the newest.
pub const ALL: &[FilterError] = &[
    NONE,
    INVALID_OP,
    TOO_MANY_OPEN,
    TOO_MANY_CLOSE,
    MISSING_QUOTE,
    MISSING_BRACE_OPEN,
    MISSING_BRACE_CLOSE,
    OPERAND_TOO_LONG,
    EXPECT_STRING,
    EXPECT_DIGIT,
    ILLEGAL_FIELD_OP,
    FIELD_NOT_FOUND,
    ILLEGAL_INTVAL,
    BAD_SUBSYS_FILTER,
    TOO_MANY_PREDS,
    INVALID_FILTER,
    INVALID_CPULIST,
    IP_FIELD_ONLY,
    INVALID_VALUE,
    NO_FUNCTION,
    ERRNO,
    NO_FILTER,
];

const fn error(text: &'static str, cause: &'static str) -> FilterError {
    FilterError { text, cause }
}

/// Returns the error with this message.
pub fn find(text: &str) -> Option<&'static FilterError> {
    ALL.iter().find(|error| error.text == text)
}

/// Returns the messages of all errors.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|error| error.text)
}
