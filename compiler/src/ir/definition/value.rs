//! Constants and the types that a file's `enum` and `flags` make.

use std::collections::BTreeMap;
use std::sync::Arc;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Address;
use tracec_kernel::format::IntegerType;

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number from -2^63 to 2^64-1, and the enum or flags it is of.
    Int {
        /// The number.
        value: i128,
        /// `Status` of `Status::Ok`; `None` of a plain number.
        of: Option<Arc<EnumType>>,
    },
    /// Bytes: a number that was written with a unit, and is one wherever a number is due.
    Size(u64),
    /// Nanoseconds: no number; `as us` makes one of it.
    Duration(u64),
    /// A text.
    Text(String),
    /// An IP address or a prefix.
    Address(Address),
    /// Ranges of CPU numbers, both ends in.
    Cpus(Vec<(u32, u32)>),
}

/// The kinds of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// [`Value::Int`]
    Int,
    /// [`Value::Size`]
    Size,
    /// [`Value::Duration`]
    Duration,
    /// [`Value::Text`]
    Text,
    /// [`Value::Address`]
    Address,
    /// [`Value::Cpus`]
    Cpus,
}

impl ValueKind {
    /// What a diagnostic calls it.
    pub fn describe(self) -> &'static str {
        match self {
            ValueKind::Int => "a number",
            ValueKind::Size => "a size",
            ValueKind::Duration => "a duration",
            ValueKind::Text => "a text",
            ValueKind::Address => "an address",
            ValueKind::Cpus => "a set of CPUs",
        }
    }
}

impl Value {
    /// A plain number.
    pub fn int(value: i128) -> Value {
        Value::Int { value, of: None }
    }

    /// Its kind.
    pub fn kind(&self) -> ValueKind {
        match self {
            Value::Int { .. } => ValueKind::Int,
            Value::Size(_) => ValueKind::Size,
            Value::Duration(_) => ValueKind::Duration,
            Value::Text(_) => ValueKind::Text,
            Value::Address(_) => ValueKind::Address,
            Value::Cpus(_) => ValueKind::Cpus,
        }
    }

    /// The number it stands for where a number is due: a size is a plain factor, a duration is none.
    pub fn number(&self) -> Option<i128> {
        match self {
            Value::Int { value, .. } => Some(*value),
            Value::Size(bytes) => Some(i128::from(*bytes)),
            Value::Duration(_) | Value::Text(_) | Value::Address(_) | Value::Cpus(_) => None,
        }
    }

    /// Whether two constants mean the same, whatever enum they were named by.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self.number(), other.number()) {
            (Some(left), Some(right)) => left == right,
            _ => self == other,
        }
    }
}

/// An `enum` or `flags` of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// Its name.
    pub name: String,
    /// `flags`: each member is a set of bits, and a field has any of them.
    pub flags: bool,
    /// The integer that carries it.
    pub carrier: IntegerType,
    /// The C type of the carrier as written: `u8`.
    pub carrier_name: String,
    /// Where its name stands.
    pub span: Span,
    members: Vec<EnumMember>,
    by_name: BTreeMap<String, usize>,
}

impl EnumType {
    /// A type without members.
    pub fn new(name: &str, flags: bool, carrier: IntegerType, carrier_name: &str, span: Span) -> Self {
        EnumType {
            name: name.to_owned(),
            flags,
            carrier,
            carrier_name: carrier_name.to_owned(),
            span,
            members: Vec::new(),
            by_name: BTreeMap::new(),
        }
    }

    /// Adds a member behind the others. One that has a name of theirs is left out.
    pub fn push(&mut self, member: EnumMember) {
        if !self.by_name.contains_key(&member.name) {
            self.by_name.insert(member.name.clone(), self.members.len());
            self.members.push(member);
        }
    }

    /// Its members in the order they are written, each name once.
    pub fn members(&self) -> &[EnumMember] {
        &self.members
    }

    /// The member of this name.
    pub fn member(&self, name: &str) -> Option<&EnumMember> {
        self.by_name.get(name).and_then(|index| self.members.get(*index))
    }

    /// Whether it holds the kernel's error numbers.
    pub fn is_errno(&self) -> bool {
        matches!(self.name.as_str(), "Errno" | "KernelErrno")
    }

    /// `enum` or `flags`.
    pub fn word(&self) -> &'static str {
        if self.flags { "flags" } else { "enum" }
    }
}

/// A member of an `enum` or of `flags`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumMember {
    /// Its name.
    pub name: String,
    /// Its value, within the range of the carrier.
    pub value: i128,
    /// How a record prints it; without one, by its name.
    pub text: Option<String>,
    /// Its documentation.
    pub doc: Option<String>,
    /// Where its name stands.
    pub span: Span,
}

impl EnumMember {
    /// How a record prints it.
    pub fn label(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.name)
    }
}
