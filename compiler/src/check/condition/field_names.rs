//! Names of a field's values: the table that its event prints it with.

use std::sync::Arc;

use tracec_grammar::syntax::{ExprId, ExprKind};

use crate::ir::definition::EnumType;

use super::Checker;
use super::operand::{NamedOperand, ValueNames};

impl Checker<'_> {
    /// Returns the names of an operand's values: those of the enum it is cast to, or those of the event's own `print
    /// fmt`.
    ///
    /// A print format is parsed only where the constant that is compared contains a name.
    pub(super) fn own_names(&self, named: &NamedOperand, constant: ExprId) -> Option<Arc<EnumType>> {
        if !self.has_name(constant) {
            return None;
        }
        let field = match named.operand.value_names()? {
            ValueNames::Field(field) => field,
            ValueNames::Enum(own) => return Some(own),
        };
        self.context.event.names(&field).map(Arc::new)
    }

    /// Returns whether an expression contains a name. Recursion follows the expression, whose depth the grammar limits.
    fn has_name(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Name(_) | ExprKind::Path(_) => true,
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => self.has_name(*operand),
            ExprKind::Binary { left, right, .. } => self.has_name(*left) || self.has_name(*right),
            _ => false,
        }
    }
}
