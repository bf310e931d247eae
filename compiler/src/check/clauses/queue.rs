//! `queue 256MiB;`

use tracec_grammar::syntax::ExprId;

use crate::diagnostic::codes;
use crate::ir::definition::Value;

use super::Settings;

impl Settings<'_, '_> {
    /// Checks the size of the queue and returns it in bytes. `None` if a mistake was reported.
    pub(super) fn queue(&mut self, size: ExprId) -> Option<u64> {
        let span = self.names.exprs()[size].span;
        let bad = |reason: &str| codes::bad_size::of_queue(span, reason);
        match self.value(size)? {
            Value::Size(0) => self.say(bad("room for nothing")),
            Value::Size(bytes) => Some(bytes),
            Value::Int { value, .. } if value > 0 => {
                let said = bad("a number without a unit");
                let text = format!("{value}MiB");
                self.say(said.guess(format!("if MiB are meant, write `{text}`"), span, text))
            }
            _ => self.say(bad("expected a size")),
        }
    }
}
