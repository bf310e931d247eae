//! Laws over any condition and any record, most of which are not records of the event.

use std::cell::Cell;
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracec_kernel::condition::context::NoContext;
use tracec_kernel::condition::eval::{Predicate, eval};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;

use crate::bytes::{KERNEL_TEXT, USER_TEXT, VFS_READ};
use crate::event::{Bytes, FIXED, Moment, field};
use crate::oracle;
use crate::strategies::{compare_op, integer_type};

const INTEGERS: &[&str] = &[
    "small",
    "byte",
    "half",
    "word",
    "large",
    "deep",
    "address",
    "dfd",
    "fd",
    "mode",
    "count",
    "common_pid",
    "common_flags",
];
const TEXTS: &[&str] = &["fixed", "name", "tail", "synthetic", "rest"];
const LOCATIONS: &[&str] = &["name", "tail", "synthetic", "cpus", "near_cpus"];

/// Runs a law that says yes or no of each case, and makes sure that neither answer is rare.
fn law<S: Strategy>(cases: u32, strategy: S, holds: impl Fn(S::Value) -> Result<bool, TestCaseError>)
where
    S::Value: Debug,
{
    let (yes, all) = (Cell::new(0), Cell::new(0));
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&strategy, |case| {
        yes.set(yes.get() + u32::from(holds(case)?));
        all.set(all.get() + 1);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let share = f64::from(yes.get()) / f64::from(all.get());
    assert!((0.02..0.98).contains(&share), "{share} of the answers are yes: the law tests little");
}

fn edge() -> impl Strategy<Value = i128> {
    let near = |value: i128| (value - 2..=value + 2).prop_map(|value| value);
    prop_oneof![
        4 => near(0),
        1 => near(64),
        1 => near(127),
        1 => near(255),
        1 => near(1 << 15),
        1 => near(1 << 31),
        1 => near(1 << 32),
        1 => near(-(1 << 31)),
        1 => Just(i128::from(i64::MIN)),
        1 => near(1 << 63),
        1 => Just(i128::from(u64::MAX)),
        1 => any::<u64>().prop_map(i128::from),
        1 => any::<i64>().prop_map(i128::from),
    ]
}

/// A record whose fields hold edges, and whose locations lead inside, outside or across the end.
fn whole_record() -> impl Strategy<Value = Bytes> {
    let location = prop_oneof![
        3 => (106u64..156, 0u64..12).prop_map(|(offset, length)| length << 16 | offset),
        1 => any::<u32>().prop_map(u64::from),
    ];
    (
        any::<bool>(),
        prop::collection::vec(edge(), INTEGERS.len()),
        prop::collection::vec(location, LOCATIONS.len()),
        prop::collection::vec(prop_oneof![Just(0), Just(b'a'), Just(b'b'), any::<u8>()], 60),
        prop_oneof![Just(KERNEL_TEXT), any::<u64>()],
    )
        .prop_map(|(little_endian, integers, locations, texts, pointer)| {
            let mut bytes = Bytes::new(little_endian);
            for (name, value) in INTEGERS.iter().zip(integers) {
                bytes.put(name, value as u64);
            }
            for (name, location) in LOCATIONS.iter().zip(locations) {
                bytes.put(name, location);
            }
            bytes.put("text_at", pointer);
            bytes.put_bytes("fixed", &texts[..8]);
            bytes.bytes.extend(&texts[8..]);
            bytes
        })
}

/// Such a record cut anywhere behind the header, or whole.
fn any_record() -> impl Strategy<Value = Bytes> {
    (whole_record(), prop_oneof![Just(usize::MAX), 8usize..FIXED + 60]).prop_map(|(mut record, length)| {
        record.bytes.truncate(length);
        record
    })
}

fn any_number() -> impl Strategy<Value = Number> {
    let leaf = prop_oneof![
        edge().prop_map(Number::Const),
        prop::sample::select(INTEGERS).prop_map(|name| Number::Field(field(name))),
        prop::sample::select(vec![Number::Cpu, Number::Pid, Number::Tgid]),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        use NumberOp::*;
        let op = prop::sample::select(vec![Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor]);
        prop_oneof![
            (integer_type(), inner.clone()).prop_map(|(to, of)| Number::Cast { to, of: Box::new(of) }),
            (op, inner.clone(), inner).prop_map(|(op, left, right)| Number::binary(op, left, right)),
        ]
    })
}

fn pattern() -> impl Strategy<Value = Glob> {
    "[ab*?]{0,4}(\\[!?[]a-]{1,3}\\])?[ab*]{0,2}(\\\\[ab*])?"
        .prop_filter_map("is not a pattern", |text| Glob::parse(&text).ok())
}

fn text_test() -> impl Strategy<Value = TextTest> {
    prop_oneof![
        "[ab]{0,3}".prop_map(TextTest::Eq),
        "[ab]{0,3}".prop_map(TextTest::Ne),
        pattern().prop_map(TextTest::Glob),
    ]
}

fn ranges(values: impl Strategy<Value = i128>) -> impl Strategy<Value = Ranges> {
    prop::collection::vec((values, 0..9i128), 0..4)
        .prop_map(|starts| Ranges::new(starts.into_iter().map(|(first, more)| (first, first + more))))
}

fn any_atom() -> impl Strategy<Value = Atom> {
    let text = prop_oneof![
        4 => prop::sample::select(TEXTS).prop_map(|name| Text::Field(field(name))),
        1 => Just(Text::Field(field("text_at"))),
        1 => Just(Text::User(field("address"))),
        1 => Just(Text::Comm),
    ];
    let mask_test = prop::sample::select(vec![MaskTest::Any, MaskTest::Equal, MaskTest::Differ]);
    let mask = prop::sample::select(vec!["cpus", "near_cpus"]);
    prop_oneof![
        3 => (any_number(), compare_op(), any_number())
            .prop_map(|(left, op, right)| Atom::Compare { left, op, right }),
        2 => (prop::sample::select(INTEGERS), compare_op(), edge()).prop_map(|(name, op, value)| {
            Atom::Compare { left: Number::Field(field(name)), op, right: Number::Const(value) }
        }),
        2 => (any_number(), ranges(edge())).prop_map(|(of, ranges)| Atom::In { of, ranges }),
        2 => (text, text_test()).prop_map(|(of, test)| Atom::Text { of, test }),
        1 => (mask, mask_test, ranges(0..99i128))
            .prop_map(|(name, test, cpus)| Atom::Mask { of: field(name), test, cpus }),
        1 => Just(Atom::Function { of: field("address"), name: "vfs_read".to_owned() }),
    ]
}

fn any_condition() -> impl Strategy<Value = Condition> {
    let leaf =
        prop_oneof![8 => any_atom().prop_map(Condition::Atom), 1 => any::<bool>().prop_map(Condition::Const)];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Condition::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::And),
            prop::collection::vec(inner, 2..4).prop_map(Condition::Or),
        ]
    })
}

fn moment() -> Moment {
    Moment { comm: b"ab", kernel: b"ba".to_vec(), user: b"a".to_vec() }
}

fn holds(condition: &Condition, bytes: &Bytes) -> bool {
    bytes.read(|record| eval(condition, record, &moment()))
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

#[test]
fn both_forms_of_the_evaluator_agree() {
    law(10_000, (any_condition(), any_record()), |(condition, bytes)| {
        let moment = moment();
        let (walked, prepared, blind) = bytes.read(|record| {
            let predicate = Predicate::new(&condition, record.format);
            let blind = (eval(&condition, record, &NoContext), predicate.holds(record, &NoContext));
            (eval(&condition, record, &moment), predicate.holds(record, &moment), blind)
        });
        prop_assert_eq!(walked, prepared);
        prop_assert_eq!(blind.0, blind.1);
        Ok(walked)
    });
}

#[test]
fn negation_is_that_of_two_values() {
    law(5_000, (any_condition(), any_condition(), any_record()), |(a, b, bytes)| {
        let decided = holds(&a, &bytes);
        prop_assert_eq!(holds(&not(not(a.clone())), &bytes), decided);
        let both = Condition::And(vec![a.clone(), b.clone()]);
        let neither = Condition::Or(vec![not(a), not(b)]);
        prop_assert_eq!(holds(&not(both), &bytes), holds(&neither, &bytes));
        Ok(decided)
    });
}

/// The atom that asks the opposite.
fn opposite(atom: &Atom) -> Option<Atom> {
    let mut atom = atom.clone();
    match &mut atom {
        Atom::Compare { op, .. } => {
            *op = match *op {
                CompareOp::Eq => CompareOp::Ne,
                CompareOp::Ne => CompareOp::Eq,
                CompareOp::Lt => CompareOp::Ge,
                CompareOp::Ge => CompareOp::Lt,
                CompareOp::Gt => CompareOp::Le,
                CompareOp::Le => CompareOp::Gt,
            }
        }
        Atom::In { ranges, .. } => *ranges = ranges.complement(i128::MIN, i128::MAX),
        Atom::Text { test, .. } => match test {
            TextTest::Eq(text) => *test = TextTest::Ne(text.clone()),
            TextTest::Ne(text) => *test = TextTest::Eq(text.clone()),
            TextTest::Glob(_) => return None,
        },
        Atom::Mask { test, .. } => match test {
            MaskTest::Equal => *test = MaskTest::Differ,
            MaskTest::Differ => *test = MaskTest::Equal,
            MaskTest::Any => return None,
        },
        Atom::Function { .. } => return None,
    }
    Some(atom)
}

/// What the opposite of a total atom is, where all dynamic data lies inside; and that of others never holds as well.
#[test]
fn a_total_atom_is_the_negation_of_its_opposite() {
    let total = Cell::new(0);
    let pairs = any_atom().prop_filter_map("has no opposite", |atom| Some((opposite(&atom)?, atom)));
    law(10_000, (pairs, whole_record()), |((opposite, atom), mut bytes)| {
        for name in LOCATIONS {
            let empty = bytes.bytes.len() as u64;
            bytes.put(name, if *name == "name" { 4 << 16 | FIXED as u64 } else { empty });
        }
        let is_total = atom.is_total();
        prop_assert_eq!(is_total, opposite.is_total());
        let (is, is_not) = (holds(&Condition::Atom(atom), &bytes), holds(&Condition::Atom(opposite), &bytes));
        prop_assert!(!(is && is_not));
        if is_total {
            prop_assert!(is || is_not);
            total.set(total.get() + 1);
        }
        Ok(is)
    });
    assert!(total.get() > 2_000, "{} of the atoms were total", total.get());
}

#[test]
fn numbers_are_those_of_unlimited_integers() {
    law(15_000, (any_number(), compare_op(), any_number(), any_record()), |(left, op, right, bytes)| {
        let values = oracle::number(&left, &bytes).zip(oracle::number(&right, &bytes));
        let expected = values.is_some_and(|(left, right)| oracle::compare(op, left, right));
        prop_assert_eq!(holds(&Condition::Atom(Atom::Compare { left, op, right }), &bytes), expected);
        Ok(expected)
    });
    // Few numbers are equal by chance.
    law(10_000, (any_number(), -1..2i128, any_record()), |(number, by, bytes)| {
        let value = oracle::number(&number, &bytes);
        let (min, max) = (i128::from(i64::MIN), i128::from(u64::MAX));
        let compared = value.unwrap_or(0).saturating_add(by).clamp(min, max);
        let expected = value == Some(compared);
        prop_assert_eq!(
            holds(&Condition::compare(number.clone(), CompareOp::Eq, compared), &bytes),
            expected
        );
        let ranges = Ranges::new([(compared, compared), (max, max)]);
        let within = Condition::Atom(Atom::In { of: number, ranges });
        prop_assert_eq!(holds(&within, &bytes), expected || value == Some(max));
        Ok(expected)
    });
}

#[test]
fn constants_compare_as_unlimited_integers() {
    let fields = prop::sample::select(INTEGERS);
    law(10_000, (fields, compare_op(), edge(), any_record()), |(name, op, value, bytes)| {
        let number = Number::Field(field(name));
        let expected = oracle::number(&number, &bytes).is_some_and(|left| oracle::compare(op, left, value));
        let condition = Condition::compare(number, op, value);
        prop_assert_eq!(holds(&condition, &bytes), expected);
        prop_assert_eq!(
            bytes.read(|record| Predicate::new(&condition, record.format).holds(record, &NoContext)),
            expected
        );
        Ok(expected)
    });
}

/// Bits of a field, which no other law asks often, with values that they can and cannot come to.
#[test]
fn bits_of_fields_compare_as_those_of_unlimited_integers() {
    let fields = prop::sample::select(INTEGERS);
    let mask = prop_oneof![0..8i128, edge()];
    let asked = (fields, mask, any::<bool>(), prop::option::of(edge()), any_record());
    law(20_000, asked, |(name, mask, equal, value, bytes)| {
        let bits = Number::binary(NumberOp::And, Number::Field(field(name)), Number::Const(mask));
        let number = oracle::number(&bits, &bytes);
        let (op, value) =
            (if equal { CompareOp::Eq } else { CompareOp::Ne }, value.or(number).unwrap_or_default());
        let expected = number.is_some_and(|left| oracle::compare(op, left, value));
        let condition = Condition::compare(bits, op, value);
        prop_assert_eq!(holds(&condition, &bytes), expected);
        prop_assert_eq!(
            bytes.read(|record| Predicate::new(&condition, record.format).holds(record, &NoContext)),
            expected
        );
        Ok(expected)
    });
}

#[test]
fn sets_of_values_hold_what_is_in_them() {
    let runs = prop::collection::vec((edge(), 0..9i128), 0..5);
    law(20_000, (prop::sample::select(INTEGERS), runs, any_record()), |(name, runs, bytes)| {
        let number = oracle::number(&Number::Field(field(name)), &bytes);
        // The field's own value is in every other set, and at an edge of it.
        let near = number.filter(|value| value % 2 == 0).map(|value| (value - 1, value));
        let runs = runs.into_iter().map(|(first, more)| (first, first + more)).chain(near);
        let ranges = Ranges::new(runs);
        let expected =
            number.is_some_and(|value| ranges.iter().any(|(first, last)| (first..=last).contains(&value)));
        let condition = Condition::Atom(Atom::In { of: Number::Field(field(name)), ranges });
        prop_assert_eq!(holds(&condition, &bytes), expected);
        prop_assert_eq!(
            bytes.read(|record| Predicate::new(&condition, record.format).holds(record, &NoContext)),
            expected
        );
        Ok(expected)
    });
}

/// Texts around the length of their field and around the 16 bytes that are looked at in one go, on texts that differ
/// from them in their end, by one byte, or by nothing.
#[test]
fn texts_are_compared_to_their_end() {
    let alike = (0..20usize, 0..20usize, prop::option::of(0..20usize), any::<bool>());
    let tests = prop::sample::select(vec!["=", "!", "a*", "*a", "*a*", "a*a", "a", "?*"]);
    let asked = (prop::sample::select(TEXTS), alike, tests, whole_record());
    law(20_000, asked, |(name, (length, wanted, other, whole), form, mut bytes)| {
        let letters = b"abcdefghijklmnopqrst";
        let mut text = letters[..length].to_vec();
        if let Some(byte) = other.and_then(|at| text.get_mut(at)) {
            *byte = if whole { b'a' } else { 0 };
        }
        match name {
            "fixed" => bytes.put_bytes(name, &[&text[..], &[0; 8]].concat()[..8]),
            "rest" => bytes.bytes.splice(FIXED.., text).for_each(drop),
            _ => bytes.add(name, &text),
        }
        let wanted = str::from_utf8(&letters[..wanted]).unwrap_or_default();
        let test = match form {
            "=" => TextTest::Eq(wanted.to_owned()),
            "!" => TextTest::Ne(wanted.to_owned()),
            glob => TextTest::Glob(Glob::parse(&glob.replace('a', wanted)).expect("a pattern")),
        };
        let expected = bytes.text(name).is_some_and(|text| oracle::text(&test, &text));
        let condition = Condition::Atom(Atom::Text { of: Text::Field(field(name)), test });
        prop_assert_eq!(holds(&condition, &bytes), expected);
        prop_assert_eq!(
            bytes.read(|record| Predicate::new(&condition, record.format).holds(record, &NoContext)),
            expected
        );
        Ok(expected)
    });
}

#[test]
fn texts_are_found_where_their_locations_say() {
    law(20_000, (prop::sample::select(TEXTS), text_test(), any_record()), |(name, test, bytes)| {
        let expected = bytes.text(name).is_some_and(|text| oracle::text(&test, &text));
        let condition = Condition::Atom(Atom::Text { of: Text::Field(field(name)), test });
        prop_assert_eq!(holds(&condition, &bytes), expected);
        Ok(expected)
    });
}

#[test]
fn patterns_match_as_by_recursion() {
    let pattern = prop_oneof![
        pattern(),
        "[ab*?!1\\[\\]\\\\-]{0,9}".prop_filter_map("is not a pattern", |text| { Glob::parse(&text).ok() })
    ];
    law(30_000, (pattern, "[ab1!\\]-]{0,8}"), |(pattern, text)| {
        let expected = oracle::glob(pattern.as_str().as_bytes(), text.as_bytes());
        prop_assert_eq!(pattern.matches(text.as_bytes()), expected);
        Ok(expected)
    });
}

/// What surrounds a record in its page plays no part, whatever its locations say.
#[test]
fn nothing_outside_the_record_is_read() {
    let around = prop::collection::vec(any::<u8>(), 70_000..70_001);
    law(300, (any_condition(), any_record(), around), |(condition, bytes, around)| {
        let alone = holds(&condition, &bytes);
        let (start, length) = (1_000, bytes.bytes.len());
        let mut page = around;
        page[start..start + length].copy_from_slice(&bytes.bytes);
        let decoder = crate::event::decoder(bytes.little_endian);
        let inside = decoder.record(&page[start..start + length]).expect("a header is there");
        prop_assert_eq!(eval(&condition, &inside, &moment()), alone);
        Ok(alone)
    });
}

/// An address that is one of the function's is found, in a record whose other fields are anything.
#[test]
fn addresses_are_looked_up() {
    law(2_000, (whole_record(), FIXED..FIXED + 60, 0..0x80u64), |(mut bytes, length, above)| {
        bytes.bytes.truncate(length);
        let address = VFS_READ.start - 0x20 + above;
        let function = Condition::Atom(Atom::Function { of: field("address"), name: "vfs_read".to_owned() });
        let user = Condition::Atom(Atom::Text {
            of: Text::User(field("address")),
            test: TextTest::Ne(String::new()),
        });
        bytes.put("address", address);
        prop_assert_eq!(holds(&function, &bytes), VFS_READ.contains(&address));
        prop_assert!(!holds(&user, &bytes));
        bytes.put("address", USER_TEXT);
        prop_assert!(holds(&user, &bytes));
        Ok(VFS_READ.contains(&address))
    });
}
