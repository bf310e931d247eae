//! Conversion of a condition to another kernel's layout of the same event.
//!
//! Conditions hold the fields that they test, with their offsets. A session may be checked against one kernel and run
//! on another, whose records have another layout.

use crate::condition::ir::{Atom, Condition, Number, Text, TextStorage};
use crate::format::{EventFormat, Field, FieldKind, TASK_PID};

/// The reason why a condition does not have the same meaning with the other layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RebindError {
    /// The layout has no such field.
    #[error("it has no field `{field}`")]
    Missing {
        /// The field.
        field: String,
    },
    /// The field has another kind, width or sign, and the condition was typed for the first.
    #[error("its `{field}` is `{found}`, where the condition was made for `{expected}`")]
    Differs {
        /// The field.
        field: String,
        /// The type in the condition.
        expected: String,
        /// The type in the layout.
        found: String,
    },
}

/// Replaces each field by that of the same name in `format`.
///
/// # Errors
/// A [`RebindError`] where a field is missing, or has another meaning; the condition is then unusable.
pub fn rebind(condition: &mut Condition, format: &EventFormat) -> Result<(), RebindError> {
    let mut rest = vec![condition];
    while let Some(condition) = rest.pop() {
        match condition {
            Condition::Const(_) => {}
            Condition::Not(inner) => rest.push(inner),
            Condition::And(parts) | Condition::Or(parts) => rest.extend(parts),
            Condition::Atom(each) => atom(each, format)?,
        }
    }
    Ok(())
}

fn atom(atom: &mut Atom, format: &EventFormat) -> Result<(), RebindError> {
    match atom {
        Atom::Compare { left, right, .. } => {
            number(left, format)?;
            number(right, format)
        }
        Atom::In { of, .. } => number(of, format),
        Atom::Text { of: Text::Comm, .. } => Ok(()),
        Atom::Text { of: Text::Field(of), .. } => replace(of, format, in_record),
        Atom::Text { of: Text::User(of), .. } | Atom::Function { of, .. } => {
            replace(of, format, |a, b| a.kind == b.kind && a.size == b.size)
        }
        Atom::Mask { of, .. } => replace(of, format, |a, b| is_mask(a) && is_mask(b)),
    }
}

fn number(number: &mut Number, format: &EventFormat) -> Result<(), RebindError> {
    let mut rest = vec![number];
    while let Some(number) = rest.pop() {
        match number {
            Number::Pid if format.task_pid().is_none() => {
                return Err(RebindError::Missing { field: TASK_PID.to_owned() });
            }
            Number::Const(_) | Number::Cpu | Number::Pid | Number::Tgid => {}
            // Width and sign decided how the condition was typed.
            Number::Field(field) => {
                let same = |a: &Field, b: &Field| a.integer().is_some() && a.integer() == b.integer();
                // An array of bytes is tested as one integer.
                match format.field(&field.name).and_then(Field::packed).filter(|packed| same(field, packed)) {
                    Some(packed) => *field = packed,
                    None => replace(field, format, same)?,
                }
            }
            Number::Cast { of, .. } => rest.push(of),
            Number::Binary { left, right, .. } => rest.extend([&mut **left, &mut **right]),
        }
    }
    Ok(())
}

/// Returns whether both are texts that end within the record, or both are behind pointers: an array of more bytes, or
/// dynamic data in place of an array, holds the same text.
fn in_record(a: &Field, b: &Field) -> bool {
    let is_in_record = |field: &Field| match Text::Field(field.clone()).storage() {
        Some(TextStorage::Fixed { .. } | TextStorage::Dynamic) => Some(true),
        Some(TextStorage::Kernel | TextStorage::User) => Some(false),
        None => None,
    };
    is_in_record(a).is_some() && is_in_record(a) == is_in_record(b)
}

fn is_mask(field: &Field) -> bool {
    matches!(field.kind, FieldKind::DynCpumask | FieldKind::RelCpumask)
}

fn replace(
    field: &mut Field,
    format: &EventFormat,
    same: impl Fn(&Field, &Field) -> bool,
) -> Result<(), RebindError> {
    let Some(found) = format.field(&field.name) else {
        return Err(RebindError::Missing { field: field.name.to_string() });
    };
    if !same(field, found) {
        return Err(RebindError::Differs {
            field: field.name.to_string(),
            expected: field.type_text.to_string(),
            found: found.type_text.to_string(),
        });
    }
    *field = found.clone();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::ir::{CompareOp, NumberOp, TextTest};

    const HEAD: &str =
        "name: e\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";

    fn format(fields: &[(&str, u32, u32, u32)]) -> EventFormat {
        let mut text = HEAD.to_owned();
        for (declaration, offset, size, signed) in fields {
            text.push_str(&format!(
                "\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
            ));
        }
        text.push_str("\nprint fmt: \"\"\n");
        EventFormat::parse("s", &text).unwrap()
    }

    fn condition(format: &EventFormat) -> Condition {
        let field = |name| format.field(name).unwrap().clone();
        let sum = Number::binary(NumberOp::Add, Number::Field(field("a")), Number::Const(1));
        Condition::And(vec![
            Condition::compare(sum, CompareOp::Gt, 3),
            Condition::not(Condition::Atom(Atom::Text {
                of: Text::Field(field("t")),
                test: TextTest::Eq("x".to_owned()),
            })),
        ])
    }

    #[test]
    fn fields_move_by_name() {
        let here = format(&[("int a", 8, 4, 1), ("char t[16]", 12, 16, 0)]);
        let there = format(&[("char t[32]", 8, 32, 0), ("int a", 40, 4, 1)]);
        let mut moved = condition(&here);
        rebind(&mut moved, &there).unwrap();
        assert_eq!(moved, condition(&there));
        assert_ne!(moved, condition(&here));
        let dynamic = format(&[("__data_loc char[] t", 8, 4, 0), ("int a", 12, 4, 1)]);
        rebind(&mut moved, &dynamic).unwrap();
        assert_eq!(moved, condition(&dynamic));
    }

    #[test]
    fn thread_id_moves_only_to_a_header_that_holds_it() {
        let mut asked = Condition::compare(Number::Pid, CompareOp::Eq, 5);
        let missing = RebindError::Missing { field: "common_pid".to_owned() };
        assert_eq!(rebind(&mut asked, &format(&[("int a", 8, 4, 1)])), Err(missing));
    }

    #[test]
    fn fields_that_mean_something_else_are_refused() {
        let here = format(&[("int a", 8, 4, 1), ("char t[16]", 12, 16, 0)]);
        let differs = |field: &str, expected: &str, found: &str| {
            let [field, expected, found] = [field, expected, found].map(str::to_owned);
            RebindError::Differs { field, expected, found }
        };
        for (fields, error) in [
            (vec![("char t[16]", 8, 16, 0)], RebindError::Missing { field: "a".to_owned() }),
            (vec![("u32 a", 8, 4, 0), ("char t[16]", 12, 16, 0)], differs("a", "int", "u32")),
            (vec![("long a", 8, 8, 1), ("char t[16]", 16, 16, 0)], differs("a", "int", "long")),
            (
                vec![("int a", 8, 4, 1), ("const char * t", 16, 8, 0)],
                differs("t", "char[16]", "const char *"),
            ),
        ] {
            assert_eq!(rebind(&mut condition(&here), &format(&fields)), Err(error), "{fields:?}");
        }
    }

    /// Four bytes stay one integer in another layout, and an integer in place of them is another field.
    #[test]
    fn bytes_of_an_address_are_found_in_the_other_layout() {
        let packed = format(&[("__u8 saddr[4]", 8, 4, 0)]).field("saddr").unwrap().packed().unwrap();
        let mut condition = Condition::compare(Number::Field(packed.clone()), CompareOp::Eq, 16_777_226);
        let moved = format(&[("int x", 8, 4, 1), ("__u8 saddr[4]", 12, 4, 0)]);
        assert!(condition.check_fields(&moved).is_err());
        rebind(&mut condition, &moved).unwrap();
        assert_eq!(condition.check_fields(&moved), Ok(()));
        let found = Field { offset: 12, ..packed.clone() };
        assert_eq!(condition, Condition::compare(Number::Field(found), CompareOp::Eq, 16_777_226));
        let longer = format(&[("__u8 saddr[16]", 8, 16, 0)]);
        assert!(rebind(&mut condition, &longer).is_err());
    }
}
