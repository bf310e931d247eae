//! `tracec plan`: the changes that a session would make.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes;
use tracec_compiler::source::{LineEnds, LineIndex, Unit};
use tracec_compiler::{KernelSource, ModuleFile, SourceMap};
use tracec_grammar::span::FileId;
use tracec_kernel::escaped::{Escaped, in_json};
use tracec_kernel::plan::{InstanceName, Plan, Span};
use tracec_runtime::session;

use super::Failure;
use super::module::{self, Module};
use super::unknown::Looked;
use crate::cli::{Kernel, ModuleOptions, Source};
use crate::out::out;
use crate::source::Loaded;
use crate::{print, selected_kernel, source};

/// The exit status if there are changes.
const CHANGES: u8 = 2;

/// Prints or writes the plan of a session.
pub(crate) fn plan(
    source: &Source,
    kernel: &Kernel,
    instance: Option<&str>,
    module: &ModuleOptions,
    json: bool,
    output: Option<&Path>,
) -> Result<ExitCode, Failure> {
    let loaded = source::load(source)?;
    let kernel = selected_kernel::source(kernel)?;
    let looked = Looked::new(kernel.as_ref());
    let Compiled { plan, sources } = match module.is_module()? {
        false => compile(&loaded, &looked, instance, module.is_by_programs())?,
        true => {
            let found = Module::of(&loaded, &looked, &module.with)?;
            let file = format!("{}.ko", found.name());
            let path = module.built.as_deref().map_or_else(|| file.clone().into(), |built| built.join(&file));
            let compiled = compile_with(&loaded, &looked, instance, (&found, found.file(&path)?))?;
            if let Some(directory) = &module.built {
                found.find(directory)?;
            }
            compiled
        }
    };
    looked.report();
    let text = if json { render_json(&plan)? } else { render_text(&plan, &sources) };
    match output {
        None => out().write_all(text.as_bytes())?,
        Some(path) => std::fs::write(path, text).map_err(|error| {
            codes::output_failed::output_failed(None, &path.display().to_string(), &error.to_string())
        })?,
    }
    Ok(ExitCode::from(CHANGES))
}

/// A session that can be run.
pub(crate) struct Compiled {
    /// Its plan.
    pub(crate) plan: Plan,
    /// The texts that the plan's spans refer to.
    pub(crate) sources: SourceMap,
}

/// Compiles the chosen session, and prints warnings. `programs` says whether BPF programs record.
pub(crate) fn compile(
    loaded: &Loaded,
    kernel: &dyn KernelSource,
    instance: Option<&str>,
    programs: bool,
) -> Result<Compiled, Failure> {
    let options = tracec_compiler::Options {
        programs,
        ..tracec_compiler::Options::new(loaded.session.clone(), instance_name(loaded, instance)?)
    };
    let compiled = compiled(tracec_compiler::compile(loaded.input(kernel), &options))?;
    if instance.is_some() && compiled.plan.transaction.is_empty() {
        let why = "`--instance` names an instance, and a session that programs record has none";
        return Err(Failure::Usage(why.to_owned()));
    }
    Ok(compiled)
}

/// Compiles the chosen session, which loads a module, and prints warnings.
pub(super) fn compile_with(
    loaded: &Loaded,
    kernel: &dyn KernelSource,
    instance: Option<&str>,
    (module, file): (&Module, ModuleFile),
) -> Result<Compiled, Failure> {
    let instance = instance_name(loaded, instance)?;
    let options = tracec_compiler::Options {
        module: Some(file),
        ..tracec_compiler::Options::new(loaded.session.clone(), instance)
    };
    compiled(tracec_compiler::compile(module::input(loaded, &module.foreseen(kernel)), &options))
}

/// Prints the warnings of a compilation, and returns its plan.
fn compiled(compilation: tracec_compiler::Compilation) -> Result<Compiled, Failure> {
    match compilation.plan {
        Some(plan) => {
            print::diagnostics(&compilation.sources, &compilation.diagnostics);
            Ok(Compiled { plan, sources: compilation.sources })
        }
        None => Err(Failure::Diagnostics(compilation.sources, compilation.diagnostics)),
    }
}

/// Returns the name asked for, or one that no other process uses.
pub(super) fn instance_name(loaded: &Loaded, wanted: Option<&str>) -> Result<InstanceName, Failure> {
    let stem = stem(loaded);
    let (name, made) = match wanted {
        Some(name) => (name, InstanceName::new(name)),
        None => (stem.as_str(), session::own_name(&stem)),
    };
    made.map_err(|error| codes::invalid_instance_name::invalid_instance_name(name, &error.to_string()).into())
}

/// Returns the part of an instance's name that names the session.
pub(super) fn stem(loaded: &Loaded) -> String {
    let file = Path::new(&loaded.text.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
    let name = loaded.session.as_deref().unwrap_or(file);
    name.chars().filter(char::is_ascii_alphanumeric).take(38).collect()
}

/// Returns the plan as text, with the lines of the clauses; those of an import follow its name.
fn render_text(plan: &Plan, sources: &SourceMap) -> String {
    let lines: Vec<LineIndex> =
        sources.files().iter().map(|file| LineIndex::new(&file.text, LineEnds::Newline)).collect();
    let line_of = |span: Span| {
        let file = sources.file(span.file);
        let line = lines.get(span.file.index())?.position(span.start as usize, Unit::Byte).line + 1;
        match span.file {
            // It has one line.
            FileId::MAIN if file.one_liner => None,
            FileId::MAIN => Some(line.to_string()),
            _ => Some(format!("{}:{line}", Escaped::text(&file.name))),
        }
    };
    plan.with_lines(line_of).to_string()
}

fn render_json(plan: &Plan) -> std::io::Result<String> {
    let mut text = in_json(&serde_json::to_string_pretty(plan)?).into_owned();
    text.push('\n');
    Ok(text)
}
