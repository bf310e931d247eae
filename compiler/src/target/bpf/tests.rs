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
    check("prev_prio < 100 && next_comm == \"bash\"", expect![[""]]);
}

#[test]
fn set_is_a_tree_or_a_word() {
    check("prev_pid in {1, 5, 90, 1000..=2000, 70000}", expect![[""]]);
    check("prev_prio in {1, 5, 9, 11, 13}", expect![[""]]);
}

#[test]
fn divisor_is_tested_first() {
    check("prev_pid % next_prio == 3", expect![[""]]);
}

#[test]
fn pattern_with_stars_is_an_automaton() {
    check("next_comm ~ \"*ab*\"", expect![[""]]);
}
