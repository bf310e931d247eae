//! Reads all that a profile stores from a running kernel.
//!
//! Almost everything is read from files; `attempt` tries the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tracec_compiler::source::cpu_numbers;
use tracec_kernel::profile::{Contents, EventText, Facts};
use tracec_kernel::tables::features::{self, Evidence, Found};
use tracec_runtime::tracefs::{DirectoryEntry, Tracefs, TracefsError};

use super::attempt::{self, Instance};
use super::evidence::{self, Tree};

pub use super::attempt::InstanceLeft;

/// Options for saving a kernel.
#[derive(Clone, Debug)]
pub struct SaveOptions {
    /// Whether to save the kernel's BTF.
    pub btf: bool,
    /// Whether to save the names of its functions.
    pub functions: bool,
    /// The origin of the kernel, stored in the profile.
    pub origin: Option<String>,
    /// Whether an instance may be created to find out what only an instance shows.
    pub may_write: bool,
    /// The directory of the journal of that instance.
    pub runtime_dir: PathBuf,
}

/// The result of saving a kernel.
#[derive(Debug)]
pub struct Saved {
    /// The contents of a profile.
    pub contents: Contents,
    /// The parts that could not be read, one sentence each.
    pub left_out: Vec<String>,
}

/// Reads the running kernel through its tracefs.
///
/// # Errors
/// [`TracefsError`] if a part that every profile needs cannot be read, or if an instance could not be removed.
pub fn save(tracefs: &Tracefs, options: &SaveOptions) -> Result<Saved, SaveError> {
    let mut left_out = Vec::new();
    let events = events(tracefs)?;
    let instance = match options.may_write {
        true => attempt::instance(tracefs, &options.runtime_dir)?,
        false => Err(features::NOT_TRIED.to_owned()),
    };
    let filters = match options.may_write {
        true => attempt::filters(tracefs, &events, &options.runtime_dir)?,
        false => BTreeMap::new(),
    };
    let readme = evidence::readme(tracefs);
    let facts = facts(tracefs, &events, &instance, &readme, filters, options)?;
    if let Err(reason) = &instance
        && options.may_write
    {
        left_out.push(format!("what only an instance shows is unknown: {reason}"));
    }
    let functions = match options.functions {
        true => {
            function_names(tracefs).map_err(|why| left_out.push(format!("no names of functions: {why}"))).ok()
        }
        false => None,
    };
    let btf = match options.btf {
        true => evidence::btf().map_err(|why| left_out.push(format!("no BTF: {why}"))).ok(),
        false => None,
    };
    Ok(Saved { contents: Contents { facts, events, readme: readme.ok(), functions, btf }, left_out })
}

/// The reason why a kernel cannot be saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// A part that every profile needs cannot be read.
    #[error(transparent)]
    Tracefs(#[from] TracefsError),
    /// A file of the kernel has an unexpected format.
    #[error("{0}")]
    Unreadable(String),
    /// The instance that was created could not be removed.
    #[error(transparent)]
    Left(#[from] InstanceLeft),
}

fn facts(
    tracefs: &Tracefs,
    events: &[EventText],
    instance: &Found<Instance>,
    readme: &Found<String>,
    filters: BTreeMap<String, Found<bool>>,
    options: &SaveOptions,
) -> Result<Facts, SaveError> {
    let sorted = |names: Found<BTreeSet<String>>| names.map(|names| names.into_iter().collect::<Vec<_>>());
    let unreadable = SaveError::Unreadable;
    let files = evidence::names(tracefs, "", false).map_err(unreadable)?;
    let trace_options = evidence::names(tracefs, "options", false).map_err(unreadable)?;
    let triggers = evidence::triggers(tracefs);
    let cpus = evidence::names(tracefs, "per_cpu", true).map_err(unreadable)?;
    let evidence = Evidence {
        files: Ok(files.clone()),
        event_files: Ok(events.iter().flat_map(|event| event.files.iter().cloned()).collect()),
        systems: Ok(events.iter().map(|event| event.system.clone()).collect()),
        tracers: evidence::words(tracefs, "available_tracers"),
        instance_tracers: instance
            .as_ref()
            .map(|i| i.tracers.iter().cloned().collect())
            .map_err(Clone::clone),
        triggers: triggers.clone().map(|names| names.into_iter().collect()),
        options: Ok(trace_options.clone()),
        readme: readme.clone(),
        functions: tracefs.functions(),
        btf: tracefs.btf(),
        filters,
    };
    let uname = rustix::system::uname();
    let arch = uname.machine().to_string_lossy().into_owned();
    Ok(Facts {
        release: uname.release().to_string_lossy().into_owned(),
        version: uname.version().to_string_lossy().into_owned(),
        syscall_arch: arch.clone(),
        arch,
        origin: options.origin.clone(),
        page_size: u32::try_from(rustix::param::page_size()).unwrap_or(u32::MAX),
        little_endian: cfg!(target_endian = "little"),
        cpus_possible: cpu_numbers(cpus.iter().map(String::as_str)).unwrap_or(0),
        features: features::ALL
            .iter()
            .map(|feature| (feature.name.to_owned(), features::probe(feature, &evidence)))
            .collect(),
        files: files.into_iter().collect(),
        instance_files: instance.as_ref().ok().map(|instance| instance.files.clone()),
        cpu_files: sorted(evidence::names(tracefs, "per_cpu/cpu0", false)).map_err(unreadable)?,
        triggers: triggers.unwrap_or_default(),
        options: trace_options.into_iter().collect(),
        instance_options: instance.as_ref().ok().map(|instance| instance.options.clone()),
        clocks: list(tracefs, "trace_clock")?,
        tracers: list(tracefs, "available_tracers")?,
        instance_tracers: instance.as_ref().ok().map(|instance| instance.tracers.clone()),
        header_page: tracefs.text("events/header_page").map_err(unreadable)?,
        header_event: tracefs.text("events/header_event").map_err(unreadable)?,
    })
}

/// Returns the words of a file in the kernel's order, without the brackets around the chosen one.
fn list(tracefs: &Tracefs, path: &str) -> Result<Vec<String>, SaveError> {
    let text = tracefs.read_to_string(path)?;
    Ok(text.split_whitespace().map(|word| word.trim_matches(['[', ']']).to_owned()).collect())
}

/// Returns all events except dynamically defined ones: they are state, and may not exist when the profile is used.
///
/// Others may define and remove events meanwhile. One that was defined after the list was read is in the list that is
/// read at the end, or is not among the events any more after that.
fn events(tracefs: &Tracefs) -> Result<Vec<EventText>, SaveError> {
    let mut events = Vec::new();
    for (system, name) in event_names(tracefs)? {
        let directory = format!("events/{system}/{name}");
        let files = entries(tracefs, &directory)?.into_iter().filter(|entry| !entry.is_directory);
        let files = files.map(|entry| entry.name).collect();
        let format = match tracefs.read_to_string(&format!("{directory}/format")) {
            // A module was unloaded, or a probe removed, since the directory was listed.
            Err(error) if error.is_not_found() => continue,
            format => format?,
        };
        events.push(EventText { system, name, files, format });
    }
    let names: BTreeSet<(String, String)> = event_names(tracefs)?.into_iter().collect();
    events.retain(|event| names.contains(&(event.system.clone(), event.name.clone())));
    Ok(events)
}

/// Returns the system and the name of each event that is not defined dynamically.
fn event_names(tracefs: &Tracefs) -> Result<Vec<(String, String)>, SaveError> {
    let defined = tracefs.text("dynamic_events").map_err(SaveError::Unreadable)?.unwrap_or_default();
    let defined: BTreeSet<(&str, &str)> = defined.lines().filter_map(definition).collect();
    let mut names = Vec::new();
    for system in entries(tracefs, "events")?.into_iter().filter(|entry| entry.is_directory) {
        let events = entries(tracefs, &format!("events/{}", system.name))?;
        let events = events.into_iter().filter(|event| event.is_directory);
        let known = events.filter(|event| !defined.contains(&(&system.name, &event.name)));
        names.extend(known.map(|event| (system.name.clone(), event.name)));
    }
    Ok(names)
}

/// Returns the entries of a directory; none of one that was removed since it was seen.
fn entries(tracefs: &Tracefs, directory: &str) -> Result<Vec<DirectoryEntry>, SaveError> {
    match tracefs.list(directory) {
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        entries => Ok(entries?),
    }
}

/// Returns the event of a line of `dynamic_events`: `p:kprobes/open do_sys_open`, `r16:g/e ..`, `s:synthetic/e ..`,
/// `u:e ..`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (kind, name) = line.split_whitespace().next()?.split_once(':')?;
    match name.split_once('/') {
        Some(name) => Some(name),
        // kernel/trace/trace_events_user.c: the flags of a user event follow its name.
        None if kind == "u" => Some(("user_events", name.split(':').next().unwrap_or(name))),
        None => None,
    }
}

/// Returns the traceable functions. A kernel without the function tracer has no list.
fn function_names(tracefs: &Tracefs) -> Result<Vec<String>, String> {
    let path = "available_filter_functions";
    let text = tracefs.text(path)?.ok_or_else(|| format!("there is no {path}"))?;
    // `name [module]`, or `name (flags)` in other lists, with a varying number of blanks.
    Ok(text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_names_its_event() {
        let events = [
            ("p:kprobes/open do_sys_openat2 dfd=%di:s32", Some(("kprobes", "open"))),
            ("r16:g/e vfs_read", Some(("g", "e"))),
            ("s:synthetic/lat u64 d; pid_t p", Some(("synthetic", "lat"))),
            ("u:click u32 x", Some(("user_events", "click"))),
            ("u:click:1 u32 x", Some(("user_events", "click"))),
            ("", None),
            ("p:lonely x", None),
        ];
        for (line, event) in events {
            assert_eq!(definition(line), event, "{line}");
        }
    }
}
