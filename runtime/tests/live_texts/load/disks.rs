//! File systems on loop devices.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use libtest_mimic::Failed;

use super::files;

/// File systems: the kind, the words behind its `mkfs`, the options of the mount, and the size in MiB, which is not far
/// above the least where files fill it.
const KINDS: &[(&str, &str, &str, u64)] = &[
    ("ext4", "-q -F -O inline_data,fast_commit -I 256", "discard", 48),
    ("ext4", "-q -F -b 1024 -O ^has_journal,bigalloc", "defaults", 48),
    ("ext4", "-q -F", "data=journal,errors=continue", 48),
    ("ext3", "-t ext3 -q -F", "defaults", 48),
    ("ext2", "-t ext2 -q -F", "defaults", 48),
    ("xfs", "-q -f", "defaults", 320),
    ("xfs", "-q -f", "discard,wsync", 320),
    ("btrfs", "-q -f", "discard=sync", 160),
];

/// Uses those of a family.
pub(super) fn run(family: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (image, mount) = (directory.path().join("image"), directory.path().join("mount"));
    fs::create_dir(&mount)?;
    for (kind, words, options, size) in KINDS.iter().filter(|(kind, ..)| kind.starts_with(family)) {
        let _ = fs::remove_file(&image);
        fs::File::create(&image)?.set_len(size << 20)?;
        let program = if family == "ext" { "ext4" } else { kind };
        let mut make = Command::new(format!("mkfs.{program}"));
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
