//! The fuzz target `print_fmt`, which compiles a print format and shows records by it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tracec_fuzz::targets::print_fmt(data));
