//! The law, for one language at a time.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tracec_compiler::target::DecoderTarget;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::record::Record;

use crate::cases::{Asked, Case, asked, cases};
use crate::cells::Cells;
use crate::event::{Event as Recorded, HIDING, PLAIN};
use crate::fields;
use crate::generate::random::Random;
use crate::program::{self, Language, Planted, Question, compile, decisions, decoder};

/// The size of a run.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) pairs: usize,
    pub(crate) conditions: usize,
}

/// Statistics of a run.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) pairs: usize,
    pub(crate) holds: usize,
    conditions: usize,
    cells: Cells,
    compiled: Duration,
    took: Duration,
}

impl Seen {
    pub(crate) fn missing(&self) -> Vec<String> {
        // Decoders in all languages take the same constructs.
        self.cells.missing(Engine::C)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pairs, {:.0} % true, of {} conditions; {} constructs; 0 disagreements; {:.1} s, {:.1} s of it to \
             compile",
            self.pairs,
            100.0 * self.holds as f64 / self.pairs as f64,
            self.conditions,
            self.cells.0.len(),
            self.took.as_secs_f64(),
            self.compiled.as_secs_f64(),
        )
    }
}

/// A pair on which evaluator and decoder disagree.
#[derive(Debug)]
pub(crate) struct Disagreement {
    pub(crate) condition: Condition,
    asked: Asked,
    means: char,
    says: Option<char>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "condition  {}", self.condition)?;
        writeln!(f, "it means   {}, the decoder says {:?}", self.means, self.says)?;
        write!(f, "record     {:?}", self.asked)
    }
}

/// Compares the decisions of a decoder, with an error or without, with those of the evaluator.
pub(crate) fn run(
    language: &Language,
    seed: u64,
    effort: Effort,
    planted: Option<&Planted>,
) -> Result<Seen, Box<Disagreement>> {
    let start = Instant::now();
    let target = DecoderTarget::find(language.target).expect("a target");
    let records = effort.pairs.div_ceil(effort.conditions);
    let (mut pairs, mut holds, mut conditions) = (0, 0, 0);
    let (mut cells, mut compiled) = (Cells::default(), Duration::ZERO);
    let mut random = Random::new(seed);
    while pairs < effort.pairs {
        // Programs of some hundred conditions: a compiler takes longer than that for more at once.
        let cases = cases(target.engine, effort.conditions.min(500), records, &mut random);
        let decoder = build(target, &cases, planted);
        let directory = directory(language, planted);
        let compiling = Instant::now();
        let main = (language.main)(&decoder, cases.len());
        let program = compile(language, &directory, &decoder, &main, planted.is_some());
        compiled += compiling.elapsed();
        let says = decisions(&program, &questions(&cases));
        let mut says = says.chars();
        for case in &cases {
            for asked in &case.asked {
                let record = case.event.decoder.record(&asked.moment.bytes).expect("a header is there");
                let means = meaning(case, &record, asked, language.takes_short);
                let said = says.next();
                if said != Some(means) {
                    let (condition, asked) = (case.condition.clone(), asked.clone());
                    return Err(Box::new(Disagreement { condition, asked, means, says: said }));
                }
                pairs += 1;
                holds += usize::from(means == '1');
                cells.count(case, &record, asked);
            }
        }
        conditions += cases.len();
    }
    Ok(Seen { pairs, holds, conditions, cells, compiled, took: start.elapsed() })
}

/// Compares the fields of records, whole and damaged, with those that the kernel crate reads. Returns how many records
/// there were.
pub(crate) fn compare_fields(language: &Language, seed: u64, count: usize) -> usize {
    let target = DecoderTarget::find(language.target).expect("a target");
    let event: &'static Recorded = &PLAIN;
    let condition = Condition::Const(true);
    let asked = asked(event, &condition, count, &mut Random::new(seed));
    let cases = [Case { event, condition, asked }];
    let decoder = build(target, &cases, None);
    let main = (language.fields)(&event.format);
    let directory = directory(language, Some(&Planted { name: "fields", text: "", instead: "" }));
    let program = compile(language, &directory, &decoder, &main, false);
    let printed = decisions(&program, &questions(&cases));
    let mut wanted = String::new();
    for asked in &cases[0].asked {
        let record = event.decoder.record(&asked.moment.bytes).expect("a header is there");
        match is_short(event, &record) {
            true => wanted.push_str("short\n"),
            false => wanted.push_str(&fields::expected(&record)),
        }
    }
    let difference = printed.lines().zip(wanted.lines()).find(|(printed, wanted)| printed != wanted);
    assert_eq!(difference, None, "{}", language.target);
    assert_eq!(printed.lines().count(), wanted.lines().count(), "{}", language.target);
    cases[0].asked.len()
}

/// Returns whether a record is shorter than its layout.
fn is_short(event: &Recorded, record: &Record<'_>) -> bool {
    let ends = event.format.fields.iter().map(|field| (field.offset + field.size) as usize);
    record.data.len() < ends.max().unwrap_or(0)
}

/// Returns `1` where the condition holds, `0` where it does not, and `-` for a record that is not taken.
fn meaning(case: &Case, record: &Record<'_>, asked: &Asked, takes_short: bool) -> char {
    if !takes_short && is_short(case.event, record) {
        return '-';
    }
    if eval(&case.condition, record, asked) { '1' } else { '0' }
}

/// Returns a directory of this run's own.
fn directory(language: &Language, planted: Option<&Planted>) -> PathBuf {
    let error = planted
        .map_or("right".to_owned(), |planted| planted.name.replace(|c: char| !c.is_alphanumeric(), "_"));
    program::directory(&format!("decoders-{}-{error}", language.target))
}

/// Returns the decoder of cases, with an error or without.
fn build(target: &DecoderTarget, cases: &[Case], planted: Option<&Planted>) -> String {
    let formats = [&PLAIN.format, &HIDING.format];
    let sessions =
        cases.iter().map(|case| (usize::from(!std::ptr::eq(case.event, &*PLAIN)), &case.condition));
    let decoder = decoder(target, &formats, sessions);
    match planted {
        Some(Planted { name, text, instead }) => {
            assert!(decoder.contains(text), "{name}: nothing to change");
            decoder.replace(text, instead)
        }
        None => decoder,
    }
}

/// Returns all pairs as a program reads them.
fn questions(cases: &[Case]) -> Vec<u8> {
    let of = |(number, case): (usize, &Case)| {
        let question = |asked: &Asked| {
            let moment = &asked.moment;
            Question {
                session: number,
                cpu: moment.cpu,
                tgid: asked.tgid,
                comm: &moment.comm,
                record: &moment.bytes,
            }
            .bytes()
        };
        case.asked.iter().flat_map(question).collect::<Vec<u8>>()
    };
    cases.iter().enumerate().flat_map(of).collect()
}
