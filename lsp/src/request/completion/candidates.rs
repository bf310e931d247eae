//! The kinds of things that can stand at a place, by the words of the statement before it.

use std::collections::BTreeSet;

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::diagnostic::{Kind as CodeKind, Level, codes};
use tracec_compiler::ir::Recorder;
use tracec_compiler::{KernelSource, stdlib};
use tracec_grammar::syntax::{ClauseKind, DeclarationKind, File, Session};
use tracec_grammar::words::StatementContext;
use tracec_kernel::tables::{clocks, features, options, probe_kinds, signals, triggers};
use tracec_span::FileId;

use super::beginnings::beginnings;
use super::{Candidate, condition, declaration};
use crate::answer::Surroundings;
use crate::cursor::Cursor;
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
        return match is_in_fields(cursor) {
            true => declaration::field(&words, cursor, fragment),
            false => Found::default(),
        };
    };
    let Some((first, rest)) = words.split_first() else {
        return beginnings(context, !sessions(of, cursor).is_empty()).into();
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
            None => event(rest, cursor, of),
        },
        (StatementContext::Event, "proto") => {
            let argument = cursor.element();
            argument.map_or_else(Found::default, |argument| declaration::field(&argument, cursor, fragment))
        }
        (StatementContext::Session, "trace" | "on") => events_clause(rest, cursor, fragment, of),
        (StatementContext::Session, "stop") => stop(rest, cursor, fragment, of),
        (StatementContext::Session, word) => clause(word, rest, of, cursor, fragment),
        (StatementContext::Block, "filter") => match rest {
            [] => {
                let mut found = condition::at(&[], cursor, fragment, &cursor.events());
                found.candidates.push(word("in kernel", "forbids the host").rests(&[" cpu == 0"]));
                found
            }
            ["in", "kernel", rest @ ..] | rest => condition::at(rest, cursor, fragment, &cursor.events()),
        },
        (StatementContext::Block, "trigger") => trigger(rest, cursor, fragment, of),
        (StatementContext::File | StatementContext::Block | StatementContext::Event, _) => Found::default(),
    }
}

/// Returns whether the innermost block has the fields of a record: of an `entry`, or of a probe.
fn is_in_fields(cursor: &Cursor<'_>) -> bool {
    let words = cursor.blocks.last().map(|block| cursor.words_of(block)).unwrap_or_default();
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
fn event(rest: &[&str], cursor: &Cursor<'_>, of: &Surroundings<'_>) -> Found {
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
        [_, "at", "event", rest @ ..] => events(rest, cursor, of),
        _ => Found::default(),
    }
}

/// Returns the events of the kernel, `system:name`.
fn events(rest: &[&str], cursor: &Cursor<'_>, of: &Surroundings<'_>) -> Found {
    let start = match rest {
        [.., _, ":"] => cursor.token_before(1).map(|range| range.start),
        _ => None,
    };
    let before = start.and_then(|start| of.document.text.get(start..cursor.word.start)).unwrap_or_default();
    let system = before.split(':').next().unwrap_or_default();
    let below = |directory: &str| -> BTreeSet<String> {
        of.kernels.iter().flat_map(|kernel| kernel.directories(directory).unwrap_or_default()).collect()
    };
    let mut systems = below("events");
    systems.retain(|name| name != "ftrace" && (system.is_empty() || name == system));
    let mut candidates = Vec::new();
    for system in systems {
        let names = below(&format!("events/{system}"));
        let is_word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let plain = names.into_iter().filter(|name| is_word(name) && is_word(&system));
        candidates.extend(
            plain.map(|name| Candidate::new(format!("{system}:{name}"), Kind::Event, "event").certain()),
        );
    }
    Found { candidates, start }
}

/// Returns whether the last words may begin an event's path: nothing, a bracket, a comma, or a colon.
fn wants_event(rest: &[&str]) -> bool {
    matches!(rest, [] | [.., "{" | "," | ":" | "except"])
}

/// `trace EVENTS [except EVENTS] [having FIELDS] [if CONDITION]`.
fn events_clause(
    rest: &[&str],
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
    of: &Surroundings<'_>,
) -> Found {
    let set = cursor.events();
    if let Some(at) = rest.iter().position(|word| *word == "if") {
        return condition::at(rest.get(at + 1..).unwrap_or_default(), cursor, fragment, &set);
    }
    if let Some(at) = rest.iter().rposition(|word| *word == "having")
        && matches!(rest.get(at + 1..), Some([] | [.., ","]))
    {
        return condition::fields(fragment, &set).into();
    }
    if wants_event(rest) {
        return events(rest, cursor, of);
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
        return condition::at(condition, cursor, fragment, &cursor.events());
    }
    let takes_event = |action: &str| triggers::find(action).is_some_and(triggers::Trigger::takes_event);
    match rest {
        [] => {
            let all = triggers::ALL.iter().map(|trigger| {
                let rests = if trigger.takes_event() { &[" sched:sched_switch"][..] } else { &[""][..] };
                Candidate::new(trigger.name, Kind::Function, trigger.doc).rests(rests)
            });
            all.collect::<Vec<_>>().into()
        }
        [action] if takes_event(action) => events(&[], cursor, of),
        [action, _, ":"] if takes_event(action) => events(rest, cursor, of),
        [.., "count"] => Found::default(),
        [.., "once"] => parts(&["if"], rest).into(),
        _ if rest.contains(&"count") => parts(&["if"], rest).into(),
        _ => parts(&["if", "count", "once"], rest).into(),
    }
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
            let set = cursor.events();
            if let Some(at) = rest.iter().position(|word| *word == "if") {
                return condition::at(rest.get(at + 1..).unwrap_or_default(), cursor, fragment, &set);
            }
            if wants_event(rest) {
                let mut found = events(rest, cursor, of);
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
        ("when", ["has", "event" | "field", rest @ ..]) if wants_event(rest) => events(rest, cursor, of),
        ("when", ["has", "field", .., "."]) => condition::fields(fragment, &cursor.events()).into(),
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

/// Returns the sessions of the text and of its imports that the one around the place can include: those without a
/// parameter that needs a value, and that do not include it themselves.
fn sessions(of: &Surroundings<'_>, cursor: &Cursor<'_>) -> Vec<Candidate> {
    let read = of.read();
    let text = &read.program[FileId::MAIN];
    let file = &text.parsed.file;
    let others = file.sessions().filter(|session| {
        let range = session.span.range();
        !(range.start < cursor.offset && cursor.offset < range.end)
    });
    let own = file.sessions().find(|session| {
        let range = session.span.range();
        range.start < cursor.offset && cursor.offset <= range.end
    });
    let own = own.and_then(|session| session.name.as_ref()).map(|name| name.value.as_str());
    let is_free = |session: &&Session| session.params.iter().all(|param| param.default.is_some());
    let leads_here = |name: &str| own.is_some_and(|own| includes(file, name, own));
    let names = others.filter(is_free).filter_map(|session| session.name.as_ref());
    let names = names.filter(|name| !leads_here(&name.value));
    let own = names.map(|name| Candidate::new(&name.value, Kind::Module, "session").certain());
    let imported = text.imports.iter().flat_map(|import| {
        let sessions = read.program[import.file].parsed.file.sessions().filter(is_free);
        let names = sessions.filter_map(|session| session.name.as_ref());
        names.map(|name| format!("{}::{}", import.name.value, name.value))
    });
    own.chain(imported.map(|path| Candidate::new(path, Kind::Module, "session"))).collect()
}

/// Returns the parameters of the session that an `include` names, without those that have their value.
fn arguments(rest: &[&str], of: &Surroundings<'_>, cursor: &Cursor<'_>) -> Vec<Candidate> {
    let read = of.read();
    let text = &read.program[FileId::MAIN];
    let (text, name) = match rest {
        [module, "::", name, ..] => {
            let import = text.imports.iter().find(|import| import.name.value == *module);
            (import.map(|import| &read.program[import.file]), *name)
        }
        [name, ..] => (Some(text), *name),
        [] => (None, ""),
    };
    let is_it = |session: &&Session| session.name.as_ref().is_some_and(|own| own.value == name);
    let session = text.and_then(|text| text.parsed.file.sessions().find(is_it));
    let around: Vec<&str> = rest.iter().copied().chain(cursor.behind()).collect();
    let is_given = |name: &str| around.windows(2).any(|pair| pair == [name, "="]);
    let params = session.into_iter().flat_map(|session| &session.params);
    let free = params.map(|param| &param.name.value).filter(|name| !is_given(name));
    let rests = &[" = 1", " = 1ms", " = \"a\"", " = 127.0.0.1", " = CPUS{0}"];
    free.map(|name| Candidate::new(name, Kind::Variable, "parameter").rests(rests)).collect()
}

/// Returns whether a session includes another one, by way of others or not.
fn includes(file: &File, from: &str, wanted: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![from.to_owned()];
    while let Some(name) = waiting.pop() {
        if name == wanted {
            return true;
        }
        if !seen.insert(name.clone()) {
            continue;
        }
        let named =
            file.sessions().filter(|session| session.name.as_ref().is_some_and(|own| own.value == name));
        for clause in named.flat_map(|session| &session.clauses) {
            if let ClauseKind::Include { session, .. } = &clause.kind
                && let [name] = session.value.as_slice()
            {
                waiting.push(name.value.clone());
            }
        }
    }
    false
}
