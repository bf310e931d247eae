//! The patch of `tracec build --target kernel-tree`, in the source of Linux 6.12.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::tally::Tally;
use crate::{vm, workspace};

/// The definitions, and the directory of the tree that gets them.
const TEXTS: &[(&str, &str)] =
    &[("examples/storage.trc", "drivers/block"), ("tests/modules/forms.trc", "kernel/trace")];

/// Headers of the kernel by different authors: what checkpatch finds in all of them is of trace headers.
const HEADERS: &[&str] =
    &["sched", "irq", "block", "kmem", "napi", "writeback", "ext4", "timer", "skb", "task"];

/// Applies the patches to the source, looks at the headers with checkpatch, and builds the units.
pub(super) fn kernel_tree(tally: &mut Tally) -> Result<()> {
    let directory =
        tempfile::Builder::new().prefix("kernel-tree-").tempdir_in(workspace::root().join("target"))?;
    let tree = vm::configured_source(directory.path())?;
    let tracec = workspace::build_tracec()?;
    let of_kernel: Vec<BTreeSet<String>> = HEADERS
        .iter()
        .map(|header| checkpatch(&tree, &format!("include/trace/events/{header}.h")))
        .collect::<Result<_>>()?;
    let usual: BTreeSet<String> = of_kernel.into_iter().reduce(|all, one| &all & &one).unwrap_or_default();
    println!("checkpatch finds in each header of the kernel: {usual:?}");
    for (text, into) in TEXTS {
        let name = Path::new(text).file_stem().and_then(|stem| stem.to_str()).context("a name")?;
        let out = directory.path().join(name);
        let mut build = Command::new(&tracec);
        build.arg("build").arg(workspace::root().join(text)).args([
            "--target",
            "kernel-tree",
            "--kernel",
            "6.12",
        ]);
        workspace::run(build.arg("--into").arg(tree.join(into)).arg("-o").arg(&out))?;
        apply(&tree, &out.join(format!("{name}.patch")))?;
        tally.pass();
        let found = checkpatch(&tree, &format!("include/trace/events/{name}.h"))?;
        match found.is_subset(&usual) {
            true => tally.pass(),
            false => tally.fail(format!("checkpatch of {name}: {found:?}, and of the kernel {usual:?}")),
        }
        let warnings = make(&tree, &["W=1", &format!("{into}/{name}_trace.o")])?;
        match warnings.is_empty() {
            true => tally.pass(),
            false => tally.fail(format!("{name}: gcc warns:\n{warnings}")),
        }
    }
    Ok(())
}

fn apply(tree: &Path, patch: &Path) -> Result<()> {
    let mut command = Command::new("patch");
    command.args(["-p1", "--fuzz=0", "-d"]).arg(tree).stdin(File::open(patch)?);
    workspace::run(&mut command)
}

/// Returns the types of what checkpatch finds in a file.
fn checkpatch(tree: &Path, file: &str) -> Result<BTreeSet<String>> {
    let mut command = Command::new("perl");
    command.current_dir(tree).args([
        "scripts/checkpatch.pl",
        "--strict",
        "--show-types",
        "--terse",
        "--no-summary",
    ]);
    let output = command.arg("-f").arg(file).output().context("cannot start perl")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.stderr.is_empty() || (text.is_empty() && !output.status.success()) {
        bail!("checkpatch of {file}: {}{text}", String::from_utf8_lossy(&output.stderr));
    }
    // `FILE:LINE: WARNING:TYPE: ...`
    let types =
        text.lines().filter_map(|line| line.splitn(4, ':').nth(3)?.split(':').next().map(str::to_owned));
    Ok(types.collect())
}

/// Builds objects of the tree, and returns what is warned of.
fn make(tree: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("make");
    command.arg("-C").arg(tree).args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().context("cannot start make")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!("make {}: {said}", arguments.join(" "));
    }
    Ok(said)
}
