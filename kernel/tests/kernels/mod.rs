//! A small kernel, and its profile.

use std::collections::BTreeMap;

use tracec_kernel::profile::{Contents, EventText, Facts, Profile, ProfileError, encode};
use tracec_kernel::tables::features::Support;

pub(crate) fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

pub(crate) fn layout(name: &str, id: u32, field: &str) -> String {
    format!(
        "name: {name}\nID: {id}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\t{field}\n\nprint fmt: \"x\"\n"
    )
}

pub(crate) fn event(system: &str, name: &str, id: u32, field: &str) -> EventText {
    let files = strings(&["enable", "filter", "format", "hist", "id", "trigger"]);
    EventText { system: system.into(), name: name.into(), files, format: layout(name, id, field) }
}

pub(crate) const FIELD: &str = "field:int x;\toffset:8;\tsize:4;\tsigned:1;";

/// A small kernel with everything that a profile can hold.
pub(crate) fn contents() -> Contents {
    let facts = Facts {
        release: "6.1.0-test".into(),
        version: "#1 SMP".into(),
        arch: "x86_64".into(),
        syscall_arch: "x86_64".into(),
        page_size: 4096,
        little_endian: true,
        cpus_possible: 2,
        features: BTreeMap::from([
            ("hist".to_owned(), Support::Yes),
            ("filter-cpus".to_owned(), Support::No),
        ]),
        files: strings(&[
            "README",
            "available_events",
            "available_filter_functions",
            "available_tracers",
            "set_event",
            "trace_clock",
        ]),
        cpu_files: strings(&["stats"]),
        triggers: strings(&["traceon", "traceoff"]),
        options: strings(&["from-the-future", "overwrite"]),
        clocks: strings(&["local", "global"]),
        tracers: strings(&["function", "nop"]),
        header_page: Some("\tfield: u64 timestamp;\n".into()),
        ..Facts::default()
    };
    Contents {
        facts,
        events: vec![
            event("sched", "b", 2, FIELD),
            event("sched", "a", 1, FIELD),
            event("irq", "c", 3, FIELD),
        ],
        readme: Some("tracing mini-HOWTO\n".into()),
        functions: Some(strings(&["schedule", "ext4_read [ext4]", "schedule"])),
        btf: Some((0..=255).cycle().take(600_000).collect()),
    }
}

pub(crate) fn file() -> Vec<u8> {
    encode(&contents()).unwrap()
}

/// Reads everything that there is.
pub(crate) fn read_all(bytes: &[u8]) -> Result<(), ProfileError> {
    let profile = Profile::open(bytes)?;
    profile.verify()?;
    let mut kept = None;
    for (system, event) in profile.index().all() {
        let id = profile.index().find(system, &event.name).unwrap();
        profile.format(id, &mut kept)?;
    }
    for part in [profile.readme().err(), profile.functions().err(), profile.btf().err()] {
        match part {
            None | Some(ProfileError::Without(_)) => {}
            Some(error) => return Err(error),
        }
    }
    Ok(())
}
