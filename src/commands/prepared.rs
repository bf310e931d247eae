//! A session of the command line, compiled and ready to be run: what `run` and `start` share.

use std::ffi::OsString;
use std::path::Path;

use tracec::kernel::TriedKernel;
use tracec::{LiveKernel, machine_code};
use tracec_compiler::check::OUTPUT_FORMS;
use tracec_compiler::diagnostic::codes::json_and_output::json_and_output;
use tracec_compiler::diagnostic::codes::no_command::{no_command, no_command_in_scope};
use tracec_compiler::diagnostic::codes::no_output_file::no_output_file;
use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_compiler::{Diagnostic, KernelSource, SourceMap};
use tracec_kernel::plan::Plan;
use tracec_runtime::session::{Layouts, RunOptions, User};
use tracec_runtime::sink::{Form, JSON_LINES, Output, TEXT, TRACE_DAT};

use super::Failure;
use super::form::{chosen, of_path};
use super::module::{Built, Module};
use super::plan::{Compiled, compile, compile_with};
use super::summarised::report_residue;
use crate::cli::SessionOptions;
use crate::source::Loaded;
use crate::{machine, selected_kernel, source};

/// A session that can be run.
pub(super) struct Prepared {
    /// The tracefs of the running kernel.
    pub(super) live: LiveKernel,
    /// Its plan.
    pub(super) plan: Plan,
    /// The texts that the plan's spans refer to.
    pub(super) sources: SourceMap,
    /// How it is run.
    pub(super) options: RunOptions,
    /// Whether the try of a feature has left something behind, so that the exit status is not 0.
    pub(super) has_left: bool,
    /// The file of the module, which has to stay open until the module is loaded.
    pub(super) built: Option<Built>,
}

/// Reads the text of a session.
pub(super) fn load(options: &SessionOptions) -> Result<Loaded, Failure> {
    if let Some(file) = options.source.file.as_deref()
        && let Some(form) = of_path(Path::new(file))
        && [&JSON_LINES, &TRACE_DAT].into_iter().any(|of_records| std::ptr::eq(form, of_records))
    {
        let why = format!("{file} has records, not a session: `tracec report {file}` shows them");
        return Err(Failure::Usage(why));
    }
    Ok(source::load(&options.source)?)
}

/// Compiles a session, and finds its output. `json` says whether standard output gets JSON lines.
pub(super) fn prepare(
    run: &SessionOptions,
    loaded: &Loaded,
    json: bool,
    command: &[OsString],
) -> Result<Prepared, Failure> {
    let user = user(run, command)?;
    let live = LiveKernel(selected_kernel::tracefs(&run.kernel)?);
    if !live.0.is_tracefs() {
        let path = live.0.path().display().to_string();
        return Err(tracec_compiler::diagnostic::codes::not_tracefs::not_tracefs(&path).into());
    }
    let mut has_left = false;
    let is_module = run.module.is_module()?;
    // The file of the module has to stay open until it is loaded.
    let mut built = None;
    let (Compiled { plan, sources }, layouts) = match &run.profile {
        Some(_) if is_module => {
            let why = "`--kernel` names another kernel, and a module is built for the running one";
            return Err(Failure::Usage(why.to_owned()));
        }
        None if is_module => {
            let kernel = TriedKernel::new(&live, &run.runtime_dir);
            let compiled = with_module(run, loaded, &kernel);
            has_left = report_residue(&kernel.into_residue());
            let (compiled, module) = compiled?;
            built = Some(module);
            (compiled, Layouts::OfKernel)
        }
        Some(name) => {
            let profile = selected_kernel::named(name)?;
            (
                compile(loaded, profile.as_ref(), run.instance.as_deref(), run.module.is_by_programs())?,
                Layouts::OfKernel,
            )
        }
        None => {
            let kernel = TriedKernel::new(&live, &run.runtime_dir);
            let compiled = compile(loaded, &kernel, run.instance.as_deref(), run.module.is_by_programs());
            // A feature whose try left an instance behind is unknown. The session is run if it does not need the
            // feature, but the exit status is not 0.
            has_left = report_residue(&kernel.into_residue());
            (compiled?, Layouts::OfPlan)
        }
    };
    if let (true, Some(output)) = (json, &plan.output) {
        return Err(Failure::Diagnostics(sources, vec![json_and_output(output.origin)]));
    }
    if let (true, None, Some(clause)) =
        (command.is_empty(), plan.life.stop_after, &plan.life.stop_with_command)
    {
        return Err(Failure::Diagnostics(sources, vec![no_command(*clause)]));
    }
    if let (true, Some(clause)) = (command.is_empty(), plan.scope_of_command()) {
        return Err(Failure::Diagnostics(sources, vec![no_command_in_scope(clause)]));
    }
    let output = match &run.output {
        Some(path) => Ok(named(path)?),
        None => output(&plan, json),
    };
    let output = match output {
        Ok(Output::Stdout(form)) => Output::Stdout(chosen(form, &run.form)?),
        Ok(Output::File { path, form }) => Output::File { path, form: chosen(form, &run.form)? },
        Ok(output) => output,
        Err(diagnostic) => return Err(Failure::Diagnostics(sources, vec![diagnostic])),
    };
    let output = match (output, plan.life.rotate) {
        (Output::File { path, form }, Some(rotation)) => Output::Rotated { path, form, rotation },
        (Output::Stdout(_), Some(rotation)) => {
            return Err(Failure::Diagnostics(sources, vec![no_output_file(rotation.origin)]));
        }
        (output, _) => output,
    };
    if let (Output::File { form, .. } | Output::Rotated { form, .. }, Some(_)) = (&output, &plan.programs)
        && std::ptr::eq(*form, &TRACE_DAT)
    {
        let why = "a trace.dat file has the pages of tracefs, and programs record this session: name a file that ends in \
                   `.txt` or `.jsonl`";
        return Err(Failure::Usage(why.to_owned()));
    }
    if let (Output::File { form, .. } | Output::Rotated { form, .. }, Some(_)) =
        (&output, plan.reading.without_children)
        && std::ptr::eq(*form, &TRACE_DAT)
    {
        let why = "a trace.dat file has the pages of tracefs, in which children are not told from threads: write `and \
                   children` into the scope, or name a file that ends in `.txt` or `.jsonl`";
        return Err(Failure::Usage(why.to_owned()));
    }
    let options = RunOptions {
        runtime_dir: run.runtime_dir.clone(),
        command: (!command.is_empty()).then(|| command.to_vec()),
        user,
        layouts,
        compile: (!run.no_jit).then(machine_code::compiler),
        ..RunOptions::new(output)
    };
    Ok(Prepared { live, plan, sources, options, has_left, built })
}

/// Returns the user as whom the command runs, if one is named.
fn user(run: &SessionOptions, command: &[OsString]) -> Result<Option<User>, Failure> {
    let Some(name) = &run.user else { return Ok(None) };
    if command.is_empty() {
        return Err(Failure::Usage("`--user` is for a command: write `-- COMMAND` at the end".to_owned()));
    }
    match User::named(name) {
        Ok(Some(user)) => Ok(Some(user)),
        Ok(None) => Err(Failure::Usage(format!("there is no user `{name}`"))),
        Err(error) => Err(Failure::Usage(format!("the user `{name}` cannot be looked up: {error}"))),
    }
}

/// Compiles a session of the tracepoints that its text defines, and builds the module that has them. The session is
/// compiled first: its mistakes are found before anything is built.
fn with_module(
    run: &SessionOptions,
    loaded: &Loaded,
    kernel: &dyn KernelSource,
) -> Result<(Compiled, Built), Failure> {
    let module = Module::of(loaded, kernel, &run.module.with)?;
    let instance = run.instance.as_deref();
    let compiled = |path: &Path| compile_with(loaded, kernel, instance, (&module, module.file(path)?));
    let mut found = compiled(Path::new("/"))?;
    let built = match &run.module.built {
        Some(directory) => module.find(directory)?,
        None => module.build()?,
    };
    found.plan.transaction = found.plan.transaction.loading_from(&built.path().display().to_string());
    Ok((found, built))
}

fn output(plan: &Plan, json: bool) -> Result<Output, Diagnostic> {
    match &plan.output {
        Some(output) => Output::of_plan(output).map_err(|error| {
            output_failed(machine::span_of(output.origin), &output.path, &error.to_string())
        }),
        None if json => Ok(Output::Stdout(&JSON_LINES)),
        None if plan.has_dumps() => Ok(Output::Nothing),
        None => Ok(Output::Stdout(&TEXT)),
    }
}

/// Returns the output that the command line names.
fn named(path: &Path) -> Result<Output, Failure> {
    Ok(Output::File { path: path.to_owned(), form: form_named(path)? })
}

/// Returns the form that the extension of a file of the command line names.
pub(super) fn form_named(path: &Path) -> Result<&'static Form, Failure> {
    of_path(path).ok_or_else(|| {
        let endings =
            OUTPUT_FORMS.iter().flat_map(|(_, endings)| *endings).map(|ending| format!("`.{ending}`"));
        Failure::Usage(format!(
            "the extension of `{}` does not name an output form: write {}",
            path.display(),
            endings.collect::<Vec<_>>().join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use tracec::{InstanceName, KernelDirectory};

    use super::*;

    fn copy() -> KernelDirectory {
        KernelDirectory(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernel"))
    }

    const TEXT: &str = "sched:sched_switch if prev_prio * 2 > next_prio";

    /// Returns a plan that leaves a condition on `prev_prio` to the host, because it needs arithmetic.
    fn plan() -> Plan {
        let text =
            tracec_compiler::SourceText { text: TEXT.to_owned(), one_liner: true, ..Default::default() };
        let instance = InstanceName::new("test").expect("a valid name");
        let options = tracec_compiler::Options::new(None, instance);
        let compilation = tracec_compiler::compile(tracec_compiler::Input::new(&text, &copy()), &options);
        let plan = compilation.plan.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
        assert_eq!(plan.reading.host.len(), 1);
        plan
    }

    #[test]
    fn forms_that_the_language_names_are_those_that_have_a_sink() {
        let named = tracec_compiler::check::OUTPUT_FORMS.map(|(form, _)| form.name());
        assert_eq!(named, tracec_runtime::sink::FORMS.map(|form| form.name));
    }

    #[test]
    fn plan_with_an_unknown_form_is_refused_at_its_clause() {
        let origin = tracec_kernel::plan::Span::new(3, 8);
        let output = tracec_kernel::plan::Output { path: "x".to_owned(), form: "XML".to_owned(), origin };
        let plan = Plan { output: Some(output), ..plan() };
        let Err(refused) = super::output(&plan, false) else { panic!("it was taken") };
        assert_eq!(
            (refused.code.id, refused.primary.map(|label| label.span)),
            ("T0509", machine::span_of(origin))
        );
    }
}
