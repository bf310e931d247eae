//! `tracec clean`: removes what recovery leaves because no journal says whose it is.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes;
use tracec_kernel::escaped::Escaped;
use tracec_runtime::session::{self, Became, Leftover};

use super::Failure;
use crate::cli::Live;
use crate::out::out;
use crate::{machine, selected_kernel};

/// The exit status of a dry run that has found something.
const FOUND: u8 = 2;

/// Removes what killed sessions have left, or shows it.
pub(crate) fn clean(kernel: &Live, runtime_dir: &Path, dry_run: bool) -> Result<ExitCode, Failure> {
    let tracefs = selected_kernel::tracefs(kernel)?;
    let found = session::clean(runtime_dir, &tracefs, !dry_run).map_err(|error| machine::recover(&error))?;
    for leftover in &found {
        writeln!(out(), "{}", Escaped::text(&line(leftover)))?;
    }
    let is_open = |leftover: &&Leftover| matches!(leftover.became, Became::Kept | Became::Failed(_));
    let open: Vec<String> = found.iter().filter(is_open).map(line).collect();
    if found.is_empty() {
        writeln!(out(), "nothing to clean")?;
    }
    if found.iter().any(|leftover| leftover.became == Became::Found) {
        return Ok(ExitCode::from(FOUND));
    }
    match open.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(codes::residue::unrecovered(&open).into()),
    }
}

fn line(Leftover { path, why, became }: &Leftover) -> String {
    let path = path.display();
    match became {
        Became::Found => format!("{path}: would be removed: {why}"),
        Became::Removed => format!("{path}: removed: {why}"),
        Became::Kept => format!("{path}: not touched: {why}"),
        Became::Failed(reason) => format!("{path}: is left, {reason}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_says_what_and_why() {
        let said = |became| line(&Leftover { path: "/t/x".into(), why: "w".to_owned(), became });
        assert_eq!(said(Became::Found), "/t/x: would be removed: w");
        assert_eq!(said(Became::Removed), "/t/x: removed: w");
        assert_eq!(said(Became::Kept), "/t/x: not touched: w");
        assert_eq!(said(Became::Failed("busy".to_owned())), "/t/x: is left, busy: w");
    }
}
