//! Reads conditions over the fields of the event, as they are written out: enough of the language for tables of tests.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Text, TextTest};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::{FieldKind, IntegerType};

use crate::event;

/// Operators of numbers by precedence, the loosest first.
const LEVELS: [&[(&str, NumberOp)]; 6] = [
    &[("|", NumberOp::Or)],
    &[("^", NumberOp::Xor)],
    &[("&", NumberOp::And)],
    &[("<<", NumberOp::Shl), (">>", NumberOp::Shr)],
    &[("+", NumberOp::Add), ("-", NumberOp::Sub)],
    &[("*", NumberOp::Mul), ("/", NumberOp::Div), ("%", NumberOp::Rem)],
];

const COMPARISONS: [(&str, CompareOp); 6] = [
    ("==", CompareOp::Eq),
    ("!=", CompareOp::Ne),
    ("<=", CompareOp::Le),
    (">=", CompareOp::Ge),
    ("<", CompareOp::Lt),
    (">", CompareOp::Gt),
];

const SIGNS: [&str; 27] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "..=", "(", ")", "{", "}", ",", ".", "!", "~", "<", ">",
    "&", "|", "^", "+", "-", "*", "/", "%",
];

/// The condition that a text says.
pub(crate) fn read(text: &str) -> Condition {
    let mut reader = Reader { tokens: tokens(text), at: 0 };
    let condition = reader.any();
    assert_eq!(reader.at, reader.tokens.len(), "{text}: at {:?}", reader.peek());
    condition
}

fn tokens(mut text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    loop {
        text = text.trim_start();
        let Some(first) = text.chars().next() else { return tokens };
        let length = if first == '"' {
            text[1..].find('"').expect("a closing quote") + 2
        } else if first.is_alphanumeric() || first == '_' {
            text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
        } else {
            SIGNS.iter().find(|sign| text.starts_with(**sign)).unwrap_or_else(|| panic!("{text}")).len()
        };
        tokens.push(text[..length].to_owned());
        text = &text[length..];
    }
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn want(&mut self, token: &str) {
        assert!(self.take(token), "{token} wanted at {} of {:?}", self.at, self.tokens);
    }

    fn any(&mut self) -> Condition {
        let mut parts = vec![self.all()];
        while self.take("||") {
            parts.push(self.all());
        }
        Condition::any(parts)
    }

    fn all(&mut self) -> Condition {
        let mut parts = vec![self.one()];
        while self.take("&&") {
            parts.push(self.one());
        }
        Condition::all(parts)
    }

    fn one(&mut self) -> Condition {
        if self.take("!") {
            return Condition::Not(Box::new(self.one()));
        }
        if let Some(value) = ["false", "true"].iter().position(|word| self.peek() == *word) {
            self.at += 1;
            return Condition::Const(value == 1);
        }
        // What stands in parentheses is a condition, unless an operator of numbers follows.
        let start = self.at;
        if self.peek() == "(" && !self.is_number() {
            self.at = start + 1;
            let inner = self.any();
            self.want(")");
            return inner;
        }
        self.at = start;
        Condition::Atom(self.atom())
    }

    fn is_number(&mut self) -> bool {
        let mut open = 0;
        for (index, token) in self.tokens[self.at..].iter().enumerate() {
            match token.as_str() {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            if open == 0 {
                let behind = self.tokens.get(self.at + index + 1).map_or("", String::as_str);
                return !matches!(behind, "" | ")" | "&&" | "||");
            }
        }
        false
    }

    fn atom(&mut self) -> Atom {
        let start = self.at;
        if let Some(of) = self.text() {
            return Atom::Text { of, test: self.text_test() };
        }
        self.at = start;
        let name = self.next();
        if name.ends_with("cpus") {
            let test = match self.next().as_str() {
                "&" => MaskTest::Any,
                "==" => MaskTest::Equal,
                _ => MaskTest::Differ,
            };
            self.want("CPUS");
            return Atom::Mask { of: event::field(&name), test, cpus: self.ranges() };
        }
        if name != "current" && self.take(".") {
            self.want("function");
            self.want("==");
            return Atom::Function { of: event::field(&name), name: self.next() };
        }
        self.at = start;
        let left = self.number(0);
        if self.take("in") {
            return Atom::In { of: left, ranges: self.ranges() };
        }
        let sign = self.next();
        let op = COMPARISONS.iter().find(|(text, _)| *text == sign).unwrap_or_else(|| panic!("{sign}")).1;
        Atom::Compare { left, op, right: self.number(0) }
    }

    fn text(&mut self) -> Option<Text> {
        let name = self.next();
        if name == "current" {
            return (self.take(".") && self.take("comm")).then_some(Text::Comm);
        }
        if !name.starts_with(|c: char| c.is_alphabetic()) {
            return None;
        }
        let field = event::field(&name);
        if self.take(".") {
            return self.take("ustring").then_some(Text::User(field));
        }
        use FieldKind::{CharArray, CharPtr, DynString, RelString};
        matches!(field.kind, CharArray | CharPtr | DynString | RelString).then_some(Text::Field(field))
    }

    fn text_test(&mut self) -> TextTest {
        let op = self.next();
        let text = self.next().trim_matches('"').to_owned();
        match op.as_str() {
            "==" => TextTest::Eq(text),
            "!=" => TextTest::Ne(text),
            _ => TextTest::Glob(Glob::parse(&text).unwrap()),
        }
    }

    /// `{1, 2..=5}`; of CPUs `{1,2-5}`.
    fn ranges(&mut self) -> Ranges {
        self.want("{");
        let mut ranges = Vec::new();
        while !self.take("}") {
            let first = self.integer();
            let last = if self.take("..=") || self.take("-") { self.integer() } else { first };
            ranges.push((first, last));
            self.take(",");
        }
        Ranges::new(ranges)
    }

    fn integer(&mut self) -> i128 {
        let sign = if self.take("-") { -1 } else { 1 };
        sign * self.next().parse::<i128>().unwrap_or_else(|error| panic!("{error} in {:?}", self.tokens))
    }

    fn number(&mut self, level: usize) -> Number {
        let Some(ops) = LEVELS.get(level) else { return self.cast() };
        let mut left = self.number(level + 1);
        while let Some((_, op)) = ops.iter().find(|(sign, _)| *sign == self.peek()) {
            self.at += 1;
            let right = self.number(level + 1);
            left = Number::binary(*op, left, right);
        }
        left
    }

    fn cast(&mut self) -> Number {
        let mut of = if self.take("(") {
            let inner = self.number(0);
            self.want(")");
            inner
        } else if self.peek() == "-" || self.peek().starts_with(|c: char| c.is_ascii_digit()) {
            Number::Const(self.integer())
        } else if self.take("current") {
            self.want(".");
            match self.next().as_str() {
                "pid" => Number::Pid,
                "tgid" => Number::Tgid,
                _ => Number::Cpu,
            }
        } else {
            Number::Field(event::field(&self.next()))
        };
        while self.take("as") {
            let to = self.next();
            let bytes = to[1..].parse::<u32>().unwrap() / 8;
            of = Number::Cast { to: IntegerType { bytes, signed: to.starts_with('s') }, of: Box::new(of) };
        }
        of
    }
}
