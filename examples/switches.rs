//! Prints which threads ran most often in a recording: `cargo run --example switches -- trace.dat`.

use std::collections::BTreeMap;

use tracec::Recording;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a trace.dat")?;
    let mut recording = Recording::open(path)?;
    let next_comm = recording.field::<str>("sched:sched_switch", "next_comm")?;
    let (mut events, mut switches) = (recording.events(), BTreeMap::<String, u64>::new());
    while let Some(event) = events.next_event()? {
        if let Some(comm) = event.get(&next_comm)? {
            *switches.entry(comm.into_owned()).or_default() += 1;
        }
    }
    let mut switches: Vec<_> = switches.into_iter().collect();
    switches.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    switches.iter().take(10).for_each(|(comm, count)| println!("{count:>8} {comm}"));
    println!("{:>8} events lost", events.lost());
    Ok(())
}
