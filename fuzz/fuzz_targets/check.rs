//! The fuzz target `check`, which checks a text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tracec_fuzz::{linear, targets};

fuzz_target!(|data: &[u8]| {
    targets::check(data);
    linear::guard(targets::check, data);
});
