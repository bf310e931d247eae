//! Detection of one-liners for other tools: they are one mistake, even if parts of them could be parsed.

use super::statements::Statements;
use crate::error::SyntaxErrorKind;
use crate::lexer::Kind;

impl Statements<'_> {
    /// Takes the whole text as one broken token if it is written for another tool, and reports that.
    pub(super) fn foreign_tool(&mut self) -> bool {
        let Some((tool, instead)) = self.tool() else {
            return false;
        };
        if let [first, .., last] = self.input {
            let span = first.span.to(last.span);
            self.out.errors.push(SyntaxErrorKind::ForeignTool { tool, instead }, span);
            self.merge(self.input.len(), Kind::Broken);
        }
        let end = self.previous_end();
        self.write(Kind::Semicolon, end);
        true
    }

    /// Returns the tool that the text is written for, and the equivalent in the language.
    fn tool(&self) -> Option<(&'static str, String)> {
        let text = |index: usize| self.token_text(index);
        let is_name = |index: usize| self.kind_at(index).is_name();
        match (self.kind_at(0), self.kind_at(1)) {
            (_, Kind::Colon)
                if matches!(text(0), "tracepoint" | "t")
                    && is_name(2)
                    && self.kind_at(3) == Kind::Colon
                    && is_name(4)
                    && matches!(self.kind_at(5), Kind::Slash | Kind::LBrace) =>
            {
                Some(("bpftrace", format!("{}:{} if C {{ trigger .. }}", text(2), text(4))))
            }
            (_, Kind::Broken | Kind::Str) if text(0) == "echo" => {
                Some(("a shell", "on E { trigger ACTION count N if C; }".to_owned()))
            }
            (Kind::Minus, option) if option.is_name() && is_name(2) => {
                Some(("trace-cmd", "E if C".to_owned()))
            }
            _ => None,
        }
    }
}
