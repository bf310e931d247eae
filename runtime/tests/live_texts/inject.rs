//! Records that a test writes itself, by the file `inject` of an event (CONFIG_TRACE_EVENT_INJECT).

use std::fs::OpenOptions;
use std::io::Write;

use libtest_mimic::Failed;
use tracec_kernel::format::{EventFormat, Field};

use crate::instance::Instance;
use crate::recording::Events;

/// Returns whether the kernel can.
pub(crate) fn is_possible(instance: &Instance) -> bool {
    instance.file("events/sched/sched_switch/inject").exists()
}

/// Writes two records of every event except those of system calls, whose text needs a call that was made: one whose fields
/// are all zero and empty, and one whose integers are not. Returns their qualified names.
pub(crate) fn every_event(instance: &Instance, events: &Events) -> Result<Vec<String>, Failed> {
    let mut injected = Vec::new();
    for (system, events) in events.systems.iter().filter(|(system, _)| is_injected(system)) {
        for (event, format) in events {
            let path = instance.file(&format!("events/{system}/{event}/inject"));
            // Events of tracers, and some others, cannot be written.
            let Ok(mut file) = OpenOptions::new().write(true).open(&path) else { continue };
            let failed = |error| Failed::from(format!("{}: {error}", path.display()));
            file.write_all(b"\n").map_err(failed)?;
            let format = EventFormat::parse(system, std::str::from_utf8(format)?)?;
            let values = values(&format);
            if !values.is_empty() {
                file.write_all(values.as_bytes()).map_err(failed)?;
            }
            injected.push(format.qualified_name());
        }
    }
    Ok(injected)
}

/// Returns whether the records of a system are written here.
pub(crate) fn is_injected(system: &str) -> bool {
    system != "ftrace" && system != "syscalls"
}

/// Parts of the names of fields that count elements or bytes.
const COUNTS: &[&str] = &["len", "size", "count", "num", "nr", "cnt", "bytes"];

/// Returns the values of an event's integers. Addresses stay zero: the kernel follows some of them when it prints. So do
/// numbers of elements and of bytes: it would read on behind the record.
fn values(format: &EventFormat) -> String {
    let is_chosen = |field: &&Field| {
        let is_count = COUNTS.iter().any(|part| field.name.contains(part));
        field.integer().is_some() && !field.is_pointer() && !is_count
    };
    let fields = format.own_fields().iter().filter(is_chosen);
    let values: Vec<String> =
        fields.enumerate().map(|(index, field)| format!("{}={}", field.name, index % 7 + 1)).collect();
    values.join(" ")
}
