//! What a kernel says of a filter that it does not take.

use std::fmt;

use tracec_kernel::tables::filter_errors::{ERRNO, FilterError, NONE};

/// A filter that the kernel does not take, and what it then shows: `append_filter_err` in
/// kernel/trace/trace_events_filter.c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kernel's words, as `error_log` has them.
    ///
    /// [`ERRNO`] ("Error") is a refusal without a reason: the filter file then holds `Error: (0)` and no caret. [`NONE`]
    /// ("No error") is a text that is too long to be looked at: neither file says anything, and the filter stays what
    /// it was.
    pub error: &'static FilterError,
    /// The column of the caret in `error_log`, from 0, behind the 11 characters that the line before has in front of
    /// the text. `None` where there is no place; `error_log` then has the caret in column 0.
    ///
    /// [`column_in_filter_file`](Refusal::column_in_filter_file) is that of the event's file.
    pub position: Option<usize>,
    /// The error number that write(2) gives, positive.
    pub errno: i32,
}

impl Refusal {
    /// `parse_error` and a return value.
    pub(super) fn at(error: &'static FilterError, position: usize, errno: i32) -> Refusal {
        Refusal { error, position: Some(position), errno }
    }

    /// A return value without a `parse_error`: `lasterr` stays 0, and the log shows `FILT_ERR_ERRNO`.
    pub(super) fn unexplained(errno: i32) -> Refusal {
        Refusal { error: &ERRNO, position: None, errno }
    }

    /// What never came to the parser.
    pub(super) fn unread(errno: i32) -> Refusal {
        Refusal { error: &NONE, position: None, errno }
    }

    /// The column of the caret in the event's filter file, which is never behind the end of the text, and whether there
    /// is one at all. `text` is what was written.
    pub fn column_in_filter_file(&self, text: &[u8]) -> Option<usize> {
        self.position.map(|position| position.min(super::stored(text).len()))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.error.text)?;
        if let Some(position) = self.position {
            write!(f, " at column {position}")?;
        }
        write!(f, " (error number {})", self.errno)
    }
}

impl std::error::Error for Refusal {}
