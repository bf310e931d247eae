//! `rotate every 1GiB max 5;`

use tracec_grammar::span::Spanned;
use tracec_grammar::syntax::ExprId;

use crate::diagnostic::codes;
use crate::ir::Rotate;
use crate::ir::definition::Value;

use super::Settings;

/// The least size of a file in bytes. What a form writes before the first record is shorter.
const LEAST: u64 = 4096;

impl Settings<'_, '_> {
    /// Returns when files are closed. `None` if a mistake was reported.
    pub(super) fn rotate(&mut self, size: ExprId, max: Option<&Spanned<u64>>) -> Option<Rotate> {
        let span = self.names.exprs()[size].span;
        if let Some(max) = max.filter(|max| max.value == 0) {
            return self.say(codes::count_zero::of_rotate(max.span, span));
        }
        let bad = |reason: &str| codes::bad_size::of_file(span, reason);
        match self.value(size)? {
            Value::Size(bytes) if bytes < LEAST => self.say(bad("less than 4 KiB")),
            Value::Size(bytes) => Some(Rotate { bytes, max: max.map(|max| max.value) }),
            Value::Int { value, .. } if value > 0 => {
                let said = bad("a number without a unit");
                let text = format!("{value}MiB");
                self.say(said.guess(format!("if MiB are meant, write `{text}`"), span, text))
            }
            _ => self.say(bad("expected a size")),
        }
    }
}
