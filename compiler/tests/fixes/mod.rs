//! Every fix that is offered does what it says: its diagnostic is gone, and no other has come.

use tracec_compiler::diagnostic::fix;
use tracec_compiler::{Diagnostic, KernelSource, Severity, SourceText};

use super::common::check;

/// Tries each fix of a text alone. Counts them, and returns those that do not help.
pub(crate) fn try_all(source: &SourceText, kernel: &dyn KernelSource, failures: &mut Vec<String>) -> usize {
    let before = check(source, kernel);
    let mut tried = 0;
    for (index, diagnostic) in before.iter().enumerate() {
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
