//! An instance that records who forks whom, so that the tasks of a load are told from all others of the machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

use super::bench::Bench;

/// The instance, from the start of a load to its end.
pub(crate) struct Witness {
    instance: PathBuf,
}

impl Witness {
    /// Begins to record.
    pub(crate) fn start(bench: &Bench) -> Result<Witness, Failed> {
        // Tests that are killed leave it: `cargo xtask test` removes those whose process is gone.
        let name = format!("instances/tracec-witness-{}", std::process::id());
        let instance = bench.tracefs.join(name);
        std::fs::create_dir(&instance).map_err(|error| format!("{}: {error}", instance.display()))?;
        let witness = Witness { instance };
        std::fs::write(witness.instance.join("events/sched/sched_process_fork/enable"), "1")?;
        Ok(witness)
    }

    /// Returns the process ids of a task and of all that descend from it.
    pub(crate) fn descendants(&self, first: u32) -> Result<BTreeSet<u32>, Failed> {
        let text = std::fs::read_to_string(self.instance.join("trace"))?;
        let forks: Vec<(u32, u32)> = text.lines().filter_map(fork).collect();
        let mut tasks = BTreeSet::from([first]);
        // Lines of different CPUs need not stand in the order of time.
        loop {
            let known = tasks.len();
            tasks.extend(
                forks
                    .iter()
                    .filter(|(parent, _)| tasks.contains(parent))
                    .map(|(_, child)| *child)
                    .collect::<Vec<_>>(),
            );
            if tasks.len() == known {
                return Ok(tasks);
            }
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        // What is left shows in the comparison of tracefs.
        let _ = std::fs::remove_dir(&self.instance);
    }
}

/// Returns the parent and the child of `.. sched_process_fork: comm=sh pid=1 child_comm=sh child_pid=2`.
fn fork(line: &str) -> Option<(u32, u32)> {
    let (_, fields) = line.split_once("sched_process_fork: ")?;
    let (rest, child) = fields.rsplit_once(" child_pid=")?;
    let (parent, _) = rest.split_once(" child_comm=")?;
    let (_, parent) = parent.rsplit_once(" pid=")?;
    Some((parent.parse().ok()?, child.trim().parse().ok()?))
}

/// Returns the shell command that notes its process id in a file and then is the load.
pub(crate) fn noting_itself(load: &str, file: &Path) -> String {
    format!("echo $$ >'{}'; {load}", file.display())
}
