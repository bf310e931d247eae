//! Records for a condition: what its fields are compared with, and what is next to that, oftener than chance would.

use tracec_kernel::condition::glob::{Glob, Token};
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::Field;

use crate::conditions::{INTEGERS, edge, letter};
use crate::event::{CPUS, FIXED, FUNCTIONS, KERNEL_TEXT, Moment, USER_TEXT};
use crate::random::Random;

/// What a condition compares with.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    numbers: Vec<i128>,
    /// What makes two sides equal.
    equal: Vec<i128>,
    texts: Vec<Vec<u8>>,
    patterns: Vec<Glob>,
    masks: Vec<Ranges>,
    /// The integers that it names.
    fields: Vec<Field>,
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
            Atom::Function { of, .. } => self.fields.push(of.clone()),
        }
    }

    fn number(&mut self, number: &Number) {
        match number {
            Number::Const(value) => self.numbers.push(*value),
            Number::Field(field) => self.fields.push(field.clone()),
            Number::Cpu => {}
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

    /// Any record that a kernel can write.
    pub(crate) fn moment(&self, random: &mut Random) -> Moment {
        let mut moment = Moment::new();
        for name in INTEGERS {
            moment.put(name, self.integer(random));
        }
        for name in ["text_at", "address"] {
            moment.put(name, self.address(random));
        }
        self.texts(&mut moment, random);
        moment
    }

    /// The same, another one: what the condition does not ask about stays.
    pub(crate) fn another(&self, moment: &mut Moment, random: &mut Random) {
        for field in &self.fields {
            let address = matches!(&*field.name, "address" | "text_at" | "u64") && random.once_in(2);
            let value = if address { self.address(random) } else { self.integer(random) };
            if matches!(field.size, 1 | 2 | 4 | 8) && !field.type_text.contains("_loc") {
                moment.put(&field.name, value);
            }
        }
        moment.cpu = match self.integer(random) {
            cpu if cpu < u64::from(CPUS) => cpu as u32,
            other => (other % u64::from(CPUS)) as u32,
        };
        if !(self.texts.is_empty() && self.patterns.is_empty() && self.masks.is_empty()) {
            self.texts(moment, random);
        }
    }

    fn integer(&self, random: &mut Random) -> u64 {
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

    fn address(&self, random: &mut Random) -> u64 {
        match random.below(8) {
            0..3 => KERNEL_TEXT,
            3..6 => USER_TEXT,
            6 => 0,
            _ => {
                let (_, range) = random.pick(&FUNCTIONS);
                range.start - 2 + random.below((range.end - range.start) as usize + 4) as u64
            }
        }
    }

    /// All texts and masks, those of the moment too.
    fn texts(&self, moment: &mut Moment, random: &mut Random) {
        moment.bytes.truncate(FIXED);
        moment.put("text_at", self.address(random));
        for name in ["fixed", "addr"] {
            let text = self.text(random);
            let behind = self.text(random);
            moment.fill(name, text.into_iter().chain([0]).chain(behind).chain([0; 8]));
            if random.once_in(4) {
                let full = self.text(random);
                moment.fill(name, full.into_iter().chain(std::iter::repeat(b'a')));
            }
        }
        for name in ["name", "synthetic", "near"] {
            let mut text = self.text(random);
            match random.below(8) {
                // A probe's string that faulted: no length, and where it is said to be the next text begins.
                0 => text.clear(),
                // `__dynamic_array` need not be filled, nor end in a NUL.
                1 => {}
                2 => {
                    text.push(0);
                    text.extend(self.text(random));
                }
                _ => text.push(0),
            }
            moment.add(name, &text);
        }
        for name in ["cpus", "near_cpus"] {
            moment.add(name, &self.mask(random));
        }
        let numbers: Vec<u8> = (0..4 * random.below(3)).map(|_| random.bits() as u8).collect();
        moment.add("numbers", &numbers);
        moment.comm = self.text(random);
        moment.comm.truncate(15);
        (moment.kernel, moment.user) = (self.text(random), self.text(random));
        if random.once_in(50) {
            // Longer than what a filter copies.
            moment.kernel.extend([b'a'; 1020]);
            moment.user.extend([b'a'; 1020]);
        }
    }

    /// A text without a NUL: one of those that are asked for, one that a pattern matches, or almost.
    fn text(&self, random: &mut Random) -> Vec<u8> {
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

    fn mask(&self, random: &mut Random) -> Vec<u8> {
        let mut words = [0u64; CPUS.div_ceil(64) as usize];
        let mut flip = |cpu: usize| words[cpu / 64] ^= 1 << (cpu % 64);
        if let Some(asked) = (!self.masks.is_empty()).then(|| random.pick(&self.masks))
            && !random.once_in(4)
        {
            (0..CPUS as usize).filter(|&cpu| asked.contains(cpu as i128)).for_each(&mut flip);
        }
        for _ in 0..random.below(3) {
            flip(random.below(CPUS as usize));
        }
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }
}

/// What of the field makes a number that is computed from it this one, if nothing is lost on the way.
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

/// A text that a pattern matches, or one that it would but for a class.
fn matched(pattern: &Glob, random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    for token in pattern.tokens() {
        match token {
            Token::Byte(byte) => text.push(*byte),
            Token::One => text.push(any_byte(random)),
            Token::Star => text.extend((0..random.below(3)).map(|_| any_byte(random))),
            Token::Class(class) => {
                let byte = (0..20).map(|_| any_byte(random)).find(|&byte| class.contains(byte));
                text.push(byte.unwrap_or(b'-'));
            }
        }
    }
    text
}
