//! `cmdlines 8192;`
//!
//! The kernel has one table of names for all instances, so the clause belongs to `global` (`tracing_init_tracefs_work_func`
//! in kernel/trace/trace.c).

use tracec_grammar::span::Span;
use tracec_grammar::syntax::ExprId;
use tracec_kernel::tables::limits::CMDLINES;

use crate::diagnostic::codes;
use crate::ir::definition::Value;

use super::Settings;

impl Settings<'_, '_> {
    /// Checks the number of names and returns it. `None` if a mistake was reported.
    pub(super) fn cmdlines(&mut self, number: ExprId) -> Option<u64> {
        let span = self.names.exprs()[number].span;
        match self.value(number)? {
            Value::Int { value, .. } => match u64::try_from(value) {
                Ok(number) if (1..=CMDLINES).contains(&number) => Some(number),
                _ => self.say(codes::bad_cmdlines::not_within(span, value)),
            },
            other => self.say(codes::bad_cmdlines::not_a_number(span, other.kind().describe())),
        }
    }

    /// Reports the clause in a session, whose instance has no table of names.
    pub(super) fn cmdlines_of_session(&mut self, number: ExprId, span: Span) {
        if let Some(number) = self.cmdlines(number) {
            self.mistake(codes::bad_cmdlines::of_session(span, number));
        }
    }
}
