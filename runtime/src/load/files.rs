//! Room for the descriptors of programs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tracec_kernel::plan::Programs;

use super::LoadError;

/// The descriptors that a program holds: its own, and that of its attachment.
const OF_PROGRAM: u64 = 2;

/// More than the session's other files: maps, the pages and counts of each CPU, the journal, the output.
const OTHERS: u64 = 64;
const OF_CPU: u64 = 8;

/// Raises the soft limit of open files to what the programs need; it stays raised, since what is opened later has numbers
/// above the old one. The session's command has been forked before, so that it keeps the limit that tracec was started
/// with.
pub(super) fn make_room(programs: &Programs, cpus: u32) -> Result<(), LoadError> {
    let count = programs.programs.len() as u64;
    let needed = OF_PROGRAM * count + OTHERS + OF_CPU * u64::from(cpus);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if let Some(most) = maximum.filter(|most| *most < needed) {
        return Err(LoadError::without_files(count, needed, most));
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum }).map_err(|errno| {
        LoadError::without_files(count, needed, current.unwrap_or(needed)).with_log(&errno.to_string())
    })
}
