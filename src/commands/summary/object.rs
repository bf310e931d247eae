//! A summary as a JSON object.

use serde_json::{Value, json};
use tracec_kernel::escaped::Escaped;
use tracec_runtime::sink::Timestamps;

use super::Head;
use super::tally::{OfRing, OfTask, Period, Tally};

/// Returns the object. Times are in the unit that it states, and rates per second.
pub(super) fn of(head: &Head, tally: &Tally, is_complete: bool) -> Value {
    let all = tally.all();
    let rate = |count| head.rate(count, all.period);
    let (events, all_events) = tally.events();
    let events = events
        .into_iter()
        .map(|(name, count)| json!({ "event": name, "records": count, "rate": rate(count) }));
    let (tasks, all_tasks) = tally.tasks();
    let tasks = tasks.into_iter().map(|OfTask { pid, comm, records }| {
        let comm = std::str::from_utf8(comm).map_or_else(|_| Escaped(comm).to_string(), str::to_owned);
        json!({ "comm": comm, "pid": pid, "records": records, "rate": rate(records) })
    });
    let rings = tally.rings.iter().map(|(&ring, of_ring)| {
        let mut object = json!({ "buffer": head.buffer(ring), "cpu": ring.cpu });
        add(&mut object, of_ring);
        object
    });
    let gaps = tally.gaps().into_iter().map(|gap| {
        json!({
            "buffer": head.buffer(gap.ring.0),
            "cpu": gap.ring.0.cpu,
            "begin": gap.begin.0,
            "length": gap.length,
            "lost": gap.has_lost,
        })
    });
    let mut object = json!({
        "clock": head.clock,
        "unit": if head.notation == Timestamps::Nanoseconds { "nanoseconds" } else { "counts" },
        "complete": is_complete,
        "rate": rate(all.records),
        "all_events": all_events,
        "events": events.collect::<Vec<_>>(),
        "all_tasks": all_tasks,
        "tasks": tasks.collect::<Vec<_>>(),
        "cpus": rings.collect::<Vec<_>>(),
        "gaps": gaps.collect::<Vec<_>>(),
    });
    add(&mut object, &all);
    object
}

/// Adds the counts of a ring, or of all together.
fn add(object: &mut Value, of_ring: &OfRing) {
    let OfRing { records, unknown, lost, uncounted, period, .. } = of_ring;
    object["first"] = json!(period.map(|period| period.first));
    object["last"] = json!(period.map(|period| period.last));
    object["duration"] = json!(period.map(Period::length));
    object["records"] = json!(records);
    object["unknown"] = json!(unknown);
    object["lost"] = json!(lost);
    object["losses_of_unknown_size"] = json!(uncounted);
}
