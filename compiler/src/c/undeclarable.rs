//! What the macros of a trace header cannot declare: some fields, and too many arguments.

use tracec_kernel::tables::limits;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{Definitions, EventClass, RecordField, TypeKind};

/// Returns a refusal of each part of the definitions that a target which writes a trace header cannot declare.
pub(crate) fn refusals(definitions: &Definitions, target: &str) -> Vec<Diagnostic> {
    let of_class = |class: &EventClass| {
        let fields = class.fields.iter().filter_map(|field| {
            let (what, instead) = undeclarable(field)?;
            Some(codes::not_by_target::not_by_target(field.ty.span, &what, target, instead))
        });
        too_many_arguments(class, target).into_iter().chain(fields).collect::<Vec<_>>()
    };
    definitions.classes.iter().flat_map(of_class).collect()
}

/// Returns a refusal of more arguments than include/trace/bpf_probe.h can hand on: a header calls `bpf_trace_runN`, and
/// kernel/trace/bpf_trace.c has one for each number up to the limit.
fn too_many_arguments(class: &EventClass, target: &str) -> Option<Diagnostic> {
    let most = limits::BPF_ARGUMENTS;
    let beyond = class.arguments.get(most)?;
    let what = format!("a tracepoint with more than {most} arguments");
    let instead =
        format!("pass a pointer to a struct: a kernel has functions for up to {most} arguments only");
    Some(codes::not_by_target::not_by_target(beyond.name.span, &what, target, &instead))
}

/// Returns why no macro can declare a field, as the rest of a sentence, and what to do about it.
pub(super) fn undeclarable(field: &RecordField) -> Option<(String, &'static str)> {
    let (TypeKind::Array { element, .. } | TypeKind::Elements { element }) = &field.ty.kind else {
        return None;
    };
    // The macro of an array asks whether its elements are signed (`is_signed_type` in include/linux/trace_events.h),
    // which a struct is not able to answer.
    let TypeKind::Aggregate(_) = **element else { return None };
    Some((
        format!("an array of `{}`, which TRACE_EVENT cannot declare", field.ty.c),
        "record its bytes: `u8[N]`",
    ))
}
