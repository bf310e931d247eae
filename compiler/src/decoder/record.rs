//! The layout of a record.

use tracec_kernel::format::{EventFormat, Field};

/// The record of an event.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// Its layout.
    pub(crate) format: &'a EventFormat,
    /// Its fields, the common ones included, in the order of their offsets. They do not overlap.
    pub(crate) members: Vec<Member<'a>>,
    /// The number of bytes that every record has: up to the end of the last field.
    pub(crate) size: u32,
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    /// The field.
    pub(crate) field: &'a Field,
    /// The index of the table with the names of its values.
    pub(crate) table: Option<usize>,
}

impl<'a> Record<'a> {
    /// Returns the record of an event; `None` if two of its fields overlap, or if one without a size is not the last.
    pub(crate) fn of(format: &'a EventFormat) -> Option<Record<'a>> {
        let mut members: Vec<Member<'a>> =
            format.fields.iter().map(|field| Member { field, table: None }).collect();
        members.sort_by_key(|member| member.field.offset);
        let mut size = 0;
        for (index, Member { field, .. }) in members.iter().enumerate() {
            let is_last = index + 1 == members.len();
            if field.offset < size || (field.size == 0 && !is_last) {
                return None;
            }
            size = field.offset.checked_add(field.size)?;
        }
        Some(Record { format, members, size })
    }
}

impl Member<'_> {
    /// Returns whether it is the rest of the record behind the other fields.
    pub(crate) fn is_rest(&self) -> bool {
        self.field.size == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the size of a record whose own fields have these names, offsets and sizes.
    fn size(fields: &[(&str, u32, u32)]) -> Option<u32> {
        let line = |(name, offset, size): &(&str, u32, u32)| {
            format!("\tfield:char {name}[{size}];\toffset:{offset};\tsize:{size};\tsigned:0;\n")
        };
        let common = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n";
        let own: String = fields.iter().map(line).collect();
        let text = format!("name: e\nID: 1\nformat:\n{common}\n{own}\nprint fmt: \"\"\n");
        let format = EventFormat::parse("s", &text).expect("a format");
        Record::of(&format).map(|record| record.size)
    }

    #[test]
    fn fields_that_overlap_are_not_a_struct() {
        assert_eq!(size(&[("a", 8, 4), ("b", 12, 4)]), Some(16));
        assert_eq!(size(&[("b", 12, 4), ("a", 8, 2)]), Some(16));
        assert_eq!(size(&[("a", 8, 5), ("b", 12, 4)]), None);
        assert_eq!(size(&[("a", 8, 4), ("b", 12, 0)]), Some(12));
        assert_eq!(size(&[("a", 8, 0), ("b", 12, 4)]), None);
    }
}
