//! The output of `tracec plan`.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::{Action, HostCondition, LeftOut, Location, Plan, Step};
use crate::escaped::is_unprintable;

/// The columns of a step: a sign, a path, the old value and the new value.
struct Row {
    sign: char,
    path: String,
    change: Option<(String, String)>,
}

/// Prints one line per step in their order, with aligned columns; then the conditions of the host, the end of the
/// session, the output, and counts. Ends in a newline. If the old value of a step is unknown, it is omitted.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "session {} in instances/{}", one_line(&self.session), self.transaction.instance())?;
        let rows: Vec<Row> = self.transaction.steps().iter().map(|step| self.row(step)).collect();
        let width = |text: &str| text.chars().count();
        let writes = || rows.iter().filter_map(|row| Some((row, row.change.as_ref()?)));
        let path_width = writes().map(|(row, _)| width(&row.path)).max().unwrap_or(0);
        let old_width = writes().map(|(_, (old, _))| width(old)).max().unwrap_or(0);
        for Row { sign, path, change } in &rows {
            match change {
                None => writeln!(f, "  {sign} {path}")?,
                Some((old, new)) => writeln!(f, "  {sign} {path:path_width$}  {old:>old_width$} -> {new}")?,
            }
        }
        for HostCondition { event, condition, .. } in &self.reading.host {
            writeln!(f, "    host: {} if {}", one_line(event), one_line(&condition.to_string()))?;
        }
        for LeftOut { event, reason, .. } in &self.left_out {
            writeln!(f, "    {}: left out, it {}", one_line(event), one_line(reason))?;
        }
        writeln!(f, "ends    {}", self.end())?;
        match &self.output {
            None => writeln!(f, "output  standard output")?,
            Some(output) => writeln!(f, "output  {} ({})", one_line(&output.path), one_line(&output.form))?,
        }
        writeln!(f, "{}", self.counts())
    }
}

impl Plan {
    fn row(&self, step: &Step) -> Row {
        match step.action.written() {
            None => {
                let path = format!("instances/{}", self.transaction.instance());
                Row { sign: '+', path, change: None }
            }
            Some((file, _)) if step.action == Action::LeaveOut => {
                let change = Some((String::new(), "(the tasks of tracec itself)".to_owned()));
                Row { sign: '~', path: one_line(&file.to_string()), change }
            }
            Some((file, value)) => {
                let old = step.old.as_deref().map(one_line).unwrap_or_default();
                let sign = if matches!(step.action, Action::Define(_)) { '+' } else { '~' };
                Row { sign, path: one_line(&file.to_string()), change: Some((old, one_line(value))) }
            }
        }
    }

    fn end(&self) -> String {
        let signal = "on a signal, or when its command exits";
        match self.life.stop_after {
            None => signal.to_owned(),
            Some(after) => format!("after {}, {signal}", duration(after)),
        }
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
        let recorded = writes("/enable").into_iter().collect::<BTreeSet<_>>().len();
        let filtered = writes("/filter").into_iter().collect::<BTreeSet<_>>().len();
        let triggers = writes("/trigger").len();
        let count = |number: usize, one: &str| {
            let s = if number == 1 { "" } else { "s" };
            format!("{number} {one}{s}")
        };
        let host = match self.reading.host.len() {
            0 => String::new(),
            conditions => format!(", {} on the host", count(conditions, "condition")),
        };
        format!(
            "{}: {} recorded, {filtered} filtered, {}{host}",
            count(steps.len(), "change"),
            count(recorded, "event"),
            count(triggers, "trigger"),
        )
    }
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
            transaction: Transaction::new(InstanceName::new("tracec-quickstart").unwrap(), steps).unwrap(),
            reading: Reading { clock: "mono".to_owned(), ..Reading::default() },
            left_out: Vec::new(),
            life: Life::default(),
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
              ~ tracing_on                             1 -> 0
              ~ trace_clock                        local -> mono
              ~ buffer_size_kb                           -> 16384
              ~ events/sched/sched_switch/filter    none -> prev_prio < 100
              ~ events/sched/sched_switch/trigger        -> stacktrace:5 if prev_prio < 100
              ~ events/sched/sched_switch/enable       0 -> 1
              ~ tracing_on                             0 -> 1
            ends    after 1500ms, on a signal, or when its command exits
            output  out.jsonl (JSON lines)
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
            2 changes: 1 event recorded, 0 filtered, 0 triggers, 2 conditions on the host
        "#]]
        .assert_eq(&plan.to_string());
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
              ~ buffer_percent                        50 -> 1
              ~ /buffer_percent                          -> 0
              ~ /proc/sys/kernel/traceoff_on_warning   0 -> 1
              + /dynamic_events                          -> p:tracec_x/e f
            ends    on a signal, or when its command exits
            output  standard output
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
        let plan = plan(vec![write("tracing_on", Some("1"), "0")]);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        let bad = text.replace("tracec-quickstart", "../x");
        assert!(serde_json::from_str::<Plan>(&bad).is_err());
    }
}
