//! Events where the kernel or a program is.

mod fields;
mod place;
mod types;

use tracec_grammar::syntax::{Declaration, EventDefinition, Param, Probe};
use tracec_kernel::tables::probe_kinds::{self, ProbeKind, Target, Values};

use crate::diagnostic::codes;
use crate::ir::definition::{Argument, ProbeDef, ProbePlace};

use super::class;
use super::context::{Context, near};
use super::template;
use super::types as c_types;
use super::types::Place;
use fields::Sources;

/// Types an event at a place. `None` if it has mistakes; they have been reported.
pub(super) fn probe(
    event: &EventDefinition,
    syntax: &Probe,
    declaration: &Declaration,
    context: &mut Context<'_, '_>,
) -> Option<ProbeDef> {
    let Some(kind) = probe_kinds::find(&syntax.kind.value) else {
        let near = near(&syntax.kind.value, probe_kinds::names());
        return context.say(codes::unknown_probe_kind::unknown_probe_kind(
            syntax.kind.span,
            &syntax.kind.value,
            &near,
        ));
    };
    // A kind that the kernel lacks has no values to speak of either, but what is wrong with them is wrong on any.
    context.need(kind.feature, &format!("probes of the kind `{}`", kind.name), syntax.kind.span);
    let before = context.diagnostics.errors();
    let place = place::place(syntax, kind, context);
    let at_entry = is_at_entry(place.as_ref());
    let arguments = arguments(syntax, kind, at_entry, context);
    let result = result(syntax, kind, context);
    let clean = |context: &Context<'_, '_>| context.diagnostics.errors() == before;
    // What is wrong above would be told again of each field that rests on it.
    let sound = clean(context)
        && syntax.params.as_ref().is_none_or(|params| params.value.len() == arguments.len())
        && syntax.result.is_some() == result.is_some();
    let sources = Sources {
        kind,
        at_entry,
        arguments: &arguments,
        result: result.as_ref(),
        place: place.as_ref(),
        sound,
    };
    let (fields, size) = fields::fields(syntax, event, &sources, context);
    let complete = sound && syntax.fields.as_ref().is_none_or(|block| block.value.len() == fields.len());
    let printables = fields::printables(&fields, &sources);
    let print = match &syntax.print {
        Some(print) if complete && clean(context) => template::template(print, &printables, &[], context),
        Some(_) => None,
        None => Some(template::derived(&printables)),
    };
    drop(printables);
    let clean = complete && clean(context);
    let (place, print) = (place.filter(|_| clean)?, print?);
    Some(ProbeDef {
        name: event.name.clone(),
        doc: declaration.doc.as_ref().map(|doc| doc.value.clone()),
        kind,
        place,
        arguments,
        result,
        fields,
        size,
        print,
        span: declaration.span,
    })
}

/// Whether the probe is where a function begins, so that the arguments are where the call put them.
fn is_at_entry(place: Option<&ProbePlace>) -> bool {
    match place {
        Some(ProbePlace::Symbol { offset, .. }) => *offset == 0,
        // An offset in a file may be a function's; only the file can tell.
        Some(ProbePlace::Binary { symbol, offset, .. }) => symbol.is_none() || *offset == 0,
        _ => true,
    }
}

fn arguments(
    syntax: &Probe,
    kind: &ProbeKind,
    at_entry: bool,
    context: &mut Context<'_, '_>,
) -> Vec<Argument> {
    let Some(params) = &syntax.params else { return Vec::new() };
    if !kind.has_arguments() {
        let instead = match kind.values {
            Values::Fields => "name its fields in braces: `{ filename; }`",
            Values::Result => "it sees what the function returns: `-> (ret: int)`; `fexit` sees both",
            _ => "it sees only that it happened",
        };
        context.diagnostics.push(codes::probe_values::no_arguments(params.span, kind.name, instead));
        return Vec::new();
    }
    if !at_entry {
        context.diagnostics.push(codes::probe_values::inside(params.span));
    }
    class::arguments(&params.value, context)
}

fn result(syntax: &Probe, kind: &ProbeKind, context: &mut Context<'_, '_>) -> Option<Argument> {
    match &syntax.result {
        Some(param) if !kind.has_result() => {
            let instead = match kind.name {
                "kprobe" | "fentry" => "`kretprobe`, `fexit` and `fprobe` see it",
                "uprobe" | "usdt" => "`uretprobe` sees it",
                _ => "nothing is returned there",
            };
            context.say(codes::probe_values::no_result(param.span, kind.name, instead))
        }
        Some(param) => argument(param, context),
        // A block of fetch arguments may name `$retval` itself.
        None if kind.values == Values::Result && syntax.fields.is_none() => {
            context.say(codes::probe_values::result_missing(syntax.kind.span, kind.name))
        }
        None => None,
    }
}

fn argument(param: &Param, context: &mut Context<'_, '_>) -> Option<Argument> {
    super::names::word(&param.name, super::names::Named::Field, context);
    Some(Argument { name: param.name.clone(), ty: c_types::resolve(&param.ty, Place::Argument, context)? })
}

/// What a kind is put at, in words.
fn describe(target: Target) -> &'static str {
    match target {
        Target::FunctionOffset => "a function of the kernel: `vfs_read`, `ext4:ext4_sync_file`, `vfs_read+8`",
        Target::Function => "a function of the kernel: `vfs_read`, `ext4:ext4_sync_file`",
        Target::Binary => "a place in a file: `\"/bin/bash\":readline`, `\"/bin/bash\":0x1234`",
        Target::Usdt => "a probe in a file: `\"/usr/bin/postgres\":postgresql:query__start`",
        Target::Event => "an event: `sched:sched_process_exec`",
        Target::Tracepoint => "a tracepoint: `sched_switch`",
        Target::Counter => "a counter: `cpu_cycles`",
    }
}
