//! Tests of where conjuncts run, and what the kernel is asked for it.

use std::cell::RefCell;

use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Text, TextTest};
use tracec_kernel::condition::ranges::Ranges;

use super::fixture::{FILTER_AND_HOST, Placed, comm, computed, field, plain, pointer, session};
use super::*;
use crate::KernelError;
use crate::diagnostic::Diagnostics;
use crate::simplify::Verdicts;

/// Places a module for a kernel that has every feature of filters.
fn on_newest(module: Module) -> Placed {
    Placed::new(module, Model::LINUX_6_18)
}

/// Places a module for a kernel that has to be asked.
fn on(kernel: &Kernel, module: Module) -> Placed {
    let placement = place(&module, kernel, FILTER_AND_HOST);
    Placed { module, placement }
}

fn places(placed: &PlacedCondition) -> Vec<&'static str> {
    let word = |conjunct: &PlacedConjunct| match conjunct.place {
        Place::Constant(_) => "constant",
        Place::Kernel { .. } => "kernel",
        Place::Program => "program",
        Place::Host { .. } => "host",
        Place::Refused { .. } => "refused",
    };
    placed.conjuncts.iter().map(word).collect()
}

/// Returns the codes that the placement of a session raises.
fn codes(placed: &Placed) -> Vec<&'static str> {
    let mut diagnostics = Diagnostics::default();
    report(placed.session(), "plan", &Verdicts::default(), &mut diagnostics);
    let said = diagnostics.finish();
    said.iter().map(|said| said.code.id).collect()
}

#[track_caller]
fn recorded(conditions: &[Condition], expected: &[&str], kernel: Option<&str>, raised: &[&str]) {
    let placed = on_newest(session(conditions, None, false));
    let record = placed.condition();
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
fn many_comparisons_are_few_where_the_host_decides_the_rest() {
    let mask = Number::binary(NumberOp::And, Number::Field(field("a")), Number::Const(0xfff));
    let bits = || Condition::compare(mask.clone(), CompareOp::Eq, 0x3ff);
    let few = "a & 512 && !(a & 3072)";
    recorded(&[bits(), plain(1)], &["host", "kernel"], Some(&format!("{few} && a == 1")), &[]);
    let placed = on_newest(session(&[bits()], None, false));
    let kernel = NotInKernel::Many { comparisons: 11, few: few.to_owned() };
    assert_eq!(placed.condition().conjuncts[0].place, Place::Host { kernel });
    // The opposite passes where one of all bits differs.
    let opposite = on_newest(session(&[Condition::not(bits())], None, false));
    assert_eq!(places(opposite.condition()), ["kernel"]);
    // What only the kernel may decide is written wholly.
    for placed in [on_newest(session(&[bits()], Some(0), false)), on_newest(session(&[bits()], None, true))] {
        assert_eq!(places(placed.condition()), ["kernel"]);
        assert_eq!(placed.condition().kernel_text().map(|text| text.matches('&').count()), Some(31));
    }
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
    let place = &placed.condition().conjuncts[0].place;
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
    // A constant condition was reported by the simplifier.
    recorded(std::slice::from_ref(&yes), &["constant"], None, &[]);
    let placed = on_newest(session(&[computed(), no], None, false));
    assert!(placed.condition().is_never());
    // The session does nothing else.
    assert_eq!(codes(&placed), ["T0310"]);
}

#[test]
fn a_trigger_has_the_kernel_alone() {
    let placed = on_newest(session(&[plain(1), comm()], None, true));
    let trigger = placed.condition();
    assert_eq!((places(trigger), codes(&placed)), (vec!["kernel", "kernel"], vec![]));
    assert_eq!(trigger.written, "traceoff:1 if a == 1 && COMM == \"x\"".len());
    let placed = on_newest(session(&[plain(1), computed()], None, true));
    assert_eq!(places(placed.condition()), ["kernel", "refused"]);
    assert_eq!(codes(&placed), ["T0401"]);
}

#[test]
fn the_kernel_can_be_demanded() {
    let conditions = [plain(1), computed()];
    assert_eq!(codes(&on_newest(session(&conditions, Some(0), false))), Vec::<&str>::new());
    let placed = on_newest(session(&conditions, Some(1), false));
    assert_eq!(places(placed.condition()), ["kernel", "refused"]);
    assert_eq!(codes(&placed), ["T0405"]);
}

/// Events that share a condition share its placement, unless the kernel is demanded for one of them.
#[test]
fn what_is_shared_is_placed_once() {
    let mut module = session(&[plain(1), computed()], None, false);
    let events = &mut module.sessions[0].events;
    events.extend([events[0].clone(), events[0].clone()]);
    let demanded = ir::Demand { words: Span::new(900, 909), conjuncts: 1..2 };
    events[2].record.as_mut().expect("recorded").demands.push(demanded);
    let placed = on_newest(module);
    let records: Vec<PlacedId> = placed.session().events().filter_map(|(_, event)| event.record).collect();
    let [first, second, third] = records[..] else { panic!("{records:?}") };
    assert_eq!(first, second);
    assert_eq!(places(&placed.placement[first]), ["kernel", "host"]);
    assert_eq!(places(&placed.placement[third]), ["kernel", "refused"]);
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
        (glob(Text::Comm), Cost::Pattern),
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
        let cost = placed.condition().conjuncts[0].cost;
        assert_eq!(cost, expected, "{condition}");
    }
}

/// A kernel with some known features, the list of questions that it was asked, and its possible CPUs.
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

/// The kernel takes only conditions that its own filter is known to support.
#[test]
fn each_kernel_has_a_model_of_its_own() {
    let function = Condition::Atom(Atom::Function { of: field("p"), name: "schedule".to_owned() });
    let cpus = Condition::Atom(Atom::In { of: Number::Cpu, ranges: Ranges::new([(0, 1), (4, 4)]) });
    let user = Condition::Atom(Atom::Text { of: Text::User(field("p")), test: TextTest::Eq("x".to_owned()) });
    for (condition, feature, text) in [
        (&function, "filter-function", "p.function == schedule"),
        (&user, "filter-ustring", "p.ustring == \"x\""),
    ] {
        for (features, expected) in [(vec![feature], Some(text)), (vec![], None)] {
            let kernel = Kernel(features, RefCell::default(), &[]);
            let placed = on(&kernel, session(std::slice::from_ref(condition), None, false));
            let record = placed.condition();
            assert_eq!(record.kernel_text(), expected, "{condition}");
            assert_eq!(codes(&placed), if expected.is_some() { vec![] } else { vec!["T0404"] });
        }
    }
    // A condition that every kernel supports needs no feature, and the kernel is not asked.
    let kernel = Kernel(Vec::new(), RefCell::default(), &[]);
    let placed = on(&kernel, session(&[cpus, plain(1)], None, false));
    assert_eq!(places(placed.condition()), ["kernel", "kernel"]);
    assert_eq!(kernel.1.into_inner(), [""; 0]);
}

/// A list of CPUs that the kernel would refuse is decided on the host, and is refused for a trigger.
#[test]
fn a_list_names_cpus_that_there_can_be() {
    let cpus = Ranges::new([(0, 3)]);
    let condition = Condition::Atom(Atom::Mask { of: field("mask"), test: MaskTest::Any, cpus });
    for (cpus, expected) in [
        (&[][..], "kernel"),
        (&[0, 1], "host"),
        (&[0, 1, 2, 3], "kernel"),
        // Some CPUs between these are missing.
        (&[0, 3], "kernel"),
    ] {
        let kernel = Kernel(vec!["filter-cpus"], RefCell::default(), cpus);
        let placed = on(&kernel, session(std::slice::from_ref(&condition), None, false));
        assert_eq!(places(placed.condition()), [expected], "{cpus:?}");
        let placed = on(&kernel, session(std::slice::from_ref(&condition), None, true));
        let refused = expected == "host";
        assert_eq!(codes(&placed), if refused { vec!["T0401"] } else { vec![] }, "{cpus:?}");
    }
}

/// A test for inverted classes costs an instance, so that only a pattern with one asks for it. Where the answer stays
/// unknown the reason says so; where all is known there is no reason.
#[test]
fn unknown_feature_is_reported() {
    let glob = |pattern| {
        let glob = tracec_kernel::condition::glob::Glob::parse(pattern).expect("a pattern");
        Condition::Atom(Atom::Text { of: Text::Comm, test: TextTest::Glob(glob) })
    };
    for (pattern, asked) in [("[a]*b*", false), ("[!a]*b*", true)] {
        let kernel = Kernel(Vec::new(), RefCell::default(), &[]);
        let placed = on(&kernel, session(&[glob(pattern)], None, false));
        assert_eq!(kernel.1.borrow().contains(&"filter-class-takes-nul".to_owned()), asked, "{pattern}");
        assert_eq!(placed.placement.unknown.contains_key("filter-class-takes-nul"), asked, "{pattern}");
    }
    let reason = |features: Vec<&'static str>| {
        let kernel = Kernel(features, RefCell::default(), &[]);
        let placed = on(&kernel, session(&[glob("[!a]*b*")], None, false));
        match &placed.condition().conjuncts[0].place {
            Place::Refused { kernel, .. } | Place::Host { kernel } => kernel.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let unknown = reason(Vec::new());
    assert!(unknown.ends_with("; whether it has is not known: nobody looked"), "{unknown}");
    let known = reason(vec!["filter-class-takes-nul"]);
    assert!(!known.contains("nobody looked"), "{known}");
}
