//! Refusals of one model only, or at a limit.

use tracec_kernel::filter::Model;
use tracec_kernel::tables::{filter_errors, limits};
use tracec_oracle::filter::Filter;

use super::{CONTEXT, MODELS, event, everything, parse, real_event};

/// Returns words, errno and column of a refusal.
fn refusal(text: &str, model: &Model) -> (&'static str, i32, Option<usize>) {
    let refusal = parse(text, &real_event("sched:sched_switch"), model).expect_err(text);
    (refusal.error.text, refusal.errno, refusal.position)
}

#[test]
fn what_6_1_does_not_know() {
    for (text, words, column) in [
        ("prev_prio == CPUS{0}", "Invalid value (did you forget quotes)?", 14),
        ("prev_state.function == schedule", "Invalid operator", 11),
        ("stacktrace == 1", "Field not found", 11),
        ("STACKTRACE == 1", "Field not found", 11),
    ] {
        assert_eq!(refusal(text, &Model::LINUX_6_1), (words, 22, Some(column)), "{text}");
        for (version, model) in &MODELS[1..] {
            assert!(parse(text, &real_event("sched:sched_switch"), model).is_ok(), "{version}: {text}");
        }
    }
    let plain = Model { user_text: false, ..Model::LINUX_6_1 };
    assert_eq!(refusal("prev_comm.ustring == 'a'", &plain), ("Invalid operator", 22, Some(10)));
}

#[test]
fn a_connector_at_the_end() {
    // (text, whether a kernel that ignores it accepts the text)
    for (text, taken) in [
        ("prev_prio == 1 &&", true),
        ("prev_prio == 1 ||", true),
        ("prev_prio == 1 && ! !", true),
        ("prev_prio == 1 && next_prio == 2 &&", true),
        ("prev_prio == 1 && next_prio == 2 ||", true),
        ("prev_prio == 1 || next_prio == 2 ||", true),
        ("(prev_prio == 1 || next_prio == 2) &&", true),
        // The `||` is resolved only after the `&&`.
        ("prev_prio == 1 || next_prio == 2 &&", false),
        ("prev_pid == 3 && prev_prio == 1 || next_prio == 2 &&", false),
    ] {
        for (_, model) in &MODELS[..2] {
            let expected = ("Meaningless filter expression", 22, Some(text.len()));
            assert_eq!(refusal(text, model), expected, "{text}");
        }
        let parsed = parse(text, &real_event("sched:sched_switch"), &Model::LINUX_6_18);
        assert_eq!(parsed.is_ok(), taken, "{text}");
        if !taken {
            assert_eq!(refusal(text, &Model::LINUX_6_18), ("Error", 22, None), "{text}");
        }
    }
    // A connector outside parentheses of its own is refused by all.
    for (version, model) in MODELS {
        assert_eq!(refusal("(prev_prio == 1 &&)", &model), ("Error", 1, None), "{version}");
    }
}

#[test]
fn limits_are_met_to_the_byte() {
    let switch = real_event("sched:sched_switch");
    for (version, model) in MODELS {
        let string = |length: usize| format!("prev_comm == '{}'", "a".repeat(length));
        assert!(parse(&string(limits::STRING_OPERAND_BYTES), &switch, &model).is_ok(), "{version}");
        assert_eq!(refusal(&string(256), &model), ("Operand too long", 22, Some(271)), "{version}");
        let number = |length: usize| format!("prev_prio == {:0>length$}", 1);
        assert!(parse(&number(limits::NUMBER_CHARS), &switch, &model).is_ok(), "{version}");
        assert_eq!(refusal(&number(24), &model), ("Operand too long", 22, Some(38)), "{version}");

        let mut text = "prev_prio == 1".to_owned();
        text.extend(std::iter::repeat_n(' ', limits::FILTER_BYTES - text.len()));
        assert!(parse(&text, &switch, &model).is_ok(), "{version}");
        text.push(' ');
        assert_eq!(refusal(&text, &model), ("No error", 22, None), "{version}");
        text.insert(5, '\0');
        assert_eq!(refusal(&text, &model), ("No error", 22, None), "{version}: what follows a NUL counts");
    }
}

#[test]
fn depth_has_no_limit_but_the_page() {
    let switch = real_event("sched:sched_switch");
    let deep = format!("{}prev_prio == 1{}", "!(".repeat(1360), ")".repeat(1360));
    assert!(deep.len() <= limits::FILTER_BYTES);
    let many = "!".repeat(4081) + "prev_prio == 1";
    let terms = "cpu<1||".repeat(584) + "cpu<2";
    let open = "(".repeat(limits::FILTER_BYTES);
    for (version, model) in MODELS {
        let context = super::Moment::default();
        let passes = |text: &str, prio: i32| {
            let mut record = vec![0; 64];
            record[28..32].copy_from_slice(&prio.to_ne_bytes());
            parse(text, &switch, &model).unwrap().matches(&record, &context)
        };
        assert!(passes(&deep, 1) && !passes(&deep, 2), "{version}");
        assert!(!passes(&many, 1) && passes(&many, 2), "{version}");
        assert!(passes(&terms, 1), "{version}");
        assert_eq!(refusal(&open, &model), ("Too many '('", 2, Some(4094)), "{version}");
    }
}

#[test]
fn zero_alone_takes_the_filter_away() {
    for text in ["0", " 0", "0\n", "\t0 \n", "0\0x"] {
        for (version, model) in MODELS {
            let filter = parse(text, &everything(), &model).unwrap();
            assert!(filter.is_everything(), "{version}: {text:?}");
            assert!(filter.matches(&[], &super::Moment::default()), "{version}: {text:?}");
            assert_eq!(filter, Filter::everything());
        }
    }
    assert!(!parse("u8 == 0", &everything(), &Model::LINUX_6_18).unwrap().is_everything());
}

#[test]
fn own_fields_hide_generic_ones_and_later_ones_earlier() {
    let event =
        event("test", "names", "u8 cpu; 8 1 0\nchar comm[4]; 12 4 0\nu8 twice; 16 1 0\nu8 twice; 17 1 0");
    let mut record = vec![0; 20];
    record[8] = 200;
    record[12..16].copy_from_slice(b"abc\0");
    record[16] = 1;
    record[17] = 2;
    let moment = super::Moment { cpu: 1, comm: "task", text: Vec::new() };
    for (text, expected) in [
        ("cpu == 200", true),
        ("CPU == 1", true),
        ("common_cpu == 1", true),
        ("comm == 'abc'", true),
        ("COMM == 'task'", true),
        ("twice == 2", true),
        ("twice == 1", false),
        ("common_type == 0", true),
    ] {
        for (version, model) in MODELS {
            let filter = parse(text, &event, &model).unwrap();
            assert_eq!(filter.matches(&record, &moment), expected, "{version}: {text}");
        }
    }
    // Only hist triggers know these.
    for name in ["common_comm", "common_stacktrace"] {
        let refusal = parse(&format!("{name} == 1"), &event, &Model::LINUX_6_18).unwrap_err();
        assert_eq!(refusal.error, &filter_errors::FIELD_NOT_FOUND, "{name}");
    }
    assert!(Filter::parse(b"CPU == 1", &event, &Model::LINUX_6_1, &CONTEXT).is_ok());
}

#[test]
fn a_refusal_reads_as_a_sentence() {
    let refusal = parse("bogus == 1", &everything(), &Model::LINUX_6_18).unwrap_err();
    assert_eq!(refusal.to_string(), "Field not found at column 6 (error number 22)");
    let refusal = parse("()", &everything(), &Model::LINUX_6_18).unwrap_err();
    assert_eq!(refusal.to_string(), "Error (error number 22)");
}
