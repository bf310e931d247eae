//! Formatting of classes and events that a file defines.

use pretty::DocAllocator;

use crate::syntax::*;

use super::gaps::Gap;
use super::rows::{PAIR, PARENTHESES, Row};
use super::{Doc, Formatter, LEVEL};

/// A part of `TRACE_EVENT`.
#[derive(Clone, Copy)]
enum Part<'s> {
    Proto(&'s [Param]),
    Entry(&'s [EntryField]),
    Assign,
    Print(&'s Template),
}

impl<'a> Formatter<'a> {
    pub(super) fn class(&mut self, class: &Class) -> Doc<'a> {
        let head = self.token(Gap::Tight, "class").append(self.copy(Gap::Space, class.name.span));
        head.append(self.event_body(&class.body))
    }

    pub(super) fn event(&mut self, event: &EventDefinition) -> Doc<'a> {
        let head = self.token(Gap::Tight, "event").append(self.copy(Gap::Space, event.name.span));
        head.append(match &event.form {
            EventForm::Whole { condition, hooks, body } => {
                let tails = self.event_tails(*condition, hooks).nest(2 * LEVEL);
                tails.append(self.event_body(body))
            }
            EventForm::OfClass { class, condition, hooks, print } => {
                let class = self.token(Gap::Tight, ":").append(self.copy(Gap::Space, class.span));
                class.append(self.event_of_class(*condition, hooks, print))
            }
            EventForm::At(probe) => self.probe(probe),
        })
    }

    fn event_of_class(
        &mut self,
        condition: Option<ExprId>,
        hooks: &Option<Hooks>,
        print: &Option<Template>,
    ) -> Doc<'a> {
        let head = self.event_tails(condition, hooks);
        let Some(print) = print else {
            return head.append(self.semicolon()).nest(LEVEL);
        };
        let one_line = self.cursor.is_one_line(print.span.range().end);
        let block = self.block(one_line, &[print], |this, _, print| Row::plain(this.print(print)));
        head.nest(2 * LEVEL).append(block)
    }

    /// Formats ` if (C)` and ` with (register, unregister)`, in the order of the text.
    fn event_tails(&mut self, condition: Option<ExprId>, hooks: &Option<Hooks>) -> Doc<'a> {
        let (mut condition, mut hooks) = (condition, hooks.as_ref());
        let mut doc = self.arena.nil();
        while condition.is_some() || hooks.is_some() {
            let hooks_first = condition.is_none() || self.cursor.peek().starts_with("with");
            doc = doc.append(match (hooks.take_if(|_| hooks_first), condition) {
                (Some(hooks), _) => {
                    let names = [&hooks.register, &hooks.unregister];
                    let word = self.token(Gap::Soft, "with");
                    word.append(
                        self.list(Gap::Space, PAIR, &names, |this, name| this.copy(Gap::Open, name.span)),
                    )
                }
                (None, Some(id)) => {
                    condition = None;
                    self.token(Gap::Soft, "if").append(self.operand(Gap::Space, id))
                }
                (None, None) => self.arena.nil(),
            });
        }
        doc
    }

    /// Formats ` { parts }`.
    fn event_body(&mut self, body: &EventBody) -> Doc<'a> {
        let mut parts: Vec<(usize, Part)> = Vec::new();
        parts.extend(body.proto.as_ref().map(|part| (part.span.range().end, Part::Proto(&part.value))));
        parts.extend(body.entry.as_ref().map(|part| (part.span.range().end, Part::Entry(&part.value))));
        parts.extend(body.assign.as_ref().map(|part| (part.span.range().end, Part::Assign)));
        parts.extend(body.print.as_ref().map(|part| (part.span.range().end, Part::Print(part))));
        parts.sort_by_key(|(end, _)| *end);
        let one_line = match parts.as_slice() {
            [(_, Part::Entry(_))] => false,
            [(end, _)] => self.cursor.is_one_line(*end),
            _ => false,
        };
        self.block(one_line, &parts, |this, _, (end, part)| Row::plain(this.part(*end, *part)))
    }

    fn part(&mut self, end: usize, part: Part) -> Doc<'a> {
        match part {
            Part::Proto(params) => {
                let word = self.token(Gap::Tight, "proto");
                word.append(
                    self.list(Gap::Space, PARENTHESES, params, |this, param| this.param(Gap::Open, param)),
                )
            }
            Part::Entry(fields) => {
                let word = self.token(Gap::Tight, "entry");
                let one_line =
                    fields.last().is_some_and(|last| self.cursor.is_one_line(last.span.range().end));
                word.append(self.block(one_line, fields, |this, _, field| this.entry_field(field)))
            }
            Part::Assign => {
                let word = self.token(Gap::Tight, "assign");
                let code = self.verbatim(Gap::Space, end);
                self.cursor.eat(";");
                word.append(code)
            }
            Part::Print(print) => self.print(print),
        }
    }

    /// Formats `print "..."`.
    pub(super) fn print(&mut self, print: &Template) -> Doc<'a> {
        let word = self.token(Gap::Tight, "print");
        let template = self.copy(Gap::Space, print.span);
        self.cursor.eat(";");
        word.append(template)
    }

    /// Formats `name: type = value;`.
    fn entry_field(&mut self, field: &EntryField) -> Row<'a> {
        let name = self.copy(Gap::Tight, field.name.span).append(self.token(Gap::Tight, ":"));
        let ty = self.ty(Gap::Space, &field.ty);
        let row = Row::plain(name);
        let Some(value) = &field.value else {
            return row.aligned(field.name.value.len(), ty.append(self.semicolon()));
        };
        let width = self.width(&ty);
        let value = match *value {
            EntryValue::Expr(value) => self.assigned(value),
            EntryValue::Elements { pointer, count } => {
                let sign = self.token(Gap::Space, "=");
                let pair = [pointer, count];
                let pair =
                    self.list(Gap::Space, PAIR, &pair, |this, value| this.value(Gap::Open, *value, LEVEL));
                sign.append(pair)
            }
        };
        let value = value.append(self.semicolon());
        match width {
            // The type has a comment that ends its line.
            None => row.aligned(field.name.value.len(), ty.append(value)),
            Some(width) => row.aligned(field.name.value.len(), ty).aligned(width, value),
        }
    }
}
