//! The records of a recording that the options of `report` ask for, beside the conditions of a text.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, Condition, Number};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::EventFormat;
use tracec_kernel::nearest::nearest;
use tracec_kernel::selection::{Numbered, SelectedEvent};
use tracec_runtime::record::TraceDat;

use crate::cli::Selection;
use crate::commands::{Failure, recording};

/// The name by which the buffer of the top level, which has none, is asked for.
const TOP: &str = "top";

/// Leaves the pages out of which no record is asked for, and sets the time. Returns what there is to say of a time without
/// records.
pub(super) fn narrow(
    (file, trace): (&Path, &mut TraceDat<File>),
    selection: &Selection,
) -> Result<Option<String>, Failure> {
    let times = (selection.from.as_ref(), selection.to.as_ref());
    let range = recording::range((file, trace), times.0, times.1)?;
    let outside = recording::outside((file, trace), range, times);
    trace.set_period(range.from..=range.to);
    if !selection.buffers.is_empty() {
        let names: Vec<&str> = trace.buffers.iter().map(|buffer| shown(&buffer.name)).collect();
        for wanted in &selection.buffers {
            known_buffer(wanted, &names)?;
        }
        let keep: Vec<bool> = names.iter().map(|name| selection.buffers.iter().any(|n| n == name)).collect();
        let mut keep = keep.into_iter();
        trace.buffers.retain(|_| keep.next().unwrap_or(true));
    }
    if let Some(list) = &selection.cpus {
        let wanted = cpus(list)?;
        let known: Vec<u32> =
            trace.buffers.iter().flat_map(|buffer| &buffer.cpus).map(|data| data.cpu).collect();
        for (first, last) in &wanted {
            if !known.iter().any(|cpu| (*first..=*last).contains(cpu)) {
                let name = if first == last { first.to_string() } else { format!("{first}-{last}") };
                let known: BTreeSet<u32> = known.into_iter().collect();
                let known: Vec<String> = known.iter().map(u32::to_string).collect();
                return Err(Failure::Usage(format!(
                    "the recording has no cpu `{name}` with records, but {}",
                    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
                )));
            }
        }
        for buffer in &mut trace.buffers {
            buffer
                .cpus
                .retain(|data| wanted.iter().any(|(first, last)| (*first..=*last).contains(&data.cpu)));
        }
    }
    Ok(outside)
}

/// Returns the name in the file of a buffer that is asked for.
pub(in crate::commands) fn buffer(trace: &TraceDat<File>, wanted: &str) -> Result<String, Failure> {
    let names: Vec<&str> = trace.buffers.iter().map(|buffer| shown(&buffer.name)).collect();
    known_buffer(shown(wanted), &names)?;
    let is_named = trace.buffers.iter().any(|buffer| buffer.name == wanted);
    Ok(if is_named { wanted.to_owned() } else { String::new() })
}

/// Refuses a buffer that is not among those of a recording.
fn known_buffer(wanted: &str, names: &[&str]) -> Result<(), Failure> {
    if names.contains(&wanted) {
        return Ok(());
    }
    Err(match (nearest(wanted, names.iter().copied(), 1).as_slice(), names) {
        (_, []) => Failure::Usage(format!("the recording has no buffer `{wanted}`, and no other")),
        ([], _) => {
            Failure::Usage(format!("the recording has no buffer `{wanted}`, but `{}`", names.join("`, `")))
        }
        _ => unknown("buffer", wanted, names.iter().copied()),
    })
}

/// Returns the events that the options ask for, each with its condition; `None` if they ask for all. `events` are those of
/// a text.
pub(super) fn events(
    trace: &TraceDat<File>,
    selection: &Selection,
    events: Option<Vec<SelectedEvent>>,
) -> Result<Option<Vec<SelectedEvent>>, Failure> {
    if selection.events.is_empty() && selection.tasks.is_empty() {
        return Ok(events);
    }
    let mut chosen = events.unwrap_or_else(|| trace.formats.iter().map(all_of).collect());
    if !selection.events.is_empty() {
        let globs: Vec<Glob> = selection.events.iter().map(|text| glob(text)).collect::<Result<_, _>>()?;
        for (glob, text) in globs.iter().zip(&selection.events) {
            if !trace.formats.iter().any(|format| is_named(glob, format)) {
                if let Some((first, rest)) = text.split_once(',') {
                    return Err(Failure::Usage(format!(
                        "`--event {text}` is one name; each has an option of its own: `--event {first} --event {}`",
                        rest.replace(',', " --event ")
                    )));
                }
                let names = trace.formats.iter().map(EventFormat::qualified_name);
                let names: Vec<String> =
                    names.chain(trace.formats.iter().map(|f| f.name.to_string())).collect();
                return Err(unknown("event", text, names.iter().map(String::as_str)));
            }
        }
        chosen.retain(|event| globs.iter().any(|glob| is_named(glob, &event.format)));
    }
    if !selection.tasks.is_empty() {
        let tasks = tasks(trace, &selection.tasks)?;
        for event in &mut chosen {
            let Some(pid) = event.format.field("common_pid").cloned() else { continue };
            for numbered in &mut event.conditions {
                let own = Condition::Atom(Atom::In { of: Number::Field(pid.clone()), ranges: tasks.clone() });
                let condition = std::mem::replace(&mut numbered.condition, Condition::Const(true));
                numbered.condition = match condition {
                    Condition::Const(true) => own,
                    condition => Condition::all(vec![own, condition]),
                };
            }
        }
    }
    Ok(Some(chosen))
}

fn all_of(format: &EventFormat) -> SelectedEvent {
    let conditions = vec![Numbered { number: 0, condition: Condition::Const(true) }];
    SelectedEvent { format: format.clone(), conditions }
}

fn is_named(glob: &Glob, format: &EventFormat) -> bool {
    glob.matches(format.name.as_bytes()) || glob.matches(format.qualified_name().as_bytes())
}

pub(super) fn glob(text: &str) -> Result<Glob, Failure> {
    Glob::parse(text).map_err(|error| Failure::Usage(format!("`--event {text}`: {error}")))
}

/// Returns the ids of threads. A name may be that of several.
fn tasks(trace: &TraceDat<File>, wanted: &[String]) -> Result<Ranges, Failure> {
    let mut ids: Vec<i128> = Vec::new();
    let known = trace.tasks();
    for wanted in wanted {
        let named = || known.iter().filter(|(_, name)| name == wanted).map(|(pid, _)| i128::from(*pid));
        match wanted.parse::<u32>() {
            Ok(pid) => ids.push(pid.into()),
            Err(_) if wanted == "<idle>" => ids.push(0),
            Err(_) if named().next().is_none() => {
                // As records are printed.
                if let Some((name, pid)) = wanted.rsplit_once('-')
                    && pid.parse::<u32>().is_ok()
                {
                    let is_known = known.iter().any(|(_, known)| known == name);
                    let by_name =
                        if is_known { format!(", or by its name: `--task {name}`") } else { String::new() };
                    return Err(Failure::Usage(format!(
                        "the recording has no task `{wanted}`; a thread is given by its id: `--task {pid}`{by_name}"
                    )));
                }
                return Err(unknown("task", wanted, known.iter().map(|(_, name)| name.as_str())));
            }
            Err(_) => ids.extend(named()),
        }
    }
    Ok(Ranges::new(ids.into_iter().map(|pid| (pid, pid))))
}

fn shown(buffer: &str) -> &str {
    if buffer.is_empty() { TOP } else { buffer }
}

fn unknown<'a>(what: &str, wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Failure {
    let near = nearest(wanted, names, 3);
    let mut near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    near.dedup();
    let help = match near.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", near.join(", ")),
    };
    Failure::Usage(format!("the recording has no {what} `{wanted}`{help}"))
}

/// Reads a list of CPUs and ranges.
pub(super) fn cpus(list: &str) -> Result<Vec<(u32, u32)>, Failure> {
    let read = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some((first, last))
    };
    let ranges: Option<Vec<(u32, u32)>> = list.split(',').map(read).collect();
    ranges.ok_or_else(|| Failure::Usage(format!("`--cpu {list}` is not a list of CPUs such as `0,2-3`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_a_list_of_ranges() {
        assert_eq!(cpus("0,2-3").ok(), Some(vec![(0, 0), (2, 3)]));
        for wrong in ["", "a", "3-2", "1,", "1-2-3"] {
            assert!(cpus(wrong).is_err(), "{wrong}");
        }
    }
}
