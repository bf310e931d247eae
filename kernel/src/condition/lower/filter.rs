//! The kernel's filter as a tree, and its text with the parentheses it needs.

use std::fmt;

/// What the kernel does for one comparison of a filter, the cheaper the less (kernel/trace/trace_events_filter.c,
/// `filter_pred_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// It compares integers, or bits.
    Compare,
    /// It compares a text: `==` and `!=`.
    Text,
    /// It matches a text with a pattern: `~`.
    Pattern,
    /// It copies a text from behind a pointer first.
    Memory,
}

/// A filter in the kernel's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Always this; never inside another filter.
    Const(bool),
    /// `FIELD OP VALUE`, and what that takes.
    Predicate(String, Work),
    /// `FIELD.function == NAME`: what follows up to white space is the name (`parse_pred`), a parenthesis too.
    Function(String),
    /// `!(..)`.
    Not(Box<Filter>),
    /// Two or more, none of them [`Filter::All`].
    All(Vec<Filter>),
    /// Two or more, none of them [`Filter::Any`].
    Any(Vec<Filter>),
}

impl Filter {
    pub(super) fn not(inner: Filter) -> Filter {
        match inner {
            Filter::Const(value) => Filter::Const(!value),
            // A filter is true or false, never neither: two negations are none.
            Filter::Not(inner) => *inner,
            inner => Filter::Not(Box::new(inner)),
        }
    }

    /// All of them hold. Constants fold, nested conjunctions join.
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

    /// Any of them holds. Constants fold, nested disjunctions join.
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

    /// What its dearest comparison takes; `None` of a constant.
    pub(super) fn work(&self) -> Option<Work> {
        match self {
            Filter::Const(_) => None,
            Filter::Predicate(_, work) => Some(*work),
            Filter::Function(_) => Some(Work::Compare),
            Filter::Not(inner) => inner.work(),
            Filter::All(parts) | Filter::Any(parts) => parts.iter().filter_map(Filter::work).max(),
        }
    }

    /// Whether its text ends in the name of a function.
    fn ends_in_name(&self) -> bool {
        match self {
            Filter::Function(_) => true,
            Filter::All(parts) => {
                parts.last().is_some_and(|last| !matches!(last, Filter::Any(_)) && last.ends_in_name())
            }
            Filter::Any(parts) => parts.last().is_some_and(Filter::ends_in_name),
            Filter::Const(_) | Filter::Predicate(..) | Filter::Not(_) => false,
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

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filter::Const(value) => write!(f, "{value}"),
            Filter::Predicate(text, _) | Filter::Function(text) => f.write_str(text),
            // Without the parentheses `!` would bind to a comparison as well, but a reader expects otherwise.
            Filter::Not(inner) => {
                f.write_str("!")?;
                parenthesised(f, inner)
            }
            Filter::All(parts) => join(f, parts, " && "),
            Filter::Any(parts) => join(f, parts, " || "),
        }
    }
}

/// Of all that can stand below, only a disjunction in a conjunction binds more loosely.
fn join(f: &mut fmt::Formatter<'_>, parts: &[Filter], connector: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(connector)?;
        }
        match part {
            // In a disjunction there is none: they have joined.
            Filter::Any(_) => parenthesised(f, part)?,
            part => write!(f, "{part}")?,
        }
    }
    Ok(())
}

fn parenthesised(f: &mut fmt::Formatter<'_>, inner: &Filter) -> fmt::Result {
    write!(f, "({inner}{})", if inner.ends_in_name() { " " } else { "" })
}
