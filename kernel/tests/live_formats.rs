//! Every `format` file of a real kernel. A test of its own, so that it can run where the samples are not.

use std::fs;

use format_checks::Counts;

mod common;
mod format_checks;

#[test]
fn every_event_of_a_live_kernel_parses() {
    let Some(tracefs) = common::tracefs("every_event_of_a_live_kernel_parses") else { return };
    let mut counts = Counts::default();
    for system in fs::read_dir(tracefs.join("events")).unwrap().map(|entry| entry.unwrap().path()) {
        if !system.is_dir() {
            continue;
        }
        for event in fs::read_dir(&system).unwrap().map(|entry| entry.unwrap().path()) {
            let file = event.join("format");
            if !file.exists() {
                continue;
            }
            let text = common::read(&file);
            let name = event.file_name().unwrap().to_str().unwrap();
            assert!(text.starts_with(&format!("name: {name}\n")), "{file:?}");
            counts += format_checks::event(system.file_name().unwrap().to_str().unwrap(), &text);
        }
    }
    println!("{counts}");
    assert!(counts.events > 100, "only {} events", counts.events);
    assert_eq!(counts.prints, counts.events);
    assert_eq!(counts.opaque, 0);
}
