//! `format` files of real kernels, and what no kernel writes.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tracec_kernel::format::{EventFormat, Field, FieldKind, IntegerType};

fn sample(event: &str) -> EventFormat {
    let text = fs::read_to_string(samples().join(event)).unwrap();
    let (system, _) = event.split_once('.').unwrap();
    EventFormat::parse(system, &text).unwrap()
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats")
}

fn field(format: &EventFormat, name: &str) -> Field {
    format.field(name).unwrap_or_else(|| panic!("{} has no `{name}`", format.name)).clone()
}

/// What holds for every format file of a kernel on which no lazy preemption is counted.
fn check(format: &EventFormat, text: &str) {
    let name = format.qualified_name();
    let lines = text.lines().filter(|line| line.contains("field:")).count();
    assert_eq!(format.fields.len(), lines, "{name}");
    assert!(format.common >= 4, "{name}");
    assert_eq!(format.header_size(), 8, "{name}");
    assert!(format.own_fields().iter().all(|field| field.offset >= 8), "{name}");
    assert!(!format.print_fmt.is_empty(), "{name}");
    let mut seen = HashSet::new();
    for field in format.fields.iter() {
        assert!(seen.insert(&field.name), "{name} has two fields `{}`", field.name);
        assert!(!field.type_text.is_empty(), "{name}.{}", field.name);
        assert!(!field.name.contains(['[', ']', ' ', '*']), "{name}.{}", field.name);
        if field.kind == FieldKind::Int {
            assert!(matches!(field.size, 1 | 2 | 4 | 8), "{name}.{}", field.name);
        }
    }
}

#[test]
fn the_samples_parse() {
    let mut count = 0;
    for entry in fs::read_dir(samples()).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_str().unwrap();
        let (system, name) = file.split_once('.').unwrap();
        let format = EventFormat::parse(system, &text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(format.name, name);
        check(&format, &text);
        count += 1;
    }
    assert!(count >= 40, "only {count} samples");
}

#[test]
fn fields_read_as_they_are_declared() {
    let switch = sample("sched.sched_switch");
    assert_eq!((switch.system.as_str(), switch.name.as_str(), switch.common), ("sched", "sched_switch", 4));
    assert_eq!(switch.qualified_name(), "sched:sched_switch");
    assert_eq!(switch.own_fields()[0].name, "prev_comm");
    assert_eq!(field(&switch, "prev_comm").type_text, "char[16]");
    assert_eq!(field(&switch, "prev_comm").kind, FieldKind::CharArray);
    assert_eq!(field(&switch, "common_pid").integer(), Some(IntegerType { bytes: 4, signed: true }));
    assert_eq!(field(&switch, "prev_state").size, 8);
    assert!(switch.print_fmt.starts_with("\"prev_comm=%s"));
    assert!(switch.field("no_such_field").is_none());

    let exec = sample("sched.sched_process_exec");
    assert_eq!(field(&exec, "filename").type_text, "__data_loc char[]");
    assert_eq!(field(&exec, "filename").kind, FieldKind::DynString);

    assert_eq!(field(&sample("ipi.ipi_send_cpumask"), "cpumask").kind, FieldKind::DynCpumask);
    assert_eq!(field(&sample("raw_syscalls.sys_enter"), "args").kind, FieldKind::Array { element: 8 });
    assert_eq!(field(&sample("ras.arm_event"), "pei_buf").kind, FieldKind::DynArray { element: 1 });
    assert_eq!(field(&sample("dma.dma_map_sg"), "lengths").kind, FieldKind::DynArray { element: 4 });
    assert_eq!(field(&sample("bridge.br_fdb_add"), "addr").kind, FieldKind::CharArray);
    assert_eq!(field(&sample("tcp.tcp_probe"), "saddr").kind, FieldKind::Array { element: 1 });

    let print = sample("ftrace.print");
    assert_eq!((field(&print, "buf").kind, field(&print, "buf").size), (FieldKind::CharArray, 0));
}

#[test]
fn arguments_of_system_calls_keep_the_meaning_of_c() {
    let open = sample("syscalls.sys_enter_openat");
    let dfd = field(&open, "dfd");
    assert_eq!((dfd.kind.clone(), dfd.size, dfd.signed), (FieldKind::Int, 8, false));
    assert_eq!(dfd.integer(), Some(IntegerType { bytes: 4, signed: true }));
    assert!(dfd.is_argument());
    assert_eq!(field(&open, "filename").kind, FieldKind::CharPtr);
    let mode = field(&open, "mode");
    assert_eq!((mode.type_text.as_str(), mode.size), ("umode_t", 8));
    assert_eq!(mode.integer(), Some(IntegerType { bytes: 2, signed: false }));
    assert!(mode.is_argument());
    let exec = sample("syscalls.sys_enter_execve");
    assert_eq!(field(&exec, "argv").kind, FieldKind::Int);
    assert!(field(&exec, "argv").is_pointer());
    assert!(!field(&exec, "argv").is_argument());
    let clock = sample("syscalls.sys_enter_clock_nanosleep");
    assert!(field(&clock, "which_clock").is_argument());
    let list = sample("syscalls.sys_enter_get_robust_list");
    assert_eq!(field(&list, "head_ptr").type_text, "struct robust_list_head * *");
}

const OLD: &str = "\
name: sys_enter
ID: 15
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;
\tfield:int common_pid;\toffset:4;\tsize:4;
\tfield:int common_tgid;\toffset:8;\tsize:4;

\tfield:long id;\toffset:16;\tsize:8;
\tfield:unsigned long args[6];\toffset:24;\tsize:48;
\tfield:const char *name;\toffset:72;\tsize:8;

print fmt: \"NR %ld\", REC->id
";

#[test]
fn files_of_old_kernels_parse() {
    let format = EventFormat::parse("raw_syscalls", OLD).unwrap();
    assert_eq!((format.common, format.header_size()), (5, 12));
    assert!(field(&format, "common_pid").signed);
    assert!(!field(&format, "common_type").signed);
    assert!(field(&format, "id").signed);
    assert_eq!(field(&format, "args").kind, FieldKind::Array { element: 8 });
    assert_eq!(
        (field(&format, "name").type_text.as_str(), field(&format, "name").kind),
        ("const char *", FieldKind::CharPtr)
    );
}

const MIXED: &str = "\
name: mixed
ID: 65535
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
\tfield:unsigned char common_migrate_disable;\toffset:8;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_lazy_count;\toffset:9;\tsize:1;\tsigned:0;

\tfield:__rel_loc char name[];\toffset:12;\tsize:4;\tsigned:0;
\tfield:__rel_loc unsigned long mask[];\toffset:16;\tsize:4;\tsigned:0;
\tfield:__rel_loc cpumask_t cpus;\toffset:20;\tsize:4;\tsigned:0;
\tfield:u8 arg4[];\toffset:24;\tsize:4;\tsigned:0;
\tfield:__data_loc char[][3] argv;\toffset:28;\tsize:12;\tsigned:1;
\tfield:void (*func)(int, char *);\toffset:40;\tsize:8;\tsigned:0;
\tfield:u64 arg5;\toffset:51;\tsize:8;\tsigned:0;\tfuture:7;

print fmt: \"%s
print fmt: not here\", __get_rel_str(name)
";

#[test]
fn rare_declarations_parse() {
    let format = EventFormat::parse("samples", MIXED).unwrap();
    assert_eq!((format.id, format.common, format.header_size()), (65535, 6, 10));
    let kinds: Vec<_> =
        format.own_fields().iter().map(|f| (f.name.as_str(), f.type_text.as_str(), f.kind.clone())).collect();
    assert_eq!(
        kinds,
        [
            ("name", "__rel_loc char[]", FieldKind::RelString),
            ("mask", "__rel_loc unsigned long[]", FieldKind::RelArray { element: 8 }),
            ("cpus", "__rel_loc cpumask_t", FieldKind::RelCpumask),
            ("arg4", "u8[]", FieldKind::Array { element: 1 }),
            ("argv", "__data_loc char[][3]", FieldKind::Opaque),
            ("func", "void (*)(int, char *)", FieldKind::Int),
            ("arg5", "u64", FieldKind::Int),
        ]
    );
    assert!(field(&format, "func").is_pointer());
    assert!(format.print_fmt.ends_with("not here\", __get_rel_str(name)"));
}

#[test]
fn a_file_that_is_none_is_refused_at_its_line() {
    let fails = |text: &str, line: usize, reason: &str| {
        let error = EventFormat::parse("x", text).expect_err("it parses");
        assert_eq!(error.line, line, "{error}");
        assert!(error.reason.contains(reason), "{error}");
    };
    fails("", 1, "print fmt:");
    fails("print fmt: \"\"", 1, "name:");
    fails(&OLD.replace("name: sys_enter", "nam: sys_enter"), 1, "expected `name:`");
    fails(&OLD.replace("name: sys_enter", "name:"), 1, "nothing");
    fails(&OLD.replace("ID: 15", "ID: 65536"), 2, "not an event id");
    fails(&OLD.replace("ID: 15", "ID: x"), 2, "not an event id");
    fails(&OLD.replace("print fmt:", "print:"), 14, "print fmt:");
    fails(&OLD.replace("field:long id;", "long id;"), 10, "expected `field:`");
    fails(&OLD.replace("field:long id;", "field:id;"), 10, "declares no field");
    fails(&OLD.replace("field:long id;", "field:long ä;"), 10, "declares no field");
    fails(&OLD.replace("offset:16;", "offset:-1;"), 10, "not a small number");
    fails(&OLD.replace("offset:16;", "offset:99999999999;"), 10, "not a small number");
    fails(&OLD.replace("offset:16;\t", ""), 10, "`offset:` is missing");
    fails(&OLD.replace("size:48;", "size;"), 11, "has no value");
    fails(&OLD.replace("common_type", "common_typo"), 13, "common_type");
}

#[test]
fn a_file_cut_anywhere_gives_an_error_or_a_layout() {
    for text in [OLD, MIXED] {
        for end in 0..text.len() {
            if let Ok(format) = EventFormat::parse("x", &text[..end]) {
                assert!(end > text.find("print fmt:").unwrap(), "{end}");
                assert!(!format.own_fields().is_empty());
            }
        }
    }
}

#[test]
fn huge_lines_do_no_harm() {
    let long = "x".repeat(1 << 20);
    assert!(EventFormat::parse("x", &OLD.replace("field:long id;", &format!("field:long {long};"))).is_ok());
    let nested = "[1]".repeat(1 << 16);
    assert!(
        EventFormat::parse("x", &OLD.replace("field:long id;", &format!("field:long id{nested};"))).is_ok()
    );
}
