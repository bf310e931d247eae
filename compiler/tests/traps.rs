//! The table of traps is complete, and each of its answers is true.

mod common;

use common::{Copy, check};
use tracec_compiler::{Compilation, Diagnostic, Input, Options, Severity, SourceText, compile};
use tracec_kernel::plan::InstanceName;
use tracec_kernel::tables::{filter_errors, trigger_errors};
use tracec_oracle::traps::{Answer, FACTS, FILTER_ERRORS, TRIGGER_ERRORS, Trap};

fn one_liner(text: &str) -> SourceText {
    SourceText { name: "-e".to_owned(), text: text.to_owned(), one_liner: true }
}

fn compiled(source: &SourceText) -> Compilation {
    let instance = InstanceName::new("t").expect("a name");
    compile(Input::new(source, &Copy), &Options::new(None, instance))
}

/// Whether one error was found, with this code at this place.
fn only_error(source: &SourceText, found: &[Diagnostic], at: &str, code: &str) -> Result<(), String> {
    let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
    let [only] = errors.as_slice() else { return Err(format!("{}: {found:#?}", source.text)) };
    let place = only.primary.as_ref().map(|label| &source.text[label.span.range()]);
    if (only.code.id, place) != (code, Some(at)) {
        return Err(format!("{}: {} at {place:?}", source.text, only.code.id));
    }
    Ok(())
}

/// Whether a file has a test of this name that is run and can fail: one with `#[test]` or one that a harness of the
/// same file calls, with something in it that judges.
fn proves(source: &str, function: &str) -> Result<(), String> {
    let head = format!("fn {function}(");
    let lines: Vec<&str> = source.lines().collect();
    let at = lines.iter().position(|line| line.trim_start().starts_with(&head));
    let at = at.ok_or(format!("there is no {function}"))?;
    let indent = lines[at].len() - lines[at].trim_start().len();
    // rustfmt puts the brace that ends it below its first letter.
    let end = format!("{}}}", " ".repeat(indent));
    let body: Vec<&str> = lines[at + 1..].iter().copied().take_while(|line| **line != end).collect();
    let judges =
        |line: &&str| ["assert", "Err(", ".expect_", "expect!["].iter().any(|word| line.contains(word));
    if !body.iter().any(judges) {
        return Err(format!("{function} cannot fail"));
    }
    let attributes = lines[..at].iter().rev().take_while(|line| line.trim_start().starts_with('#'));
    let attributes: Vec<&str> = attributes.map(|line| line.trim()).collect();
    if attributes.iter().any(|attribute| attribute.starts_with("#[ignore")) {
        return Err(format!("{function} is ignored"));
    }
    let called = source.matches(&format!("{function}(")).count() > 1;
    if !attributes.contains(&"#[test]") && !called {
        return Err(format!("nothing runs {function}"));
    }
    Ok(())
}

#[test]
fn a_test_that_shows_nothing_is_no_answer() {
    assert_eq!(proves("#[test]\nfn a() {\n    assert!(b());\n}\n", "a"), Ok(()));
    assert_eq!(proves("fn a() {\n    b().expect_status(1)\n}\nfn all() {\n    a();\n}\n", "a"), Ok(()));
    for (source, reason) in [
        ("", "there is no a"),
        ("#[test]\nfn ab() {\n    assert!(b());\n}\n", "there is no a"),
        ("#[test]\nfn a() {\n}\nfn b() {\n    assert!(c());\n}\n", "a cannot fail"),
        ("#[test]\nfn a() {\n    b();\n}\n", "a cannot fail"),
        ("fn a() {\n    assert!(b());\n}\n", "nothing runs a"),
        ("#[test]\n#[ignore]\nfn a() {\n    assert!(b());\n}\n", "a is ignored"),
    ] {
        assert_eq!(proves(source, "a"), Err(reason.to_owned()), "{source}");
    }
}

/// What is wrong with an answer.
fn refute(answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Caught { text, at, code } => {
            let source = one_liner(text);
            only_error(&source, &check(&source, &Copy), at, code)?;
        }
        Answer::Refused { text, at, code } => {
            let source = one_liner(text);
            let compiled = compiled(&source);
            only_error(&source, &compiled.diagnostics, at, code)?;
            if compiled.plan.is_some() {
                return Err(format!("{text}: there is a plan"));
            }
        }
        Answer::Lowered { text, writes, file } => {
            let source = one_liner(text);
            let compiled = compiled(&source);
            let plan = compiled.plan.ok_or(format!("{text}: {:#?}", compiled.diagnostics))?;
            let written = plan.transaction.steps().iter().filter_map(|step| step.action.written());
            let found: Vec<_> = written.filter(|(path, _)| path.to_string().ends_with(file)).collect();
            if found.len() != 1 || found[0].1 != *writes {
                return Err(format!("{text}: {found:?}"));
            }
        }
        Answer::Avoided { how, test: (file, function) } => {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
            let source = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
            proves(&source, function).map_err(|reason| format!("{file}: {reason}"))?;
            assert!(!how.is_empty());
        }
        Answer::Unsayable { why } | Answer::Invisible { why } => {
            if why.len() < 20 {
                return Err(format!("{why:?} is not a reason"));
            }
        }
    }
    Ok(())
}

fn walk(name: &str, traps: &[Trap]) {
    let mut wrong = Vec::new();
    let mut kinds = [0; 6];
    for trap in traps {
        assert!(!trap.answers.is_empty(), "{}", trap.name);
        for answer in trap.answers {
            let kind = match answer {
                Answer::Caught { .. } => 0,
                Answer::Lowered { .. } => 1,
                Answer::Avoided { .. } => 2,
                Answer::Unsayable { .. } => 3,
                Answer::Invisible { .. } => 4,
                Answer::Refused { .. } => 5,
            };
            kinds[kind] += 1;
            if let Err(reason) = refute(answer) {
                wrong.push(format!("{}: {reason}", trap.name));
            }
        }
    }
    let [caught, lowered, avoided, unsayable, invisible, refused] = kinds;
    println!(
        "{name}: {} rows; {caught} caught, {lowered} lowered around, {avoided} avoided, {unsayable} that the language \
         cannot say, {invisible} that no compiler sees, {refused} that no target carries out",
        traps.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_twenty_five_facts_have_answers() {
    let ids: Vec<Option<u8>> = FACTS.iter().map(|trap| trap.id).collect();
    assert_eq!(ids, (1..=25).map(Some).collect::<Vec<_>>(), "each once");
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
    let answered: Vec<&str> = TRIGGER_ERRORS.iter().map(|trap| trap.name).collect();
    assert_eq!(answered, trigger_errors::names().collect::<Vec<_>>());
    walk("trigger errors", TRIGGER_ERRORS);
}
