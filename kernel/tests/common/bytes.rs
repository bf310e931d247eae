//! Records that are put together by hand, of an event of any layout. Shared by path.

use std::ops::Range;

use tracec_kernel::format::{EventFormat, Field};

/// The head of a format: the fields that every event has.
const HEAD: &str = "\
name: everything
ID: 7
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

";

/// An address with a text, in the kernel's memory and in that of a task.
pub(crate) const KERNEL_TEXT: u64 = 0xffff_8880_0000_1000;
pub(crate) const USER_TEXT: u64 = 0x7fff_0000_1000;

/// Where the function `vfs_read` lies.
pub(crate) const VFS_READ: Range<u64> = 0xffff_ffff_8100_0000..0xffff_ffff_8100_0040;

/// The event `test:everything` with these fields, a line each as a format file has them.
pub(crate) fn event(fields: &str) -> EventFormat {
    EventFormat::parse("test", &format!("{HEAD}{fields}\nprint fmt: \"\"\n")).expect("the format reads")
}

/// A field that the event has.
pub(crate) fn field<'e>(event: &'e EventFormat, name: &str) -> &'e Field {
    event.field(name).unwrap_or_else(|| panic!("no field {name}"))
}

/// A record of which the first `fixed` bytes are there: all 0 but its type.
pub(crate) fn empty(event: &EventFormat, fixed: usize, little_endian: bool) -> Vec<u8> {
    let mut bytes = vec![0; fixed];
    put(&mut bytes, field(event, "common_type"), 7, little_endian);
    bytes
}

/// Sets an integer field, or a location word.
pub(crate) fn put(bytes: &mut [u8], field: &Field, value: u64, little_endian: bool) {
    let size = if field.type_text.contains("_loc") { 4 } else { field.size as usize };
    let place = &mut bytes[field.offset as usize..][..size];
    match little_endian {
        true => place.copy_from_slice(&value.to_le_bytes()[..size]),
        false => place.copy_from_slice(&value.to_be_bytes()[8 - size..]),
    }
}

/// Adds dynamic data behind the record, and its location.
pub(crate) fn add(bytes: &mut Vec<u8>, field: &Field, data: &[u8], little_endian: bool) {
    let base = if field.type_text.starts_with("__rel_loc") { field.offset as usize + 4 } else { 0 };
    let location = (data.len() << 16 | (bytes.len() - base)) as u64;
    put(bytes, field, location, little_endian);
    bytes.extend(data);
}
