//! Names of definitions: validity in C and in the kernel, and duplicates.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{DeclarationKind, EventForm, File, Name};
use tracec_kernel::tables::c_words::{self, Why};
use tracec_kernel::tables::{c_macros, c_types, limits, trace_names};

use crate::diagnostic::{Diagnostics, codes};

use super::context::Context;

/// The kinds of named things.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Subsystem,
    Class,
    Event,
    Argument,
    Field,
    ProbeField,
    Function,
}

impl Named {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Named::Subsystem => "a subsystem",
            Named::Class => "a class",
            Named::Event => "an event",
            Named::Argument => "an argument",
            Named::Field | Named::ProbeField => "a field",
            Named::Function => "a function",
        }
    }

    /// Returns advice to call it by a name that is free.
    pub(super) fn instead(self, name: &str) -> String {
        let ending = match self {
            Named::Subsystem => "_events",
            Named::Class => "_class",
            Named::Event => "_event",
            Named::Argument | Named::Field | Named::ProbeField => "_value",
            Named::Function => "_function",
        };
        format!("call it by another name, such as `{}{ending}`", name.trim_matches('_'))
    }
}

/// Reports sessions that share a name.
pub(super) fn sessions(file: &File, diagnostics: &mut Diagnostics) {
    let mut seen = FxHashMap::default();
    for name in file.sessions().filter_map(|session| session.name.as_ref()) {
        let first = *seen.entry(&name.value).or_insert(name.span);
        if first != name.span {
            diagnostics.push(codes::duplicate_session::duplicate_session(name.span, first, &name.value));
        }
    }
}

/// Returns the file's subsystem, and whether it is right: it has one if it defines tracepoints, and not a second one.
pub(super) fn subsystem<'a>(file: &'a File, context: &mut Context<'_, '_>) -> (Option<&'a Name>, bool) {
    let mut found: Option<&Name> = None;
    let mut right = true;
    for declaration in &file.declarations {
        let DeclarationKind::Subsystem(name) = &declaration.kind else { continue };
        match found {
            Some(first) => {
                context.diagnostics.push(codes::second_subsystem::second_subsystem(name.span, first.span));
                right = false;
            }
            None => {
                right &= word(name, Named::Subsystem, context);
                found = Some(name);
            }
        }
    }
    // A file that is not finished gets its subsystem later, or has it in what could not be read.
    if found.is_none()
        && !context.unread.any()
        && let Some(event) = file.declarations.iter().find_map(tracepoint)
    {
        context.diagnostics.push(codes::no_subsystem::no_subsystem(event.span, &event.value));
        right = false;
    }
    (found, right)
}

/// Returns the name of a class, or of an event that is a tracepoint of its own.
fn tracepoint(declaration: &tracec_grammar::syntax::Declaration) -> Option<&Name> {
    match &declaration.kind {
        DeclarationKind::Class(class) => Some(&class.name),
        DeclarationKind::Event(event) if !matches!(event.form, EventForm::At(_)) => Some(&event.name),
        _ => None,
    }
}

/// Reports classes and events that share a name, and events that the kernel has already. An event that is not a member
/// of a class has one of its own name. Returns whether all names are right.
pub(super) fn definitions(file: &File, subsystem: Option<&Name>, context: &mut Context<'_, '_>) -> bool {
    let mut right = true;
    let (mut classes, mut events) = (FxHashMap::default(), FxHashMap::default());
    let existing = existing(subsystem, context);
    let tracepoints = file.declarations.iter().any(|declaration| tracepoint(declaration).is_some());
    let of_others = if tracepoints { of_others(subsystem, context) } else { FxHashMap::default() };
    for declaration in &file.declarations {
        match &declaration.kind {
            DeclarationKind::Class(class) => {
                right &= word(&class.name, Named::Class, context);
                right &= once(&mut classes, &class.name, context);
            }
            DeclarationKind::Event(event) => {
                right &= word(&event.name, Named::Event, context);
                let is_new = once(&mut events, &event.name, context);
                right &= is_new;
                if is_new && matches!(event.form, EventForm::Whole { .. }) {
                    right &= once(&mut classes, &event.name, context);
                }
                if let Some(system) = subsystem.filter(|_| existing.contains(&event.name.value)) {
                    let qualified = format!("{}:{}", system.value, event.name.value);
                    let kernel = context.kernel.describe();
                    let lint = codes::event_exists::event_exists(event.name.span, &qualified, &kernel);
                    context.diagnostics.push(lint);
                } else if !matches!(event.form, EventForm::At(_))
                    && let Some(system) = of_others.get(&event.name.value)
                {
                    let qualified = format!("{system}:{}", event.name.value);
                    let kernel = context.kernel.describe();
                    let lint = codes::event_exists::of_another_system(event.name.span, &qualified, &kernel);
                    context.diagnostics.push(lint);
                }
            }
            _ => {}
        }
    }
    right
}

/// Registers a name; if it is taken already, reports that and returns false.
fn once<'a>(seen: &mut FxHashMap<&'a str, Span>, name: &'a Name, context: &mut Context<'_, '_>) -> bool {
    if let Some(first) = seen.get(name.value.as_str()) {
        let again = codes::duplicate_definition::duplicate_definition(name.span, *first, &name.value);
        context.diagnostics.push(again);
        return false;
    }
    seen.insert(&name.value, name.span);
    true
}

/// Returns the events that the kernel has in the file's subsystem.
fn existing(subsystem: Option<&Name>, context: &Context<'_, '_>) -> FxHashSet<String> {
    let named = subsystem.filter(|system| !context.loaded && !system.value.contains(['/', '.']));
    let Some(system) = named else { return FxHashSet::default() };
    // An unreadable kernel is reported where something depends on it.
    let events = context.kernel.directories(&format!("events/{}", system.value)).unwrap_or_default();
    events.into_iter().collect()
}

/// Systems whose events are not tracepoints: those of system calls (kernel/trace/trace_syscalls.c), of tracers
/// (kernel/trace/trace_export.c), and those that are defined while the kernel runs.
const WITHOUT_TRACEPOINTS: &[&str] = &["syscalls", "ftrace", "kprobes", "uprobes", "eprobes", "synthetic"];

/// Returns the events that are tracepoints of the kernel in other systems, by name.
fn of_others(subsystem: Option<&Name>, context: &Context<'_, '_>) -> FxHashMap<String, String> {
    let mut found = FxHashMap::default();
    if context.loaded {
        return found;
    }
    // An unreadable kernel is reported where something depends on it.
    for system in context.kernel.directories("events").unwrap_or_default() {
        if !WITHOUT_TRACEPOINTS.contains(&system.as_str()) && subsystem.is_none_or(|own| own.value != system)
        {
            let events = context.kernel.directories(&format!("events/{system}")).unwrap_or_default();
            found.extend(events.into_iter().map(|event| (event, system.clone())));
        }
    }
    found
}

/// Reports a name that C or the kernel does not accept. Returns whether the name is valid.
pub(super) fn word(name: &Name, of: Named, context: &mut Context<'_, '_>) -> bool {
    let (text, span) = (name.value.as_str(), name.span);
    let is_field = matches!(of, Named::Field | Named::ProbeField);
    let reserved = |why: &str| {
        let mistake = codes::reserved_name::reserved_name(span, text, of.describe(), why);
        Some(if is_c_identifier(text) { mistake.help(of.instead(text)) } else { mistake })
    };
    let macros = || c_macros::is_macro(text).then_some(Why::Macro);
    let mistake = match c_words::find(text).map(|word| word.why).or_else(macros) {
        // `TRACE_SYSTEM_VAR` is the C spelling of a system with dashes.
        _ if of == Named::Subsystem && is_c_identifier(&text.replace('-', "_")) && text.contains('-') => None,
        _ if !is_c_identifier(text) => reserved("C has no such names"),
        Some(Why::Keyword) => reserved("it is a keyword of C"),
        Some(Why::Macro) => reserved("it is a macro in the kernel's headers"),
        _ if of == Named::Argument && trace_names::NOT_ARGUMENTS.binary_search(&text).is_ok() => {
            reserved("the code that a trace event becomes has that name for something else")
        }
        // `u32 size_t, size_t n` declares `n` with a type that is none any more.
        _ if of == Named::Argument && c_types::find(text).is_some() => reserved("it is a type of C"),
        _ if of == Named::Field && trace_names::NOT_FIELDS.binary_search(&text).is_ok() => {
            reserved("the record has a member of that name")
        }
        _ if is_field && text.starts_with("common_") => reserved("fields of every record are called so"),
        _ if is_field && (text.starts_with("__data_loc_") || text.starts_with("__rel_loc_")) => {
            reserved("the record has words of that name")
        }
        _ if of == Named::Subsystem && text == "ftrace" => reserved("the kernel keeps its own records there"),
        _ => None,
    };
    let longest = limits::EVENT_NAME_CHARS;
    let too_long = (text.len() > longest)
        .then(|| codes::name_too_long::name_too_long(span, of.describe(), text.len(), longest));
    match mistake.or(too_long) {
        Some(mistake) => {
            context.diagnostics.push(mistake);
            false
        }
        None => true,
    }
}

/// Reports duplicate names of arguments or fields, and invalid names. Returns whether all are valid.
pub(super) fn list<'a>(
    names: impl IntoIterator<Item = &'a Name>,
    of: Named,
    context: &mut Context<'_, '_>,
) -> bool {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    let mut right = true;
    for name in names {
        right &= word(name, of, context);
        if let Some(first) = seen.get(name.value.as_str()) {
            let again = codes::duplicate_name::duplicate_name(name.span, *first, of.describe(), &name.value);
            context.diagnostics.push(again);
            right = false;
        } else {
            seen.insert(&name.value, name.span);
        }
    }
    right
}

fn is_c_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
