//! Types of arguments and fields.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Tag;
use tracec_kernel::format::IntegerType;
use tracec_kernel::tables::c_structs::CStruct;

use super::value::EnumId;

/// A type in C and in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CType {
    /// The kind of type.
    pub kind: TypeKind,
    /// How C writes it, without an array's length: `const struct request *`, `u32`.
    pub c: String,
    /// Where it is written.
    pub span: Span,
}

impl CType {
    /// Returns whether it is `bool`: a conversion to it makes 1 of anything but 0.
    pub fn is_bool(&self) -> bool {
        matches!(self.c.as_str(), "bool" | "_Bool") && matches!(self.kind, TypeKind::Int(_))
    }
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// An integer of a known size.
    Int(IntegerType),
    /// `char`: a byte of text, and an integer of one byte.
    Char {
        /// Whether it is signed. C leaves that open: before Linux 6.2 it was on x86.
        signed: bool,
    },
    /// An `enum` or `flags` of the file; C has its carrier. A type says its size and sign without the table of enums.
    Enum {
        /// The enum.
        id: EnumId,
        /// Whether it is `flags`.
        flags: bool,
        /// The integer type that carries it.
        carrier: IntegerType,
    },
    /// `enum NAME` of C: an integer whose size a compiler may choose.
    CEnum,
    /// An address.
    Pointer {
        /// Whether it points to user memory.
        user: bool,
        /// Whether it is `*char`, a pointer to a string.
        text: bool,
        /// The type it points to; `None` for a pointer, for `void`, and for a type that only a header knows.
        to: Option<Box<TypeKind>>,
    },
    /// A struct or union.
    Aggregate(Aggregate),
    /// `string`, or `user string`: a string that is copied into the record.
    Text {
        /// Whether it is copied from user memory.
        user: bool,
    },
    /// `cpumask`: a set of CPUs that is copied into the record.
    Cpumask,
    /// `bitmask`: bits that are copied into the record, in a number that differs between records.
    Bitmask,
    /// `sockaddr`: a socket address that is copied into the record, of a length that differs between records.
    SocketAddress,
    /// `T[N]`
    Array {
        /// The type of each element.
        element: Box<TypeKind>,
        /// The number of elements.
        length: Length,
    },
    /// `T[]`: a number of elements that differs between records.
    Elements {
        /// The type of each element.
        element: Box<TypeKind>,
    },
    /// `void`: only as the target of a pointer.
    Void,
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// `struct` or `union`; `None` for a typedef.
    pub tag: Option<Tag>,
    /// Its name.
    pub name: String,
    /// Its layout, where the kernel's configuration does not change it.
    pub known: Option<&'static CStruct>,
}

/// The length of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Length {
    /// A number, and the macro that it was written with.
    Known {
        /// The number of elements.
        count: u64,
        /// The macro, such as `TASK_COMM_LEN`.
        name: Option<String>,
    },
    /// A macro that a header of the file defines.
    Macro(String),
}

impl Length {
    /// Returns the number of elements, where it is known.
    pub fn count(&self) -> Option<u64> {
        match self {
            Length::Known { count, .. } => Some(*count),
            Length::Macro(_) => None,
        }
    }

    /// Returns the length as C writes it.
    pub fn c(&self) -> String {
        match self {
            Length::Known { name: Some(name), .. } | Length::Macro(name) => name.clone(),
            Length::Known { count, .. } => count.to_string(),
        }
    }
}

impl TypeKind {
    /// Returns its size and sign as an integer of C; `None` if it is not an integer, or one of unknown size.
    pub fn integer(&self) -> Option<IntegerType> {
        match self {
            TypeKind::Int(integer) => Some(*integer),
            TypeKind::Char { signed } => Some(IntegerType { bytes: 1, signed: *signed }),
            TypeKind::Enum { carrier, .. } => Some(*carrier),
            _ => None,
        }
    }

    /// Returns whether it is `char`.
    pub fn is_char(&self) -> bool {
        matches!(self, TypeKind::Char { .. })
    }

    /// Returns whether it is an integer, of known size or not.
    pub fn is_integer(&self) -> bool {
        matches!(self, TypeKind::Int(_) | TypeKind::Char { .. } | TypeKind::Enum { .. } | TypeKind::CEnum)
    }

    /// Returns its size and alignment in a struct of a 64-bit kernel, where known. Types whose data lies behind the
    /// struct have none.
    pub fn layout(&self) -> Option<(u32, u32)> {
        match self {
            TypeKind::Int(_) | TypeKind::Char { .. } | TypeKind::Enum { .. } => {
                let bytes = self.integer()?.bytes;
                Some((bytes, bytes))
            }
            TypeKind::Pointer { .. } => Some((8, 8)),
            TypeKind::Aggregate(aggregate) => aggregate.known.map(|known| (known.size, known.align)),
            TypeKind::Array { element, length } => {
                let (size, align) = element.layout()?;
                let bytes = u64::from(size).checked_mul(length.count()?)?;
                Some((u32::try_from(bytes).ok()?, align))
            }
            _ => None,
        }
    }

    /// Returns whether the kernel shows it as signed (`is_signed_type`).
    pub fn is_signed(&self) -> Option<bool> {
        match self {
            TypeKind::Int(_) | TypeKind::Char { .. } | TypeKind::Enum { .. } => Some(self.integer()?.signed),
            TypeKind::Array { element, .. } | TypeKind::Elements { element } => element.is_signed(),
            TypeKind::CEnum => None,
            _ => Some(false),
        }
    }

    /// Returns the name of the kind for diagnostics.
    pub fn describe(&self) -> &'static str {
        match self {
            TypeKind::Int(_) | TypeKind::Char { .. } => "an integer",
            TypeKind::Enum { flags: true, .. } => "flags",
            TypeKind::Enum { .. } | TypeKind::CEnum => "an enum",
            TypeKind::Pointer { text: true, user: true, .. } => "a pointer to text in user memory",
            TypeKind::Pointer { text: true, .. } => "a pointer to text",
            TypeKind::Pointer { .. } => "a pointer",
            TypeKind::Aggregate(_) => "a struct",
            TypeKind::Text { .. } => "text",
            TypeKind::Cpumask => "a set of CPUs",
            TypeKind::Bitmask => "a bit map",
            TypeKind::SocketAddress => "a socket address",
            TypeKind::Array { element, .. } if element.is_char() => "text of a fixed length",
            TypeKind::Array { .. } | TypeKind::Elements { .. } => "an array",
            TypeKind::Void => "nothing",
        }
    }

    /// Returns whether it is a pointer to a format with its arguments (`struct va_format` of include/linux/printk.h).
    pub fn is_format(&self) -> bool {
        match self {
            TypeKind::Pointer { user: false, to: Some(to), .. } => {
                matches!(&**to, TypeKind::Aggregate(found) if found.tag == Some(Tag::Struct) && found.name == "va_format")
            }
            _ => false,
        }
    }

    /// Returns whether a record's value of this type is set to a pair: where its data begins, and how much there is.
    pub fn is_counted(&self) -> bool {
        matches!(self, TypeKind::Elements { .. } | TypeKind::Bitmask | TypeKind::SocketAddress)
    }

    /// Returns whether it is a string in the record or behind a C pointer. A dynamic array of `char` need not end with a NUL.
    pub fn is_text(&self) -> bool {
        match self {
            TypeKind::Text { .. } | TypeKind::Pointer { text: true, .. } => true,
            TypeKind::Array { element, .. } => element.is_char(),
            _ => false,
        }
    }
}
