//! The kinds of field that filters tell apart, and the values from which both records and literals are drawn.

use std::ops::Range;

use super::random::Random;

/// What a filter can do with a field, and what a test can put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer of this many bits.
    Int {
        /// 8, 16, 32 or 64.
        bits: u32,
        /// Whether negative values exist.
        signed: bool,
    },
    /// Bytes of a size that no integer has: the comparator is one that never matches.
    OddBytes,
    /// Text outside the fixed part of the record.
    DynamicText,
    /// Text in an array of 16 bytes, the NUL in it.
    FixedText,
    /// `const char *` with the address of text in the memory of the task.
    UserText,
    /// `const char *` with the address of the kernel's banner, which nobody can choose.
    KernelText,
    /// The pseudo-field of the CPU.
    Cpu,
    /// The pseudo-field of the task's name.
    TaskName,
    /// A mask of CPUs outside the fixed part of the record.
    Cpumask,
    /// The pseudo-field that is there for histograms alone.
    Stacktrace,
}

impl Kind {
    /// The name of its row in the table of cells.
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
            Kind::DynamicText => "dynamic text",
            Kind::FixedText => "fixed text",
            Kind::UserText => "user pointer",
            Kind::KernelText => "kernel pointer",
            Kind::Cpu => "CPU",
            Kind::TaskName => "COMM",
            Kind::Cpumask => "cpumask",
            Kind::Stacktrace => "stacktrace",
        }
    }

    /// Whether its values are strings.
    pub(crate) fn is_text(self) -> bool {
        use Kind::{DynamicText, FixedText, KernelText, TaskName, UserText};
        matches!(self, DynamicText | FixedText | UserText | KernelText | TaskName)
    }
}

/// A field that filters may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) kind: Kind,
    /// The place of its value in a [`Stimulus`]; `None` for what the test does not choose.
    pub(crate) slot: Option<usize>,
}

/// A field whose value a test chooses.
pub(crate) const fn chosen(name: &'static str, kind: Kind, slot: usize) -> Field {
    Field { name, kind, slot: Some(slot) }
}

/// A field whose value is as it comes.
pub(crate) const fn given(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, slot: None }
}

/// What one record is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stimulus {
    /// Tells it from all others of the run.
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
    /// Bits; as many count as the field has.
    Bits(u64),
    /// Text without NUL.
    Text(Vec<u8>),
}

/// What of the kernel records can point to.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// A text.
    pub(crate) banner: Option<Vec<u8>>,
    /// The addresses of the function that filters name.
    pub(crate) function: Option<Range<u64>>,
}

/// The few values that a batch of records and its filters share, so that comparisons are true often.
#[derive(Clone, Debug)]
pub(crate) struct Palette {
    numbers: Vec<u64>,
    texts: Vec<Vec<u8>>,
    /// Texts of at most 15 bytes, as fixed text can be.
    short: Vec<Vec<u8>>,
    /// The text of the kernel that records can point to.
    banner: Option<Vec<u8>>,
}

/// Where comparisons of some width go wrong.
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
    /// Draws one.
    pub(crate) fn draw(world: &World, random: &mut Random) -> Self {
        let mut numbers: Vec<u64> = (0..4).map(|_| *random.pick(NUMBERS)).collect();
        numbers.push(random.next() >> random.within(0..64));
        // A CPU that there is.
        numbers.push(random.next() & 1);
        if let Some(function) = &world.function {
            numbers.push(*random.pick(&[function.start, function.end]));
        }
        let mut texts: Vec<Vec<u8>> = (0..4).map(|_| random.pick(TEXTS).as_bytes().to_vec()).collect();
        texts.push((0..random.within(1..9)).map(|_| *random.pick(b"aabc1*")).collect());
        // Longer than an operand may be, once in a while.
        let long = *random.pick(&[200, 254, 255, 256, 300]);
        texts.push(if random.once_in(4) { vec![b'x'; long] } else { b"abcabc".to_vec() });
        let short = texts.iter().map(|text| text[..text.len().min(15)].to_vec()).collect();
        Palette { numbers, texts, short, banner: world.banner.clone() }
    }

    /// A number, most of them from the list or beside one that is.
    pub(crate) fn number(&self, random: &mut Random) -> u64 {
        let number = *random.pick(&self.numbers);
        match random.within(0..8) {
            0 => number.wrapping_add(1),
            1 => number.wrapping_sub(1),
            _ => number,
        }
    }

    /// A text of the palette for a field of this kind.
    pub(crate) fn text(&self, kind: Kind, random: &mut Random) -> Vec<u8> {
        match &self.banner {
            Some(banner) if kind == Kind::KernelText && !random.once_in(3) => return banner.clone(),
            _ => {}
        }
        let fixed = matches!(kind, Kind::FixedText | Kind::TaskName);
        random.pick(if fixed { &self.short } else { &self.texts }).clone()
    }

    /// A text that need not be one of the palette.
    pub(crate) fn any_text(&self, kind: Kind, random: &mut Random) -> Vec<u8> {
        if random.once_in(3) {
            (0..random.within(0..16)).map(|_| *random.pick(b"aabbc1*?![]")).collect()
        } else {
            self.text(kind, random)
        }
    }

    /// A value for a field of this kind.
    pub(crate) fn value(&self, kind: Kind, random: &mut Random) -> Value {
        match kind.is_text() {
            true => Value::Text(self.any_text(kind, random)),
            false => Value::Bits(self.number(random)),
        }
    }
}
