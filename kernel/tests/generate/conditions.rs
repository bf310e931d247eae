//! Conditions over an event: every kind of question about every kind of field.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::{Field, IntegerType};

use super::random::Random;

pub(crate) const OPS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// The parts of one event that conditions may ask about.
#[derive(Clone, Debug)]
pub(crate) struct Vocabulary {
    /// The fields that are integers; one at least.
    pub(crate) integers: Vec<Field>,
    /// Fields that are none, to be asked as if they were.
    pub(crate) no_integers: Vec<Field>,
    /// The texts; one at least.
    pub(crate) texts: Vec<Text>,
    /// Fields that are not a string and do not point to one.
    pub(crate) no_texts: Vec<Text>,
    /// The masks of CPUs, those that a kernel's filter knows more often than others.
    pub(crate) masks: Vec<Field>,
    /// What `.function` is asked of.
    pub(crate) addresses: Vec<Field>,
    /// The functions, those that the kernel has more often than others.
    pub(crate) functions: Vec<&'static str>,
    /// How many CPUs lists may name.
    pub(crate) cpus: u32,
}

impl Vocabulary {
    /// Any condition: half of them are one atom, or its negation.
    pub(crate) fn condition(&self, random: &mut Random) -> Condition {
        match random.below(8) {
            0..3 => Condition::Atom(self.atom(random)),
            3 => Condition::Not(Box::new(Condition::Atom(self.atom(random)))),
            _ => self.tree(random, 3),
        }
    }

    fn tree(&self, random: &mut Random, depth: usize) -> Condition {
        if depth == 0 || random.once_in(4) {
            return match random.below(40) {
                0 => Condition::Const(random.once_in(2)),
                _ => Condition::Atom(self.atom(random)),
            };
        }
        match random.below(5) {
            0 => Condition::Not(Box::new(self.tree(random, depth - 1))),
            1 | 2 => Condition::And(self.parts(random, depth)),
            _ => Condition::Or(self.parts(random, depth)),
        }
    }

    fn parts(&self, random: &mut Random, depth: usize) -> Vec<Condition> {
        (0..2 + random.below(2)).map(|_| self.tree(random, depth - 1)).collect()
    }

    fn atom(&self, random: &mut Random) -> Atom {
        match random.below(20) {
            0..5 => self.compare(random),
            5..7 => self.bits(random),
            7..9 => self.set(random),
            9..13 => self.computed(random),
            18 if !self.masks.is_empty() => self.mask(random),
            19 if !self.addresses.is_empty() && !self.functions.is_empty() => self.function(random),
            _ => self.text(random),
        }
    }

    /// A field as it is, the CPU or the task.
    fn plain(&self, random: &mut Random) -> Number {
        match random.below(self.integers.len() * 4 + 9) {
            0..4 => Number::Cpu,
            4..8 if random.once_in(8) => Number::Tgid,
            4..8 => Number::Pid,
            8 if !self.no_integers.is_empty() => Number::Field(random.pick(&self.no_integers)),
            _ => Number::Field(random.pick(&self.integers)),
        }
    }

    fn compare(&self, random: &mut Random) -> Atom {
        let left = self.plain(random);
        let right = match random.below(40) {
            0 => self.plain(random),
            _ => Number::Const(constant(random, left.range())),
        };
        Atom::Compare { left, op: random.pick(&OPS), right }
    }

    fn bits(&self, random: &mut Random) -> Atom {
        let of = self.plain(random);
        let (_, max) = of.range();
        let mask = match random.below(4) {
            0 => 1 << random.below(64),
            1 => edge(random),
            _ => i128::from(random.bits() & random.bits() >> random.below(64)),
        };
        let width = if max > i64::MAX.into() || random.once_in(30) { u64::MAX } else { max as u64 * 2 + 1 };
        let mask = match random.below(40) {
            0 => mask,
            // All but some low ones.
            1..6 => -1 << random.below(34),
            _ => i128::from(mask as u64 & width),
        };
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

    fn set(&self, random: &mut Random) -> Atom {
        let of = self.plain(random);
        Atom::In { ranges: ranges(random, of.range()), of }
    }

    /// Arithmetic with constants, once or twice, compared with one.
    fn computed(&self, random: &mut Random) -> Atom {
        let mut number = self.plain(random);
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

    fn text(&self, random: &mut Random) -> Atom {
        let of = match random.below(30) {
            0 if !self.no_texts.is_empty() => random.pick(&self.no_texts),
            _ => random.pick(&self.texts),
        };
        let test = match random.below(8) {
            0 | 1 => TextTest::Eq(word(random)),
            2 => TextTest::Ne(word(random)),
            _ => TextTest::Glob(pattern(random)),
        };
        Atom::Text { of, test }
    }

    fn mask(&self, random: &mut Random) -> Atom {
        let test = random.pick(&[MaskTest::Any, MaskTest::Equal, MaskTest::Differ]);
        let runs = (0..1 + random.below(3)).map(|_| {
            let first = random.below(self.cpus as usize) as i128;
            (first, (first + random.below(3) as i128).min(i128::from(self.cpus) - 1))
        });
        let cpus = Ranges::new(runs.collect::<Vec<_>>());
        Atom::Mask { of: random.pick(&self.masks), test, cpus }
    }

    fn function(&self, random: &mut Random) -> Atom {
        Atom::Function { of: random.pick(&self.addresses), name: random.pick(&self.functions).to_owned() }
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
        Mul | Div if random.once_in(8) => edge(random),
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
const CLASSES: [&str; 16] = [
    "[ab]", "[!ab]", "[a-c]", "[!a-c]", "[]a]", "[!]a]", "[a-]", "[!-a]", "[a-a-c]", "[c-a]", "[1!]", "[!!]",
    "[!1-9]", "[a*?\\]", "[!\"a]", "[']",
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
