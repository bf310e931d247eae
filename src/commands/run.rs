//! `tracec run`: applies a session, streams its records, and undoes it.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use tracec::kernel::TriedKernel;
use tracec::{LiveKernel, machine_code};
use tracec_compiler::check::OUTPUT_FORMS;
use tracec_compiler::diagnostic::codes::json_and_output::json_and_output;
use tracec_compiler::diagnostic::codes::no_command::{no_command, no_command_in_scope};
use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_compiler::{Diagnostic, KernelSource, Severity, SourceMap};
use tracec_kernel::grouped::Grouped;
use tracec_kernel::plan::{Plan, Watch};
use tracec_runtime::session::{self, Ended, Kept, Layouts, Residue, RunOptions, Summary};
use tracec_runtime::sink::{JSON_LINES, Output, TEXT, TRACE_DAT};

use super::form::{chosen, of_path};
use super::module::{Built, Module};
use super::plan::{Compiled, compile, compile_with};
use super::units::{human, records};
use super::{Failure, dumps};
use crate::cli::Run;
use crate::source::Loaded;
use crate::{machine, print, selected_kernel, source};

/// Runs a session to its end.
pub(crate) fn run(run: &Run) -> Result<ExitCode, Failure> {
    if let Some(file) = run.source.file.as_deref()
        && let Some(form) = of_path(Path::new(file))
        && [&JSON_LINES, &TRACE_DAT].into_iter().any(|of_records| std::ptr::eq(form, of_records))
    {
        let why = format!("{file} has records, not a session: `tracec report {file}` shows them");
        return Err(Failure::Usage(why));
    }
    let loaded = source::load(&run.source)?;
    let live = LiveKernel(selected_kernel::tracefs(&run.kernel)?);
    if !live.0.is_tracefs() {
        let path = live.0.path().display().to_string();
        return Err(tracec_compiler::diagnostic::codes::not_tracefs::not_tracefs(&path).into());
    }
    let mut left = false;
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
            let compiled = with_module(run, &loaded, &kernel);
            left = report_residue(&kernel.into_residue());
            let (compiled, module) = compiled?;
            built = Some(module);
            (compiled, Layouts::OfKernel)
        }
        Some(name) => {
            let profile = selected_kernel::named(name)?;
            (
                compile(&loaded, profile.as_ref(), run.instance.as_deref(), run.module.is_by_programs())?,
                Layouts::OfKernel,
            )
        }
        None => {
            let kernel = TriedKernel::new(&live, &run.runtime_dir);
            let compiled = compile(&loaded, &kernel, run.instance.as_deref(), run.module.is_by_programs());
            // A feature whose try left an instance behind is unknown. The session is run if it does not need the
            // feature, but the exit status is not 0.
            left = report_residue(&kernel.into_residue());
            (compiled?, Layouts::OfPlan)
        }
    };
    if let (true, Some(output)) = (run.json, &plan.output) {
        return Err(Failure::Diagnostics(sources, vec![json_and_output(output.origin)]));
    }
    if let (true, None, Some(clause)) =
        (run.command.is_empty(), plan.life.stop_after, &plan.life.stop_with_command)
    {
        return Err(Failure::Diagnostics(sources, vec![no_command(*clause)]));
    }
    if let (true, Some(clause)) = (run.command.is_empty(), plan.scope_of_command()) {
        return Err(Failure::Diagnostics(sources, vec![no_command_in_scope(clause)]));
    }
    let output = match &run.output {
        Some(path) => Ok(named(path)?),
        None => output(&plan, run.json),
    };
    let output = match output {
        Ok(Output::Stdout(form)) => Output::Stdout(chosen(form, &run.form)?),
        Ok(Output::File { path, form }) => Output::File { path, form: chosen(form, &run.form)? },
        Ok(output) => output,
        Err(diagnostic) => return Err(Failure::Diagnostics(sources, vec![diagnostic])),
    };
    if let (Output::File { form, .. }, Some(_)) = (&output, &plan.programs)
        && std::ptr::eq(*form, &TRACE_DAT)
    {
        let why = "a trace.dat file has the pages of tracefs, and programs record this session: name a file that ends in \
                   `.txt` or `.jsonl`";
        return Err(Failure::Usage(why.to_owned()));
    }
    if let (Output::File { form, .. }, Some(_)) = (&output, plan.reading.without_children)
        && std::ptr::eq(*form, &TRACE_DAT)
    {
        let why = "a trace.dat file has the pages of tracefs, in which children are not told from threads: write `and \
                   children` into the scope, or name a file that ends in `.txt` or `.jsonl`";
        return Err(Failure::Usage(why.to_owned()));
    }
    let options = RunOptions {
        runtime_dir: run.runtime_dir.clone(),
        command: (!run.command.is_empty()).then(|| run.command.clone()),
        layouts,
        compile: (!run.no_jit).then(machine_code::compiler),
        status: !run.quiet,
        ..RunOptions::new(output)
    };
    let ran = session::run(&live.0, &plan, options);
    drop(built);
    match ran {
        Ok(summary) => match ended(&plan, &summary, run, &sources) {
            _ if left => Ok(ExitCode::FAILURE),
            status => Ok(status),
        },
        Err(error) => Err(Failure::Diagnostics(sources, machine::run(&error, &plan))),
    }
}

/// Compiles a session of the tracepoints that its text defines, and builds the module that has them. The session is
/// compiled first: its mistakes are found before anything is built.
fn with_module(run: &Run, loaded: &Loaded, kernel: &dyn KernelSource) -> Result<(Compiled, Built), Failure> {
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
    let form = of_path(path).ok_or_else(|| {
        let endings =
            OUTPUT_FORMS.iter().flat_map(|(_, endings)| *endings).map(|ending| format!("`.{ending}`"));
        Failure::Usage(format!(
            "the extension of `{}` does not name an output form: write {}",
            path.display(),
            endings.collect::<Vec<_>>().join(", ")
        ))
    })?;
    Ok(Output::File { path: path.to_owned(), form })
}

/// Reports the things that could not be put back. Returns whether there were any.
fn report_residue(residue: &[Residue]) -> bool {
    let reported = machine::residue(residue);
    if let Some(diagnostic) = &reported {
        debug_assert_eq!(diagnostic.severity, Severity::Error);
        print::diagnostics(&super::nowhere(), std::slice::from_ref(diagnostic));
    }
    reported.is_some()
}

/// Reports the dumps that could not be written. Returns whether there were any.
fn report_dumps(plan: &Plan, summary: &Summary, sources: &SourceMap) -> bool {
    let failed = summary.dumps.iter().flat_map(|dumped| &dumped.failed);
    let reported: Vec<Diagnostic> =
        failed.map(|(path, watch, reason)| machine::dump(plan, *watch, path, reason)).collect();
    print::diagnostics(sources, &reported);
    !reported.is_empty()
}

/// Prints the summary and returns the exit status.
fn ended(plan: &Plan, summary: &Summary, options: &Run, sources: &SourceMap) -> ExitCode {
    if !options.quiet {
        // If standard error is closed, nothing can be reported.
        // One write: the end of the status line, which a stalled terminal has delayed, must not come between the parts.
        let without_code =
            summary.without_code.as_deref().map(machine_code::without_code).unwrap_or_default();
        let losses = match options.losses {
            true => losses(&summary.lost, &summary.lost_events, &summary.missed),
            false => String::new(),
        };
        let dumps = summary.dumps.as_ref().map_or(String::new(), |dumped| dumps::lines(dumped, plan));
        let text = format!("{}\n{dumps}{losses}{without_code}", sentence(plan, summary));
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    if report_residue(&summary.residue) | report_dumps(plan, summary, sources) {
        return ExitCode::FAILURE;
    }
    summary.command_status.map_or(ExitCode::SUCCESS, command_status)
}

/// Returns the summary: `quickstart: 12 records, nothing lost, ended after 3 s`.
fn sentence(plan: &Plan, summary: &Summary) -> String {
    let lost: u64 = summary.lost.iter().map(|(_, lost)| lost).sum();
    let lost = match lost {
        0 => "nothing lost".to_owned(),
        lost => {
            let mut all = worst(&summary.lost_events, "event");
            all.extend(worst(&by_cpu(&summary.lost), "cpu"));
            format!("{} lost ({})", records(lost), all.join(", "))
        }
    };
    let missed = worst(&summary.missed, "event");
    let missed = match missed.as_slice() {
        [] => String::new(),
        missed => format!(", not seen while another program ran ({})", missed.join(", ")),
    };
    let end = match summary.ended_by {
        Ended::StopAfter => format!("ended after {}", human(plan.life.stop_after.unwrap_or(summary.elapsed))),
        Ended::Signal(signal) => format!("ended by signal {signal} after {}", human(summary.elapsed)),
        Ended::Event(watch) => format!("ended by {} after {}", events(plan, watch), human(summary.elapsed)),
        Ended::Process(id) => format!("ended with process {id} after {}", human(summary.elapsed)),
        Ended::CommandExited(status) => format!("ended with its command ({status})"),
        Ended::OutputClosed => "ended because its output was closed".to_owned(),
    };
    let dropped = summary
        .dropped
        .map_or(String::new(), |dropped| format!(", {} dropped by the host's conditions", records(dropped)));
    let unknown = match summary.unknown {
        0 => String::new(),
        unknown => format!(", {} of other events left out", Grouped(unknown)),
    };
    let incomplete = match (summary.output_complete, summary.unwritten) {
        (true, _) => String::new(),
        (false, 0) => ", not all of them written".to_owned(),
        (false, rest) => format!(", {} not written", Grouped(rest)),
    };
    let last = plan.life.ring.and_then(|ring| ring.last);
    let kept = summary.kept.map_or(String::new(), |found| kept(found, last, summary.elapsed));
    let off = if summary.was_off { ", recording was off at the end" } else { "" };
    let running =
        summary.command_running.map_or(String::new(), |pid| format!("; its command still runs (pid {pid})"));
    let records = match &summary.dumps {
        Some(dumped) if summary.kept.is_none() => dumps::count(dumped),
        Some(dumped) => format!("{}, then {}", dumps::count(dumped), records(summary.records)),
        None => records(summary.records),
    };
    format!(
        "{}: {records}{kept}{incomplete}{dropped}{unknown}, {lost}{missed}{off}, {end}{running}",
        plan.session,
    )
}

/// Returns what a ring has kept, of a session that ran for a time.
fn kept(
    Kept { overwritten, since_dump, covered }: Kept,
    last: Option<Duration>,
    elapsed: Duration,
) -> String {
    let older = format!("({} older ones overwritten)", Grouped(overwritten));
    match (overwritten, covered, last) {
        (0, _, Some(last)) if last < elapsed => format!(" of the last {}", human(last)),
        (0, ..) if since_dump => " since the last dump".to_owned(),
        (0, ..) => " since it began".to_owned(),
        (_, Some(covered), Some(last)) if covered < last => format!(
            " of the last {} on every CPU {older}, less than the {} asked for: `buffer` is too small",
            human(covered),
            human(last)
        ),
        (_, _, Some(last)) => format!(" of the last {}", human(last)),
        (_, Some(covered), None) => format!(" of the last {} on every CPU {older}", human(covered)),
        (_, None, None) => format!(" {older}"),
    }
}

/// Returns the event that a session waited for, or how many.
fn events(plan: &Plan, watch: usize) -> String {
    match plan.watches.get(watch).map(Watch::events).unwrap_or_default().as_slice() {
        [event] => event.clone(),
        events => format!("one of {} events", events.len()),
    }
}

/// The number of CPUs, and of events, that the summary names.
const NAMED: usize = 8;

/// Returns those that lost most, in their order, and how many more there are of what is called `what`.
fn worst(lost: &[(String, u64)], what: &str) -> Vec<String> {
    let mut named: Vec<usize> = (0..lost.len()).collect();
    named.sort_by_key(|&at| std::cmp::Reverse(lost[at].1));
    named.truncate(NAMED);
    named.sort_unstable();
    let mut texts: Vec<String> =
        named.iter().map(|&at| format!("{}: {}", lost[at].0, Grouped(lost[at].1))).collect();
    match lost.len() - named.len() {
        0 => {}
        1 => texts.push(format!("and 1 more {what}")),
        rest => texts.push(format!("and {rest} more {what}s")),
    }
    texts
}

/// Returns the same with the names of CPUs.
fn by_cpu(lost: &[(u32, u64)]) -> Vec<(String, u64)> {
    lost.iter().map(|(cpu, lost)| (format!("cpu {cpu}"), *lost)).collect()
}

/// Returns a line for each CPU and each event that lost records, and for each event whose program did not see some.
fn losses(cpus: &[(u32, u64)], events: &[(String, u64)], missed: &[(String, u64)]) -> String {
    let lines = |counts: &[(String, u64)], what| -> String {
        let some = counts.iter().filter(|(_, count)| *count > 0);
        some.map(|(name, count)| format!("{name}: {} {what}\n", records(*count))).collect()
    };
    lines(&by_cpu(cpus), "lost")
        + &lines(events, "lost")
        + &lines(missed, "not seen while another program ran")
}

/// Returns the command's exit status as a shell would: 128 and the signal's number if a signal killed it.
fn command_status(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use tracec::{InstanceName, KernelDirectory};

    use super::*;

    #[test]
    fn one_record_is_singular() {
        assert_eq!([0, 1, 2, 1024].map(records), ["0 records", "1 record", "2 records", "1,024 records"]);
    }

    #[test]
    fn ring_says_what_it_has_kept() {
        let seconds = Duration::from_secs;
        let said = |overwritten, covered: Option<u64>, last: Option<u64>| {
            let found = Kept { overwritten, since_dump: false, covered: covered.map(seconds) };
            kept(found, last.map(seconds), seconds(60))
        };
        assert_eq!(said(0, None, None), " since it began");
        assert_eq!(said(0, None, Some(90)), " since it began");
        assert_eq!(said(0, None, Some(10)), " of the last 10 s");
        assert_eq!(said(7, Some(12), Some(10)), " of the last 10 s");
        assert_eq!(said(7, Some(12), None), " of the last 12 s on every CPU (7 older ones overwritten)");
        assert_eq!(said(7000, None, None), " (7,000 older ones overwritten)");
        let short = said(7, Some(5), Some(10));
        assert!(short.ends_with(", less than the 10 s asked for: `buffer` is too small"), "{short}");
    }

    #[test]
    fn cpus_that_lost_most_are_named() {
        assert_eq!(worst(&by_cpu(&[(0, 7), (3, 1)]), "cpu"), ["cpu 0: 7", "cpu 3: 1"]);
        let many: Vec<(u32, u64)> = (0..64).map(|cpu| (cpu, u64::from(cpu % 32) * 1000)).collect();
        let many = by_cpu(&many);
        let named = [28, 29, 30, 31, 60, 61, 62, 63].map(|cpu| format!("cpu {cpu}: {},000", cpu % 32));
        assert_eq!(worst(&many, "cpu"), [&named[..], &["and 56 more cpus".to_owned()]].concat());
        assert_eq!(worst(&many[..9], "event").last().map(String::as_str), Some("and 1 more event"));
    }

    #[test]
    fn losses_are_listed_by_cpu_and_by_event() {
        let (cpus, event) = ([(0, 7000), (1, 0), (3, 1)], "sched:sched_switch".to_owned());
        let listed = losses(&cpus, &[(event.clone(), 7001)], &[(event, 2)]);
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(
            lines,
            [
                "cpu 0: 7,000 records lost",
                "cpu 3: 1 record lost",
                "sched:sched_switch: 7,001 records lost",
                "sched:sched_switch: 2 records not seen while another program ran"
            ]
        );
    }

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
