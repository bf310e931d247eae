//! Conversion of sets of a field's values to comparisons.

use super::filter::Filter;
use crate::condition::ir::CompareOp;
use crate::condition::ranges::Ranges;

/// Returns whether a value that always exists, and lies in `min..=max`, is in the set: as the set's ranges, or as those
/// of its complement where these are fewer. `compare` writes one comparison.
pub(super) fn lower(
    set: &Ranges,
    (min, max): (i128, i128),
    compare: impl Fn(CompareOp, i128) -> Filter,
) -> Filter {
    let others = set.complement(min, max);
    let set = others.complement(min, max);
    if others.iter().len() < set.iter().len() {
        let outside = |(first, last): (i128, i128)| {
            if first == last {
                return compare(CompareOp::Ne, first);
            }
            let rest = Ranges::new([(first, last)]).complement(min, max);
            Filter::any(rest.iter().map(|run| inside(run, (min, max), &compare)).collect())
        };
        Filter::all(others.iter().map(outside).collect())
    } else {
        Filter::any(set.iter().map(|run| inside(run, (min, max), &compare)).collect())
    }
}

/// Returns `first..=last`. An end that is also an end of the type needs no comparison.
fn inside(
    (first, last): (i128, i128),
    (min, max): (i128, i128),
    compare: &impl Fn(CompareOp, i128) -> Filter,
) -> Filter {
    if first == last {
        return compare(CompareOp::Eq, first);
    }
    let low = (first > min).then(|| compare(CompareOp::Ge, first));
    let high = (last < max).then(|| compare(CompareOp::Le, last));
    Filter::all(low.into_iter().chain(high).collect())
}
