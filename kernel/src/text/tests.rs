//! Texts of small events.

use super::{Environment, Nothing, Symbol, Text, TextErrorKind};
use crate::format::EventFormat;
use crate::format::print::{PrintFmt, Quoting};

/// Type, name, offset and size of the fields of an event; a signed type begins with `s`.
type Fields<'a> = &'a [(&'a str, &'a str, u32, u32)];

fn format(fields: Fields<'_>, print_fmt: &str) -> EventFormat {
    let mut text = "name: e\nID: 1\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
        .to_owned();
    for (ty, name, offset, size) in fields {
        let signed = u8::from(ty.starts_with('s') && !ty.starts_with("struct"));
        let (ty, dimension) =
            ty.split_once('[').map_or((*ty, String::new()), |(ty, rest)| (ty, format!("[{rest}")));
        let field = match ty.starts_with("__data_loc") {
            true => format!("{ty}{dimension} {name}"),
            false => format!("{ty} {name}{dimension}"),
        };
        text += &format!("\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n");
    }
    text += &format!("\nprint fmt: {print_fmt}\n");
    EventFormat::parse("test", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn render_with(fields: Fields<'_>, print_fmt: &str, record: &[u8], environment: &dyn Environment) -> String {
    let format = format(fields, print_fmt);
    let text = Text::compile(&format, environment).unwrap_or_else(|error| panic!("{print_fmt}: {error}"));
    let mut out = Vec::new();
    text.render(record, environment, &mut out);
    String::from_utf8(out).unwrap()
}

fn render(fields: Fields<'_>, print_fmt: &str, record: &[u8]) -> String {
    render_with(fields, print_fmt, record, &Nothing)
}

/// A record of one eight-byte field `x` at offset 8, and bytes behind it.
fn of_word(x: u64, behind: &[u8]) -> Vec<u8> {
    [&[0; 8], &x.to_le_bytes(), behind].concat()
}

const WORD: Fields<'static> = &[("u64", "x", 8, 8), ("char[8]", "name", 16, 8), ("u8[4]", "bytes", 24, 4)];

fn word(print_fmt: &str, x: u64) -> String {
    render(WORD, print_fmt, &of_word(x, b"text\0ab\0\x01\x02\xfe\xff"))
}

#[test]
fn numbers_print_as_vsnprintf_prints_them() {
    for (directive, x, text) in [
        ("%llu", u64::MAX, "18446744073709551615"),
        ("%lld", u64::MAX, "-1"),
        ("%d", 0x1_ffff_ffff, "-1"),
        ("%u", 0x1_0000_0007, "7"),
        ("%hhd", 0x1ff, "-1"),
        ("%hhu", 0x1ff, "255"),
        ("%hd", 0x18000, "-32768"),
        ("%x", 0xabc, "abc"),
        ("%X", 0xabc, "ABC"),
        ("%#x", 0xabc, "0xabc"),
        ("%#X", 0xabc, "0XABC"),
        // Unlike in C, zero has the prefix of base 16 too.
        ("%#x", 0, "0x0"),
        ("%#o", 8, "010"),
        ("%#o", 0, "0"),
        ("%5d|", 42, "   42|"),
        ("%-5d|", 42, "42   |"),
        ("%05d|", 42, "00042|"),
        ("%+d", 42, "+42"),
        ("% d", 42, " 42"),
        ("%+u", 42, "42"),
        ("%06d", -42i64 as u64, "-00042"),
        ("%8.3d|", 5, "     005|"),
        ("%-8.3d|", 5, "005     |"),
        ("%.0d", 0, "0"),
        ("%#08x", 0xab, "0x0000ab"),
        ("%#016lx", 0xab, "0x000000000000ab"),
        ("%10s|", 0, ""),
        ("%p", 0xffff_8880_0000_1000, "ffff888000001000"),
        ("%p", 0, "0000000000000000"),
        ("%6p|", 0x12, "    12|"),
        ("%px", 0x12, "0000000000000012"),
        ("%pe", -5i64 as u64, "-EIO"),
        ("%pS", 0x1234, "0x1234"),
        ("%c", 65, "A"),
        ("%3c|", 65, "  A|"),
        ("100%%", 0, "100%"),
    ] {
        if directive != "%10s|" {
            assert_eq!(word(&format!("\"{directive}\", REC->x"), x), text, "{directive}");
        }
    }
    assert_eq!(word("\"%*d|%-*d|%.*d\", 4, 7, 4, 7, 3, 7", 0), "   7|7   |007");
    assert_eq!(word("\"%*d|\", -4, 7", 0), "7   |");
    // Wider than the buffer of the digits.
    assert_eq!(word("\"%70d|%070d|%.70d\", -7, -7, 7", 0), format!("{:>70}|{:070}|{:070}", -7, -7, 7));
}

#[test]
fn strings_print_with_width_and_precision() {
    for (print_fmt, text) in [
        (r#""%s", REC->name"#, "text"),
        (r#""%8s|", REC->name"#, "    text|"),
        (r#""%-8s|", REC->name"#, "text    |"),
        (r#""%.2s|", REC->name"#, "te|"),
        (r#""%.*s|", (int)REC->x, REC->name"#, "tex|"),
        (r#""%s", &REC->name[5]"#, "ab"),
        (r#""%s", REC->x == 3 ? "three" : REC->name"#, "three"),
        (r#""%5s", REC->x == 4 ? "four" : REC->name"#, " text"),
        (r#""%s", (char *)0"#, "(null)"),
        (r#""%s", (char *)100"#, "(efault)"),
        (r#""%s", &REC->name[100]"#, "(efault)"),
        (r#""%c", REC->name[1]"#, "e"),
        (r#""%c", "0123"[REC->x]"#, "3"),
        (r#""%s", ((const char *[]){"a", "b", "c", "d"})[REC->x]"#, "d"),
        (r#""%s", ((const char *[]){"a", "b"})[REC->x]"#, "(efault)"),
    ] {
        assert_eq!(word(print_fmt, 3), text, "{print_fmt}");
    }
}

#[test]
fn names_are_those_that_the_kernel_finds() {
    let symbolic = r#""%s", __print_symbolic(REC->x, { 1, "a" }, { 1, "b" }, { 1UL << 40, "c" }, { -1, "d" }, { 3, "" })"#;
    for (x, text) in [(1, "a"), (1 << 40, "c"), (u64::MAX, "d"), (2, "0x2"), (3, "0x3")] {
        assert_eq!(word(symbolic, x), text);
    }
    let flags = r#""%s", __print_flags(REC->x, "|", { 1, "A" }, { 6, "BC" }, { 2, "B" }, { 8, "D" })"#;
    for (x, text) in
        [(0, ""), (1, "A"), (6, "BC"), (2, "B"), (4, "0x4"), (7, "A|BC"), (0x19, "A|D|0x10"), (10, "B|D")]
    {
        assert_eq!(word(flags, x), text);
    }
    // An entry without a name ends the table.
    assert_eq!(
        word(r#""%s", __print_symbolic(REC->x, { 1, "a" }, { -1, ((void *)0) }, { 2, "b" })"#, 2),
        "0x2"
    );
    assert_eq!(word(r#""%8s|", __print_symbolic(REC->x, { 1, "a" })"#, 1), "       a|");
    assert_eq!(word(r#""%s", __print_flags(REC->x & 3, "", { 1, "A" }, { 2, "B" })"#, 7), "AB");
    // More entries than are searched one by one.
    let many = r#""%s", __print_symbolic(REC->x, {0,"a"}, {1,"b"}, {2,"c"}, {1,"x"}, {9,"d"}, {300,"e"})"#;
    for (x, text) in [(0, "a"), (1, "b"), (2, "c"), (3, "0x3"), (9, "d"), (300, "e")] {
        assert_eq!(word(many, x), text);
    }
}

#[test]
fn bytes_print_as_the_helpers_print_them() {
    for (print_fmt, text) in [
        (r#""%s", __print_hex(REC->bytes, 4)"#, "01 02 fe ff"),
        (r#""%s", __print_hex_str(REC->bytes, 4)"#, "0102feff"),
        (r#""%s", __print_hex(REC->bytes, -1)"#, ""),
        (r#""%s", __print_hex(REC->bytes, 6)"#, "01 02 fe ff(efault)"),
        (r#""%s", __print_array(REC->bytes, 4, sizeof(u8))"#, "{0x1,0x2,0xfe,0xff}"),
        (r#""%s", __print_array(REC->bytes, 2, 2)"#, "{0x201,0xfffe}"),
        (r#""%s", __print_array(REC->bytes, 1, 3)"#, "{BAD SIZE:3 0x1,0x2,0xfe}"),
        (r#""%*ph", 4, REC->bytes"#, "01 02 fe ff"),
        (r#""%*phC", 4, REC->bytes"#, "01:02:fe:ff"),
        (r#""%*phD", 4, REC->bytes"#, "01-02-fe-ff"),
        (r#""%4phN", REC->bytes"#, "0102feff"),
        (r#""%*ph", 5, REC->bytes"#, "(efault)"),
        (r#""%pI4", REC->bytes"#, "1.2.254.255"),
        (r#""%pI4h", REC->bytes"#, "255.254.2.1"),
        (r#""%pi4", REC->bytes"#, "001.002.254.255"),
        (r#""%*pb", 12, REC->bytes"#, "201"),
        (r#""%*pbl", 32, REC->bytes"#, "0,9,17-31"),
        (
            r#""%s", __print_hex_dump("p ", 0, 16, 1, REC->bytes, 4, true)"#,
            "\np 01 02 fe ff                                      ....\n",
        ),
        (
            r#""%s", __print_hex_dump("", DUMP_PREFIX_OFFSET, 16, 2, REC->bytes, 4, false)"#,
            "\n00000000: 0201 fffe\n",
        ),
    ] {
        assert_eq!(word(print_fmt, 3), text, "{print_fmt}");
    }
}

#[test]
fn network_addresses_print_as_the_kernel_prints_them() {
    let fields: Fields<'_> = &[("u8[28]", "a", 8, 28)];
    let show = |directive: &str, bytes: &[u8]| {
        let mut record = vec![0; 8];
        record.extend(bytes);
        record.resize(8 + 28, 0);
        render(fields, &format!("\"{directive}\", REC->a"), &record)
    };
    let six = |words: [u16; 8]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    for (words, text) in [
        ([0, 0, 0, 0, 0, 0, 0, 1], "::1"),
        ([0; 8], "::"),
        ([0xfe80, 0, 0, 0, 0x1234, 0, 0xab, 1], "fe80::1234:0:ab:1"),
        ([1, 0, 2, 3, 4, 5, 6, 7], "1:0:2:3:4:5:6:7"),
        ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], "2001:db8::"),
        ([0, 0, 0, 0, 0, 0xffff, 0x0102, 0x0304], "::ffff:1.2.3.4"),
        ([0xfe80, 0, 0, 0, 0, 0x5efe, 0x0a00, 1], "fe80::5efe:10.0.0.1"),
    ] {
        assert_eq!(show("%pI6c", &six(words)), text);
    }
    assert_eq!(show("%pI6", &six([0, 1, 2, 3, 4, 5, 6, 7])), "0000:0001:0002:0003:0004:0005:0006:0007");
    assert_eq!(show("%pi6", &six([0, 1, 2, 3, 4, 5, 6, 7])), "00000001000200030004000500060007");
    let four = [2, 0, 0x1f, 0x90, 127, 0, 0, 1];
    assert_eq!(show("%pISpc", &four), "127.0.0.1:8080");
    assert_eq!(show("%pIS", &four), "127.0.0.1");
    let mut long = vec![10, 0, 0x1f, 0x90, 0x12, 0x34, 0x56, 0x78];
    long.extend(six([0, 0, 0, 0, 0, 0, 0, 1]));
    long.extend([7, 0, 0, 0]);
    assert_eq!(show("%pISpc", &long), "[::1]:8080");
    assert_eq!(show("%pISc", &long), "::1");
    assert_eq!(show("%pISpsfc", &long), "[::1]:8080/36984440%7");
    assert_eq!(show("%pISpc", &[1, 0]), "(einval)");
    assert_eq!(show("%pM", &[1, 2, 3, 4, 5, 0xab]), "01:02:03:04:05:ab");
    assert_eq!(show("%pMR", &[1, 2, 3, 4, 5, 0xab]), "ab:05:04:03:02:01");
    assert_eq!(show("%pMF", &[1, 2, 3, 4, 5, 0xab]), "01-02-03-04-05-ab");
    assert_eq!(show("%pm", &[1, 2, 3, 4, 5, 0xab]), "0102030405ab");
    let uuid: Vec<u8> = (0..16).map(|byte| 0xa0 + byte).collect();
    assert_eq!(show("%pU", &uuid), "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
    assert_eq!(show("%pUL", &uuid), "A3A2A1A0-A5A4-A7A6-A8A9-AAABACADAEAF");
    assert_eq!(show("%pad", &[1, 2]), "0x0000000000000201");
}

#[test]
fn dynamic_fields_are_found_by_their_word() {
    let fields: Fields<'_> = &[
        ("__data_loc char[]", "s", 8, 4),
        ("__data_loc u16[]", "a", 12, 4),
        ("__data_loc cpumask_t", "m", 16, 4),
    ];
    let mut record = vec![0; 8];
    let words: [(u32, u32); 3] = [(20, 4), (24, 4), (28, 8)];
    words.iter().for_each(|(at, length)| record.extend((length << 16 | at).to_le_bytes()));
    record.extend(b"abc\0\x01\x02\x03\x04\x05\0\0\0\0\0\0\0");
    for (print_fmt, text) in [
        (r#""%s", __get_str(s)"#, "abc"),
        (r#""%s%s", __get_str(s)[0] ? "+" : "-", __get_str(s)"#, "+abc"),
        (r#""%d", __get_dynamic_array_len(a)"#, "4"),
        (r#""%x", ((u16 *)__get_dynamic_array(a))[1]"#, "403"),
        (r#""%x", *(u32 *)__get_dynamic_array(a)"#, "4030201"),
        (r#""%x", *(((u16 *)__get_dynamic_array(a)) + 1)"#, "403"),
        (
            r#""%s", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a) / 2, 2)"#,
            "{0x201,0x403}",
        ),
        (r#""%s", __print_dynamic_array(a, 2)"#, "{0x201,0x403}"),
        (r#""%s", __get_cpumask(m)"#, "00000000,00000005"),
        (r#""%u", REC->__data_loc_s & 0xffff"#, "20"),
    ] {
        assert_eq!(render(fields, print_fmt, &record), text, "{print_fmt}");
    }
    // A word that leads outside.
    record[8..12].copy_from_slice(&[0xff, 0xff, 9, 0]);
    assert_eq!(render(fields, r#""<%s>", __get_str(s)"#, &record), "<(efault)>");
    assert_eq!(render(fields, r#""<%s>", __get_str(s)"#, &record[..4]), "<>");
}

#[test]
fn blocks_have_variables() {
    for (print_fmt, text) in [
        (r#""%d", ({ int a = (REC->x); int b = (4); ((a) < (b) ? (a) : (b)); })"#, "3"),
        (r#""%s", ({ static const char *n[] = { "a", "b", "c", "d" }; n[REC->x]; })"#, "d"),
        (r#""%d", ({ static const int n[] = { 5, 6, 7, 8 }; n[REC->x]; })"#, "8"),
        (
            r#""%s", ({ const char *r; switch (REC->x) { case 2: r = "two"; break; case 3: r = "three"; break; default: r = "many"; } r; })"#,
            "three",
        ),
        (r#""%d", ({ unsigned char c = 511; c; })"#, "255"),
        (
            r#""<%s>%d", ({ const char *s = trace_seq_buffer_ptr(p); union kvm_mmu_page_role role; role.word = REC->x; trace_seq_printf(p, "l%u %s %#x", role.level, role.direct ? "d" : "i", role.word); s; }), 7"#,
            "<l3 i 0x3>7",
        ),
    ] {
        assert_eq!(word(print_fmt, 3), text, "{print_fmt}");
    }
}

#[test]
fn what_is_not_known_is_marked_or_refused() {
    assert_eq!(word(r#""%lu %p", jiffies - REC->x, ((struct page *)vmemmap_base) + REC->x"#, 3), "? ?");
    let refused = |print_fmt: &str| {
        let error = Text::compile(&format(WORD, print_fmt), &Nothing).unwrap_err();
        (error.range.of(&format(WORD, print_fmt).print_fmt).to_owned(), error.kind)
    };
    let text = |text: &str| text.to_owned();
    assert_eq!(refused(r#""%d", REC->y"#), (text("REC->y"), TextErrorKind::Field(text("y"))));
    assert_eq!(
        refused(r#""%d", 1 + NEW_ENUM"#),
        (text("NEW_ENUM"), TextErrorKind::Unresolved(text("NEW_ENUM")))
    );
    assert_eq!(
        refused(r#""%s", decode_it(REC->x)"#),
        (text("decode_it(REC->x)"), TextErrorKind::Function(text("decode_it")))
    );
    assert_eq!(refused(r#""%pd", REC->x"#).1, TextErrorKind::Extension(text("d")));
    assert_eq!(refused(r#""%d", (new_thing_t)REC->x"#).1, TextErrorKind::Type(text("new_thing_t")));
    assert_eq!(refused(r#""%s", __get_str(name)"#).1, TextErrorKind::NotDynamic(text("name")));
}

struct Known;

impl Environment for Known {
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let offset = address.checked_sub(0x1000)?;
        (offset < 0x80).then_some(Symbol { name: "work", module: Some("mod"), offset, size: 0x80 })
    }

    fn string(&self, address: u64) -> Option<&[u8]> {
        (address == 0x5000).then_some(b"kept")
    }

    fn enumerator(&self, name: &str) -> Option<i128> {
        (name == "NEW_ENUM").then_some(-2)
    }
}

#[test]
fn the_environment_knows_symbols_strings_and_enumerators() {
    let show = |print_fmt: &str, x: u64| render_with(WORD, print_fmt, &of_word(x, &[0; 12]), &Known);
    assert_eq!(show(r#""%pS", (void *)REC->x"#, 0x1010), "work+0x10/0x80 [mod]");
    assert_eq!(show(r#""%ps", (void *)REC->x"#, 0x1010), "work [mod]");
    assert_eq!(show(r#""%pB", (void *)REC->x"#, 0x1080), "work+0x80/0x80 [mod]");
    assert_eq!(show(r#""%pS", (void *)REC->x"#, 0x2000), "0x2000");
    assert_eq!(show(r#""%s", (char *)REC->x"#, 0x5000), "kept");
    assert_eq!(show(r#""%s", (char *)REC->x"#, 0x5001), "(0x5001)[UNSAFE-MEMORY]");
    assert_eq!(
        show(r#""%d %s", NEW_ENUM, __print_symbolic(REC->x, { NEW_ENUM, "new" })"#, -2i64 as u64),
        "-2 new"
    );
}

#[test]
fn strings_of_a_record_are_escaped_where_a_line_is_wanted() {
    let format = format(WORD, r#""%s a\b", REC->name"#);
    let text = Text::compile(&format, &Nothing).unwrap();
    let mut out = Vec::new();
    text.render_line(&of_word(0, b"\n\\\xff\xc3\xa4\0\0\0"), &Nothing, &mut out);
    assert_eq!(str::from_utf8(&out).unwrap(), "\\x0a\\\\xff\u{e4} a\\b");
}

/// The integer fields of the law: type, size, sign.
const OPERANDS: [(&str, u32); 8] =
    [("u8", 1), ("s8", 1), ("u16", 2), ("s16", 2), ("u32", 4), ("s32", 4), ("u64", 8), ("s64", 8)];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    /// Returns an expression on operands: with `%N` for each.
    fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(4) {
                0 => ["0", "1", "7", "31U", "0x80000000", "-1", "1UL", "255", "(u8)300", "63"]
                    [self.below(10) as usize]
                    .to_owned(),
                _ => format!("%{}", self.below(8)),
            };
        }
        let depth = depth - 1;
        match self.below(12) {
            0 => format!("-({})", self.expression(depth)),
            1 => format!("~({})", self.expression(depth)),
            2 => format!("!({})", self.expression(depth)),
            3 => format!("({})({})", OPERANDS[self.below(8) as usize].0, self.expression(depth)),
            4 => format!(
                "({}) ? ({}) : ({})",
                self.expression(depth),
                self.expression(depth),
                self.expression(depth)
            ),
            _ => {
                let operators = [
                    "+", "-", "*", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^",
                    "&&", "||",
                ];
                let operator = operators[self.below(18) as usize];
                format!("({}) {operator} ({})", self.expression(depth), self.expression(depth))
            }
        }
    }
}

/// The evaluator of constants was written apart from the compiler: both have to agree on every expression, if one gets
/// the values in a record and the other as constants of the same types.
#[test]
fn arithmetic_is_that_of_constants() {
    let mut random = Random(7);
    let mut offset = 8;
    let mut fields = Vec::new();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for ((ty, size), name) in OPERANDS.iter().zip(names) {
        fields.push((*ty, name, offset, *size));
        offset += 8;
    }
    let (mut compared, mut undefined) = (0, 0);
    while compared < 20_000 {
        let expression = random.expression(4);
        let mut record = vec![0; offset as usize];
        let (mut in_record, mut constant) = (expression.clone(), expression.clone());
        for (number, (ty, name, offset, size)) in fields.iter().enumerate() {
            // Small, large and negative values.
            let value = match random.below(4) {
                0 => random.below(70),
                1 => 0u64.wrapping_sub(random.below(5)),
                2 => 1 << random.below(64),
                _ => random.below(1 << 31) << 33 ^ random.below(1 << 31) << 7,
            };
            let at = *offset as usize;
            record[at..at + *size as usize].copy_from_slice(&value.to_le_bytes()[..*size as usize]);
            in_record = in_record.replace(&format!("%{number}"), &format!("REC->{name}"));
            constant = constant.replace(&format!("%{number}"), &format!("(({ty}){value}ULL)"));
        }
        let print = PrintFmt::parse(&format!("\"%lld\", (s64)({constant})"), Quoting::Verbatim).unwrap();
        let Some(value) = print.tree().constant(print.arguments()[0]) else {
            undefined += 1;
            continue;
        };
        let ours = render(&fields, &format!("\"%lld\", (s64)({in_record})"), &record);
        assert_eq!(ours, value.value().to_string(), "{constant}");
        compared += 1;
    }
    println!("{compared} expressions compared, {undefined} have no value in C");
}
