//! State outside tracefs that a session could leave.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::state::State;
use super::walk;

/// Files and directories: the journals of tracec's sessions, and the sysctls of tracing (kernel/trace/ftrace.c,
/// kernel/trace/trace.c, kernel/trace/trace_stack.c).
const PLACES: &[(&str, &CStr)] = &[
    ("/run", c"tracec"),
    ("/proc/sys/kernel", c"ftrace_enabled"),
    ("/proc/sys/kernel", c"ftrace_dump_on_oops"),
    ("/proc/sys/kernel", c"tracepoint_printk"),
    ("/proc/sys/kernel", c"stack_tracer_enabled"),
    ("/proc/sys/kernel", c"traceoff_on_warning"),
];

/// Adds the state to `entries`.
pub(super) fn add(entries: &mut BTreeMap<String, State>) -> Result<()> {
    for (parent, name) in PLACES {
        walk::named(Path::new(parent), name, entries)?;
    }
    let mounts = fs::read("/proc/self/mounts").context("cannot read /proc/self/mounts")?;
    entries.extend(tracefs_mounts(&mounts));
    Ok(())
}

/// Returns the lines of /proc/self/mounts (proc_pid_mounts(5)) that mount a tracefs. Two of them on one directory count
/// as one: the upper hides the lower.
fn tracefs_mounts(mounts: &[u8]) -> impl Iterator<Item = (String, State)> {
    mounts.split(|&byte| byte == b'\n').filter_map(|line| {
        let mut words = line.splitn(4, |&byte| byte == b' ');
        let (_, directory) = (words.next()?, words.next()?);
        let (kind, options) = (words.next()?, words.next()?);
        (kind == b"tracefs").then(|| (mount_name(directory), State::mount(options)))
    })
}

/// Returns the name of the entry for the tracefs that is mounted at `directory`.
pub(super) fn mount_name(directory: &[u8]) -> String {
    format!("mount {}", directory.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::super::state::Contents;
    use super::*;

    #[test]
    fn mounts_of_tracefs_are_found() {
        let mounts = b"tracefs /proc proc rw 0 0\nnodev /mnt\\040a tracefs rw,relatime 0 0\ntracefs /b\n";
        let found: Vec<_> = tracefs_mounts(mounts).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, r"mount /mnt\\040a");
        assert_eq!(found[0].1.contents, Contents::Bytes(b"rw,relatime 0 0".to_vec()));
        assert_eq!(tracefs_mounts(b"").count(), 0);
    }

    #[test]
    fn the_sysctls_of_this_kernel_are_in_the_picture() {
        let mut entries = BTreeMap::new();
        add(&mut entries).unwrap();
        let sysctls = entries.keys().filter(|path| path.starts_with("/proc/sys/kernel/"));
        let existing = PLACES.iter().filter(|(parent, name)| {
            Path::new(parent).join(name.to_str().unwrap()).exists() && *parent != "/run"
        });
        assert_eq!(sysctls.count(), existing.count());
    }
}
