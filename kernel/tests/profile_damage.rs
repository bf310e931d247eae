//! Profiles come from outside: no bytes at all make the reader panic, take memory without bound, or return something
//! that was not saved.

mod kernels;

use kernels::{file, read_all};
use proptest::prelude::*;
use tracec_kernel::profile::{Contents, Facts, Profile, ProfileError, encode};

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = file();
    for length in 0..bytes.len() {
        let error = read_all(&bytes[..length]).unwrap_err();
        match length {
            0 => assert_eq!(error, ProfileError::NotAProfile),
            _ => assert!(matches!(error, ProfileError::Damaged { .. }), "{length}: {error:?}"),
        }
    }
}

#[test]
fn a_file_that_has_grown_is_refused() {
    let mut bytes = file();
    bytes.push(0);
    assert_eq!(read_all(&bytes), Err(ProfileError::Damaged { what: "1 bytes stand behind its end".into() }));
}

#[test]
fn a_flipped_bit_anywhere_is_found() {
    let bytes = file();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(read_all(&flipped).is_err(), "byte {at}");
    }
}

#[test]
fn what_is_no_profile_is_called_so() {
    for bytes in [&b"x"[..], b"TRCPROX", b"\x7fELF and more of it than a header has", &[0; 4096]] {
        assert_eq!(read_all(bytes), Err(ProfileError::NotAProfile), "{bytes:?}");
    }
}

#[test]
fn a_later_version_is_called_so() {
    let mut bytes = file();
    bytes[8] = 2;
    assert_eq!(read_all(&bytes), Err(ProfileError::FutureVersion { found: 2 }));
    bytes[8] = 0;
    assert!(matches!(read_all(&bytes), Err(ProfileError::Damaged { .. })));
}

/// The checksum of the format, here once more: a table that lies has a checksum that fits.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| bit(sum)))
}

/// Stored bytes and the length that the table claims of them unpacked.
type ForgedBlock<'a> = (&'a [u8], u32);

/// A file of sections, by their kind, that says of its blocks what it wants.
fn forged(sections: &[(u32, &[ForgedBlock<'_>])]) -> Vec<u8> {
    let (mut table, mut blocks) = (Vec::new(), Vec::new());
    for (kind, entries) in sections {
        table.extend(kind.to_le_bytes());
        table.extend((entries.len() as u32).to_le_bytes());
        for (stored, length) in *entries {
            for number in [stored.len() as u32, *length, crc32(stored)] {
                table.extend(number.to_le_bytes());
            }
            blocks.extend_from_slice(stored);
        }
    }
    frame(&table, &blocks)
}

fn frame(table: &[u8], blocks: &[u8]) -> Vec<u8> {
    let mut file = b"TRCPROF\0".to_vec();
    for number in [1, table.len() as u32, crc32(table)] {
        file.extend(number.to_le_bytes());
    }
    file.extend(table);
    file.extend(blocks);
    file
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, 6)
}

fn expect_damaged(bytes: &[u8], what: &str) {
    match read_all(bytes) {
        Err(ProfileError::Damaged { what: found }) if found.contains(what) => {}
        other => panic!("expected `{what}`, found {other:?}"),
    }
}

#[test]
fn a_table_that_lies_is_refused() {
    let (facts, empty) = (deflate(b"{}"), deflate(b""));
    expect_damaged(&frame(&[1, 0, 0], b""), "cut short");
    expect_damaged(&frame(&[1, 0, 0, 0, 255, 255, 255, 255], b""), "more blocks than its table");
    expect_damaged(&forged(&[(9, &[])]), "a section of kind 9");
    expect_damaged(&forged(&[(2, &[]), (1, &[])]), "out of order");
    expect_damaged(&forged(&[(1, &[]), (1, &[])]), "out of order");
    expect_damaged(&forged(&[]), "it has no facts");
    expect_damaged(&forged(&[(1, &[(&facts, 2)])]), "its facts");
    expect_damaged(&forged(&[(1, &[(&facts, u32::MAX)])]), "a block of 4,294,967,295 bytes");
    let most: Vec<(&[u8], u32)> = vec![(&empty, 1 << 20); 200];
    expect_damaged(&forged(&[(1, &[]), (2, &[]), (3, &most)]), "bytes of layouts of events");
    let mut long_table = file();
    long_table[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    expect_damaged(&long_table, "a table of 4,294,967,295 bytes");
    // A stored length beyond the file.
    let mut table = vec![1, 0, 0, 0, 1, 0, 0, 0];
    table.extend([0xff, 0xff, 0x0f, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    expect_damaged(&frame(&table, b"ab"), "cut short");
}

#[test]
fn a_bomb_ends_at_the_length_of_the_table() {
    let bomb = deflate(&vec![b' '; 64 << 20]);
    expect_damaged(&forged(&[(1, &[(&bomb, 1 << 20)])]), "cannot be unpacked");
    let short = deflate(b"{}");
    expect_damaged(&forged(&[(1, &[(&short, 1000)])]), "has another length");
    expect_damaged(&forged(&[(1, &[(b"\xff\xff\xff", 10)])]), "cannot be unpacked");
}

#[test]
fn an_index_that_lies_is_refused() {
    let facts = encode(&Contents::default()).unwrap();
    let facts = deflate(&{
        let profile = Profile::open(facts.as_slice()).unwrap();
        serde_json::to_vec(profile.facts()).unwrap()
    });
    let facts_length = serde_json::to_vec(&Facts::default()).unwrap().len() as u32;
    let block = deflate(b"0123456789");
    let with_index = |index: &[u8]| {
        let stored = deflate(index);
        let index: &[(&[u8], u32)] = &[(&stored, index.len() as u32)];
        forged(&[(1, &[(&facts, facts_length)]), (2, index), (3, &[(&block, 10)])])
    };
    assert_eq!(read_all(&with_index(b"F format\nS a\nE x 10 0\n")), Ok(()));
    for index in ["F format\nS a\nE x 11 0\n", "F format\nS a\nE x 9 0\n", "S a\nE x 10 0\n", "x\n", ""] {
        expect_damaged(&with_index(index.as_bytes()), "index of events");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_of_any_kind_is_an_error_or_harmless(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let good = file();
        let mut bytes = good.clone();
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        prop_assert!(bytes == good || read_all(&bytes).is_err());
    }

    #[test]
    fn a_forged_table_never_panics(
        numbers in prop::collection::vec(prop_oneof![0_u32..12, any::<u32>()], 0..40),
        blocks in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let table: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let _ = read_all(&frame(&table, &blocks));
    }
}
