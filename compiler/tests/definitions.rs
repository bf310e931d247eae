//! Definitions of events: each mistake has its code and place, and what is right becomes what the kernel would show.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use common::{Copy, check, places, text};
use tracec_compiler::check::definition;
use tracec_compiler::constant;
use tracec_compiler::ir::definition::{
    Conversion, Definitions, EventClass, ExprId, FetchSource, FieldValue, PrintPart, PrintTemplate, ProbeDef,
    ProbeField, ProbePlace, Shape, TypeKind, Value,
};
use tracec_compiler::load;
use tracec_compiler::resolve::Defined;
use tracec_compiler::{Diagnostics, NoImports, Severity};
use tracec_kernel::format::EventFormat;

/// Definitions in a file that has a subsystem, the code they raise, and the text under its place.
const MISTAKES: &[(&str, &str, &str)] = &[
    // Constants.
    ("const A: u32 = 1; const A: u32 = 2;", "T0701", "A"),
    ("use std::errno; const errno: u32 = 2;", "T0701", "errno"),
    ("const A: u32 = B; const B: u32 = A;", "T0702", "A"),
    ("const A: u32 = f(1);", "T0703", "f(1)"),
    ("const A: u32 = 1 == 2;", "T0703", "1 == 2"),
    ("const A: u32 = current->pid;", "T0703", "current->pid"),
    ("enum E { X } const A: u32 = E;", "T0703", "E"),
    ("const A: u64 = 0xffffffffffffffff + 1;", "T0704", "0xffffffffffffffff + 1"),
    ("const A: duration = 1ms - 2ms;", "T0704", "1ms - 2ms"),
    ("const A: u64 = 1 % (2 - 2);", "T0705", "(2 - 2)"),
    ("const A: u64 = 1 << 64;", "T0706", "64"),
    ("const A: u8 = 256;", "T0707", "256"),
    ("const A: s8 = -129;", "T0707", "-129"),
    ("enum E: u8 { A = 255, B }", "T0707", "B"),
    ("const A: u32 = \"x\";", "T0708", "\"x\""),
    ("const A: u32 = 10ms;", "T0708", "10ms"),
    ("const A: duration = 5;", "T0708", "5"),
    ("const A: u32 = 10ms + 1;", "T0708", "+"),
    ("const A: u32 = 10ms as bytes;", "T0708", "bytes"),
    ("enum E { A, A }", "T0709", "A"),
    ("enum E { A = 1, B = 1 }", "T0710", "B"),
    ("flags F { A = 0 }", "T0711", "0"),
    ("enum E: *u8 { A }", "T0713", "*u8"),
    ("enum E { }", "T0714", "E"),
    ("const A: uint33 = 1;", "T0715", "uint33"),
    ("const A: u32 = LIMIT; const LIMITS: u32 = 1;", "T0212", "LIMIT"),
    ("enum E { Big } const A: u32 = E::Bug;", "T0212", "E::Bug"),
    // Types.
    ("event e { proto (a: string) entry { } }", "T0716", "string"),
    ("event e { proto (a: void) entry { } }", "T0716", "void"),
    ("event e { proto (a: u8[4]) entry { } }", "T0716", "u8[4]"),
    ("event e { proto (a: *user char) entry { a: user string; } }", "T0716", "user string"),
    ("event e { proto (a: duration) entry { } }", "T0716", "duration"),
    ("event e { proto (a: *u8) entry { a: u8[0] = a; } }", "T0717", "0"),
    ("event e { proto (a: *u8) entry { a: u8[\"x\"] = a; } }", "T0717", "\"x\""),
    ("event e { proto (a: *struct request) entry { a: struct request = *a; } }", "T0718", "struct request"),
    ("event e { proto (a: struct request) entry { } }", "T0719", "struct request"),
    ("event e { proto (a: requst) entry { } }", "T0715", "requst"),
    ("event e { proto (a: *u8) entry { a: u8[TASK_COM_LEN] = a; } }", "T0212", "TASK_COM_LEN"),
    // Names.
    ("event e { proto (entry: u8) entry { a: u8 = entry; } }", "T0720", "entry"),
    ("event e { proto (a: u8) entry { current: u8 = a; } }", "T0720", "current"),
    ("event e { proto (a: u8) entry { common_pid: u8 = a; } }", "T0720", "common_pid"),
    ("event while { proto (a: u8) entry { a: u8; } }", "T0720", "while"),
    (
        "event a_name_of_sixty_four_characters_is_one_more_than_the_kernel_takes { proto (a: u8) entry { a: u8; } }",
        "T0721",
        "a_name_of_sixty_four_characters_is_one_more_than_the_kernel_takes",
    ),
    ("event e { proto (a: u8, a: u8) entry { a: u8; } }", "T0722", "a"),
    ("event e { proto (a: u8) entry { a: u8; a: u8; } }", "T0722", "a"),
    ("event e { proto (a: u8) entry { a: u8; } } event e { proto (a: u8) entry { a: u8; } }", "T0701", "e"),
    (
        "event e { proto (a: u8) entry { a: u8; } } class e { proto (a: u8) entry { a: u8; } } event f: e;",
        "T0701",
        "e",
    ),
    ("subsystem other;", "T0724", "other"),
    // Classes and events.
    ("event e { entry { } }", "T0726", "e"),
    ("event e { proto () entry { } }", "T0726", "proto ()"),
    (
        "event e { proto (a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8) \
         entry { a: u8; } }",
        "T0727",
        "m: u8",
    ),
    ("event e { proto (a: u8) entry { a: u8; } entry { a: u8; } }", "T0038", "entry"),
    ("event e { proto (a: *u8) entry { a: u8[4096] = a; } }", "T0729", "e"),
    ("event e { proto (a: u8) entry { b: u8; } }", "T0730", "b"),
    ("event e { proto (a: u8) entry { b: string; } assign `__assign_str(b);` }", "T0730", "b"),
    ("event e { proto (a: *char) entry { a: u8; } }", "T0731", "a: u8;"),
    ("event e { proto (a: u8) entry { b: string = a; } }", "T0731", "a"),
    ("event e { proto (a: *user char) entry { b: string = a; } }", "T0731", "a"),
    ("event e { proto (a: u8) entry { b: cpumask = a; } }", "T0731", "a"),
    ("enum S { X } event e { proto (a: *char) entry { b: S = a; } }", "T0731", "a"),
    ("event e { proto (a: *u8) entry { a: u8[]; } }", "T0732", "a: u8[];"),
    ("event e { proto (a: u8) entry { b: u8 = (a, 1); } }", "T0732", "b: u8 = (a, 1);"),
    ("event e { proto (a: u8) entry { b: u8[] = (a, 1); } }", "T0732", "a"),
    ("event e { proto (a: *u8) entry { b: u8[] = (a, \"x\"); } }", "T0732", "\"x\""),
    ("event e { proto (bytes: u8) entry { b: u8 = byte; } }", "T0733", "byte"),
    ("event e { proto (a: *char) entry { b: bool = a in {1, 2}; } }", "T0735", "a"),
    ("event e { proto (a: u8) entry { b: bool = a in {1, \"x\"}; } }", "T0735", "\"x\""),
    ("event e { proto (a: *char) entry { b: bool = a ~ \"x*\"; } }", "T0734", "~"),
    ("event e { proto (a: u64) entry { b: bool = a == 10.0.0.1; } }", "T0734", "10.0.0.1"),
    ("event e { proto (a: *struct x) entry { b: u8 = a.b; } }", "T0734", ".b"),
    ("event e { proto (a: u8) entry { b: s32 = current.pid; } }", "T0734", "current.pid"),
    ("event e { proto (a: u8) entry { b: u8 = 5ms; } }", "T0734", "5ms"),
    ("event e { proto (a: *char) entry { b: u8 = a * 2; } }", "T0735", "a"),
    ("event e { proto (a: u8) entry { b: u8 = a->b; } }", "T0735", "b"),
    ("class c { proto (a: u8) entry { a: u8; } } event e: c if (\"x\");", "T0735", "(\"x\")"),
    ("class c { proto (a: u8) entry { a: u8; } } event e: c if (b > 1);", "T0733", "b"),
    ("class one { proto (a: u8) entry { a: u8; } } event e: one; event f: onne;", "T0736", "onne"),
    ("class one { proto (a: u8) entry { a: u8; } }", "T0737", "one"),
    ("class c { proto (a: u8) entry { a: u8; } } event e: c with (do, done);", "T0720", "do"),
    // Templates.
    ("event e { proto (aa: u8, b: u8) entry { aa: u8; } print \"{b}\" }", "T0738", "b"),
    ("event e { proto (aab: u8) entry { aab: u8; } print \"x {aac} y\" }", "T0738", "aac"),
    ("event e { proto (a: u8) entry { a: u8; } print \"{a:q}\" }", "T0739", "q"),
    ("event e { proto (a: u64) entry { a: u64; } print \"{a:#018llx}\" }", "T0739", "llx"),
    ("event e { proto (a: u8) entry { a: u8; } print \"{a:s}\" }", "T0740", "a"),
    ("event e { proto (a: *char) entry { a: string; } print \"{a:x}\" }", "T0740", "a"),
    ("event e { proto (a: *u8) entry { a: u8[6] = a; } print \"{a:pI6c}\" }", "T0740", "a"),
    ("event e { proto (a: u8) entry { a: u8; } print \"{a:flags(\"|\")}\" }", "T0740", "a"),
    ("event e { proto (a: *char) entry { a: *char; } print \"{a:s}\" }", "T0741", "a"),
    ("event e { proto (a: *u8) entry { a: *u8; } print \"{a:pM}\" }", "T0741", "a"),
    ("event e { proto (a: *struct dentry) entry { a: *struct dentry; } print \"{a:pd}\" }", "T0741", "pd"),
    (
        "event e { proto (a: *struct timespec64) entry { a: struct timespec64 = *a; } print \"{a}\" }",
        "T0742",
        "a",
    ),
    ("event e { proto (a: *struct x) entry { a: *struct x; } print \"{a->b}\" }", "T0734", "a->b"),
    (
        "event e { proto (a: u8) entry { a: u8; } print \"{a > 1 ? 2 : \"x\"}\" }",
        "T0735",
        "a > 1 ? 2 : \"x\"",
    ),
    ("event e { proto (a: u8) entry { a: u8; } print \"{strlen(a)}\" }", "T0734", "strlen"),
    ("class c { proto (a: u8) entry { a: u8; } } event e: c { print \"{bb}\" }", "T0738", "bb"),
    // Probes.
    ("event e at kprobes vfs_read;", "T0743", "kprobes"),
    ("event e at uprobe readline;", "T0744", "readline"),
    ("event e at kretprobe vfs_read+4 -> (ret: int);", "T0744", "4"),
    ("event e at tprobe sched_switch+4;", "T0744", "sched_switch+4"),
    ("event e at usdt \"/bin/x\":main;", "T0744", "\"/bin/x\":main"),
    ("event e at uprobe \"bash\":readline;", "T0745", "\"bash\""),
    ("event e at kretprobe vfs_read;", "T0746", "kretprobe"),
    ("event e at kprobe vfs_read -> (ret: int);", "T0746", "ret: int"),
    ("event e at kretprobe vfs_read(a: u8) -> (ret: int);", "T0746", "(a: u8)"),
    ("event e at kprobe vfs_read+8(a: u8);", "T0746", "(a: u8)"),
    ("event e at perf cycle;", "T0747", "cycle"),
    ("event e at kprobe vfs_read { a = +4(%di: u64; }", "T0748", "+4(%di: u64"),
    ("event e at kprobe vfs_read { a = $retval: u64; }", "T0749", "$retval"),
    ("event e at uprobe \"/bin/x\":main { a = @jiffies: u64; }", "T0749", "@jiffies"),
    ("event e at fentry vfs_read { a = %di: u64; }", "T0749", "%di"),
    ("event e at event sched:sched_switch { a = %di: u64; }", "T0749", "%di"),
    ("event e at kprobe vfs_read+8 { a = $arg1: u64; }", "T0749", "$arg1"),
    ("event e at kprobe vfs_read { a = %si: string; }", "T0750", "string"),
    ("event e at kprobe vfs_read { a = +0(%si): u8[65]; }", "T0750", "[65]"),
    ("event e at kprobe vfs_read { a = %si: u8[4]; }", "T0750", "u8[4]"),
    ("event e at uprobe \"/bin/x\":main { a = %di: symbol; }", "T0750", "symbol"),
    ("event e at kprobe vfs_read { a = $comm: u64; }", "T0750", "u64"),
    ("event e at kprobe vfs_read { a = %di: b9@0/8; }", "T0750", "b9@0/8"),
    ("event e at kprobe vfs_read { a = %di: b0@0/8; }", "T0750", "b0@0/8"),
    ("event e at event sched:sched_switch { a = $prev_prio: %pd; }", "T0750", "%pd"),
    (
        "event e at kprobe vfs_read { a = @a_symbol_of_fifty_characters_or_a_few_more_than_any_name+0x10: u64; }",
        "T0751",
        "@a_symbol_of_fifty_characters_or_a_few_more_than_any_name+0x10",
    ),
    ("event e at kprobe f(path: *user char) { path: string; }", "T0753", "string"),
    ("event e at kprobe f(path: *char) { path: user string; }", "T0753", "user string"),
    ("event e at kprobe f { a = %rdi: u64; }", "T0754", "rdi"),
    (
        "event e at kprobe f { a = +0(%di): u64[64]; b = +0(%di): u64[64]; c = +0(%di): u64[64]; \
         d = +0(%di): u64[64]; f = +0(%di): u64[64]; g = +0(%di): u64[64]; }",
        "T0755",
        "e",
    ),
    ("event e at kprobe f(a: u8) { b; }", "T0730", "b"),
    ("event e at kprobe f(a: u8) { a: string; }", "T0731", "string"),
    ("event e at kprobe f { __probe_ip = %di: u64; }", "T0720", "__probe_ip"),
    (
        "event e at kprobe f { a_field_with_thirty_two_letters_ = %di: u64; }",
        "T0721",
        "a_field_with_thirty_two_letters_",
    ),
    ("event e at event sched:sched_swich { prev_prio; }", "T0101", "sched:sched_swich"),
    ("event e at event sched:sched_switch { prev_pri; }", "T0102", "prev_pri"),
    ("event e at event sched:sched_switch { a = $prev_pri: s32; }", "T0102", "prev_pri"),
    ("event e at event sched:sched_switch { prev_prio: string; }", "T0731", "string"),
];

#[test]
fn each_mistake_has_its_code_and_place() {
    let mut failures = Vec::new();
    for (definitions, code, place) in MISTAKES {
        let source = text(&format!("subsystem storage;\n{definitions}\n"));
        let found: Vec<(&str, &str)> = check(&source, &Copy)
            .iter()
            .map(|d| (d.code.id, d.primary.as_ref().map_or("", |label| &source.text[label.span.range()])))
            .collect();
        if found != [(*code, *place)] {
            failures.push(format!("{definitions}\n    expected {:?}\n    found    {found:?}", (code, place)));
        }
    }
    println!("{} mistakes", MISTAKES.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_file_of_tracepoints_has_a_subsystem_and_one_of_probes_needs_none() {
    let codes = |source: &str| check(&text(source), &Copy).iter().map(|d| d.code.id).collect::<Vec<_>>();
    assert_eq!(codes("event e { proto (a: u8) entry { a: u8; } }"), ["T0723"]);
    assert_eq!(codes("event e at kprobe vfs_read { a = %di: u64; }"), [""; 0]);
    assert_eq!(codes("subsystem ftrace;"), ["T0720"]);
    assert_eq!(codes("subsystem linux;"), ["T0720"]);
    assert_eq!(codes("subsystem sched; event sched_switch { proto (a: u8) entry { a: u8; } }"), ["T0725"]);
}

#[test]
fn probes_have_a_limit_of_fields() {
    let fields = |count: usize| (0..count).map(|n| format!("f{n} = %di: u8; ")).collect::<String>();
    let source = |count: usize| text(&format!("event e at kprobe vfs_read {{ {} }}", fields(count)));
    let (most, more) = (source(128), source(129));
    assert_eq!(places(&most, &check(&most, &Copy)), []);
    assert_eq!(places(&more, &check(&more, &Copy)), [("T0752", "f128 = %di: u8;")]);
}

/// Names that are near are offered, with a place to put them.
#[test]
fn mistakes_offer_what_was_meant() {
    for (definitions, offered) in [
        ("event e at kprobes vfs_read;", "kprobe"),
        ("event e { proto (bytes: u8) entry { b: u8 = byte; } }", "bytes"),
        ("event e { proto (bytes: u8) entry { bytes: u8; } print \"{byte}\" }", "bytes"),
        ("event e { proto (a: u64) entry { a: u64; } print \"{a:lx}\" }", "x"),
        ("event e { proto (a: *u8) entry { a: u8[16] = a; } print \"{a:pI6C}\" }", "pI6c"),
        ("event e at kprobe f { a = %rdi: u64; }", "di"),
        ("event e at kprobe f(path: *user char) { path: string; }", "user string"),
        ("event e at perf cpu_cycle;", "cpu_cycles"),
        ("class one { proto (a: u8) entry { a: u8; } } event e: one; event f: onne;", "one"),
        ("event e { proto (a: struct request) entry { } }", "*struct request"),
        ("enum E { Big } const A: u32 = E::Bug;", "E::Big"),
        ("event e at event sched:sched_switch { prev_pri; }", "prev_prio"),
        ("event e { proto (a: u23) entry { a: u8; } }", "u32"),
    ] {
        let found = check(&text(&format!("subsystem storage; {definitions}")), &Copy);
        let fixes: Vec<&str> = found
            .iter()
            .flat_map(|d| &d.fixes)
            .flat_map(|fix| &fix.edits)
            .map(|edit| edit.text.as_str())
            .collect();
        assert!(fixes.contains(&offered), "{definitions}: {fixes:?}\n{found:#?}");
    }
}

/// What a text declares; it has no mistakes.
fn definitions(source: &str) -> Definitions {
    let parsed = tracec_grammar::parse(source);
    assert!(parsed.errors.is_empty(), "{source}\n{:#?}", parsed.errors);
    let mut diagnostics = Diagnostics::default();
    let (constants, has_all) = constant::declare(&parsed, &BTreeMap::new(), &mut diagnostics);
    let (definitions, complete) =
        definition::check(&parsed, &Arc::new(constants), &Defined::default(), &Copy, &mut diagnostics);
    assert!(has_all && complete);
    let errors: Vec<_> = diagnostics.finish().into_iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{source}\n{errors:#?}");
    definitions
}

const STORAGE: &str = r#"
subsystem storage;
include <linux/blkdev.h>;
/// What became of a request.
enum Status: u8 { Ok = 0 "OK", Err = 1 "ERR" }
flags Op: u32 { READ = 1, WRITE, SYNC = 1 << 2 "S" }
const BIG: u32 = 4KiB;
class request {
    proto (rq: *struct request, bytes: u32, status: int, op: u32, to: *struct sockaddr_in6)
    entry {
        dev: dev_t = disk_devt(rq->q->disk);
        /// How many.
        bytes: u32;
        status: Status;
        op: Op;
        comm: char[TASK_COMM_LEN] = current->comm;
        name: string = rq->name;
        tags: u8[] = (rq->tags, rq->nr_tags);
        cpus: cpumask = rq->mask;
        start: u64 = rq->start_time_ns;
        to: struct sockaddr_in6 = *to;
        raw: u16;
        driver: char[DRIVER_NAME_LEN] = rq->driver;
        last: u8 = 0;
    }
    assign `__entry->raw = rq->raw;`
    print "dev={dev:dev} {{{bytes:#010x}}} {bytes > BIG ? "big" : "small"} {status} {op} {op:flags(",")} {status:d} {comm:-16s} {name} {tags:hex} {tags} {cpus} {to:pISpc} {bytes / 1024} {MAJOR(dev)}"
}
event rq_issue: request;
event rq_done: request { print "{name}" }
/// Only the big ones.
event rq_slow: request if (bytes > BIG && !(status in {0, 3..=5})) with (my_reg, my_unreg);
event lone { proto (path: *char, where: *void) }
"#;

#[test]
fn the_five_parts_become_a_typed_class() {
    let found = definitions(STORAGE);
    assert_eq!(found.subsystem.as_ref().map(|name| name.value.as_str()), Some("storage"));
    assert_eq!(found.headers[0].path.value, "linux/blkdev.h");
    assert_eq!(found.constants.values["BIG"], Value::int(4096));
    let class = &found.classes[0];
    type Place = Option<(u32, u32, bool)>;
    let fields: Vec<(&str, &str, &str, Place)> = class
        .fields
        .iter()
        .map(|field| {
            let placement = field.placement.map(|at| (at.offset, at.size, at.signed));
            (field.name.value.as_str(), field.declared.name, field.shown.as_str(), placement)
        })
        .collect();
    assert_eq!(
        fields,
        [
            ("dev", "__field", "dev_t", Some((8, 4, false))),
            ("bytes", "__field", "u32", Some((12, 4, false))),
            ("status", "__field", "u8", Some((16, 1, false))),
            ("op", "__field", "u32", Some((20, 4, false))),
            ("comm", "__array", "char[16]", Some((24, 16, false))),
            ("name", "__string", "__data_loc char[]", Some((40, 4, false))),
            ("tags", "__dynamic_array", "__data_loc u8[]", Some((44, 4, false))),
            ("cpus", "__cpumask", "__data_loc cpumask_t", Some((48, 4, false))),
            ("start", "__field", "u64", Some((56, 8, false))),
            ("to", "__field_struct", "struct sockaddr_in6", Some((64, 28, false))),
            ("raw", "__field", "u16", Some((92, 2, false))),
            // Only the header knows the length, and so where everything behind it lies.
            ("driver", "__array", "char[DRIVER_NAME_LEN]", None),
            ("last", "__field", "u8", None),
        ]
    );
    assert_eq!(class.size, None);
    assert_eq!(class.fields[1].doc.as_deref(), Some("How many."));
    assert_eq!(class.fields[1].value, FieldValue::Argument(1));
    assert_eq!(class.fields[10].value, FieldValue::Statements);
    assert!(matches!(class.fields[6].value, FieldValue::Elements { .. }));
}

#[test]
fn events_share_their_class() {
    let found = definitions(STORAGE);
    let names: Vec<(&str, &str)> = found
        .events
        .iter()
        .map(|event| (event.name.value.as_str(), found.class_of(event).unwrap().name.value.as_str()))
        .collect();
    assert_eq!(
        names,
        [("rq_issue", "request"), ("rq_done", "request"), ("rq_slow", "request"), ("lone", "lone")]
    );
    let (done, slow) = (&found.events[1], &found.events[2]);
    let class = found.class_of(done).unwrap();
    assert_eq!(printed(done.print.as_ref().unwrap(), &field_names(class)), ["<name text>"]);
    assert!(slow.condition.is_some() && slow.print.is_none());
    assert_eq!(slow.hooks.as_ref().map(|hooks| hooks.register.value.as_str()), Some("my_reg"));
    assert_eq!(slow.doc.as_deref(), Some("Only the big ones."));
    let lone = found.class_of(&found.events[3]).unwrap();
    assert!(lone.of_one_event && lone.print.span.is_none());
    assert_eq!(lone.field("path").unwrap().declared.name, "__string");
    assert_eq!(lone.field("where").unwrap().shown, "void *");
    assert_eq!(printed(&lone.print, &field_names(lone)).concat(), "path=<path text> where=<where p>");
}

/// A template in words: text as it is, and what is printed how.
fn printed(template: &PrintTemplate, names: &[&str]) -> Vec<String> {
    let part = |part: &PrintPart| match part {
        PrintPart::Text(text) => text.clone(),
        PrintPart::Field { field, conversion } => format!("<{} {}>", names[*field], words(conversion)),
        PrintPart::Expr { conversion, .. } => format!("<expression {}>", words(conversion)),
    };
    template.parts.iter().map(part).collect()
}

fn words(conversion: &Conversion) -> String {
    let shaped = |shape: &Shape, rest: &str| {
        let width = shape.width.map_or(String::new(), |width| width.to_string());
        format!("{}{width}{rest}", shape.flags)
    };
    match conversion {
        Conversion::Integer { base, bytes, shape } => shaped(shape, &format!("{base:?} of {bytes}")),
        Conversion::Text(shape) => shaped(shape, "text"),
        Conversion::Symbolic { ty, shape } => shaped(shape, &format!("name of {}", ty.name)),
        Conversion::Flags { ty, delimiter, shape } => shaped(shape, &format!("{} with {delimiter}", ty.name)),
        Conversion::Pointer { extension, shape } => shaped(shape, extension.letters),
        other => format!("{other:?}"),
    }
}

fn field_names(class: &EventClass) -> Vec<&str> {
    class.fields.iter().map(|field| field.name.value.as_str()).collect()
}

#[test]
fn templates_print_by_type_and_format() {
    let found = definitions(STORAGE);
    let class = &found.classes[0];
    let parts = printed(&class.print, &field_names(class)).concat();
    assert_eq!(
        parts,
        "dev=<dev Device> {<bytes #010Hex of 4>} <expression text> <status name of Status> <op Op with |> \
         <op Op with ,> <status Signed of 1> <comm -16text> <name text> <tags Hex { spaced: true }> \
         <tags Array { element: 1 }> <cpus Cpumask> <to pISpc> <expression Unsigned of 4> <expression Unsigned of 4>"
    );
}

/// Definitions hold their expressions, typed and with every name resolved: nothing refers to the text.
#[test]
fn expressions_are_typed_and_their_names_resolved() {
    let found = definitions(STORAGE);
    let class = &found.classes[0];
    let arguments: Vec<&str> = class.arguments.iter().map(|argument| argument.name.value.as_str()).collect();
    let fields = field_names(class);
    let shown = |id: ExprId, names: &[&str]| {
        let ty = found.exprs[id].ty.as_ref().map_or("unknown", TypeKind::describe);
        format!("{}: {ty}", found.exprs.print(id, names))
    };
    let set = |value: &FieldValue| match value {
        FieldValue::Expr(id) => vec![shown(*id, &arguments)],
        FieldValue::Elements { pointer, count } => {
            vec![shown(*pointer, &arguments), shown(*count, &arguments)]
        }
        FieldValue::Argument(_) | FieldValue::Statements => Vec::new(),
    };
    assert_eq!(
        class.fields.iter().flat_map(|field| set(&field.value)).collect::<Vec<_>>(),
        [
            "disk_devt(rq->q->disk): unknown",
            "current->comm: a pointer to text",
            "rq->name: unknown",
            "rq->tags: unknown",
            "rq->nr_tags: unknown",
            "rq->mask: unknown",
            "rq->start_time_ns: unknown",
            "*to: a struct",
            "rq->driver: unknown",
            "0: an integer",
        ]
    );
    let printed = class.print.parts.iter().filter_map(|part| match part {
        PrintPart::Expr { expr, .. } => Some(shown(*expr, &fields)),
        PrintPart::Text(_) | PrintPart::Field { .. } => None,
    });
    assert_eq!(
        printed.collect::<Vec<_>>(),
        [
            "(bytes > BIG /* 4096 */) ? \"big\" : \"small\": text",
            "bytes / 1024: an integer",
            "MAJOR(dev): an integer",
        ]
    );
    let condition = found.events[2].condition.expect("a condition");
    assert_eq!(
        shown(condition, &arguments),
        "(bytes > BIG /* 4096 */) && (!(status in {0, 3..=5})): an integer"
    );
    // Operands come first, and no expression is there that nothing uses.
    let mut used: Vec<ExprId> = vec![condition];
    for class in &found.classes {
        for field in &class.fields {
            match field.value {
                FieldValue::Expr(id) => used.push(id),
                FieldValue::Elements { pointer, count } => used.extend([pointer, count]),
                FieldValue::Argument(_) | FieldValue::Statements => {}
            }
        }
        used.extend(class.print.parts.iter().filter_map(|part| match part {
            PrintPart::Expr { expr, .. } => Some(*expr),
            PrintPart::Text(_) | PrintPart::Field { .. } => None,
        }));
    }
    for (id, expr) in found.exprs.iter() {
        let operands = expr.kind.operands();
        assert!(operands.iter().all(|operand| *operand < id), "{expr:?}");
        used.extend(operands);
    }
    used.sort();
    assert_eq!(used, found.exprs.iter().map(|(id, _)| id).collect::<Vec<_>>());
}

/// What a text declares is the same whenever it is checked, also where a definition with a mistake is left out.
#[test]
fn equal_texts_have_equal_definitions() {
    let found = definitions(STORAGE);
    assert_eq!(found, definitions(STORAGE));
    assert_eq!(format!("{found:?}"), format!("{:?}", definitions(STORAGE)));
    assert_ne!(found, definitions(&STORAGE.replace("bytes / 1024", "bytes / 1025")));
}

/// The layout that is computed is the one that a kernel shows for the same fields.
#[test]
fn layouts_are_those_of_real_events() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/tests/data/formats");
    for (event, entry) in [
        (
            "sched.sched_switch",
            "prev_comm: char[TASK_COMM_LEN] = p->comm; prev_pid: pid_t = p->pid; prev_prio: int = p->prio; \
             prev_state: long = p->state; next_comm: char[16] = p->comm; next_pid: pid_t = p->pid; \
             next_prio: int = p->prio;",
        ),
        (
            "sched.sched_process_exec",
            "filename: string = p->filename; pid: pid_t = p->pid; old_pid: pid_t = p->old_pid;",
        ),
        (
            "ipi.ipi_send_cpumask",
            "cpumask: cpumask = p->mask; callsite: *void = p->callsite; callback: *void = p->callback;",
        ),
        (
            "block.block_rq_issue",
            "dev: dev_t = p->dev; sector: sector_t = p->sector; nr_sector: unsigned int = p->nr; \
             bytes: unsigned int = p->bytes; ioprio: unsigned short = p->ioprio; rwbs: char[RWBS_LEN] = p->rwbs; \
             comm: char[TASK_COMM_LEN] = p->comm; cmd: string = p->cmd;",
        ),
        (
            "kmem.kmalloc",
            "call_site: unsigned long = p->site; ptr: *const void = p->ptr; bytes_req: size_t = p->req; \
             bytes_alloc: size_t = p->alloc; gfp_flags: unsigned long = p->gfp; node: int = p->node;",
        ),
        (
            "net.net_dev_xmit",
            "skbaddr: *void = p->skb; len: unsigned int = p->len; rc: int = p->rc; name: string = p->name;",
        ),
    ] {
        let kernel = std::fs::read_to_string(data.join(event)).expect("a format file");
        let kernel = EventFormat::parse("x", &kernel).expect("a format");
        let source = format!(
            "subsystem storage; const RWBS_LEN: u32 = 10; \
             event e {{ proto (p: *struct task_struct) entry {{ {entry} }} }}"
        );
        let found = definitions(&source);
        let ours: Vec<_> = found.classes[0]
            .fields
            .iter()
            .map(|field| {
                let at = field.placement.expect("every size is known");
                (field.name.value.as_str(), field.shown.as_str(), at.offset, at.size, at.signed)
            })
            .collect();
        let theirs: Vec<_> = kernel
            .own_fields()
            .iter()
            .map(|field| {
                (field.name.as_str(), field.type_text.as_str(), field.offset, field.size, field.signed)
            })
            .collect();
        assert_eq!(ours, theirs, "{event}");
    }
}

/// A probe's fields in words: the name, what fetches it, the kernel's type and the place.
fn probe_fields(probe: &ProbeDef) -> Vec<String> {
    let field = |field: &ProbeField| {
        let source = match &field.source {
            FetchSource::Argument(index) => format!("argument {index}"),
            FetchSource::Result => "result".to_owned(),
            FetchSource::EventField(name) => format!("${name}"),
            FetchSource::Fetch(text) => text.clone(),
        };
        let ty = field.fetch_type.as_deref().unwrap_or("?");
        let at = field.placement.map_or("nowhere".to_owned(), |at| format!("{}+{}", at.offset, at.size));
        format!("{} = {source}: {ty} at {at}", field.name.as_deref().unwrap_or("_"))
    };
    probe.fields.iter().map(field).collect()
}

#[test]
fn probes_become_fetch_arguments() {
    let found = definitions(
        r#"
        enum How: u8 { Plain, Direct }
        event opened at kprobe do_sys_openat2(dfd: s32, path: *user char, how: How) { path: user string; how; dfd; }
        event wrote at kretprobe vfs_write -> (ret: ssize_t);
        event lines at uprobe "/bin/bash":readline(prompt: *user char);
        event q at usdt "/usr/bin/postgres":postgresql:query__start(query: *char);
        event execs at event sched:sched_process_exec { filename; pid; name = +0($filename): string; print "{filename} {pid}" }
        event ticks at fexit tcp_sendmsg(sk: *struct sock, size: size_t) -> (ret: int);
        event modfn at kprobe ext4:ext4_sync_file+16;
        event raw at kprobe vfs_read+8 { a = %di: u64; b = +4($stack): s32; @jiffies: u64; c = +u0(%si): ustring; d = +0(%si): x8[16]; e = %ax: symbol; print "a={a} {c} {d} {e} {b:x}" }
        event both at fprobe vfs_read(file: *struct file) -> (ret: ssize_t);
        event named at kprobe vfs_read { bits = %si: b3@4/32; file = %di: %pD; }
        event busy at perf cpu_cycles;
        event fixed at uprobe "/bin/x":0x1234;
        "#,
    );
    let all: Vec<(&str, Vec<String>)> =
        found.probes.iter().map(|probe| (probe.name.value.as_str(), probe_fields(probe))).collect();
    let expected: &[(&str, &[&str])] = &[
        (
            "opened",
            &[
                "path = argument 1: ustring at 16+4",
                "how = argument 2: u8 at 20+1",
                "dfd = argument 0: s32 at 21+4",
            ],
        ),
        ("wrote", &["ret = result: s64 at 24+8"]),
        ("lines", &["prompt = argument 0: ustring at 16+4"]),
        ("q", &["query = argument 0: string at nowhere"]),
        (
            "execs",
            &[
                "filename = $filename: string at 8+4",
                "pid = $pid: s32 at 12+4",
                "name = +0($filename): string at 16+4",
            ],
        ),
        (
            "ticks",
            &[
                "sk = argument 0: x64 at nowhere",
                "size = argument 1: u64 at nowhere",
                "ret = result: s32 at nowhere",
            ],
        ),
        ("modfn", &[]),
        (
            "raw",
            &[
                "a = %di: u64 at 16+8",
                "b = +4($stack): s32 at 24+4",
                "_ = @jiffies: u64 at 28+8",
                "c = +u0(%si): ustring at 36+4",
                "d = +0(%si): x8[16] at 40+16",
                "e = %ax: symbol at 56+8",
            ],
        ),
        ("both", &["file = argument 0: x64 at 24+8", "ret = result: s64 at 32+8"]),
        ("named", &["bits = %si: b3@4/32 at 16+4", "file = %di: %pD at 20+4"]),
        ("busy", &[]),
        ("fixed", &[]),
    ];
    let expected: Vec<(&str, Vec<String>)> = expected
        .iter()
        .map(|(name, fields)| (*name, fields.iter().map(|field| (*field).to_owned()).collect()))
        .collect();
    assert_eq!(all, expected);
    let raw = &found.probes[7];
    assert_eq!(
        printed(&raw.print, &["a", "b", "_", "c", "d", "e"]).concat(),
        "a=<a Unsigned of 8> <c text> <d Array { element: 1 }> <e pS> <b Hex of 4>"
    );
    assert_eq!(raw.size, Some(64));
}

#[test]
fn places_of_probes_are_told_apart() {
    let found = definitions(
        r#"
        event a at kprobe ext4:ext4_sync_file+16;
        event b at uprobe "/bin/x":0x1234;
        event c at uprobe "/bin/x":main+8;
        event d at usdt "/bin/x":provider:name;
        event e at event sched:sched_switch { prev_prio; }
        event f at tp_btf sched_switch(preempt: bool);
        "#,
    );
    let places: Vec<String> = found
        .probes
        .iter()
        .map(|probe| match &probe.place {
            ProbePlace::Symbol { module, symbol, offset } => {
                format!("{} {} {offset}", module.as_deref().unwrap_or("-"), symbol.value)
            }
            ProbePlace::Binary { path, symbol, offset } => {
                format!("{} {} {offset:#x}", path.value, symbol.as_deref().unwrap_or("-"))
            }
            ProbePlace::Usdt { path, provider, name } => format!("{} {provider} {name}", path.value),
            ProbePlace::Event { format, .. } => format.qualified_name(),
            ProbePlace::Counter(counter) => counter.name.to_owned(),
        })
        .collect();
    assert_eq!(
        places,
        [
            "ext4 ext4_sync_file 16",
            "/bin/x - 0x1234",
            "/bin/x main 0x8",
            "/bin/x provider name",
            "sched:sched_switch",
            "- sched_switch 0",
        ]
    );
}

/// A mistake in a declaration is told once, and what rests on it is quiet.
#[test]
fn what_rests_on_a_mistake_is_quiet() {
    for (definitions, code) in [
        ("enum S: u8 { A = 256 } event e { proto (a: S) entry { a: S; } print \"{a}\" }", "T0707"),
        (
            "class c { proto (a: nothing) entry { a: u8; } print \"{a}\" } event e: c { print \"{a}\" }",
            "T0715",
        ),
        ("event e at event sched:nothing { prev_prio; print \"{prev_prio}\" }", "T0101"),
        ("event e at kprobe f(a: nothing) { a: string; print \"{a}\" }", "T0715"),
        ("const N: u32 = 1 / 0; event e { proto (a: *u8) entry { a: u8[N] = a; } print \"{a}\" }", "T0705"),
    ] {
        let found = check(&text(&format!("subsystem storage; {definitions}")), &Copy);
        assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), [code], "{definitions}: {found:#?}");
    }
}

/// What could not be read is told once; the other declarations are checked all the same.
#[test]
fn a_mistake_of_syntax_hides_no_other_and_makes_none() {
    for (source, codes) in [
        ("const A: u32 = 5 +; const B: u32 = A; const C: u32 = 1 / 0;", &["T0705"][..]),
        ("subsystem s; clas c { proto (a: u8) entry { a: u8; } } event e: c;", &[]),
        ("subsystm s; event e { proto (a: u8) entry { a: u8; } }", &[]),
        ("subsystem s; class c { proto (a u8) entry { a: u8; } } event e: c; event f: d;", &["T0736"]),
        ("subsystem s; class c { proto (a: u8) entry { a: u8; } } event e: c if (a > ); ", &[]),
        ("subsystem s; event e { proto (a: u8) entry { a: u8 = 1 +; } print \"{a}\" }", &[]),
        ("event e at kprobe vfs_read(a u8) { a; }", &[]),
        ("session s { trace sched:sched_switch if prev_prio < ; } const A: u32 = B;", &["T0212"]),
    ] {
        let found = check(&text(source), &Copy);
        // Which code a mistake of syntax has is the grammar's matter.
        let (syntax, meaning): (Vec<&str>, Vec<&str>) =
            found.iter().map(|d| d.code.id).partition(|id| id.starts_with("T00"));
        assert_eq!((syntax.len(), meaning.as_slice()), (1, codes), "{source}: {found:#?}");
    }
}

/// A program is complete exactly if no error was reported: lints leave nothing out.
#[test]
fn a_program_is_complete_if_and_only_if_it_has_no_errors() {
    let right = ["const A: u32 = 1;", "use std::errno; const A: u32 = EIO;", STORAGE.trim_start(), ""];
    let right = right.map(|text| text.trim_start_matches("subsystem storage;"));
    let wrong = MISTAKES.iter().map(|(definitions, _, _)| *definitions);
    let mut complete = 0;
    for definitions in wrong.chain(right) {
        let source = text(&format!("subsystem storage;\n{definitions}\n"));
        let mut diagnostics = Diagnostics::default();
        let program = load::load(&source, &NoImports, &Copy, &mut diagnostics);
        let declared = definition::check_program(&program, &Copy, &mut diagnostics);
        let files = program.modules.iter().filter(|module| !module.std);
        assert_eq!(declared.definitions.len(), files.count());
        let found = diagnostics.finish();
        let has_error = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        assert_eq!(program.complete && declared.complete, !has_error, "{definitions}: {found:#?}");
        complete += usize::from(!has_error);
    }
    assert!(complete >= 8, "{complete}");
}

/// What is wrong is left out, and takes its expressions along.
#[test]
fn definitions_with_mistakes_leave_nothing_behind() {
    let both = |wrong: &str| {
        let right =
            "class c { proto (a: u8) entry { a: u8 = a + 1; } print \"{a / 2}\" } event e: c if (a > 1);";
        let source = text(&format!("subsystem s; {wrong} {right}"));
        let program = load::load(&source, &NoImports, &Copy, &mut Diagnostics::default());
        definition::check_program(&program, &Copy, &mut Diagnostics::default()).definitions.remove(0)
    };
    let alone = both("");
    for wrong in [
        "event w { proto (a: u8) entry { a: u8 = a + 2; b: u8 = a + c; } }",
        "event w { proto (a: u8) entry { a: u8 = a + 2; } print \"{a / 3} {b}\" }",
        "event w: c if (b == a + 1);",
    ] {
        let found = both(wrong);
        assert_eq!((found.classes.len(), found.events.len()), (1, 1), "{wrong}");
        assert_eq!(found.exprs.len(), alone.exprs.len(), "{wrong}");
    }
}

/// However many mistakes a text has, each kind of them costs little, and the limit is told.
#[test]
fn many_mistakes_of_each_kind_end_at_the_limit() {
    const LENGTH: usize = 20_000;
    let list = |part: &dyn Fn(usize) -> String| (0..LENGTH).map(part).collect::<String>();
    let event = |proto: &str, entry: &str, print: &str| {
        format!("event e {{ proto ({proto}) entry {{ {entry} }} print \"{print}\" }}")
    };
    let fields = list(&|n| format!("a{n}: u8 = a0; "));
    for (kind, definitions) in [
        ("constants", list(&|n| format!("const A{n}: u32 = unknown{n}; "))),
        ("constants of the library", list(&|n| format!("const A{n}: u32 = SIGKILL + SIGKILLS{n}; "))),
        ("types of constants", list(&|n| format!("const A{n}: uint{n} = 1; "))),
        ("members", format!("enum E {{ {} }}", list(&|n| format!("A{n} = B{n}, ")))),
        ("enums", list(&|n| format!("enum E: u8 {{ A{n} = 256 }} "))),
        ("mistakes of syntax", list(&|n| format!("const A{n}: u32 = ; "))),
        ("types of arguments", list(&|n| format!("event e{n} {{ proto (a: requst{n}) }} "))),
        ("lengths", list(&|n| format!("event e{n} {{ proto (a: *u8) entry {{ a: u8[LEN{n}] = a; }} }} "))),
        ("reserved names", list(&|n| format!("event e{n} {{ proto (while: u8) }} "))),
        ("events of one name", list(&|_| "event e { proto (a: u8) } ".to_owned())),
        ("classes of events", list(&|n| format!("event e{n}: class{n}; "))),
        ("fields", event("a: u8", &list(&|n| format!("b{n}: u8 = a{n}; ")), "")),
        ("fields without a source", event("a: u8", &list(&|n| format!("b{n}: u8; ")), "")),
        ("placeholders", event(&list(&|n| format!("b{n}: u8, ")), &fields, &list(&|n| format!("{{b{n}}}")))),
        ("formats", event("a: u8", "a: u8;", &list(&|n| format!("{{a:pISpq{n}}}")))),
        ("kinds of probes", list(&|n| format!("event e{n} at kprobes f; "))),
        ("counters", list(&|n| format!("event e{n} at perf cpu_cycle{n}; "))),
        ("registers", list(&|n| format!("event e{n} at kprobe f {{ a = %rdi{n}: u64; }} "))),
        ("fields of events", {
            let fields = list(&|n| format!("prev_pri{n}; "));
            format!("event e at event sched:sched_switch {{ {fields} }}")
        }),
        ("fields of probes", {
            let (arguments, fields) = (list(&|n| format!("a{n}: u8, ")), list(&|n| format!("b{n}; ")));
            format!("event e at fentry f({arguments}) {{ {fields} }}")
        }),
    ] {
        let start = std::time::Instant::now();
        let found = check(&text(&format!("subsystem storage; {definitions}")), &Copy);
        let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        println!("{kind}: {:?}", start.elapsed());
        let last = found.last().map(|diagnostic| diagnostic.code.name);
        assert_eq!((errors, last), (201, Some("too-many-errors")), "{kind}");
    }
}

/// Long definitions are checked in about the time it takes to read them: everything is looked up, nothing searched.
#[test]
fn long_definitions_are_checked() {
    const LENGTH: usize = 50_000;
    let list = |part: &dyn Fn(usize) -> String| (0..LENGTH).map(part).collect::<String>();
    let class = format!(
        "subsystem storage; event e {{ proto ({}) entry {{ {} }} print \"{}\" }}",
        list(&|n| format!("a{n}: u8, ")),
        list(&|n| format!("a{n}: u8; ")),
        list(&|n| format!("{{a{n}:x}} ")),
    );
    let codes: Vec<_> = check(&text(&class), &Copy).iter().map(|d| d.code.id).collect();
    // More arguments than BPF takes, and a record of more than a page: both are lints.
    assert_eq!(codes, ["T0729", "T0727"]);
    let enums = format!("enum E: u64 {{ {} }} flags F {{ A, B }}", list(&|n| format!("M{n} = {n}, ")));
    assert_eq!(check(&text(&enums), &Copy).len(), 0);
    let wrong = format!(
        "subsystem storage; event e {{ proto (a: u8) entry {{ {} }} }}",
        list(&|n| format!("b{n}: u8 = wrong{n}; "))
    );
    assert_eq!(check(&text(&wrong), &Copy).len(), 201);
}

/// Whatever is left when parts of right definitions are put together anyhow, the checker says something or nothing, and
/// what it says lies in the text.
#[test]
fn scrambled_definitions_do_not_panic() {
    let words: Vec<&str> = MISTAKES.iter().flat_map(|(text, _, _)| text.split(' ')).collect();
    // A fixed sequence (Knuth's MMIX generator), so that a failure comes again.
    let mut state: u64 = 1;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut raised = 0;
    for _ in 0..4_000 {
        // A right text with some words of others in it.
        let mut parts: Vec<&str> = MISTAKES[next(MISTAKES.len())].0.split(' ').collect();
        for _ in 0..1 + next(3) {
            let at = next(parts.len());
            parts[at] = words[next(words.len())];
        }
        let source = text(&format!("subsystem storage; {}", parts.join(" ")));
        for diagnostic in check(&source, &Copy) {
            raised += 1;
            for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
                assert!(source.text.get(label.span.range()).is_some(), "{}: {diagnostic:?}", source.text);
            }
        }
    }
    assert!(raised > 4_000, "{raised}");
}
