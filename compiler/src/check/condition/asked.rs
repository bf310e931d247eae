//! Questions that typing asks about an event. The events of a group for which all answers are the same have the same
//! conditions and the same mistakes, so that these are computed once.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use tracec_kernel::format::{EventFormat, Field};

use crate::ir::definition::EnumType;

use super::printed::{Print, Printed};

/// A question whose answer decides how a condition is typed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Question {
    /// Which field has this name?
    Field(String),
    /// Does it record a system call?
    SystemCall,
    /// Which names do the values of this field have?
    Names(Field),
    /// In which unit of time does this field count?
    TimeUnit(Field),
    /// What does the event print behind the names of this field, and for which bits?
    Suffix(Field),
    /// For which value of this field does the event print this name?
    PrintedAs(Field, String),
}

#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Field(Option<Field>),
    SystemCall(bool),
    Names(Option<Rc<EnumType>>),
    TimeUnit(Option<&'static str>),
    PrintedAs(Option<i128>),
    Suffix(Option<(String, i128)>),
}

impl Question {
    fn ask(&self, event: &EventFormat, printed: &Printed) -> Answer {
        let print = || printed.of(event);
        match self {
            Question::Field(name) => Answer::Field(event.field(name).cloned()),
            Question::SystemCall => Answer::SystemCall(is_system_call(event)),
            Question::Names(field) => Answer::Names(print().names(field)),
            Question::TimeUnit(field) => Answer::TimeUnit(print().time_unit(field)),
            Question::Suffix(field) => Answer::Suffix(print().suffix(field)),
            Question::PrintedAs(field, name) => Answer::PrintedAs(print().printed_as(field, name)),
        }
    }
}

/// An event while a condition is typed for it, which records the questions.
pub(super) struct Asked<'a> {
    event: &'a EventFormat,
    printed: &'a Printed,
    /// `None` if no other event will be compared with it.
    notes: Option<RefCell<Notes>>,
}

#[derive(Default)]
struct Notes {
    /// The field names of the questions.
    names: FxHashSet<String>,
    others: FxHashSet<Question>,
    /// All questions, in the order in which they were asked first.
    order: Vec<Question>,
}

impl<'a> Asked<'a> {
    /// An event that no other one is compared with.
    pub(super) fn alone(event: &'a EventFormat, printed: &'a Printed) -> Self {
        Asked { event, printed, notes: None }
    }

    /// Returns the event for the words of a diagnostic. Whether a diagnostic is reported must not depend on it.
    pub(super) fn unasked(&self) -> &'a EventFormat {
        self.event
    }

    /// Returns a field: see [`EventFormat::field`].
    pub(super) fn field(&self, name: &str) -> Option<&'a Field> {
        if let Some(notes) = &self.notes {
            let notes = &mut *notes.borrow_mut();
            if !notes.names.contains(name) {
                notes.names.insert(name.to_owned());
                notes.order.push(Question::Field(name.to_owned()));
            }
        }
        self.event.field(name)
    }

    /// Returns whether the event records a system call.
    pub(super) fn is_system_call(&self) -> bool {
        self.note(|| Question::SystemCall);
        is_system_call(self.event)
    }

    /// Returns the names that the event prints a field's values with.
    pub(super) fn names(&self, field: &Field) -> Option<Rc<EnumType>> {
        self.note(|| Question::Names(field.clone()));
        self.print().names(field)
    }

    /// Returns the unit of time that the event prints behind a field's value.
    pub(super) fn time_unit(&self, field: &Field) -> Option<&'static str> {
        self.note(|| Question::TimeUnit(field.clone()));
        self.print().time_unit(field)
    }

    /// Returns the text that the event prints behind the names of a field where some bits are set, and the bits.
    pub(super) fn suffix(&self, field: &Field) -> Option<(String, i128)> {
        self.note(|| Question::Suffix(field.clone()));
        self.print().suffix(field)
    }

    /// Returns the value of a field for which the event prints a name, where the name alone does not say which bits it
    /// stands for.
    pub(super) fn printed_as(&self, field: &Field, name: &str) -> Option<i128> {
        self.note(|| Question::PrintedAs(field.clone(), name.to_owned()));
        self.print().printed_as(field, name)
    }

    fn print(&self) -> Rc<Print> {
        self.printed.of(self.event)
    }

    fn note(&self, question: impl FnOnce() -> Question) {
        let Some(notes) = &self.notes else { return };
        let (notes, question) = (&mut *notes.borrow_mut(), question());
        if !notes.others.contains(&question) {
            notes.others.insert(question.clone());
            notes.order.push(question);
        }
    }
}

/// The results for events, by the answers to the questions: a tree, because the same answers lead to the same next
/// question.
pub(super) struct Memory<T> {
    /// The nodes, the root first.
    nodes: Vec<Node>,
    found: Vec<T>,
}

enum Node {
    /// A question, with the node for each answer.
    Ask(Question, Vec<(Answer, usize)>),
    /// There were no more questions; the index of the result.
    Found(usize),
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { nodes: Vec::new(), found: Vec::new() }
    }
}

impl<T> Memory<T> {
    /// Returns the result for an event with the same answers; otherwise that of `find`.
    pub(super) fn of(
        &mut self,
        (event, printed): (&EventFormat, &Printed),
        find: impl FnOnce(&Asked<'_>) -> T,
    ) -> &T {
        let (mut at, mut asked_before, mut unheard) = (0, 0, None);
        while let Some(node) = self.nodes.get(at) {
            let (question, answers) = match node {
                Node::Ask(question, answers) => (question, answers),
                Node::Found(index) => return &self.found[*index],
            };
            let answer = question.ask(event, printed);
            asked_before += 1;
            match answers.iter().find(|(known, _)| *known == answer) {
                Some((_, next)) => at = *next,
                None => {
                    unheard = Some(answer);
                    break;
                }
            }
        }
        let asked = Asked { event, printed, notes: Some(RefCell::default()) };
        let found = find(&asked);
        let next = self.nodes.len();
        if let (Some(answer), Some(Node::Ask(_, answers))) = (unheard, self.nodes.get_mut(at)) {
            answers.push((answer, next));
        }
        let order = asked.notes.map(|notes| notes.into_inner().order).unwrap_or_default();
        for question in order.into_iter().skip(asked_before) {
            let answer = question.ask(event, printed);
            self.nodes.push(Node::Ask(question, vec![(answer, self.nodes.len() + 1)]));
        }
        self.nodes.push(Node::Found(self.found.len()));
        self.found.push(found);
        &self.found[self.found.len() - 1]
    }
}

fn is_system_call(event: &EventFormat) -> bool {
    event.system == "syscalls"
}
