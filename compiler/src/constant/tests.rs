//! Constants built by hand, so that the tests do not depend on the grammar.

use std::collections::BTreeMap;

use tracec_grammar::Parsed;
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::*;

use super::*;
use crate::diagnostic::{Diagnostics, Severity, Suggestions};
use crate::ir::definition::{ConstantTable, Constants, ConstantsId};

/// A builder of declarations. Each item has a span of its own, so that two mistakes are never taken for one.
#[derive(Default)]
struct Build {
    file: File,
    at: usize,
}

impl Build {
    fn span(&mut self) -> Span {
        self.at += 1;
        Span::new(self.at, self.at + 1)
    }

    fn name(&mut self, text: &str) -> Name {
        Spanned::new(text.to_owned(), self.span())
    }

    fn push(&mut self, kind: ExprKind) -> ExprId {
        let span = self.span();
        self.file.exprs.push(Expr { kind, span, depth: 1 })
    }

    fn int(&mut self, value: u64) -> ExprId {
        self.push(ExprKind::Int(value))
    }

    fn named(&mut self, path: &str) -> ExprId {
        let parts: Vec<Name> = path.split("::").map(|part| self.name(part)).collect();
        match parts.as_slice() {
            [only] => self.push(ExprKind::Name(only.value.clone())),
            _ => self.push(ExprKind::Path(parts)),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let op = Spanned::new(op, self.span());
        self.push(ExprKind::Binary { op, left, right })
    }

    fn neg(&mut self, operand: ExprId) -> ExprId {
        let op = Spanned::new(UnaryOp::Neg, self.span());
        self.push(ExprKind::Unary { op, operand })
    }

    fn ty(&mut self, words: &str) -> TypeRef {
        let words = words.split(' ').map(|word| self.name(word)).collect();
        TypeRef { pointers: Vec::new(), base: TypeBase::Words(words), array: None, span: self.span() }
    }

    fn cast(&mut self, operand: ExprId, ty: &str) -> ExprId {
        let ty = self.ty(ty);
        self.push(ExprKind::Cast { operand, ty: Box::new(ty) })
    }

    fn declare(&mut self, kind: DeclarationKind) {
        let span = self.span();
        self.file.declarations.push(Declaration { doc: None, kind, span });
    }

    fn constant(&mut self, name: &str, ty: Option<&str>, value: ExprId) {
        let (name, ty) = (self.name(name), ty.map(|ty| self.ty(ty)));
        self.declare(DeclarationKind::Const(Const { name, ty, value }));
    }

    fn enumeration(&mut self, flags: bool, name: &str, ty: Option<&str>, members: &[(&str, Option<ExprId>)]) {
        let (name, ty) = (self.name(name), ty.map(|ty| self.ty(ty)));
        let members = members
            .iter()
            .map(|(name, value)| EnumMember {
                doc: None,
                name: self.name(name),
                value: *value,
                text: None,
                span: Span::default(),
            })
            .collect();
        let syntax = Enum { name, ty, members };
        self.declare(if flags { DeclarationKind::Flags(syntax) } else { DeclarationKind::Enum(syntax) });
    }

    fn finish(&self) -> (Constants, Vec<(&'static str, Severity)>) {
        self.finish_with(BTreeMap::new(), &mut ConstantTable::default())
    }

    fn finish_with(
        &self,
        imports: BTreeMap<String, ConstantsId>,
        table: &mut ConstantTable,
    ) -> (Constants, Vec<(&'static str, Severity)>) {
        let mut diagnostics = Diagnostics::default();
        let parsed = Parsed { file: self.file.clone(), ..Parsed::default() };
        let (constants, _) = declare(&parsed, imports, table, &mut diagnostics);
        (constants, diagnostics.finish().iter().map(|d| (d.code.id, d.severity)).collect())
    }
}

/// Returns the value of one expression, or the code of its mistake.
fn eval(make: impl FnOnce(&mut Build) -> ExprId) -> Result<Value, &'static str> {
    let mut build = Build::default();
    let id = make(&mut build);
    let (own, table) = Default::default();
    let (constants, suggestions) = (VisibleConstants { own: &own, table: &table }, Suggestions::default());
    const_eval(id, &build.file.exprs, &Scope::of(constants, &suggestions)).map_err(|failure| match failure {
        Failure::Mistake(diagnostic) => diagnostic.code.id,
        Failure::Reported => "reported",
    })
}

fn numbers(op: BinaryOp, left: i128, right: i128) -> Result<i128, &'static str> {
    let literal = |build: &mut Build, value: i128| {
        let id = build.int(u64::try_from(value.unsigned_abs()).unwrap());
        if value < 0 { build.neg(id) } else { id }
    };
    eval(|build| {
        let (left, right) = (literal(build, left), literal(build, right));
        build.binary(op, left, right)
    })
    .map(|value| value.number().unwrap())
}

const MOST: i128 = u64::MAX as i128;
const LEAST: i128 = i64::MIN as i128;

#[test]
fn numbers_are_exact_or_refused() {
    use BinaryOp::*;
    for (left, op, right, result) in [
        (1, Add, 2, Ok(3)),
        (MOST, Add, 0, Ok(MOST)),
        (MOST, Add, 1, Err("T0704")),
        (LEAST, Sub, 1, Err("T0704")),
        (MOST, Mul, MOST, Err("T0704")),
        (-7, Div, 2, Ok(-3)),
        (-7, Rem, 2, Ok(-1)),
        (7, Div, 0, Err("T0705")),
        (7, Rem, 0, Err("T0705")),
        (1, Shl, 63, Ok(1 << 63)),
        (1, Shl, 64, Err("T0706")),
        (1, Shl, -1, Err("T0706")),
        (2, Shl, 63, Err("T0704")),
        (-8, Shr, 1, Ok(-4)),
        (LEAST, Shr, 63, Ok(-1)),
        (-1, BitAnd, 0xff, Ok(0xff)),
        (6, BitXor, 3, Ok(5)),
        (6, BitOr, 1, Ok(7)),
        (1, Lt, 2, Err("T0703")),
        (1, Match, 2, Err("T0703")),
    ] {
        assert_eq!(numbers(op, left, right), result, "{left} {} {right}", op.symbol());
    }
}

#[test]
fn sizes_stay_sizes_and_durations_are_no_numbers() {
    use BinaryOp::*;
    let both = |op, left: ExprKind, right: ExprKind| {
        eval(|build| {
            let (left, right) = (build.push(left), build.push(right));
            build.binary(op, left, right)
        })
    };
    let (size, time, int) = (ExprKind::Size, ExprKind::Duration, ExprKind::Int);
    assert_eq!(both(Mul, size(1024), int(4)), Ok(Value::Size(4096)));
    assert_eq!(both(Div, size(1024), size(512)), Ok(Value::int(2)));
    assert_eq!(both(Div, size(1024), int(2)), Ok(Value::Size(512)));
    assert_eq!(both(Sub, int(1), size(1024)), Ok(Value::int(-1023)));
    assert_eq!(both(Mul, int(3), time(10)), Ok(Value::Duration(30)));
    assert_eq!(both(Sub, time(10), time(3)), Ok(Value::Duration(7)));
    assert_eq!(both(Sub, time(3), time(10)), Err("T0704"));
    assert_eq!(both(Div, time(10), time(3)), Ok(Value::int(3)));
    assert_eq!(both(Div, time(10), int(0)), Err("T0705"));
    assert_eq!(both(Add, time(10), int(3)), Err("T0708"));
    assert_eq!(both(Mul, time(u64::MAX), int(2)), Err("T0704"));
    assert_eq!(both(Add, ExprKind::Str("a".to_owned()), int(3)), Err("T0708"));
}

#[test]
fn casts_cut_and_count() {
    let cast = |kind, ty: &str| {
        eval(|build| {
            let operand = build.push(kind);
            build.cast(operand, ty)
        })
    };
    assert_eq!(cast(ExprKind::Int(0x1ff), "u8"), Ok(Value::int(0xff)));
    assert_eq!(cast(ExprKind::Int(0x1ff), "s8"), Ok(Value::int(-1)));
    assert_eq!(cast(ExprKind::Int(u64::MAX), "long"), Ok(Value::int(-1)));
    assert_eq!(cast(ExprKind::Int(5), "unsigned long"), Ok(Value::int(5)));
    assert_eq!(cast(ExprKind::Duration(1_999_999), "ms"), Ok(Value::int(1)));
    assert_eq!(cast(ExprKind::Duration(1), "u8"), Err("T0708"));
    assert_eq!(cast(ExprKind::Int(1), "u88"), Err("T0715"));
    assert_eq!(cast(ExprKind::Size(1), "u64"), Ok(Value::int(1)));
}

#[test]
fn declarations_stand_in_any_order() {
    let mut build = Build::default();
    let (b, one) = (build.named("B"), build.int(1));
    let sum = build.binary(BinaryOp::Add, b, one);
    build.constant("A", Some("u8"), sum);
    let err = build.named("Status::Err");
    build.constant("B", None, err);
    let big = build.named("BIG");
    build.enumeration(false, "Status", Some("u8"), &[("Ok", None), ("Err", Some(big)), ("More", None)]);
    let seven = build.int(7);
    build.constant("BIG", None, seven);
    let mut table = ConstantTable::default();
    let (constants, found) = build.finish_with(BTreeMap::new(), &mut table);
    assert_eq!(found, []);
    assert_eq!(constants.values["A"], Value::int(8));
    let status = constants.enums["Status"];
    let values: Vec<_> =
        table[status].members().iter().map(|member| (member.name.as_str(), member.value)).collect();
    assert_eq!(values, [("Ok", 0), ("Err", 7), ("More", 8)]);
    assert_eq!(constants.values["B"], Value::Int { value: 7, of: Some(EnumRef::Declared(status)) });
}

#[test]
fn flags_take_the_next_bit() {
    let mut build = Build::default();
    let three = build.int(3);
    build.enumeration(
        true,
        "Op",
        None,
        &[("READ", None), ("BOTH", Some(three)), ("SYNC", None), ("META", None)],
    );
    let (read, sync) = (build.named("Op::READ"), build.named("Op::SYNC"));
    let both = build.binary(BinaryOp::BitOr, read, sync);
    build.constant("MASK", Some("Op"), both);
    let mut table = ConstantTable::default();
    let (constants, found) = build.finish_with(BTreeMap::new(), &mut table);
    assert_eq!(found, []);
    let op = constants.enums["Op"];
    assert_eq!(table[op].members().iter().map(|member| member.value).collect::<Vec<_>>(), [1, 3, 4, 8]);
    assert_eq!(constants.values["MASK"], Value::Int { value: 5, of: Some(EnumRef::Declared(op)) });
}

#[test]
fn a_cycle_is_reported_once_and_its_users_are_not() {
    let mut build = Build::default();
    for (name, uses) in [("A", "B"), ("B", "C"), ("C", "A"), ("D", "A"), ("E", "E")] {
        let value = build.named(uses);
        build.constant(name, None, value);
    }
    let (constants, found) = build.finish();
    assert_eq!(found, [("T0702", Severity::Error), ("T0702", Severity::Error)]);
    assert!(constants.values.is_empty());
    assert_eq!(constants.failed.iter().map(String::as_str).collect::<Vec<_>>(), ["A", "B", "C", "D", "E"]);
}

/// A file of a few megabytes may hold such a chain: it must cost neither stack nor the square of its length.
#[test]
fn long_chains_and_long_cycles_are_walked() {
    const LENGTH: usize = 100_000;
    for closed in [false, true] {
        let mut build = Build::default();
        for index in 0..LENGTH {
            let value = match index + 1 {
                LENGTH if closed => build.named("C0"),
                LENGTH => build.int(9),
                next => build.named(&format!("C{next}")),
            };
            build.constant(&format!("C{index}"), None, value);
        }
        let (constants, found) = build.finish();
        assert_eq!(found.len(), usize::from(closed));
        assert_eq!(constants.values.get("C0"), (!closed).then(|| Value::int(9)).as_ref());
    }
}

#[test]
fn mistakes_of_enums_are_found() {
    let declare = |flags, ty: Option<&str>, members: &[(&str, Option<i64>)]| {
        let mut build = Build::default();
        let members: Vec<_> = members
            .iter()
            .map(|(name, value)| {
                let id = value.map(|value| {
                    let id = build.int(value.unsigned_abs());
                    if value < 0 { build.neg(id) } else { id }
                });
                (*name, id)
            })
            .collect();
        build.enumeration(flags, "E", ty, &members);
        let (constants, found) = build.finish();
        assert_eq!(
            constants.enums.is_empty(),
            found.iter().any(|(_, severity)| *severity == Severity::Error)
        );
        assert_ne!(constants.enums.is_empty(), constants.failed.is_empty());
        found.iter().map(|(code, _)| *code).collect::<Vec<_>>()
    };
    assert_eq!(declare(false, Some("u8"), &[("A", Some(255)), ("B", None), ("C", None)]), ["T0707"]);
    assert_eq!(declare(false, Some("u8"), &[("A", Some(256))]), ["T0707"]);
    assert_eq!(declare(false, Some("s8"), &[("A", Some(-128))]), [""; 0]);
    assert_eq!(declare(false, None, &[("A", Some(-1))]), ["T0707"]);
    assert_eq!(declare(true, Some("u8"), &[("A", Some(128)), ("B", None)]), ["T0707"]);
    assert_eq!(declare(true, None, &[("A", Some(0))]), ["T0711"]);
    assert_eq!(declare(true, Some("s32"), &[("A", Some(-1))]), ["T0711"]);
    assert_eq!(declare(false, None, &[("A", None), ("A", None)]), ["T0709"]);
    assert_eq!(declare(false, None, &[("A", Some(1)), ("B", Some(1))]), ["T0710"]);
    assert_eq!(declare(false, Some("string"), &[("A", None)]), ["T0713"]);
    assert_eq!(declare(false, Some("u31"), &[("A", None)]), ["T0715"]);
    assert_eq!(declare(false, None, &[]), ["T0714"]);
}

#[test]
fn imports_are_seen_with_and_without_their_name() {
    let mut errno = Build::default();
    let five = errno.int(5);
    errno.enumeration(false, "Errno", Some("s32"), &[("EIO", Some(five))]);
    let two = errno.int(2);
    errno.constant("ENOENT", None, two);
    let mut table = ConstantTable::default();
    let (errno, found) = errno.finish_with(BTreeMap::new(), &mut table);
    assert_eq!(found, []);
    let imports = BTreeMap::from([("errno".to_owned(), table.add(errno))]);
    for (path, expected) in [
        ("EIO", Ok(5)),
        ("errno::EIO", Ok(5)),
        ("errno::Errno::EIO", Ok(5)),
        ("errno::ENOENT", Ok(2)),
        ("errno::EIOO", Err("T0212")),
        ("Errno", Err("T0212")),
        ("ENOENT", Err("T0712")),
    ] {
        let mut build = Build::default();
        let three = build.int(3);
        build.constant("ENOENT", None, three);
        let value = build.named(path);
        build.constant("X", None, value);
        let (constants, found) = build.finish_with(imports.clone(), &mut table);
        match expected {
            Ok(number) => {
                assert_eq!((constants.values["X"].number(), found), (Some(number), Vec::new()), "{path}")
            }
            Err(code) => assert_eq!(found, [(code, Severity::Error)], "{path}"),
        }
    }
}

#[test]
fn enums_of_one_name_in_two_files_are_different_types() {
    let mut table = ConstantTable::default();
    let mut other = Build::default();
    other.enumeration(false, "Status", None, &[("Ok", None)]);
    let (other, found) = other.finish_with(BTreeMap::new(), &mut table);
    assert_eq!(found, []);
    let imports = BTreeMap::from([("other".to_owned(), table.add(other))]);
    let mut build = Build::default();
    build.enumeration(false, "Status", None, &[("Ok", None)]);
    for (name, path) in [("OWN", "Status::Ok"), ("OTHER", "other::Status::Ok")] {
        let value = build.named(path);
        build.constant(name, Some("Status"), value);
    }
    let (constants, found) = build.finish_with(imports, &mut table);
    assert_eq!(found, [(codes::constant_mismatch::CODE.id, Severity::Error)]);
    assert!(constants.values.contains_key("OWN") && constants.failed.contains("OTHER"));
}

#[test]
fn unknown_names_are_reported_with_similar_ones() {
    let mut build = Build::default();
    build.enumeration(false, "Status", None, &[("Ok", None), ("Error", None)]);
    let value = build.named("Status::Eror");
    build.constant("X", None, value);
    let bare = build.named("Error");
    build.constant("Y", None, bare);
    let ty = build.named("Status");
    build.constant("Z", None, ty);
    let mut diagnostics = Diagnostics::default();
    let (parsed, mut table) = (Parsed { file: build.file, ..Parsed::default() }, ConstantTable::default());
    declare(&parsed, BTreeMap::new(), &mut table, &mut diagnostics);
    let found = diagnostics.finish();
    let codes: Vec<_> = found.iter().map(|d| d.code.id).collect();
    assert_eq!(codes, ["T0212", "T0212", "T0703"]);
    assert_eq!(found[0].fixes[0].edits[0].text, "Status::Error");
    assert_eq!(found[1].fixes[0].edits[0].text, "Status::Error");
}

/// An import that could not be found has been reported; uses of its names are not reported as further mistakes.
#[test]
fn names_of_a_missing_import_are_not_reported_again() {
    let mut build = Build::default();
    let imported = Imported::Module(vec![build.name("std"), build.name("errno")]);
    build.declare(DeclarationKind::Use(Use { imported, alias: None }));
    let value = build.named("errno::EIO");
    build.constant("X", None, value);
    let bare = build.named("EIO");
    build.constant("Y", None, bare);
    let (constants, found) = build.finish();
    assert_eq!(found, []);
    assert!(constants.failed.contains("X") && constants.failed.contains("Y"));
}

#[test]
fn a_scope_puts_parameters_first_and_members_of_the_comparand_next() {
    let mut build = Build::default();
    build.enumeration(false, "Status", None, &[("Ok", None), ("Err", None)]);
    let mut table = ConstantTable::default();
    let (own, _) = build.finish_with(BTreeMap::new(), &mut table);
    let params = BTreeMap::from([("Ok".to_owned(), Value::int(9))]);
    let status = own.enums["Status"];
    let suggestions = Suggestions::default();
    let plain = Scope::of(VisibleConstants { own: &own, table: &table }, &suggestions);
    let expected = Some(Expected::declared(status, &table));
    let scope = Scope { params: Some(&params), expected, ..plain };
    let mut build = Build::default();
    let (ok, err, field) = (build.named("Ok"), build.named("Err"), build.named("prev_prio"));
    let exprs = &build.file.exprs;
    assert_eq!(const_eval(ok, exprs, &scope).unwrap(), Value::int(9));
    let one = Value::Int { value: 1, of: Some(EnumRef::Declared(status)) };
    assert_eq!(const_eval(err, exprs, &scope).unwrap(), one);
    assert!(is_constant(err, exprs, &scope) && !is_constant(field, exprs, &scope));
    assert!(!is_constant(err, exprs, &plain));
}
