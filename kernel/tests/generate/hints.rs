//! Values for a condition: what its fields are compared with, and what is next to that, oftener than chance would.

use tracec_kernel::condition::glob::{Glob, GlobToken};
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::Field;

use super::conditions::{edge, letter};
use super::random::Random;

/// What a condition compares with.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    numbers: Vec<i128>,
    /// What makes two sides equal.
    equal: Vec<i128>,
    texts: Vec<Vec<u8>>,
    patterns: Vec<Glob>,
    masks: Vec<Ranges>,
    /// The integers that it names, and what it takes for addresses.
    pub(crate) fields: Vec<Field>,
    /// Whether it asks for addresses of functions.
    pub(crate) functions: bool,
}

impl Hints {
    pub(crate) fn of(condition: &Condition) -> Hints {
        let mut hints = Hints::default();
        for atom in condition.atoms() {
            hints.atom(atom);
        }
        hints.combine();
        hints
    }

    fn atom(&mut self, atom: &Atom) {
        match atom {
            Atom::Compare { left, right, .. } => {
                if let Number::Const(value) = right {
                    self.equal.extend(undone(left, *value));
                }
                self.number(left);
                self.number(right);
            }
            Atom::In { of, ranges } => {
                self.number(of);
                self.ranges(ranges);
            }
            Atom::Text { test, .. } => match test {
                TextTest::Eq(text) | TextTest::Ne(text) => self.texts.push(text.clone().into_bytes()),
                TextTest::Glob(pattern) => self.patterns.push(pattern.clone()),
            },
            Atom::Mask { cpus, .. } => self.masks.push(cpus.clone()),
            Atom::Function { of, .. } => {
                self.functions = true;
                self.fields.push(of.clone());
            }
        }
    }

    fn number(&mut self, number: &Number) {
        match number {
            Number::Const(value) => self.numbers.push(*value),
            Number::Field(field) => self.fields.push(field.clone()),
            Number::Cpu | Number::Pid | Number::Tgid => {}
            Number::Cast { to, of } => {
                self.numbers.push(1 << (8 * to.bytes));
                self.number(of);
            }
            Number::Binary { left, right, .. } => {
                self.number(left);
                self.number(right);
            }
        }
    }

    fn ranges(&mut self, ranges: &Ranges) {
        for (first, last) in ranges.iter().take(4) {
            self.numbers.extend([first, last]);
        }
    }

    /// Adds what undoes one operation with two of the numbers.
    fn combine(&mut self) {
        let single = self.numbers.clone();
        for &a in single.iter().take(4) {
            for &b in single.iter().rev().take(4) {
                self.numbers.extend([a.wrapping_add(b), a.wrapping_sub(b)]);
                self.numbers.extend(a.checked_mul(b));
                self.numbers.extend(a.checked_div(b));
                if (0..64).contains(&b) {
                    self.numbers.extend([a << b, a >> b]);
                }
            }
        }
    }

    /// Whether it asks about texts or masks.
    pub(crate) fn beyond_integers(&self) -> bool {
        !(self.texts.is_empty() && self.patterns.is_empty() && self.masks.is_empty())
    }

    /// The bits of a number.
    pub(crate) fn integer(&self, random: &mut Random) -> u64 {
        if self.numbers.is_empty() || random.once_in(3) {
            return edge(random) as u64;
        }
        if !self.equal.is_empty() && random.once_in(4) {
            return random.pick(&self.equal) as u64;
        }
        let near = random.pick(&self.numbers).wrapping_add(random.below(3) as i128 - 1);
        let bits = near as u64;
        // The upper half of a register may hold anything.
        match random.below(8) {
            0 => bits & 0xffff_ffff,
            1 => bits & 0xffff_ffff | random.bits() << 32,
            2 => bits | 0xffff_ffff << 32,
            3 => bits ^ 1 << random.below(64),
            _ => bits,
        }
    }

    /// A text without a NUL: one of those that are asked for, one that a pattern matches, or almost.
    pub(crate) fn text(&self, random: &mut Random) -> Vec<u8> {
        let asked = self.texts.len() + self.patterns.len();
        let mut text = match random.below(asked + 1) {
            at if at < self.texts.len() => self.texts[at].clone(),
            at if at < asked => matched(&self.patterns[at - self.texts.len()], random),
            _ => (0..random.below(5)).flat_map(|_| letter(random).to_string().into_bytes()).collect(),
        };
        let at = random.below(text.len() + 1);
        match random.below(10) {
            0 => text.insert(at, any_byte(random)),
            1 if at < text.len() => {
                text.remove(at);
            }
            2 if at < text.len() => text[at] = any_byte(random),
            3 => text.truncate(at),
            4 => text.push(any_byte(random)),
            _ => {}
        }
        text.retain(|&byte| byte != 0);
        text
    }

    /// A set of CPUs, a bit each, of a machine with so many.
    pub(crate) fn mask(&self, cpus: u32, random: &mut Random) -> Vec<u64> {
        let mut words = vec![0_u64; cpus.div_ceil(64) as usize];
        let mut flip = |cpu: usize| words[cpu / 64] ^= 1 << (cpu % 64);
        if let Some(asked) = (!self.masks.is_empty()).then(|| random.pick(&self.masks))
            && !random.once_in(4)
        {
            (0..cpus as usize).filter(|&cpu| asked.contains(cpu as i128)).for_each(&mut flip);
        }
        for _ in 0..random.below(3) {
            flip(random.below(cpus as usize));
        }
        words
    }
}

/// Returns the value of the field from which the number that is computed is this one, if no bits are lost.
fn undone(number: &Number, value: i128) -> Option<i128> {
    let Number::Binary { op, left, right, .. } = number else {
        return if let Number::Cast { of, .. } = number { undone(of, value) } else { Some(value) };
    };
    let (of, by, turned) = match (&**left, &**right) {
        (of, Number::Const(by)) => (of, *by, false),
        (Number::Const(by), of) => (of, *by, true),
        _ => return None,
    };
    let before = match op {
        NumberOp::Add => value - by,
        NumberOp::Sub if turned => by - value,
        NumberOp::Sub => value + by,
        NumberOp::Mul => value.checked_div(by)?,
        NumberOp::Div => value.checked_mul(by)?,
        NumberOp::Shl if (0..64).contains(&by) => value >> by,
        NumberOp::Shr if (0..63).contains(&by) => value << by,
        _ => return None,
    };
    undone(of, before.clamp(-(1 << 64), 1 << 65))
}

/// A byte of a text, now and then none of UTF-8.
fn any_byte(random: &mut Random) -> u8 {
    if random.once_in(10) { 1 + random.below(255) as u8 } else { letter(random).to_string().as_bytes()[0] }
}

/// A text that a pattern matches, or one that it would match except for a class.
fn matched(pattern: &Glob, random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    for token in pattern.tokens() {
        match token {
            GlobToken::Byte(byte) => text.push(*byte),
            GlobToken::One => text.push(any_byte(random)),
            GlobToken::Star => text.extend((0..random.below(3)).map(|_| any_byte(random))),
            GlobToken::Class(class) => {
                let byte = (0..20).map(|_| any_byte(random)).find(|&byte| class.contains(byte));
                text.push(byte.unwrap_or(b'-'));
            }
        }
    }
    text
}
