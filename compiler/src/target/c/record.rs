//! The struct of a record, and the functions that read what lies behind it.

use std::fmt::Write;

use tracec_kernel::format::{Field, FieldKind, IntegerType};

use super::line;
use super::names::Names;
use super::table::stdint;
use crate::decoder::{Identifiers, Member, Record};

/// Writes a record under this name.
pub(super) fn write(text: &mut String, record: &Record<'_>, name: &str, names: &mut Names) {
    let mut taken = Identifiers::default();
    let members: Vec<(Member<'_>, String)> =
        record.members.iter().map(|of| (*of, names.member(&of.field.name, &mut taken))).collect();
    // Writing into a string does not fail.
    let _ = write!(text, "\n/* {} */\nstruct {name} {{\n", line(&record.format.qualified_name()));
    let mut end = 0;
    for (Member { field, .. }, member) in &members {
        padding(text, end, field.offset, &mut taken);
        let _ = writeln!(text, "\t{}; /* {} */", declaration(field, member), line(&shown(field)));
        let word = location(field);
        if let Some(behind) = word.and_then(|_| field.size.checked_sub(4)).filter(|behind| *behind > 0) {
            let unused = taken.take(format!("unused_{}", field.offset + 4));
            let _ = writeln!(text, "\ttracec_u8 {unused}[{behind}];");
        }
        end = field.offset + field.size;
    }
    text.push_str("};\n\n");
    assertions(text, record, name, &members);
    from(text, record, name, &names.take(&format!("{name}_from")));
    for (of, member) in &members {
        reader(text, of.field, name, member, names);
    }
}

/// Returns a field as its layout shows it.
fn shown(field: &Field) -> String {
    format!("{} {}", field.type_text, field.name)
}

fn padding(text: &mut String, end: u32, offset: u32, taken: &mut Identifiers) {
    if let Some(gap) = offset.checked_sub(end).filter(|gap| *gap > 0) {
        let unused = taken.take(format!("unused_{end}"));
        let _ = writeln!(text, "\ttracec_u8 {unused}[{gap}];");
    }
}

/// Returns whether a field is a location word, and then whether the location is relative.
fn location(field: &Field) -> Option<bool> {
    let is_word = match field.kind {
        FieldKind::DynString | FieldKind::DynArray { .. } | FieldKind::DynCpumask => true,
        FieldKind::RelString | FieldKind::RelArray { .. } | FieldKind::RelCpumask => true,
        FieldKind::Int
        | FieldKind::CharArray
        | FieldKind::CharPtr
        | FieldKind::Array { .. }
        | FieldKind::Opaque => false,
    };
    is_word.then(|| field.kind.is_relative())
}

/// Returns the declaration of a field as a member.
fn declaration(field: &Field, member: &str) -> String {
    let array = |element: &str, bytes: u32| match field.size {
        0 => format!("{element} {member}[]"),
        size => format!("{element} {member}[{}]", size / bytes.max(1)),
    };
    match field.kind {
        FieldKind::Int | FieldKind::CharPtr => format!("{} {member}", integer(field.size, field.signed)),
        FieldKind::CharArray => array("char", 1),
        // A size that is not that of whole elements is one of bytes.
        FieldKind::Array { element } if field.size.is_multiple_of(element.max(1)) => {
            array(integer(element, field.signed), element)
        }
        FieldKind::Array { .. } | FieldKind::Opaque => array("tracec_u8", 1),
        _ => format!("tracec_u32 {member}"),
    }
}

/// Returns an integer type of the prelude.
fn integer(bytes: u32, signed: bool) -> &'static str {
    match (bytes, signed) {
        (1, false) => "tracec_u8",
        (1, true) => "tracec_s8",
        (2, false) => "tracec_u16",
        (2, true) => "tracec_s16",
        (4, false) => "tracec_u32",
        (4, true) => "tracec_s32",
        (_, false) => "tracec_u64",
        (_, true) => "tracec_s64",
    }
}

fn assertions(text: &mut String, record: &Record<'_>, name: &str, members: &[(Member<'_>, String)]) {
    for (of, member) in members {
        let Field { offset, size, .. } = of.field;
        let _ = writeln!(
            text,
            "_Static_assert(offsetof(struct {name}, {member}) == {offset}, \"offset of {member}\");"
        );
        if !of.is_rest() {
            let size = if location(of.field).is_some() { 4 } else { *size };
            let _ = writeln!(
                text,
                "_Static_assert(sizeof(((struct {name} *)0)->{member}) == {size}, \"size of {member}\");"
            );
        }
    }
    let _ = writeln!(text, "_Static_assert(sizeof(struct {name}) == {}, \"size\");", record.size);
}

fn from(text: &mut String, record: &Record<'_>, name: &str, function: &str) {
    let _ = write!(
        text,
        "\n/* Returns whether the bytes are as long as the record has to be, and sets it. Whether they are one of this\n \
         * event is said by common_type: the number in events/{}/{}/id. */\n\
         static inline bool {function}(const void *data, size_t size, const struct {name} **record)\n{{\n\
         \tif (size < sizeof(struct {name}))\n\t\treturn false;\n\
         \t*record = (const struct {name} *)data;\n\treturn true;\n}}\n",
        line(&record.format.system),
        line(&record.format.name)
    );
}

/// Writes the function that reads a field, for one that is not what its member says.
fn reader(text: &mut String, field: &Field, record: &str, member: &str, names: &mut Names) {
    let take = |names: &mut Names, suffix: &str| names.take(&format!("{record}_{}{suffix}", field.name));
    let (offset, size) = (field.offset, field.size);
    match field.kind {
        FieldKind::Int if field.is_argument() => {
            let Some(means) = field.integer() else { return };
            argument(text, record, member, means, &take(names, ""));
        }
        FieldKind::CharArray => {
            let bytes = format!("tracec_text(tracec_fixed(record, size, {offset}, {size}))");
            let about = "The bytes of the text up to its NUL.";
            bytes_of(text, record, about, &bytes, &take(names, ""));
        }
        FieldKind::Array { .. } | FieldKind::Opaque if size == 0 => {
            let bytes = format!("tracec_fixed(record, size, {offset}, 0)");
            bytes_of(text, record, "The bytes up to the end of the record.", &bytes, &take(names, ""));
        }
        _ => {
            let Some(relative) = location(field) else { return };
            let bytes = format!("tracec_located(record, size, {offset}, {relative})");
            let is_text = matches!(field.kind, FieldKind::DynString | FieldKind::RelString);
            let is_mask = matches!(field.kind, FieldKind::DynCpumask | FieldKind::RelCpumask);
            let (about, of) = match is_text {
                true => ("The bytes of the text up to its NUL.", format!("tracec_text({bytes})")),
                false => ("The bytes.", bytes.clone()),
            };
            bytes_of(text, record, about, &of, &take(names, ""));
            if is_mask {
                has(text, record, &bytes, &take(names, "_has"));
            }
        }
    }
}

/// Writes a function that returns an argument of a system call, which is recorded as a whole register.
fn argument(text: &mut String, record: &str, member: &str, means: IntegerType, function: &str) {
    let ty = stdint(means);
    let _ = write!(
        text,
        "\n/* The argument as the system call takes it, of the register that is recorded. */\n\
         static inline {ty} {function}(const struct {record} *record)\n{{\n\
         \treturn ({ty})record->{member};\n}}\n"
    );
}

/// Writes a function that returns bytes of the record.
fn bytes_of(text: &mut String, record: &str, about: &str, bytes: &str, function: &str) {
    let _ = write!(
        text,
        "\n/* {about} NULL, and length 0, where they lie outside of the record of so many bytes. */\n\
         static inline const char *{function}(const struct {record} *record, size_t size, size_t *length)\n{{\n\
         \tstruct tracec_bytes found = {bytes};\n\n\
         \t*length = found.size;\n\treturn found.at;\n}}\n"
    );
}

/// Writes a function that returns whether a CPU is in a set.
fn has(text: &mut String, record: &str, bytes: &str, function: &str) {
    let _ = write!(
        text,
        "\n/* Whether a CPU is in the set; false where the set lies outside of the record of so many bytes. */\n\
         static inline bool {function}(const struct {record} *record, size_t size, unsigned int cpu)\n{{\n\
         \treturn tracec_has({bytes}, cpu);\n}}\n"
    );
}
