//! Selection of records: what is selected of pages put together by hand, and that the reference agrees with the walk,
//! the decoder and the evaluator over any bytes.

#[path = "common/bytes.rs"]
#[expect(dead_code, reason = "memory and functions are not in records")]
mod bytes;
#[path = "common/pages.rs"]
mod pages;

use pages::{Builder, layouts};
use proptest::prelude::*;
use tracec_kernel::condition::context::RecordedOn;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, Text, TextTest};
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Page, PageError, PageLayout};
use tracec_kernel::record::Decoder;
use tracec_kernel::selection::{
    Evaluator, Numbered, PageFilter, Selected, SelectedEvent, Selection, SelectionError,
};

const FIELDS: &str = "\tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n";

const CPU: u32 = 3;

/// Returns the event of the tests with an id.
fn event(id: u16) -> EventFormat {
    EventFormat { id, name: format!("event{id}").into(), ..bytes::event(FIELDS) }
}

/// Returns a comparison of the only field.
fn compare(op: CompareOp, value: i128) -> Condition {
    Condition::compare(Number::Field(bytes::field(&event(7), "x").clone()), op, value)
}

fn selected_event(id: u16, conditions: &[(u32, Condition)]) -> SelectedEvent {
    let numbered =
        |(number, condition): &(u32, Condition)| Numbered { number: *number, condition: condition.clone() };
    SelectedEvent { format: event(id), conditions: conditions.iter().map(numbered).collect() }
}

/// Selects small and even values of the event 7 and every record of the event 9; the event 8 has no conditions.
fn selection(layout: PageLayout) -> Selection {
    let even =
        Number::binary(NumberOp::And, Number::Field(bytes::field(&event(7), "x").clone()), Number::Const(1));
    let small_or_even = [(0, compare(CompareOp::Lt, 10)), (40, Condition::compare(even, CompareOp::Eq, 0))];
    let events = vec![
        selected_event(7, &small_or_even),
        selected_event(8, &[]),
        selected_event(9, &[(5, Condition::Const(true))]),
    ];
    Selection::new(layout, events).expect("the conditions can be decided")
}

/// Returns a record of an event.
fn record(layout: &PageLayout, id: u16, x: u32) -> Vec<u8> {
    let mut record = vec![0; 12];
    bytes::put(&mut record, bytes::field(&event(id), "common_type"), id.into(), layout.little_endian);
    bytes::put(&mut record, bytes::field(&event(id), "x"), x.into(), layout.little_endian);
    record
}

/// The time stamp, the offset, the length and the number of a record that is selected.
type Found = (u64, u32, u32, u32);

/// Returns what is selected of a page, as time, place and number, and the result of the walk.
fn select(selection: &Selection, page: &[u8]) -> (Vec<Found>, Result<u64, PageError>) {
    let filter = Evaluator::new(selection);
    let mut selected = Vec::new();
    let page = Page::new(selection.layout(), page).expect("the header is right");
    let mut entries = page.entries();
    let result = filter.select(&mut entries, CPU, &mut selected);
    assert_eq!(entries.next(), None, "the walk is at its end");
    let flat = |s: Selected| (s.timestamp, s.offset, s.length, s.condition);
    (selected.into_iter().map(flat).collect(), result)
}

#[test]
fn record_is_selected_by_each_condition_that_holds() {
    for layout in layouts() {
        let page = Builder::new(layout, 1_000)
            .head(3, 0)
            .bytes(&record(&layout, 7, 4))
            .head(30, 0)
            .word(1)
            .head(3, 5)
            .bytes(&record(&layout, 7, 11))
            .head(3, 5)
            .bytes(&record(&layout, 7, 12))
            .head(29, 1)
            .word(8)
            .bytes(b"gone")
            .head(3, 5)
            .bytes(&record(&layout, 8, 4))
            .head(0, 1)
            .word(4 + 13)
            .bytes(&record(&layout, 9, 0))
            .bytes(b"zzzz")
            // Another event, and a record that ends within its header.
            .head(3, 1)
            .bytes(&record(&layout, 2, 0))
            .head(1, 1)
            .bytes(&record(&layout, 7, 0)[..4])
            .page(0);
        let later = 1_000 + (1 << 27);
        let small_even = [(1_000, 4, 12, 0), (1_000, 4, 12, 40)];
        let even = (later + 10, 44, 12, 40);
        let every = (later + 16, 92, 13, 5);
        let rejected = [(later + 5, 28, 12, Selected::REJECTED), (later + 15, 72, 12, Selected::REJECTED)];
        let others = [(later + 17, 112, 12, Selected::OTHER), (later + 18, 128, 4, Selected::OTHER)];

        let plain = selection(layout);
        let wanted = [&small_even[..], &[even, every]].concat();
        assert_eq!(select(&plain, &page), (wanted.clone(), Ok(7)), "{layout:?}");
        let with_others = plain.clone().with_others();
        assert_eq!(select(&with_others, &page), ([wanted, others.to_vec()].concat(), Ok(7)));
        let all = plain.with_rejected().with_others();
        let wanted = [&small_even[..], &[rejected[0], even, rejected[1], every], &others].concat();
        assert_eq!(select(&all, &page), (wanted, Ok(7)));
    }
}

#[test]
fn records_before_an_error_are_selected() {
    for layout in layouts() {
        let page =
            Builder::new(layout, 1).head(3, 0).bytes(&record(&layout, 9, 0)).head(3, 2).bytes(b"cut").page(0);
        let error = PageError::Entry { offset: 16 };
        assert_eq!(select(&selection(layout), &page), (vec![(1, 4, 12, 5)], Err(error)));
    }
}

#[test]
fn page_in_another_byte_order_is_refused() {
    let layout = PageLayout::default();
    let page = Builder::new(layout, 1).head(3, 0).bytes(&record(&layout, 9, 0)).page(0);
    let other = PageLayout { little_endian: !layout.little_endian, ..layout };
    let mut selected = Vec::new();
    let mut entries = Page::new(&layout, &page).unwrap().entries();
    let result = Evaluator::new(&selection(other)).select(&mut entries, CPU, &mut selected);
    assert_eq!((result, selected), (Err(PageError::ByteOrder), Vec::new()));
}

#[test]
fn selection_that_cannot_be_decided_is_refused() {
    let new = |events| Selection::new(PageLayout::default(), events).map(|_| ()).map_err(|e| e.to_string());
    let refused = |events, reason: &str| {
        let error = new(events).expect_err(reason);
        assert!(error.contains(reason), "{error}");
    };
    refused(vec![selected_event(7, &[]), selected_event(7, &[])], "the id 7 is that of `test:event7`");
    refused(vec![selected_event(7, &[(u32::MAX - 1, compare(CompareOp::Eq, 1))])], "is reserved");
    let comm = Condition::Atom(Atom::Text { of: Text::Comm, test: TextTest::Eq("x".to_owned()) });
    refused(vec![selected_event(7, &[(0, comm)])], "the task's name");
    let tgid = Condition::compare(Number::Tgid, CompareOp::Eq, 1);
    refused(vec![selected_event(7, &[(0, tgid)])], "cannot be decided by a record");
    refused(vec![selected_event(7, &[(0, Condition::Or(Vec::new()))])], "fewer than two parts");
    let mut field = bytes::field(&event(7), "x").clone();
    field.offset = 4_000_000_000;
    let outside = Condition::compare(Number::Field(field), CompareOp::Eq, 1);
    refused(vec![selected_event(7, &[(0, outside)])], "no field `x`");
    let mut elsewhere = selected_event(8, &[]);
    let mut fields = elsewhere.format.fields.to_vec();
    fields[0].offset = 2;
    elsewhere.format.fields = fields.into();
    let error = Selection::new(PageLayout::default(), vec![selected_event(7, &[]), elsewhere]);
    assert!(matches!(error, Err(SelectionError::OtherHeader { .. })));
}

proptest! {
    /// Any bytes: the selection is what the walk, the decoder and the evaluator say one by one.
    #[test]
    fn any_page_is_selected_as_its_parts_say(
        words in proptest::collection::vec(
            prop_oneof![
                any::<u32>(),
                // Heads of records, ids and values that the conditions decide.
                (0u32..32, 0u32..3).prop_map(|(kind, delta)| delta << 5 | kind),
                (0u32..32, 0u32..3).prop_map(|(kind, delta)| kind << 27 | delta),
                (7u32..10).prop_map(|id| id),
                (7u32..10).prop_map(|id| id << 16),
                0u32..20,
            ],
            0..80,
        ),
        which in 0usize..4,
        (others, rejected) in any::<(bool, bool)>(),
    ) {
        let layout = layouts()[which];
        let mut builder = Builder::new(layout, u64::MAX - 5);
        for word in words {
            builder = builder.word(word);
        }
        let page = builder.page(0);
        let mut selection = selection(layout);
        if others {
            selection = selection.with_others();
        }
        if rejected {
            selection = selection.with_rejected();
        }
        prop_assert_eq!(select(&selection, &page), one_by_one(&selection, &page));
    }
}

/// Returns the same as [`select`], from the parts that a filter puts together.
fn one_by_one(selection: &Selection, page: &[u8]) -> (Vec<Found>, Result<u64, PageError>) {
    let formats = selection.events().iter().map(|event| event.format.clone()).collect();
    let decoder = Decoder::for_layout(formats, selection.layout());
    let page = Page::new(selection.layout(), page).expect("the header is right");
    let entries = page.entries();
    let data = entries.bytes();
    let (mut selected, mut records) = (Vec::new(), 0);
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return (selected, Err(error)),
        };
        records += 1;
        let offset = (entry.data.as_ptr() as usize - data.as_ptr() as usize) as u32;
        let mut add = |number| selected.push((entry.timestamp, offset, entry.data.len() as u32, number));
        let Ok(record) = decoder.record(entry.data) else {
            if selection.others() {
                add(Selected::OTHER);
            }
            continue;
        };
        let event = selection.events().iter().find(|event| event.format == *record.format).unwrap();
        let holding: Vec<u32> = event
            .conditions
            .iter()
            .filter(|numbered| eval(&numbered.condition, &record, &RecordedOn { cpu: CPU }))
            .map(|numbered| numbered.number)
            .collect();
        if holding.is_empty() && selection.rejected() {
            add(Selected::REJECTED);
        }
        holding.into_iter().for_each(add);
    }
    (selected, Ok(records))
}
