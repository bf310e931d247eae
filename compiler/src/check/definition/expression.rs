//! Expressions that become C: the values of an entry's fields, an event's condition, the placeholders of a template.
//!
//! Without the kernel's type information the type of `rq->q->disk` is unknown; the C compiler checks it. Names, the
//! types of arguments and fields, literals, and operators on them are checked here.

mod operators;

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Expr as SyntaxExpr, ExprId as SyntaxId, ExprKind as Syntax, Name};
use tracec_kernel::format::IntegerType;
use tracec_kernel::tables::sleeping;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{
    Argument, ConstantLookup, EnumRef, Expr, ExprId, ExprKind, PRINT_FUNCTIONS, TypeKind, Value,
    is_error_name,
};

use super::context::Context;
use super::types::{self, TypePosition, is_macro_name};

/// The arguments of a tracepoint, found by name.
pub(super) struct ArgumentList<'a> {
    list: &'a [Argument],
    by_name: FxHashMap<&'a str, usize>,
    lost: FxHashSet<&'a str>,
}

impl<'a> ArgumentList<'a> {
    /// Returns the arguments with a type, and the names of those whose type has a mistake.
    pub(super) fn new(list: &'a [Argument], lost: FxHashSet<&'a str>) -> Self {
        let names = list.iter().enumerate().rev();
        // If two arguments have one name, the first counts.
        let by_name = names.map(|(index, argument)| (argument.name.value.as_str(), index)).collect();
        ArgumentList { list, by_name, lost }
    }

    /// Returns the argument of this name, and its index.
    pub(super) fn find(&self, name: &str) -> Option<(usize, &'a Argument)> {
        let index = *self.by_name.get(name)?;
        Some((index, self.list.get(index)?))
    }

    /// Returns the argument of this index.
    pub(super) fn at(&self, index: usize) -> Option<&'a Argument> {
        self.list.get(index)
    }

    /// Returns whether the argument of this name was left out because of a mistake: its use is not a second mistake.
    pub(super) fn has_lost(&self, name: &str) -> bool {
        self.lost.contains(name)
    }

    /// Returns the names of the arguments.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.list.iter().map(|argument| argument.name.value.as_str())
    }
}

/// The names that an expression can use.
#[derive(Clone, Copy)]
pub(super) enum VisibleNames<'a> {
    /// The arguments of a tracepoint; the expression is evaluated at the tracepoint.
    Arguments(&'a ArgumentList<'a>),
    /// The fields of a record; the expression is evaluated when the record is printed, and can use nothing else.
    Fields {
        /// The index and the type of each field, by name.
        fields: &'a FxHashMap<&'a str, (usize, &'a TypeKind)>,
        /// The names of the arguments, which do not exist any more then.
        arguments: &'a FxHashSet<&'a str>,
        /// The separator between the names of two flags that stand beside a text.
        delimiter: &'a str,
    },
}

impl<'a> VisibleNames<'a> {
    /// Returns the names by the indices that expressions have for them.
    pub(super) fn by_index(self) -> Vec<&'a str> {
        match self {
            VisibleNames::Arguments(arguments) => arguments.names().collect(),
            VisibleNames::Fields { fields, .. } => {
                let count = fields.values().map(|(index, _)| index + 1).max().unwrap_or(0);
                let mut names = vec![""; count];
                for (&name, &(index, _)) in fields {
                    names[index] = name;
                }
                names
            }
        }
    }
}

/// A typed expression, whose operands are stored with those of the file.
struct Typed {
    kind: ExprKind,
    /// The type; `None` if only the kernel's headers define it.
    ty: Option<TypeKind>,
}

impl Typed {
    fn known(kind: ExprKind, ty: TypeKind) -> Option<Typed> {
        Some(Typed { kind, ty: Some(ty) })
    }

    fn unknown(kind: ExprKind) -> Option<Typed> {
        Some(Typed { kind, ty: None })
    }
}

/// `int`: the type of a comparison.
const INT: TypeKind = TypeKind::Int(IntegerType { bytes: 4, signed: true });
/// `unsigned int`: the type of MAJOR and MINOR.
const UNSIGNED_INT: TypeKind = TypeKind::Int(IntegerType { bytes: 4, signed: false });
/// `long`
const LONG: TypeKind = TypeKind::Int(IntegerType { bytes: 8, signed: true });
/// `unsigned long`
const UNSIGNED_LONG: TypeKind = TypeKind::Int(IntegerType { bytes: 8, signed: false });
/// A pointer to an unknown type.
const ADDRESS: TypeKind = TypeKind::Pointer { user: false, text: false, to: None };
/// Text that can always be read: a literal, and text in a record.
const LITERAL: TypeKind = TypeKind::Text { user: false };

/// Types an expression. `None` if a mistake was reported. The grammar limits its depth.
pub(super) fn expression(
    id: SyntaxId,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<ExprId> {
    let syntax = context.syntax;
    let expr = &syntax[id];
    let Typed { kind, ty } = typed(expr, names, context)?;
    Some(context.exprs.push(Expr { kind, ty, span: expr.span }))
}

fn typed(expr: &SyntaxExpr, names: VisibleNames<'_>, context: &mut Context<'_, '_>) -> Option<Typed> {
    match &expr.kind {
        Syntax::Error => None,
        Syntax::Int(value) => Typed::known(ExprKind::Int(*value), number(i128::from(*value))),
        Syntax::Size(bytes) => Typed::known(ExprKind::Int(*bytes), UNSIGNED_LONG),
        Syntax::Str(text) => Typed::known(ExprKind::Str(text.clone()), LITERAL),
        Syntax::Name(name) => named(name, expr.span, names, context),
        Syntax::Path(parts) => path(parts, expr.span, context),
        Syntax::Member { base, member } => self::member(expr, *base, member, names, context),
        Syntax::Arrow { base, member } => arrow(expr, *base, member, names, context),
        Syntax::Index { base, index } => self::index(*base, *index, names, context),
        Syntax::Call { function, args } => call(*function, args, names, context),
        Syntax::Cast { operand, ty } => {
            let operand = expression(*operand, names, context);
            let ty = types::resolve(ty, TypePosition::Cast, context);
            let (operand, ty) = (operand?, ty?);
            let kind = ty.kind.clone();
            Typed::known(ExprKind::Cast { operand, ty }, kind)
        }
        Syntax::Choose { condition, then, otherwise } => {
            operators::choose(expr, [*condition, *then, *otherwise], names, context)
        }
        Syntax::Unary { op, operand } => operators::unary(expr, op.value, *operand, names, context),
        Syntax::Binary { op, left, right } => {
            operators::binary(op.value, op.span, *left, *right, names, context)
        }
        Syntax::And(parts) => Typed::known(ExprKind::And(truths(parts, names, context)?), INT),
        Syntax::Or(parts) => Typed::known(ExprKind::Or(truths(parts, names, context)?), INT),
        // Its operator has been refused.
        Syntax::Patterns(_) => None,
        Syntax::Duration(_) => context.say(codes::not_in_c::not_in_c(
            expr.span,
            "a duration",
            "write `10ms as us` where a constant may stand, or the number",
        )),
        Syntax::Address(_) => context.say(address(expr.span)),
        Syntax::Cpus(_) => context.say(cpus(expr.span)),
        Syntax::In { operand, members, word } => operators::is_in(*operand, members, *word, names, context),
    }
}

/// Types an expression in the place of a condition: a number or a pointer.
pub(super) fn truth(id: SyntaxId, names: VisibleNames<'_>, context: &mut Context<'_, '_>) -> Option<ExprId> {
    let expr = expression(id, names, context)?;
    match &context.exprs[expr].ty {
        Some(kind) if !kind.is_integer() && !is_raw_pointer(kind) => {
            let mistake = codes::bad_operand::not_a_truth(context.exprs[expr].span, kind.describe());
            context.say(mistake)
        }
        _ => Some(expr),
    }
}

/// Types the parts of a conjunction or disjunction: all of them, so that each mistake is found.
fn truths(parts: &[SyntaxId], names: VisibleNames<'_>, context: &mut Context<'_, '_>) -> Option<Vec<ExprId>> {
    let parts: Vec<Option<ExprId>> = parts.iter().map(|&part| truth(part, names, context)).collect();
    parts.into_iter().collect()
}

fn is_raw_pointer(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Pointer { .. })
}

/// Returns the type of an integer literal, as C defines it.
fn number(value: i128) -> TypeKind {
    if i32::try_from(value).is_ok() {
        INT
    } else if i64::try_from(value).is_ok() {
        LONG
    } else {
        UNSIGNED_LONG
    }
}

/// Returns the type of text somewhere in the kernel.
fn text(context: &mut Context<'_, '_>) -> TypeKind {
    let character = TypeKind::Char { signed: context.has_signed_char() };
    TypeKind::Pointer { user: false, text: true, to: Some(Box::new(character)) }
}

fn address(span: Span) -> Diagnostic {
    codes::not_in_c::not_in_c(span, "an address", "compare the bytes, or call a function of C")
}

fn cpus(span: Span) -> Diagnostic {
    codes::not_in_c::not_in_c(span, "a set of CPUs", "call `cpumask_test_cpu` or its like")
}

/// Types a name: an argument or field, then a constant.
fn named(name: &str, span: Span, names: VisibleNames<'_>, context: &mut Context<'_, '_>) -> Option<Typed> {
    let own = match names {
        VisibleNames::Arguments(arguments) if arguments.has_lost(name) => return None,
        VisibleNames::Arguments(arguments) => {
            arguments.find(name).map(|(index, argument)| (ExprKind::Argument(index), &argument.ty.kind))
        }
        VisibleNames::Fields { fields, .. } => {
            fields.get(name).map(|&(index, kind)| (ExprKind::Field(index), kind))
        }
    };
    if let Some((kind, ty)) = own {
        return Typed::known(kind, ty.clone());
    }
    match context.constants.find(&[name], None) {
        ConstantLookup::Value(value) => constant(name.to_owned(), value, span, context),
        ConstantLookup::Failed => None,
        ConstantLookup::Ambiguous(paths) => {
            context.say(codes::ambiguous_constant::ambiguous_constant(span, name, &paths))
        }
        ConstantLookup::Type(ty) => {
            context.say(codes::not_constant::is_a_type(span, &context.constants.table[ty]))
        }
        ConstantLookup::Unknown => match names {
            VisibleNames::Arguments(arguments) => of_c(name, span, arguments, context),
            VisibleNames::Fields { fields, arguments, .. } => {
                let near = context.suggestions.near(span, name, || fields.keys().copied());
                let is_argument = arguments.contains(name);
                let mistake = codes::unknown_placeholder::unknown_placeholder(span, name, is_argument, &near);
                context.say(mistake)
            }
        },
    }
}

/// Types a name that C defines, or may define: the task that runs, macros.
fn of_c(
    name: &str,
    span: Span,
    arguments: &ArgumentList<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let kind = ExprKind::C(name.to_owned());
    if let Some(flag) = sleeping::find(name).filter(|known| known.is_flag) {
        return context.say(codes::sleeps::sleeps(span, flag));
    }
    match name {
        "current" | "NULL" => Typed::known(kind, ADDRESS),
        "true" | "false" => Typed::known(kind, INT),
        "jiffies" => Typed::known(kind, UNSIGNED_LONG),
        _ if is_error_name(name) => Typed::known(kind, INT),
        // Only the headers define which macros exist.
        _ if is_macro_name(name) => Typed::unknown(kind),
        _ => {
            let near = context.suggestions.near(span, name, || {
                let own = arguments.names().chain(["current"]).map(str::to_owned);
                own.chain(context.constants.names())
            });
            context.say(codes::unknown_argument::unknown_argument(span, name, &near))
        }
    }
}

fn path(parts: &[Name], span: Span, context: &mut Context<'_, '_>) -> Option<Typed> {
    let path: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
    let name = path.join("::");
    match context.constants.find(&path, None) {
        ConstantLookup::Value(value) => constant(name, value, span, context),
        ConstantLookup::Failed => None,
        ConstantLookup::Ambiguous(paths) => {
            context.say(codes::ambiguous_constant::ambiguous_constant(span, &name, &paths))
        }
        ConstantLookup::Type(_) | ConstantLookup::Unknown => {
            let near = context.suggestions.near(span, &name, || context.constants.names());
            context.say(codes::unknown_constant::unknown_constant(span, &name, &near))
        }
    }
}

fn constant(name: String, value: Value, span: Span, context: &mut Context<'_, '_>) -> Option<Typed> {
    let ty = match &value {
        Value::Int { of: Some(EnumRef::Declared(id)), .. } => {
            let ty = &context.constants.table[*id];
            TypeKind::Enum { id: *id, flags: ty.flags, carrier: ty.carrier }
        }
        Value::Int { value, .. } => number(*value),
        Value::Size(_) => UNSIGNED_LONG,
        Value::Text(_) => LITERAL,
        Value::Duration(_) => {
            let help = "give the constant a unit: `10ms as us`";
            return context.say(codes::not_in_c::not_in_c(span, "a duration", help));
        }
        Value::Cpus(_) => return context.say(cpus(span)),
        Value::Address(_) => return context.say(address(span)),
    };
    Typed::known(ExprKind::Constant { name, value }, ty)
}

/// Types `a.b`, a member of a struct, whose type is unknown.
fn member(
    expr: &SyntaxExpr,
    base: SyntaxId,
    member: &Name,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    if is_current(base, context) {
        let fix = format!("current->{}", member.value);
        return context.say(codes::not_in_c::pointer_member(expr.span, &fix));
    }
    let base = expression(base, names, context)?;
    let Expr { ty, span, .. } = &context.exprs[base];
    match ty {
        None | Some(TypeKind::Aggregate(_)) => {
            Typed::unknown(ExprKind::Member { base, member: member.clone() })
        }
        Some(TypeKind::Pointer { .. }) => {
            let behind = span.behind().to(member.span);
            context.say(codes::not_in_c::pointer_member(behind, &format!("->{}", member.value)))
        }
        Some(kind) => {
            let mistake = codes::bad_operand::no_members(member.span, *span, kind.describe());
            context.say(mistake)
        }
    }
}

/// Types `a->b`.
fn arrow(
    expr: &SyntaxExpr,
    base: SyntaxId,
    member: &Name,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    if matches!(names, VisibleNames::Fields { .. }) {
        return gone(expr.span, "`->`", context);
    }
    let is_current = is_current(base, context);
    let base = expression(base, names, context)?;
    let Expr { ty, span, .. } = &context.exprs[base];
    let ty = match (ty, member.value.as_str()) {
        (Some(kind), _) if !is_raw_pointer(kind) => {
            let mistake = codes::bad_operand::no_members(member.span, *span, kind.describe());
            return context.say(mistake);
        }
        (Some(_), "comm") if is_current => Some(text(context)),
        (Some(_), "pid" | "tgid") if is_current => Some(INT),
        _ => None,
    };
    Some(Typed { kind: ExprKind::Arrow { base, member: member.clone() }, ty })
}

/// Returns whether an expression is the task that runs, by its name in C.
fn is_current(id: SyntaxId, context: &Context<'_, '_>) -> bool {
    matches!(&context.syntax[id].kind, Syntax::Name(name) if name == "current")
}

/// Reports a value in a template that exists only at the moment of the event.
fn gone<T>(span: Span, what: &str, context: &mut Context<'_, '_>) -> Option<T> {
    context.say(codes::not_in_c::gone(span, what))
}

fn index(
    base: SyntaxId,
    index: SyntaxId,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let (base, index) = (expression(base, names, context), expression(index, names, context));
    let (base, index) = (base?, index?);
    let wrong = |id: ExprId, kind: &TypeKind, context: &Context<'_, '_>| {
        codes::bad_operand::bad_operand(context.exprs[id].span, "[ ]", kind.describe())
    };
    let ty = match (&context.exprs[base].ty, &context.exprs[index].ty) {
        (_, Some(kind)) if !kind.is_integer() => {
            let mistake = wrong(index, kind, context);
            return context.say(mistake);
        }
        (Some(TypeKind::Array { element, .. } | TypeKind::Elements { element }), _) => {
            Some(TypeKind::clone(element))
        }
        (Some(TypeKind::Pointer { .. }), _) if matches!(names, VisibleNames::Fields { .. }) => {
            return gone(context.exprs[base].span, "what a pointer leads to", context);
        }
        (Some(TypeKind::Pointer { to, .. }), _) => to.as_deref().and_then(pointed),
        (None, _) => None,
        (Some(kind), _) => {
            let mistake = wrong(base, kind, context);
            return context.say(mistake);
        }
    };
    Some(Typed { kind: ExprKind::Index { base, index }, ty })
}

/// Returns the type that a pointer points to; the members of a struct are unknown.
fn pointed(to: &TypeKind) -> Option<TypeKind> {
    (*to != TypeKind::Void).then(|| to.clone())
}

fn call(
    function: SyntaxId,
    args: &[SyntaxId],
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let syntax = context.syntax;
    let callee = &syntax[function];
    let args: Vec<Option<ExprId>> = args.iter().map(|&arg| expression(arg, names, context)).collect();
    let args: Option<Vec<ExprId>> = args.into_iter().collect();
    let (function, ty) = match &callee.kind {
        Syntax::Name(name) => {
            let in_template = matches!(names, VisibleNames::Fields { .. });
            if in_template && !PRINT_FUNCTIONS.contains(&name.as_str()) {
                return gone(callee.span, "a function", context);
            }
            if let Some(known) = sleeping::find(name).filter(|known| !known.is_flag) {
                return context.say(codes::sleeps::sleeps(callee.span, known));
            }
            let function = Expr { kind: ExprKind::C(name.clone()), ty: None, span: callee.span };
            (context.exprs.push(function), in_template.then_some(UNSIGNED_INT))
        }
        // A call through a pointer: `ops->name(x)`.
        Syntax::Arrow { .. } => (expression(function, names, context)?, None),
        Syntax::Member { member, .. } => {
            let help = "modifiers are of histograms' keys";
            return context.say(codes::not_in_c::not_in_c(member.span, "a modifier", help));
        }
        _ => {
            let help = "a function has a name";
            return context.say(codes::not_in_c::not_in_c(callee.span, "a call of this", help));
        }
    };
    Some(Typed { kind: ExprKind::Call { function, args: args? }, ty })
}
