//! Rare declarations in `format` files: sizes that are expressions, keywords as names, unaligned records, headers of
//! other sizes.

use tracec_kernel::format::{EventFormat, FieldKind};
use tracepoint_decode::PerfEventFormat;

const COMMON: &str = "\
name: rare
ID: 300
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
";

fn event(header: &str, fields: &str) -> String {
    format!("{COMMON}{header}\n{fields}\nprint fmt: \"%d\", REC->a\n")
}

fn parse(text: &str) -> EventFormat {
    EventFormat::parse("rare", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Name, type, kind, offset, size and sign of the only field.
fn field(line: &str) -> (String, String, FieldKind, u32, u32, bool) {
    let format = parse(&event("", &format!("\tfield:{line}\n")));
    let [field] = format.own_fields() else { panic!("{line}") };
    let field = field.clone();
    (field.name.into(), field.type_text.into(), field.kind, field.offset, field.size, field.signed)
}

#[test]
fn sizes_may_be_expressions() {
    for (declaration, size, name, type_text, kind) in [
        ("char comm[TASK_COMM_LEN]", 16, "comm", "char[TASK_COMM_LEN]", FieldKind::CharArray),
        ("u8 mac[ETH_ALEN]", 6, "mac", "u8[ETH_ALEN]", FieldKind::Array { element: 1 }),
        ("u32 ids[(8 + 1) * 2]", 72, "ids", "u32[(8 + 1) * 2]", FieldKind::Array { element: 4 }),
        ("u8 b[sizeof(c[0]) * N]", 8, "b", "u8[sizeof(c[0]) * N]", FieldKind::Array { element: 1 }),
        ("u8 m[2][3]", 6, "m", "u8[2][3]", FieldKind::Array { element: 1 }),
        ("void *p[NR]", 64, "p", "void *[NR]", FieldKind::Array { element: 8 }),
    ] {
        let found = field(&format!("{declaration};\toffset:8;\tsize:{size};\tsigned:0;"));
        assert_eq!(found, (name.to_owned(), type_text.to_owned(), kind, 8, size, false), "{declaration}");
    }
}

#[test]
fn keywords_may_be_names() {
    for name in ["default", "int", "struct", "size", "offset", "signed", "field", "if", "char", "common_x"] {
        let found = field(&format!("unsigned long {name};\toffset:8;\tsize:8;\tsigned:0;"));
        assert_eq!((found.0.as_str(), found.1.as_str(), found.2), (name, "unsigned long", FieldKind::Int));
    }
}

#[test]
fn dynamic_fields_have_their_brackets_before_or_behind_the_name() {
    for (declaration, type_text, kind) in [
        ("__data_loc char[] a", "__data_loc char[]", FieldKind::DynString),
        ("__rel_loc char a[]", "__rel_loc char[]", FieldKind::RelString),
        ("__data_loc u16[] a", "__data_loc u16[]", FieldKind::DynArray { element: 2 }),
        ("__rel_loc u16 a[]", "__rel_loc u16[]", FieldKind::RelArray { element: 2 }),
        ("__data_loc cpumask_t a", "__data_loc cpumask_t", FieldKind::DynCpumask),
        ("__rel_loc cpumask_t a", "__rel_loc cpumask_t", FieldKind::RelCpumask),
    ] {
        let found = field(&format!("{declaration};\toffset:8;\tsize:4;\tsigned:0;"));
        assert_eq!((found.0.as_str(), found.1.as_str(), found.2), ("a", type_text, kind), "{declaration}");
    }
}

#[test]
fn a_sign_that_is_not_written_is_that_of_the_type() {
    for (declaration, signed) in
        [("int a", true), ("unsigned int a", false), ("s64 a", true), ("pid_t a", true), ("u8 a", false)]
    {
        assert_eq!(field(&format!("{declaration};\toffset:8;\tsize:4;")).5, signed, "{declaration}");
    }
}

#[test]
fn a_bit_field_is_none_that_a_record_has() {
    let text = event("", "\tfield:int a:3;\toffset:8;\tsize:4;\tsigned:1;\n");
    let error = EventFormat::parse("rare", &text).unwrap_err();
    assert_eq!(error.line, 9);
    assert!(error.reason.contains("declares no field"), "{error}");
}

#[test]
fn probes_have_packed_records() {
    let lines = "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:u8 flag;\toffset:16;\tsize:1;\tsigned:0;
\tfield:s64 value;\toffset:17;\tsize:8;\tsigned:1;
\tfield:u16 words[3];\toffset:25;\tsize:6;\tsigned:0;
\tfield:__data_loc char[] path;\toffset:31;\tsize:4;\tsigned:1;
";
    let format = parse(&event("", lines));
    let places: Vec<_> = format.own_fields().iter().map(|field| (field.offset, field.size)).collect();
    assert_eq!(places, [(8, 8), (16, 1), (17, 8), (25, 6), (31, 4)]);
    assert_eq!(format.own_fields()[3].kind, FieldKind::Array { element: 2 });
}

#[test]
fn the_header_is_as_large_as_its_fields() {
    let own = "\tfield:int a;\toffset:12;\tsize:4;\tsigned:1;\n";
    for (header, size) in [
        ("", 8),
        // 6.1 with real-time patches: include/linux/trace_events.h, `struct trace_entry`.
        ("\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n", 9),
        ("\tfield:int common_tgid;\toffset:8;\tsize:4;\tsigned:1;\n", 12),
        ("\tfield:int common_lock_depth;\toffset:8;\tsize:4;\tsigned:1;\n", 12),
    ] {
        let text = event(header, own);
        let format = parse(&text);
        let other = PerfEventFormat::parse(true, "rare", &text).unwrap();
        assert_eq!(format.header_size(), size);
        assert_eq!(format.header_size(), u32::from(other.common_fields_size()));
        assert_eq!(format.common, other.common_field_count());
        assert_eq!(format.own_fields().len(), 1);
    }
}
