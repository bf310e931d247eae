//! `option sym-offset off;`

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::Name;
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::options::{self, OptionScope, TraceOption};

use crate::diagnostic::{Diagnostic, codes};
use crate::ir;
use crate::source::KernelSource;

use super::{Settings, TracingState};

impl Settings<'_, '_> {
    /// Returns the option, if the kernel has it and it may be set there. `None` if a mistake was reported.
    pub(super) fn option(
        &mut self,
        name: &Name,
        value: Option<&Spanned<bool>>,
        clause: Span,
        state: TracingState,
    ) -> Option<ir::OptionSetting> {
        let on = value.is_none_or(|value| value.value);
        let refused =
            |why: &str| codes::option_not_for_sessions::option_not_for_sessions(name.span, &name.value, why);
        let known = options::find(&name.value);
        // `record_cmd` can only mean `record-cmd`, so the mistake of that option is reported.
        if let Some(meant) = spelt_otherwise(&name.value)
            && let Some(why) = not_settable(&meant.scope, state)
        {
            return self
                .say(codes::option_not_for_sessions::option_not_for_sessions(name.span, meant.name, &why));
        }
        if let Some(why) = known.and_then(|option| not_settable(&option.scope, state)) {
            return self.say(refused(&why));
        }
        let text = self.read(&format!("options/{}", name.value), name.span)?;
        let old = match text.as_deref().map(str::trim) {
            Some("0") => Some(false),
            Some("1") => Some(true),
            Some(_) => None,
            None if known.is_some() && !has_options(self.kernel) => None,
            None => {
                let said = unknown_option(name, self.kernel, state);
                return self.say(said);
            }
        };
        if state == TracingState::Session
            && let Some(why) = known.and_then(|option| option.idle)
        {
            self.diagnostics.push(codes::useless_option::useless_option(name.span, &name.value, why));
        }
        Some(ir::OptionSetting { name: name.clone(), on, old, clause })
    }
}

/// Returns the option whose name differs only in case, `-` and `_`, where no option has the name itself.
fn spelt_otherwise(name: &str) -> Option<&'static TraceOption> {
    let normal = |name: &str| name.to_ascii_lowercase().replace('_', "-");
    let wanted = normal(name);
    let meant = options::names().find(|known| normal(known) == wanted)?;
    if options::find(name).is_some() { None } else { options::find(meant) }
}

/// Returns why an option of this scope cannot be set there, if it cannot.
fn not_settable(scope: &OptionScope, state: TracingState) -> Option<String> {
    match (scope, state) {
        (OptionScope::TopOnly, TracingState::Session) => Some("only the top-level buffer has it".to_owned()),
        (OptionScope::Shared { why }, TracingState::Session) => Some((*why).to_owned()),
        (OptionScope::Tracer(tracer), _) if *tracer != "nop" => {
            Some(format!("it belongs to the tracer `{tracer}`, which a session does not run"))
        }
        _ => None,
    }
}

fn unknown_option(name: &Name, kernel: &dyn KernelSource, state: TracingState) -> Diagnostic {
    // Only options that can stand there are suggested.
    let can_be_set = |option: &&str| {
        let known = options::find(option).is_some_and(|option| not_settable(&option.scope, state).is_none());
        let there = || matches!(kernel.read(&format!("options/{option}")), Ok(Some(_)));
        known && (!has_options(kernel) || there())
    };
    let off = options::negated(&name.value).map(|option| format!("{} off", option.name));
    let near = match &off {
        Some(off) => vec![off.as_str()],
        None => nearest(&name.value, options::names().filter(can_be_set), 2),
    };
    codes::unknown_option::unknown_option(name.span, &name.value, &kernel.describe(), &near)
}

/// Returns whether the source has an `options` directory: a saved kernel may have the formats only.
fn has_options(kernel: &dyn KernelSource) -> bool {
    matches!(kernel.read("options/overwrite"), Ok(Some(_)))
}
