//! A POSIX shell file that applies the session on a machine without tracec.
//!
//! The file has two parts. The first is generated here: the session's settings and one call for each step of its plan.
//! The second, `body.sh`, is the same in every script: it applies the steps, streams the records, and undoes everything
//! at the end, after an error, after a signal, and, from a state file, after SIGKILL. It runs in dash and in busybox
//! ash, and needs only the programs of busybox.
//!
//! The records are the lines of `trace_pipe`. Therefore a condition of the host is unsupported, and so is an output in
//! another form than text. What depends on the steps of the plan is refused when the script is built: a value that one
//! write cannot hold, and a change of a shared file.

mod text;

use tracec_kernel::plan::{Action, Location, Plan};

use super::{Builder, Built, File, Request};
use crate::diagnostic::{Diagnostic, codes};
use crate::place::{Engines, InKernel};
use crate::plan::{With, plan};
use crate::validate::{Capabilities, Clause, ClauseSupport, Supported, Validated};

/// The target `script`. See the [module](self).
pub(super) struct Script;

impl Capabilities for Script {
    const NAME: &'static str = "script";

    // The records are lines of text before a program sees them.
    const ENGINES: Engines = Engines { kernel: Some(InKernel::Filter), host: false };

    const CLAUSES: Supported = Supported::new(&[
        (
            ClauseSupport::Yes,
            &[
                Clause::Record,
                Clause::TriggerTracing,
                Clause::TriggerStacktrace,
                Clause::TriggerEvent,
                Clause::Buffer,
                Clause::Subbuffer,
                Clause::Clock,
                Clause::RecorderTracefs,
                Clause::Option,
                Clause::ScopeConditions,
                Clause::Instance,
                Clause::IncludingTracec,
                Clause::StopAfter,
                Clause::StopWithCommand,
                Clause::OutputText,
            ],
        ),
        (
            ClauseSupport::Instead("name a file that ends in `.txt`, or run the session with `tracec run`"),
            &[Clause::OutputJsonLines, Clause::OutputTraceDat],
        ),
        (
            ClauseSupport::Instead("leave it out, or run the session with `tracec run`"),
            &[Clause::Queue, Clause::Rotate, Clause::Print, Clause::Drop, Clause::Redact],
        ),
        (
            ClauseSupport::No,
            &[
                // The body of the script has no reader of the snapshot buffer.
                Clause::TriggerSnapshot,
                Clause::SnapshotBesideDump,
                Clause::TriggerBesideProgram,
                Clause::DefinedTracepoint,
                Clause::DefinedProbe,
                Clause::DefinedProbeBesideProgram,
                Clause::RecorderPrograms,
                Clause::ScopeTasks,
                Clause::ScopeOfBoth,
                Clause::ScopeCgroup,
                Clause::TriggerWithoutChildren,
                Clause::NewTasksWithoutChildren,
                Clause::TraceDatWithoutChildren,
                Clause::Global,
                Clause::Ring,
                Clause::TimeWithoutNanoseconds,
                Clause::RingOfOldest,
                Clause::StartPaused,
                Clause::Marker,
                Clause::MarkerWhilePaused,
                Clause::StopOnEvent,
                Clause::Keep,
                Clause::Dump,
                Clause::DumpWithoutChildren,
                Clause::KeepBesideDump,
                Clause::StopOnSignal,
                Clause::StopWithProcess,
            ],
        ),
    ]);
}

impl Builder for Script {
    const ABOUT: &'static str =
        "a POSIX shell file that applies the session where there is no tracec, and undoes it";

    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built {
        let plan = plan(session, With::of(request.instance), request.kernel, request.sources)?;
        let refusals = refusals(&plan);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let content = text::script(&plan, request.sources, &text::kernel(request.kernel)).into_bytes();
        Ok(vec![File { name: format!("{}.sh", session.file_stem()), content, executable: true }])
    }
}

/// The length of the longest value that the kernel accepts in one `write(2)` (`event_filter_write` in
/// kernel/trace/trace_events.c), and that `body.sh` writes by one.
const LONGEST_VALUE: usize = 4095;

/// Returns a diagnostic for each step of a plan that a shell script cannot take. Which steps a session has is not known
/// from its clauses alone.
fn refusals(plan: &Plan) -> Vec<Diagnostic> {
    let mut refusals = Vec::new();
    for step in plan.transaction.steps() {
        let Some((file, value)) = step.action.written() else { continue };
        let what = match file {
            _ if matches!(step.action, Action::Define(_)) => "a definition of an event",
            Location::Top(_) | Location::Sysctl(_) => "a write to a shared file",
            _ if step.action == Action::LeaveOut => continue,
            _ if matches!(step.action, Action::Scope(_)) => "a scope of tasks",
            _ if value.is_empty() => "a write of an empty value",
            _ if value.len() > LONGEST_VALUE => "a write of more than 4,095 bytes",
            _ if value.contains('\0') => "a write of a NUL",
            Location::Instance(_) => continue,
        };
        let instead = "run the session with `tracec run`";
        refusals.push(codes::not_by_target::not_by_target(step.origin, what, Script::NAME, instead));
    }
    refusals
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tracec_kernel::plan::{
        Definition, FilePath, InstanceName, Life, PlanVersion, Reading, Span, Step, Sysctl, Transaction,
    };

    use super::*;
    use crate::source::SourceMap;

    pub(super) fn plan(steps: Vec<Step>) -> Plan {
        let steps = [vec![Step::create(Span::default())], steps].concat();
        Plan {
            version: PlanVersion,
            session: "s".to_owned(),
            kernel: String::new(),
            files: Vec::new(),
            transaction: Transaction::new(InstanceName::new("tracec.s").unwrap(), steps).unwrap(),
            reading: Reading::default(),
            programs: None,
            left_out: Vec::new(),
            life: Life::default(),
            watches: Vec::new(),
            output: None,
        }
    }

    pub(super) fn write(file: &str, value: &str) -> Step {
        Step::write(Location::Instance(FilePath::new(file).unwrap()), value, Span::new(2, 5))
    }

    fn said(plan: &Plan) -> Vec<String> {
        refusals(plan).into_iter().map(|said| format!("{} {}", said.code.id, said.message)).collect()
    }

    #[test]
    fn value_that_one_write_cannot_hold_is_refused() {
        let fits = "x".repeat(LONGEST_VALUE);
        assert!(said(&plan(vec![write("events/a/b/filter", &fits)])).is_empty());
        for value in [format!("{fits}x"), String::new(), "a\0b".to_owned()] {
            let found = refusals(&plan(vec![write("events/a/b/filter", &value)]));
            assert_eq!(found.len(), 1);
            let place = found[0].primary.as_ref().map(|label| label.span);
            assert_eq!((found[0].code.id, place), ("T0408", Some(Span::new(2, 5))));
        }
    }

    #[test]
    fn change_of_a_shared_file_is_refused() {
        let top = Location::Top(FilePath::new("buffer_percent").unwrap());
        let sysctl = Location::Sysctl(Sysctl::new("traceoff_on_warning").unwrap());
        let shared = [top, sysctl].map(|file| Step::write(file, "0", Span::new(2, 5)));
        assert_eq!(said(&plan(shared.to_vec())).len(), 2);
        let definition = Definition::new("p:tracec_x/e f").unwrap();
        assert_eq!(said(&plan(vec![Step::define(definition, Span::new(2, 5))])).len(), 1);
        assert_eq!(said(&plan(vec![write("tracing_on", "1")])), Vec::<String>::new());
    }

    #[test]
    fn same_plan_yields_same_script() {
        let mut plan = plan(vec![write("tracing_on", "0"), write("tracing_on", "1")]);
        plan.life.stop_after = Some(Duration::from_millis(300));
        let sources = SourceMap::default();
        let script = text::script(&plan, &sources, "a kernel");
        assert_eq!(script, text::script(&plan, &sources, "a kernel"));
        assert!(script.contains("\nafter='0.3'\nafter_whole='1'\n"), "{script}");
    }
}
