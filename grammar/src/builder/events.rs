//! Sets of events, and the heads of the clauses about them.

use super::Builder;
use crate::span::Spanned;
use crate::syntax::*;

/// A part of the head of `trace` or `on`, after its events.
pub(crate) enum HeadPart {
    Except(Vec<EventPath>),
    Having(Vec<Name>),
    Condition(ExprId),
}

impl Builder<'_> {
    /// Builds a set of events, unless all of them were broken.
    pub(crate) fn event_set(
        &self,
        include: Vec<EventPath>,
        except: Vec<EventPath>,
        start: u32,
        end: u32,
    ) -> Option<EventSet> {
        (!include.is_empty()).then_some(EventSet { include, except, span: self.span(start, end) })
    }

    /// Builds a clause without its items. Its events end at `end`; those that are excepted directly after them belong
    /// to their span.
    pub(crate) fn event_head(
        &mut self,
        include: Vec<EventPath>,
        parts: Vec<Spanned<HeadPart>>,
        start: u32,
        end: u32,
    ) -> Option<Box<EventClause>> {
        let (mut except, mut having, mut condition) = (Vec::new(), Vec::new(), None);
        let adjacent = parts.iter().take_while(|part| matches!(part.value, HeadPart::Except(_)));
        let end = adjacent.last().map_or(end, |part| part.span.end);
        for Spanned { value, span } in parts {
            match value {
                HeadPart::Except(paths) => except.extend(paths),
                HeadPart::Having(names) if having.is_empty() => having = names,
                HeadPart::Condition(expr) if condition.is_none() => condition = Some(expr),
                HeadPart::Having(_) => self.repeated("having", span),
                HeadPart::Condition(expr) => self.repeated("if", self.exprs[expr].span),
            }
        }
        let events = self.event_set(include, except, start, end)?;
        Some(Box::new(EventClause { events, having, condition, items: Vec::new() }))
    }

    /// Builds a trigger; its event is `Some(None)` where it is broken.
    pub(crate) fn trigger(
        &self,
        action: Name,
        event: Option<Option<Box<EventPath>>>,
        count: Option<Spanned<u64>>,
        condition: Option<ExprId>,
    ) -> Box<ItemKind> {
        let event = event.flatten().map(|event| *event);
        Box::new(ItemKind::Trigger { action, event, count, condition })
    }
}
