//! The fuzz target `profile`, which reads a saved kernel.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tracec_fuzz::targets::profile(data));
