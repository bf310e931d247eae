//! The output of `tracec plan`.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::{
    Action, DumpFiles, HostCondition, KeptRing, LeftOut, Location, Plan, Program, Rotation, Span, Step, Then,
    Transaction, Watch,
};
use crate::escaped::is_unprintable;
use crate::shown::ShownEvent;

/// Why a session needs steps that no clause of it asks for: file, value, reason.
const IMPLIED: &[(&str, &str, &str)] = &[
    ("tracing_on", "0", "nothing is recorded until all is set"),
    ("tracing_on", "1", "from here on"),
    ("buffer_percent", "0", "the first record wakes the reader"),
];

/// A plan with the lines of the clauses that its steps are for.
struct WithLines<'p, F> {
    plan: &'p Plan,
    line_of: F,
}

/// The columns of a step: a line, a sign, a path, the old value, the new value and a reason.
struct Row {
    line: String,
    sign: char,
    path: String,
    change: Option<Change>,
    why: Option<&'static str>,
}

/// The last columns of a step that writes a file.
struct Change {
    /// `None` for an entry that is added to a list.
    old: Option<String>,
    new: String,
}

/// Prints the plan as [`Plan::with_lines`] does, without lines.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        WithLines { plan: self, line_of: |_| None }.fmt(f)
    }
}

impl Plan {
    /// Returns the plan as text: one line per step in their order, with aligned columns; then the conditions of the
    /// host, the end of the session, the output, and counts. It ends in a newline.
    ///
    /// `line_of` returns the line of a clause, which precedes the steps that are for it. Steps that the session needs
    /// as a whole have none, and a reason. An old value that is not known is called `unknown`.
    pub fn with_lines(&self, line_of: impl Fn(Span) -> Option<String>) -> impl fmt::Display {
        WithLines { plan: self, line_of }
    }
}

impl<F: Fn(Span) -> Option<String>> fmt::Display for WithLines<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.plan;
        match plan.transaction.is_empty() {
            true => writeln!(f, "session {}, which changes nothing in tracefs", one_line(&plan.session))?,
            false => writeln!(
                f,
                "session {} in instances/{}",
                one_line(&plan.session),
                plan.transaction.instance()
            )?,
        }
        let own = [&plan.transaction];
        let transactions = own.into_iter().chain(plan.watches.iter().map(|watch| &watch.transaction));
        let of_one =
            |transaction| Transaction::steps(transaction).iter().map(|step| self.row(transaction, step));
        let rows: Vec<Row> = transactions.flat_map(of_one).collect();
        let width = |text: &str| text.chars().count();
        let writes = || rows.iter().filter_map(|row| Some((row, row.change.as_ref()?)));
        let line_width = rows.iter().map(|row| width(&row.line)).max().unwrap_or(0);
        let path_width = writes().map(|(row, _)| width(&row.path)).max().unwrap_or(0);
        let old_width =
            writes().filter_map(|(_, change)| change.old.as_deref().map(width)).max().unwrap_or(0);
        for Row { line, sign, path, change, why } in &rows {
            let between = if line_width == 0 { "" } else { "  " };
            write!(f, "  {line:>line_width$}{between}{sign} ")?;
            match change {
                None => write!(f, "{path}")?,
                Some(Change { old: Some(old), new }) => {
                    write!(f, "{path:path_width$}  {old:>old_width$} -> {new}")?;
                }
                Some(Change { old: None, new }) => {
                    write!(f, "{path:path_width$}  {:old_width$}    {new}", "")?;
                }
            }
            match why {
                Some(why) => writeln!(f, "  ({why})")?,
                None => writeln!(f)?,
            }
        }
        for Program { name, event, instructions, .. } in plan.programs.iter().flat_map(|own| &own.programs) {
            let (name, event) = (one_line(name), one_line(event));
            writeln!(f, "    program {name} of {instructions} instructions at {event}")?;
        }
        for (events, condition) in plan.host_conditions() {
            writeln!(f, "    host: {events} if {condition}")?;
        }
        for event in &plan.reading.shown {
            writeln!(f, "    shown: {}", one_line(&shown(event)))?;
        }
        if plan.reading.without_children.is_some() {
            writeln!(f, "    host: children of the scope's processes are left out")?;
        }
        for LeftOut { event, reason, .. } in &plan.left_out {
            writeln!(f, "    {}: left out, it {}", one_line(event), one_line(reason))?;
        }
        writeln!(f, "ends    {}", plan.end())?;
        if let Some(KeptRing { last, origin: _ }) = plan.life.ring {
            let last = last.map_or(String::new(), |last| format!(" of the last {}", duration(last)));
            let at_end = plan.output.is_some() || !plan.has_dumps();
            let when = if at_end { "when it ends" } else { "for each dump" };
            writeln!(f, "ring    the newest records{last} are read {when}")?;
        }
        if plan.life.snapshot.is_some() {
            writeln!(
                f,
                "snapshot when its trigger fires; written to a file of its own when the session ends"
            )?;
        }
        for (watch, DumpFiles { to, max }) in
            plan.watches.iter().filter_map(|watch| Some((watch, watch.dump()?)))
        {
            let (path, form) = (one_line(&to.path), one_line(&to.form));
            let each = if watch.count == 1 { "at".to_owned() } else { format!("at every {}.", watch.count) };
            let max = max.map_or(String::new(), |max| format!(", at most {max}"));
            writeln!(f, "dump    {each} {} to {path} ({form}){max}", awaited(watch))?;
        }
        match &plan.output {
            None if plan.has_dumps() => writeln!(f, "output  none besides the dumps")?,
            None => writeln!(f, "output  standard output")?,
            Some(output) => writeln!(f, "output  {} ({})", one_line(&output.path), one_line(&output.form))?,
        }
        if let Some(Rotation { bytes, max, origin: _ }) = plan.life.rotate {
            let max = max.map_or(String::new(), |max| format!(", of which the newest {max} are kept"));
            writeln!(f, "rotate  a file every {}{max}", size(bytes))?;
        }
        writeln!(f, "queue   {} of records can wait for the output", size(plan.reading.queue))?;
        writeln!(f, "{}", plan.counts())
    }
}

impl<F: Fn(Span) -> Option<String>> WithLines<'_, F> {
    fn row(&self, transaction: &Transaction, step: &Step) -> Row {
        // The first step makes the instance, for the session as a whole.
        let is_implied = transaction.steps().first().is_some_and(|first| first.origin == step.origin);
        // The instance of a session's watch is not its own.
        let within = match std::ptr::eq(transaction, &raw const self.plan.transaction) {
            true => String::new(),
            false => format!("instances/{}/", transaction.instance()),
        };
        let line = if is_implied { None } else { (self.line_of)(step.origin) };
        let line = line.unwrap_or_default();
        if let Action::Load { module, path } = &step.action {
            let path = format!("module {module}, which taints the kernel: {}", one_line(path));
            return Row { line, sign: '+', path, change: None, why: None };
        }
        let Some((file, value)) = step.action.written() else {
            let path = format!("instances/{}", transaction.instance());
            return Row { line, sign: '+', path, change: None, why: None };
        };
        let path = one_line(&file.to_string());
        let shown = if file.in_instance().is_some() { format!("{within}{path}") } else { path.clone() };
        let old = || Some(step.old.as_deref().map_or_else(|| "unknown".to_owned(), one_line));
        let (sign, old, new) = match &step.action {
            // A new instance leaves nobody out.
            Action::LeaveOut => ('~', Some("none".to_owned()), "(the tasks of tracec itself)".to_owned()),
            // A new instance is not limited.
            Action::Scope(tasks) => {
                let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
                ('~', Some("all".to_owned()), format!("({})", tasks.join(", ")))
            }
            Action::Append { .. } | Action::Define(_) => ('+', None, one_line(value)),
            Action::Create | Action::Load { .. } | Action::Write { .. } => ('~', old(), one_line(value)),
        };
        let implied = IMPLIED.iter().find(|(of, to, _)| is_implied && *of == path && *to == value);
        Row { line, sign, path: shown, change: Some(Change { old, new }), why: implied.map(|(.., why)| *why) }
    }
}

impl Plan {
    /// Returns the conditions of the host, each once with all events that have it, in the order of the first ones.
    fn host_conditions(&self) -> Vec<(String, String)> {
        let mut conditions: Vec<(String, String)> = Vec::new();
        let mut known = FxHashMap::default();
        for HostCondition { event, condition, .. } in &self.reading.host {
            let (event, condition) = (one_line(event), one_line(&condition.to_string()));
            let at = *known.entry(condition.clone()).or_insert(conditions.len());
            match conditions.get_mut(at) {
                Some((events, _)) => *events += &format!(", {event}"),
                None => conditions.push((event, condition)),
            }
        }
        conditions
    }

    fn end(&self) -> String {
        let signal = "on a signal, or when its command exits";
        let after = self.life.stop_after.map(|after| format!("after {}", duration(after)));
        let processes =
            self.life.stop_with_processes.iter().map(|process| format!("with process {}", process.id));
        let events = self.watches.iter().filter_map(|watch| {
            let times =
                if watch.count == 1 { String::new() } else { format!(" for the {}. time", watch.count) };
            let keep = match watch.then {
                Then::Stop { keep: Some(keep) } => format!("{} after ", duration(keep)),
                Then::Stop { keep: None } => "at ".to_owned(),
                Then::Dump(_) => return None,
            };
            Some(format!("{keep}{}{times}", awaited(watch)))
        });
        after
            .into_iter()
            .chain(processes)
            .chain(events)
            .chain([signal.to_owned()])
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn counts(&self) -> String {
        let steps = self.transaction.steps();
        let writes = |ending: &str| {
            let files = steps.iter().filter_map(|step| match step.action.written() {
                Some((Location::Instance(file), _)) if file.as_str().starts_with("events/") => {
                    file.as_str().strip_suffix(ending).map(str::to_owned)
                }
                _ => None,
            });
            files.collect::<Vec<_>>()
        };
        let programs = self.programs.as_ref().map_or(0, |own| own.programs.len());
        let watched: usize = self.watches.iter().map(|watch| watch.transaction.steps().len()).sum();
        let recorded = writes("/enable").into_iter().collect::<BTreeSet<_>>().len() + programs;
        let filtered = writes("/filter").into_iter().collect::<BTreeSet<_>>().len();
        let triggers = writes("/trigger").len();
        let count = |number: usize, one: &str| {
            let s = if number == 1 { "" } else { "s" };
            format!("{number} {one}{s}")
        };
        let host = match self.host_conditions().len() {
            0 => String::new(),
            conditions => format!(", {} on the host", count(conditions, "condition")),
        };
        format!(
            "{}: {} recorded, {filtered} filtered, {}{host}",
            count(steps.len() + watched, "change"),
            count(recorded, "event"),
            count(triggers, "trigger"),
        )
    }
}

/// Returns what is shown of the records of an event.
fn shown(event: &ShownEvent) -> String {
    let ShownEvent { event, print_fmt, left_out, blanked } = event;
    let mut text = event.clone();
    for (what, fields) in [("without", left_out), ("with blank", blanked)] {
        if !fields.is_empty() {
            text += &format!(" {what} {}", fields.join(", "));
        }
    }
    if let Some(print_fmt) = print_fmt {
        text += &format!(" as {print_fmt}");
    }
    text
}

/// Returns the events that a session waits for.
fn awaited(watch: &Watch) -> String {
    watch.events().iter().map(|name| one_line(name)).collect::<Vec<_>>().join(", ")
}

/// Returns the text with unprintable characters escaped, so that a step stays one line.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// Returns a size in the largest unit that gives an integer: `64MiB`, `1536KiB`, `7 bytes`.
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|(shift, _)| bytes.trailing_zeros() >= *shift) {
        Some((shift, name)) if bytes > 0 => format!("{}{name}", bytes >> shift),
        _ => format!("{bytes} bytes"),
    }
}

/// Returns a duration in the largest unit that gives an integer: `90s`, `1500ms`, `10us`, `7ns`.
fn duration(duration: Duration) -> String {
    let ns = duration.as_nanos();
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let (unit, name) = units.into_iter().find(|(unit, _)| ns.is_multiple_of(*unit)).unwrap_or((1, "ns"));
    format!("{}{name}", ns / unit)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::condition::ir::{Atom, Condition};
    use crate::plan::{
        Definition, FilePath, InstanceName, Life, Output, PlanVersion, Reading, Span, Sysctl, Transaction,
    };

    fn path(path: &str) -> FilePath {
        FilePath::new(path).unwrap()
    }

    fn write(file: &str, old: Option<&str>, value: &str) -> Step {
        Step::write(Location::Instance(path(file)), value, Span::default()).over(old)
    }

    fn plan(steps: Vec<Step>) -> Plan {
        let steps = [vec![Step::create(Span::default())], steps].concat();
        Plan {
            version: PlanVersion,
            session: "quickstart".to_owned(),
            kernel: "6.12".to_owned(),
            files: vec!["quickstart.trc".to_owned()],
            transaction: Transaction::new(InstanceName::new("tracec-quickstart").unwrap(), steps).unwrap(),
            reading: Reading { clock: "mono".to_owned(), ..Reading::default() },
            programs: None,
            left_out: Vec::new(),
            life: Life::default(),
            watches: Vec::new(),
            output: None,
        }
    }

    #[test]
    fn session_is_printed_as_a_table() {
        let mut plan = plan(vec![
            write("tracing_on", Some("1"), "0"),
            write("trace_clock", Some("local"), "mono"),
            write("buffer_size_kb", None, "16384"),
            write("events/sched/sched_switch/filter", Some("none"), "prev_prio < 100"),
            Step::append(
                path("events/sched/sched_switch/trigger"),
                "stacktrace:5 if prev_prio < 100",
                Span::default(),
            ),
            write("events/sched/sched_switch/enable", Some("0"), "1"),
            write("tracing_on", Some("0"), "1"),
        ]);
        plan.life.stop_after = Some(Duration::from_millis(1500));
        plan.output = Some(Output {
            path: "out.jsonl".to_owned(),
            form: "JSON lines".to_owned(),
            origin: Span::default(),
        });
        expect![[r#"
            session quickstart in instances/tracec-quickstart
              + instances/tracec-quickstart
              ~ tracing_on                               1 -> 0  (nothing is recorded until all is set)
              ~ trace_clock                          local -> mono
              ~ buffer_size_kb                     unknown -> 16384
              ~ events/sched/sched_switch/filter      none -> prev_prio < 100
              + events/sched/sched_switch/trigger             stacktrace:5 if prev_prio < 100
              ~ events/sched/sched_switch/enable         0 -> 1
              ~ tracing_on                               0 -> 1  (from here on)
            ends    after 1500ms, on a signal, or when its command exits
            output  out.jsonl (JSON lines)
            queue   64MiB of records can wait for the output
            8 changes: 1 event recorded, 1 filtered, 1 trigger
        "#]]
        .assert_eq(&plan.to_string());
    }

    fn host(event: &str, text: &str) -> HostCondition {
        let of = crate::condition::ir::Text::Comm;
        let test = crate::condition::ir::TextTest::Eq(text.to_owned());
        let condition = Condition::Not(Box::new(Condition::Atom(Atom::Text { of, test })));
        HostCondition { event: event.to_owned(), condition, origin: Span::new(3, 9) }
    }

    #[test]
    fn host_conditions_follow_the_changes() {
        let mut plan = plan(vec![write("events/a/b/enable", Some("0"), "1")]);
        plan.reading.host = vec![host("a:b", "x"), host("a:b", "y\n")];
        expect![[r#"
            session quickstart in instances/tracec-quickstart
              + instances/tracec-quickstart
              ~ events/a/b/enable  0 -> 1
                host: a:b if !(current.comm == "x")
                host: a:b if !(current.comm == "y\n")
            ends    on a signal, or when its command exits
            output  standard output
            queue   64MiB of records can wait for the output
            2 changes: 1 event recorded, 0 filtered, 0 triggers, 2 conditions on the host
        "#]]
        .assert_eq(&plan.to_string());
    }

    #[test]
    fn what_is_shown_follows_the_conditions_of_the_host() {
        let mut plan = plan(vec![write("events/a/b/enable", Some("0"), "1")]);
        plan.reading.host = vec![host("a:b", "x")];
        plan.reading.shown = vec![ShownEvent {
            event: "a:b".to_owned(),
            print_fmt: Some("\"%s\", REC->y".to_owned()),
            left_out: vec!["x".to_owned()],
            blanked: vec!["y".to_owned(), "z".to_owned()],
        }];
        let text = plan.to_string();
        let mut lines = text.lines().skip_while(|line| !line.contains("host: "));
        assert_eq!(
            lines.nth(1),
            Some("    shown: a:b without x with blank y, z as \"%s\", REC->y"),
            "{text}"
        );
    }

    #[test]
    fn steps_of_a_clause_follow_its_line() {
        let at = |start: usize, step: Step| Step { origin: Span::new(start, start + 1), ..step };
        let mut plan = plan(vec![
            write("tracing_on", Some("1"), "0"),
            at(100, write("buffer_size_kb", None, "16384")),
            at(9, Step::append(path("events/a/b/trigger"), "stacktrace", Span::default())),
            write("tracing_on", Some("0"), "1"),
        ]);
        plan.reading.host = vec![host("a:b", "x"), host("c:d", "y"), host("e:f", "x")];
        expect![[r#"
            session quickstart in instances/tracec-quickstart
                   + instances/tracec-quickstart
                   ~ tracing_on                1 -> 0  (nothing is recorded until all is set)
              100  ~ buffer_size_kb      unknown -> 16384
                9  + events/a/b/trigger             stacktrace
                   ~ tracing_on                0 -> 1  (from here on)
                host: a:b, e:f if !(current.comm == "x")
                host: c:d if !(current.comm == "y")
            ends    on a signal, or when its command exits
            output  standard output
            queue   64MiB of records can wait for the output
            5 changes: 0 events recorded, 0 filtered, 1 trigger, 2 conditions on the host
        "#]]
        .assert_eq(&plan.with_lines(|span| Some(span.start.to_string())).to_string());
    }

    #[test]
    fn file_outside_of_the_instance_begins_with_a_slash() {
        let top = Step::write(Location::Top(path("buffer_percent")), "0", Span::default());
        let sysctl = Location::Sysctl(Sysctl::new("traceoff_on_warning").unwrap());
        let sysctl = Step::write(sysctl, "1", Span::default()).over(Some("0"));
        let probe = Step::define(Definition::new("p:tracec_x/e f").unwrap(), Span::default());
        expect![[r#"
            session quickstart in instances/tracec-quickstart
              + instances/tracec-quickstart
              ~ buffer_percent                             50 -> 1
              ~ /buffer_percent                       unknown -> 0
              ~ /proc/sys/kernel/traceoff_on_warning        0 -> 1
              + /dynamic_events                                  p:tracec_x/e f
            ends    on a signal, or when its command exits
            output  standard output
            queue   64MiB of records can wait for the output
            5 changes: 0 events recorded, 0 filtered, 0 triggers
        "#]]
        .assert_eq(&plan(vec![write("buffer_percent", Some("50"), "1"), top, sysctl, probe]).to_string());
    }

    #[test]
    fn control_characters_do_not_break_lines() {
        let plan = plan(vec![write("events/a/b/filter", Some("none"), "x == \"a\nb\u{1b}[2J\u{202e}\"")]);
        expect![[r#"
            session quickstart in instances/tracec-quickstart
              + instances/tracec-quickstart
              ~ events/a/b/filter  none -> x == "a\nb\u{1b}[2J\u{202e}"
            ends    on a signal, or when its command exits
            output  standard output
            queue   64MiB of records can wait for the output
            2 changes: 0 events recorded, 1 filtered, 0 triggers
        "#]]
        .assert_eq(&plan.to_string());
    }

    #[test]
    fn duration_has_the_largest_exact_unit() {
        for (ns, text) in [
            (30_000_000_000, "30s"),
            (90_000_000_000, "90s"),
            (1_500_000_000, "1500ms"),
            (10_000, "10us"),
            (7, "7ns"),
        ] {
            assert_eq!(duration(Duration::from_nanos(ns)), text);
        }
        assert_eq!(duration(Duration::ZERO), "0s");
    }

    #[test]
    fn plan_survives_serde() {
        let plan = plan(vec![write("trace_clock", Some("local"), "mono")]);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        let bad = text.replace("tracec-quickstart", "../x");
        assert!(serde_json::from_str::<Plan>(&bad).is_err());
    }
}
