use std::cell::RefCell;

use tracec_kernel::condition::ir::{Atom, MaskTest, Number, Text, TextTest};
use tracec_kernel::condition::ranges::Ranges;

use super::fixture::{comm, computed, field, plain, pointer, session};
use super::*;
use crate::KernelError;
use crate::diagnostic::Diagnostics;

/// Placed for a kernel that has every feature of filters.
fn on_newest(session: ir::Session) -> Placed {
    place(session, Model::LINUX_6_18)
}

fn places(placed: &PlacedCondition) -> Vec<&'static str> {
    let word = |conjunct: &PlacedConjunct| match conjunct.place {
        Place::Constant(_) => "constant",
        Place::Kernel { .. } => "kernel",
        Place::Host { .. } => "host",
        Place::Refused { .. } => "refused",
    };
    placed.conjuncts.iter().map(word).collect()
}

/// The codes that a session's placing raises.
fn codes(placed: &Placed) -> Vec<&'static str> {
    let mut diagnostics = Diagnostics::default();
    let ok = report(placed, &mut diagnostics);
    let said = diagnostics.finish();
    assert_eq!(ok, said.iter().all(|said| said.severity != crate::Severity::Error));
    said.iter().map(|said| said.code.id).collect()
}

#[track_caller]
fn recorded(conditions: &[Condition], expected: &[&str], kernel: Option<&str>, raised: &[&str]) {
    let placed = on_newest(session(conditions, None, false));
    let record = placed.events[0].record.as_ref().expect("recorded");
    assert_eq!((places(record), record.kernel_text()), (expected.to_vec(), kernel));
    assert_eq!(codes(&placed), raised);
}

#[test]
fn each_conjunct_goes_wholly_to_one_place() {
    recorded(&[], &[], None, &[]);
    recorded(
        &[plain(1), computed(), comm()],
        &["kernel", "host", "kernel"],
        Some("a == 1 && COMM == \"x\""),
        &[],
    );
    recorded(&[computed()], &["host"], None, &[]);
    recorded(
        &[Condition::any(vec![plain(1), computed()]), Condition::any(vec![plain(2), plain(3)]), plain(4)],
        &["host", "kernel", "kernel"],
        Some("(a == 2 || a == 3) && a == 4"),
        &[],
    );
}

#[test]
fn what_mixes_the_places_has_none() {
    recorded(
        &[Condition::any(vec![comm(), computed()]), plain(1)],
        &["refused", "kernel"],
        Some("a == 1"),
        &["T0404"],
    );
    recorded(&[Condition::not(Condition::all(vec![pointer(), computed()]))], &["refused"], None, &["T0404"]);
}

#[test]
fn all_that_the_host_lacks_is_named_once() {
    let condition = Condition::any(vec![comm(), pointer(), Condition::not(comm()), computed()]);
    let placed = on_newest(session(&[condition], None, false));
    let place = &placed.events[0].record.as_ref().expect("recorded").conjuncts[0].place;
    let Place::Refused { host, .. } = place else { panic!("{place:?}") };
    assert_eq!(
        host.to_string(),
        "a record does not hold the name of the task that ran, nor the kernel's memory behind a pointer"
    );
}

#[test]
fn constants_are_asked_of_nobody() {
    let (yes, no) = (Condition::Const(true), Condition::Const(false));
    recorded(&[yes.clone(), plain(1)], &["constant", "kernel"], Some("a == 1"), &[]);
    recorded(&[yes.clone(), computed()], &["constant", "host"], None, &[]);
    // What is constant has been told when it was simplified.
    recorded(std::slice::from_ref(&yes), &["constant"], None, &[]);
    let placed = on_newest(session(&[computed(), no], None, false));
    assert!(placed.events[0].record.as_ref().is_some_and(|record| record.is_never()));
    // Nothing else is done in this session.
    assert_eq!(codes(&placed), ["T0310"]);
}

#[test]
fn a_trigger_has_the_kernel_alone() {
    let placed = on_newest(session(&[plain(1), comm()], None, true));
    let trigger = &placed.events[0].triggers[0];
    assert_eq!((places(trigger), codes(&placed)), (vec!["kernel", "kernel"], vec![]));
    assert_eq!(trigger.written, "traceoff:1 if a == 1 && COMM == \"x\"".len());
    let placed = on_newest(session(&[plain(1), computed()], None, true));
    assert_eq!(places(&placed.events[0].triggers[0]), ["kernel", "refused"]);
    assert_eq!(codes(&placed), ["T0401"]);
}

#[test]
fn the_kernel_can_be_demanded() {
    let conditions = [plain(1), computed()];
    assert_eq!(codes(&on_newest(session(&conditions, Some(0), false))), Vec::<&str>::new());
    let placed = on_newest(session(&conditions, Some(1), false));
    assert_eq!(places(placed.events[0].record.as_ref().expect("recorded")), ["kernel", "refused"]);
    assert_eq!(codes(&placed), ["T0405"]);
}

/// Events that share a condition share its placement, unless the kernel is demanded for one of them.
#[test]
fn what_is_shared_is_placed_once() {
    let mut session = session(&[plain(1), computed()], None, false);
    session.events.extend([session.events[0].clone(), session.events[0].clone()]);
    let demanded = ir::Demand { words: Span::new(900, 909), conjuncts: 1..2 };
    session.events[2].record.as_mut().expect("recorded").demands.push(demanded);
    let placed = on_newest(session);
    let [first, second, third] = &placed.events[..] else { panic!("{placed:?}") };
    let record = |event: &PlacedEvent| Arc::clone(event.record.as_ref().expect("recorded"));
    assert!(Arc::ptr_eq(&record(first), &record(second)));
    assert_eq!(places(&record(first)), ["kernel", "host"]);
    assert_eq!(places(&record(third)), ["kernel", "refused"]);
    assert_eq!(codes(&placed), ["T0405"]);
}

#[test]
fn costs_are_those_of_the_dearest_part() {
    let glob = |of| {
        let glob = tracec_kernel::condition::glob::Glob::parse("k*").expect("a pattern");
        Condition::Atom(Atom::Text { of, test: TextTest::Glob(glob) })
    };
    for (condition, expected) in [
        (Condition::Const(true), Cost::None),
        (plain(1), Cost::Compare),
        (Condition::any(vec![plain(1), comm()]), Cost::Text),
        (glob(Text::COMM), Cost::Pattern),
        // A glob of the kernel.
        (
            Condition::Atom(Atom::Text {
                of: Text::Field(field("name")),
                test: TextTest::Eq("/bin/true".to_owned()),
            }),
            Cost::Pattern,
        ),
        (glob(Text::Field(field("p"))), Cost::Memory),
        (pointer(), Cost::Memory),
        (computed(), Cost::Host),
    ] {
        let placed = on_newest(session(std::slice::from_ref(&condition), None, false));
        let cost = placed.events[0].record.as_ref().expect("recorded").conjuncts[0].cost;
        assert_eq!(cost, expected, "{condition}");
    }
}

/// A kernel of which nothing is known but some features that it has, what it was asked, and its possible CPUs.
struct Kernel(Vec<&'static str>, RefCell<Vec<String>>, &'static [u32]);

impl KernelSource for Kernel {
    fn read(&self, _: &str) -> Result<Option<String>, KernelError> {
        Ok(None)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let cpus = if path == "per_cpu" { self.2 } else { &[] };
        Ok(cpus.iter().map(|cpu| format!("cpu{cpu}")).collect())
    }

    fn feature(&self, name: &str) -> Support {
        self.1.borrow_mut().push(name.to_owned());
        if self.0.contains(&name) { Support::Yes } else { Support::Unknown("nobody looked".to_owned()) }
    }

    fn describe(&self) -> String {
        "a kernel".to_owned()
    }
}

/// The kernel takes what its own filter can say, and nothing that it is not known to say.
#[test]
fn each_kernel_has_a_model_of_its_own() {
    let function = Condition::Atom(Atom::Function { of: field("p"), name: "schedule".to_owned() });
    let cpus = Condition::Atom(Atom::In { of: Number::CPU, ranges: Ranges::new([(0, 1), (4, 4)]) });
    let user = Condition::Atom(Atom::Text { of: Text::User(field("p")), test: TextTest::Eq("x".to_owned()) });
    for (condition, feature, text) in [
        (&function, "filter-function", "p.function == schedule"),
        (&user, "filter-ustring", "p.ustring == \"x\""),
    ] {
        for (features, expected) in [(vec![feature], Some(text)), (vec![], None)] {
            let session = Apart::from(session(std::slice::from_ref(condition), None, false));
            let model = written_for(&session, &Kernel(features, RefCell::default(), &[]));
            let placed = place(session, model);
            let record = placed.events[0].record.as_ref().expect("recorded");
            assert_eq!(record.kernel_text(), expected, "{condition}");
            assert_eq!(codes(&placed), if expected.is_some() { vec![] } else { vec!["T0404"] });
        }
    }
    // What is right everywhere needs no feature, and nobody is asked for one.
    let session = Apart::from(session(&[cpus, plain(1)], None, false));
    let kernel = Kernel(Vec::new(), RefCell::default(), &[]);
    let placed = place(session.clone(), written_for(&session, &kernel));
    assert_eq!(places(placed.events[0].record.as_ref().expect("recorded")), ["kernel", "kernel"]);
    assert_eq!(kernel.1.into_inner(), [""; 0]);
}

/// A list of CPUs that the kernel would refuse is decided on the host, and no trigger has it.
#[test]
fn a_list_names_cpus_that_there_can_be() {
    let cpus = Ranges::new([(0, 3)]);
    let condition = Condition::Atom(Atom::Mask { of: field("mask"), test: MaskTest::Any, cpus });
    for (cpus, expected) in [
        (&[][..], "kernel"),
        (&[0, 1], "host"),
        (&[0, 1, 2, 3], "kernel"),
        // Some between are missing.
        (&[0, 3], "kernel"),
    ] {
        let kernel = Kernel(vec!["filter-cpus"], RefCell::default(), cpus);
        let recorded = Apart::from(session(std::slice::from_ref(&condition), None, false));
        let placed = place(recorded.clone(), written_for(&recorded, &kernel));
        assert_eq!(places(placed.events[0].record.as_ref().expect("recorded")), [expected], "{cpus:?}");
        let triggers = Apart::from(session(std::slice::from_ref(&condition), None, true));
        let placed = place(triggers.clone(), written_for(&triggers, &kernel));
        let refused = expected == "host";
        assert_eq!(codes(&placed), if refused { vec!["T0401"] } else { vec![] }, "{cpus:?}");
    }
}

/// To find out what inverted classes take costs an instance: only a pattern with one asks. Where it stays unknown, the
/// reason says so, and is none where all is known.
#[test]
fn what_is_not_known_is_told() {
    let glob = |pattern| {
        let glob = tracec_kernel::condition::glob::Glob::parse(pattern).expect("a pattern");
        Condition::Atom(Atom::Text { of: Text::COMM, test: TextTest::Glob(glob) })
    };
    for (pattern, asked) in [("[a]*b*", false), ("[!a]*b*", true)] {
        let session = Apart::from(session(&[glob(pattern)], None, false));
        let kernel = Kernel(Vec::new(), RefCell::default(), &[]);
        let placed = place(session.clone(), written_for(&session, &kernel));
        assert_eq!(kernel.1.borrow().contains(&"filter-class-takes-nul".to_owned()), asked, "{pattern}");
        assert_eq!(placed.unknown.contains_key("filter-class-takes-nul"), asked, "{pattern}");
    }
    let reason = |kernel: WrittenFor| {
        let placed = place(session(&[glob("[!a]*b*")], None, false), kernel);
        match &placed.events[0].record.as_ref().expect("recorded").conjuncts[0].place {
            Place::Refused { kernel, .. } | Place::Host { kernel } => kernel.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let session = Apart::from(session(&[glob("[!a]*b*")], None, false));
    let unknown = reason(written_for(&session, &Kernel(Vec::new(), RefCell::default(), &[])));
    assert!(unknown.ends_with("; whether it has is not known: nobody looked"), "{unknown}");
    let has = Kernel(vec!["filter-class-takes-nul"], RefCell::default(), &[]);
    let known = reason(written_for(&session, &has));
    assert!(!known.contains("nobody looked"), "{known}");
}
