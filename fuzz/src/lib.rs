//! The fuzz targets: functions of bytes that panic where a law of the project does not hold. The fuzzer calls them
//! through `fuzz_targets/`; `tests/fuzz_corpus.rs` of the main workspace calls them with the inputs that were kept.

pub mod kept;
pub mod linear;
pub mod targets;
