//! What recovery leaves because no journal says whose it is: it is removed when somebody asks for it, if other facts show that
//! a session of tracec made it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use tracec_kernel::plan::InstanceName;

use super::own_name;
use super::recover::{RecoverError, boot_id, open};
use super::undo::{self, Owners, Proof};
use crate::journal::{self, Abandoned, Account, Found, JournalDirectory};
use crate::tracefs::Tracefs;

/// The longest time between the last line of a journal, which is written just before an instance is made, and the instance.
const BETWEEN: Duration = Duration::from_secs(2);
/// The times of files are those of the last tick of a clock.
const TICK: Duration = Duration::from_millis(20);

/// Something that a session has left and that recovery does not remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is known to be left by a session, or why it is not touched.
    pub why: String,
    /// What was done.
    pub became: Became,
}

/// What was done to a leftover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// Nothing yet: it would be removed.
    Found,
    /// It was removed.
    Removed,
    /// It is left as it is: it may be another program's.
    Kept,
    /// It could not be removed; the text is the reason.
    Failed(String),
}

/// Finds what sessions have left that no longer run, and that recovery does not remove. With `removes` it is removed.
///
/// # Errors
/// [`RecoverError`].
pub fn clean(runtime_dir: &Path, tracefs: &Tracefs, removes: bool) -> Result<Vec<Leftover>, RecoverError> {
    let mut cleaning = Cleaning { tracefs, removes, known: BTreeSet::new(), found: Vec::new() };
    let (directory, boot_id) = (open(runtime_dir)?, boot_id()?);
    if let Some(directory) = &directory {
        for name in directory.journals()? {
            cleaning.journal(directory, &name, &boot_id);
        }
    }
    cleaning.instances(runtime_dir);
    Ok(cleaning.found)
}

struct Cleaning<'t> {
    tracefs: &'t Tracefs,
    removes: bool,
    /// The instances that journals are about.
    known: BTreeSet<String>,
    found: Vec<Leftover>,
}

impl Cleaning<'_> {
    /// Looks at a journal, and at the instance of which it does not say who made it.
    fn journal(&mut self, directory: &JournalDirectory, name: &str, boot_id: &str) {
        let instance = name.strip_suffix(".journal").unwrap_or(name);
        let (journal, instance, account) = match journal::examine(directory, name) {
            Some(Found::Unreadable { reason, journal: Some(journal) }) => {
                let why = format!(
                    "the journal of a session that no longer runs, which cannot be used ({reason}); what the session may have set outside of its instance is not put back"
                );
                let remove = || journal.remove().map_err(|error| error.to_string());
                return self.leave(directory.path_of(name), why, remove);
            }
            Some(Found::Unreadable { reason, journal: None }) => {
                self.known.insert(instance.to_owned());
                return self.keep(directory.path_of(name), reason);
            }
            None | Some(Found::Live) => {
                self.known.insert(instance.to_owned());
                return;
            }
            Some(Found::Complete { journal, header, account }) => {
                self.known.insert(header.instance.to_string());
                if header.boot_id != boot_id || account.0.first().is_some_and(|first| first.state.is_some()) {
                    // Recovery knows what to do.
                    return;
                }
                (journal, header.instance, account)
            }
            Some(Found::Incomplete { journal, instance }) => {
                self.known.insert(instance.to_string());
                (journal, instance, Account::default())
            }
        };
        let Ok(Some(made)) = self.tracefs.instance_made(&instance) else { return };
        let path = self.tracefs.instance_path(&instance);
        let Some(written) = journal.written() else { return };
        if !follows(made, written) {
            let why =
                "the journal does not say whether the session made it, and it was not made at that time";
            return self.keep(path, why.to_owned());
        }
        let why = "a session was killed while it made it, as its journal and the time show".to_owned();
        let tracefs = self.tracefs;
        self.leave(path, why, || undo(tracefs, directory, name, (journal, &instance, &account)));
    }

    /// Looks at the instances that have names of tracec's own and no journal.
    fn instances(&mut self, runtime_dir: &Path) {
        // A tracefs without instances has nothing to clean.
        let entries = self.tracefs.list("instances").unwrap_or_default();
        for name in entries.into_iter().filter(|entry| entry.is_directory).map(|entry| entry.name) {
            let Ok(instance) = InstanceName::new(&name) else { continue };
            let Some(pid) = own_name::maker(&instance) else { continue };
            // The state of a script that `tracec build` made: the script undoes it.
            let has_script = runtime_dir.join(format!("{name}.script")).symlink_metadata().is_ok();
            if self.known.contains(&name) || runs(pid) || has_script {
                continue;
            }
            let why =
                format!("it has a name that only tracec chooses, no journal, and process {pid} has ended");
            let tracefs = self.tracefs;
            self.leave(tracefs.instance_path(&instance), why, || {
                undo::remove_directory(tracefs, &instance).map_err(|errno| errno.to_string())
            });
        }
    }

    /// Notes something that is left, and removes it if that is asked for.
    fn leave(&mut self, path: PathBuf, why: String, remove: impl FnOnce() -> Result<(), String>) {
        let became = match self.removes.then(remove) {
            None => Became::Found,
            Some(Ok(())) => Became::Removed,
            Some(Err(reason)) => Became::Failed(reason),
        };
        self.found.push(Leftover { path, why, became });
    }

    fn keep(&mut self, path: PathBuf, why: String) {
        self.found.push(Leftover { path, why, became: Became::Kept });
    }
}

/// Undoes a session whose instance is known to be its own, and removes the journal.
fn undo(
    tracefs: &Tracefs,
    directory: &JournalDirectory,
    name: &str,
    (journal, instance, account): (Abandoned, &InstanceName, &Account),
) -> Result<(), String> {
    let owners = Owners { directory, own: name };
    let undone = undo::undo(tracefs, instance, account, (Proof::Asked, &owners));
    if let Some(left) = undone.left.first() {
        return Err(left.to_string());
    }
    journal.remove().map_err(|error| error.to_string())
}

/// Returns whether an instance was made just after a journal was written.
fn follows(made: SystemTime, written: SystemTime) -> bool {
    made + TICK >= written && made <= written + BETWEEN
}

/// Returns whether a process runs.
fn runs(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instance_is_made_just_after_the_journal_is_written() {
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let made = |ms: i64| {
            let by = Duration::from_millis(ms.unsigned_abs());
            follows(if ms < 0 { written - by } else { written + by }, written)
        };
        assert!(made(0) && made(-10) && made(1500));
        assert!(!made(-100) && !made(2500), "another program made it before or after");
    }

    #[test]
    fn process_that_has_ended_does_not_run() {
        assert!(runs(std::process::id()) && runs(1));
        assert!(!runs(0x3fff_fff0));
    }
}
