//! Conversion of written types to types of C and of records.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{ExprId, ExprKind, Name, Tag, TypeBase, TypeRef};
use tracec_kernel::tables::{c_constants, c_structs, c_types};

use crate::constant::{ConstType, Failure, Scope, const_eval, named_type};
use crate::diagnostic::codes;
use crate::ir::definition::{Aggregate, CType, ConstantLookup, Length, TypeKind, VisibleConstants};

use super::context::Context;

/// The limit of nested pointers: more than C code uses, and few enough to process recursively.
const MOST_POINTERS: usize = 8;

/// The position of a type in a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypePosition {
    /// The type of an argument of a tracepoint or function, or of its result.
    Argument,
    /// The type of a field of a record.
    Field,
    /// The type of a field of a probe's record.
    ProbeField,
    /// The type after `as`.
    Cast,
}

/// Returns the names of the types that an argument or a field can have, or a pointer to them, apart from structs.
pub fn type_names(constants: VisibleConstants<'_>) -> impl Iterator<Item = String> {
    let own = ["string", "cpumask", "bitmask", "sockaddr", "char", "void"].into_iter();
    let own = own.chain(c_types::ALL.iter().map(|c| c.name).filter(|name| *name != "char"));
    own.map(str::to_owned).chain(constants.type_names())
}

/// Resolves a written type. `None` if a mistake was reported.
pub(super) fn resolve(ty: &TypeRef, position: TypePosition, context: &mut Context<'_, '_>) -> Option<CType> {
    let (base, mut c) = base(ty, context)?;
    let mut kind = base;
    if ty.pointers.len() > MOST_POINTERS {
        return context.say(codes::type_not_here::type_not_here(
            ty.span,
            "so many pointers",
            "nothing is so far away",
        ));
    }
    for pointer in ty.pointers.iter().rev() {
        if let Some(instead) = pointer_instead(&kind) {
            let help = format!("it is what a record holds; the pointer is {instead}");
            return context.say(codes::type_not_here::type_not_here(ty.span, "a pointer to this", &help));
        }
        let constant = if pointer.value.constant { "const " } else { "" };
        let user = if pointer.value.user { "__user " } else { "" };
        let gap = if c.ends_with('*') { "" } else { " " };
        // `const` precedes the type that it qualifies, but follows the star of a pointer.
        c = if gap.is_empty() { format!("{c}{constant}{user}*") } else { format!("{constant}{c} {user}*") };
        let text = kind.is_char();
        let to = (kind != TypeKind::Void).then(|| Box::new(kind));
        kind = TypeKind::Pointer { user: pointer.value.user, text, to };
    }
    if let Some(length) = &ty.array {
        kind = array(kind, length.value, length.span, context)?;
    }
    let ty = CType { kind, c, span: ty.span };
    fits(&ty, position, context).then_some(ty)
}

/// Returns the type of a pointer to what a record copies; `None` for a type that C has too.
fn pointer_instead(kind: &TypeKind) -> Option<&'static str> {
    Some(match kind {
        TypeKind::Text { .. } => "`*char` or `*user char`",
        TypeKind::Cpumask => "`*struct cpumask`",
        TypeKind::Bitmask => "`*unsigned long`",
        TypeKind::SocketAddress => "`*struct sockaddr`",
        _ => return None,
    })
}

/// Resolves the innermost part, and returns it with its spelling in C.
fn base(ty: &TypeRef, context: &mut Context<'_, '_>) -> Option<(TypeKind, String)> {
    match &ty.base {
        TypeBase::UserString => Some((TypeKind::Text { user: true }, "char".to_owned())),
        TypeBase::Tagged { tag, name } => Some(match tag.value {
            Tag::Enum => (TypeKind::CEnum, format!("enum {}", name.value)),
            Tag::Struct => {
                let known = c_structs::find_tag(&name.value);
                let aggregate = Aggregate { tag: Some(Tag::Struct), name: name.value.clone(), known };
                (TypeKind::Aggregate(aggregate), format!("struct {}", name.value))
            }
            Tag::Union => {
                let aggregate = Aggregate { tag: Some(Tag::Union), name: name.value.clone(), known: None };
                (TypeKind::Aggregate(aggregate), format!("union {}", name.value))
            }
        }),
        TypeBase::Words(words) => self::words(ty, words, " ", context),
        TypeBase::Path(names) => self::words(ty, names, "::", context),
    }
}

/// Resolves a type of one or more words, or of a path.
fn words(
    ty: &TypeRef,
    words: &[Name],
    between: &str,
    context: &mut Context<'_, '_>,
) -> Option<(TypeKind, String)> {
    let name = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(between);
    let span = words.iter().map(|word| word.span).reduce(Span::to).unwrap_or(ty.span);
    match name.as_str() {
        "void" => return Some((TypeKind::Void, name)),
        "char" => return Some((TypeKind::Char { signed: context.has_signed_char() }, name)),
        "string" => return Some((TypeKind::Text { user: false }, "char".to_owned())),
        "cpumask" => return Some((TypeKind::Cpumask, "cpumask_t".to_owned())),
        "bitmask" => return Some((TypeKind::Bitmask, "unsigned long".to_owned())),
        "sockaddr" => return Some((TypeKind::SocketAddress, "u8".to_owned())),
        _ => {}
    }
    if let Some(known) = c_structs::find_typedef(&name) {
        return Some((
            TypeKind::Aggregate(Aggregate { tag: None, name: name.clone(), known: Some(known) }),
            name,
        ));
    }
    match named_type(&name, context.constants) {
        Ok(Some(ConstType::Int { ty, name })) => Some((TypeKind::Int(ty), name)),
        Ok(Some(ConstType::Enum { id, ty })) => {
            let kind = TypeKind::Enum { id, flags: ty.flags, carrier: ty.carrier };
            // Its values fit what is unsigned, whatever `char` is.
            let carrier = if ty.carrier_name == "char" { "unsigned char" } else { &ty.carrier_name };
            Some((kind, carrier.to_owned()))
        }
        Ok(Some(other)) => {
            let help =
                format!("`{}` is a type of constants and parameters; a record holds integers", other.name());
            context.say(codes::type_not_here::type_not_here(span, "this type", &help))
        }
        Err(_) => None,
        // Behind a pointer, a typedef of a header needs no size.
        Ok(None) if !ty.pointers.is_empty() && context.has_headers => {
            Some((TypeKind::Aggregate(Aggregate { tag: None, name: name.clone(), known: None }), name))
        }
        Ok(None) => {
            let near = context.suggestions.near(span, &name, || type_names(context.constants));
            let mistake = codes::unknown_type::unknown_type(span, &name, &near);
            let mistake = if near.is_empty() {
                mistake.help(format!("a struct of a header is written `struct {name}`"))
            } else {
                mistake
            };
            context.say(mistake)
        }
    }
}

/// Resolves `T[N]` and `T[]`.
fn array(
    element: TypeKind,
    length: Option<ExprId>,
    span: Span,
    context: &mut Context<'_, '_>,
) -> Option<TypeKind> {
    if pointer_instead(&element).is_some() || element == TypeKind::Void {
        let help = format!("an array's elements have one size, and this is {}", element.describe());
        return context.say(codes::type_not_here::type_not_here(span, "an array of this", &help));
    }
    let element = Box::new(element);
    match length {
        None => Some(TypeKind::Elements { element }),
        Some(id) => Some(TypeKind::Array { element, length: self::length(id, context)? }),
    }
}

/// Returns the length of an array: a constant, or a macro of a header.
fn length(id: ExprId, context: &mut Context<'_, '_>) -> Option<Length> {
    let expr = &context.syntax[id];
    let name = match &expr.kind {
        ExprKind::Name(name) if context.constants.find(&[name], None) == ConstantLookup::Unknown => {
            Some(name)
        }
        _ => None,
    };
    if let Some(name) = name {
        if let Some(known) = c_constants::find(name) {
            return Some(Length::Known { count: known.value, name: Some(name.clone()) });
        }
        if context.has_headers && is_macro_name(name) {
            return Some(Length::Macro(name.clone()));
        }
        let near = context.suggestions.near(expr.span, name, || {
            c_constants::names().map(str::to_owned).chain(context.constants.names())
        });
        return context.say(codes::unknown_constant::unknown_constant(expr.span, name, &near));
    }
    let value = match const_eval(id, context.syntax, &Scope::of(context.constants, context.suggestions)) {
        Ok(value) => value,
        Err(Failure::Reported) => return None,
        Err(Failure::Mistake(mistake)) => return context.say(*mistake),
    };
    let count = value.number().and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0);
    match count {
        Some(count) => Some(Length::Known { count, name: None }),
        None => context.say(codes::bad_length::bad_length(expr.span)),
    }
}

/// Returns whether a name is in the style of C macros: `TASK_COMM_LEN`.
pub(super) fn is_macro_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Checks whether a type is valid at its position.
fn fits(ty: &CType, position: TypePosition, context: &mut Context<'_, '_>) -> bool {
    let why = match (&ty.kind, position) {
        (TypeKind::Void, _) => Some(("`void`", "a value has a type; a pointer to anything is `*void`")),
        (TypeKind::Text { .. }, TypePosition::Argument | TypePosition::Cast) => Some((
            "`string`",
            "it is what a record holds; a pointer to text is `*char`, in user memory `*user char`",
        )),
        (TypeKind::Cpumask, TypePosition::Argument | TypePosition::Cast) => {
            Some(("`cpumask`", "it is what a record holds; an argument is `*struct cpumask`"))
        }
        (TypeKind::Bitmask, TypePosition::Argument | TypePosition::Cast) => Some((
            "`bitmask`",
            "it is what a record holds; arguments are `*unsigned long` and the number of bits",
        )),
        (TypeKind::SocketAddress, TypePosition::Argument | TypePosition::Cast) => {
            Some(("`sockaddr`", "it is what a record holds; arguments are `*struct sockaddr` and its length"))
        }
        (TypeKind::Array { .. } | TypeKind::Elements { .. }, TypePosition::Argument | TypePosition::Cast) => {
            Some(("an array", "C passes a pointer to its first element"))
        }
        (TypeKind::Text { user: true }, TypePosition::Field) => Some((
            "`user string`",
            "a tracepoint may not wait for user memory; a probe can read it, or record the pointer",
        )),
        (TypeKind::Aggregate(aggregate), position) => {
            return aggregate_fits(ty, aggregate, position, context);
        }
        (TypeKind::Array { element, .. } | TypeKind::Elements { element }, TypePosition::Field)
            if matches!(&**element, TypeKind::Aggregate(aggregate) if aggregate.known.is_none())
                && !context.has_headers =>
        {
            context.diagnostics.push(codes::unknown_size::unknown_size(ty.span, &ty.c));
            return false;
        }
        _ => None,
    };
    if let Some((what, why)) = why {
        context.diagnostics.push(codes::type_not_here::type_not_here(ty.span, what, why));
    }
    why.is_none()
}

/// Checks that a struct is behind a pointer, or has a fixed size.
fn aggregate_fits(
    ty: &CType,
    aggregate: &Aggregate,
    position: TypePosition,
    context: &mut Context<'_, '_>,
) -> bool {
    let small = aggregate.known.is_some_and(|known| known.size <= 8);
    let mistake = match position {
        // What includes a header is left to the targets: some of them are read by a C compiler, which knows the size.
        TypePosition::Field if aggregate.known.is_some() || context.has_headers => return true,
        TypePosition::Argument if small => return true,
        TypePosition::Field => codes::unknown_size::unknown_size(ty.span, &ty.c),
        TypePosition::Argument => codes::struct_by_value::struct_by_value(ty.span, &ty.c),
        TypePosition::ProbeField | TypePosition::Cast => codes::type_not_here::type_not_here(
            ty.span,
            "a struct",
            "a value of a struct is none that a register or a fetch argument holds",
        ),
    };
    context.diagnostics.push(mistake);
    false
}
