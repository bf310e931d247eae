//! The patch of a tree. That it applies, and that the tree builds with it, is tested with Linux 6.12:
//! `cargo xtask soak kernel-tree`.

use expect_test::expect_file;

use super::super::Tree;
use super::super::fixture::{Files, built, read};
use super::STAGE6;

fn patch(text: &str, tree: &[(&str, &str)]) -> Result<String, Vec<String>> {
    let tree = Tree { files: &Files(tree), directory: "drivers/block" };
    let mut files = built("kernel-tree", text, &Files(&[]), &[], Some(tree))?;
    assert_eq!(files.len(), 1);
    Ok(files.remove(0).1)
}

const ONE_ARGUMENT: (&str, &str) = (STAGE6, "#define __assign_str(dst)\\\n\tx\n");
const MAKEFILE: (&str, &str) = ("drivers/block/Makefile", "# a\nobj-y += b.o\n");

const TEXT: &str = "subsystem s; event e { proto (n: *char) entry { n: string; } }";

#[test]
fn patch_of_the_example_is_as_recorded() {
    let made = patch(&read("../examples/storage.trc"), &[ONE_ARGUMENT, MAKEFILE]).expect("it is built");
    expect_file!["goldens/storage.txt"].assert_eq(&made);
}

#[test]
fn string_is_copied_as_the_tree_does() {
    let old = (STAGE6, "#define __assign_str(dst, src)\\\n\tx\n");
    for (stage6, line) in [(ONE_ARGUMENT, "+\t\t__assign_str(n);\n"), (old, "+\t\t__assign_str(n, n);\n")] {
        let made = patch(TEXT, &[stage6, MAKEFILE]).expect("it is built");
        assert!(made.contains(line), "{made}");
    }
}

#[test]
fn tree_without_what_the_target_needs_is_refused() {
    let header = ("include/trace/events/s.h", "");
    let unlike = "the target `kernel-tree` needs a kernel tree, and this is not one that it can use";
    let taken = "the target `kernel-tree` would add include/trace/events/s.h, which the tree has already";
    for (tree, message) in [
        (&[MAKEFILE][..], unlike),
        (&[ONE_ARGUMENT], unlike),
        (&[(STAGE6, "#define __assign_rel_str(dst)"), MAKEFILE], unlike),
        (&[ONE_ARGUMENT, MAKEFILE, header], taken),
    ] {
        assert_eq!(patch(TEXT, tree).expect_err("it is refused"), [message]);
    }
}
