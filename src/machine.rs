//! The runtime's typed errors as coded diagnostics, at the clause of the session that caused them.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use tracec_compiler::Diagnostic;
use tracec_compiler::check::OUTPUT_FORMS;
use tracec_compiler::diagnostic::codes::{self, refused::KernelWords};
use tracec_kernel::grouped::Grouped;
use tracec_kernel::plan::{Action, InstanceName, Output, Plan, Span, Transaction};
use tracec_kernel::tables::errno;
use tracec_runtime::record::Damaged;
use tracec_runtime::session::{
    ApplyError, Call, DumpCause, Failure, JournalError, JournalFileError, KernelMessage, RecoverError,
    Residue, RunError,
};
use tracec_runtime::sink::TRACE_DAT;
use tracec_runtime::tracefs::TracefsError;

/// Returns the diagnostic for a tracefs that cannot be used.
pub(crate) fn tracefs(error: &TracefsError) -> Diagnostic {
    let path = |path: &std::path::Path| path.display().to_string();
    match error {
        TracefsError::NotMounted => codes::no_tracefs::no_tracefs(),
        TracefsError::NoPermission { path: at } => codes::no_permission::no_permission(&path(at)),
        TracefsError::ReadOnly { path: at } => codes::read_only::read_only(&path(at)),
        TracefsError::LockedDown { path: at } => codes::locked_down::locked_down(&path(at)),
        TracefsError::NotATracefs { path: at } => codes::not_tracefs::not_tracefs(&path(at)),
        TracefsError::NotTheRoot { path: at, root } => {
            codes::not_tracefs::within_tracefs(&path(at), root.as_deref().map(path).as_deref())
        }
        TracefsError::NoMountTable { path: at } => codes::no_tracefs::no_mount_table(&path(at)),
        TracefsError::OutsideTracefs { .. } | TracefsError::NotText { .. } | TracefsError::Io { .. } => {
            codes::kernel_unreadable::kernel_unreadable(None, &error.to_string())
        }
    }
}

/// Returns the diagnostics for a session that failed.
pub(crate) fn run(error: &RunError, plan: &Plan) -> Vec<Diagnostic> {
    let first = match error {
        RunError::Apply { error, watch, .. } => {
            let of_watch = watch.and_then(|index| plan.watches.get(index));
            apply(error, of_watch.map_or(&plan.transaction, |watch| &watch.transaction))
        }
        RunError::Failed { failure, .. } => {
            let dumps = plan.watches.iter().filter_map(|watch| Some(&watch.dump()?.to));
            failed(failure, &plan.output.iter().chain(dumps).collect::<Vec<_>>())
        }
    };
    std::iter::once(first).chain(residue(error.residue())).collect()
}

/// Returns the diagnostic for a dump that could not be written.
pub(crate) fn dump(plan: &Plan, cause: DumpCause, path: &str, reason: &str) -> Diagnostic {
    let origin = match cause {
        DumpCause::Event(watch) => plan.watches.get(watch).map(|watch| watch.origin),
        DumpCause::Trigger => plan.life.snapshot,
        DumpCause::Client => None,
    };
    let name = origin.and_then(span_of);
    codes::output_failed::dump_failed(name, path, reason)
}

/// Returns a diagnostic for the things that could not be put back, if there are any.
pub(crate) fn residue(residue: &[Residue]) -> Option<Diagnostic> {
    (!residue.is_empty()).then(|| left(residue))
}

/// Returns the diagnostic for things that could not be put back.
pub(crate) fn left(residue: &[Residue]) -> Diagnostic {
    let lines: Vec<String> = residue.iter().map(Residue::to_string).collect();
    codes::residue::residue(&lines, residue.iter().any(Residue::is_open))
}

/// Returns the diagnostic for a recovery that failed.
pub(crate) fn recover(error: &RecoverError) -> Diagnostic {
    codes::system_call::system_call("recovery", &error.to_string())
}

fn apply(error: &ApplyError, transaction: &Transaction) -> Diagnostic {
    match error {
        ApplyError::Tracefs(error) => tracefs(error),
        ApplyError::Journal(error) => journal(error),
        ApplyError::InstanceTaken { name } => codes::instance_taken::instance_taken(name),
        ApplyError::ModuleTaken { module, .. } => codes::module_refused::module_taken(module),
        ApplyError::Refused { step, call: Call::Load, errno, .. } => {
            let module = match transaction.steps().get(*step).map(|step| &step.action) {
                Some(Action::Load { module, .. }) => module.as_str(),
                _ => "",
            };
            codes::module_refused::module_refused(module, &describe(errno.raw_os_error()))
        }
        ApplyError::Refused { call: Call::Register, errno, .. } => {
            let what =
                "the journals of other sessions, which may own a value of the machine, cannot be locked";
            codes::system_call::system_call(what, &describe(errno.raw_os_error()))
        }
        ApplyError::Refused { step, errno, kernel, .. } => {
            refused(transaction, *step, &describe(errno.raw_os_error()), kernel.as_ref())
        }
        ApplyError::ShortWrite { step, written, length, .. } => refused(
            transaction,
            *step,
            &format!("only {} of {} bytes were taken", Grouped(written), Grouped(length)),
            None,
        ),
        ApplyError::Signals { .. }
        | ApplyError::EventTaken { .. }
        | ApplyError::Abandoned { .. }
        | ApplyError::Unrestorable { .. } => {
            codes::system_call::system_call("the session could not be applied", &error.to_string())
        }
        ApplyError::ValueTaken { step, file, instance, value, .. } => {
            let span = transaction.steps().get(*step).and_then(|step| span_of(step.origin));
            codes::value_taken::value_taken(span, file, instance, value)
        }
        ApplyError::Scope { step, error, .. } => {
            let span = transaction.steps().get(*step).and_then(|step| span_of(step.origin));
            codes::no_such_task::no_such_task(span, &error.to_string())
        }
        ApplyError::OwnTasks { .. } => {
            codes::system_call::system_call("the session could not be applied", &error.to_string())
                .help("write `scope including tracec;` to record what tracec does too")
        }
    }
}

fn refused(
    transaction: &Transaction,
    step: usize,
    errno: &str,
    kernel: Option<&KernelMessage>,
) -> Diagnostic {
    let Some(step) = transaction.steps().get(step) else {
        return codes::system_call::system_call("the session could not be applied", errno);
    };
    let words = kernel.map(|message| KernelWords {
        text: message.text.clone(),
        command: message.command.clone(),
        caret: message.caret,
    });
    let (file, value) = match step.action.written() {
        None => (format!("instances/{}", transaction.instance()), ""),
        Some((file, value)) => (file.to_string(), value),
    };
    codes::refused::refused(span_of(step.origin), &file, value, errno, words.as_ref())
}

fn journal(error: &JournalError) -> Diagnostic {
    match error {
        JournalError::Taken { path } => {
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            match InstanceName::new(&name) {
                Ok(name) => codes::instance_taken::instance_taken(name.as_str()),
                Err(_) => codes::no_journal::no_journal(&path.display().to_string(), &error.to_string()),
            }
        }
        JournalError::File(JournalFileError::Io { path, errno }) => {
            codes::no_journal::no_journal(&path.display().to_string(), &describe(errno.raw_os_error()))
        }
        JournalError::File(JournalFileError::NoBootId { path, errno }) => {
            codes::no_journal::no_boot_id(&path.display().to_string(), &describe(errno.raw_os_error()))
        }
        JournalError::File(JournalFileError::Distrusted { path, reason }) => {
            codes::no_journal::no_journal(&path.display().to_string(), &reason.to_string())
        }
    }
}

fn failed(failure: &Failure, clauses: &[&Output]) -> Diagnostic {
    match failure {
        Failure::Command { program, source } => {
            codes::command_failed::command_failed(program, &source.to_string())
        }
        Failure::NoProcess { origin, .. } => {
            codes::no_such_task::no_process_to_end_with(span_of(*origin), &failure.to_string())
        }
        Failure::Output { output, source } => {
            let clause = clauses.iter().find(|clause| clause.path == *output);
            let span = clause.and_then(|clause| span_of(clause.origin));
            let reason = match source.kind() {
                ErrorKind::WouldBlock => "another session is writing it".to_owned(),
                _ => source.to_string(),
            };
            codes::output_failed::output_failed(span, output, &reason)
        }
        Failure::Full { output, source, records, files } => {
            let clause = clauses.iter().find(|clause| clause.path == *output);
            let span = clause.and_then(|clause| span_of(clause.origin));
            let ending = Path::new(output).extension().and_then(OsStr::to_str).unwrap_or_default();
            let of_pages = OUTPUT_FORMS.iter().find(|(form, _)| form.name() == TRACE_DAT.name);
            let is_recording = of_pages.is_some_and(|(_, endings)| endings.contains(&ending));
            codes::output_failed::output_full(
                span,
                output,
                &source.to_string(),
                (*records, *files),
                is_recording,
            )
        }
        Failure::Programs { origin, reason, log, is_probe } => {
            codes::program_refused::program_refused(origin.and_then(span_of), reason, log, *is_probe)
        }
        Failure::Page { .. }
        | Failure::Layout { .. }
        | Failure::HiddenField { .. }
        | Failure::Selection(_) => codes::damaged_record::damaged_record(&failure.to_string()),
        Failure::OtherLayout { event, origin, source } => {
            codes::other_layout::other_layout(span_of(*origin), event, &source.to_string())
        }
        Failure::Tracefs(error) => tracefs(error),
        Failure::Read { .. } | Failure::Control { .. } | Failure::System { .. } | Failure::NothingRecords => {
            codes::system_call::system_call("the session failed", &failure.to_string())
        }
    }
}

/// Returns the error for pages of a ring that could not be read, and says what happened with the others.
pub(crate) fn damaged(Damaged { cpu, pages, first }: &Damaged, others: &str) -> Diagnostic {
    let which = match pages {
        1 => format!("a page of cpu {cpu} is damaged: {first}"),
        pages => format!("{} pages of cpu {cpu} are damaged, the first: {first}", Grouped(*pages)),
    };
    codes::damaged_record::damaged_record(&which).note(format!("their records are lost; {others}"))
}

/// Returns the span of a clause; a plan that was made elsewhere has no text.
pub(crate) fn span_of(origin: Span) -> Option<Span> {
    (origin.end > 0).then_some(origin)
}

/// Describes an error number: `EINVAL: The value is not valid here.`
fn describe(number: i32) -> String {
    match errno::of(number) {
        Some(errno) => format!("{}: {}", errno.name, errno.doc.trim_end_matches('.')),
        None => std::io::Error::from_raw_os_error(number).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use tracec_runtime::session::Cause;

    use super::*;

    #[test]
    fn residue_is_a_diagnostic_with_all_paths() {
        assert_eq!(residue(&[]), None);
        let left = |name: &str| Residue { path: name.into(), cause: Cause::System(rustix::io::Errno::BUSY) };
        let reported = residue(&[left("/instances/a"), left("/run/b")]).expect("a diagnostic");
        assert_eq!((reported.code.id, reported.notes.len()), ("T0511", 2));
        assert!(reported.notes[1].starts_with("/run/b is left behind"), "{reported:?}");
    }

    #[test]
    fn other_layout_is_a_diagnostic_at_the_condition() {
        let source = tracec_kernel::condition::rebind::RebindError::Missing { field: "x".to_owned() };
        let failure =
            |origin| Failure::OtherLayout { event: "a:b".to_owned(), origin, source: source.clone() };
        for (origin, span) in [(Span::new(2, 5), Some(Span::new(2, 5))), (Span::default(), None)] {
            let said = failed(&failure(origin), &[]);
            assert_eq!((said.code.id, said.primary.map(|label| label.span)), ("T0406", span));
        }
    }

    #[test]
    fn refused_program_is_a_diagnostic_at_its_clause() {
        let log: Vec<String> = (0..40).map(|line| format!("line {line}")).collect();
        let (origin, reason) = (Some(Span::new(2, 5)), "refused".to_owned());
        let failure = Failure::Programs { origin, reason, log, is_probe: false };
        let said = failed(&failure, &[]);
        let span = said.primary.map(|label| label.span);
        assert_eq!((said.code.id, span), ("T0525", Some(Span::new(2, 5))));
        assert!(
            said.notes[0].ends_with("line 38\nline 39") && !said.notes[0].contains("line 9\n"),
            "{:?}",
            said.notes
        );
    }

    #[test]
    fn refused_system_call_is_a_diagnostic() {
        let error = JournalFileError::Io { path: "/run/x".into(), errno: rustix::io::Errno::NOTDIR };
        let reported = recover(&error.into());
        assert_eq!((reported.code.id, reported.message.contains("/run/x: Not a directory")), ("T0517", true));
    }
}
