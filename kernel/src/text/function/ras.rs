//! Errors of memory: include/linux/edac.h.

use super::{TextFunction, int};
use crate::text::memory::{Memory, Value};

pub(super) const ALL: &[TextFunction] =
    &[TextFunction { name: "mc_event_error_type", arguments: 1, print: mc_event_error_type }];

/// By `enum hw_event_mc_err_type`.
fn mc_event_error_type(arguments: &[Value], _: &Memory<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(match int(arguments, 0) {
        0 => b"Corrected",
        1 => b"Uncorrected",
        2 => b"Deferred",
        3 => b"Fatal",
        _ => b"Info",
    });
}
