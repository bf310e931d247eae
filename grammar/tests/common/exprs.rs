//! Printing of expressions and types. The spellings of operators are written out again, so that they are independent of
//! the code under test.

use tracec_grammar::syntax::*;

/// Returns an expression with all its parentheses.
pub fn show_expr(exprs: &Exprs, id: ExprId) -> String {
    let show = |id: ExprId| show_expr(exprs, id);
    let list = |ids: &[ExprId], op: &str| ids.iter().map(|id| show(*id)).collect::<Vec<_>>().join(op);
    match &exprs[id].kind {
        ExprKind::Error => "<error>".to_owned(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Size(bytes) => format!("{bytes}B"),
        ExprKind::Duration(nanoseconds) => format!("{nanoseconds}ns"),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Address(Address { ip, prefix: None }) => format!("<{ip}>"),
        ExprKind::Address(Address { ip, prefix: Some(bits) }) => format!("<{ip}/{bits}>"),
        ExprKind::Cpus(ranges) => format!("CPUS{ranges:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Member { base, member } => format!("{}.{}", show(*base), member.value),
        ExprKind::Path(names) => path(names),
        ExprKind::Arrow { base, member } => format!("{}->{}", show(*base), member.value),
        ExprKind::Index { base, index } => format!("{}[{}]", show(*base), show(*index)),
        ExprKind::Call { function, args } => format!("{}({})", show(*function), list(args, ", ")),
        ExprKind::Cast { operand, ty } => format!("({} as {})", show(*operand), show_type(exprs, ty)),
        ExprKind::In { operand, members, .. } => {
            let member = |member: &SetMember| match member {
                SetMember::One(value) => show(*value),
                SetMember::Range { first, last } => format!("{}..={}", show(*first), show(*last)),
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("({} in {{{}}})", show(*operand), members.join(", "))
        }
        ExprKind::Patterns(patterns) => format!("{{{}}}", list(patterns, ", ")),
        ExprKind::Choose { condition, then, otherwise } => {
            format!("({} ? {} : {})", show(*condition), show(*then), show(*otherwise))
        }
        ExprKind::Unary { op, operand } => format!("({}{})", prefix(op.value), show(*operand)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {} {})", show(*left), infix(op.value), show(*right))
        }
        ExprKind::And(operands) => format!("({})", list(operands, " && ")),
        ExprKind::Or(operands) => format!("({})", list(operands, " || ")),
    }
}

fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Neg => "-",
        UnaryOp::AddressOf => "&",
        UnaryOp::Deref => "*",
    }
}

fn infix(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Match => "~",
        BinaryOp::NotMatch => "!~",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
    }
}

pub fn path(names: &[Name]) -> String {
    names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("::")
}

/// Returns a type, with its base in brackets.
pub fn show_type(exprs: &Exprs, ty: &TypeRef) -> String {
    let mut out = String::new();
    for pointer in &ty.pointers {
        out.push('*');
        out.push_str(if pointer.value.user { "user " } else { "" });
        out.push_str(if pointer.value.constant { "const " } else { "" });
    }
    match &ty.base {
        TypeBase::Words(words) => {
            out.push_str(&words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join("_"));
        }
        TypeBase::Path(names) => out.push_str(&path(names)),
        TypeBase::Tagged { tag, name } => {
            let tag = match tag.value {
                Tag::Struct => "struct",
                Tag::Union => "union",
                Tag::Enum => "enum",
            };
            out.push_str(&format!("<{tag} {}>", name.value));
        }
        TypeBase::UserString => out.push_str("<user string>"),
    }
    if let Some(array) = &ty.array {
        let length = array.value.map_or(String::new(), |length| show_expr(exprs, length));
        out.push_str(&format!("[{length}]"));
    }
    out
}
