//! `tracec recover`: undo what a killed tracec left.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_runtime::session::{self, Outcome, Recovered};

use super::Failure;
use crate::cli::Live;
use crate::{machine, target_kernel};

/// Goes through the journals and says what was done about each.
pub(crate) fn recover(kernel: &Live, runtime_dir: &Path) -> Result<ExitCode, Failure> {
    let tracefs = target_kernel::tracefs(kernel)?;
    let recovered = session::recover(runtime_dir, &tracefs).map_err(|error| machine::recover(&error))?;
    let mut out = std::io::stdout().lock();
    if recovered.is_empty() {
        writeln!(out, "nothing to recover in {}", runtime_dir.display())?;
    }
    let mut left = Vec::new();
    for Recovered { journal, outcome, restored, left: not_restored, can_go_on } in recovered {
        let says = match outcome {
            Outcome::Live => "its session lives; left alone".to_owned(),
            Outcome::InstanceRemoved => "instance removed".to_owned(),
            Outcome::NothingLeft if restored.is_empty() && not_restored.is_empty() => {
                "nothing was left but the journal; removed".to_owned()
            }
            Outcome::NothingLeft => "its instance was gone".to_owned(),
            Outcome::OtherBoot => "from before a reboot; journal removed".to_owned(),
            Outcome::InstanceIsForeign => {
                let journal = if can_go_on { "kept" } else { "removed" };
                format!("the instance of that name is not the session's; left, journal {journal}")
            }
            Outcome::Unreadable { reason } => format!("not a journal of this version ({reason}); left alone"),
            Outcome::Left(residue) => {
                let says = residue.to_string();
                left.push(residue);
                says
            }
        };
        writeln!(out, "{}: {says}", journal.display())?;
        for path in restored {
            writeln!(out, "{}: {} restored", journal.display(), path.display())?;
        }
        for residue in not_restored {
            writeln!(out, "{}: {residue}", journal.display())?;
            left.push(residue);
        }
    }
    match machine::residue(&left) {
        None => Ok(ExitCode::SUCCESS),
        Some(diagnostic) => Err(diagnostic.into()),
    }
}
