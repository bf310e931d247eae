//! Ring-buffer pages put together by hand, entry by entry, in both byte orders.

#[path = "common/pages.rs"]
mod pages;

use pages::{Builder, HEADER_32, HEADER_64, layouts};
use proptest::prelude::*;
use tracec_kernel::page::{Lost, Page, PageError, PageLayout};

fn entries(layout: &PageLayout, page: &[u8]) -> Result<Vec<(u64, Vec<u8>)>, PageError> {
    Page::new(layout, page)?.entries().map(|e| e.map(|e| (e.timestamp, e.data.to_vec()))).collect()
}

#[test]
fn the_header_is_read() {
    let layout = PageLayout::parse(HEADER_64).unwrap();
    assert_eq!(layout, PageLayout::default());
    assert_eq!((layout.commit_size, layout.data_offset, layout.size), (8, 16, 4096));
    let narrow = PageLayout::parse(HEADER_32).unwrap();
    assert_eq!((narrow.commit_size, narrow.data_offset, narrow.size), (4, 12, 4096));
}

#[test]
fn a_header_that_is_none_is_refused() {
    let fails = |text: &str, reason: &str| {
        let error = PageLayout::parse(text).expect_err("it parses");
        assert!(error.reason.contains(reason), "{error}");
    };
    fails("", "`timestamp`");
    fails(&HEADER_64.replace("char data", "char date"), "`data`");
    fails(&HEADER_64.replace("offset:16;", "offset:15;"), "in front of the data");
    fails(
        &HEADER_64.replace("local_t commit;\toffset:8;\tsize:8;", "local_t commit;\toffset:8;\tsize:2;"),
        "commit word",
    );
    fails(&HEADER_64.replace("size:4080;", "size:0;"), "out of bounds");
    fails(&HEADER_64.replace("size:4080;", "size:4294967295;"), "out of bounds");
    fails("nonsense", "field:");
}

#[test]
fn every_kind_of_entry_is_walked() {
    for layout in layouts() {
        let page = Builder::new(layout, 1_000)
            .head(2, 0)
            .bytes(b"firstone")
            .head(1, 7)
            .bytes(b"two!")
            // Long data: the length counts itself, the data is rounded up to words.
            .head(0, 3)
            .word(4 + 6)
            .bytes(b"third.\0\0")
            // Time goes on by (1 << 27) + 5 without a record.
            .head(30, 5)
            .word(1)
            .head(1, 1)
            .bytes(b"four")
            // A discarded record: its time counts, unless the kernel forced it to 1.
            .head(29, 10)
            .word(8)
            .bytes(b"gone")
            .head(29, 1)
            .word(8)
            .bytes(b"gone")
            .head(1, 1)
            .bytes(b"five")
            // An absolute time.
            .head(31, 9)
            .word(2)
            .head(1, 1)
            .bytes(b"six.")
            // The rest of the page is empty.
            .head(29, 0)
            .bytes(&[0xff; 40]);
        let four = 1_010 + (1 << 27) + 5 + 1;
        let expected = [
            (1_000, &b"firstone"[..]),
            (1_007, b"two!"),
            (1_010, b"third."),
            (four, b"four"),
            (four + 11, b"five"),
            ((2 << 27) + 9 + 1, b"six."),
        ];
        let expected: Vec<_> = expected.into_iter().map(|(time, data)| (time, data.to_vec())).collect();
        assert_eq!(entries(&layout, &page.page(0)), Ok(expected), "{layout:?}");
    }
}

#[test]
fn walk_that_is_resumed_continues_where_the_other_one_stands() {
    for layout in layouts() {
        let page = Builder::new(layout, 1_000)
            .head(1, 7)
            .bytes(b"one.")
            .head(30, 5)
            .word(1)
            .head(1, 3)
            .bytes(b"two.");
        let page = page.head(29, 0).bytes(&[0xff; 8]).page(0);
        let whole = || Page::new(&layout, &page).unwrap().entries();
        let mut first = whole();
        assert!(first.next().is_some());
        let mut resumed = whole();
        resumed.resume(first.offset(), first.timestamp(), first.is_padded());
        assert_eq!(resumed.clone().collect::<Vec<_>>(), first.by_ref().collect::<Vec<_>>(), "{layout:?}");
        assert!(first.is_padded() && first.offset() == first.bytes().len());
        resumed.resume(first.offset(), first.timestamp(), first.is_padded());
        assert!(resumed.is_padded() && resumed.next().is_none());
        assert_eq!(resumed.is_little_endian(), layout.little_endian);
    }
}

#[test]
fn an_absolute_time_keeps_the_top_bits_of_the_page() {
    let layout = PageLayout::default();
    let top = 0x48 << 56;
    let at = |before: u64, high: u32, low: u32| {
        let page = Builder::new(layout, before).head(31, low).word(high).head(1, 0).bytes(b"data");
        entries(&layout, &page.page(0)).unwrap()[0].0
    };
    assert_eq!(at(top + 100, 1, 2), top + (1 << 27) + 2);
    assert_eq!(at(100, 1, 2), (1 << 27) + 2);
    // The 59 bits ran over between the page's stamp and the entry's.
    let before = top + (1 << 59) - 1;
    assert_eq!(at(before, 0, 5), (top + 5).wrapping_add(1 << 59));
    assert_eq!(at(u64::MAX, 0, 5), ((0xf8 << 56) + 5u64).wrapping_add(1 << 59));
}

#[test]
fn lost_records_are_reported() {
    for layout in layouts() {
        let one = || Builder::new(layout, 1).head(1, 0).bytes(b"data");
        let lost = |page: &[u8]| Page::new(&layout, page).map(|page| (page.lost(), page.entries().count()));
        assert_eq!(lost(&one().page(0)), Ok((Lost::None, 1)));
        assert_eq!(lost(&one().page(1 << 31)), Ok((Lost::Unknown, 1)));
        // The count stands behind the committed data and is not a part of it.
        let mut page = one().page(1 << 31 | 1 << 30);
        let at = layout.data_offset as usize + 8;
        let size = layout.commit_size as usize;
        let count = if layout.little_endian {
            255u64.to_le_bytes()
        } else {
            (255u64 << (64 - 8 * size)).to_be_bytes()
        };
        page[at..at + size].copy_from_slice(&count[..size]);
        assert_eq!(lost(&page), Ok((Lost::Count(255), 1)));
        let full =
            Builder::new(layout, 1)
                .head(29, 0)
                .bytes(&vec![0; (layout.size - layout.data_offset) as usize - 4]);
        assert_eq!(lost(&full.page(1 << 31 | 1 << 30)), Err(PageError::LostCount));
        assert_eq!(lost(&full.page(1 << 31)), Ok((Lost::Unknown, 0)));
    }
}

#[test]
fn lengths_that_lead_outside_are_errors() {
    for layout in layouts() {
        let fails = |builder: Builder, error: PageError| {
            let page = builder.page(0);
            let mut walk = Page::new(&layout, &page).unwrap().entries();
            assert_eq!(walk.next(), Some(Err(error)));
            assert_eq!(walk.next(), None, "a walk ends at its first error");
        };
        let new = || Builder::new(layout, 1);
        fails(new().head(2, 0).bytes(b"data"), PageError::Entry { offset: 0 });
        fails(new().head(28, 0), PageError::Entry { offset: 0 });
        fails(new().head(0, 0), PageError::Entry { offset: 0 });
        fails(new().head(0, 0).word(3), PageError::Length { offset: 0, length: 3 });
        fails(new().head(0, 0).word(0), PageError::Length { offset: 0, length: 0 });
        fails(new().head(0, 0).word(u32::MAX), PageError::Entry { offset: 0 });
        fails(new().head(29, 1).word(u32::MAX), PageError::Entry { offset: 0 });
        fails(new().head(29, 1), PageError::Entry { offset: 0 });
        fails(new().head(30, 1), PageError::Entry { offset: 0 });
        fails(new().head(31, 1), PageError::Entry { offset: 0 });
        fails(new().bytes(b"abc"), PageError::Entry { offset: 0 });
        fails(new().head(29, 1).word(0).bytes(b"ab"), PageError::Entry { offset: 4 });
    }
}

#[test]
fn an_empty_page_has_no_entries() {
    let layout = PageLayout::default();
    assert_eq!(entries(&layout, &Builder::new(layout, 5).page(0)), Ok(Vec::new()));
    assert_eq!(Page::new(&layout, &Builder::new(layout, 5).page(0)).unwrap().timestamp(), 5);
}

#[test]
fn a_page_cut_anywhere_is_an_error_until_its_data_is_there() {
    for layout in layouts() {
        let builder = Builder::new(layout, 1).head(2, 0).bytes(b"firstone").head(1, 7).bytes(b"two!");
        let page = builder.page(0);
        let needed = layout.data_offset as usize + builder.data.len();
        for len in 0..page.len() {
            assert_eq!(Page::new(&layout, &page[..len]).is_ok(), len >= needed, "{len}");
        }
    }
}

#[test]
fn an_impossible_layout_is_refused() {
    let layout = PageLayout { data_offset: 4, ..PageLayout::default() };
    assert!(matches!(Page::new(&layout, &[0; 4096]), Err(PageError::Layout { .. })));
    let layout = PageLayout { commit_offset: u32::MAX, ..PageLayout::default() };
    assert!(matches!(Page::new(&layout, &[0; 4096]), Err(PageError::Layout { .. })));
    let page = Builder::new(PageLayout::default(), 1).page(5_000);
    assert_eq!(
        Page::new(&PageLayout::default(), &page).map(|_| ()),
        Err(PageError::Committed { committed: 5_000, available: 4_080 })
    );
}

proptest! {
    /// Any bytes: the walk ends, every record lies in the page, and nothing panics.
    #[test]
    fn any_bytes_are_walked_to_an_end(
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        commit in 0u64..600,
        which in 0usize..4,
    ) {
        let layout = layouts()[which];
        let mut builder = Builder::new(layout, u64::MAX - 5);
        builder.data = bytes.clone();
        let page = builder.page(0);
        if let Ok(parsed) = Page::new(&layout, &page) {
            let mut taken = 0;
            for entry in parsed.entries() {
                taken += 4 + entry.map_or(0, |entry| entry.data.len());
            }
            prop_assert!(taken <= bytes.len() + 4);
        }
        let _ = Page::new(&layout, &bytes).map(|page| page.entries().count());
        builder.data.truncate(commit as usize);
        let _ = Page::new(&layout, &builder.page(0)).map(|page| page.entries().count());
    }
}
