//! `tracec collect`: writes what the rings of a started session, or of an instance of another program, hold.

use std::io::Write;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes::invalid_instance_name::invalid_instance_name;
use tracec_compiler::diagnostic::codes::system_call::system_call;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::plan::InstanceName;
use tracec_runtime::control::{Found, list};
use tracec_runtime::session::{self, CollectError, Collected};

use super::prepared::form_named;
use super::snapshot::snapshot;
use super::started::failed;
use super::units::records;
use super::{Failure, nowhere};
use crate::cli::{Collect, Started};
use crate::out::out;
use crate::{machine, selected_kernel};

/// Collects from the session of a name, if one was started, or else from the instance.
pub(crate) fn collect(Collect { name, output, kernel, runtime_dir }: Collect) -> Result<ExitCode, Failure> {
    let form = form_named(&output)?;
    let sessions = list(&runtime_dir).map_err(|error| failed(&error.to_string()))?;
    let is_session = |(of, found): &(String, Found)| *of == name && !matches!(found, Found::Ended(..));
    if sessions.iter().any(is_session) {
        return snapshot(&Started { name: Some(name), runtime_dir }, Some(&output));
    }
    let instance =
        InstanceName::new(&name).map_err(|error| invalid_instance_name(&name, &error.to_string()))?;
    let tracefs = selected_kernel::tracefs(&kernel)?;
    let collected = session::collect(&tracefs, &runtime_dir, &instance, (&output, form));
    let collected = collected.map_err(|error| match error {
        CollectError::OfSession(_) => {
            let owner = sessions.iter().find_map(|(of, found)| match found {
                Found::Running(card) if card.instance.as_deref() == Some(&name) => Some(of),
                _ => None,
            });
            let way_out = owner.map_or(String::new(), |owner| format!(": `tracec snapshot {owner}` asks it"));
            system_call(&format!("instance {name}"), &format!("{error}{way_out}"))
        }
        error => system_call("collect", &error.to_string()),
    })?;
    writeln!(out(), "{name}: {}", line(&collected, &output.display().to_string()))?;
    let damaged = collected.damaged.iter().map(|damaged| machine::damaged(damaged, "all else was collected"));
    match damaged.collect::<Vec<_>>() {
        none if none.is_empty() => Ok(ExitCode::SUCCESS),
        damaged => Err(Failure::Diagnostics(nowhere(), damaged)),
    }
}

/// Returns the line about what was collected.
fn line(Collected { records: count, overwritten, lost, damaged }: &Collected, output: &str) -> String {
    let overwritten = match overwritten {
        0 => String::new(),
        overwritten => format!(", {} older ones overwritten", Grouped(*overwritten)),
    };
    let lost = match (lost, damaged.is_empty()) {
        (0, true) => "nothing lost".to_owned(),
        (lost, true) => format!("{} lost", Grouped(*lost)),
        // A damaged page had at least one.
        (lost, false) => format!(">{} lost", Grouped(*lost)),
    };
    format!("{output}: {}{overwritten}, {lost}", records(*count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_says_what_the_file_lacks() {
        let collected = Collected { records: 1200, ..Collected::default() };
        assert_eq!(line(&collected, "x.dat"), "x.dat: 1,200 records, nothing lost");
        let collected = Collected { records: 1, overwritten: 7000, lost: 3, damaged: Vec::new() };
        assert_eq!(line(&collected, "x.dat"), "x.dat: 1 record, 7,000 older ones overwritten, 3 lost");
    }
}
