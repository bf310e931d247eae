//! A checked definition of an event in `dynamic_events`.

use serde::{Deserialize, Serialize};

use super::checked::checked_text;
use crate::tables::probe_kinds::{self, Realisation};

/// The prefix of the groups in which tracec defines events. It is assumed that no other program uses it: undo removes
/// events of such a group.
const OWN_GROUP: &str = "tracec_";
/// The length of the longest line in a list of definitions (`trace_parse_run_command` in kernel/trace/trace.c).
const LONGEST: usize = 4094;
/// The length of the longest name of a group or an event (`MAX_EVENT_NAME_LEN` in kernel/trace/trace_probe.h).
const LONGEST_NAME: usize = 63;

/// A line of `dynamic_events` that defines an event in a group of tracec: `p:tracec_GROUP/EVENT PLACE ..`.
///
/// The kernel accepts several lines in one write, and also lines that remove events. This is a single line, and defines
/// an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Definition(String);

/// An error for a text that is not such a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not one line `KIND:{OWN_GROUP}GROUP/EVENT ..` that defines a probe", .0.escape_debug())]
pub struct InvalidDefinition(pub String);

impl Definition {
    /// The list that accepts definitions of every kind, below the root of tracefs. It must not be opened with
    /// `O_TRUNC`, which removes the events of all programs.
    pub const LIST: &str = "dynamic_events";

    /// Checks a line.
    ///
    /// # Errors
    /// [`InvalidDefinition`] unless it is one line that defines a probe in a group of tracec.
    pub fn new(line: impl Into<String>) -> Result<Self, InvalidDefinition> {
        let line = line.into();
        if is_definition(&line) { Ok(Definition(line)) } else { Err(InvalidDefinition(line)) }
    }

    /// Returns the event, `GROUP/EVENT`.
    pub fn event(&self) -> &str {
        event_of(&self.0).unwrap_or_default()
    }

    /// Returns the line that removes the event.
    pub fn removal(&self) -> String {
        format!("-:{}", self.event())
    }

    /// Returns the lines of a listing that define the event, each without its newline. An event of several probes has
    /// several.
    pub fn listed(&self, listing: &str) -> String {
        let own = listing.lines().filter(|line| event_of(line) == Some(self.event()));
        own.collect::<Vec<_>>().join("\n")
    }
}

fn is_definition(line: &str) -> bool {
    let is_named = |name: &str| name.len() <= LONGEST_NAME && is_identifier(name);
    let kind = line.split(':').next().unwrap_or_default();
    // A return probe may have a maximum number of instances: `r16:`.
    let letter = kind.trim_end_matches(|c: char| c.is_ascii_digit() && kind.starts_with('r'));
    let is_kind = probe_kinds::ALL.iter().any(|known| match known.realisation {
        Realisation::Dynamic(own) => letter.chars().eq([own]),
        Realisation::Bpf(_) | Realisation::Uprobes | Realisation::Perf => false,
    });
    let names = event_of(line).and_then(|event| event.split_once('/'));
    let is_own = names.is_some_and(|(group, event)| {
        group.len() > OWN_GROUP.len() && group.starts_with(OWN_GROUP) && is_named(group) && is_named(event)
    });
    is_kind && is_own && line.len() <= LONGEST && !line.contains(char::is_control)
}

/// Returns the event that a line defines, `GROUP/EVENT`.
fn event_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(':')?;
    rest.split([' ', '\t']).next()
}

/// Returns whether a text is an identifier of C (`is_good_name` in kernel/trace/trace.h).
fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

checked_text!(Definition, InvalidDefinition);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_in_a_group_of_tracec_is_a_definition() {
        for (line, event) in [
            ("p:tracec_x/open do_sys_open", "tracec_x/open"),
            ("p:tracec_1/e /bin/true:0x2000 a=%di:u32", "tracec_1/e"),
            ("r16:tracec_x/ret do_sys_open ret=$retval", "tracec_x/ret"),
            ("e:tracec_x/e sched.sched_switch x=$prev_prio if prev_prio < 100", "tracec_x/e"),
            ("f:tracec_x/e vfs_read%return", "tracec_x/e"),
            ("t:tracec_x/e sched_switch", "tracec_x/e"),
        ] {
            let definition = Definition::new(line).unwrap();
            assert_eq!((definition.event(), definition.removal()), (event, format!("-:{event}")));
        }
        let group = format!("tracec_{}", "x".repeat(LONGEST_NAME - 7));
        assert!(Definition::new(format!("p:{group}/e f")).is_ok());
        assert!(Definition::new(format!("p:{group}x/e f")).is_err());
        let head = "p:tracec_x/e ";
        assert!(Definition::new(format!("{head}{}", "f".repeat(LONGEST - head.len()))).is_ok());
        assert!(Definition::new(format!("{head}{}", "f".repeat(LONGEST - head.len() + 1))).is_err());
    }

    #[test]
    fn line_of_another_form_is_refused() {
        for line in [
            "",
            "p",
            "#p:tracec_x/e f",
            // Removals: of one event, of a group, and in the other syntax.
            "-:tracec_x/e",
            "-:tracec_x/",
            "!p:tracec_x/e f",
            // Groups: another program's, with tracec's prefix in the middle, the prefix only, and none.
            "p:kprobes/e f",
            "p:mytracec_x/e f",
            "p:tracec_/e f",
            "p:e f",
            "p: f",
            "p f",
            "p:tracec_x/ f",
            "p:tracec_x f",
            // Other characters and separators.
            "p:tracec_x.e f",
            "p:tracec_x/../e f",
            "p:tracec_x/e/e f",
            "p:tracec_x/1e f",
            "p:tracec-x/e f",
            // A second line, or a character that ends the line for the kernel.
            "p:tracec_x/e f\n-:theirs/e",
            "p:tracec_x/e f\r",
            "p:tracec_x/e f\0",
            "p:tracec_x/e\tf",
            // Not a kind of probe.
            "s:tracec_x/e u64 a",
            "u:tracec_x/e u64 a",
            "q:tracec_x/e f",
            "pp:tracec_x/e f",
            "p16:tracec_x/e f",
            "16:tracec_x/e f",
        ] {
            assert_eq!(Definition::new(line), Err(InvalidDefinition(line.to_owned())));
        }
    }

    #[test]
    fn listed_returns_only_lines_of_the_event() {
        let definition = Definition::new("p:tracec_x/e /bin/true:0x20").unwrap();
        let listing = "p:theirs/e f\nr:tracec_x/e /bin/true:0x0020\np:tracec_x/ee f\np:tracec_x/e f a=%di\n";
        assert_eq!(definition.listed(listing), "r:tracec_x/e /bin/true:0x0020\np:tracec_x/e f a=%di");
        assert_eq!(definition.listed("p:theirs/e f\n"), "");
        assert_eq!(definition.listed(""), "");
    }
}
