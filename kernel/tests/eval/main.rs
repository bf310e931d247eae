//! The evaluator: each rule of its specification on records put together by hand, and laws over any records.

mod event;
mod laws;
mod oracle;
mod rules;
