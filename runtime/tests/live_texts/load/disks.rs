//! File systems on loop devices.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use libtest_mimic::Failed;

use super::files;

/// File systems: the kind, the words behind its `mkfs`, and the options of the mount.
const KINDS: &[(&str, &str, &str)] = &[
    ("ext4", "-q -F -O inline_data,fast_commit -I 256", "discard"),
    ("ext4", "-q -F -b 1024 -O ^has_journal,bigalloc", "defaults"),
    ("ext4", "-q -F", "data=journal,errors=continue"),
    ("ext3", "-q -F", "defaults"),
    ("ext2", "-q -F", "defaults"),
    ("xfs", "-q -f", "defaults"),
    ("xfs", "-q -f", "discard,uquota,gquota"),
    ("btrfs", "-q -f", "discard=sync"),
];

/// Uses each of them.
pub(super) fn run() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (image, mount) = (directory.path().join("image"), directory.path().join("mount"));
    fs::create_dir(&mount)?;
    for (kind, words, options) in KINDS {
        let _ = fs::remove_file(&image);
        fs::File::create(&image)?.set_len(320 << 20)?;
        let mut make = Command::new(format!("mkfs.{kind}"));
        make.args(words.split(' ')).arg(&image);
        match make.status() {
            Ok(status) if status.success() => {}
            // The machine may lack the program; the counts of events show what is missing.
            other => {
                println!("no {kind} is made: {other:?}");
                continue;
            }
        }
        let parameters = [OsStr::new(kind), OsStr::new(options), image.as_os_str(), mount.as_os_str()];
        if super::shell("mount -o loop,\"$2\" -t \"$1\" \"$3\" \"$4\"", &parameters).is_err() {
            println!("no {kind} is mounted");
            continue;
        }
        let result = files::exercise(&mount).map_err(|error| Failed::from(format!("{kind}: {error}")));
        let more = super::shell(include_str!("disk.sh"), &parameters);
        super::shell("umount \"$4\"", &parameters)?;
        result.and(more)?;
    }
    Ok(())
}
