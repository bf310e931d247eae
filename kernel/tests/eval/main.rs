//! The evaluator: each rule of its specification on records put together by hand, and laws over any records.

#[path = "../common/bytes.rs"]
mod bytes;
mod event;
mod laws;
mod oracle;
mod rules;
#[path = "../common/strategies.rs"]
mod strategies;
