//! The files of definitions, against what kernels show.

use super::*;

use tracec_kernel::format::EventFormat;

use crate::target::{DefinitionTarget, Surroundings};
use crate::{Choice, Input, KernelError, KernelSource, Severity, SourceText, analyse};

/// A kernel that knows one event.
struct One(&'static str, String);

impl KernelSource for One {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Ok((path == self.0).then(|| self.1.clone()))
    }

    fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
        Ok(Vec::new())
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }
}

/// Code, place and message of a diagnostic.
type Said = (&'static str, String, String);

/// Returns the files of a text, or code, place and message of each diagnostic.
fn built(text: &str, kernel: &One) -> Result<Vec<(String, String)>, Vec<Said>> {
    let source = SourceText { name: "test.trc".to_owned(), text: text.to_owned(), one_liner: false };
    let analysis = analyse(Input::new(&source, kernel), Choice::All);
    let target = DefinitionTarget::find("format").expect("a target");
    let surroundings = Surroundings { kernel, sources: &analysis.sources, code: &[], tree: None };
    let (files, said) = analysis.make_of_definitions(|module| target.build(module, &surroundings));
    let place = |said: &Diagnostic| {
        said.primary.as_ref().map(|label| text[label.span.range()].to_owned()).unwrap_or_default()
    };
    let said = said.iter().filter(|said| said.severity == Severity::Error);
    let said =
        || said.clone().map(|said| (said.code.id, place(said), said.message.clone())).collect::<Vec<_>>();
    let files = files.ok_or_else(said)?;
    Ok(files.into_iter().map(|file| (file.name, String::from_utf8(file.content).expect("UTF-8"))).collect())
}

/// Returns a kernel of which only that is known: it declares sets of CPUs by `__cpumask`.
fn nothing() -> One {
    One("events/ipi/ipi_send_cpumask/format", read("../kernel/tests/data/formats/ipi.ipi_send_cpumask"))
}

/// A kernel with an event that is declared by `__cpumask`.
fn recent() -> One {
    let path = "../kernel/tests/data/formats/ipi.ipi_send_cpumask";
    One("events/ipi/ipi_send_cpumask/format", read(path))
}

/// Returns the only file of a text.
fn only(text: &str) -> String {
    let mut files = built(text, &recent()).expect("it is built");
    assert_eq!(files.len(), 1);
    files.remove(0).1
}

/// Returns format and arguments of the print of an event with these fields.
fn print(fields: &str, template: &str) -> String {
    let before =
        "subsystem s; enum Kind: s8 { Off = 0 \"off\", Bad = -1 } flags Op: u32 { A = 1, B = 2 \"b\" }";
    let arguments = "a: u32, p: *u8, t: *char, m: *struct cpumask";
    let text = format!("{before} event e {{ proto ({arguments}) entry {{ {fields} }} print {template} }}");
    let file = only(&text);
    let (_, line) = file.split_once("print fmt: ").expect("a last line");
    line.trim_end_matches('\n').to_owned()
}

fn files(text: &str) -> String {
    let files = built(text, &recent()).expect("it is built");
    files.into_iter().map(|(name, content)| format!("==> {name} <==\n{content}")).collect()
}

fn read(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn files_of_the_example_are_as_recorded() {
    let made = files(&read("../examples/storage.trc"));
    expect_test::expect_file!["goldens/storage.txt"].assert_eq(&made);
}

#[test]
fn files_of_every_kind_of_field_are_as_recorded() {
    let made = files(&read("src/target/format/goldens/fields.trc"));
    expect_test::expect_file!["goldens/fields.txt"].assert_eq(&made);
    for file in made.split("==> ").skip(1) {
        let (_, text) = file.split_once("<==\n").expect("a head");
        let format = EventFormat::parse("fields", text).expect("a format file");
        assert!(format.print().is_ok(), "{text}");
    }
}

/// Definitions of events that kernels have, as somebody would write them.
const REAL: &str = r#"
    enum Softirq: u32 {
        HI = 0, TIMER, NET_TX, NET_RX, BLOCK, IRQ_POLL, TASKLET, SCHED, HRTIMER, RCU,
    }
    event softirq_entry {
        proto (vec: unsigned int)
        entry { vec: unsigned int; }
        print "vec={vec} [action={(vec as Softirq)}]"
    }
    event irq_handler_entry {
        proto (irq: int, name: *char)
        entry { irq: int; name: string; }
        print "irq={irq} name={name}"
    }
    event sched_wakeup {
        proto (p: *struct task_struct)
        entry {
            comm: char[TASK_COMM_LEN] = p->comm;
            pid: pid_t = p->pid;
            prio: int = p->prio;
            target_cpu: int = task_cpu(p);
        }
        print "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:03}"
    }
    event block_bio_queue {
        proto (bio: *struct bio)
        entry {
            dev: dev_t = bio_dev(bio);
            sector: sector_t = bio->bi_iter.bi_sector;
            nr_sector: unsigned int = bio_sectors(bio);
            rwbs: char[10] = current->comm;
            comm: char[TASK_COMM_LEN] = current->comm;
        }
        print "{dev:dev} {rwbs} {sector} + {nr_sector} [{comm}]"
    }
    event net_dev_xmit {
        proto (skb: *void, rc: int, len: unsigned int, dev: *char)
        entry { skbaddr: *void = skb; len: unsigned int; rc: int; name: string = dev; }
        print "dev={name} skbaddr={skbaddr} len={len} rc={rc}"
    }
    event ipi_send_cpumask {
        proto (mask: *struct cpumask, at: unsigned long, back: *void)
        entry { cpumask: cpumask = mask; callsite: *void = at as *void; callback: *void = back; }
        print "cpumask={cpumask} callsite={callsite:pS} callback={callback:pS}"
    }
"#;

/// But for the ID, the kernel's own files (6.18) are those of the same definitions.
#[test]
fn files_of_real_events_are_those_of_the_kernel() {
    let text = format!("subsystem test; include <linux/bio.h>; {REAL}");
    let made = built(&text, &recent()).expect("it is built");
    for (system, event) in [
        ("irq", "softirq_entry"),
        ("irq", "irq_handler_entry"),
        ("sched", "sched_wakeup"),
        ("block", "block_bio_queue"),
        ("net", "net_dev_xmit"),
        ("ipi", "ipi_send_cpumask"),
    ] {
        let kernels = read(&format!("../kernel/tests/data/formats/{system}.{event}"));
        let without_id = |text: &str| -> String {
            text.split_inclusive('\n').filter(|line| !line.starts_with("ID: ")).collect()
        };
        let name = format!("test.{event}.format");
        let (_, own) = made.iter().find(|(found, _)| *found == name).expect("a file");
        assert_eq!(without_id(own), without_id(&kernels), "{event}");
    }
}

#[test]
fn set_of_cpus_is_a_bit_map_where_the_kernel_lacks_the_macro() {
    let text = "subsystem s; event e { proto (m: *struct cpumask) entry { m: cpumask; } }";
    let files = built(text, &One("", String::new())).expect("it is built");
    assert!(files[0].1.contains("__data_loc unsigned long[] m;"), "{}", files[0].1);
    assert!(files[0].1.contains("__get_bitmask(m)"), "{}", files[0].1);
}

/// The conditional print of the kernel's own event: its values with the numbers of its macros.
#[test]
fn conditional_print_of_sched_switch_is_that_of_the_kernel() {
    let text = r#"
        subsystem test; include <linux/sched.h>;
        flags TaskState: long { S = 1, D, T, t, X, Z, P, I }
        event sched_switch {
            proto (prev: *struct task_struct, next: *struct task_struct, state: long)
            entry {
                prev_comm: char[TASK_COMM_LEN] = prev->comm; prev_pid: pid_t = prev->pid;
                prev_prio: int = prev->prio; prev_state: long = state;
                next_comm: char[TASK_COMM_LEN] = next->comm; next_pid: pid_t = next->pid;
                next_prio: int = next->prio;
            }
            print "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state & 255 ? (prev_state & 255) as TaskState : "R"}{prev_state & 256 ? "+" : ""} ==> next_comm={next_comm} next_pid={next_pid} next_prio={next_prio}"
        }"#;
    let file = only(text);
    let line = |text: &str| text.split_once("print fmt: ").expect("a last line").1.to_owned();
    let bits = "(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | \
                0x00000040) + 1) << 1)";
    let kernels = line(&read("../kernel/tests/data/formats/sched.sched_switch"));
    let kernels = kernels.replace(&format!("({bits} - 1)"), "255").replace(bits, "256");
    let kernels = kernels
        .replace("0x000000", "0x")
        .replace("0x0", "0x")
        .replace("(REC->prev_state & 255) ?", "REC->prev_state & 255 ?");
    assert_eq!(line(&file), kernels);
}

#[test]
fn sign_of_char_is_that_of_the_kernel() {
    let text =
        "subsystem s; event e { proto (t: *char) entry { a: string = t; b: char[4] = t; c: u8 = 1; } }";
    let switch = read("../kernel/tests/data/formats/sched.sched_switch");
    for (kernel, signs) in [(switch.clone(), [0, 0, 0]), (switch.replace("signed:0", "signed:1"), [1, 1, 0])]
    {
        let files = built(text, &One("events/sched/sched_switch/format", kernel)).expect("it is built");
        let lines = files[0].1.lines().skip(8).take(3);
        let found: Vec<String> = lines.map(|line| line.chars().rev().take(2).collect()).collect();
        assert_eq!(found, signs.map(|sign| format!(";{sign}")));
    }
}

#[test]
fn what_cannot_be_foreseen_is_refused_at_its_type() {
    let text = "include <linux/x.h>; subsystem s; event e { proto (p: *u8, k: enum kind) entry {
        a: u8[LENGTH] = p; b: u8 = 0; k: enum kind; l: enum kind[2] = p; s: struct in6_addr[2] = p; } }";
    let said = built(text, &nothing()).expect_err("it is refused");
    let places: Vec<(&str, &str)> = said.iter().map(|(code, place, _)| (*code, place.as_str())).collect();
    let types = ["u8[LENGTH]", "enum kind", "enum kind[2]", "struct in6_addr[2]"];
    assert_eq!(places, types.map(|ty| ("T0408", ty)), "{said:#?}");
}

#[test]
fn text_without_tracepoints_is_refused() {
    for text in ["const A: u32 = 1;", "event e at kprobe vfs_read(a: u64);"] {
        let said = built(text, &nothing()).expect_err("it is refused");
        let said: Vec<(&str, &str)> =
            said.iter().map(|(code, _, message)| (*code, message.as_str())).collect();
        let message = "there is no tracepoint in this file, and the target `format` is made of nothing else";
        assert_eq!(said, [("T0408", message)], "{text}");
    }
}

#[test]
fn values_are_printed_as_headers_of_the_kernel_do() {
    for (fields, template, expected) in [
        ("a: u32;", r#""100% {a:#010x}""#, r#""100%% %#010x", REC->a"#),
        ("a: u64;", r#""{a:x} {a:d} {a:c}""#, r#""%llx %lld %c", REC->a, REC->a, (int)REC->a"#),
        ("a: unsigned long;", r#""{a} {a:pS}""#, r#""%lu %pS", REC->a, (void *)REC->a"#),
        ("a: size_t;", r#""{a}""#, r#""%zu", REC->a"#),
        ("a: ino_t;", r#""{a}""#, r#""%llu", (unsigned long long)REC->a"#),
        ("a: u64;", r#""{a + 1}""#, r#""%llu", REC->a + 1"#),
        ("a: dev_t;", r#""{MINOR(a)}""#, r#""%u", ((unsigned int) ((REC->a) & ((1U << 20) - 1)))"#),
        ("a: Kind;", r#""{a}""#, r#""%s", __print_symbolic(REC->a, { 0, "off" }, { -1, "Bad" })"#),
        (
            "a: Op;",
            r#""{a:flags(", ")}""#,
            r#""%s", __print_flags(REC->a, ", ", { 0x1, "A" }, { 0x2, "b" })"#,
        ),
        ("t: string;", r#""{t:-16s}|""#, r#""%-16s|", __get_str(t)"#),
        (
            "m: cpumask;",
            r#""{m} {m:pbl}""#,
            r#""%s %*pbl", __get_cpumask(m), __get_dynamic_array_len(m) * 8, __get_dynamic_array(m)"#,
        ),
        (
            "p: u8[6];",
            r#""{p:pM} {p:hex} {p:ph}""#,
            r#""%pM %s %*ph", REC->p, __print_hex(REC->p, 6), 6, REC->p"#,
        ),
        ("p: u16[2];", r#""{p} {p[1]}""#, r#""%s %u", __print_array(REC->p, 2, 2), REC->p[1]"#),
        (
            "p: u32[] = (p, a);",
            r#""{p}""#,
            r#""%s", __print_array(__get_dynamic_array(p), __get_dynamic_array_len(p) / 4, 4)"#,
        ),
        ("a: u32;", r#""{a > 1 ? "x" : "y"}""#, r#""%s", REC->a > 1 ? "x" : "y""#),
        (
            "a: Kind;",
            r#""{a != 0 ? a : "none":-8s}""#,
            r#""%-8s", REC->a != 0 ? __print_symbolic(REC->a, { 0, "off" }, { -1, "Bad" }) : "none""#,
        ),
        (
            "a: u32;",
            r#""{a & 1 ? "odd" : a as Op:flags(", ")}""#,
            r#""%s", REC->a & 1 ? "odd" : __print_flags(REC->a, ", ", { 0x1, "A" }, { 0x2, "b" })"#,
        ),
        ("m: bitmask = (p as *unsigned long, a);", r#""{m}""#, r#""%s", __get_bitmask(m)"#),
        (
            "s: sockaddr = (p as *struct sockaddr, a);",
            r#""{s} {s:pISc} {s:hexstr}""#,
            r#""%pISpc %pISc %s", __get_sockaddr(s), __get_sockaddr(s), __print_hex_str(__get_dynamic_array(s), __get_dynamic_array_len(s))"#,
        ),
        (
            "p: u8[6];",
            r#""{p:hexdump} {p:hexdump("x", offset, row 32, group 2, ascii)}""#,
            r#""%s %s", __print_hex_dump("", DUMP_PREFIX_NONE, 16, 1, REC->p, 6, false), __print_hex_dump("x", DUMP_PREFIX_OFFSET, 32, 2, REC->p, 6, true)"#,
        ),
        (
            "a: u64;",
            r#""{a:secs} {a:5ns_to_secs} {a + 1:09ns_without_secs}""#,
            r#""%llu.%09u %5llu %09u", (REC->a) / 1000000000UL, (REC->a) % 1000000000UL, (REC->a) / 1000000000UL, (REC->a + 1) % 1000000000UL"#,
        ),
        ("a: u32;", r#""say \"{a}\" \\ é\n""#, r#""say %s%u%s %s é%s", "\"", REC->a, "\"", "\\", "\n""#),
        ("a: u32;", r#""nothing""#, r#""%s", "nothing""#),
    ] {
        assert_eq!(print(fields, template), expected, "{fields} {template}");
    }
}

#[test]
fn expressions_have_the_parentheses_that_c_and_gcc_want() {
    for (value, expected) in [
        ("(a + 1) * 2", "(REC->a + 1) * 2"),
        ("a + 1 * 2", "REC->a + 1 * 2"),
        ("a - (1 - 2)", "REC->a - (1 - 2)"),
        ("a - 1 - 2", "REC->a - 1 - 2"),
        ("a / (2 * 3)", "REC->a / (2 * 3)"),
        ("(a & 1) == 1", "(REC->a & 1) == 1"),
        ("(a & 1) | 2", "(REC->a & 1) | 2"),
        ("a << (1 + 2)", "REC->a << (1 + 2)"),
        ("(a << 1) + 2", "(REC->a << 1) + 2"),
        ("a == 1 && a == 2 || a == 3", "(REC->a == 1 && REC->a == 2) || REC->a == 3"),
        ("(a == 1 || a == 2) && a == 3", "(REC->a == 1 || REC->a == 2) && REC->a == 3"),
        ("!(a == 1)", "!(REC->a == 1)"),
        ("-(-a)", "-(-REC->a)"),
        ("(a == 1 ? 2 : 3) + 1", "(REC->a == 1 ? 2 : 3) + 1"),
        ("(a & 4) == 4 ? 2 : 3", "(REC->a & 4) == 4 ? 2 : 3"),
        ("a in {1, 3..=5}", "REC->a == 1 || (REC->a >= 3 && REC->a <= 5)"),
    ] {
        let found = print("a: s64;", &format!("\"{{{value}}}\""));
        let expected_long = format!("\"%lld\", {expected}");
        assert!(found == expected_long || found == format!("\"%d\", {expected}"), "{value}: {found}");
    }
}
