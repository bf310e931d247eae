//! Expressions that become C: what an entry sets its fields to, an event's condition, the placeholders of a template.
//!
//! Without the kernel's type information little is known of `rq->q->disk`; it is left to the compiler that meets it. What
//! is known is checked: names, the types of arguments and fields, literals, operators on them.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, Name, UnaryOp};
use tracec_kernel::format::IntegerType;

use crate::diagnostic::codes;
use crate::ir::definition::{Argument, Found, TypeKind, Value};

use super::context::{Context, near};
use super::types::{self, Place, is_macro_name};

/// The arguments of a tracepoint.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    /// Those with a type.
    pub(super) list: &'a [Argument],
    /// The names of those whose type has a mistake: to use one is no second mistake.
    pub(super) lost: &'a [&'a str],
}

impl Arguments<'_> {
    /// Whether there is one of this name that nothing is known of.
    pub(super) fn has_lost(&self, name: &str) -> bool {
        self.lost.contains(&name)
    }
}

/// Whose names an expression uses.
#[derive(Clone, Copy)]
pub(super) enum Names<'a> {
    /// The arguments of a tracepoint; it runs where the tracepoint is.
    Arguments(Arguments<'a>),
    /// The fields of a record; it runs when the record is printed, and nothing else is there then.
    Fields {
        /// By name and type.
        fields: &'a [(&'a str, TypeKind)],
        /// The arguments, which are gone by then.
        arguments: &'a [Argument],
    },
}

/// What is known of an expression's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// It has a mistake, which has been reported.
    Mistake,
    /// Nothing: only the kernel's headers know.
    Unknown,
    /// Its type.
    Known(TypeKind),
}

/// `int`: what a comparison yields.
const INT: TypeKind = TypeKind::Int(IntegerType { bytes: 4, signed: true });
/// `long`
const LONG: TypeKind = TypeKind::Int(IntegerType { bytes: 8, signed: true });
/// `unsigned long`
const UNSIGNED_LONG: TypeKind = TypeKind::Int(IntegerType { bytes: 8, signed: false });

/// Functions that a template may call, since every reader of records knows them: MAJOR and MINOR of
/// include/linux/kdev_t.h.
const PRINT_FUNCTIONS: &[&str] = &["MAJOR", "MINOR"];

/// Types an expression. The grammar limits its depth.
pub(super) fn type_of(id: ExprId, names: Names<'_>, context: &mut Context<'_, '_>) -> Typed {
    let exprs = context.exprs;
    let expr = &exprs[id];
    match &expr.kind {
        ExprKind::Error => Typed::Mistake,
        ExprKind::Int(value) if i32::try_from(*value).is_ok() => Typed::Known(INT),
        ExprKind::Int(value) if i64::try_from(*value).is_ok() => Typed::Known(LONG),
        ExprKind::Int(_) | ExprKind::Size(_) => Typed::Known(UNSIGNED_LONG),
        ExprKind::Str(_) => Typed::Known(literal()),
        ExprKind::Name(name) => named(name, expr.span, names, context),
        ExprKind::Path(parts) => path(parts, expr.span, context),
        ExprKind::Member { base, member } => self::member(expr, *base, member, names, context),
        ExprKind::Arrow { base, member } => arrow(expr, *base, member, names, context),
        ExprKind::Index { base, index } => self::index(*base, *index, names, context),
        ExprKind::Call { function, args } => call(*function, args, names, context),
        ExprKind::Cast { operand, ty } => {
            let operand = type_of(*operand, names, context);
            match (operand, types::resolve(ty, Place::Cast, context)) {
                (Typed::Mistake, _) | (_, None) => Typed::Mistake,
                (_, Some(ty)) => Typed::Known(ty.kind),
            }
        }
        ExprKind::Choose { condition, then, otherwise } => {
            choose(expr, [*condition, *then, *otherwise], names, context)
        }
        ExprKind::Unary { op, operand } => unary(expr, op.value, *operand, names, context),
        ExprKind::Binary { op, left, right } => binary(op.value, op.span, *left, *right, names, context),
        ExprKind::And(parts) | ExprKind::Or(parts) => {
            let truths: Vec<bool> = parts.iter().map(|&part| truth(part, names, context)).collect();
            if truths.iter().all(|is| *is) { Typed::Known(INT) } else { Typed::Mistake }
        }
        ExprKind::Duration(_) => not_in_c(
            expr.span,
            "a duration",
            "write `10ms as us` where a constant may stand, or the number",
            context,
        ),
        ExprKind::Address(_) => {
            not_in_c(expr.span, "an address", "compare the bytes, or call a function of C", context)
        }
        ExprKind::Cpus(_) => {
            not_in_c(expr.span, "a set of CPUs", "call `cpumask_test_cpu` or its like", context)
        }
        ExprKind::In { .. } => {
            not_in_c(expr.span, "`in`", "write the comparisons: `x == 1 || x == 2`", context)
        }
    }
}

/// Whether an expression can be asked if it holds: a number or a pointer. What it cannot be is reported.
pub(super) fn truth(id: ExprId, names: Names<'_>, context: &mut Context<'_, '_>) -> bool {
    match type_of(id, names, context) {
        Typed::Mistake => false,
        Typed::Unknown => true,
        Typed::Known(kind) if kind.is_integer() || is_raw_pointer(&kind) => true,
        Typed::Known(kind) => {
            let span = context.exprs[id].span;
            context.diagnostics.push(codes::bad_operand::not_a_truth(span, kind.describe()));
            false
        }
    }
}

fn is_raw_pointer(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Pointer { .. })
}

/// Text that is there whenever it is asked for: what is written, and what a record holds.
fn literal() -> TypeKind {
    TypeKind::Text { user: false }
}

/// Text somewhere in the kernel.
fn text() -> TypeKind {
    TypeKind::Pointer { user: false, text: true, to: Some(Box::new(TypeKind::Char)) }
}

fn not_in_c(span: Span, what: &str, help: &str, context: &mut Context<'_, '_>) -> Typed {
    context.diagnostics.push(codes::not_in_c::not_in_c(span, what, help));
    Typed::Mistake
}

/// What a name stands for: an argument or field, then a constant.
fn named(name: &str, span: Span, names: Names<'_>, context: &mut Context<'_, '_>) -> Typed {
    let known = match names {
        Names::Arguments(arguments) => {
            if arguments.has_lost(name) {
                return Typed::Mistake;
            }
            arguments
                .list
                .iter()
                .find(|argument| argument.name.value == name)
                .map(|argument| &argument.ty.kind)
        }
        Names::Fields { fields, .. } => fields.iter().find(|(field, _)| *field == name).map(|(_, kind)| kind),
    };
    if let Some(kind) = known {
        return Typed::Known(kind.clone());
    }
    match context.constants.find(&[name], None) {
        Found::Value(value) => constant(&value, span, context),
        Found::Failed => Typed::Mistake,
        Found::Ambiguous(paths) => {
            context.diagnostics.push(codes::ambiguous_constant::ambiguous_constant(span, name, &paths));
            Typed::Mistake
        }
        Found::Type(ty) => {
            context.diagnostics.push(codes::not_constant::is_a_type(span, &ty));
            Typed::Mistake
        }
        Found::Unknown => match names {
            Names::Arguments(arguments) => of_c(name, span, arguments.list, context),
            Names::Fields { fields, arguments } => {
                let is_argument = arguments.iter().any(|argument| argument.name.value == name);
                let near = near(name, fields.iter().map(|(name, _)| *name));
                context.diagnostics.push(codes::unknown_placeholder::unknown_placeholder(
                    span,
                    name,
                    is_argument,
                    &near,
                ));
                Typed::Mistake
            }
        },
    }
}

/// A name that C has, or may have: the task that runs, macros.
fn of_c(name: &str, span: Span, arguments: &[Argument], context: &mut Context<'_, '_>) -> Typed {
    match name {
        "current" => Typed::Known(TypeKind::Pointer { user: false, text: false, to: None }),
        "NULL" => Typed::Known(TypeKind::Pointer { user: false, text: false, to: None }),
        "true" | "false" => Typed::Known(INT),
        "jiffies" => Typed::Known(UNSIGNED_LONG),
        // Which macros there are only the headers know.
        _ if is_macro_name(name) => Typed::Unknown,
        _ => {
            let known: Vec<String> = context.constants.names();
            let candidates = arguments.iter().map(|argument| argument.name.value.as_str());
            let near = near(name, candidates.chain(["current"]).chain(known.iter().map(String::as_str)));
            context.diagnostics.push(codes::unknown_argument::unknown_argument(span, name, &near));
            Typed::Mistake
        }
    }
}

fn path(parts: &[Name], span: Span, context: &mut Context<'_, '_>) -> Typed {
    let path: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
    match context.constants.find(&path, None) {
        Found::Value(value) => constant(&value, span, context),
        Found::Failed => Typed::Mistake,
        Found::Ambiguous(paths) => {
            context.diagnostics.push(codes::ambiguous_constant::ambiguous_constant(
                span,
                &path.join("::"),
                &paths,
            ));
            Typed::Mistake
        }
        Found::Type(_) | Found::Unknown => {
            let name = path.join("::");
            let known = context.constants.names();
            let near = near(&name, known.iter().map(String::as_str));
            context.diagnostics.push(codes::unknown_constant::unknown_constant(span, &name, &near));
            Typed::Mistake
        }
    }
}

fn constant(value: &Value, span: Span, context: &mut Context<'_, '_>) -> Typed {
    match value {
        Value::Int { of: Some(ty), .. } => Typed::Known(TypeKind::Enum(ty.clone())),
        Value::Int { value, .. } if i32::try_from(*value).is_ok() => Typed::Known(INT),
        Value::Int { value, .. } if i64::try_from(*value).is_ok() => Typed::Known(LONG),
        Value::Int { .. } | Value::Size(_) => Typed::Known(UNSIGNED_LONG),
        Value::Text(_) => Typed::Known(literal()),
        Value::Duration(_) => not_in_c(span, "a duration", "give the constant a unit: `10ms as us`", context),
        Value::Address(_) => {
            not_in_c(span, "an address", "compare the bytes, or call a function of C", context)
        }
    }
}

/// `a.b`: a member of a struct, of which nothing is known.
fn member(
    expr: &Expr,
    base: ExprId,
    member: &Name,
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    if let ExprKind::Name(name) = &context.exprs[base].kind
        && name == "current"
    {
        let fix = format!("current->{}", member.value);
        context.diagnostics.push(codes::not_in_c::pointer_member(expr.span, &fix));
        return Typed::Mistake;
    }
    match (type_of(base, names, context), names) {
        (Typed::Mistake, _) => Typed::Mistake,
        (Typed::Known(kind), _) if !matches!(kind, TypeKind::Aggregate(_)) => {
            if is_raw_pointer(&kind) {
                let fix = format!("->{}", member.value);
                let from = context.exprs[base].span.end;
                let place = Span { start: from, end: member.span.end };
                context.diagnostics.push(codes::not_in_c::pointer_member(place, &fix));
            } else {
                let base = context.exprs[base].span;
                context.diagnostics.push(codes::bad_operand::no_members(member.span, base, kind.describe()));
            }
            Typed::Mistake
        }
        _ => Typed::Unknown,
    }
}

/// `a->b`.
fn arrow(expr: &Expr, base: ExprId, member: &Name, names: Names<'_>, context: &mut Context<'_, '_>) -> Typed {
    let is_current = matches!(&context.exprs[base].kind, ExprKind::Name(name) if name == "current");
    if matches!(names, Names::Fields { .. }) {
        return gone(expr.span, "`->`", context);
    }
    match type_of(base, names, context) {
        Typed::Mistake => Typed::Mistake,
        Typed::Known(kind) if !is_raw_pointer(&kind) => {
            let base = context.exprs[base].span;
            context.diagnostics.push(codes::bad_operand::no_members(member.span, base, kind.describe()));
            Typed::Mistake
        }
        Typed::Known(_) if is_current => match member.value.as_str() {
            "comm" => Typed::Known(text()),
            "pid" | "tgid" => Typed::Known(INT),
            _ => Typed::Unknown,
        },
        _ => Typed::Unknown,
    }
}

/// What only the moment of the event has, in a template.
fn gone(span: Span, what: &str, context: &mut Context<'_, '_>) -> Typed {
    context.diagnostics.push(codes::not_in_c::gone(span, what));
    Typed::Mistake
}

fn index(base: ExprId, index: ExprId, names: Names<'_>, context: &mut Context<'_, '_>) -> Typed {
    let (typed, at) = (type_of(base, names, context), type_of(index, names, context));
    match (typed, at) {
        (Typed::Mistake, _) | (_, Typed::Mistake) => Typed::Mistake,
        (_, Typed::Known(kind)) if !kind.is_integer() => {
            let span = context.exprs[index].span;
            context.diagnostics.push(codes::bad_operand::bad_operand(span, "[ ]", kind.describe()));
            Typed::Mistake
        }
        (Typed::Known(TypeKind::Array { element, .. } | TypeKind::Elements { element }), _) => {
            Typed::Known(*element)
        }
        (Typed::Known(TypeKind::Pointer { .. }), _) if matches!(names, Names::Fields { .. }) => {
            gone(context.exprs[base].span, "what a pointer leads to", context)
        }
        (Typed::Known(TypeKind::Pointer { to: Some(to), .. }), _) => pointed(*to),
        (Typed::Unknown | Typed::Known(TypeKind::Pointer { .. }), _) => Typed::Unknown,
        (Typed::Known(kind), _) => {
            let span = context.exprs[base].span;
            context.diagnostics.push(codes::bad_operand::bad_operand(span, "[ ]", kind.describe()));
            Typed::Mistake
        }
    }
}

/// What a pointer leads to; of a struct nobody knows what it holds.
fn pointed(to: TypeKind) -> Typed {
    if matches!(to, TypeKind::Void) { Typed::Unknown } else { Typed::Known(to) }
}

fn call(function: ExprId, args: &[ExprId], names: Names<'_>, context: &mut Context<'_, '_>) -> Typed {
    let callee = &context.exprs[function];
    let mut right = true;
    for &arg in args {
        right &= type_of(arg, names, context) != Typed::Mistake;
    }
    match &callee.kind {
        ExprKind::Name(name) if matches!(names, Names::Fields { .. }) => {
            if !PRINT_FUNCTIONS.contains(&name.as_str()) {
                return gone(callee.span, "a function", context);
            }
            if right {
                Typed::Known(TypeKind::Int(IntegerType { bytes: 4, signed: false }))
            } else {
                Typed::Mistake
            }
        }
        ExprKind::Name(_) if right => Typed::Unknown,
        ExprKind::Name(_) => Typed::Mistake,
        // `ops->name(x)`
        ExprKind::Arrow { .. } => match type_of(function, names, context) {
            Typed::Mistake => Typed::Mistake,
            _ if right => Typed::Unknown,
            _ => Typed::Mistake,
        },
        ExprKind::Member { member, .. } => {
            not_in_c(member.span, "a modifier", "modifiers are of histograms' keys", context)
        }
        _ => not_in_c(callee.span, "a call of this", "a function has a name", context),
    }
}

fn choose(expr: &Expr, parts: [ExprId; 3], names: Names<'_>, context: &mut Context<'_, '_>) -> Typed {
    let [condition, then, otherwise] = parts;
    let holds = truth(condition, names, context);
    match (type_of(then, names, context), type_of(otherwise, names, context)) {
        (Typed::Mistake, _) | (_, Typed::Mistake) => Typed::Mistake,
        _ if !holds => Typed::Mistake,
        (Typed::Known(a), Typed::Known(b)) if a == b => Typed::Known(a),
        (Typed::Known(a), Typed::Known(b)) if a.is_integer() && b.is_integer() => wider(&a, &b),
        (Typed::Known(a), Typed::Known(b)) if a.is_text() && b.is_text() => {
            Typed::Known(if is_raw_pointer(&a) || is_raw_pointer(&b) { text() } else { literal() })
        }
        (Typed::Known(a), Typed::Known(b)) if is_raw_pointer(&a) && is_raw_pointer(&b) => {
            Typed::Known(TypeKind::Pointer { user: false, text: false, to: None })
        }
        (Typed::Known(a), Typed::Known(b)) => {
            let spans = (context.exprs[then].span, context.exprs[otherwise].span);
            let mistake =
                codes::bad_operand::branches(expr.span, (spans.0, a.describe()), (spans.1, b.describe()));
            context.diagnostics.push(mistake);
            Typed::Mistake
        }
        (Typed::Unknown, known) | (known, Typed::Unknown) => known,
    }
}

/// The type of an operation on two integers, as C has it: the wider, at least `int`.
fn wider(a: &TypeKind, b: &TypeKind) -> Typed {
    let (Some(a), Some(b)) = (a.integer(), b.integer()) else { return Typed::Unknown };
    let promoted = |ty: IntegerType| if ty.bytes < 4 { IntegerType { bytes: 4, signed: true } } else { ty };
    let (a, b) = (promoted(a), promoted(b));
    let signed = match a.bytes.cmp(&b.bytes) {
        std::cmp::Ordering::Equal => a.signed && b.signed,
        std::cmp::Ordering::Greater => a.signed,
        std::cmp::Ordering::Less => b.signed,
    };
    Typed::Known(TypeKind::Int(IntegerType { bytes: a.bytes.max(b.bytes), signed }))
}

fn unary(
    expr: &Expr,
    op: UnaryOp,
    operand: ExprId,
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    let in_template = matches!(names, Names::Fields { .. });
    match op {
        UnaryOp::Not if truth(operand, names, context) => Typed::Known(INT),
        UnaryOp::Not => Typed::Mistake,
        UnaryOp::AddressOf | UnaryOp::Deref if in_template => gone(
            expr.span,
            if op == UnaryOp::Deref { "what a pointer leads to" } else { "an address" },
            context,
        ),
        UnaryOp::AddressOf => match type_of(operand, names, context) {
            Typed::Mistake => Typed::Mistake,
            _ => Typed::Known(TypeKind::Pointer { user: false, text: false, to: None }),
        },
        UnaryOp::Deref => match type_of(operand, names, context) {
            Typed::Known(TypeKind::Pointer { to: Some(to), .. }) => pointed(*to),
            Typed::Known(kind) if !is_raw_pointer(&kind) => {
                let span = context.exprs[operand].span;
                context.diagnostics.push(codes::bad_operand::bad_operand(span, "*", kind.describe()));
                Typed::Mistake
            }
            Typed::Mistake => Typed::Mistake,
            _ => Typed::Unknown,
        },
        UnaryOp::Neg => match type_of(operand, names, context) {
            Typed::Known(kind) if !kind.is_integer() => {
                let span = context.exprs[operand].span;
                context.diagnostics.push(codes::bad_operand::bad_operand(span, "-", kind.describe()));
                Typed::Mistake
            }
            Typed::Known(kind) => wider(&kind, &INT),
            other => other,
        },
    }
}

fn binary(
    op: BinaryOp,
    op_span: Span,
    left: ExprId,
    right: ExprId,
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    use BinaryOp::{Add, Eq, Ge, Gt, Le, Lt, Match, Ne, NotMatch, Sub};
    if matches!(op, Match | NotMatch) {
        return not_in_c(op_span, "a pattern", "C compares text with `strcmp`", context);
    }
    let (a, b) = (type_of(left, names, context), type_of(right, names, context));
    if a == Typed::Mistake || b == Typed::Mistake {
        return Typed::Mistake;
    }
    let compares = matches!(op, Eq | Ne | Lt | Le | Gt | Ge);
    for (typed, id) in [(&a, left), (&b, right)] {
        let Typed::Known(kind) = typed else { continue };
        // Pointers compare and are counted on; text that is a pointer too compares as one, which nobody means.
        let fits = kind.is_integer()
            || (is_raw_pointer(kind) && !kind.is_text() && (compares || matches!(op, Add | Sub)));
        let null = kind.is_text() && compares && is_null(left, right, context);
        if !fits && !null {
            let span = context.exprs[id].span;
            context.diagnostics.push(codes::bad_operand::bad_operand(span, op.symbol(), kind.describe()));
            return Typed::Mistake;
        }
    }
    match (a, b) {
        _ if compares => Typed::Known(INT),
        (Typed::Known(a), Typed::Known(b)) if a.is_integer() && b.is_integer() => wider(&a, &b),
        _ => Typed::Unknown,
    }
}

/// Whether one side is `NULL` or 0.
fn is_null(left: ExprId, right: ExprId, context: &Context<'_, '_>) -> bool {
    [left, right].into_iter().any(|id| match &context.exprs[id].kind {
        ExprKind::Name(name) => name == "NULL",
        ExprKind::Int(value) => *value == 0,
        _ => false,
    })
}
