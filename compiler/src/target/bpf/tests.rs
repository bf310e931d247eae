//! The instructions of some conditions, and the contents of an object.

use expect_test::{Expect, expect};
use tracec_kernel::condition::ir::Condition;

use super::filter;
use crate::target::fixture::{Files, read};
use crate::{Choice, Input, SourceText, analyse};

/// Compares the instructions of a condition on `sched:sched_switch`.
fn check(condition: &str, expected: Expect) {
    let format = read("../tests/data/kernel/events/sched/sched_switch/format");
    let kernel = Files(&[("events/sched/sched_switch/format", &format)]);
    let text = format!("trace sched:sched_switch if {condition};");
    let source = SourceText { text, one_liner: true, ..SourceText::default() };
    let analysis = analyse(Input::new(&source, &kernel), Choice::All);
    let (text, said) = analysis.make(|placed| {
        let event = &placed.session.events[0];
        let recording = event.record.as_ref().expect("it is recorded");
        let conjuncts = &placed.module.conditions[recording.filter];
        let condition = Condition::all(conjuncts.iter().map(|conjunct| conjunct.value.clone()).collect());
        let filter = filter(&condition, &placed.module.catalogue[event.id]);
        Ok(filter.expect("a program").text.join("\n") + "\n")
    });
    expected.assert_eq(&text.unwrap_or_else(|| panic!("{said:?}")));
}

#[test]
fn words_of_the_context_are_compared() {
    check(
        "prev_prio < 100 && next_comm == \"bash\"",
        expect![[r#"
        0: r2 = *(u32 *)(r1 +28)
        1: if w2 s> 99 goto 8
        2: r2 = *(u32 *)(r1 +40)
        3: if w2 != 1752392034 goto 8
        4: r1 = *(u8 *)(r1 +44)
        5: if w1 != 0 goto 8
        6: r0 = 1
        7: exit
        8: r0 = 0
        9: exit
    "#]],
    );
}

#[test]
fn set_is_a_tree_or_a_word() {
    check(
        "prev_pid in {1, 5, 90, 1000..=2000, 70000}",
        expect![[r#"
        0: r1 = *(u32 *)(r1 +24)
        1: if w1 s>= 90 goto 5
        2: if w1 == 1 goto 9
        3: if w1 == 5 goto 9
        4: goto 11
        5: if w1 == 90 goto 9
        6: if w1 s< 1000 goto 11
        7: if w1 s<= 2000 goto 9
        8: if w1 != 70000 goto 11
        9: r0 = 1
        10: exit
        11: r0 = 0
        12: exit
    "#]],
    );
    check(
        "prev_prio in {1, 5, 9, 11, 13}",
        expect![[r#"
        0: r1 = *(u32 *)(r1 +28)
        1: r2 = r1
        2: w2 = w1
        3: w2 -= 1
        4: if r2 > 12 goto 11
        5: r1 = 5393
        6: r1 >>= r2
        7: if r1 & 1 goto 9
        8: goto 11
        9: r0 = 1
        10: exit
        11: r0 = 0
        12: exit
    "#]],
    );
}

#[test]
fn divisor_is_tested_first() {
    check(
        "prev_pid % next_prio == 3",
        expect![[r#"
        0: r2 = *(u32 *)(r1 +24)
        1: r2 <<= 32
        2: r2 s>>= 32
        3: r1 = *(u32 *)(r1 +60)
        4: r1 <<= 32
        5: r1 s>>= 32
        6: if r1 == 0 goto 18
        7: r3 = r2
        8: if r2 s>= 0 goto 10
        9: r2 = -r2
        10: if r1 s>= 0 goto 12
        11: r1 = -r1
        12: r2 %= r1
        13: if r3 s>= 0 goto 15
        14: r2 = -r2
        15: if r2 != 3 goto 18
        16: r0 = 1
        17: exit
        18: r0 = 0
        19: exit
    "#]],
    );
}

#[test]
fn pattern_with_stars_is_an_automaton() {
    check(
        "next_comm ~ \"*ab*\"",
        expect![[r#"
            0: r2 = *(u64 *)(r1 +40)
            1: *(u64 *)(r10 -128) = r2
            2: r1 = *(u64 *)(r1 +48)
            3: *(u64 *)(r10 -120) = r1
            4: r1 = 1
            5: r2 = r10
            6: r2 += -128
            7: r3 = 0
            8: r4 = *(u8 *)(r2 +0)
            9: if w4 != 0 goto 12
            10: if r1 & 4 goto 28
            11: goto 30
            12: r4 *= 8
            13: r5 = value of constants + 8
            15: r5 += r4
            16: r4 = *(u64 *)(r5 +0)
            17: r5 = r1
            18: r5 &= 5
            19: r1 &= r4
            20: r1 <<= 1
            21: r1 |= r5
            22: if r1 != 0 goto 24
            23: goto 30
            24: r2 += 1
            25: r3 += 1
            26: if r3 < 16 goto 8
            27: goto 10
            28: r0 = 1
            29: exit
            30: r0 = 0
            31: exit
        "#]],
    );
}
