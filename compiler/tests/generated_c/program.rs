//! A program of what a header says of many events, and the comparison of what it prints.

use std::fmt::{self, Write};
use std::fs;
use std::process::Command;

use tracec_compiler::target::{DefinitionTarget, Surroundings};
use tracec_compiler::{Choice, Input, KernelError, KernelSource, Severity, SourceText, analyse};

use crate::expressions::{Condition, Maker, Number, Random, Type, arguments};

/// The sign of `char`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Char {
    Signed,
    Unsigned,
}

/// A kernel of which only the sign of `char` is known.
impl KernelSource for Char {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        let signed = u8::from(*self == Char::Signed);
        let format = format!(
            "name: task_rename\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
             \tfield:char oldcomm[16];\toffset:8;\tsize:16;\tsigned:{signed};\n\nprint fmt: \"\", \n"
        );
        Ok((path == "events/task/task_rename/format").then_some(format))
    }

    fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
        Ok(Vec::new())
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }
}

/// What was compared.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) events: usize,
    pub(crate) pairs: usize,
    pub(crate) holds: usize,
}

impl Checked {
    pub(crate) fn add(&mut self, other: &Checked) {
        self.events += other.events;
        self.pairs += other.pairs;
        self.holds += other.holds;
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checked { events, pairs, holds } = self;
        write!(f, "{events} events, {pairs} pairs, {holds} conditions hold; 0 disagreements")
    }
}

struct Event {
    condition: Condition,
    value: Number,
    field: Type,
}

/// Compares events with their meaning.
pub(crate) fn check(count: usize, rounds: usize, char: Char, random: &mut Random) -> Result<Checked, String> {
    run(count, rounds, char, random, None)
}

/// The same, with a change of the C.
pub(crate) fn check_planted(
    count: usize,
    rounds: usize,
    char: Char,
    random: &mut Random,
    planted: (&str, &str),
) -> Result<Checked, String> {
    run(count, rounds, char, random, Some(planted))
}

fn run(
    count: usize,
    rounds: usize,
    char: Char,
    random: &mut Random,
    planted: Option<(&str, &str)>,
) -> Result<Checked, String> {
    let arguments = arguments(char == Char::Signed);
    let mut maker = Maker { random, arguments: &arguments, chooses: true };
    let made = (0..count).map(|_| Event {
        condition: maker.without_choices(|maker| maker.condition(3)),
        value: maker.number(3),
        field: maker.field(),
    });
    let events = accepted(made.collect(), char);
    let header = built(&events, char).map_err(|said| format!("{said:?}"))?;
    let moments: Vec<Vec<i128>> =
        (0..rounds).map(|_| arguments.iter().map(|(_, ty)| ty.hold(moment(random, *ty))).collect()).collect();
    let program = program(&events, &header, &arguments, &moments, planted)?;
    let printed = printed(&program, char, planted.is_some())?;
    let mut lines = printed.lines();
    let mut checked = Checked { events: events.len(), ..Checked::default() };
    for moment in &moments {
        for event in &events {
            let holds = event.condition.holds(moment);
            let value = event.field.hold(event.value.value(moment));
            let expected = format!("{} {value}", u8::from(holds));
            let line = lines.next().unwrap_or_default();
            if line != expected {
                return Err(format!(
                    "C says `{line}` and it means `{expected}`\nif {}\n{}: {}\nwith {:?}",
                    event.condition.text,
                    event.field.name,
                    event.value.text,
                    arguments.iter().map(|(name, _)| name).zip(moment).collect::<Vec<_>>()
                ));
            }
            checked.pairs += 1;
            checked.holds += usize::from(holds);
        }
    }
    Ok(checked)
}

/// Returns a number, often one at the end of a type.
fn moment(random: &mut Random, ty: Type) -> i128 {
    let bits = ty.bytes * 8;
    let ends = [0, 1, 2, 5, 127, 128, 255, 256, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1];
    match random.below(ends.len() + 3) {
        index if index < ends.len() => ends[index],
        index if index == ends.len() => i128::from(random.bits() & 0xffff),
        _ => i128::from(random.bits()),
    }
}

/// Returns the events that the checker takes: an expression that can have no value is refused.
fn accepted(mut events: Vec<Event>, char: Char) -> Vec<Event> {
    // Of many mistakes the first are reported.
    while let Err(places) = built(&events, char) {
        let text = text(&events);
        let lines: Vec<usize> = places.iter().map(|at| text[..*at].matches('\n').count()).collect();
        let (mut index, before) = (0, events.len());
        events.retain(|_| {
            index += 1;
            !lines.contains(&index)
        });
        assert!(events.len() < before, "the checker refuses more than events");
    }
    events
}

/// Returns the text of events, one on each line behind the first.
fn text(events: &[Event]) -> String {
    let mut text = String::from("subsystem law;\n");
    for (number, event) in events.iter().enumerate() {
        let Event { condition, value, field } = event;
        let _ = writeln!(
            text,
            "event e{number} if {} {{ proto (i: int, u: u32, l: s64, w: u64, b: u8, s: s8, h: s16, k: u16, t: bool, c: char, \
             text: *char, far: *u16) entry {{ r: {} = {}; }} }}",
            condition.text, field.name, value.text
        );
    }
    text
}

/// Returns the header of events, or where the checker refuses them.
fn built(events: &[Event], char: Char) -> Result<String, Vec<usize>> {
    let source = SourceText { name: "law.trc".to_owned(), text: text(events), one_liner: false };
    let analysis = analyse(Input::new(&source, &char), Choice::All);
    let target = DefinitionTarget::find("module").expect("a target");
    let with = Surroundings { kernel: &char, sources: &analysis.sources, code: &[], tree: None };
    let (files, said) = analysis.make_of_definitions(|module| target.build(module, &with));
    match files {
        Some(files) => {
            let header = files.into_iter().find(|file| file.name == "law_trace.h").expect("a header");
            Ok(String::from_utf8(header.content).expect("UTF-8"))
        }
        None => {
            let errors = said.iter().filter(|said| said.severity == Severity::Error);
            Err(errors.filter_map(|said| Some(said.primary.as_ref()?.span.start as usize)).collect())
        }
    }
}

/// Returns what stands between two texts.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from:?} in {text}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no {to:?} in {text}")).0
}

/// Returns the program that asks each event at each moment.
fn program(
    events: &[Event],
    header: &str,
    arguments: &[(&str, Type)],
    moments: &[Vec<i128>],
    planted: Option<(&str, &str)>,
) -> Result<String, String> {
    let (mut functions, mut calls, mut changed) = (String::new(), String::new(), false);
    for (number, event) in events.iter().enumerate() {
        let own = between(header, &format!("TRACE_EVENT_CONDITION(e{number},"), "\n);\n");
        let condition = between(own, "\tTP_CONDITION(", "),\n\n\tTP_STRUCT__entry");
        let value = between(own, "__entry->r = ", ";\n");
        let plant = |c: &str| match planted {
            Some((from, to)) => c.replacen(from, to, 1),
            None => c.to_owned(),
        };
        let (asked, set) = (plant(condition), plant(value));
        changed |= asked != condition || set != value;
        let field = event.field.name;
        let _ = writeln!(
            functions,
            "static int c{number}(PARAMETERS)\n{{\n\tif (!({asked}))\n\t\treturn 0;\n\treturn 1;\n}}\n\
             static {field} v{number}(PARAMETERS)\n{{\n\t{field} r;\n\n\tr = {set};\n\treturn r;\n}}"
        );
        let form = if event.field.signed { ("%lld", "s64") } else { ("%llu", "u64") };
        let _ = writeln!(
            calls,
            "\t\tprintf(\"%d {}\\n\", c{number}(ARGUMENTS), ({})v{number}(ARGUMENTS));",
            form.0, form.1
        );
    }
    if planted.is_some() && !changed {
        return Ok(String::new());
    }
    let mut rows = String::new();
    for moment in moments {
        let row = moment
            .iter()
            .zip(arguments)
            .map(|(number, (_, ty))| format!("({}){}ull", ty.name, *number as u64));
        let _ = writeln!(rows, "\t{{ {} }},", row.collect::<Vec<_>>().join(", "));
    }
    Ok(format!(
        "{HEAD}{functions}\nstatic const struct moment moments[] = {{\n{rows}}};\n\nint main(void)\n{{\n\
         \tfor (unsigned int n = 0; n < sizeof(moments) / sizeof(*moments); n++) {{\n\
         \t\tconst struct moment *m = &moments[n];\n\t\tchar text[2] = {{ 0, m->behind }};\n\t\tu16 far = m->far;\n\n\
         {calls}\t}}\n\treturn 0;\n}}\n"
    ))
}

/// The types of the kernel, and the arguments.
const HEAD: &str = "\
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef unsigned long long u64;
typedef long long s64;

#define PARAMETERS int i, u32 u, s64 l, u64 w, u8 b, s8 s, s16 h, u16 k, bool t, char c, char *text, u16 *far
#define ARGUMENTS m->i, m->u, m->l, m->w, m->b, m->s, m->h, m->k, m->t, m->c, text, &far

struct moment {
	int i;
	u32 u;
	s64 l;
	u64 w;
	u8 b;
	s8 s;
	s16 h;
	u16 k;
	bool t;
	char c, behind;
	u16 far;
};

";

/// The warnings that a kernel is built with and that the C of an expression can raise. Others depend on values, such as one
/// that is compared with itself.
const WARNINGS: &[&str] = &[
    "-Werror=parentheses",
    "-Werror=logical-not-parentheses",
    "-Werror=int-in-bool-context",
    "-Werror=bool-compare",
    "-Werror=int-conversion",
];

/// Compiles a program as kbuild does, and returns what it prints.
fn printed(program: &str, char: Char, planted: bool) -> Result<String, String> {
    let directory = crate::directory(if planted { "planted" } else { "law" });
    let (source, binary) = (directory.join("law.c"), directory.join("law"));
    fs::write(&source, program).expect("a program");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-std=gnu11", "-fwrapv", "-fno-strict-overflow", "-fmax-errors=5"]);
    gcc.arg(if char == Char::Signed { "-fsigned-char" } else { "-funsigned-char" });
    if planted {
        gcc.arg("-w");
    } else {
        // The constants are random: some are larger than the type that they are put into.
        gcc.args(WARNINGS).arg("-Wno-overflow");
    }
    let output = gcc.arg(&source).arg("-o").arg(&binary).output();
    let output = output.expect("gcc");
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let shown: Vec<&str> = said.lines().take(12).collect();
        return Err(format!("gcc refuses it:\n{}", shown.join("\n")));
    }
    let output = Command::new(&binary).output().expect("the program");
    Ok(String::from_utf8(output.stdout).expect("ASCII"))
}
