//! What several files make: circles of imports, names that several of them bind, and modules that a kernel does not
//! have.

mod common;

use common::{Copy, Files, check, places, text};
use tracec_compiler::{Choice, Diagnostic, Input, KernelError, KernelSource, analyse};
use tracec_kernel::tables::features::Support;

/// What is found in a text that is called `test.trc`, with files beside it.
fn check_with(source: &str, beside: &[(&str, &str)]) -> Vec<Diagnostic> {
    let source = text(source);
    let input = Input { imports: &Files(beside), ..Input::new(&source, &Copy) };
    analyse(input, Choice::All).diagnostics
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(|diagnostic| diagnostic.code.id).collect()
}

#[test]
fn files_that_import_each_other_are_a_circle() {
    let session = "session s { trace sched:sched_switch; }";
    let itself = "use \"test.trc\";";
    let source = format!("use \"b.trc\";\n{session}");
    let beside = [("b.trc", itself), ("test.trc", "")];
    let input = text(&source);
    let input = Input { imports: &Files(&beside), ..Input::new(&input, &Copy) };
    let tracec_compiler::Analysis { diagnostics: found, sources, .. } = analyse(input, Choice::All);
    assert_eq!(codes(&found), ["T0115"], "{found:#?}");
    // The `use` that closes the circle is marked, in the file in which it stands.
    let span = found[0].primary.as_ref().expect("a place").span;
    let (file, within) = sources.locate(span);
    assert_eq!((file.name.as_str(), &file.text[within]), ("b.trc", "\"test.trc\""));
    assert_eq!(found[0].notes, ["test.trc -> b.trc -> test.trc"]);
    let source = format!("{itself}\n{session}");
    let found = check_with(&source, &[("test.trc", "")]);
    assert_eq!(places(&text(&source), &found), [("T0115", "\"test.trc\"")], "{found:#?}");
    // Two sessions in one circle, or three, are one mistake; one that only leads there is none.
    for (sessions, place) in [
        ("session a { include b; } session b { include a; }", "a"),
        ("session a { include b; } session b { include c; } session c { include a; }", "a"),
        ("session x { include a; } session a { include b; } session b { include a; }", "a"),
        ("session a { include a; }", "a"),
    ] {
        let source = text(sessions);
        assert_eq!(places(&source, &check(&source, &Copy)), [("T0120", place)], "{sessions}");
    }
    let two = text("session a { include a; include b; } session b { include a; }");
    assert_eq!(codes(&check(&two, &Copy)), ["T0120", "T0120"], "two circles");
    // Two ways to one file are not a circle.
    let beside = [("b.trc", "use \"d.trc\";"), ("c.trc", "use \"d.trc\";"), ("d.trc", "const A: u32 = 1;")];
    let found = check_with(&format!("use \"b.trc\";\nuse \"c.trc\";\n{session}"), &beside);
    assert_eq!(codes(&found), [""; 0], "{found:#?}");
}

/// The kernel of the tree, on a processor that no module knows.
struct Elsewhere;

impl KernelSource for Elsewhere {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Copy.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        Copy.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        Copy.feature(name)
    }

    fn describe(&self) -> String {
        Copy.describe()
    }

    fn arch(&self) -> String {
        "s390x".to_owned()
    }
}

#[test]
fn module_without_values_for_the_kernel_is_reported() {
    let source = text("use std::syscall;\nsession s { trace sched:sched_switch; }\n");
    let found = analyse(Input::new(&source, &Elsewhere), Choice::All).diagnostics;
    assert_eq!(places(&source, &found), [("T0113", "std::syscall")], "{found:#?}");
    assert_eq!(codes(&check(&source, &Copy)), [""; 0]);
}

/// Sessions of which each includes the next.
fn chain(length: usize) -> String {
    let links: String = (1..length).map(|n| format!("session a{n} {{ include a{}; }}\n", n + 1)).collect();
    format!("{links}session a{length} {{ trace sched:sched_switch; }}\n")
}

/// Two includes a level: without a limit, 2^60 clauses.
#[test]
fn what_is_included_has_a_limit() {
    let link = |n: usize| format!("session a{n} {{ include a{next}; include a{next}; }}\n", next = n + 1);
    let links: String = (1..60).map(link).collect();
    let source = text(&format!("{links}session a60 {{ trace sched:sched_switch; }}\n"));
    let found = check(&source, &Copy);
    assert_eq!(places(&source, &found), [("T0137", "a59")], "{found:#?}");
    let few = format!("{}session a5 {{ trace sched:sched_switch; }}\n", (1..5).map(link).collect::<String>());
    assert_eq!(codes(&check(&text(&few), &Copy)), [""; 0]);
}

#[test]
fn a_session_may_wait_for_the_values_of_its_parameters() {
    let part = "session a(x: u32) { trace sched:sched_switch if prev_prio == x; }\n";
    assert_eq!(codes(&check(&text(&format!("{part}session b {{ include a(x = 3); }}")), &Copy)), [""; 0]);
    // Alone it is checked as far as it is known.
    let alone = |clause: &str| {
        let session = format!("session a(x: u32) {{ trace sched:sched_switch if prev_prio == x; {clause} }}");
        codes(&check(&text(&session), &Copy)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(alone(""), [""; 0]);
    assert_eq!(alone("trace sched:sched_wakup;"), ["T0101"]);
    assert_eq!(alone("trace sched:sched_waking if prio == y;"), ["T0102"]);
    assert_eq!(alone("trace sched:sched_waking if prio == 1 && pid == x && target_cpu == y;"), ["T0102"]);
    assert_eq!(alone("lint warn unused-allow; lint allow constant-condition;"), [""; 0], "nobody knows yet");
    // What does not fit the parameter's type is marked, not the name.
    let typed = text(
        "session a(min: u32) { clock mono; trace sched:sched_switch; } session b { include a(min = 10ms); }",
    );
    assert_eq!(places(&typed, &check(&typed, &Copy)), [("T0708", "10ms")]);
    // An `include` has to give what is needed.
    let without = check(&text(&format!("{part}session b {{ include a; }}")), &Copy);
    assert_eq!(codes(&without), ["T0123"], "{without:#?}");
    let source = text(&format!("{part}session b {{ include a(x = 3); }}"));
    let of = |session: Option<&str>, set: &[(String, String)]| {
        let choice = session.map_or(Choice::All, |name| Choice::One(Some(name)));
        let input = Input { set, ..Input::new(&source, &Copy) };
        let found = analyse(input, choice).diagnostics;
        found.iter().map(|diagnostic| diagnostic.code.id).collect::<Vec<_>>()
    };
    let set = |name: &str| [(name.to_owned(), "3".to_owned())];
    assert_eq!(of(Some("b"), &[]), [""; 0]);
    assert_eq!(of(Some("a"), &[]), ["T0123"], "who asks for it alone has to give the value");
    assert_eq!(of(Some("a"), &set("x")), [""; 0]);
    assert_eq!(of(Some("b"), &set("x")), ["T0122"], "b has none");
    assert_eq!(of(None, &set("x")), [""; 0], "one of the sessions has it");
    assert_eq!(of(None, &set("y")), ["T0122"]);
    assert_eq!(of(Some("c"), &[]), ["T0110"]);
}

#[test]
fn sessions_include_each_other_up_to_a_limit() {
    assert_eq!(codes(&check(&text(&chain(64)), &Copy)), [""; 0]);
    let source = text(&chain(65));
    let found = check(&source, &Copy);
    assert_eq!(places(&source, &found), [("T0121", "a65")], "{found:#?}");
}
