//! The ids of the tasks that a session is limited to, as they are when it is applied.
//!
//! The list of an instance has ids of the first PID namespace. A process in another one does not know them.

use std::io::ErrorKind;

use tracec_kernel::plan::ScopedTasks;

use super::own_name;
use crate::record::children::Scoped;
use crate::tracefs::WriteFailure;

/// The most looks at the threads of a process. Each is needed only if the one before has found a new thread, and new
/// threads of listed ones are added by the kernel.
const LOOKS: usize = 64;

/// The reason why a session cannot be limited to its scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// There is no such task.
    #[error("there is no {0}")]
    NoTask(NoTask),
    /// The session runs no command.
    #[error("the session runs no command")]
    NoCommand,
    /// The ids are those of another PID namespace.
    #[error(
        "tracec runs in a PID namespace of its own, and the kernel lists tasks by their ids in the first one; run it there"
    )]
    OtherNamespace,
    /// The threads of a process cannot be listed.
    #[error("the threads of process {id} cannot be listed: {reason}")]
    Unreadable {
        /// The process.
        id: u32,
        /// The error.
        reason: String,
    },
}

/// A task that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTask {
    /// A process, by its id.
    Process(u32),
    /// A thread, by its id.
    Thread(u32),
}

impl std::fmt::Display for NoTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoTask::Process(id) => write!(f, "process {id}"),
            NoTask::Thread(id) => write!(f, "thread {id}"),
        }
    }
}

/// What went wrong while a scope was written.
pub(super) enum Unlimited {
    Scope(ScopeError),
    Write(WriteFailure),
}

/// Lists the tasks of a scope, and writes their ids by `write`. `command` is the id of the session's command.
///
/// The threads of a process are looked for again until no new one is found: one that was created meanwhile by a thread
/// that was not listed yet would be missing.
pub(super) fn limit(
    scope: &[ScopedTasks],
    command: Option<u32>,
    mut write: impl FnMut(&[u8]) -> Result<(), WriteFailure>,
) -> Result<Scoped, Unlimited> {
    let refuse = |error| Err(Unlimited::Scope(error));
    if !own_name::is_in_first_namespace() {
        return refuse(ScopeError::OtherNamespace);
    }
    let mut scoped = Scoped::default();
    let mut add = |ids: &[i32]| {
        let ids: Vec<String> = ids.iter().map(i32::to_string).collect();
        write(ids.join(" ").as_bytes()).map_err(Unlimited::Write)
    };
    for tasks in scope {
        match *tasks {
            ScopedTasks::Command => {
                let Some(id) = command else { return refuse(ScopeError::NoCommand) };
                add(&[id.cast_signed()])?;
                scoped.processes.insert(id.cast_signed());
            }
            ScopedTasks::Thread(id) => {
                if !std::path::Path::new(&format!("/proc/{id}/task/{id}")).exists() {
                    return refuse(ScopeError::NoTask(NoTask::Thread(id)));
                }
                add(&[id.cast_signed()])?;
                scoped.threads.insert(id.cast_signed());
            }
            ScopedTasks::Process(id) => {
                if !is_process(id) {
                    return refuse(ScopeError::NoTask(NoTask::Process(id)));
                }
                for _ in 0..LOOKS {
                    let found = threads(id).map_err(Unlimited::Scope)?;
                    let new: Vec<i32> = found.into_iter().filter(|id| scoped.processes.insert(*id)).collect();
                    if new.is_empty() {
                        break;
                    }
                    add(&new)?;
                }
            }
        }
    }
    Ok(scoped)
}

/// Returns whether an id is that of a process that runs: not of another thread of one, nor of one that has ended and is not
/// waited for yet.
fn is_process(id: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else { return false };
    let value = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    value("Tgid:") == Some(&id.to_string())
        && !value("State:").is_some_and(|state| state.starts_with(['Z', 'X']))
}

/// Returns the ids of the threads of a process.
fn threads(id: u32) -> Result<Vec<i32>, ScopeError> {
    let listed = || -> std::io::Result<Vec<i32>> {
        let mut ids = Vec::new();
        for entry in std::fs::read_dir(format!("/proc/{id}/task"))? {
            ids.extend(entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()));
        }
        Ok(ids)
    };
    listed().map_err(|error| match error.kind() {
        ErrorKind::NotFound => ScopeError::NoTask(NoTask::Process(id)),
        _ => ScopeError::Unreadable { id, reason: error.to_string() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(scope: &[ScopedTasks], command: Option<u32>) -> Result<(Scoped, Vec<String>), ScopeError> {
        let mut all = Vec::new();
        let limited = limit(scope, command, |bytes| {
            all.push(String::from_utf8_lossy(bytes).into_owned());
            Ok(())
        });
        match limited {
            Ok(scoped) => Ok((scoped, all)),
            Err(Unlimited::Scope(error)) => Err(error),
            Err(Unlimited::Write(failure)) => panic!("{failure:?}"),
        }
    }

    #[test]
    fn threads_of_a_process_are_listed_once() {
        let own = std::process::id();
        let (stay, wait) = std::sync::mpsc::channel::<()>();
        let (say, said) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            say.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
            let _ = wait.recv();
        });
        let other = said.recv().unwrap();
        let (scoped, all) = written(&[ScopedTasks::Process(own)], None).unwrap();
        drop(stay);
        thread.join().unwrap();
        assert!(scoped.processes.contains(&other) && scoped.processes.contains(&own.cast_signed()));
        let mut ids: Vec<i32> =
            all.iter().flat_map(|line| line.split(' ')).map(|id| id.parse().unwrap()).collect();
        ids.sort_unstable();
        let listed = ids.len();
        ids.dedup();
        assert_eq!((ids.len(), scoped.processes.len()), (listed, listed));
    }

    #[test]
    fn task_that_does_not_exist_is_named() {
        // No kernel assigns this id (`PID_MAX_LIMIT`, include/linux/threads.h).
        let none = 4 << 20;
        for (tasks, task) in [
            (ScopedTasks::Process(none), NoTask::Process(none)),
            (ScopedTasks::Thread(none), NoTask::Thread(none)),
        ] {
            assert_eq!(written(&[tasks], None).unwrap_err(), ScopeError::NoTask(task));
        }
        // A process that has ended and is not waited for.
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let ended = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
            status.contains("State:\tZ")
        };
        while !ended() {
            std::thread::yield_now();
        }
        let tasks = ScopedTasks::Process(child.id());
        let task = NoTask::Process(child.id());
        assert_eq!(written(&[tasks], None).unwrap_err(), ScopeError::NoTask(task));
        child.wait().unwrap();
        assert_eq!(written(&[ScopedTasks::Command], None).unwrap_err(), ScopeError::NoCommand);
        let (scoped, all) = written(&[ScopedTasks::Command], Some(7)).unwrap();
        assert_eq!((scoped.processes.contains(&7), all), (true, vec!["7".to_owned()]));
    }
}
