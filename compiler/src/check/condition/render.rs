//! The text of an operand, for messages and fixes.

use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, Exprs, TypeBase, TypeRef, UnaryOp};

/// Returns an operand as it could be written; `..` stands for omitted parts. Recursion follows the expression, whose
/// depth the grammar limits.
pub(super) fn render(expr: &Expr, exprs: &Exprs) -> String {
    let part = |id: ExprId, tightest: u8| render_part(&exprs[id], exprs, tightest);
    match &expr.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Path(names) => names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("::"),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Member { base, member } => format!("{}.{}", part(*base, ATOM), member.value),
        ExprKind::Cast { operand, ty } => format!("{} as {}", part(*operand, CAST), type_text(ty)),
        ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => {
            format!("-{}", part(*operand, CAST + 1))
        }
        ExprKind::Binary { op, left, right } => {
            let own = binding(expr);
            format!("{} {} {}", part(*left, own), op.value.symbol(), part(*right, own + 1))
        }
        _ => "..".to_owned(),
    }
}

/// Returns an operand as it could be written where a looser operator needs parentheses.
pub(super) fn render_part(expr: &Expr, exprs: &Exprs, tightest: u8) -> String {
    let text = render(expr, exprs);
    if binding(expr) < tightest { format!("({text})") } else { text }
}

/// The precedence of atoms, the tightest.
const ATOM: u8 = 10;
/// The precedence of `+` and `-`.
pub(super) const SUM: u8 = 6;
/// The precedence of `as`.
pub(super) const CAST: u8 = 8;

/// Returns whether an expression needs parentheses before `as`, and has none: its span would include them.
pub(in crate::check) fn is_loose(expr: &Expr, exprs: &Exprs) -> bool {
    match &expr.kind {
        ExprKind::Binary { left, .. } => exprs[*left].span.start == expr.span.start,
        _ => binding(expr) < CAST,
    }
}

/// Returns whether an expression can follow a `+` as it is written, with all of it as the operand.
pub(super) fn is_sum_or_tighter(expr: &Expr) -> bool {
    binding(expr) >= SUM
}

/// Returns the precedence of an expression, as in the grammar.
fn binding(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary { op, .. } => match op.value {
            BinaryOp::BitOr => 2,
            BinaryOp::BitXor => 3,
            BinaryOp::BitAnd => 4,
            BinaryOp::Shl | BinaryOp::Shr => 5,
            BinaryOp::Add | BinaryOp::Sub => SUM,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 7,
            _ => 1,
        },
        ExprKind::And(_) | ExprKind::Or(_) | ExprKind::In { .. } => 0,
        ExprKind::Cast { .. } => CAST,
        ExprKind::Unary { .. } => CAST + 1,
        _ => ATOM,
    }
}

fn type_text(ty: &TypeRef) -> String {
    match &ty.base {
        TypeBase::Words(words) => words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" "),
        TypeBase::Path(names) => names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("::"),
        _ => "..".to_owned(),
    }
}
