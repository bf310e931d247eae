//! BPF programs of a session: loaded from memory, attached to tracepoints, and their ring buffer.
//!
//! Programs, maps and attachments are held by descriptors of this process alone: nothing is pinned. They are gone when
//! [`Loaded`] is dropped, and also after SIGKILL.

#[expect(clippy::disallowed_methods, reason = "reads a level below /proc/sys that an error is explained by")]
mod error;
mod files;
#[expect(unsafe_code, reason = "asks for counts that libbpf-rs does not return")]
mod info;
#[expect(unsafe_code, reason = "runs a program once, for which libbpf-rs needs an object")]
mod own;
#[expect(unsafe_code, reason = "opens performance events, for which rustix has no function")]
mod perf;
mod ring;
#[expect(unsafe_code, reason = "takes the messages of a C library")]
mod said;

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, IntoRawFd};

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder, OpenObject};
use tracec_kernel::plan::{Program, Programs};

pub(crate) use error::{LoadError, Part};
pub(crate) use ring::SampleRing;

/// Programs that were loaded.
pub(crate) struct Loaded {
    // The links are dropped first: no program writes any more while its maps go.
    links: Vec<Link>,
    object: Object,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded").field("attached", &self.links.len()).finish_non_exhaustive()
    }
}

impl Loaded {
    /// Loads programs; the kernel's verifier checks them. The process that loads them is left out, if they leave out tracec.
    ///
    /// # Errors
    /// [`LoadError`], with the log of the verifier where that has refused a program.
    pub(crate) fn load(programs: &Programs) -> Result<Loaded, LoadError> {
        files::make_room(programs, possible_cpus())?;
        let own = match programs.leave_out_tracec {
            true => own::process().map_err(|error| LoadError::of_system(Part::Object, &error.into()))?,
            false => 0,
        };
        let (log, loaded) = said::with_log(|| {
            let mut object = ObjectBuilder::default().name("tracec")?.open_memory(&programs.object)?;
            leave_out(&mut object, own);
            object.load()
        });
        match loaded {
            Ok(object) => Ok(Loaded { links: Vec::new(), object }),
            Err(error) => Err(LoadError::of(programs, &error, log)),
        }
    }

    /// Returns the ring buffer of the records. `cpus` is the number of possible CPUs.
    ///
    /// # Errors
    /// [`LoadError`].
    pub(crate) fn ring(&self, cpus: u32) -> Result<SampleRing, LoadError> {
        let map = self.object.maps().find(|map| map.name() == Programs::RECORDS);
        let map = map.ok_or_else(|| LoadError::without_map(Programs::RECORDS))?;
        SampleRing::open(&map, cpus).map_err(|error| LoadError::of_system(Part::Ring, &error))
    }

    /// Attaches the programs, those of the kernel's events to the tracepoint with the id that `id` returns. They run from here
    /// on.
    ///
    /// # Errors
    /// [`LoadError`] for the first that cannot be attached.
    pub(crate) fn attach(
        &mut self,
        programs: &Programs,
        id: impl Fn(&str) -> Option<u64>,
    ) -> Result<(), LoadError> {
        for program in &programs.programs {
            let Program { name, event, .. } = program;
            let failed = |error: &libbpf_rs::Error| {
                LoadError::of_system(Part::Attachment { name: name.clone(), event: event.clone() }, error)
            };
            let loaded = self.object.progs_mut().find(|program| program.name() == name.as_str());
            let loaded = loaded.ok_or_else(|| LoadError::without_program(name))?;
            let link = if program.is_at_tracepoint() {
                let id = id(event).ok_or_else(|| LoadError::without_event(name, event))?;
                let tracepoint = perf::tracepoint(id).map_err(|error| failed(&error.into()))?;
                let link =
                    loaded.attach_perf_event(tracepoint.as_raw_fd()).map_err(|error| failed(&error))?;
                // The link closes it.
                let _ = tracepoint.into_raw_fd();
                link
            } else {
                let (log, link) = said::with_log(|| loaded.attach());
                link.map_err(|error| failed(&error).with_log(&log))?
            };
            self.links.push(link);
        }
        Ok(())
    }

    /// Detaches all programs.
    pub(crate) fn detach(&mut self) {
        self.links.clear();
    }

    /// Returns what was lost and missed.
    ///
    /// # Errors
    /// [`LoadError`] if the counts cannot be read.
    pub(crate) fn losses(&self, programs: &Programs) -> Result<Losses, LoadError> {
        let map = self.object.maps().find(|map| map.name() == Programs::LOST);
        let map = map.ok_or_else(|| LoadError::without_map(Programs::LOST))?;
        let mut losses = Losses::default();
        for (index, Program { name, event, .. }) in (0_u32..).zip(&programs.programs) {
            let counts = map.lookup_percpu(&index.to_ne_bytes(), MapFlags::ANY);
            let counts = counts.map_err(|error| LoadError::of_system(Part::Counts, &error))?;
            let (mut of_event, mut in_use) = (0_u64, 0_u64);
            for (cpu, counts) in counts.iter().flatten().enumerate() {
                let count = number_at(counts, 0);
                in_use = in_use.saturating_add(number_at(counts, Programs::MISSED_AT));
                of_event = of_event.saturating_add(count);
                match losses.cpus.get_mut(cpu) {
                    Some((_, sum)) => *sum = sum.saturating_add(count),
                    None => losses.cpus.push((cpu as u32, count)),
                }
            }
            if of_event > 0 {
                losses.events.push((event.clone(), of_event));
            }
            let program = self.object.progs().find(|program| program.name() == name.as_str());
            let program = program.ok_or_else(|| LoadError::without_program(name))?;
            let missed = info::missed(program.as_fd());
            let missed = missed.map_err(|error| LoadError::of_system(Part::Counts, &error.into()))?;
            let missed = missed.saturating_add(in_use);
            if missed > 0 {
                losses.missed.push((event.clone(), missed));
            }
        }
        Ok(losses)
    }
}

/// What programs did not record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// How many records each CPU lost for want of room.
    pub(crate) cpus: Vec<(u32, u64)>,
    /// The same by event, of those that lost some.
    pub(crate) events: Vec<(String, u64)>,
    /// How many times the program of an event did not run, or found its memory in use, of those that missed some.
    pub(crate) missed: Vec<(String, u64)>,
}

impl Losses {
    /// Adds the records that each CPU lost elsewhere.
    pub(crate) fn add(&mut self, cpus: &[(u32, u64)]) {
        let mut sums: BTreeMap<u32, u64> = self.cpus.iter().copied().collect();
        for &(cpu, lost) in cpus {
            let sum = sums.entry(cpu).or_default();
            *sum = sum.saturating_add(lost);
        }
        self.cpus = sums.into_iter().collect();
    }
}

/// Returns the number in a value of a map at an offset.
fn number_at(value: &[u8], offset: usize) -> u64 {
    let bytes = value.get(offset..).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}

/// Writes the process whose records are left out into the constants.
fn leave_out(object: &mut OpenObject, own: u32) {
    let mut maps = object.maps_mut();
    let constants = maps.find(|map| map.name().to_string_lossy().ends_with(Programs::CONSTANTS));
    if let Some(mut constants) = constants
        && let Some(first) = constants.initial_value_mut().and_then(|bytes| bytes.first_chunk_mut())
    {
        *first = own.to_ne_bytes();
    }
}

/// Returns the number of possible CPUs.
pub(crate) fn possible_cpus() -> u32 {
    libbpf_rs::num_possible_cpus().ok().and_then(|count| u32::try_from(count).ok()).unwrap_or(1)
}
