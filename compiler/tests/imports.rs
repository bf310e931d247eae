//! What several files make: circles of imports, names that several of them bind, and modules that a kernel does not have.

mod common;

use common::{Copy, Files, check, text};
use tracec_compiler::{Diagnostic, Input, KernelError, KernelSource};

/// What is found in a text that is called `test.trc`, with files beside it.
fn check_with(source: &str, beside: &[(&str, &str)]) -> Vec<Diagnostic> {
    let source = text(source);
    let input = Input { imports: &Files(beside), ..Input::new(&source, &Copy) };
    tracec_compiler::check(input).diagnostics
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(|diagnostic| diagnostic.code.id).collect()
}

#[test]
fn files_that_import_each_other_are_a_circle() {
    let session = "session s { trace sched:sched_switch; }";
    let itself = "use \"test.trc\";";
    let found = check_with(&format!("use \"b.trc\";\n{session}"), &[("b.trc", itself), ("test.trc", "")]);
    assert_eq!(codes(&found), ["T0115"], "{found:#?}");
    assert_eq!(found[0].notes, ["test.trc -> b.trc -> test.trc"]);
    let found = check_with(&format!("{itself}\n{session}"), &[("test.trc", "")]);
    assert_eq!(codes(&found), ["T0115"], "{found:#?}");
    // Two ways to one file are no circle.
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

    fn describe(&self) -> String {
        Copy.describe()
    }

    fn arch(&self) -> String {
        "s390x".to_owned()
    }
}

#[test]
fn a_module_without_values_for_the_kernel_is_told() {
    let source = text("use std::syscall;\nsession s { trace sched:sched_switch; }\n");
    let found = tracec_compiler::check(Input::new(&source, &Elsewhere)).diagnostics;
    assert_eq!(codes(&found), ["T0113"], "{found:#?}");
    let place = found[0].primary.as_ref().map(|label| &source.text[label.span.range()]);
    assert_eq!(place, Some("std::syscall"));
    assert_eq!(codes(&check(&source, &Copy)), [""; 0]);
}

/// Sessions of which each includes the next.
fn chain(length: usize) -> String {
    let links: String = (1..length).map(|n| format!("session a{n} {{ include a{}; }}\n", n + 1)).collect();
    format!("{links}session a{length} {{ trace sched:sched_switch; }}\n")
}

#[test]
fn sessions_include_each_other_up_to_a_limit() {
    assert_eq!(codes(&check(&text(&chain(64)), &Copy)), [""; 0]);
    let found = check(&text(&chain(65)), &Copy);
    assert_eq!(codes(&found), ["T0121"], "{found:#?}");
}
