//! Tests of the syntax of correct declarations.

mod common;

use common::{show, show_errors};
use expect_test::{Expect, expect};
use tracec_grammar::parse;

fn check(text: &str, expected: Expect) {
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "");
    expected.assert_eq(&show(&parsed));
}

#[test]
fn imports_and_constants() {
    check(
        r#"//! Doc.
use std::errno;
use std;
use "common.trc";
use "dir/common.trc" as c;
/// The largest.
const BIG: u64 = 64KiB;
const SMALL = 1 << 3 | 2;
const NET = 10.0.0.0/8;
subsystem storage;
include <linux/blkdev.h>;
include <linux/9p.h>;
include <asm-generic/errno-base.h>;
include "driver.h";
lint allow hidden-pseudo-field, constant-condition;
lint deny x;
"#,
        expect![[r#"
            doc "Doc."
            use std::errno
            use std
            use "common.trc"
            use "dir/common.trc" as c
            doc "The largest."
            const BIG: u64 = 65536B
            const SMALL = ((1 << 3) | 2)
            const NET = <10.0.0.0/8>
            subsystem storage
            include <linux/blkdev.h>
            include <linux/9p.h>
            include <asm-generic/errno-base.h>
            include "driver.h"
            lint allow [hidden-pseudo-field, constant-condition]
            lint deny [x]
        "#]],
    );
}

#[test]
fn enums() {
    check(
        r#"enum Status: u8 { Ok = 0 "OK", Err = 1 "ERR" }
/// Bits.
flags Op: unsigned long {
    /// Read.
    READ = 1,
    WRITE,
    SYNC = 1 << 2 "S",
}
enum empty {}
enum plain { a, b "two", c = a | b }
"#,
        expect![[r#"
            enum Status: u8
              Ok = 0 "OK"
              Err = 1 "ERR"
            doc "Bits."
            flags Op: unsigned_long
              doc "Read."
              READ = 1
              WRITE
              SYNC = (1 << 2) "S"
            enum empty
            enum plain
              a
              b "two"
              c = (a | b)
        "#]],
    );
}

const STORAGE: &str = r#"subsystem storage;
class request {
    proto (rq: *struct request, bytes: u32, status: int)
    entry {
        /// The device.
        dev:    dev_t    = disk_devt(rq->q->disk);
        bytes:  u32;
        status: Status;
        comm:   char[TASK_COMM_LEN] = current->comm;
        name:   string   = rq->name;
        tags:   u8[]     = (rq->tags, rq->nr_tags);
        cpus:   cpumask  = rq->mask;
        one:    u8       = (bytes);
        kind:   u8       = bytes > 4096 ? 1 : *rq->kinds[0] & 3;
        at:     *const struct bio = &rq->bio;
        path:   user string;
        u:      union sigval[2];
        e:      enum pid_type;
        l:      unsigned long long;
    }
    assign `raw C "statements" {
        x;
    }`;
    print "dev={dev:dev} {{bytes}}=\t{bytes:#010x} cpu={cpus} {bytes > 4096 ? "big" : "small"} {f:flags("|")} {a::b:x}"
}
event rq_issue: request;
event rq_done:  request { print "" }
event rq_slow:  request if (bytes > 4096);
event rq_reg:   request with (my_reg, my_unreg);
event own_slow if bytes in {1, 2..=3} { proto (bytes: u32) }
event own_reg with (my_reg, my_unreg) if (x) { proto (x: u32) }
event rq_all:   request if bytes in {1, 2..=3} with (my_reg, my_unreg) { print "{bytes}"; }
event lone { print "x" entry { } proto () }
"#;

#[test]
fn classes_and_events() {
    check(
        STORAGE,
        expect![[r#"
            subsystem storage
            class request
              proto rq: *<struct request>, bytes: u32, status: int
              doc "The device."
              field dev: dev_t = disk_devt(rq->q->disk)
              field bytes: u32
              field status: Status
              field comm: char[TASK_COMM_LEN] = current->comm
              field name: string = rq->name
              field tags: u8[] = elements rq->tags rq->nr_tags
              field cpus: cpumask = rq->mask
              field one: u8 = bytes
              field kind: u8 = ((bytes > 4096) ? 1 : ((*rq->kinds[0]) & 3))
              field at: *const <struct bio> = (&rq->bio)
              field path: <user string>
              field u: <union sigval>[2]
              field e: <enum pid_type>
              field l: unsigned_long_long
              assign "raw C \"statements\" {\n        x;\n    }"
              print "dev=" {dev : dev} " {bytes}=\t" {bytes : #010x} " cpu=" {cpus} " " {((bytes > 4096) ? "big" : "small")} " " {f : flags("|")} " " {a::b : x}
            event rq_issue: request
            event rq_done: request
              print
            event rq_slow: request if (bytes > 4096)
            event rq_reg: request with my_reg my_unreg
            event own_slow if (bytes in {1, 2..=3})
              proto bytes: u32
            event own_reg if x with my_reg my_unreg
              proto x: u32
            event rq_all: request if (bytes in {1, 2..=3}) with my_reg my_unreg
              print {bytes}
            event lone
              proto 
              print "x"
        "#]],
    );
}

#[test]
fn probes() {
    check(
        r#"event opened at kprobe do_sys_openat2(dfd: s32, path: *user char) { path: user string }
event wrote  at kretprobe vfs_write -> (ret: ssize_t);
event lines  at uprobe "/bin/bash":readline(prompt: *user char);
event addr   at uprobe "/bin/x":0x1234;
event off    at uprobe "/bin/x":sym+8;
event q      at usdt "/usr/bin/postgres":postgresql:query__start;
event execs  at event sched:sched_process_exec { filename; }
event ticks  at fexit tcp_sendmsg(sk: *struct sock,) -> (ret: int);
event modfn  at kprobe ext4:ext4_sync_file+16;
event raw    at kprobe vfs_read+8 { a = %di: u64; b = +4($stack): s32; @jiffies: u64; print "a={a}" }
event part   at kprobe foo.isra.0+0x10 {
    /// Doc.
    a = +0(+8(%si)):string
}
event text   at kprobe x { \"a;b}": string; c = $arg1; d = -8(%sp): u8[4]; e = +u0(%si): string }
event print  at kprobe event { print: u8; event = $retval; kprobe }
event none   at tp_btf sched_switch {}
"#,
        expect![[r#"
            event opened at kprobe symbol - do_sys_openat2 +0 (dfd: s32, path: *user char)
              field path: <user string>
            event wrote at kretprobe symbol - vfs_write +0 -> ret: ssize_t
            event lines at uprobe binary "/bin/bash" - readline +0 (prompt: *user char)
            event addr at uprobe binary "/bin/x" - - +4660
            event off at uprobe binary "/bin/x" - sym +8
            event q at usdt binary "/usr/bin/postgres" postgresql query__start +0
            event execs at event event sched:sched_process_exec
              field filename
            event ticks at fexit symbol - tcp_sendmsg +0 (sk: *<struct sock>) -> ret: int
            event modfn at kprobe symbol ext4 ext4_sync_file +16
            event raw at kprobe symbol - vfs_read +8
              field a: u64 = `%di`
              field b: s32 = `+4($stack)`
              field _: u64 = `@jiffies`
              print "a=" {a}
            event part at kprobe symbol - foo.isra.0 +16
              doc "Doc."
              field a: string = `+0(+8(%si))`
            event text at kprobe symbol - x +0
              field _: string = `\"a;b}"`
              field c = `$arg1`
              field d: u8[4] = `-8(%sp)`
              field e: string = `+u0(%si)`
            event print at kprobe symbol - event +0
              field print: u8
              field event = `$retval`
              field kprobe
            event none at tp_btf symbol - sched_switch +0
        "#]],
    );
}

#[test]
fn words_are_names_in_declarations() {
    for word in
        ["event", "print", "entry", "field", "in", "as", "at", "with", "string", "const", "long", "lint"]
    {
        let text = format!(
            "use {word}::{word};\nconst {word}: {word} = {word};\nenum {word} {{ {word} = {word}, {word} \"x\" }}\n\
             subsystem {word};\nclass {word} {{ proto ({word}: {word}, {word}: *{word})\n\
             entry {{ {word}: {word} = {word};\n {word}: {word}[{word}];\n }} print \"{{{word}}}{{{word}:{word}}}\" }}\n\
             event {word}: {word} if {word} with ({word}, {word});\nevent {word} at {word} {word}:{word}+1;\n\
             event {word} at {word} {word}({word}: {word}) -> ({word}: {word}) {{ {word} = %ax: {word};\n{word}; }}\n\
             session {word}({word}: {word} = {word}) {{}}\nlint {word} {word}-{word};\n"
        );
        // These words do not begin a type.
        let text = match word {
            "const" => text.replace(": const", ": u8").replace("*const", "*u8"),
            _ => text,
        };
        let parsed = parse(&text);
        assert_eq!(show_errors(&text, &parsed), "", "{text}");
        assert_eq!(parsed.file.declarations.len(), 10, "{}", show(&parsed));
    }
}

#[test]
fn ends_of_lines_and_blanks_do_not_matter() {
    let text =
        format!("{STORAGE}// größer\nenum Größe {{ A = 1 \"größer\" }}\n").replace("Größe {", "Size {");
    let shown = show(&parse(&text));
    assert_eq!(show_errors(&text, &parse(&text)), "");
    for (found, instead) in [("\n", "\r\n"), ("    ", "\t")] {
        let other = text.replace(found, instead);
        let parsed = parse(&other);
        assert_eq!(show_errors(&other, &parsed), "");
        // C between backticks is kept as it is written.
        assert_eq!(show(&parsed).replace("\\r\\n", "\\n").replace("\\t}\"", "    }\""), {
            if instead == "\t" { shown.replace("\\n        x", "\\n\\t\\tx") } else { shown.clone() }
        });
    }
}

#[test]
fn names_are_ascii() {
    for text in ["enum Größe { A }", "class c { entry { größe: u8; } }", "event é: c;", "const A = größe;"]
    {
        let parsed = parse(text);
        assert_eq!(parsed.errors.len(), 1, "{text}\n{}", show_errors(text, &parsed));
    }
}
