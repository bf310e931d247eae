//! A kernel's refusal of a filter.

use std::fmt;

use tracec_kernel::tables::filter_errors::{ERRNO, FilterError, NONE};

/// A filter that the kernel does not accept, and what it then shows: `append_filter_err` in
/// kernel/trace/trace_events_filter.c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kernel's words, as `error_log` has them.
    ///
    /// [`ERRNO`] ("Error") is a refusal without a reason: the filter file then holds `Error: (0)` and no caret.
    /// [`NONE`] ("No error") is a text that is too long to be read: neither file reports it, and the filter stays
    /// unchanged.
    pub error: &'static FilterError,
    /// The column of the caret in `error_log`, from 0, after the 11 characters that the line above has before the text.
    /// `None` where there is no position; `error_log` then has the caret in column 0.
    ///
    /// [`column_in_filter_file`](Refusal::column_in_filter_file) is that of the event's file.
    pub position: Option<usize>,
    /// The error number that write(2) gives, positive.
    pub errno: i32,
}

impl Refusal {
    /// Returns a refusal by a `parse_error` and a return value.
    pub(super) fn at(error: &'static FilterError, position: usize, errno: i32) -> Refusal {
        Refusal { error, position: Some(position), errno }
    }

    /// Returns a refusal by a return value without a `parse_error`: `lasterr` stays 0, and the log shows
    /// `FILT_ERR_ERRNO`.
    pub(super) fn unexplained(errno: i32) -> Refusal {
        Refusal { error: &ERRNO, position: None, errno }
    }

    /// Returns a refusal of a text that never reached the parser.
    pub(super) fn unread(errno: i32) -> Refusal {
        Refusal { error: &NONE, position: None, errno }
    }

    /// Returns the column of the caret in the event's filter file, which is never after the end of the text; `None` if
    /// there is no caret. `text` is the text that was written.
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
