//! The decision which parentheses stay.
//!
//! Parentheses are never added: where the meaning needs them, they are in the text. [`may_go`] lists the places where
//! they neither change the meaning nor help; everywhere else they stay as written. Those that are removed are found
//! before the layout begins, so that they are skipped like blanks: a comment after one is a comment before the
//! expression in it.

use crate::parse::Parsed;
use crate::span::Span;
use crate::syntax::*;

use super::cursor::BLANKS;

/// The context of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExprContext {
    /// A whole condition, value, argument or index.
    Whole,
    /// Parentheses that the construct requires.
    Required,
    /// An operand of `&&` or `||`.
    Logic,
    /// An operand of a comparison, or the left side of `in`.
    Comparison,
    /// The left operand of an operator of this precedence.
    Left(u8),
    /// Any other operand.
    Operand,
    /// The operand before `.`, `->`, `[..]` or `(..)`.
    Base,
}

/// The form of an expression, as far as parentheses depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Name,
    Literal,
    Postfix,
    Not,
    Negative,
    Arithmetic,
    Comparison,
    Other,
}

/// Returns the context of each expression of a file, by its id.
pub(super) fn contexts(file: &File) -> Vec<ExprContext> {
    let mut contexts = vec![ExprContext::Whole; file.exprs.len()];
    let mut set = |id: ExprId, context| {
        if let Some(entry) = contexts.get_mut(id.0 as usize) {
            *entry = context;
        }
    };
    for (_, expr) in file.exprs.iter() {
        match &expr.kind {
            ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } | ExprKind::Index { base, .. } => {
                set(*base, ExprContext::Base);
            }
            ExprKind::Call { function, .. } => set(*function, ExprContext::Base),
            ExprKind::Cast { operand, .. } | ExprKind::Unary { operand, .. } => {
                set(*operand, ExprContext::Operand)
            }
            ExprKind::In { operand, members, .. } => {
                set(*operand, ExprContext::Comparison);
                for member in members {
                    match *member {
                        SetMember::One(value) => set(value, ExprContext::Operand),
                        SetMember::Range { first, last } => {
                            set(first, ExprContext::Operand);
                            set(last, ExprContext::Operand);
                        }
                    }
                }
            }
            ExprKind::Patterns(patterns) => {
                patterns.iter().for_each(|id| set(*id, ExprContext::Operand));
            }
            ExprKind::Choose { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|id| set(*id, ExprContext::Operand));
            }
            ExprKind::Binary { op, left, right } if is_comparison(op.value) => {
                set(*left, ExprContext::Comparison);
                set(*right, ExprContext::Comparison);
            }
            ExprKind::Binary { op, left, right } => {
                set(*left, ExprContext::Left(precedence(op.value)));
                set(*right, ExprContext::Operand);
            }
            ExprKind::And(operands) | ExprKind::Or(operands) => {
                operands.iter().for_each(|id| set(*id, ExprContext::Logic));
            }
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Size(_)
            | ExprKind::Duration(_)
            | ExprKind::Str(_)
            | ExprKind::Address(_)
            | ExprKind::Cpus(_)
            | ExprKind::Name(_)
            | ExprKind::Path(_) => {}
        }
    }
    for declaration in &file.declarations {
        if let DeclarationKind::Event(event) = &declaration.kind
            && let EventForm::Whole { condition: Some(condition), .. }
            | EventForm::OfClass { condition: Some(condition), .. } = &event.form
        {
            set(*condition, ExprContext::Required);
        }
    }
    contexts
}

/// Returns where the first token of an expression is, without parentheses around it; `None` if it is one token.
pub(super) fn begin(exprs: &Exprs, expr: &Expr) -> Option<usize> {
    let start = |id: &ExprId| exprs[*id].span.range().start;
    match &expr.kind {
        ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } | ExprKind::Index { base, .. } => {
            Some(start(base))
        }
        ExprKind::Call { function, .. } => Some(start(function)),
        ExprKind::Cast { operand, .. } | ExprKind::In { operand, .. } => Some(start(operand)),
        ExprKind::Choose { condition, .. } => Some(start(condition)),
        ExprKind::Unary { op, .. } => Some(op.span.range().start),
        ExprKind::Binary { left, .. } => Some(start(left)),
        ExprKind::And(operands) | ExprKind::Or(operands) => operands.first().map(start),
        ExprKind::Patterns(_)
        | ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Size(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Address(_)
        | ExprKind::Cpus(_)
        | ExprKind::Name(_)
        | ExprKind::Path(_) => None,
    }
}

/// Returns the offsets of all parentheses that are removed, in the order of the text.
pub(super) fn superfluous(text: &str, parsed: &Parsed, contexts: &[ExprContext]) -> Vec<usize> {
    let scan = Scan { text, parsed };
    let mut superfluous = Vec::new();
    for ((_, expr), context) in parsed.file.exprs.iter().zip(contexts) {
        let opening = scan.opening(expr);
        let closing = scan.closing(expr.span, opening.len());
        let stay = usize::from(!may_go(*context, &expr.kind));
        let pairs = opening.into_iter().zip(closing).skip(stay);
        let pairs = pairs.filter(|(open, close)| !scan.holds_comment(*open, *close));
        superfluous.extend(pairs.flat_map(|(open, close)| [open, close]));
    }
    superfluous.sort_unstable();
    superfluous
}

/// A scanner that skips blanks and comments in both directions.
struct Scan<'t> {
    text: &'t str,
    parsed: &'t Parsed,
}

impl Scan<'_> {
    /// Returns the parentheses that open before an expression, the outermost first.
    fn opening(&self, expr: &Expr) -> Vec<usize> {
        let begin = begin(&self.parsed.file.exprs, expr);
        let mut opening = Vec::new();
        let mut at = self.token_from(expr.span.range().start);
        while self.text.get(at..).is_some_and(|rest| rest.starts_with('('))
            && begin.is_none_or(|begin| at < begin)
        {
            opening.push(at);
            at = self.token_from(at + 1);
        }
        opening
    }

    /// Returns the parentheses that close after an expression, the outermost first.
    fn closing(&self, span: Span, count: usize) -> Vec<usize> {
        let mut closing = Vec::new();
        let mut end = span.range().end;
        while closing.len() < count {
            end = self.token_before(end);
            let Some(before) = self.text.get(..end).and_then(|text| text.strip_suffix(')')) else {
                break;
            };
            end = before.len();
            closing.push(end);
        }
        closing
    }

    /// Returns whether a comment is first or last between parentheses. They show its extent.
    fn holds_comment(&self, open: usize, close: usize) -> bool {
        let inside = self.text.get(open + 1..close).unwrap_or_default();
        let first = close - inside.trim_start_matches(BLANKS).len();
        let last = open + 1 + inside.trim_end_matches(BLANKS).len();
        self.token_from(first) > first || self.token_before(last) < last
    }

    /// Returns where the first token from an offset on begins.
    fn token_from(&self, mut at: usize) -> usize {
        let comments = &self.parsed.comments;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            at += rest.len() - rest.trim_start_matches(BLANKS).len();
            match comments.binary_search_by_key(&at, |comment| comment.span.range().start) {
                Ok(index) => at = comments[index].span.range().end,
                Err(_) => return at,
            }
        }
    }

    /// Returns where the last token before an offset ends.
    fn token_before(&self, mut end: usize) -> usize {
        let comments = &self.parsed.comments;
        loop {
            end = self.text.get(..end).unwrap_or_default().trim_end_matches(BLANKS).len();
            // A line comment may end in blanks, which have just been passed.
            let before = comments.partition_point(|comment| comment.span.range().start < end);
            match before.checked_sub(1).map(|index| comments[index].span.range()) {
                Some(comment) if end <= comment.end => end = comment.start,
                _ => return end,
            }
        }
    }
}

/// Returns whether parentheses around an expression in a context can be left out.
fn may_go(context: ExprContext, kind: &ExprKind) -> bool {
    use Form::*;
    match (context, form(kind)) {
        (ExprContext::Required, _) => false,
        (ExprContext::Whole, _) => true,
        (_, Name | Postfix) => true,
        (ExprContext::Base, _) => false,
        (_, Literal) => true,
        (ExprContext::Logic, Not | Comparison) => true,
        (ExprContext::Comparison, Negative | Arithmetic) => true,
        _ => false,
    }
}

fn form(kind: &ExprKind) -> Form {
    match kind {
        ExprKind::Name(_) | ExprKind::Path(_) => Form::Name,
        ExprKind::Int(_)
        | ExprKind::Size(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Address(_)
        | ExprKind::Cpus(_) => Form::Literal,
        ExprKind::Member { .. } | ExprKind::Arrow { .. } | ExprKind::Index { .. } | ExprKind::Call { .. } => {
            Form::Postfix
        }
        ExprKind::Unary { op, .. } => match op.value {
            UnaryOp::Not => Form::Not,
            UnaryOp::Neg => Form::Negative,
            UnaryOp::AddressOf | UnaryOp::Deref => Form::Other,
        },
        ExprKind::Binary { op, .. } if is_comparison(op.value) => Form::Comparison,
        ExprKind::Binary { op, .. } => match op.value {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Form::Arithmetic,
            _ => Form::Other,
        },
        ExprKind::In { .. } => Form::Comparison,
        ExprKind::Patterns(_)
        | ExprKind::Error
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Cast { .. }
        | ExprKind::Choose { .. } => Form::Other,
    }
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Match | NotMatch)
}

/// Returns the precedence of an operator; operators of the same precedence may be chained.
pub(super) fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge | Match | NotMatch => 0,
        BitOr => 1,
        BitXor => 2,
        BitAnd => 3,
        Shl | Shr => 4,
        Add | Sub => 5,
        Mul | Div | Rem => 6,
    }
}
