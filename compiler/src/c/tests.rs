//! The macros of headers by which records are declared and filled.

use super::{AssignStr, Header, Marked, header};
use crate::{Choice, Input, KernelError, KernelSource, SourceText, analyse};

/// A kernel that knows nothing.
struct Nothing;

impl KernelSource for Nothing {
    fn read(&self, _: &str) -> Result<Option<String>, KernelError> {
        Ok(None)
    }

    fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
        Ok(Vec::new())
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }
}

/// Returns the header of definitions in a text.
fn of(definitions: &str, assign_str: AssignStr) -> String {
    marked(definitions, assign_str).text
}

/// Returns the header of definitions behind `subsystem s; `, with the parts of the text that its lines are for.
fn marked(definitions: &str, assign_str: AssignStr) -> Marked {
    let text = format!("subsystem s; {definitions}");
    let source = SourceText { name: "test.trc".to_owned(), text, one_liner: false };
    let analysis = analyse(Input::new(&source, &Nothing), Choice::All);
    let as_ =
        Header { file: "s_trace", guard: "_S_H", origin: Some("test.trc"), directory: Some("."), assign_str };
    let (made, said) = analysis.make_of_definitions(|module| {
        let own = module.definitions.first().expect("definitions");
        Ok(header(own, &module.constants, as_))
    });
    made.unwrap_or_else(|| panic!("{said:#?}"))
}

#[test]
fn declaration_is_for_the_name_that_needs_it() {
    let definitions = "event a { proto (p: *struct t) } event b with (up, down) { proto (a: int) }";
    let header = marked(definitions, DECIDED);
    let text = format!("subsystem s; {definitions}");
    for (declaration, part) in
        [("struct t;", "*struct t"), ("int up(void);", "up"), ("void down(void);", "down")]
    {
        let line = header.text.lines().position(|line| line == declaration).expect("the declaration") + 1;
        let span = header.part(line).expect("a part of the text");
        assert_eq!(&text[span.range()], part, "{declaration}");
    }
}

#[test]
fn structs_behind_pointers_are_declared_by_their_names() {
    let text =
        of("event e { proto (a: *struct s, b: *union u, c: *const struct ct, d: **struct t) }", DECIDED);
    for line in ["\nstruct ct;\n", "\nstruct s;\n", "\nstruct t;\n", "\nunion u;\n"] {
        assert!(text.contains(line), "{line:?} {text}");
    }
}

#[test]
fn values_of_a_table_are_numbers_that_c_reads() {
    let of = |carrier: &str, value: &str| {
        let definitions = format!(
            "enum E: {carrier} {{ A = {value} }} event e {{ proto (a: {carrier}) entry {{ a: E; }} print \"{{a}}\" }}"
        );
        let text = of(&definitions, DECIDED);
        let (_, rest) = text.split_once("\t\t{ ").expect("a table");
        rest.split_once(", ").expect("a value").0.to_owned()
    };
    assert_eq!(of("s32", "-5"), "-5");
    assert_eq!(of("u64", "18446744073709551615"), "18446744073709551615ULL");
    assert_eq!(of("s64", "-9223372036854775808"), "(-9223372036854775807 - 1)");
}

const DECIDED: AssignStr = AssignStr::Decided("TAKES_SOURCE");

/// Returns the lines of a header with one event, of the macros that declare its fields and of those that fill them.
fn declared(proto: &str, entry: &str, assign_str: AssignStr) -> Vec<String> {
    let text = of(&format!("event e {{ proto ({proto}) entry {{ {entry} }} }}"), assign_str);
    let between = |from: &str, to: &str| {
        let (_, rest) = text.split_once(from).expect("its beginning");
        let (inside, _) = rest.split_once(to).expect("its end");
        inside.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines = between("TP_STRUCT__entry(", "\n\t),");
    lines.extend(between("TP_fast_assign(", "\n\t),"));
    lines
}

#[test]
fn data_of_a_counted_size_is_declared_and_copied_with_its_size() {
    for (proto, entry, lines) in [
        (
            "m: *unsigned long, n: u16",
            "m: bitmask = (m, n * 2);",
            ["__bitmask(m, n * 2)", "__assign_bitmask(m, m, n * 2);"],
        ),
        (
            "a: *struct sockaddr_in6, n: u16",
            "to: sockaddr = (a, n);",
            ["__sockaddr(to, n)", "__assign_sockaddr(to, a, n);"],
        ),
        (
            "vaf: *struct va_format",
            "text: string = vaf;",
            ["__vstring(text, vaf->fmt, vaf->va)", "__assign_vstr(text, vaf->fmt, vaf->va);"],
        ),
        (
            "p: *void",
            "text: string = p as *struct va_format;",
            [
                "__vstring(text, ((struct va_format *)p)->fmt, ((struct va_format *)p)->va)",
                "__assign_vstr(text, ((struct va_format *)p)->fmt, ((struct va_format *)p)->va);",
            ],
        ),
        (
            "t: *u8, n: u8",
            "text: string = (t, n);",
            ["__string_len(text, t, n)", "tracec_assign_str_len(text, t, n);"],
        ),
        // A number that can be negative or too large is limited, and what is copied is what was reserved.
        (
            "m: *unsigned long, n: int",
            "m: bitmask = (m, n * 2);",
            [
                "__bitmask(m, clamp_t(s64, (s64)n * 2, 0, 524224))",
                "__assign_bitmask(m, m, __get_dynamic_array_len(m) * BITS_PER_BYTE);",
            ],
        ),
        (
            "a: *struct sockaddr_in6, n: s8",
            "to: sockaddr = (a, n);",
            [
                "__sockaddr(to, clamp_t(s64, n, 0, 65535))",
                "__assign_sockaddr(to, a, __get_dynamic_array_len(to));",
            ],
        ),
        (
            "t: *u8, n: u16",
            "text: string = (t, n);",
            [
                "__string_len(text, t, clamp_t(s64, n, 0, 65534))",
                "tracec_assign_str_len(text, t, __get_dynamic_array_len(text) - 1);",
            ],
        ),
        (
            "p: *u32, n: u16",
            "e: u32[] = (p, n);",
            [
                "__dynamic_array(u32, e, clamp_t(s64, n, 0, 16383))",
                "memcpy(__get_dynamic_array(e), p, __get_dynamic_array_len(e));",
            ],
        ),
        (
            "p: *u8, q: *struct file",
            "e: u8[] = (p, q->n);",
            [
                "__dynamic_array(u8, e, clamp_t(s64, q->n, 0, 65535))",
                "memcpy(__get_dynamic_array(e), p, __get_dynamic_array_len(e));",
            ],
        ),
        (
            "p: *u32, n: u16",
            "e: u32[] = (p, n / 5);",
            [
                "__dynamic_array(u32, e, n / 5)",
                "memcpy(__get_dynamic_array(e), p, __get_dynamic_array_len(e));",
            ],
        ),
    ] {
        assert_eq!(declared(proto, entry, DECIDED), lines);
    }
}

#[test]
fn number_that_is_read_from_memory_is_read_once() {
    for (entry, copy) in [
        (
            "m: bitmask = (p->m, p->n);",
            "__assign_bitmask(m, p->m, __get_dynamic_array_len(m) * BITS_PER_BYTE);",
        ),
        ("to: sockaddr = (p->a, f(p));", "__assign_sockaddr(to, p->a, __get_dynamic_array_len(to));"),
        ("t: string = (p->t, *n);", "tracec_assign_str_len(t, p->t, __get_dynamic_array_len(t) - 1);"),
        ("t: string = (p->t, 5 * 3);", "tracec_assign_str_len(t, p->t, 5 * 3);"),
        ("b: u8[] = (p->b, p->n);", "memcpy(__get_dynamic_array(b), p->b, __get_dynamic_array_len(b));"),
    ] {
        assert_eq!(declared("p: *struct p, n: *int", entry, DECIDED).pop().as_deref(), Some(copy));
    }
}

#[test]
fn text_that_may_be_at_a_null_pointer_is_asked() {
    let proto = "p: *struct p, task: *struct task_struct, name: *char";
    for (value, source) in [
        ("p->name", "tracec_text(p->name)"),
        ("p->task->comm", "tracec_text(p->task->comm)"),
        ("find(p)", "tracec_text(find(p))"),
        ("name ? name : p->name", "tracec_text(name ? name : p->name)"),
        ("task->comm", "task->comm"),
        ("current->comm", "current->comm"),
        ("\"none\"", "\"none\""),
        ("name", "name ?: \"(null)\""),
    ] {
        let copied = format!("strscpy_pad(__entry->t, {source}, sizeof(__entry->t));");
        let entry = format!("t: char[8] = {value};");
        assert_eq!(declared(proto, &entry, DECIDED).pop().as_deref(), Some(copied.as_str()));
        let text = of(&format!("event e {{ proto ({proto}) entry {{ {entry} }} }}"), DECIDED);
        assert_eq!(text.contains("#define tracec_text(src)"), source.contains("tracec_text"), "{value}");
    }
}

#[test]
fn string_of_a_length_is_copied_in_the_form_of_the_tree() {
    let copy = |assign_str| declared("t: *char, n: u8", "text: string = (t, n);", assign_str).pop();
    assert_eq!(copy(AssignStr::Field).as_deref(), Some("__assign_str(text);"));
    let two = |has_length| copy(AssignStr::FieldAndSource { has_length });
    assert_eq!(two(true).as_deref(), Some("__assign_str_len(text, t, n);"));
    assert_eq!(two(false).as_deref(), Some("__assign_str(text, t);"));
    let text = of("event e { proto (t: *char, n: int) entry { text: string = (t, n); } }", DECIDED);
    let asks = "#ifdef __assign_str_len\n#define tracec_assign_str_len(dst, src, len) __assign_str_len(dst, src, len)\n\
                #else\n#define tracec_assign_str_len(dst, src, len) tracec_assign_str(dst, src)\n#endif\n";
    assert!(text.contains(asks) && text.contains("#define tracec_assign_str(dst, src) "), "{text}");
    let without = of("event e { proto (t: *char) }", DECIDED);
    assert!(!without.contains("tracec_assign_str_len"), "{without}");
}

#[test]
fn warning_of_functions_that_format_is_switched_off_for_the_record_alone() {
    let class = "class c { proto (vaf: *struct va_format) } event a: c; event b: c;";
    let text = of(&format!("{class} event other {{ proto (n: int) }}"), DECIDED);
    let (_, rest) = text.split_once("#pragma GCC diagnostic push\n").expect("the pragma");
    let (inside, behind) = rest.split_once("#pragma GCC diagnostic pop\n").expect("its end");
    assert!(
        inside.contains("ignored \"-Wsuggest-attribute=format\"") && inside.contains("DECLARE_EVENT_CLASS(c")
    );
    assert!(behind.contains("DEFINE_EVENT(c, a") && behind.contains("TRACE_EVENT(other"), "{text}");
    assert!(!behind.contains("#pragma"), "{text}");
}

#[test]
fn names_in_a_choice_have_their_macro() {
    let text = of(
        "flags F: u32 { A, B } event e { proto (n: u32) entry { n: u32; } print \"{n ? n as F : \"none\"}\" }",
        DECIDED,
    );
    assert!(text.contains("#define show_s_f(value, delimiter)"), "{text}");
    assert!(text.contains("__entry->n ? show_s_f(__entry->n, \"|\") : \"none\""), "{text}");
}

#[test]
fn pointer_to_another_type_is_converted() {
    for (proto, entry, line) in [
        ("u: *const user char", "u: *user char;", "__entry->u = (char __user *)u;"),
        ("b: *struct b, n: u32", "a: *struct a = b;", "__entry->a = (struct a *)b;"),
        ("p: *void", "a: *struct a = p;", "__entry->a = p;"),
        ("p: *const void", "a: *void = p;", "__entry->a = (void *)p;"),
        ("a: *struct a", "p: *const void = a;", "__entry->p = a;"),
        ("n: unsigned long", "a: *struct a = n as *struct b;", "__entry->a = (struct a *)(struct b *)n;"),
    ] {
        assert_eq!(declared(proto, entry, DECIDED).pop().as_deref(), Some(line), "{proto} {entry}");
    }
}

/// Returns the C of a condition on these arguments.
fn condition(arguments: &str, condition: &str) -> String {
    let text = of(
        &format!(
            "include <linux/fs.h>; event e if ({condition}) {{ proto ({arguments}) entry {{ x: int = 0; }} }}"
        ),
        DECIDED,
    );
    let (_, rest) = text.split_once("TP_CONDITION(").expect("a condition");
    rest.split_once("),\n\n\tTP_STRUCT__entry").expect("its end").0.to_owned()
}

#[test]
fn condition_is_plain_where_c_means_the_same() {
    for same in [
        "i > -1",
        "i in {1, 2}",
        "u > 10",
        "u == v",
        "l > i",
        "b + 1 > 200",
        "(b << 3) == 8",
        "u & 6",
        "(u & 6) == 6",
        "(p->flags & 6) == 6",
        "p->flags > 10",
        "p->error < 0",
        "i == -EIO",
        "w + 1 > u",
        "w / 512 > 8",
        "i / 2 == 1",
        "p->len / 2 == 1",
        "(l >> 40) == 1",
        "(i >> 3) == -1",
        "f(p) > 5",
        "w > p->len",
        "p == NULL || p->next != NULL",
    ] {
        let c = condition(ARGUMENTS, same);
        let expected = match same {
            "i in {1, 2}" => "i == 1 || i == 2",
            other => other,
        };
        assert_eq!(c, expected);
    }
}

/// Arguments of each size and sign.
const ARGUMENTS: &str = "i: int, u: u32, v: u32, l: s64, w: u64, b: u8, s: s8, t: bool, p: *struct file";

#[test]
fn condition_is_one_that_gcc_does_not_ask_about() {
    for (written, expected) in [
        ("!(i == 1) == t", "(!(i == 1)) == t"),
        ("t == !t", "t == !t"),
        ("!t + 1 == u", "!t + 1 == u"),
        ("w * b", "w * b != 0"),
        ("w << 1", "(w << 1) != 0"),
        ("!(w * w) && i << 3", "!(w * w != 0) && ((s64)i << 3) != 0"),
        ("i == 1 || (w * w) as bool", "i == 1 || (bool)(w * w != 0)"),
        ("(i == 1) < 2", "+(i == 1) < 2"),
        ("2 > (i == 1)", "2 > +(i == 1)"),
        ("!(i == 1) >= 0", "+(!(i == 1)) >= 0"),
        ("(i == 1) == 1", "(i == 1) == 1"),
        ("t == 2", "+t == 2"),
        ("(i as bool) > 1", "+(bool)i > 1"),
        ("t == LIMIT", "+t == LIMIT"),
        ("t in {1, 2}", "+t == 1 || +t == 2"),
        ("t == 1 || t != 0 || t > 0", "t == 1 || t != 0 || t > 0"),
    ] {
        assert_eq!(condition(ARGUMENTS, written), expected, "{written}");
    }
    for (value, expected) in [
        ("bool = w * w", "w * w != 0"),
        ("bool = w", "w"),
        ("u8 = (w * w) as u8", "(u8)(w * w)"),
        ("bool = w ? 1 : 2", "(w ? 1 : 2) != 0"),
        ("u64 = w * w ? 3 : 0", "w * w != 0 ? 3 : 0"),
    ] {
        let set = declared("w: u64", &format!("t: {value};"), DECIDED).pop();
        assert_eq!(set, Some(format!("__entry->t = {expected};")), "{value}");
    }
}

#[test]
fn conversion_stands_where_c_means_something_else() {
    for (written, expected) in [
        // A comparison across signs compares the numbers.
        ("u > -1", "(s64)u > -1"),
        ("-1 < u", "-1 < (s64)u"),
        ("i < u", "(s64)i < u"),
        ("u in {1, i}", "(s64)u == 1 || (s64)u == i"),
        ("p->error == i", "(s64)p->error == i"),
        ("p->len > u", "p->len > (s64)u"),
        ("p->len < p->size", "(s64)p->len < (s64)p->size"),
        // 32 bits do not wrap.
        ("u + v > 5", "(u64)u + v > 5"),
        ("u + v + 1 > 5", "(u64)u + v + 1 > 5"),
        ("u - v > 5", "(u64)u - v > 5"),
        ("i * 2 > 5", "(s64)i * 2 > 5"),
        ("2 * i > 5", "2 * (s64)i > 5"),
        ("u << 4 > 5", "((u64)u << 4) > 5"),
        ("1 << (b & 63) == w", "(1ULL << (b & 63)) == w"),
        ("u >> 40 == 0", "((u64)u >> 40) == 0"),
        ("-u > 5", "-(u64)u > 5"),
        ("-i > 5", "-(s64)i > 5"),
        ("p->len + 1 > 5", "(s64)p->len + 1 > 5"),
        ("u & i", "(s64)u & i"),
        // A number of a type that only C knows counts as unsigned beside a large one.
        ("w + p->len > 5", "w + (u64)p->len > 5"),
    ] {
        assert_eq!(condition(ARGUMENTS, written), expected, "{written}");
    }
}

#[test]
fn low_bytes_of_a_sum_need_no_conversion() {
    for (entry, line) in [
        ("a: u32 = u + v;", "__entry->a = u + v;"),
        ("a: u64 = u + v;", "__entry->a = (u64)u + v;"),
        ("a: bool = u + v;", "__entry->a = (u64)u + v != 0;"),
        ("a: u8 = (u + v) >> 8;", "__entry->a = ((u64)u + v) >> 8;"),
        ("a: u64 = (u + v) as u32;", "__entry->a = (u32)(u + v);"),
        ("a: u32 = u << 40;", "__entry->a = (u64)u << 40;"),
        ("a: u32 = p->len + 1;", "__entry->a = p->len + 1;"),
        ("a: string = p->name + 1;", "tracec_assign_str(a, p->name + 1);"),
        ("a: u64 = f(p->name + 1);", "__entry->a = f(p->name + 1);"),
    ] {
        assert_eq!(declared(ARGUMENTS, entry, DECIDED).pop().as_deref(), Some(line), "{entry}");
    }
}

#[test]
fn function_of_a_set_is_called_once() {
    for (written, expected) in [
        ("f(p) in {1, 2}", "({ s64 value = f(p); value == 1 || value == 2; })"),
        ("f(p) in {1}", "f(p) == 1"),
        ("f(value) in {1..=3}", "({ s64 value2 = f(value); value2 >= 1 && value2 <= 3; })"),
        ("f(p) in {-1, i}", "({ s64 value = (s64)f(p); value == -1 || value == i; })"),
        ("(f(p) as u8) in {1, 2}", "({ int value = (u8)f(p); value == 1 || value == 2; })"),
    ] {
        assert_eq!(condition(&format!("{ARGUMENTS}, value: int"), written), expected, "{written}");
    }
}

/// Returns the arguments of `TP_printk` of a template over fields of each size and sign.
fn printed(template: &str) -> String {
    let entry = "i: int; u: u32; v: u32; l: s64; w: u64; b: u8; n: long;";
    let proto = "i: int, u: u32, v: u32, l: s64, w: u64, b: u8, n: long";
    let text =
        of(&format!("event e {{ proto ({proto}) entry {{ {entry} }} print \"{template}\" }}"), DECIDED);
    let (_, rest) = text.split_once("TP_printk(").expect("a template");
    rest.split_once(")\n);").expect("its end").0.to_owned()
}

#[test]
fn printed_number_has_the_length_of_its_type_in_c() {
    for (template, expected) in [
        ("{b + 1}", "\"%u\", __entry->b + 1"),
        ("{u + v}", "\"%llu\", (u64)__entry->u + __entry->v"),
        ("{i + 1}", "\"%lld\", (s64)__entry->i + 1"),
        ("{n + 1}", "\"%lld\", (long long)(__entry->n + 1)"),
        ("{(i ? u : -1) == -1}", "\"%d\", (__entry->i ? (s64)__entry->u : -1) == -1"),
        ("{i ? u : v}", "\"%u\", __entry->i ? __entry->u : __entry->v"),
        ("{u > -1 ? 1 : 0}", "\"%d\", (s64)__entry->u > -1 ? 1 : 0"),
        ("{i / 2:x}", "\"%llx\", (unsigned long long)(__entry->i / 2)"),
    ] {
        assert_eq!(printed(template), expected);
    }
}

/// The character that stands at the ends of marks is one of a text like any other.
#[test]
fn character_of_marks_is_text_where_a_text_has_it() {
    let text = of(
        "enum E: u8 { A = 1 \"\u{f8ff}1-2\u{f8ff}\" }\n/// About \u{f8ff}1-2\u{f8ff}.\nevent e { proto (a: E) entry { a: E; t: u8; } \
         assign `__entry->t = sizeof(\"\u{f8ff}1-2\u{f8ff}\");` print \"\u{f8ff}1-2\u{f8ff} {a}\" }",
        DECIDED,
    );
    let escaped = r"\357\243\2771-2\357\243\277";
    assert!(text.contains(&format!("{{ 1, \"{escaped}\" }}")), "{text}");
    assert!(text.contains("/* About U+F8FF1-2U+F8FF. */"), "{text}");
    assert!(text.contains(r#"sizeof("\uf8ff1-2\uf8ff");"#), "{text}");
    assert!(
        text.contains(r#"TP_printk("%s1-2%s %s", "\357\243\277", "\357\243\277", show_s_e(__entry->a))"#),
        "{text}"
    );
    assert!(!text.contains('\u{f8ff}'), "{text}");
}

#[test]
fn characters_that_change_the_direction_of_text_are_escaped() {
    let text = of("event e { proto (a: int) entry { a: int; } print \"\\u{202e}{a}\\u{2066}\" }", DECIDED);
    assert!(text.contains(r#"TP_printk("%s%d%s", "\342\200\256", __entry->a, "\342\201\246")"#), "{text}");
}
