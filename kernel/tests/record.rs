//! Records put together by hand against layouts, and how their values read.

use proptest::prelude::*;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::PageLayout;
use tracec_kernel::record::{Decoder, Record, RecordError, Value};

const COMMON: &str = "\
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
";

fn event(system: &str, name: &str, id: u16, fields: &str) -> EventFormat {
    let text = format!("name: {name}\nID: {id}\nformat:\n{COMMON}\n{fields}\nprint fmt: \"\"\n");
    EventFormat::parse(system, &text).unwrap()
}

fn everything() -> EventFormat {
    event(
        "test",
        "everything",
        7,
        "\
\tfield:s8 small;\toffset:8;\tsize:1;\tsigned:1;
\tfield:bool flag;\toffset:9;\tsize:1;\tsigned:0;
\tfield:short half;\toffset:10;\tsize:2;\tsigned:1;
\tfield:u32 word;\toffset:12;\tsize:4;\tsigned:0;
\tfield:u64 long_word;\toffset:16;\tsize:8;\tsigned:0;
\tfield:void * address;\toffset:24;\tsize:8;\tsigned:0;
\tfield:const char * text_at;\toffset:32;\tsize:8;\tsigned:0;
\tfield:int dfd;\toffset:40;\tsize:8;\tsigned:0;
\tfield:char comm[8];\toffset:48;\tsize:8;\tsigned:0;
\tfield:s16 pair[2];\toffset:56;\tsize:4;\tsigned:1;
\tfield:unsigned char mac[4];\toffset:60;\tsize:4;\tsigned:0;
\tfield:__data_loc char[] name;\toffset:64;\tsize:4;\tsigned:0;
\tfield:__rel_loc char tail[];\toffset:68;\tsize:4;\tsigned:0;
\tfield:__data_loc u16[] list;\toffset:72;\tsize:4;\tsigned:0;
\tfield:__data_loc cpumask_t cpus;\toffset:76;\tsize:4;\tsigned:0;
\tfield:struct pair odd;\toffset:80;\tsize:3;\tsigned:0;
",
    )
}

/// Writes integers in one order.
struct Bytes {
    little: bool,
    bytes: Vec<u8>,
}

impl Bytes {
    fn put(mut self, value: u64, size: usize) -> Self {
        let bytes = if self.little { value.to_le_bytes() } else { (value << (64 - 8 * size)).to_be_bytes() };
        self.bytes.extend(&bytes[..size]);
        self
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }
}

fn record_bytes(little: bool) -> Vec<u8> {
    let mask = 0b10_1111 | 1 << 63;
    Bytes { little, bytes: Vec::new() }
        .put(7, 2)
        .put(1, 1)
        .put(2, 1)
        .put(-3i32 as u32 as u64, 4)
        .put(0xff, 1)
        .put(1, 1)
        .put(-300i16 as u16 as u64, 2)
        .put(u32::MAX.into(), 4)
        .put(u64::MAX, 8)
        .put(0xffff_8880_1234_5678, 8)
        .put(0x7fff_0000_0000, 8)
        .put(0xffff_ff9c, 8)
        .raw(b"bash\0old")
        .put(-1i16 as u16 as u64, 2)
        .put(2, 2)
        .raw(&[0, 0x1b, 0xff, 2])
        .put(5 << 16 | 84, 4)
        .put(4 << 16 | (89 - 72), 4)
        .put(6 << 16 | 93, 4)
        .put(8 << 16 | 99, 4)
        .raw(&[1, 2, 3, 0])
        .raw(b"name\0")
        .raw(b"end\0")
        .put(1, 2)
        .put(2, 2)
        .put(65_535, 2)
        .put(mask, 8)
        .bytes
}

fn texts(record: &Record<'_>) -> Vec<(String, String)> {
    record.fields().map(|(field, value)| (field.name.to_string(), value.unwrap().to_string())).collect()
}

#[test]
fn every_kind_of_field_is_read_in_both_orders() {
    for little_endian in [true, false] {
        let layout = PageLayout { little_endian, ..PageLayout::default() };
        let decoder = Decoder::for_layout(vec![everything()], &layout);
        let bytes = record_bytes(little_endian);
        let record = decoder.record(&bytes).unwrap();
        assert_eq!((record.common_pid(), record.common_flags(), record.common_preempt_count()), (-3, 1, 2));
        let expected = [
            ("small", "-1"),
            ("flag", "1"),
            ("half", "-300"),
            ("word", "4294967295"),
            ("long_word", "18446744073709551615"),
            ("address", "0xffff888012345678"),
            ("text_at", "0x7fff00000000"),
            ("dfd", "-100"),
            ("comm", "bash"),
            ("pair", "{-1,2}"),
            ("mac", "00:1b:ff:02"),
            ("name", "name"),
            ("tail", "end"),
            ("list", "{1,2,65535}"),
            ("cpus", "{0-3,5,63}"),
            ("odd", "01:02:03"),
        ];
        let expected: Vec<_> = expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        assert_eq!(texts(&record), expected);
        assert_eq!(record.get("common_pid"), Some(Ok(Value::Int(-3))));
        assert_eq!(record.get("small"), Some(Ok(Value::Int(-1))));
        assert_eq!(record.get("nothing"), None);
        let Some(Ok(Value::Cpumask(mask))) = record.get("cpus") else { panic!("no mask") };
        assert!(mask.contains(63) && !mask.contains(4) && !mask.contains(1000));
        let Some(Ok(Value::Ints(pair))) = record.get("pair") else { panic!("no array") };
        assert_eq!((pair.len(), pair.is_empty(), pair.iter().sum::<i128>()), (2, false, 1));
    }
}

#[test]
fn an_unsigned_argument_reads_as_its_c_type() {
    for little_endian in [true, false] {
        let layout = PageLayout { little_endian, ..PageLayout::default() };
        let chmod = "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n\
            \tfield:umode_t mode;\toffset:24;\tsize:8;\tsigned:0;\n\
            \tfield:size_t length;\toffset:32;\tsize:8;\tsigned:0;\n";
        let decoder = Decoder::for_layout(vec![event("syscalls", "sys_enter_fchmod", 9, chmod)], &layout);
        let bytes = Bytes { little: little_endian, bytes: Vec::new() }
            .put(9, 2)
            .put(0, 6)
            .put(91, 8)
            .put(0xdead_beef_0000_004d, 8)
            .put(0xffff_ffff_ffff_01ed, 8)
            .put(0xdead_beef_0000_004d, 8)
            .bytes;
        let record = decoder.record(&bytes).unwrap();
        assert_eq!(record.get("fd"), Some(Ok(Value::UInt(77))));
        assert_eq!(record.get("mode"), Some(Ok(Value::UInt(0o755))));
        assert_eq!(record.get("length"), Some(Ok(Value::UInt(0xdead_beef_0000_004d))));
    }
}

#[test]
fn a_word_of_four_bytes_orders_a_mask_of_32_bit_kernels() {
    let layout =
        PageLayout { little_endian: false, commit_size: 4, data_offset: 12, ..PageLayout::default() };
    let decoder = Decoder::for_layout(
        vec![event("t", "mask", 1, "\tfield:__data_loc cpumask_t m;\toffset:8;\tsize:4;\tsigned:0;\n")],
        &layout,
    );
    let bytes = Bytes { little: false, bytes: Vec::new() }
        .put(1, 2)
        .put(0, 6)
        .put(8 << 16 | 12, 4)
        .put(1, 4)
        .put(2, 4);
    assert_eq!(decoder.record(&bytes.bytes).unwrap().get("m").unwrap().unwrap().to_string(), "{0,33}");
}

#[test]
fn a_record_cut_anywhere_is_an_error_and_no_panic() {
    let decoder = Decoder::new(vec![everything()]);
    let bytes = record_bytes(cfg!(target_endian = "little"));
    for len in 0..bytes.len() {
        match decoder.record(&bytes[..len]) {
            Err(error) => {
                assert_eq!(error, RecordError::Header { len });
                assert!(len < 8);
            }
            Ok(record) => {
                assert!(len >= 8);
                assert!(record.fields().any(|(_, value)| value.is_err()), "{len}");
                assert!(record.stack().is_none());
            }
        }
    }
    let record = decoder.record(&bytes[..84]).unwrap();
    assert_eq!(record.get("name"), Some(Err(RecordError::Field { field: "name".to_owned(), len: 84 })));
}

#[test]
fn events_are_told_apart_by_id() {
    let one = || event("t", "one", 3, "\tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n");
    let two = || event("t", "two", 65_535, "\tfield:u32 y;\toffset:8;\tsize:4;\tsigned:0;\n");
    let decoder = Decoder::new(vec![one(), two(), event("t", "again", 3, "")]);
    assert_eq!(decoder.format(3).map(|format| format.name.as_str()), Some("again"));
    assert_eq!(decoder.format(65_535).map(|format| format.name.as_str()), Some("two"));
    assert_eq!((decoder.format(0), decoder.format(4)), (None, None));
    assert_eq!(decoder.formats().count(), 3);
    let native = cfg!(target_endian = "little");
    let data = Bytes { little: native, bytes: Vec::new() }.put(4, 2).put(0, 6).bytes;
    assert_eq!(decoder.record(&data).map(|_| ()), Err(RecordError::UnknownEvent { id: 4 }));
    let empty = Decoder::new(Vec::new());
    assert_eq!(empty.record(&data).map(|_| ()), Err(RecordError::UnknownEvent { id: 4 }));
    assert_eq!(empty.record(&[]).map(|_| ()), Err(RecordError::Header { len: 0 }));
}

#[test]
fn a_field_of_size_zero_is_the_tail() {
    let print = event(
        "ftrace",
        "print",
        5,
        "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n",
    );
    let decoder = Decoder::new(vec![print]);
    let data = Bytes { little: cfg!(target_endian = "little"), bytes: Vec::new() }.put(5, 2).raw(&[0; 14]);
    let text = data.raw(b"hello world\n\0\0\0").bytes;
    let record = decoder.record(&text).unwrap();
    assert_eq!(record.get("buf").unwrap().unwrap(), Value::Text(b"hello world\n"));
    assert_eq!(record.get("buf").unwrap().unwrap().to_string(), "\"hello world\\x0a\"");
}

fn stack_format(system: &str, name: &str, size: &str) -> EventFormat {
    let caller = "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";
    event(system, name, 4, &format!("\tfield:{size};\toffset:8;\tsize:4;\tsigned:1;\n{caller}"))
}

#[test]
fn a_stack_goes_on_to_the_end_of_its_record() {
    let stack = |format: EventFormat, size: u32, callers: &[u64]| {
        let decoder = Decoder::new(vec![format]);
        let mut data = Bytes { little: cfg!(target_endian = "little"), bytes: Vec::new() };
        data = data.put(4, 2).put(0, 6).put(size.into(), 4).put(0, 4);
        for &caller in callers {
            data = data.put(caller, 8);
        }
        data = data.raw(&[1, 2, 3]);
        decoder.record(&data.bytes).unwrap().stack().map(|addresses| addresses.collect::<Vec<_>>())
    };
    let kernel = || stack_format("ftrace", "kernel_stack", "int size");
    let twelve: Vec<u64> = (1..=12).collect();
    assert_eq!(stack(kernel(), 12, &twelve), Some(twelve.clone()));
    assert_eq!(stack(kernel(), 3, &twelve), Some(vec![1, 2, 3]));
    assert_eq!(stack(kernel(), 12, &[1, 2, u64::MAX, 3]), Some(vec![1, 2]));
    assert_eq!(stack(kernel(), 12, &[1, 0, 3]), Some(vec![1]));
    assert_eq!(stack(kernel(), 12, &[]), Some(Vec::new()));
    assert_eq!(stack(kernel(), -1i32 as u32, &twelve), None);
    let user = stack_format("ftrace", "user_stack", "unsigned int tgid");
    assert_eq!(stack(user, 9_999, &twelve), Some((1..=8).collect()));
    assert_eq!(stack(stack_format("other", "kernel_stack", "int size"), 12, &twelve), None);
}

#[test]
fn text_stays_on_one_line_and_can_be_told_apart() {
    for (bytes, text) in [
        (&b"bash"[..], "bash"),
        (b"", "\"\""),
        (b"/a b", "\"/a b\""),
        (b"a=b", "\"a=b\""),
        (b"it's", "\"it's\""),
        (b"say \"x\"", "\"say \\\"x\\\"\""),
        (b"a\\b", "a\\\\b"),
        (b"a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f"),
        (b"\xff\xfeok\xc3", "\\xff\\xfeok\\xc3"),
        ("größe".as_bytes(), "größe"),
        ("a\u{2028}\u{202e}b\u{85}".as_bytes(), "a\\xe2\\x80\\xa8\\xe2\\x80\\xaeb\\xc2\\x85"),
        (b"{1,2}", "\"{1,2}\""),
    ] {
        assert_eq!(Value::Text(bytes).to_string(), text);
    }
    assert_eq!(Value::Bytes(&[]).to_string(), "");
    assert_eq!(Value::Address(0).to_string(), "0x0");
}

proptest! {
    #[test]
    fn any_text_stays_on_one_line(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let text = Value::Text(&bytes).to_string();
        prop_assert!(!text.chars().any(char::is_control), "{text:?}");
        prop_assert!(text.starts_with('"') || !text.contains([' ', '=']));
    }

    /// Any bytes behind a known id: every field is a value or an error.
    #[test]
    fn any_record_is_read_without_panic(mut bytes in proptest::collection::vec(any::<u8>(), 8..200)) {
        bytes[..2].copy_from_slice(&7u16.to_ne_bytes());
        let decoder = Decoder::new(vec![everything()]);
        let record = decoder.record(&bytes).unwrap();
        for (_, value) in record.fields() {
            let _ = value.map(|value| value.to_string());
        }
    }
}
