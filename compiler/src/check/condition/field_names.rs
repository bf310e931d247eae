//! Names of a field's values: the table that its event prints it with.

use std::rc::Rc;

use tracec_grammar::syntax::{ExprId, ExprKind};

use crate::constant::Scope;
use crate::ir::definition::{EnumId, EnumType, Expected};

use super::Checker;
use super::operand::{NamedOperand, ValueNames};

/// The names of an operand's values.
pub(super) enum OwnNames {
    /// The members of an enum.
    Enum(EnumId),
    /// The names that the event prints a field's values with. They are those of one event, and no table has them.
    Field(Rc<EnumType>),
}

impl Checker<'_> {
    /// Returns the names of an operand's values: those of the enum it is cast to, or those of the event's own `print
    /// fmt`.
    ///
    /// A print format is parsed only where the constant that is compared contains a name.
    pub(super) fn own_names(&self, named: &NamedOperand, constant: ExprId) -> Option<OwnNames> {
        if !self.has_name(constant) {
            return None;
        }
        match named.operand.value_names()? {
            ValueNames::Field(field) => self.context.event.names(&field).map(OwnNames::Field),
            ValueNames::Enum(id) => Some(OwnNames::Enum(id)),
        }
    }

    /// Returns the scope of a constant that is compared with an operand, whose values have these names.
    pub(super) fn scope<'s>(&self, own: Option<&'s OwnNames>) -> Scope<'s>
    where
        Self: 's,
    {
        let names = self.context.group.names;
        names.scope(own.map(|own| match own {
            OwnNames::Enum(id) => names.expected(*id),
            OwnNames::Field(ty) => Expected::undeclared(ty),
        }))
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
