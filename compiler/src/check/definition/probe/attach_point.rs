//! The attach point of a probe.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::AttachPoint as Written;
use tracec_grammar::syntax::{EventPath, EventPathKind, EventSet, Name, Probe};
use tracec_kernel::tables::perf_counters;
use tracec_kernel::tables::probe_kinds::{AttachForm, ProbeKind};

use crate::diagnostic::codes;
use crate::ir::definition::AttachPoint;
use crate::resolve::defined::{DefinedEvent, Known};
use crate::resolve::{Defined, Finder};

use super::super::context::Context;
use super::describe;

/// Checks the attach point of a probe. `None` if a mistake was reported.
pub(super) fn attach_point(
    syntax: &Probe,
    kind: &ProbeKind,
    finder: &mut Finder<'_>,
    context: &mut Context<'_, '_>,
) -> Option<AttachPoint> {
    match (&syntax.attach_point, kind.attaches_to) {
        (Written::Symbol { module, symbol, offset }, AttachForm::FunctionOffset | AttachForm::Function) => {
            function(module.as_ref(), symbol, offset.as_ref(), kind, context)
        }
        (Written::Symbol { module: None, symbol, offset: None }, AttachForm::Tracepoint) => {
            Some(AttachPoint::Symbol { module: None, symbol: symbol.clone(), offset: 0 })
        }
        (Written::Symbol { module: None, symbol, offset: None }, AttachForm::Counter) => {
            counter(symbol, context)
        }
        // `a:b` may be parsed as a module's function or as an event.
        (Written::Symbol { module: Some(system), symbol, offset: None }, AttachForm::Event) => {
            let path = EventPathKind::Path { system: Some(system.clone()), name: Some(symbol.clone()) };
            event(&EventPath { kind: path, span: system.span.to(symbol.span) }, finder, context)
        }
        (Written::Symbol { module: None, symbol, offset: None }, AttachForm::Event) => {
            let path = EventPathKind::Bare(symbol.value.clone());
            event(&EventPath { kind: path, span: symbol.span }, finder, context)
        }
        (Written::Event(path), AttachForm::Event) => event(path, finder, context),
        (Written::Event(path), AttachForm::FunctionOffset | AttachForm::Function) => match &path.kind {
            EventPathKind::Path { system: Some(module), name: Some(symbol) } => {
                function(Some(module), symbol, None, kind, context)
            }
            _ => wrong(syntax, kind, context),
        },
        (Written::Binary { path, provider: None, symbol, offset }, AttachForm::Binary) => {
            let path = file(path, context)?;
            let symbol = symbol.as_ref().map(|symbol| symbol.value.clone());
            Some(AttachPoint::Binary {
                path,
                symbol,
                offset: offset.as_ref().map_or(0, |offset| offset.value),
            })
        }
        (
            Written::Binary { path, provider: Some(provider), symbol: Some(symbol), offset: None },
            AttachForm::Usdt,
        ) => {
            let path = file(path, context)?;
            Some(AttachPoint::Usdt { path, provider: provider.value.clone(), name: symbol.value.clone() })
        }
        _ => wrong(syntax, kind, context),
    }
}

fn wrong<T>(syntax: &Probe, kind: &ProbeKind, context: &mut Context<'_, '_>) -> Option<T> {
    let span = span_of(&syntax.attach_point);
    context.say(codes::wrong_probe_target::wrong_probe_target(span, kind.name, describe(kind.attaches_to)))
}

fn span_of(attach_point: &Written) -> Span {
    match attach_point {
        Written::Symbol { module, symbol, offset } => {
            let start = module.as_ref().map_or(symbol.span, |module| module.span.to(symbol.span));
            offset.as_ref().map_or(start, |offset| start.to(offset.span))
        }
        Written::Binary { path, symbol, offset, .. } => {
            let ends = [symbol.as_ref().map(|symbol| symbol.span), offset.as_ref().map(|offset| offset.span)];
            ends.into_iter().flatten().fold(path.span, Span::to)
        }
        Written::Event(path) => path.span,
    }
}

fn function(
    module: Option<&Name>,
    symbol: &Name,
    offset: Option<&Spanned<u64>>,
    kind: &ProbeKind,
    context: &mut Context<'_, '_>,
) -> Option<AttachPoint> {
    if let Some(offset) = offset.filter(|offset| offset.value != 0)
        && kind.attaches_to == AttachForm::Function
    {
        return context.say(codes::wrong_probe_target::offset(offset.span, kind.name));
    }
    Some(AttachPoint::Symbol {
        module: module.map(|module| module.value.clone()),
        symbol: symbol.clone(),
        offset: offset.map_or(0, |offset| offset.value),
    })
}

fn counter(symbol: &Name, context: &mut Context<'_, '_>) -> Option<AttachPoint> {
    match perf_counters::find(&symbol.value) {
        Some(counter) => Some(AttachPoint::Counter(counter)),
        None => {
            let near = context.suggestions.near(symbol.span, &symbol.value, perf_counters::names);
            context.say(codes::unknown_counter::unknown_counter(symbol.span, &symbol.value, &near))
        }
    }
}

/// Checks the path of a file that the kernel opens: it cannot be relative, as there is no directory for it. The soname
/// of a library is one of the machine that the session runs on.
fn file(path: &Spanned<String>, context: &mut Context<'_, '_>) -> Option<Spanned<String>> {
    if is_soname(&path.value) {
        return Some(path.clone());
    }
    if path.value.starts_with('/') && !path.value.ends_with('/') {
        return Some(path.clone());
    }
    context.say(codes::relative_path::relative_path(path.span, &path.value))
}

/// Returns whether a path is the name of a library as programs request it: `libc.so.6`.
fn is_soname(path: &str) -> bool {
    let is_version = |rest: &str| rest.is_empty() || rest.starts_with('.');
    let name = path.split_once(".so").filter(|(name, rest)| !name.is_empty() && is_version(rest));
    name.is_some() && !path.contains(['/', '\0'])
}

fn event(path: &EventPath, finder: &mut Finder<'_>, context: &mut Context<'_, '_>) -> Option<AttachPoint> {
    let set = EventSet { include: vec![path.clone()], except: Vec::new(), span: path.span };
    if let Some(event) = defined(path, finder.defined()) {
        // The kernel does not support an event probe on a probe (`find_and_get_event` in kernel/trace/trace_eprobe.c).
        if event.is_probe {
            return context.say(codes::wrong_probe_target::of_probe(path.span, &event.name));
        }
        if event.known == Known::NoLayout {
            return context.say(codes::wrong_probe_target::no_layout(path.span, &event.name));
        }
    }
    let found = finder.find(&set, context.diagnostics);
    match &found.events[..] {
        [] => None,
        [(event, _)] => Some(AttachPoint::Event { event: *event, span: path.span }),
        _ => context.say(codes::wrong_probe_target::several(path.span, found.events.len())),
    }
}

/// Returns the event of a file that a path names.
fn defined<'a>(path: &EventPath, defined: &'a Defined) -> Option<&'a DefinedEvent> {
    match &path.kind {
        EventPathKind::Bare(name) => defined.bare(name),
        EventPathKind::Path { system: Some(system), name: Some(name) } => {
            defined.find(&system.value, &name.value)
        }
        EventPathKind::Pattern(text) => {
            let (system, name) = text.split_once(':')?;
            defined.find(system, name)
        }
        _ => None,
    }
}
