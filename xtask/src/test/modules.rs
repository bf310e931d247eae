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

/// Builds the modules for one kernel, and runs the trials of `tests/harness/modules.rs` on it.
pub(super) fn modules(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    if !machine::can_boot(kernel, tally) {
        return Ok(());
    }
    let directory = machine::scratch()?;
    let tracec = workspace::build_tracec(&[])?;
    let built = directory.path().join("modules");
    for definitions in DEFINITIONS {
        let warnings = definitions.make(&tracec, kernel, directory.path(), &built)?;
        match warnings[..] {
            [] => tally.pass(),
            _ => tally.fail(format!("{}: kbuild warns:\n{}", definitions.name, warnings.join("\n"))),
        }
    }
    machine::modules(kernel, &built, tally)
}

impl Definitions {
    /// Puts the module, and what is expected of it, into a directory of its name below `built`. Returns the warnings.
    fn make(&self, tracec: &Path, kernel: Kernel, scratch: &Path, built: &Path) -> Result<Vec<String>> {
        let beside = |ending: &str| workspace::root().join(format!("tests/modules/{}.{ending}", self.name));
        let (sources, to) = (scratch.join(format!("{}-sources", self.name)), built.join(self.name));
        fs::create_dir_all(&to)?;
        self.build(tracec, kernel, "module", &sources, &["--with".into(), beside("c")])?;
        let module = kbuild::build(kernel, &sources)?;
        let name = module.module.file_name().context("a module without a name")?;
        workspace::run(
            Command::new("strip").arg("--strip-debug").arg("-o").arg(to.join(name)).arg(&module.module),
        )?;
        self.build(tracec, kernel, "format", &to, &[])?;
        fs::copy(workspace::root().join(self.text), to.join("definitions.trc"))?;
        for ending in ["expected", "session.trc"] {
            let from = beside(ending);
            fs::copy(&from, to.join(ending)).with_context(|| format!("{}", from.display()))?;
        }
        Ok(module.warnings)
    }

    fn build(&self, tracec: &Path, kernel: Kernel, target: &str, to: &Path, with: &[PathBuf]) -> Result<()> {
        let mut command = Command::new(tracec);
        command.arg("build").arg(workspace::root().join(self.text)).args(["--target", target]);
        command.arg("--kernel").arg(kernel.to_string()).arg("-o").arg(to).args(with);
        workspace::run(&mut command)
    }
}
