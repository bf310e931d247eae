//! What a text defines: an event with the layout of its records, and their fields.

use std::sync::Arc;

use tracec_compiler::ir::EventLayout;
use tracec_grammar::syntax::{DeclarationKind, EventForm, File};

use crate::answer::Surroundings;
use crate::cursor::Cursor;
use crate::diagnose::Checked;
use crate::facts;
use crate::fragment::analysed;
use crate::names::Role;

/// Returns what a word means in the definition of an event or a class.
pub(super) fn meaning(
    word: &str,
    role: Role,
    cursor: &Cursor<'_>,
    of: &Surroundings<'_>,
    checked: &Checked,
) -> Option<String> {
    let own = &checked.analysis.texts.first()?.parsed.file;
    let event = event_around(own, cursor.word.start)?;
    match role {
        Role::Event | Role::Class => {
            let layout = layout(word, of, checked).or_else(|| layout(event, of, checked))?;
            Some(facts::of_event(&layout.format))
        }
        Role::Field => {
            let layout = layout(event, of, checked)?;
            let field = layout.format.field(word)?;
            Some(facts::of_field(&layout.format, field))
        }
        _ => None,
    }
}

/// Returns the event that is defined at an offset. A class has no records of its own, so that it is its first event.
fn event_around(file: &File, offset: usize) -> Option<&str> {
    let mut declarations = file.declarations.iter();
    let here = declarations.find(|declaration| declaration.span.range().contains(&offset))?;
    match &here.kind {
        DeclarationKind::Event(event) => Some(&event.name.value),
        DeclarationKind::Class(class) => {
            file.declarations.iter().find_map(|declaration| match &declaration.kind {
                DeclarationKind::Event(event) => match &event.form {
                    EventForm::OfClass { class: of, .. } if of.value == class.name.value => {
                        Some(event.name.value.as_str())
                    }
                    _ => None,
                },
                _ => None,
            })
        }
        _ => None,
    }
}

/// Returns the layout of the records of an event that the text defines, and that no session may record.
fn layout(event: &str, of: &Surroundings<'_>, checked: &Checked) -> Option<Arc<EventLayout>> {
    let find = |analysis: &tracec_compiler::Analysis| {
        let mut all = analysis.module.catalogue.iter();
        all.find(|(_, layout)| layout.format.name == event).map(|(_, layout)| layout.clone())
    };
    find(&checked.analysis).or_else(|| {
        let text = format!("{}\nsession {event} {{ trace {event}; }}\n", of.document.text);
        find(&analysed(of, of.kernel, text))
    })
}
