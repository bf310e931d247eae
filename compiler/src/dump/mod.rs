//! The result of each pass as text: `tracec build --dump PASS`.
//!
//! The text is for developers who look for the pass that went wrong, and for goldens. It prints everything that a form
//! owns. A part that is owned by an earlier form is named: the events of a clause of `resolve` by their index among
//! those with events, a condition of `place` by its id. Two dumps are equal exactly if the forms, and the earlier forms
//! that they refer to, are. Every struct of the session form and of its placement is destructured by name, so that a
//! new field does not compile here until it is printed. Syntax, definitions and conditions are trees of any depth,
//! which `tree.rs` prints as their `Debug` gives them.

mod catalogue;
mod lines;
mod load;
mod module;
mod place;
mod resolve;
mod session;
mod tree;

pub use load::program;
pub use module::{each_line_of_module, module};
pub use place::placement;
pub use resolve::resolved;

/// The passes, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// A text and its imports, as syntax.
    Load,
    /// Sessions as lists of clauses, with their events found.
    Resolve,
    /// Sessions typed.
    Check,
    /// Conditions made shorter.
    Simplify,
    /// Where each condition runs.
    Place,
}

impl Pass {
    /// Every pass.
    pub const ALL: [Pass; 5] = [Pass::Load, Pass::Resolve, Pass::Check, Pass::Simplify, Pass::Place];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Pass::Load => "load",
            Pass::Resolve => "resolve",
            Pass::Check => "check",
            Pass::Simplify => "simplify",
            Pass::Place => "place",
        }
    }
}

#[cfg(test)]
mod laws;
