//! Formats of records that tracefs does not list: the tracer blk writes its own (`blk_io_trace`,
//! include/uapi/linux/blktrace_api.h), whose head is that of a record.

use super::EventFormat;

/// The name by which trace-cmd knows these records.
const NAME: &str = "blktrace";

/// The fields of a `blk_io_trace` behind the head: type and name, offset, size, sign.
const FIELDS: [(&str, u32, u32, u8); 9] = [
    ("u64 time", 8, 8, 0),
    ("u64 sector", 16, 8, 0),
    ("u32 bytes", 24, 4, 0),
    ("u32 action", 28, 4, 0),
    ("int pid", 32, 4, 1),
    ("u32 device", 36, 4, 0),
    ("u32 cpu", 40, 4, 0),
    ("u16 error", 44, 2, 0),
    ("u16 pdu_len", 46, 2, 0),
];

/// Returns the format of the records of the tracer blk on a kernel with these formats; `None` if it has none, or none of this
/// id.
///
/// `TRACE_BLK` has its place between the ids of `user_stack` and `bputs` in `enum trace_type` (kernel/trace/trace.h), which
/// are listed.
pub fn of_block_trace(formats: &[EventFormat]) -> Option<EventFormat> {
    let find = |name: &str| formats.iter().find(|format| format.system == "ftrace" && format.name == name);
    let before = find("user_stack")?;
    let own = before.id.checked_add(1)?;
    let is_between = find("bputs").is_some_and(|behind| own.checked_add(1) == Some(behind.id));
    // The struct has room for a head of eight bytes.
    if !is_between || before.header_size() > 8 || formats.iter().any(|format| format.id == own) {
        return None;
    }
    let mut text = format!("name: {NAME}\nID: {own}\nformat:\n");
    let common = [
        ("unsigned short common_type", 0, 2, 0),
        ("unsigned char common_flags", 2, 1, 0),
        ("unsigned char common_preempt_count", 3, 1, 0),
        ("int common_pid", 4, 4, 1),
    ];
    let data = ("unsigned char data[]", 48, 0, 0);
    let line = |(field, offset, size, signed): (&str, u32, u32, u8)| {
        format!("\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n")
    };
    text.extend(common.into_iter().map(line));
    text.push('\n');
    text.extend(FIELDS.into_iter().chain([data]).map(line));
    text += "\nprint fmt: \"%d\", REC->pid\n";
    EventFormat::parse("ftrace", &text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str, id: u16) -> EventFormat {
        let field = "field:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;";
        EventFormat::parse(
            "ftrace",
            &format!("name: {name}\nID: {id}\nformat:\n\t{field}\n\nprint fmt: \"\"\n"),
        )
        .unwrap()
    }

    #[test]
    fn block_requests_have_the_id_between_two_that_are_listed() {
        let found = of_block_trace(&[format("user_stack", 12), format("bputs", 14)]).unwrap();
        assert_eq!((found.id, found.name.as_str(), found.field("data").unwrap().offset), (13, NAME, 48));
        assert!(of_block_trace(&[format("user_stack", 12), format("bputs", 13)]).is_none());
        assert!(of_block_trace(&[format("bputs", 14)]).is_none());
        let taken = [format("user_stack", 12), format("other", 13), format("bputs", 14)];
        assert!(of_block_trace(&taken).is_none());
    }
}
