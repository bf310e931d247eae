//! Profiles: what is written is read, whatever the kernel; what is read is what a new instance would read.

mod kernels;

use kernels::{FIELD, contents, event, file, layout, read_all, strings};
use proptest::prelude::*;
use tracec_kernel::profile::{
    Bytes, Contents, EventText, Facts, Kept, Picture, Profile, ProfileError, Section, diff, encode,
};
use tracec_kernel::tables::features::Support;

#[test]
fn what_is_written_is_read() {
    let bytes = file();
    let profile = Profile::open(bytes.as_slice()).unwrap();
    let contents = contents();
    assert_eq!(profile.verify(), Ok(()));
    assert_eq!(*profile.facts(), contents.facts);
    assert_eq!(profile.readme().ok(), contents.readme);
    assert_eq!(profile.functions().unwrap(), "ext4_read [ext4]\nschedule\nschedule\n");
    assert_eq!(profile.btf().ok(), contents.btf);
    let mut kept = None;
    for event in &contents.events {
        let id = profile.index().find(&event.system, &event.name).unwrap();
        assert_eq!(profile.format(id, &mut kept).unwrap(), event.format);
        assert_eq!(profile.index().files(profile.index().get(id).unwrap()), event.files);
    }
    assert_eq!(profile.index().systems().collect::<Vec<_>>(), ["irq", "sched"]);
}

#[test]
fn the_order_of_what_is_saved_does_not_matter() {
    let mut other = contents();
    other.events.reverse();
    other.functions.as_mut().unwrap().reverse();
    assert_eq!(encode(&other).unwrap(), file());
}

#[test]
fn parts_can_be_left_out() {
    let bytes = encode(&Contents { readme: None, functions: None, btf: None, ..contents() }).unwrap();
    let profile = Profile::open(bytes.as_slice()).unwrap();
    assert!(!profile.has(Section::Btf) && !profile.has(Section::Functions));
    assert_eq!(profile.btf(), Err(ProfileError::Without("BTF")));
    assert_eq!(profile.file("available_filter_functions", &mut None), Ok(Kept::Unknown));
    assert_eq!(profile.file("README", &mut None), Ok(Kept::Unknown));
}

#[test]
fn a_profile_reads_like_a_new_instance() {
    let bytes = file();
    let profile = Profile::open(bytes.as_slice()).unwrap();
    let mut kept = None;
    let mut read = |path: &str| profile.file(path, &mut kept).unwrap();
    let text = |text: &str| Kept::Text(text.to_owned());
    assert_eq!(read("events/sched/a/format"), Kept::Text(layout("a", 1, FIELD)));
    assert_eq!(read("events/sched/a/id"), text("1\n"));
    assert_eq!(read("events/sched/a/filter"), text("none\n"));
    assert_eq!(read("events/sched/a/enable"), text("0\n"));
    assert_eq!(read("events/sched/a/trigger"), text("# Available triggers:\n# traceon traceoff\n"));
    assert_eq!(read("events/sched/a/hist"), Kept::Unknown);
    assert_eq!(read("trace_clock"), text("[local] global\n"));
    assert_eq!(read("available_tracers"), text("function nop\n"));
    assert_eq!(read("available_events"), text("irq:c\nsched:a\nsched:b\n"));
    assert_eq!(read("options/overwrite"), text("1\n"));
    assert_eq!(read("options/from-the-future"), text(""));
    assert_eq!(read("set_event"), Kept::Unknown);
    for absent in
        ["options/x", "events/sched/z/format", "events/sched/a/inject", "events/x/y/format", "snapshot"]
    {
        assert_eq!(read(absent), Kept::Absent, "{absent}");
    }
    for absent in ["", "/", "events//format", "../etc", "events/sched/a/format/x", "per_cpu/cpu+1"] {
        assert_eq!(read(absent), Kept::Absent, "{absent:?}");
        assert!(!profile.exists(absent), "{absent:?}");
    }
    assert_eq!(profile.directories("events"), ["irq", "sched"]);
    assert_eq!(profile.directories("events/sched"), ["a", "b"]);
    assert_eq!(profile.directories("per_cpu"), ["cpu0", "cpu1"]);
    assert!(profile.exists("per_cpu/cpu1/stats") && !profile.exists("per_cpu/cpu2/stats"));
    assert_eq!(profile.directories("events/none"), Vec::<String>::new());
}

#[test]
fn what_cannot_be_held_is_refused_when_it_is_saved() {
    let with = |event: EventText| encode(&Contents { events: vec![event], ..Contents::default() });
    let good = event("a", "b", 1, FIELD);
    assert!(with(good.clone()).is_ok());
    for name in ["", "a b", "a\nb", "a\0"] {
        assert!(with(EventText { name: name.into(), ..good.clone() }).is_err(), "{name:?}");
        assert!(with(EventText { system: name.into(), ..good.clone() }).is_err(), "{name:?}");
    }
    let long = EventText { format: "x".repeat((1 << 20) + 1), ..good.clone() };
    assert!(matches!(with(long), Err(ProfileError::Unsaveable { .. })));
    let twice = Contents {
        events: vec![good.clone(), EventText { format: "y".into(), ..good }],
        ..Contents::default()
    };
    assert!(matches!(encode(&twice), Err(ProfileError::Unsaveable { .. })));
}

#[test]
fn a_difference_names_what_a_session_can_notice() {
    let before = Picture::of_contents(&contents()).unwrap();
    assert!(diff(&before, &before).is_empty());
    let mut other = contents();
    other.facts.release = "6.2".into();
    other.facts.cpus_possible = 64;
    // Ids are counted through.
    other.events =
        vec![event("irq", "c", 7, FIELD), event("sched", "a", 8, FIELD), event("sched", "b", 9, FIELD)];
    assert!(diff(&before, &Picture::of_contents(&other).unwrap()).is_empty());

    let text = |signed: u8| format!("field:char c[8];\toffset:8;\tsize:8;\tsigned:{signed};");
    let with = |signed| Contents { events: vec![event("a", "b", 1, &text(signed))], ..contents() };
    let picture = |contents: Contents| Picture::of_contents(&contents).unwrap();
    assert!(diff(&picture(with(1)), &picture(with(0))).is_empty(), "the sign of text means nothing");

    other.facts.features.insert("hist".into(), Support::No);
    other.facts.features.insert("filter-cpus".into(), Support::Unknown("not tried".into()));
    other.facts.clocks.push("boot".into());
    other.facts.page_size = 65536;
    other.events[0].name = "d".into();
    other.events[1].format = layout("a", 1, "field:u64 x;\toffset:8;\tsize:8;\tsigned:0;");
    other.events[2].format = layout("b", 1, FIELD).replace("\"x\"", "\"y\"");
    let text = diff(&before, &Picture::of_contents(&other).unwrap()).to_string();
    let expected = "~ page size: 4096 -> 65536\n~ clocks: +boot\n~ feature hist: yes -> no\n- irq:c\n+ irq:d\n\
        ~ sched:a\n    ~ x: int at 8, 4 bytes, signed -> u64 at 8, 8 bytes\n~ sched:b  (print fmt differs)\n";
    assert_eq!(text, expected);
    let profile = encode(&other).unwrap();
    let read = Picture::of_profile(&Profile::open(profile.as_slice()).unwrap()).unwrap();
    assert_eq!(read, Picture::of_contents(&other).unwrap());
}

/// Counts what is read, to see that opening does not read everything.
struct Counting<'a>(&'a [u8], &'a std::cell::Cell<u64>);

impl Bytes for Counting<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), tracec_kernel::profile::ReadFailed> {
        self.1.set(self.1.get() + buffer.len() as u64);
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn only_what_is_needed_is_read() {
    let mut large = contents();
    // Bytes that do not compress, so that they would be missed.
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    large.btf = Some(noise.take(1 << 20).collect());
    let bytes = encode(&large).unwrap();
    let read = std::cell::Cell::new(0);
    let profile = Profile::open(Counting(&bytes, &read)).unwrap();
    profile.verify().unwrap();
    profile.format(profile.index().find("sched", "a").unwrap(), &mut None).unwrap();
    assert!(profile.len() > 1 << 20 && read.get() < 8 << 10, "{} of {} bytes", read.get(), profile.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_contents_survive(
        // `E`, `F` and `S` begin lines of the index, and are names like any other.
        names in prop::collection::btree_set("([EFS]|[a-z0-9_-]{1,12}):([EFS]|[a-zA-Z0-9_.-]{1,20})", 0..60),
        text in "\\PC{0,3000}",
        functions in prop::option::of(prop::collection::vec("[a-z_]{1,30}", 0..50)),
        btf in prop::option::of(prop::collection::vec(any::<u8>(), 0..3000)),
        cpus in 0_u32..5000,
    ) {
        let split = |name: &String| {
            let (system, name) = name.split_once(':').unwrap();
            let files = strings(if name.len() % 2 == 0 { &["format"] } else { &["enable", "format"] });
            EventText { system: system.into(), name: name.into(), files, format: text.repeat(name.len()) }
        };
        let events: Vec<EventText> = names.iter().map(split).collect();
        let facts = Facts { cpus_possible: cpus, release: text.clone(), ..Facts::default() };
        let contents = Contents { facts, events, readme: Some(text.clone()), functions, btf };
        let bytes = encode(&contents).unwrap();
        prop_assert_eq!(read_all(&bytes), Ok(()));
        let profile = Profile::open(bytes.as_slice()).unwrap();
        prop_assert_eq!(profile.facts(), &contents.facts);
        prop_assert_eq!(profile.btf().ok(), contents.btf);
        let mut kept = None;
        for event in &contents.events {
            let id = profile.index().find(&event.system, &event.name).unwrap();
            prop_assert_eq!(&profile.format(id, &mut kept).unwrap(), &event.format);
        }
    }

    #[test]
    fn any_path_is_answered(path in "(events|options|per_cpu|README|[a-z./]{0,8})(/[a-z0-9_./]{0,12}){0,4}") {
        let bytes = file();
        let profile = Profile::open(bytes.as_slice()).unwrap();
        let found = profile.file(&path, &mut None).unwrap();
        prop_assert_eq!(found == Kept::Absent, !profile.exists(&path));
    }
}
