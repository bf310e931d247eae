//! The contents of a journal: its session, the steps that were begun, and the state after each.

use serde::{Deserialize, Serialize};
use tracec_kernel::plan::{Definition, InstanceName, Location};

use super::line;

/// The name of the format.
const FORMAT: &str = "tracec journal";
/// The version of the format. A reader does not touch journals of other versions.
const VERSION: u32 = 3;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::session) struct Header {
    format: String,
    version: u32,
    /// The id of the boot: after a reboot nothing is left to undo.
    pub(in crate::session) boot_id: String,
    pid: u32,
    /// The mount point, for information only: every mount of tracefs shows the same files.
    tracefs: String,
    /// The instance of the session.
    pub(in crate::session) instance: InstanceName,
}

/// A line after the first. A step that is undone with the instance has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// The step is about to be done.
    Intend(Intent),
    /// The step was done, or was refused.
    Done(Proof),
}

/// A step and its undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "undo", rename_all = "snake_case")]
pub(super) enum Intent {
    /// The instance is created; its undo removes it.
    Remove {
        step: usize,
    },
    /// The event is defined; its undo removes it.
    RemoveEvent {
        step: usize,
        definition: Definition,
    },
    RestoreIfOurs(Change),
}

/// A write to a file that the session does not own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::session) struct Change {
    /// The index of the step.
    pub(in crate::session) step: usize,
    /// The file, which is not in the instance.
    pub(in crate::session) file: Location,
    /// The value to be written.
    pub(in crate::session) value: String,
    /// The value that the file showed before.
    pub(in crate::session) old: String,
}

/// The state after a step, by which undo recognises whether another program has changed it since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Proof {
    step: usize,
    #[serde(flatten)]
    left: Left,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Left {
    /// The inode of the instance that was created.
    Inode(u64),
    /// The text that the file showed after the write; for an event, the lines about it in the list of events.
    Shows(String),
}

/// The changes that may have to be undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct Account {
    /// The creation of the instance, if it was begun.
    pub(in crate::session) created: Option<Created>,
    /// The writes that were begun, in order.
    pub(in crate::session) changed: Vec<Changed>,
    /// The definitions that were begun, in order.
    pub(in crate::session) defined: Vec<Defined>,
}

/// The creation of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) struct Created {
    /// The inode; `None` if it was not recorded.
    pub(in crate::session) inode: Option<u64>,
}

/// A write that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct Changed {
    pub(in crate::session) change: Change,
    /// The text that the file showed after it; `None` if it was not recorded.
    pub(in crate::session) shows: Option<String>,
}

/// A definition that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct Defined {
    step: usize,
    pub(in crate::session) definition: Definition,
    /// The lines about the event in the list of events after it; `None` if they were not recorded.
    pub(in crate::session) shows: Option<String>,
}

impl Header {
    pub(super) fn new(boot_id: String, tracefs: String, instance: InstanceName) -> Self {
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            boot_id,
            pid: std::process::id(),
            tracefs,
            instance,
        }
    }
}

impl Entry {
    pub(super) const CREATE: Entry = Entry::Intend(Intent::Remove { step: 0 });

    pub(super) fn created(inode: u64) -> Self {
        Entry::Done(Proof { step: 0, left: Left::Inode(inode) })
    }

    pub(super) fn changed(step: usize, shows: String) -> Self {
        Entry::Done(Proof { step, left: Left::Shows(shows) })
    }
}

impl Change {
    /// Returns the old value of the file, as it can be written again.
    pub(in crate::session) fn old(&self) -> &str {
        self.file.shown_value(&self.old)
    }
}

impl Changed {
    /// Returns the value that the write left in the file: the text that was read back, or the value written if that was
    /// not recorded.
    pub(in crate::session) fn left_behind(&self) -> &str {
        self.change.file.shown_value(self.shows.as_ref().unwrap_or(&self.change.value))
    }
}

impl Account {
    /// Adds the next line, or returns it if it does not follow from the lines before.
    pub(super) fn take(&mut self, entry: Entry) -> Result<(), Entry> {
        let has_instance = matches!(self.created, Some(Created { inode: Some(_) }));
        let last = self.last_step();
        let is_next = |step| has_instance && step > last;
        match entry {
            Entry::Intend(Intent::Remove { step: 0 }) if self.created.is_none() => {
                self.created = Some(Created { inode: None });
            }
            Entry::Done(Proof { step: 0, left: Left::Inode(inode) })
                if self.created == Some(Created { inode: None }) =>
            {
                self.created = Some(Created { inode: Some(inode) });
            }
            Entry::Intend(Intent::RestoreIfOurs(change))
                if is_next(change.step) && change.file.in_instance().is_none() =>
            {
                self.changed.push(Changed { change, shows: None });
            }
            Entry::Intend(Intent::RemoveEvent { step, definition }) if is_next(step) => {
                self.defined.push(Defined { step, definition, shows: None });
            }
            Entry::Done(Proof { step, left: Left::Shows(shows) }) if step == last => {
                match self.unnoted(step) {
                    Some(noted) => *noted = Some(shows),
                    None => return Err(Entry::changed(step, shows)),
                }
            }
            entry => return Err(entry),
        }
        Ok(())
    }

    /// Returns the step that was begun last; 0 is the creation of the instance.
    fn last_step(&self) -> usize {
        let changed = self.changed.last().map_or(0, |last| last.change.step);
        changed.max(self.defined.last().map_or(0, |last| last.step))
    }

    /// Returns where to record the state after a step, unless it is recorded already.
    fn unnoted(&mut self, step: usize) -> Option<&mut Option<String>> {
        let changed =
            self.changed.last_mut().filter(|last| last.change.step == step).map(|last| &mut last.shows);
        let defined = self.defined.last_mut().filter(|last| last.step == step).map(|last| &mut last.shows);
        changed.or(defined).filter(|noted| noted.is_none())
    }
}

/// Reads a journal; `None` if it has no complete line. A last line without a newline was cut off by a kill before the
/// change that it announces had begun. The error says why the text is not a journal of this version.
pub(super) fn parse(text: &str) -> Result<Option<(Header, Account)>, String> {
    let mut lines = text.split_inclusive('\n').map_while(|line| line.strip_suffix('\n')).enumerate();
    let Some((_, first)) = lines.next() else { return Ok(None) };
    let header = header(first)?;
    let mut account = Account::default();
    for (index, line) in lines {
        let number = index + 1;
        let json = line::content(line).map_err(|damage| format!("line {number} is damaged: {damage}"))?;
        let entry = serde_json::from_str(json).map_err(|error| format!("line {number}: {error}"))?;
        account.take(entry).map_err(|_| format!("line {number} does not follow those before"))?;
    }
    Ok(Some((header, account)))
}

fn header(line: &str) -> Result<Header, String> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    // Version 1 had no checksums.
    let json = match line.starts_with('{') {
        true => line,
        false => line::content(line).map_err(|damage| format!("line 1 is damaged: {damage}"))?,
    };
    match serde_json::from_str(json).map_err(|error| error.to_string())? {
        Version { version: VERSION } => {}
        Version { version } => return Err(format!("it is of version {version}")),
    }
    let header: Header = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if header.format == FORMAT {
        Ok(header)
    } else {
        Err(format!("it is a `{}`", header.format.escape_debug()))
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::plan::{FilePath, Sysctl};

    use super::*;

    fn header() -> Header {
        Header::new("boot".to_owned(), "/t".to_owned(), InstanceName::new("x").unwrap())
    }

    fn change(step: usize) -> Change {
        let file = Location::Top(FilePath::new("buffer_percent").unwrap());
        Change { step, file, value: "0".to_owned(), old: "50\n".to_owned() }
    }

    fn entries() -> Vec<Entry> {
        vec![
            Entry::CREATE,
            Entry::created(7),
            Entry::Intend(Intent::RestoreIfOurs(change(3))),
            Entry::changed(3, "0\n".to_owned()),
            Entry::Intend(Intent::RemoveEvent {
                step: 4,
                definition: Definition::new("p:tracec_x/e f").unwrap(),
            }),
            Entry::changed(4, "p:tracec_x/e f+0".to_owned()),
            Entry::Intend(Intent::RestoreIfOurs(sysctl(5))),
            Entry::changed(5, "1\n".to_owned()),
        ]
    }

    fn sysctl(step: usize) -> Change {
        let file = Location::Sysctl(Sysctl::new("traceoff_on_warning").unwrap());
        Change { step, file, value: "1".to_owned(), old: "0\n".to_owned() }
    }

    fn text(entries: &[Entry]) -> String {
        let mut lines = Vec::new();
        line::push(&mut lines, &header()).unwrap();
        entries.iter().for_each(|entry| line::push(&mut lines, entry).unwrap());
        String::from_utf8(lines).unwrap()
    }

    fn account(entries: &[Entry]) -> Account {
        let mut account = Account::default();
        entries.iter().for_each(|entry| account.take(entry.clone()).unwrap());
        account
    }

    #[test]
    fn journal_is_read_back_as_it_was_written() {
        let stored = text(&entries());
        assert_eq!(
            stored.lines().skip(1).map(|line| &line[9..]).collect::<Vec<_>>(),
            [
                r#"{"intend":{"undo":"remove","step":0}}"#,
                r#"{"done":{"step":0,"inode":7}}"#,
                r#"{"intend":{"undo":"restore_if_ours","step":3,"file":{"top":"buffer_percent"},"value":"0","old":"50\n"}}"#,
                r#"{"done":{"step":3,"shows":"0\n"}}"#,
                r#"{"intend":{"undo":"remove_event","step":4,"definition":"p:tracec_x/e f"}}"#,
                r#"{"done":{"step":4,"shows":"p:tracec_x/e f+0"}}"#,
                r#"{"intend":{"undo":"restore_if_ours","step":5,"file":{"sysctl":"traceoff_on_warning"},"value":"1","old":"0\n"}}"#,
                r#"{"done":{"step":5,"shows":"1\n"}}"#,
            ]
        );
        assert_eq!(parse(&stored), Ok(Some((header(), account(&entries())))));
    }

    #[test]
    fn truncated_last_line_is_ignored() {
        let whole = text(&entries());
        for length in 0..whole.len() {
            let lines = whole[..length].matches('\n').count();
            let expected =
                lines.checked_sub(1).map(|entries_left| (header(), account(&entries()[..entries_left])));
            assert_eq!(parse(&whole[..length]), Ok(expected), "{length}");
        }
    }

    #[test]
    fn damage_before_the_last_line_is_refused_with_its_number() {
        let whole = text(&entries());
        for (number, line) in whole.lines().enumerate().map(|(index, line)| (index + 1, line)) {
            let damaged = whole.replacen(line, &line.replacen("\":", "\" :", 1), 1);
            let reason = parse(&damaged).unwrap_err();
            assert!(reason.starts_with(&format!("line {number} is damaged: its checksum is ")), "{reason}");
        }
    }

    #[test]
    fn lines_that_do_not_follow_are_refused() {
        let all = entries();
        for index in 0..all.len() {
            // A missing line is one that a later line needs, except for the `done` line of a write or a definition.
            let mut missing = all.clone();
            missing.remove(index);
            let mut twice = all.clone();
            twice.insert(index, all[index].clone());
            assert!(parse(&text(&twice)).unwrap_err().contains("does not follow"), "{index}");
            if !matches!(index, 3 | 5 | 7) {
                assert!(parse(&text(&missing)).unwrap_err().contains("does not follow"), "{index}");
            }
        }
    }

    #[test]
    fn line_with_invalid_values_is_refused() {
        let stored = text(&entries());
        for (from, to) in [
            ("{\"top\":\"buffer_percent\"}", "{\"top\":\"../../etc/passwd\"}"),
            ("{\"top\":\"buffer_percent\"}", "{\"top\":\"/etc/passwd\"}"),
            ("{\"top\":\"buffer_percent\"}", "{\"instance\":\"buffer_percent\"}"),
            ("{\"top\":\"buffer_percent\"}", "{\"sysctl\":\"core_pattern\"}"),
            ("{\"sysctl\":\"traceoff_on_warning\"}", "{\"sysctl\":\"../traceoff_on_warning\"}"),
            ("p:tracec_x/e f\"", "p:theirs/e f\""),
            ("p:tracec_x/e f\"", "-:tracec_x/e f\""),
            ("p:tracec_x/e f\"", "p:tracec_x/e f\\n-:theirs/e\""),
            ("\"file\":{\"top\":\"buffer_percent\"},", ""),
            ("\"old\":\"50\\n\"", "\"older\":\"50\\n\""),
            ("\"restore_if_ours\"", "\"restore\""),
            ("\"undo\":\"remove\",\"step\":0", "\"undo\":\"remove\",\"step\":1"),
            ("\"inode\":7", "\"shows\":\"7\""),
            ("\"shows\":\"0\\n\"", "\"inode\":7"),
        ] {
            let tampered: String = stored
                .lines()
                .map(|line| {
                    let json = line[9..].replace(from, to);
                    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
                })
                .collect();
            assert_ne!(tampered, stored, "{from}");
            assert!(parse(&tampered).is_err(), "{to}");
        }
    }

    #[test]
    fn error_names_another_version_or_format() {
        let first = "{\"version\":1,\"boot_id\":\"x\",\"pid\":1,\"tracefs\":\"/t\",\"instance\":\"x\",\"inverses\":[]}\n";
        assert_eq!(parse(first), Err("it is of version 1".to_owned()));
        for (changed, reason) in [
            (Header { version: 2, ..header() }, "it is of version 2"),
            (Header { format: "x".to_owned(), ..header() }, "it is a `x`"),
        ] {
            let mut lines = Vec::new();
            line::push(&mut lines, &changed).unwrap();
            assert_eq!(parse(&String::from_utf8(lines).unwrap()), Err(reason.to_owned()));
        }
    }
}
