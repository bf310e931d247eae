//! What a text defines: an event with the layout of its records, and their fields.

use std::sync::Arc;

use tracec_compiler::ir::EventLayout;
use tracec_grammar::syntax::{DeclarationKind, EventForm, File};
use tracec_kernel::format::EventFormat;

use crate::answer::Surroundings;
use crate::cursor::Cursor;
use crate::diagnose::Checked;
use crate::facts;
use crate::fragment::analysed;
use crate::names::{ReadTexts, Role};

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
            Some(facts::of_event(&layout.format, template(&layout.format, (&checked.analysis).into())))
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

/// Returns the template that an event is printed with, if one of the texts defines it.
pub(super) fn template<'t>(format: &EventFormat, texts: ReadTexts<'t>) -> Option<&'t str> {
    let of_file = |file: &'t File| {
        let declarations = || file.declarations.iter().map(|declaration| &declaration.kind);
        let is_of_system = declarations()
            .any(|kind| matches!(kind, DeclarationKind::Subsystem(name) if name.value == format.system));
        let event = declarations().find_map(|kind| match kind {
            DeclarationKind::Event(event) if is_of_system && event.name.value == format.name => Some(event),
            _ => None,
        })?;
        match &event.form {
            EventForm::Whole { body, .. } => body.print.as_ref(),
            EventForm::OfClass { print: Some(print), .. } => Some(print),
            EventForm::OfClass { class, .. } => declarations().find_map(|kind| match kind {
                DeclarationKind::Class(found) if found.name.value == class.value => found.body.print.as_ref(),
                _ => None,
            }),
            EventForm::At(probe) => probe.print.as_ref(),
        }
    };
    let found = texts.iter().find_map(|(_, text)| of_file(&text.parsed.file))?;
    Some(texts.sources.text_of(found.span))
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
