//! `tracec kernel list`: the kernels that have a name.

use std::io::Write;
use std::process::ExitCode;

use tracec::ProfileKernel;
use tracec::kernel::library::{self, ProfileLocation};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::profile::Section;
use tracec_kernel::tables::features::Support;

use super::super::{Failure, nowhere};
use crate::out::out;
use crate::selected_kernel;

/// The heads of the columns.
const HEAD: [&str; 8] = ["NAME", "RELEASE", "ARCH", "EVENTS", "FEATURES", "HOLDS", "SIZE", "FILE"];

/// Lists the kernels that are shipped and those that were saved.
pub(crate) fn list(verbose: bool) -> Result<ExitCode, Failure> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    let mut builds = vec![Vec::new()];
    let mut unusable = Vec::new();
    for (name, location) in library::all() {
        match location.open() {
            Ok(kernel) => {
                rows.push(row(name, &location, &kernel));
                builds.push(if verbose { build(&location, &kernel) } else { Vec::new() });
            }
            Err(error) => unusable.push(selected_kernel::profile(&location.describe(), &error)),
        }
    }
    let mut out = out();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    for (row, build) in rows.iter().zip(&builds) {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
        for line in build {
            writeln!(out, "    {}", Escaped::text(line))?;
        }
    }
    match unusable.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(Failure::Diagnostics(nowhere(), unusable)),
    }
}

/// Returns the kernel's description of its build, its origin, and the machine. For a shipped kernel the number of CPUs
/// is omitted: the machine that saved it is not the user's.
fn build(location: &ProfileLocation, kernel: &ProfileKernel) -> Vec<String> {
    let facts = kernel.profile().facts();
    let cpus = match location {
        ProfileLocation::Shipped(_) => String::new(),
        ProfileLocation::File(_) => format!("CPUs up to {}, ", facts.cpus_possible.saturating_sub(1)),
    };
    let machine = format!("{cpus}pages of {} bytes", Grouped(facts.page_size));
    std::iter::once(facts.version.clone()).chain(facts.origin.clone()).chain([machine]).collect()
}

fn row(name: String, location: &ProfileLocation, kernel: &ProfileKernel) -> [String; 8] {
    let (profile, facts) = (kernel.profile(), kernel.profile().facts());
    let has = facts.features.values().filter(|support| **support == Support::Yes).count();
    let mut holds = vec!["layouts"];
    holds.extend(profile.has(Section::Functions).then_some("functions"));
    holds.extend(profile.has(Section::Btf).then_some("BTF"));
    [
        Escaped::text(&name).to_string(),
        Escaped::text(&facts.release).to_string(),
        Escaped::text(&facts.arch).to_string(),
        profile.index().count().to_string(),
        format!("{has} of {}", facts.features.len()),
        holds.join("+"),
        format!("{} KiB", profile.len().div_ceil(1024)),
        match location {
            ProfileLocation::Shipped(_) => "shipped".to_owned(),
            ProfileLocation::File(path) => Escaped(path.as_os_str().as_encoded_bytes()).to_string(),
        },
    ]
}
