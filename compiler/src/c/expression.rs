//! Expressions of C.

use super::literal::{number, text};
use super::template::names;
use super::{Record, Scope};
use crate::ir::definition::{BinaryOp, CType, ExprId, ExprKind, SetMember, TypeKind, UnaryOp, Value};

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

impl Scope<'_> {
    /// Returns an expression as C. Its operators are in as many parentheses as C and the warnings of gcc want.
    pub(super) fn expression(self, id: ExprId) -> String {
        self.leveled(id).1
    }

    /// Returns an expression, converted to a type.
    pub(super) fn cast(self, ty: &str, id: ExprId) -> String {
        format!("({}){}", self.type_name(ty), self.operand(id, Level::Prefix))
    }

    /// Returns a pointer, in front of `->`.
    pub(super) fn pointer(self, id: ExprId) -> String {
        self.operand(id, Level::Postfix)
    }

    /// Returns the condition of a choice.
    pub(super) fn condition(self, id: ExprId) -> String {
        self.operand(id, Level::Or)
    }

    /// Returns an expression, in parentheses if it binds looser than an operand of this level.
    fn operand(self, id: ExprId, least: Level) -> String {
        let (level, text) = self.leveled(id);
        let is_clear = match (level, least) {
            // An operator of bits needs no parentheses in `&&`, `||` and `?` only; what is in it is simple.
            (Level::Bits, _) => least <= Level::And,
            (_, Level::Bits) => level >= Level::Prefix,
            _ => level >= least,
        };
        if is_clear { text } else { format!("({text})") }
    }

    /// Returns an expression with the level of its operator.
    fn leveled(self, id: ExprId) -> (Level, String) {
        match &self.definitions.exprs[id].kind {
            ExprKind::Cast { operand, ty } if self.only_names(*operand, ty) => self.leveled(*operand),
            ExprKind::Cast { operand, ty } => (Level::Prefix, self.cast(&ty.c, *operand)),
            ExprKind::Choose { condition, then, otherwise } => {
                let parts = [condition, then, otherwise].map(|part| self.operand(*part, Level::Or));
                (Level::Choice, format!("{} ? {} : {}", parts[0], parts[1], parts[2]))
            }
            ExprKind::Named { operand, ty, delimiter } => {
                let value = self.expression(*operand);
                (Level::Postfix, names(self, &value, *ty, delimiter.as_deref()))
            }
            ExprKind::Unary { op, operand } => (Level::Prefix, self.unary(*op, *operand)),
            ExprKind::Binary { op, left, right } => self.binary(*op, *left, *right),
            ExprKind::And(parts) => (Level::And, self.chain(parts, Level::And, " && ")),
            // gcc warns of `a && b || c`.
            ExprKind::Or(parts) => (Level::Or, self.chain(parts, Level::Bits, " || ")),
            ExprKind::In { operand, members } => self.membership(*operand, members),
            other => (Level::Postfix, self.postfix(other)),
        }
    }

    /// Returns whether a conversion gives names to a value and does not change it: C has the carrier of an `enum`.
    fn only_names(self, operand: ExprId, ty: &CType) -> bool {
        let from = self.definitions.exprs[operand].ty.as_ref().and_then(TypeKind::integer);
        matches!(ty.kind, TypeKind::Enum { .. }) && from == ty.kind.integer()
    }

    /// Returns an expression whose operator binds tightest, or that has none.
    fn postfix(self, kind: &ExprKind) -> String {
        let base = |id: &ExprId| self.operand(*id, Level::Postfix);
        match kind {
            ExprKind::Int(value) => number(i128::from(*value)),
            ExprKind::Str(content) | ExprKind::Constant { value: Value::Text(content), .. } => text(content),
            ExprKind::Constant { value, .. } => value.number().map(number).unwrap_or_default(),
            ExprKind::Argument(index) => self.arguments.get(*index).copied().unwrap_or_default().to_owned(),
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
        let args: Vec<String> = args.iter().map(|arg| self.expression(*arg)).collect();
        let args = args.join(", ");
        match &self.definitions.exprs[function].kind {
            ExprKind::C(name) => self.function(name, &args),
            _ => format!("{}({args})", self.operand(function, Level::Postfix)),
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

    fn unary(self, op: UnaryOp, operand: ExprId) -> String {
        // `- -x` would be `--x`, and `&&x` the address of a label.
        let doubled = match &self.definitions.exprs[operand].kind {
            ExprKind::Unary { op: inner, .. } => *inner == op && op != UnaryOp::Not,
            _ => false,
        };
        let operand = self.operand(operand, if doubled { Level::Postfix } else { Level::Prefix });
        format!("{}{operand}", op.symbol())
    }

    /// Returns an operation of two operands. The operators group from the left, except for comparisons, which are not
    /// chained.
    fn binary(self, op: BinaryOp, left: ExprId, right: ExprId) -> (Level, String) {
        let level = level(op);
        let left = self.operand(left, if op.compares() { Level::Sum } else { level });
        let right = self.operand(right, next(level));
        (level, format!("{left} {} {right}", op.symbol()))
    }

    fn chain(self, parts: &[ExprId], least: Level, operator: &str) -> String {
        let operand = |part: &ExprId| match self.leveled(*part) {
            (level, text) if level >= least => text,
            (_, text) => format!("({text})"),
        };
        parts.iter().map(operand).collect::<Vec<_>>().join(operator)
    }

    /// Returns whether an integer is in a set: a comparison for each member.
    fn membership(self, operand: ExprId, members: &[SetMember]) -> (Level, String) {
        let operand = self.operand(operand, Level::Sum);
        let test = |member: &SetMember| match *member {
            SetMember::One(value) => format!("{operand} == {}", self.operand(value, Level::Sum)),
            SetMember::Range { first, last } => {
                let [first, last] = [first, last].map(|end| self.operand(end, Level::Sum));
                let range = format!("{operand} >= {first} && {operand} <= {last}");
                if members.len() == 1 { range } else { format!("({range})") }
            }
        };
        let tests: Vec<String> = members.iter().map(test).collect();
        let level = match members {
            [] => return (Level::Postfix, "0".to_owned()),
            [SetMember::One(_)] => Level::Comparison,
            [SetMember::Range { .. }] => Level::And,
            _ => Level::Or,
        };
        (level, tests.join(" || "))
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
