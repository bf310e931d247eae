//! What is noticed while a condition is simplified.

use std::collections::HashSet;

/// An atom that says nothing, or something that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The atoms that it is about, ascending: their places in [`Condition::atoms`](crate::condition::ir::Condition::atoms)
    /// of what was simplified. One, but where several were taken together before.
    pub atoms: Vec<usize>,
    /// What is the matter.
    pub kind: Kind,
}

/// What is the matter with an atom. Other atoms are numbered as in [`Finding::atoms`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is true for every record.
    AlwaysTrue {
        /// The smallest and the largest value of the number that it asks about, where these two alone decide it. Of a
        /// comparison with a constant that number is the other side, as it is written.
        range: Option<(i128, i128)>,
    },
    /// It is true for no record.
    AlwaysFalse {
        /// The same.
        range: Option<(i128, i128)>,
    },
    /// It cannot hold together with these: `x > 5 && x < 3`.
    Contradiction {
        /// The others.
        with: Vec<usize>,
    },
    /// It or these always hold: `x < 5 || x >= 5`.
    Exhaustive {
        /// The others.
        with: Vec<usize>,
    },
    /// Where these stand it adds nothing: `x > 5 && x > 3`, `x == 1 || x == 1 && y == 2`.
    Implied {
        /// The others.
        by: Vec<usize>,
    },
    /// It says what another says.
    Duplicate {
        /// The other.
        of: Vec<usize>,
    },
}

/// All that was noticed.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    atoms: HashSet<usize>,
}

impl Findings {
    /// Notes something, unless there is something to be said of one of the atoms already.
    pub(super) fn add(&mut self, atoms: Vec<usize>, kind: Kind) {
        if atoms.iter().any(|atom| self.atoms.contains(atom)) {
            return;
        }
        self.atoms.extend(&atoms);
        self.list.push(Finding { atoms, kind });
    }

    /// All of it in the order of the atoms.
    pub(super) fn into_list(mut self) -> Vec<Finding> {
        self.list.sort_by(|a, b| a.atoms.cmp(&b.atoms));
        self.list
    }
}
