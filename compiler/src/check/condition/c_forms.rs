//! Calls and other forms of C and of scripts in a condition, with the comparison that each stands for.

use tracec_grammar::literal_pattern;
use tracec_grammar::syntax::{Expr, ExprId, ExprKind};
use tracec_kernel::tables::measures::MINOR_BITS;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Diagnostic, codes};

use super::Checker;
use super::render::render;

/// A function or a method on strings, and the comparison that it stands for.
struct StringCall {
    name: &'static str,
    /// The operator.
    op: &'static str,
    /// What stands before and behind the text.
    around: (&'static str, &'static str),
}

const fn call(name: &'static str, op: &'static str, around: (&'static str, &'static str)) -> StringCall {
    StringCall { name, op, around }
}

/// Functions of C, whose arguments are the string and the text.
const FUNCTIONS: &[StringCall] = &[
    call("strcmp", "==", ("", "")),
    call("strcasecmp", "==", ("", "")),
    call("strncmp", "~", ("", "*")),
    call("strstr", "~", ("*", "*")),
    call("strcontains", "~", ("*", "*")),
];

/// Methods of other languages.
const METHODS: &[StringCall] = &[
    call("startswith", "~", ("", "*")),
    call("starts_with", "~", ("", "*")),
    call("startsWith", "~", ("", "*")),
    call("endswith", "~", ("*", "")),
    call("ends_with", "~", ("*", "")),
    call("endsWith", "~", ("*", "")),
    call("contains", "~", ("*", "*")),
    call("includes", "~", ("*", "*")),
    call("equals", "==", ("", "")),
];

impl Checker<'_> {
    /// Returns the diagnostic of a form of C whose meaning is known.
    pub(super) fn c_form(&self, expr: &Expr) -> Option<Diagnostic> {
        match &expr.kind {
            ExprKind::Call { function, args } => self.c_call(expr, *function, args),
            ExprKind::Arrow { base, member } => {
                let base = render(&self.exprs[*base], self.exprs);
                let is_field = |name: &&str| self.context.event.field(name).is_some();
                let joined = format!("{base}_{}", member.value);
                let field = [member.value.as_str(), joined.as_str()].into_iter().find(is_field)?;
                let said = codes::c_in_condition::known_form(expr.span, "`->`");
                Some(said.guess(format!("write `{field}`, a field of the record"), expr.span, field))
            }
            ExprKind::Index { base, .. } => {
                let base = render(&self.exprs[*base], self.exprs);
                self.context.event.field(&base)?;
                let said = codes::c_in_condition::known_form(expr.span, "an index");
                Some(said.help(format!("for how a string begins, write `{base} ~ \"b*\"`")))
            }
            _ => None,
        }
    }

    fn c_call(&self, whole: &Expr, function: ExprId, args: &[ExprId]) -> Option<Diagnostic> {
        let said = codes::c_in_condition::known_form(whole.span, "a call");
        let kind = |id: ExprId| &self.exprs[id].kind;
        match (kind(function), args) {
            (ExprKind::Name(name), [major, minor]) if name == "MKDEV" => {
                let (ExprKind::Int(major), ExprKind::Int(minor)) = (kind(*major), kind(*minor)) else {
                    return None;
                };
                let device = major.checked_shl(MINOR_BITS)? | minor;
                Some(said.guess(format!("write `{device}`"), whole.span, device.to_string()))
            }
            (ExprKind::Name(name), [of, text, ..]) => {
                let known = FUNCTIONS.iter().find(|known| known.name == name)?;
                let (ExprKind::Str(text), operand) = (kind(*text), render(&self.exprs[*of], self.exprs))
                else {
                    return None;
                };
                let comparison = comparison(known, &operand, text);
                Some(said.help(format!("to test for this text, write `{comparison}`")))
            }
            (ExprKind::Member { base, member }, [text]) => {
                let known = METHODS.iter().find(|known| known.name == member.value)?;
                let (ExprKind::Str(text), operand) = (kind(*text), render(&self.exprs[*base], self.exprs))
                else {
                    return None;
                };
                let comparison = comparison(known, &operand, text);
                Some(said.guess(format!("write `{comparison}`"), whole.span, comparison))
            }
            _ => None,
        }
    }
}

fn comparison(known: &StringCall, operand: &str, text: &str) -> String {
    let (before, behind) = known.around;
    let text = if known.op == "~" { literal_pattern(text) } else { text.to_owned() };
    format!("{operand} {} {}", known.op, quoted(&format!("{before}{text}{behind}")))
}
