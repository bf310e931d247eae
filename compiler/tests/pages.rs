//! The examples of the pages: the wrong one raises the page's code, the right one raises no error.

mod common;

use common::{Copy, check, text};
use tracec_compiler::diagnostic::codes;
use tracec_compiler::{Diagnostic, Severity};

/// What is ambiguous depends on the kernel, and the copy has no two events of one name; the grammar does not read
/// `lint` yet.
const NOT_TRIED: [&str; 3] = ["T0103", "T0803", "T0804"];

/// The indented block behind a heading line such as `Wrong:` or `Wrong (why):`.
fn example(page: &str, heading: &str) -> Option<String> {
    let mut lines = page.lines().skip_while(|line| !(line.starts_with(heading) && line.ends_with(':')));
    lines.next()?;
    let block: Vec<&str> =
        lines.skip_while(|line| line.is_empty()).map_while(|line| line.strip_prefix("    ")).collect();
    // Command lines are examples too, but none that a checker could try.
    (!block.is_empty() && !block[0].starts_with("tracec ")).then(|| block.join("\n"))
}

/// Pages show clauses; a session that holds them has an event besides.
fn diagnostics(example: &str) -> Vec<Diagnostic> {
    let source = if example.starts_with("session") {
        example.to_owned()
    } else {
        format!("session s {{\n{example}\non sched:sched_process_wait {{ trigger traceoff; }}\n}}\n")
    };
    check(&text(&source), &Copy)
}

#[test]
fn wrong_examples_raise_their_code_and_right_ones_nothing() {
    let (mut wrong, mut right, mut failures) = (0, 0, Vec::new());
    // What pages of definitions (T07..) show is no text of the grammar yet.
    for code in codes::ALL.iter().filter(|code| !code.id.starts_with("T07")) {
        if let Some(example) = example(code.page, "Wrong").filter(|_| !NOT_TRIED.contains(&code.id)) {
            wrong += 1;
            let found: Vec<&str> = diagnostics(&example).iter().map(|d| d.code.id).collect();
            if !found.contains(&code.id) {
                failures.push(format!("{}, wrong: {found:?}\n{example}", code.id));
            }
        }
        if let Some(example) = example(code.page, "Right").filter(|_| !NOT_TRIED.contains(&code.id)) {
            right += 1;
            let found: Vec<String> = diagnostics(&example)
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .map(|d| format!("{} {}", d.code.id, d.message))
                .collect();
            if !found.is_empty() {
                failures.push(format!("{}, right: {found:?}\n{example}", code.id));
            }
        }
    }
    println!("{wrong} wrong and {right} right examples");
    assert!(wrong > 40 && right > 40, "{wrong} wrong, {right} right examples");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
