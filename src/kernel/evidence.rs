//! Evidence for the features of a kernel. Files are read; nothing is written.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use tracec_kernel::tables::features::{self, Evidence, Feature, Found, NOT_TRIED, Probe, Support};
use tracec_kernel::tables::triggers;
use tracec_runtime::tracefs::Tracefs;

/// A tracefs, or a copy of one.
pub(super) trait Tree {
    /// Returns the text of a file; `None` if it does not exist.
    fn text(&self, path: &str) -> Found<Option<String>>;
    /// Returns the names in a directory, each with whether it is a directory; none if the directory does not exist.
    fn names(&self, path: &str) -> Found<Vec<(String, bool)>>;
    /// Returns the functions of the kernel that probes ask for.
    fn functions(&self) -> Found<BTreeSet<String>>;
    /// Returns the names in its BTF that probes ask for.
    fn btf(&self) -> Found<BTreeSet<String>>;
}

impl Tree for Tracefs {
    fn text(&self, path: &str) -> Found<Option<String>> {
        match self.read(path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn names(&self, path: &str) -> Found<Vec<(String, bool)>> {
        match self.list(path) {
            Ok(entries) => Ok(entries.into_iter().map(|entry| (entry.name, entry.is_directory)).collect()),
            Err(error) if error.is_not_found() => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn functions(&self) -> Found<BTreeSet<String>> {
        static FUNCTIONS: OnceLock<Found<BTreeSet<String>>> = OnceLock::new();
        let path = "/proc/kallsyms";
        let look = || Ok(functions_of(&std::fs::read(path).map_err(|error| format!("{path}: {error}"))?));
        FUNCTIONS.get_or_init(look).clone()
    }

    fn btf(&self) -> Found<BTreeSet<String>> {
        static NAMES: OnceLock<Found<BTreeSet<String>>> = OnceLock::new();
        NAMES.get_or_init(|| btf().and_then(|btf| names_of_btf(&btf))).clone()
    }
}

/// A directory that contains a copy of a tracefs. Copies are often partial: without `README` a missing file is not
/// evidence.
pub(super) struct CopyOf<'a>(pub(super) &'a Path);

impl Tree for CopyOf<'_> {
    fn text(&self, path: &str) -> Found<Option<String>> {
        Ok(std::fs::read(self.0.join(path)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn names(&self, path: &str) -> Found<Vec<(String, bool)>> {
        if !self.0.join("README").is_file() {
            return Err("the copy of the kernel has no README, so other files may be missing too".to_owned());
        }
        let Ok(entries) = std::fs::read_dir(self.0.join(path)) else { return Ok(Vec::new()) };
        let names = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().into_string().ok()?, entry.path().is_dir()))
        });
        Ok(names.collect())
    }

    fn functions(&self) -> Found<BTreeSet<String>> {
        Err("a copy of a tracefs does not name the kernel's functions".to_owned())
    }

    fn btf(&self) -> Found<BTreeSet<String>> {
        Err("a copy of a tracefs has no BTF".to_owned())
    }
}

/// Returns whether the kernel has a feature, as far as files show it. Only the files that show it are read.
pub(super) fn feature(tree: &impl Tree, name: &str) -> Support {
    let Some(feature) = features::find(name) else {
        return Support::Unknown(format!("there is no feature `{name}`"));
    };
    features::probe(feature, &part(tree, feature))
}

fn part(tree: &impl Tree, feature: &Feature) -> Evidence {
    let mut evidence = Evidence::none(NOT_TRIED);
    match feature.probe {
        Probe::File(_) => evidence.files = names(tree, "", false),
        Probe::EventFile(_) => evidence.event_files = event_files(tree),
        Probe::System(_) => evidence.systems = names(tree, "events", true),
        Probe::Tracer(_) => evidence.tracers = words(tree, "available_tracers"),
        Probe::InstanceTracer(_) => evidence.instance_tracers = instance_tracers(tree),
        Probe::Trigger(_) => evidence.triggers = triggers(tree).map(|names| names.into_iter().collect()),
        Probe::Option(_) => evidence.options = names(tree, "options", false),
        Probe::Readme(_) => evidence.readme = readme(tree),
        Probe::Function(name) => named(tree, &[name], &mut evidence),
        Probe::Filter { named: [], .. } | Probe::Rename { .. } => {}
        Probe::Filter { named: names, .. } => named(tree, names, &mut evidence),
    }
    evidence
}

/// Looks for names in the kernel's BTF, and in the list of its functions if the BTF has none of them: reading the list
/// takes ten times as long.
fn named(tree: &impl Tree, names: &[&str], evidence: &mut Evidence) {
    evidence.btf = tree.btf();
    let in_btf = |btf: &BTreeSet<String>| names.iter().any(|name| btf.contains(*name));
    if !evidence.btf.as_ref().is_ok_and(in_btf) {
        evidence.functions = tree.functions();
    }
}

/// Returns the names in a directory, either of its files or of its directories.
pub(super) fn names(tree: &impl Tree, path: &str, directories: bool) -> Found<BTreeSet<String>> {
    let names = tree.names(path)?.into_iter();
    Ok(names.filter(|(_, is_directory)| *is_directory == directories).map(|(name, _)| name).collect())
}

/// Returns the names of the files of events. All events of a kernel have the same files, except those of the system
/// `ftrace`.
fn event_files(tree: &impl Tree) -> Found<BTreeSet<String>> {
    for system in names(tree, "events", true)?.iter().filter(|system| *system != "ftrace") {
        if let Some(event) = names(tree, &format!("events/{system}"), true)?.first() {
            return names(tree, &format!("events/{system}/{event}"), false);
        }
    }
    Err("the kernel has no events".to_owned())
}

/// Returns the words of a file.
pub(super) fn words(tree: &impl Tree, path: &str) -> Found<BTreeSet<String>> {
    match tree.text(path)? {
        Some(text) => Ok(text.split_whitespace().map(str::to_owned).collect()),
        None => Err(format!("there is no {path}")),
    }
}

/// Returns the text of `README`.
pub(super) fn readme(tree: &impl Tree) -> Found<String> {
    tree.text("README")?.ok_or_else(|| "there is no README".to_owned())
}

/// Returns the tracers of an existing instance, which all instances have.
fn instance_tracers(tree: &impl Tree) -> Found<BTreeSet<String>> {
    match names(tree, "instances", true)?.first() {
        Some(name) => words(tree, &format!("instances/{name}/available_tracers")),
        None => Err("there is no instance to read, and none is created here".to_owned()),
    }
}

/// Returns the triggers that events support, in the kernel's order, from the file of the first event without armed
/// triggers.
pub(super) fn triggers(tree: &impl Tree) -> Found<Vec<String>> {
    for system in names(tree, "events", true)?.iter().filter(|system| *system != "ftrace") {
        for event in names(tree, &format!("events/{system}"), true)? {
            let text = tree.text(&format!("events/{system}/{event}/trigger"))?;
            if let Some(list) = text.as_deref().and_then(trigger_list) {
                return Ok(list);
            }
        }
    }
    Err("no event shows its triggers".to_owned())
}

/// Returns the triggers that an event's `trigger` file lists.
fn trigger_list(text: &str) -> Option<Vec<String>> {
    Some(triggers::listed(text)?.map(str::to_owned).collect())
}

/// Returns the functions in a text like `/proc/kallsyms` that probes ask for. A line has address, type, name, module.
fn functions_of(symbols: &[u8]) -> BTreeSet<String> {
    let lines = symbols.split(|&byte| byte == b'\n');
    in_question(lines.filter_map(|line| line.split(|&byte| byte == b' ').nth(2)))
}

/// Returns those of some names that probes ask for.
fn in_question<'n>(names: impl Iterator<Item = &'n [u8]>) -> BTreeSet<String> {
    let wanted: BTreeSet<&[u8]> = features::symbols().map(str::as_bytes).collect();
    let found = names.filter(|name| wanted.contains(name));
    found.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Returns the BTF of the running kernel, without that of its modules.
pub(super) fn btf() -> Found<Vec<u8>> {
    let path = "/sys/kernel/btf/vmlinux";
    std::fs::read(path).map_err(|error| format!("{path}: {error}"))
}

/// Returns the names in a BTF that probes ask for: they are the strings of its last section. The header of 24 bytes is
/// a `__u16` magic number, version, flags, and as `__u32` the header's length, and the offset and length of types and
/// of strings (`struct btf_header` in include/uapi/linux/btf.h). A kernel writes its own BTF in its own byte order.
fn names_of_btf(btf: &[u8]) -> Found<BTreeSet<String>> {
    const MAGIC: u16 = 0xeb9f;
    let word = |at: usize| -> Option<usize> {
        let bytes = btf.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_ne_bytes(bytes)).ok()
    };
    let texts = || {
        if btf.get(..2)? != MAGIC.to_ne_bytes() {
            return None;
        }
        let start = word(4)?.checked_add(word(16)?)?;
        btf.get(start..start.checked_add(word(20)?)?)
    };
    match texts() {
        Some(texts) => Ok(in_question(texts.split(|&byte| byte == 0))),
        None => Err("the kernel's BTF is malformed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_is_found_by_its_whole_name() {
        let text = b"0 t __trace_eprobe_create.cold\n0 t __pfx___trace_eprobe_create\n";
        assert!(functions_of(text).is_empty());
        let text = b"ff T a\n0000000000000000 t __trace_eprobe_create\n0 t b\t[m]\n";
        assert_eq!(functions_of(text).into_iter().collect::<Vec<_>>(), ["__trace_eprobe_create"]);
    }

    #[test]
    fn names_are_found_in_the_strings_of_a_btf() {
        // A header, four bytes of types, a gap of two, and the strings.
        let texts = b"\0FILTER_STACKTRACE\0FILTER_PRED_FN_CPU\0a\0glob_match_len\0";
        let words = |words: [usize; 5]| words.map(|word| (word as u32).to_ne_bytes()).concat();
        let head =
            |texts: usize| [&0xeb9f_u16.to_ne_bytes()[..], &[1, 0], &words([24, 0, 4, 6, texts])].concat();
        let btf = |length: usize| [&head(length)[..], &[0; 6], texts].concat();
        let found = names_of_btf(&btf(texts.len())).unwrap();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["FILTER_STACKTRACE", "glob_match_len"]);
        // Strings end at the length in the header; a length that exceeds the file is an error.
        assert_eq!(names_of_btf(&btf(18)).unwrap().len(), 1);
        for wrong in [&btf(texts.len() + 1)[..], &btf(4)[..23], b"", &[0; 64]] {
            assert!(names_of_btf(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn triggers_are_listed_only_if_none_is_armed() {
        let list = trigger_list("# Available triggers:\n# traceon traceoff hist\n").unwrap();
        assert_eq!(list, ["traceon", "traceoff", "hist"]);
        assert_eq!(trigger_list("traceoff:unlimited\n"), None);
    }

    #[test]
    fn partial_copy_leaves_missing_features_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        file("events/a/b/trigger", "# Available triggers:\n# hist\n");
        file("events/a/b/inject", "");
        let judged = |name: &str| feature(&CopyOf(dir.path()), name);
        assert!(matches!(judged("synthetic-events"), Support::Unknown(_)));
        assert!(matches!(judged("hist-nohitcount"), Support::Unknown(_)));
        file("README", "[:nohitcount]");
        for name in ["hist", "event-injection", "hist-nohitcount"] {
            assert_eq!(judged(name), Support::Yes, "{name}");
        }
        for name in ["synthetic-events", "hist-onmax", "trigger-snapshot", "syscall-events"] {
            assert_eq!(judged(name), Support::No, "{name}");
        }
        for name in ["filter-cpus", "eprobe-events", "function-graph-instances", "no-such-feature"] {
            assert!(matches!(judged(name), Support::Unknown(_)), "{name}");
        }
    }
}
