//! Typing of one condition against one event.

mod address;
mod alternatives;
pub(super) mod arithmetic;
mod asked;
mod c_forms;
mod compare;
mod cpus;
mod doubtful;
mod field_names;
mod function;
mod habits;
pub(super) mod machine;
mod membership;
pub(super) mod modifier;
mod operand;
mod printed;
pub(super) mod render;
mod side;
#[cfg(test)]
mod tests;
mod text;
mod words;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, Exprs, Name, UnaryOp};
use tracec_kernel::condition::ir::{CompareOp, Condition};
use tracec_kernel::format::EventFormat;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{self, AtomSpan, Catalogue, ConditionId, Conjunct, EventId, KnownConditions};
use crate::resolve::Precision;
use crate::resolve::names::Names;

use asked::{Asked, Memory};
use compare::flipped;
use habits::Wrapping;
use machine::Machine;
use operand::{Class, Side};
use render::render;

/// The modifiers of a field, which stand behind its dot.
const MODIFIERS: [&str; 2] = ["ustring", "function"];

/// The events of a clause, and the names that its conditions may use.
pub(super) struct ClauseEvents<'a> {
    /// Where the clause stands.
    pub(super) clause: Span,
    /// All events of the clause.
    pub(super) events: &'a [(EventId, Precision)],
    /// Their layouts.
    pub(super) catalogue: &'a Catalogue,
    /// The span in which they are named.
    pub(super) set: Span,
    /// The fields that `having` names; `None` in a clause that cannot have it.
    pub(super) having: Option<&'a [Name]>,
    /// Fields that none of the events has; this has been reported.
    pub(super) lacking: &'a [String],
    /// The names in scope besides fields.
    pub(super) names: &'a Names<'a>,
    /// The machine.
    pub(super) machine: &'a Machine<'a>,
}

/// The event that a condition is typed for, and its clause.
struct TypingContext<'a> {
    event: &'a Asked<'a>,
    group: &'a ClauseEvents<'a>,
}

/// Typed conditions that must all hold.
#[derive(Clone)]
pub(super) struct Typed {
    /// The conjunction of all, with the top-level `&&` of each flattened.
    pub(super) condition: ConditionId,
    /// The conjuncts of each condition.
    pub(super) parts: Arc<[Range<usize>]>,
}

/// The conditions of a clause, typed for its events in turn. Events that agree in everything that the conditions depend
/// on share the result.
pub(super) struct ClauseConditions<'a> {
    group: ClauseEvents<'a>,
    known: FxHashMap<Vec<ExprId>, Memory<Outcome>>,
    /// The same where there is one event.
    of_one: Vec<(Vec<ExprId>, Outcome)>,
}

/// The result of typing conditions, with its diagnostics.
struct Outcome {
    typed: Option<Typed>,
    found: Vec<Diagnostic>,
}

impl<'a> ClauseConditions<'a> {
    /// Returns the conditions for these events.
    pub(super) fn new(group: ClauseEvents<'a>) -> Self {
        ClauseConditions { group, known: FxHashMap::default(), of_one: Vec::new() }
    }

    /// Types conditions that must all hold for an event. `None` if one has mistakes; they have been reported.
    pub(super) fn check(
        &mut self,
        parts: &[ExprId],
        event: &EventFormat,
        conditions: &mut ir::Conditions,
        known: Option<&mut KnownConditions>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Typed> {
        if parts.is_empty() {
            return Some(Typed { condition: ConditionId::ALWAYS, parts: Arc::default() });
        }
        let group = &self.group;
        let printed = &group.machine.printed;
        let type_for = |event: &Asked<'_>, conditions: &mut ir::Conditions| {
            typed(parts, &TypingContext { event, group }, conditions)
        };
        // Most clauses name one event: nothing is asked again then.
        let outcome = if group.events.len() == 1 {
            let index = self.of_one.iter().position(|(known, _)| known == parts);
            let index = index.unwrap_or_else(|| {
                let outcome = group.known_or(known, (event, parts), conditions, |conditions| {
                    type_for(&Asked::alone(event, printed), conditions)
                });
                self.of_one.push((parts.to_vec(), outcome));
                self.of_one.len() - 1
            });
            &self.of_one[index].1
        } else {
            let memory = self.known.entry(parts.to_vec()).or_default();
            memory.of((event, printed), |event| type_for(event, conditions))
        };
        for said in &outcome.found {
            diagnostics.push_once_more(said);
        }
        outcome.typed.clone()
    }
}

impl ClauseEvents<'_> {
    /// Returns what is known of conditions of the clause's one event, or else types them, and adds them to what is known.
    fn known_or(
        &self,
        known: Option<&mut KnownConditions>,
        (event, parts): (&EventFormat, &[ExprId]),
        conditions: &mut ir::Conditions,
        typed: impl FnOnce(&mut ir::Conditions) -> Outcome,
    ) -> Outcome {
        // A parameter may have another value where the session is included.
        let Some(known) = known.filter(|_| self.names.are_of_text()) else { return typed(conditions) };
        let exprs = self.names.exprs();
        let expressions: Vec<Span> = parts.iter().map(|&part| exprs[part].span).collect();
        if let Some(known) = known.find(self.clause, event, &expressions) {
            let condition = conditions.add(Arc::clone(&known.conjuncts));
            let typed = Typed { condition, parts: Arc::clone(&known.parts) };
            return Outcome { typed: Some(typed), found: Vec::new() };
        }
        let outcome = typed(conditions);
        if let Outcome { typed: Some(Typed { condition, parts }), found } = &outcome
            && found.is_empty()
        {
            let (conjuncts, parts) = (conditions.share(*condition), Arc::clone(parts));
            known.add(self.clause, event, expressions, conjuncts, parts);
        }
        outcome
    }
}

fn typed(parts: &[ExprId], context: &TypingContext<'_>, conditions: &mut ir::Conditions) -> Outcome {
    let exprs = context.group.names.exprs();
    let found = Vec::new();
    let (atoms, differences) = (Vec::new(), Vec::new());
    let mut checker = Checker { exprs, context, found, atoms, differences, compared_by: None, in_set: false };
    // Every part is typed, so that each mistake is found.
    let typed: Vec<Vec<Option<Conjunct>>> = parts.iter().map(|&part| checker.conjuncts(part)).collect();
    // Each counts only where the others hold too, regardless of their clause or item.
    let all = typed.iter().flatten().flatten();
    checker.forget_guarded(0, all.map(|conjunct| &conjunct.value), true);
    checker.report_differences();
    let ends = typed.iter().scan(0, |end, part| {
        let start = *end;
        *end += part.len();
        Some(start..*end)
    });
    let parts = ends.collect();
    let conjuncts: Option<Vec<Conjunct>> = typed.into_iter().flatten().collect();
    let typed = conjuncts.map(|conjuncts| Typed { condition: conditions.add(conjuncts), parts });
    Outcome { typed, found: checker.found }
}

/// Collects the parts of a top-level `&&`, in the order of the text. Recursion follows the expression, whose depth the
/// grammar limits.
fn flatten(id: ExprId, exprs: &Exprs, conjuncts: &mut Vec<ExprId>) {
    match &exprs[id].kind {
        ExprKind::And(parts) => parts.iter().for_each(|&part| flatten(part, exprs, conjuncts)),
        _ => conjuncts.push(id),
    }
}

struct Checker<'a> {
    exprs: &'a Exprs,
    context: &'a TypingContext<'a>,
    /// The diagnostics.
    found: Vec<Diagnostic>,
    /// The spans of the atoms that the conjunct has so far, in the order of [`Condition::atoms`].
    atoms: Vec<AtomSpan>,
    /// The differences that can wrap, found so far.
    differences: Vec<Wrapping>,
    /// The operator of the comparison whose constant is typed, as it is with the operand on the left; `None` for a
    /// member of a set.
    compared_by: Option<BinaryOp>,
    /// Whether the constant that is typed is a member of a set.
    in_set: bool,
}

impl Checker<'_> {
    /// Types the parts of a condition's top-level `&&`; a part with a mistake is `None`.
    fn conjuncts(&mut self, part: ExprId) -> Vec<Option<Conjunct>> {
        let mut ids = Vec::new();
        flatten(part, self.exprs, &mut ids);
        ids.into_iter().map(|id| self.conjunct(id)).collect()
    }

    /// Types one condition of several, with the spans of its atoms.
    fn conjunct(&mut self, id: ExprId) -> Option<Conjunct> {
        self.atoms.clear();
        let value = self.condition(id)?;
        Some(Conjunct { value, span: self.exprs[id].span, atoms: std::mem::take(&mut self.atoms) })
    }

    /// Notes the span of a condition's atoms, which were all made of one expression, and returns the condition.
    fn atoms_of(&mut self, expr: &Expr, condition: Condition) -> Condition {
        let span = expr.span;
        match &condition {
            Condition::Atom(_) => {
                self.atoms.push(AtomSpan { span, written: without_parentheses(expr, self.exprs) });
            }
            several => {
                self.atoms.extend(several.atoms().iter().map(|_| AtomSpan { span, written: None }));
            }
        }
        condition
    }

    /// Types an expression where a condition is expected.
    fn condition(&mut self, id: ExprId) -> Option<Condition> {
        let exprs = self.exprs;
        let expr = &exprs[id];
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::And(parts) => self.all(parts, true).map(Condition::And),
            ExprKind::Or(parts) => match self.values_beside(parts) {
                Some(said) => self.say(said),
                None => self.all(parts, false).map(Condition::Or),
            },
            ExprKind::Call { .. } if let Some(said) = self.tested_call(expr.span, id, false) => {
                self.say(said)
            }
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Not => {
                match self.tested_call(expr.span, *operand, true) {
                    Some(said) => self.say(said),
                    None => self.not(op.span, *operand, false),
                }
            }
            ExprKind::Binary { op, left, right }
                if let Some(said) = self.compared_call(expr.span, op.value, (*left, *right)) =>
            {
                self.say(said)
            }
            ExprKind::Binary { op, left, right }
                if let ExprKind::Patterns(patterns) = &exprs[*right].kind =>
            {
                self.patterns(*left, op, patterns, expr)
            }
            ExprKind::Binary { op, left, right } if is_comparison(op.value) => {
                self.doubt_form(op, *left, *right);
                let condition = self.comparison(op, *left, *right)?;
                self.look_at(&condition, op, *left, *right);
                self.doubt_value(&condition, op, (*left, *right));
                Some(self.atoms_of(expr, condition))
            }
            ExprKind::In { operand, members, word } => self.membership(*operand, members, *word, expr),
            _ => {
                let condition = self.truth(id)?;
                Some(self.atoms_of(expr, condition))
            }
        }
    }

    /// Types every part, so that each mistake is found: of a conjunction (`and`), or of a disjunction.
    fn all(&mut self, parts: &[ExprId], and: bool) -> Option<Vec<Condition>> {
        let first = self.differences.len();
        let typed: Vec<Option<Condition>> = parts.iter().map(|&part| self.condition(part)).collect();
        self.forget_guarded(first, typed.iter().flatten(), and);
        typed.into_iter().collect()
    }

    /// Types `!x`; `negated` where another `!` stands before it.
    fn not(&mut self, op: Span, operand: ExprId, negated: bool) -> Option<Condition> {
        let exprs = self.exprs;
        let inner = &exprs[operand];
        match &inner.kind {
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Not => {
                return self.not(op.span, *operand, true).map(Condition::not);
            }
            kind if !is_value(kind) => return self.condition(operand).map(Condition::not),
            _ => {}
        }
        let side = self.side(operand)?;
        self.not_bits_of_cpu(operand, &side)?;
        match side {
            Side::Operand(named) if named.is_number() => {
                let text = render(inner, exprs);
                self.say(codes::not_on_integer::alone(inner.span, &text, op, negated))
            }
            Side::Operand(named) if named.class() == Class::Text => {
                let text = self.string_of(&named);
                self.say(codes::not_a_condition::negated_text(inner.span, &text, op, negated))
            }
            side => {
                let condition = self.truth_of(side)?;
                Some(Condition::not(self.atoms_of(inner, condition)))
            }
        }
    }

    /// Types an operand alone, which means that it is not zero.
    fn truth(&mut self, id: ExprId) -> Option<Condition> {
        let side = self.side(id)?;
        self.not_bits_of_cpu(id, &side)?;
        self.doubt_truth(id, &side);
        self.truth_of(side)
    }

    fn truth_of(&mut self, side: Side) -> Option<Condition> {
        let named = match side {
            Side::Operand(named) => named,
            Side::Test(condition, _) => return Some(condition),
            Side::Constant(id) => return self.constant_alone(id),
            Side::Cpus(_, span) => {
                return self.say(codes::not_a_condition::not_a_condition(span, "a list of CPUs"));
            }
        };
        match named.class() {
            Class::Integer | Class::Cpu => Some(Condition::compare(named.operand.number(), CompareOp::Ne, 0)),
            Class::Text => self.say(codes::not_a_condition::text(named.span, &self.string_of(&named))),
            class @ (Class::Cpumask | Class::Function) => {
                self.say(codes::not_a_condition::not_a_condition(named.span, class.describe()))
            }
            Class::Nothing => self.not_filterable(&named),
        }
    }

    /// Reports a constant where a condition is expected; or a word that is neither constant nor field.
    fn constant_alone(&mut self, id: ExprId) -> Option<Condition> {
        let expr = &self.exprs[id];
        if let ExprKind::Name(name) = &expr.kind
            && let Some(truth) = self.scope(None).truth(name)
        {
            return Some(Condition::Const(truth));
        }
        let words = self.unknown_words(id);
        if !words.is_empty() {
            words.iter().for_each(|(word, span)| _ = self.unknown::<()>(word, *span));
            return None;
        }
        let value = self.value(id, None)?;
        self.say(codes::not_a_condition::not_a_condition(expr.span, value.kind().describe()))
    }

    fn comparison(&mut self, op: &Spanned<BinaryOp>, left: ExprId, right: ExprId) -> Option<Condition> {
        let span = self.exprs[left].span.to(self.exprs[right].span);
        let left_side = match &self.exprs[left].kind {
            // With parentheses the text would say that `!a` is meant.
            ExprKind::Unary { op, operand }
                if op.value == UnaryOp::Not && op.span.start == self.exprs[left].span.start =>
            {
                self.negated_operand(op.span, *operand, Some(span))
            }
            _ => self.side(left),
        };
        // The name of a function is not an operand.
        if let Some(Side::Operand(named)) = &left_side
            && named.class() == Class::Function
        {
            return self.compare_function(named, op, right);
        }
        if let Some(said) = self.values_in_parentheses(op, left, right) {
            return self.say(said);
        }
        if let Some(said) = self.address_from_host(left_side.as_ref(), right) {
            return self.say(said);
        }
        let right_side = self.side(right);
        let turns = !matches!(op.value, BinaryOp::Match | BinaryOp::NotMatch);
        match (left_side?, right_side?) {
            (_, Side::Operand(named)) if turns && named.class() == Class::Function => {
                self.compare_function(&named, op, left)
            }
            (Side::Operand(named), Side::Constant(id)) => self.compare(&named, op, id),
            (Side::Constant(id), Side::Operand(named)) if turns => {
                self.compare(&named, &Spanned::new(flipped(op.value), op.span), id)
            }
            (Side::Operand(named), Side::Cpus(cpus, at)) | (Side::Cpus(cpus, at), Side::Operand(named)) => {
                self.equals_cpus(&named, op, &cpus, at)
            }
            (Side::Operand(a), Side::Operand(b)) => self.compare_operands((&a, left), op, (&b, right)),
            (Side::Constant(a), Side::Constant(b)) => self.two_constants(a, b, span),
            (Side::Test(_, at), _) | (_, Side::Test(_, at)) => {
                self.say(codes::no_comparand::no_comparand(at, "a condition with a value"))
            }
            (Side::Constant(_), Side::Operand(_)) => {
                self.say(codes::no_comparand::no_comparand(span, "a pattern with a field; turn it round"))
            }
            (Side::Cpus(..), _) | (_, Side::Cpus(..)) => self.two_constants(left, right, span),
        }
    }

    /// Reports a comparison without a value of the record on either side: each unknown word is a mistake of its own.
    fn two_constants(&mut self, a: ExprId, b: ExprId, span: Span) -> Option<Condition> {
        let (left, right) = (self.unknown_words(a), self.unknown_words(b));
        let beside = match (left.is_empty(), right.is_empty()) {
            (true, true) => return self.say(codes::no_comparand::no_comparand(span, "two constants")),
            (false, true) => self.value(b, None),
            (true, false) => self.value(a, None),
            (false, false) => None,
        };
        for (word, span) in left.into_iter().chain(right) {
            self.unknown_beside::<()>(&word, span, beside.as_ref());
        }
        None
    }

    fn say<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.found.push(diagnostic);
        None
    }
}

/// Returns an expression's span without parentheses around it. `None` where it is unknown which parentheses enclose all
/// of it.
fn without_parentheses(expr: &Expr, exprs: &Exprs) -> Option<Span> {
    match &expr.kind {
        ExprKind::Binary { left, right, .. } => Some(exprs[*left].span.to(exprs[*right].span)),
        ExprKind::In { operand, .. } => (exprs[*operand].span.start == expr.span.start).then_some(expr.span),
        _ => Some(expr.span),
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Match, Ne, NotMatch};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Match | NotMatch)
}

/// Returns whether an expression is a value, not a condition.
fn is_value(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Cast { .. } => true,
        ExprKind::Unary { op, .. } => op.value == UnaryOp::Neg,
        ExprKind::Binary { op, .. } => !is_comparison(op.value),
        _ => false,
    }
}
