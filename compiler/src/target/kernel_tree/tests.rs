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

/// 6.9 has no `__assign_str_len`: `__string_len` keeps the length there, and `__assign_str` copies as much.
#[test]
fn counted_string_is_copied_as_the_tree_does() {
    let text = "subsystem s; event e { proto (n: *char, l: u8) entry { n: string = (n, l); } }";
    let two = "#define __assign_str(dst, src)\\\n\tx\n";
    let with_length = format!("{two}#define __assign_str_len(dst, src, len)\\\n\tx\n");
    for (stage6, line) in [
        (with_length.as_str(), "+\t\t__assign_str_len(n, n, l);\n"),
        (two, "+\t\t__assign_str(n, n);\n"),
        (ONE_ARGUMENT.1, "+\t\t__assign_str(n);\n"),
    ] {
        let made = patch(text, &[(STAGE6, stage6), MAKEFILE]).expect("it is built");
        assert!(made.contains(line) && made.contains("__string_len(n, n, l)"), "{made}");
    }
}

#[test]
fn line_goes_where_kbuild_reads_it() {
    let kbuild = ("drivers/block/Kbuild", "obj-y += c.o\n");
    for (tree, file, line) in [
        (&[ONE_ARGUMENT, MAKEFILE][..], "Makefile", "b.o"),
        (&[ONE_ARGUMENT, kbuild], "Kbuild", "c.o"),
        (&[ONE_ARGUMENT, MAKEFILE, kbuild], "Kbuild", "c.o"),
    ] {
        let made = patch(TEXT, tree).expect("it is built");
        assert!(
            made.contains(&format!("--- a/drivers/block/{file}\n+++ b/drivers/block/{file}\n")),
            "{made}"
        );
        assert!(made.ends_with(&format!(" obj-y += {line}\n+obj-y += s_trace.o\n")), "{made}");
        assert_eq!(made.matches("--- a/").count(), 1, "{made}");
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
