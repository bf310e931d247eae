//! Expressions of C.

use tracec_kernel::condition::ir::{CompareOp, Number, NumberOp, Sign};
use tracec_kernel::format::IntegerType;

use super::literal::{number, text};
use super::number::{Doing, INT, Need, S64, Side, U64, promoted};
use super::template::{is_long_long, names};
use super::{Record, Scope};
use crate::ir::definition::{
    BinaryOp, CType, ExprId, ExprKind, Operation, SetMember, TypeKind, UnaryOp, Value,
};

/// How tightly an operator binds: the levels of C from the loosest, as far as the language has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Or,
    And,
    /// `|`, `^`, `&`, `<<` and `>>`, which C has on several levels. gcc wants parentheses between them, and around
    /// arithmetic in them; in a comparison C itself does.
    Bits,
    Comparison,
    Sum,
    Product,
    Prefix,
    Postfix,
}

/// An expression in C.
#[derive(Clone, Debug)]
struct Written {
    level: Level,
    text: String,
    /// The type that it has as an operand; `None` for what is not an integer, and where only C knows.
    ty: Option<IntegerType>,
    /// Whether that is `long long` or `unsigned long long`, the types of `%lld`, and no other of 8 bytes.
    is_long_long: bool,
    /// The smallest and the largest number that it can be.
    reach: (i128, i128),
    /// Whether gcc takes it for something that holds or does not: what compares, and `bool`.
    is_truth: bool,
}

impl<'a> Scope<'a> {
    /// Returns an expression as C. Its operators are in as many parentheses as C and the warnings of gcc want.
    pub(super) fn expression(self, id: ExprId) -> String {
        self.needed(id, Need::Number)
    }

    /// Returns an expression as C of which this has to be right.
    pub(super) fn needed(self, id: ExprId, need: Need) -> String {
        self.written(id, need).text
    }

    /// Returns an expression, converted to a type.
    pub(super) fn cast(self, ty: &str, id: ExprId) -> String {
        format!("({}){}", self.type_name(ty), self.operand(id, Need::Value, Level::Prefix))
    }

    /// Returns a number with the length modifier of its type in C, which is none for `int`.
    pub(super) fn printed_number(self, id: ExprId, is_signed: bool) -> (&'static str, String) {
        let written = self.written(id, Need::Number);
        match written.ty {
            Some(ty) if ty.bytes <= INT.bytes && (written.reach.0 >= 0 || (ty.signed && is_signed)) => {
                ("", written.text)
            }
            _ if written.is_long_long => ("ll", written.text),
            _ => {
                let ty = if is_signed { "long long" } else { "unsigned long long" };
                ("ll", format!("({ty}){}", written.operand(Level::Prefix)))
            }
        }
    }

    /// Returns a pointer, in front of `->`.
    pub(super) fn pointer(self, id: ExprId) -> String {
        self.operand(id, Need::Value, Level::Postfix)
    }

    /// Returns the condition of a choice.
    pub(super) fn condition(self, id: ExprId) -> String {
        self.asked(id).operand(Level::Or)
    }

    /// Returns an expression as C that holds or does not.
    pub(super) fn truth(self, id: ExprId) -> String {
        self.asked(id).text
    }

    /// Returns an expression as C that holds or does not. gcc asks whether `==` or `&&` was meant by a product, a shift or
    /// a choice between numbers (`-Wint-in-bool-context`).
    fn asked(self, id: ExprId) -> Written {
        let written = self.written(id, Need::Number);
        if !self.counts(id) {
            return written;
        }
        truth((Level::Comparison, format!("{} != 0", written.operand(Level::Sum))))
    }

    /// Returns whether an expression is one that gcc does not want as a condition.
    fn counts(self, id: ExprId) -> bool {
        let exprs = self.exprs;
        let is_const = |id: ExprId| matches!(exprs.number(id), Some(Number::Const(_)));
        match &exprs[id].kind {
            // Where it knows an operand, gcc leaves other operations out, so that a product is what is left of a sum.
            ExprKind::Binary { op: BinaryOp::BitAnd, left, right } => {
                self.counts(*left) || self.counts(*right)
            }
            ExprKind::Binary { op, .. } => !op.compares(),
            // What gcc knows the value of is a constant to it.
            ExprKind::Choose { then, otherwise, .. } => {
                exprs[id].ty.as_ref().is_some_and(TypeKind::is_integer)
                    || [*then, *otherwise].into_iter().any(|id| is_const(id) || self.counts(id))
            }
            ExprKind::Cast { operand, ty } => !ty.is_bool() && self.counts(*operand),
            ExprKind::Unary { op: UnaryOp::Neg, operand } => self.counts(*operand),
            _ => false,
        }
    }

    /// Returns an expression, in parentheses if it binds looser than an operand of this level.
    fn operand(self, id: ExprId, need: Need, least: Level) -> String {
        self.written(id, need).operand(least)
    }

    /// Returns an expression with what C makes of it.
    fn written(self, id: ExprId, need: Need) -> Written {
        let expr = &self.exprs[id];
        match &expr.kind {
            ExprKind::Cast { operand, ty } if self.only_names(*operand, ty) => self.written(*operand, need),
            ExprKind::Cast { operand, ty } => {
                let of = match ty.is_bool() {
                    true => self.asked(*operand).operand(Level::Prefix),
                    false => self.operand(*operand, put_into(ty), Level::Prefix),
                };
                let text = format!("({}){of}", self.type_name(&ty.c));
                self.known(id, (Level::Prefix, text), is_long_long(&ty.c))
            }
            ExprKind::Choose { condition, then, otherwise } => {
                self.choice(id, *condition, (*then, *otherwise), need)
            }
            ExprKind::Named { operand, ty, delimiter } => {
                let value = self.expression(*operand);
                let text = names(self, &value, *ty, delimiter.as_deref());
                self.known(id, (Level::Postfix, text), false)
            }
            ExprKind::Unary { op: UnaryOp::Neg, operand } => self.negative(id, *operand, need),
            ExprKind::Unary { op, operand } => {
                let written = self.unary(*op, *operand);
                match (op, self.exprs.number(id)) {
                    // What a pointer leads to can be a number.
                    (UnaryOp::Deref, Some(_)) => self.known(id, (written.level, written.text), false),
                    _ => written,
                }
            }
            ExprKind::Binary { op, left, right } => self.binary(id, *op, (*left, *right), need),
            ExprKind::And(parts) => truth((Level::And, self.chain(parts, Level::And, " && "))),
            // gcc warns of `a && b || c`.
            ExprKind::Or(parts) => truth((Level::Or, self.chain(parts, Level::Bits, " || "))),
            ExprKind::In { operand, members } => self.membership(*operand, members),
            other => {
                let text = self.postfix(other);
                let is_long_long = self.type_of(id).is_some_and(is_long_long);
                self.known(id, (Level::Postfix, text), is_long_long)
            }
        }
    }

    /// Returns C with the type and the numbers that the expression has there, if it is an integer.
    fn known(self, id: ExprId, (level, text): (Level, String), is_long_long: bool) -> Written {
        let exprs = self.exprs;
        let ty = match exprs.number(id) {
            Some(Number::Const(value)) => Some(type_of_literal(value)),
            _ => exprs[id].ty.as_ref().and_then(TypeKind::integer).map(promoted),
        };
        let reach = exprs.reach(id).unwrap_or(Sign::Signed.range());
        let is_truth = self.has_type(id).is_some_and(|name| matches!(name, "bool" | "_Bool"));
        Written { level, text, ty, is_long_long, reach, is_truth }
    }

    /// Returns the name of the type of a field or of its elements.
    fn type_of(self, id: ExprId) -> Option<&'a str> {
        match &self.exprs[id].kind {
            ExprKind::Field(index) => self.fields.get(*index).map(|field| field.ty.c.as_str()),
            ExprKind::Index { base, .. } => self.type_of(*base),
            _ => None,
        }
    }

    /// Returns the name of the type of an expression, where a declaration or a cast has it.
    fn has_type(self, id: ExprId) -> Option<&'a str> {
        match &self.exprs[id].kind {
            ExprKind::Argument(index) => self.arguments.get(*index).map(|argument| argument.ty.c.as_str()),
            ExprKind::Cast { ty, .. } => Some(&ty.c),
            _ => self.type_of(id),
        }
    }

    /// Returns whether a conversion gives names to a value and does not change it: C has the carrier of an `enum`.
    fn only_names(self, operand: ExprId, ty: &CType) -> bool {
        let from = self.exprs[operand].ty.as_ref().and_then(TypeKind::integer);
        matches!(ty.kind, TypeKind::Enum { .. }) && from == ty.kind.integer()
    }

    /// Returns an expression whose operator binds tightest, or that has none.
    fn postfix(self, kind: &ExprKind) -> String {
        let base = |id: &ExprId| self.pointer(*id);
        match kind {
            ExprKind::Int(value) => number(i128::from(*value)),
            ExprKind::Str(content) | ExprKind::Constant { value: Value::Text(content), .. } => text(content),
            ExprKind::Constant { value, .. } => value.number().map(number).unwrap_or_default(),
            ExprKind::Argument(index) => {
                self.arguments.get(*index).map(|argument| argument.name.value.clone()).unwrap_or_default()
            }
            ExprKind::Field(index) => {
                self.fields.get(*index).map(|field| self.field(field)).unwrap_or_default()
            }
            ExprKind::C(name) => name.clone(),
            ExprKind::Member { base: of, member } => format!("{}.{}", base(of), member.value),
            ExprKind::Arrow { base: of, member } => format!("{}->{}", base(of), member.value),
            ExprKind::Index { base: of, index } => format!("{}[{}]", base(of), self.expression(*index)),
            ExprKind::Call { function, args } => self.call(*function, args),
            ExprKind::Cast { .. }
            | ExprKind::Choose { .. }
            | ExprKind::Named { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::In { .. } => String::new(),
        }
    }

    fn call(self, function: ExprId, args: &[ExprId]) -> String {
        let args: Vec<String> = args.iter().map(|arg| self.needed(*arg, Need::Value)).collect();
        let args = args.join(", ");
        match &self.exprs[function].kind {
            ExprKind::C(name) => self.function(name, &args),
            _ => format!("{}({args})", self.pointer(function)),
        }
    }

    /// Returns a call of a function or macro. `MAJOR` and `MINOR` are macros of include/linux/kdev_t.h, which are
    /// replaced before a `format` file quotes them.
    pub(super) fn function(self, name: &str, args: &str) -> String {
        match (self.record, name) {
            (Record::Format, "MAJOR") => format!("((unsigned int) (({args}) >> 20))"),
            (Record::Format, "MINOR") => format!("((unsigned int) (({args}) & ((1U << 20) - 1)))"),
            _ => format!("{name}({args})"),
        }
    }

    fn unary(self, op: UnaryOp, operand: ExprId) -> Written {
        let of = if op == UnaryOp::Not { self.asked(operand) } else { self.written(operand, Need::Value) };
        let text = prefixed(op, self.is_doubled(op, operand), &of);
        match op {
            UnaryOp::Not => truth((Level::Prefix, text)),
            _ => Written { level: Level::Prefix, text, ..unknown() },
        }
    }

    /// Returns whether an operator is followed by itself: `- -x` would be `--x`, and `&&x` the address of a label.
    fn is_doubled(self, op: UnaryOp, operand: ExprId) -> bool {
        match &self.exprs[operand].kind {
            ExprKind::Unary { op: inner, .. } => *inner == op && op != UnaryOp::Not,
            _ => false,
        }
    }

    fn negative(self, id: ExprId, operand: ExprId, need: Need) -> Written {
        let exprs = self.exprs;
        let of = self.written(operand, need);
        let is_exact = |ty: IntegerType| match exprs.number(id) {
            Some(Number::Binary { sign, .. }) => {
                let (first, last) = (-of.reach.1, -of.reach.0);
                (ty.bytes == 8 && ty.signed == (sign == Sign::Signed))
                    || (ty.min() <= first && last <= ty.max())
            }
            _ => true,
        };
        let of = match of.ty {
            Some(ty) if need == Need::Low || is_exact(ty) => of,
            None if need != Need::Number => of,
            _ => of.converted(self.sign(id, &[])),
        };
        let text = prefixed(UnaryOp::Neg, self.is_doubled(UnaryOp::Neg, operand), &of);
        let reach = exprs.reach(id).unwrap_or(unknown().reach);
        Written { level: Level::Prefix, text, reach, is_truth: false, ..of }
    }

    /// Returns the sign that an operation has in 64 bits. Beside one that only C knows, a number decides it that can be
    /// above the largest signed one.
    fn sign(self, id: ExprId, operands: &[&Written]) -> Sign {
        match self.exprs.number(id) {
            Some(Number::Binary { sign, op, .. }) if op != NumberOp::And || operands.is_empty() => sign,
            Some(Number::Binary { sign, .. }) if operands.iter().all(|of| of.ty.is_some()) => sign,
            _ => one_sign(operands),
        }
    }

    /// Returns an operation of two operands. The operators group from the left, except for comparisons, which are not
    /// chained.
    fn binary(self, id: ExprId, op: BinaryOp, (left, right): (ExprId, ExprId), need: Need) -> Written {
        let exprs = self.exprs;
        let is_address = |id: ExprId| exprs[id].ty.as_ref().is_some_and(|ty| !ty.is_integer());
        let can_be_address = need == Need::Value && exprs[id].ty.is_none();
        if is_address(left) || is_address(right) || can_be_address {
            let [l, r] = [left, right].map(|id| self.written(id, Need::Value));
            let written = Written { level: level(op), text: infix(op, &l, &r), ..unknown() };
            return if op.compares() { truth((written.level, written.text)) } else { written };
        }
        let inner = |passes: bool| if passes && need == Need::Low { Need::Low } else { Need::Number };
        let l = self.written(left, inner(op.keeps_low_bytes()));
        let r = self.written(right, inner(op.keeps_low_bytes() && op != BinaryOp::Shl));
        let doing = doing(op);
        let sign = match op.compares() {
            true => one_sign(&[&l, &r]),
            false => self.sign(id, &[&l, &r]),
        };
        let (l, r) = match need == Need::Low && op.keeps_low_bytes() && doing.is_count_of(l.side(), r.side())
        {
            true => (l, r),
            false => widened(doing, l, r, sign),
        };
        let (l, r) = match op.compare_op() {
            Some(op) => (self.beside(&l, right, op), self.beside(&r, left, op.flipped())),
            None => (l, r),
        };
        let written = (level(op), infix(op, &l, &r));
        if op.compares() {
            return truth(written);
        }
        let are_known = exprs.number(left).is_some() && exprs.number(right).is_some();
        let reach = match (are_known.then(|| exprs.reach(id)).flatten(), op) {
            (Some(reach), _) => reach,
            // The mask says how far it reaches.
            (None, BinaryOp::BitAnd) if l.reach.0 >= 0 || r.reach.0 >= 0 => {
                let ends = [&l, &r].into_iter().filter(|side| side.reach.0 >= 0).map(|side| side.reach.1);
                (0, ends.min().unwrap_or(i128::from(u64::MAX)))
            }
            (None, _) => sign.range(),
        };
        Written {
            level: written.0,
            text: written.1,
            ty: doing.computed_with(l.side(), r.side()),
            is_long_long: l.is_long_long || (doing.is_of_both() && r.is_long_long),
            reach,
            is_truth: false,
        }
    }

    /// Returns one side of a comparison whose other side is `other`. gcc warns where something that holds or does not is
    /// compared with a number other than 0 and 1 (`-Wbool-compare`); an operator makes a number of it.
    fn beside(self, of: &Written, other: ExprId, op: CompareOp) -> Written {
        let exprs = self.exprs;
        let is_decided = match exprs.number(other) {
            Some(Number::Const(value)) => op.holds(0, value) == op.holds(1, value),
            // A macro can be any number, and gcc computes what it can.
            _ => {
                matches!(
                    exprs[other].kind,
                    ExprKind::C(_)
                        | ExprKind::Cast { .. }
                        | ExprKind::Choose { .. }
                        | ExprKind::Unary { op: UnaryOp::Neg, .. }
                ) || matches!(exprs[other].kind, ExprKind::Binary { op, .. } if !op.compares())
            }
        };
        if of.is_truth && is_decided { of.clone().into_number() } else { of.clone() }
    }

    fn choice(
        self,
        id: ExprId,
        condition: ExprId,
        (then, otherwise): (ExprId, ExprId),
        need: Need,
    ) -> Written {
        let ty = &self.exprs[id].ty;
        let condition = self.condition(condition);
        let (a, b) = (self.written(then, need), self.written(otherwise, need));
        let is_number = ty.as_ref().is_some_and(TypeKind::is_integer);
        let is_widened = is_number
            && match need {
                Need::Number => true,
                Need::Value => a.ty.is_some() && b.ty.is_some(),
                Need::Low => false,
            };
        let (a, b) = if is_widened {
            let sign = one_sign(&[&a, &b]);
            widened(Doing::Choose, a, b, sign)
        } else {
            (a, b)
        };
        let text =
            format!("{condition} ? {} : {}", a.clone().operand(Level::Or), b.clone().operand(Level::Or));
        Written {
            level: Level::Choice,
            text,
            ty: if is_number { Doing::Choose.computed_with(a.side(), b.side()) } else { None },
            is_long_long: a.is_long_long || b.is_long_long,
            reach: (a.reach.0.min(b.reach.0), a.reach.1.max(b.reach.1)),
            is_truth: false,
        }
    }

    fn chain(self, parts: &[ExprId], least: Level, operator: &str) -> String {
        let operand = |part: &ExprId| {
            let Written { level, text, .. } = self.asked(*part);
            if level >= least { text } else { format!("({text})") }
        };
        parts.iter().map(operand).collect::<Vec<_>>().join(operator)
    }

    /// Returns whether an integer is in a set: a comparison for each member.
    fn membership(self, operand: ExprId, members: &[SetMember]) -> Written {
        let of = self.written(operand, Need::Number);
        let of = if of.is_truth { of.into_number() } else { of };
        let tests = members.iter().map(|member| match *member {
            SetMember::One(value) => vec![(CompareOp::Eq, self.written(value, Need::Number))],
            SetMember::Range { first, last } => {
                let [first, last] = [first, last].map(|end| self.written(end, Need::Number));
                vec![(CompareOp::Ge, first), (CompareOp::Le, last)]
            }
        });
        let mut tests: Vec<Vec<(CompareOp, Written)>> = tests.collect();
        let sign = one_sign(&tests.iter().flatten().map(|(_, end)| end).chain([&of]).collect::<Vec<_>>());
        let is_exact = |of: &Written, (op, end): &(CompareOp, Written)| {
            Doing::Compare(*op).is_exact(of.side(), end.side(), sign)
        };
        let is_simple = tests.iter().flatten().all(|test| is_exact(&of, test));
        let of = if is_simple { of } else { of.converted(sign) };
        for test in tests.iter_mut().flatten() {
            if !is_exact(&of, test) {
                test.1 = test.1.clone().converted(sign);
            }
        }
        let count = tests.iter().map(Vec::len).sum::<usize>();
        if count > 1 && self.exprs.calls(operand) {
            // It is called once, whatever number of members it is compared with.
            let used = tests.iter().flatten().map(|(_, end)| end.text.as_str()).chain([of.text.as_str()]);
            let name = free_name(&used.collect::<Vec<_>>());
            let ty = type_name(of.ty.unwrap_or(S64));
            let local =
                Written { level: Level::Postfix, text: name.clone(), ty: of.ty.or(Some(S64)), ..of.clone() };
            let (_, tests) = any_of(&local, &tests);
            let text = format!("({{ {ty} {name} = {}; {tests}; }})", of.text);
            return truth((Level::Postfix, text));
        }
        truth(any_of(&of, &tests))
    }
}

impl Written {
    /// Returns it as one side of an operation.
    fn side(&self) -> Side {
        Side { ty: self.ty, reach: self.reach }
    }

    /// Returns it in parentheses if it binds looser than an operand of this level.
    fn operand(self, least: Level) -> String {
        let is_clear = match (self.level, least) {
            // An operator of bits needs no parentheses in `&&`, `||` and `?` only; what is in it is simple.
            (Level::Bits, _) => least <= Level::And,
            (_, Level::Bits) => self.level >= Level::Prefix,
            _ => self.level >= least,
        };
        if is_clear { self.text } else { format!("({})", self.text) }
    }

    fn is_literal(&self) -> bool {
        let digits = self.text.strip_prefix('-').unwrap_or(&self.text);
        digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Converts it to 64 bits of a sign.
    fn converted(self, sign: Sign) -> Written {
        let ty = if sign == Sign::Signed { S64 } else { U64 };
        // What only C knows can be any number of the type.
        let is_truth = self.is_truth;
        let reach = if self.ty.is_some() { self.reach } else { (ty.min(), ty.max()) };
        let (level, text) = match self.is_literal() {
            true if ty.signed => (self.level, format!("{}LL", self.text)),
            true => (self.level, format!("{}ULL", self.text)),
            false => (Level::Prefix, format!("({}){}", type_name(ty), self.operand(Level::Prefix))),
        };
        Written { level, text, ty: Some(ty), is_long_long: true, reach, is_truth }
    }

    /// Returns what holds or does not as a number, which gcc compares with any other.
    fn into_number(self) -> Written {
        let text = match self.text.starts_with('!') {
            true => format!("+({})", self.text),
            false => format!("+{}", self.clone().operand(Level::Prefix)),
        };
        Written { level: Level::Prefix, text, is_truth: false, ..self }
    }
}

/// Returns what C alone knows.
fn unknown() -> Written {
    let reach = Sign::Signed.range();
    Written {
        level: Level::Postfix,
        text: String::new(),
        ty: None,
        is_long_long: false,
        reach,
        is_truth: false,
    }
}

/// Returns the C of what holds or does not: an `int`.
fn truth((level, text): (Level, String)) -> Written {
    Written { level, text, ty: Some(INT), is_long_long: false, reach: (0, 1), is_truth: true }
}

fn type_name(ty: IntegerType) -> &'static str {
    match (ty.bytes, ty.signed) {
        (8, true) => "s64",
        (8, false) => "u64",
        (_, true) => "int",
        (_, false) => "u32",
    }
}

/// Returns the type of a literal: the first of `int` and `long` that holds it, or else `unsigned long long`.
fn type_of_literal(value: i128) -> IntegerType {
    [INT, S64].into_iter().find(|ty| ty.min() <= value && value <= ty.max()).unwrap_or(U64)
}

/// Returns what a value needs that is put into a type.
pub(super) fn put_into(ty: &CType) -> Need {
    match ty.kind.integer() {
        Some(into) if into.bytes < 8 && !ty.is_bool() => Need::Low,
        _ if ty.kind.is_integer() => Need::Number,
        _ => Need::Value,
    }
}

/// Returns the sign of 64 bits that holds all of some numbers.
fn one_sign(numbers: &[&Written]) -> Sign {
    let is_large = |number: &&Written| number.reach.1 > S64.max();
    if numbers.iter().any(is_large) { Sign::Unsigned } else { Sign::Signed }
}

/// Returns two operands with as few conversions as what is done with them needs to be exact.
fn widened(doing: Doing, left: Written, right: Written, sign: Sign) -> (Written, Written) {
    let of_both = doing.is_of_both();
    // What only C knows stays as it is, if that will do.
    let first = (!left.is_literal(), false);
    let second = (false, of_both && !right.is_literal());
    let [first, second] = if left.ty.is_none() { [second, first] } else { [first, second] };
    let by_preference = [(false, false), first, second, (true, false), (false, of_both)];
    let convert = |written: &Written, converts: bool| {
        if converts { written.clone().converted(sign) } else { written.clone() }
    };
    let tried = by_preference.into_iter().map(|(l, r)| (convert(&left, l), convert(&right, r)));
    let exact = { tried }.find(|(l, r)| doing.is_exact(l.side(), r.side(), sign));
    exact.unwrap_or_else(|| (convert(&left, true), convert(&right, of_both)))
}

fn infix(op: BinaryOp, left: &Written, right: &Written) -> String {
    let level = level(op);
    let left = match left.level == Level::Prefix && left.text.starts_with('!') && op.compares() {
        // gcc asks what the `!` in `!a == b` is of (`-Wlogical-not-parentheses`).
        true => format!("({})", left.text),
        false => left.clone().operand(if op.compares() { Level::Sum } else { level }),
    };
    let right = right.clone().operand(next(level));
    format!("{left} {} {right}", op.symbol())
}

fn prefixed(op: UnaryOp, is_doubled: bool, of: &Written) -> String {
    let of = of.clone().operand(if is_doubled { Level::Postfix } else { Level::Prefix });
    format!("{}{of}", op.symbol())
}

/// Returns the comparisons of a number with the members of a set.
fn any_of(of: &Written, tests: &[Vec<(CompareOp, Written)>]) -> (Level, String) {
    let compared = |(op, end): &(CompareOp, Written)| {
        format!("{} {op} {}", of.clone().operand(Level::Sum), end.clone().operand(Level::Sum))
    };
    let member = |ends: &Vec<(CompareOp, Written)>| {
        let text = ends.iter().map(compared).collect::<Vec<_>>().join(" && ");
        if ends.len() > 1 && tests.len() > 1 { format!("({text})") } else { text }
    };
    let level = match tests {
        [] => return (Level::Postfix, "0".to_owned()),
        [one] if one.len() == 1 => Level::Comparison,
        [_] => Level::And,
        _ => Level::Or,
    };
    (level, tests.iter().map(member).collect::<Vec<_>>().join(" || "))
}

/// Returns a name that no text has.
fn free_name(texts: &[&str]) -> String {
    let numbered = (2_u32..).map(|number| format!("value{number}"));
    let mut names = std::iter::once("value".to_owned()).chain(numbered);
    names.find(|name| texts.iter().all(|text| !text.contains(name.as_str()))).unwrap_or_default()
}

fn doing(op: BinaryOp) -> Doing {
    match op.operation() {
        Operation::Compute(op) => Doing::Compute(op),
        Operation::Compare(op) => Doing::Compare(op),
    }
}

fn level(op: BinaryOp) -> Level {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub};
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => Level::Comparison,
        BitAnd | BitOr | BitXor | Shl | Shr => Level::Bits,
        Add | Sub => Level::Sum,
        Mul | Div | Rem => Level::Product,
    }
}

/// Returns the level of the right operand of an operator of this level.
fn next(level: Level) -> Level {
    match level {
        Level::Comparison => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Prefix,
        other => other,
    }
}
