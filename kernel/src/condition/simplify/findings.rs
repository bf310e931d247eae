//! Findings about redundant and contradictory atoms.

use rustc_hash::FxHashSet;

/// A finding about an atom that is redundant, or that cannot be what its author meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The atoms concerned, ascending, as indexes of [`Condition::atoms`](crate::condition::ir::Condition::atoms) of
    /// the input. There are several only where these were joined before.
    pub atoms: Vec<usize>,
    /// The kind of the finding.
    pub kind: FindingKind,
}

/// The kind of a finding. Other atoms are numbered as in [`Finding::atoms`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// The atom is true for every record.
    AlwaysTrue {
        /// The smallest and the largest value of the number in the atom, where these two alone decide it. In a
        /// comparison with a constant that number is the other side, as it is written.
        range: Option<(i128, i128)>,
    },
    /// The atom is true for no record.
    AlwaysFalse {
        /// As in [`FindingKind::AlwaysTrue`].
        range: Option<(i128, i128)>,
    },
    /// The atom contradicts others: `x > 5 && x < 3`.
    Contradiction {
        /// The other atoms.
        with: Vec<usize>,
    },
    /// The atom or one of the others always holds: `x < 5 || x >= 5`.
    Exhaustive {
        /// The other atoms.
        with: Vec<usize>,
    },
    /// The atom is implied by others: `x > 5 && x > 3`, `x == 1 || x == 1 && y == 2`.
    Implied {
        /// The other atoms.
        by: Vec<usize>,
    },
    /// The atom repeats another.
    Duplicate {
        /// The other atom.
        of: Vec<usize>,
    },
}

/// A collection of findings, at most one per atom.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    atoms: FxHashSet<usize>,
}

impl Findings {
    /// Adds a finding, unless there is one about any of the atoms already.
    pub(super) fn add(&mut self, atoms: Vec<usize>, kind: FindingKind) {
        if atoms.iter().any(|atom| self.atoms.contains(atom)) {
            return;
        }
        self.atoms.extend(&atoms);
        self.list.push(Finding { atoms, kind });
    }

    /// Returns the findings in the order of the atoms.
    pub(super) fn into_list(mut self) -> Vec<Finding> {
        self.list.sort_by(|a, b| a.atoms.cmp(&b.atoms));
        self.list
    }
}
