//! Conditions on `sched:sched_switch` as the compiler reads them.

use std::io;
use std::path::Path;

use tracec::{Input, KernelDirectory, SourceText};
use tracec_kernel::condition::ir::Condition;

use crate::recording::Records;

/// Conditions as texts, for the records' event.
pub(crate) struct Language {
    kernel: KernelDirectory,
}

impl Language {
    /// Writes a kernel that has the one event.
    pub(crate) fn new(scratch: &Path, records: &Records) -> io::Result<Language> {
        let kernel = scratch.join("kernel");
        let event = kernel.join("events/sched/sched_switch");
        std::fs::create_dir_all(&event)?;
        std::fs::write(event.join("format"), records.format_file())?;
        Ok(Language { kernel: KernelDirectory(kernel) })
    }

    /// Returns a condition as the compiler reads and simplifies it.
    pub(crate) fn condition(&self, text: &str) -> io::Result<Condition> {
        let text = format!("sched:sched_switch if {text}");
        let source = SourceText { name: "-e".to_owned(), text, one_liner: true };
        let analysis =
            tracec_compiler::analyse(Input::new(&source, &self.kernel), tracec_compiler::Choice::One(None));
        let session = analysis.module.sessions.first();
        let Some(recording) = session.and_then(|session| session.events.first()?.record.as_ref()) else {
            let mistakes: Vec<_> = analysis.diagnostics.iter().map(|mistake| &mistake.message).collect();
            return Err(io::Error::other(format!("{}: {mistakes:?}", source.text)));
        };
        let conjuncts =
            analysis.module.conditions[recording.filter].iter().map(|conjunct| conjunct.value.clone());
        Ok(Condition::all(conjuncts.collect()))
    }
}
