//! Detection of texts for other tools: they are one mistake, even if parts of them could be parsed.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::foreign;
use crate::lexer::Kind;
use crate::span::Span;
use crate::trace_event;

impl Statements<'_> {
    /// Takes the text from here on as one broken token if it is written for another tool, and reports that. It ends
    /// where a declaration of the language follows.
    pub(super) fn foreign_tool(&mut self) -> bool {
        let Some(rest) = self.input.get(self.at..) else { return false };
        let end = || self.end_of_foreign();
        let (kind, end) = match (foreign::command(self.source, rest), foreign::text(self.source, rest)) {
            (Some(tool), _) => (SyntaxErrorKind::ForeignCommand { tool, one_liner: self.one_liner }, end()),
            (None, Some((tool, advice))) => {
                let end = end();
                let own = &self.input[self.at..end];
                let event = trace_event::translated(self.source, own, self.one_liner).map(Box::new);
                (SyntaxErrorKind::ForeignTool { tool, advice, event }, end)
            }
            (None, None) if self.at == 0 && foreign::is_json(self.source, rest) => {
                (SyntaxErrorKind::NotASource { json: true }, self.input.len())
            }
            (None, None) => return false,
        };
        if let own @ [first, ..] = &self.input[self.at..end] {
            let mut span = own.last().map_or(first.span, |last| first.span.to(last.span));
            if matches!(kind, SyntaxErrorKind::ForeignCommand { .. }) {
                // Comments of the language may be paths of the tool.
                let next = self.input.get(end).map_or(self.source.end(), |next| next.span);
                let rest = self.source.slice(Span { end: next.start, ..span });
                span.end = span.start + u32::try_from(rest.trim_end().len()).unwrap_or_default();
            }
            self.out.errors.push(kind, span);
            if self.at == 0 {
                // What stands before the first token, such as `#!`, is a part of it.
                self.out.explained.push(self.source.file.span(0, span.end));
            }
            let written = if self.one_liner { Kind::Broken } else { Kind::Junk };
            self.merge(end, written);
        }
        let end = self.previous_end();
        self.write(if self.one_liner { Kind::Semicolon } else { Kind::Break }, end);
        true
    }

    /// Returns the index behind a text for another tool that begins here, if one does. No language of [`foreign`] has a
    /// line that begins as these declarations do; C has lines that begin with `const` and `enum`.
    fn end_of_foreign(&self) -> usize {
        let declares = |index: usize| {
            let is_head = match self.kind_at(index) {
                Kind::Session => self.begins_session(index),
                Kind::Subsystem | Kind::Event | Kind::Class => self.kind_at(index + 1).is_name(),
                _ => false,
            };
            is_head && self.begins_line(index)
        };
        let Some(next) = (self.at + 1..self.input.len()).find(|index| declares(*index)) else {
            return self.input.len();
        };
        // Its doc comment is the declaration's. What is foreign has one token at least.
        if self.kind_at(next - 1) == Kind::Doc { (next - 1).max(self.at + 1) } else { next }
    }
}
