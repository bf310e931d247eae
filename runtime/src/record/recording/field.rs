//! Fields of events as values of Rust types.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use tracec_kernel::format::{EventFormat, Field, FieldKind};
use tracec_kernel::record::{Record, RecordError, Value};

/// The reason why a field cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// The recording has no such event.
    #[error("the recording has no event `{event}`")]
    Event {
        /// The name that was asked for.
        event: String,
    },
    /// The event has no such field.
    #[error("the event `{event}` has no field `{field}`")]
    Field {
        /// The event.
        event: String,
        /// The name that was asked for.
        field: String,
    },
    /// Not every value of the field is one of the type.
    #[error("the field `{field}` of `{event}` is `{declared}`, which is not read as `{wanted}`")]
    Type {
        /// The event.
        event: String,
        /// The field.
        field: String,
        /// Its type in the layout.
        declared: String,
        /// The type that was asked for.
        wanted: &'static str,
    },
    /// The record ends before it.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A type in which fields are read.
///
/// An integer type reads the fields whose values it has room for: `i64` reads `int` and `unsigned int`, and `u64` reads
/// `unsigned long` and pointers. `[u8]` reads strings up to their NUL, and bytes; [`str`] reads strings, with U+FFFD for
/// what is not UTF-8. [`Anything`] reads every field.
pub trait FieldType: private::Sealed {
    /// The value, which borrows from the record.
    type Of<'a>;

    /// The name of the type in messages.
    #[doc(hidden)]
    const NAME: &'static str;

    /// Returns whether every value of a field is one of this type.
    #[doc(hidden)]
    fn reads(field: &Field) -> bool;

    /// Returns the value of a field that it reads.
    #[doc(hidden)]
    fn of(value: Value<'_>) -> Option<Self::Of<'_>>;
}

/// The type of a field that is read as the [`Value`] that it has.
#[derive(Clone, Copy, Debug)]
pub enum Anything {}

mod private {
    pub trait Sealed {}
}

/// A field of an event that was found by its name, for values of a type.
pub struct FieldOf<T: ?Sized> {
    /// The id of the event.
    event: u16,
    field: Field,
    kind: PhantomData<fn() -> Box<T>>,
}

impl<T: FieldType + ?Sized> FieldOf<T> {
    /// Finds a field of an event.
    pub(super) fn new(format: &EventFormat, name: &str) -> Result<Self, FieldError> {
        let event = || format.qualified_name();
        let Some(field) = format.field(name) else {
            return Err(FieldError::Field { event: event(), field: name.to_owned() });
        };
        if !T::reads(field) {
            let (declared, wanted) = (field.type_text.to_string(), T::NAME);
            return Err(FieldError::Type { event: event(), field: name.to_owned(), declared, wanted });
        }
        Ok(FieldOf { event: format.id, field: field.clone(), kind: PhantomData })
    }

    /// Returns its value in a record; `None` if the record is of another event.
    pub(super) fn of<'a>(&self, record: &Record<'a>) -> Result<Option<T::Of<'a>>, RecordError> {
        if record.format.id != self.event {
            return Ok(None);
        }
        record.value(&self.field).map(T::of)
    }
}

impl<T: ?Sized> fmt::Debug for FieldOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldOf").field("event", &self.event).field("field", &self.field).finish()
    }
}

/// Lets integer types read the fields whose values they have room for.
macro_rules! integer {
    ($($name:ident)*) => {$(
        impl private::Sealed for $name {}

        impl FieldType for $name {
            type Of<'a> = $name;

            const NAME: &'static str = stringify!($name);

            fn reads(field: &Field) -> bool {
                let is_signed = $name::MIN != 0;
                let bits = 8 * field.size;
                match field.kind {
                    FieldKind::Int if field.signed => is_signed && bits <= $name::BITS,
                    FieldKind::Int | FieldKind::CharPtr => bits + u32::from(is_signed) <= $name::BITS,
                    _ => false,
                }
            }

            fn of(value: Value<'_>) -> Option<$name> {
                match value {
                    Value::Int(value) => value.try_into().ok(),
                    Value::UInt(value) | Value::Address(value) => value.try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

integer!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

fn is_string(field: &Field) -> bool {
    match field.kind {
        FieldKind::CharArray => !field.type_text.contains("unsigned"),
        FieldKind::DynString | FieldKind::RelString => true,
        _ => false,
    }
}

impl private::Sealed for [u8] {}

impl FieldType for [u8] {
    type Of<'a> = &'a [u8];

    const NAME: &'static str = "[u8]";

    fn reads(field: &Field) -> bool {
        is_string(field) || matches!(field.kind, FieldKind::CharArray | FieldKind::Opaque)
    }

    fn of(value: Value<'_>) -> Option<&[u8]> {
        match value {
            Value::Text(bytes) | Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl private::Sealed for str {}

impl FieldType for str {
    type Of<'a> = Cow<'a, str>;

    const NAME: &'static str = "str";

    fn reads(field: &Field) -> bool {
        is_string(field)
    }

    fn of(value: Value<'_>) -> Option<Cow<'_, str>> {
        match value {
            Value::Text(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }
}

impl private::Sealed for Anything {}

impl FieldType for Anything {
    type Of<'a> = Value<'a>;

    const NAME: &'static str = "a value";

    fn reads(_field: &Field) -> bool {
        true
    }

    fn of(value: Value<'_>) -> Option<Value<'_>> {
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "name: e\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:int s;\toffset:12;\tsize:4;\tsigned:1;\n\
        \tfield:unsigned long l;\toffset:16;\tsize:8;\tsigned:0;\n\
        \tfield:char name[16];\toffset:24;\tsize:16;\tsigned:0;\n\nprint fmt: \"\"\n";

    fn reads<T: FieldType + ?Sized>(name: &str) -> bool {
        FieldOf::<T>::new(&EventFormat::parse("s", FORMAT).unwrap(), name).is_ok()
    }

    #[test]
    fn type_reads_the_fields_that_it_has_room_for() {
        let of = |name| [reads::<i32>(name), reads::<u32>(name), reads::<i64>(name), reads::<u64>(name)];
        assert_eq!(of("x"), [false, true, true, true]);
        assert_eq!(of("s"), [true, false, true, false]);
        assert_eq!(of("l"), [false, false, false, true]);
        assert_eq!(of("name"), [false; 4]);
        assert!(
            reads::<[u8]>("name") && reads::<str>("name") && !reads::<str>("x") && reads::<Anything>("x")
        );
        assert!(reads::<i128>("l") && reads::<u16>("common_type"));
    }

    #[test]
    fn missing_and_other_fields_are_errors_that_name_them() {
        let format = EventFormat::parse("s", FORMAT).unwrap();
        let said = FieldOf::<u32>::new(&format, "y").unwrap_err().to_string();
        assert_eq!(said, "the event `s:e` has no field `y`");
        let said = FieldOf::<i32>::new(&format, "l").unwrap_err().to_string();
        assert_eq!(said, "the field `l` of `s:e` is `unsigned long`, which is not read as `i32`");
    }
}
