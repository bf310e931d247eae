//! The fuzz target `page`, which reads a page of the ring buffer.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tracec_fuzz::targets::page(data));
