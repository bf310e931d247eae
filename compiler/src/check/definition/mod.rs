//! What a file declares besides its sessions: from syntax to [`crate::ir::definition`].
//!
//! Constants come first, since types and lengths rest on them; then names, classes, events and probes in the order they
//! are written. Every declaration is looked at, whatever is wrong with the others.

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

use std::sync::Arc;

use tracec_grammar::Parsed;
use tracec_grammar::syntax::{DeclarationKind, EventForm, File};

use crate::constant::Unread;
use crate::diagnostic::Diagnostics;
use crate::ir::definition::{Constants, Definitions, Exprs, Header};
use crate::load::Program;
use crate::resolve::Defined;
use crate::source::KernelSource;

use context::Context;

/// Types everything that the texts of a program declare but their sessions, and says which events there are.
pub fn check_program(program: &Program, kernel: &dyn KernelSource, diagnostics: &mut Diagnostics) -> Defined {
    let mut defined = Defined::default();
    for id in program.imported_first() {
        let module = &program[id];
        if !module.std {
            let found = check(&module.parsed, &module.constants, &defined, kernel, diagnostics);
            defined.add(&module.parsed.file, &found);
        }
    }
    defined
}

/// Types everything a file declares but its sessions; `imported` are the events of its imports, `constants` are its own
/// and those of what it imports.
pub fn check(
    parsed: &Parsed,
    constants: &Arc<Constants>,
    imported: &Defined,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Definitions {
    let file = &parsed.file;
    let unread = Unread::of(parsed);
    let headers: Vec<Header> = headers(file);
    let mut context = Context {
        syntax: &file.exprs,
        exprs: Exprs::default(),
        constants,
        has_headers: !headers.is_empty(),
        defined: Arc::default(),
        unread: &unread,
        kernel,
        diagnostics,
    };
    let subsystem = names::subsystem(file, &mut context);
    names::definitions(file, subsystem, &mut context);
    let classes = class::classes(file, &mut context);
    let events = event::events(file, &classes, &mut context);
    let mut found = Definitions {
        subsystem: subsystem.cloned(),
        headers,
        classes: classes.into_list(),
        events,
        probes: Vec::new(),
        exprs: Exprs::default(),
        constants: Arc::clone(constants),
    };
    // A probe can be at a tracepoint of the file.
    let mut defined = imported.clone();
    defined.add(file, &found);
    context.defined = Arc::new(defined);
    found.probes = probes(file, &mut context);
    found.exprs = context.exprs;
    found
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
            probes.extend(context.whole(|context| probe::probe(event, syntax, declaration, context)));
        }
    }
    probes
}
