//! The changes of a session: steps, each with the undo that is executed and journalled.
//!
//! A [`Transaction`] is all that is needed to apply, journal, undo and recover a session, also from a script. It is
//! checked when it is created and when it is deserialised: its steps are in order, its definitions are in groups of
//! tracec, and each undo fits its action. Its files are those of its own instance, sysctls of tracing, and files at the
//! top level of tracefs that can be put back ([`files::is_restorable`]): no lists, no files that take commands, and no
//! files of other instances.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Definition, FilePath, InstanceName, ModuleName, ScopedTasks, Span, Sysctl, stated};
use crate::tables::files;

/// The steps of a session, in the order in which they are done. Undo processes them in reverse order.
///
/// Only the first step creates the session's instance, and only the second leaves tracec's own tasks out. A session of
/// programs alone has no steps, and no instance: nothing is left of a program that nobody holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Transaction {
    instance: InstanceName,
    steps: Vec<Step>,
}

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// The undo of the action.
    pub undo: Undo,
    /// The expected value of the file before, if the tables state it. It is printed as `old -> new`.
    #[serde(deserialize_with = "stated::option")]
    pub old: Option<String>,
    /// The span of the clause that needs the step.
    pub origin: Span,
}

/// The action of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// `mkdir` of the session's instance. It fails if the instance exists.
    Create,
    /// The ids of the tasks of tracec are written to [`Action::LEFT_OUT`] of the instance, so that the session records
    /// none of them. They are known when the session is applied. The instance must still be as it was created, because
    /// the kernel's ids of tasks are taken from markers in its ring: the step follows [`Action::Create`] directly.
    LeaveOut,
    /// The ids of these tasks are written to [`Action::SCOPE`] of the instance, so that the session records those tasks and
    /// no others. They are known when the session is applied.
    Scope(Vec<ScopedTasks>),
    /// One `write(2)` of a value to a file, which replaces the file's contents.
    Write {
        /// The file.
        file: Location,
        /// The bytes written, without a trailing newline.
        value: String,
    },
    /// One `write(2)` of an entry to a file that is a list, such as `trigger`. The file must not be opened with
    /// `O_TRUNC`, which removes other entries.
    Append {
        /// The file.
        file: Location,
        /// The bytes written, without a trailing newline.
        value: String,
    },
    /// One `write(2)` of a definition to [`Definition::LIST`], whose other entries are kept.
    Define(Definition),
    /// A kernel module is loaded, which has events of the session. It fails if a module of its name is loaded. That a
    /// module was loaded that is not the kernel's own stays noted in `/proc/sys/kernel/tainted` until the machine
    /// restarts.
    Load {
        /// The name of the module.
        module: ModuleName,
        /// The path of its file.
        path: String,
    },
}

/// The way in which a step is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// No undo of its own: the state belongs to the instance and is removed with it.
    WithOwner,
    /// `rmdir` of the instance, if it is the one that the step created; or removal of the event, if it is listed as it
    /// was after the step; or the unload of the module, if it is the one that was loaded. The kernel does not remove an
    /// event that is in use, nor unload a module whose event is, so the instance is removed first.
    Remove,
    /// A write of the value before the step, if the file still holds the value that the step left. A file with another
    /// value was changed by another program: it is left unchanged and reported.
    RestoreIfOurs,
}

/// The location of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Location {
    /// A file below the session's instance: `events/sched/sched_switch/filter`, `buffer_size_kb`, ...
    Instance(FilePath),
    /// A file below the root of tracefs, which all users of the machine share.
    Top(FilePath),
    /// A file below `/proc/sys/kernel`, which is shared as well.
    Sysctl(Sysctl),
}

/// An error for steps that are not a transaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransactionError {
    /// The first step does not create the instance, or another step does.
    #[error("step {step} of the plan is misplaced: the first step, and no other, creates the instance")]
    Misplaced {
        /// The index of the step.
        step: usize,
    },
    /// A step that leaves tracec's own tasks out does not follow the creation of the instance directly.
    #[error("step {step} of the plan is misplaced: tracec's own tasks are left out by step 1 only")]
    LateLeaveOut {
        /// The index of the step.
        step: usize,
    },
    /// The undo of a step does not undo its action.
    #[error("step {step} of the plan, {action}, cannot be undone by `{undo}`")]
    UnfitUndo {
        /// The index of the step.
        step: usize,
        /// Its action.
        action: Action,
        /// Its undo.
        undo: Undo,
    },
}

impl Transaction {
    /// Checks the steps of a session with the instance `instance`.
    ///
    /// # Errors
    /// [`TransactionError`] for the first step that is misplaced or has an undo that does not fit its action.
    pub fn new(instance: InstanceName, steps: Vec<Step>) -> Result<Self, TransactionError> {
        for (index, Step { action, undo, .. }) in steps.iter().enumerate() {
            if (index == 0) != (*action == Action::Create) {
                return Err(TransactionError::Misplaced { step: index });
            }
            if *action == Action::LeaveOut && index != 1 {
                return Err(TransactionError::LateLeaveOut { step: index });
            }
            if !undo.fits(action) {
                let (action, undo) = (action.clone(), *undo);
                return Err(TransactionError::UnfitUndo { step: index, action, undo });
            }
        }
        Ok(Transaction { instance, steps })
    }

    /// Returns whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the instance that the session creates, if it has steps, and that owns the files below it.
    pub fn instance(&self) -> &InstanceName {
        &self.instance
    }

    /// Returns the transaction with another path of the file of the module that it loads.
    pub fn loading_from(mut self, file: &str) -> Self {
        for step in &mut self.steps {
            if let Action::Load { path, .. } = &mut step.action {
                file.clone_into(path);
            }
        }
        self
    }

    /// Returns how many of the first steps arm the session: the one after them switches its recording on. All of them if
    /// none does.
    pub fn arming(&self) -> usize {
        let switches_on = |step: &Step| {
            let file = step.action.written().filter(|(_, value)| *value == "1");
            file.is_some_and(|(file, _)| file.in_instance().is_some_and(|path| path.as_str() == "tracing_on"))
        };
        self.steps.iter().rposition(switches_on).unwrap_or(self.steps.len())
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// A transaction as it is serialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    instance: InstanceName,
    steps: Vec<Step>,
}

impl TryFrom<Unchecked> for Transaction {
    type Error = TransactionError;

    fn try_from(Unchecked { instance, steps }: Unchecked) -> Result<Self, Self::Error> {
        Transaction::new(instance, steps)
    }
}

impl Step {
    /// Returns the step that creates the session's instance.
    pub fn create(origin: Span) -> Self {
        Step { action: Action::Create, undo: Undo::Remove, old: None, origin }
    }

    /// Returns the step that leaves tracec's own tasks out.
    pub fn leave_out(origin: Span) -> Self {
        Step { action: Action::LeaveOut, undo: Undo::WithOwner, old: None, origin }
    }

    /// Returns the step that limits a session to some tasks.
    pub fn scope(tasks: Vec<ScopedTasks>, origin: Span) -> Self {
        Step { action: Action::Scope(tasks), undo: Undo::WithOwner, old: None, origin }
    }

    /// Returns a step that replaces the contents of a file.
    pub fn write(file: Location, value: impl Into<String>, origin: Span) -> Self {
        let undo = match file {
            Location::Instance(_) => Undo::WithOwner,
            Location::Top(_) | Location::Sysctl(_) => Undo::RestoreIfOurs,
        };
        Step { action: Action::Write { file, value: value.into() }, undo, old: None, origin }
    }

    /// Returns a step that adds an entry to a list of the instance.
    pub fn append(file: FilePath, entry: impl Into<String>, origin: Span) -> Self {
        let action = Action::Append { file: Location::Instance(file), value: entry.into() };
        Step { action, undo: Undo::WithOwner, old: None, origin }
    }

    /// Returns a step that defines an event.
    pub fn define(definition: Definition, origin: Span) -> Self {
        Step { action: Action::Define(definition), undo: Undo::Remove, old: None, origin }
    }

    /// Returns a step that loads a module.
    pub fn load(module: ModuleName, path: String, origin: Span) -> Self {
        Step { action: Action::Load { module, path }, undo: Undo::Remove, old: None, origin }
    }

    /// Sets the value that the file is expected to hold before.
    pub fn over(self, old: Option<&str>) -> Self {
        Step { old: old.map(str::to_owned), ..self }
    }
}

impl Action {
    /// The file with the tasks whose events an instance does not record (kernel/trace/trace_events.c).
    pub const LEFT_OUT: &str = "set_event_notrace_pid";

    /// The file with the tasks whose events alone an instance records; empty for all (kernel/trace/trace_events.c).
    pub const SCOPE: &str = "set_event_pid";

    /// Returns the file and the bytes that are written to it; `None` if a directory is created or a module loaded. The
    /// ids of tasks are not known to the plan.
    pub fn written(&self) -> Option<(Location, &str)> {
        match self {
            Action::Create | Action::Load { .. } => None,
            Action::LeaveOut => Some((Location::Instance(FilePath::known(Action::LEFT_OUT)), "")),
            Action::Scope(_) => Some((Location::Instance(FilePath::known(Action::SCOPE)), "")),
            Action::Write { file, value } | Action::Append { file, value } => Some((file.clone(), value)),
            Action::Define(definition) => {
                Some((Location::Top(FilePath::known(Definition::LIST)), definition.as_str()))
            }
        }
    }
}

impl Undo {
    /// Returns whether this undoes an action. An entry of a list outside of the instance has no undo, except for a
    /// definition: each list has its own way to remove an entry, and to distinguish it from an equal one of another
    /// program. A write at the top level has one only if a write of the value that the file showed puts it back.
    pub fn fits(self, action: &Action) -> bool {
        match (action, self) {
            (Action::Create | Action::Define(_) | Action::Load { .. }, Undo::Remove) => true,
            (
                Action::LeaveOut
                | Action::Scope(_)
                | Action::Write { file: Location::Instance(_), .. }
                | Action::Append { file: Location::Instance(_), .. },
                Undo::WithOwner,
            ) => true,
            (Action::Write { file: Location::Top(path), .. }, Undo::RestoreIfOurs) => {
                files::is_restorable(path.as_str())
            }
            (Action::Write { file: Location::Sysctl(_), .. }, Undo::RestoreIfOurs) => true,
            (_, Undo::WithOwner | Undo::Remove | Undo::RestoreIfOurs) => false,
        }
    }
}

impl Location {
    /// Returns the path if the file is in the instance.
    pub fn in_instance(&self) -> Option<&FilePath> {
        match self {
            Location::Instance(path) => Some(path),
            Location::Top(_) | Location::Sysctl(_) => None,
        }
    }

    /// Returns the value of a file that shows `text`, in a form that can be compared and written again.
    ///
    /// It has no white space around it. For a choice (`[local] global`) it is the marked one, for an event's `enable`
    /// the number without the `*` of soft mode, for an empty `filter` the text that clears it, for a buffer that was never
    /// used the size that its first use gives it (kernel/trace/trace.c, `tracing_clock_show`, `tracing_entries_read`;
    /// kernel/trace/trace_events.c, `event_enable_read`; kernel/trace/trace_events_filter.c,
    /// `print_event_filter`).
    pub fn shown_value<'t>(&self, text: &'t str) -> &'t str {
        let text = text.trim();
        let path = match self {
            Location::Instance(path) | Location::Top(path) => path,
            Location::Sysctl(_) => return text,
        };
        match (path.as_str().rsplit('/').next(), text) {
            (Some("filter"), "none") => "0",
            (Some("filter"), text) => text,
            (Some("enable"), "0*" | "1*") => text.trim_end_matches('*'),
            // Not expanded yet: it gets this size with its first use.
            (Some("buffer_size_kb"), text) => {
                let expanded = text.split_once("(expanded: ").and_then(|(_, size)| size.strip_suffix(')'));
                expanded.unwrap_or(text)
            }
            (_, text) => {
                let mut choices =
                    text.split_whitespace().filter_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
                choices.next().unwrap_or(text)
            }
        }
    }
}

/// Prints a path of the instance unchanged, one of the root of tracefs after a `/`, and a sysctl with its full path.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Instance(path) => write!(f, "{path}"),
            Location::Top(path) => write!(f, "/{path}"),
            Location::Sysctl(sysctl) => write!(f, "/proc/sys/{}", sysctl.path()),
        }
    }
}

/// Describes the action.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Create => f.write_str("the creation of the instance"),
            Action::LeaveOut => write!(f, "a write to `{}`", Action::LEFT_OUT),
            Action::Scope(_) => write!(f, "a write to `{}`", Action::SCOPE),
            Action::Write { file, .. } => write!(f, "a write to `{file}`"),
            Action::Append { file, .. } => write!(f, "an entry added to `{file}`"),
            Action::Define(definition) => write!(f, "the definition of `{}`", definition.event()),
            Action::Load { module, .. } => write!(f, "the load of the module `{module}`"),
        }
    }
}

/// Prints the name of the undo in a stored plan.
impl fmt::Display for Undo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undo::WithOwner => "with_owner",
            Undo::Remove => "remove",
            Undo::RestoreIfOurs => "restore_if_ours",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> FilePath {
        FilePath::new(path).unwrap()
    }

    fn steps() -> Vec<Step> {
        let (instance, top) = (Location::Instance(path("tracing_on")), Location::Top(path("buffer_percent")));
        vec![
            Step::create(Span::default()),
            Step::write(instance, "0", Span::default()).over(Some("1")),
            Step::write(top, "0", Span::default()),
            Step::append(path("events/a/b/trigger"), "traceoff:1", Span::default()),
            Step::write(Location::Sysctl(Sysctl::new("traceoff_on_warning").unwrap()), "1", Span::default()),
            Step::define(Definition::new("p:tracec_x/e f").unwrap(), Span::default()),
            Step::load(ModuleName::new("x_events").unwrap(), "/x_events.ko".to_owned(), Span::default()),
        ]
    }

    fn check(steps: Vec<Step>) -> Result<Transaction, TransactionError> {
        Transaction::new(InstanceName::new("x").unwrap(), steps)
    }

    #[test]
    fn only_the_first_step_creates_the_instance() {
        assert!(check(steps()).is_ok());
        let mut late = steps();
        late.swap(0, 1);
        let twice = [steps(), vec![Step::create(Span::default())]].concat();
        // A session of programs alone has no steps.
        assert!(check(Vec::new()).is_ok_and(|transaction| transaction.is_empty()));
        for (steps, step) in [(late, 0), (twice, 7), (steps().split_off(1), 0)] {
            assert_eq!(check(steps), Err(TransactionError::Misplaced { step }));
        }
    }

    #[test]
    fn own_tasks_are_left_out_directly_after_the_creation_of_the_instance() {
        let with = |indices: &[usize]| {
            let mut steps = steps();
            indices.iter().for_each(|index| steps.insert(*index, Step::leave_out(Span::default())));
            let stored = serde_json::json!({ "instance": "x", "steps": &steps });
            let read = serde_json::from_value::<Transaction>(stored).map_err(|error| error.to_string());
            let checked = check(steps);
            assert_eq!(read, checked.clone().map_err(|error| error.to_string()));
            checked.map(|_| ())
        };
        assert_eq!(with(&[1]), Ok(()));
        for late in 2..=steps().len() {
            assert_eq!(with(&[late]), Err(TransactionError::LateLeaveOut { step: late }));
            assert_eq!(with(&[1, late]), Err(TransactionError::LateLeaveOut { step: late }));
        }
        assert_eq!(with(&[0]), Err(TransactionError::Misplaced { step: 0 }));
    }

    #[test]
    fn undo_that_does_not_fit_its_action_is_refused() {
        let all = [Undo::WithOwner, Undo::Remove, Undo::RestoreIfOurs];
        for index in 0..steps().len() {
            let right = steps()[index].undo;
            for wrong in all.into_iter().filter(|undo| *undo != right) {
                let mut steps = steps();
                steps[index].undo = wrong;
                let action = steps[index].action.clone();
                assert_eq!(
                    check(steps),
                    Err(TransactionError::UnfitUndo { step: index, action, undo: wrong })
                );
            }
        }
    }

    #[test]
    fn entry_of_a_shared_list_has_no_undo() {
        let trigger = (Location::Top(path("events/a/b/trigger")), "traceoff:1");
        // A definition of an event is not checked as an entry.
        let definition = (Location::Top(path(Definition::LIST)), "p:tracec_x/e f");
        let sysctl = (Location::Sysctl(Sysctl::new("traceoff_on_warning").unwrap()), "1");
        let undos = [Undo::WithOwner, Undo::Remove, Undo::RestoreIfOurs];
        let entries = [trigger, definition, sysctl];
        for ((file, value), undo) in entries.iter().flat_map(|entry| undos.map(|undo| (entry.clone(), undo)))
        {
            let action = Action::Append { file, value: value.to_owned() };
            let step = Step { action, undo, old: None, origin: Span::default() };
            let error = check(vec![steps().remove(0), step]).unwrap_err();
            assert!(matches!(error, TransactionError::UnfitUndo { step: 1, .. }), "{error:?}");
        }
    }

    #[test]
    fn file_at_the_top_level_is_written_only_if_it_can_be_put_back() {
        let write = |file: &str| {
            let step = Step::write(Location::Top(path(file)), "1", Span::default());
            check(vec![steps().remove(0), step]).map(|_| ())
        };
        for file in [
            "tracing_on",
            "trace_clock",
            "buffer_percent",
            "tracing_cpumask",
            "options/overwrite",
            "buffer_size_kb",
            "events/sched/sched_switch/enable",
            "events/sched/sched_switch/filter",
        ] {
            assert_eq!(write(file), Ok(()), "{file}");
        }
        for file in [
            Definition::LIST,
            "kprobe_events",
            "uprobe_events",
            "synthetic_events",
            "set_event",
            "set_event_pid",
            Action::LEFT_OUT,
            "set_ftrace_filter",
            "set_ftrace_pid",
            "current_tracer",
            "trace",
            "trace_marker",
            "trace_marker_raw",
            "free_buffer",
            "snapshot",
            "error_log",
            "events/enable",
            "events/sched/enable",
            "events/sched/sched_switch/format",
            "events/sched/sched_switch/trigger",
            "per_cpu/cpu0/buffer_size_kb",
            "instances/other/tracing_on",
            "instances/x/tracing_on",
            "instances/other",
            "no_such_file",
        ] {
            let error = write(file).unwrap_err().to_string();
            let expected = format!("step 1 of the plan, a write to `/{file}`, cannot be undone by");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn stored_transaction_is_checked_when_it_is_read() {
        let stored = serde_json::to_string(&check(steps()).unwrap()).unwrap();
        let read = |text: &str| serde_json::from_str::<Transaction>(text).map_err(|error| error.to_string());
        assert_eq!(read(&stored), Ok(check(steps()).unwrap()));
        for (from, to, reason) in [
            ("{\"instance\":\"tracing_on\"}", "{\"instance\":\"../../tracing_on\"}", "not a path below"),
            ("{\"instance\":\"tracing_on\"}", "{\"instance\":\"/tracing_on\"}", "not a path below"),
            ("{\"top\":\"buffer_percent\"}", "{\"top\":\"../etc/passwd\"}", "not a path below"),
            (
                "{\"top\":\"buffer_percent\"}",
                "{\"top\":\"dynamic_events\"}",
                "a write to `/dynamic_events`, cannot be undone",
            ),
            ("\"instance\":\"x\"", "\"instance\":\"..\"", "an instance name is"),
            ("\"traceoff_on_warning\"", "\"core_pattern\"", "`core_pattern` is not a sysctl that"),
            ("\"traceoff_on_warning\"", "\"../../etc/passwd\"", "is not a sysctl that"),
            ("\"x_events\"", "\"../x\"", "is not the name of a module"),
            ("p:tracec_x/e f", "p:theirs/e f", "is not one line"),
            ("p:tracec_x/e f", "p:tracec_x/e f\\n-:theirs/e", "is not one line"),
            ("p:tracec_x/e f", "p:tracec_x/e f\\u0000", "is not one line"),
            ("p:tracec_x/e f", "-:tracec_x/e", "is not one line"),
            (
                "\"with_owner\"",
                "\"restore_if_ours\"",
                "step 1 of the plan, a write to `tracing_on`, cannot be undone",
            ),
            (
                "\"restore_if_ours\"",
                "\"with_owner\"",
                "step 2 of the plan, a write to `/buffer_percent`, cannot",
            ),
            ("\"remove\"", "\"restore_if_ours\"", "step 0 of the plan, the creation of the instance, cannot"),
            ("\"remove\"", "\"forget\"", "unknown variant"),
            (
                "{\"action\":\"create\",\"undo\":\"remove\",\"old\":null,\"origin\":{\"file\":0,\"start\":0,\"end\":0}},",
                "",
                "step 0 of the plan is misplaced",
            ),
        ] {
            let tampered = stored.replacen(from, to, 1);
            assert_ne!(tampered, stored, "{from}");
            let error = read(&tampered).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn shown_value_can_be_written_again() {
        for (file, shown, value) in [
            ("buffer_percent", "50\n", "50"),
            ("trace_clock", "[local] global counter uptime perf mono\n", "local"),
            ("instances/x/trace_clock", "local global counter [mono]\n", "mono"),
            ("events/a/b/enable", "0*\n", "0"),
            ("events/a/b/enable", "1\n", "1"),
            ("events/a/b/filter", "none\n", "0"),
            ("events/a/b/filter", "prev_comm ~ \"a [b] c\"\n", "prev_comm ~ \"a [b] c\""),
            ("set_event_pid", "\n", ""),
            ("buffer_size_kb", "1410\n", "1410"),
            ("buffer_size_kb", "7 (expanded: 1408)\n", "1408"),
            ("buffer_size_kb", "X\n", "X"),
        ] {
            assert_eq!(Location::Top(path(file)).shown_value(shown), value);
        }
        let sysctl = Location::Sysctl(Sysctl::new("ftrace_dump_on_oops").unwrap());
        assert_eq!(sysctl.shown_value("0 [x]\n"), "0 [x]");
    }
}
