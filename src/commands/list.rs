//! `tracec list`: the events, options and other features of a kernel.

use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum;
use tracec_compiler::KernelSource;
use tracec_compiler::diagnostic::codes;
use tracec_compiler::resolve::pattern;
use tracec_kernel::escaped::Escaped;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::{clocks, features, options, triggers};

use super::Failure;
use crate::cli::{Kernel, ListKind};
use crate::out::out;
use crate::selected_kernel;

/// Lists the things of a kind that match a pattern.
pub(crate) fn list(
    pattern: Option<&str>,
    verbose: bool,
    kind: ListKind,
    kernel: &Kernel,
) -> Result<ExitCode, Failure> {
    let kernel = selected_kernel::source(kernel)?;
    let mut out = std::io::BufWriter::new(out());
    let found = match kind {
        ListKind::Events => events(pattern, verbose, kernel.as_ref(), &mut out)?,
        ListKind::Options => table(pattern, options::ALL.iter().map(|o| (o.name, o.doc)), &mut out)?,
        ListKind::Clocks => table(pattern, clocks::ALL.iter().map(|c| (c.name, c.doc)), &mut out)?,
        ListKind::Triggers => table(pattern, triggers::ALL.iter().map(|t| (t.name, t.doc)), &mut out)?,
        ListKind::Features => features_of(pattern, kernel.as_ref(), &mut out)?,
    };
    out.flush()?;
    match (found, pattern) {
        (0, Some(pattern)) => {
            let said = codes::nothing_listed::nothing_listed(pattern, &kernel.describe());
            let is_kind = ListKind::from_str(pattern, true).is_ok();
            Err(if is_kind { said.help(format!("write `tracec list --kind {pattern}`")) } else { said }
                .into())
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn events(
    wanted: Option<&str>,
    verbose: bool,
    kernel: &dyn KernelSource,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(None, &reason);
    let mut systems = kernel.directories("events").map_err(|error| unreadable(error.to_string()))?;
    systems.sort();
    let mut found = 0;
    for system in systems.iter().filter(|system| *system != "ftrace") {
        let members = kernel.directories(&format!("events/{system}"));
        let mut members = members.map_err(|error| unreadable(error.to_string()))?;
        members.sort();
        for member in members {
            let name = format!("{system}:{member}");
            if !fits(wanted, &name) {
                continue;
            }
            found += 1;
            writeln!(out, "{}", Escaped::text(&name))?;
            if verbose {
                fields(kernel, system, &member, out)?;
            }
        }
    }
    Ok(found)
}

fn fields(
    kernel: &dyn KernelSource,
    system: &str,
    member: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let path = format!("events/{system}/{member}/format");
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(None, &reason);
    let Some(text) = kernel.read(&path).map_err(|error| unreadable(error.to_string()))? else {
        return Ok(());
    };
    let format = EventFormat::parse(system, &text).map_err(|error| unreadable(format!("{path}: {error}")))?;
    for field in format.own_fields() {
        writeln!(out, "    {:<24} {}", field.name, Escaped::text(&field.type_text))?;
    }
    Ok(())
}

fn table<'a>(
    wanted: Option<&str>,
    rows: impl Iterator<Item = (&'a str, &'a str)>,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let mut found = 0;
    for (name, doc) in rows.filter(|(name, _)| fits(wanted, name)) {
        found += 1;
        writeln!(out, "{name:<20} {doc}")?;
    }
    Ok(found)
}

fn features_of(
    wanted: Option<&str>,
    kernel: &dyn KernelSource,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let mut found = 0;
    for feature in features::ALL.iter().filter(|feature| fits(wanted, feature.name)) {
        found += 1;
        let (name, doc) = (feature.name, feature.doc);
        match kernel.feature(name) {
            Support::Unknown(reason) => {
                writeln!(out, "{name:<24} unknown  {doc} ({})", Escaped::text(&reason))?
            }
            support => writeln!(out, "{name:<24} {:<7}  {doc}", support.to_string())?,
        }
    }
    Ok(found)
}

/// Returns whether a name matches: a pattern with wildcards is matched against the whole name, another is searched for
/// in it.
fn fits(wanted: Option<&str>, name: &str) -> bool {
    match wanted {
        None => true,
        Some(wanted) if pattern::is_glob(wanted) => pattern::matches(wanted, name),
        Some(wanted) => name.contains(wanted),
    }
}
