//! The root directory of tests.
//!
//! Tests make mount namespaces, which unshare(1) first makes private from `/` on. That takes a mount point, and the `/`
//! of a plain chroot(1) is a directory of one.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs, process};

use anyhow::{Context, Result};
use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags};

use crate::workspace;

/// Runs the words from `$3` on in the directory `$2`, with a bind mount of `/` on `$1` as its root directory. Only that
/// mount can spread to other namespaces, and is removed there too: what is mounted in it is private. A signal is waited
/// out and not ignored: a shell cannot undo that it was started with a signal ignored, and tests send SIGTERM.
const AGAIN: &str = r#"
    root=$1 directory=$2
    shift 2
    mounts=$(cut -d ' ' -f 2 /proc/self/mounts)
    mount --bind / "$root" && mount --make-private "$root" || exit
    trap 'umount -R "$root" || umount -R -l "$root"; rmdir "$root"' EXIT
    printf '%s\n' "$mounts" | while read -r escaped; do
        point=$(printf '%b' "$escaped")
        [ "$point" = / ] || { mount --bind "$point" "$root$point" && mount --make-private "$root$point"; } || exit
    done || exit
    trap : INT TERM
    chroot "$root" sh -c 'cd "$0" && exec "$@"' "$directory" "$@"
"#;

/// Runs this program again with a mount point as its root directory, if `/` is not one. Returns how it ended.
///
/// # Errors
/// The state of `/` cannot be read, or a program that makes the mount point cannot be started.
pub fn run_in_mount_point() -> Result<Option<ExitCode>> {
    if !workspace::is_root() || is_mount_point(Path::new("/"))? {
        return Ok(None);
    }
    println!("==> `/` is not a mount point, as mount namespaces need: this runs in a bind mount of it");
    let root = env::temp_dir().join(format!("tracec-root-{}", process::id()));
    fs::create_dir(&root).with_context(|| root.display().to_string())?;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "unchanged", "sh", "-c", AGAIN, "sh"]);
    command.arg(&root).arg(env::current_dir().context("the current directory")?);
    command.arg(env::current_exe().context("the path of this program")?).args(env::args_os().skip(1));
    let status = command.status().context("unshare could not be started")?;
    // Where nothing could be mounted, it is still there.
    let _ = fs::remove_dir(&root);
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Some(code.map_or(ExitCode::FAILURE, ExitCode::from)))
}

/// Returns whether a directory is the root of a mount (statx(2), since Linux 5.8).
fn is_mount_point(directory: &Path) -> Result<bool> {
    let stat = rustix::fs::statx(CWD, directory, AtFlags::empty(), StatxFlags::empty())
        .with_context(|| directory.display().to_string())?;
    Ok(stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_recognised() {
        assert!(is_mount_point(Path::new("/proc")).unwrap());
        assert!(!is_mount_point(Path::new("/proc/self")).unwrap());
        assert!(is_mount_point(Path::new("/absent")).is_err());
    }
}
