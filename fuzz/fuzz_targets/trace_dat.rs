//! The fuzz target `trace_dat`, which opens a recording and shows its records.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tracec_fuzz::targets::trace_dat(data));
