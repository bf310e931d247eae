//! A simplified condition means the same, on any record that is as long as its layout says.

use std::collections::HashMap;
use std::ops::Range;

use proptest::prelude::*;
use tracec_kernel::condition::context::Context;
use tracec_kernel::condition::eval::{Predicate, eval};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Text, TextTest};
use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::condition::realisation::{Engine, constructs, obstacles};
use tracec_kernel::condition::simplify::{FindingKind, simplify_condition};

use crate::bytes::{KERNEL_TEXT, USER_TEXT};
use crate::event::{self, Bytes, FIXED};
use crate::random::Random;
use crate::strategies::{compare_op, integer_type};

/// Conditions, and records of each.
const CONDITIONS: u32 = 4_000;
const RECORDS: usize = 25;

/// Values on which types and masks turn, and small ones that meet each other often.
const VALUES: [i128; 26] = [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    15,
    63,
    64,
    127,
    128,
    255,
    256,
    32_767,
    65_535,
    1 << 31,
    (1 << 32) - 1,
    i64::MAX as i128,
    u64::MAX as i128,
    -1,
    -2,
    -128,
    i64::MIN as i128,
];

const TEXTS: [&str; 8] = ["", "a", "b", "ab", "abc", "abcdefgh", "xyz", "a*"];

const PATTERNS: [&str; 12] =
    ["*", "a*", "*a", "ab*", "*b*", "?", "??", "[a-c]*", "[!a]*", "abc", "a*c", "?????????*"];

fn value() -> impl Strategy<Value = i128> {
    prop_oneof![4 => 0i128..9, 2 => proptest::sample::select(&VALUES[..])]
}

const INTEGERS: [&str; 10] =
    ["small", "byte", "half", "word", "large", "deep", "dfd", "fd", "count", "address"];

fn leaf() -> impl Strategy<Value = Number> {
    // Few fields more often than others, so that atoms meet.
    prop_oneof![
        6 => proptest::sample::select(&INTEGERS[..4]).prop_map(|name| Number::Field(event::field(name))),
        3 => proptest::sample::select(&INTEGERS[4..]).prop_map(|name| Number::Field(event::field(name))),
        1 => prop::sample::select(vec![Number::Cpu, Number::Pid, Number::Tgid]),
    ]
}

fn op() -> impl Strategy<Value = NumberOp> {
    use NumberOp::*;
    proptest::sample::select(&[Add, Sub, Mul, Div, Rem, Shl, Shr, And, And, Or, Xor][..])
}

fn number() -> impl Strategy<Value = Number> {
    let computed = leaf().prop_recursive(3, 6, 2, |inner| {
        let constant = value().prop_map(Number::Const).boxed();
        prop_oneof![
            3 => (op(), inner.clone(), constant.clone()).prop_map(|(op, l, r)| Number::binary(op, l, r)),
            1 => (op(), constant, inner.clone()).prop_map(|(op, l, r)| Number::binary(op, l, r)),
            1 => (op(), inner.clone(), inner.clone()).prop_map(|(op, l, r)| Number::binary(op, l, r)),
            1 => (integer_type(), inner).prop_map(|(to, of)| Number::Cast { to, of: Box::new(of) }),
        ]
    });
    prop_oneof![3 => leaf(), 2 => computed]
}

fn ranges() -> impl Strategy<Value = Ranges> {
    proptest::collection::vec((value(), 0i128..4), 1..4)
        .prop_map(|ranges| Ranges::new(ranges.into_iter().map(|(first, more)| (first, first + more))))
}

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        proptest::sample::select(&["fixed", "name", "tail", "text_at", "rest"][..])
            .prop_map(|name| Text::Field(event::field(name))),
        Just(Text::User(event::field("address"))),
        Just(Text::Comm),
    ]
}

fn text_test() -> impl Strategy<Value = TextTest> {
    let texts = || proptest::sample::select(&TEXTS[..]).prop_map(str::to_owned);
    prop_oneof![
        texts().prop_map(TextTest::Eq),
        texts().prop_map(TextTest::Ne),
        proptest::sample::select(&PATTERNS[..]).prop_map(|text| TextTest::Glob(Glob::parse(text).unwrap())),
    ]
}

fn cpus() -> impl Strategy<Value = Ranges> {
    let lists = [&[(0, 0)][..], &[(0, 3)], &[(1, 1), (3, 3)], &[(2, 70)], &[(200, 200)]];
    proptest::sample::select(lists.to_vec()).prop_map(|list| Ranges::new(list.iter().copied()))
}

fn atom() -> impl Strategy<Value = Atom> {
    use MaskTest::*;
    let compare = |right: BoxedStrategy<Number>| {
        (number(), compare_op(), right).prop_map(|(left, op, right)| Atom::Compare { left, op, right })
    };
    prop_oneof![
        8 => compare(value().prop_map(Number::Const).boxed()),
        2 => compare(number().boxed()),
        3 => (number(), ranges()).prop_map(|(of, ranges)| Atom::In { of, ranges }),
        5 => (text(), text_test()).prop_map(|(of, test)| Atom::Text { of, test }),
        1 => (
            proptest::sample::select(&["cpus", "near_cpus"][..]),
            proptest::sample::select(&[Any, Equal, Differ][..]),
            cpus(),
        )
            .prop_map(|(name, test, cpus)| Atom::Mask { of: event::field(name), test, cpus }),
        1 => proptest::sample::select(&["vfs_read", "alias", "unknown"][..])
            .prop_map(|name| Atom::Function { of: event::field("address"), name: name.to_owned() }),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    // Of a few atoms, so that the same ones stand at several places.
    let atoms = proptest::collection::vec(atom(), 1..5);
    (atoms, any::<u64>()).prop_flat_map(|(atoms, _)| {
        let leaf = prop_oneof![
            20 => proptest::sample::select(atoms).prop_map(Condition::Atom),
            12 => atom().prop_map(Condition::Atom),
            1 => any::<bool>().prop_map(Condition::Const),
        ];
        leaf.prop_recursive(4, 16, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|inner| Condition::Not(Box::new(inner))),
                proptest::collection::vec(inner.clone(), 2..5).prop_map(Condition::And),
                proptest::collection::vec(inner, 2..5).prop_map(Condition::Or),
            ]
        })
    })
}

/// A text that conditions compare with too.
fn some_text(random: &mut Random) -> &'static [u8] {
    random.pick(&TEXTS).as_bytes()
}

/// A moment whose memory may fault and whose functions may share addresses, or be unknown.
struct Moment {
    cpu: u32,
    tgid: i32,
    comm: &'static [u8],
    kernel: Option<&'static [u8]>,
    user: Option<&'static [u8]>,
}

impl Context for Moment {
    fn cpu(&self) -> Option<u32> {
        Some(self.cpu)
    }

    fn tgid(&self) -> Option<i32> {
        Some(self.tgid)
    }

    fn comm(&self) -> Option<&[u8]> {
        Some(self.comm)
    }

    fn kernel_text(&self, address: u64) -> Option<&[u8]> {
        self.kernel.filter(|_| address == KERNEL_TEXT)
    }

    fn user_text(&self, address: u64) -> Option<&[u8]> {
        self.user.filter(|_| address == USER_TEXT)
    }

    fn function(&self, name: &str) -> Option<Range<u64>> {
        let end = match name {
            "vfs_read" => 5,
            "alias" => 9,
            _ => return None,
        };
        Some(0..end)
    }
}

/// A record as long as its layout says, and its moment.
fn record(random: &mut Random) -> (Bytes, Moment) {
    let mut record = Bytes::new(random.once_in(2));
    for name in INTEGERS {
        let value = match random.below(4) {
            0 => random.bits(),
            1 => VALUES[random.below(VALUES.len())] as u64,
            _ => random.below(9) as u64,
        };
        record.put(name, value);
    }
    if random.once_in(2) {
        record.put("address", USER_TEXT);
    }
    record.put("text_at", if random.once_in(2) { KERNEL_TEXT } else { random.bits() });
    record.put_bytes("fixed", some_text(random));
    let mask: Vec<u32> = (0..random.below(3)).map(|_| random.below(5) as u32).collect();
    for name in ["name", "tail", "cpus", "near_cpus"] {
        match random.below(4) {
            // A location that points anywhere.
            0 => record.put(name, random.bits()),
            1 => {}
            _ if name.ends_with("cpus") => {
                let mask = record.mask(&mask, 1 + random.below(2));
                record.add(name, &mask);
            }
            _ => record.add(name, some_text(random)),
        }
    }
    assert!(record.bytes.len() >= FIXED);
    let moment = Moment {
        cpu: random.below(4) as u32,
        tgid: random.below(9) as i32 - 1,
        comm: some_text(random),
        kernel: Some(some_text(random)).filter(|_| !random.once_in(3)),
        user: Some(some_text(random)).filter(|_| !random.once_in(3)),
    };
    (record, moment)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CONDITIONS, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_simplified_condition_means_the_same(condition in condition(), seed in any::<u64>()) {
        let simplified = simplify_condition(&condition);
        let is_one = |condition: &Condition| !matches!(condition, Condition::And(_));
        prop_assert!(simplified.conjuncts.iter().all(|conjunct| is_one(&conjunct.condition)), "{}", &condition);
        let after = simplified.condition();
        let mut random = Random::new(seed);
        for _ in 0..RECORDS {
            let (bytes, moment) = record(&mut random);
            let [expected, now, before, ready] = bytes.read(|record| [
                eval(&condition, record, &moment),
                eval(&after, record, &moment),
                Predicate::new(&condition, record.format).holds(record, &moment),
                Predicate::new(&after, record.format).holds(record, &moment),
            ]);
            prop_assert_eq!(now, expected, "{} became {}", &condition, &after);
            prop_assert_eq!([before, ready], [expected; 2]);
        }
        prop_assert_eq!(simplify_condition(&after).condition(), after.clone(), "{} became {}, then", &condition, &after);
        let lacking = |condition: &Condition| -> Vec<_> {
            obstacles(&constructs(condition, &Spelling::USUAL), Engine::Host, |_| true).map(|obstacle| obstacle.hindrance).collect()
        };
        let before = lacking(&condition);
        prop_assert!(lacking(&after).iter().all(|hindrance| before.contains(hindrance)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: CONDITIONS,
        max_global_rejects: 100 * CONDITIONS,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Targets depend on the invariants of the form, and take what the simplifier makes.
    #[test]
    fn a_simplified_condition_is_as_valid_as_the_original(condition in condition()) {
        prop_assume!(condition.check().is_ok());
        let after = simplify_condition(&condition).condition();
        prop_assert_eq!(after.check(), Ok(()), "{} became {}", &condition, &after);
    }
}

/// Checks that a range alone decides an atom. That the number which the atom asks about is outside of it.
fn decided(atom: &Atom, (first, last): (i128, i128), value: bool) -> Condition {
    let all = (i128::from(i64::MIN), i128::from(u64::MAX));
    let whole = Ranges::new([(first, last)]);
    let (of, wanted) = match atom {
        Atom::Compare { left, op, right: Number::Const(right) } => {
            let same = Ranges::new([(*right, *right)]);
            let wanted = match op {
                CompareOp::Eq => same,
                CompareOp::Ne => same.complement(all.0, all.1),
                CompareOp::Lt => Ranges::new([(all.0, right - 1)]),
                CompareOp::Le => Ranges::new([(all.0, *right)]),
                CompareOp::Gt => Ranges::new([(right + 1, all.1)]),
                CompareOp::Ge => Ranges::new([(*right, all.1)]),
            };
            (left, wanted)
        }
        Atom::In { of, ranges } => (of, ranges.clone()),
        other => panic!("{other:?} asks about no number alone"),
    };
    let expected = if value { whole.clone() } else { Ranges::default() };
    assert_eq!(whole.intersection(&wanted), expected, "{atom:?} is not {value} because of {first} to {last}");
    Condition::Atom(Atom::In { of: of.clone(), ranges: whole.complement(all.0, all.1) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Findings are about atoms that are there, each about others, and what is said of constants is so, with its
    /// reason.
    #[test]
    fn findings_are_true(condition in condition(), seed in any::<u64>()) {
        let atoms: Vec<Atom> = condition.atoms().into_iter().cloned().collect();
        let mut random = Random::new(seed);
        let mut said: HashMap<usize, usize> = HashMap::new();
        for finding in simplify_condition(&condition).findings {
            for atom in &finding.atoms {
                prop_assert!(*atom < atoms.len());
                *said.entry(*atom).or_default() += 1;
                prop_assert_eq!(said[atom], 1, "two findings about one atom");
            }
            let all = |indices: &[usize]| -> Vec<Condition> {
                indices.iter().map(|index| Condition::Atom(atoms[*index].clone())).collect()
            };
            let outside = match &finding.kind {
                FindingKind::AlwaysTrue { range: Some(range) } => Some(decided(&atoms[finding.atoms[0]], *range, true)),
                FindingKind::AlwaysFalse { range: Some(range) } => {
                    Some(decided(&atoms[finding.atoms[0]], *range, false))
                }
                _ => None,
            };
            for _ in 0..10 {
                let (bytes, moment) = record(&mut random);
                if let Some(outside) = &outside {
                    let beyond = bytes.read(|record| eval(outside, record, &moment));
                    prop_assert!(!beyond, "{} of {}", outside, condition);
                }
                let holds = |condition: &Condition| bytes.read(|record| eval(condition, record, &moment));
                match &finding.kind {
                    FindingKind::AlwaysTrue { .. } => prop_assert!(holds(&Condition::And(all(&finding.atoms)))),
                    FindingKind::AlwaysFalse { .. } => prop_assert!(!holds(&Condition::Or(all(&finding.atoms)))),
                    FindingKind::Contradiction { with }
                    | FindingKind::Exhaustive { with }
                    | FindingKind::Implied { by: with }
                    | FindingKind::Duplicate { of: with } => {
                        prop_assert!(!with.is_empty() && with.iter().all(|other| *other < atoms.len()));
                    }
                }
            }
        }
    }
}

/// Atoms or their negations, joined by one connective, so that what a finding says of each is plain.
fn flat() -> impl Strategy<Value = (bool, Vec<(Atom, bool)>)> {
    let about = prop_oneof![
        2 => Just(text().boxed()),
        1 => Just(Just(Text::User(event::field("address"))).boxed()),
    ];
    let texts = about.prop_flat_map(|of| {
        of.prop_flat_map(|of| {
            let atom = (Just(of), text_test()).prop_map(|(of, test)| Atom::Text { of, test });
            proptest::collection::vec((atom, any::<bool>()), 2..5)
        })
    });
    let masks = proptest::sample::select(&["cpus", "near_cpus"][..]).prop_flat_map(|name| {
        let test = proptest::sample::select(&[MaskTest::Any, MaskTest::Equal, MaskTest::Differ][..]);
        let atom =
            (test, cpus()).prop_map(move |(test, cpus)| Atom::Mask { of: event::field(name), test, cpus });
        proptest::collection::vec((atom, any::<bool>()), 2..5)
    });
    let numbers = number().prop_flat_map(|of| {
        let right = value().prop_map(Number::Const);
        let atom =
            (compare_op(), right).prop_map(move |(op, right)| Atom::Compare { left: of.clone(), op, right });
        proptest::collection::vec((atom, any::<bool>()), 2..5)
    });
    let mixed = proptest::collection::vec((atom(), any::<bool>()), 2..5);
    (any::<bool>(), prop_oneof![3 => texts, 1 => masks, 2 => numbers, 1 => mixed])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CONDITIONS, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is said of atoms that stand together is so on every record, negations and what cannot be read included.
    #[test]
    fn findings_about_others_are_true((all, literals) in flat(), seed in any::<u64>()) {
        let parts = literals.iter().map(|(atom, negated)| {
            let atom = Condition::Atom(atom.clone());
            if *negated { Condition::Not(Box::new(atom)) } else { atom }
        });
        let parts: Vec<Condition> = parts.collect();
        let condition = if all { Condition::And(parts.clone()) } else { Condition::Or(parts.clone()) };
        let findings = simplify_condition(&condition).findings;
        let mut random = Random::new(seed);
        for _ in 0..if findings.is_empty() { 0 } else { RECORDS } {
            let (bytes, moment) = record(&mut random);
            let holds: Vec<bool> =
                parts.iter().map(|part| bytes.read(|record| eval(part, record, &moment))).collect();
            let each = |atoms: &[usize]| atoms.iter().all(|atom| holds[*atom]);
            let some = |atoms: &[usize]| atoms.iter().any(|atom| holds[*atom]);
            for finding in &findings {
                let own = &finding.atoms;
                let is_so = match &finding.kind {
                    FindingKind::AlwaysTrue { .. } | FindingKind::AlwaysFalse { .. } => true,
                    FindingKind::Contradiction { with } => !(each(own) && each(with)),
                    FindingKind::Exhaustive { with } => some(own) || some(with),
                    FindingKind::Implied { by } if all => !each(by) || each(own),
                    FindingKind::Implied { by } => !some(own) || some(by),
                    FindingKind::Duplicate { of } => each(own) == each(of),
                };
                prop_assert!(is_so, "{}: {:?}", condition, finding);
            }
        }
    }
}
