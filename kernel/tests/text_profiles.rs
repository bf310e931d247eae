//! The texts of every event of the kernels that are shipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tracec_kernel::format::EventFormat;
use tracec_kernel::profile::Profile;
use tracec_kernel::text::{Environment, Nothing, Text};

/// The layouts of a shipped kernel.
fn formats(kernel: &str) -> Vec<EventFormat> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiles").join(format!("{kernel}.trcprof"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let profile = Profile::open(bytes.as_slice()).unwrap();
    let mut kept = None;
    let events: Vec<_> =
        profile.index().all().map(|(system, event)| (system.to_owned(), event.name.clone())).collect();
    events
        .iter()
        .map(|(system, event)| {
            let id = profile.index().find(system, event).unwrap();
            let text = profile.format(id, &mut kept).unwrap();
            EventFormat::parse(system, &text).unwrap()
        })
        .collect()
}

/// The enumerators of 6.18 whose values differ between kernels, from its type information (`enum kvm_apicv_inhibit`).
struct Newest;

impl Environment for Newest {
    fn enumerator(&self, name: &str) -> Option<i128> {
        let number = match name.strip_prefix("APICV_INHIBIT_REASON_")? {
            "APIC_ID_MODIFIED" => 5,
            "APIC_BASE_MODIFIED" => 6,
            "NESTED" => 7,
            "IRQWIN" => 8,
            "PIT_REINJ" => 9,
            "SEV" => 10,
            _ => return None,
        };
        Some(number)
    }
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ self.0 >> 33).wrapping_mul(0xff51afd7ed558ccd);
        mixed ^ mixed >> 29
    }

    fn record(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// Bytes behind the fixed part of a record, for dynamic data.
const TAIL: usize = 96;

/// Records of an event: all zeroes, all ones, and random ones, in half of which the dynamic fields lie in the record.
fn records(format: &EventFormat, random: &mut Random) -> Vec<Vec<u8>> {
    let end = format.fields.iter().map(|field| (field.offset + field.size) as usize).max().unwrap_or(8);
    let length = end + TAIL;
    let mut records = vec![vec![0; length], vec![0xff; length]];
    for number in 0..100 {
        let mut record = random.record(length);
        let dynamic = format.own_fields().iter().filter(|field| field.type_text.contains("_loc "));
        for field in dynamic.filter(|_| number % 2 == 0) {
            let relative = field.type_text.starts_with("__rel_loc ");
            let size = random.next() as usize % 24;
            let at = end + random.next() as usize % (TAIL - size);
            let word = field.offset as usize;
            let offset = if relative { at - (word + 4) } else { at };
            record[word..word + 4].copy_from_slice(&((size << 16 | offset) as u32).to_le_bytes());
        }
        // Every length, also one that ends within the fields.
        let cut = if number % 10 == 9 { random.next() as usize % length } else { length };
        record.truncate(cut);
        records.push(record);
    }
    records
}

#[test]
fn every_event_of_the_shipped_kernels_has_a_text() {
    let mut random = Random(1);
    for kernel in ["6.1", "6.12", "6.18"] {
        let environment: &dyn Environment = if kernel == "6.18" { &Newest } else { &Nothing };
        let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut all, mut compiled, mut hashed, mut texts, mut bytes) = (0, 0, 0, 0, 0);
        let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
        for format in formats(kernel) {
            all += 1;
            let text = match Text::compile_print_fmt(&format, environment) {
                Ok(text) => text,
                Err(error) => {
                    refused.entry(error.kind.to_string()).or_default().push(format.qualified_name());
                    continue;
                }
            };
            compiled += 1;
            hashed += usize::from(text.needs_hashing());
            text.unknown().iter().for_each(|name| *unknown.entry(*name).or_default() += 1);
            // System calls have two texts.
            let shown = Text::compile(&format, environment).unwrap();
            let mut out = Vec::new();
            for record in records(&format, &mut random) {
                for text in [&text, &shown] {
                    out.clear();
                    text.render(&record, environment, &mut out);
                    texts += 1;
                    bytes += out.len();
                    let raw = out.clone();
                    out.clear();
                    text.render(&record, environment, &mut out);
                    assert_eq!(out, raw, "{}", format.qualified_name());
                    out.clear();
                    text.render_line(&record, environment, &mut out);
                    assert!(str::from_utf8(&out).is_ok(), "{}: {out:?}", format.qualified_name());
                }
            }
        }
        println!(
            "{kernel}: {compiled} of {all} compile, {hashed} print a hashed address, {texts} texts of {bytes} bytes"
        );
        println!("  with a number that only the kernel knows: {unknown:?}");
        println!("  refused: {refused:?}");
        assert!(refused.values().map(Vec::len).sum::<usize>() * 100 <= all, "{refused:?}");
        assert_eq!(compiled, all);
    }
}
