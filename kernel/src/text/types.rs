//! The types of C that the expressions of a `print fmt` have.

use super::environment::{Environment, Member};
use crate::format::{Field, FieldKind};
use crate::tables::c_types::{self, IntegerType};
use crate::tables::{c_members, c_structs};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Integer(IntegerType),
    /// An integer that holds 0 or 1.
    Bool,
    Pointer(Box<Type>),
    /// An array; its value is its address. The number of elements may be unknown.
    Array(Box<Type>, Option<u32>),
    /// A struct or union; its value is its address. Its size may be that of a field.
    Aggregate {
        name: Box<str>,
        size: Option<u32>,
    },
    Void,
}

pub(super) const INT: IntegerType = IntegerType { bytes: 4, signed: true };
pub(super) const UNSIGNED: IntegerType = IntegerType { bytes: 4, signed: false };
pub(super) const LONG: IntegerType = IntegerType { bytes: 8, signed: true };
pub(super) const UNSIGNED_LONG: IntegerType = IntegerType { bytes: 8, signed: false };
const CHAR: IntegerType = IntegerType { bytes: 1, signed: false };

impl Type {
    pub(super) fn pointer(to: Type) -> Self {
        Type::Pointer(Box::new(to))
    }

    /// Returns the type of a string.
    pub(super) fn string() -> Self {
        Type::pointer(Type::Integer(CHAR))
    }

    /// Returns the type of the integer that the value is; that of an address is `unsigned long`.
    pub(super) fn integer(&self) -> IntegerType {
        match self {
            Type::Integer(integer) => *integer,
            Type::Bool => CHAR,
            Type::Pointer(_) | Type::Array(..) | Type::Aggregate { .. } | Type::Void => UNSIGNED_LONG,
        }
    }

    /// Returns the type that an address points to.
    pub(super) fn target(&self) -> Option<&Type> {
        match self {
            Type::Pointer(target) | Type::Array(target, _) => Some(target),
            _ => None,
        }
    }

    /// Returns the size in bytes. That of `void` is 1, as GNU C counts it.
    pub(super) fn size(&self, environment: &dyn Environment) -> Option<u32> {
        match self {
            Type::Integer(integer) => Some(integer.bytes),
            Type::Bool | Type::Void => Some(1),
            Type::Pointer(_) => Some(8),
            Type::Array(element, count) => element.size(environment)?.checked_mul((*count)?),
            Type::Aggregate { name, size } => size.or_else(|| {
                let table = c_structs::find_tag(name).or_else(|| c_structs::find_typedef(name));
                table.map(|found| found.size).or_else(|| environment.size_of(name))
            }),
        }
    }

    /// Reads the text of a type: `const char *`, `struct page *`, `u8[4]`. `None` for one that is not known and not
    /// behind a pointer.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((base, count)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
            return Some(Type::Array(Box::new(Type::parse(base)?), count.trim().parse().ok()));
        }
        let unqualified = text.trim_end_matches("const").trim_end();
        if let Some(target) = unqualified.strip_suffix('*') {
            // An unknown type behind a pointer has no size, and does not need one to be printed.
            let target = target.trim();
            let unknown = || Type::Aggregate { name: target.into(), size: None };
            return Some(Type::pointer(Type::parse(target).unwrap_or_else(unknown)));
        }
        let mut words = text.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile"));
        match (words.next()?, words.next()) {
            ("struct" | "union", Some(name)) => Some(Type::Aggregate { name: name.into(), size: None }),
            ("enum", _) => Some(Type::Integer(UNSIGNED)),
            ("void", None) => Some(Type::Void),
            ("bool" | "_Bool", None) => Some(Type::Bool),
            (name, None) if c_structs::find_typedef(name).is_some() => {
                Some(Type::Aggregate { name: name.into(), size: None })
            }
            _ => c_types::find(text).map(|found| Type::Integer(found.integer())),
        }
    }

    /// Returns the type of a field of a record.
    pub(super) fn of_field(field: &Field) -> Self {
        let own = IntegerType { bytes: field.size, signed: field.signed };
        let element = |bytes| IntegerType { bytes, signed: field.signed };
        match field.kind {
            FieldKind::Int if field.type_text == "bool" => Type::Bool,
            FieldKind::Int | FieldKind::CharPtr if field.is_pointer() && field.size == 8 => {
                Type::parse(&field.type_text).unwrap_or(Type::pointer(Type::Void))
            }
            FieldKind::Int | FieldKind::CharPtr => Type::Integer(own),
            FieldKind::CharArray => Type::Array(Box::new(Type::Integer(element(1))), Some(field.size)),
            FieldKind::Array { element: bytes } => {
                let pointer = field.is_pointer() && bytes == 8;
                let ty = if pointer { Type::pointer(Type::Void) } else { Type::Integer(element(bytes)) };
                Type::Array(Box::new(ty), field.size.checked_div(bytes))
            }
            // The location word itself.
            FieldKind::DynString
            | FieldKind::RelString
            | FieldKind::DynArray { .. }
            | FieldKind::RelArray { .. }
            | FieldKind::DynCpumask
            | FieldKind::RelCpumask => Type::Integer(UNSIGNED),
            FieldKind::Opaque => {
                let known = Type::parse(&field.type_text);
                let name = match &known {
                    Some(Type::Aggregate { name, .. }) => name.clone(),
                    Some(array @ Type::Array(..)) => return array.clone(),
                    _ => field.type_text.as_str().into(),
                };
                Type::Aggregate { name, size: Some(field.size) }
            }
        }
    }
}

/// Returns a member of a struct: that of the environment, else that of the table of members that all kernels share.
pub(super) fn member(aggregate: &str, name: &str, environment: &dyn Environment) -> Option<Member> {
    environment.member(aggregate, name).or_else(|| {
        let found = c_members::find(aggregate, name)?;
        Some(Member {
            bit_offset: found.bit_offset,
            bits: found.bits,
            signed: found.signed,
            elements: (found.elements > 0).then_some(found.elements),
        })
    })
}

/// Returns the type that a smaller integer has in arithmetic: the integer promotions.
pub(super) fn promoted(integer: IntegerType) -> IntegerType {
    if integer.bytes < 4 { INT } else { integer }
}

/// Returns the type in which C computes on two integers: the usual arithmetic conversions.
pub(super) fn common(left: IntegerType, right: IntegerType) -> IntegerType {
    let (left, right) = (promoted(left), promoted(right));
    match left.bytes.cmp(&right.bytes) {
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Equal => IntegerType { bytes: left.bytes, signed: left.signed && right.signed },
    }
}
