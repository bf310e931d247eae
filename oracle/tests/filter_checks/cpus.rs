//! `CPUS{..}`, the CPU, and fields that are sets of CPUs.

use tracec_kernel::filter::Model;
use tracec_oracle::filter::{Filter, ParseContext};

use super::{Bytes, Moment, assert_matches, everything};

fn on_cpu(cpu: u32) -> Moment {
    Moment { cpu, ..Moment::default() }
}

#[test]
fn the_cpu_compares_as_an_int() {
    let passes = [
        "CPU == 1",
        "cpu == 1",
        "common_cpu >= 1",
        "CPU < 2",
        "CPU > -1",
        "CPU != 0",
        "CPU == 4294967297",
        "CPU == CPUS{1}",
        "CPU & CPUS{1}",
        "CPU != CPUS{0}",
        "CPU & CPUS{0-1}",
        "CPU != CPUS{0-1}",
        "CPU != CPUS{ }",
        "!CPU & 1",
    ];
    let fails = [
        "CPU & 1",
        "CPU & 3",
        "CPU == CPUS{0-1}",
        "CPU == CPUS{0}",
        "CPU & CPUS{0}",
        "CPU != CPUS{1}",
        "CPU & CPUS{,}",
        "CPU < 4294967296",
        "CPU == CPUS{ }",
    ];
    assert_matches(&Bytes::new(), &on_cpu(1), &passes, &fails);
}

#[test]
fn integers_compare_with_cpus() {
    let record = Bytes::new()
        .put(9, &[1])
        .put(12, &2_u16.to_ne_bytes())
        .put(20, &(-1_i32).to_ne_bytes())
        .put(40, &0x1_0000_0001_u64.to_ne_bytes());
    let passes = [
        "u8 == CPUS{1}",
        "u8 & CPUS{1}",
        "u8 != CPUS{0}",
        "u8 & CPUS{0-1}",
        "u8 != CPUS{0-1}",
        // One CPU is a number, so a value that is not a CPU differs from it.
        "u16 != CPUS{1}",
        "u64 != CPUS{1}",
        // Only the lower four bytes are looked up in a set.
        "u64 & CPUS{0-1}",
        "u64 != CPUS{0-1}",
    ];
    let fails = [
        "u8 == CPUS{0-1}",
        "u8 & CPUS{0}",
        "u8 & CPUS{ }",
        "u8 == CPUS{ }",
        "u16 & CPUS{0-1}",
        "u16 != CPUS{0-1}",
        "u16 == CPUS{0-1}",
        "s32 != CPUS{0-1}",
        "s32 & CPUS{0-1}",
        "u64 == CPUS{1}",
        "u64 & CPUS{1}",
    ];
    assert_matches(&record, &Moment::default(), &passes, &fails);
}

#[test]
fn cpumasks_compare_with_cpus() {
    let record = |bits: u64| Bytes::new().located(80, 0, 8).tail(&bits.to_ne_bytes());
    let equal =
        ["mask == CPUS{0-1}", "mask & CPUS{0}", "mask & CPUS{1}", "mask & CPUS{0-1}", "mask != CPUS{0}"];
    let not =
        ["mask == CPUS{0}", "mask == CPUS{1}", "mask != CPUS{0-1}", "mask == CPUS{ }", "mask & CPUS{ }"];
    assert_matches(&record(0b11), &Moment::default(), &equal, &not);
    let one =
        ["mask == CPUS{1}", "mask & CPUS{1}", "mask != CPUS{0}", "mask != CPUS{0-1}", "mask & CPUS{0-1}"];
    let none = ["mask == CPUS{0}", "mask & CPUS{0}", "mask != CPUS{1}", "mask == CPUS{0-1}"];
    assert_matches(&record(0b10), &Moment::default(), &one, &none);
    assert_matches(
        &record(0),
        &Moment::default(),
        &["mask == CPUS{,}"],
        &["mask & CPUS{0-1}", "mask != CPUS{,}"],
    );
    // In a comparison with a number it is its location word.
    let word = (8 << 16 | 84).to_string();
    let (number, bit) = (format!("mask == {word}"), format!("mask & {word}"));
    assert_matches(&record(0b11), &Moment::default(), &[&number, &bit], &["mask == 3", "mask & 3"]);
    // A set that is cut off.
    let mut short = record(0b11);
    short.0.pop();
    assert_matches(
        &short,
        &Moment::default(),
        &[],
        &["mask == CPUS{0-1}", "mask != CPUS{0}", "mask & CPUS{0}"],
    );
}

#[test]
fn a_list_is_of_the_cpus_that_there_can_be() {
    for (list, cpus, taken) in [
        ("1", 2, true),
        ("2", 2, false),
        ("2", 3, true),
        ("127", 128, true),
        ("128", 128, false),
        ("N", 1, true),
    ] {
        let text = format!("u32 == CPUS{{{list}}}");
        let context = ParseContext::without_functions(cpus);
        let parsed = Filter::parse(text.as_bytes(), &everything(), &Model::LINUX_6_12, &context);
        assert_eq!(parsed.is_ok(), taken, "{text} of {cpus}");
    }
}
