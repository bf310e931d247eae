//! Types of constants: `const N: u8 = ..`, `x as us`, a session's `min: duration`.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{TypeBase, TypeRef};
use tracec_kernel::format::IntegerType;
use tracec_kernel::tables::c_types;

use crate::diagnostic::codes;
use crate::ir::definition::{ConstantLookup, EnumId, EnumRef, EnumType, Value, ValueKind, VisibleConstants};

use super::{Failure, Scope};

/// The type of a constant or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstType<'a> {
    /// `u32`, `dev_t`.
    Int {
        /// The size and sign of the type.
        ty: IntegerType,
        /// The name of the type.
        name: String,
    },
    /// An `enum` or `flags`.
    Enum {
        /// The id of the type.
        id: EnumId,
        /// The type.
        ty: &'a EnumType,
    },
    /// `size`
    Size,
    /// `duration`
    Duration,
    /// `string`
    Text,
    /// `address`
    Address,
    /// `cpus`
    Cpus,
}

/// The types of constants that are not integers of C.
const OWN: &[(&str, ConstType<'_>)] = &[
    ("size", ConstType::Size),
    ("duration", ConstType::Duration),
    ("string", ConstType::Text),
    ("address", ConstType::Address),
    ("cpus", ConstType::Cpus),
];

/// Units of `as us` and the like, with their nanoseconds.
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
];

impl ConstType<'_> {
    fn kind(&self) -> ValueKind {
        match self {
            ConstType::Int { .. } | ConstType::Enum { .. } => ValueKind::Int,
            ConstType::Size => ValueKind::Size,
            ConstType::Duration => ValueKind::Duration,
            ConstType::Text => ValueKind::Text,
            ConstType::Address => ValueKind::Address,
            ConstType::Cpus => ValueKind::Cpus,
        }
    }

    /// Returns the name of the type as it is written in the language.
    pub fn name(&self) -> &str {
        match self {
            ConstType::Int { name, .. } => name,
            ConstType::Enum { ty, .. } => &ty.name,
            ConstType::Size => "size",
            ConstType::Duration => "duration",
            ConstType::Text => "string",
            ConstType::Address => "address",
            ConstType::Cpus => "cpus",
        }
    }
}

/// Why a type that is written is not one of constants.
#[derive(Clone, Debug)]
pub enum NoConstType {
    /// Constants have no types of its form, such as arrays and pointers. Its span.
    Form(Span),
    /// It has another mistake, or depends on one.
    Failure(Failure),
}

impl From<Failure> for NoConstType {
    fn from(failure: Failure) -> Self {
        NoConstType::Failure(failure)
    }
}

impl From<NoConstType> for Failure {
    fn from(why: NoConstType) -> Self {
        match why {
            NoConstType::Form(span) => codes::constant_mismatch::not_a_constant_type(span).into(),
            NoConstType::Failure(failure) => failure,
        }
    }
}

/// Returns the type that is written after the colon of a constant or parameter.
///
/// # Errors
/// [`NoConstType`], if it is not a type of a constant.
pub fn const_type<'a>(ty: &TypeRef, scope: &Scope<'a>) -> Result<ConstType<'a>, NoConstType> {
    let name = words(ty).ok_or(NoConstType::Form(ty.span))?;
    if let Some(found) = named_type(&name, scope.constants)? {
        return Ok(found);
    }
    let near = scope.suggestions.near(ty.span, &name, || type_names(scope.constants));
    Err(Failure::from(codes::unknown_type::unknown_type(ty.span, &name, &near)).into())
}

/// Returns the names of the types that a constant or parameter can have.
pub fn type_names(constants: VisibleConstants<'_>) -> impl Iterator<Item = String> {
    let known = OWN.iter().map(|(own, _)| *own).chain(c_types::ALL.iter().map(|c| c.name));
    known.map(str::to_owned).chain(constants.type_names())
}

/// Returns what values a type of constants has that is not an integer of C; `None` for another name.
pub fn type_doc(name: &str) -> Option<&'static str> {
    let (_, ty) = OWN.iter().find(|(own, _)| *own == name)?;
    Some(match ty {
        ConstType::Size => "a number of bytes, which may have a unit: `64KiB`",
        ConstType::Duration => "a time with its unit: `10ms`",
        ConstType::Text => "a string: `\"bash\"`",
        ConstType::Address => "an IPv4 or IPv6 address: `10.0.0.1`",
        ConstType::Cpus => "a set of CPUs: `CPUS{0-3}`",
        ConstType::Int { .. } | ConstType::Enum { .. } => return None,
    })
}

/// Returns the units in which a duration is counted by `as`.
pub fn duration_units() -> impl Iterator<Item = &'static str> {
    UNITS.iter().map(|(unit, _)| *unit)
}

/// Returns the type of constants that has a name, or a path such as `errno::Errno`; `None` if there is none.
///
/// # Errors
/// [`Failure::Reported`], if the declaration of the name has a mistake.
pub fn named_type<'a>(name: &str, constants: VisibleConstants<'a>) -> Result<Option<ConstType<'a>>, Failure> {
    if let Some((_, own)) = OWN.iter().find(|(own, _)| *own == name) {
        return Ok(Some(own.clone()));
    }
    if let Some(c) = c_types::find(name) {
        let ty = IntegerType { bytes: c.size, signed: c.signed };
        return Ok(Some(ConstType::Int { ty, name: name.to_owned() }));
    }
    let path: Vec<&str> = name.split("::").collect();
    if let Some(id) = constants.find_enum(&path) {
        return Ok(Some(ConstType::Enum { id, ty: &constants.table[id] }));
    }
    if constants.find(&path, None) == ConstantLookup::Failed {
        return Err(Failure::Reported);
    }
    Ok(None)
}

/// Checks a value against a declared type. The value has to be of that type already: nothing is truncated.
///
/// # Errors
/// [`Failure`], if it is of another kind or does not fit.
pub fn convert(value: Value, ty: &ConstType<'_>, span: Span) -> Result<Value, Failure> {
    let mismatch = || {
        codes::constant_mismatch::declared(span, value.kind().describe(), ty.kind().describe(), ty.name())
            .into()
    };
    match (ty, &value) {
        (ConstType::Int { ty: integer, name }, Value::Int { .. } | Value::Size(_)) => {
            let number = value.number().ok_or_else(mismatch)?;
            fit(number, *integer, name, span)?;
            Ok(Value::int(number))
        }
        (ConstType::Enum { id, ty }, Value::Int { value: number, of }) => {
            let own = EnumRef::Declared(*id);
            if of.is_some_and(|other| other != own) {
                return Err(mismatch());
            }
            fit(*number, ty.carrier, &ty.name, span)?;
            Ok(Value::Int { value: *number, of: Some(own) })
        }
        (ConstType::Size, Value::Int { value: number, .. }) => {
            u64::try_from(*number).map(Value::Size).map_err(|_| mismatch())
        }
        _ if ty.kind() == value.kind() => Ok(value),
        _ => Err(mismatch()),
    }
}

/// Evaluates `value as ty`: a number is truncated to the type as in C, a duration is counted in a unit.
pub(super) fn cast(value: Value, ty: &TypeRef, span: Span, scope: &Scope<'_>) -> Result<Value, Failure> {
    if let (Value::Duration(nanoseconds), Some(name)) = (&value, words(ty)) {
        if let Some((_, unit)) = UNITS.iter().find(|(unit, _)| *unit == name) {
            return Ok(Value::int(i128::from(nanoseconds / unit)));
        }
        return Err(codes::constant_mismatch::duration_cast(ty.span, span, &name).into());
    }
    let ty = const_type(ty, scope)?;
    match (&ty, value.number()) {
        (ConstType::Int { ty, .. }, Some(number)) => Ok(Value::int(cut(number, *ty))),
        (ConstType::Enum { id, ty }, Some(number)) => {
            Ok(Value::Int { value: cut(number, ty.carrier), of: Some(EnumRef::Declared(*id)) })
        }
        _ => convert(value, &ty, span),
    }
}

/// Reports a number that an integer type cannot hold.
pub(super) fn fit(value: i128, ty: IntegerType, name: &str, span: Span) -> Result<(), Failure> {
    if (ty.min()..=ty.max()).contains(&value) {
        return Ok(());
    }
    Err(codes::does_not_fit::does_not_fit(span, value, name, ty.min(), ty.max()).into())
}

/// Returns the text of a type that consists of words or of a path alone.
pub(super) fn words(ty: &TypeRef) -> Option<String> {
    let (names, between) = match &ty.base {
        TypeBase::Words(words) => (words, " "),
        TypeBase::Path(names) => (names, "::"),
        TypeBase::Tagged { .. } | TypeBase::UserString => return None,
    };
    let alone = ty.pointers.is_empty() && ty.array.is_none();
    alone.then(|| names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(between))
}

/// Returns the low bits of a number as a value of an integer type.
fn cut(value: i128, ty: IntegerType) -> i128 {
    let bits = 8 * ty.bytes.clamp(1, 8);
    let low = value & ((1 << bits) - 1);
    if ty.signed && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
}
