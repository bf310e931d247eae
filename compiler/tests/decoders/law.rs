//! The law, for one language at a time.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tracec_compiler::ir::{AtomSpan, Conjunct, Event, EventLayout, Module, Recording, Session};
use tracec_compiler::target::DecoderTarget;
use tracec_compiler::{SourceMap, SourceText};
use tracec_grammar::span::Span;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::format::EventFormat;
use tracec_kernel::record::Record;

use crate::cases::{Asked, Case, asked, cases};
use crate::cells::Cells;
use crate::event::{Event as Recorded, HIDING, PLAIN};
use crate::fields;
use crate::generate::random::Random;

/// A language that decoders are written in.
pub(crate) struct Language {
    /// The target.
    pub(crate) target: &'static str,
    /// The name of the file of the program.
    pub(crate) program: &'static str,
    /// Returns the program that reads pairs and prints the decision of each, of the decoder that it uses.
    pub(crate) main: fn(decoder: &str, sessions: usize) -> String,
    /// Returns the program that prints the fields of each record of an event.
    pub(crate) fields: fn(&EventFormat) -> String,
    /// Returns the compiler and its arguments but the program; for a planted error warnings are fine.
    pub(crate) compiler: fn(planted: bool) -> Command,
    /// Whether a decoder takes a record that is shorter than its layout; else it says so.
    pub(crate) takes_short: bool,
}

/// An error in what a target writes.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    /// What stands in the file, and what stands there instead.
    pub(crate) text: &'static str,
    pub(crate) instead: &'static str,
}

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
        let says = decisions(&program, &input(&cases));
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
    let printed = decisions(&program, &input(&cases));
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

/// Returns the decoder of a text with a session for each condition.
fn build(target: &DecoderTarget, cases: &[Case], planted: Option<&Planted>) -> String {
    let mut module = Module::default();
    let mut layout = |event: &Recorded| {
        module.catalogue.add(EventLayout { format: event.format.clone(), text: "of a kernel".to_owned() })
    };
    let (plain, hiding) = (layout(&PLAIN), layout(&HIDING));
    for (index, case) in cases.iter().enumerate() {
        let id = if std::ptr::eq(case.event, &*PLAIN) { plain } else { hiding };
        let filter = module.conditions.add(conjuncts(&case.condition));
        let record = Recording { filter, demands: Vec::new(), clause: Span::default() };
        let mut session = Session::new(format!("s{index}"), Span::default());
        session.events.push(Event { id, record: Some(record), triggers: Vec::new() });
        module.sessions.push(session);
    }
    let text = SourceText { name: "decoder.trc".to_owned(), ..SourceText::default() };
    let files = target.build(&module, &SourceMap::new(text)).expect("it is built");
    let [file] = files.as_slice() else { panic!("{} files", files.len()) };
    let decoder = String::from_utf8(file.content.clone()).expect("UTF-8");
    match planted {
        Some(Planted { name, text, instead }) => {
            assert!(decoder.contains(text), "{name}: nothing to change");
            decoder.replace(text, instead)
        }
        None => decoder,
    }
}

/// Returns a condition as a session has it.
fn conjuncts(condition: &Condition) -> Vec<Conjunct> {
    let parts = match condition {
        Condition::And(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let conjunct = |value: Condition| match value {
        // A conjunction in a conjunction is not one conjunct; twice denied it is.
        Condition::And(_) => Condition::Not(Box::new(Condition::Not(Box::new(value)))),
        other => other,
    };
    let parts = parts.into_iter().map(conjunct).map(|value| {
        let atoms = vec![AtomSpan { span: Span::default(), written: None }; value.atoms().len()];
        Conjunct { value, span: Span::default(), atoms }
    });
    parts.collect()
}

/// Returns a directory of this run's own.
fn directory(language: &Language, planted: Option<&Planted>) -> PathBuf {
    let error = planted
        .map_or("right".to_owned(), |planted| planted.name.replace(|c: char| !c.is_alphanumeric(), "_"));
    let directory =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("decoders-{}-{error}", language.target));
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Compiles a decoder with the program that uses it, and returns the program's path.
fn compile(language: &Language, directory: &Path, decoder: &str, main: &str, planted: bool) -> PathBuf {
    let target = DecoderTarget::find(language.target).expect("a target");
    let extension = language.program.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = if extension == "c" { "h" } else { extension };
    std::fs::write(directory.join(format!("decoder.{extension}")), decoder).expect("a file");
    std::fs::write(directory.join(language.program), main).expect("a file");
    let output = (language.compiler)(planted).arg(language.program).current_dir(directory).output();
    let output = output.unwrap_or_else(|error| panic!("the compiler of {}: {error}", target.name));
    let errors = String::from_utf8_lossy(&output.stderr);
    let shown: String = errors.chars().take(4_000).collect();
    assert!(output.status.success(), "{} in {}:\n{shown}", target.name, directory.display());
    directory.join("program")
}

/// Returns all pairs as bytes: the number of the session, the CPU, the process id, the task's name in 16 bytes, the
/// length of the record and the record.
fn input(cases: &[Case]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, case) in (0_u32..).zip(cases) {
        for asked in &case.asked {
            bytes.extend(number.to_ne_bytes());
            bytes.extend(asked.moment.cpu.to_ne_bytes());
            bytes.extend(asked.tgid.to_ne_bytes());
            let mut comm = asked.moment.comm.clone();
            comm.resize(16, 0);
            bytes.extend(comm);
            bytes.extend((asked.moment.bytes.len() as u32).to_ne_bytes());
            bytes.extend(&asked.moment.bytes);
        }
    }
    bytes
}

/// Runs a program and returns what it prints.
fn decisions(program: &Path, input: &[u8]) -> String {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        // A program that fails reads no more; its exit code says so.
        scope.spawn(move || pipe.write_all(input).ok());
        child.wait_with_output().expect("it ends")
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {}\n{errors}", program.display(), output.status);
    String::from_utf8(output.stdout).expect("digits")
}
