//! Expressions that become C: what an entry sets its fields to, an event's condition, the placeholders of a template.
//!
//! Without the kernel's type information little is known of `rq->q->disk`; it is left to the compiler that meets it. What
//! is known is checked: names, the types of arguments and fields, literals, operators on them.

mod operators;

use std::collections::{HashMap, HashSet};

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Expr, ExprId, ExprKind, Name};
use tracec_kernel::format::IntegerType;

use crate::diagnostic::codes;
use crate::ir::definition::{Argument, Found, TypeKind, Value};

use super::context::{Context, near};
use super::types::{self, Place, is_macro_name};

/// The arguments of a tracepoint, to be found by name.
pub(super) struct Arguments<'a> {
    list: &'a [Argument],
    by_name: HashMap<&'a str, usize>,
    lost: HashSet<&'a str>,
}

impl<'a> Arguments<'a> {
    /// Those with a type, and the names of those whose type has a mistake.
    pub(super) fn new(list: &'a [Argument], lost: HashSet<&'a str>) -> Self {
        let names = list.iter().enumerate().rev();
        // Of two with one name the first counts.
        let by_name = names.map(|(index, argument)| (argument.name.value.as_str(), index)).collect();
        Arguments { list, by_name, lost }
    }

    /// The argument of this name, and its index.
    pub(super) fn find(&self, name: &str) -> Option<(usize, &'a Argument)> {
        let index = *self.by_name.get(name)?;
        Some((index, self.list.get(index)?))
    }

    /// Whether there is one of this name that nothing is known of: to use it is no second mistake.
    pub(super) fn has_lost(&self, name: &str) -> bool {
        self.lost.contains(name)
    }

    /// Their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.list.iter().map(|argument| argument.name.value.as_str())
    }
}

/// Whose names an expression uses.
#[derive(Clone, Copy)]
pub(super) enum Names<'a> {
    /// The arguments of a tracepoint; it runs where the tracepoint is.
    Arguments(&'a Arguments<'a>),
    /// The fields of a record; it runs when the record is printed, and nothing else is there then.
    Fields {
        /// By name: the type.
        fields: &'a HashMap<&'a str, &'a TypeKind>,
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
    if context.diagnostics.is_full() {
        return Typed::Mistake;
    }
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
            operators::choose(expr, [*condition, *then, *otherwise], names, context)
        }
        ExprKind::Unary { op, operand } => operators::unary(expr, op.value, *operand, names, context),
        ExprKind::Binary { op, left, right } => {
            operators::binary(op.value, op.span, *left, *right, names, context)
        }
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
        ExprKind::In { operand, members, word } => operators::is_in(*operand, members, *word, names, context),
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
        Names::Fields { fields, .. } => fields.get(name).copied(),
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
            Names::Arguments(arguments) => of_c(name, span, arguments, context),
            Names::Fields { fields, arguments } => {
                let is_argument = arguments.iter().any(|argument| argument.name.value == name);
                let near = near(name, fields.keys().copied());
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
fn of_c(name: &str, span: Span, arguments: &Arguments<'_>, context: &mut Context<'_, '_>) -> Typed {
    match name {
        "current" => Typed::Known(TypeKind::Pointer { user: false, text: false, to: None }),
        "NULL" => Typed::Known(TypeKind::Pointer { user: false, text: false, to: None }),
        "true" | "false" => Typed::Known(INT),
        "jiffies" => Typed::Known(UNSIGNED_LONG),
        // Which macros there are only the headers know.
        _ if is_macro_name(name) => Typed::Unknown,
        _ => {
            let known: Vec<String> = context.constants.names();
            let near =
                near(name, arguments.names().chain(["current"]).chain(known.iter().map(String::as_str)));
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
        Value::Cpus(_) => not_in_c(span, "a set of CPUs", "call `cpumask_test_cpu` or its like", context),
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
                let place = context.exprs[base].span.behind().to(member.span);
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
