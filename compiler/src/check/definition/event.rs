//! Tracepoints: events of a class, and events of their own.

use rustc_hash::FxHashSet;
use tracec_grammar::syntax::{Declaration, DeclarationKind, EventDefinition, EventForm, File, Hooks};

use crate::diagnostic::codes;
use crate::ir::definition::{EventClass, EventDef, PrintTemplate};

use super::class::Classes;
use super::context::Context;
use super::expression::{ArgumentList, VisibleNames, truth};
use super::names::{self, Named};
use super::template::{self, Printable};
use super::total::{Used, total};

/// Returns the tracepoints of a file, and whether all are valid; those with a mistake are left out.
pub(super) fn events(
    file: &File,
    classes: &Classes<'_>,
    context: &mut Context<'_, '_>,
) -> (Vec<EventDef>, bool) {
    let mut events = Vec::new();
    let mut complete = true;
    for declaration in &file.declarations {
        if let DeclarationKind::Event(syntax) = &declaration.kind
            && !matches!(syntax.form, EventForm::At(_))
            && !context.unread.holds(declaration.span)
        {
            let event = context.whole(|context| event(syntax, declaration, classes, context));
            complete &= event.is_some();
            events.extend(event);
        }
    }
    (events, complete)
}

fn event(
    syntax: &EventDefinition,
    declaration: &Declaration,
    classes: &Classes<'_>,
    context: &mut Context<'_, '_>,
) -> Option<EventDef> {
    let doc = declaration.doc.as_ref().map(|doc| doc.value.clone());
    let define = |class, condition, hooks, print| EventDef {
        name: syntax.name.clone(),
        doc,
        class,
        condition,
        hooks,
        print,
        span: declaration.span,
    };
    let (name, condition, hooks, print) = match &syntax.form {
        EventForm::At(_) => return None,
        // The class of an event of its own has the event's name.
        EventForm::Whole { condition, hooks, body: _ } => (&syntax.name, condition, hooks, &None),
        EventForm::OfClass { class, condition, hooks, print } => (class, condition, hooks, print),
    };
    let Some(found) = classes.find(&name.value) else {
        if context.unread.lost {
            return None;
        }
        let near = context.suggestions.near(name.span, &name.value, || classes.names());
        return context.say(codes::unknown_class::unknown_class(name.span, &name.value, &near));
    };
    let (index, class) = found?;
    let arguments = ArgumentList::new(&class.arguments, FxHashSet::default());
    let names = VisibleNames::Arguments(&arguments);
    let condition = condition.map(|condition| {
        let typed = truth(condition, names, context)?;
        total(typed, Used::Condition, names, context)
    });
    let hooks_fit = hooks.as_ref().is_none_or(|hooks| self::hooks(hooks, context));
    let print = match print {
        Some(print) => Some(own_print(print, class, context)?),
        None => None,
    };
    let condition = match condition {
        Some(condition) => Some(condition?),
        None => None,
    };
    hooks_fit.then(|| define(index, condition, hooks.clone(), print))
}

/// Types the template of an event that prints differently, over the fields of its class.
fn own_print(
    print: &tracec_grammar::syntax::Template,
    class: &EventClass,
    context: &mut Context<'_, '_>,
) -> Option<PrintTemplate> {
    let printables: Vec<Printable<'_>> = class.fields.iter().map(Printable::of_record).collect();
    template::template(print, &printables, &class.arguments, context)
}

/// Checks the functions that run when the first probe is registered and after the last one.
fn hooks(hooks: &Hooks, context: &mut Context<'_, '_>) -> bool {
    let register = names::word(&hooks.register, Named::Function, context);
    names::word(&hooks.unregister, Named::Function, context) && register
}
