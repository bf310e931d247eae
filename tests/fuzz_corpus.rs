//! The inputs that were kept from fuzzing, and those in which something was once found, run through the functions that
//! the fuzzer calls: `fuzz/kept/TARGET.txt`, `fuzz/found/TARGET.txt`. This does not need a nightly toolchain.

// Both are public parts of the crate in fuzz/.
#[allow(unreachable_pub)]
#[path = "../fuzz/src/kept.rs"]
mod kept;
#[allow(unreachable_pub)]
#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// Returns the inputs of a file; none if there is no such file.
fn inputs(kind: &str, target: &str) -> Vec<Vec<u8>> {
    let path = fuzz().join(kind).join(format!("{target}.txt"));
    let Ok(text) = std::fs::read_to_string(&path) else { return Vec::new() };
    kept::read(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

#[test]
fn what_was_kept_and_found_breaks_no_law() {
    let mut broken = Vec::new();
    for (name, target) in targets::ALL {
        let kept = inputs("kept", name);
        assert!(!kept.is_empty(), "nothing is kept for {name}");
        for input in kept.iter().chain(&inputs("found", name)) {
            if catch_unwind(|| target(input)).is_err() {
                broken.push(format!("{name}: {}", input.escape_ascii()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns the files with an ending below a directory, except for what was built.
fn files(directory: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with(".git") {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
}

#[test]
fn texts_of_the_tree_break_no_law() {
    let mut texts = Vec::new();
    files(Path::new(env!("CARGO_MANIFEST_DIR")), "trc", &mut texts);
    assert!(texts.len() >= 40, "only {} texts were found", texts.len());
    let law = |(name, target): &(&str, fn(&[u8]))| (*name == "check").then_some(*target);
    let check = targets::ALL.iter().find_map(law).expect("the target");
    for path in texts {
        let text = std::fs::read(&path).expect("a readable text");
        assert!(catch_unwind(|| check(&text)).is_ok(), "{}", path.display());
    }
}

/// Each target has its binary, and each binary its target: a target without a binary is never fuzzed.
#[test]
fn every_target_has_a_binary() {
    let entries = std::fs::read_dir(fuzz().join("fuzz_targets")).expect("a readable directory");
    let names = entries.map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> =
        names.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort_unstable();
    let targets: Vec<&str> = targets::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, targets);
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).expect("a manifest");
    for name in names {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}

#[test]
fn what_is_kept_stays_small() {
    let entries = std::fs::read_dir(fuzz().join("kept")).expect("a readable directory");
    let sizes = entries.map(|entry| entry.and_then(|entry| entry.metadata()).expect("metadata").len());
    assert!(sizes.sum::<u64>() <= 300_000);
}

#[test]
fn any_bytes_are_a_line_and_come_back() {
    let all: Vec<u8> = (0..=255).collect();
    let inputs: [&[u8]; 6] =
        [b"", b"# no comment", b"a\nb\r\t\\'\"", &all, b"\\", "\u{201c}\u{e4}".as_bytes()];
    let file: String = inputs.iter().map(|input| kept::line(input)).collect();
    assert_eq!(file.lines().count(), inputs.len());
    assert_eq!(kept::read(&format!("# a comment\n\n{file}")).unwrap(), inputs);
    for wrong in ["a\\", "\\q", "\\x4", "\\xzz"] {
        assert!(kept::read(wrong).is_err(), "{wrong}");
    }
}
