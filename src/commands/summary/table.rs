//! A summary as text.

use std::fmt;
use std::io::Write;

use tracec_kernel::escaped::Escaped;
use tracec_kernel::grouped::Grouped;
use tracec_runtime::sink::Timestamps;

use super::Head;
use super::tally::{OfRing, Period, Tally};

/// The width of names.
const NAME: usize = 40;

/// The width of numbers.
const NUMBER: usize = 14;

/// Writes the tables.
pub(super) fn write(head: &Head, tally: &Tally, out: &mut impl Write) -> std::io::Result<()> {
    let all = tally.all();
    let rate = |count| Rate(head.rate(count, all.period)).to_string();
    write_all(head, &all, out)?;

    let (events, all_events) = tally.events();
    writeln!(out, "\n{:<NAME$} {:>NUMBER$} {:>NUMBER$}", "event", "records", "per second")?;
    for (name, count) in &events {
        let [name, records] = [Escaped::text(name).to_string(), Grouped(*count).to_string()];
        writeln!(out, "{name:<NAME$} {records:>NUMBER$} {:>NUMBER$}", rate(*count))?;
    }
    write_others(all_events - events.len(), out)?;

    let (tasks, all_tasks) = tally.tasks();
    writeln!(out, "\n{:<NAME$} {:>NUMBER$} {:>NUMBER$}", "task", "records", "per second")?;
    for task in &tasks {
        let [name, records] =
            [format!("{}-{}", Escaped(task.comm), task.pid), Grouped(task.records).to_string()];
        writeln!(out, "{name:<NAME$} {records:>NUMBER$} {:>NUMBER$}", rate(task.records))?;
    }
    write_others(all_tasks - tasks.len(), out)?;

    let held = if head.notation == Timestamps::Nanoseconds { "seconds held" } else { "counts held" };
    let titles = ["records", "lost", "unknown", held];
    let [records, lost, unknown, held] = titles.map(|title| format!("{title:>NUMBER$}"));
    writeln!(out, "\n{:<NAME$} {records} {lost} {unknown} {held}", "cpu")?;
    for (ring, of_ring) in &tally.rings {
        let held = of_ring.period.map_or("-".to_owned(), |period| head.notation.shown(period.length()));
        let [records, unknown] = [of_ring.records, of_ring.unknown].map(|count| Grouped(count).to_string());
        let (name, lost) = (cpu(head.buffer(*ring), ring.cpu), Lost(of_ring).to_string());
        write!(out, "{name:<NAME$} {records:>NUMBER$} {lost:>NUMBER$} ")?;
        writeln!(out, "{unknown:>NUMBER$} {held:>NUMBER$}")?;
    }

    writeln!(out, "\n{:<NAME$} {:>NUMBER$} {:>NUMBER$}", "cpu without a record", "from", "for")?;
    for gap in tally.gaps() {
        let [begin, length] = [gap.begin.0, gap.length].map(|time| head.notation.shown(time));
        let name = cpu(head.buffer(gap.ring.0), gap.ring.0.cpu);
        let lost = if gap.has_lost { "  records were lost" } else { "" };
        writeln!(out, "{name:<NAME$} {begin:>NUMBER$} {length:>NUMBER$}{lost}")?;
    }
    Ok(())
}

/// Writes what is known of all records together.
fn write_all(head: &Head, all: &OfRing, out: &mut impl Write) -> std::io::Result<()> {
    let (clock, notation) = (Escaped::text(&head.clock), head.notation);
    match notation {
        Timestamps::Nanoseconds => writeln!(out, "clock {clock}")?,
        Timestamps::Raw => writeln!(out, "clock {clock}, which does not count nanoseconds")?,
    }
    if let Some(period @ Period { first, last }) = all.period {
        let [first, last, length] = [first, last, period.length()].map(|time| notation.shown(time));
        let unit = if notation == Timestamps::Nanoseconds { " seconds" } else { "" };
        writeln!(out, "from {first} to {last}: {length}{unit}")?;
    }
    let per_second =
        head.rate(all.records, all.period).map(|rate| format!(", {} per second", Rate(Some(rate))));
    let [records, unknown] = [all.records, all.unknown].map(Grouped);
    let per_second = per_second.unwrap_or_default();
    writeln!(out, "{records} records{per_second}, {} lost, {unknown} of unknown events", Lost(all))
}

/// Says how many lines a list does not have.
fn write_others(others: usize, out: &mut impl Write) -> std::io::Result<()> {
    match others {
        0 => Ok(()),
        1 => writeln!(out, "and 1 other"),
        others => writeln!(out, "and {} others", Grouped(others)),
    }
}

/// Returns the name of a CPU of a buffer.
fn cpu(buffer: &str, cpu: u32) -> String {
    if buffer.is_empty() { cpu.to_string() } else { format!("{}: {cpu}", Escaped::text(buffer)) }
}

/// A number per second, where one can be computed.
struct Rate(Option<f64>);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(rate) = self.0 else { return f.write_str("-") };
        let tenths = (rate * 10.0).round() as u64;
        write!(f, "{}.{}", Grouped(tenths / 10), tenths % 10)
    }
}

/// The lost records of a ring: `>7` where the recording does not say how large each loss was.
struct Lost<'a>(&'a OfRing);

impl fmt::Display for Lost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OfRing { lost, uncounted, .. } = self.0;
        write!(f, "{}{}", if *uncounted > 0 { ">" } else { "" }, Grouped(*lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_a_tenth_and_losses_say_what_is_unknown() {
        assert_eq!(Rate(Some(1234.56)).to_string(), "1,234.6");
        assert_eq!(Rate(Some(0.96)).to_string(), "1.0");
        assert_eq!(Rate(None).to_string(), "-");
        let of = |lost, uncounted| Lost(&OfRing { lost, uncounted, ..OfRing::default() }).to_string();
        assert_eq!([of(1000, 0), of(7, 1), of(0, 2)], ["1,000", ">7", ">0"]);
    }

    #[test]
    fn cpus_of_instances_are_named_after_them() {
        assert_eq!([cpu("", 3), cpu("a\nb", 3)], ["3", "a\\x0ab: 3"]);
    }
}
