//! The fuzz target `format_file`, which reads the `format` file of an event.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tracec_fuzz::targets::format_file(data));
