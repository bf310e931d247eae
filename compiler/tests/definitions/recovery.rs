//! Definitions with mistakes: each mistake is reported once, and the rest of the text is checked.

use tracec_compiler::check::definition;
use tracec_compiler::load;
use tracec_compiler::resolve::Finder;
use tracec_compiler::{Diagnostics, NoImports, Severity};

use crate::STORAGE;
use crate::common::{Copy, check, text};
use crate::mistakes::MISTAKES;

/// A mistake in a declaration is reported once, and not where the declaration is used.
#[test]
fn what_rests_on_a_mistake_is_quiet() {
    for (definitions, code) in [
        ("enum S: u8 { A = 256 } event e { proto (a: S) entry { a: S; } print \"{a}\" }", "T0707"),
        (
            "class c { proto (a: nothing) entry { a: u8; } print \"{a}\" } event e: c { print \"{a}\" }",
            "T0715",
        ),
        ("event e at event sched:nothing { prev_prio; print \"{prev_prio}\" }", "T0101"),
        ("event e at kprobe f(a: nothing) { a: string; print \"{a}\" }", "T0715"),
        ("const N: u32 = 1 / 0; event e { proto (a: *u8) entry { a: u8[N] = a; } print \"{a}\" }", "T0705"),
    ] {
        let found = check(&text(&format!("subsystem storage; {definitions}")), &Copy);
        assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), [code], "{definitions}: {found:#?}");
    }
}

/// A syntax error is reported once; the other declarations are checked.
#[test]
fn a_mistake_of_syntax_hides_no_other_and_makes_none() {
    for (source, codes) in [
        ("const A: u32 = 5 +; const B: u32 = A; const C: u32 = 1 / 0;", &["T0705"][..]),
        ("subsystem s; clas c { proto (a: u8) entry { a: u8; } } event e: c;", &[]),
        ("subsystm s; event e { proto (a: u8) entry { a: u8; } }", &[]),
        ("subsystem s; class c { proto (a u8) entry { a: u8; } } event e: c; event f: d;", &["T0736"]),
        ("subsystem s; class c { proto (a: u8) entry { a: u8; } } event e: c if (a > ); ", &[]),
        ("subsystem s; event e { proto (a: u8) entry { a: u8 = 1 +; } print \"{a}\" }", &[]),
        ("event e at kprobe vfs_read(a u8) { a; }", &[]),
        ("session s { trace sched:sched_switch if prev_prio < ; } const A: u32 = B;", &["T0212"]),
    ] {
        let found = check(&text(source), &Copy);
        // Which code a mistake of syntax has is the grammar's matter.
        let (syntax, meaning): (Vec<&str>, Vec<&str>) =
            found.iter().map(|d| d.code.id).partition(|id| id.starts_with("T00"));
        assert_eq!((syntax.len(), meaning.as_slice()), (1, codes), "{source}: {found:#?}");
    }
}

/// A program is complete exactly if no error was reported: lints leave nothing out.
#[test]
fn a_program_is_complete_if_and_only_if_it_has_no_errors() {
    let right = ["const A: u32 = 1;", "use std::errno; const A: u32 = EIO;", STORAGE.trim_start(), ""];
    let right = right.map(|text| text.trim_start_matches("subsystem storage;"));
    let wrong = MISTAKES.iter().map(|(definitions, _, _)| *definitions);
    let mut complete = 0;
    for definitions in wrong.chain(right) {
        let source = text(&format!("subsystem storage;\n{definitions}\n"));
        let mut diagnostics = Diagnostics::default();
        let program = load::load(&source, &NoImports, &Copy, &mut diagnostics);
        let declared = definition::declare(&program, &mut Finder::new(&Copy), &mut diagnostics);
        let files = program.texts.iter().filter(|text| !text.std);
        assert_eq!(declared.definitions.len(), files.count());
        let found = diagnostics.finish();
        let has_error = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        assert_eq!(program.complete && declared.complete, !has_error, "{definitions}: {found:#?}");
        complete += usize::from(!has_error);
    }
    assert!(complete >= 8, "{complete}");
}

/// What is wrong is left out, and takes its expressions along.
#[test]
fn definitions_with_mistakes_leave_nothing_behind() {
    let both = |wrong: &str| {
        let right =
            "class c { proto (a: u8) entry { a: u8 = a + 1; } print \"{a / 2}\" } event e: c if (a > 1);";
        let source = text(&format!("subsystem s; {wrong} {right}"));
        let program = load::load(&source, &NoImports, &Copy, &mut Diagnostics::default());
        definition::declare(&program, &mut Finder::new(&Copy), &mut Diagnostics::default())
            .definitions
            .remove(0)
    };
    let alone = both("");
    for wrong in [
        "event w { proto (a: u8) entry { a: u8 = a + 2; b: u8 = a + c; } }",
        "event w { proto (a: u8) entry { a: u8 = a + 2; } print \"{a / 3} {b}\" }",
        "event w: c if (b == a + 1);",
    ] {
        let found = both(wrong);
        assert_eq!((found.classes.len(), found.events.len()), (1, 1), "{wrong}");
        assert_eq!(found.exprs.len(), alone.exprs.len(), "{wrong}");
    }
}

/// However many mistakes a text has, each kind of them costs little, and the limit is reported.
#[test]
fn many_mistakes_of_each_kind_end_at_the_limit() {
    const LENGTH: usize = 20_000;
    let list = |part: &dyn Fn(usize) -> String| (0..LENGTH).map(part).collect::<String>();
    let event = |proto: &str, entry: &str, print: &str| {
        format!("event e {{ proto ({proto}) entry {{ {entry} }} print \"{print}\" }}")
    };
    let fields = list(&|n| format!("a{n}: u8 = a0; "));
    for (kind, definitions) in [
        ("constants", list(&|n| format!("const A{n}: u32 = unknown{n}; "))),
        ("constants of the library", list(&|n| format!("const A{n}: u32 = SIGKILL + SIGKILLS{n}; "))),
        ("types of constants", list(&|n| format!("const A{n}: uint{n} = 1; "))),
        ("members", format!("enum E {{ {} }}", list(&|n| format!("A{n} = B{n}, ")))),
        ("enums", list(&|n| format!("enum E: u8 {{ A{n} = 256 }} "))),
        ("mistakes of syntax", list(&|n| format!("const A{n}: u32 = ; "))),
        ("types of arguments", list(&|n| format!("event e{n} {{ proto (a: requst{n}) }} "))),
        ("lengths", list(&|n| format!("event e{n} {{ proto (a: *u8) entry {{ a: u8[LEN{n}] = a; }} }} "))),
        ("reserved names", list(&|n| format!("event e{n} {{ proto (while: u8) }} "))),
        ("events of one name", list(&|_| "event e { proto (a: u8) } ".to_owned())),
        ("classes of events", list(&|n| format!("event e{n}: class{n}; "))),
        ("fields", event("a: u8", &list(&|n| format!("b{n}: u8 = a{n}; ")), "")),
        ("fields without a source", event("a: u8", &list(&|n| format!("b{n}: u8; ")), "")),
        ("placeholders", event(&list(&|n| format!("b{n}: u8, ")), &fields, &list(&|n| format!("{{b{n}}}")))),
        ("formats", event("a: u8", "a: u8;", &list(&|n| format!("{{a:pISpq{n}}}")))),
        ("kinds of probes", list(&|n| format!("event e{n} at kprobes f; "))),
        ("counters", list(&|n| format!("event e{n} at perf cpu_cycle{n}; "))),
        ("registers", list(&|n| format!("event e{n} at kprobe f {{ a = %rdi{n}: u64; }} "))),
        ("fields of events", {
            let fields = list(&|n| format!("prev_pri{n}; "));
            format!("event e at event sched:sched_switch {{ {fields} }}")
        }),
        ("fields of probes", {
            let (arguments, fields) = (list(&|n| format!("a{n}: u8, ")), list(&|n| format!("b{n}; ")));
            format!("event e at fentry f({arguments}) {{ {fields} }}")
        }),
    ] {
        let start = std::time::Instant::now();
        let found = check(&text(&format!("subsystem storage; {definitions}")), &Copy);
        let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        println!("{kind}: {:?}", start.elapsed());
        let last = found.last().map(|diagnostic| diagnostic.code.name);
        assert_eq!((errors, last), (201, Some("too-many-errors")), "{kind}");
    }
}

/// Long definitions are checked in about the time it takes to read them: everything is looked up, nothing searched.
#[test]
fn long_definitions_are_checked() {
    const LENGTH: usize = 50_000;
    let list = |part: &dyn Fn(usize) -> String| (0..LENGTH).map(part).collect::<String>();
    let class = format!(
        "subsystem storage; event e {{ proto ({}) entry {{ {} }} print \"{}\" }}",
        list(&|n| format!("a{n}: u8, ")),
        list(&|n| format!("a{n}: u8; ")),
        list(&|n| format!("{{a{n}:x}} ")),
    );
    let codes: Vec<_> = check(&text(&class), &Copy).iter().map(|d| d.code.id).collect();
    // More arguments than BPF takes, and a record of more than a page: both are lints.
    assert_eq!(codes, ["T0729", "T0727"]);
    let enums = format!("enum E: u64 {{ {} }} flags F {{ A, B }}", list(&|n| format!("M{n} = {n}, ")));
    assert_eq!(check(&text(&enums), &Copy).len(), 0);
    let wrong = format!(
        "subsystem storage; event e {{ proto (a: u8) entry {{ {} }} }}",
        list(&|n| format!("b{n}: u8 = wrong{n}; "))
    );
    assert_eq!(check(&text(&wrong), &Copy).len(), 201);
}

/// Parts of correct definitions in any order do not make the checker panic, and each of its spans is in the text.
#[test]
fn scrambled_definitions_do_not_panic() {
    let words: Vec<&str> = MISTAKES.iter().flat_map(|(text, _, _)| text.split(' ')).collect();
    // A fixed sequence (Knuth's MMIX generator), so that a failure comes again.
    let mut state: u64 = 1;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut raised = 0;
    for _ in 0..4_000 {
        // A right text with some words of others in it.
        let mut parts: Vec<&str> = MISTAKES[next(MISTAKES.len())].0.split(' ').collect();
        for _ in 0..1 + next(3) {
            let at = next(parts.len());
            parts[at] = words[next(words.len())];
        }
        let source = text(&format!("subsystem storage; {}", parts.join(" ")));
        for diagnostic in check(&source, &Copy) {
            raised += 1;
            for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
                assert!(source.text.get(label.span.range()).is_some(), "{}: {diagnostic:?}", source.text);
            }
        }
    }
    assert!(raised > 4_000, "{raised}");
}
