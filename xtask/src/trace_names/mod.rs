//! `cargo xtask trace-names`: what the macros of a trace header do with names, from the headers of Debian's kernels.
//!
//! The preprocessor shows which names the macros make of others, and which names the code has that they write. Of a name
//! of either kind gcc then says whether an event, an argument or a field can have it: all of them are tried in one header,
//! one on each line, and again without those that were refused until none is. Nothing is written; what differs from
//! `kernel/src/tables/trace_names.rs` and `kernel/src/tables/c_macros.txt` is printed.

mod derive;
mod probe;
mod tokens;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::process::ExitCode;

use anyhow::{Result, bail};
use tracec_kernel::tables::c_macros;
use tracec_kernel::tables::trace_names::{
    BEHIND_FIELDS, DECLARED, DECLARED_TAGS, MADE, NOT_ARGUMENTS, NOT_FIELDS,
};

use crate::vm::Kernel;
use derive::Derived;

/// The kernels whose headers are read. A name that one of them has cannot be used for a module that is to be built for
/// any.
const KERNELS: [Kernel; 2] = [Kernel::Debian6_1, Kernel::Debian6_12];

/// Runs `cargo xtask trace-names`.
///
/// # Errors
/// There are arguments, headers are not available, or a header without collisions is not compiled.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    if !arguments.is_empty() {
        bail!("trace-names takes no arguments");
    }
    let differences = differences()?;
    differences.iter().for_each(|line| println!("{line}"));
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns what differs between the table and the headers, line by line.
///
/// # Errors
/// Headers are not available, or a header without collisions is not compiled.
pub fn differences() -> Result<Vec<String>> {
    let derived = derive::derived(&KERNELS)?;
    let Derived { made, declared, declared_tags, not_arguments, not_fields, behind_fields, capitals } =
        &derived;
    let mut lines = Vec::new();
    let made = made.iter().map(|pattern| format!("{pattern:?}"));
    compare("MADE", MADE.iter().map(|pattern| format!("{pattern:?}")), made, &mut lines);
    let texts: [(&str, &[&str], &BTreeSet<String>); 5] = [
        ("DECLARED", DECLARED, declared),
        ("DECLARED_TAGS", DECLARED_TAGS, declared_tags),
        ("NOT_ARGUMENTS", NOT_ARGUMENTS, not_arguments),
        ("NOT_FIELDS", NOT_FIELDS, not_fields),
        ("BEHIND_FIELDS", BEHIND_FIELDS, behind_fields),
    ];
    compare("c_macros.txt", c_macros::capitals().map(str::to_owned), capitals.iter().cloned(), &mut lines);
    for (name, table, derived) in texts {
        compare(name, table.iter().map(|&text| text.to_owned()), derived.iter().cloned(), &mut lines);
    }
    Ok(lines)
}

/// Adds a line for each entry that only one side has.
fn compare<T: Ord + Debug>(
    name: &str,
    table: impl Iterator<Item = T>,
    derived: impl Iterator<Item = T>,
    lines: &mut Vec<String>,
) {
    let (table, derived): (BTreeSet<T>, BTreeSet<T>) = (table.collect(), derived.collect());
    lines.extend(derived.difference(&table).map(|entry| format!("{name} lacks {entry:?}")));
    lines.extend(
        table.difference(&derived).map(|entry| format!("{name} has {entry:?}, which is not derived")),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_difference_are_said() {
        let mut lines = Vec::new();
        compare("X", ["a", "b"].into_iter(), ["b", "c"].into_iter(), &mut lines);
        assert_eq!(lines, ["X lacks \"c\"", "X has \"a\", which is not derived"]);
    }
}
