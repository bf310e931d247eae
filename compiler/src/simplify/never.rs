//! Why conditions hold for no record.

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, codes};
use crate::ir::ConditionId;

/// A reason why a condition, or a part of it, holds for no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Never {
    /// The kind of the reason.
    pub cause: Cause,
    /// The part that the reason is about.
    pub span: Span,
}

/// The kinds of reasons why a condition holds for no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The part is false for every record.
    Constant,
    /// The part contradicts another part.
    Contradiction,
}

impl Never {
    /// Returns the code of the lint that reports it.
    pub fn code(self) -> &'static Code {
        match self.cause {
            Cause::Constant => &codes::constant_condition::CODE,
            Cause::Contradiction => &codes::contradiction::CODE,
        }
    }
}

/// For each condition of a module the reasons why it, or a part of it, holds for no record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    by_condition: FxHashMap<ConditionId, Vec<Never>>,
}

impl Verdicts {
    /// Adds reasons for a condition. Its reasons stay the same, however many events share it.
    pub(super) fn set(&mut self, condition: ConditionId, reasons: Vec<Never>) {
        if !reasons.is_empty() {
            self.by_condition.insert(condition, reasons);
        }
    }

    /// Returns the verdicts for conditions whose ids have changed to these.
    pub(super) fn renamed(self, ids: &[Option<ConditionId>]) -> Verdicts {
        let renamed = self
            .by_condition
            .into_iter()
            .filter_map(|(id, reasons)| Some(((*ids.get(id.index())?)?, reasons)));
        Verdicts { by_condition: renamed.collect() }
    }

    /// Returns the reasons of a condition; none if simplification found none.
    pub fn of(&self, condition: ConditionId) -> &[Never] {
        self.by_condition.get(&condition).map_or(&[], Vec::as_slice)
    }
}
