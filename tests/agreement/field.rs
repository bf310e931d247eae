//! The kinds of field that filters distinguish, and the values from which both records and literals are drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::generate::random::Random;

/// A kind of field, by what a filter can do with it and what a test can put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer of this many bits.
    Int {
        /// 8, 16, 32 or 64.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// Bytes of a size that no integer has: the comparator is one that never matches.
    OddBytes,
    /// A structure of such a size.
    Struct,
    /// A field of this many bits in the header of every record, whose value the test does not choose.
    Header {
        /// 8, 16 or 32.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A string outside the fixed part of the record.
    DynamicText,
    /// The same, at an offset that is counted from the end of its location word.
    RelativeText,
    /// A string in an array of 6 bytes, which need not hold a NUL.
    ShortText,
    /// A string in an array of 16 bytes, with its NUL.
    FixedText,
    /// `const char *` with the address of a string in the memory of the task.
    UserText,
    /// `const char *` with the address of the kernel's banner, which cannot be chosen.
    KernelText,
    /// The pseudo-field of the CPU.
    Cpu,
    /// The pseudo-field of the task's name.
    TaskName,
    /// A mask of CPUs outside the fixed part of the record.
    Cpumask,
    /// The pseudo-field that exists only for histograms.
    Stacktrace,
}

impl Kind {
    /// Returns the name of its row in the table of cells.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Int { bits: 8, signed: false } => "u8",
            Kind::Int { bits: 16, signed: false } => "u16",
            Kind::Int { bits: 32, signed: false } => "u32",
            Kind::Int { signed: false, .. } => "u64",
            Kind::Int { bits: 8, .. } => "s8",
            Kind::Int { bits: 16, .. } => "s16",
            Kind::Int { bits: 32, .. } => "s32",
            Kind::Int { .. } => "s64",
            Kind::OddBytes => "bytes of odd size",
            Kind::Struct => "struct",
            Kind::Header { .. } => "header",
            Kind::DynamicText => "dynamic text",
            Kind::RelativeText => "relative text",
            Kind::ShortText => "unsigned char[6]",
            Kind::FixedText => "fixed text",
            Kind::UserText => "user pointer",
            Kind::KernelText => "kernel pointer",
            Kind::Cpu => "CPU",
            Kind::TaskName => "COMM",
            Kind::Cpumask => "cpumask",
            Kind::Stacktrace => "stacktrace",
        }
    }

    /// Returns whether its values are strings.
    pub(crate) fn is_text(self) -> bool {
        self.room().is_some()
    }

    /// Returns how many bytes of text it holds; `None` if it does not hold text.
    pub(crate) fn room(self) -> Option<usize> {
        match self {
            Kind::ShortText => Some(6),
            Kind::FixedText | Kind::TaskName => Some(15),
            Kind::DynamicText | Kind::RelativeText | Kind::UserText | Kind::KernelText => Some(usize::MAX),
            _ => None,
        }
    }
}

/// A field that filters may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its kind.
    pub(crate) kind: Kind,
    /// The index of its value in a [`Stimulus`]; `None` for a value that the test does not choose.
    pub(crate) slot: Option<usize>,
}

impl Field {
    /// Returns the name of its row in the table of cells: fields that every event has are rows of their own.
    pub(crate) fn row(&self) -> &'static str {
        match self.kind {
            Kind::Cpu | Kind::TaskName | Kind::Header { .. } => self.name,
            kind => kind.name(),
        }
    }
}

/// The fields of the header.
pub(crate) const HEADER: [Field; 4] = [
    given("common_type", Kind::Header { bits: 16, signed: false }),
    given("common_flags", Kind::Header { bits: 8, signed: false }),
    given("common_preempt_count", Kind::Header { bits: 8, signed: false }),
    given("common_pid", Kind::Header { bits: 32, signed: true }),
];

/// Those of them that a tick between the records of two instances changes.
pub(crate) const MOMENT: [&str; 2] = ["common_flags", "common_preempt_count"];

/// Returns a field whose value a test chooses.
pub(crate) const fn chosen(name: &'static str, kind: Kind, slot: usize) -> Field {
    Field { name, kind, slot: Some(slot) }
}

/// Returns a field whose value the test does not choose.
pub(crate) const fn given(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, slot: None }
}

/// The values for one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stimulus {
    /// A number that is unique in the run.
    pub(crate) serial: u32,
    /// The CPU on which it fires.
    pub(crate) cpu: u32,
    /// The name of the task while it fires, at most 15 bytes without NUL.
    pub(crate) task: Vec<u8>,
    /// The values of the fields with a slot.
    pub(crate) values: Vec<Value>,
}

/// A value to put into a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Bits; as many are used as the field has.
    Bits(u64),
    /// Text without NUL.
    Text(Vec<u8>),
}

/// The objects of the kernel that records can point to.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// A string.
    pub(crate) banner: Option<Vec<u8>>,
    /// The addresses of the function that filters name.
    pub(crate) function: Option<Range<u64>>,
}

/// The few values that a batch of records and its filters share, so that comparisons are true often.
#[derive(Clone, Debug)]
pub(crate) struct Palette {
    numbers: Vec<u64>,
    texts: Vec<Vec<u8>>,
    /// The string of the kernel that records can point to.
    banner: Option<Vec<u8>>,
    /// The values that the headers of records have held.
    seen: HeaderValues,
}

/// Values of the fields of the header, by their names.
pub(crate) type HeaderValues = BTreeMap<&'static str, BTreeSet<u64>>;

/// Values at which comparisons of some width go wrong.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    7,
    8,
    10,
    100,
    0x7f,
    0x80,
    0x81,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_000a,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ff80,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "ba",
    "aab",
    "abc",
    "zabc",
    "abcz",
    "ABC",
    "a b",
    "0",
    "12",
    "1abc",
    "a*c",
    "a?c",
    "a\\c",
    "!abc",
    "[ab]",
    "a]b",
    "it's",
    "\"x\"",
    "-",
    "a-c",
    "é",
    "fourteen_bytes",
    "fifteen_letters",
    "sixteen_letters_",
    "kworker/0:1",
    "/usr/lib/a.so",
    "/usr/lib/b.py",
];

impl Palette {
    /// Draws a palette.
    pub(crate) fn draw(world: &World, seen: &HeaderValues, random: &mut Random) -> Self {
        let mut numbers: Vec<u64> = (0..4).map(|_| random.pick(NUMBERS)).collect();
        numbers.push(random.bits() >> random.below(64));
        // A CPU that exists.
        numbers.push(random.bits() & 1);
        if let Some(function) = &world.function {
            numbers.push(random.pick(&[function.start, function.end]));
        }
        let mut texts: Vec<Vec<u8>> = (0..4).map(|_| random.pick(TEXTS).as_bytes().to_vec()).collect();
        texts.push((0..1 + random.below(8)).map(|_| random.pick(b"aabc1*")).collect());
        // Sometimes longer than an operand may be.
        let long = random.pick(&[200, 254, 255, 256, 300]);
        texts.push(if random.once_in(4) { vec![b'x'; long] } else { b"abcabc".to_vec() });
        Palette { numbers, texts, banner: world.banner.clone(), seen: seen.clone() }
    }

    /// Draws a number for a field, most often from the list or next to one that is; for the header, a value that it has
    /// held.
    pub(crate) fn number_for(&self, field: &Field, random: &mut Random) -> u64 {
        let seen: Vec<u64> = self.seen.get(field.name).into_iter().flatten().copied().collect();
        let of_header = matches!(field.kind, Kind::Header { .. }) && !seen.is_empty();
        if of_header {
            // There are few, and values next to them or without any of their bits are as useful.
            let value = random.pick(&seen);
            return match random.below(4) {
                0 => !value,
                step => value.wrapping_add(step as u64).wrapping_sub(2),
            };
        }
        self.number(random)
    }

    fn number(&self, random: &mut Random) -> u64 {
        let number = random.pick(&self.numbers);
        match random.below(8) {
            0 => number.wrapping_add(1),
            1 => number.wrapping_sub(1),
            _ => number,
        }
    }

    /// Draws a text of the palette for a field of this kind.
    pub(crate) fn text(&self, kind: Kind, random: &mut Random) -> Vec<u8> {
        match &self.banner {
            Some(banner) if kind == Kind::KernelText && !random.once_in(3) => return banner.clone(),
            _ => {}
        }
        cut(random.pick(&self.texts), kind)
    }

    /// Draws a text that need not be one of the palette.
    pub(crate) fn any_text(&self, kind: Kind, random: &mut Random) -> Vec<u8> {
        if random.once_in(3) {
            cut((0..random.below(16)).map(|_| random.pick(b"aabbc1*?![]")).collect(), kind)
        } else {
            self.text(kind, random)
        }
    }

    /// Draws a value for a field of this kind.
    pub(crate) fn value(&self, kind: Kind, random: &mut Random) -> Value {
        match kind.is_text() {
            true => Value::Text(self.any_text(kind, random)),
            false => Value::Bits(self.number(random)),
        }
    }
}

/// Returns as much of a text as a field of this kind holds.
pub(crate) fn cut(mut text: Vec<u8>, kind: Kind) -> Vec<u8> {
    text.truncate(kind.room().unwrap_or(usize::MAX));
    text
}
