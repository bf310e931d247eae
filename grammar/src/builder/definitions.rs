//! Definitions of events, probes and types.

use super::Builder;
use crate::error::SyntaxErrorKind;
use crate::span::{Span, Spanned};
use crate::syntax::*;

/// A part of an event definition.
pub(crate) enum Part {
    Proto(Vec<Param>),
    Entry(Vec<EntryField>),
    Assign(Spanned<String>),
    Print(Template),
}

/// A part of an event definition after its name and class.
pub(crate) enum EventTail {
    Condition(ExprId),
    Hooks(Hooks),
}

impl Builder<'_> {
    /// Collects the parts of a definition: the first of each kind counts.
    pub(crate) fn event_body(&mut self, parts: Vec<Spanned<Part>>) -> EventBody {
        let mut body = EventBody::default();
        for Spanned { value, span } in parts {
            let (word, is_new) = match value {
                Part::Proto(params) => ("proto", set(&mut body.proto, Spanned::new(params, span))),
                Part::Entry(fields) => ("entry", set(&mut body.entry, Spanned::new(fields, span))),
                Part::Assign(code) => ("assign", set(&mut body.assign, code)),
                Part::Print(template) => ("print", set(&mut body.print, template)),
            };
            if !is_new {
                self.repeated(word, part_word(word, span).span);
            }
        }
        body
    }

    /// Builds an event of its own.
    pub(crate) fn event_of_its_own(
        &mut self,
        name: Name,
        tails: Vec<EventTail>,
        parts: Vec<Spanned<Part>>,
    ) -> EventDefinition {
        let (condition, hooks) = self.tails(tails);
        EventDefinition { name, form: EventForm::Whole { condition, hooks, body: self.event_body(parts) } }
    }

    /// Builds an event of a class, which can override only the template.
    pub(crate) fn event_of_class(
        &mut self,
        name: Name,
        class: Name,
        tails: Vec<EventTail>,
        parts: Vec<Spanned<Part>>,
    ) -> EventDefinition {
        let (condition, hooks) = self.tails(tails);
        let mut print = None;
        for Spanned { value, span } in parts {
            let word = match value {
                Part::Print(template) if print.is_none() => {
                    print = Some(template);
                    continue;
                }
                Part::Print(_) => {
                    self.repeated("print", part_word("print", span).span);
                    continue;
                }
                Part::Proto(_) => "proto",
                Part::Entry(_) => "entry",
                Part::Assign(_) => "assign",
            };
            self.errors.push(SyntaxErrorKind::MisplacedPart { word }, part_word(word, span).span);
        }
        EventDefinition { name, form: EventForm::OfClass { class, condition, hooks, print } }
    }

    /// Returns the condition and the functions of an event: the first of each counts.
    fn tails(&mut self, tails: Vec<EventTail>) -> (Option<ExprId>, Option<Hooks>) {
        let (mut condition, mut hooks) = (None, None);
        for tail in tails {
            match tail {
                EventTail::Condition(expr) if condition.is_none() => condition = Some(expr),
                EventTail::Hooks(functions) if hooks.is_none() => hooks = Some(functions),
                EventTail::Condition(expr) => self.repeated("if", self.exprs[expr].span),
                EventTail::Hooks(functions) => self.repeated("with", functions.span),
            }
        }
        (condition, hooks)
    }

    /// Builds the head of a probe: `KIND ATTACH_POINT (..) -> (..)`; for `event`, it is attached to another event.
    pub(crate) fn probe_head(
        &self,
        kind: Name,
        attach_point: AttachPoint,
        params: Option<(u32, Vec<Param>, u32)>,
        result: Option<Option<Box<Param>>>,
    ) -> Probe {
        let attach_point = match attach_point {
            AttachPoint::Symbol { module, symbol, offset: None } if kind.value == "event" => {
                AttachPoint::Event(event_path(module, symbol))
            }
            other => other,
        };
        let params = params.map(|(start, params, end)| Spanned::new(params, self.span(start, end)));
        let result = result.flatten().map(|param| *param);
        Probe { kind, attach_point, params, result, fields: None, print: None }
    }

    pub(crate) fn probe(
        &self,
        name: Name,
        probe: Probe,
        (fields, print): (Vec<ProbeField>, Option<Template>),
        start: u32,
        end: u32,
    ) -> EventDefinition {
        let fields = Some(Spanned::new(fields, self.span(start, end)));
        EventDefinition { name, form: EventForm::At(Probe { fields, print, ..probe }) }
    }

    pub(crate) fn probe_field(
        &self,
        doc: Option<Spanned<String>>,
        name: Option<Name>,
        fetch: Option<Spanned<String>>,
        ty: Option<Box<TypeRef>>,
        start: u32,
        end: u32,
    ) -> Box<ProbeField> {
        Box::new(ProbeField { doc, name, fetch, ty: ty.map(|ty| *ty), span: self.span(start, end) })
    }

    // Types

    pub(crate) fn type_ref(
        &self,
        pointers: Vec<Spanned<Pointer>>,
        base: TypeBase,
        array: Option<Spanned<Option<ExprId>>>,
        start: u32,
        end: u32,
    ) -> Box<TypeRef> {
        Box::new(TypeRef { pointers, base, array, span: self.span(start, end) })
    }

    /// Builds a `*` with one more word after it, which ends at `end`.
    pub(crate) fn pointer(&self, star: Spanned<Pointer>, end: u32, word: Pointer) -> Spanned<Pointer> {
        let Spanned { value, span } = star;
        let user = value.user || word.user;
        let constant = value.constant || word.constant;
        Spanned::new(Pointer { user, constant }, Span { end, ..span })
    }
}

/// Fills `place` unless it is filled, and returns whether it did.
fn set<T>(slot: &mut Option<T>, value: T) -> bool {
    let is_new = slot.is_none();
    slot.get_or_insert(value);
    is_new
}

/// Returns the word at the start of a part.
fn part_word(word: &str, part: Span) -> Name {
    let end = part.start + word.len() as u32;
    Spanned::new(word.to_owned(), Span { end, ..part })
}

fn event_path(system: Option<Name>, name: Name) -> EventPath {
    match system {
        Some(system) => {
            let span = system.span.to(name.span);
            let (system, name) = (Some(system), Some(name));
            EventPath { kind: EventPathKind::Path { system, name }, span }
        }
        None => EventPath { span: name.span, kind: EventPathKind::Bare(name.value) },
    }
}
