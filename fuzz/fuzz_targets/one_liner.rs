//! The fuzz target `one_liner`, which parses the text of `-e`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tracec_fuzz::{linear, targets};

fuzz_target!(|data: &[u8]| {
    targets::one_liner(data);
    linear::guard(targets::one_liner, data);
});
