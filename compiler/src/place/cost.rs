//! The cost of a condition where it runs, in classes.
//!
//! Nothing is measured: the class says what kind of work is done per record, so that the expensive part of a condition
//! can be seen. The kernel stops at the first conjunct that does not hold, in the order of the text.

use tracec_kernel::condition::lower::Work;
use tracec_kernel::condition::realisation::{Construct, Holder};

use super::Place;

/// A class of cost, ordered from the cheapest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// See [`CLASSES`].
    None,
    /// See [`CLASSES`].
    Compare,
    /// See [`CLASSES`].
    Text,
    /// See [`CLASSES`].
    Pattern,
    /// See [`CLASSES`].
    Memory,
    /// See [`CLASSES`].
    Host,
}

/// The name and meaning of a class.
#[derive(Clone, Copy, Debug)]
pub struct CostClass {
    /// The class.
    pub cost: Cost,
    /// Its name.
    pub name: &'static str,
    /// The work that is done per record, a clause.
    pub doc: &'static str,
}

/// Every class, the cheapest first (kernel/trace/trace_events_filter.c, `filter_pred_*`).
pub const CLASSES: [CostClass; 6] = [
    CostClass { cost: Cost::None, name: "none", doc: "nothing is asked" },
    CostClass { cost: Cost::Compare, name: "compare", doc: "integers are compared" },
    CostClass { cost: Cost::Text, name: "text", doc: "a text is compared, byte by byte" },
    CostClass { cost: Cost::Pattern, name: "pattern", doc: "a text is matched with a pattern" },
    CostClass {
        cost: Cost::Memory,
        name: "memory",
        doc: "a text is copied from behind a pointer first, up to 1,023 bytes",
    },
    CostClass {
        cost: Cost::Host,
        name: "host",
        doc: "each record that the kernel lets through is written to the ring, read from it, and decided then",
    },
];

impl Cost {
    /// Returns its name and meaning.
    pub fn class(self) -> CostClass {
        // The table is in the order of the classes; a test holds it to that.
        CLASSES[self as usize]
    }
}

/// Returns the work of a condition with these [constructs](Construct) for a program that decides it as the kernel's
/// filter does; `None` if it does none.
pub(super) fn work(constructs: &[Construct]) -> Option<Work> {
    let work = |construct: &Construct| match construct {
        Construct::Const | Construct::Not | Construct::And | Construct::Or => None,
        Construct::TextEquality(Holder::Kernel | Holder::User)
        | Construct::Pattern(Holder::Kernel | Holder::User) => Some(Work::Memory),
        Construct::TextEquality(_) => Some(Work::Text),
        Construct::Pattern(_) => Some(Work::Pattern),
        _ => Some(Work::Compare),
    };
    constructs.iter().filter_map(work).max()
}

/// Returns the class of a conjunct at its place, where `work` is its work in the kernel. A condition without a place
/// costs nothing.
pub(super) fn of(place: &Place, work: Option<Work>) -> Cost {
    match place {
        Place::Constant(_) | Place::Refused { .. } => Cost::None,
        Place::Host { .. } => Cost::Host,
        Place::Kernel { .. } | Place::Program => match work {
            None => Cost::None,
            Some(Work::Compare) => Cost::Compare,
            Some(Work::Text) => Cost::Text,
            Some(Work::Pattern) => Cost::Pattern,
            Some(Work::Memory) => Cost::Memory,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_its_classes() {
        for class in CLASSES {
            assert_eq!(class.cost.class().name, class.name);
        }
        assert!(CLASSES.is_sorted_by_key(|class| class.cost));
    }
}
