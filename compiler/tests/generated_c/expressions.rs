//! Random expressions, each as a text and as what it means.

use std::fmt::Write;

/// Random numbers (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() >> 11) as usize % end
    }

    fn is_one_of(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) name: &'static str,
    pub(crate) bytes: u32,
    pub(crate) signed: bool,
}

const fn ty(name: &'static str, bytes: u32, signed: bool) -> Type {
    Type { name, bytes, signed }
}

/// The types of casts and of fields.
const TYPES: &[Type] = &[
    ty("u8", 1, false),
    ty("s8", 1, true),
    ty("u16", 2, false),
    ty("s16", 2, true),
    ty("u32", 4, false),
    ty("int", 4, true),
    ty("u64", 8, false),
    ty("s64", 8, true),
];

const U64: Type = TYPES[6];
const S64: Type = TYPES[7];
/// A field of it is 0 or 1.
const BOOL: Type = ty("bool", 1, false);

impl Type {
    /// Returns a number as this type holds it.
    pub(crate) fn hold(self, number: i128) -> i128 {
        if self == BOOL {
            return i128::from(number != 0);
        }
        let bits = self.bytes * 8;
        let low = number & ((1 << bits) - 1);
        if self.signed && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
    }
}

/// The arguments of each event. The last two are what pointers lead to.
pub(crate) fn arguments(signed_char: bool) -> Vec<(&'static str, Type)> {
    let char = ty("char", 1, signed_char);
    vec![
        ("i", ty("int", 4, true)),
        ("u", ty("u32", 4, false)),
        ("l", S64),
        ("w", U64),
        ("b", ty("u8", 1, false)),
        ("s", ty("s8", 1, true)),
        ("h", ty("s16", 2, true)),
        ("k", ty("u16", 2, false)),
        ("t", BOOL),
        ("c", char),
        ("text[1]", char),
        ("(*far)", ty("u16", 2, false)),
    ]
}

/// How a number mixes with others in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mix {
    /// It can be negative.
    Signed,
    /// It can be above the largest signed number.
    Large,
    /// Neither.
    Small,
    Const,
}

impl Mix {
    fn of(ty: Type) -> Mix {
        match (ty.signed, ty.bytes) {
            (true, _) => Mix::Signed,
            (false, 8) => Mix::Large,
            (false, _) => Mix::Small,
        }
    }
}

/// What an expression is made of. Numbers are the values of the arguments.
#[derive(Clone, Debug)]
enum Node {
    Argument(usize),
    Const(i128),
    Cast(Type, Box<Number>),
    Binary(&'static str, Box<Number>, Box<Number>),
    Neg(Box<Number>),
    Choose(Box<Condition>, Box<Number>, Box<Number>),
}

/// A number with its text.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) text: String,
    node: Node,
    mix: Mix,
}

/// A condition with its text.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) text: String,
    node: Asks,
}

#[derive(Clone, Debug)]
enum Asks {
    Compare(&'static str, Number, Number),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    In(Number, Vec<i128>),
    /// Whether a number is not 0.
    Truth(Number),
    /// Whether one condition holds as often as another.
    Same(Box<Condition>, Box<Condition>),
}

impl Number {
    /// Returns the number. Each result has been cast to a type, so that the low 64 bits decide.
    pub(crate) fn value(&self, arguments: &[i128]) -> i128 {
        match &self.node {
            Node::Argument(index) => arguments[*index],
            Node::Const(value) => *value,
            Node::Cast(ty, of) => ty.hold(of.value(arguments)),
            Node::Neg(of) => -of.value(arguments),
            Node::Choose(condition, then, otherwise) => match condition.holds(arguments) {
                true => then.value(arguments),
                false => otherwise.value(arguments),
            },
            Node::Binary(op, a, b) => {
                let (x, y) = (a.value(arguments), b.value(arguments));
                match *op {
                    "+" => x + y,
                    "-" => x - y,
                    // The product of two numbers of 64 bits has no more than 128.
                    "*" => x.wrapping_mul(y),
                    "/" => x / y,
                    "%" => x % y,
                    "&" => x & y,
                    "|" => x | y,
                    "^" => x ^ y,
                    "<<" => x << y,
                    _ => x >> y,
                }
            }
        }
    }
}

impl Condition {
    pub(crate) fn holds(&self, arguments: &[i128]) -> bool {
        match &self.node {
            Asks::All(parts) => parts.iter().all(|part| part.holds(arguments)),
            Asks::Any(parts) => parts.iter().any(|part| part.holds(arguments)),
            Asks::Not(of) => !of.holds(arguments),
            Asks::In(of, values) => values.contains(&of.value(arguments)),
            Asks::Truth(of) => of.value(arguments) != 0,
            Asks::Same(a, b) => a.holds(arguments) == b.holds(arguments),
            Asks::Compare(op, a, b) => {
                let (x, y) = (a.value(arguments), b.value(arguments));
                match *op {
                    "==" => x == y,
                    "!=" => x != y,
                    "<" => x < y,
                    "<=" => x <= y,
                    ">" => x > y,
                    _ => x >= y,
                }
            }
        }
    }
}

/// Makes expressions of arguments.
pub(crate) struct Maker<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) arguments: &'a [(&'static str, Type)],
    /// Whether a choice can stand here: there is none in the condition of an event.
    pub(crate) chooses: bool,
}

/// Numbers at which C changes its mind.
const CONSTANTS: &[i128] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    31,
    32,
    63,
    127,
    128,
    200,
    255,
    256,
    65_535,
    65_536,
    2_147_483_647,
    2_147_483_648,
    4_294_967_295,
    4_294_967_296,
];

impl Maker<'_> {
    pub(crate) fn without_choices<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.chooses, false);
        let made = make(self);
        self.chooses = before;
        made
    }

    /// Returns the type of a field.
    pub(crate) fn field(&mut self) -> Type {
        if self.random.is_one_of(8) { BOOL } else { self.random.pick(TYPES) }
    }

    fn constant(&mut self) -> Number {
        let value = self.random.pick(CONSTANTS);
        Number { text: value.to_string(), node: Node::Const(value), mix: Mix::Const }
    }

    fn argument(&mut self) -> Number {
        let index = self.random.below(self.arguments.len());
        let (name, ty) = self.arguments[index];
        Number { text: name.to_owned(), node: Node::Argument(index), mix: Mix::of(ty) }
    }

    fn leaf(&mut self) -> Number {
        if self.random.is_one_of(4) { self.constant() } else { self.argument() }
    }

    fn cast(of: Number, ty: Type) -> Number {
        Number {
            text: format!("(({}) as {})", of.text, ty.name),
            node: Node::Cast(ty, Box::new(of)),
            mix: Mix::of(ty),
        }
    }

    /// Returns two numbers that one type of 64 bits holds both of, and not two constants.
    fn mixed(&mut self, depth: u32) -> (Number, Number) {
        let (mut a, mut b) = (self.number(depth), self.number(depth));
        if a.mix == Mix::Const && b.mix == Mix::Const {
            a = self.argument();
        }
        if matches!((a.mix, b.mix), (Mix::Signed, Mix::Large) | (Mix::Large, Mix::Signed)) {
            let (from, to) = self.random.pick(&[(Mix::Signed, U64), (Mix::Large, S64)]);
            if a.mix == from {
                a = Maker::cast(a, to);
            } else {
                b = Maker::cast(b, to);
            }
        }
        (a, b)
    }

    pub(crate) fn number(&mut self, depth: u32) -> Number {
        if depth == 0 || self.random.is_one_of(7) {
            return self.leaf();
        }
        match self.random.below(9) {
            0 => {
                let of = self.number(depth - 1);
                let ty = self.random.pick(TYPES);
                Maker::cast(of, ty)
            }
            1 if self.chooses => {
                let condition = self.condition(depth - 1);
                let (a, b) = self.mixed(depth - 1);
                let ty = self.random.pick(TYPES);
                let text = format!("(({} ? {} : {}) as {})", condition.text, a.text, b.text, ty.name);
                let node = Node::Choose(Box::new(condition), Box::new(a), Box::new(b));
                Maker::held(text, node, ty)
            }
            2 => {
                let of = self.number(depth - 1);
                let of = if of.mix == Mix::Const { self.argument() } else { of };
                let ty = self.random.pick(TYPES);
                Maker::held(format!("((-{}) as {})", of.text, ty.name), Node::Neg(Box::new(of)), ty)
            }
            _ => self.binary(depth),
        }
    }

    /// Returns what is put into a type, with a text that says so.
    fn held(text: String, node: Node, ty: Type) -> Number {
        let of = Number { text: String::new(), node, mix: Mix::Signed };
        Number { text, node: Node::Cast(ty, Box::new(of)), mix: Mix::of(ty) }
    }

    fn binary(&mut self, depth: u32) -> Number {
        let op = self.random.pick(&["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "+", "-"]);
        let (a, b) = match op {
            "<<" | ">>" => {
                let a = self.number(depth - 1);
                let a = if a.mix == Mix::Const { self.argument() } else { a };
                let (count, most) = (self.argument(), self.random.pick(&[3, 7, 31, 63]));
                let mask = Number { text: most.to_string(), node: Node::Const(most), mix: Mix::Const };
                let text = format!("({} & {most})", count.text);
                let node = Node::Binary("&", Box::new(count), Box::new(mask));
                (a, Number { text, node, mix: Mix::Small })
            }
            "/" | "%" => {
                let a = self.number(depth - 1);
                let a = if a.mix == Mix::Const { self.argument() } else { a };
                let divisor = self.random.pick(&[1, 2, 3, 7, 512, 4_294_967_296]);
                (a, Number { text: divisor.to_string(), node: Node::Const(divisor), mix: Mix::Const })
            }
            _ => self.mixed(depth - 1),
        };
        let ty = self.random.pick(TYPES);
        let text = format!("(({} {op} {}) as {})", a.text, b.text, ty.name);
        Maker::held(text, Node::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    pub(crate) fn condition(&mut self, depth: u32) -> Condition {
        let inner = depth.saturating_sub(1);
        match self.random.below(if depth > 0 { 12 } else { 8 }) {
            0 => {
                let of = self.number(depth);
                let of = if of.mix == Mix::Const { self.argument() } else { of };
                let mut values: Vec<i128> =
                    (0..2).map(|_| self.random.pick(&[0, 1, 5, 127, 255, 65_536])).collect();
                values.dedup();
                let mut text = format!("({} in {{", of.text);
                for (index, value) in values.iter().enumerate() {
                    let _ = write!(text, "{}{value}", if index > 0 { ", " } else { "" });
                }
                Condition { text: format!("{text}}})"), node: Asks::In(of, values) }
            }
            1 => {
                let of = self.number(depth);
                let of = if of.mix == Mix::Const { self.argument() } else { of };
                Condition { text: of.text.clone(), node: Asks::Truth(of) }
            }
            2..8 => {
                let (a, b) = self.mixed(depth);
                let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                Condition { text: format!("({} {op} {})", a.text, b.text), node: Asks::Compare(op, a, b) }
            }
            8 => {
                let of = self.condition(inner);
                Condition { text: format!("(!{})", of.text), node: Asks::Not(Box::new(of)) }
            }
            9 => {
                // A truth is 0 or 1, whatever it was made of.
                let [a, b] = [(); 2].map(|()| self.compared(inner));
                let text = format!("({} == {})", a.text, b.text);
                Condition { text, node: Asks::Same(Box::new(a), Box::new(b)) }
            }
            kind => {
                let parts: Vec<Condition> = (0..2).map(|_| self.condition(inner)).collect();
                let all = kind == 10;
                let text = format!("({} {} {})", parts[0].text, if all { "&&" } else { "||" }, parts[1].text);
                Condition { text, node: if all { Asks::All(parts) } else { Asks::Any(parts) } }
            }
        }
    }

    /// Returns a condition that is 0 or 1 as a number.
    fn compared(&mut self, depth: u32) -> Condition {
        let (a, b) = self.mixed(depth);
        let op = self.random.pick(&["==", "<", ">="]);
        let compared =
            Condition { text: format!("({} {op} {})", a.text, b.text), node: Asks::Compare(op, a, b) };
        if self.random.is_one_of(2) {
            return compared;
        }
        Condition { text: format!("!{}", compared.text), node: Asks::Not(Box::new(compared)) }
    }
}
