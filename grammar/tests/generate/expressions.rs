//! Generation of expressions, types and templates.

use super::Generator;

/// The precedences. An operand that binds looser than its context requires gets parentheses.
const CHOOSE: u32 = 0;
const OR: u32 = 1;
const AND: u32 = 2;
const COMPARISON: u32 = 3;
const BITS: u32 = 4;
const PRODUCT: u32 = 9;
const CAST: u32 = 10;
const UNARY: u32 = 11;
const POSTFIX: u32 = 12;

/// The operators by precedence, from [`BITS`] to [`PRODUCT`].
const OPERATORS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl Generator<'_> {
    /// Generates an expression of a condition or setting.
    pub(super) fn expression(&mut self) {
        self.binding(OR, 4, false);
    }

    /// Generates an expression of an entry or template.
    pub(super) fn c_expression(&mut self) {
        self.binding(CHOOSE, 4, true);
    }

    /// Generates an expression that binds at least as tightly as `least`, and nests at most `fuel` deep.
    fn binding(&mut self, least: u32, fuel: u32, c: bool) {
        let kinds = if fuel == 0 { 6 } else { 22 };
        let kind = self.choose(kinds);
        let binds = match kind {
            0..=5 => POSTFIX,
            6 | 7 => OR,
            8 | 9 => AND,
            10 | 11 => COMPARISON,
            12 => COMPARISON,
            13..=15 => BITS + self.choose(PRODUCT - BITS + 1),
            16 => CAST,
            17 => UNARY,
            18 | 19 => POSTFIX,
            20 if c => CHOOSE,
            _ => POSTFIX,
        };
        let needed = binds < least;
        let parentheses = u32::from(needed) + if self.rarely() { 1 + self.choose(2) } else { 0 };
        (0..parentheses).for_each(|_| self.token("("));
        self.kind(kind, binds, fuel.saturating_sub(1), c);
        (0..parentheses).for_each(|_| self.token(")"));
    }

    fn kind(&mut self, kind: u32, binds: u32, fuel: u32, c: bool) {
        match (kind, binds) {
            (6..=9, _) => {
                let sign = if binds == OR { "||" } else { "&&" };
                self.binding(binds + 1, fuel, c);
                for _ in 0..=self.choose(3) {
                    self.token(sign);
                    self.binding(binds + 1, fuel, c);
                }
            }
            (11, _) if self.rarely() => {
                self.binding(BITS, fuel, c);
                let sign = self.pick(&["~", "!~"]);
                self.token(sign);
                self.bracketed("{", "}", 1, Self::string);
            }
            (10 | 11, _) => {
                self.binding(BITS, fuel, c);
                let sign = self.pick(&["==", "!=", "<", "<=", ">", ">=", "~", "!~"]);
                self.token(sign);
                self.binding(BITS, fuel, c);
            }
            (12, _) => {
                self.binding(BITS, fuel, c);
                self.token("in");
                self.bracketed("{", "}", 1, Self::member);
            }
            (13..=15, _) => {
                self.binding(binds, fuel, c);
                let sign = self.pick(OPERATORS[(binds - BITS) as usize]);
                self.token(sign);
                self.binding(binds + 1, fuel, c);
            }
            (16, _) => {
                self.binding(CAST, fuel, c);
                let cast = self.pick(&["as u32", "as s64", "as dev_t", "as errno :: Errno"]);
                self.tokens(cast);
            }
            (17, _) => {
                let sign = self.pick(if c { &["!", "-", "&", "*"][..] } else { &["!", "-"] });
                self.token(sign);
                self.binding(UNARY, fuel, c);
            }
            (20, CHOOSE) => {
                self.binding(OR, fuel, c);
                self.token("?");
                self.binding(OR, fuel, c);
                self.token(":");
                self.binding(CHOOSE, fuel, c);
            }
            (18..=21, _) => self.postfix(fuel, c),
            _ => self.leaf(),
        }
    }

    fn postfix(&mut self, fuel: u32, c: bool) {
        self.base();
        match self.choose(if c { 4 } else { 2 }) {
            0 => {
                self.token(".");
                self.name();
            }
            1 => {
                self.token(".");
                self.name();
                self.bracketed("(", ")", 1, |this| this.binding(OR, fuel, c));
            }
            2 => {
                self.token("->");
                self.name();
                self.bracketed("(", ")", 0, |this| this.binding(OR, fuel, c));
            }
            _ => {
                self.token("[");
                self.binding(OR, fuel, c);
                self.token("]");
            }
        }
    }

    /// Generates the operand of a postfix.
    fn base(&mut self) {
        match self.choose(4) {
            0 | 1 => self.name(),
            2 => {
                self.token("(");
                self.name();
                self.token(")");
            }
            _ => {
                self.tokens("( 5 )");
            }
        }
    }

    fn member(&mut self) {
        let sign = if self.rarely() { "-" } else { "" };
        self.token(if sign.is_empty() { "3" } else { sign });
        if !sign.is_empty() {
            self.token("7");
        }
        if self.rarely() {
            self.tokens("..= 9");
        }
    }

    fn leaf(&mut self) {
        match self.choose(10) {
            0..=3 => self.name(),
            4 => self.integer(),
            5 => self.string(),
            6 => {
                self.name();
                self.token("::");
                self.token("ENOSPC");
            }
            7 => self.token("64KiB"),
            8 => self.token("10ms"),
            _ => {
                let literal =
                    self.pick(&["10.0.0.1", "10.0.0.0/8", "2001:db8::1", "fe80::/10", "CPUS{0-3,8}"]);
                self.token(literal);
            }
        }
    }

    // Types

    pub(super) fn ty(&mut self) {
        for _ in 0..self.choose(3) {
            let pointer = self.pick(&["*", "* user", "* const", "* user const"]);
            self.tokens(pointer);
        }
        let base = self.pick(&[
            "u32",
            "char",
            "unsigned long",
            "struct request",
            "union u",
            "enum e",
            "string",
            "user string",
        ]);
        self.tokens(base);
        match self.choose(6) {
            1 => self.tokens("[ TASK_COMM_LEN ]"),
            2 => self.tokens("[ ]"),
            3 => self.tokens("[ 0x10 + 1 ]"),
            _ => {}
        }
    }

    pub(super) fn of_type(&mut self) {
        self.token(":");
        self.ty();
    }

    // Templates

    /// Generates a string with placeholders, in which all blanks are text.
    pub(super) fn template(&mut self) {
        self.token("\"");
        for _ in 0..self.choose(4) {
            let part = self.pick(&[
                "text",
                "{x}",
                "{{",
                "}}",
                "{ x:#010x}",
                "{rq->q[ 0 ]:pISpc}",
                "{bytes > 4096 ? \"big\" : \"small\"}",
                "\\n",
                "{f:flags(\"|\")}",
                "{a::b}",
            ]);
            self.glue(part);
        }
        self.glue("\"");
    }
}
