//! The rings of an instance as a recording: the same records that its file `trace` shows, with what the kernel says of
//! itself.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use libtest_mimic::Failed;
use tracec_kernel::page::PageLayout;
use tracec_runtime::record::{Compression, Head, TraceDat, Writer, option};

use crate::instance::{Instance, read};

/// The systems of events and their formats, as a kernel has them.
pub(crate) struct Events {
    /// Each with its events.
    pub(crate) systems: Vec<(String, Vec<Format>)>,
}

/// An event: its name, and the text of its format.
pub(crate) type Format = (String, Vec<u8>);

impl Events {
    /// Reads the formats of all events.
    pub(crate) fn read(tracefs: &Path) -> Result<Self, Failed> {
        let mut systems = Vec::new();
        for system in directories(&tracefs.join("events"))? {
            let mut events = Vec::new();
            for event in directories(&tracefs.join("events").join(&system))? {
                let format = tracefs.join("events").join(&system).join(&event).join("format");
                events.push((event, read(&format)?));
            }
            systems.push((system, events));
        }
        Ok(Events { systems })
    }

    /// Returns the number of events of a system.
    pub(crate) fn count(&self, wanted: &str) -> usize {
        self.systems.iter().find(|(system, _)| system == wanted).map_or(0, |(_, events)| events.len())
    }
}

/// Returns the sorted names of the directories in a directory.
fn directories(directory: &Path) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.extend(entry.file_name().into_string().ok());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Takes the records of an instance out of its rings.
pub(crate) fn take(
    tracefs: &Path,
    instance: &Instance,
    events: &Events,
) -> Result<TraceDat<Cursor<Vec<u8>>>, Failed> {
    let header_page = read(&instance.file("events/header_page"))?;
    let layout = PageLayout::parse(std::str::from_utf8(&header_page)?)?;
    let mut writer = Writer::new(Cursor::new(Vec::new()), Head::default(), Compression::None)?;

    let mut header = Vec::new();
    for (name, text) in
        [("header_page", header_page), ("header_event", read(&tracefs.join("events/header_event"))?)]
    {
        header.extend_from_slice(name.as_bytes());
        header.push(0);
        push_long(&mut header, &text);
    }
    writer.section(option::HEADER_INFO, &header, &[])?;
    let tracers = events.systems.iter().filter(|(system, _)| system == "ftrace");
    let tracers: Vec<&Vec<u8>> =
        tracers.flat_map(|(_, events)| events.iter().map(|(_, text)| text)).collect();
    let mut body = count(tracers.len())?.to_vec();
    tracers.into_iter().for_each(|text| push_long(&mut body, text));
    writer.section(option::FTRACE_EVENTS, &body, &[])?;
    let systems: Vec<_> = events.systems.iter().filter(|(system, _)| system != "ftrace").collect();
    let mut body = count(systems.len())?.to_vec();
    for (system, events) in systems {
        body.extend_from_slice(system.as_bytes());
        body.push(0);
        body.extend_from_slice(&count(events.len())?);
        events.iter().for_each(|(_, text)| push_long(&mut body, text));
    }
    writer.section(option::EVENT_FORMATS, &body, &[])?;

    for (id, path) in [
        (option::KALLSYMS, Path::new("/proc/kallsyms").to_owned()),
        (option::PRINTK, tracefs.join("printk_formats")),
    ] {
        let text = read(&path)?;
        let body = [&count(text.len())?[..], &text].concat();
        writer.section(id, &body, &[])?;
    }
    let mut body = Vec::new();
    push_long(&mut body, &read(&tracefs.join("saved_cmdlines"))?);
    writer.section(option::CMDLINES, &body, &[])?;
    let release = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    writer.option(option::UNAME, format!("Linux machine {} x86_64\0", release.trim()).as_bytes())?;

    let cpus = instance.cpus()?;
    writer.option(option::CPUCOUNT, &count(cpus.len())?)?;
    let mut buffer = writer.buffer("", Some("local"), layout.size)?;
    for cpu in cpus {
        buffer.cpu(cpu)?;
        for page in instance.pages(cpu, layout.size as usize)? {
            buffer.page(&page)?;
        }
    }
    buffer.finish()?;
    let bytes = writer.finish()?.into_inner();
    Ok(TraceDat::read(Cursor::new(bytes))?)
}

/// Appends a text with its length in front, 64 bits.
fn push_long(body: &mut Vec<u8>, text: &[u8]) {
    body.extend_from_slice(&(text.len() as u64).to_ne_bytes());
    body.extend_from_slice(text);
}

/// Returns the bytes of a count in a file.
fn count(count: usize) -> Result<[u8; 4], Failed> {
    Ok(u32::try_from(count)?.to_ne_bytes())
}
