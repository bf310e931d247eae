//! The kinds of things that can stand at a place, by the words of the statement before it.

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::diagnostic::{Kind as CodeKind, Level, codes};
use tracec_compiler::ir::Recorder;
use tracec_compiler::{KernelSource, stdlib};
use tracec_grammar::syntax::DeclarationKind;
use tracec_grammar::words::StatementContext;
use tracec_kernel::tables::{clocks, features, options, probe_kinds, signals, triggers};
use tracec_span::FileId;

use super::beginnings::beginnings;
use super::events::{events, wants_event};
use super::sessions::{arguments, sessions};
use super::{Candidate, condition, declaration, template};
use crate::answer::Surroundings;
use crate::cursor::{BlockKind, Cursor};
use crate::fragment::Fragment;

/// What can stand at a place.
#[derive(Default)]
pub(super) struct Found {
    pub(super) candidates: Vec<Candidate>,
    /// Where the text that they replace begins, if that is not the word: at the first part of a path.
    pub(super) start: Option<usize>,
}

impl From<Vec<Candidate>> for Found {
    fn from(candidates: Vec<Candidate>) -> Self {
        Found { candidates, start: None }
    }
}

/// Returns what can stand at a place.
pub(super) fn at(cursor: &Cursor<'_>, fragment: &Fragment<'_>, of: &Surroundings<'_>) -> Found {
    let words = cursor.before();
    let Some(context) = cursor.context() else {
        return match words.split_first() {
            _ if !is_in_fields(cursor) => Found::default(),
            Some((&"print", rest)) => template::at(rest, cursor, fragment),
            None => declaration::recorded(cursor, fragment).into(),
            _ => declaration::field(&words, cursor, fragment),
        };
    };
    let Some((first, rest)) = words.split_first() else {
        let can_include = || context == StatementContext::Session && !sessions(of, cursor).is_empty();
        let mut all = beginnings(context, can_include(), cursor.is_in_trace());
        if context == StatementContext::Block && !cursor.is_in_trace() {
            all.extend(actions());
        }
        return all.into();
    };
    match (context, *first) {
        (_, "lint") => lint(rest).into(),
        (StatementContext::File, "use") => library(cursor, rest),
        (StatementContext::File, "enum" | "flags") => match rest {
            [_, ":", ty @ ..] => declaration::types(ty, &[" { MEMBER = 1 }"], cursor, fragment),
            _ => Found::default(),
        },
        (StatementContext::File, "const") => {
            // A value of each kind.
            let rests = &[" = 1", " = 1ms", " = \"a\"", " = 127.0.0.1", " = CPUS{0}"];
            declaration::constant(rest, rests, cursor, fragment)
        }
        (StatementContext::File, "session") => {
            let param = cursor.element();
            param.map_or_else(Found::default, |param| declaration::constant(&param, &[""], cursor, fragment))
        }
        (StatementContext::File, "event") => match cursor.element() {
            Some(argument) => declaration::field(&argument, cursor, fragment),
            None => event(rest, cursor, fragment, of),
        },
        (StatementContext::Event, "proto") => {
            let argument = cursor.element();
            argument.map_or_else(Found::default, |argument| declaration::field(&argument, cursor, fragment))
        }
        (StatementContext::Session, "trace" | "on") => events_clause(rest, cursor, fragment, of),
        (StatementContext::Session, "stop") => stop(rest, cursor, fragment, of),
        (StatementContext::Session, "dump") => dump(rest, cursor, fragment, of),
        (StatementContext::Session, word) => clause(word, rest, of, cursor, fragment),
        (StatementContext::Block, "filter") => match rest {
            [] => {
                let mut found = condition::at(&[], cursor, fragment);
                found.candidates.push(word("in kernel", "forbids the host").rests(&[" cpu == 0"]));
                found
            }
            ["in", "kernel", rest @ ..] | rest => condition::at(rest, cursor, fragment),
        },
        (StatementContext::Block, "trigger") => trigger(rest, cursor, fragment, of),
        (StatementContext::Block, "drop" | "redact") if matches!(rest, [] | [.., ","]) => {
            condition::shared(fragment).into()
        }
        (StatementContext::Block | StatementContext::Event, "print") => template::at(rest, cursor, fragment),
        // In a block of triggers alone their word may be left out.
        (StatementContext::Block, action) if !cursor.is_in_trace() && triggers::find(action).is_some() => {
            trigger(&words, cursor, fragment, of)
        }
        (StatementContext::File | StatementContext::Block | StatementContext::Event, _) => Found::default(),
    }
}

/// Returns whether the innermost block has the fields of a record: of an `entry`, or of a probe.
fn is_in_fields(cursor: &Cursor<'_>) -> bool {
    let mut blocks = cursor.blocks.iter().rev().filter(|block| block.kind != BlockKind::Set);
    let words = blocks.next().map(|block| cursor.words_of(block)).unwrap_or_default();
    words.last() == Some(&"entry") || words.first() == Some(&"event")
}

/// Returns a word of the language.
pub(super) fn word(text: &str, detail: &str) -> Candidate {
    Candidate::new(text, Kind::Keyword, detail)
}

fn words(all: &[(&str, &str)]) -> Vec<Candidate> {
    all.iter().map(|(text, detail)| word(text, detail).certain()).collect()
}

fn lint(rest: &[&str]) -> Vec<Candidate> {
    let [_, ..] = rest else {
        return Level::ALL.iter().map(|level| word(level.word(), "level of lints").certain()).collect();
    };
    let lints = codes::ALL.iter().filter(|code| matches!(code.kind, CodeKind::Lint(_)));
    lints.map(|code| Candidate::new(code.name, Kind::Constant, code.id).doc(code.summary())).collect()
}

/// Returns the modules of the library, as `std::NAME`.
fn library(cursor: &Cursor<'_>, rest: &[&str]) -> Found {
    let modules = stdlib::modules().iter().map(|module| {
        let path = format!("std::{}", module.name);
        Candidate::new(path, Kind::Module, module.about())
    });
    match rest {
        [] => modules.collect::<Vec<_>>().into(),
        ["std", "::"] => {
            let start = cursor.token_before(1).map(|range| range.start);
            Found { candidates: modules.collect(), start }
        }
        _ => Found::default(),
    }
}

/// `event NAME at KIND`, `event NAME: CLASS`.
fn event(rest: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>, of: &Surroundings<'_>) -> Found {
    match rest {
        [_] => words(&[("at", "a place of the kernel or of a program")]).into(),
        [_, ":"] => {
            let read = of.read();
            let declarations = read.program[FileId::MAIN].parsed.file.declarations.iter();
            let classes = declarations.filter_map(|declaration| match &declaration.kind {
                DeclarationKind::Class(class) => {
                    Some(Candidate::new(&class.name.value, Kind::Class, "class"))
                }
                _ => None,
            });
            classes.collect::<Vec<_>>().into()
        }
        [_, "at"] => {
            let kinds = probe_kinds::ALL.iter().map(|kind| word(kind.name, kind.doc).certain());
            kinds.collect::<Vec<_>>().into()
        }
        [_, "at", "event", rest @ ..] => events(rest, cursor, fragment, of),
        _ => Found::default(),
    }
}

/// `trace EVENTS [except EVENTS] [having FIELDS] [if CONDITION]`.
fn events_clause(
    rest: &[&str],
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
    of: &Surroundings<'_>,
) -> Found {
    if let Some(at) = rest.iter().position(|word| *word == "if") {
        return condition::at(rest.get(at + 1..).unwrap_or_default(), cursor, fragment);
    }
    if let Some(at) = rest.iter().rposition(|word| *word == "having")
        && matches!(rest.get(at + 1..), Some([] | [.., ","]))
    {
        return condition::all_fields(fragment).into();
    }
    if wants_event(rest) {
        return events(rest, cursor, fragment, of);
    }
    parts(&["if", "having", "except"], rest).into()
}

/// Returns the parts of a clause that can follow some words; none that is there already.
fn parts(names: &[&str], before: &[&str]) -> Vec<Candidate> {
    const PARTS: &[(&str, &str, &[&str])] = &[
        ("if", "a condition", &[" cpu == 0"]),
        ("having", "only the events that have these fields", &[" common_pid"]),
        ("except", "without these events", &[" sched:sched_process_wait", " sched:sched_process_fork"]),
        ("count", "how often it may fire", &[" 3"]),
        ("once", "it fires once", &[""]),
    ];
    let new = PARTS.iter().filter(|(text, ..)| names.contains(text) && !before.contains(text));
    new.map(|(text, detail, rests)| word(text, detail).rests(rests)).collect()
}

/// `trigger ACTION [EVENT] [count N | once] [if CONDITION]`.
fn trigger(rest: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>, of: &Surroundings<'_>) -> Found {
    if let Some(at) = rest.iter().position(|word| *word == "if") {
        let condition = rest.get(at + 1..).unwrap_or_default();
        return condition::at(condition, cursor, fragment);
    }
    let takes_event = |action: &str| triggers::find(action).is_some_and(triggers::Trigger::takes_event);
    match rest {
        [] => actions().into(),
        [action] if takes_event(action) => events(&[], cursor, fragment, of),
        [action, _, ":"] if takes_event(action) => events(rest, cursor, fragment, of),
        [.., "count"] => Found::default(),
        [.., "once"] => parts(&["if"], rest).into(),
        _ if rest.contains(&"count") => parts(&["if"], rest).into(),
        _ => parts(&["if", "count", "once"], rest).into(),
    }
}

/// Returns the actions of triggers.
fn actions() -> Vec<Candidate> {
    let all = triggers::ALL.iter().map(|trigger| {
        let rests = if trigger.takes_event() { &[" sched:sched_switch"][..] } else { &[""][..] };
        Candidate::new(trigger.name, Kind::Function, trigger.doc).rests(rests)
    });
    all.collect()
}

/// `stop after DURATION | on EVENTS .. | on signal NAME | with command | with process N`.
fn stop(rest: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>, of: &Surroundings<'_>) -> Found {
    match rest {
        [] => words(&[("after", "a time"), ("on", "an event or a signal"), ("with", "the end of a process")])
            .into(),
        ["with"] => {
            words(&[("command", "the command that the session runs"), ("process", "a process by its id")])
                .into()
        }
        ["on", "signal"] => {
            let names = signals::ALL.iter().filter(|signal| signal.refused.is_none());
            let names = names.map(|signal| signal.name.trim_start_matches("SIG"));
            names.map(|name| Candidate::new(name, Kind::Constant, "signal")).collect::<Vec<_>>().into()
        }
        ["on", rest @ ..] => {
            if let Some(at) = rest.iter().position(|word| *word == "if") {
                return condition::at(rest.get(at + 1..).unwrap_or_default(), cursor, fragment);
            }
            if wants_event(rest) {
                let mut found = events(rest, cursor, fragment, of);
                if rest.is_empty() {
                    found.candidates.insert(0, word("signal", "a signal to tracec").rests(&[" USR1"]));
                }
                return found;
            }
            parts(&["if", "count", "once", "except"], rest).into()
        }
        _ => Found::default(),
    }
}

/// `dump on EVENTS [if CONDITION] [count N] to "FILE-{n}.dat" [max N]`.
fn dump(rest: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>, of: &Surroundings<'_>) -> Found {
    match rest {
        [] => words(&[("on", "an event")]).into(),
        ["on", rest @ ..] => {
            if let Some(to) = rest.iter().position(|word| *word == "to") {
                return match rest.get(to + 1..) {
                    Some([_]) => words(&[("max", "how many files are kept")]).into(),
                    _ => Found::default(),
                };
            }
            if let Some(at) = rest.iter().position(|word| *word == "if") {
                let mut found = condition::at(rest.get(at + 1..).unwrap_or_default(), cursor, fragment);
                if rest.last().is_some_and(|last| condition::is_operand_end(last)) {
                    found.candidates.extend(words(TO));
                }
                return found;
            }
            if wants_event(rest) {
                return events(rest, cursor, fragment, of);
            }
            let all = parts(&["if", "count", "except"], rest).into_iter();
            all.chain(words(TO)).collect::<Vec<_>>().into()
        }
        _ => Found::default(),
    }
}

/// What a `dump` ends with.
const TO: &[(&str, &str)] = &[("to", "the file, with `{n}` for its number")];

/// The other clauses of a session.
fn clause(
    first: &str,
    rest: &[&str],
    of: &Surroundings<'_>,
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
) -> Found {
    let list = |all: &[(&str, &str)]| Found::from(words(all));
    match (first, rest) {
        ("clock", []) => clock_names(of).into(),
        ("option", []) => option_names(of).into(),
        // `sym-offset` is three tokens.
        ("option", [.., "-"]) => Found { candidates: option_names(of), start: begin(rest, cursor) },
        ("clock", [.., "-"]) => Found { candidates: clock_names(of), start: begin(rest, cursor) },
        ("option", [.., "on" | "off"]) => Found::default(),
        ("option", [_, ..]) => list(&[("on", "set it"), ("off", "clear it")]),
        ("recorder", []) => {
            let all = Recorder::ALL.iter().map(|recorder| word(recorder.name(), "what records").certain());
            all.collect::<Vec<_>>().into()
        }
        ("buffer", [_, "per"]) => list(&[("cpu", "each CPU's ring has the size")]),
        ("buffer", [_]) => {
            list(&[("per cpu", "each CPU's ring has the size"), ("total", "all rings together")])
        }
        ("start", []) => list(&[("paused", "nothing is recorded before it is resumed")]),
        ("ring", []) => list(&[("last", "the time that is kept")]),
        ("rotate", []) => vec![word("every", "the size of a file").rests(&[" 1GiB"])].into(),
        ("rotate", ["every", _]) => vec![word("max", "how many files are kept").rests(&[" 5"])].into(),
        ("global", []) => list(&[("discarding", "it may empty the top-level buffer")]),
        ("scope", [] | [.., ","]) => {
            let subjects = SUBJECTS.iter().map(|(text, detail, rests)| word(text, detail).rests(rests));
            let mut all: Vec<Candidate> = subjects.collect();
            if rest.is_empty() {
                all.push(word("including tracec", "what tracec does is recorded too").certain());
            }
            all.into()
        }
        ("scope", ["including"]) => list(&[("tracec", "what tracec does is recorded too")]),
        ("scope", [.., "and"]) => vec![word("children", "and the processes that they start")].into(),
        ("scope", [.., _, _] | ["command"]) => {
            vec![word("and children", "and the processes that they start")].into()
        }
        ("when", []) => list(&[("has", "a feature of the kernel")]),
        ("when", ["has"]) => list(FEATURES),
        ("when", ["has", "event" | "field", rest @ ..]) if wants_event(rest) => {
            events(rest, cursor, fragment, of)
        }
        ("when", ["has", "field", .., "."]) => {
            let fields = condition::shared(fragment).into_iter();
            fields.map(|field| field.rests(&["", " { }"])).collect::<Vec<_>>().into()
        }
        ("when", ["has", "clock"]) => clock_names(of).into(),
        ("when", ["has", "option"]) => option_names(of).into(),
        ("when", ["has", "trigger"]) => {
            let all =
                triggers::ALL.iter().map(|one| Candidate::new(one.name, Kind::Function, one.doc).certain());
            all.collect::<Vec<_>>().into()
        }
        ("when", ["has", "feature"]) => {
            let all =
                features::ALL.iter().map(|one| Candidate::new(one.name, Kind::Property, one.doc).certain());
            all.collect::<Vec<_>>().into()
        }
        ("include", []) => sessions(of, cursor).into(),
        ("include", [_, "::"]) => Found { candidates: sessions(of, cursor), start: begin(rest, cursor) },
        ("include", _) => {
            let argument = cursor.element();
            argument.map_or_else(Found::default, |argument| match argument.as_slice() {
                [] => arguments(rest, of, cursor).into(),
                [_, "=", value @ ..] => declaration::value(value, "", cursor, fragment),
                _ => Found::default(),
            })
        }
        _ => Found::default(),
    }
}

/// Returns where some words begin, which are the last before the place.
fn begin(words: &[&str], cursor: &Cursor<'_>) -> Option<usize> {
    words.len().checked_sub(1).and_then(|back| cursor.token_before(back)).map(|range| range.start)
}

/// The subjects of a scope, with what makes one of each word.
const SUBJECTS: &[(&str, &str, &[&str])] = &[
    ("command", "the command that the session runs", &[""]),
    ("process", "all threads of a process", &[" 1"]),
    ("thread", "one thread", &[" 1"]),
    ("comm", "tasks whose name matches", &[" \"a\""]),
    ("cgroup", "the tasks of a control group", &[" \"/a\""]),
    ("cpus", "tasks on these CPUs", &[" 0"]),
];

const FEATURES: &[(&str, &str)] = &[
    ("event", "an event"),
    ("field", "a field of an event"),
    ("option", "a trace option"),
    ("clock", "a trace clock"),
    ("trigger", "a trigger"),
    ("tracer", "a tracer"),
    ("feature", "another feature"),
];

/// Returns the clocks that the kernel says it has; all, if it does not say.
fn clock_names(of: &Surroundings<'_>) -> Vec<Candidate> {
    let listed = of.kernel.read("trace_clock").ok().flatten();
    let has = |name: &str| {
        listed
            .as_ref()
            .is_none_or(|text| text.split_whitespace().any(|word| word.trim_matches(['[', ']']) == name))
    };
    let clocks = clocks::ALL.iter().filter(|clock| has(clock.name));
    clocks.map(|clock| Candidate::new(clock.name, Kind::EnumMember, clock.doc)).collect()
}

fn option_names(of: &Surroundings<'_>) -> Vec<Candidate> {
    let has = |name: &str| !matches!(of.kernel.read(&format!("options/{name}")), Ok(None));
    let all = options::ALL.iter().filter(|option| has(option.name));
    all.map(|option| Candidate::new(option.name, Kind::Property, option.doc)).collect()
}
