//! `--target module` of `plan` and `run`: the tracepoints that a text defines become events of the kernel by a module,
//! which the session loads.

mod foreseen;
mod kbuild;

use std::path::{Path, PathBuf};

use tracec_compiler::target::{DefinitionTarget, File, Lines, Surroundings};
use tracec_compiler::{Choice, Input, KernelSource, ModuleFile, SourceMap, analyse};
use tracec_kernel::plan::ModuleName;

use super::Failure;
use super::code;
use crate::cli::ModuleOptions;
use crate::print;
use crate::source::Loaded;

pub(super) use foreseen::Foreseen;
pub(super) use kbuild::Built;
use kbuild::Refused;

/// What becomes of the tracepoints of a text.
pub(super) struct Module {
    /// The subsystem, as an identifier of C.
    subsystem: String,
    /// The `format` files that the kernel will have, `EVENT` with its text.
    formats: Vec<(String, String)>,
    /// The sources of the module.
    sources: Vec<File>,
    /// The parts of the text that the lines of its header are for.
    lines: Option<Lines>,
    /// The texts.
    texts: SourceMap,
}

impl ModuleOptions {
    /// Returns whether the session loads a module.
    ///
    /// # Errors
    /// Another target is named, or an option that needs this one.
    pub(super) fn is_module(&self) -> Result<bool, Failure> {
        match self.target.as_deref() {
            Some("module") => Ok(true),
            Some("tracefs") | None if self.with.is_empty() && self.built.is_none() => Ok(false),
            Some("tracefs") | None => {
                Err(Failure::Usage("`--with` and `--built` need `--target module`".to_owned()))
            }
            Some(other) => Err(Failure::Usage(format!(
                "a session is run with `--target tracefs`, the default, or `--target module`, not `{other}`"
            ))),
        }
    }
}

impl Module {
    /// Makes the sources and the foreseen `format` files of the tracepoints of a text.
    ///
    /// # Errors
    /// A mistake of the text, or a refusal of the target.
    pub(super) fn of(
        loaded: &Loaded,
        kernel: &dyn KernelSource,
        with: &[PathBuf],
    ) -> Result<Module, Failure> {
        let code = code::read(with)?;
        let analysis = analyse(loaded.input(kernel), Choice::All);
        let surroundings = Surroundings { kernel, sources: &analysis.sources, code: &code, tree: None };
        let made = |name: &str| {
            let target =
                DefinitionTarget::find(name).ok_or_else(|| Failure::Usage(format!("no target {name}")))?;
            let (files, said) = analysis.make_of_definitions(|module| target.build(module, &surroundings));
            files.ok_or_else(|| Failure::Diagnostics(analysis.sources.clone(), said))
        };
        let (sources, formats) = (made("module")?, made("format")?);
        let lines =
            DefinitionTarget::find("module").and_then(|target| target.lines(&analysis.module, &surroundings));
        let subsystem = analysis.module.definitions.first().and_then(|own| own.subsystem.as_ref());
        let system = subsystem.map(|name| name.value.clone()).unwrap_or_default();
        let formats = formats
            .into_iter()
            .filter_map(|file| {
                let event =
                    file.name.strip_prefix(&format!("{system}."))?.strip_suffix(".format")?.to_owned();
                Some((event, String::from_utf8(file.content).ok()?))
            })
            .collect();
        let texts = analysis.sources.clone();
        Ok(Module { subsystem: system, formats, sources, lines, texts })
    }

    /// Returns the kernel with the events of the module.
    pub(super) fn foreseen<'a>(&'a self, kernel: &'a dyn KernelSource) -> Foreseen<'a> {
        Foreseen { kernel, system: &self.subsystem, formats: &self.formats }
    }

    /// Returns the module as a plan names it.
    ///
    /// # Errors
    /// The name of the subsystem is too long for a module.
    pub(super) fn file(&self, path: &Path) -> Result<ModuleFile, Failure> {
        let name = ModuleName::new(&self.name()).map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(ModuleFile { name, path: path.display().to_string() })
    }

    /// Returns the name of the module.
    pub(super) fn name(&self) -> String {
        format!("{}_events", self.subsystem.replace('-', "_"))
    }

    /// Builds the module for the running kernel, or finds it in the directory of `--built`.
    ///
    /// # Errors
    /// It cannot be built or found.
    pub(super) fn build(&self, built: Option<&Path>) -> Result<Built, Failure> {
        let name = self.name();
        match built {
            Some(directory) => kbuild::find(directory, &name),
            None => {
                print::complain(&format!("tracec: building the module {name} for the running kernel\n"));
                kbuild::build(&self.sources, &name).map_err(|refused| match refused {
                    Refused::ByKbuild(said) => Failure::Diagnostics(
                        self.texts.clone(),
                        kbuild::diagnostics(&said, self.lines.as_ref()),
                    ),
                    Refused::Before(failure) => failure,
                })
            }
        }
    }
}

/// Returns the input of a session whose kernel has the tracepoints of the text.
pub(super) fn input<'a>(loaded: &'a Loaded, kernel: &'a dyn KernelSource) -> Input<'a> {
    Input { loaded: true, ..loaded.input(kernel) }
}
