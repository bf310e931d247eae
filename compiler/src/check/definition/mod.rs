//! What a file declares besides its sessions: from syntax to [`crate::ir::definition`].
//!
//! Constants come first, since types and lengths rest on them; then names, classes, events and probes in the order they
//! are written. Every declaration is looked at, whatever is wrong with the others.

pub mod constant;

mod class;
mod context;
mod entry;
mod event;
mod expression;
mod fetch;
mod format;
mod layout;
mod names;
mod probe;
mod template;
mod types;
mod unread;

use std::sync::Arc;

use tracec_grammar::Parsed;
use tracec_grammar::syntax::{DeclarationKind, EventForm, File};

use crate::diagnostic::Diagnostics;
use crate::ir::definition::{Constants, Definitions, Header};
use crate::source::KernelSource;

use context::Context;
use unread::Unread;

/// Types everything a file declares but its sessions; `constants` are its own and those of what it imports.
pub fn check(
    parsed: &Parsed,
    constants: &Arc<Constants>,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Definitions {
    let file = &parsed.file;
    let unread = Unread::of(parsed);
    let headers: Vec<Header> = headers(file);
    let mut context = Context {
        exprs: &file.exprs,
        constants,
        has_headers: !headers.is_empty(),
        unread: &unread,
        kernel,
        diagnostics,
    };
    let subsystem = names::subsystem(file, &mut context);
    names::definitions(file, subsystem, &mut context);
    let classes = class::classes(file, &mut context);
    let events = event::events(file, &classes, &mut context);
    let probes = probes(file, &mut context);
    Definitions {
        subsystem: subsystem.cloned(),
        headers,
        classes: classes.into_list(),
        events,
        probes,
        constants: Arc::clone(constants),
    }
}

fn headers(file: &File) -> Vec<Header> {
    let headers = file.declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Header(header) => Some(header),
        _ => None,
    });
    headers.map(|header| Header { path: header.path.clone(), angled: header.angled }).collect()
}

fn probes(file: &File, context: &mut Context<'_, '_>) -> Vec<crate::ir::definition::ProbeDef> {
    let mut probes = Vec::new();
    for declaration in &file.declarations {
        if context.diagnostics.is_full() {
            break;
        }
        let DeclarationKind::Event(event) = &declaration.kind else { continue };
        if context.unread.holds(declaration.span) {
            continue;
        }
        if let EventForm::At(syntax) = &event.form {
            probes.extend(probe::probe(event, syntax, declaration, context));
        }
    }
    probes
}
