//! Constants and the types that a file's `enum` and `flags` make.

use std::collections::BTreeMap;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Address;
use tracec_kernel::format::IntegerType;

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number from -2^63 to 2^64-1, and the enum or flags that it belongs to.
    Int {
        /// The number.
        value: i128,
        /// `Status` for `Status::Ok`; `None` for a plain number.
        of: Option<EnumRef>,
    },
    /// A size in bytes: a number that was written with a unit, and that is valid wherever a number is expected.
    Size(u64),
    /// A duration in nanoseconds. It is not a number; `as us` converts it to one.
    Duration(u64),
    /// A string.
    Text(String),
    /// An IP address or a prefix.
    Address(Address),
    /// Ranges of CPU numbers, both ends included.
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
    /// Returns the name of the kind for diagnostics.
    pub fn describe(self) -> &'static str {
        match self {
            ValueKind::Int => "a number",
            ValueKind::Size => "a size",
            ValueKind::Duration => "a duration",
            ValueKind::Text => "a string",
            ValueKind::Address => "an address",
            ValueKind::Cpus => "a set of CPUs",
        }
    }
}

impl Value {
    /// Returns a plain number.
    pub fn int(value: i128) -> Value {
        Value::Int { value, of: None }
    }

    /// Returns its kind.
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

    /// Returns the value where a number is expected: the bytes of a size; `None` for a duration.
    pub fn number(&self) -> Option<i128> {
        match self {
            Value::Int { value, .. } => Some(*value),
            Value::Size(bytes) => Some(i128::from(*bytes)),
            Value::Duration(_) | Value::Text(_) | Value::Address(_) | Value::Cpus(_) => None,
        }
    }

    /// Returns whether two constants have the same value, whatever enum they were named by.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self.number(), other.number()) {
            (Some(left), Some(right)) => left == right,
            _ => self == other,
        }
    }
}

/// The id of an `enum` or `flags` in its [`ConstantTable`](super::ConstantTable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub(super) u32);

/// The enum or flags that a number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumRef {
    /// One that a file declares.
    Declared(EnumId),
    /// The one that the scope of an expression expects, where no table has it: the names that an event prints a
    /// field's values with, or an enum while it is declared. Only that scope knows it; no value of the module form
    /// belongs to it.
    Undeclared,
}

/// An `enum` or `flags` of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// Its name.
    pub name: String,
    /// Whether it is `flags`: each member is a set of bits, and a field can have any of them.
    pub flags: bool,
    /// The integer type that carries it.
    pub carrier: IntegerType,
    /// The C type of the carrier as written: `u8`.
    pub carrier_name: String,
    /// Where its name stands.
    pub span: Span,
    members: Vec<EnumMember>,
    by_name: BTreeMap<String, usize>,
}

impl EnumType {
    /// Returns a type without members.
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

    /// Adds a member after the others. A member whose name is already there is ignored.
    pub fn push(&mut self, member: EnumMember) {
        if !self.by_name.contains_key(&member.name) {
            self.by_name.insert(member.name.clone(), self.members.len());
            self.members.push(member);
        }
    }

    /// Returns its members in the order they are written, each name once.
    pub fn members(&self) -> &[EnumMember] {
        &self.members
    }

    /// Returns the member of this name.
    pub fn member(&self, name: &str) -> Option<&EnumMember> {
        self.by_name.get(name).and_then(|index| self.members.get(*index))
    }

    /// Returns whether it holds the kernel's error numbers.
    pub fn is_errno(&self) -> bool {
        matches!(self.name.as_str(), "Errno" | "KernelErrno")
    }

    /// Returns `enum` or `flags`.
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
    /// The text that a record prints for it; `None` for its name.
    pub text: Option<String>,
    /// Its documentation.
    pub doc: Option<String>,
    /// Where its name stands.
    pub span: Span,
}

impl EnumMember {
    /// Returns the text that a record prints for it.
    pub fn label(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.name)
    }
}
