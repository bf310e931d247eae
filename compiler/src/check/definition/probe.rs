//! Probes: events at places in the kernel or in a program.

mod attach_point;
mod fields;
mod sources;
mod types;

use tracec_grammar::syntax::{Declaration, DeclarationKind, EventDefinition, EventForm, File, Probe};
use tracec_kernel::tables::probe_kinds::{self, AttachForm, ProbeKind, Space, Values};

use crate::diagnostic::codes;
use crate::ir::definition::{Argument, AttachPoint, ProbeDef};
use crate::resolve::Finder;

use super::class;
use super::context::Context;
use super::template;
use super::types as c_types;
use super::types::TypePosition;
use sources::Sources;

/// Returns the probes of a file, and whether all are valid; those with a mistake are left out. `finder` knows the
/// tracepoints of the file and the events of its imports.
pub(super) fn probes(
    file: &File,
    finder: &mut Finder<'_>,
    context: &mut Context<'_, '_>,
) -> (Vec<ProbeDef>, bool) {
    let mut probes = Vec::new();
    let mut complete = true;
    for declaration in &file.declarations {
        let DeclarationKind::Event(event) = &declaration.kind else { continue };
        let EventForm::At(syntax) = &event.form else { continue };
        if context.unread.holds(declaration.span) {
            continue;
        }
        let Some(kind) = kind(syntax, context) else {
            complete = false;
            continue;
        };
        // If the kernel lacks a kind, its values are missing too, but mistakes in them are reported on any kernel.
        let what = format!("probes of the kind `{}`", kind.name);
        complete &= context.need(kind.feature, &what, syntax.kind.span);
        let probe = context.whole(|context| probe(event, syntax, kind, declaration, finder, context));
        complete &= probe.is_some();
        probes.extend(probe);
    }
    remark_unchecked(&probes, context);
    (probes, complete)
}

/// Remarks that the functions of probes were not checked, where the kernel does not list its functions. The running
/// kernel refuses a wrong name itself.
fn remark_unchecked(probes: &[ProbeDef], context: &mut Context<'_, '_>) {
    let mut functions = probes.iter().filter_map(|probe| match &probe.attach_point {
        AttachPoint::Symbol { symbol, .. } if probe.kind.attaches_to != AttachForm::Tracepoint => {
            Some(symbol)
        }
        _ => None,
    });
    let Some(first) = functions.next() else { return };
    let kernel = context.kernel;
    if !kernel.is_running() && kernel.functions().is_none() {
        let said = codes::unchecked_function::unchecked_function;
        let said = said(first.span, &first.value, &kernel.describe(), functions.count());
        context.diagnostics.push(said);
    }
}

fn kind(syntax: &Probe, context: &mut Context<'_, '_>) -> Option<&'static ProbeKind> {
    let name = &syntax.kind;
    let found = probe_kinds::find(&name.value);
    if found.is_none() {
        let near = context.suggestions.near(name.span, &name.value, probe_kinds::names);
        let mistake = codes::unknown_probe_kind::unknown_probe_kind(name.span, &name.value, &near);
        context.diagnostics.push(mistake);
    }
    found
}

/// Types an event at a place. `None` if mistakes were reported.
fn probe(
    event: &EventDefinition,
    syntax: &Probe,
    kind: &'static ProbeKind,
    declaration: &Declaration,
    finder: &mut Finder<'_>,
    context: &mut Context<'_, '_>,
) -> Option<ProbeDef> {
    let attach_point = attach_point::attach_point(syntax, kind, finder, context);
    let at_entry = is_at_entry(attach_point.as_ref());
    let (arguments, are_arguments_right) = arguments(syntax, kind, at_entry, context);
    let (result, is_result_right) = result(syntax, kind, context);
    // A mistake above would be reported again for each field that depends on it.
    let sound = attach_point.is_some() && are_arguments_right && is_result_right;
    let event_format = match attach_point {
        Some(AttachPoint::Event { event, .. }) => Some(&finder.catalogue()[event]),
        _ => None,
    };
    let sources = Sources::new(kind, at_entry, &arguments, result.as_ref(), event_format, sound);
    let (fields, size, are_fields_right) = fields::fields(syntax, event, &sources, context);
    if !sound || !are_fields_right {
        return None;
    }
    let printables = fields::printables(&fields, &sources);
    let print = match &syntax.print {
        Some(print) => template::template(print, &printables, &[], context)?,
        None => template::derived(&printables),
    };
    drop((printables, sources));
    let attach_point = attach_point?;
    Some(ProbeDef {
        name: event.name.clone(),
        doc: declaration.doc.as_ref().map(|doc| doc.value.clone()),
        kind,
        attach_point,
        arguments,
        result,
        fields,
        size,
        print,
        span: declaration.span,
    })
}

/// Returns whether the probe is where a function begins, so that the arguments are where the call put them.
fn is_at_entry(attach_point: Option<&AttachPoint>) -> bool {
    match attach_point {
        Some(AttachPoint::Symbol { offset, .. }) => *offset == 0,
        // An offset in a file may be the start of a function; only the file shows whether it is.
        Some(AttachPoint::Binary { symbol, offset, .. }) => symbol.is_none() || *offset == 0,
        _ => true,
    }
}

/// Types the arguments that are written, and returns whether they are valid.
fn arguments(
    syntax: &Probe,
    kind: &ProbeKind,
    at_entry: bool,
    context: &mut Context<'_, '_>,
) -> (Vec<Argument>, bool) {
    let Some(params) = &syntax.params else { return (Vec::new(), true) };
    // Some kernels store the arguments at the entry, for the return.
    let at_return = kind.values == Values::Result && kind.space == Space::Kernel && kind.has_fetch();
    if at_return {
        if !context.need(Some("return-probe-args"), "arguments where a function returns", params.span) {
            return (Vec::new(), false);
        }
    } else if !kind.has_arguments() {
        let instead = match kind.values {
            Values::Fields => "name its fields in braces: `{ filename; }`",
            Values::Result => "it sees what the function returns: `-> (ret: int)`",
            _ => "it sees only that it happened",
        };
        context.diagnostics.push(codes::probe_values::no_arguments(params.span, kind.name, instead));
        return (Vec::new(), false);
    }
    if !at_entry {
        context.diagnostics.push(codes::probe_values::inside(params.span));
    }
    let (arguments, complete) = class::arguments(&params.value, context);
    (arguments, complete && at_entry)
}

/// Types the returned value, if one is written, and returns whether it is valid.
fn result(syntax: &Probe, kind: &ProbeKind, context: &mut Context<'_, '_>) -> (Option<Argument>, bool) {
    let mistake = match &syntax.result {
        Some(param) if !kind.has_result() => {
            let instead = match kind.name {
                "kprobe" | "fentry" => "`kretprobe`, `fexit` and `fprobe` see it",
                "uprobe" | "usdt" => "`uretprobe` sees it",
                _ => "nothing is returned there",
            };
            codes::probe_values::no_result(param.span, kind.name, instead)
        }
        Some(param) => {
            let right = super::names::word(&param.name, super::names::Named::ProbeField, context);
            let ty = c_types::resolve(&param.ty, TypePosition::Argument, context);
            let result = ty.map(|ty| Argument { name: param.name.clone(), ty });
            let complete = right && result.is_some();
            return (result, complete);
        }
        // A block of fetch arguments may use `$retval` itself.
        None if kind.values == Values::Result && syntax.fields.is_none() => {
            codes::probe_values::result_missing(syntax.kind.span, kind.name)
        }
        None => return (None, true),
    };
    (context.say(mistake), false)
}

/// Returns the kind of a place in words.
fn describe(target: AttachForm) -> &'static str {
    match target {
        AttachForm::FunctionOffset => {
            "a function of the kernel: `vfs_read`, `ext4:ext4_sync_file`, `vfs_read+8`"
        }
        AttachForm::Function => "a function of the kernel: `vfs_read`, `ext4:ext4_sync_file`",
        AttachForm::Binary => "a place in a file: `\"/bin/bash\":readline`, `\"/bin/bash\":0x1234`",
        AttachForm::Usdt => "a probe in a file: `\"/usr/bin/postgres\":postgresql:query__start`",
        AttachForm::Event => "an event: `sched:sched_process_exec`",
        AttachForm::Tracepoint => "a tracepoint: `sched_switch`",
        AttachForm::Counter => "a counter: `cpu_cycles`",
    }
}
