//! `when has ..`: what a kernel has, as its own files show it.

use tracec_grammar::syntax::{Feature, FeatureKind, Name};
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::features::{self, Support};

use super::events::Finder;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};

/// The kinds of things that `when has` can ask for.
const KINDS: [&str; 7] = ["clock", "event", "feature", "field", "option", "tracer", "trigger"];

/// Returns whether the kernel has it. `None` is a mistake that was reported.
pub(super) fn holds(
    feature: &Feature,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<bool> {
    match &feature.kind {
        FeatureKind::Event(path) => finder.has(path, diagnostics),
        FeatureKind::Field { event, field } => finder.has_field(event, &field.value, diagnostics),
        FeatureKind::Named { what, name } => {
            named(what, name, finder).map_err(|said| diagnostics.push(said)).ok()
        }
    }
}

fn named(what: &Name, name: &Name, finder: &Finder<'_>) -> Result<bool, Diagnostic> {
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(Some(name.span), &reason);
    let read = |path: &str| finder.kernel().read(path).map_err(|error| unreadable(error.to_string()));
    let lists = |path: &str| {
        let text =
            read(path)?.ok_or_else(|| unreadable(format!("{} has no {path}", finder.kernel().describe())))?;
        // tracefs marks the current one.
        Ok(text.split_whitespace().any(|word| word.trim_matches(['[', ']']) == name.value))
    };
    // A word of a list, a file of that name, or a known feature.
    match what.value.as_str() {
        "clock" => lists("trace_clock"),
        "tracer" => lists("available_tracers"),
        "trigger" => lists("events/sched/sched_switch/trigger"),
        "option" => Ok(read(&format!("options/{}", name.value))?.is_some()),
        "feature" if features::find(&name.value).is_some() => match finder.kernel().feature(&name.value) {
            Support::Yes => Ok(true),
            Support::No => Ok(false),
            // A guess could trace something other than what was asked for.
            Support::Unknown(reason) => {
                Err(unreadable(format!("whether it has `{}` is not known: {reason}", name.value)))
            }
        },
        "feature" => {
            let near = nearest(&name.value, features::names(), 3);
            let known: Vec<&str> = features::names().collect();
            Err(codes::unknown_feature::unknown_feature(name.span, &name.value, &near, &known))
        }
        other => {
            let near = nearest(other, KINDS, 1);
            Err(codes::unknown_feature::unknown_feature(what.span, other, &near, &KINDS))
        }
    }
}
