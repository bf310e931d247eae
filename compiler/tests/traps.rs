//! The table of traps is complete, and each of its answers is true.

mod common;

use common::{Copy, check};
use tracec_compiler::traps::{Answer, FACTS, FILTER_ERRORS, TRIGGER_ERRORS, Trap};
use tracec_compiler::{Input, Options, Severity, SourceText, compile};
use tracec_kernel::plan::{Action, InstanceName};
use tracec_kernel::tables::filter_errors;

fn one_liner(text: &str) -> SourceText {
    SourceText { name: "-e".to_owned(), text: text.to_owned(), one_liner: true }
}

/// What is wrong with an answer.
fn refute(answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Caught { text, at, code } => {
            let source = one_liner(text);
            let found = check(&source, &Copy);
            let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
            let [only] = errors.as_slice() else { return Err(format!("{text}: {found:#?}")) };
            let place = only.primary.as_ref().map(|label| &source.text[label.span.range()]);
            if (only.code.id, place) != (*code, Some(*at)) {
                return Err(format!("{text}: {} at {place:?}", only.code.id));
            }
        }
        Answer::Lowered { text, writes, file } => {
            let source = one_liner(text);
            let instance = InstanceName::new("t").expect("a name");
            let compiled = compile(Input::new(&source, &Copy), &Options { session: None, instance });
            let plan = compiled.plan.ok_or(format!("{text}: {:#?}", compiled.diagnostics))?;
            let written = plan.changes.iter().filter_map(|change| match &change.action {
                Action::Write { file, value, .. } => Some((file, value)),
                Action::CreateInstance => None,
            });
            let found: Vec<_> = written.filter(|(path, _)| path.ends_with(file)).collect();
            if found.len() != 1 || found[0].1 != writes {
                return Err(format!("{text}: {found:?}"));
            }
        }
        Answer::Avoided { how, test: (file, function) } => {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
            let source = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
            if !source.contains(&format!("fn {function}(")) {
                return Err(format!("{file} has no {function}"));
            }
            assert!(!how.is_empty());
        }
        Answer::Unsayable { why } | Answer::Invisible { why } => {
            if why.len() < 20 {
                return Err(format!("{why:?} is no reason"));
            }
        }
    }
    Ok(())
}

fn walk(name: &str, traps: &[Trap]) {
    let mut wrong = Vec::new();
    let mut kinds = [0; 5];
    for trap in traps {
        assert!(!trap.answers.is_empty(), "{}", trap.name);
        for answer in trap.answers {
            let kind = match answer {
                Answer::Caught { .. } => 0,
                Answer::Lowered { .. } => 1,
                Answer::Avoided { .. } => 2,
                Answer::Unsayable { .. } => 3,
                Answer::Invisible { .. } => 4,
            };
            kinds[kind] += 1;
            if let Err(reason) = refute(answer) {
                wrong.push(format!("{}: {reason}", trap.name));
            }
        }
    }
    let [caught, lowered, avoided, unsayable, invisible] = kinds;
    println!(
        "{name}: {} rows; {caught} caught, {lowered} lowered around, {avoided} avoided, {unsayable} that the language \
         cannot say, {invisible} that no compiler sees",
        traps.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_twenty_five_facts_have_answers() {
    assert_eq!(FACTS.len(), 25);
    walk("facts", FACTS);
}

#[test]
fn every_error_of_the_filter_has_an_answer() {
    let answered: Vec<&str> = FILTER_ERRORS.iter().map(|trap| trap.name).collect();
    assert_eq!(answered, filter_errors::names().collect::<Vec<_>>());
    walk("filter errors", FILTER_ERRORS);
}

#[test]
fn every_error_of_triggers_has_an_answer() {
    walk("trigger errors", TRIGGER_ERRORS);
}
