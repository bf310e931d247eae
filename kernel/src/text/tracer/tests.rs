//! Texts of tracers' records. Those of functions, stacks, markers and hwlat were recorded on Linux 6.12 with the kernel's
//! own text beside them.

use super::super::{CallStyle, Environment, Passed, Style, Symbol, Text};
use crate::format::EventFormat;

/// Name, offset, size and sign of the fields of a record.
type Fields<'a> = &'a [(&'a str, u32, u32, u8)];

fn format(name: &str, fields: Fields<'_>) -> EventFormat {
    let mut text = format!("name: {name}\nID: 1\nformat:\n");
    text += "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n";
    text += "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
    for (field, offset, size, signed) in fields {
        text += &format!("\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n");
    }
    text += "\nprint fmt: \"\"\n";
    EventFormat::parse("ftrace", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A kernel with two functions, a task and a string.
struct Known;

impl Environment for Known {
    fn is_little_endian(&self) -> bool {
        true
    }

    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let (name, module) = match address >> 8 {
            1 => ("vfs_open", None),
            2 => ("path_openat", Some("dummy")),
            _ => return None,
        };
        Some(Symbol { name, module, offset: address & 0xff, size: 0x100 })
    }

    fn string(&self, address: u64) -> Option<&[u8]> {
        match address {
            0x5000 => Some(b"%d %5s|%-4u|%c %lx %ps %%\n"),
            _ => None,
        }
    }

    fn task(&self, pid: i32) -> Option<&[u8]> {
        (pid == 7).then_some(b"bash")
    }

    fn parameters(&self, function: &str) -> Vec<(&str, Passed)> {
        match function {
            "vfs_open" => vec![
                ("path", Passed::Pointer),
                ("flags", Passed::Number { signed: true }),
                ("mode", Passed::Number { signed: false }),
                ("kind", Passed::Enum),
                ("", Passed::Unknown),
            ],
            "path_openat" => vec![
                ("pair", Passed::Parts { kind: "STRUCT", bytes: 16 }),
                ("small", Passed::Parts { kind: "UNION", bytes: 4 }),
                ("wide", Passed::Parts { kind: "STRUCT", bytes: 40 }),
                ("last", Passed::Pointer),
            ],
            _ => Vec::new(),
        }
    }
}

fn shown(name: &str, fields: Fields<'_>, body: &[u8], style: Style) -> String {
    let record = [&[0; 8], body].concat();
    let mut out = Vec::new();
    let text = Text::compile_as(&format(name, fields), &Known, style).unwrap();
    text.render_line(&record, &Known, &mut out);
    String::from_utf8(out).unwrap()
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

const FUNCTION: Fields<'_> = &[("unsigned long ip", 8, 8, 0), ("unsigned long parent_ip", 16, 8, 0)];

#[test]
fn function_has_its_caller() {
    let body = words(&[0x100, 0x210]);
    let style = Style::default();
    assert_eq!(shown("function", FUNCTION, &body, style), "vfs_open <-path_openat");
    let offsets = Style { symbol_offsets: true, symbol_addresses: true, parents: false, ..style };
    assert_eq!(shown("function", FUNCTION, &body, offsets), "vfs_open+0x0/0x100 <0000000000000100>");
    assert_eq!(shown("function", FUNCTION, &words(&[0x100, 0]), style), "vfs_open");
    assert_eq!(shown("function", FUNCTION, &words(&[0x9100]), style), "0x00009100");
    let offsets = Style { symbol_offsets: true, ..style };
    let text = shown("function", FUNCTION, &words(&[0x9100, 0x210]), offsets);
    assert_eq!(text, "0x9100 <-path_openat+0x10/0x100 [dummy]");
    let repeats: Fields<'_> = &[
        ("unsigned long ip", 8, 8, 0),
        ("unsigned long parent_ip", 16, 8, 0),
        ("u16 count", 24, 2, 0),
        ("u16 top_delta_ts", 26, 2, 0),
        ("u32 bottom_delta_ts", 28, 4, 0),
    ];
    let body = words(&[0x100, 0x210, 7]);
    assert_eq!(shown("func_repeats", repeats, &body, style), "vfs_open <-path_openat (repeats: 7)");
}

#[test]
fn function_has_its_arguments() {
    let with_arguments: Fields<'_> = &[FUNCTION[0], FUNCTION[1], ("unsigned long args[]", 24, 0, 0)];
    let of = |function: u64, arguments: &[u64]| {
        let body = words(&[&[function, 0x210], arguments].concat());
        shown("function", with_arguments, &body, Style::default())
    };
    let minus_one = 1_u64.wrapping_neg();
    assert_eq!(
        of(0x100, &[0x10, minus_one, minus_one, 3, 5, 6]),
        "vfs_open(path=0x10, flags=-1, mode=0xffffffffffffffff, kind=3, =?0x5) <-path_openat"
    );
    // More than the six that are recorded.
    assert_eq!(
        of(0x200, &[1, 2, 3, 4, 5, 6]),
        "path_openat(pair=(STRUCT)[0x1:0x2], small=(UNION)[0x3], wide=(STRUCT)[0x4:0x5:0x6:...]) \
         <-path_openat"
    );
    assert_eq!(of(0x9100, &[1, 2, 3, 4, 5, 6]), "0x00009100() <-path_openat");
    assert_eq!(of(0x100, &[1, 2]), "vfs_open <-path_openat");
}

#[test]
fn calls_have_arguments_and_the_place_that_called() {
    let call = ("unsigned long func", 8, 8, 0);
    let depth = ("int depth", 16, 4, 1);
    let body = words(&[0x100, 1, 0x210, 1, 2, 3, 4, 5, 6]);
    let retaddr: Fields<'_> =
        &[call, depth, ("unsigned long retaddr", 24, 8, 0), ("unsigned long args[]", 32, 0, 0)];
    let open = "              |    vfs_open";
    let arguments = "(path=0x1, flags=2, mode=0x3, kind=4, =?0x5)";
    let of = |style| shown("fgraph_retaddr_entry", retaddr, &body, style);
    let style = Style::default();
    assert_eq!(of(style), format!("{open}{arguments} {{ /* <-path_openat+0x10/0x100 [dummy] */"));
    let without = Style { calls: CallStyle { callers: false, ..style.calls }, ..style };
    assert_eq!(of(without), format!("{open}{arguments} {{"));
    let plain: Fields<'_> = &[call, depth, ("unsigned long args[]", 24, 0, 0)];
    let body = words(&[0x100, 1, 1, 2, 3, 4, 5, 6]);
    assert_eq!(shown("funcgraph_entry", plain, &body, style), format!("{open}{arguments} {{"));
    assert_eq!(shown("funcgraph_entry", plain, &body[..16], style), format!("{open}() {{"));
}

#[test]
fn stacks_have_a_line_per_frame() {
    let kernel: Fields<'_> = &[("int size", 8, 4, 1), ("unsigned long caller[8]", 16, 64, 0)];
    let body = words(&[3, 0x110, 0x7fff_ffff, 0x9999, 0x100]);
    assert_eq!(
        shown("kernel_stack", kernel, &body, Style::default()),
        "<stack trace>\n => vfs_open\n => [FTRACE TRAMPOLINE]\n => 0x00009999"
    );
    let body = words(&[2, 0x110, 0x9999]);
    assert_eq!(
        shown("kernel_stack", kernel, &body, Style::TRACE_CMD_3_1),
        "<stack trace >\n=> vfs_open (110)\n=> 9999"
    );
    let user: Fields<'_> = &[("unsigned int tgid", 8, 4, 0), ("unsigned long caller[8]", 16, 64, 0)];
    let body = words(&[9, 0x46_10d3, 0, 5]);
    assert_eq!(
        shown("user_stack", user, &body, Style::default()),
        "<user stack trace>\n =>  <00000000004610d3>"
    );
}

#[test]
fn writes_of_programs_and_of_the_kernel() {
    let print: Fields<'_> = &[("unsigned long ip", 8, 8, 0), ("char buf[]", 16, 0, 0)];
    let body = [words(&[0x100]), b"hello\x1b\n\0".to_vec()].concat();
    assert_eq!(shown("print", print, &body, Style::default()), "vfs_open: hello\\x1b");
    let puts: Fields<'_> = &[("unsigned long ip", 8, 8, 0), ("const char * str", 16, 8, 0)];
    assert_eq!(
        shown("bputs", puts, &words(&[0x100, 0x5000]), Style::default()),
        "vfs_open: %d %5s|%-4u|%c %lx %ps %%"
    );
    let raw: Fields<'_> = &[("unsigned int id", 8, 4, 0), ("char buf[]", 12, 0, 0)];
    let body = [b"abcd".as_slice(), &[1, 2, 0xff, 0]].concat();
    assert_eq!(shown("raw_data", raw, &body, Style::default()), "# 64636261 buf: 01 02 ff 00");
    assert_eq!(shown("raw_data", raw, &body, Style::TRACE_CMD_3_1), "# 64636261 01 02 ff 00");
}

#[test]
fn arguments_of_trace_printk_are_unpacked() {
    let binary: Fields<'_> =
        &[("unsigned long ip", 8, 8, 0), ("const char * fmt", 16, 8, 0), ("u32 buf[]", 24, 0, 0)];
    let mut body = words(&[0x100, 0x5000]);
    body.extend((-3_i32).to_le_bytes());
    body.extend(b"ab\0");
    // An `unsigned int` begins at a multiple of four, and so does a `long`.
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(42_u32.to_le_bytes());
    body.push(b'x');
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(0xffff_u64.to_le_bytes());
    body.extend(0x110_u64.to_le_bytes());
    let text = shown("bprint", binary, &body, Style::default());
    assert_eq!(text, "vfs_open: -3    ab|42  |x ffff vfs_open %");
    let cut = shown("bprint", binary, &body[..20], Style::default());
    assert_eq!(cut, "vfs_open: -3      |?|\\x00 ? 0x0 %");
    assert_eq!(
        shown("bprint", binary, &words(&[0x100, 0x6000]), Style::default()),
        "vfs_open: (0x6000)[UNSAFE-MEMORY]"
    );
}

#[test]
fn latencies() {
    let hardware: Fields<'_> = &[
        ("u64 duration", 8, 8, 0),
        ("u64 outer_duration", 16, 8, 0),
        ("u64 nmi_total_ts", 24, 8, 0),
        ("s64 tv_sec", 32, 8, 1),
        ("long tv_nsec", 40, 8, 1),
        ("unsigned int nmi_count", 48, 4, 0),
        ("unsigned int seqnum", 52, 4, 0),
        ("unsigned int count", 56, 4, 0),
    ];
    let body = |nmis: u64| words(&[3908, 5752, 11, 1_795_741_496, 481_724_680, nmis | 1 << 32, 749]);
    let line = "#1     inner/outer(us): 3908/5752  ts:1795741496.481724680 count:749";
    assert_eq!(shown("hwlat", hardware, &body(0), Style::default()), line);
    assert_eq!(
        shown("hwlat", hardware, &body(2), Style::default()),
        format!("{line} nmi-total:11 nmi-count:2")
    );
    let noise: Fields<'_> = &[
        ("u64 noise", 8, 8, 0),
        ("u64 runtime", 16, 8, 0),
        ("u64 max_sample", 24, 8, 0),
        ("unsigned int hw_count", 32, 4, 0),
        ("unsigned int nmi_count", 36, 4, 0),
        ("unsigned int irq_count", 40, 4, 0),
        ("unsigned int softirq_count", 44, 4, 0),
        ("unsigned int thread_count", 48, 4, 0),
    ];
    let body = words(&[578_749, 1_000_000, 99_360, 41_623, 120 | 17 << 32, 3]);
    assert_eq!(
        shown("osnoise", noise, &body, Style::default()),
        "1000000     578749  42.12510   99360  41623      0    120     17      3"
    );
    assert!(shown("osnoise", noise, &words(&[0; 6]), Style::default()).contains("  0.00000"));
    let timer: Fields<'_> =
        &[("unsigned int seqnum", 8, 4, 0), ("int context", 12, 4, 1), ("u64 timer_latency", 16, 8, 0)];
    assert_eq!(
        shown("timerlat", timer, &words(&[12 | 1 << 32, 11_700]), Style::default()),
        "#12    context thread timer_latency     11700 ns"
    );
}

#[test]
fn switches_and_wakeups_name_the_next_task() {
    let fields: Fields<'_> = &[
        ("unsigned int prev_pid", 8, 4, 0),
        ("unsigned int next_pid", 12, 4, 0),
        ("unsigned int next_cpu", 16, 4, 0),
        ("unsigned char prev_prio", 20, 1, 0),
        ("unsigned char prev_state", 21, 1, 0),
        ("unsigned char next_prio", 22, 1, 0),
        ("unsigned char next_state", 23, 1, 0),
    ];
    let body = [words(&[7 << 32]), vec![1, 0, 0, 0, 120, 1, 100, 0]].concat();
    assert_eq!(
        shown("context_switch", fields, &body, Style::default()),
        "       0:120:S ==> [001]       7:100:R bash"
    );
    assert_eq!(
        shown("wakeup", fields, &body, Style::default()),
        "       0:120:S   + [001]       7:100:R bash"
    );
}

#[test]
fn futex_has_the_arguments_of_its_operation() {
    let name = "sys_enter_futex";
    let fields: Fields<'_> = &[
        ("u32 * uaddr", 8, 8, 0),
        ("int op", 16, 8, 0),
        ("u32 val", 24, 8, 0),
        ("void * utime", 32, 8, 0),
        ("u32 * uaddr2", 40, 8, 0),
        ("u32 val3", 48, 8, 0),
    ];
    let of = |op: u64| {
        let format = EventFormat { system: "syscalls".into(), ..format(name, fields) };
        let record = [vec![0; 8], words(&[0x7000, op, 11, 0x22, 0x33, 44])].concat();
        let mut out = Vec::new();
        Text::compile_as(&format, &Known, Style::TRACE_CMD_3_1).unwrap().render(&record, &Known, &mut out);
        String::from_utf8(out).unwrap()
    };
    for (op, text) in [
        (0, "op=FUTEX_WAIT uaddr=0x00007000 val=0x0000000b utime=0x00000022"),
        (0x81, "op=FUTEX_WAKE|FUTEX_PRIVATE_FLAG uaddr=0x00007000 val=11"),
        (
            0x185,
            "op=FUTEX_WAKE_OP|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME uaddr=0x00007000 val=11 val2=34 \
             uaddr2=0x00000033 val3=0x0000002c",
        ),
        (7, "op=FUTEX_UNLOCK_PI uaddr=0x00007000"),
        (
            0x200,
            "uaddr: 0x00007000, op: 0x00000200, val: 0x0000000b, utime: 0x00000022, uaddr2: 0x00000033, \
             val3: 0x0000002c",
        ),
    ] {
        assert_eq!(of(op), text);
    }
}

#[test]
fn record_that_lacks_a_field_is_shown_by_its_print_fmt() {
    let text = Text::compile(&format("function", &[("unsigned long ip", 8, 8, 0)]), &Known).unwrap();
    assert!(text.follows_name());
    assert!(!Text::compile(&format("function", FUNCTION), &Known).unwrap().follows_name());
}
