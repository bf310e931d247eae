//! Instances of tracefs that hold the same event with different filters, so that one firing is many decisions.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use tracec::kernel::ProfileKernel;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Lost, Page, PageLayout};
use tracec_kernel::tables::features::Support;

use super::model::Refused;

/// Size of an instance's ring: it holds a batch several times.
const BUFFER_KIB: &str = "512";

/// Instances, and the thread whose records are read.
#[derive(Debug)]
pub(crate) struct Rig {
    /// The instances. The filter of the first accepts everything that this thread does: it shows the unfiltered record.
    instances: Vec<Instance>,
    /// The thread that made the rig and fires.
    pub(crate) thread: i32,
    layout: PageLayout,
    tracefs: PathBuf,
}

/// An instance, removed when it is dropped.
#[derive(Debug)]
struct Instance {
    path: PathBuf,
    /// The rings of the CPUs.
    rings: Vec<(u32, Option<File>)>,
}

/// A record as it is in a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    /// The CPU whose ring it is from.
    pub(crate) cpu: u32,
    /// Its bytes, the common header first.
    pub(crate) bytes: Vec<u8>,
}

impl Rig {
    /// Makes the instances: one for each filter, and the one that shows the records.
    pub(crate) fn new(tracefs: &Path, filters: usize) -> Result<Self, Failed> {
        let header = String::from_utf8(read_at_once(&tracefs.join("events/header_page"))?)?;
        let mut rig = Rig {
            instances: Vec::new(),
            thread: thread_id(),
            layout: PageLayout::parse(&header)?,
            tracefs: tracefs.to_owned(),
        };
        for number in 0..=filters {
            rig.instances.push(Instance::new(tracefs, number)?);
        }
        Ok(rig)
    }

    /// Returns the number of filters that fit.
    pub(crate) fn filters(&self) -> usize {
        self.instances.len() - 1
    }

    /// Returns the CPUs that have a ring.
    pub(crate) fn cpus(&self) -> Vec<u32> {
        self.instances[0].rings.iter().map(|(cpu, _)| *cpu).collect()
    }

    /// Returns whether the kernel has the event.
    pub(crate) fn has(&self, event: &str) -> bool {
        self.instances[0].path.join("events").join(event).exists()
    }

    /// Returns the layout of an event, `SYSTEM/EVENT`.
    pub(crate) fn format(&self, event: &str) -> Result<EventFormat, Failed> {
        let (system, _) = event.split_once('/').ok_or("an event has a system")?;
        let text = fs::read_to_string(self.tracefs.join("events").join(event).join("format"))?;
        Ok(EventFormat::parse(system, &text)?)
    }

    /// Records an event in all instances.
    pub(crate) fn enable(&self, event: &str) -> Result<(), Failed> {
        self.write(0, event, format!("common_pid == {}", self.thread).as_bytes()).map_err(|refused| {
            format!("the kernel refuses the filter that shows all records: {refused:?}")
        })?;
        for instance in &self.instances {
            instance.write(&format!("events/{event}/enable"), b"1")?;
        }
        Ok(())
    }

    /// Disables the event in all instances, and removes the filters.
    pub(crate) fn disable(&self, event: &str) -> Result<(), Failed> {
        for instance in &self.instances {
            instance.write(&format!("events/{event}/enable"), b"0")?;
            instance.write(&format!("events/{event}/filter"), b"0")?;
        }
        Ok(())
    }

    /// Gives the instance of this number, from 0, a filter. `Err` is the kernel's refusal.
    pub(crate) fn filter(&self, number: usize, event: &str, text: &[u8]) -> Result<(), Refused> {
        self.write(number + 1, event, text)
    }

    fn write(&self, instance: usize, event: &str, text: &[u8]) -> Result<(), Refused> {
        let instance = &self.instances[instance];
        let file = format!("events/{event}/filter");
        match instance.write(&file, text) {
            Ok(()) => Ok(()),
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or_default();
                // A filter that is too long for the file is refused without an error text.
                let shown = read_at_once(&instance.path.join(&file)).unwrap_or_default();
                Err(Refused::shown(errno, &shown))
            }
        }
    }

    /// Returns the content of an instance's filter file.
    pub(crate) fn filter_file(&self, number: usize, event: &str) -> Result<String, Failed> {
        let file = self.instances[number + 1].path.join("events").join(event).join("filter");
        Ok(String::from_utf8_lossy(&read_at_once(&file)?).into_owned())
    }

    /// Writes any file of an instance.
    pub(crate) fn write_file(&self, number: usize, file: &str, text: &[u8]) -> io::Result<()> {
        self.instances[number + 1].write(file, text)
    }

    /// Writes a file of the event in every instance.
    pub(crate) fn write_all(&self, event: &str, file: &str, text: &[u8]) -> Result<(), Failed> {
        for instance in &self.instances {
            let written = instance.write(&format!("events/{event}/{file}"), text);
            written.map_err(|error| format!("{file} {:?}: {error}", String::from_utf8_lossy(text)))?;
        }
        Ok(())
    }

    /// Returns the records that were written since the last call: the first list holds all of them, then one list per
    /// filter.
    pub(crate) fn drain(&mut self) -> Result<Vec<Vec<Raw>>, Failed> {
        let layout = self.layout;
        self.instances.iter_mut().map(|instance| instance.drain(&layout)).collect()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        for instance in &mut self.instances {
            // An open ring keeps its instance from being removed.
            instance.rings.clear();
            if let Err(error) = fs::remove_dir(&instance.path) {
                println!("{} stays behind: {error}", instance.path.display());
            }
        }
    }
}

impl Instance {
    fn new(tracefs: &Path, number: usize) -> Result<Self, Failed> {
        let name = format!("tracec-agreement-{}-{number}", std::process::id());
        let path = tracefs.join("instances").join(name);
        fs::create_dir(&path)?;
        let mut instance = Instance { path, rings: Vec::new() };
        if let Err(error) = instance.open() {
            instance.rings.clear();
            fs::remove_dir(&instance.path)?;
            return Err(error);
        }
        Ok(instance)
    }

    fn open(&mut self) -> Result<(), Failed> {
        self.write("buffer_size_kb", BUFFER_KIB.as_bytes())?;
        for entry in fs::read_dir(self.path.join("per_cpu"))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let cpu = name.strip_prefix("cpu").ok_or("per_cpu holds CPUs")?.parse()?;
            self.rings.push((cpu, None));
        }
        self.rings.sort_by_key(|(cpu, _)| *cpu);
        for (cpu, ring) in &mut self.rings {
            let raw = self.path.join(format!("per_cpu/cpu{cpu}/trace_pipe_raw"));
            *ring = Some(OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(raw)?);
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &[u8]) -> io::Result<()> {
        let written = OpenOptions::new().write(true).open(self.path.join(file))?.write(text)?;
        if written == text.len() { Ok(()) } else { Err(io::Error::other(format!("{file}: short write"))) }
    }

    fn drain(&mut self, layout: &PageLayout) -> Result<Vec<Raw>, Failed> {
        let mut records = Vec::new();
        let mut bytes = vec![0; layout.size as usize];
        for (cpu, ring) in &mut self.rings {
            let Some(ring) = ring else { continue };
            loop {
                let length = match ring.read(&mut bytes) {
                    Ok(0) => break,
                    Ok(length) => length,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error.into()),
                };
                let page = Page::new(layout, &bytes[..length])?;
                if page.lost() != Lost::None {
                    return Err("a ring was too small for a batch".into());
                }
                for entry in page.entries() {
                    records.push(Raw { cpu: *cpu, bytes: entry?.data.to_vec() });
                }
            }
        }
        Ok(records)
    }
}

/// Reads a file that must be read at once: a second read returns nothing, even if the first has not read all
/// (`show_header` and `event_filter_read` in kernel/trace/trace_events.c).
fn read_at_once(path: &Path) -> io::Result<Vec<u8>> {
    // The length of a filter of a page, the line of its caret and the error.
    let mut bytes = vec![0; 4 * 4096];
    let length = File::open(path)?.read(&mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns the id of this thread, as in records.
fn thread_id() -> i32 {
    // SAFETY: gettid(2) takes no arguments and cannot fail.
    unsafe { libc::gettid() }
}

/// Returns every feature of the running kernel, as the command saves it.
pub(crate) fn features(tracec: &Path, tracefs: &Path) -> Result<BTreeMap<String, Support>, Failed> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("running.trcprof");
    let output = std::process::Command::new(tracec)
        .args(["kernel", "save", "--no-btf", "--no-functions", "-o"])
        .arg(&file)
        .arg("--runtime-dir")
        .arg(dir.path().join("run"))
        .arg("--tracefs")
        .arg(tracefs)
        .output()?;
    if !output.status.success() {
        return Err(format!("kernel save: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(ProfileKernel::open(&file)?.profile().facts().features.clone())
}
