//! The statistics of a run: counts, the table of cells, disagreements.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use super::field::Field;
use super::text::{Expr, never};

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    texts: HashSet<Vec<u8>>,
    decisions: u64,
    trues: u64,
    /// For each kind of field and form of comparison: how often a filter of this one comparison was false, and true.
    cells: BTreeMap<(&'static str, &'static str), [u64; 2]>,
    /// The cells that must never be true.
    never: BTreeSet<(&'static str, &'static str)>,
    refused: HashSet<Vec<u8>>,
    /// The times to write filters, to fire and read records, and to ask the model.
    took: [Duration; 3],
    /// The disagreements of kernel and model.
    pub(crate) disagreements: Vec<String>,
    /// Decisions that are not known.
    pub(crate) unreported: u64,
    /// Disagreements about the header's state of the moment that did not occur again.
    pub(crate) fleeting: Vec<String>,
}

/// The least results of a run.
const TEXTS: usize = 3_000;
const DECISIONS: u64 = 500_000;
const REFUSED: usize = 300;
const PERCENT_TRUE: u64 = 20;

impl Tally {
    /// Notes a filter; returns whether it is new in this run.
    pub(crate) fn is_new(&mut self, text: &[u8]) -> bool {
        self.texts.insert(text.to_vec())
    }

    /// Removes a filter that both refuse, and counts it among those.
    pub(crate) fn refused(&mut self, text: &[u8]) {
        self.texts.remove(text);
        self.refused.insert(text.to_vec());
    }

    /// Adds the times of a round.
    pub(crate) fn took(&mut self, took: [Duration; 3]) {
        self.took.iter_mut().zip(took).for_each(|(sum, part)| *sum += part);
    }

    /// Returns the times, in words.
    pub(crate) fn times(&self) -> String {
        let [filters, records, model] = self.took.map(|part| part.as_secs_f64());
        format!("filters {filters:.1} s, records {records:.1} s, model {model:.1} s")
    }

    /// Returns how many filters both refused.
    pub(crate) fn refusals(&self) -> usize {
        self.refused.len()
    }

    /// Notes that a cell has to be covered.
    pub(crate) fn expect(&mut self, field: &Field, form: &'static str) {
        self.cells.entry((field.row(), form)).or_default();
        if never(field.kind, form).is_some() {
            self.never.insert((field.row(), form));
        }
    }

    /// Returns whether a cell has not yet been both true and false, and can be.
    pub(crate) fn is_one_sided(&self, field: &Field, form: &'static str) -> bool {
        let cell = (field.row(), form);
        !self.never.contains(&cell) && self.cells.get(&cell).is_none_or(|truths| truths.contains(&0))
    }

    /// Counts a decision of the kernel.
    pub(crate) fn decided(&mut self, expr: &Expr, passed: bool) {
        self.decisions += 1;
        self.trues += u64::from(passed);
        if let Some(pred) = expr.single() {
            self.cells.entry((pred.row, pred.form)).or_default()[usize::from(passed)] += 1;
        }
    }

    /// Returns the table of cells: a row for each kind, `true/false` in the column of each form.
    pub(crate) fn table(&self) -> String {
        let rows: BTreeSet<&str> = self.cells.keys().map(|(kind, _)| *kind).collect();
        let mut text = String::new();
        for row in rows {
            text.push_str(&format!("  {row:<21}"));
            for ((_, form), [falses, trues]) in self.cells.iter().filter(|((kind, _), _)| *kind == row) {
                text.push_str(&format!("  {form}: {trues}/{falses}"));
            }
            text.push('\n');
        }
        text
    }

    /// Returns the counts in one line.
    pub(crate) fn summary(&self) -> String {
        format!(
            "{} filters, {} decisions, {} % true, {} cells, {} wrong filters, {} disagreements, {} fleeting",
            self.texts.len(),
            self.decisions,
            100 * self.trues / self.decisions.max(1),
            self.cells.len(),
            self.refused.len(),
            self.disagreements.len(),
            self.fleeting.len(),
        )
    }

    /// Returns everything in which the run falls short.
    pub(crate) fn shortcomings(&self) -> Vec<String> {
        let mut found = self.disagreements.clone();
        let mut at_least = |what: &str, is: u64, least: u64| {
            if is < least {
                found.push(format!("only {is} {what}, {least} are asked for"));
            }
        };
        at_least("filters", self.texts.len() as u64, TEXTS as u64);
        at_least("decisions", self.decisions, DECISIONS);
        at_least("% true", 100 * self.trues / self.decisions.max(1), PERCENT_TRUE);
        at_least("wrong filters", self.refused.len() as u64, REFUSED as u64);
        // In rare cases the header's flags change between two instances.
        if self.fleeting.len() as u64 + self.unreported > self.decisions / 20_000 {
            found.push(format!(
                "{} answers are not known, and too much did not occur again:\n{}",
                self.unreported,
                self.fleeting.join("\n")
            ));
        }
        for (cell @ (kind, form), [falses, trues]) in &self.cells {
            let never = self.never.contains(cell);
            match (never, falses, trues) {
                (true, _, 1..) => found.push(format!("{kind} {form} was true")),
                (_, 0, _) => found.push(format!("{kind} {form} was never false")),
                (false, _, 0) => found.push(format!("{kind} {form} was never true")),
                _ => {}
            }
        }
        found
    }
}
