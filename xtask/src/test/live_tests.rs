//! The list of live tests: test binaries that need a kernel.

/// A test binary that needs a kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct LiveTest {
    /// Its name in reports, and that of its file in a machine.
    pub name: &'static str,
    /// The directory of its package, relative to the root of the workspace.
    pub package: &'static str,
    /// The integration test of that package.
    pub target: &'static str,
    /// Arguments of every run.
    pub arguments: &'static [&'static str],
}

/// libtest shows the output of a passing test only with this; a test prints there that it skips itself.
const LIBTEST: &[&str] = &["--show-output"];

/// The live tests.
pub const LIVE: &[LiveTest] = &[
    LiveTest { name: "live-formats", package: "kernel", target: "live_formats", arguments: LIBTEST },
    LiveTest { name: "live-filter", package: "kernel", target: "live_filter", arguments: LIBTEST },
    LiveTest { name: "live-bpf", package: "compiler", target: "live_bpf", arguments: LIBTEST },
    LiveTest { name: "live-texts", package: "runtime", target: "live_texts", arguments: &[] },
    LiveTest { name: "live-runtime", package: "runtime", target: "live", arguments: LIBTEST },
    LiveTest { name: "live-tracec", package: "", target: "live", arguments: &[] },
];

/// Generated filters and records, which a kernel decides: a separate part, since it takes minutes.
pub const AGREEMENT: &[LiveTest] =
    &[LiveTest { name: "agreement", package: "", target: "agreement", arguments: &[] }];

/// The trials of scripts alone.
pub const SCRIPTS: &[LiveTest] =
    &[LiveTest { name: "scripts", package: "", target: "live", arguments: &["script:"] }];

/// The trials that end scripts at points, of which each machine of a soak takes its part.
pub const SCRIPT_POINTS: &[LiveTest] =
    &[LiveTest { name: "points", package: "", target: "live", arguments: &["points:"] }];

/// The trials of signals alone.
pub const SIGNALS: &[LiveTest] =
    &[LiveTest { name: "signals", package: "", target: "live", arguments: &["signals:"] }];

/// The trials of kills and of damaged journals alone.
pub const KILLS: &[LiveTest] =
    &[LiveTest { name: "kills", package: "", target: "live", arguments: &["kills:"] }];

/// The tests of BPF programs alone.
pub const PROGRAMS: &[LiveTest] = &[
    LiveTest { name: "programs-bpf", package: "compiler", target: "live_bpf", arguments: LIBTEST },
    LiveTest { name: "programs", package: "", target: "live", arguments: &["programs:"] },
];

/// The trials of kernel modules alone.
pub const MODULES: &[LiveTest] =
    &[LiveTest { name: "modules", package: "", target: "live", arguments: &["module:"] }];

/// Conditions at the event of a module.
pub const PAIRS: &[LiveTest] =
    &[LiveTest { name: "pairs", package: "", target: "agreement", arguments: &[] }];

/// The texts of every event that can be made to occur.
pub const TEXTS: &[LiveTest] =
    &[LiveTest { name: "texts", package: "runtime", target: "live_texts", arguments: &[] }];

/// Returns every test binary that needs a kernel.
pub fn all() -> impl Iterator<Item = &'static LiveTest> {
    LIVE.iter()
        .chain(AGREEMENT)
        .chain(SCRIPTS)
        .chain(SCRIPT_POINTS)
        .chain(SIGNALS)
        .chain(KILLS)
        .chain(PROGRAMS)
        .chain(MODULES)
        .chain(PAIRS)
        .chain(TEXTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files_and_differ() {
        for (index, live) in all().enumerate() {
            assert!(live.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{}", live.name);
            assert!(all().take(index).all(|other| other.name != live.name));
        }
    }
}
