//! The count of unmatched braces.

use crate::lexer::{Kind, Token};

/// The numbers of unmatched braces of a text. While there are any, an unusual structure is taken for the place of a
/// forgotten brace; where all braces match, it is taken as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Surplus {
    /// The opening ones.
    pub(super) open: usize,
    /// The closing ones.
    pub(super) close: usize,
}

impl Surplus {
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut surplus = Surplus::default();
        for token in tokens {
            match token.kind {
                Kind::LBrace => surplus.open += 1,
                Kind::RBrace if surplus.open > 0 => surplus.open -= 1,
                Kind::RBrace => surplus.close += 1,
                _ => {}
            }
        }
        surplus
    }

    /// Returns how many there are.
    pub(crate) fn count(self) -> usize {
        self.open + self.close
    }
}
