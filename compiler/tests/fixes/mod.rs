//! Every fix that is offered does what it says: its diagnostic is gone, and no other has come. What a help asks for
//! can be read, and where it names events, it is checked without a mistake.

use tracec_compiler::diagnostic::fix;
use tracec_compiler::{Diagnostic, KernelSource, Severity, SourceText};

use super::common::check;

/// Tries each fix of a text alone. Counts them, and returns those that do not help.
pub(crate) fn try_all(source: &SourceText, kernel: &dyn KernelSource, failures: &mut Vec<String>) -> usize {
    let before = check(source, kernel);
    let mut tried = 0;
    for (index, diagnostic) in before.iter().enumerate() {
        for written in asked_for(diagnostic) {
            if let Err(why) = can_be_written(written, kernel) {
                failures.push(format!("{}: `{written}` {why}\n{}", diagnostic.code.id, source.text));
            }
        }
        for offered in &diagnostic.fixes {
            tried += 1;
            if let Err(why) = try_one(source, kernel, &before, index, offered) {
                let edits = &offered.edits;
                failures.push(format!("{}: {why}: {edits:?}\n{}", diagnostic.code.id, source.text));
            }
        }
    }
    tried
}

/// What the words before a text say of it: that it is to be written.
const ORDERS: [&str; 5] = [
    "write ",
    "did you mean ",
    "add ",
    "define the event in a file: ",
    "a near session, which differs as the notes say: ",
];

/// The texts that the helps and the titles of fixes ask for: what stands between backticks behind an order.
pub(crate) fn asked_for(diagnostic: &Diagnostic) -> Vec<&str> {
    let titles = diagnostic.fixes.iter().map(|fix| fix.title.as_str());
    let helps = diagnostic.helps.iter().map(String::as_str).chain(titles);
    let quoted = |help: &'_ str| -> Vec<(usize, usize)> {
        let ticks: Vec<usize> = help.match_indices('`').map(|(at, _)| at).collect();
        ticks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    };
    helps
        .flat_map(|help| {
            let ordered =
                |(open, _): &(usize, usize)| ORDERS.iter().any(|order| help[..*open].ends_with(order));
            quoted(help)
                .into_iter()
                .filter(ordered)
                .map(|(open, close)| &help[open + 1..close])
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The places in which a text can stand.
const PLACES: &[&str] = &[
    "@",
    "session s { @ }",
    "session s { @; }",
    "session s { clock @; }",
    "session s { buffer @; }",
    "session s { stop after @; }",
    "session s { option x @; }",
    "session s { output @; }",
    "session s { trace @; }",
    "session s { trace a:b @; }",
    "session s { trace a:b if @; }",
    "session s { trace a:b if x @; }",
    "session s { trace a:b if x @ 1; }",
    "session s { trace a:b if x @ \"y\"; }",
    "session s { trace a:b if x @ {1}; }",
    "session s { trace a:b if x in {1 @ 2}; }",
    "session s { trace a:b if x in @; }",
    "session s { on a:b @ }",
    "session s { on @ }",
    "session s { on a:b { @ } }",
    "session s { on a:b { trigger @; } }",
    "session s { on a:b { trigger stacktrace @; } }",
    "enum E { @ }",
    "const A: @ = 1;",
    "event e { @ }",
    "event e { entry { @; } }",
    "event e { print \"@\" }",
    "event e at kprobe f { a = @: u8; }",
    "event e at @ f;",
    "lint @ constant-condition;",
];

/// Returns why a text that a help asks for cannot be written.
fn can_be_written(text: &str, kernel: &dyn KernelSource) -> Result<(), String> {
    // What is left out in a help is the rest of a comparison, a list, or a clause.
    let text = text.replace("..=", "\u{0}");
    let text = text.replace(" ..", " == 1").replace("(..)", "(x)").replace("{..}", "{0}");
    let text = text.replace("{ == 1 }", "{ clock mono; }").replace('\u{0}', "..=");
    let reads = |source: &str| tracec_grammar::parse(source).errors.is_empty();
    if tracec_grammar::parse_one_liner(&text).errors.is_empty() {
        // Other names stand for any.
        let names_event =
            ["sched:", "syscalls:", "signal:", "irq:", "kmem:"].iter().any(|system| text.contains(system));
        let source = SourceText { name: "-e".to_owned(), text: text.clone(), one_liner: true };
        let wrong = |said: &Diagnostic| said.severity == Severity::Error;
        return match check(&source, kernel).into_iter().find(wrong) {
            Some(said) if names_event => Err(format!("is wrong: {} {}", said.code.id, said.message)),
            _ => Ok(()),
        };
    }
    match PLACES.iter().any(|place| reads(&place.replace('@', &text))) {
        true => Ok(()),
        false => Err("cannot be read anywhere".to_owned()),
    }
}

fn try_one(
    source: &SourceText,
    kernel: &dyn KernelSource,
    before: &[Diagnostic],
    index: usize,
    offered: &fix::Fix,
) -> Result<(), String> {
    for pair in offered.edits.windows(2) {
        if pair[0].span.end >= pair[1].span.start {
            return Err("two edits touch".to_owned());
        }
    }
    for edit in &offered.edits {
        match source.text.get(edit.span.range()) {
            None => return Err("an edit lies outside of the text".to_owned()),
            Some(now) if now == edit.text => return Err("an edit changes nothing".to_owned()),
            Some(_) => {}
        }
    }
    let text = fix::apply(&source.text, &offered.edits.iter().collect::<Vec<_>>());
    let mut expected: Vec<&str> = before.iter().map(|diagnostic| diagnostic.code.id).collect();
    expected.remove(index);
    for diagnostic in check(&SourceText { text: text.clone(), ..source.clone() }, kernel) {
        // A guess may cause a lint, which is reported like any other; it must not be a mistake.
        if offered.applicability == fix::Applicability::Maybe && diagnostic.severity == Severity::Warning {
            continue;
        }
        match expected.iter().position(|id| *id == diagnostic.code.id) {
            Some(known) => drop(expected.swap_remove(known)),
            None => return Err(format!("leaves or adds {}: {text}", diagnostic.code.id)),
        }
    }
    Ok(())
}
