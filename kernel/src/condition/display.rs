//! Conditions as text of the language, on one line, with only the parentheses that are needed.
//!
//! The text means the same on every event: the task and the CPU are written `current.comm`, `current.cpu` and so on,
//! since an event's own field may be called `comm` or `cpu`.

use std::fmt::{self, Display, Formatter};

use crate::condition::ir::{Atom, Condition, MaskTest, Number, NumberOp, Text, TextTest};
use crate::condition::ranges::Ranges;
use crate::format::IntegerType;

/// The precedence of the connectives, the loosest first. Everything else binds tighter.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Or,
    And,
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_condition(self, Level::Or, f)
    }
}

/// Writes a condition where an operator of this level, or tighter, may stand.
fn write_condition(condition: &Condition, level: Level, f: &mut Formatter<'_>) -> fmt::Result {
    match condition {
        Condition::Const(value) => write!(f, "{value}"),
        Condition::Atom(atom) => write!(f, "{atom}"),
        Condition::Not(inner) => match &**inner {
            // These begin with an operand that `!` binds to.
            inner @ (Condition::Const(_) | Condition::Not(_)) => write!(f, "!{inner}"),
            inner => write!(f, "!({inner})"),
        },
        Condition::And(parts) => join(parts, true, level, f),
        Condition::Or(parts) => join(parts, false, level, f),
    }
}

fn join(parts: &[Condition], all: bool, level: Level, f: &mut Formatter<'_>) -> fmt::Result {
    let (own, sign) = if all { (Level::And, " && ") } else { (Level::Or, " || ") };
    match parts {
        [] => write!(f, "{all}"),
        [only] => write_condition(only, level, f),
        parts => {
            let (open, close) = if own < level { ("(", ")") } else { ("", "") };
            f.write_str(open)?;
            for (index, part) in parts.iter().enumerate() {
                f.write_str(if index == 0 { "" } else { sign })?;
                // A conjunction in a conjunction means the same without parentheses.
                write_condition(part, own, f)?;
            }
            f.write_str(close)
        }
    }
}

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Compare { left, op, right } => write!(f, "{left} {op} {right}"),
            Atom::In { of, ranges } => write!(f, "{of} in {ranges}"),
            Atom::Text { of, test } => write!(f, "{of} {test}"),
            Atom::Mask { of, test, cpus } => {
                let op = match test {
                    MaskTest::Any => "&",
                    MaskTest::Equal => "==",
                    MaskTest::Differ => "!=",
                };
                write!(f, "{} {op} {}", of.name, CpuList(cpus))
            }
            Atom::Function { of, name } if is_word(name) => write!(f, "{}.function == {name}", of.name),
            Atom::Function { of, name } => write!(f, "{}.function == {name:?}", of.name),
        }
    }
}

fn is_word(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A list of CPUs as `CPUS{0-3,5}`.
struct CpuList<'a>(&'a Ranges);

impl Display for CpuList<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("CPUS{")?;
        for (index, (first, last)) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            match first == last {
                true => write!(f, "{first}")?,
                false => write!(f, "{first}-{last}")?,
            }
        }
        f.write_str("}")
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Text::Field(field) => f.write_str(&field.name),
            Text::User(field) => write!(f, "{}.ustring", field.name),
            Text::Comm => f.write_str("current.comm"),
        }
    }
}

/// The test with its operator: `== "x"`. The language's escapes are those of a Rust string's `Debug`.
impl Display for TextTest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TextTest::Eq(text) => write!(f, "== {text:?}"),
            TextTest::Ne(text) => write!(f, "!= {text:?}"),
            TextTest::Glob(pattern) => write!(f, "~ {:?}", pattern.as_str()),
        }
    }
}

/// The precedence of `as`, above the tightest operator. Several may follow each other.
const CAST: u8 = 7;

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_number(self, 0, f)
    }
}

/// Writes a number where an operator of this precedence, or tighter, may stand.
fn write_number(number: &Number, least: u8, f: &mut Formatter<'_>) -> fmt::Result {
    match number {
        // A unary minus binds tighter than every operator.
        Number::Const(value) => write!(f, "{value}"),
        Number::Field(field) => f.write_str(&field.name),
        Number::Cpu => f.write_str("current.cpu"),
        Number::Pid => f.write_str("current.pid"),
        Number::Tgid => f.write_str("current.tgid"),
        Number::Cast { to, of } => {
            write_number(of, CAST, f)?;
            write!(f, " as {to}")
        }
        Number::Binary { op, left, right, .. } => {
            let own = precedence(*op);
            let (open, close) = if own < least { ("(", ")") } else { ("", "") };
            f.write_str(open)?;
            write_number(left, own, f)?;
            write!(f, " {op} ")?;
            // Operators of one precedence are left-associative.
            write_number(right, own + 1, f)?;
            f.write_str(close)
        }
    }
}

/// Returns how tightly an operator binds, as in the language's grammar.
fn precedence(op: NumberOp) -> u8 {
    match op {
        NumberOp::Or => 1,
        NumberOp::Xor => 2,
        NumberOp::And => 3,
        NumberOp::Shl | NumberOp::Shr => 4,
        NumberOp::Add | NumberOp::Sub => 5,
        NumberOp::Mul | NumberOp::Div | NumberOp::Rem => 6,
    }
}

/// The type as the language writes it: `u8`, `s64`.
impl Display for IntegerType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 's' } else { 'u' }, 8 * self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::glob::Glob;
    use crate::condition::ir::CompareOp;
    use crate::format::{Field, parse_field};

    fn field(name: &str) -> Field {
        parse_field(&format!("\tfield:int {name};\toffset:8;\tsize:4;\tsigned:1;"), 1).unwrap()
    }

    fn number(name: &str) -> Number {
        Number::Field(field(name))
    }

    fn one(op: NumberOp, left: Number, right: Number) -> Number {
        Number::binary(op, left, right)
    }

    fn cast(bytes: u32, signed: bool, of: Number) -> Number {
        Number::Cast { to: IntegerType { bytes, signed }, of: Box::new(of) }
    }

    fn atom(name: &str) -> Condition {
        Condition::compare(number(name), CompareOp::Eq, 1)
    }

    fn text(of: Text, test: TextTest) -> Condition {
        Condition::Atom(Atom::Text { of, test })
    }

    fn not(condition: Condition) -> Condition {
        Condition::Not(Box::new(condition))
    }

    #[test]
    fn numbers_have_the_parentheses_they_need() {
        use NumberOp::*;
        let [a, b, c] = ["a", "b", "c"].map(|name| move || number(name));
        for (number, expected) in [
            (one(Add, one(Add, a(), b()), c()), "a + b + c"),
            (one(Add, a(), one(Add, b(), c())), "a + (b + c)"),
            (one(Sub, a(), one(Add, b(), c())), "a - (b + c)"),
            (one(Sub, a(), Number::Const(-1)), "a - -1"),
            (one(Mul, one(Add, a(), b()), c()), "(a + b) * c"),
            (one(Add, one(Mul, a(), b()), c()), "a * b + c"),
            (one(Rem, a(), one(Div, b(), c())), "a % (b / c)"),
            (one(Or, one(Xor, a(), one(And, b(), c())), a()), "a ^ b & c | a"),
            (one(And, one(Or, a(), b()), one(Shl, b(), c())), "(a | b) & b << c"),
            (one(Shr, one(Add, a(), b()), Number::Const(4)), "a + b >> 4"),
            (one(Add, one(Shr, a(), b()), c()), "(a >> b) + c"),
            (cast(1, false, a()), "a as u8"),
            (cast(8, true, cast(2, false, a())), "a as u16 as s64"),
            (cast(4, true, one(Mul, a(), b())), "(a * b) as s32"),
            (one(Mul, cast(4, true, a()), b()), "a as s32 * b"),
            (cast(1, true, Number::Const(-1)), "-1 as s8"),
            (one(Add, Number::Cpu, Number::Const(u64::MAX.into())), "current.cpu + 18446744073709551615"),
            (one(Sub, Number::Pid, Number::Tgid), "current.pid - current.tgid"),
        ] {
            assert_eq!(number.to_string(), expected);
        }
    }

    #[test]
    fn conditions_have_the_parentheses_they_need() {
        use Condition::{And, Const, Or};
        let [a, b, c] = ["a", "b", "c"].map(|name| move || atom(name));
        for (condition, expected) in [
            (Or(vec![And(vec![a(), b()]), c()]), "a == 1 && b == 1 || c == 1"),
            (And(vec![Or(vec![a(), b()]), c()]), "(a == 1 || b == 1) && c == 1"),
            (And(vec![a(), And(vec![b(), c()])]), "a == 1 && b == 1 && c == 1"),
            (Or(vec![Or(vec![a(), b()]), c()]), "a == 1 || b == 1 || c == 1"),
            (And(vec![a(), not(Or(vec![b(), c()]))]), "a == 1 && !(b == 1 || c == 1)"),
            (not(a()), "!(a == 1)"),
            (not(not(a())), "!!(a == 1)"),
            (not(Const(true)), "!true"),
            (And(vec![]), "true"),
            (Or(vec![]), "false"),
            (And(vec![Or(vec![And(vec![a(), b()])]), c()]), "a == 1 && b == 1 && c == 1"),
            (And(vec![And(vec![Or(vec![a(), b()])]), c()]), "(a == 1 || b == 1) && c == 1"),
        ] {
            assert_eq!(condition.to_string(), expected);
        }
    }

    #[test]
    fn atoms_read_as_they_are_written() {
        let masked = one(NumberOp::And, number("prev_prio"), Number::Const(6));
        let sum = one(NumberOp::Add, number("a"), Number::Const(1));
        let comm = || Text::Field(field("comm"));
        let glob = |pattern| TextTest::Glob(Glob::parse(pattern).unwrap());
        let compare = |left, op, right| Condition::Atom(Atom::Compare { left, op, right });
        let mask = |test| {
            let cpus = Ranges::new([(0, 3), (5, 5)]);
            Condition::Atom(Atom::Mask { of: field("cpus"), test, cpus })
        };
        let function =
            |name: &str| Condition::Atom(Atom::Function { of: field("ip"), name: name.to_owned() });
        for (condition, expected) in [
            (Condition::compare(masked, CompareOp::Eq, 6), "prev_prio & 6 == 6"),
            (not(text(comm(), glob("k*"))), r#"!(comm ~ "k*")"#),
            (compare(sum, CompareOp::Gt, cast(4, false, number("b"))), "a + 1 > b as u32"),
            (
                Condition::Atom(Atom::In {
                    of: number("a"),
                    ranges: Ranges::new([(1, 1), (5, 9), (-3, -2)]),
                }),
                "a in {-3..=-2, 1, 5..=9}",
            ),
            (text(Text::Comm, TextTest::Ne("a\"b\\\n'ä".to_owned())), r#"current.comm != "a\"b\\\n'ä""#),
            (text(comm(), glob(r"a\*[!b]?")), r#"comm ~ "a\\*[!b]?""#),
            (text(Text::User(field("filename")), TextTest::Eq(String::new())), r#"filename.ustring == """#),
            (mask(MaskTest::Any), "cpus & CPUS{0-3,5}"),
            (mask(MaskTest::Equal), "cpus == CPUS{0-3,5}"),
            (mask(MaskTest::Differ), "cpus != CPUS{0-3,5}"),
            (function("vfs_read"), "ip.function == vfs_read"),
            (function("f.isra.0"), r#"ip.function == "f.isra.0""#),
        ] {
            assert_eq!(condition.to_string(), expected);
        }
    }
}
