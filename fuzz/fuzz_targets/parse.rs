//! The fuzz target `parse`, which parses a text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tracec_fuzz::{linear, targets};

fuzz_target!(|data: &[u8]| {
    targets::parse(data);
    linear::guard(targets::parse, data);
});
