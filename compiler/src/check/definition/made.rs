//! Names that the macros of a trace header make of those in a file: each stands for one thing, and is not one of the
//! kernel's headers.

use rustc_hash::FxHashMap;
use tracec_grammar::syntax::{DeclarationKind, EventForm, File, Name};
use tracec_kernel::tables::field_macros::Storage;
use tracec_kernel::tables::trace_names::{self, Of, Space};

use crate::diagnostic::codes;
use crate::ir::definition::RecordField;

use super::context::Context;
use super::names::Named;

/// Reports a name of an event or a class of which a name is made that the headers or another definition of the file have.
/// Returns whether there is none.
pub(super) fn names(file: &File, context: &mut Context<'_, '_>) -> bool {
    let mut seen: FxHashMap<(Space, String), &Name> = FxHashMap::default();
    let mut right = true;
    for (of, name) in named(file) {
        let patterns = trace_names::MADE.iter().filter(|pattern| pattern.of == of);
        let made = patterns.map(|pattern| (pattern.space, pattern.made_of(&name.value)));
        let (mut declared, mut other) = (None, None);
        for (space, made) in made {
            if declared.is_none() && trace_names::is_declared(space, &made) {
                declared = Some(made.clone());
            }
            match seen.get(&(space, made.clone())) {
                // Two definitions of one name are reported as such.
                Some(first) if first.value != name.value && other.is_none() => other = Some((*first, made)),
                Some(_) => {}
                None => {
                    seen.insert((space, made), name);
                }
            }
        }
        let what = if of == Of::Event { Named::Event } else { Named::Class };
        let mistake = match (declared, other) {
            (Some(made), _) => {
                codes::reserved_name::of_headers(name.span, &name.value, what.describe(), &made)
            }
            (None, Some((first, made))) => {
                let first = (first.span, first.value.as_str());
                codes::reserved_name::of_another(name.span, &name.value, what.describe(), first, &made)
            }
            (None, None) => continue,
        };
        right = false;
        context.diagnostics.push(mistake.help(what.instead(&name.value)));
    }
    right
}

/// Returns the names of the tracepoints and classes of a file, those of classes also for the events with one of their own.
/// A name that is refused in itself is refused once.
fn named(file: &File) -> impl Iterator<Item = (Of, &Name)> {
    file.declarations.iter().flat_map(|declaration| {
        let (event, class) = match &declaration.kind {
            DeclarationKind::Class(class) => (None, Some(&class.name)),
            DeclarationKind::Event(event) => match event.form {
                EventForm::At(_) => (None, None),
                EventForm::OfClass { .. } => (Some(&event.name), None),
                EventForm::Whole { .. } => (Some(&event.name), Some(&event.name)),
            },
            _ => (None, None),
        };
        event.map(|name| (Of::Event, name)).into_iter().chain(class.map(|name| (Of::Class, name)))
    })
}

/// Reports a field with the name of a member that the macros make beside another field. Returns whether there is none.
pub(super) fn members(fields: &[RecordField], context: &mut Context<'_, '_>) -> bool {
    let located = || fields.iter().filter(|field| field.declared.storage != Storage::Inline);
    let mut right = true;
    for behind in trace_names::BEHIND_FIELDS {
        for first in located() {
            let made = format!("{}{behind}", first.name.value);
            for field in located().filter(|field| field.name.value == made) {
                let (name, what) = (&field.name, Named::Field);
                let first = (first.name.span, first.name.value.as_str());
                let mistake =
                    codes::reserved_name::of_another(name.span, &name.value, what.describe(), first, &made);
                context.diagnostics.push(mistake.help(what.instead(&name.value)));
                right = false;
            }
        }
    }
    right
}
