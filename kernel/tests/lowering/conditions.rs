//! Conditions over the event: every kind of question about every kind of field.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::{Field, IntegerType};

use crate::event::{CPUS, field};
use crate::random::Random;

pub(crate) const INTEGERS: &[&str] = &[
    "s8",
    "u8",
    "s16",
    "u16",
    "flag",
    "packed",
    "s32",
    "u32",
    "s64",
    "u64",
    "address",
    "dfd",
    "length",
    "flags",
    "common_pid",
    "common_flags",
];
/// `COMM`, and `text_at.ustring`, are the two that are no fields.
pub(crate) const TEXTS: &[&str] =
    &["fixed", "addr", "name", "synthetic", "near", "rest", "text_at", "text_at.ustring", "COMM"];
pub(crate) const OPS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// A field named with fields that the kernel's filter takes for no number.
const NO_INTEGERS: &[&str] = &["three", "array", "numbers", "cpus", "near_cpus"];

/// Any condition: half of them are one atom, or its negation.
pub(crate) fn condition(random: &mut Random) -> Condition {
    match random.below(8) {
        0..3 => Condition::Atom(atom(random)),
        3 => Condition::Not(Box::new(Condition::Atom(atom(random)))),
        _ => tree(random, 3),
    }
}

fn tree(random: &mut Random, depth: usize) -> Condition {
    if depth == 0 || random.once_in(4) {
        return match random.below(40) {
            0 => Condition::Const(random.once_in(2)),
            _ => Condition::Atom(atom(random)),
        };
    }
    match random.below(5) {
        0 => Condition::Not(Box::new(tree(random, depth - 1))),
        1 | 2 => Condition::And(parts(random, depth)),
        _ => Condition::Or(parts(random, depth)),
    }
}

fn parts(random: &mut Random, depth: usize) -> Vec<Condition> {
    (0..2 + random.below(2)).map(|_| tree(random, depth - 1)).collect()
}

fn atom(random: &mut Random) -> Atom {
    match random.below(20) {
        0..5 => compare(random),
        5..7 => bits(random),
        7..9 => set(random),
        9..13 => computed(random),
        13..18 => text(random),
        18 => mask(random),
        _ => function(random),
    }
}

/// A field as it is, or the CPU.
fn plain(random: &mut Random) -> Number {
    match random.below(INTEGERS.len() * 4 + 5) {
        0..4 => Number::Cpu,
        4 => Number::Field(field(random.pick(NO_INTEGERS)).clone()),
        _ => Number::Field(field(random.pick(INTEGERS)).clone()),
    }
}

/// A number near an edge of something.
pub(crate) fn edge(random: &mut Random) -> i128 {
    let edges: [i128; 16] = [
        0,
        0,
        10,
        63,
        127,
        255,
        1 << 15,
        1 << 16,
        1 << 31,
        1 << 32,
        1 << 63,
        1 << 64,
        -(1 << 7),
        -(1 << 15),
        -(1 << 31),
        -(1 << 63),
    ];
    let value = match random.below(4) {
        0 => random.below(200) as i128 - 100,
        1 => i128::from(random.bits() as i64 >> random.below(64)),
        _ => random.pick(&edges) + random.below(5) as i128 - 2,
    };
    value.clamp(i64::MIN.into(), u64::MAX.into())
}

/// A number for a comparison: nearly always one that the other side can be.
fn constant(random: &mut Random, (min, max): (i128, i128)) -> i128 {
    let value = edge(random);
    match random.below(30) {
        0 => value,
        1..4 => (min + random.below(2) as i128).min(max),
        4..7 => (max - random.below(2) as i128).max(min),
        _ => value.clamp(min, max),
    }
}

fn compare(random: &mut Random) -> Atom {
    let left = plain(random);
    let right = match random.below(40) {
        0 => plain(random),
        _ => Number::Const(constant(random, left.range())),
    };
    Atom::Compare { left, op: random.pick(&OPS), right }
}

fn bits(random: &mut Random) -> Atom {
    let of = plain(random);
    let (_, max) = of.range();
    let mask = match random.below(4) {
        0 => 1 << random.below(64),
        1 => edge(random),
        _ => i128::from(random.bits() & random.bits() >> random.below(64)),
    };
    let width = if max > i64::MAX.into() || random.once_in(30) { u64::MAX } else { max as u64 * 2 + 1 };
    let mask = if random.once_in(40) { mask } else { i128::from(mask as u64 & width) };
    let value = match random.below(6) {
        0 => 0,
        1 | 2 => mask,
        3 => edge(random),
        _ => i128::from(mask as u64 & random.bits()),
    };
    let ops = if random.once_in(30) { OPS.len() } else { 2 };
    let op = random.pick(&OPS[..ops]);
    let (left, right) = (of, Number::Const(mask));
    let (left, right) = if random.once_in(5) { (right, left) } else { (left, right) };
    Atom::Compare { left: Number::binary(NumberOp::And, left, right), op, right: Number::Const(value) }
}

/// Runs of values, or all values but a few.
fn ranges(random: &mut Random, (min, max): (i128, i128)) -> Ranges {
    let run = |random: &mut Random| {
        let first = constant(random, (min, max));
        (first, if random.once_in(2) { first } else { first + random.below(9) as i128 })
    };
    let few = Ranges::new((0..random.below(5)).map(|_| run(random)).collect::<Vec<_>>());
    let set = if random.once_in(3) { few.complement(min, max) } else { few };
    if random.once_in(20) { set } else { set.intersection(&Ranges::new([(min, max)])) }
}

fn set(random: &mut Random) -> Atom {
    let of = plain(random);
    Atom::In { ranges: ranges(random, of.range()), of }
}

/// Arithmetic with constants, once or twice, compared with one.
fn computed(random: &mut Random) -> Atom {
    let mut number = plain(random);
    for _ in 0..1 + random.below(2) {
        number = step(random, number);
    }
    if random.once_in(4) {
        return Atom::In { ranges: ranges(random, number.range()), of: number };
    }
    let mut right = constant(random, number.range());
    if let Number::Binary { op: op @ (NumberOp::Mul | NumberOp::Shl), right: by, .. } = &number
        && let Number::Const(by) = **by
        && random.once_in(2)
    {
        // Few numbers are products.
        let factor = if *op == NumberOp::Mul { by } else { 1 << by.clamp(0, 63) };
        let (min, max) = number.range();
        right = (factor * random.below(9) as i128).clamp(min, max);
    }
    Atom::Compare { left: number, op: random.pick(&OPS), right: Number::Const(right) }
}

fn step(random: &mut Random, of: Number) -> Number {
    use NumberOp::*;
    let op = match random.below(14) {
        0 | 1 => Add,
        2 | 3 => Sub,
        4 => Mul,
        5 | 6 => Div,
        7 => Shl,
        8 | 9 => Shr,
        10 => random.pick(&[Rem, Or, Xor, And]),
        _ => {
            let to = IntegerType { bytes: random.pick(&[1, 2, 4, 8]), signed: random.once_in(2) };
            return Number::Cast { to, of: Box::new(of) };
        }
    };
    let constant = match op {
        Shl | Shr => {
            let end = random.pick(&[12, 12, 12, 12, 12, 70]);
            random.below(end) as i128
        }
        Add | Sub if random.once_in(3) => edge(random),
        _ => random.below(40) as i128 - 8,
    };
    if matches!(op, Add | Sub | Mul | Div | Shr) && random.once_in(4) {
        return Number::binary(op, Number::Const(constant), of);
    }
    Number::binary(op, of, Number::Const(constant))
}

const LETTERS: [char; 20] =
    ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'x', '1', '0', '!', '-', '/', ' ', '&', ')', 'é', '"', '\''];

/// One of the letters that texts are made of.
pub(crate) fn letter(random: &mut Random) -> char {
    let count = random.pick(&[7, 7, LETTERS.len()]);
    random.pick(&LETTERS[..count])
}

fn word(random: &mut Random) -> String {
    if random.once_in(100) {
        // As long as an operand may be, or almost.
        return "x".repeat(252 + random.below(5));
    }
    let length = if random.once_in(10) { random.below(18) } else { random.below(5) };
    let mut word: String = (0..length).map(|_| letter(random)).collect();
    if random.once_in(12) {
        word.push(random.pick(&['*', '?', '[', '\\', ']']));
    }
    word
}

/// A class, with what is peculiar about them.
const CLASSES: [&str; 14] = [
    "[ab]", "[!ab]", "[a-c]", "[!a-c]", "[]a]", "[!]a]", "[a-]", "[!-a]", "[a-a-c]", "[c-a]", "[1!]", "[!!]",
    "[!1-9]", "[a*?\\]",
];

fn pattern(random: &mut Random) -> Glob {
    loop {
        let mut text = String::new();
        match random.below(8) {
            0 => text = format!("{}*", word(random)),
            1 => text = format!("*{}", word(random)),
            2 => text = format!("*{}*", word(random)),
            _ => {
                for _ in 0..random.below(6) {
                    match random.below(10) {
                        0 | 1 => text.push('*'),
                        2 => text.push('?'),
                        3 | 4 => text.push_str(random.pick(&CLASSES)),
                        5 => text.extend(['\\', random.pick(&['*', '?', '[', '\\', 'a', '1', 'é'])]),
                        _ => text.push(letter(random)),
                    }
                }
            }
        }
        if let Ok(pattern) = Glob::parse(&text) {
            return pattern;
        }
    }
}

/// The text with a name of [`TEXTS`].
pub(crate) fn text_named(name: &str) -> Text {
    match name.strip_suffix(".ustring") {
        Some(name) => Text::User(field(name).clone()),
        None if name == "COMM" => Text::Comm,
        None => Text::Field(field(name).clone()),
    }
}

fn text(random: &mut Random) -> Atom {
    let of = match random.below(60) {
        0 => Text::User(field("address").clone()),
        1 => Text::Field(field("u32").clone()),
        _ => text_named(random.pick(TEXTS)),
    };
    let test = match random.below(8) {
        0 | 1 => TextTest::Eq(word(random)),
        2 => TextTest::Ne(word(random)),
        _ => TextTest::Glob(pattern(random)),
    };
    Atom::Text { of, test }
}

fn mask(random: &mut Random) -> Atom {
    let of: &Field = field(if random.once_in(12) { "near_cpus" } else { "cpus" });
    let test = random.pick(&[MaskTest::Any, MaskTest::Equal, MaskTest::Differ]);
    let runs = (0..1 + random.below(3)).map(|_| {
        let first = random.below(CPUS as usize) as i128;
        (first, (first + random.below(3) as i128).min(i128::from(CPUS) - 1))
    });
    Atom::Mask { of: of.clone(), test, cpus: Ranges::new(runs.collect::<Vec<_>>()) }
}

fn function(random: &mut Random) -> Atom {
    let of = field(random.pick(&["address", "address", "u64", "text_at", "u32"]));
    let name = random.pick(&["vfs_read", "vfs_read", "vfs_read.cold", "vfs read", "1"]);
    Atom::Function { of: of.clone(), name: name.to_owned() }
}
