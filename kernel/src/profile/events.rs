//! The index of events: their names, the files of each, and the location of each layout.
//!
//! Text, a line each: `F` and the files of a kind of event; `S` and a system; below it `E` with an event's name, the
//! length of its layout and its kind's number. Layouts are stored in this order, so that their offsets follow from the
//! lengths.

use std::fmt::Write as _;

use super::error::ProfileError;

/// An event of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name, without the system.
    pub name: String,
    /// The kind of event, which decides the files that it has.
    kind: u32,
    /// The block that holds its layout.
    pub(super) block: u32,
    /// The offset in the unpacked block.
    pub(super) start: u32,
    /// The length.
    pub(super) length: u32,
}

/// The position of an event in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    system: u32,
    event: u32,
}

/// All events of a profile, by system and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventIndex {
    kinds: Vec<Vec<String>>,
    systems: Vec<(String, Vec<Event>)>,
}

impl EventIndex {
    /// Returns the systems, in the order of their names.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        self.systems.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the events of a system, in the order of their names; none if there is no such system.
    pub fn members(&self, system: &str) -> &[Event] {
        self.system(system).and_then(|at| self.systems.get(at)).map_or(&[], |(_, events)| events)
    }

    /// Returns every event with its system, in order.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Event)> {
        self.systems
            .iter()
            .flat_map(|(system, events)| events.iter().map(move |event| (system.as_str(), event)))
    }

    /// Returns the number of events.
    pub fn count(&self) -> usize {
        self.systems.iter().map(|(_, events)| events.len()).sum()
    }

    /// Returns the id of an event, by its name.
    pub fn find(&self, system: &str, name: &str) -> Option<EventId> {
        let system = self.system(system)?;
        let (_, events) = self.systems.get(system)?;
        let event = events.binary_search_by(|event| event.name.as_str().cmp(name)).ok()?;
        Some(EventId { system: u32::try_from(system).ok()?, event: u32::try_from(event).ok()? })
    }

    /// Returns the event at a position.
    pub fn get(&self, id: EventId) -> Option<&Event> {
        self.systems.get(id.system as usize)?.1.get(id.event as usize)
    }

    /// Returns the names of the files in the directory of an event.
    pub fn files(&self, event: &Event) -> &[String] {
        self.kinds.get(event.kind as usize).map_or(&[], Vec::as_slice)
    }

    fn system(&self, name: &str) -> Option<usize> {
        self.systems.binary_search_by(|(system, _)| system.as_str().cmp(name)).ok()
    }

    /// Reads the section; `blocks` are the lengths of the blocks of layouts.
    pub(super) fn parse(text: &[u8], blocks: &[u32]) -> Result<Self, ProfileError> {
        let text = std::str::from_utf8(text).map_err(|_| damaged("is not text"))?;
        let mut reader =
            Reader { index: EventIndex::default(), cursor: BlockCursor { blocks, block: 0, start: 0 } };
        for line in text.lines() {
            reader.line(line)?;
        }
        reader.cursor.check_end()?;
        Ok(reader.index)
    }
}

struct Reader<'a> {
    index: EventIndex,
    cursor: BlockCursor<'a>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) -> Result<(), ProfileError> {
        let EventIndex { kinds, systems } = &mut self.index;
        if let Some(files) = line.strip_prefix("F ") {
            kinds.push(files.split(' ').map(str::to_owned).collect());
            return Ok(());
        }
        if let Some(system) = line.strip_prefix("S ") {
            if systems.last().is_some_and(|(last, _)| last.as_str() >= system) {
                return Err(damaged("is out of order"));
            }
            systems.push((system.to_owned(), Vec::new()));
            return Ok(());
        }
        let mut words = line.split(' ');
        let (Some("E"), Some(name), Some(length), Some(kind), None) =
            (words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            return Err(damaged("has a line that is not an event"));
        };
        let number = |word: &str| word.parse::<u32>().map_err(|_| damaged("has a line that is not an event"));
        let (length, kind) = (number(length)?, number(kind)?);
        let (_, events) = systems.last_mut().ok_or_else(|| damaged("has an event without a system"))?;
        if kind as usize >= kinds.len() || events.last().is_some_and(|last| last.name.as_str() >= name) {
            return Err(damaged("is out of order"));
        }
        let (block, start) = self.cursor.take(length)?;
        events.push(Event { name: name.to_owned(), kind, block, start, length });
        Ok(())
    }
}

/// A cursor in the blocks of layouts: up to it they have been assigned.
struct BlockCursor<'a> {
    blocks: &'a [u32],
    block: u32,
    start: u32,
}

impl BlockCursor<'_> {
    fn take(&mut self, length: u32) -> Result<(u32, u32), ProfileError> {
        let wrong = || damaged("does not fit its blocks");
        let mut size = *self.blocks.get(self.block as usize).ok_or_else(wrong)?;
        if self.start == size && length > 0 {
            self.block += 1;
            self.start = 0;
            size = *self.blocks.get(self.block as usize).ok_or_else(wrong)?;
        }
        let start = self.start;
        self.start = start.checked_add(length).filter(|&end| end <= size).ok_or_else(wrong)?;
        Ok((self.block, start))
    }

    fn check_end(&self) -> Result<(), ProfileError> {
        let last = self.blocks.len().saturating_sub(1);
        let end = self.blocks.last().copied().unwrap_or(0);
        if self.block as usize == last && self.start == end {
            Ok(())
        } else {
            Err(damaged("does not fit its blocks"))
        }
    }
}

fn damaged(what: &str) -> ProfileError {
    ProfileError::damaged(format!("its index of events {what}"))
}

/// An event to be written: system, name, the names of its files, the length of its layout.
pub(super) type EventEntry<'a> = (&'a str, &'a str, &'a [String], usize);

/// Writes the section. Events are sorted by system and name, each once.
pub(super) fn write(events: &[EventEntry<'_>]) -> String {
    let mut kinds: Vec<&[String]> = events.iter().map(|&(_, _, files, _)| files).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut text = String::new();
    for kind in &kinds {
        let _ = writeln!(text, "F {}", kind.join(" "));
    }
    let mut last = None;
    for &(system, name, files, length) in events {
        if last.replace(system) != Some(system) {
            let _ = writeln!(text, "S {system}");
        }
        let kind = kinds.partition_point(|kind| *kind < files);
        let _ = writeln!(text, "E {name} {length} {kind}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "F enable format\nF format\nS a\nE x 10 0\nE y 5 1\nS b\nE x 7 0\n";

    #[test]
    fn lengths_are_places() {
        let index = EventIndex::parse(TEXT.as_bytes(), &[15, 7]).unwrap();
        let places: Vec<_> =
            index.all().map(|(system, e)| (system, e.name.as_str(), e.block, e.start)).collect();
        assert_eq!(places, [("a", "x", 0, 0), ("a", "y", 0, 10), ("b", "x", 1, 0)]);
        let event = index.find("a", "y").and_then(|id| index.get(id)).unwrap();
        assert_eq!(index.files(event), ["format"]);
        assert_eq!((index.count(), index.members("b").len(), index.members("c").len()), (3, 1, 0));
        assert_eq!((index.find("a", "z"), index.find("c", "x")), (None, None));
    }

    #[test]
    fn what_does_not_fit_is_damaged() {
        let blocks: [&[u32]; 6] = [&[], &[15], &[15, 8], &[15, 6], &[14, 8], &[15, 7, 1]];
        for blocks in blocks {
            assert!(EventIndex::parse(TEXT.as_bytes(), blocks).is_err(), "{blocks:?}");
        }
        for text in [
            "E x 1 0\n",
            "F f\nx 1 0\n",
            "S a\nE x 1 0\n",
            "F f\nS a\nE x 1 1\n",
            "F f\nS a\nE x 1\n",
            "F f\nS a\nE x 1 0 0\n",
            "F f\nS a\nE x -1 0\n",
            "F f\nS a\n\n",
            "F f\nS a\nx 1 0\n",
            "F f\nS b\nS a\nE x 1 0\n",
            "F f\nS a\nE x 1 0\nE x 0 0\n",
            "F f\nS a\nE x 99999999999 0\n",
        ] {
            assert!(EventIndex::parse(text.as_bytes(), &[1]).is_err(), "{text:?}");
        }
        assert!(EventIndex::parse(b"\xff", &[]).is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        let files = ["enable".to_owned(), "format".to_owned()];
        let entries = [("a", "x", &files[..], 10), ("a", "y", &files[1..], 5), ("b", "x", &files[..], 7)];
        assert_eq!(write(&entries), TEXT);
        assert_eq!(EventIndex::parse(b"", &[]).unwrap().count(), 0);
    }
}
