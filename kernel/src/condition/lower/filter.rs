//! The kernel's filter as a tree, and its text with the parentheses that it needs.

use std::fmt;

/// The cost of one comparison of a filter in the kernel, the cheapest first (kernel/trace/trace_events_filter.c,
/// `filter_pred_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// It compares integers, or tests bits.
    Compare,
    /// It compares a text: `==` and `!=`.
    Text,
    /// It matches a text with a pattern: `~`.
    Pattern,
    /// It copies a text from behind a pointer first.
    Memory,
}

/// The most tests of one number's bits for which no filter of [fewer](Filter::fewer) is offered.
const MOST_BITS: usize = 8;

/// A filter in the kernel's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// A constant; never inside another filter.
    Const(bool),
    /// `FIELD OP VALUE`, and its cost.
    Predicate(String, Work),
    /// `FIELD.function == NAME`: the name extends to the next white space (`parse_pred`), over a parenthesis too.
    Function(String),
    /// `!(..)`.
    Not(Box<Filter>),
    /// Two or more filters that all hold, none of them [`Filter::All`].
    All(Vec<Filter>),
    /// More than [`MOST_BITS`] tests of one number's bits that all hold: the last two drop the most numbers.
    Bits(Vec<Filter>),
    /// Two or more filters of which one holds, none of them [`Filter::Any`].
    Any(Vec<Filter>),
}

impl Filter {
    pub(super) fn not(inner: Filter) -> Filter {
        match inner {
            Filter::Const(value) => Filter::Const(!value),
            // A filter is always true or false, so a double negation is removed.
            Filter::Not(inner) => *inner,
            inner => Filter::Not(Box::new(inner)),
        }
    }

    /// Returns the conjunction of the parts. Constants fold, nested conjunctions are flattened.
    pub(super) fn all(parts: Vec<Filter>) -> Filter {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Filter::Const(true) => {}
                Filter::Const(false) => return Filter::Const(false),
                Filter::All(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        Filter::of(flat, Filter::Const(true), Filter::All)
    }

    /// Returns the disjunction of the parts. Constants fold, nested disjunctions are flattened.
    pub(super) fn any(parts: Vec<Filter>) -> Filter {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Filter::Const(false) => {}
                Filter::Const(true) => return Filter::Const(true),
                Filter::Any(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        Filter::of(flat, Filter::Const(false), Filter::Any)
    }

    /// Returns the conjunction of tests of one number's bits, the last two of which drop the most numbers.
    pub(super) fn bits(tests: Vec<Filter>) -> Filter {
        if tests.len() > MOST_BITS { Filter::Bits(tests) } else { Filter::all(tests) }
    }

    /// Returns a filter of fewer comparisons that matches wherever this one does; `None` if there is none.
    pub(super) fn fewer(&self) -> Option<Filter> {
        let of = |parts: &[Filter]| {
            let each: Vec<_> = parts.iter().map(Filter::fewer).collect();
            let is_shorter = each.iter().any(Option::is_some);
            let parts =
                each.into_iter().zip(parts).map(|(fewer, part)| fewer.unwrap_or_else(|| part.clone()));
            is_shorter.then(|| parts.collect())
        };
        match self {
            Filter::Bits(tests) => Some(Filter::all(tests[tests.len() - 2..].to_vec())),
            Filter::All(parts) => of(parts).map(Filter::all),
            Filter::Any(parts) => of(parts).map(Filter::any),
            // Where less is tested within a negation, less passes.
            Filter::Not(_) | Filter::Const(_) | Filter::Predicate(..) | Filter::Function(_) => None,
        }
    }

    /// Returns the number of its comparisons.
    pub(super) fn comparisons(&self) -> usize {
        match self {
            Filter::Const(_) => 0,
            Filter::Predicate(..) | Filter::Function(_) => 1,
            Filter::Not(inner) => inner.comparisons(),
            Filter::All(parts) | Filter::Bits(parts) | Filter::Any(parts) => {
                parts.iter().map(Filter::comparisons).sum()
            }
        }
    }

    /// Returns the cost of the most expensive comparison; `None` of a constant.
    pub(super) fn work(&self) -> Option<Work> {
        match self {
            Filter::Const(_) => None,
            Filter::Predicate(_, work) => Some(*work),
            Filter::Function(_) => Some(Work::Compare),
            Filter::Not(inner) => inner.work(),
            Filter::All(parts) | Filter::Bits(parts) | Filter::Any(parts) => {
                parts.iter().filter_map(Filter::work).max()
            }
        }
    }

    /// Returns whether the text of the filter ends in the name of a function.
    fn ends_in_name(&self) -> bool {
        match self {
            Filter::Function(_) => true,
            Filter::All(parts) => {
                parts.last().is_some_and(|last| !matches!(last, Filter::Any(_)) && last.ends_in_name())
            }
            Filter::Any(parts) => parts.last().is_some_and(Filter::ends_in_name),
            Filter::Const(_) | Filter::Predicate(..) | Filter::Bits(_) | Filter::Not(_) => false,
        }
    }

    fn of(mut parts: Vec<Filter>, none: Filter, several: fn(Vec<Filter>) -> Filter) -> Filter {
        match parts.pop() {
            None => none,
            Some(only) if parts.is_empty() => only,
            Some(last) => {
                parts.push(last);
                several(parts)
            }
        }
    }
}

/// Returns the text of the conjunction of filters, or its value if that is constant.
pub(super) fn conjunction<'a>(filters: impl Iterator<Item = &'a Filter>) -> Result<String, bool> {
    let mut parts: Vec<&Filter> = Vec::new();
    for filter in filters {
        match filter {
            Filter::Const(true) => {}
            Filter::Const(false) => return Err(false),
            Filter::All(inner) => parts.extend(inner),
            filter => parts.push(filter),
        }
    }
    match parts[..] {
        [] => Err(true),
        // It needs no parentheses.
        [only] => Ok(only.to_string()),
        _ => Ok(All(parts).to_string()),
    }
}

/// A conjunction of two or more filters.
struct All<'a>(Vec<&'a Filter>);

impl fmt::Display for All<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        join(f, self.0.iter().copied(), " && ")
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filter::Const(value) => write!(f, "{value}"),
            Filter::Predicate(text, _) | Filter::Function(text) => f.write_str(text),
            // Without the parentheses `!` would bind to a comparison as well, but that is not what a reader expects.
            Filter::Not(inner) => {
                f.write_str("!")?;
                parenthesised(f, inner)
            }
            Filter::All(parts) | Filter::Bits(parts) => join(f, parts.iter(), " && "),
            Filter::Any(parts) => join(f, parts.iter(), " || "),
        }
    }
}

/// Writes the parts of a conjunction or disjunction. Of these only a disjunction in a conjunction needs parentheses.
fn join<'a>(
    f: &mut fmt::Formatter<'_>,
    parts: impl Iterator<Item = &'a Filter>,
    connector: &str,
) -> fmt::Result {
    for (index, part) in parts.enumerate() {
        if index > 0 {
            f.write_str(connector)?;
        }
        match part {
            // A disjunction does not contain another one: they were flattened.
            Filter::Any(_) => parenthesised(f, part)?,
            part => write!(f, "{part}")?,
        }
    }
    Ok(())
}

fn parenthesised(f: &mut fmt::Formatter<'_>, inner: &Filter) -> fmt::Result {
    write!(f, "({inner}{})", if inner.ends_in_name() { " " } else { "" })
}
