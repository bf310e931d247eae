//! Detection of texts for other tools: they are one mistake, even if parts of them could be parsed.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::foreign;
use crate::lexer::Kind;
use crate::span::Span;
use crate::trace_event;

impl Statements<'_> {
    /// Takes the rest of the text as one broken token if it is written for another tool, and reports that.
    pub(super) fn foreign_tool(&mut self) -> bool {
        let Some(rest) = self.input.get(self.at..) else { return false };
        let kind = match (foreign::command(self.source, rest), foreign::text(self.source, rest)) {
            (Some(tool), _) => SyntaxErrorKind::ForeignCommand { tool, one_liner: self.one_liner },
            (None, Some((tool, advice))) => {
                let event = trace_event::translated(self.source, rest, self.one_liner).map(Box::new);
                SyntaxErrorKind::ForeignTool { tool, advice, event }
            }
            (None, None) if self.at == 0 && foreign::is_json(self.source, rest) => {
                SyntaxErrorKind::NotASource { json: true }
            }
            (None, None) => return false,
        };
        if let [first, .., last] = rest {
            let mut span = first.span.to(last.span);
            if matches!(kind, SyntaxErrorKind::ForeignCommand { .. }) {
                // Comments of the language may be paths of the tool.
                let rest = self.source.slice(Span { start: span.start, ..self.source.end() });
                span.end = span.start + u32::try_from(rest.trim_end().len()).unwrap_or_default();
            }
            self.out.errors.push(kind, span);
            self.out.explained.push(self.source.file.span(0, span.end));
            let written = if self.one_liner { Kind::Broken } else { Kind::Junk };
            self.merge(self.input.len(), written);
        }
        let end = self.previous_end();
        self.write(if self.one_liner { Kind::Semicolon } else { Kind::Break }, end);
        true
    }
}
