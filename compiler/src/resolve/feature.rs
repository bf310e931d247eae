//! `when has ..`: what a kernel has, as its own files show it.

use tracec_grammar::syntax::{Feature, FeatureKind, Name};
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::features::{self, Support};

use super::events::Finder;
use crate::diagnostic::{Diagnostics, codes};

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
        FeatureKind::Named { what, name } => named(what, name, finder, diagnostics),
    }
}

fn named(what: &Name, name: &Name, finder: &Finder<'_>, diagnostics: &mut Diagnostics) -> Option<bool> {
    let unreadable = |reason: &str| codes::kernel_unreadable::kernel_unreadable(Some(name.span), reason);
    // A word of a list, a file of that name, or a known feature.
    let listed = match what.value.as_str() {
        "clock" => words(finder, "trace_clock", diagnostics, name)?,
        "tracer" => words(finder, "available_tracers", diagnostics, name)?,
        "trigger" => words(finder, "events/sched/sched_switch/trigger", diagnostics, name)?,
        "option" => {
            let found = finder.kernel().read(&format!("options/{}", name.value));
            let found = found.map_err(|error| diagnostics.push(unreadable(&error.to_string())));
            return found.map(|text| text.is_some()).ok();
        }
        "feature" if features::find(&name.value).is_some() => {
            return match finder.kernel().feature(&name.value) {
                Support::Yes => Some(true),
                Support::No => Some(false),
                // A guess could trace something other than what was asked for.
                Support::Unknown(reason) => {
                    diagnostics
                        .push(unreadable(&format!("whether it has `{}` is not known: {reason}", name.value)));
                    None
                }
            };
        }
        "feature" => {
            let near = nearest(&name.value, features::names(), 3).into_iter().map(str::to_owned);
            let known: Vec<&str> = features::names().collect();
            let near: Vec<String> = near.collect();
            diagnostics.push(codes::unknown_feature::unknown_feature(name.span, &name.value, &near, &known));
            return None;
        }
        other => {
            let near: Vec<String> = nearest(other, KINDS, 1).into_iter().map(str::to_owned).collect();
            diagnostics.push(codes::unknown_feature::unknown_feature(what.span, other, &near, &KINDS));
            return None;
        }
    };
    Some(listed.contains(&name.value))
}

/// Returns the words of a file, without the marks that tracefs puts around the current one and before comments.
fn words(finder: &Finder<'_>, path: &str, diagnostics: &mut Diagnostics, name: &Name) -> Option<Vec<String>> {
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(Some(name.span), &reason);
    match finder.kernel().read(path) {
        Ok(Some(text)) => {
            Some(text.split_whitespace().map(|word| word.trim_matches(['[', ']']).to_owned()).collect())
        }
        Ok(None) => {
            diagnostics.push(unreadable(format!("{} has no {path}", finder.kernel().describe())));
            None
        }
        Err(error) => {
            diagnostics.push(unreadable(error.to_string()));
            None
        }
    }
}
