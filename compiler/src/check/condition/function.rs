//! `call_site.function == vfs_read`: whether an address is in a function of the kernel.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind};
use tracec_kernel::condition::ir::{Atom, Condition};
use tracec_kernel::nearest::nearest;

use crate::diagnostic::codes;
use crate::ir::definition::Value;
use crate::source::NameKind;

use super::Checker;
use super::operand::{Class, NamedOperand, Operand};

impl Checker<'_> {
    /// Types `field.function OP name`, with the name in quotes or without. `None` if a mistake was reported.
    pub(super) fn compare_function(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        name: ExprId,
    ) -> Option<Condition> {
        let Operand::Function(field) = &named.operand else { return self.not_filterable(named) };
        if !matches!(op.value, BinaryOp::Eq | BinaryOp::Ne) {
            return self.bad_operator(named, op);
        }
        let at = self.exprs[name].span;
        let word = match &self.exprs[name].kind {
            // A bare word is a function here, even if a constant or field has the same name.
            ExprKind::Name(word) => word.clone(),
            _ => match self.value(name, None)? {
                Value::Text(text) if is_function_name(&text) => text,
                value => return self.mismatch(named, Class::Function.wants(), &value, name),
            },
        };
        self.known_function(&word, at);
        let is = Condition::Atom(Atom::Function { of: field.clone(), name: word });
        // An address always has a value, and where functions are not known nothing decides the condition: so `!=` is
        // the negation here.
        Some(if op.value == BinaryOp::Eq { is } else { Condition::not(is) })
    }

    /// Reports a function that the kernel does not list. If a source lists no functions, the kernel decides when the
    /// filter is written.
    fn known_function(&mut self, name: &str, at: Span) {
        let machine = self.context.group.machine;
        let Some(known) = machine.functions().filter(|known| !known.names.contains(name)) else {
            return;
        };
        let mut search = || nearest(name, known.names.iter(), 3).into_iter().map(str::to_owned).collect();
        let near = match machine.may_search() {
            true => machine.kernel.similar(NameKind::Function, name, &mut search),
            false => Vec::new(),
        };
        let kernel = machine.kernel.describe();
        self.found.push(codes::unknown_function::unknown_function(at, name, &kernel, &near, known.list));
    }
}

/// Returns whether a name can be that of a function: an identifier of C, and the `.isra.0` that a compiler appends to a
/// clone. Other names would not be names in the kernel's filter, which parses digits as an address and ends a name at a
/// blank.
fn is_function_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'))
}
