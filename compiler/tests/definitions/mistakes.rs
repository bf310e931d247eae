//! Each mistake in a definition has its code, its place and its fix.

use crate::common::{Copy, check, places, text};

/// Definitions in a file that has a subsystem, the code they raise, and the text under its place.
pub(crate) const MISTAKES: &[(&str, &str, &str)] = &[
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
    ("event e { proto (a: bitmask) entry { } }", "T0716", "bitmask"),
    ("event e { proto (a: *sockaddr) entry { } }", "T0716", "*sockaddr"),
    ("event e { proto (a: *u8) entry { a: sockaddr[2] = a; } }", "T0716", "[2]"),
    // Names.
    ("event e { proto (entry: u8) entry { a: u8 = entry; } }", "T0720", "entry"),
    ("event e { proto (a: u8) entry { current: u8 = a; } }", "T0720", "current"),
    ("event e { proto (a: u8) entry { si_pid: u8 = a; } }", "T0720", "si_pid"),
    ("event e { proto (d_lock: u8) entry { a: u8 = d_lock; } }", "T0720", "d_lock"),
    ("event current { proto (a: u8) }", "T0720", "current"),
    ("event e { proto (strscpy_pad: *char) entry { a: char[4] = strscpy_pad; } }", "T0720", "strscpy_pad"),
    ("event e { proto (__text: *char) entry { a: *char = __text; } }", "T0720", "__text"),
    ("event e { proto (EIO: u8) entry { a: u8 = EIO; } }", "T0720", "EIO"),
    ("event e { proto (a: u8) entry { HZ: u8 = a; } }", "T0720", "HZ"),
    ("event PAGE_SIZE { proto (a: u8) }", "T0720", "PAGE_SIZE"),
    ("event e { proto (a: u8) entry { CONFIG_SMP: u8 = a; } }", "T0720", "CONFIG_SMP"),
    // Names that the macros of a trace header have or make.
    ("event e { proto (it_func: u8) entry { a: u8 = it_func; } }", "T0720", "it_func"),
    ("event e { proto (it_func_ptr: *void) entry { a: *void = it_func_ptr; } }", "T0720", "it_func_ptr"),
    ("event e { proto (u32: u8) entry { a: u8 = u32; } }", "T0720", "u32"),
    ("event e { proto (pid_t: u8) entry { a: u8 = pid_t; } }", "T0720", "pid_t"),
    ("event e { proto (a: u8) entry { ent: u8 = a; } }", "T0720", "ent"),
    ("event e { proto (a: u8) entry { __data: u8 = a; } }", "T0720", "__data"),
    ("event e { proto (ent: u8) }", "T0720", "ent"),
    ("event e { proto (a: *char) entry { a: string; a_ptr_: string = a; } }", "T0720", "a_ptr_"),
    ("event seq_puts { proto (a: u8) }", "T0720", "seq_puts"),
    ("event printk { proto (a: u8) }", "T0720", "printk"),
    ("class c { proto (a: u8) } event seq_puts: c;", "T0720", "seq_puts"),
    ("class buf_alloc { proto (a: u8) } event e: buf_alloc;", "T0720", "buf_alloc"),
    ("event foo { proto (a: u8) } event foo_enabled { proto (a: u8) }", "T0720", "foo_enabled"),
    ("event foo_enabled { proto (a: u8) } event foo { proto (a: u8) }", "T0720", "foo"),
    ("event e { proto (a: u8) } event event_raw_event_e { proto (a: u8) }", "T0720", "event_raw_event_e"),
    ("class fallthrough { proto (a: u8) } event e: fallthrough;", "T0720", "fallthrough"),
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
    ("event e { proto (a: *unsigned long) entry { a: bitmask; } }", "T0732", "a: bitmask;"),
    ("event e { proto (a: *struct sockaddr) entry { b: sockaddr = a; } }", "T0732", "b: sockaddr = a;"),
    ("event e { proto (a: *u8) entry { b: bitmask = (a, 8); } }", "T0732", "a"),
    ("event e { proto (a: *struct cpumask) entry { b: bitmask = (a, 8); } }", "T0732", "a"),
    ("event e { proto (a: *user unsigned long) entry { b: bitmask = (a, 8); } }", "T0732", "a"),
    ("event e { proto (a: *unsigned long) entry { b: bitmask = (a, a); } }", "T0732", "a"),
    ("event e { proto (a: *struct sock) entry { b: sockaddr = (a, 16); } }", "T0732", "a"),
    ("event e { proto (a: *struct sock) entry { b: string = (a, 16); } }", "T0732", "a"),
    ("event e { proto (a: *user char) entry { b: string = (a, 16); } }", "T0732", "a"),
    ("event e { proto (a: *char) entry { b: char[16] = (a, 16); } }", "T0732", "b: char[16] = (a, 16);"),
    ("event e { proto (a: *user struct va_format) entry { b: string = a; } }", "T0731", "a"),
    ("event e { proto (a: *struct va_formats) entry { b: string = a; } }", "T0731", "a"),
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
    ("event e { proto (a: *u8) entry { a: u8[4] = a; } print \"{a:hexdump(row 8)}\" }", "T0739", "row 8"),
    ("event e { proto (a: *u32) entry { a: u32[4] = a; } print \"{a:hexdump}\" }", "T0740", "a"),
    ("event e { proto (a: *char) entry { a: string; } print \"{a:secs}\" }", "T0740", "a"),
    ("event e { proto (a: u64) entry { a: u64; } print \"{a:20secs}\" }", "T0739", "20secs"),
    ("event e { proto (a: *char, n: u8) entry { b: char[] = (a, n); } print \"{b:s}\" }", "T0741", "b"),
    (
        "event e { proto (a: *struct in6_addr) entry { a: struct in6_addr = *a; b: struct in6_addr = *a; } \
         print \"{1 > 2 ? a : b}\" }",
        "T0741",
        "1 > 2 ? a : b",
    ),
    (
        "flags F { A } event e { proto (a: u8) entry { a: u8; } print \"{a ? a as F : \"x\":x}\" }",
        "T0740",
        "a ? a as F : \"x\"",
    ),
    (
        "enum E { A } event e { proto (a: u8) entry { a: u8; } print \"{a ? a as E : \"x\":flags(\"|\")}\" }",
        "T0740",
        "a ? a as E : \"x\"",
    ),
    // Statements.
    ("event e { proto (a: u8) entry { b: u8; } assign `__entry->b = a);` }", "T0758", ")"),
    ("event e { proto (a: u32) print \"{a:+}\" }", "T0739", "+"),
    ("event e { proto (a: u32) print \"{a: u}\" }", "T0739", " u"),
    ("event e { proto (a: u32) print \"{a:-05u}\" }", "T0739", "-05u"),
    ("event e { proto (a: int) print \"{a:+ d}\" }", "T0739", "+ d"),
    ("event e { proto (a: int) print \"{a:05.3d}\" }", "T0739", "05.3d"),
    ("event e { proto (a: int) print \"{a:--5d}\" }", "T0739", "--5d"),
    ("event e { proto (a: int) print \"{a:.3c}\" }", "T0739", ".3c"),
    ("event e { proto (a: *char) print \"{a:08s}\" }", "T0739", "08s"),
    ("event e { proto (a: *void) print \"{a:#p}\" }", "T0739", "#p"),
    ("event e { proto (a: *void) print \"{a:.3pS}\" }", "T0739", ".3pS"),
    ("enum E: u8 { A } event e { proto (a: u8) entry { a: E; } print \"{a:#}\" }", "T0739", "#"),
    ("event e { proto (a: u64) print \"{a:+ns_to_secs}\" }", "T0739", "+ns_to_secs"),
    ("event e { proto (a: u8) entry { b: u8; } assign `if (a) return; __entry->b = a;` }", "T0758", "return"),
    ("event e { proto (a: u8) entry { b: u8; } assign `__entry->b = a; %> f(); <%` }", "T0758", "%>"),
    (
        "event e { proto (a: u8) entry { a: u8; b: u8; } assign `/* __entry->b */ __entry->a = a->b;` }",
        "T0730",
        "b",
    ),
    ("event e { proto (a: u8) entry { b: u8; } assign `msleep(1); __entry->b = a;` }", "T0759", "msleep"),
    ("event e { proto (u: *user u32) entry { b: u32 = get_user(u); } }", "T0759", "get_user"),
    ("event e if (mutex_lock(NULL)) { proto (a: u8) entry { a: u8; } }", "T0759", "mutex_lock"),
    ("event e { proto (a: u8) entry { p: *void = kmalloc(a, GFP_KERNEL); } }", "T0759", "GFP_KERNEL"),
    // Operations without a value.
    ("event e if (a / b > 1) { proto (a: u32, b: u32) entry { a: u32; } }", "T0760", "b"),
    ("event e if (a / 0 > 1) { proto (a: u32) entry { a: u32; } }", "T0760", "0"),
    ("event e if (b >= 0 && a % b > 1) { proto (a: int, b: int) entry { a: int; } }", "T0760", "b"),
    ("event e if (b != 0 || a / b > 1) { proto (a: u32, b: u32) entry { a: u32; } }", "T0760", "b"),
    ("event e if (b != 0 && a / b > 1) { proto (a: s64, b: s64) entry { a: s64; } }", "T0760", "b"),
    ("event e { proto (a: u32, p: *struct f) entry { c: u32 = a / p->n; } }", "T0760", "p->n"),
    ("event e { proto (a: u32, b: u8) entry { c: u32 = a << b; } }", "T0760", "b"),
    ("event e { proto (a: u32) entry { c: u32 = a >> 64; } }", "T0760", "64"),
    ("event e { proto (a: u32, b: int) entry { c: u32 = b < 64 ? a >> b : 0; } }", "T0760", "b"),
    ("event e { proto (a: *u8) entry { a: u8[4] = a; } print \"{a[4]}\" }", "T0760", "4"),
    ("event e { proto (a: *u8, i: u8) entry { a: u8[4] = a; i: u8; } print \"{a[i]}\" }", "T0760", "i"),
    ("event e { proto (a: *u8, n: u8) entry { a: u8[] = (a, n); } print \"{a[0]}\" }", "T0760", "a[0]"),
    ("event e { proto (a: *u8, n: u8) entry { a: u8[] = (a, 64 / n); } }", "T0760", "n"),
    // Numbers.
    ("event e { proto (a: u64, b: int) entry { c: u64 = a + b; } }", "T0240", "+"),
    ("event e if (a > b) { proto (a: u64, b: int) entry { a: u64; } }", "T0240", ">"),
    ("event e if (a in {1, b}) { proto (a: u64, b: int) entry { a: u64; } }", "T0240", "in"),
    ("event e { proto (a: u64, b: int) entry { c: u64 = b ? a : b; } }", "T0240", "b ? a : b"),
    ("event e { proto (a: u64) entry { a: u64; } print \"{a > -1 ? 1 : 0}\" }", "T0240", ">"),
    // Probes.
    ("event e at kprobes vfs_read;", "T0743", "kprobes"),
    ("event e at uprobe readline;", "T0744", "readline"),
    ("event e at kretprobe vfs_read+4 -> (ret: int);", "T0744", "4"),
    ("event e at tprobe sched_switch+4;", "T0744", "sched_switch+4"),
    ("event e at usdt \"/bin/x\":main;", "T0744", "\"/bin/x\":main"),
    ("event e at uprobe \"bash\":readline;", "T0745", "\"bash\""),
    ("event e at kretprobe vfs_read;", "T0746", "kretprobe"),
    ("event e at kprobe vfs_read -> (ret: int);", "T0746", "ret: int"),
    ("event e at uretprobe \"/b\":f(a: u8) -> (ret: int);", "T0746", "(a: u8)"),
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
    // What cannot be read may be it, and is to be mended first.
    for broken in
        ["class c { proto (a: u8) entry { a: u8 = ; } }", "session s { trace sched:sched_switch if x == ; }"]
    {
        let found = codes(&format!("event e {{ proto (a: u8) entry {{ a: u8; }} }} {broken}"));
        assert_eq!(found, ["T0012"], "{broken}");
    }
    assert_eq!(codes("event e at kprobe vfs_read { a = %di: u64; }"), [""; 0]);
    assert_eq!(codes("subsystem ftrace;"), ["T0720"]);
    assert_eq!(codes("subsystem linux;"), ["T0720"]);
    assert_eq!(codes("subsystem HZ;"), ["T0720"]);
    assert_eq!(
        codes("subsystem Mine; event STORAGE { proto (MAJOR: u8) entry { Io: u8 = MAJOR; } }"),
        [""; 0]
    );
    assert_eq!(codes("subsystem sched; event sched_switch { proto (a: u8) entry { a: u8; } }"), ["T0725"]);
    assert_eq!(codes("subsystem other; event sched_switch { proto (a: u8) entry { a: u8; } }"), ["T0725"]);
    assert_eq!(codes("event sched_switch at kprobe f(a: u8);"), [""; 0]);
}

#[test]
fn probes_have_a_limit_of_fields() {
    let fields = |count: usize| (0..count).map(|n| format!("f{n} = %di: u8; ")).collect::<String>();
    let source = |count: usize| text(&format!("event e at kprobe vfs_read {{ {} }}", fields(count)));
    let (most, more) = (source(128), source(129));
    assert_eq!(places(&most, &check(&most, &Copy)), []);
    assert_eq!(places(&more, &check(&more, &Copy)), [("T0752", "f128 = %di: u8;")]);
}

#[test]
fn operations_behind_a_question_have_a_value() {
    for definitions in [
        "event e if (b != 0 && a / b > 1) { proto (a: u32, b: u32) entry { a: u32; } }",
        "event e if (b && a % b > 1) { proto (a: u32, b: int) entry { a: u32; } }",
        "event e if (b == 0 || a / b > 1) { proto (a: u32, b: u32) entry { a: u32; } }",
        "event e if (!(b == 0) && !(a / b > 1)) { proto (a: u32, b: u32) entry { a: u32; } }",
        "event e if (b > 0 && a / b > 1) { proto (a: s64, b: s64) entry { a: s64; } }",
        "event e if (b in {2, 4} && a / b > 1) { proto (a: s64, b: s64) entry { a: s64; } }",
        "event e if (p->n != 0 && a / p->n > 1) { proto (a: u32, p: *struct p) entry { a: u32; } }",
        "event e { proto (a: u32, b: u32) entry { c: u32 = b == 0 ? 0 : a / b; } }",
        "event e { proto (a: u32) entry { c: u32 = a / 512 % 7; } }",
        "event e { proto (a: u32, b: u8) entry { c: u32 = a << (b & 31); } }",
        "event e { proto (a: u32, b: int) entry { c: u32 = b >= 0 && b < 64 ? a >> b : 0; } }",
        "event e { proto (a: *u8, i: u8) entry { a: u8[4] = a; i: u8; } print \"{i < 4 ? a[i] : 0} {a[i & 3]}\" }",
    ] {
        let found = check(&text(&format!("subsystem storage; include <linux/fs.h>; {definitions}")), &Copy);
        assert!(found.is_empty(), "{definitions}: {found:#?}");
    }
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
        // A question in front of what may have no value.
        ("event e if (a / b > 1) { proto (a: u8, b: u8) entry { a: u8; } }", "(b != 0 && "),
        ("event e if (!(1 >> n == 1)) { proto (n: int) entry { n: int; } }", "(n in {0..=63} && "),
        ("event e { proto (a: u8, n: u8) entry { a: u8 = a << n; } }", "(n <= 63 ? "),
        ("event e { proto (a: *u8, i: u8) entry { a: u8[4] = a; i: u8; } print \"{a[i]}\" }", "(i <= 3 ? "),
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

/// Names that are members of structs, or that only a function of another kind has, are free.
#[test]
fn names_that_collide_with_nothing_are_free() {
    for source in [
        "subsystem s; event e { proto (iter: u8, field: u8, p: u8, s: u8, flags: u8, event: u8, trace_seq: u8) }",
        "subsystem s; event e { proto (a: u8) entry { it_func: u8 = a; entry: u8 = a; u32: u8 = a; } }",
        "subsystem s; event foo { proto (a: u8) } event enabled { proto (a: u8) } event entry { proto (a: u8) }",
        "subsystem s; event e { proto (a: *char) entry { a: string; a_ptr_: u8 = 1; } }",
        "event e at kprobe vfs_read { ent = %di: u64; it_func = %si: u64; }",
    ] {
        let source = text(source);
        assert_eq!(places(&source, &check(&source, &Copy)), [], "{}", source.text);
    }
}
