//! The tracefs of the running kernel: the mounted one, or one that is mounted for as long as it is needed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs, process};

use anyhow::{Context, Result, bail};

/// Mounts, reports, and waits for the end of its input to unmount. `umount -l` also unmounts if an interrupted test
/// still holds a file.
const KEEPER: &str = r#"
    mount -t tracefs nodev "$1" && echo mounted && { read -r _; umount "$1" || umount -l "$1"; }
    rmdir "$1"
"#;

/// Triggers a change that the kernel makes once after boot: before 6.8, the first write to the `enable` file of an
/// event, in any instance and of any value, expands the ring buffer of the top level to its full size
/// (`tracing_update_buffers` in kernel/trace/trace.c). No session can prevent or undo that, so it has to happen before
/// the first snapshot.
pub const SETTLE: &str = r#"
    settle() {
        mkdir "$1/instances/settle" && echo 0 >"$1/instances/settle/events/sched/sched_process_exec/enable"
        rmdir "$1/instances/settle"
    }
"#;

/// A tracefs that can be read through a path.
#[derive(Debug)]
pub struct Tracefs {
    path: PathBuf,
    keeper: Option<Child>,
}

impl Tracefs {
    /// Returns the first tracefs in /proc/self/mounts, else one mounted in a new temporary directory.
    ///
    /// # Errors
    /// None is mounted and it cannot be mounted: without root, without tracefs in the kernel, or in a container without
    /// the capability.
    pub fn find_or_mount() -> Result<Self> {
        let mounts = fs::read("/proc/self/mounts").context("/proc/self/mounts")?;
        match find(&mounts) {
            Some(path) => Ok(Self { path, keeper: None }),
            None => Self::mount(),
        }
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it was there before.
    pub fn was_mounted(&self) -> bool {
        self.keeper.is_none()
    }

    /// Calls [`SETTLE`].
    ///
    /// # Errors
    /// No instance can be created, or it cannot be written.
    pub fn settle(&self) -> Result<()> {
        let script = format!("{SETTLE} settle \"$1\"");
        let status = Command::new("sh").args(["-ec", &script, "sh"]).arg(&self.path).status();
        match status.context("sh could not be started")?.success() {
            true => Ok(()),
            false => bail!("no instance can be made in {}", self.path.display()),
        }
    }

    /// Mounts tracefs. A child in a process group of its own unmounts it when this process's end of a pipe closes, so
    /// that it is unmounted on every path: return, error, panic, Ctrl-C, SIGKILL.
    fn mount() -> Result<Self> {
        let path = env::temp_dir().join(format!("tracec-tracefs-{}", process::id()));
        fs::create_dir(&path).with_context(|| path.display().to_string())?;
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "sh"])
            .arg(&path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .context("sh could not be started")?;
        let mut line = String::new();
        if let Some(output) = keeper.stdout.take() {
            BufReader::new(output).read_line(&mut line).context("output of mount")?;
        }
        if line != "mounted\n" {
            keeper.wait().context("waiting for mount")?;
            bail!("tracefs cannot be mounted");
        }
        Ok(Self { path, keeper: Some(keeper) })
    }

    /// Unmounts what was mounted here, and returns an error if that fails.
    pub fn close(mut self) -> Result<()> {
        let Some(mut keeper) = self.keeper.take() else { return Ok(()) };
        drop(keeper.stdin.take());
        let status = keeper.wait().context("waiting for umount")?;
        if !status.success() {
            bail!("{} could not be unmounted and removed", self.path.display());
        }
        Ok(())
    }
}

impl Drop for Tracefs {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            drop(keeper.stdin.take());
            // An error here means that the keeper has ended, and it unmounts before it ends.
            let _ = keeper.wait();
        }
    }
}

/// Returns the directory of the first tracefs in the text of /proc/self/mounts.
fn find(mounts: &[u8]) -> Option<PathBuf> {
    mounts.split(|&byte| byte == b'\n').find_map(|line| {
        let mut words = line.split(|&byte| byte == b' ');
        let directory = words.nth(1)?;
        (words.next()? == b"tracefs").then(|| PathBuf::from(OsString::from_vec(unescape(directory))))
    })
}

/// Replaces escapes: the kernel writes space, tab, newline and backslash as `\ooo` (`mangle_path` in fs/seq_file.c).
fn unescape(word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&first, after)) = rest.split_first() {
        let octal = match after {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] if first == b'\\' => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        plain.push(octal.unwrap_or(first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_is_unmounted() {
        let tracefs = match Tracefs::mount() {
            Ok(tracefs) => tracefs,
            Err(error) => return println!("SKIPPED: {error:#}"),
        };
        let path = tracefs.path().to_path_buf();
        assert!(path.join("events").is_dir());
        assert!(!tracefs.was_mounted());
        tracefs.close().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn the_first_tracefs_is_found() {
        let mounts = b"proc /proc proc rw 0 0\n\
            tracefs /proc/tracefs proc rw 0 0\n\
            nodev /mnt/a\\040b\\134c tracefs rw,relatime 0 0\n\
            tracefs /sys/kernel/tracing tracefs rw 0 0\n";
        assert_eq!(find(mounts), Some(PathBuf::from(r"/mnt/a b\c")));
    }

    #[test]
    fn none_and_cut_lines_give_none() {
        assert_eq!(find(b""), None);
        assert_eq!(find(b"tracefs"), None);
        assert_eq!(find(b"tracefs /sys/kernel/tracing"), None);
        assert_eq!(find(b"proc /proc proc rw 0 0\n"), None);
    }

    #[test]
    fn only_whole_octal_escapes_are_undone() {
        assert_eq!(unescape(br"a\04"), br"a\04");
        assert_eq!(unescape(br"\400\08a"), br"\400\08a");
        assert_eq!(unescape(br"\"), br"\");
        assert_eq!(unescape(br"\012\377"), b"\n\xff");
    }
}
