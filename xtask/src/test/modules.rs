//! Modules of `tracec build --target module`: built against Debian's headers, loaded and fired in virtual machines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::machine;
use super::tally::Tally;
use crate::kbuild;
use crate::vm::Kernel;
use crate::workspace;

/// Definitions, and the C file beside the others of its name below `tests/modules` that fires them.
struct Definitions {
    name: &'static str,
    text: &'static str,
}

/// All definitions that become modules.
const DEFINITIONS: &[Definitions] = &[
    Definitions { name: "storage", text: "examples/storage.trc" },
    Definitions { name: "fields", text: "compiler/src/target/format/goldens/fields.trc" },
    Definitions { name: "seeds", text: "tests/modules/seeds.trc" },
    Definitions { name: "forms", text: "tests/modules/forms.trc" },
];

/// The event whose values a test chooses.
const PAIRS: Definitions = Definitions { name: "pairs", text: "tests/modules/pairs.trc" };

/// Definitions whose module the kernel could not unload.
const STAYS: Definitions = Definitions { name: "stays", text: "tests/modules/stays.trc" };

/// Builds the modules for one kernel, and runs the trials of `tests/harness/modules.rs` on it.
pub(super) fn modules(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    if !machine::can_boot(kernel, tally) {
        return Ok(());
    }
    let directory = machine::scratch()?;
    let tracec = workspace::build_tracec()?;
    let built = directory.path().join("modules");
    for definitions in DEFINITIONS {
        let warnings = definitions.make(&tracec, kernel, directory.path(), &built)?;
        match warnings[..] {
            [] => tally.pass(),
            _ => tally.fail(format!("{}: kbuild warns:\n{}", definitions.name, warnings.join("\n"))),
        }
    }
    let refused = built.join("refused");
    fs::create_dir_all(&refused)?;
    let (module, _) = STAYS.build_module(&tracec, kernel, directory.path(), &refused)?;
    fs::copy(workspace::root().join(STAYS.text), module.with_file_name("stays.trc"))?;
    let (pairs, _) = PAIRS.build_module(&tracec, kernel, directory.path(), directory.path())?;
    machine::modules(kernel, &built, tally)?;
    machine::pairs(kernel, &pairs, &[], tally)
}

/// Builds the module whose values are chosen for one kernel, and asks 100,000 pairs of a condition and a record there.
pub(super) fn pairs(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    if !machine::can_boot(kernel, tally) {
        return Ok(());
    }
    let directory = machine::scratch()?;
    let tracec = workspace::build_tracec()?;
    let (pairs, _) = PAIRS.build_module(&tracec, kernel, directory.path(), directory.path())?;
    machine::pairs(kernel, &pairs, &[("TRACEC_MODULE_PAIRS", "100000")], tally)
}

impl Definitions {
    /// Puts the module, and what is expected of it, into a directory of its name below `built`. Returns the warnings.
    fn make(&self, tracec: &Path, kernel: Kernel, scratch: &Path, built: &Path) -> Result<Vec<String>> {
        let to = built.join(self.name);
        fs::create_dir_all(&to)?;
        let (_, warnings) = self.build_module(tracec, kernel, scratch, &to)?;
        self.build(tracec, kernel, "format", &to, &[])?;
        fs::copy(workspace::root().join(self.text), to.join("definitions.trc"))?;
        for ending in ["expected", "session.trc"] {
            let from = self.beside(ending);
            fs::copy(&from, to.join(ending)).with_context(|| format!("{}", from.display()))?;
        }
        Ok(warnings)
    }

    /// Builds the module in a directory of its own, and puts it into `to`. Returns its path and the warnings.
    fn build_module(
        &self,
        tracec: &Path,
        kernel: Kernel,
        scratch: &Path,
        to: &Path,
    ) -> Result<(PathBuf, Vec<String>)> {
        let sources = scratch.join(format!("{}-sources", self.name));
        self.build(tracec, kernel, "module", &sources, &["--with".into(), self.beside("c")])?;
        let built = kbuild::build(kernel, &sources)?;
        let to = to.join(built.module.file_name().context("a module without a name")?);
        workspace::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(&to).arg(&built.module))?;
        Ok((to, built.warnings))
    }

    /// Returns the path of a file of this name below `tests/modules`.
    fn beside(&self, ending: &str) -> PathBuf {
        workspace::root().join(format!("tests/modules/{}.{ending}", self.name))
    }

    fn build(&self, tracec: &Path, kernel: Kernel, target: &str, to: &Path, with: &[PathBuf]) -> Result<()> {
        let mut command = Command::new(tracec);
        command.arg("build").arg(workspace::root().join(self.text)).args(["--target", target]);
        command.arg("--kernel").arg(kernel.to_string()).arg("-o").arg(to).args(with);
        workspace::run(&mut command)
    }
}
