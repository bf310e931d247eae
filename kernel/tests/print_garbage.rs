//! Print fmts that no kernel writes: an error with its place, or a tree that prints as it was.

use proptest::prelude::*;
use tracec_kernel::c::CErrorKind;
use tracec_kernel::format::print::{PrintError, PrintErrorKind, PrintFmt, Quoting};

/// Parses; if that succeeds, what is printed parses to what prints the same.
fn survives(text: &str) {
    for quoting in [Quoting::Verbatim, Quoting::Stringified] {
        match PrintFmt::parse(text, quoting) {
            Ok(print) => {
                let printed = print.to_string();
                let again = PrintFmt::parse(&printed, quoting)
                    .unwrap_or_else(|error| panic!("{text:?} prints as {printed:?}: {error}"));
                assert_eq!(again.to_string(), printed, "{text:?}");
                assert_eq!(again.format().value(), print.format().value(), "{text:?}");
            }
            Err(error) => assert!(error.offset <= text.len(), "{text:?}: {error}"),
        }
    }
}

const REAL: &[&str] = &[
    r#""prev_comm=%s prev_state=%s%s ==> %.*s", REC->prev_comm, (REC->prev_state & (0x1 | 2)) ? __print_flags(REC->prev_state & 3, "|", { 0x1, "S" }, { 2, "D" }) : "R", -REC->a[1].b, 4, __get_str(name)"#,
    r#""%s", ({ int x = (REC->n); static const char *t[] = { "a", "b" }; union u r; r.w = 1; switch (x) { case 1: r.w += 2; break; default: ; } ((x) < (2) ? (x) : sizeof(u64)); })"#,
    r#""a "%s" 'b'
%pISpc", __print_symbolic(REC->x, { }, { 1, "one" " two", }), &REC->addr, (u8 [4]){ 1, '\n', }"#,
    r#""\t%ps" "\n", (void *)REC->ip, __print_hex(__get_dynamic_array(d), __get_dynamic_array_len(d) / sizeof(u8))"#,
];

#[test]
fn real_texts_survive_and_so_do_their_beginnings() {
    for text in REAL {
        assert!(
            [Quoting::Verbatim, Quoting::Stringified]
                .iter()
                .any(|quoting| PrintFmt::parse(text, *quoting).is_ok()),
            "{text}"
        );
        for end in 0..=text.len() {
            survives(&text[..end]);
        }
    }
}

/// What is nested 100,000 deep is refused, and not by an overflow of the stack.
#[test]
fn depth_has_a_limit() {
    let deep = |open: &str, middle: &str, close: &str| {
        let levels = 100_000;
        format!("\"\", {}{middle}{}", open.repeat(levels), close.repeat(levels))
    };
    for text in [
        deep("(", "1", ")"),
        deep("- ", "1", ""),
        deep("!~", "1", ""),
        deep("(u8)", "1", ""),
        deep("sizeof ", "x", ""),
        deep("1 ? ", "1", " : 2"),
        deep("1 ? 2 : ", "3", ""),
        deep("f(", "1", ")"),
        deep("a[", "1", "]"),
        deep("({ ", "1;", " })"),
        deep("({ { ", "1;", " } })"),
        deep("({ x = ", "1;", " })"),
        deep("(int[]){ ", "1", " }"),
        deep("(int[]){ { ", "1", " } }"),
        deep("__print_symbolic(", "1", ", { 1, \"a\" })"),
        deep("__print_hex(", "1", ", 1)"),
        deep("1 + ", "1", ""),
        deep("1 * 2 + ", "1", ""),
        format!("\"\", ({{ {}1; }})", "x = ".repeat(100_000)),
        deep("1 | (", "1", ")"),
        deep("", "a", ".b"),
        deep("", "a", "[1]"),
        deep("", "a", "()"),
        deep("", "1", " - 1"),
    ] {
        let error = PrintFmt::parse(&text, Quoting::Verbatim).unwrap_err();
        assert_eq!(error.kind, PrintErrorKind::C(CErrorKind::TooDeep), "{}", &text[..20]);
    }
}

#[test]
fn what_is_nested_less_deeply_is_a_tree() {
    for levels in [1, 50, 80] {
        let text = format!("\"%d\", {}1{}", "((u8)-".repeat(levels), ")".repeat(levels));
        let print = PrintFmt::parse(&text, Quoting::Verbatim).unwrap();
        assert_eq!(print.to_string(), text);
        let value = print.tree().constant(print.arguments()[0]).unwrap();
        assert_eq!(value.value(), if levels % 2 == 1 { 255 } else { 1 });
    }
    let chain = format!("\"%d\", 0{}", " + 1".repeat(250));
    let print = PrintFmt::parse(&chain, Quoting::Verbatim).unwrap();
    assert_eq!(print.tree().constant(print.arguments()[0]).unwrap().value(), 250);
}

#[test]
fn errors_say_where_and_what() {
    let error = |text: &str| PrintFmt::parse(text, Quoting::Verbatim).unwrap_err();
    let is = |text: &str, offset: usize, kind: CErrorKind| {
        assert_eq!(error(text), PrintError { offset, kind: PrintErrorKind::C(kind) }, "{text}");
    };
    is("\"\", 08", 4, CErrorKind::Constant);
    is("\"\", 1x", 4, CErrorKind::Constant);
    is("\"\", 99999999999999999999", 4, CErrorKind::Constant);
    is("\"\", 'ab'", 4, CErrorKind::Constant);
    is("\"\", ''", 4, CErrorKind::Constant);
    is("\"\", (1", 6, CErrorKind::Expected("`)`"));
    is("\"\", a ? b", 9, CErrorKind::Expected("`:`"));
    is("\"\", a[1", 7, CErrorKind::Expected("`]`"));
    is("\"\", a.1", 6, CErrorKind::Expected("the name of a member"));
    is("\"\", a++", 5, CErrorKind::Expected("a comma"));
    is("\"\", __print_hex(1)", 4, CErrorKind::Helper { helper: "__print_hex" });
    is("\"\", __get_str(a, 1)", 4, CErrorKind::Helper { helper: "__get_str" });
    is("\"\", __print_symbolic(1)", 22, CErrorKind::Expected("a comma"));
    is("\"\", ({ if (a) b; })", 7, CErrorKind::Statement);
    is("\"\", ({ int a = 1, b; })", 16, CErrorKind::Expected("`;`"));
    assert_eq!(error("\"\", (1").to_string(), "byte 6 of the print fmt: `)` must stand here");
}

/// Pieces of print fmts, so that random texts come far into the parser.
fn word() -> impl Strategy<Value = String> {
    let words = [
        "\"%s\"",
        "\"",
        "REC",
        "->",
        ".",
        "a",
        "b",
        "u8",
        "size_t",
        "struct",
        "const",
        "unsigned",
        "*",
        "&",
        "&&",
        "(",
        "(",
        ")",
        ")",
        "{",
        "}",
        "({",
        "})",
        "[",
        "]",
        ",",
        ", ",
        ";",
        "?",
        ":",
        "=",
        "+=",
        "+",
        "-",
        "--",
        "<<",
        ">=",
        "==",
        "!",
        "~",
        "%",
        "1",
        "0x1fUL",
        "'a'",
        "'\\''",
        "\\",
        "sizeof",
        "typeof",
        "static",
        "switch",
        "case",
        "default:",
        "break;",
        "__print_flags(",
        "__print_symbolic(",
        "__print_hex(",
        "__get_str(",
        "__print_dynamic_array(",
        "__get_buf(",
        "{ 1, \"a\" }",
        "%p",
        "%*d",
        "\n",
        "ä",
        "int x = ",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

/// An expression of constants as text with parentheses around every operator, and with those alone that C needs.
#[derive(Clone, Debug)]
struct Both {
    full: String,
    sparse: String,
    /// The binding power of the outermost operator of `sparse`.
    power: u8,
}

fn both() -> impl Strategy<Value = Both> {
    let leaf = (0u32..40).prop_map(|n| Both { full: n.to_string(), sparse: n.to_string(), power: 100 });
    leaf.prop_recursive(6, 64, 2, |inner| {
        // C11 6.5.5 to 6.5.14, from the tightest.
        let operators = [
            ("*", 12),
            ("/", 12),
            ("%", 12),
            ("+", 11),
            ("-", 11),
            ("<<", 10),
            (">>", 10),
            ("<", 9),
            ("<=", 9),
            (">", 9),
            (">=", 9),
            ("==", 8),
            ("!=", 8),
            ("&", 7),
            ("^", 6),
            ("|", 5),
            ("&&", 4),
            ("||", 3),
        ];
        let operator = prop::sample::select(operators.to_vec());
        let binary = (operator, inner.clone(), inner.clone()).prop_map(|((text, power), left, right)| Both {
            full: format!("({} {text} {})", left.full, right.full),
            sparse: format!("{} {text} {}", at_least(&left, power), at_least(&right, power + 1)),
            power,
        });
        let unary = (prop::sample::select(vec!["-", "~", "!", "(s8)", "(u32)"]), inner.clone()).prop_map(
            |(text, operand)| Both {
                full: format!("({text}({}))", operand.full),
                sparse: format!("{text} {}", at_least(&operand, 20)),
                power: 20,
            },
        );
        let conditional = (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| Both {
            full: format!("({} ? {} : {})", a.full, b.full, c.full),
            sparse: format!("{} ? {} : {}", at_least(&a, 3), b.sparse, at_least(&c, 2)),
            power: 2,
        });
        prop_oneof![4 => binary, 1 => unary, 1 => conditional]
    })
}

fn at_least(side: &Both, power: u8) -> String {
    if side.power >= power { side.sparse.clone() } else { format!("({})", side.sparse) }
}

proptest! {
    #[test]
    fn any_text_is_an_error_or_a_tree(text in ".{0,60}") {
        survives(&text);
        survives(&format!("\"{text}"));
        survives(&format!("\"\", {text}"));
    }

    #[test]
    fn any_words_are_an_error_or_a_tree(words in prop::collection::vec(word(), 0..40)) {
        survives(&words.concat());
        survives(&format!("\"\", {}", words.join(" ")));
    }

    #[test]
    fn a_changed_byte_is_an_error_or_a_tree(which in 0..REAL.len(), at: prop::sample::Index, new in any::<u8>()) {
        let mut bytes = REAL[which].as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = new;
        survives(&String::from_utf8_lossy(&bytes));
        bytes.remove(at);
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn operators_bind_as_in_c(expression in both()) {
        let constant = |text: &str| {
            let text = format!("\"\", {text}");
            let print = PrintFmt::parse(&text, Quoting::Verbatim).unwrap_or_else(|error| panic!("{text}: {error}"));
            print.tree().constant(print.arguments()[0])
        };
        prop_assert_eq!(constant(&expression.full), constant(&expression.sparse), "{:?}", expression);
    }
}
