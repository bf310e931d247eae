//! `cargo xtask snapshot`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Snapshot, outside};
use crate::mount::Tracefs;

const USAGE: &str = "\
usage: cargo xtask snapshot [--tracefs PATH] DIR                write a picture of all tracing state into DIR
       cargo xtask snapshot [--tracefs PATH] --diff DIR         compare the state now with that picture
       cargo xtask snapshot --diff DIR1 DIR2                    compare two pictures

A comparison prints each difference; the exit code is 0 when there is none. Without --tracefs it is the mounted
tracefs, or one that is mounted for the moment.";

#[derive(Debug, PartialEq, Eq)]
enum Request {
    Help,
    Write { tracefs: Option<PathBuf>, directory: PathBuf },
    CompareNow { tracefs: Option<PathBuf>, directory: PathBuf },
    Compare { old: PathBuf, new: PathBuf },
}

/// Runs the command `snapshot` with the arguments after it.
///
/// # Errors
///
/// The arguments are wrong, a snapshot cannot be taken, written or read, or the snapshots differ.
pub fn main(args: &[String]) -> Result<()> {
    match parse(args)? {
        Request::Help => println!("{USAGE}"),
        Request::Write { tracefs, directory } => {
            let snapshot = take(tracefs.as_deref())?;
            snapshot.save(&directory)?;
            println!("{} paths in {}", snapshot.len(), directory.display());
        }
        Request::CompareNow { tracefs, directory } => {
            report(&Snapshot::load(&directory)?, &take(tracefs.as_deref())?)?;
        }
        Request::Compare { old, new } => report(&Snapshot::load(&old)?, &Snapshot::load(&new)?)?,
    }
    Ok(())
}

fn take(tracefs: Option<&Path>) -> Result<Snapshot> {
    if let Some(path) = tracefs {
        return Snapshot::capture(path);
    }
    let tracefs = Tracefs::find_or_mount().context("no tracefs; name one with --tracefs")?;
    let mut snapshot = Snapshot::capture(tracefs.path())?;
    if !tracefs.was_mounted() {
        // It is mounted only for this snapshot, and elsewhere for the next.
        snapshot.entries.remove(&outside::mount_name(tracefs.path().as_os_str().as_encoded_bytes()));
    }
    tracefs.close()?;
    Ok(snapshot)
}

fn report(old: &Snapshot, new: &Snapshot) -> Result<()> {
    let differences = old.diff(new);
    let mut out = std::io::stdout().lock();
    for difference in &differences {
        writeln!(out, "{difference}")?;
    }
    if !differences.is_empty() {
        let plural = if differences.len() == 1 { "" } else { "s" };
        bail!("{} difference{plural}", differences.len());
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<Request> {
    let (mut tracefs, mut compare, mut directories) = (None, false, Vec::new());
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => return Ok(Request::Help),
            "--diff" => compare = true,
            "--tracefs" => tracefs = Some(PathBuf::from(words.next().context("--tracefs needs a value")?)),
            option if option.starts_with('-') => bail!("unexpected `{option}`\n{USAGE}"),
            directory => directories.push(PathBuf::from(directory)),
        }
    }
    match (compare, directories.as_slice(), tracefs) {
        (false, [directory], tracefs) => Ok(Request::Write { tracefs, directory: directory.clone() }),
        (true, [directory], tracefs) => Ok(Request::CompareNow { tracefs, directory: directory.clone() }),
        (true, [old, new], None) => Ok(Request::Compare { old: old.clone(), new: new.clone() }),
        _ => bail!("which directories?\n{USAGE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn three_forms_are_understood() {
        let (tracefs, directory) = (Some(PathBuf::from("/t")), PathBuf::from("d"));
        let write = Request::Write { tracefs: None, directory: directory.clone() };
        assert_eq!(parsed("d").unwrap(), write);
        let now = Request::CompareNow { tracefs, directory: directory.clone() };
        assert_eq!(parsed("--tracefs /t --diff d").unwrap(), now);
        assert_eq!(parsed("d --diff --tracefs /t").unwrap(), now);
        let compare = Request::Compare { old: directory, new: "e".into() };
        assert_eq!(parsed("--diff d e").unwrap(), compare);
    }

    #[test]
    fn other_forms_are_refused() {
        for line in ["", "--diff", "a b", "--diff a b c", "--tracefs", "--tracefs /t --diff a b", "--fast a"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
