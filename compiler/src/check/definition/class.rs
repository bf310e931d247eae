//! Event classes: arguments, fields, and print templates.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::syntax::{Declaration, DeclarationKind, EventBody, EventForm, File, Name, Param};
use tracec_kernel::tables::limits;

use crate::diagnostic::codes;
use crate::ir::definition::{Argument, EventClass};

use super::context::Context;
use super::expression::ArgumentList;
use super::names::{self, Named};
use super::template::{self, Printable};
use super::types::{self, TypePosition};
use super::{entry, layout, made, statements};

/// The classes of a file, including those of single events.
#[derive(Default)]
pub(super) struct Classes<'a> {
    list: Vec<EventClass>,
    /// The index of each class by name; `None` for one that has a mistake.
    by_name: FxHashMap<&'a str, Option<usize>>,
    /// Whether any class has a mistake.
    mistaken: bool,
}

impl<'a> Classes<'a> {
    /// Returns every class without mistakes, and whether all classes are without mistakes.
    pub(super) fn finish(self) -> (Vec<EventClass>, bool) {
        (self.list, !self.mistaken)
    }

    /// Returns the class of this name. `Some(None)` is one with a mistake.
    pub(super) fn find(&self, name: &str) -> Option<Option<(usize, &EventClass)>> {
        let index = *self.by_name.get(name)?;
        Some(index.and_then(|index| self.list.get(index).map(|class| (index, class))))
    }

    /// Returns the names of all classes that events can be members of.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.by_name.keys().copied()
    }

    fn add(&mut self, name: &'a str, class: Option<EventClass>) {
        self.mistaken |= class.is_none();
        if self.by_name.contains_key(name) {
            // The first class of a name counts; the second has been reported.
            return;
        }
        let index = class.map(|class| {
            self.list.push(class);
            self.list.len() - 1
        });
        self.by_name.insert(name, index);
    }
}

/// Types every class, and the body of every event that is not a member of one.
pub(super) fn classes<'a>(file: &'a File, context: &mut Context<'_, '_>) -> Classes<'a> {
    let used: FxHashSet<&str> = file.declarations.iter().filter_map(class_of).collect();
    // An event that could not be parsed may be a member of any class.
    let is_read = |declaration: &Declaration| {
        !matches!(declaration.kind, DeclarationKind::Event(_)) || !context.unread.holds(declaration.span)
    };
    let all_read = !context.unread.lost && file.declarations.iter().all(is_read);
    let mut classes = Classes::default();
    for declaration in &file.declarations {
        match &declaration.kind {
            DeclarationKind::Class(syntax) => {
                let name = &syntax.name;
                if context.unread.holds(declaration.span) {
                    classes.add(&name.value, None);
                    continue;
                }
                if all_read && !used.contains(name.value.as_str()) {
                    context.diagnostics.push(codes::unused_class::unused_class(name.span, &name.value));
                }
                let class = context.whole(|context| class(name, &syntax.body, false, context));
                classes.add(&name.value, class);
            }
            DeclarationKind::Event(event) => {
                if let EventForm::Whole { body, .. } = &event.form {
                    if context.unread.holds(declaration.span) {
                        classes.add(&event.name.value, None);
                        continue;
                    }
                    let class = context.whole(|context| class(&event.name, body, true, context));
                    classes.add(&event.name.value, class);
                }
            }
            _ => {}
        }
    }
    classes
}

/// Returns the name of the class that an event names.
fn class_of(declaration: &Declaration) -> Option<&str> {
    match &declaration.kind {
        DeclarationKind::Event(event) => match &event.form {
            EventForm::OfClass { class, .. } => Some(&class.value),
            _ => None,
        },
        _ => None,
    }
}

fn class(
    name: &Name,
    body: &EventBody,
    of_one_event: bool,
    context: &mut Context<'_, '_>,
) -> Option<EventClass> {
    let (arguments, is_proto_right) = proto(name, body, context);
    let params = body.proto.iter().flat_map(|proto| &proto.value).map(|param| param.name.value.as_str());
    let found: FxHashSet<&str> = arguments.iter().map(|argument| argument.name.value.as_str()).collect();
    let known = ArgumentList::new(&arguments, params.filter(|param| !found.contains(param)).collect());
    let (mut fields, is_entry_right) = match &body.entry {
        Some(entry) => entry::fields(&entry.value, &known, body.assign.as_ref(), context),
        None => (entry::from_arguments(&arguments), is_proto_right && are_fields(&arguments, context)),
    };
    let is_entry_right = made::members(&fields, context) && is_entry_right;
    let size = layout::lay_out(&mut fields, context);
    if let Some(size) = size.filter(|size| *size > limits::RECORD_BYTES) {
        let lint =
            codes::record_too_large::record_too_large(name.span, &name.value, size, limits::RECORD_BYTES);
        context.diagnostics.push(lint);
    }
    let is_assign_right = body.assign.as_ref().is_none_or(|assign| statements::check(assign, context));
    // A field that was left out because of a mistake is not reported again where the template names it.
    if !is_proto_right || !is_entry_right || !is_assign_right {
        return None;
    }
    let printables: Vec<Printable<'_>> = fields.iter().map(Printable::of_record).collect();
    let print = match &body.print {
        Some(print) => template::template(print, &printables, &arguments, context)?,
        None => template::derived(&printables),
    };
    Some(EventClass {
        name: name.clone(),
        of_one_event,
        arguments,
        fields,
        size,
        assign: body.assign.clone(),
        print,
    })
}

/// Returns whether the names of arguments are those of fields too.
fn are_fields(arguments: &[Argument], context: &mut Context<'_, '_>) -> bool {
    names::list(arguments.iter().map(|argument| &argument.name), Named::Field, context)
}

/// Returns the arguments, and whether all are valid; those with a mistake are left out.
fn proto(name: &Name, body: &EventBody, context: &mut Context<'_, '_>) -> (Vec<Argument>, bool) {
    let Some(proto) = &body.proto else {
        context.diagnostics.push(codes::no_arguments::no_proto(name.span, &name.value));
        return (Vec::new(), false);
    };
    if proto.value.is_empty() {
        context.diagnostics.push(codes::no_arguments::no_arguments(proto.span, &name.value));
        return (Vec::new(), false);
    }
    if let Some(beyond) = proto.value.get(limits::BPF_ARGUMENTS) {
        let lint =
            codes::many_arguments::many_arguments(beyond.span, proto.value.len(), limits::BPF_ARGUMENTS);
        context.diagnostics.push(lint);
    }
    arguments(&proto.value, context)
}

/// Returns the arguments of a tracepoint or of a function, and whether all are valid; those with a mistake are left
/// out.
pub(super) fn arguments(params: &[Param], context: &mut Context<'_, '_>) -> (Vec<Argument>, bool) {
    let right = names::list(params.iter().map(|param| &param.name), Named::Argument, context);
    let argument = |param: &Param, context: &mut Context<'_, '_>| {
        Some(Argument {
            name: param.name.clone(),
            ty: types::resolve(&param.ty, TypePosition::Argument, context)?,
        })
    };
    let arguments: Vec<Argument> = params.iter().filter_map(|param| argument(param, context)).collect();
    let complete = right && arguments.len() == params.len();
    (arguments, complete)
}
