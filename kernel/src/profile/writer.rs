//! From the contents of a kernel to the bytes of a profile.

use crate::grouped::Grouped;

use super::container::{MAX_BLOCK, Section, pack};
use super::error::ProfileError;
use super::{Facts, events};

/// The approximate size of a block of layouts: small enough to unpack in a fraction of a millisecond, large enough that
/// common words are stored once (16 KiB take a third more in total, 128 KiB a twentieth less).
const LAYOUTS: usize = 64 << 10;
/// The size of blocks that are only read in sequence.
const BULK: usize = 256 << 10;

/// An event as the kernel shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventText {
    /// The system.
    pub system: String,
    /// The event's name.
    pub name: String,
    /// The names of the files in its directory, sorted.
    pub files: Vec<String>,
    /// The text of its `format` file.
    pub format: String,
}

/// The contents of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Names, numbers and lists.
    pub facts: Facts,
    /// The events, in any order.
    pub events: Vec<EventText>,
    /// The text of `README`.
    pub readme: Option<String>,
    /// The lines of `available_filter_functions`, `NAME` or `NAME [MODULE]`, in any order. Static functions with the
    /// same name occur several times.
    pub functions: Option<Vec<String>>,
    /// The bytes of `/sys/kernel/btf/vmlinux`.
    pub btf: Option<Vec<u8>>,
}

/// Writes the file. The same contents give the same bytes, in any order of the events and functions.
///
/// # Errors
/// [`ProfileError::Unsaveable`] for what a profile cannot hold.
pub fn encode(contents: &Contents) -> Result<Vec<u8>, ProfileError> {
    let mut events: Vec<&EventText> = contents.events.iter().collect();
    events.sort_unstable();
    check(&events)?;
    let facts = contents.facts.to_bytes()?;
    let entries: Vec<events::EventEntry<'_>> = events
        .iter()
        .map(|event| (&*event.system, &*event.name, event.files.as_slice(), event.format.len()))
        .collect();
    let index = events::write(&entries);
    let layouts: Vec<String> = layouts(&events);
    let functions = contents.functions.as_ref().map(|lines| function_text(lines));

    let mut sections = vec![
        (Section::Facts, vec![facts.as_slice()]),
        (Section::Index, index.as_bytes().chunks(BULK).collect()),
        (Section::Formats, layouts.iter().map(|block| block.as_bytes()).collect()),
    ];
    if let Some(readme) = &contents.readme {
        sections.push((Section::Readme, readme.as_bytes().chunks(BULK).collect()));
    }
    if let Some(functions) = &functions {
        sections.push((Section::Functions, functions.as_bytes().chunks(BULK).collect()));
    }
    if let Some(btf) = &contents.btf {
        sections.push((Section::Btf, btf.chunks(BULK).collect()));
    }
    for (section, blocks) in &sections {
        let length: usize = blocks.iter().map(|block| block.len()).sum();
        if length as u64 > section.limit() || blocks.iter().any(|block| block.len() > MAX_BLOCK) {
            return Err(unsaveable(format!("{} bytes of {}", Grouped(length), section.name())));
        }
    }
    pack(&sections)
}

fn check(events: &[&EventText]) -> Result<(), ProfileError> {
    let is_word =
        |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    for event in events {
        let words = [&event.system, &event.name];
        if !words.into_iter().chain(&event.files).all(|name| is_word(name)) {
            return Err(unsaveable(format!("an event called `{}:{}`", event.system, event.name)));
        }
        if event.format.len() > MAX_BLOCK {
            return Err(unsaveable(format!("the layout of {}:{}", event.system, event.name)));
        }
    }
    let twice =
        events.windows(2).find(|pair| matches!(pair, [a, b] if a.system == b.system && a.name == b.name));
    match twice {
        Some(pair) => {
            let names: Vec<String> =
                pair.iter().map(|event| format!("{}:{}", event.system, event.name)).collect();
            Err(unsaveable(format!("two events of one name, {}", names.join(" and "))))
        }
        None => Ok(()),
    }
}

/// Joins the layouts to blocks, cut between events.
fn layouts(events: &[&EventText]) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for event in events {
        match blocks.last_mut() {
            Some(block) if block.len() + event.format.len() <= LAYOUTS => block.push_str(&event.format),
            _ => blocks.push(event.format.clone()),
        }
    }
    blocks
}

fn function_text(lines: &[String]) -> String {
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.sort_unstable();
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn unsaveable(what: String) -> ProfileError {
    ProfileError::Unsaveable { what }
}
