//! The texts of every event of the kernels that are shipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tracec_kernel::format::EventFormat;
use tracec_kernel::profile::Profile;
use tracec_kernel::text::{Environment, Nothing, Text};

/// The layouts of a shipped kernel.
fn formats(kernel: &str) -> Vec<EventFormat> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiles").join(format!("{kernel}.trcprof"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let profile = Profile::open(bytes.as_slice()).unwrap();
    let mut kept = None;
    let events: Vec<_> =
        profile.index().all().map(|(system, event)| (system.to_owned(), event.name.clone())).collect();
    events
        .iter()
        .map(|(system, event)| {
            let id = profile.index().find(system, event).unwrap();
            let text = profile.format(id, &mut kept).unwrap();
            EventFormat::parse(system, &text).unwrap()
        })
        .collect()
}

#[test]
fn every_event_of_the_shipped_kernels_has_a_text() {
    for kernel in ["6.1", "6.12", "6.18"] {
        let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut all, mut good) = (0, 0);
        for format in formats(kernel) {
            all += 1;
            match Text::compile_print_fmt(&format, &Nothing) {
                Ok(_) => good += 1,
                Err(error) => failed.entry(error.kind.to_string()).or_default().push(format.qualified_name()),
            }
        }
        println!("{kernel}: {good} of {all}");
        for (kind, events) in failed {
            println!("  {kind}: {} {:?}", events.len(), &events[..events.len().min(3)]);
        }
    }
}
