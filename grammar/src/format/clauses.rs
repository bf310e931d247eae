//! Sessions and their clauses.

use pretty::DocAllocator;

use crate::span::{Span, Spanned};
use crate::syntax::*;

use super::gaps::Gap;
use super::rows::{PARENTHESES, Row};
use super::{Doc, Formatter, LEVEL};

impl<'a> Formatter<'a> {
    pub(super) fn session(&mut self, session: &Session) -> Doc<'a> {
        let mut doc = self.token(Gap::Tight, "session");
        if let Some(name) = &session.name {
            doc = doc.append(self.copy(Gap::Space, name.span));
        }
        doc = doc.append(self.optional_list(&session.params, Self::session_param));
        doc.append(self.clauses(&session.clauses))
    }

    /// Formats `name: type = default`.
    fn session_param(&mut self, param: &SessionParam) -> Doc<'a> {
        let mut doc = self.copy(Gap::Open, param.name.span).append(self.type_of(&param.ty));
        if let Some(default) = param.default {
            doc = doc.append(self.assigned(default));
        }
        doc
    }

    /// Formats ` { clauses }`.
    fn clauses(&mut self, clauses: &[Clause]) -> Doc<'a> {
        let one_line = match clauses {
            [clause] => self.cursor.is_one_line(clause.span.range().end) && !has_block(&clause.kind),
            _ => false,
        };
        self.clause_block(one_line, clauses)
    }

    fn clause_block(&mut self, one_line: bool, clauses: &[Clause]) -> Doc<'a> {
        self.block(one_line, clauses, |this, _, clause| Row::plain(this.clause(&clause.kind)))
    }

    fn clause(&mut self, kind: &ClauseKind) -> Doc<'a> {
        match kind {
            ClauseKind::Trace(clause) => self.event_clause("trace", clause),
            ClauseKind::On(clause) => self.event_clause("on", clause),
            ClauseKind::Buffer { size, scope } => self.buffer(*size, scope),
            ClauseKind::Queue(size) => self.with_value("queue", *size),
            ClauseKind::Subbuffer(size) => self.with_value("subbuffer", *size),
            ClauseKind::Cmdlines(number) => self.with_value("cmdlines", *number),
            ClauseKind::Rotate { size, max } => {
                let every = self.token(Gap::Tight, "rotate").append(self.token(Gap::Space, "every"));
                let size = self.value(Gap::Space, *size, LEVEL);
                every.append(size).append(self.max(max.as_ref()).nest(LEVEL)).append(self.semicolon())
            }
            ClauseKind::Keep(time) => {
                let doc = self.token(Gap::Tight, "keep").append(self.value(Gap::Space, *time, LEVEL));
                doc.append(self.token(Gap::Space, "after")).append(self.semicolon())
            }
            ClauseKind::Dump(dump) => self.dump(dump),
            ClauseKind::Clock(name) => self.simple("clock", Some(name.span)),
            ClauseKind::Recorder(name) => self.simple("recorder", Some(name.span)),
            ClauseKind::Option { name, value } => {
                let mut doc = self.token(Gap::Tight, "option").append(self.copy(Gap::Space, name.span));
                if let Some(value) = value {
                    doc = doc.append(self.copy(Gap::Space, value.span));
                }
                doc.append(self.semicolon())
            }
            ClauseKind::Scope { subjects, children } => self.scope(subjects, children.is_some()),
            ClauseKind::Instance(None) => self.simple("instance", None),
            ClauseKind::Instance(Some(name)) => self.with_value("instance", *name),
            ClauseKind::Global { discarding, clauses } => {
                let mut doc = self.token(Gap::Tight, "global");
                if discarding.is_some() {
                    doc = doc.append(self.token(Gap::Space, "discarding"));
                }
                doc.append(self.clauses(clauses))
            }
            ClauseKind::Stream => self.simple("stream", None),
            ClauseKind::Ring { last } => {
                let mut doc = self.token(Gap::Tight, "ring");
                if let Some(last) = last {
                    doc = doc.append(self.token(Gap::Space, "last")).append(self.value(
                        Gap::Space,
                        *last,
                        LEVEL,
                    ));
                }
                doc.append(self.semicolon())
            }
            ClauseKind::Stop(rule) => self.stop(rule),
            ClauseKind::IncludingTracec => {
                let scope = self.token(Gap::Tight, "scope").append(self.token(Gap::Space, "including"));
                scope.append(self.token(Gap::Space, "tracec")).append(self.semicolon())
            }
            ClauseKind::StartPaused => {
                let start = self.token(Gap::Tight, "start");
                start.append(self.token(Gap::Space, "paused")).append(self.semicolon())
            }
            ClauseKind::Marker(text) => self.with_value("marker", *text),
            ClauseKind::Output(file) => self.with_value("output", *file),
            ClauseKind::Include { session, args } => self.include(session, args),
            ClauseKind::When(when) => self.when(when),
            ClauseKind::Lint(lint) => self.lint(lint),
        }
    }

    /// Formats a word, an optional operand, and the semicolon.
    pub(super) fn simple(&mut self, word: &str, operand: Option<Span>) -> Doc<'a> {
        let mut doc = self.token(Gap::Tight, word);
        if let Some(operand) = operand {
            doc = doc.append(self.copy(Gap::Space, operand));
        }
        doc.append(self.semicolon())
    }

    /// Formats a word, a value, and the semicolon.
    fn with_value(&mut self, word: &str, value: ExprId) -> Doc<'a> {
        let doc = self.token(Gap::Tight, word).append(self.value(Gap::Space, value, LEVEL));
        doc.append(self.semicolon())
    }

    fn buffer(&mut self, size: ExprId, scope: &Option<Spanned<BufferScope>>) -> Doc<'a> {
        let doc = self.token(Gap::Tight, "buffer").append(self.value(Gap::Space, size, LEVEL));
        let scope = match scope.as_ref().map(|scope| scope.value) {
            None => self.arena.nil(),
            Some(BufferScope::PerCpu) => self.token(Gap::Space, "per").append(self.token(Gap::Space, "cpu")),
            Some(BufferScope::Total) => self.token(Gap::Space, "total"),
        };
        doc.append(scope).append(self.semicolon())
    }

    fn scope(&mut self, subjects: &[ScopeSubject], children: bool) -> Doc<'a> {
        let doc = self.token(Gap::Tight, "scope");
        let mut rest = self.arena.nil();
        for (index, subject) in subjects.iter().enumerate() {
            if index > 0 {
                rest = rest.append(self.mark(Gap::Close, ","));
            }
            rest = rest.append(self.subject(if index == 0 { Gap::Space } else { Gap::Soft }, &subject.kind));
        }
        if children {
            rest = rest.append(self.token(Gap::Soft, "and")).append(self.token(Gap::Space, "children"));
        }
        doc.append(rest.append(self.semicolon()).nest(LEVEL))
    }

    fn subject(&mut self, gap: Gap, kind: &ScopeKind) -> Doc<'a> {
        let (word, operand) = match kind {
            ScopeKind::Process(process) => ("process", *process),
            ScopeKind::Thread(thread) => ("thread", *thread),
            ScopeKind::Command => return self.token(gap, "command"),
            ScopeKind::Comm(pattern) => ("comm", *pattern),
            ScopeKind::Cgroup(path) => ("cgroup", *path),
            ScopeKind::Cpus { first, last } => {
                let doc = self.token(gap, "cpus").append(self.copy(Gap::Space, first.span));
                return match last {
                    None => doc,
                    Some(last) => {
                        doc.append(self.token(Gap::Tight, "-")).append(self.copy(Gap::Tight, last.span))
                    }
                };
            }
        };
        let word = self.token(gap, word);
        word.append(self.value(Gap::Space, operand, LEVEL))
    }

    fn stop(&mut self, rule: &StopRule) -> Doc<'a> {
        let doc = self.token(Gap::Tight, "stop");
        let rest = match rule {
            StopRule::After(time) => {
                self.token(Gap::Space, "after").append(self.value(Gap::Space, *time, LEVEL))
            }
            StopRule::On { events, condition, count } => {
                let on = self.token(Gap::Space, "on").append(self.event_set(Gap::Space, events));
                on.append(self.condition(*condition, LEVEL)).append(self.count(count).nest(LEVEL))
            }
            StopRule::Signal(signal) => {
                let on = self.token(Gap::Space, "on").append(self.token(Gap::Space, "signal"));
                on.append(self.copy(Gap::Space, signal.span))
            }
            StopRule::With { process: None } => {
                self.token(Gap::Space, "with").append(self.token(Gap::Space, "command"))
            }
            StopRule::With { process: Some(process) } => {
                let with = self.token(Gap::Space, "with").append(self.token(Gap::Space, "process"));
                with.append(self.value(Gap::Space, *process, LEVEL))
            }
        };
        doc.append(rest).append(self.semicolon())
    }

    fn dump(&mut self, Dump { events, condition, count, file, max }: &Dump) -> Doc<'a> {
        let on = self.token(Gap::Tight, "dump").append(self.token(Gap::Space, "on"));
        let set = on.append(self.event_set(Gap::Space, events)).append(self.condition(*condition, LEVEL));
        let count = self.count(count).nest(LEVEL);
        let to = self.token(Gap::Soft, "to").append(self.value(Gap::Space, *file, LEVEL));
        let max = self.max(max.as_ref());
        set.append(count).append(to.append(max).nest(LEVEL)).append(self.semicolon())
    }

    /// Prints the greatest number of files.
    fn max(&mut self, max: Option<&Spanned<u64>>) -> Doc<'a> {
        match max {
            Some(max) => self.token(Gap::Soft, "max").append(self.copy(Gap::Space, max.span)),
            None => self.arena.nil(),
        }
    }

    fn include(&mut self, session: &Spanned<Vec<Name>>, args: &[Argument]) -> Doc<'a> {
        let doc = self.token(Gap::Tight, "include").append(self.path(Gap::Space, &session.value));
        let args = self.optional_list(args, |this, arg| {
            this.copy(Gap::Open, arg.name.span).append(this.assigned(arg.value))
        });
        doc.append(args).append(self.semicolon())
    }

    /// Formats a list in parentheses, which are omitted if it is empty.
    fn optional_list<T>(&mut self, items: &[T], element: impl FnMut(&mut Self, &T) -> Doc<'a>) -> Doc<'a> {
        if !items.is_empty() {
            return self.list(Gap::Tight, PARENTHESES, items, element);
        }
        if self.cursor.eat("(") {
            self.cursor.eat(")");
        }
        self.arena.nil()
    }

    /// Formats `when .. { } else when .. { } else { }` in a loop, since a chain of them may have any length.
    fn when(&mut self, when: &When) -> Doc<'a> {
        let mut doc = self.arena.nil();
        let mut gap = Gap::Tight;
        let mut next = when;
        loop {
            let head = self.token(gap, "when").append(self.token(Gap::Space, "has"));
            let head = head.append(self.feature(&next.feature.kind));
            doc = doc.append(head);
            let Some(otherwise) = &next.otherwise else {
                // Alternatives are never on one line.
                let alone = std::ptr::eq(next, when);
                let block =
                    if alone { self.clauses(&next.then) } else { self.clause_block(false, &next.then) };
                return doc.append(block);
            };
            doc = doc.append(self.clause_block(false, &next.then)).append(self.token(Gap::Space, "else"));
            gap = Gap::Space;
            match otherwise.as_slice() {
                [Clause { kind: ClauseKind::When(when), .. }] if !self.cursor.peek().starts_with('{') => {
                    next = when
                }
                _ => return doc.append(self.clause_block(false, otherwise)),
            }
        }
    }

    fn feature(&mut self, kind: &FeatureKind) -> Doc<'a> {
        match kind {
            FeatureKind::Event(event) => {
                self.token(Gap::Space, "event").append(self.event_path(Gap::Space, event))
            }
            FeatureKind::Field { event, field } => {
                let doc = self.token(Gap::Space, "field").append(self.event_path(Gap::Space, event));
                doc.append(self.token(Gap::Tight, ".")).append(self.copy(Gap::Tight, field.span))
            }
            FeatureKind::Named { what, name } => {
                self.copy(Gap::Space, what.span).append(self.copy(Gap::Space, name.span))
            }
        }
    }

    /// Formats `lint LEVEL NAME, ..;`.
    pub(super) fn lint(&mut self, lint: &LintLevel) -> Doc<'a> {
        let doc = self.token(Gap::Tight, "lint").append(self.copy(Gap::Space, lint.level.span));
        let names = self.names(&lint.names);
        doc.append(names.append(self.semicolon()).nest(LEVEL))
    }
}

fn has_block(kind: &ClauseKind) -> bool {
    match kind {
        ClauseKind::Trace(clause) | ClauseKind::On(clause) => !clause.items.is_empty(),
        ClauseKind::Global { .. } | ClauseKind::When(_) => true,
        _ => false,
    }
}
