//! `tracec recover`: undoes the changes that a killed tracec left.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes;
use tracec_runtime::session::{self, Outcome, Residue};

use super::Failure;
use crate::cli::Live;
use crate::out::out;
use crate::{machine, selected_kernel};

/// Recovers all journals and prints the result for each.
pub(crate) fn recover(kernel: &Live, runtime_dir: &Path) -> Result<ExitCode, Failure> {
    let tracefs = selected_kernel::tracefs(kernel)?;
    let recovery = session::recover(runtime_dir, &tracefs).map_err(|error| machine::recover(&error))?;
    let (mut shown, mut open) = (String::new(), Vec::new());
    for recovered in &recovery.journals {
        let lines = lines(&recovered.outcome);
        let named = |line: &String| format!("{}: {line}", recovered.journal.display());
        for line in lines.done.iter().chain(&lines.open).map(named) {
            shown.push_str(&line);
            shown.push('\n');
        }
        open.extend(lines.open.iter().map(named));
    }
    open.extend(recovery.directory.iter().map(Residue::to_string));
    if recovery.journals.is_empty() {
        shown = format!("nothing to recover in {}\n", runtime_dir.display());
    }
    let written = out().write_all(shown.as_bytes());
    if open.is_empty() {
        written?;
        return Ok(ExitCode::SUCCESS);
    }
    // The journals may be gone by now: what is left is reported even if nobody reads the output.
    Err(codes::residue::unrecovered(&open).into())
}

/// The lines about a journal.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    done: Vec<String>,
    /// The things that a person has to look at.
    open: Vec<String>,
}

fn lines(outcome: &Outcome) -> Lines {
    let done = |line: &str| Lines { done: vec![line.to_owned()], open: Vec::new() };
    match outcome {
        Outcome::Live => done("in use by its session, or by another recovery; not changed"),
        Outcome::OtherBoot => done("from before a reboot; journal removed"),
        Outcome::Unreadable { reason } => {
            Lines { done: Vec::new(), open: vec![format!("not changed, since it cannot be used: {reason}")] }
        }
        Outcome::Undone(undone) => {
            let removed = undone.removed.iter().map(|path| format!("{} removed", path.display()));
            let restored = undone.restored.iter().map(|path| format!("{} restored", path.display()));
            let mut done: Vec<String> = restored.chain(removed).collect();
            if done.is_empty() && undone.left.is_empty() {
                done.push("there is no instance of its name, and nothing else to undo".to_owned());
            }
            let kept = if undone.can_go_on() { "kept for another attempt" } else { "removed" };
            done.push(format!("journal {kept}"));
            Lines { done, open: undone.left.iter().map(Residue::to_string).collect() }
        }
    }
}

#[cfg(test)]
mod tests {
    use tracec_runtime::Errno;
    use tracec_runtime::session::{Cause, Undone};

    use super::*;

    fn shown(undone: Undone) -> Lines {
        lines(&Outcome::Undone(undone))
    }

    #[test]
    fn each_thing_has_a_line_of_its_own() {
        let left = Residue { path: "/t/b".into(), cause: Cause::System(Errno::BUSY) };
        let undone = Undone {
            restored: vec!["/t/a".into()],
            removed: vec!["/t/events/tracec_x/e".into()],
            left: vec![left.clone()],
        };
        let done = ["/t/a restored", "/t/events/tracec_x/e removed", "journal kept for another attempt"];
        let expected = Lines { done: done.map(str::to_owned).to_vec(), open: vec![left.to_string()] };
        assert_eq!(shown(undone), expected);
    }

    #[test]
    fn foreign_instance_is_open_and_not_denied() {
        let path = "/t/instances/x".into();
        let lines =
            shown(Undone { left: vec![Residue { path, cause: Cause::Foreign }], ..Undone::default() });
        assert_eq!(lines.done, ["journal removed"]);
        assert_eq!(lines.open, ["/t/instances/x is left as it is: the session did not create it"]);
        let nothing = ["there is no instance of its name, and nothing else to undo", "journal removed"];
        assert_eq!(shown(Undone::default()).done, nothing);
    }
}
