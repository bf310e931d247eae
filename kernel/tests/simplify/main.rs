//! The simplifier: a table of rewrites, and equality of meaning with the evaluator on any conditions and records.

#[path = "../eval/event.rs"]
#[allow(dead_code, reason = "shared with the evaluator's tests")]
mod event;
mod laws;
mod rewrites;
mod size;
mod spelling;
