//! `tracec recover`: undoes the changes that a killed tracec left.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_runtime::session::{self, Outcome, Recovered};

use super::Failure;
use crate::cli::Live;
use crate::{machine, selected_kernel};

/// Recovers all journals and prints the result for each.
pub(crate) fn recover(kernel: &Live, runtime_dir: &Path) -> Result<ExitCode, Failure> {
    let tracefs = selected_kernel::tracefs(kernel)?;
    let recovered = session::recover(runtime_dir, &tracefs).map_err(|error| machine::recover(&error))?;
    let mut out = std::io::stdout().lock();
    if recovered.is_empty() {
        writeln!(out, "nothing to recover in {}", runtime_dir.display())?;
    }
    let mut left = Vec::new();
    for recovered in recovered {
        for line in lines(&recovered) {
            writeln!(out, "{}: {line}", recovered.journal.display())?;
        }
        if let Outcome::Left(residue) = recovered.outcome {
            left.push(residue);
        }
        left.extend(recovered.left);
    }
    match machine::residue(&left) {
        None => Ok(ExitCode::SUCCESS),
        Some(diagnostic) => Err(diagnostic.into()),
    }
}

/// Returns the result for a journal: for the instance, then for each shared file and each event.
fn lines(recovered: &Recovered) -> Vec<String> {
    let Recovered { journal: _, outcome, restored, removed, left, can_go_on } = recovered;
    let instance = match outcome {
        Outcome::Live => "its session still runs; not changed".to_owned(),
        Outcome::InstanceRemoved => "instance removed".to_owned(),
        Outcome::NothingLeft if restored.is_empty() && removed.is_empty() && left.is_empty() => {
            "nothing was left except the journal; removed".to_owned()
        }
        Outcome::NothingLeft => "its instance no longer exists".to_owned(),
        Outcome::OtherBoot => "from before a reboot; journal removed".to_owned(),
        Outcome::InstanceIsForeign => {
            let journal = if *can_go_on { "kept" } else { "removed" };
            format!("the instance of that name is not the session's; left, journal {journal}")
        }
        Outcome::Unreadable { reason } => format!("not a journal of this version ({reason}); not changed"),
        Outcome::Left(residue) => residue.to_string(),
    };
    let restored = restored.iter().map(|path| format!("{} restored", path.display()));
    let removed = removed.iter().map(|path| format!("{} removed", path.display()));
    std::iter::once(instance)
        .chain(restored)
        .chain(removed)
        .chain(left.iter().map(ToString::to_string))
        .collect()
}

#[cfg(test)]
mod tests {
    use tracec_runtime::Errno;
    use tracec_runtime::session::{Cause, Residue};

    use super::*;

    #[test]
    fn shared_files_have_lines_of_their_own() {
        let left = vec![Residue { path: "/t/b".into(), cause: Cause::System(Errno::BUSY) }];
        let recovered = Recovered {
            journal: "/run/x.journal".into(),
            outcome: Outcome::InstanceIsForeign,
            restored: vec!["/t/a".into()],
            removed: vec!["/t/events/tracec_x/e".into()],
            left: left.clone(),
            can_go_on: true,
        };
        assert_eq!(
            lines(&recovered),
            [
                "the instance of that name is not the session's; left, journal kept",
                "/t/a restored",
                "/t/events/tracec_x/e removed",
                &left[0].to_string()
            ]
        );
        let gone = Recovered { outcome: Outcome::NothingLeft, can_go_on: false, ..recovered };
        assert_eq!(lines(&gone)[0], "its instance no longer exists");
        let nothing = Recovered { restored: Vec::new(), removed: Vec::new(), left: Vec::new(), ..gone };
        assert_eq!(lines(&nothing), ["nothing was left except the journal; removed"]);
    }
}
