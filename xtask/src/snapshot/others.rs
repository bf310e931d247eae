//! What other programs make and remove between two snapshots: their instances and their events. A session of tracec is
//! compared without them, since the machine's other users need not stop for it.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Contents, Kind, State};

type Entries = BTreeMap<String, State>;

/// The start of the name of every instance and every group of events that a session or a test of tracec makes.
const OWN: &str = "tracec";

/// The number of names that a note shows.
const SHOWN: usize = 3;

/// The files that list events that were defined.
const LISTS: [&str; 4] = ["dynamic_events", "kprobe_events", "synthetic_events", "uprobe_events"];

/// Takes out of two snapshots the instances that differ, and the events that were made, removed or made anew between
/// them, whose names are not tracec's. Returns them in words.
///
/// An instance of another program is its program's to change. That sessions do not change one is shown by tests of
/// their own, whose instances have tracec's name.
pub(super) fn take_out(old: &mut Entries, new: &mut Entries) -> Vec<String> {
    let mut taken = take_out_events(old, new);
    taken.extend(take_out_groups(old, new));
    for entries in [&mut *old, &mut *new] {
        // The kernel writes it in parts: while events come and go, a line can be missing or be there twice. The
        // directories show the same.
        for root in roots(entries) {
            if let Some(state) = entries.get_mut(&format!("{root}available_events")) {
                state.contents = Contents::Unread;
            }
        }
    }
    taken.extend(take_out_instances(old, new));
    taken
}

fn take_out_instances(old: &mut Entries, new: &mut Entries) -> Vec<String> {
    let names: BTreeSet<String> =
        [&*old, &*new].iter().flat_map(|entries| roots(entries)).filter(|root| !root.is_empty()).collect();
    let name = |root: &str| root["instances/".len()..root.len() - 1].to_owned();
    let mut taken = Vec::new();
    for root in names.iter().filter(|root| !name(root).starts_with(OWN)) {
        if !below(old, root).eq(below(new, root)) {
            for entries in [&mut *old, &mut *new] {
                remove(entries, root.trim_end_matches('/'));
            }
            taken.push(format!("instance `{}`", name(root)));
        }
    }
    taken
}

fn take_out_events(old: &mut Entries, new: &mut Entries) -> Vec<String> {
    let at = roots(new);
    let roots: Vec<String> = roots(old).into_iter().filter(|root| at.contains(root)).collect();
    let (before, after) = (sightings(old, &roots), sightings(new, &roots));
    let names: BTreeSet<&Event> = before.keys().chain(after.keys()).collect();
    let differ = |event: &&Event| before.get(*event) != after.get(*event);
    let taken: BTreeSet<Event> =
        names.into_iter().filter(|event| !event.is_own()).filter(differ).cloned().collect();
    if !taken.is_empty() {
        for entries in [old, new] {
            for root in &roots {
                remove_events(entries, root, &taken);
            }
        }
    }
    taken.iter().map(|Event { group, name }| format!("event `{group}:{name}`")).collect()
}

/// Takes out the groups that had no event when they were looked at and are in one snapshot alone: the last event of a
/// group was just removed, or its first one not yet made.
fn take_out_groups(old: &mut Entries, new: &mut Entries) -> Vec<String> {
    let mut taken = BTreeSet::new();
    for group in groups_without_events(old, new).into_iter().chain(groups_without_events(new, old)) {
        let name = group.rsplit('/').next().unwrap_or_default();
        taken.insert(format!("group of events `{name}`"));
        remove(old, &group);
        remove(new, &group);
    }
    taken.into_iter().collect()
}

/// Returns the paths of the groups without an event that are in this snapshot and not in the other one.
fn groups_without_events(entries: &Entries, other: &Entries) -> Vec<String> {
    let mut found = Vec::new();
    for root in roots(entries) {
        let directory = format!("{root}events/");
        for (path, state) in below(entries, &directory) {
            let name = &path[directory.len()..];
            let is_group = state.kind == Kind::Directory && !name.contains('/') && !name.starts_with(OWN);
            let has_event =
                || below(entries, &format!("{path}/")).any(|(_, state)| state.kind == Kind::Directory);
            if is_group && !other.contains_key(path) && !has_event() {
                found.push(path.clone());
            }
        }
    }
    found
}

/// Returns a note on what was taken out, with the first names; `None` if nothing was.
#[must_use]
pub fn note(taken: &[String]) -> Option<String> {
    let more = taken.len().checked_sub(SHOWN).filter(|more| *more > 0);
    let names = taken.get(..SHOWN).unwrap_or(taken).join(", ");
    let more = more.map_or(String::new(), |more| format!(" and {more} more"));
    (!taken.is_empty())
        .then(|| format!("not compared, since other programs made or removed it meanwhile: {names}{more}"))
}

/// An event by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    group: String,
    name: String,
}

impl Event {
    fn new(group: &str, name: &str) -> Self {
        Self { group: group.to_owned(), name: name.to_owned() }
    }

    fn is_own(&self) -> bool {
        self.group.starts_with(OWN) || self.name.starts_with(OWN)
    }

    /// Returns the event in a line of one of the [`LISTS`]: `p:GROUP/NAME ..`, and `s:NAME ..` or `NAME ..` of
    /// synthetic events.
    fn of_line(list: &str, line: &str) -> Option<Self> {
        let word = line.split_whitespace().next()?;
        match (list, word.split_once(':')) {
            ("synthetic_events", None) => Some(Self::new("synthetic", word)),
            (_, Some(("s", name))) => Some(Self::new("synthetic", name)),
            (_, Some((_, definition))) => {
                let (group, name) = definition.split_once('/')?;
                Some(Self::new(group, name))
            }
            (_, None) => None,
        }
    }
}

/// Returns each event with what shows that it is there: its directories, with its id, and the lists that it is in. A
/// snapshot takes time, so that an event that comes or goes meanwhile is in some of them only.
fn sightings(entries: &Entries, roots: &[String]) -> BTreeMap<Event, BTreeSet<String>> {
    let mut found: BTreeMap<Event, BTreeSet<String>> = BTreeMap::new();
    for root in roots {
        let directory = format!("{root}events/");
        for (path, state) in below(entries, &directory) {
            let Some((group, name)) = path[directory.len()..].split_once('/') else { continue };
            if state.kind == Kind::Directory && !name.contains('/') {
                let id = text(entries, &format!("{path}/id")).unwrap_or_default();
                found.entry(Event::new(group, name)).or_default().insert(format!("{directory}{id}"));
            }
        }
        for list in LISTS {
            let path = format!("{root}{list}");
            for line in text(entries, &path).unwrap_or_default().lines() {
                if let Some(event) = Event::of_line(list, line) {
                    found.entry(event).or_default().insert(path.clone());
                }
            }
        }
    }
    found
}

/// Removes events from the directory and the lists of an instance, and the directories of groups that are then empty.
fn remove_events(entries: &mut Entries, root: &str, events: &BTreeSet<Event>) {
    for Event { group, name } in events {
        remove(entries, &format!("{root}events/{group}/{name}"));
    }
    let groups: BTreeSet<&String> = events.iter().map(|event| &event.group).collect();
    for group in groups {
        let directory = format!("{root}events/{group}/");
        if !below(entries, &directory).any(|(_, state)| state.kind == Kind::Directory) {
            remove(entries, directory.trim_end_matches('/'));
        }
    }
    for list in LISTS {
        let path = format!("{root}{list}");
        let Some(lines) = text(entries, &path) else { continue };
        let stays = |line: &&str| Event::of_line(list, line).is_none_or(|event| !events.contains(&event));
        let lines: String = lines.split_inclusive('\n').filter(stays).collect();
        if let Some(state) = entries.get_mut(&path) {
            state.contents = Contents::Bytes(lines.into_bytes());
        }
    }
}

/// Returns the start of the paths of the top level and of each instance.
fn roots(entries: &Entries) -> Vec<String> {
    let instances = below(entries, "instances/");
    let names = instances.filter(|(path, _)| path.matches('/').count() == 1);
    std::iter::once(String::new()).chain(names.map(|(path, _)| format!("{path}/"))).collect()
}

fn text<'e>(entries: &'e Entries, path: &str) -> Option<&'e str> {
    match &entries.get(path)?.contents {
        Contents::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        Contents::Unread | Contents::Refused(_) => None,
    }
}

fn below<'e>(entries: &'e Entries, directory: &str) -> impl Iterator<Item = (&'e String, &'e State)> {
    entries.range(directory.to_owned()..).take_while(move |(path, _)| path.starts_with(directory))
}

/// Removes a directory and what is below it.
fn remove(entries: &mut Entries, directory: &str) {
    entries.remove(directory);
    let paths: Vec<String> = below(entries, &format!("{directory}/")).map(|(path, _)| path.clone()).collect();
    for path in paths {
        entries.remove(&path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::Snapshot;
    use super::super::walk;

    fn add_event(root: &Path, name: &str, id: u32) {
        let (group, event) = name.split_once(':').unwrap();
        let directory = root.join("events").join(group).join(event);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("id"), format!("{id}\n")).unwrap();
        fs::write(root.join("events").join(group).join("enable"), "0\n").unwrap();
        let append = |list: &str, line: String| {
            let text = fs::read_to_string(root.join(list)).unwrap_or_default();
            fs::write(root.join(list), text + &line).unwrap();
        };
        append("available_events", format!("{name}\n"));
        append("dynamic_events", format!("p:{group}/{event} do_exit\n"));
    }

    fn add_instance(root: &Path, name: &str) {
        let instance = root.join("instances").join(name);
        fs::create_dir_all(&instance).unwrap();
        fs::write(instance.join("tracing_on"), "1\n").unwrap();
        add_event(&instance, "sched:sched_switch", 300);
    }

    /// Returns what differs after a change of a small tree, and what others did to it.
    fn compared(change: impl FnOnce(&Path)) -> (Vec<String>, Vec<String>) {
        let root = tempfile::tempdir().unwrap();
        add_event(root.path(), "sched:sched_switch", 300);
        add_instance(root.path(), "theirs");
        let before = picture(root.path());
        change(root.path());
        let (differences, others) = before.diff_beside_others(&picture(root.path()));
        (differences.into_iter().map(|difference| difference.path).collect(), others)
    }

    /// Returns a snapshot without the state outside the tree, which other tests change at the same time.
    fn picture(root: &Path) -> Snapshot {
        let mut entries = std::collections::BTreeMap::new();
        walk::tracefs(root, walk::Part::All, &mut entries).unwrap();
        Snapshot { entries }
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn note_shows_the_first_names() {
        let taken = |count: usize| (0..count).map(|index| format!("instance `{index}`")).collect::<Vec<_>>();
        assert_eq!(super::note(&taken(0)), None);
        let note = |count| super::note(&taken(count)).unwrap().split_once(": ").unwrap().1.to_owned();
        assert_eq!(note(1), "instance `0`");
        assert_eq!(note(5), "instance `0`, instance `1`, instance `2` and 2 more");
    }

    #[test]
    fn instances_of_others_come_and_go() {
        let (differences, others) = compared(|root| {
            fs::remove_dir_all(root.join("instances/theirs")).unwrap();
            add_instance(root, "new");
        });
        assert_eq!(differences, NONE);
        assert_eq!(others, ["instance `new`", "instance `theirs`"]);
    }

    #[test]
    fn others_change_their_instances() {
        let (differences, others) =
            compared(|root| fs::write(root.join("instances/theirs/tracing_on"), "0\n").unwrap());
        assert_eq!((differences.len(), others), (0, vec!["instance `theirs`".to_owned()]));
    }

    #[test]
    fn change_of_an_instance_of_tracec_is_a_difference() {
        let root = tempfile::tempdir().unwrap();
        add_instance(root.path(), "tracec-foreign");
        let before = picture(root.path());
        fs::write(root.path().join("instances/tracec-foreign/tracing_on"), "0\n").unwrap();
        assert_eq!(before.diff_beside_others(&picture(root.path())).0.len(), 1);
    }

    #[test]
    fn what_tracec_leaves_is_a_difference() {
        let (differences, others) = compared(|root| {
            add_instance(root, "tracec.left.1");
            add_event(root, "tracec_left:probe", 1000);
        });
        let expected = ["dynamic_events", "events/tracec_left", "instances/tracec.left.1"];
        assert_eq!((differences, others.len()), (expected.map(str::to_owned).to_vec(), 0));
    }

    #[test]
    fn events_of_others_come_and_go_everywhere() {
        let (differences, others) = compared(|root| {
            for root in [root.to_owned(), root.join("instances/theirs")] {
                add_event(&root, "other:probe", 1001);
                add_event(&root, "sched:also", 1002);
            }
        });
        assert_eq!(differences, NONE);
        assert_eq!(others, ["event `other:probe`", "event `sched:also`"]);
    }

    #[test]
    fn event_that_is_only_half_there_is_another() {
        let (differences, others) = compared(|root| {
            add_event(root, "other:probe", 1001);
            fs::remove_dir_all(root.join("events/other")).unwrap();
        });
        assert_eq!(differences, NONE);
        assert_eq!(others, ["event `other:probe`"]);
    }

    #[test]
    fn group_whose_events_are_gone_is_another() {
        let (differences, others) = compared(|root| {
            fs::create_dir(root.join("events/other")).unwrap();
            fs::write(root.join("events/other/enable"), "0\n").unwrap();
            fs::create_dir(root.join("events/tracec_left")).unwrap();
        });
        assert_eq!(differences, ["events/tracec_left"]);
        assert_eq!(others, ["group of events `other`"]);
    }

    #[test]
    fn event_with_another_id_was_made_anew() {
        let (differences, others) =
            compared(|root| fs::write(root.join("events/sched/sched_switch/id"), "301\n").unwrap());
        assert_eq!((differences.len(), others), (0, vec!["event `sched:sched_switch`".to_owned()]));
    }

    #[test]
    fn change_of_an_event_is_a_difference() {
        let (differences, others) =
            compared(|root| fs::write(root.join("events/sched/enable"), "1\n").unwrap());
        assert_eq!((differences, others.len()), (vec!["events/sched/enable".to_owned()], 0));
    }
}
