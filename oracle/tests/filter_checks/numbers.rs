//! Comparisons of integers, and what joins comparisons.

use proptest::prelude::*;
use tracec_kernel::condition::context::NoContext;
use tracec_kernel::filter::Model;

use super::{Bytes, MODELS, Moment, assert_matches, everything, parse};

#[test]
fn numbers_are_cut_to_the_field() {
    let record = Bytes::new()
        .put(8, &[0xff, 0xff])
        .put(10, &(-2_i16).to_ne_bytes())
        .put(12, &(-2_i16).to_ne_bytes())
        .put(20, &10_i32.to_ne_bytes())
        .put(24, &0x8000_0000_u32.to_ne_bytes())
        .put(32, &i64::MIN.to_ne_bytes())
        .put(40, &u64::MAX.to_ne_bytes());
    let passes = [
        "s8 == -1",
        "s8 == 255",
        "s8 == 0x7ffffffff",
        "s8 < 0",
        "s8 <= -1",
        "s8 < 256",
        "u8 == 255",
        "u8 == 0xfff",
        "u8 > 0x7f",
        "s16 == -2",
        "s16 < 0",
        "s16 & 0x8000",
        "u16 == 0xfffe",
        "u16 > 32767",
        "u16 != 1",
        "s32 == 4294967306",
        "s32 < 4294967307",
        "s32 & 8",
        "s32 == 012",
        "s32 == 0XA",
        "!!s32 == 10",
        "!s32 & 5",
        "u32 >= 2147483648",
        "u32 & 0xffffffff80000000",
        "s64 == -9223372036854775808",
        "s64 < -9223372036854775807",
        "s64 != 0",
        "u64 == 18446744073709551615",
        "u64 > 0x7fffffffffffffff",
        "u64 & 1",
        "common_pid <= 4294967296",
    ];
    let fails = [
        "s8 == 1",
        "s8 & 0",
        "s8 > 127",
        "u8 < 0",
        "u8 < 256",
        "u8 & 0x100",
        "s16 > 0",
        "u16 == 0xffff",
        "s32 == 11",
        "s32 > 4294967306",
        "!s32 == 10",
        "s32 != 4294967306",
        "u32 < 2147483648",
        "s64 > 0",
        "u64 < 18446744073709551615",
        "u64 & 0",
    ];
    assert_matches(&record, &Moment::default(), &passes, &fails);
}

#[test]
fn what_is_no_integer_never_compares() {
    let record = Bytes::new();
    let never = ["odd == 0", "odd != 0", "odd < 1", "odd & 1", "three == 0", "three != 0", "stacktrace != 0"];
    assert_matches(&record, &Moment::default(), &["!odd == 0", "!odd != 0", "!stacktrace == 1"], &never);
    let cpus =
        ["odd == CPUS{0}", "odd != CPUS{0}", "odd == CPUS{0-1}", "odd != CPUS{0-1}", "odd & CPUS{0-1}"];
    assert_matches(&record, &Moment::default(), &[], &cpus);
}

#[test]
fn functions_are_ranges_of_addresses() {
    let record = |address: u64| Bytes::new().put(40, &address.to_ne_bytes());
    let start = super::SCHEDULE.start;
    let inside =
        ["u64.function == schedule", "u64.function == 0xffffffff81000080", "! u64.function != schedule"];
    let outside = ["u64.function != schedule", "u64.function != 18446744071578845184"];
    for address in [start, start + 0xff] {
        assert_matches(&record(address), &Moment::default(), &inside, &outside);
    }
    for address in [0, start - 1, start + 0x100, u64::MAX] {
        assert_matches(&record(address), &Moment::default(), &outside, &inside);
    }
    // Pointers of any kind are addresses, and the modifier for strings is accepted.
    let pointer = Bytes::new().put(64, &start.to_ne_bytes());
    assert_matches(&pointer, &Moment::default(), &["pointer.ustring.function == schedule"], &[]);
}

#[test]
fn a_record_that_is_too_short_is_false() {
    let event = everything();
    for text in [
        "common_type == 0",
        "common_pid != 1",
        "s8 != 1",
        "u64 != 1",
        "name != 'a'",
        "name ~ '*'",
        "addr != 'a'",
        "pointer != 'a'",
        "text != 'a'",
        "rel != 'a'",
        "mask != CPUS{1}",
        "mask & CPUS{0-1}",
        "u64 != CPUS{0-1}",
        "u64.function != schedule",
        "rest != 'a'",
    ] {
        for (version, model) in &MODELS[1..] {
            let filter = parse(text, &event, model).unwrap();
            assert!(!filter.matches(&[], &Moment::default()), "{version}: {text}");
            let negated = parse(&format!("!{text}"), &event, model).unwrap();
            assert!(negated.matches(&[], &Moment::default()), "{version}: {text}");
        }
    }
}

#[test]
fn without_context_nothing_holds() {
    let record = Bytes::new().put(64, &1000_u64.to_ne_bytes());
    let event = everything();
    for text in [
        "CPU != 7",
        "CPU == CPUS{0}",
        "CPU != CPUS{0-1}",
        "COMM != 'a'",
        "pointer != 'a'",
        "pointer.ustring != 'a'",
    ] {
        let filter = parse(text, &event, &Model::LINUX_6_18).unwrap();
        assert!(!filter.matches(&record.0, &NoContext), "{text}");
    }
}

/// A tree of comparisons `u8 & BIT`, with its text and its value for a byte.
#[derive(Clone, Debug)]
enum Tree {
    Bit(u8),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

impl Tree {
    fn text(&self) -> String {
        let joined = |parts: &[Tree], word: &str| {
            let parts: Vec<String> = parts.iter().map(|part| format!("({})", part.text())).collect();
            parts.join(word)
        };
        match self {
            Tree::Bit(bit) => format!("u8 & {}", 1 << bit),
            Tree::Not(inner) => format!("!({})", inner.text()),
            Tree::And(parts) => joined(parts, " && "),
            Tree::Or(parts) => joined(parts, "||"),
        }
    }

    fn holds(&self, byte: u8) -> bool {
        match self {
            Tree::Bit(bit) => byte >> bit & 1 != 0,
            Tree::Not(inner) => !inner.holds(byte),
            Tree::And(parts) => parts.iter().all(|part| part.holds(byte)),
            Tree::Or(parts) => parts.iter().any(|part| part.holds(byte)),
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    (0_u8..8).prop_map(Tree::Bit).prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Tree::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::And),
            prop::collection::vec(inner, 1..4).prop_map(Tree::Or),
        ]
    })
}

proptest! {
    /// The jumps compute the meaning of the text, for every byte.
    #[test]
    fn jumps_compute_the_tree(tree in trees()) {
        let text = tree.text();
        prop_assume!(text.len() < 4096);
        for (version, model) in MODELS {
            let filter = parse(&text, &everything(), &model).unwrap();
            for byte in 0..=u8::MAX {
                let record = Bytes::new().put(9, &[byte]);
                let passes = filter.matches(&record.0, &NoContext);
                prop_assert_eq!(passes, tree.holds(byte), "{}: {} of {}", version, text, byte);
            }
        }
    }

    /// Without parentheses `!` binds closer than `&&`, and that closer than `||`.
    #[test]
    fn connectors_bind_as_in_c(terms in prop::collection::vec((0_u8..8, any::<bool>(), any::<bool>()), 1..12)) {
        let mut text = String::new();
        for (index, (bit, not, or)) in terms.iter().enumerate() {
            if index > 0 {
                text += if *or { "||" } else { "&&" };
            }
            text += &format!("{}u8 & {}", if *not { "!" } else { "" }, 1 << bit);
        }
        let filter = parse(&text, &everything(), &Model::LINUX_6_1).unwrap();
        for byte in 0..=u8::MAX {
            let (mut any, mut all) = (false, true);
            for (index, (bit, not, or)) in terms.iter().enumerate() {
                if *or && index > 0 {
                    any |= all;
                    all = true;
                }
                all &= (byte >> bit & 1 != 0) != *not;
            }
            let record = Bytes::new().put(9, &[byte]);
            prop_assert_eq!(filter.matches(&record.0, &NoContext), any || all, "{} of {}", text, byte);
        }
    }

    /// Any bytes are handled, as text and as record.
    #[test]
    fn garbage_is_refused_or_answered(
        text in prop::collection::vec(prop::sample::select(b"u8 text==!~&|()'\"*[]?{}CPUS0-9<>._\\\xa0\xe9\n".to_vec()), 0..80),
        record in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        for (_, model) in MODELS {
            if let Ok(filter) = tracec_oracle::filter::Filter::parse(&text, &everything(), &model, &super::CONTEXT) {
                filter.matches(&record, &NoContext);
            }
        }
    }

    /// Any record is handled, for filters of every kind of field.
    #[test]
    fn any_record_is_answered(record in prop::collection::vec(any::<u8>(), 0..120)) {
        for text in [
            "name ~ 'a[!b]*c'", "text ~ '*[!a][!b]'", "text ~ '*x*'", "text ~ '*x'", "text == 'x'", "rel ~ '*a?'",
            "mask & CPUS{0-1}", "rest ~ 'a*b'", "u64 & CPUS{0-1}", "addr ~ 'x*'",
        ] {
            for model in [Model::LINUX_6_18, Model { bounded_text: false, ..Model::LINUX_6_18 }] {
                parse(text, &everything(), &model).unwrap().matches(&record, &NoContext);
            }
        }
    }
}
