//! The contents of a journal: its session, the steps that were begun, and the state after each.

use serde::{Deserialize, Serialize};
use tracec_kernel::plan::{Definition, InstanceName, Location, ModuleName};
use tracec_kernel::tables::files;

use super::line;

/// The name of the format.
const FORMAT: &str = "tracec journal";
/// The version of the format. A reader does not touch journals of other versions.
const VERSION: u32 = 4;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    format: String,
    version: u32,
    /// The id of the boot: after a reboot nothing is left to undo.
    pub(crate) boot_id: String,
    pub(crate) pid: u32,
    /// The mount point, for information only: every mount of tracefs shows the same files.
    tracefs: String,
    /// The instance of the session.
    pub(crate) instance: InstanceName,
}

/// A line after the first. A step that is undone with the instance has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JournalEntry {
    /// The step is about to be done.
    Intend {
        #[serde(flatten)]
        undo: JournalledUndo,
        step: usize,
    },
    /// The step was done, or was refused.
    Done {
        step: usize,
        #[serde(flatten)]
        state: State,
    },
    /// The session ends, and leaves the value of a shared file to another one that owns it too.
    Released { file: Location },
}

/// The undo of a step, with its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "undo", rename_all = "snake_case")]
pub(crate) enum JournalledUndo {
    /// Removes the instance, which the first step creates.
    Remove,
    /// Removes an event.
    RemoveEvent { definition: Definition },
    /// Unloads a module.
    Unload {
        module: ModuleName,
        /// The session, as the module shows it in its parameter [`ModuleName::SESSION`].
        session: String,
    },
    /// Writes the old value of a file that the session does not own.
    RestoreIfOurs {
        file: Location,
        /// The value to be written by the step.
        value: String,
        /// The text that the file showed before.
        old: String,
    },
}

/// The state after a step, by which undo recognises whether another program has changed it since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// The inode of the instance that was created.
    Inode(u64),
    /// The text that the file showed after the write; for an event, the lines about it in the list of events; for a
    /// module, the id of its build, or [`State::REFUSED`].
    Shows(String),
}

impl State {
    /// The state after the load of a module that the kernel has refused; no id of a build.
    pub(crate) const REFUSED: &str = "refused";

    fn shows(&self) -> Option<&str> {
        match self {
            State::Inode(_) => None,
            State::Shows(text) => Some(text),
        }
    }
}

/// A step that was begun and may have to be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    step: usize,
    pub(crate) undo: JournalledUndo,
    /// The state after it; `None` if it was not recorded.
    pub(crate) state: Option<State>,
    /// Whether another session undoes it.
    is_released: bool,
}

/// The steps that were begun, in order. The first creates the instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account(pub(crate) Vec<Begun>);

impl Header {
    pub(crate) fn new(boot_id: String, tracefs: String, instance: InstanceName) -> Self {
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

impl JournalledUndo {
    /// Returns whether `state` can be the state after the step.
    fn fits(&self, state: &State) -> bool {
        matches!(self, JournalledUndo::Remove) == matches!(state, State::Inode(_))
    }
}

impl Account {
    /// Returns the writes to a file, the last one first.
    pub(crate) fn writes<'a>(&'a self, file: &'a Location) -> impl Iterator<Item = Write<'a>> {
        self.0.iter().rev().filter(|begun| !begun.is_released).filter_map(move |begun| {
            let JournalledUndo::RestoreIfOurs { file: of, value, old } = &begun.undo else { return None };
            let shows = begun.state.as_ref().and_then(State::shows).map(|text| file.shown_value(text));
            let (old, value) = (file.shown_value(old), file.shown_value(value));
            (of == file).then_some(Write { old, value, shows })
        })
    }

    /// Returns the last write to a file, and the value that the file held before the first of those that follow each
    /// other; `None` if there is no write.
    pub(crate) fn original<'a>(&'a self, file: &'a Location) -> Option<(Write<'a>, &'a str)> {
        let mut writes = self.writes(file);
        let last = writes.next()?;
        let mut old = last.old;
        for earlier in writes {
            // Another program has written between two writes, and its value is the old one.
            if earlier.left_behind() != old {
                break;
            }
            old = earlier.old;
        }
        Some((last, old))
    }

    /// Adds the next line. Returns whether it follows from the lines before: a step is begun when the one before is
    /// done, and nothing is done before the instance is created. No session writes to a shared file that cannot be
    /// restored, so that none has a line about one.
    #[must_use]
    pub(crate) fn take(&mut self, entry: JournalEntry) -> bool {
        let last = self.0.last_mut();
        match entry {
            JournalEntry::Intend { undo, step } => {
                let follows = match (&undo, last) {
                    (JournalledUndo::Remove, None) => step == 0,
                    (JournalledUndo::Remove, Some(_))
                    | (_, None)
                    | (JournalledUndo::RestoreIfOurs { file: Location::Instance(_), .. }, _) => false,
                    (JournalledUndo::RestoreIfOurs { file: Location::Top(file), .. }, _)
                        if !files::is_restorable(file.as_str()) =>
                    {
                        false
                    }
                    (_, Some(last)) => last.state.is_some() && last.step < step,
                };
                if follows {
                    self.0.push(Begun { step, undo, state: None, is_released: false });
                }
                follows
            }
            JournalEntry::Done { step, state } => {
                let begun =
                    last.filter(|last| last.step == step && last.state.is_none() && last.undo.fits(&state));
                begun.map(|begun| begun.state = Some(state)).is_some()
            }
            JournalEntry::Released { file: released } => {
                let mut found = false;
                for begun in &mut self.0 {
                    if matches!(&begun.undo, JournalledUndo::RestoreIfOurs { file, .. } if *file == released)
                    {
                        found = !std::mem::replace(&mut begun.is_released, true);
                    }
                }
                found
            }
        }
    }
}

/// A write to a shared file that was begun, its values in a form that can be compared and written again.
pub(crate) struct Write<'a> {
    /// The value before it.
    pub(crate) old: &'a str,
    /// The value to be written.
    pub(crate) value: &'a str,
    /// The value after it; `None` if it was not recorded.
    pub(crate) shows: Option<&'a str>,
}

impl<'a> Write<'a> {
    /// Returns the value after it, or the one to be written if that was not recorded.
    pub(crate) fn left_behind(&self) -> &'a str {
        self.shows.unwrap_or(self.value)
    }
}

/// Reads a journal; `None` if it has no complete line. A last line without a newline was cut off by a kill before the
/// change that it announces had begun, perhaps within a character. The error says why the bytes are not a journal of
/// this version.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Header, Account)>, String> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').map_while(|line| line.strip_suffix(b"\n"));
    let mut lines = (1..).zip(lines).map(|(number, line)| match std::str::from_utf8(line) {
        Ok(line) => Ok((number, line)),
        Err(_) => Err(format!("line {number} is damaged: it is not UTF-8")),
    });
    let Some(first) = lines.next() else { return Ok(None) };
    let header = header(first?.1)?;
    let mut account = Account::default();
    for line in lines {
        let (number, line) = line?;
        let json = line::content(line).map_err(|damage| format!("line {number} is damaged: {damage}"))?;
        let entry = serde_json::from_str(json).map_err(|error| format!("line {number}: {error}"))?;
        if !account.take(entry) {
            return Err(format!("line {number} does not follow those before"));
        }
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

    fn restore(file: Location, value: &str, old: &str) -> JournalledUndo {
        JournalledUndo::RestoreIfOurs { file, value: value.to_owned(), old: old.to_owned() }
    }

    fn entries() -> Vec<JournalEntry> {
        let top = Location::Top(FilePath::new("buffer_percent").unwrap());
        let sysctl = Location::Sysctl(Sysctl::new("traceoff_on_warning").unwrap());
        let definition = Definition::new("p:tracec_x/e f").unwrap();
        let module = ModuleName::new("x_events").unwrap();
        let done = |step, shows: &str| JournalEntry::Done { step, state: State::Shows(shows.to_owned()) };
        vec![
            JournalEntry::Intend { undo: JournalledUndo::Remove, step: 0 },
            JournalEntry::Done { step: 0, state: State::Inode(7) },
            JournalEntry::Intend { undo: restore(top, "0", "50\n"), step: 3 },
            done(3, "0\n"),
            JournalEntry::Intend { undo: JournalledUndo::RemoveEvent { definition }, step: 4 },
            done(4, "p:tracec_x/e f+0"),
            JournalEntry::Intend { undo: restore(sysctl, "1", "0\n"), step: 5 },
            done(5, "1\n"),
            JournalEntry::Intend {
                undo: JournalledUndo::Unload { module, session: "7f".to_owned() },
                step: 6,
            },
            done(6, "0400"),
            JournalEntry::Released { file: Location::Top(FilePath::new("buffer_percent").unwrap()) },
        ]
    }

    fn text(entries: &[JournalEntry]) -> String {
        let mut lines = Vec::new();
        line::push(&mut lines, &header()).unwrap();
        entries.iter().for_each(|entry| line::push(&mut lines, entry).unwrap());
        String::from_utf8(lines).unwrap()
    }

    fn account(entries: &[JournalEntry]) -> Account {
        let mut account = Account::default();
        entries.iter().for_each(|entry| assert!(account.take(entry.clone())));
        account
    }

    #[test]
    fn line_about_a_file_that_no_session_writes_is_refused() {
        for file in ["set_event", "instances/other/set_event", "dynamic_events"] {
            let mut account = account(&entries()[..2]);
            let undo = restore(Location::Top(FilePath::new(file).unwrap()), "a", "b");
            assert!(!account.take(JournalEntry::Intend { undo, step: 3 }), "{file}");
        }
    }

    #[test]
    fn journal_is_read_back_as_it_was_written() {
        let stored = text(&entries());
        assert_eq!(
            stored.lines().skip(1).map(|line| &line[9..]).collect::<Vec<_>>(),
            [
                r#"{"intend":{"undo":"remove","step":0}}"#,
                r#"{"done":{"step":0,"inode":7}}"#,
                r#"{"intend":{"undo":"restore_if_ours","file":{"top":"buffer_percent"},"value":"0","old":"50\n","step":3}}"#,
                r#"{"done":{"step":3,"shows":"0\n"}}"#,
                r#"{"intend":{"undo":"remove_event","definition":"p:tracec_x/e f","step":4}}"#,
                r#"{"done":{"step":4,"shows":"p:tracec_x/e f+0"}}"#,
                r#"{"intend":{"undo":"restore_if_ours","file":{"sysctl":"traceoff_on_warning"},"value":"1","old":"0\n","step":5}}"#,
                r#"{"done":{"step":5,"shows":"1\n"}}"#,
                r#"{"intend":{"undo":"unload","module":"x_events","session":"7f","step":6}}"#,
                r#"{"done":{"step":6,"shows":"0400"}}"#,
                r#"{"released":{"file":{"top":"buffer_percent"}}}"#,
            ]
        );
        assert_eq!(parse(stored.as_bytes()), Ok(Some((header(), account(&entries())))));
    }

    #[test]
    fn truncated_last_line_is_ignored() {
        let whole = text(&entries());
        for length in 0..whole.len() {
            let lines = whole[..length].matches('\n').count();
            let expected =
                lines.checked_sub(1).map(|entries_left| (header(), account(&entries()[..entries_left])));
            assert_eq!(parse(&whole.as_bytes()[..length]), Ok(expected), "{length}");
        }
    }

    #[test]
    fn damage_before_the_last_line_is_refused_with_its_number() {
        let whole = text(&entries());
        for (number, line) in whole.lines().enumerate().map(|(index, line)| (index + 1, line)) {
            let damaged = whole.replacen(line, &line.replacen("\":", "\" :", 1), 1);
            let reason = parse(damaged.as_bytes()).unwrap_err();
            assert!(reason.starts_with(&format!("line {number} is damaged: its checksum is ")), "{reason}");
        }
    }

    #[test]
    fn lines_that_do_not_follow_are_refused() {
        let all = entries();
        for index in 0..all.len() {
            let mut missing = all.clone();
            missing.remove(index);
            let mut twice = all.clone();
            twice.insert(index, all[index].clone());
            assert!(parse(text(&twice).as_bytes()).unwrap_err().contains("does not follow"), "{index}");
            // A journal may end anywhere, and a value may be left to another owner then.
            let ends = all[index + 1..].iter().all(|entry| matches!(entry, JournalEntry::Released { .. }));
            if !ends {
                assert!(parse(text(&missing).as_bytes()).unwrap_err().contains("does not follow"), "{index}");
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
            ("\"module\":\"x_events\"", "\"module\":\"../x\""),
            (",\"session\":\"7f\"", ""),
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
            assert!(parse(tampered.as_bytes()).is_err(), "{to}");
        }
    }

    #[test]
    fn error_names_another_version_or_format() {
        let first = "{\"version\":1,\"boot_id\":\"x\",\"pid\":1,\"tracefs\":\"/t\",\"instance\":\"x\",\"inverses\":[]}\n";
        assert_eq!(parse(first.as_bytes()), Err("it is of version 1".to_owned()));
        for (changed, reason) in [
            (Header { version: 2, ..header() }, "it is of version 2"),
            (Header { format: "x".to_owned(), ..header() }, "it is a `x`"),
        ] {
            let mut lines = Vec::new();
            line::push(&mut lines, &changed).unwrap();
            assert_eq!(parse(&lines), Err(reason.to_owned()));
        }
    }
}
