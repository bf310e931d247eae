//! The simplifier: a table of rewrites, and equality of meaning with the evaluator on any conditions and records.

#[path = "../common/bytes.rs"]
mod bytes;
#[path = "../eval/event.rs"]
#[allow(dead_code, reason = "shared with the evaluator's tests")]
mod event;
mod laws;
#[path = "../generate/random.rs"]
mod random;
mod rewrites;
mod size;
mod spelling;
#[path = "../common/strategies.rs"]
mod strategies;
