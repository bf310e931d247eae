//! What is a little less than a condition.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;

/// Conditions with a part less.
pub(crate) fn smaller(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::Const(_) => Vec::new(),
        Condition::Atom(atom) => smaller_atoms(atom).into_iter().map(Condition::Atom).collect(),
        Condition::Not(inner) => {
            let mut all = vec![(**inner).clone()];
            all.extend(smaller(inner).into_iter().map(|inner| Condition::Not(Box::new(inner))));
            all
        }
        Condition::And(parts) => fewer(parts, Condition::all),
        Condition::Or(parts) => fewer(parts, Condition::any),
    }
}

fn fewer(parts: &[Condition], join: fn(Vec<Condition>) -> Condition) -> Vec<Condition> {
    let mut all = parts.to_vec();
    for index in 0..parts.len() {
        let mut less = parts.to_vec();
        less.remove(index);
        all.push(join(less));
        for part in smaller(&parts[index]) {
            let mut changed = parts.to_vec();
            changed[index] = part;
            all.push(join(changed));
        }
    }
    all
}

fn smaller_atoms(atom: &Atom) -> Vec<Atom> {
    match atom {
        Atom::In { of, ranges } => {
            let without = |left_out: usize| {
                let kept = ranges.iter().enumerate().filter(|(index, _)| *index != left_out);
                Atom::In { of: of.clone(), ranges: Ranges::new(kept.map(|(_, run)| run)) }
            };
            (0..ranges.iter().len()).map(without).collect()
        }
        Atom::Text { of, test } => {
            let shorter = |text: &str| -> Vec<String> {
                text.char_indices()
                    .map(|(at, c)| text[..at].to_owned() + &text[at + c.len_utf8()..])
                    .collect()
            };
            let tests: Vec<TextTest> = match test {
                TextTest::Eq(text) => shorter(text).into_iter().map(TextTest::Eq).collect(),
                TextTest::Ne(text) => shorter(text).into_iter().map(TextTest::Ne).collect(),
                TextTest::Glob(pattern) => shorter(pattern.as_str())
                    .iter()
                    .filter_map(|text| Glob::parse(text).ok().map(TextTest::Glob))
                    .collect(),
            };
            tests.into_iter().map(|test| Atom::Text { of: of.clone(), test }).collect()
        }
        _ => Vec::new(),
    }
}
