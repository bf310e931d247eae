//! Comparison of kernel and model: generated filters with generated records, and wrong filters.

use std::time::Instant;

use libtest_mimic::Failed;

use super::drive::Driver;
use super::field::{Field, Kind, MOMENT, Palette, Stimulus, World};
use super::generate::random::Random;
use super::model::{Decide, Model, Refused};
use super::regressions::Case;
use super::shrink::shrink;
use super::tally::Tally;
use super::text::{Expr, Language, compound, forms, pred};
use super::wrong;

/// The number of wrong filters that are drawn at once.
const WRONG: usize = 40;

/// Rounds for the cells that were always true or always false until then.
const MORE: usize = 20;

/// The plan of the questions about one event.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Rounds; each gives every instance one filter.
    pub(crate) rounds: usize,
    /// The number of wrong filters that kernel and model must have refused by the end.
    pub(crate) refusals: usize,
    /// The number of disagreements after which the run ends.
    pub(crate) enough: usize,
    /// The features of the filters' language that the kernel has.
    pub(crate) language: Language,
    /// The fields that filters may name here.
    pub(crate) fields: Vec<Field>,
    /// The objects of the kernel that records can point to.
    pub(crate) world: World,
}

/// A filter that both accept.
struct Accepted {
    number: usize,
    expr: Expr,
    text: Vec<u8>,
    decide: Decide,
}

/// Runs the plan.
pub(crate) fn run(
    driver: &mut Driver<'_>,
    plan: &Plan,
    model: &dyn Model,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), Failed> {
    let cells: Vec<(&Field, &'static str)> = plan
        .fields
        .iter()
        .flat_map(|field| forms(field.kind, plan.language).into_iter().map(move |form| (field, form)))
        .collect();
    cells.iter().for_each(|(field, form)| tally.expect(field, form));
    let mut right = Vec::new();
    let mut next_cell = cells.iter().cycle();
    for _ in 0..plan.rounds {
        let palette = Palette::draw(&plan.world, &driver.seen, random);
        // Every other filter is a single comparison, cell by cell.
        let filters = draw(driver.rig.filters(), tally, random, |index, random| match index % 2 {
            0 => single(next_cell.next(), plan, &palette, random),
            _ => Some(compound(&plan.fields, &palette, plan.language, random, 3)),
        });
        right.extend(filters.iter().map(|(_, text)| text.clone()).filter(|_| random.once_in(4)));
        let batch = driver.batch(&palette, random);
        round(driver, plan.enough, filters, &batch, model, tally)?;
        if tally.disagreements.len() >= plan.enough {
            return Ok(());
        }
    }
    for _ in 0..MORE {
        let one_sided: Vec<_> =
            cells.iter().filter(|(field, form)| tally.is_one_sided(field, form)).collect();
        let mut next_cell = one_sided.iter().copied().cycle();
        let palette = Palette::draw(&plan.world, &driver.seen, random);
        let filters = draw(driver.rig.filters(), tally, random, |_, random| {
            single(next_cell.next(), plan, &palette, random)
        });
        if filters.is_empty() {
            break;
        }
        let batch = driver.batch(&palette, random);
        round(driver, plan.enough, filters, &batch, model, tally)?;
    }
    wrong_filters(driver, plan, &right, model, random, tally)
}

/// Draws a comparison of a cell; `None` where there is no cell.
fn single(
    cell: Option<&(&Field, &'static str)>,
    plan: &Plan,
    palette: &Palette,
    random: &mut Random,
) -> Option<Expr> {
    cell.map(|(field, form)| Expr::Pred(pred(field, form, palette, plan.language, random)))
}

/// Draws so many new filters, or fewer if there are no more.
fn draw(
    wanted: usize,
    tally: &mut Tally,
    random: &mut Random,
    mut expr: impl FnMut(usize, &mut Random) -> Option<Expr>,
) -> Vec<(Expr, Vec<u8>)> {
    let mut filters = Vec::new();
    for _ in 0..20 * wanted {
        if filters.len() == wanted {
            break;
        }
        let Some(expr) = expr(filters.len(), random) else { break };
        let text = expr.text(random);
        if text.len() < 4000 && tally.is_new(&text) {
            filters.push((expr, text));
        }
    }
    filters
}

/// Gives each instance its filter, fires the batch, and compares every decision.
fn round(
    driver: &mut Driver<'_>,
    enough: usize,
    filters: Vec<(Expr, Vec<u8>)>,
    batch: &[Stimulus],
    model: &dyn Model,
    tally: &mut Tally,
) -> Result<(), Failed> {
    let start = Instant::now();
    let mut accepted = Vec::new();
    for (number, (expr, text)) in filters.into_iter().enumerate() {
        if let Some(decide) = same_verdict(driver, number, &text, model, tally) {
            accepted.push(Accepted { number, expr, text, decide });
        }
    }
    let written = Instant::now();
    let fired = driver.fire(batch)?;
    let read = Instant::now();
    let mut doubtful = Vec::new();
    for filter in &accepted {
        let mut first = None;
        for ((stimulus, record), passed) in batch.iter().zip(&fired.records).zip(&fired.passed[filter.number])
        {
            let Some(passed) = *passed else {
                tally.unreported += 1;
                continue;
            };
            tally.decided(&filter.expr, passed);
            if driver.ask(&filter.decide, stimulus, record) != passed && first.is_none() {
                first = Some((stimulus, passed));
            }
        }
        doubtful.extend(first.map(|(stimulus, passed)| (filter, stimulus, passed)));
    }
    tally.took([written - start, read - written, read.elapsed()]);
    for (filter, stimulus, passed) in doubtful {
        let reported = shrink(driver, &filter.expr, &filter.text, stimulus, model)?;
        match reported {
            Some(reported) => tally.disagreements.push(reported),
            None => {
                let reported =
                    format!("it did not show again, kernel {passed}: {}", filter.text.escape_ascii());
                let excused = MOMENT.iter().any(|name| reported.contains(name));
                if excused { &mut tally.fleeting } else { &mut tally.disagreements }.push(reported);
            }
        }
        if tally.disagreements.len() >= enough {
            break;
        }
    }
    Ok(())
}

/// Compares the verdicts of kernel and model. If both accept the filter, returns the model's decisions. Both may refuse
/// it, in the same way.
fn same_verdict(
    driver: &Driver<'_>,
    number: usize,
    text: &[u8],
    model: &dyn Model,
    tally: &mut Tally,
) -> Option<Decide> {
    let (kernel, said) = driver.filter(number, text, model);
    let show = |verdict: Result<(), &Refused>| match verdict {
        Ok(()) => "takes it".to_owned(),
        Err(refused) => refused.to_string(),
    };
    match (kernel, said) {
        (Ok(()), Ok(decide)) => return Some(decide),
        (Err(kernel), Err(said)) if kernel == said => tally.refused(text),
        (kernel, said) => {
            tally.disagreements.push(format!(
                "{}: kernel {}, model {}\n  {}",
                driver.source.event(),
                show(kernel.as_ref().map(|&()| ())),
                show(said.as_ref().map(|_| ())),
                text.escape_ascii()
            ));
        }
    }
    None
}

/// Mutates valid filters until enough are refused. Mutations that are accepted are compared like any other filter.
fn wrong_filters(
    driver: &mut Driver<'_>,
    plan: &Plan,
    right: &[Vec<u8>],
    model: &dyn Model,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), Failed> {
    let mut whole = wrong::WHOLE.iter().map(|text| text.as_bytes().to_vec());
    while tally.refusals() < plan.refusals && tally.disagreements.len() < plan.enough {
        let mut filters = Vec::new();
        let mut drawn = 0;
        while filters.len() < driver.rig.filters().min(WRONG) && drawn < 10 * WRONG {
            drawn += 1;
            let text = whole
                .next()
                .unwrap_or_else(|| wrong::mutate(random.pick::<Vec<u8>>(right).as_slice(), random));
            // `0` alone removes the filter, and an empty text is not written.
            if text.trim_ascii() != b"0" && !text.is_empty() && !text.contains(&0) && tally.is_new(&text) {
                filters.push((Expr::Raw(text.clone()), text));
            }
        }
        let palette = Palette::draw(&plan.world, &driver.seen, random);
        let batch: Vec<Stimulus> = driver.batch(&palette, random).into_iter().take(16).collect();
        round(driver, plan.enough, filters, &batch, model, tally)?;
    }
    Ok(())
}

/// Asks the stored cases of one event.
pub(crate) fn regressions(
    driver: &mut Driver<'_>,
    plan: &Plan,
    cases: &[Case],
    model: &dyn Model,
    tally: &mut Tally,
) -> Result<usize, Failed> {
    let mut asked = 0;
    for case in cases.iter().filter(|case| case.event == super::regressions::event(driver.source)) {
        let (text, stimulus) = (case.filter()?, case.stimulus(driver.source)?);
        round(driver, plan.enough, vec![(Expr::Raw(text.clone()), text)], &[stimulus], model, tally)?;
        asked += 1;
    }
    Ok(asked)
}

/// Returns the fields of a source that this kernel can be asked about, and the reasons why not the others.
pub(crate) fn reachable(
    fields: &[Field],
    language: Language,
    banner: &Result<Vec<u8>, String>,
) -> (Vec<Field>, Vec<String>) {
    let mut kept = Vec::new();
    let mut not = Vec::new();
    for field in fields {
        match (field.kind, banner) {
            (Kind::KernelText, Err(reason)) => not.push(format!("{}: {reason}", field.kind.name())),
            (Kind::Cpumask, _) if !language.cpus => {
                not.push(format!("{}: the filter knows no masks", field.kind.name()));
            }
            _ => kept.push(*field),
        }
    }
    if language.stacktrace {
        kept.push(super::field::given("stacktrace", Kind::Stacktrace));
    }
    (kept, not)
}
