//! Tests of the conditions that the host decides.

use proptest::prelude::*;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp};
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Page, PageLayout};
use tracec_kernel::plan::{HostCondition, Span};

use super::*;

const COMMON: &str = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
    \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/// No record is followed by stacks.
const NONE: Stacks = Stacks { kernel: false, user: false };

const EVENT: u16 = 300;
const OTHER: u16 = 301;
const KERNEL_STACK: u16 = 4;
const USER_STACK: u16 = 12;

fn format(system: &str, name: &str, id: u16, fields: &str) -> EventFormat {
    let text = format!("name: {name}\nID: {id}\nformat:\n{COMMON}{fields}\nprint fmt: \"\"\n");
    EventFormat::parse(system, &text).unwrap()
}

fn formats() -> Vec<EventFormat> {
    let value = "\tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;\n";
    let kernel = "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n\
        \tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";
    let user = "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";
    vec![
        format("test", "event", EVENT, value),
        format("test", "other", OTHER, value),
        format("ftrace", "kernel_stack", KERNEL_STACK, kernel),
        format("ftrace", "user_stack", USER_STACK, user),
    ]
}

/// Returns a filter that keeps `test:event` if each of the conditions holds. Each record is followed by stacks.
fn filter(conditions: Vec<Condition>, stacks: Stacks) -> HostFilter {
    let host =
        |condition| HostCondition { event: "test:event".to_owned(), condition, origin: Span::default() };
    let host: Vec<_> = conditions.into_iter().map(host).collect();
    HostFilter::new(&formats(), &host, &PageLayout::default(), stacks).unwrap()
}

fn value() -> Number {
    Number::Field(formats()[0].field("value").unwrap().clone())
}

/// Returns the condition `value + 1 > 10`.
fn more_than_nine() -> Condition {
    Condition::Atom(Atom::Compare {
        left: Number::binary(NumberOp::Add, value(), Number::Const(1)),
        op: CompareOp::Gt,
        right: Number::Const(10),
    })
}

/// Returns a record: its event, the context (flags and depth), the task, and `value`.
fn bytes(id: u16, context: u8, pid: i32, value: u32) -> Vec<u8> {
    let mut bytes = id.to_ne_bytes().to_vec();
    bytes.extend_from_slice(&[context, context]);
    bytes.extend_from_slice(&pid.to_ne_bytes());
    bytes.extend_from_slice(&value.to_ne_bytes());
    bytes.resize(80, 0);
    bytes
}

/// Returns a page with some records.
fn page(records: &[Vec<u8>]) -> Vec<u8> {
    let mut data = Vec::new();
    for record in records {
        assert!(record.len().is_multiple_of(4) && record.len() <= 28 * 4);
        data.extend_from_slice(&(record.len() as u32 / 4).to_ne_bytes());
        data.extend_from_slice(record);
    }
    [&7_u64.to_ne_bytes(), &(data.len() as u64).to_ne_bytes(), &data[..]].concat()
}

/// Returns which of some records are kept, each given with its CPU. Neighbours on one CPU are in one page.
fn kept(filter: &mut HostFilter, records: &[(u32, Vec<u8>)]) -> Vec<bool> {
    kept_in(filter, 0, records)
}

/// Returns which of some records of a buffer are kept; each buffer has a hundred lanes.
fn kept_in(filter: &mut HostFilter, buffer: usize, records: &[(u32, Vec<u8>)]) -> Vec<bool> {
    let mut all = Vec::new();
    for of_cpu in records.chunk_by(|(one, _), (other, _)| one == other) {
        let bytes = page(&of_cpu.iter().map(|(_, record)| record.clone()).collect::<Vec<_>>());
        let page = Page::new(&PageLayout::default(), &bytes).unwrap();
        let mut kept = Vec::new();
        let cpu = of_cpu[0].0;
        filter.keep(&mut page.entries(), (100 * buffer + cpu as usize, cpu), &mut kept).unwrap();
        let mut kept = kept.iter().map(|kept| kept.offset).peekable();
        let mut offset = 4;
        for (_, record) in of_cpu {
            all.push(kept.next_if_eq(&offset).is_some());
            offset += 4 + record.len() as u32;
        }
        assert_eq!(kept.next(), None, "of no record");
    }
    all
}

#[test]
fn record_is_kept_if_all_conditions_of_its_event_hold() {
    let small = Condition::compare(value(), CompareOp::Lt, 20);
    let mut both = filter(vec![more_than_nine(), small], NONE);
    let values = [9, 10, 19, 20].map(|value| (0, bytes(EVENT, 0, 1, value)));
    assert_eq!(kept(&mut both, &values), [false, true, true, false]);
    assert_eq!(kept(&mut both, &[(0, bytes(OTHER, 0, 1, 0))]), [true]);
    assert_eq!(both.dropped().map(Dropped::records), Some(2));
    let mut none = filter(Vec::new(), NONE);
    assert_eq!(kept(&mut none, &values), [true; 4]);
    assert_eq!(none.dropped(), None);
}

#[test]
fn cpu_is_that_of_the_ring() {
    let mut second = filter(vec![Condition::compare(Number::Cpu, CompareOp::Eq, 2)], NONE);
    let records = [1, 2, 3].map(|cpu| (cpu, bytes(EVENT, 0, 1, 0)));
    assert_eq!(kept(&mut second, &records), [false, true, false]);
}

#[test]
fn truncated_record_is_dropped() {
    let mut long = filter(vec![more_than_nine()], NONE);
    let mut cut = bytes(EVENT, 0, 1, 50);
    cut.truncate(8);
    assert_eq!(kept(&mut long, &[(0, cut)]), [false]);
}

#[test]
fn stacks_of_dropped_records_are_dropped() {
    let mut with_stacks = filter(vec![more_than_nine()], Stacks { kernel: true, user: true });
    let kernel = |context, pid| (0, bytes(KERNEL_STACK, context, pid, 0));
    let user = |context, pid| (0, bytes(USER_STACK, context, pid, 0));
    let event = |context, pid, value| (0, bytes(EVENT, context, pid, value));
    let records = [
        // Dropped with both stacks; the third stack is a trigger's.
        (event(0, 7, 1), false),
        (kernel(0, 7), false),
        (user(0, 7), false),
        (kernel(0, 7), true),
        // The same task; the record is kept with its stacks.
        (event(0, 7, 50), true),
        (kernel(0, 7), true),
        // An interrupt with its stack between a record and its stack.
        (event(0, 7, 1), false),
        (event(1, 7, 50), true),
        (kernel(1, 7), true),
        (kernel(0, 7), false),
        // A record without a stack does not claim a later one.
        (event(0, 8, 1), false),
        (event(0, 8, 50), true),
        (kernel(0, 8), true),
        // A record of another task on another CPU.
        (event(0, 9, 1), false),
        ((1, bytes(KERNEL_STACK, 0, 9, 0)), true),
        (kernel(0, 9), false),
    ];
    let (records, expected): (Vec<_>, Vec<_>) = records.into_iter().unzip();
    assert_eq!(kept(&mut with_stacks, &records), expected);
    assert_eq!(with_stacks.dropped(), Some(Dropped { all: 8, stacks: 4 }));
}

#[test]
fn without_the_options_every_stack_is_kept() {
    let mut without = filter(vec![more_than_nine()], NONE);
    let records = [(0, bytes(EVENT, 0, 7, 1)), (0, bytes(KERNEL_STACK, 0, 7, 0))];
    assert_eq!(kept(&mut without, &records), [false, true]);
}

#[test]
fn loss_clears_expected_stacks() {
    let mut with_stacks = filter(vec![more_than_nine()], Stacks { kernel: true, user: false });
    assert_eq!(kept(&mut with_stacks, &[(0, bytes(EVENT, 0, 7, 1))]), [false]);
    with_stacks.lost(0);
    assert_eq!(kept(&mut with_stacks, &[(0, bytes(KERNEL_STACK, 0, 7, 0))]), [true]);
}

/// A filter that selects nothing.
#[derive(Debug)]
struct Nothing;

impl PageFilter for Nothing {
    fn select(&self, entries: &mut Entries<'_>, _: u32, _: &mut Vec<Selected>) -> Result<u64, PageError> {
        entries.try_fold(0, |records, entry| entry.map(|_| records + 1))
    }
}

#[test]
fn code_decides_once_it_is_made() {
    let records = [(0, bytes(EVENT, 0, 1, 50)), (0, bytes(EVENT, 0, 1, 1))];
    let mut filter = filter(vec![more_than_nine()], NONE);
    let task = filter.task().unwrap();
    assert_eq!(kept(&mut filter, &records), [true, false]);
    let compile: CompileFilter = Arc::new(|_| Ok(Box::new(Nothing)));
    assert_eq!(task.run(&compile), Ok(()));
    assert_eq!(kept(&mut filter, &records), [false, false]);
    assert_eq!(filter.dropped(), Some(Dropped { all: 3, stacks: 0 }));
}

#[test]
fn evaluator_decides_where_no_code_can_be_made() {
    let records = [(0, bytes(EVENT, 0, 1, 50)), (0, bytes(EVENT, 0, 1, 1))];
    let mut filter = filter(vec![more_than_nine()], NONE);
    let compile: CompileFilter = Arc::new(|_| Err("no memory".to_owned()));
    let task = filter.task().unwrap();
    let code = task.code();
    assert_eq!(task.run(&compile), Err("no memory".to_owned()));
    assert_eq!(code.get().unwrap().as_ref().err().map(String::as_str), Some("no memory"));
    assert_eq!(kept(&mut filter, &records), [true, false]);
    assert!(HostFilter::default().task().is_none());
}

#[test]
fn stacks_of_a_recording_follow_the_last_record_of_their_context() {
    let conditions = vec![Numbered { number: 3, condition: more_than_nine() }];
    let event = SelectedEvent { format: formats()[0].clone(), conditions };
    let mut recorded = HostFilter::of_recorded(&formats(), vec![event], &PageLayout::default()).unwrap();
    let kernel = |context| (0, bytes(KERNEL_STACK, context, 7, 0));
    let user = |context| (0, bytes(USER_STACK, context, 7, 0));
    let event = |context, value| (0, bytes(EVENT, context, 7, value));
    let records = [
        // The record of the first one is not there.
        (kernel(0), false),
        (event(0, 50), true),
        (kernel(0), true),
        (user(0), true),
        (event(0, 1), false),
        (kernel(0), false),
        // A record of an event that was not asked for takes its own stack with it.
        (event(0, 50), true),
        ((0, bytes(OTHER, 0, 7, 0)), false),
        (kernel(0), false),
        // An interrupt between a record and its stack.
        (event(0, 50), true),
        (event(1, 1), false),
        (kernel(1), false),
        (kernel(0), true),
    ];
    let (records, expected): (Vec<_>, Vec<_>) = records.into_iter().unzip();
    assert_eq!(kept(&mut recorded, &records), expected);
    assert_eq!(recorded.dropped(), Some(Dropped { all: 7, stacks: 4 }));
    // The border of a page is none for a stack; a loss is.
    assert_eq!(kept(&mut recorded, &[event(0, 50)]), [true]);
    assert_eq!(kept(&mut recorded, &[kernel(0)]), [true]);
    recorded.lost(0);
    assert_eq!(kept(&mut recorded, &[kernel(0)]), [false]);
}

/// Returns a filter of a recording that keeps `test:event` if one of the conditions holds.
fn recorded(conditions: Vec<Condition>) -> HostFilter {
    let conditions = (0..).zip(conditions).map(|(number, condition)| Numbered { number, condition });
    let event = SelectedEvent { format: formats()[0].clone(), conditions: conditions.collect() };
    HostFilter::of_recorded(&formats(), vec![event], &PageLayout::default()).unwrap()
}

#[test]
fn buffers_have_stacks_of_their_own() {
    let kernel = || (0, bytes(KERNEL_STACK, 0, 7, 0));
    let event = |value| (0, bytes(EVENT, 0, 7, value));
    let mut of_two = recorded(vec![more_than_nine()]);
    assert_eq!(kept_in(&mut of_two, 0, &[event(50)]), [true]);
    // The same task, on the same CPU, in an instance.
    assert_eq!(kept_in(&mut of_two, 1, &[event(1)]), [false]);
    assert_eq!(kept_in(&mut of_two, 0, &[kernel()]), [true]);
    assert_eq!(kept_in(&mut of_two, 1, &[kernel()]), [false]);
    // A loss in one buffer is none in the other.
    of_two.lost(100);
    assert_eq!(kept_in(&mut of_two, 0, &[kernel()]), [true]);
    of_two.lost(0);
    assert_eq!(kept_in(&mut of_two, 0, &[kernel()]), [false]);
    // The CPU of a condition is that of the ring in each of them.
    let mut second = recorded(vec![Condition::compare(Number::Cpu, CompareOp::Eq, 2)]);
    let records = [1, 2].map(|cpu| (cpu, bytes(EVENT, 0, 1, 0)));
    assert_eq!(kept_in(&mut second, 1, &records), [false, true]);
}

#[test]
fn stack_of_an_unknown_record_is_not_that_of_the_record_before() {
    let kernel = || (0, bytes(KERNEL_STACK, 0, 7, 0));
    let unknown = (0, bytes(999, 0, 7, 0));
    let mut recorded = recorded(vec![more_than_nine()]);
    let records = [(0, bytes(EVENT, 0, 7, 50)), kernel(), unknown, kernel()];
    assert_eq!(kept(&mut recorded, &records), [true, true, false, false]);
}

#[test]
fn record_for_which_two_conditions_hold_is_kept_once() {
    let at_least = |value| Condition::compare(self::value(), CompareOp::Ge, value);
    let mut recorded = recorded(vec![at_least(10), at_least(20)]);
    let records = [5, 15, 25].map(|value| (0, bytes(EVENT, 0, 7, value)));
    assert_eq!(kept(&mut recorded, &records), [false, true, true]);
    assert_eq!(recorded.dropped(), Some(Dropped { all: 1, stacks: 0 }));
    assert_eq!(kept(&mut self::recorded(Vec::new()), &records), [false; 3]);
}

#[test]
fn event_that_shares_its_id_is_refused() {
    let (mut other, event) = (formats()[1].clone(), formats()[0].clone());
    other.id = EVENT;
    let formats = [other, event.clone()];
    let conditions = vec![Numbered { number: 0, condition: more_than_nine() }];
    let event = SelectedEvent { format: event, conditions };
    let refused = HostFilter::of_recorded(&formats, vec![event], &PageLayout::default());
    let (first, second) = ("test:event".to_owned(), "test:other".to_owned());
    assert_eq!(refused.unwrap_err(), SelectionError::SharedId { id: EVENT, first, second });
}

/// A record of a random history: whether it is of the event, another event, a stack or unknown; its context; its value.
type Made = (u8, u8, u32);

proptest! {
    #[test]
    fn history_that_is_asked_for_decides_as_following_from_the_start(
        pages_of in prop::collection::vec((prop::collection::vec((0u8..12, 0u8..12, 0u32..20), 1..12), 0u8..6), 1..8)
    ) {
        let record = |&(kind, context, value): &Made| match kind {
            0..5 => bytes(EVENT, context, 7, value),
            5..9 => bytes(OTHER, context, 7, value),
            9 => bytes(KERNEL_STACK, context, 7, 0),
            10 => bytes(USER_STACK, context, 7, 0),
            _ => bytes(999, context, 7, 0),
        };
        let lost = |of_page: &(Vec<Made>, u8)| of_page.1 == 0;
        let made: Vec<Vec<u8>> =
            pages_of.iter().map(|of_page| page(&of_page.0.iter().map(record).collect::<Vec<_>>())).collect();
        let read = |bytes: &[u8], of_page| {
            let mut bytes = bytes.to_vec();
            if lost(of_page) {
                bytes[11] |= 0x80;
            }
            bytes
        };
        let made: Vec<Vec<u8>> = made.iter().zip(&pages_of).map(|(bytes, of_page)| read(bytes, of_page)).collect();
        let layout = PageLayout::default();
        let (mut from_start, mut on_demand) = (recorded(vec![more_than_nine()]), recorded(vec![more_than_nine()]));
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for (index, bytes) in made.iter().enumerate() {
            let page = Page::new(&layout, bytes).unwrap();
            if lost(&pages_of[index]) {
                from_start.lost(0);
                on_demand.lost(0);
            }
            from_start.keep(&mut page.entries(), (0, 0), &mut one).unwrap();
            while on_demand.keep_page(&mut page.entries(), (0, 0), &mut other).unwrap() != Walked::Decided {
                on_demand.begin_history(0);
                if lost(&pages_of[index]) {
                    continue;
                }
                for before in made[..index].iter().rev() {
                    if !on_demand.remember((0, 0), &Page::new(&layout, before).unwrap()).unwrap() {
                        break;
                    }
                }
            }
            let kept = |kept: &[Selected]| kept.iter().map(|kept| kept.offset).collect::<Vec<_>>();
            prop_assert_eq!(kept(&one), kept(&other));
            prop_assert_eq!(from_start.dropped(), on_demand.dropped());
        }
    }
}
