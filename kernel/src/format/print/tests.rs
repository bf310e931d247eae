//! Trees of expressions and statements, and how they print.

use super::*;
use crate::c::{BinaryOperator, Expr, Statement};
use crate::tables::print_helpers::HelperResult;

fn parse(arguments: &str) -> PrintFmt {
    let text = format!("\"\", {arguments}");
    PrintFmt::parse(&text, Quoting::Verbatim).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the first argument of a text.
fn first(arguments: &str) -> Expr {
    let print = parse(arguments);
    print.tree.expression(print.arguments()[0]).clone()
}

/// Returns an argument as it prints.
fn printed(argument: &str) -> String {
    let print = parse(argument);
    print.tree.display(print.arguments()[0]).to_string()
}

#[test]
fn a_name_in_parentheses_is_a_cast_where_an_operand_follows() {
    for text in [
        "(u8)x",
        "(u8)-x",
        "(size_t)&x",
        "(size_t)*x",
        "(x)y",
        "(x)1",
        "(x)(y)",
        "(x)!y",
        "(x)~y",
        "(x)\"y\"",
        "(x *)y",
        "(const x)y",
        "(struct x)y",
        "(struct x *)(y)",
        "(unsigned long long)x",
        "(void (*)(int))x",
        "(typeof(y))x",
    ] {
        assert!(matches!(first(text), Expr::Cast { .. }), "{text}: {:?}", first(text));
    }
    for text in ["(x) - y", "(x) & y", "(x) * y", "(x) + y", "(x) ? 1 : 2", "(x * y) - 1"] {
        assert!(!matches!(first(text), Expr::Cast { .. }), "{text}: {:?}", first(text));
    }
    assert!(matches!(first("(REC)->x"), Expr::Member { arrow: true, .. }));
    assert!(matches!(first("(x)"), Expr::Paren(_)));
    assert!(matches!(first("sizeof(u64)"), Expr::SizeOfType(_)));
    assert!(matches!(first("sizeof(struct x)"), Expr::SizeOfType(_)));
    assert!(matches!(first("sizeof(x)"), Expr::SizeOf(_)));
    assert!(matches!(first("(u8[]){ 1 }"), Expr::Compound { .. }));
}

#[test]
fn a_type_is_a_text_that_says_what_it_is() {
    for (text, name, size, pointer) in [
        ("(unsigned   long)x", "unsigned long", Some(8), false),
        ("( __u16)x", "__u16", Some(2), false),
        ("(const  u8)x", "const u8", Some(1), false),
        ("(void*)x", "void *", None, true),
        ("(const struct  page *const)x", "const struct page *const", None, true),
        ("(char**)x", "char **", None, true),
        ("(some_t)x", "some_t", None, false),
        ("(void(*)(int,char*))x", "void(*)(int, char *)", None, true),
        ("(typeof(1+2))x", "typeof(1+2)", None, false),
        ("(struct { int a ; })x", "struct { int a; }", None, false),
    ] {
        let Expr::Cast { ty, .. } = first(text) else { panic!("{text} is not a cast") };
        assert_eq!(
            (ty.text(), ty.integer().map(|c| c.size), ty.is_pointer()),
            (name, size, pointer),
            "{text}"
        );
    }
}

#[test]
fn helpers_are_nodes_of_their_own() {
    let print =
        parse(r#"__get_rel_str(name), __print_dynamic_array(list, 4), __print_hex(REC->a, 4), __get_str"#);
    let exprs: Vec<&Expr> = print.arguments().iter().map(|&id| print.tree.expression(id)).collect();
    let Expr::Dynamic { helper, field, index: None, arguments } = exprs[0] else { panic!("{:?}", exprs[0]) };
    assert_eq!(
        (helper.result, helper.relative, &**field, arguments.len()),
        (HelperResult::Str, true, "name", 0)
    );
    let Expr::Dynamic { helper, field, index: None, arguments } = exprs[1] else { panic!("{:?}", exprs[1]) };
    assert_eq!((helper.result, &**field, arguments.len()), (HelperResult::PrintDynamicArray, "list", 1));
    let Expr::Helper { helper, arguments } = exprs[2] else { panic!("{:?}", exprs[2]) };
    assert_eq!((helper.result, arguments.len()), (HelperResult::Hex, 2));
    assert_eq!(print.tree.field_name(arguments[0]), Some("a"));
    assert_eq!(*exprs[3], Expr::Name("__get_str".into()));

    let Expr::Table(table) = first(r#"__print_flags(REC->f, "|", { 1, "A" }, { 2, "B", })"#) else {
        panic!("no table")
    };
    assert_eq!((table.helper.result, table.entries.len()), (HelperResult::Flags, 2));
    assert!(table.delimiter.is_some());
}

#[test]
fn a_block_holds_statements() {
    let print = parse(
        "({ static const char *t[2][] = { \"a\", { 1, } }; s = 1; switch (x) { case 2: s <<= 3; break; default: } ; s; })",
    );
    let Expr::Block(statements) = print.tree.expression(print.arguments()[0]) else { panic!("no block") };
    let statements: Vec<&Statement> = statements.iter().map(|&id| print.tree.statement(id)).collect();
    let [Statement::Declaration { is_static, ty, name, dimensions, initializer }, assign, switch, last] =
        statements.as_slice()
    else {
        panic!("{statements:?}")
    };
    assert!(is_static);
    assert_eq!((ty.text(), &**name, dimensions.len()), ("const char *", "t", 2));
    assert!(dimensions[0].is_some() && dimensions[1].is_none() && initializer.is_some());
    let Statement::Expression(id) = assign else { panic!("{assign:?}") };
    assert!(matches!(print.tree.expression(*id), Expr::Assign { operator: None, .. }));
    let Statement::Switch { body, .. } = switch else { panic!("{switch:?}") };
    let body: Vec<&Statement> = body.iter().map(|&id| print.tree.statement(id)).collect();
    let [Statement::Case(_), Statement::Expression(id), Statement::Break, Statement::Default] =
        body.as_slice()
    else {
        panic!("{body:?}")
    };
    let shift = Some(BinaryOperator::ShiftLeft);
    assert!(matches!(print.tree.expression(*id), Expr::Assign { operator, .. } if *operator == shift));
    assert!(matches!(last, Statement::Expression(_)));
}

#[test]
fn white_space_is_all_that_printing_changes() {
    for (text, canonical) in [
        ("a+b*c", "a + b * c"),
        ("-  -a", "- -a"),
        ("- -  -1", "- - -1"),
        ("&REC -> a [ 1 ] . b", "&REC->a[1].b"),
        ("! ! a", "!!a"),
        ("a?b:c?d:e", "a ? b : c ? d : e"),
        ("a?:b", "a ?: b"),
        ("(u8)( a )", "(u8)(a)"),
        ("sizeof  a", "sizeof a"),
        ("sizeof ( a )", "sizeof(a)"),
        ("f ( a,b )", "f(a, b)"),
        ("f(int,struct x*)", "f(int, struct x *)"),
        ("0x1FuL", "0x1FuL"),
        ("'\\''", "'\\''"),
        ("\"a  b\"\n\"c\"", "\"a  b\" \"c\""),
        (
            "__print_symbolic(a,{1,\"x\"},{2,\"y\",},{})",
            "__print_symbolic(a, { 1, \"x\" }, { 2, \"y\", }, { })",
        ),
        ("__get_str( s [ 0 ] )", "__get_str(s[0])"),
        ("__get_stacktrace(st)", "__get_stacktrace(st)"),
        ("(int[ ]){1,2,}", "(int[]){ 1, 2, }"),
        ("({int*p=&a;*p;})", "({ int *p = &a; *p; })"),
        ("({switch(a){case 1:b=2;break;}})", "({ switch (a) { case 1: b = 2; break; } })"),
    ] {
        assert_eq!(printed(text), canonical, "{text}");
        assert_eq!(printed(canonical), canonical);
    }
}

#[test]
fn spans_say_where_an_expression_stands() {
    let text = "\"%d\", (REC->a + 1) * f(2)";
    let print = PrintFmt::parse(text, Quoting::Verbatim).unwrap();
    let found: Vec<&str> = print
        .tree
        .expressions()
        .map(|(id, _)| {
            let range = print.tree.range(id);
            &text[range.start as usize..range.end as usize]
        })
        .collect();
    assert_eq!(
        found,
        ["REC", "REC->a", "1", "REC->a + 1", "(REC->a + 1)", "f", "2", "f(2)", "(REC->a + 1) * f(2)"]
    );
}

#[test]
fn an_id_of_another_tree_is_no_panic() {
    let (small, large) = (parse("1"), parse("({ 1; 2; 3; })"));
    let (id, _) = large.tree.expressions().last().unwrap();
    assert_eq!(*small.tree.expression(id), Expr::Record);
    let Expr::Block(statements) = large.tree.expression(id) else { panic!("no block") };
    assert_eq!(*small.tree.statement(statements[2]), Statement::Block(Vec::new()));
}
