//! Formatting of sets of events, and of the clauses about them: `trace`, `on`, and their items.

use pretty::DocAllocator;

use crate::span::Spanned;
use crate::syntax::*;

use super::gaps::{Edge, Gap};
use super::rows::{BRACES, Row};
use super::{Doc, Formatter, LEVEL};

impl<'a> Formatter<'a> {
    /// Formats `trace` or `on`.
    pub(super) fn event_clause(&mut self, word: &str, clause: &EventClause) -> Doc<'a> {
        let word = self.token(Gap::Tight, word);
        // Two levels before a block, to separate the lines of a condition from those of the block.
        let indent = if clause.items.is_empty() { LEVEL } else { 2 * LEVEL };
        let head = word.append(self.head(clause, indent));
        if !self.cursor.peek().starts_with('{') {
            return head.append(self.semicolon());
        }
        let one_line = match clause.items.as_slice() {
            [item] => self.cursor.is_one_line(item.span.range().end),
            _ => false,
        };
        head.append(self.block(one_line, &clause.items, |this, _, item| Row::plain(this.item(&item.kind))))
    }

    /// Formats the events of a clause and the parts after them, in the order of the text.
    fn head(&mut self, clause: &EventClause, indent: isize) -> Doc<'a> {
        let EventClause { events, having, condition, items: _ } = clause;
        let mut doc = self.event_paths(Gap::Space, &mut events.include.iter());
        let mut except = events.except.iter();
        let (mut having, mut condition) = (having.as_slice(), *condition);
        loop {
            let rest = self.cursor.peek();
            let part = if except.len() > 0 && rest.starts_with("except") {
                self.except(&mut except)
            } else if !having.is_empty() && rest.starts_with("having") {
                self.token(Gap::Soft, "having").append(self.names(std::mem::take(&mut having))).nest(indent)
            } else if condition.is_some() {
                self.condition(condition.take(), indent)
            } else {
                return doc;
            };
            doc = doc.append(part);
        }
    }

    /// Formats ` except a:b`, or several events in braces.
    fn except(&mut self, paths: &mut std::slice::Iter<EventPath>) -> Doc<'a> {
        let word = self.token(Gap::Soft, "except");
        word.append(self.event_paths(Gap::Space, paths))
    }

    /// Formats ` if C`, if there is one.
    pub(super) fn condition(&mut self, condition: Option<ExprId>, indent: isize) -> Doc<'a> {
        match condition {
            None => self.arena.nil(),
            Some(condition) => {
                let word = self.token(Gap::Soft, "if").nest(indent);
                word.append(self.value(Gap::Space, condition, indent))
            }
        }
    }

    /// Formats ` count N` or ` once`, if there is one.
    pub(super) fn count(&mut self, count: &Option<Spanned<u64>>) -> Doc<'a> {
        match count {
            None => self.arena.nil(),
            Some(_) if self.cursor.peek().starts_with("once") => self.token(Gap::Soft, "once"),
            Some(count) => self.token(Gap::Soft, "count").append(self.copy(Gap::Space, count.span)),
        }
    }

    /// Formats ` a, b`.
    pub(super) fn names(&mut self, names: &[Name]) -> Doc<'a> {
        let mut doc = self.arena.nil();
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                doc = doc.append(self.mark(Gap::Close, ","));
            }
            doc = doc.append(self.copy(if index == 0 { Gap::Space } else { Gap::Soft }, name.span));
        }
        doc
    }

    fn item(&mut self, kind: &ItemKind) -> Doc<'a> {
        match kind {
            ItemKind::Filter { in_kernel, condition } => {
                let mut doc = self.token(Gap::Tight, "filter");
                if in_kernel.is_some() {
                    doc = doc.append(self.token(Gap::Space, "in")).append(self.token(Gap::Space, "kernel"));
                }
                doc.append(self.value(Gap::Space, *condition, LEVEL)).append(self.semicolon())
            }
            ItemKind::Trigger { action, event, count, condition } => {
                self.cursor.peek();
                let mut doc = if self.cursor.at() == action.span.range().start {
                    self.copy(Gap::Tight, action.span)
                } else {
                    self.token(Gap::Tight, "trigger").append(self.copy(Gap::Space, action.span))
                };
                if let Some(event) = event {
                    doc = doc.append(self.event_path(Gap::Space, event));
                }
                let doc = doc.append(self.count(count).nest(LEVEL));
                doc.append(self.condition(*condition, LEVEL)).append(self.semicolon())
            }
            ItemKind::Print(template) => self.print(template),
            ItemKind::Drop(fields) => self.of_fields("drop", fields),
            ItemKind::Redact(fields) => self.of_fields("redact", fields),
            ItemKind::Lint(lint) => self.lint(lint),
        }
    }

    /// Formats a word, names of fields, and the semicolon.
    fn of_fields(&mut self, word: &str, fields: &[Name]) -> Doc<'a> {
        let doc = self.token(Gap::Tight, word);
        let fields = self.names(fields);
        doc.append(fields.append(self.semicolon()).nest(LEVEL))
    }

    // Events

    /// Formats `a:b`, `{a:b, c:d}`, and the events after `except`.
    pub(super) fn event_set(&mut self, gap: Gap, set: &EventSet) -> Doc<'a> {
        let mut doc = self.event_paths(gap, &mut set.include.iter());
        let mut except = set.except.iter();
        while except.len() > 0 {
            doc = doc.append(self.except(&mut except));
        }
        doc
    }

    /// Formats one path, or several in braces: as many as the text has there.
    fn event_paths(&mut self, gap: Gap, paths: &mut std::slice::Iter<EventPath>) -> Doc<'a> {
        if !self.cursor.peek().starts_with('{') {
            return match paths.next() {
                Some(path) => self.event_path(gap, path),
                None => self.arena.nil(),
            };
        }
        let open = self.token(gap, BRACES.open);
        let mut inner = self.arena.nil();
        let mut plain = (Edge::First, self.arena.line_());
        for path in paths {
            inner = inner.append(self.list_gap(plain.0, plain.1)).append(self.event_path(Gap::Tight, path));
            let last = self.ends_braces();
            inner = inner.append(self.comma(last, BRACES.last_comma));
            if last {
                break;
            }
            plain = (Edge::Middle, self.arena.line());
        }
        let inner = inner.append(self.list_gap(Edge::Last, self.arena.line_())).nest(LEVEL);
        open.append(inner).append(self.token(Gap::Tight, BRACES.close)).group()
    }

    /// Returns whether only a comma precedes the closing brace.
    fn ends_braces(&mut self) -> bool {
        match self.cursor.peek().strip_prefix(',') {
            None => true,
            Some(_) => self.cursor.behind(",").0.starts_with('}'),
        }
    }

    /// Formats `system:name`, `"pattern"`, `name`.
    pub(super) fn event_path(&mut self, gap: Gap, path: &EventPath) -> Doc<'a> {
        match &path.kind {
            EventPathKind::Pattern(_) | EventPathKind::Bare(_) => self.copy(gap, path.span),
            EventPathKind::Path { system, name } => {
                let system = self.event_part(gap, system);
                // A star and a colon without a name directly after it are parsed as part of a pattern without quotes.
                let gap = if self.cursor.behind(":").1 { Gap::Space } else { Gap::Tight };
                system.append(self.token(gap, ":")).append(self.event_part(Gap::Tight, name))
            }
        }
    }

    fn event_part(&mut self, gap: Gap, part: &Option<Name>) -> Doc<'a> {
        match part {
            Some(name) => self.copy(gap, name.span),
            None => self.token(gap, "*"),
        }
    }
}
