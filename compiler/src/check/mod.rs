//! From resolved syntax to the typed intermediate form. Everything a mistake can be found by without the kernel's
//! help is found here.

mod condition;
pub mod definition;
mod events;
mod literal;
mod settings;

use std::collections::HashMap;

use tracec_grammar::syntax::{Exprs, File};

use crate::diagnostic::{Diagnostics, codes};
use crate::ir;
use crate::resolve::Resolved;
use crate::source::KernelSource;

/// Types a session. `None` if it has mistakes; they have been reported.
pub fn check(
    resolved: &Resolved<'_>,
    exprs: &Exprs,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Session> {
    let before = diagnostics.errors();
    let settings = settings::check(resolved.session, exprs, kernel, diagnostics);
    let events = events::check(resolved, exprs, kernel, diagnostics);
    let clean = diagnostics.errors() == before;
    let name = resolved.session.name.as_ref().map_or("-e", |name| &name.value).to_owned();
    clean.then_some(ir::Session {
        name,
        span: resolved.session.span,
        events,
        buffer_kib: settings.buffer_kib,
        clock: settings.clock,
        options: settings.options,
        stop_after: settings.stop_after,
        output: settings.output,
    })
}

/// Reports sessions that share a name.
pub fn unique_sessions(file: &File, diagnostics: &mut Diagnostics) {
    let mut seen = HashMap::new();
    for name in file.sessions().filter_map(|session| session.name.as_ref()) {
        if let Some(first) = seen.get(&name.value) {
            diagnostics.push(codes::duplicate_session::duplicate_session(name.span, *first, &name.value));
        } else {
            seen.insert(&name.value, name.span);
        }
    }
}
