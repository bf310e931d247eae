//! Time stamps of every clock have the form and the value that the kernel prints.

use std::path::Path;

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, TIMEOUT, finish};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![bench.trial("clocks: time stamps are those that the kernel prints", every_clock)]
}

fn every_clock(bench: &Bench) -> Result<(), Failed> {
    let instance = bench.tracefs.join("instances/tracec-clocks");
    std::fs::create_dir(&instance)?;
    let compared =
        std::fs::read_to_string(instance.join("trace_clock")).map_err(Failed::from).and_then(|clocks| {
            clocks
                .split_whitespace()
                .try_for_each(|name| one(bench, &instance, name.trim_matches(['[', ']'])))
        });
    std::fs::remove_dir(&instance)?;
    compared
}

/// Takes the kernel's text of a marker before and after a session of the same clock.
fn one(bench: &Bench, instance: &Path, clock: &str) -> Result<(), Failed> {
    std::fs::write(instance.join("trace_clock"), clock)?;
    let before = stamp_of_marker(instance)?;
    let mut command = bench.tracec("run");
    command.args(["-e", &format!("trace sched:sched_process_exec; clock {clock};"), "--", "true"]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?;
    let after = stamp_of_marker(instance)?;
    let line = finished.stdout.lines().next().ok_or_else(|| format!("{clock}: no record\n{finished}"))?;
    let shown = stamp(line).ok_or_else(|| format!("{clock}: no time stamp in `{line}`"))?;
    let has_form = |text: &str| text.contains('.') == before.contains('.');
    let value = |text: &str| text.parse::<f64>().map_err(|error| format!("{clock}: `{text}`: {error}"));
    // The counter may have grown by events of other buffers, and clocks of each CPU differ a little.
    let tolerance = if before.contains('.') { 0.1 } else { 0.0 };
    let (first, shown_value, last) = (value(&before)?, value(&shown)?, value(&after)?);
    let is_between = first - tolerance <= shown_value && shown_value <= last + tolerance;
    if has_form(&shown) && has_form(&after) && is_between {
        Ok(())
    } else {
        Err(format!("{clock}: {shown} is not between the kernel's {before} and {after}").into())
    }
}

/// Writes a marker, and returns its time stamp as the kernel prints it.
fn stamp_of_marker(instance: &Path) -> Result<String, Failed> {
    std::fs::write(instance.join("trace_marker"), "tracec-clocks")?;
    let trace = std::fs::read_to_string(instance.join("trace"))?;
    let line = trace.lines().rfind(|line| line.contains("tracec-clocks")).ok_or("the marker is missing")?;
    Ok(stamp(line).ok_or_else(|| format!("no time stamp in `{line}`"))?)
}

/// Returns the time stamp of a line: the first word behind the CPU that a colon ends.
fn stamp(line: &str) -> Option<String> {
    let (_, behind) = line.split_once("] ")?;
    let word = behind.split_whitespace().find_map(|word| word.strip_suffix(':'))?;
    Some(word.to_owned())
}
