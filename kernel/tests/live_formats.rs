//! Every `format` file of a real kernel. A test of its own, so that it can run where the samples are not.

use std::fs;

use tracec_kernel::format::EventFormat;

mod common;

#[test]
fn every_event_of_a_live_kernel_parses() {
    let Some(tracefs) = common::tracefs("every_event_of_a_live_kernel_parses") else { return };
    let mut count = 0;
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
            let system = system.file_name().unwrap().to_str().unwrap();
            let format =
                EventFormat::parse(system, &text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
            assert_eq!(format.name, event.file_name().unwrap().to_str().unwrap());
            let fields = text.lines().filter(|line| line.trim_start().starts_with("field:")).count();
            assert_eq!(format.fields.len(), fields, "{file:?}");
            count += 1;
        }
    }
    assert!(count > 100, "only {count} events");
    eprintln!("{count} format files parsed");
}
