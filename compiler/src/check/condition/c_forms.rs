//! Calls and other forms of C and of scripts in a condition, with the comparison that each stands for.

use tracec_grammar::literal_pattern;
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind};
use tracec_kernel::tables::measures::MINOR_BITS;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Diagnostic, codes};

use super::Checker;
use super::render::render;

/// A function or a method on strings, and the comparison that it stands for.
struct StringCall {
    name: &'static str,
    /// What stands before and behind the text in a pattern; nothing where the whole string is compared.
    around: (&'static str, &'static str),
    /// Whether its value is 0 where the comparison holds.
    is_difference: bool,
}

const fn call(name: &'static str, around: (&'static str, &'static str)) -> StringCall {
    StringCall { name, around, is_difference: false }
}

const fn difference(name: &'static str, behind: &'static str) -> StringCall {
    StringCall { name, around: ("", behind), is_difference: true }
}

/// Functions of C and of bpftrace, whose arguments are the string, the text, and for `strncmp` the number of bytes.
const FUNCTIONS: &[StringCall] = &[
    difference("strcmp", ""),
    difference("strncmp", "*"),
    difference("strcasecmp", ""),
    difference("strncasecmp", "*"),
    call("strstr", ("*", "*")),
    call("strcontains", ("*", "*")),
];

/// Methods of other languages.
const METHODS: &[StringCall] = &[
    call("startswith", ("", "*")),
    call("starts_with", ("", "*")),
    call("startsWith", ("", "*")),
    call("endswith", ("*", "")),
    call("ends_with", ("*", "")),
    call("endsWith", ("*", "")),
    call("contains", ("*", "*")),
    call("includes", ("*", "*")),
    call("equals", ("", "")),
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
            (ExprKind::Name(_), _) => {
                let holds = self.string_call(function, args, true)?;
                Some(said.help(format!("to test for this text, write `{holds}`")))
            }
            (ExprKind::Member { base, member }, [text]) => {
                let known = METHODS.iter().find(|known| known.name == member.value)?;
                let (ExprKind::Str(text), operand) = (kind(*text), render(&self.exprs[*base], self.exprs))
                else {
                    return None;
                };
                let comparison = comparison(known, &operand, text, true);
                Some(said.guess(format!("write `{comparison}`"), whole.span, comparison))
            }
            _ => None,
        }
    }

    /// Returns the comparison that a call of a function on strings stands for, or its opposite.
    fn string_call(&self, function: ExprId, args: &[ExprId], holds: bool) -> Option<String> {
        let kind = |id: &ExprId| &self.exprs[*id].kind;
        let (ExprKind::Name(name), [of, text, rest @ ..]) = (kind(&function), args) else { return None };
        let known = FUNCTIONS.iter().find(|known| known.name == name)?;
        let ExprKind::Str(text) = kind(text) else { return None };
        let operand = render(&self.exprs[*of], self.exprs);
        match rest {
            [] => Some(comparison(known, &operand, text, holds)),
            [bytes] => {
                let ExprKind::Int(bytes) = kind(bytes) else { return None };
                match text.get(..usize::try_from(*bytes).ok()?) {
                    Some(start) => Some(comparison(known, &operand, start, holds)),
                    // The NUL at its end is compared too.
                    None => {
                        let whole = StringCall { around: ("", ""), ..*known };
                        Some(comparison(&whole, &operand, text, holds))
                    }
                }
            }
            _ => None,
        }
    }

    /// Returns the diagnostic of a function on strings whose value is tested: for 0 (`is_zero`), or for another value.
    pub(super) fn tested_call(&self, whole: Span, call: ExprId, is_zero: bool) -> Option<Diagnostic> {
        let ExprKind::Call { function, args } = &self.exprs[call].kind else { return None };
        let ExprKind::Name(name) = &self.exprs[*function].kind else { return None };
        let known = FUNCTIONS.iter().find(|known| known.name == name)?;
        let comparison = self.string_call(*function, args, is_zero == known.is_difference)?;
        let said = codes::c_in_condition::known_form(whole, "a call");
        Some(said.guess(format!("write `{comparison}`"), whole, comparison))
    }

    /// Returns the diagnostic of a function on strings that is compared with 0.
    pub(super) fn compared_call(
        &self,
        whole: Span,
        op: BinaryOp,
        (left, right): (ExprId, ExprId),
    ) -> Option<Diagnostic> {
        let is_zero = |id: ExprId| match &self.exprs[id].kind {
            ExprKind::Int(0) => true,
            ExprKind::Name(word) => matches!(word.as_str(), "false" | "NULL"),
            _ => false,
        };
        let call = if is_zero(right) { left } else { is_zero(left).then_some(right)? };
        match op {
            BinaryOp::Eq => self.tested_call(whole, call, true),
            BinaryOp::Ne => self.tested_call(whole, call, false),
            _ => None,
        }
    }
}

fn comparison(known: &StringCall, operand: &str, text: &str, holds: bool) -> String {
    let (before, behind) = known.around;
    let any_case = known.name.contains("case");
    let is_pattern = any_case || !(before.is_empty() && behind.is_empty());
    let text = match (is_pattern, any_case) {
        (true, true) => text.chars().map(in_any_case).collect(),
        (true, false) => literal_pattern(text),
        (false, _) => text.to_owned(),
    };
    let op = match (is_pattern, holds) {
        (true, true) => "~",
        (true, false) => "!~",
        (false, true) => "==",
        (false, false) => "!=",
    };
    format!("{operand} {op} {}", quoted(&format!("{before}{text}{behind}")))
}

/// Returns a letter as a pattern that matches both of its cases, and another character as itself.
fn in_any_case(letter: char) -> String {
    match letter.is_ascii_alphabetic() {
        true => format!("[{}{}]", letter.to_ascii_lowercase(), letter.to_ascii_uppercase()),
        false => literal_pattern(letter.encode_utf8(&mut [0; 4])),
    }
}
