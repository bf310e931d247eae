//! Counts the records of a recording for which conditions hold: `cargo run --example predicates -- trace.dat`.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use tracec::{Predicate, PredicateSet};
use tracec_runtime::record::TraceDat;

fn main() -> ExitCode {
    match count() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn count() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a trace.dat")?;
    let trace = TraceDat::open(Path::new(&path))?;
    let switch = trace.formats.iter().find(|format| format.qualified_name() == "sched:sched_switch");
    let switch = switch.ok_or("sched:sched_switch was not recorded")?;
    let texts = ["prev_state == 0", "next_comm ~ \"kworker*\" && next_prio < 120"];
    let predicates =
        texts.iter().map(|text| Predicate::compile(text, switch)).collect::<Result<Vec<_>, _>>()?;
    let set = PredicateSet::new(&trace.layout, &predicates)?;

    let (file, mut selected, mut records) = (std::fs::read(&path)?, Vec::new(), 0);
    for data in trace.buffers.iter().flat_map(|buffer| &buffer.cpus) {
        // Of a truncated file there is less than it says.
        let (start, end) = (data.offset as usize, data.offset.saturating_add(data.size) as usize);
        let pages = file.get(start..end).ok_or("the file ends within the pages of a CPU")?;
        for page in pages.chunks(trace.layout.size as usize) {
            records += set.select(page, data.cpu, &mut selected)?;
        }
    }
    for (number, text) in (0..).zip(texts) {
        let count = selected.iter().filter(|selected| selected.condition == number).count();
        println!("{count} of {records} records: {text}");
    }
    Ok(())
}
