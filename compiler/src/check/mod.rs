//! From resolved syntax to the typed intermediate form. Everything a mistake can be found by without the kernel's
//! help is found here.

mod clauses;
mod condition;
pub mod definition;
mod events;
pub(crate) mod quoted;

pub use events::TRIGGERS;

use std::collections::HashMap;

use tracec_grammar::syntax::File;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir;
use crate::resolve::Resolved;
use crate::source::KernelSource;

/// Types a session. `None` if it has mistakes; they have been reported.
pub fn check(
    resolved: &Resolved<'_>,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Session> {
    let before = diagnostics.errors();
    let life = clauses::check(resolved, kernel, diagnostics);
    let machine = condition::machine::Machine::new(kernel);
    let events = events::check(resolved, &machine, diagnostics);
    let mut stops = life.stops;
    stops.extend(events::stops(resolved, &machine, diagnostics));
    let clean = diagnostics.errors() == before;
    let session = resolved.expanded.session;
    clean.then_some(ir::Session {
        name: session.name.as_ref().map_or("-e", |name| &name.value).to_owned(),
        span: session.span,
        events,
        dropped: dropped(resolved),
        defined: resolved.defined.clone(),
        buffer_kib: life.buffer_kib,
        clock: life.clock,
        options: life.options,
        scope: life.scope,
        children: life.children,
        instance: life.instance,
        globals: life.globals,
        ring: life.ring,
        start_paused: life.start_paused,
        markers: life.markers,
        stops,
        output: life.output,
    })
}

/// The events that `having` took out.
fn dropped(resolved: &Resolved<'_>) -> Vec<ir::Dropped> {
    let of_clause = |clause: &crate::resolve::ResolvedClause<'_>| {
        let span = clause.content.events.span;
        let dropped = clause.dropped.iter();
        let named = dropped.map(|(id, field)| (resolved.formats[*id].qualified_name(), field.clone()));
        named.map(|(event, field)| ir::Dropped { event, field, span }).collect::<Vec<_>>()
    };
    resolved.clauses.iter().flat_map(of_clause).collect()
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
