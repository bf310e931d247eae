//! One mistake in a declaration or a new clause is one error at its span, and the text around it is parsed.

mod common;

use common::{kinds, show, show_errors};
use expect_test::{Expect, expect};
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::{MAX_DEPTH, parse};

/// Checks each text with a declaration after it, which must survive; prints the one error of each.
fn check(texts: &[&str], expected: Expect) {
    let mut shown = String::new();
    let mut failures = String::new();
    for text in texts {
        let text = format!("{text}\nsubsystem survivor;\n");
        let parsed = parse(&text);
        let errors = show_errors(&text, &parsed);
        if parsed.errors.len() != 1 || !show(&parsed).ends_with("subsystem survivor\n") {
            failures += &format!("{text}{errors}{}\n", show(&parsed));
        }
        shown += &errors;
    }
    assert!(failures.is_empty(), "{failures}");
    expected.assert_eq(&shown);
}

/// Checks clauses as [`check`] does, in a session with a clause after them.
fn check_clauses(clauses: &[&str], expected: Expect) {
    let texts: Vec<String> =
        clauses.iter().map(|clause| format!("session s {{ {clause}\nstop with command; }}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for text in &texts {
        let shown = show(&parse(text));
        assert!(shown.ends_with("stop with command\n"), "{text}\n{}{shown}", show_errors(text, &parse(text)));
    }
    check(&texts, expected);
}

#[test]
fn declarations() {
    check(
        &[
            "use;",
            "use std::;",
            "use std::errno as;",
            "use std::errno",
            "use std.errno;",
            "use <a.h>;",
            "usee std::errno;",
            "const = 3;",
            "const A;",
            "const A 3;",
            "const A: = 3;",
            "const A: u8 = ;",
            "const A == 3;",
            "const A = 1 ? 2 : 3;",
            "const A = (1 ? 2 : 3) + (4 ? 5 : 6);",
            "const A = 10.0.0.256;",
            "const A = 10.0.0;",
            "const A = 10.0.0.0/33;",
            "const A = 10.0.01.1;",
            "const A = 10.0.0.1x;",
            "const A = 2001:db8:1;",
            "const A = 2001:db8::1::2;",
            "const A = 2001:db8::/129;",
            "const A = CPUS{3-1};",
            "const A = CPUS{};",
            "const A = CPUS{0-3;",
            "const A = CPUS{0,0};",
            "const A = CPUS{a};",
            "const A = CPUS 0-3;",
            "const A = x in {1..3};",
            "const A = {1};",
            "const A = b[1;",
            "const A = f(1, ;",
            "const A = f(1));",
            "const A = a->;",
            "const A = 1 as;",
            "const A = 1 as 3;",
            "const A = 1 as u8 u16;",
            "const A = a ? b;",
            "const A = x == 1 | y == 2;",
            "const A = x == 1 & y == 2;",
            "const A = ~x;",
            "const A = a ++ ;",
            "subsystem;",
            "subsystem a b;",
            "include;",
            "include linux.h;",
            "include <linux.h;",
            "include <linux.h>",
            "lint;",
            "lint allow;",
            "lint allow a b;",
            "lint allow a,;",
            "trace a:b;",
            "clazz request { }",
            "entry { a: u8; }",
        ],
        expect![[r#"
            1:4 [;] expected a name, found `;`
            1:10 [;] expected a name, found `;`
            1:18 [;] expected a name, found `;`
            1:15 [] a `;` is missing here
            1:8 [.] expected `as` or `;`, found `.`
            1:5 [<] expected a name, found `<`
            1:1 [usee] expected a declaration, found `usee` (did you mean `use`?)
            1:7 [=] expected a name, found `=`
            1:8 [;] expected `:` or `=`, found `;`
            1:9 [3] expected `:` or `=`, found `3`
            1:10 [=] expected a type, found `=`
            1:15 [;] expected a value, found `;`
            1:9 [==] expected `:` or `=`, found `==`
            1:13 [?] `?` and `:` choose a value only in print templates and in the values of entry fields (say it with connectors, as in `(c && a) || (!c && b)`)
            1:14 [?] `?` and `:` choose a value only in print templates and in the values of entry fields (say it with connectors, as in `(c && a) || (!c && b)`)
            1:18 [256] this is not an address: its numbers go from 0 to 255
            1:11 [10.0.0] this is not an address: an IPv4 address has four numbers
            1:20 [33] this is not an address: a prefix of IPv4 has at most 32 bits
            1:16 [01] this is not an address: its numbers have no leading zeros
            1:18 [1x] this is not an address: its numbers are decimal
            1:11 [2001:db8:1] this is not an address: an IPv6 address has eight groups of up to four hexadecimal digits, `::` in place of zeros
            1:11 [2001:db8::1::2] this is not an address: an IPv6 address has eight groups of up to four hexadecimal digits, `::` in place of zeros
            1:22 [129] this is not an address: a prefix of IPv6 has at most 128 bits
            1:16 [3-1] this is not a set of CPUs: a range goes from the lower to the higher CPU (list numbers and ranges, as in `CPUS{0-3,8}`)
            1:16 [] this is not a set of CPUs: a CPU is missing (list numbers and ranges, as in `CPUS{0-3,8}`)
            1:11 [CPUS{] this is not a set of CPUs: its `}` is missing (list numbers and ranges, as in `CPUS{0-3,8}`)
            1:18 [0] this is not a set of CPUs: CPUs are written in ascending order, each once (list numbers and ranges, as in `CPUS{0-3,8}`)
            1:16 [a] this is not a set of CPUs: CPUs are numbers, ranges such as 0-3, and commas between them (list numbers and ranges, as in `CPUS{0-3,8}`)
            1:11 [CPUS 0-3] this is not a set of CPUs: the list stands in braces, without a space before them (write `CPUS{0-3}`)
            1:18 [..] `..` is written `..=` (write `..=`, which includes the last value)
            1:11 [{] expected a value, found `{`
            1:12 [[] this `[` is not closed
            1:12 [(] this `(` is not closed
            1:15 [)] this `)` closes nothing
            1:14 [;] expected a name, found `;`
            1:15 [;] expected a type, found `;`
            1:16 [3] expected a type, found `3`
            1:19 [u16] expected an operator or `;`, found `u16`
            1:16 [;] expected `:`, found `;`
            1:18 [|] `|` is written `||`
            1:18 [&] `&` is written `&&`
            1:11 [~] expected a value, found `~`
            1:14 [+] expected a value, found `+`
            1:10 [;] expected a name, found `;`
            1:13 [b] expected `;`, found `b`
            1:8 [;] expected a header such as `<linux/blkdev.h>` or a string, found `;`
            1:9 [linux] expected a header such as `<linux/blkdev.h>` or a string, found `linux`
            1:9 [<] expected a header such as `<linux/blkdev.h>` or a string, found `<`
            1:18 [] a `;` is missing here
            1:5 [;] expected `allow`, `warn` or `deny`, found `;`
            1:11 [;] expected a name, found `;`
            1:14 [b] expected `,` or `;`, found `b`
            1:14 [;] expected a name, found `;`
            1:1 [trace] `trace` does not stand here, but in a session
            1:1 [clazz] expected a declaration, found `clazz` (did you mean `class`?)
            1:1 [entry] `entry` does not stand here, but in a `class` or an `event`
        "#]],
    );
}

#[test]
fn enums() {
    check(
        &[
            "enum X;",
            "enum X",
            "enum { A }",
            "enum X { };",
            "enum X { A, B };",
            "enum X A, B;",
            "enum X { A B }",
            "enum X { A = }",
            "enum X { A\nB }",
            "enum X { A = 1\nB = 2 }",
            "enum X { A; B }",
            "enum X { A, , B }",
            "enum X { A = 1 B = 2 }",
            "enum X { A = 1, { B } }",
            "enum X: { A }",
            "enum X u8 { A }",
            "enum X { A,",
            "enum X = { A }",
            "flags X { A = 1 << }",
            "flags X { 1, B }",
            "enum X { A, /// d\n}",
        ],
        expect![[r#"
            1:7 [;] expected `:` or `{`, found `;`
            1:7 [] expected `:` or `{`, found `subsystem`
            1:6 [{] expected a name, found `{`
            1:11 [;] expected a declaration, found `;` (remove it: blocks and finished clauses take no further `;`)
            1:16 [;] expected a declaration, found `;` (remove it: blocks and finished clauses take no further `;`)
            1:8 [A] expected `:` or `{`, found `A`
            1:12 [B] expected a string, `=`, `,` or `;`, found `B`
            1:13 [] expected a value, found `}`
            1:11 [] a `,` is missing here
            1:15 [] a `,` is missing here
            1:11 [;] members are separated by `,`, not `;`
            1:13 [,] expected a name or `}`, found `,`
            1:16 [B] expected an operator, a string, `,` or `;`, found `B`
            1:17 [{] expected a name or `}`, found `{`
            1:9 [{] expected a type, found `{`
            1:8 [u8] expected `:` or `{`, found `u8`
            1:8 [{] this `{` is not closed
            1:8 [=] expected `:` or `{`, found `=`
            1:19 [] expected a value, found `}`
            1:11 [1] expected a name or `}`, found `1`
            1:13 [/// d] this doc comment describes nothing (a `///` comment describes the declaration after it; write `//` elsewhere)
        "#]],
    );
}

#[test]
fn events() {
    check(
        &[
            "class { proto () }",
            "class c;",
            "class c { proto (a) }",
            "class c { proto (a: ) }",
            "class c { proto (a: u8 b: u8) }",
            "class c { proto (struct request *rq) }",
            "class c { proto (a: u8, unsigned int b, c: u8) }",
            "class c { proto (rq: struct request *) }",
            "class c { proto (const char __user *name) }",
            "class c { proto (a: u8 entry { a: u8; } }",
            "class c { proto a: u8 }",
            "class c { entry { a u8; } }",
            "class c { entry { a: u8 } }",
            "class c { entry { a: u8\nb: u8; } }",
            "class c { entry { a: u8 = ; b: u8; } }",
            "class c { entry { a: u8 = (p, ); } }",
            "class c { entry { a: u8 = (p, q, r); } }",
            "class c { entry { char comm[16]; b: u8; } }",
            "class c { entry { unsigned long x; } }",
            "class c { entry { u8 *x = y; } }",
            "class c { entry { a: u8[; } }",
            "class c { entry { a: user; } }",
            "class c { entry { a: struct; } }",
            "class c { entry { a: u8; print \"x\" }",
            "class c { entry a: u8; }",
            "class c { protos (a: u8) entry { a: u8; } }",
            "class c { foo; print \"x\" }",
            "class c { assign x = 1; }",
            "class c { assign; }",
            "class c { print x }",
            "class c { print r\"x\" }",
            "class c { print \"{a\" }",
            "class c { print \"{a:x\" }",
            "class c { print \"{f(a}\" }",
            "class c { print \"{}\" }",
            "class c { print \"{a b}\" }",
            "class c { print \"{a:}\" }",
            "class c { print \"a}\" }",
            "class c { print \"a\\q{b}\" }",
            "class c { print \"{a == \\\"x\\\"}\" }",
            "class c { print \"{x ? y}\" }",
            "class c { print \"{\" }",
            "class c { print \"{{}\" }",
            "class c { print \"x }",
            "class c { print \"x\" \"y\" }",
            "event;",
            "event e;",
            "event e",
            "event { }",
            "event e: ;",
            "event e: c",
            "event e: c if;",
            "event e: c if x ? y : z;",
            "event e: c with a, b;",
            "event e: c with (a);",
            "event e: c { proto (a: u8) }",
            "event e: c { print \"x\" print \"y\" }",
            "event e: c if a if b;",
            "event e: c d;",
            "event e c;",
        ],
        expect![[r#"
            1:7 [{] expected the name of a class, found `{`
            1:8 [;] expected `{`, found `;`
            1:19 [)] expected `:`, found `)`
            1:21 [)] expected a type, found `)`
            1:24 [b] expected `,`, `[` or `)`, found `b`
            1:18 [struct request *rq] the name stands before its type, and `*` before what it points to (write `rq: *struct request`)
            1:25 [unsigned int b] the name stands before its type, and `*` before what it points to (write `b: unsigned int`)
            1:18 [rq: struct request *] the name stands before its type, and `*` before what it points to (write `rq: *struct request`)
            1:18 [const char __user *name] the name stands before its type, and `*` before what it points to (write `name: *user const char`)
            1:17 [(] this `(` is not closed
            1:17 [a] expected `(`, found `a`
            1:21 [u8] expected `:`, found `u8`
            1:24 [] a `;` is missing here
            1:24 [] a `;` is missing here
            1:27 [;] expected a value, found `;`
            1:31 [)] expected a value, found `)`
            1:32 [,] expected `)`, found `,`
            1:19 [char comm[16]] the name stands before its type, and `*` before what it points to (write `comm: char[16]`)
            1:19 [unsigned long x] the name stands before its type, and `*` before what it points to (write `x: unsigned long`)
            1:19 [u8 *x] the name stands before its type, and `*` before what it points to (write `x: *u8`)
            1:24 [[] this `[` is not closed
            1:26 [;] expected `string`, found `;`
            1:28 [;] expected a name, found `;`
            1:17 [{] this `{` is not closed
            1:17 [a] expected `{`, found `a`
            1:11 [protos] expected a part, found `protos` (did you mean `proto`?)
            1:11 [foo] expected a part, found `foo` (a part begins with one of `proto`, `entry`, `assign`, `print`)
            1:18 [x] expected C between backticks, found `x`
            1:17 [;] expected C between backticks, found `;`
            1:17 [x] expected a string, found `x`
            1:17 [r"x"] expected a string, found `r"x"`
            1:18 [{] this placeholder is not closed (write `{{` for a brace)
            1:18 [{] this placeholder is not closed (write `{{` for a brace)
            1:20 [(] this `(` is not closed
            1:19 [}] expected a value, found `}`
            1:21 [b] expected an operator or `}`, found `b`
            1:20 [:] a format is missing behind this `:`
            1:19 [}] this `}` does not close a placeholder (write `}}` for a brace)
            1:19 [\q] `\q` is not an escape: no escape has this letter (escapes are `\n`, `\r`, `\t`, `\0`, `\\`, `\"`, `\xNN` and `\u{..}`; a raw string, r"..", has none)
            1:24 [\"x\"] strings stand between `"`, not `\` (write it between `"`)
            1:24 [}] expected `:`, found `}`
            1:18 [{] this placeholder is not closed (write `{{` for a brace)
            1:20 [}] this `}` does not close a placeholder (write `}}` for a brace)
            1:17 ["x] this string is not closed on its line
            1:21 ["y"] expected `;`, found `"y"`
            1:6 [;] expected the name of an event, found `;`
            1:8 [;] expected `:`, `at`, `with`, `if` or `{`, found `;`
            1:8 [] expected `:`, `at`, `with`, `if` or `{`, found `subsystem`
            1:7 [{] expected the name of an event, found `{`
            1:10 [;] expected a name, found `;`
            1:11 [] a `;` is missing here
            1:14 [;] expected a condition, found `;`
            1:17 [?] `?` and `:` choose a value only in print templates and in the values of entry fields (say it with connectors, as in `(c && a) || (!c && b)`)
            1:17 [a] expected `(`, found `a`
            1:19 [)] expected `,`, found `)`
            1:14 [proto] `proto` stands in the class: an event of a class may only have its own `print`
            1:24 [print] `print` is repeated
            1:20 [b] `if` is repeated
            1:12 [d] expected `with`, `if`, `{` or `;`, found `d`
            1:9 [c] expected `:`, `at`, `with`, `if` or `{`, found `c`
        "#]],
    );
}

#[test]
fn probes() {
    check(
        &[
            "event e at;",
            "event e at kprobe;",
            "event e at kprobe { a; }",
            "event e at kprobe f(a);",
            "event e at kprobe f(int a);",
            "event e at kprobe f -> int;",
            "event e at kprobe f -> (int);",
            "event e at kprobe f+;",
            "event e at kprobe f-8;",
            "event e at kprobe f+x;",
            "event e at kprobe a:b:c;",
            "event e at kprobe f { a = b + 1; c; }",
            "event e at kprobe f { a = ; c; }",
            "event e at kprobe f { a = %di u64; c; }",
            "event e at kprobe f { a = %di: ; c; }",
            "event e at kprobe f { a = %di: u64\nc; }",
            "event e at kprobe f { a = %di\nc; }",
            "event e at kprobe f { a: u8 = %di; c; }",
            "event e at kprobe f { char *a; c; }",
            "event e at kprobe f { a b; c }",
            "event e at kprobe f { 5; c }",
            "event e at uprobe \"/bin/x\";",
            "event e at uprobe \"/bin/x\":;",
            "event e at uprobe /bin/x:main;",
            "event e at kprobe f { a; ",
        ],
        expect![[r#"
            1:11 [;] expected a name, found `;`
            1:18 [;] expected a name, found `;`
            1:19 [{] expected a name, found `{`
            1:22 [)] expected `:`, found `)`
            1:21 [int a] the name stands before its type, and `*` before what it points to (write `a: int`)
            1:24 [int] expected `(`, found `int`
            1:28 [)] expected `:`, found `)`
            1:21 [;] expected a number, found `;`
            1:20 [-] expected `:`, `->`, `(`, `{` or `;`, found `-`
            1:21 [x] expected a number, found `x`
            1:22 [:] expected `->`, `(`, `{` or `;`, found `:`
            1:27 [b] expected an argument, a member behind one, or a fetch argument of the kernel, found `b`
            1:27 [;] expected an argument, a member behind one, or a fetch argument of the kernel, found `;`
            1:31 [u64] expected `:` or `;`, found `u64`
            1:32 [;] expected a type, found `;`
            1:35 [] a `;` is missing here
            1:30 [] a `;` is missing here
            1:29 [=] expected `;`, found `=`
            1:23 [char *a] the name stands before its type, and `*` before what it points to (write `a: *char`)
            1:25 [b] expected `:`, `=` or `;`, found `b`
            1:23 [5] expected a name or `}`, found `5`
            1:27 [;] expected `:`, found `;`
            1:28 [;] expected a symbol or an address, found `;`
            1:19 [/] expected a name, found `/`
            1:21 [{] this `{` is not closed
        "#]],
    );
}

#[test]
fn clauses() {
    check_clauses(
        &[
            "scope;",
            "scope 5;",
            "scope process;",
            "scope process 1 thread 2;",
            "scope comm 5;",
            "scope cpus 0..3;",
            "scope cpus CPUS{0-3};",
            "scope process 1 and;",
            "scope process 1 and kids;",
            "scope process 1",
            "instance 5;",
            "global;",
            "global { clock mono }",
            "global foo { clock mono; }",
            "global discard { clock mono; }",
            "stream x;",
            "ring 10s;",
            "ring last;",
            "stop x;",
            "stop on;",
            "stop on a:b c;",
            "stop on a:b count;",
            "stop on;",
            "stop with;",
            "stop with process;",
            "start;",
            "start now;",
            "marker;",
            "marker 5;",
            "include;",
            "include a(;",
            "include a(b);",
            "include a(b: 3);",
            "include a(b = 3 c = 4);",
            "include \"a\";",
            "when { clock mono; }",
            "when has { clock mono; }",
            "when has event { clock mono; }",
            "when has event a:b clock mono;",
            "when event a:b { clock mono; }",
            "when has field a:b { clock mono; }",
            "when has option x { clock mono; } else clock mono;",
            "when has option x { clock mono; } else if has option y { clock mono; }",
            "when has option x { clock mono; } elze { clock mono; }",
            "else { clock mono; }",
            "lint allow;",
            "trace a:b having;",
            "trace a:b having f g;",
            "trace a:b if x having f if y;",
            "trace a:b having f having g;",
            "trace a:b if x having f except;",
            "trace a:b { trigger enable_event a:; }",
            "trace a:b { trigger enable_event a:b c; }",
            "trace a:b { filter in kernel; }",
            "trace a:b { filter in kernel x }",
            "trace a:b { lint; }",
            "trace a:b if x in { filter y; }",
            "trace a:b if x in {1 2};",
            "trace a:b if x in 1;",
            "trace a:b if x in {1, ;",
            "trace a:b if x in {1} in {2};",
            "trace a:b if x in {1} == y;",
            "trace a:b if x ? y : z;",
            "trace a:b if 10.0.0.300 == x;",
            "streem;",
            "scoop process 1;",
            "makrer \"x\";",
            "const A = 3;",
            "proto (a: u8);",
        ],
        expect![[r#"
            1:18 [;] expected `process`, `thread`, `command`, `comm`, `cgroup`, `cpus` or `including`, found `;`
            1:19 [5] expected `process`, `thread`, `command`, `comm`, `cgroup`, `cpus` or `including`, found `5`
            1:26 [;] expected a value, found `;`
            1:29 [thread] expected an operator, `and children`, `,` or `;`, found `thread`
            1:24 [5] expected a string, found `5`
            1:25 [..] expected `and children`, `,` or `;`, found `..`
            1:24 [CPUS{0-3}] expected a number, found `CPUS{0-3}`
            1:32 [;] expected `children`, found `;`
            1:33 [kids] expected `children`, found `kids`
            1:28 [] a `;` is missing here
            1:22 [5] expected a string or `;`, found `5`
            1:19 [;] expected `discarding` or `{`, found `;`
            1:32 [] a `;` is missing here
            1:20 [foo] expected `discarding` or `{`, found `foo`
            1:20 [discard] expected `discarding` or `{`, found `discard`
            1:20 [x] expected `;`, found `x`
            1:18 [10s] `10s` cannot be used here
            1:22 [;] expected a duration, found `;`
            1:18 [x] expected `after`, `on` or `with`, found `x`
            1:20 [;] expected an event, found `;`
            1:25 [c] expected `except`, `count`, `once`, `if` or `;`, found `c`
            1:30 [;] expected a number, found `;`
            1:20 [;] expected an event, found `;`
            1:22 [;] expected `process` or `command`, found `;`
            1:30 [;] expected a value, found `;`
            1:18 [;] expected `paused`, found `;`
            1:19 [now] expected `paused`, found `now`
            1:19 [;] expected a string, found `;`
            1:20 [5] expected a string, found `5`
            1:20 [;] expected a name, found `;`
            1:22 [(] this `(` is not closed
            1:24 [)] expected `=`, found `)`
            1:24 [:] expected `=`, found `:`
            1:29 [c] expected an operator, `,` or `)`, found `c`
            1:21 ["a"] expected a name, found `"a"`
            1:18 [{] expected `has`, found `{`
            1:22 [{] expected a name, found `{`
            1:28 [{] expected an event, found `{`
            1:31 [] expected `{`, found `clock`
            1:18 [event] expected `has`, found `event`
            1:32 [{] expected `.`, found `{`
            1:52 [clock] expected `when` or `{`, found `clock`
            1:52 [if] `if` is written `when`
            1:47 [elze] expected a clause, found `elze` (a clause begins with one of `trace`, `on`, `buffer`, `queue`, `subbuffer`, `cmdlines`, `rotate`, `clock`, `recorder`, `option`, `scope`, `instance`, `global`, `stream`, `ring`, `keep`, `dump`, `stop`, `start`, `marker`, `output`, `include`, `when`, `lint`)
            1:13 [else] expected a clause, found `else` (a clause begins with one of `trace`, `on`, `buffer`, `queue`, `subbuffer`, `cmdlines`, `rotate`, `clock`, `recorder`, `option`, `scope`, `instance`, `global`, `stream`, `ring`, `keep`, `dump`, `stop`, `start`, `marker`, `output`, `include`, `when`, `lint`)
            1:23 [;] expected a name, found `;`
            1:29 [;] expected a name, found `;`
            1:32 [g] expected `except`, `having`, `if`, `,`, `{` or `;`, found `g`
            1:40 [y] `if` is repeated
            1:32 [having g] `having` is repeated
            1:43 [;] expected an event, found `;`
            1:48 [;] expected the name of an event or `*`, found `;`
            1:50 [c] expected `count`, `once`, `if` or `;`, found `c`
            1:41 [;] expected a value, found `;`
            1:43 [] a `;` is missing here
            1:29 [;] expected `allow`, `warn` or `deny`, found `;`
            1:31 [{] expected a set such as `{1, 2}`, found `{`
            1:34 [2] expected an operator, `,` or `}`, found `2`
            1:31 [1] `1` cannot be used here
            1:31 [{] this `{` is not closed
            1:35 [in] comparisons cannot be chained (join two comparisons: `a < b && b < c`)
            1:35 [==] comparisons cannot be chained (join two comparisons: `a < b && b < c`)
            1:28 [?] `?` and `:` choose a value only in print templates and in the values of entry fields (say it with connectors, as in `(c && a) || (!c && b)`)
            1:33 [300] this is not an address: its numbers go from 0 to 255
            1:13 [streem] expected a clause, found `streem` (did you mean `stream`?)
            1:13 [scoop] expected a clause, found `scoop` (did you mean `scope`?)
            1:13 [makrer] expected a clause, found `makrer` (did you mean `marker`?)
            1:13 [const] `const` does not stand here, but at the top of a file
            1:13 [proto] `proto` does not stand here, but in a `class` or an `event`
        "#]],
    );
}

#[test]
fn sessions_with_parameters() {
    check(
        &[
            "session s(min: duration = ) { }",
            "session s(min: duration max: duration) { }",
            "session s(u32 min) { }",
            "session s(min: duration { clock mono; }",
            "session s(5) { }",
            "session s(a: u8 = 1 ? 2 : 3) { }",
            "session s(a, b c) { }",
            "session s(a, u8 b = 3) { }",
            "session s( { }",
        ],
        expect![[r#"
            1:27 [)] expected a value, found `)`
            1:25 [max] expected `=`, `,` or `)`, found `max`
            1:11 [u32 min] the name stands before its type, and `*` before what it points to (write `min: u32`)
            1:10 [(] this `(` is not closed
            1:11 [5] expected a name, found `5`
            1:21 [?] `?` and `:` choose a value only in print templates and in the values of entry fields (say it with connectors, as in `(c && a) || (!c && b)`)
            1:16 [c] expected `:`, `=`, `,` or `)`, found `c`
            1:14 [u8 b] the name stands before its type, and `*` before what it points to (write `b: u8`)
            1:10 [(] this `(` is not closed
        "#]],
    );
}

#[test]
fn blocks_nest_to_a_limit() {
    let limit = MAX_DEPTH as usize;
    let nested = |word: &str, times: usize| {
        format!("session s {{ {}{} }}", format!("{word} {{ ").repeat(times), "}".repeat(times))
    };
    let chain = |times: usize| {
        format!("session s {{ {}{{}} clock mono; }}", "when has option x { clock mono; } else ".repeat(times))
    };
    for text in [nested("global", limit), nested("when has option x", limit), chain(limit)] {
        assert_eq!(kinds(&parse(&text)), Vec::<&SyntaxErrorKind>::new());
    }
    for times in [limit + 1, 10_000] {
        for text in [nested("global", times), nested("when has option x", times), chain(times)] {
            let parsed = parse(&text);
            assert_eq!(kinds(&parsed), [&SyntaxErrorKind::BlocksTooDeep]);
        }
    }
    assert!(show(&parse(&chain(10_000))).ends_with("\n  clock mono\n"));
}

#[test]
fn ten_mistakes_are_ten_errors() {
    let text = r#"enum Status: u8 { Ok = 0 "OK"
    Err = 1; Bad = , }
class request {
    proto (struct request *rq, bytes u32)
    entry {
        dev: dev_t = disk_devt(;
        bytes: u32
        status: Status;
    }
    print "dev={dev:} {bytes b} {status"
}
event e: request if x ? y : z;
session s { scope proces 5; }
"#;
    let parsed = parse(text);
    assert_eq!(parsed.errors.len(), 12, "{}", show_errors(text, &parsed));
}
