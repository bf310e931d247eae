//! Conditions over one record: the form that the checker makes and the targets realise.

pub mod check;
pub mod context;
mod display;
pub mod eval;
pub mod glob;
pub mod ir;
pub mod lower;
pub mod ranges;
pub mod realisation;
pub mod rebind;
mod serial;
pub mod simplify;
