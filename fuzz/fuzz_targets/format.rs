//! The fuzz target `format`, which formats a text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tracec_fuzz::{linear, targets};

fuzz_target!(|data: &[u8]| {
    targets::format(data);
    linear::guard(targets::format, data);
});
