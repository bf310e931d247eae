//! Each rule of the specification at the head of `condition/ir.rs`, in both byte orders.

use tracec_kernel::condition::context::{Context, NoContext};
use tracec_kernel::condition::eval::{Predicate, eval};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::IntegerType;
use tracec_kernel::tables::limits::POINTED_TEXT_BYTES;

use crate::bytes::{KERNEL_TEXT, USER_TEXT, VFS_READ};
use crate::event::{Bytes, Moment, field};

fn number(name: &str) -> Number {
    Number::Field(field(name))
}

fn is(left: Number, op: CompareOp, right: Number) -> Condition {
    Condition::Atom(Atom::Compare { left, op, right })
}

fn equals(left: Number, value: i128) -> Condition {
    Condition::compare(left, CompareOp::Eq, value)
}

fn text(of: &str, test: TextTest) -> Condition {
    Condition::Atom(Atom::Text { of: Text::Field(field(of)), test })
}

fn eq(text: &str) -> TextTest {
    TextTest::Eq(text.to_owned())
}

fn ne(text: &str) -> TextTest {
    TextTest::Ne(text.to_owned())
}

fn glob(pattern: &str) -> TextTest {
    TextTest::Glob(Glob::parse(pattern).unwrap())
}

fn mask(of: &str, test: MaskTest, cpus: &[(i128, i128)]) -> Condition {
    let cpus = Ranges::new(cpus.iter().copied());
    Condition::Atom(Atom::Mask { of: field(of), test, cpus })
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

fn computed(op: NumberOp, left: i128, right: i128) -> Number {
    Number::binary(op, Number::Const(left), Number::Const(right))
}

/// Both forms of the evaluator give this, and its opposite for the negation.
#[track_caller]
fn gives(expected: bool, condition: &Condition, bytes: &Bytes, context: &dyn Context) {
    let negated = not(condition.clone());
    bytes.read(|record| {
        assert_eq!(eval(condition, record, context), expected, "{condition:?}");
        assert_eq!(
            Predicate::new(condition, record.format).holds(record, context),
            expected,
            "prepared: {condition:?}"
        );
        assert_eq!(eval(&negated, record, context), !expected, "negated: {condition:?}");
        assert_eq!(
            Predicate::new(&negated, record.format).holds(record, context),
            !expected,
            "prepared, negated"
        );
    });
}

/// In both byte orders, the record as `fill` makes it.
#[track_caller]
fn both_orders(fill: impl Fn(&mut Bytes), expected: &[(bool, Condition)]) {
    for little_endian in [true, false] {
        let mut bytes = Bytes::new(little_endian);
        fill(&mut bytes);
        for (expected, condition) in expected {
            gives(*expected, condition, &bytes, &NoContext);
        }
    }
}

fn moment() -> Moment {
    Moment { comm: b"bash", kernel: b"eth0".to_vec(), user: b"/etc/passwd".to_vec() }
}

#[test]
fn integers_are_extended_by_their_own_sign() {
    let fill = |bytes: &mut Bytes| {
        bytes.put("small", 0xff);
        bytes.put("byte", 0xff);
        bytes.put("half", 0xfed4);
        bytes.put("word", u32::MAX.into());
        bytes.put("large", u64::MAX);
        bytes.put("deep", u64::MAX);
        bytes.put("address", 0xffff_8880_1234_5678);
        bytes.put("common_pid", (-3i32 as u32).into());
    };
    both_orders(
        fill,
        &[
            (true, equals(number("small"), -1)),
            (true, equals(number("byte"), 255)),
            (true, equals(number("half"), -300)),
            (true, equals(number("word"), u32::MAX.into())),
            (true, equals(number("large"), u64::MAX.into())),
            (false, equals(number("large"), -1)),
            (true, equals(number("deep"), -1)),
            (true, equals(number("address"), 0xffff_8880_1234_5678)),
            (true, equals(number("common_pid"), -3)),
            (true, equals(Number::Pid, -3)),
            (true, is(number("small"), CompareOp::Lt, number("byte"))),
            (true, is(number("deep"), CompareOp::Lt, number("large"))),
            (true, is(number("deep"), CompareOp::Eq, number("small"))),
        ],
    );
}

#[test]
fn a_signed_argument_is_its_c_type_in_the_low_bytes() {
    for spelling in [0xffff_ff9c, 0xffff_ffff_ffff_ff9c] {
        both_orders(
            |bytes| bytes.put("dfd", spelling),
            &[
                (true, equals(number("dfd"), -100)),
                (true, Condition::compare(number("dfd"), CompareOp::Lt, 0)),
                (false, Condition::compare(number("dfd"), CompareOp::Ge, -99)),
            ],
        );
    }
}

#[test]
fn an_unsigned_argument_is_its_c_type_in_the_low_bytes() {
    use CompareOp::*;
    let any_bit = |name: &str, mask| {
        is(Number::binary(NumberOp::And, number(name), Number::Const(mask)), Ne, Number::Const(0))
    };
    let wide =
        |name: &str| Number::Cast { to: IntegerType { bytes: 8, signed: false }, of: Box::new(number(name)) };
    both_orders(
        |bytes| {
            bytes.put("fd", 0xdead_beef_0000_004d);
            bytes.put("mode", 0xffff_ffff_ffff_01ed);
        },
        &[
            (true, equals(number("fd"), 77)),
            (false, equals(number("fd"), 78)),
            (false, equals(number("fd"), 0xdead_beef_0000_004d)),
            (true, Condition::compare(number("fd"), Lt, 78)),
            (true, equals(wide("fd"), 77)),
            (true, is(number("fd"), Lt, number("mode"))),
            (true, equals(number("mode"), 0o755)),
            (true, any_bit("mode", 0o111)),
            (false, any_bit("mode", 0xffff_0000)),
        ],
    );
    both_orders(
        |bytes| bytes.put("fd", u64::MAX),
        &[(true, equals(number("fd"), 0xffff_ffff)), (true, Condition::compare(number("fd"), Gt, 2))],
    );
}

#[test]
fn comparisons_with_constants_hold_at_their_edges() {
    use CompareOp::*;
    let min = i128::from(i64::MIN);
    let max = i128::from(u64::MAX);
    let fill = |bytes: &mut Bytes| {
        bytes.put("large", u64::MAX);
        bytes.put("deep", 1 << 63);
        bytes.put("half", 5);
    };
    let compare = |name: &str, op, value| Condition::compare(number(name), op, value);
    both_orders(
        fill,
        &[
            (true, compare("large", Ge, max)),
            (false, compare("large", Gt, max)),
            (true, compare("large", Le, max)),
            (false, compare("large", Lt, max)),
            (false, compare("large", Ne, max)),
            (true, compare("large", Gt, -1)),
            (true, compare("large", Ne, -1)),
            (true, compare("deep", Le, min)),
            (false, compare("deep", Lt, min)),
            (true, compare("deep", Lt, max)),
            (false, compare("deep", Ge, max)),
            (true, compare("half", Ne, 4)),
            (false, compare("half", Lt, 5)),
            (true, compare("half", Le, 5)),
            (false, compare("half", Gt, 5)),
            (true, compare("half", Ge, 5)),
        ],
    );
}

#[test]
fn sets_have_runs() {
    let within = |of: Number, ranges: &[(i128, i128)]| {
        Condition::Atom(Atom::In { of, ranges: Ranges::new(ranges.iter().copied()) })
    };
    let twice = || Number::binary(NumberOp::Add, number("half"), number("half"));
    both_orders(
        |bytes| bytes.put("half", (-7i16 as u16).into()),
        &[
            (true, within(number("half"), &[(-7, -7)])),
            (true, within(number("half"), &[(-9, -8), (-7, 3)])),
            (false, within(number("half"), &[(-9, -8), (-6, 3)])),
            (true, within(number("half"), &[(i64::MIN.into(), -8), (-7, -7)])),
            (false, within(number("half"), &[])),
            (true, within(twice(), &[(-14, -14), (9, 9)])),
            (false, within(twice(), &[(-13, 9)])),
        ],
    );
}

#[test]
fn arithmetic_wraps_and_has_no_value_where_there_is_none() {
    use NumberOp::*;
    let (min, max) = (i128::from(i64::MIN), i128::from(u64::MAX));
    for (op, left, right, value) in [
        (Add, max, 1, Some(0)),
        (Sub, 0, 1, Some(max)),
        (Sub, min, 1, Some(i64::MAX.into())),
        (Mul, 1 << 63, 2, Some(0)),
        (Div, -7, 2, Some(-3)),
        (Rem, -7, 2, Some(-1)),
        (Rem, 7, -2, Some(1)),
        (Div, min, -1, Some(min)),
        (Rem, min, -1, Some(0)),
        (Div, 1, 0, None),
        (Rem, 1, 0, None),
        (Shl, 1, 63, Some(1 << 63)),
        (Shl, 1, 64, None),
        (Shl, 1, -1, None),
        (Shr, -8, 1, Some(-4)),
        (Shr, max, 63, Some(1)),
        (Shr, 1, 64, None),
        (And, 0b1100, 0b1010, Some(0b1000)),
        (Or, 0b1100, 0b1010, Some(0b1110)),
        (Xor, 0b1100, 0b1010, Some(0b0110)),
    ] {
        let bytes = Bytes::new(true);
        let number = computed(op, left, right);
        match value {
            Some(value) => gives(true, &equals(number, value), &bytes, &NoContext),
            // Neither this nor its opposite.
            None => {
                gives(false, &equals(number.clone(), 0), &bytes, &NoContext);
                gives(false, &Condition::compare(number, CompareOp::Ne, 0), &bytes, &NoContext);
            }
        }
    }
}

#[test]
fn casts_keep_the_low_bytes() {
    let cast = |bytes, signed, value| Number::Cast {
        to: IntegerType { bytes, signed },
        of: Box::new(Number::Const(value)),
    };
    let bytes = Bytes::new(true);
    for (number, value) in [
        (cast(1, false, 0x1ff), 0xff),
        (cast(1, true, 0x1ff), -1),
        (cast(2, true, 0x8000), -0x8000),
        (cast(4, false, -1), u32::MAX.into()),
        (cast(8, false, -1), u64::MAX.into()),
        (cast(8, true, u64::MAX.into()), -1),
    ] {
        gives(true, &equals(number, value), &bytes, &NoContext);
    }
}

#[test]
fn text_ends_at_its_nul_or_with_its_field() {
    let fill = |bytes: &mut Bytes| {
        bytes.put_bytes("fixed", b"bash\0old");
        bytes.add("name", b"eth0\0junk");
        bytes.add("tail", b"no-nul");
        bytes.add("synthetic", b"deep\0");
    };
    both_orders(
        fill,
        &[
            (true, text("fixed", eq("bash"))),
            (false, text("fixed", eq("bas"))),
            (false, text("fixed", eq("Bash"))),
            (false, text("fixed", glob("*old"))),
            (true, text("fixed", glob("b*h"))),
            (true, text("name", eq("eth0"))),
            (true, text("name", ne("eth1"))),
            (true, text("tail", eq("no-nul"))),
            (true, text("synthetic", eq("deep"))),
            // The record's tail: it begins with the first dynamic data.
            (true, text("rest", eq("eth0"))),
        ],
    );
    both_orders(|bytes| bytes.put_bytes("fixed", b"12345678"), &[(true, text("fixed", eq("12345678")))]);
    // A length of nothing is an empty text, wherever it is said to be.
    both_orders(|bytes| bytes.put("name", 0xffff), &[(true, text("name", eq("")))]);
}

#[test]
fn what_lies_outside_is_false() {
    for name in ["name", "tail", "synthetic"] {
        both_orders(
            |bytes| bytes.put(name, 1 << 16 | 0xfff0),
            &[(false, text(name, glob("*"))), (false, text(name, ne("x")))],
        );
    }
    both_orders(
        |bytes| bytes.put("cpus", 8 << 16 | 0xfff0),
        &[
            (false, mask("cpus", MaskTest::Differ, &[(0, 0)])),
            (false, mask("cpus", MaskTest::Any, &[(0, 99)])),
        ],
    );
    let cut = |bytes: &mut Bytes| bytes.bytes.truncate(20);
    both_orders(
        cut,
        &[
            (true, equals(number("word"), 0)),
            (false, equals(number("large"), 0)),
            (false, Condition::compare(number("large"), CompareOp::Ne, 0)),
            (false, Condition::compare(number("large"), CompareOp::Ge, 0)),
            (false, text("fixed", ne("x"))),
            (false, text("rest", ne("x"))),
            (false, text("name", ne("x"))),
            (false, mask("cpus", MaskTest::Differ, &[(0, 0)])),
        ],
    );
}

#[test]
fn a_field_of_another_kind_is_false() {
    let asks = [
        Condition::compare(number("odd"), CompareOp::Ne, 1),
        Condition::compare(number("fixed"), CompareOp::Ne, 1),
        Condition::Atom(Atom::In { of: number("cpus"), ranges: Ranges::new([(0, i64::MAX.into())]) }),
        text("word", ne("x")),
        text("cpus", glob("*")),
        mask("name", MaskTest::Differ, &[(0, 0)]),
        Condition::Atom(Atom::Text { of: Text::User(field("fixed")), test: ne("x") }),
        Condition::Atom(Atom::Function { of: field("name"), name: "vfs_read".to_owned() }),
    ];
    for condition in asks {
        gives(false, &condition, &Bytes::new(true), &moment());
    }
}

#[test]
fn masks_are_sets_of_their_bits() {
    let fill = |bytes: &mut Bytes| {
        let wide = bytes.mask(&[0, 5, 63, 64, 127], 2);
        bytes.add("cpus", &wide);
        let narrow = bytes.mask(&[1], 1);
        bytes.add("near_cpus", &narrow);
    };
    let all = &[(0, 0), (5, 5), (63, 64), (127, 127)];
    both_orders(
        fill,
        &[
            (true, mask("cpus", MaskTest::Any, &[(60, 70)])),
            (false, mask("cpus", MaskTest::Any, &[(1, 4), (6, 62), (65, 126), (128, 9999)])),
            (true, mask("cpus", MaskTest::Equal, all)),
            (false, mask("cpus", MaskTest::Differ, all)),
            (false, mask("cpus", MaskTest::Equal, &[(0, 0), (5, 5), (63, 64)])),
            (false, mask("cpus", MaskTest::Equal, &[(0, 0), (5, 5), (63, 64), (127, 128)])),
            (true, mask("near_cpus", MaskTest::Equal, &[(1, 1)])),
            (true, mask("near_cpus", MaskTest::Differ, &[(1, 2)])),
            (false, mask("near_cpus", MaskTest::Any, &[(64, 127)])),
            (false, mask("near_cpus", MaskTest::Equal, &[(i128::MIN, 0), (2, i128::MAX)])),
        ],
    );
}

#[test]
fn context_is_asked_for() {
    let comm = |test| Condition::Atom(Atom::Text { of: Text::Comm, test });
    let user = |test| Condition::Atom(Atom::Text { of: Text::User(field("address")), test });
    let function = |name: &str| Condition::Atom(Atom::Function { of: field("large"), name: name.to_owned() });
    for little_endian in [true, false] {
        let mut bytes = Bytes::new(little_endian);
        bytes.put("text_at", KERNEL_TEXT);
        bytes.put("address", USER_TEXT);
        bytes.put("large", VFS_READ.start);
        let ask = |expected, condition: Condition| {
            gives(expected, &condition, &bytes, &moment());
            gives(false, &condition, &bytes, &NoContext);
        };
        ask(true, equals(Number::Cpu, 3));
        ask(true, comm(eq("bash")));
        ask(true, text("text_at", eq("eth0")));
        ask(true, user(glob("/etc/*")));
        ask(true, function("vfs_read"));
        ask(false, function("vfs_write"));
        bytes.put("large", VFS_READ.end);
        gives(false, &function("vfs_read"), &bytes, &moment());
        // Memory that faults.
        bytes.put("text_at", 8);
        gives(false, &text("text_at", ne("x")), &bytes, &moment());
        gives(false, &text("text_at", glob("*")), &bytes, &moment());
    }
}

#[test]
fn text_from_elsewhere_is_cut() {
    let long = "x".repeat(POINTED_TEXT_BYTES - 1);
    let moment = Moment {
        comm: b"0123456789abcdef",
        kernel: b"x".repeat(POINTED_TEXT_BYTES + 9),
        user: [b"x".repeat(POINTED_TEXT_BYTES - 1), b"\0y".to_vec()].concat(),
    };
    let mut bytes = Bytes::new(true);
    bytes.put("text_at", KERNEL_TEXT);
    bytes.put("address", USER_TEXT);
    gives(true, &text("text_at", eq(&long)), &bytes, &moment);
    let user = Condition::Atom(Atom::Text { of: Text::User(field("address")), test: eq(&long) });
    gives(true, &user, &bytes, &moment);
    let comm = Condition::Atom(Atom::Text { of: Text::Comm, test: eq("0123456789abcde") });
    gives(true, &comm, &bytes, &moment);
}

#[test]
fn connectives_decide_by_their_parts() {
    let parts = [false, true];
    for a in parts {
        for b in parts {
            for c in parts {
                // Atoms and not constants, so that the prepared form has steps.
                let atom = |value: bool| equals(number("word"), i128::from(!value));
                let both = Condition::And(vec![atom(a), atom(b)]);
                let bytes = Bytes::new(true);
                gives(a && b, &both, &bytes, &NoContext);
                gives(a || b, &Condition::Or(vec![atom(a), atom(b)]), &bytes, &NoContext);
                gives(a && b || c, &Condition::Or(vec![both.clone(), atom(c)]), &bytes, &NoContext);
                gives(!(a && b) && c, &Condition::And(vec![not(both), atom(c)]), &bytes, &NoContext);
                let either = Condition::Or(vec![atom(a), Condition::Const(b)]);
                gives((a || b) && !c, &Condition::And(vec![either, not(atom(c))]), &bytes, &NoContext);
            }
        }
    }
    gives(true, &Condition::Const(true), &Bytes::new(true), &NoContext);
    gives(false, &Condition::Const(false), &Bytes::new(true), &NoContext);
}
