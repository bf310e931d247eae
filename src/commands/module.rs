//! `--target module` of `plan` and `run`: the tracepoints that a text defines become events of the kernel by a module,
//! which the session loads.

mod foreseen;
mod inspect;
mod kbuild;
mod workplace;

use std::path::{Path, PathBuf};

use tracec_compiler::diagnostic::codes::module_refused::{event_taken, module_taken};
use tracec_compiler::target::{DefinitionTarget, File, Lines, Surroundings, Tag};
use tracec_compiler::{Analysis, Choice, Diagnostic, Input, KernelSource, ModuleFile, SourceMap, analyse};
use tracec_kernel::plan::ModuleName;

use super::Failure;
use super::code;
use crate::cli::ModuleOptions;
use crate::print;
use crate::source::Loaded;

pub(super) use foreseen::Foreseen;
pub(super) use kbuild::Built;
use kbuild::Refused;
pub(super) use workplace::{Leftover, recover};

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
    /// The tag of a module with these tracepoints.
    tag: Option<Tag>,
    /// The release of the kernel that it is for.
    release: String,
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
            Some("tracefs" | "bpf") | None if self.with.is_empty() && self.built.is_none() => Ok(false),
            Some("tracefs" | "bpf") | None => {
                Err(Failure::Usage("`--with` and `--built` need `--target module`".to_owned()))
            }
            Some(other) => Err(Failure::Usage(format!(
                "a session is run with `--target tracefs`, the default, `--target bpf` or `--target module`, not `{other}`"
            ))),
        }
    }

    /// Returns whether BPF programs record, and not tracefs.
    pub(super) fn is_by_programs(&self) -> bool {
        self.target.as_deref() == Some("bpf")
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
        let target = DefinitionTarget::find("module");
        let lines = target.and_then(|target| target.lines(&analysis.module, &surroundings));
        let tag = target.and_then(|target| target.tag(&analysis.module, &surroundings));
        let subsystem = analysis.module.definitions.first().and_then(|own| own.subsystem.as_ref());
        let subsystem = subsystem.map(|name| name.value.clone()).unwrap_or_default();
        let formats = formats
            .into_iter()
            .filter_map(|file| {
                let event =
                    file.name.strip_prefix(&format!("{subsystem}."))?.strip_suffix(".format")?.to_owned();
                Some((event, String::from_utf8(file.content).ok()?))
            })
            .collect();
        let (release, texts) = (kernel.release(), analysis.sources.clone());
        let module = Module { subsystem, formats, sources, lines, tag, release, texts };
        module.is_new(&analysis, kernel)?;
        Ok(module)
    }

    /// Refuses a module if the kernel has one of its name, or one of its events.
    fn is_new(&self, analysis: &Analysis, kernel: &dyn KernelSource) -> Result<(), Failure> {
        let name = self.name();
        if kernel.is_running() && Path::new("/sys/module").join(&name).exists() {
            return Err(module_taken(&name).into());
        }
        let system = &self.subsystem;
        // A kernel that cannot be read is reported where the session depends on it.
        let existing = kernel.directories(&format!("events/{system}")).unwrap_or_default();
        let events = analysis.module.definitions.first().map(|own| &own.events[..]).unwrap_or_default();
        let taken = events.iter().map(|event| &event.name).filter(|name| existing.contains(&name.value));
        let said: Vec<Diagnostic> = taken
            .map(|name| event_taken(name.span, &format!("{system}:{}", name.value), &kernel.describe()))
            .collect();
        match said[..] {
            [] => Ok(()),
            _ => Err(Failure::Diagnostics(self.texts.clone(), said)),
        }
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

    /// Finds the module in the directory of `--built`, and checks that it is this one.
    ///
    /// # Errors
    /// It is not there, or is not one that the session can load.
    pub(super) fn find(&self, directory: &Path) -> Result<Built, Failure> {
        self.checked(kbuild::find(directory, &self.name())?)
    }

    /// Builds the module for the running kernel.
    ///
    /// # Errors
    /// It cannot be built, or is not one that the session can load.
    pub(super) fn build(&self) -> Result<Built, Failure> {
        let name = self.name();
        print::complain(&format!("tracec: building the module {name} for the running kernel\n"));
        let built = kbuild::build(&self.sources, &name).map_err(|refused| match refused {
            Refused::ByKbuild(said) => {
                Failure::Diagnostics(self.texts.clone(), kbuild::diagnostics(&said, self.lines.as_ref()))
            }
            Refused::Otherwise(failure) => failure,
        })?;
        self.checked(built)
    }

    fn checked(&self, mut built: Built) -> Result<Built, Failure> {
        if let Some(tag) = &self.tag {
            built.check(&self.name(), tag, &self.release)?;
        }
        Ok(built)
    }
}

/// Returns the input of a session whose kernel has the tracepoints of the text.
pub(super) fn input<'a>(loaded: &'a Loaded, kernel: &'a dyn KernelSource) -> Input<'a> {
    Input { loaded: true, ..loaded.input(kernel) }
}
