//! `tracec recover`: undoes the changes that a killed tracec left.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use tracec_compiler::diagnostic::codes;
use tracec_kernel::plan::InstanceName;
use tracec_runtime::session::{self, Cause, Outcome, Recovered, Recovery, Residue};

use super::Failure;
use super::module::{self, Leftover};
use crate::cli::Live;
use crate::out::out;
use crate::{machine, selected_kernel};

/// Recovers all journals, or that of one instance, and prints the result for each.
pub(crate) fn recover(
    kernel: &Live,
    runtime_dir: &Path,
    instance: Option<&str>,
) -> Result<ExitCode, Failure> {
    let instance = instance.map(named).transpose()?;
    let tracefs = selected_kernel::tracefs(kernel)?;
    let recovery = match &instance {
        None => session::recover(runtime_dir, &tracefs),
        Some(instance) => session::recover_instance(runtime_dir, &tracefs, instance)
            .map(|recovered| Recovery { journals: vec![recovered], directory: None }),
    };
    let recovery = recovery.map_err(|error| machine::recover(&error))?;
    let (mut shown, mut open) = (String::new(), Vec::new());
    for recovered in &recovery.journals {
        let lines = lines(recovered);
        let named = |line: &String| format!("{}: {line}", recovered.journal.display());
        for line in lines.done.iter().chain(&lines.open).map(named) {
            shown.push_str(&line);
            shown.push('\n');
        }
        open.extend(lines.open.iter().map(named));
    }
    open.extend(recovery.directory.iter().map(Residue::to_string));
    let scripts = if instance.is_none() { scripts(runtime_dir)? } else { Vec::new() };
    for state in &scripts {
        shown.push_str(&format!(
            "{}: the state of a shell script of `tracec build`; if the script was killed, `SCRIPT undo` undoes it\n",
            state.display()
        ));
    }
    let cards = match instance {
        None => tracec_runtime::control::remove_dead(runtime_dir)
            .map_err(|error| codes::system_call::system_call("recovery", &error.to_string()))?,
        Some(_) => Vec::new(),
    };
    for card in &cards {
        let card = card.display();
        shown.push_str(&format!(
            "{card}: the name of a started session whose supervisor was killed; removed\n"
        ));
    }
    let builds = if instance.is_none() { module::recover()? } else { Vec::new() };
    for (path, became) in &builds {
        let line = build(path, became);
        shown.push_str(&format!("{line}\n"));
        if let Leftover::Left(_) = became {
            open.push(line);
        }
    }
    if recovery.journals.is_empty() && scripts.is_empty() && builds.is_empty() && cards.is_empty() {
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

/// Returns the line about a directory in which a module was built.
fn build(path: &Path, became: &Leftover) -> String {
    let path = path.display();
    match became {
        Leftover::Removed => {
            format!("{path}: the directory of a module that was not built to the end; removed")
        }
        Leftover::InUse => format!("{path}: in use, a module is being built there; not changed"),
        Leftover::Left(error) => {
            format!("{path}: the directory of a module that was not built to the end is left behind: {error}")
        }
    }
}

/// Returns the state files of the scripts that `tracec build --target script` makes. They are not journals: only the
/// script can read its own.
fn scripts(runtime_dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = match std::fs::read_dir(runtime_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "script") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn named(name: &str) -> Result<InstanceName, Failure> {
    InstanceName::new(name)
        .map_err(|error| codes::invalid_instance_name::invalid_instance_name(name, &error.to_string()).into())
}

/// The lines about a journal.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    done: Vec<String>,
    /// The things that a person has to look at.
    open: Vec<String>,
}

fn lines(recovered: &Recovered) -> Lines {
    let done = |line: &str| Lines { done: vec![line.to_owned()], open: Vec::new() };
    match &recovered.outcome {
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
            done.push(if undone.keeps_journal() { "journal kept" } else { "journal removed" }.to_owned());
            Lines { done, open: undone.left.iter().map(|left| open(left, recovered.written)).collect() }
        }
    }
}

/// Returns the line for something that is left.
fn open(left: &Residue, written: Option<SystemTime>) -> String {
    match (&left.cause, written, left.path.file_name()) {
        (Cause::UnknownInstance, Some(written), Some(name)) => format!(
            "{left} (last line written {}); if it did, `tracec recover --instance {}` removes it",
            humantime::format_rfc3339_seconds(written),
            name.to_string_lossy()
        ),
        _ => left.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tracec_runtime::Errno;
    use tracec_runtime::session::Undone;

    use super::*;

    fn shown(undone: Undone) -> Lines {
        let written = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(86_399));
        lines(&Recovered { journal: "/run/x.journal".into(), written, outcome: Outcome::Undone(undone) })
    }

    #[test]
    fn each_thing_has_a_line_of_its_own() {
        let left = Residue { path: "/t/b".into(), cause: Cause::System(Errno::BUSY) };
        let undone = Undone {
            restored: vec!["/t/a".into()],
            removed: vec!["/t/events/tracec_x/e".into()],
            left: vec![left.clone()],
        };
        let done = ["/t/a restored", "/t/events/tracec_x/e removed", "journal kept"];
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

    #[test]
    fn instance_without_a_known_maker_is_open_with_the_time_and_what_to_do() {
        let left = Residue { path: "/t/instances/x".into(), cause: Cause::UnknownInstance };
        let lines = shown(Undone { left: vec![left], ..Undone::default() });
        assert_eq!(lines.done, ["journal kept"]);
        assert_eq!(
            lines.open,
            [
                "/t/instances/x is left as it is: the journal does not say whether the session created it (last line \
              written 1970-01-01T23:59:59Z); if it did, `tracec recover --instance x` removes it"
            ]
        );
    }
}
