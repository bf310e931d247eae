//! The names of a field's values: the table that its event prints it with.

use std::sync::Arc;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{ExprId, ExprKind};
use tracec_kernel::format::print::TableKind;

use crate::ir::definition::{EnumMember, EnumType};

use super::Checker;
use super::operand::{Target, ValueNames};

impl Checker<'_> {
    /// The names that an operand's values have: those of the enum it is cast to, or by the event's own `print fmt`.
    ///
    /// A print format is parsed only where the constant that is compared has a name in it.
    pub(super) fn own_names(&self, target: &Target, constant: ExprId) -> Option<Arc<EnumType>> {
        if !self.has_name(constant) {
            return None;
        }
        let field = match target.operand.value_names()? {
            ValueNames::Field(field) => field,
            ValueNames::Enum(own) => return Some(own),
        };
        let carrier = field.integer()?;
        // A print format that does not parse names nothing; records of the event still print in raw form.
        let print = self.subject.event.print().ok()?;
        let tables = print.names(&field);
        let flags = tables.first()?.kind == TableKind::Flags;
        let mut names = EnumType::new(&field.name, flags, carrier, &field.type_text, Span::default());
        for entry in tables.iter().flat_map(|table| &table.entries) {
            let (name, value) = (entry.name.clone(), entry.value);
            names.push(EnumMember { name, value, text: None, doc: None, span: Span::default() });
        }
        Some(Arc::new(names))
    }

    /// Recursion follows the expression, whose depth the grammar limits.
    fn has_name(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Name(_) | ExprKind::Path(_) => true,
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => self.has_name(*operand),
            ExprKind::Binary { left, right, .. } => self.has_name(*left) || self.has_name(*right),
            _ => false,
        }
    }
}
