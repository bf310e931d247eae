//! Literals as constants of conditions and settings.

use tracec_grammar::syntax::{Expr, ExprKind, Exprs, UnaryOp};

/// A constant written in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// A number, its sign applied.
    Int(i128),
    /// Bytes.
    Size(u64),
    /// Nanoseconds.
    Duration(u64),
    /// A text.
    Text(String),
}

impl Literal {
    /// The literal that an expression is, if it is one.
    pub(super) fn of(expr: &Expr, exprs: &Exprs) -> Option<Literal> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Literal::Int(i128::from(*value))),
            ExprKind::Size(bytes) => Some(Literal::Size(*bytes)),
            ExprKind::Duration(ns) => Some(Literal::Duration(*ns)),
            ExprKind::Str(text) => Some(Literal::Text(text.clone())),
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => {
                match Literal::of(&exprs[*operand], exprs)? {
                    Literal::Int(value) => Some(Literal::Int(-value)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number it stands for where a number is due: a size is a plain factor, a duration is none.
    pub(super) fn number(&self) -> Option<i128> {
        match self {
            Literal::Int(value) => Some(*value),
            Literal::Size(bytes) => Some(i128::from(*bytes)),
            Literal::Duration(_) | Literal::Text(_) => None,
        }
    }

    /// What a diagnostic calls it.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Literal::Int(_) => "a number",
            Literal::Size(_) => "a size",
            Literal::Duration(_) => "a duration",
            Literal::Text(_) => "a text",
        }
    }
}

/// A text as a string literal of the language.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if c.is_control() => literal.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use tracec_grammar::syntax::ExprKind;

    use super::quoted;

    #[test]
    fn a_quoted_text_reads_back_as_the_same() {
        for text in ["", "plain", "a\"b\\c", "tab\tnul\0end", "\u{1f980}\u{85}", "\n"] {
            let parsed = tracec_grammar::parse_one_liner(&format!("a:b if c == {}", quoted(text)));
            assert_eq!(parsed.errors, [], "{text:?}");
            let read = parsed.file.exprs.iter().find_map(|(_, expr)| match &expr.kind {
                ExprKind::Str(read) => Some(read.as_str()),
                _ => None,
            });
            assert_eq!(read, Some(text));
        }
    }
}
