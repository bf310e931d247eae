//! Checks of the declarations of a file besides its sessions: from syntax to [`crate::ir::definition`].
//!
//! Constants come first, since types and lengths depend on them; then names, classes, events and probes in the order
//! they are written. Every declaration is checked, even if others have mistakes.

mod class;
mod context;
mod entry;
mod event;
mod expression;
mod fetch;
mod format;
mod layout;
mod made;
mod members;
mod names;
mod parts;
mod probe;
mod signed_char;
mod statements;
mod template;
mod total;
mod types;

use std::cell::OnceCell;

use tracec_grammar::Parsed;
use tracec_grammar::syntax::{Declaration, DeclarationKind, File};
use tracec_span::FileId;

use crate::constant::Unread;
use crate::diagnostic::{Diagnostics, Suggestions};
use crate::ir::definition::{ConstantTable, ConstantsId, Definitions, Exprs, Header, VisibleConstants};
use crate::load::Program;
use crate::resolve::Finder;

use context::Context;
pub use types::type_names;

/// The declarations of the texts of a program besides their sessions.
#[derive(Debug)]
pub struct Declared {
    /// The definitions of each text, in the order of the program's texts; those of the library are left out.
    pub definitions: Vec<Definitions>,
    /// Whether all definitions are included. Mistakes of those left out have been reported.
    pub complete: bool,
}

/// Types all declarations of the texts of a program except sessions, of which it only compares the names, and adds the
/// events that they define to those that can be found.
pub fn declare(program: &Program, finder: &mut Finder<'_>, diagnostics: &mut Diagnostics) -> Declared {
    names::sessions(&program[FileId::MAIN].parsed.file, diagnostics);
    let mut declared = Declared { definitions: Vec::new(), complete: true };
    let mut found_in = Vec::new();
    for id in program.imported_first() {
        let text = &program[id];
        if !text.std {
            let (found, complete) =
                check(&text.parsed, text.constants, &program.constants, finder, diagnostics);
            found_in.push((id, found));
            declared.complete &= complete;
        }
    }
    found_in.sort_by_key(|(id, _)| *id);
    declared.definitions = found_in.into_iter().map(|(_, definitions)| definitions).collect();
    declared
}

/// Types all declarations of a file except sessions, and returns whether they are complete: mistakes of those left out
/// have been reported. `table` owns its constants and those of its imports; `finder` knows the events of its imports,
/// and then also its own.
pub fn check(
    parsed: &Parsed,
    constants: ConstantsId,
    table: &ConstantTable,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> (Definitions, bool) {
    let file = &parsed.file;
    let unread = Unread::of(parsed);
    let headers: Vec<Header> = headers(file);
    let suggestions = Suggestions::default();
    let mut context = Context {
        syntax: &file.exprs,
        exprs: Exprs::default(),
        constants: VisibleConstants { own: &table[constants], table },
        has_headers: !headers.is_empty(),
        suggestions: &suggestions,
        unread: &unread,
        kernel: finder.kernel(),
        loaded: finder.is_loaded(),
        signed_char: None,
        types: OnceCell::new(),
        types_said: false,
        diagnostics,
    };
    let is_unread = |declaration: &Declaration| {
        matches!(declaration.kind, DeclarationKind::Class(_) | DeclarationKind::Event(_))
            && unread.holds(declaration.span)
    };
    let mut complete = !unread.lost && !file.declarations.iter().any(is_unread);
    let (subsystem, right) = names::subsystem(file, &mut context);
    complete &= right;
    complete &= names::definitions(file, subsystem, &mut context);
    complete &= made::names(file, &mut context);
    let classes = class::classes(file, &mut context);
    let (events, right) = event::events(file, &classes, &mut context);
    complete &= right;
    let (classes, right) = classes.finish();
    complete &= right;
    let mut found = Definitions {
        subsystem: subsystem.cloned(),
        headers,
        constants,
        classes,
        events,
        probes: Vec::new(),
        exprs: Exprs::default(),
    };
    // A probe can be attached to a tracepoint of the file.
    finder.define(file, &found, unread.lost);
    let (probes, right) = probe::probes(file, finder, &mut context);
    complete &= right;
    finder.define_probes(&probes);
    found.probes = probes;
    found.exprs = context.exprs;
    (found, complete)
}

fn headers(file: &File) -> Vec<Header> {
    let headers = file.declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Header(header) => Some(header),
        _ => None,
    });
    headers.map(|header| Header { path: header.path.clone(), angled: header.angled }).collect()
}
