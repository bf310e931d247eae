//! Values that stand alone behind a comparison, `x == 1 || 2`: a set of them is meant.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind, UnaryOp};

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Diagnostic, Edit, codes};

use super::Checker;
use super::render::render;

impl Checker<'_> {
    /// Returns the diagnostic of `x == 1 || 2`: values that stand alone behind a comparison.
    pub(super) fn values_beside(&self, parts: &[ExprId]) -> Option<Diagnostic> {
        let exprs = self.exprs;
        let first = parts.iter().position(|&part| self.is_bare_value(part))?;
        let values = parts[first..].iter().take_while(|part| self.is_bare_value(**part)).copied();
        let values: Vec<ExprId> = values.collect();
        let ExprKind::Binary { op, left, right } = &exprs[parts[first.checked_sub(1)?]].kind else {
            return None;
        };
        let is_comparison = self.mentions_operand(*left) && self.is_bare_value(*right);
        if !is_comparison || !matches!(op.value, BinaryOp::Eq | BinaryOp::Ne) {
            return None;
        }
        let span = exprs[values[0]].span;
        let operand = render(&exprs[*left], exprs);
        let mut all = vec![*right];
        all.extend(values);
        let edits = match op.value {
            BinaryOp::Eq => self.as_set(op.span, *right, &all),
            _ => Vec::new(),
        };
        Some(codes::not_a_condition::value_beside(
            span,
            (&operand, op.value.symbol()),
            &self.set_text(&all),
            edits,
        ))
    }

    /// Returns values as a set; `..` stands for one that has no short text.
    pub(super) fn set_text(&self, values: &[ExprId]) -> String {
        let text = |id: &ExprId| match &self.exprs[*id].kind {
            ExprKind::Str(text) => quoted(text),
            _ => render(&self.exprs[*id], self.exprs),
        };
        let values: Vec<String> = values.iter().map(text).collect();
        match values.iter().any(|text| text == ".." || text == "-..") {
            true => "{..}".to_owned(),
            false => format!("{{{}}}", values.join(", ")),
        }
    }

    /// Returns the diagnostic of `x == (1 || 2)`.
    pub(super) fn values_in_parentheses(
        &self,
        op: &Spanned<BinaryOp>,
        left: ExprId,
        right: ExprId,
    ) -> Option<Diagnostic> {
        let ExprKind::Or(parts) = &self.exprs[right].kind else { return None };
        let is_equality = matches!(op.value, BinaryOp::Eq | BinaryOp::Ne);
        if !is_equality || !self.mentions_operand(left) || !parts.iter().all(|part| self.is_bare_value(*part))
        {
            return None;
        }
        let operand = render(&self.exprs[left], self.exprs);
        let edits = match op.value {
            BinaryOp::Eq => self.as_set(op.span, right, parts),
            _ => Vec::new(),
        };
        let span = self.exprs[right].span;
        Some(codes::not_a_condition::value_beside(
            span,
            (&operand, op.value.symbol()),
            &self.set_text(parts),
            edits,
        ))
    }

    /// Returns whether an expression is a value without an operand of the record: a literal, or a name of one.
    fn is_bare_value(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Int(_) | ExprKind::Size(_) | ExprKind::Str(_) | ExprKind::Path(_) => true,
            ExprKind::Name(name) => !matches!(name.as_str(), "true" | "false") && !self.is_operand(name),
            ExprKind::Unary { op, operand } => op.value == UnaryOp::Neg && self.is_bare_value(*operand),
            _ => false,
        }
    }

    /// Returns the edits that make `x in {a, b}` of `x == a | b`, or of `x == a || b`.
    pub(super) fn as_set(&self, op: Span, whole: ExprId, values: &[ExprId]) -> Vec<Edit> {
        let span = |id: &ExprId| self.exprs[*id].span;
        let (Some(first), Some(last)) = (values.first().map(span), values.last().map(span)) else {
            return Vec::new();
        };
        let end = self.exprs[whole].span.end.max(last.end);
        let edit = |start, end, text: &str| Edit { span: Span { start, end, ..op }, text: text.to_owned() };
        let mut edits = vec![edit(op.start, first.start, "in {")];
        edits.extend(values.windows(2).map(|pair| edit(span(&pair[0]).end, span(&pair[1]).start, ", ")));
        edits.push(edit(last.end, end, "}"));
        edits
    }
}
