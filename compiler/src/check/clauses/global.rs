//! `global { .. }`: changes of the machine's top-level state.
//!
//! A size or a clock empties the top-level buffer (kernel/trace/trace.c, `tracing_set_clock`,
//! `__tracing_resize_ring_buffer`), which may hold records of other users: that needs the word `discarding`. So does
//! the number of names, since a change forgets those that records of others need.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Clause, ClauseKind};

use crate::diagnostic::codes;
use crate::ir;

use super::{Settings, TracingState, word};

impl Settings<'_, '_> {
    /// Checks the block; mistakes in it have been reported.
    pub(super) fn global(&mut self, discarding: Option<Span>, clauses: &[Clause], span: Span) -> ir::Global {
        let mut global = ir::Global {
            discarding: discarding.is_some(),
            buffer_kib: None,
            clock: None,
            cmdlines: None,
            options: Vec::new(),
            span,
        };
        let mut empties = false;
        for clause in clauses {
            if let Err(said) = self.globals.once(clause) {
                self.mistake(said);
                continue;
            }
            match &clause.kind {
                ClauseKind::Buffer { size, scope } => {
                    empties = true;
                    self.discards(discarding, clause.span, span);
                    let kib = self.buffer(*size, scope.as_ref());
                    global.buffer_kib = kib.map(|kib| Spanned::new(kib, clause.span));
                }
                ClauseKind::Clock(name) => {
                    empties = true;
                    self.discards(discarding, clause.span, span);
                    let clock = self.clock(name);
                    global.clock = clock.map(|clock| Spanned::new(clock, clause.span));
                }
                ClauseKind::Cmdlines(number) => {
                    empties = true;
                    if discarding.is_none() {
                        self.mistake(codes::needs_discarding::of_names(clause.span, behind_word(span)));
                    }
                    let number = self.cmdlines(*number);
                    global.cmdlines = number.map(|number| Spanned::new(number, clause.span));
                }
                ClauseKind::Option { name, value } => {
                    global.options.extend(self.option(
                        name,
                        value.as_ref(),
                        clause.span,
                        TracingState::Global,
                    ));
                }
                ClauseKind::Lint(_) => {}
                other => {
                    let said = codes::not_global::not_global(clause.span, &word(other));
                    self.mistake(said);
                }
            }
        }
        if let Some(span) = discarding
            && !empties
        {
            self.diagnostics.push(codes::useless_discarding::useless_discarding(span));
        }
        global
    }

    fn discards(&mut self, discarding: Option<Span>, clause: Span, block: Span) {
        if discarding.is_none() {
            self.mistake(codes::needs_discarding::of_records(clause, behind_word(block)));
        }
    }
}

/// Returns the place after the word `global`, with which a block begins.
fn behind_word(block: Span) -> Span {
    block.part(6..6)
}
