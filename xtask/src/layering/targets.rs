//! No target of the compiler imports another: what two of them share belongs below both.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Check, Source, Violation, code};

const TARGETS: &str = "compiler/src/target";

/// Finds `target::OTHER` and `super::OTHER` in a file that belongs to the target ONE.
pub(super) fn check(sources: &[Source]) -> Check {
    let targets: BTreeSet<&str> = sources.iter().filter_map(|source| target_of(&source.path)).collect();
    let violations = sources.iter().flat_map(|source| uses_of_others(source, &targets)).collect();
    Check { invariant: "no target of the compiler imports another", violations }
}

fn uses_of_others(source: &Source, targets: &BTreeSet<&str>) -> Vec<Violation> {
    let Some(own) = target_of(&source.path) else { return Vec::new() };
    let paths = ["target", "super"].into_iter().flat_map(|module| code::after_path(&source.code, module));
    let others = paths.filter(|(_, name)| *name != own && targets.contains(name));
    let violation = |(at, name): (usize, &str)| Violation {
        file: source.path.clone(),
        line: source.code[..at].matches('\n').count() + 1,
        what: format!("the target {own} imports from the target {name}"),
    };
    others.map(violation).collect()
}

/// `tracefs` for compiler/src/target/tracefs.rs and everything below compiler/src/target/tracefs/.
fn target_of(path: &Path) -> Option<&str> {
    let below = path.strip_prefix(TARGETS).ok()?.to_str()?;
    let name = below.split(['/', '.']).next()?;
    // target/mod.rs lists the targets.
    (name != "mod").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in one file while there are the targets `bpf` and `tracefs`.
    fn violations(path: &str, text: &str) -> Vec<String> {
        let files =
            [(path, text), ("compiler/src/target/bpf.rs", ""), ("compiler/src/target/tracefs/mod.rs", "")];
        let sources = files.map(|(path, text)| Source::new(path.into(), text));
        check(&sources).violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn another_target_is_found_with_its_line() {
        let text = "use crate::ir;\nuse crate::target::bpf::emit;\n";
        let found = violations("compiler/src/target/tracefs/trigger.rs", text);
        let expected =
            "compiler/src/target/tracefs/trigger.rs:2: the target tracefs imports from the target bpf";
        assert_eq!(found, [expected]);
        let in_lists = "use super::Artifact;\nuse crate::target::{\n    bpf,\n    tracefs,\n};\n";
        assert_eq!(violations("compiler/src/target/bpf.rs", in_lists).len(), 1);
        assert_eq!(violations("compiler/src/target/bpf.rs", "use super::tracefs;").len(), 1);
    }

    #[test]
    fn the_own_target_and_other_places_are_fine() {
        assert!(violations("compiler/src/target/bpf/elf.rs", "use crate::target::bpf::Btf;").is_empty());
        assert!(violations("compiler/src/target/bpf/elf.rs", "use crate::target::Artifact;").is_empty());
        assert!(violations("compiler/src/target/mod.rs", "use crate::target::bpf;").is_empty());
        assert!(violations("compiler/src/place/mod.rs", "use crate::target::bpf;").is_empty());
        assert!(
            violations("compiler/src/target/bpf.rs", "// target::tracefs\nx(\"target::tracefs\");")
                .is_empty()
        );
        assert!(violations("compiler/src/target/bpf.rs", "use crate::my_target::tracefs;").is_empty());
    }
}
