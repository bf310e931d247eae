//! `subbuffer 16KiB;`

use tracec_grammar::span::Span;
use tracec_grammar::syntax::ExprId;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::limits::{SUBBUFFER_KIB, SUBBUFFER_PAGE_KIB};

use crate::diagnostic::codes;
use crate::ir::definition::Value;

use super::Settings;

/// The feature of kernels that have the file.
const FEATURE: &str = "subbuffer-size";

impl Settings<'_, '_> {
    /// Checks the size of a ring's parts and returns it in KiB. `None` if a mistake was reported.
    pub(super) fn subbuffer(&mut self, size: ExprId, clause: Span) -> Option<u64> {
        let span = self.names.exprs()[size].span;
        let bad = |reason: &str| codes::bad_size::of_subbuffer(span, reason);
        let bytes = match self.value(size)? {
            Value::Size(bytes) => bytes,
            Value::Int { value, .. } if value > 0 => {
                let text = format!("{value}KiB");
                let said = bad("a number without a unit");
                return self.say(said.guess(format!("if KiB are meant, write `{text}`"), span, text));
            }
            _ => return self.say(bad("expected a size")),
        };
        let kib = bytes.div_ceil(1024);
        if bytes == 0 {
            return self.say(bad("room for nothing"));
        }
        if kib > SUBBUFFER_KIB {
            return self.say(bad(&format!("the kernel takes at most {SUBBUFFER_KIB}KiB")));
        }
        let rounded = kib.next_power_of_two().max(SUBBUFFER_PAGE_KIB);
        if self.kernel.feature(FEATURE) == Support::No {
            let kernel = self.kernel.describe();
            return self.say(codes::no_subbuffer::no_subbuffer(clause, rounded, &kernel));
        }
        if bytes != rounded * 1024 {
            self.diagnostics.push(codes::rounded_size::rounded_size(span, rounded));
        }
        Some(rounded)
    }
}
