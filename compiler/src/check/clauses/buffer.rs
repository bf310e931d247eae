//! `buffer 16MiB per cpu;`

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BufferScope, ExprId};

use crate::diagnostic::codes;
use crate::ir::definition::Value;

use super::Settings;

impl Settings<'_, '_> {
    /// Checks a buffer's size and returns it in KiB per CPU. `None` if a mistake was reported.
    pub(super) fn buffer(&mut self, size: ExprId, scope: Option<&Spanned<BufferScope>>) -> Option<u64> {
        let span = self.names.exprs()[size].span;
        let bad = |reason: &str| codes::bad_size::bad_size(span, reason);
        let bytes = match self.value(size)? {
            Value::Size(bytes) => bytes,
            Value::Int { value, .. } if value > 0 => {
                let said = bad("a number without a unit");
                return self.say(said.guess(
                    format!("if KiB are meant, write `{value}KiB`"),
                    span,
                    format!("{value}KiB"),
                ));
            }
            _ => return self.say(bad("expected a size")),
        };
        let cpus = match scope.map(|scope| scope.value) {
            Some(BufferScope::Total) => self.rings(span)?.max(1),
            Some(BufferScope::PerCpu) | None => 1,
        };
        // A saved kernel has the CPUs of its machine, which need not be the one that the session runs on.
        let least = if self.kernel.is_running() { cpus } else { 1 };
        match bytes {
            bytes if bytes / 1024 < least => self.say(bad("less than 1 KiB per CPU")),
            bytes => Some((bytes.div_ceil(1024) / cpus).max(1)),
        }
    }

    /// Returns how many rings a buffer has: one per possible CPU, each with a directory (`tracing_init_tracefs_percpu`
    /// in kernel/trace/trace.c); 0 where the kernel's source does not list them. `None` if a mistake was reported.
    fn rings(&mut self, span: Span) -> Option<u64> {
        let names = self.known(span, self.kernel.directories("per_cpu"))?;
        Some(names.len() as u64)
    }
}
