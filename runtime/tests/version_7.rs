//! trace.dat files of version 7: the records of a version 6 file, files that are cut off, and damaged ones.

use std::io::Cursor;

use tracec_kernel::page::Lost;
use tracec_runtime::record::{
    Compression, Extract, Form, TraceDat, TraceDatError, Version, option, report, rewrite,
};
use tracec_runtime::sink::{Event, Ring, Sink, SinkError};

/// The same recording, as `trace-cmd convert` writes it: in version 6, and in version 7 with zstd.
const VERSION_6: &[u8] = include_bytes!("data/small-v6.dat");
const VERSION_7: &[u8] = include_bytes!("data/small-v7-zstd.dat");

/// The time, the CPU, the task and the event of a record.
type Recorded = (u64, u32, String, String);

#[derive(Default)]
struct Collect(Vec<Recorded>);

impl Sink for Collect {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let comm = String::from_utf8_lossy(event.comm).into_owned();
        self.0.push((event.timestamp, event.cpu, comm, event.record.format.name.to_string()));
        Ok(())
    }

    fn lost(&mut self, _ring: Ring, _lost: Lost) -> Result<(), SinkError> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

fn read(bytes: &[u8]) -> Result<TraceDat<Cursor<&[u8]>>, TraceDatError> {
    TraceDat::read(Cursor::new(bytes))
}

/// Returns the records that can be read, and the error.
fn records(bytes: &[u8]) -> (Vec<Recorded>, Option<String>) {
    let mut sink = Collect::default();
    let error = match read(bytes) {
        Ok(mut file) => report(&mut file, &mut sink).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    };
    (sink.0, error)
}

#[test]
fn both_versions_have_the_same_records() {
    let file = read(VERSION_7).unwrap();
    assert_eq!((file.compression, file.clock()), (Compression::Zstd, "local"));
    let names: Vec<&str> = file.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(names, [""]);
    let ((of_6, none), (of_7, nothing)) = (records(VERSION_6), records(VERSION_7));
    assert!(none.is_none() && nothing.is_none(), "{none:?} {nothing:?}");
    assert!(of_6.len() > 400);
    assert_eq!(of_6, of_7);
}

#[test]
fn a_file_that_is_cut_off_is_an_error_at_its_place() {
    let whole = records(VERSION_7).0;
    // The last section has texts for people, which nothing needs.
    let strings = 10287;
    assert_eq!(VERSION_7[strings], 15);
    for length in 0..VERSION_7.len() {
        let (found, error) = records(&VERSION_7[..length]);
        assert_eq!(error.is_some(), length < strings, "{length}");
        // The CPUs are in the order of their numbers.
        let mut rest = whole.iter();
        assert!(found.iter().all(|record| rest.any(|other| other == record)), "{length}");
    }
}

#[test]
fn pages_of_a_file_that_is_cut_before_their_option_are_found() {
    let whole = records(VERSION_7).0;
    let plain = rewritten(VERSION_7);
    let last = |bytes: &[u8]| {
        let outline = read(bytes).unwrap().outline().unwrap();
        outline.parts.iter().filter(|part| part.id == option::DONE).map(|part| part.offset).max().unwrap()
            as usize
    };
    for bytes in [VERSION_7, &plain] {
        let behind = last(bytes);
        let (found, error) = records(&bytes[..behind]);
        assert!(found == whole, "{} of {}", found.len(), whole.len());
        let said = format!("it is cut at byte {behind}, before its options at byte {behind}: ");
        assert!(error.as_deref().is_some_and(|error| error.contains(&said)), "{error:?}");
        assert_eq!(read(&bytes[..behind]).unwrap().damage().len(), 1);
    }
    // The pages that are there are kept where others are not.
    let (found, _) = records(&plain[..last(&plain) - 3 * 4096]);
    assert!(found.len() > 100 && found.len() < whole.len(), "{}", found.len());
    // What is copied of it is complete again.
    let copy = records(&rewritten(&VERSION_7[..last(VERSION_7)]));
    assert!(copy == (whole, None));
}

/// Returns a file that is not compressed.
fn rewritten(bytes: &[u8]) -> Vec<u8> {
    let form = Form { version: Version::Seven, compression: Compression::None };
    let out = rewrite(&mut read(bytes).unwrap(), Cursor::new(Vec::new()), form, &Extract::default());
    out.unwrap().0.into_inner()
}

/// The link of the first options leads nowhere, or to other bytes.
#[test]
fn options_that_no_other_options_name_are_found() {
    let whole = records(VERSION_7).0;
    let outline = read(VERSION_7).unwrap().outline().unwrap();
    let sections = outline.parts.iter().filter(|part| part.id == option::DONE);
    let links: Vec<u64> = sections.map(|part| part.offset + part.size - 8).collect();
    assert!(links.len() > 1);
    for link in &links[..links.len() - 1] {
        for to in [u64::MAX, 100, 37] {
            let mut other = VERSION_7.to_vec();
            other[*link as usize..*link as usize + 8].copy_from_slice(&to.to_le_bytes());
            let (found, error) = records(&other);
            assert!(found == whole && error.is_some(), "{link} {to}: {} {error:?}", found.len());
            let copy = records(&rewritten(&other));
            assert!(copy == (whole.clone(), None), "{link} {to}");
        }
    }
}

#[test]
fn damage_is_an_error_or_other_records() {
    let mut refused = 0;
    for at in 0..VERSION_7.len() {
        // Every byte of the head and of the heads of sections is among them; the others are compressed texts and pages.
        if at > 2048 && at % 7 != 0 {
            continue;
        }
        for flipped in [1, 0x80, 0xff] {
            let mut other = VERSION_7.to_vec();
            other[at] ^= flipped;
            refused += usize::from(records(&other).1.is_some());
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn claims_of_a_size_take_no_memory() {
    // The first section is compressed; the second word behind its head is the size that it becomes.
    let section = 37;
    let claimed = |bytes: u32| {
        let mut other = VERSION_7.to_vec();
        other[section + 20..section + 24].copy_from_slice(&bytes.to_le_bytes());
        read(&other).err()
    };
    assert!(matches!(claimed(u32::MAX), Some(TraceDatError::TooLarge { .. })), "{:?}", claimed(u32::MAX));
    assert!(matches!(claimed(200 << 20), Some(TraceDatError::Compressed { .. })));
    assert!(matches!(claimed(3), Some(TraceDatError::Compressed { .. })));
}

#[test]
fn options_that_lead_in_a_circle_end() {
    let mut file = b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0none\0\0".to_vec();
    let at = file.len() as u64 + 8;
    // The offset of the options; their head, of 14 bytes; the last option, with the offset of the next options.
    file.extend(at.to_le_bytes());
    file.extend([[0; 8], 14_u64.to_le_bytes()].concat());
    file.extend([&[0, 0, 8, 0, 0, 0][..], &at.to_le_bytes()].concat());
    let error = read(&file).err();
    assert!(
        matches!(error, Some(TraceDatError::Unexpected { what: "other options", offset }) if offset == at),
        "{error:?}"
    );
}

#[test]
fn another_compression_is_named() {
    let at = VERSION_7.windows(5).position(|bytes| bytes == b"zstd\0").unwrap();
    let mut other = VERSION_7.to_vec();
    other[at..at + 4].copy_from_slice(b"lzma");
    let error = read(&other).err().unwrap();
    assert_eq!(
        error.to_string(),
        "at byte 18, it is said to be compressed by `lzma`; zlib and zstd can be read"
    );
}
