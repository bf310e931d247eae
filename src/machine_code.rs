//! Machine code for the conditions that the host decides.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use tracec_compiler::target::host::Code;
use tracec_kernel::selection::PageFilter;
use tracec_runtime::record::{CodeTask, CompileFilter};

/// Returns what makes machine code of the conditions of a session or a report.
pub fn compiler() -> CompileFilter {
    Arc::new(|selection| match Code::new(selection) {
        Ok(code) => Ok(Box::new(code) as Box<dyn PageFilter>),
        Err(error) => Err(error.to_string()),
    })
}

/// Makes the code of a filter in a thread of its own; the evaluator decides until then. Returns what receives the reason
/// if there is none.
pub fn in_background(task: CodeTask) -> Receiver<String> {
    let (said, reason) = channel();
    let failed = said.clone();
    let thread = thread::Builder::new().name("tracec-compile".to_owned()).spawn(move || {
        if let Err(reason) = task.run(&compiler()) {
            // Nobody asks any more where the program is about to end.
            let _ = said.send(reason);
        }
    });
    if let Err(error) = thread {
        let _ = failed.send(format!("the thread that makes it cannot be started: {error}"));
    }
    reason
}

/// Makes the code of a filter before it returns. Returns what receives the reason if there is none.
pub fn at_once(task: CodeTask) -> Receiver<String> {
    let (said, reason) = channel();
    if let Err(reason) = task.run(&compiler()) {
        // The receiver is returned below.
        let _ = said.send(reason);
    }
    reason
}

/// Returns the line that says why there is no machine code.
pub fn without_code(reason: &str) -> String {
    format!("tracec: conditions are evaluated without machine code: {reason}\n")
}
