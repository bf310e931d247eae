//! Shrinking of a disagreement.

use libtest_mimic::Failed;

use super::drive::Driver;
use super::field::{Stimulus, Value};
use super::model::Model;
use super::regressions;
use super::text::{Expr, Plain};

/// The number of smaller filters and records that are tried.
const TRIES: usize = 250;

/// Reports the smallest filter and record on which kernel and model still disagree; `None` if it does not occur again.
pub(crate) fn shrink(
    driver: &mut Driver<'_>,
    expr: &Expr,
    text: &[u8],
    stimulus: &Stimulus,
    model: &dyn Model,
) -> Result<Option<String>, Failed> {
    let mut best = (expr.clone(), text.to_vec(), stimulus.clone());
    if disagreement(driver, &best.1, &best.2, model)?.is_none() {
        return Ok(None);
    }
    let mut tries = 0;
    while let Some(smaller) =
        candidates(&best).into_iter().take(TRIES.saturating_sub(tries)).find_map(|candidate| {
            tries += 1;
            match disagreement(driver, &candidate.1, &candidate.2, model) {
                Ok(None) => None,
                Ok(Some(_)) => Some(Ok(candidate)),
                Err(error) => Some(Err(error)),
            }
        })
    {
        best = smaller?;
    }
    let (_, text, stimulus) = best;
    let Some((kernel, said, bytes)) = disagreement(driver, &text, &stimulus, model)? else { return Ok(None) };
    let line = regressions::line(driver.source, &text, &stimulus);
    Ok(Some(format!(
        "{}: kernel {kernel}, model {said}\n  {line}\n  record {}",
        driver.source.event(),
        hex(&bytes)
    )))
}

fn disagreement(
    driver: &mut Driver<'_>,
    text: &[u8],
    stimulus: &Stimulus,
    model: &dyn Model,
) -> Result<Option<(bool, bool, Vec<u8>)>, Failed> {
    let answers = driver.once(text, stimulus, model)?;
    Ok(answers.and_then(|(kernel, said, record)| (kernel != said).then_some((kernel, said, record.bytes))))
}

/// Returns the text written plainly, then every smaller filter, then every smaller record.
fn candidates((expr, text, stimulus): &(Expr, Vec<u8>, Stimulus)) -> Vec<(Expr, Vec<u8>, Stimulus)> {
    let plain = expr.text(&mut Plain);
    let mut candidates = Vec::new();
    if plain.len() < text.len() {
        candidates.push((expr.clone(), plain, stimulus.clone()));
    }
    for smaller in expr.smaller() {
        let text = smaller.text(&mut Plain);
        candidates.push((smaller, text, stimulus.clone()));
    }
    let records = smaller_records(stimulus).into_iter();
    candidates.extend(records.map(|smaller| (expr.clone(), text.clone(), smaller)));
    candidates
}

/// Returns every record that is one step smaller.
pub(crate) fn smaller_records(stimulus: &Stimulus) -> Vec<Stimulus> {
    let mut candidates = Vec::new();
    for (index, value) in stimulus.values.iter().enumerate() {
        let less = match value {
            Value::Bits(0) => continue,
            Value::Bits(_) => Value::Bits(0),
            Value::Text(text) if text.is_empty() => continue,
            Value::Text(text) => Value::Text(text[..text.len() / 2].to_vec()),
        };
        let mut smaller = stimulus.clone();
        smaller.values[index] = less;
        candidates.push(smaller);
    }
    if !stimulus.task.is_empty() {
        candidates.push(Stimulus { task: Vec::new(), ..stimulus.clone() });
    }
    candidates
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
