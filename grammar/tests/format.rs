//! Examples of formatting. The laws for every text are in `format_laws.rs`.

use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::{MAX_DEPTH, MAX_SOURCE, format, parse};

/// Returns the formatted text; formatting it again must change nothing.
fn formatted(text: &str) -> String {
    let formatted = format(text).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"));
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatted again");
    formatted
}

fn assert_format(text: &str, expected: &str) {
    let formatted = formatted(text);
    assert!(formatted == expected, "{text}\nbecomes\n{formatted}\nand not\n{expected}");
}

/// Checks clauses of a session, each given without its indentation.
fn assert_clauses(text: &str, expected: &str) {
    let indent = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    let body: String = expected.lines().map(indent).collect();
    assert_format(&format!("session s {{\n{text}\n}}"), &format!("session s {{\n{body}}}\n"));
}

/// Checks a condition, with the parentheses that it keeps.
fn assert_condition(text: &str, expected: &str) {
    assert_clauses(&format!("trace a:b if {text};"), &format!("trace a:b if {expected};"));
}

#[test]
fn each_clause_has_its_own_line() {
    assert_format(
        "session a{clock mono;buffer   4MiB\nper cpu;option sym-offset off;}session b{trace a:b;trace c:*;}",
        "session a {\n    clock mono;\n    buffer 4MiB per cpu;\n    option sym-offset off;\n}\n\
         session b {\n    trace a:b;\n    trace c:*;\n}\n",
    );
}

#[test]
fn empty_lines_between_rows_stay_as_one() {
    assert_format(
        "\n\n\nsession a {\n\n\n  clock mono;\n\n \t\n\n  // c\n\n\n  trace a:b;\n\n}\n\n\n\nsession b {}\n\n\n",
        "session a {\n    clock mono;\n\n    // c\n\n    trace a:b;\n}\n\nsession b {}\n",
    );
}

#[test]
fn block_with_one_row_that_fits_stays_on_one_line() {
    assert_format("session a{trace a:b;}", "session a { trace a:b; }\n");
    assert_format("session a\n{ trace a:b; }", "session a { trace a:b; }\n");
    assert_format("session a {\ntrace a:b; }", "session a {\n    trace a:b;\n}\n");
    assert_format("session a { trace a:b; /* c */ }", "session a {\n    trace a:b; /* c */\n}\n");
    assert_format("session a { on a:b { trigger x; } }", "session a {\n    on a:b { trigger x; }\n}\n");
    assert_clauses("on a:b { trigger x; trigger y; }", "on a:b {\n    trigger x;\n    trigger y;\n}");
    let name = "a".repeat(80);
    assert_clauses(
        &format!("on a:{name} {{ trigger stacktrace; }}"),
        &format!("on a:{name} {{\n    trigger stacktrace;\n}}"),
    );
}

#[test]
fn long_conditions_break_before_their_operators() {
    assert_clauses(
        "trace a:b if first_field == 1 && second_field == 2 && (third_field == 3 || fourth_field == 4 && fifth == 5);",
        "trace a:b if first_field == 1\n    && second_field == 2\n    \
         && (third_field == 3 || fourth_field == 4 && fifth == 5);",
    );
    let long = "a_field_with_quite_a_long_name == 12345678";
    assert_clauses(
        &format!("on a:b if {long} || {long} && {long} && {long} {{ trigger x; }}"),
        &format!(
            "on a:b if {long}\n        || {long}\n            && {long}\n            && {long} {{ trigger x; }}"
        ),
    );
    assert_clauses(
        &format!("trace a:b if x && ({long} || {long} || {long});"),
        &format!("trace a:b if x\n    && ({long}\n        || {long}\n        || {long});"),
    );
    let pattern = "p".repeat(80);
    assert_clauses(
        &format!("trace system:name if comm ~ \"{pattern}\" && x;"),
        &format!("trace system:name\n    if comm ~ \"{pattern}\"\n    && x;"),
    );
}

#[test]
fn long_sets_have_a_member_a_line() {
    let path = "a_long_system:a_long_name_of_an_event";
    assert_clauses(&format!("trace {{{path},{path},}};"), &format!("trace {{{path}, {path}}};"));
    assert_clauses(
        &format!("trace {{{path},{path},{path}}} except {{b:*}} if x;"),
        &format!("trace {{\n    {path},\n    {path},\n    {path},\n}} except {{b:*}} if x;"),
    );
}

#[test]
fn superfluous_parentheses_are_removed() {
    for (text, expected) in [
        ("(x == 1)", "x == 1"),
        ("((((x))))", "x"),
        ("((a || b)) && c", "(a || b) && c"),
        ("(a && b) || c", "(a && b) || c"),
        ("(a && b) && c", "(a && b) && c"),
        ("a && (b && c)", "a && (b && c)"),
        ("(a == 1) && (b != 2) || (c)", "a == 1 && b != 2 || c"),
        ("(x) == (-1)", "x == -1"),
        ("-(5) == (\"s\")", "-5 == \"s\""),
        ("(flags & 4) == 4", "(flags & 4) == 4"),
        ("flags & 4 == 4", "flags & 4 == 4"),
        ("(flags) & (4) == (a::B)", "flags & 4 == a::B"),
        ("!(a == 1)", "!(a == 1)"),
        ("!(a)", "!a"),
        ("(!a) && (!(!b))", "!a && !(!b)"),
        ("-(-x) == 1", "-(-x) == 1"),
        ("- -x == 1", "- -x == 1"),
        ("(current).comm == (current.pid)", "current.comm == current.pid"),
        ("(current.comm) == \"x\"", "current.comm == \"x\""),
        ("(64KiB).y == 1", "(64KiB).y == 1"),
    ] {
        assert_condition(text, expected);
    }
}

#[test]
fn literals_stay_as_they_are_written() {
    for text in [
        "0x2A",
        "0b10_10",
        "0o17",
        "1_000",
        "64KiB",
        "10ms",
        "\"a\\u{e4}\\\"\"",
        "r\"\\d\"",
        "r#\"a\"b)\"#",
        "0o007",
    ] {
        assert_condition(&format!("x == {text}"), &format!("x == {text}"));
        assert_condition(
            &format!("x == (/* ( */ {text} /* ) */ )"),
            &format!("x == (/* ( */ {text} /* ) */)"),
        );
    }
}

#[test]
fn comments_stay_at_their_place() {
    assert_format(
        "// a\n\n\n/* b */ // c\nsession s { // d\n// e\nclock mono; // f\n/* g */ trace a:b; /* h */ // i\n\n// j\n} // k\n// l",
        "// a\n\n/* b */ // c\nsession s { // d\n    // e\n    clock mono; // f\n    /* g */ trace a:b; /* h */ // i\n\n    \
         // j\n} // k\n// l\n",
    );
    assert_format("session s {// c\n}", "session s { // c\n}\n");
    assert_format("session s {/* c */}", "session s {\n    /* c */\n}\n");
    assert_format("/* only */", "/* only */\n");
    assert_format("  // only\n\n\n", "// only\n");
}

#[test]
fn comments_inside_a_clause() {
    assert_clauses("stop after /* c */ 10s;", "stop after /* c */ 10s;");
    assert_clauses("stop/**/after 10s /* c */ ;", "stop /**/ after 10s /* c */;");
    assert_clauses("stop after 10s // c\n;", "stop after 10s; // c");
    assert_clauses("stop after 10s\n// c\n;clock mono;", "stop after 10s;\n// c\nclock mono;");
    assert_clauses("trace a:b // c\nif x;", "trace a:b // c\n    if x;");
    assert_clauses(
        "trace a:b if x // c\n&& y // d\n// e\n&& z;",
        "trace a:b if x // c\n    && y // d\n    // e\n    && z;",
    );
    assert_clauses("on a:b if x // c\n{ trigger y; }", "on a:b if x { // c\n    trigger y;\n}");
    assert_clauses("trace {a:b /* c */, /* d */ c:d /* e */};", "trace {a:b /* c */, /* d */ c:d /* e */};");
    assert_clauses(
        "trace {a:b, // c\nc:d // d\n, // e\n// f\n};",
        "trace {\n    a:b, // c\n    c:d, // d\n    // e\n    // f\n};",
    );
    assert_clauses("trace a:b if ( ( /* c */ (x) ) /* d */ );", "trace a:b if ((/* c */ x) /* d */);");
    assert_format("session s { /* a\n  b */ clock mono; }", "session s {\n    /* a\n  b */ clock mono;\n}\n");
}

#[test]
fn doc_comments_stand_above_what_they_describe() {
    assert_format(
        "//!a\n//!  b  \n\n// c\n//! d\n/// e\n\n///f\nsession s {/// g\nclock mono; /// h\n// i\n/// j\ntrace a:b;}",
        "//!a\n//!  b\n\n// c\n//! d\n/// e\n\n///f\nsession s {\n    /// g\n    clock mono;\n    /// h\n    // i\n    \
         /// j\n    trace a:b;\n}\n",
    );
    assert_format("//! a\n\n", "//! a\n");
}

#[test]
fn line_ends_are_those_of_most_lines() {
    assert_format(
        "session a {\r\nclock mono;\r\n/* x\r\n y */\n}",
        "session a {\r\n    clock mono;\r\n    /* x\r\n y */\r\n}\r\n",
    );
    assert_format("session a {\r\nclock mono;\n\n}\n", "session a {\n    clock mono;\n}\n");
    assert_format("", "");
    assert_format(" \n\t\r\n", "");
    assert_format("session a {}", "session a {}\n");
}

#[test]
fn a_byte_order_mark_stays() {
    assert_format("\u{feff}  session a{}", "\u{feff}session a {}\n");
    assert_format("\u{feff}", "\u{feff}");
}

#[test]
fn texts_with_mistakes_are_refused_with_all_of_them() {
    let text = "session a { clock ; buffer ; }";
    let errors = format(text).expect_err("mistakes");
    assert_eq!(errors, parse(text).errors);
    assert_eq!(errors.len(), 2);
    assert!(matches!(errors[0].kind, SyntaxErrorKind::Unexpected { .. }));
}

// Clauses and declarations

#[test]
fn settings() {
    assert_clauses(
        "scope process 123,thread 7 , command,comm \"x*\",cgroup \"a/b\",cpus 0 - 3 and children;instance;\
         instance \"n\";ring;ring last 10s;stream;start paused;marker \"m\";output r\"f.dat\";\
         stop on {a:b} if (x) count 0x3;stop on a:b once;stop on signal SIGUSR1;stop with command;stop with process 12;\
         include other( min=5ms , );include c :: base();lint allow a-b,c;option sym-offset on;clock x86-tsc;",
        "scope process 123, thread 7, command, comm \"x*\", cgroup \"a/b\", cpus 0-3 and children;\ninstance;\n\
         instance \"n\";\nring;\nring last 10s;\nstream;\nstart paused;\nmarker \"m\";\noutput r\"f.dat\";\n\
         stop on {a:b} if x count 0x3;\nstop on a:b once;\nstop on signal SIGUSR1;\nstop with command;\n\
         stop with process 12;\ninclude other(min = 5ms);\ninclude c::base;\nlint allow a-b, c;\n\
         option sym-offset on;\nclock x86-tsc;",
    );
    let name = "a".repeat(50);
    assert_clauses(
        &format!("lint allow {name},{name};\ninclude s({name} = 1, b = {name});"),
        &format!("lint allow {name},\n    {name};\ninclude s(\n    {name} = 1,\n    b = {name},\n);"),
    );
}

#[test]
fn heads_of_clauses() {
    assert_clauses(
        "trace a:b having f,g if x in {1,2,5..=9,} && y as u32==4{filter in kernel z;\n\
         trigger enable_event c:d count 3 if w;lint deny l;}",
        "trace a:b having f, g if x in {1, 2, 5..=9} && y as u32 == 4 {\n    filter in kernel z;\n    \
         trigger enable_event c:d count 3 if w;\n    lint deny l;\n}",
    );
    assert_clauses(
        "trace a:b if x~{\"a*\",\"b\",}||y as m::T!~{p};marker  m :: f;scope comm f,cgroup m::g;",
        "trace a:b if x ~ {\"a*\", \"b\"} || y as m::T !~ {p};\nmarker m::f;\nscope comm f, cgroup m::g;",
    );
    let members = ["1000000000"; 10];
    assert_clauses(
        &format!("trace a:b if value in {{{}}};", members.join(",")),
        &format!(
            "trace a:b if value in {{\n    {},\n    {},\n}};",
            members[..7].join(", "),
            members[7..].join(", ")
        ),
    );
    let name = "n".repeat(60);
    assert_clauses(
        &format!("trace a:{name} having {name} if x {{ trigger y; }}"),
        &format!("trace a:{name}\n        having {name} if x {{ trigger y; }}"),
    );
    assert_clauses(
        "trace a:* if x==1 except{b:c,d:e}having f,g except h:i;",
        "trace a:* if x == 1 except {b:c, d:e} having f, g except h:i;",
    );
}

#[test]
fn short_values_of_a_long_set_fill_lines() {
    let numbers: Vec<String> = (101..=140).map(|number| number.to_string()).collect();
    let filled = |values: &[String]| format!("{},", values.join(", "));
    assert_clauses(
        &format!("trace a:b if value in {{{}}};", numbers.join(",")),
        &format!(
            "trace a:b if value in {{\n    {}\n    {}\n    {}\n}};",
            filled(&numbers[..18]),
            filled(&numbers[18..36]),
            filled(&numbers[36..])
        ),
    );
    assert_clauses(
        &format!("trace a:b if x && value in {{{}, (1) ..= 2, -3, errno::EIO}};", numbers[..19].join(",")),
        &format!(
            "trace a:b if x\n    && value in {{\n        {}\n        {} 1..=2, -3, errno::EIO,\n    }};",
            filled(&numbers[..17]),
            filled(&numbers[17..19])
        ),
    );
    let patterns: Vec<String> = (101..=112).map(|number| format!("\"worker{number}*\"")).collect();
    assert_clauses(
        &format!("trace a:b if name ~ {{{}}};", patterns.join(",")),
        &format!(
            "trace a:b if name ~ {{\n    {}\n    {}\n}};",
            filled(&patterns[..6]),
            filled(&patterns[6..])
        ),
    );
}

#[test]
fn long_or_commented_values_of_a_set_have_lines_of_their_own() {
    let long = format!("\"{}\"", "n".repeat(30));
    let values = [["1"; 30].join(",\n    "), long].join(",\n    ");
    let text = format!("trace a:b if value in {{\n    {values},\n}};");
    assert_clauses(&text, &text);
    let values = ["1"; 40].join(",\n    ");
    for comment in [" // c", " /* c */"] {
        let text = format!("trace a:b if value in {{\n    2,{comment}\n    {values},\n}};");
        assert_clauses(&text, &text);
        let text = format!("trace a:b if value in {{\n    {values},{comment}\n}};");
        assert_clauses(&text, &text);
    }
}

#[test]
fn nested_blocks() {
    assert_clauses("global{clock mono;}", "global { clock mono; }");
    assert_clauses(
        "global discarding{clock mono;buffer 1MiB;}",
        "global discarding {\n    clock mono;\n    buffer 1MiB;\n}",
    );
    assert_clauses("when has event a : b{trace a:b;}", "when has event a:b { trace a:b; }");
    assert_clauses(
        "when has field a:b . f{trace a:b;}else when has option func-args{}else{when has clock tai{clock tai;}}",
        "when has field a:b.f {\n    trace a:b;\n} else when has option func-args {} else {\n    \
         when has clock tai { clock tai; }\n}",
    );
}

#[test]
fn small_declarations() {
    assert_format(
        "use std :: errno;use \"common.trc\"as c;const BIG:u64=(64KiB);const N=1<<2;subsystem s;include <linux/fs.h>;\
         include\"driver.h\";lint warn a-b;session p(min:duration=10ms,dev:dev_t,n=1,){}session q(){}",
        "use std::errno;\nuse \"common.trc\" as c;\nconst BIG: u64 = 64KiB;\nconst N = 1 << 2;\nsubsystem s;\n\
         include <linux/fs.h>;\ninclude \"driver.h\";\nlint warn a-b;\n\
         session p(min: duration = 10ms, dev: dev_t, n = 1) {}\nsession q {}\n",
    );
}

#[test]
fn neighbouring_values_are_aligned() {
    assert_format(
        "enum E:u8{Ok=0 \"OK\",Err=1,}flags F { READ = 1, // r\nWRITE,\nSYNC = 1<<2 \"S\",\n\nLAST=8,/// d\nX=16}",
        "enum E: u8 { Ok = 0 \"OK\", Err = 1 }\nflags F {\n    READ = 1, // r\n    WRITE,\n    SYNC = 1 << 2 \"S\",\n\n    \
         LAST = 8,\n    /// d\n    X = 16,\n}\n",
    );
    assert_format(
        "enum E {\nA = 1,\n/* c */ Long = 2,\nLonger = 3 }",
        "enum E {\n    A = 1,\n    /* c */ Long   = 2,\n    Longer = 3,\n}\n",
    );
}

#[test]
fn definitions_of_events() {
    assert_format(
        "class r{print \"a {x:#x} {y ? \"b\" : \"c\"}\";proto(rq:*struct request,n:u32,)entry{dev:dev_t=f(rq->q);\n\
         comm:char [ 16 ]=current->comm;\nt:u8[]=(rq->t,(rq->n));}assign`a = 1;\r\n  b`;}\
         event a:r;event b:r{print \"x\"}event c:r if(n>1);event d:r if ((n)) with(reg,unreg){print \"y\";}\
         event e{proto()}",
        "class r {\n    print \"a {x:#x} {y ? \"b\" : \"c\"}\"\n    proto (rq: *struct request, n: u32)\n    entry {\n        \
         dev:  dev_t    = f(rq->q);\n        comm: char[16] = current->comm;\n        t:    u8[]     = (rq->t, rq->n);\n    }\n    \
         assign `a = 1;\r\n  b`\n}\nevent a: r;\nevent b: r { print \"x\" }\nevent c: r if (n > 1);\n\
         event d: r if (n) with (reg, unreg) { print \"y\" }\nevent e { proto () }\n",
    );
    assert_format(
        "event f:r with(reg,unreg)if(n);event g if(n>1){proto(n:u8)}event h with(reg,unreg)if n in{1}{proto(n:u8)}",
        "event f: r with (reg, unreg) if (n);\nevent g if (n > 1) { proto (n: u8) }\n\
         event h with (reg, unreg) if n in {1} { proto (n: u8) }\n",
    );
    let name = "n".repeat(40);
    assert_format(
        &format!(
            "class r {{ entry {{ a: u32 = {name}({name}, {name});\nb: u32 = {name} + {name} * {name}; }} }}"
        ),
        &format!(
            "class r {{\n    entry {{\n        a: u32 = {name}(\n            {name},\n            {name},\n        );\n        \
             b: u32 = {name}\n            + {name} * {name};\n    }}\n}}\n"
        ),
    );
}

#[test]
fn values_of_neighbouring_fields_are_aligned() {
    assert_format(
        "class r { entry { dev:dev_t=d; // c\nbytes:u32;status: *struct very_long;\nname:string=(n);\n\nop:Op=o; \
         tags:u8 [ /* c */ ]=(t,n);\n\nlast:u64=l;\n/// d\nx: char[TASK_COMM_LEN]=c;y:u8=1; } }",
        "class r {\n    entry {\n        dev:    dev_t  = d; // c\n        bytes:  u32;\n        \
         status: *struct very_long;\n        name:   string = n;\n\n        op:   Op           = o;\n        \
         tags: u8[ /* c */] = (t, n);\n\n        last: u64 = l;\n        /// d\n        \
         x: char[TASK_COMM_LEN] = c;\n        y: u8                  = 1;\n    }\n}\n",
    );
    assert_format(
        "class r { entry { a: u8 // c\n= 1;\nlong: u8 = 2; } }",
        "class r {\n    entry {\n        a:    u8 // c\n        = 1;\n        long: u8 = 2;\n    }\n}\n",
    );
    assert_format(
        "class r { entry { a: u8 = 1; b: string = c; } }",
        "class r {\n    entry { a: u8 = 1; b: string = c; }\n}\n",
    );
}

#[test]
fn probes() {
    assert_format(
        "event a at kprobe f ( x : s32 , p : * user char ){p:user string;}event b at kretprobe ext4 : g + 16->(ret:int);\
         event c at uprobe \"/bin/x\" : sym+8;event d at uprobe \"/bin/x\":0x1234;event e at usdt \"/bin/x\":p:q;\
         event g at event a : b{f;}event h at kprobe f{a=%di:u64;b = +4($stack) : s32;@jiffies:u64;print\"a={a}\";}\
         event i at kprobe f{/// d\na= %ax;\nb}",
        "event a at kprobe f(x: s32, p: *user char) { p: user string }\nevent b at kretprobe ext4:g+16 -> (ret: int);\n\
         event c at uprobe \"/bin/x\":sym+8;\nevent d at uprobe \"/bin/x\":0x1234;\nevent e at usdt \"/bin/x\":p:q;\n\
         event g at event a:b { f }\nevent h at kprobe f { a = %di: u64; b = +4($stack): s32; @jiffies: u64; \
         print \"a={a}\" }\nevent i at kprobe f {\n    /// d\n    a = %ax;\n    b;\n}\n",
    );
}

#[test]
fn lengths_of_arrays_are_not_broken() {
    let length = ["LENGTH"; 20].join(" + ");
    let text = format!("event a at kprobe f {{\n    x: u8[{length}];\n}}\n");
    assert_format(&text, &text);
}

#[test]
fn operators_of_c_keep_their_blanks() {
    for text in [
        "a - -b",
        "- -a",
        "& &a",
        "**a",
        "&*a",
        "a & &b",
        "a * *b",
        "a->b.c[d](e, f)",
        "!!a",
        "a / *b",
        "(a + b) * c",
        "a << 2 | b",
        "(a << 2) + 1",
        "(a as u32) + 1",
        "a as u32 + 1",
        "(*a).b",
        "x::Y",
        "(a ? b : c) + 1",
        "a ? b : c ? d : e",
        "10.0.0.0/8",
        "CPUS{0-3,8}",
        "fe80::/10",
    ] {
        let entry = |value: &str| format!("class r {{ entry {{ f: u8 = {value}; }} }}");
        assert_eq!(formatted(&entry(text)), format!("class r {{\n    entry {{ f: u8 = {text}; }}\n}}\n"));
    }
}

// Limits

/// Formats on a stack of 1 MiB, half of a thread's.
fn on_a_small_stack(text: String) -> String {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || formatted(&text));
    thread.expect("a thread can be started").join().expect("the formatter does not panic")
}

#[test]
fn expression_of_the_maximum_depth_is_accepted() {
    let limit = MAX_DEPTH as usize;
    let nested =
        |open: &str, close: &str, times: usize| format!("{}x{}", open.repeat(times), close.repeat(times));
    for condition in [
        nested("(", ")", limit),
        nested("!", "", limit - 1),
        nested("- ", "", limit - 1),
        nested("", ".y", limit - 1),
        nested("", " & y", limit - 1),
        nested("!(", ")", limit / 2),
        nested("(a || b && ", ")", limit / 2 - 1),
    ] {
        let formatted = on_a_small_stack(format!("session s {{ trace a:b if {condition}; }}"));
        assert!(formatted.contains('x'), "{formatted}");
    }
}

#[test]
fn the_deepest_blocks_and_the_longest_chain_of_alternatives() {
    let nested =
        |open: &str, times: usize| format!("session s {{{}{}}}", open.repeat(times), "}".repeat(times));
    for open in ["global {", "when has clock x { trace a:b; } else {"] {
        // The depth is the parser's limit, whatever its value.
        let deepest =
            (1..=MAX_DEPTH as usize + 1).rev().find(|times| parse(&nested(open, *times)).errors.is_empty());
        let deepest = deepest.expect("some depth is accepted");
        assert!(on_a_small_stack(nested(open, deepest)).lines().count() >= deepest, "{open}");
    }
    let chain = vec!["when has clock x { trace a:b; }"; 10_000].join("else ");
    let text = format!("session s {{{chain}}}");
    match parse(&text).errors.as_slice() {
        [] => assert_eq!(on_a_small_stack(text).lines().count(), 20_003),
        errors => assert!(matches!(errors[0].kind, SyntaxErrorKind::BlocksTooDeep), "{errors:?}"),
    }
}

#[test]
fn long_conditions_and_sets_are_flat() {
    for sign in [" && ", " || "] {
        let condition = vec!["x"; 10_000].join(sign);
        let formatted = on_a_small_stack(format!("session s {{ trace a:b if {condition}; }}"));
        assert_eq!(formatted.lines().count(), 10_002);
    }
    let set = vec!["a:b"; 10_000].join(",");
    assert_eq!(on_a_small_stack(format!("session s {{ trace {{{set}}}; }}")).lines().count(), 10_004);
}

#[test]
fn a_text_that_would_become_too_long_is_refused() {
    let text = format!("session s{{{}}}", "clock x;".repeat((MAX_SOURCE - 20) / 8));
    assert_eq!(parse(&text).errors, []);
    let errors = format(&text).expect_err("four blanks and a line end more for each clause");
    assert!(matches!(errors.as_slice(), [error] if error.kind == SyntaxErrorKind::SourceTooLarge));
}

/// A formatter that reads a text more than a few times would take minutes here.
#[test]
fn long_texts_are_formatted_in_linear_time() {
    let clause = "trace {a:b, c:d} if x == 1 && (y & 4) == 4 || /* c */ z ~ \"p*\"; // d\n\n";
    let formatted_once = |text: &str| format(text).expect("no mistakes").len();
    let size = 5 << 20;
    assert!(formatted_once(&format!("session s {{ {} }}", clause.repeat(size / clause.len()))) > size);
    let size = 1 << 20;
    assert!(formatted_once(&"session s { clock mono; }\n".repeat(size / 26)) > size - 26);
    assert!(formatted_once(&format!("session s {{ {} }}", "// c\n".repeat(size / 5))) > size);
    assert!(formatted_once(&format!("session s {{ clock {} mono; }}", "/**/".repeat(size / 4))) > size);
    assert!(formatted_once(&format!("session s {{ trace a:b if {}x; }}", "x && ".repeat(size / 5))) > size);
    assert!(formatted_once(&format!("session s {{ trace a:b {} if x; }}", "// c\n".repeat(size / 5))) > size);
    assert!(formatted_once(&format!("session s {{ trace {{{}}}; }}", "a:b,".repeat(size / 4))) > size);
    assert!(formatted_once(&"\n".repeat(size)) == 0);
    let fields = "a: u32 = f((b), c) /* d */;".repeat(size / 27);
    assert!(formatted_once(&format!("class c {{ entry {{ {fields} }} }}")) > size);
    assert!(formatted_once(&format!("enum e {{ {} }}", "A = (1), // c\n".repeat(size / 14))) > size);
    assert!(
        formatted_once(&format!("session s {{ trace a:b if x in {{ {} }}; }}", "(1), ".repeat(size / 5)))
            > size / 2
    );
}
